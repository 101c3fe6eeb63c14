"""`fingreat analyze errors`: on which passages models fail together, and what they confuse."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from fingreat.analysis import REPLICATES, SEED
from fingreat.analysis.errors import WITHIN, Confusion, Errors
from fingreat.cli.analyze_options import (
    BenchmarkCommonOption,
    BenchmarkGoldOption,
    ReplicatesOption,
    RunsArgument,
    SeedOption,
    TablesFolderOption,
    as_data,
    as_typed,
    fields_data,
)
from fingreat.cli.analyze_out import Results, give_out
from fingreat.cli.common import JsonFlag
from fingreat.pipeline.errors import TABLES, MeasuredErrors, errors_figures, errors_tables, measure_errors
from fingreat.pipeline.side_by_side import provenance
from fingreat.runs import RunFolder
from fingreat.schema import Graph


def errors(
    runs: RunsArgument,
    gold: BenchmarkGoldOption = None,
    common: BenchmarkCommonOption = False,
    within: Annotated[
        float,
        typer.Option(
            "--within",
            min=0,
            max=100,
            help="Percentage points of accuracy by which two models differ at most to count as equally accurate.",
        ),
    ] = WITHIN,
    replicates: ReplicatesOption = REPLICATES,
    seed: SeedOption = SEED,
    target: TablesFolderOption = None,
    json: JsonFlag = False,
) -> None:
    """Show on which passages classification runs fail together, and what they answer instead.

    The error overlap of every two models beside that of chance, passages that none or few get right, confused edges.

    All runs must be over one gold file.

    Example: fingreat analyze errors out/lexicon-classify out/embed-classify --out tables
    """
    folders = [RunFolder(path) for path in runs]
    words = as_typed("errors", runs, gold=gold, common=common, within=within, replicates=replicates, seed=seed)
    give_out(
        Results(TABLES, errors_tables, _as_data, errors_figures),
        lambda: measure_errors(folders, gold=gold, common=common, within=within, replicates=replicates, seed=seed),
        target,
        json=json,
        made_by=lambda: provenance(words, folders),
    )


def _as_data(measured: MeasuredErrors) -> dict[str, Any]:
    found, graph = measured.errors, measured.benchmark.graph
    return {
        "models": list(found.names),
        **fields_data(measured, "within", "replicates", "seed"),
        **fields_data(found, "passages", "filings", "few", "missed_if_independent"),
        "notes": list(measured.benchmark.notes),
        "right_counts": list(found.right_counts),
        "overlaps": as_data(found.overlaps),
        "matched": [[one.a, one.b] for one in measured.matched],
        "hardest": _hardest(found),
        "confusion": _confusion(found.confusion, graph),
        "confusions": {one.name: _confusion(one, graph) for one in found.confusions},
    }


def _hardest(found: Errors) -> list[dict[str, Any]]:
    return [
        {
            "passage_id": one.passage.passage_id,
            "filing_id": one.passage.filing_id,
            "accepted": sorted(one.passage.accepted),
            "right": as_data(one.right),
            "answers": [{"edge": edge, "models": number} for edge, number in one.answers],
        }
        for one in found.hardest
    ]


def _confusion(of: Confusion, graph: Graph) -> list[dict[str, Any]]:
    """Counts that are not 0; the edge of replies that failed is null."""
    pairs = ((accepted, answered) for accepted in graph.edges for answered in (*graph.edges, None))
    return [
        {"accepted": accepted, "answered": answered, "answers": float(of.counts[accepted, answered])}
        for accepted, answered in pairs
        if (accepted, answered) in of.counts
    ]
