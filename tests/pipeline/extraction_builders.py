"""Runs on disk without a model that was asked: their extractions, written as a run writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from fingreat.runs import Manifest, ModelInfo, RunFolder, digest_of_text, part_paths
from fingreat.schema import Extraction, Verdict, load_graph


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


def finished_run(path: Path, filings: Sequence[str], *parts: Iterable[Extraction], **asked: object) -> RunFolder:
    """A complete run over these filings; the model's name is the folder's."""
    run = extractions_on_disk(path, *parts)
    manifest = Manifest.new(
        path.name,
        asked=asked,
        resolved={"item": "7", "mode": "quote", "graph": "gaap11", "seed": 0},
        model=ModelInfo(spec=path.name, backend="scripted", model=path.name, revision=None, context=None),
        hashes={"graph": load_graph().digest},
    )
    run.mark_done("extract", part_paths(run.extractions))
    run.write_manifest(manifest, status="complete", inputs={filing: digest_of_text(filing) for filing in filings})
    return run
