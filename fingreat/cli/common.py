"""What the commands share: options declared once, messages, exit codes."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fingreat.cli import complete
from fingreat.errors import FingreatError
from fingreat.report import Table as MeasuredTable
from fingreat.report import cell_text

ALL_WELL, SOME_FAILED, NOTHING_DONE, INTERRUPTED = 0, 1, 2, 130

# Texts of filings and models are printed as they are: no ":name:" of theirs becomes a picture.
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)
out = Console(highlight=False, soft_wrap=True, emoji=False)
# A pipe or a log file has no width of its own; without one, tables would be folded to 80 columns there.
if not out.is_terminal:
    out = Console(highlight=False, soft_wrap=True, emoji=False, width=200)

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
CorpusOption = Annotated[
    Path, typer.Option("--corpus", help="The corpus folder.", show_default=False, autocompletion=complete.corpora)
]
ItemOption = Annotated[
    str,
    typer.Option(
        "--item", help="Which item; 7 is the MD&A, whatever the form calls it.", autocompletion=complete.items
    ),
]
SchemaOption = Annotated[
    Path | None,
    typer.Option("--schema", help="A graph file of your own instead of gaap11.", show_default=False),
]
TokensOption = Annotated[int, typer.Option("--tokens", help="Budget of a chunk, in cl100k_base tokens.")]


def table(*columns: str, title: str | None = None, numbers: tuple[str, ...] = ()) -> Table:
    """An empty table in the one look; cells are folded, never cut, and never read as markup.

    Args:
        numbers: the columns that are aligned to the right.
    """
    made = Table(
        title=None if title is None else Text(title), box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False
    )
    for column in columns:
        made.add_column(column, justify="right" if column in numbers else "left", overflow="fold")
    return made


def show_table(measured: MeasuredTable) -> None:
    """A table of a report on standard output, with its notes; cells as the page shows them.

    Where it is too wide, heads and shares take several lines; where that is not enough, a row becomes a block of lines.
    """
    endless = out.options.update(width=10**6)
    for made in (_grid(measured, " "), _grid(measured, "\n"), _blocks(measured)):
        if out.measure(made, options=endless).maximum <= out.width:
            break
    out.print(made)
    for note in measured.all_notes:
        out.print(f"  {note}", markup=False)
    out.print()


def _grid(measured: MeasuredTable, space: str) -> Table:
    """The table as it is, with something else between the words of heads and shares."""
    made = table(title=measured.title)
    for column in measured.columns:
        made.add_column(
            Text(column.label.replace(" ", space)), justify="right" if column.right else "left", overflow="fold"
        )
    for row in measured.rows:
        texts = zip(measured.columns, map(cell_text, measured.columns, row), strict=True)
        made.add_row(*(Text(text.replace(" ", space) if column.right else text) for column, text in texts))
    return made


def _blocks(measured: MeasuredTable) -> Table:
    """The rows one below the other, a line for each cell."""
    made = table("", "", title=measured.title)
    made.show_header = False
    for row in measured.rows:
        for column, cell in zip(measured.columns, row, strict=True):
            made.add_row(Text(column.label), Text(cell_text(column, cell)))
        made.add_section()
    return made


def plain(value: object) -> Text:
    """A cell that shows a value as it is."""
    return Text("" if value is None else str(value))


def say(text: str) -> None:
    """A line for a person, on standard error; text from files is never read as markup."""
    err.print(text, markup=False)


def show_error(error: FingreatError) -> None:
    """The message and what to do, without a traceback."""
    place = f"{error.where}: " if error.where else ""
    err.print("error:", style="bold red", end=" ")
    err.print(f"{place}{error.message}", markup=False)
    if error.hint:
        err.print(error.hint, markup=False)


def print_json(value: Any) -> None:
    """One JSON value on standard output, UTF-8 whatever the locale says."""
    print_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def print_text(text: str) -> None:
    """Text as it is, on standard output, UTF-8 whatever the locale says."""
    print_bytes(text.encode("utf-8", "replace"))


def print_bytes(data: bytes) -> None:
    """Bytes as they are, on standard output."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


@contextmanager
def stoppable(what_stays: Callable[[], str]) -> Iterator[None]:
    """End with a message and status 130 on Ctrl-C, and on the SIGTERM of a batch system.

    Args:
        what_stays: says what is kept and how to go on; asked only then.
    """
    signal.signal(signal.SIGTERM, _as_interrupt)
    try:
        yield
    except KeyboardInterrupt:
        say(f"stopped. {what_stays()}")
        raise typer.Exit(INTERRUPTED) from None


def _as_interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
