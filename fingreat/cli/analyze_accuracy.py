"""`fingreat analyze accuracy`: how often classification runs are right, and whether they differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fingreat.analysis import REPLICATES, SEED, Accuracy, CohortAccuracy
from fingreat.cli.analyze_options import (
    BenchmarkGoldOption,
    GroupingOption,
    ReplicatesOption,
    RunsArgument,
    SeedOption,
    TablesFolderOption,
    as_data,
    as_typed,
    show_tables,
)
from fingreat.cli.common import CommonOption, JsonFlag, print_json, say, stoppable
from fingreat.pipeline.accuracy import (
    TABLES,
    MeasuredAccuracy,
    accuracy_figures,
    accuracy_tables,
    measure_accuracy_of,
)
from fingreat.pipeline.side_by_side import provenance
from fingreat.report import count_of
from fingreat.runs import RunFolder
from fingreat.schema.graph import DEFAULT_GROUPING


def accuracy(
    runs: RunsArgument,
    gold: BenchmarkGoldOption = None,
    common: CommonOption = False,
    grouping: GroupingOption = DEFAULT_GROUPING,
    replicates: ReplicatesOption = REPLICATES,
    seed: SeedOption = SEED,
    target: TablesFolderOption = None,
    json: JsonFlag = False,
) -> None:
    """Show how often classification runs are right, and whether every two of them differ.

    Overall, by category, edge and year, with intervals; by family and size of the models; every two side by side.

    All runs must be over one gold file. A reply that failed is wrong.

    Example: fingreat analyze accuracy out/lexicon-passages out/embed-passages --out tables
    """
    if target is not None:
        TABLES.check(target)
    folders = [RunFolder(path) for path in runs]
    with stoppable(lambda: "Every table that was written is whole; repeat the command."):
        measured = measure_accuracy_of(
            folders, gold=gold, common=common, grouping=grouping, replicates=replicates, seed=seed
        )
        tables = accuracy_tables(measured)
        if target is not None:
            figures = accuracy_figures(measured)
            options = {"gold": gold, "common": common, "grouping": grouping}
            words = as_typed("accuracy", runs, **options, replicates=replicates, seed=seed)
            for sentence in TABLES.write(tables, target, provenance(words, folders), figures):
                say(sentence)
    if json:
        print_json(_as_data(measured))
    else:
        show_tables(tables)
    if target is not None:
        say(f"{count_of(len(tables), 'table')} and {count_of(len(figures), 'figure')}: {target.resolve()}")


def _as_data(measured: MeasuredAccuracy) -> dict[str, Any]:
    sheet = measured.benchmark.sheet
    return {
        "passages": len(sheet.passages),
        "filings": len(sheet.filings),
        **{name: getattr(measured, name) for name in ("grouping", "replicates", "seed")},
        "notes": list(measured.benchmark.notes),
        "models": [{**as_data(facts), **_accuracy(measured.accuracies[facts.name])} for facts in measured.facts],
        "differences": [{**as_data(one), "t_interval": as_data(one.t_interval)} for one in measured.differences],
        "families": as_data(measured.families),
        "open_and_hosted": as_data(measured.gaps),
    }


def _accuracy(measured: Accuracy) -> dict[str, Any]:
    cohorts = {name: getattr(measured, name) for name in ("categories", "edges", "years", "period_years")}
    return {
        "overall": _cohort(measured.overall),
        "majority_edge": measured.majority_edge,
        **{name: _cohorts(of) for name, of in cohorts.items()},
    }


def _cohorts(cohorts: Sequence[CohortAccuracy]) -> list[dict[str, Any]]:
    return [{"name": one.name, **_cohort(one)} for one in cohorts]


def _cohort(one: CohortAccuracy) -> dict[str, Any]:
    return {
        "accuracy": as_data(one.accuracy),
        "majority": as_data(one.majority),
        "random": None if one.random is None else float(one.random),
        "failed": one.failed,
    }
