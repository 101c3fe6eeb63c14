"""`fingreat report`: one page over finished runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fingreat.cli import complete
from fingreat.cli.common import CommonOption, JsonFlag, print_json, say, show_table, stoppable, tell
from fingreat.cli.watch import Watch
from fingreat.pipeline import Corpus
from fingreat.pipeline.gold import read_gold
from fingreat.pipeline.report import build_report, check_folder, write_report
from fingreat.pipeline.report.texts import MOST_FILINGS
from fingreat.report import Cell, Estimate, Points, Report, Share
from fingreat.runs import RunFolder

MAIN_TABLES = ("volume", "agreement", "gold", "tags")
"""What the console shows; the page and its folder have all."""
MOST_ROWS = 60
"""Rows of a table on the console: 44 runs make 1,892 pairs."""


def command(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Run folders.", show_default=False, autocompletion=complete.runs),
    ],
    target: Annotated[Path, typer.Option("--out", help="The folder for page, tables and figures.")] = Path(
        "fingreat-report"
    ),
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--corpus",
            help="The corpus that the runs read; by default the one that they name.",
            show_default=False,
            autocompletion=complete.corpora,
        ),
    ] = None,
    gold: Annotated[
        list[Path] | None,
        typer.Option("--gold", help="A gold file that lists all evidence of its filings; repeatable."),
    ] = None,
    filing: Annotated[
        list[str] | None,
        typer.Option("--filing", help="A filing whose text to show, by its id; repeatable. Else the first ones."),
    ] = None,
    common: CommonOption = False,
    title: Annotated[str | None, typer.Option("--title", help="Title of the page.", show_default=False)] = None,
    json: JsonFlag = False,
) -> None:
    """Measure finished runs, alone, against each other and against a gold, and make a page to open.

    Writes report.html, graph.svg, tables/*.csv and figures/*.svg. One run is enough; several must have read the same
    texts.

    Example: fingreat report out/lexicon-quote out/embedded-quote --corpus corpus --out report
    """
    check_folder(target)
    with stoppable(lambda: "Nothing of the report is half written; repeat the command."):
        with Watch("comparing", unit="steps") as watch:
            report = build_report(
                [RunFolder(path) for path in runs],
                Corpus(corpus) if corpus else None,
                gold=[passage for path in gold or () for passage in read_gold(path)],
                show=filing or MOST_FILINGS,
                common=common,
                title=title and title.encode("utf-8", "replace").decode(),
                watch=watch,
            )
        page = write_report(report, target)
    if json:
        print_json(_as_data(report, page))
    else:
        _show(report)
    say(f"report: {page.resolve()}")


def _show(report: Report) -> None:
    for table in report.tables:
        if table.id in MAIN_TABLES:
            show_table(table, most=MOST_ROWS)
    for run in report.runs:
        if run.score:
            tell(f"{run.name}: {run.score.sentence}")
    for note in report.notes:
        tell(note)


def _as_data(report: Report, page: Path) -> dict[str, object]:
    return {
        "report": str(page),
        "runs": [run.name for run in report.runs],
        "filings": report.filings_in_all,
        "shown": [view.filing.id for view in report.filings],
        "notes": list(report.notes),
        "tables": {
            table.id: [
                {column.label: _value(cell) for column, cell in zip(table.columns, row, strict=True)}
                for row in table.rows
            ]
            for table in report.tables
        },
    }


def _value(cell: Cell) -> object:
    if not isinstance(cell, (Share, Points, Estimate)):
        return cell
    numbers = {"k": cell.k, "n": cell.n} if isinstance(cell, Share) else {}
    interval = dict(zip(("low", "high"), cell.interval, strict=True)) if cell.interval else None
    return {**numbers, "value": cell.value, "interval": interval}
