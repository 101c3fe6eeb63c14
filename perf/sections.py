"""How fast is a filing turned into its Item 7, beside edgartools and plain converters, and in how much memory?

All HTML filings of the labelled set, on one core, in one run. Ours goes from the bytes to the section; the others
get the main document, decoded and cut out by us outside the timing: edgartools parses it and returns its Item 7;
markdownify and html2text convert it as a whole; lxml only parses it, and parses and visits every element. The order
changes from file to file; each time is the median of up to three, so that what is slow runs once. A rate counts the
file's bytes, whoever reads it; a ratio is over the files that both finished.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import gzip
import importlib.util
import json
import logging
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import html2text
import markdownify
from lxml import etree

from fingreat.edgar import read_section
from fingreat.edgar.container import read_submission

SHARED = Path(os.environ.get("FINGREAT_SHARED", Path(__file__).resolve().parents[1] / ".." / "shared")).resolve()
REPEATS, ENOUGH_SECONDS = 3, 0.4
BIG = 1_000_000
GROWTH_BASE = 1_300_000
"""About the size of the filing whose body is repeated."""
PEAK = """
import pathlib, sys
from fingreat.edgar import read_section

def kib(key):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(key))

data = pathlib.Path(sys.argv[1]).read_bytes()
pathlib.Path("/proc/self/clear_refs").write_text("5")
before = kib("VmRSS")
read_section(data, name=sys.argv[2])
print((kib("VmHWM") - before) * 1024 / len(data))
"""


@dataclass(frozen=True)
class File:
    """A filing: its name, its bytes, and its main document as text."""

    name: str
    data: bytes
    main: str


@dataclass
class Contender:
    """A converter, its seconds per file, and why it failed on others."""

    name: str
    convert: Callable[[File], Any]
    seconds: dict[str, float] = field(default_factory=dict)
    failed: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)


def load(folder: Path, most: int | None) -> list[File]:
    files = []
    entries = [json.loads(line) for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]
    for entry in [entry for entry in entries if entry["inner"] == "html"][:most]:
        data = gzip.decompress((folder / "dev" / entry["file"]).read_bytes())
        documents = [document for document in read_submission(data, entry["file"]).documents if document.text.strip()]
        main = next((document for document in documents if document.type.upper().startswith("10")), documents[0])
        files.append(File(entry["file"], data, main.text))
    return files


def edgartools(home: Path) -> Callable[[File], str | None]:
    """Its Form 10-K object over the text of a main document, without the network; its caches go to a folder of ours."""
    os.environ |= {
        "HOME": str(home),
        "EDGAR_LOCAL_DATA_DIR": str(home / "data"),
        "EDGAR_CACHE_DIR": str(home / "cache"),
    }

    def refuse(*_: object) -> None:
        raise OSError("no network here")

    socket.socket.connect = refuse
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    from edgar.company_reports.ten_k import TenK

    def convert(file: File) -> str | None:
        for cached in home.glob("cache/**/*.pkl"):
            # What it keeps on disk for a second look at a document would make the second run another one.
            cached.unlink()
        filing = SimpleNamespace(form="10-K", accession_number=file.name, html=lambda: file.main)
        return TenK(filing)["Item 7"]

    return convert


def parse(file: File) -> etree._Element:
    parser = etree.HTMLParser(huge_tree=True, encoding="utf-8")
    return etree.fromstring(file.main.encode("utf-8", "replace"), parser)


def walk(file: File) -> str:
    texts: list[str] = []
    for element in parse(file).iter():
        texts += (element.text or "", element.tail or "")
    return "".join(texts)


def measure(contender: Contender, file: File, judge: Callable[[str, Any], str] | None) -> None:
    """Median seconds of the contender on the file; the last result is judged."""
    times: list[float] = []
    result = None
    while len(times) < REPEATS and sum(times) < ENOUGH_SECONDS:
        result = None
        gc.collect()
        start = time.process_time()
        try:
            result = contender.convert(file)
        except (Exception, RecursionError) as error:  # noqa: BLE001 - whatever another package raises
            contender.failed[type(error).__name__] += 1
            return
        times.append(time.process_time() - start)
    contender.seconds[file.name] = statistics.median(times)
    if judge and contender.name in ("fingreat", "edgartools"):
        contender.verdicts[judge(file.name, result)] += 1


def load_judge(folder: Path) -> Callable[[str, Any], str]:
    """The verdict of the labelled set's own scorer."""
    spec = importlib.util.spec_from_file_location("score", folder / "score.py")
    if spec is None or spec.loader is None:
        raise RuntimeError("the scorer cannot be loaded")
    score = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    lines = gzip.decompress((folder / "gold.jsonl.gz").read_bytes()).decode().splitlines()
    gold = {entry["file"]: entry for entry in map(json.loads, lines)}

    def judge(name: str, result: Any) -> str:
        said = (
            {"text": result or ""} if not hasattr(result, "status") else vars(result) | {"status": str(result.status)}
        )
        return str(score.judge(gold[name], said)[0])

    return judge


