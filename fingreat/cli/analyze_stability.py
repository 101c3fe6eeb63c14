"""`fingreat analyze stability`: the same gold passages, extracted and classified by the same model."""

from __future__ import annotations

from fingreat.analysis import REPLICATES, SEED
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
from fingreat.cli.watch import Watch
from fingreat.pipeline.side_by_side import provenance
from fingreat.pipeline.stability import TABLES, measure_stability, stability_figures, stability_tables
from fingreat.report import count_of
from fingreat.runs import RunFolder


def stability(
    runs: RunsArgument,
    gold: BenchmarkGoldOption = None,
    common: CommonOption = False,
    replicates: ReplicatesOption = REPLICATES,
    seed: SeedOption = SEED,
    target: TablesFolderOption = None,
    json: JsonFlag = False,
) -> None:
    """Show whether models give a passage the same edge when they extract it and when they are asked to classify it.

    Name runs of `fingreat extract` and of `fingreat classify`, at least one of each for every model. They are compared
    on the gold passages that the extraction run quotes.

    Example: fingreat analyze stability out/embed out/embed-passages
    """
    if target is not None:
        TABLES.check(target)
    folders = [RunFolder(path) for path in runs]
    with stoppable(lambda: "Every table that was written is whole; repeat the command."):
        with Watch("matching", unit="runs") as watch:
            measured = measure_stability(
                folders, gold=gold, common=common, replicates=replicates, seed=seed, watch=watch
            )
        tables = stability_tables(measured)
        if target is not None:
            figures = stability_figures(measured)
            words = as_typed("stability", runs, gold=gold, common=common, replicates=replicates, seed=seed)
            for sentence in TABLES.write(tables, target, provenance(words, folders), figures):
                say(sentence)
    if json:
        settings = {name: getattr(measured, name) for name in ("replicates", "seed", "pairs")}
        print_json({**as_data(settings), "notes": [*measured.benchmark.notes, *measured.notes]})
    else:
        show_tables(tables)
    if target is not None:
        say(f"{count_of(len(tables), 'table')} and {count_of(len(figures), 'figure')}: {target.resolve()}")
