"""`fingreat analyze behavior`: what runs dwell on, over years."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

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
    as_typed,
    fields_data,
    scope_data,
)
from fingreat.cli.analyze_out import Results, give_out
from fingreat.cli.common import CommonOption, JsonFlag
from fingreat.cli.watch import Watch
from fingreat.pipeline.behavior import (
    TABLES,
    Dating,
    MeasuredBehavior,
    YearOf,
    behavior_figures,
    behavior_tables,
    measure_behavior,
)
from fingreat.pipeline.side_by_side import Choice, provenance
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

    Example: fingreat analyze behavior out/lexicon-quote out/embed-quote --out behaviour
    """
    folders = [RunFolder(path) for path in runs]
    options = {"corpus": corpus, "year": year, "common": common, "grounded": grounded, "grouping": grouping}
    words = as_typed("behavior", runs, **options, replicates=replicates, seed=seed)

    def measure() -> MeasuredBehavior:
        with Watch("counting") as watch:
            return measure_behavior(
                folders,
                dating=Dating(corpus, year),
                choice=Choice(common, grounded),
                grouping=grouping,
                replicates=replicates,
                seed=seed,
                watch=watch,
            )

    give_out(
        Results(TABLES, behavior_tables, _as_data, behavior_figures),
        measure,
        target,
        json=json,
        made_by=lambda: provenance(words, folders),
    )


def _as_data(measured: MeasuredBehavior) -> dict[str, Any]:
    names = ("grouping", "replicates", "seed", "year", "notes", "years", "runs")
    return {**scope_data(measured.scope), **fields_data(measured, *names)}