def ratio(ours: Contender, other: Contender) -> float:
    """How many times the other's seconds are ours, over the files that both finished."""
    common = ours.seconds.keys() & other.seconds.keys()
    return sum(other.seconds[name] for name in common) / sum(ours.seconds[name] for name in common)


def rate(contender: Contender, files: list[File]) -> float:
    done = [file for file in files if file.name in contender.seconds]
    return sum(len(file.data) for file in done) / 1e6 / sum(contender.seconds.values())


def growth(files: list[File]) -> dict[int, float]:
    """Seconds per MB where one filing's body stands once, twice, four and eight times."""
    main = min(files, key=lambda file: abs(len(file.main) - GROWTH_BASE)).main
    head, body, tail = re.split(r"(?is)(?<=<body)([^>]*>.*)(?=</body>)", main, maxsplit=1)
    found = {}
    for times in (1, 2, 4, 8):
        opening, inside = body.split(">", 1)
        data = (head + opening + ">" + inside * times + tail).encode()
        seconds = []
        for _ in range(REPEATS):
            gc.collect()
            start = time.process_time()
            read_section(data, name="repeated")
            seconds.append(time.process_time() - start)
        found[times] = statistics.median(seconds) / len(data) * 1e6
    return found


def peaks(files: list[File], folder: Path) -> dict[str, float]:
    """Peak memory over the size of each big file: a process each, above what it held with the bytes read."""
    found = {}
    for file in files:
        if len(file.data) >= BIG:
            (folder / "filing").write_bytes(file.data)
            command = (sys.executable, "-c", PEAK, str(folder / "filing"), file.name)
            found[file.name] = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def report(contenders: list[Contender], files: list[File]) -> None:
    ours = contenders[0]
    print(f"{len(files)} HTML filings, {sum(len(file.data) for file in files) / 1e6:.1f} MB, one core")
    print(f"{'converter':24} {'MB/s':>7} {'ours is':>8} {'done':>5} {'failed':>6}  Item 7 exact")
    for contender in contenders:
        times = "" if contender is ours else f"{ratio(ours, contender):.2f} x"
        exact = f"{contender.verdicts['exact']}/{contender.verdicts.total()}" if contender.verdicts else "–"
        print(
            f"{contender.name:24} {rate(contender, files):7.2f} {times:>8} {len(contender.seconds):5}"
            f" {contender.failed.total():6}  {exact}"
        )
        for kind, count in contender.failed.most_common():
            print(f"  failed with {kind}: {count}")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--files", type=int, help="only the first filings")
    arguments.add_argument("--quick", action="store_true", help="only ours, the parse and the walk")
    options = arguments.parse_args()
    folder = SHARED / "filings"
    if not (folder / "manifest.jsonl").is_file():
        print("perf/sections.py needs the labelled filings: set FINGREAT_SHARED to their folder.", file=sys.stderr)
        return 2
    files = load(folder, options.files)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        contenders = [Contender("fingreat", lambda file: read_section(file.data, name=file.name))]
        if not options.quick:
            contenders += [
                Contender("edgartools", edgartools(Path(scratch))),
                Contender("markdownify", lambda file: markdownify.markdownify(file.main)),
                Contender("html2text", lambda file: html2text.html2text(file.main)),
            ]
        contenders += [Contender("lxml, parse only", parse), Contender("lxml, parse and walk", walk)]
        judge, shuffle = load_judge(folder), random.Random(7).sample
        for contender in contenders:
            # Imports and tables that are made once are nobody's time per file.
            with contextlib.suppress(Exception):
                contender.convert(files[0])
        for file in files:
            for contender in shuffle(contenders, len(contenders)):
                measure(contender, file, judge)
        report(contenders, files)
        steps = growth(files)
        print("seconds per MB, body repeated: " + ", ".join(f"{times} x {cost:.4f}" for times, cost in steps.items()))
        memory = peaks(files, Path(scratch))
        worst, middle = max(memory, key=memory.__getitem__), statistics.median(memory.values())
        print(
            f"peak memory over file size, {len(memory)} files over 1 MB: worst {memory[worst]:.1f}, median {middle:.1f}"
        )
    ours, others = contenders[0], {contender.name.split(",")[-1].strip(): contender for contender in contenders[1:]}
    keys = {"parse only": "lxml_parse", "parse and walk": "lxml_walk"}
    print(
        json.dumps(
            {"mb_s": round(rate(ours, files), 2), "files": len(files), "failed": ours.failed.total()}
            | {f"ratio_{keys.get(name, name)}": round(ratio(ours, other), 2) for name, other in others.items()}
            | {f"exact_{one.name}": one.verdicts["exact"] for one in contenders if one.verdicts}
            | {"growth_8x": round(steps[8] / steps[1], 2)}
            | {"peak_ratio": round(memory[worst], 1), "peak_ratio_median": round(middle, 1)}
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
