"""`fingreat analyze panel`: what runs extract as data for analyses elsewhere, and corrected shares."""

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
    as_data,
    as_typed,
    fields_data,
    scope_data,
)
from fingreat.cli.analyze_out import Results, give_out
from fingreat.cli.common import CommonOption, JsonFlag, say
from fingreat.cli.watch import Watch
from fingreat.pipeline.gold import read_gold
from fingreat.pipeline.panel import TABLES, MeasuredPanel, PanelSettings, measure_panel, panel_tables, write_panel
from fingreat.pipeline.panel_files import PARQUET
from fingreat.pipeline.side_by_side import Choice, provenance
from fingreat.report import count_of
from fingreat.runs import RunFolder
from fingreat.schema.graph import DEFAULT_GROUPING


def panel(
    runs: RunsArgument,
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--corpus",
            help="The corpus that says of which firm and year filings are; by default the one that the runs name.",
            show_default=False,
            autocompletion=complete.corpora,
        ),
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option("--gold", help="Labelled passages, to correct shares by.", show_default=False),
    ] = None,
    common: CommonOption = False,
    grounded: GroundedOption = False,
    grouping: GroupingOption = DEFAULT_GROUPING,
    replicates: ReplicatesOption = REPLICATES,
    seed: SeedOption = SEED,
    target: Annotated[
        Path | None,
        typer.Option("--out", help="A folder for the panel and for each table.", show_default=False),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Make a panel of runs: for every filing and edge how many extractions there are, with firm, year and assets.

    With --out it is written as panel.csv, and as panel.parquet where polars is installed.

    With --gold, the shares of edges are also corrected by the labelled passages that a run quotes.

    Example: fingreat analyze panel out/lexicon-quote out/embed-quote --gold gold.jsonl --out panel
    """
    folders = [RunFolder(path) for path in runs]
    options = {"corpus": corpus, "gold": gold, "common": common, "grounded": grounded, "grouping": grouping}
    words = as_typed("panel", runs, **options, replicates=replicates, seed=seed)

    def measure() -> MeasuredPanel:
        passages = read_gold(gold) if gold is not None else ()
        with Watch("counting") as watch:
            return measure_panel(
                folders,
                corpus=corpus,
                gold=passages,
                choice=Choice(common, grounded),
                settings=PanelSettings(grouping, replicates, seed),
                watch=watch,
            )

    give_out(
        Results(TABLES, panel_tables, _as_data, beside=_write),
        measure,
        target,
        json=json,
        made_by=lambda: provenance(words, folders),
    )


def _write(measured: MeasuredPanel, target: Path) -> str:
    """Write the panel itself."""
    if all(path.name != PARQUET for path in write_panel(measured, target)):
        say('The panel is written as CSV only. For Parquet: pip install "fingreat[frames]"')
    return count_of(len(measured.rows), "row")


def _as_data(measured: MeasuredPanel) -> dict[str, Any]:
    names = ("contents", "gold_passages", "gold_elsewhere", "corrected", "by_year", "notes")
    return {**scope_data(measured.scope), **as_data(measured.settings), **fields_data(measured, *names)}
