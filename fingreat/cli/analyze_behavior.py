"""`fingreat analyze behavior`: what runs dwell on, over years."""

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
from fingreat.pipeline.behavior import TABLES, Dating, YearOf, behavior_figures, behavior_tables, measure_behavior
from fingreat.pipeline.side_by_side import Choice, provenance
from fingreat.report import count_of
from fingreat.runs import RunFolder
from fingreat.schema.graph import DEFAULT_GROUPING


def behavior(
    runs: RunsArgument,
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--corpus",
            help="The corpus that says of which year filings are; by default the one that the runs name.",
            show_default=False,
            autocompletion=complete.corpora,
        ),
    ] = None,
    year: Annotated[
        YearOf, typer.Option("--year", help="Which year of a filing counts: that of filing, or its fiscal year.")
    ] = YearOf.FILING,
    common: CommonOption = False,
    grounded: GroundedOption = False,
    grouping: GroupingOption = DEFAULT_GROUPING,
    replicates: ReplicatesOption = REPLICATES,
    seed: SeedOption = SEED,
    target: TablesFolderOption = None,
    json: JsonFlag = False,
) -> None:
    """Show what runs dwell on: the shares of edges and categories among their extractions, in all and year by year.

    Also in how many filings an edge is found at all, and how many quotes stand in the text.

    With --out there are lines over the years as figures, too.

    Example: fingreat analyze behavior out/lexicon out/embed --out behaviour
    """
    if target is not None:
        TABLES.check(target)
    folders = [RunFolder(path) for path in runs]
    lines: tuple[str, ...] = ()
    with stoppable(lambda: "Every file that was written is whole; repeat the command."):
        with Watch("counting") as watch:
            dating = Dating(corpus, year)
            measured = measure_behavior(
                folders,
                dating=dating,
                choice=Choice(common, grounded),
                grouping=grouping,
                replicates=replicates,
                seed=seed,
                watch=watch,
            )
        tables = behavior_tables(measured)
        if target is not None:
            figures = behavior_figures(measured)
            options = {"corpus": corpus, "year": year, "common": common, "grounded": grounded, "grouping": grouping}
            words = as_typed("behavior", runs, **options, replicates=replicates, seed=seed)
            told = TABLES.write(tables, target, provenance(words, folders), figures)
            lines = (f"{count_of(len(tables), 'table')}, {count_of(len(figures), 'figure')}: {target.resolve()}", *told)
    if json:
        settings = {name: getattr(measured, name) for name in ("grouping", "replicates", "seed", "year", "notes")}
        found = {"years": as_data(measured.years), "runs": as_data(measured.runs)}
        print_json({**scope_data(measured.scope), **as_data(settings), **found})
    else:
        show_tables(tables)
    for line in lines:
        say(line)
