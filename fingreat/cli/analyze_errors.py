"""`fingreat analyze errors`: on which passages models fail together, and what they confuse."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from fingreat.analysis import REPLICATES, SEED
from fingreat.analysis.errors import WITHIN, Confusion, Errors
from fingreat.cli.analyze_options import (
    BenchmarkGoldOption,
    ReplicatesOption,
    RunsArgument,
    SeedOption,
    TablesFolderOption,
    as_data,
    as_typed,
    show_tables,
)
from fingreat.cli.common import CommonOption, JsonFlag, print_json, say, stoppable
from fingreat.pipeline.errors import TABLES, MeasuredErrors, errors_figures, errors_tables, measure_errors
from fingreat.pipeline.side_by_side import provenance
from fingreat.report import count_of
from fingreat.runs import RunFolder
from fingreat.schema import Graph


def errors(
    runs: RunsArgument,
    gold: BenchmarkGoldOption = None,
    common: CommonOption = False,
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

    Example: fingreat analyze errors out/lexicon-passages out/embed-passages --out tables
    """
    if target is not None:
        TABLES.check(target)
    folders = [RunFolder(path) for path in runs]
    with stoppable(lambda: "Every table that was written is whole; repeat the command."):
        measured = measure_errors(folders, gold=gold, common=common, within=within, replicates=replicates, seed=seed)
        tables = errors_tables(measured)
        if target is not None:
            figures = errors_figures(measured)
            options = {"gold": gold, "common": common, "within": within}
            words = as_typed("errors", runs, **options, replicates=replicates, seed=seed)
            for sentence in TABLES.write(tables, target, provenance(words, folders), figures):
                say(sentence)
    if json:
        print_json(_as_data(measured))
    else:
        show_tables(tables)
    if target is not None:
        say(f"{count_of(len(tables), 'table')} and {count_of(len(figures), 'figure')}: {target.resolve()}")


def _as_data(measured: MeasuredErrors) -> dict[str, Any]:
    found, graph = measured.errors, measured.benchmark.graph
    return {
        "models": list(found.names),
        **{name: getattr(measured, name) for name in ("within", "replicates", "seed")},
        **{name: getattr(found, name) for name in ("passages", "filings", "few", "missed_if_independent")},
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
