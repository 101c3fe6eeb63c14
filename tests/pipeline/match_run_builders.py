"""Runs on disk that can be matched, and what changes them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from pipeline_builders import CONFIG, SENTENCES, Counting, corpus_of, first_sentence, reply
from pipeline_builders import submission as filing

from fingreat.inference import RawReply
from fingreat.pipeline import extract
from fingreat.runs import Manifest, RunFolder
from fingreat.schema import Request

FIRST, SECOND, THIRD = (f"000000000{number}-24-000001" for number in range(3))


def all_sentences(request: Request) -> RawReply:
    """A model that quotes every sentence; the first of each chunk as evidence of cash, the others of revenue."""
    prose = [segment.strip() for segment in request.segments if not segment.startswith("#")]
    edges = [("CASH", "DIV"), *[("REV", "NNCA")] * len(prose)]
    return RawReply(text=reply(*((quote, *edge) for quote, edge in zip(prose, edges, strict=False))))


def change(run: RunFolder, edit: Callable[[Manifest], dict]) -> None:
    manifest = run.manifest()
    run.write_manifest(manifest, **edit(manifest))


def make_runs(folder: Path) -> None:
    """A run with some extractions and one with all, of smaller chunks, over the same two filings."""
    corpus = corpus_of(folder / "corpus", a=filing(FIRST), b=filing(SECOND, SENTENCES[:4]))
    extract(corpus, CONFIG, folder / "some", backend=Counting(first_sentence))
    extract(corpus, CONFIG.model_copy(update={"tokens": 128}), folder / "all", backend=Counting(all_sentences))


def copied_runs(made: Path, folder: Path) -> tuple[RunFolder, RunFolder]:
    """Copies of both that a test may change."""
    for name in ("some", "all"):
        shutil.copytree(made / name, folder / name)
    return RunFolder(folder / "some"), RunFolder(folder / "all")
