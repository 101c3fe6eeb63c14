"""`fingreat analyze panel`: what runs extract as data for analyses elsewhere, and corrected shares."""

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
    as_data,
    as_typed,
    scope_data,
    show_tables,
)
from fingreat.cli.common import CommonOption, JsonFlag, print_json, say, stoppable
from fingreat.cli.watch import Watch
from fingreat.pipeline.gold import read_gold
from fingreat.pipeline.panel import TABLES, PanelSettings, measure_panel, panel_tables, write_panel
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

    Example: fingreat analyze panel out/lexicon out/embed --gold gold.jsonl --out panel
    """
    if target is not None:
        TABLES.check(target)
    folders = [RunFolder(path) for path in runs]
    passages = read_gold(gold) if gold is not None else ()
    lines: list[str] = []
    with stoppable(lambda: "Every file that was written is whole; repeat the command."):
        with Watch("counting") as watch:
            settings = PanelSettings(grouping, replicates, seed)
            measured = measure_panel(
                folders, corpus=corpus, gold=passages, choice=Choice(common, grounded), settings=settings, watch=watch
            )
        tables = panel_tables(measured)
        if target is not None:
            options = {"corpus": corpus, "gold": gold, "common": common, "grounded": grounded, "grouping": grouping}
            words = as_typed("panel", runs, **options, replicates=replicates, seed=seed)
            lines += TABLES.write(tables, target, provenance(words, folders))
            written = write_panel(measured, target)
            lines.append(f"{count_of(len(measured.rows), 'row')}, {count_of(len(tables), 'table')}: {target.resolve()}")
            if all(path.name != PARQUET for path in written):
                lines.append('The panel is written as CSV only. For Parquet: pip install "fingreat[frames]"')
    if json:
        names = ("contents", "gold_passages", "gold_elsewhere", "corrected", "by_year", "notes")
        print_json({
            **scope_data(measured.scope),
            **as_data(settings),
            **{name: as_data(getattr(measured, name)) for name in names},
        })  # fmt: skip
    else:
        show_tables(tables)
    for line in lines:
        say(line)
