"""`fingreat analyze ensemble`: the vote of several runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fingreat.analysis import REPLICATES, SEED
from fingreat.cli import complete
from fingreat.cli.analyze_options import (
    GroundedOption,
    GroupingOption,
    ReplicatesOption,
    RunsArgument,
    SeedOption,
    TablesFolderOption,
    as_data,
    as_typed,
    scope_data,
    show_tables,
)
from fingreat.cli.common import CommonOption, JsonFlag, print_json, say, stoppable
from fingreat.cli.watch import Watch
from fingreat.pipeline.ensemble import TABLES, ensemble_tables, measure_ensemble
from fingreat.pipeline.side_by_side import Choice, provenance
from fingreat.report import count_of
from fingreat.runs import RunFolder
from fingreat.schema.graph import DEFAULT_GROUPING


def ensemble(
    runs: RunsArgument,
    reference: Annotated[
        list[Path],
        typer.Option(
            "--reference",
            metavar="RUN",
            help="A run, no member, that vote and members are measured against; repeatable.",
            autocompletion=complete.runs,
            show_default=False,
        ),
    ],
    common: CommonOption = False,
    grounded: GroundedOption = False,
    grouping: GroupingOption = DEFAULT_GROUPING,
    replicates: ReplicatesOption = REPLICATES,
    seed: SeedOption = SEED,
    target: TablesFolderOption = None,
    json: JsonFlag = False,
) -> None:
    """Let runs vote on the passages that all of them quote, and measure the vote beside each of them.

    An edge needs more than half of the runs; without one the ensemble abstains.

    Vote and members are measured on the same passages: those with a majority that the reference quotes too.

    All runs must have read the same texts with the same graph. A reference is another run, not the truth.

    Example: fingreat analyze ensemble out/lexicon out/embed out/qwen --reference out/large
    """
    if target is not None:
        TABLES.check(target)
    folders, references = ([RunFolder(path) for path in paths] for paths in (runs, reference))
    with stoppable(lambda: "Every table that was written is whole; repeat the command."):
        with Watch("voting") as watch:
            measured = measure_ensemble(
                folders,
                references,
                choice=Choice(common, grounded),
                grouping=grouping,
                replicates=replicates,
                seed=seed,
                watch=watch,
            )
        tables = ensemble_tables(measured)
        if target is not None:
            options = {"reference": reference, "common": common, "grounded": grounded, "grouping": grouping}
            words = as_typed("ensemble", runs, **options, replicates=replicates, seed=seed)
            TABLES.write(tables, target, provenance(words, [*folders, *references]))
    if json:
        settings = {name: getattr(measured, name) for name in ("members", "grouping", "replicates", "seed")}
        print_json({**scope_data(measured.scope), **as_data(settings), "scores": as_data(measured.scores)})
    else:
        show_tables(tables)
    if target is not None:
        say(f"{count_of(len(tables), 'table')}: {target.resolve()}")
