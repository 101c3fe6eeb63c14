"""`fingreat analyze accuracy`: how often classification runs are right, and whether they differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fingreat.analysis import REPLICATES, SEED, Accuracy, CohortAccuracy
from fingreat.cli.analyze_options import (
    BenchmarkCommonOption,
    BenchmarkGoldOption,
    GroupingOption,
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
from fingreat.pipeline.accuracy import (
    TABLES,
    MeasuredAccuracy,
    accuracy_figures,
    accuracy_tables,
    measure_accuracy_of,
)
from fingreat.pipeline.side_by_side import provenance
from fingreat.runs import RunFolder
from fingreat.schema.graph import DEFAULT_GROUPING


def accuracy(
    runs: RunsArgument,
    gold: BenchmarkGoldOption = None,
    common: BenchmarkCommonOption = False,
    grouping: GroupingOption = DEFAULT_GROUPING,
    replicates: ReplicatesOption = REPLICATES,
    seed: SeedOption = SEED,
    target: TablesFolderOption = None,
    json: JsonFlag = False,
) -> None:
    """Show how often classification runs are right, and whether every two of them differ.

    Overall, by category, edge and year, with intervals; by family and size of the models; every two side by side.

    All runs must be over one gold file. A reply that failed is wrong.

    Example: fingreat analyze accuracy out/lexicon-classify out/embed-classify --out tables
    """
    folders = [RunFolder(path) for path in runs]
    options = {"gold": gold, "common": common, "grouping": grouping}
    words = as_typed("accuracy", runs, **options, replicates=replicates, seed=seed)
    give_out(
        Results(TABLES, accuracy_tables, _as_data, accuracy_figures),
        lambda: measure_accuracy_of(
            folders, gold=gold, common=common, grouping=grouping, replicates=replicates, seed=seed
        ),
        target,
        json=json,
        made_by=lambda: provenance(words, folders),
    )


def _as_data(measured: MeasuredAccuracy) -> dict[str, Any]:
    sheet = measured.benchmark.sheet
    return {
        "passages": len(sheet.passages),
        "filings": len(sheet.filings),
        **fields_data(measured, "grouping", "replicates", "seed"),
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
