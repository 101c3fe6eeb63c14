"""Classification runs on disk without a model that was asked, and extraction runs of the same models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from pipeline.extraction_builders import an_extraction, finished_run

from fingreat.runs import Manifest, ModelInfo, RunFolder, part_paths, sha256_of, write_records
from fingreat.schema import Classification, GoldPassage, ReplyState, load_graph

SENTENCES: Mapping[str, str] = {
    "pumps": "Revenue from pumps rose by 12% on higher volumes in Europe.",
    "copper": "Cost of sales fell because copper became cheaper during spring.",
    "tax": "Our effective tax rate was 21% after a settlement with authorities.",
    "dividend": "Dividends of $0.40 per share were paid in every quarter.",
    "shares": "We bought back 310,000 shares in the market at an average of $13.38.",
}
ACCEPTED: Mapping[str, tuple[str, str]] = {
    "pumps": ("F1", "REV-NNCA"),
    "copper": ("F1", "NNCA-COGS"),
    "tax": ("F1", "NNCA-TAX"),
    "dividend": ("F2", "CASH-DIV NNCA-CASH"),
    "shares": ("F2", "CASH-REP"),
}
"""Passage → its filing and the edges that it accepts."""


def gold_of(accepted: Mapping[str, tuple[str, str]] = ACCEPTED) -> list[GoldPassage]:
    return [
        GoldPassage(
            passage_id=name,
            filing_id=filing,
            text=SENTENCES[name],
            accepted=frozenset(edges.split()),
            source="primary",
        )
        for name, (filing, edges) in accepted.items()
    ]


def gold_file(folder: Path, passages: Iterable[GoldPassage] | None = None) -> Path:
    path = folder / "gold.jsonl"
    rows = gold_of() if passages is None else passages
    path.write_text("".join(one.model_dump_json() + "\n" for one in rows), encoding="utf-8")
    return path


def answered(
    path: Path, gold: Path, answers: Mapping[str, str | None], *, model: str = "", graph: str | None = None
) -> RunFolder:
    """A complete classification run that gave passages these edges, None for a failed reply."""
    run = RunFolder(path)
    filings = {name: filing for name, (filing, _) in ACCEPTED.items()}
    records = (
        Classification(
            id=f"c-{name}",
            run=path.name,
            filing_id=filings[name],
            passage_id=name,
            edge=edge,
            state=ReplyState.OK if edge else ReplyState.INVALID_JSON,
        )
        for name, edge in answers.items()
    )
    write_records(run.classifications, records)
    manifest = Manifest.new(
        path.name,
        kind="classify",
        asked={"gold": str(gold)},
        resolved={"item": "7", "mode": "classify", "graph": "gaap11", "seed": 0},
        model=_info(model or path.name),
        hashes={"graph": graph or load_graph().digest},
    )
    run.mark_done("classify", part_paths(run.classifications))
    run.write_manifest(manifest, status="complete", inputs={"gold": sha256_of(gold)})
    return run


def extracted(
    path: Path, edges: Mapping[str, str], *, model: str = "", filings: tuple[str, ...] = ("F1", "F2")
) -> RunFolder:
    """A complete extraction run that quotes these passages with these edges."""
    quotes = [an_extraction(ACCEPTED[name][0], f"x-{name}", SENTENCES[name], edge) for name, edge in edges.items()]
    run = finished_run(path, filings, quotes)
    run.write_manifest(run.manifest(), status="complete", model=_info(model or path.name))
    return run


def _info(model: str) -> ModelInfo:
    return ModelInfo(spec=model, backend="scripted", model=model, revision=None, context=None)
