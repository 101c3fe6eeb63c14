"""Part of perf/inference.py: our own time and memory beside the engine, with scripted replies."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from importlib.resources import files
from pathlib import Path

from fingreat.inference import RawReply
from fingreat.inference.scripted import ScriptedBackend
from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.pipeline.demo import FILINGS
from fingreat.pipeline.progress import Silent
from fingreat.schema import Reply, Request

SCRIPT = Path(__file__).resolve().with_name("inference.py")
QUOTES, IN_A_FILING = 6, 100
ALTERED = re.compile(r"\d")
PAGE = """<SEC-DOCUMENT>
<TYPE>10-K
<TEXT>
FORM 10-K

Item 7. Management's Discussion and Analysis of Financial Condition and Results of Operations

{body}

Item 8. Financial Statements and Supplementary Data

{rest}
</TEXT>
"""


def invented(folder: Path, chunks: int) -> list[Path]:
    """Filings of so many paragraphs in all, each paragraph a chunk of its own where the budget is `SMALL`."""
    pages = []
    for first in range(0, chunks, IN_A_FILING):
        blocks = [
            " ".join(
                f"Unit {number} of plant {n} had revenues of ${number % 97}.{n} million and costs of ${number % 89} "
                f"million, after charges of ${(number + n) % 31} million for severance."
                for n in range(4)
            )
            for number in range(first, min(first + IN_A_FILING, chunks))
        ]
        path = folder / f"filing-{first:06}.txt"
        path.write_text(PAGE.format(body="\n\n".join(blocks), rest="Balance of the year. " * 40))
        pages.append(path)
    return pages


def real() -> list[Path]:
    """Real filings where there are some, else the shipped ones."""
    shared = Path(os.environ.get("FINGREAT_SHARED", SCRIPT.parents[2] / "shared")) / "filings"
    found = sorted((*shared.glob("dev/*.htm*"), *shared.glob("dev/*.txt*")))
    return found or [Path(str(files("fingreat.shipped"))) / name for name in FILINGS]


def quoting(request: Request) -> RawReply:
    """Six sentences of the chunk as quotes, or as many as it has; in one of them a figure or a word is another."""
    sentences = [text.strip() for text in request.segments if len(text.split()) > 8]
    quotes = sentences[:: max(1, len(sentences) // QUOTES)][:QUOTES]
    if len(quotes) == QUOTES:
        quotes[-1] = ALTERED.sub("9", quotes[-1], count=1) + " Altered."
    pair = {"source": "REV", "target": "NNCA"}
    items = [{"quote": quote, "edge": pair, "tags": ["Sales"], "period": "2024"} for quote in quotes]
    return RawReply(text=json.dumps({"extractions": items}), finish_reason="stop")


class Clock(Silent):
    """CPU time from the first request's asking to the last reply on disk."""

    def __init__(self) -> None:
        self.begun = self.ended = 0.0

    def begin(self, total: int, done: int) -> None:
        self.begun = time.process_time()

    def advance(self, reply: Reply) -> None:
        self.ended = time.process_time()


def own(folder: Path, tokens: int) -> None:
    """Run `extract` with scripted replies in this process, and print what it took."""
    corpus, backend = Corpus(folder / "corpus"), ScriptedBackend.of(quoting)
    config = ExtractConfig(model="scripted:function", tokens=tokens)
    clock, cpu = Clock(), time.process_time()
    manifest = extract(corpus, config, folder / "run", backend=backend, progress=clock)
    cpu = time.process_time() - cpu
    status = Path("/proc/self/status").read_text()
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    figures = {"chunks": manifest.counts["requests"], "extractions": manifest.counts["extractions"], "cpu": cpu}
    print(json.dumps(figures | {"asking_cpu": clock.ended - clock.begun, "peak_mb": peak * 1024 / 1e6}))


def own_run(tokens: int, chunks: int | None = None) -> dict[str, float]:
    """What such a run takes in a process of its own: over real filings, or over so many invented chunks."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Corpus(Path(folder) / "corpus")
        corpus.add(real() if chunks is None else invented(Path(folder), chunks))
        corpus.make_sections("7")
        command = (sys.executable, str(SCRIPT), "--own", folder, str(tokens))
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        return figures
