"""How fast does the report open in a browser, beside pages that lay everything out at once?

Builds a report of one synthetic section (500,000 characters, 2,000 passages, three runs), opens it in headless
Chromium over its debugging pipe and measures from the start of the navigation to the first frame after the load
event, and from a click on a switch to the frame that shows it. Alternatives, with the same text and the same marks:
the page with `content-visibility` taken out, and one table with a row per paragraph and an inline style per mark.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fingreat.report import FilingView, MatchView, Report, RunView, render_report
from fingreat.schema import Extraction, Filing, Match, Section, SectionStatus, Verdict, load_graph

CHARACTERS, PASSAGES, RUNS, REPEATS = 500_000, 2_000, 3, 5
# Two frames: the first callback runs before the page is painted, the second after.
FRAME = "await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)));"
OPENED = f"""(async () => {{
  if (document.readyState !== "complete") await new Promise(r => addEventListener("load", r));
  {FRAME}
  return performance.now();
}})()"""
TOGGLED = f"""(async () => {{
  const input = document.querySelector("#controls input[data-kind=run]");
  const start = performance.now();
  input.click();
  const handled = performance.now() - start;
  {FRAME}
  return [handled, performance.now() - start];
}})()"""


# Puts the two ends where Chromium looks for them; out of the way first, because they may be 4 and 3.
LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3]]
os.dup2(ends[0], 3)
os.dup2(ends[1], 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """Headless Chromium, spoken to over its debugging pipe (file descriptors 3 and 4, messages end with NUL)."""

    def __init__(self, program: str, profile: str) -> None:
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
        command = [program, *flags, "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(to_browser), str(from_browser), *command],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._last = 0
        self._session: str | None = None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]

    def call(self, method: str, **params: object) -> Any:
        """Send a command and wait for its answer; events in between are dropped."""
        self._last += 1
        message: dict[str, object] = {"id": self._last, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _receive(self) -> Any:
        while b"\0" not in self._buffer:
            data = os.read(self._in, 1 << 16)
            if not data:
                raise RuntimeError("the browser ended")
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def value(self, script: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description", script))
        return result["result"].get("value")

    def close(self) -> None:
        """End the browser."""
        self._session = None
        with contextlib.suppress(RuntimeError):
            self.call("Browser.close")
        self._process.wait(timeout=20)
        os.close(self._in)
        os.close(self._out)


def synthetic_text(characters: int) -> str:
    """Prose with a heading and a table now and then."""
    parts: list[str] = []
    size = i = 0
    while size < characters:
        sentence = "Net sales of unit {} rose {}% to ${}.{} million as it shipped more balances and raised its prices. "
        block = "".join(sentence.format(i + k, (i + k) % 90, (i * 7 + k) % 900, k) for k in range(5)) + "\n\n"
        if i % 10 == 0:
            rows = "".join(f"| Line {i + k} | ${k},{i % 900 + 100} | ({i % 90}.4) |\n" for k in range(8))
            block += f"### Unit {i}\n\n| In thousands | 2024 | 2023 |\n| --- | --- | --- |\n{rows}\n"
        parts.append(block)
        size += len(block)
        i += 1
    return "".join(parts)[:characters]


def synthetic_report(characters: int, passages: int) -> Report:
    """One filing, three runs over the same places; each passage of the first run is matched in the second."""
    text = synthetic_text(characters)
    filing = Filing(id="0000000000-00-000001", company="Synthetic Company", form="10-K", path="s.txt", sha256="0" * 64)
    section = Section(filing_id=filing.id, item="7", status=SectionStatus.FOUND, text=text)
    edges = list(load_graph().edges)
    step = characters * RUNS // passages
    runs = []
    for r in range(RUNS):
        found = []
        for n in range(passages // RUNS + (r < passages % RUNS)):
            start = n * step + 30 * r
            end = min(start + 120 + 37 * (n % 9), characters)
            found.append(
                Extraction(
                    id=f"x{r}-{n}", run=f"run {r}", filing_id=filing.id, chunk_id=f"chk-{n // 50}",
                    quote=text[start:end], edge=edges[(n + (n % 3) * r) % len(edges)], tags=("Sales",),
                    verdict=Verdict.EXACT, ranges=((start, end),),
                )
            )  # fmt: skip
        runs.append(RunView(name=f"run {r}", model="synthetic", mode="quote", extractions=tuple(found)))
    matches = tuple(
        Match(
            filing_id=filing.id,
            a=a.id,
            b=b.id,
            edge_a=a.edge,
            edge_b=b.edge,
            overlap=0.9,
            decided_by="order",
            equal=0,
            containment=0,
            fragments=0,
            order=0.9,
            span=1,
            figures="same",
            differs=(),
        )
        for a, b in zip(runs[0].extractions, runs[1].extractions, strict=False)
    )
    return Report(
        title="Synthetic report",
        created=datetime(2026, 1, 1, tzinfo=UTC),
        graph=load_graph(),
        filings=(FilingView(filing=filing, section=section),),
        runs=tuple(runs),
        matches=(MatchView(a="run 0", b="run 1", matches=matches),),
    )


def laid_out_at_once(html: str) -> str:
    """The same page with every block laid out when it opens. The policy names the old style, so it goes too."""
    html = re.sub(r"content-visibility: auto; contain-intrinsic-size: [^;}]*;", "", html)
    return re.sub(r"<meta http-equiv[^>]*>", "", html)


def naive_table(html: str) -> str:
    """The same text as one table, a row per block, each mark with its colour as an inline style."""
    body = re.search(r'<article class="filing".*?</article>', html, re.DOTALL)
    if body is None:
        raise RuntimeError("the page has no text")
    rows = re.sub(r"<(p|h4|h5|h6|div|ul) ?", r"<tr><td>\1</td><td><\1 ", body.group())
    rows = re.sub(r"<mark [^>]*>", '<mark style="background:#dcebfa;border-bottom:2px solid #0b5cad">', rows)
    return f"<!DOCTYPE html><meta charset=utf-8><title>t</title><table>{rows}</table>"


def measured(browser: Browser, path: Path, toggles: bool) -> dict[str, float]:
    """Medians over the repeats, in seconds."""
    opens, handled, redraws = [], [], []
    for _ in range(REPEATS):
        browser.call("Page.navigate", url="about:blank")
        browser.call("Page.navigate", url=path.as_uri())
        opens.append(browser.value(OPENED) / 1000)
        if toggles:
            own, until_frame = browser.value(TOGGLED)
            handled.append(own / 1000)
            redraws.append(until_frame / 1000)
    result = {"opens": statistics.median(opens)}
    if toggles:
        result |= {"script": statistics.median(handled), "redraw": statistics.median(redraws)}
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--characters", type=int, default=CHARACTERS)
    parser.add_argument("--passages", type=int, default=PASSAGES)
    options = parser.parse_args()
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        print("perf/report.py needs Chromium: no chromium, chromium-browser or google-chrome on PATH.", file=sys.stderr)
        return 2
    html = render_report(synthetic_report(options.characters, options.passages))
    pages = {
        "fingreat": html,
        "all laid out at once": laid_out_at_once(html),
        "one table, inline styles": naive_table(html),
        "almost empty page": "<!DOCTYPE html><title>t</title><p>empty",
    }
    results = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(program, str(Path(folder) / "profile"))
        try:
            for name, page in pages.items():
                path = Path(folder) / "page.html"
                path.write_text(page, encoding="utf-8")
                results[name] = measured(browser, path, toggles='id="controls"' in page) | {"bytes": len(page.encode())}
        finally:
            browser.close()
    print(f"{options.characters:,} characters, {options.passages:,} passages, {RUNS} runs; medians of {REPEATS}")
    print(f"{'page':26} {'opens':>9} {'redraw':>9} {'script':>9} {'MB':>6}")
    for name, row in results.items():
        times = [f"{row[key]:8.3f}s" if key in row else f"{'–':>9}" for key in ("opens", "redraw", "script")]
        print(f"{name:26} {' '.join(times)} {row['bytes'] / 1e6:6.2f}")
    ours = results["fingreat"]
    print(
        json.dumps(
            {
                "opens_s": round(ours["opens"], 3),
                "ratio_naive": round(results["all laid out at once"]["opens"] / ours["opens"], 2),
                "ratio_table": round(results["one table, inline styles"]["opens"] / ours["opens"], 2),
                "redraw_s": round(ours["redraw"], 3),
                "bytes": ours["bytes"],
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
