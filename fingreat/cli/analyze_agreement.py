"""`fingreat analyze agreement`: runs against references."""

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
from fingreat.cli.common import NO_VALUE, CommonOption, JsonFlag, print_json, say, stoppable
from fingreat.cli.watch import Watch
from fingreat.pipeline.agreement import TABLES, agreement_tables, measure_runs
from fingreat.pipeline.side_by_side import Choice, provenance
from fingreat.report import count_of
from fingreat.runs import RunFolder
from fingreat.schema.graph import DEFAULT_GROUPING


def agreement(
    runs: RunsArgument,
    reference: Annotated[
        list[Path] | None,
        typer.Option(
            "--reference",
            metavar="RUN",
            help="A run that the others are measured against; repeatable. Without one, every run against every other.",
            autocompletion=complete.runs,
        ),
    ] = None,
    common: CommonOption = False,
    grounded: GroundedOption = False,
    grouping: GroupingOption = DEFAULT_GROUPING,
    by_edge: Annotated[
        bool, typer.Option("--by-edge", metavar=NO_VALUE, help="Also a table of the agreement on each edge.")
    ] = False,
    replicates: ReplicatesOption = REPLICATES,
    seed: SeedOption = SEED,
    target: TablesFolderOption = None,
    json: JsonFlag = False,
) -> None:
    """Measure how far runs quote the same passages as references, and whether they give them the same edges.

    By words, by place in the text and by characters, with intervals by drawing filings anew.

    Beside it: how much each run extracts, and whether the figures in matched quotes agree.

    All runs must have read the same texts with the same graph. A reference is another run, not the truth.

    Example: fingreat analyze agreement out/lexicon out/embed --reference out/qwen --out tables
    """
    if target is not None:
        TABLES.check(target)
    folders, references = ([RunFolder(path) for path in paths] for paths in (runs, reference or ()))
    with stoppable(lambda: "Every table that was written is whole; repeat the command."):
        with Watch("matching") as watch:
            measured = measure_runs(
                folders,
                references,
                choice=Choice(common, grounded),
                grouping=grouping,
                replicates=replicates,
                seed=seed,
                watch=watch,
            )
        tables = agreement_tables(measured, by_edge=by_edge)
        if target is not None:
            options = {
                "reference": reference,
                "common": common,
                "grounded": grounded,
                "grouping": grouping,
                "by_edge": by_edge,
            }
            words = as_typed("agreement", runs, **options, replicates=replicates, seed=seed)
            TABLES.write(tables, target, provenance(words, [*folders, *references]))
    if json:
        settings = {name: getattr(measured, name) for name in ("grouping", "replicates", "seed", "volumes")}
        pairs = as_data(tuple(measured.pairs.values()))
        print_json({**scope_data(measured.scope), **as_data(settings), "pairs": pairs})
    else:
        show_tables(tables)
    if target is not None:
        say(f"{count_of(len(tables), 'table')}: {target.resolve()}")
