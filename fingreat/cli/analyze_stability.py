"""`fingreat analyze stability`: the same gold passages, extracted and classified by the same model."""

from __future__ import annotations

from typing import Any

from fingreat.analysis import REPLICATES, SEED
from fingreat.cli.analyze_options import (
    BenchmarkCommonOption,
    BenchmarkGoldOption,
    ReplicatesOption,
    RunsArgument,
    SeedOption,
    TablesFolderOption,
    as_typed,
    fields_data,
)
from fingreat.cli.analyze_out import Results, give_out
from fingreat.cli.common import JsonFlag
from fingreat.cli.watch import Watch
from fingreat.pipeline.side_by_side import provenance
from fingreat.pipeline.stability import (
    TABLES,
    MeasuredStability,
    measure_stability,
    stability_figures,
    stability_tables,
)
from fingreat.runs import RunFolder


def stability(
    runs: RunsArgument,
    gold: BenchmarkGoldOption = None,
    common: BenchmarkCommonOption = False,
    replicates: ReplicatesOption = REPLICATES,
    seed: SeedOption = SEED,
    target: TablesFolderOption = None,
    json: JsonFlag = False,
) -> None:
    """Show whether models give a passage the same edge when they extract it and when they are asked to classify it.

    Name runs of `fingreat extract` and of `fingreat classify`, at least one of each for every model. They are compared
    on the gold passages that the extraction run quotes.

    Example: fingreat analyze stability out/embed-quote out/embed-classify
    """
    folders = [RunFolder(path) for path in runs]
    words = as_typed("stability", runs, gold=gold, common=common, replicates=replicates, seed=seed)

    def measure() -> MeasuredStability:
        with Watch("matching", unit="runs") as watch:
            return measure_stability(folders, gold=gold, common=common, replicates=replicates, seed=seed, watch=watch)

    give_out(
        Results(TABLES, stability_tables, _as_data, stability_figures),
        measure,
        target,
        json=json,
        made_by=lambda: provenance(words, folders),
    )


def _as_data(measured: MeasuredStability) -> dict[str, Any]:
    notes = [*measured.benchmark.notes, *measured.notes]
    return {**fields_data(measured, "replicates", "seed", "pairs"), "notes": notes}
