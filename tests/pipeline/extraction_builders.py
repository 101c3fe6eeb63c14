"""Runs' extractions on disk, written as they are by a run, without a model that is asked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fingreat.runs import RunFolder
from fingreat.schema import Extraction, Verdict


def an_extraction(filing_id: str, id_: str, quote: str = "Sales rose.", edge: str = "REV-NNCA", **more: object):
    """An extraction of a filing, found nowhere in its text unless `ranges` say where."""
    values = {"run": "run", "chunk_id": "chunk", "verdict": Verdict.EXACT, **more}
    return Extraction.model_validate({"id": id_, "filing_id": filing_id, "quote": quote, "edge": edge, **values})


def extractions_on_disk(path: Path, *parts: Iterable[Extraction]) -> RunFolder:
    """A folder that holds nothing but extractions, in so many parts."""
    run = RunFolder(path)
    run.extractions.mkdir(parents=True)
    for number, part in enumerate(parts):
        lines = (extraction.model_dump_json() + "\n" for extraction in part)
        (run.extractions / f"part-{number:05d}.jsonl").write_text("".join(lines))
    return run
