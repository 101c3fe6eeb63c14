"""What the commands share: options declared once, messages, exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from textwrap import fill
from types import FrameType
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from fingreat.cli import complete
from fingreat.errors import FingreatError
from fingreat.report import Table as MeasuredTable
from fingreat.report import cell_text
from fingreat.schema import TableStyle

NO_VALUE = ""
"""Metavar of a flag: help would show a type, as if the flag took a value."""
ALL_WELL, SOME_FAILED, NOTHING_DONE, INTERRUPTED = 0, 1, 2, 130

# What a terminal obeys rather than shows: controls other than tab and line feed, marks that turn the direction of
# writing, separators of lines; and halves of surrogate pairs, which it cannot be sent.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def visible(text: str) -> str:
    """A text with everything that a terminal would obey as an escape of Python's, such as `\\x1b` or `\\u202e`.

    Texts of filings, models and servers may hold anything; they must not colour, retitle or overwrite a terminal.
    """
    return _UNSEEN.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


class _Console(Console):
    """A console that shows what texts hold and obeys none of it: no control, no markup of pictures (":name:")."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, soft_wrap=True, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """A string as it is shown."""
        return super().render_str(visible(text), **options)


err = _Console(stderr=True)
out = _Console()
# A pipe or a log file has no width of its own; without one, tables would be folded to 80 columns there.
if not (out.is_terminal or re.fullmatch("[1-9][0-9]*", os.environ.get("COLUMNS", ""))):
    out = _Console(width=200)

# A column with cells longer than the second is wrapped, between words, down to the first before rows become blocks.
_LEAST, _PROSE = 20, 40

CommonOption = Annotated[
    bool,
    typer.Option("--common", metavar=NO_VALUE, help="Compare on the filings that all runs read, where they differ."),
]
JsonFlag = Annotated[bool, typer.Option("--json", metavar=NO_VALUE, help="Print JSON instead of text.")]
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
TablesOption = Annotated[
    TableStyle, typer.Option("--tables", help="How tables are written: as Markdown or as compact HTML.")
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Processes that read filings at the same time; one for every usable core if left out.",
        show_default=False,
    ),
]
TokensOption = Annotated[int, typer.Option("--tokens", help="Budget of a chunk, in cl100k_base tokens.")]


def show_table(measured: MeasuredTable, *, most: int | None = None) -> None:
    """A table on standard output, with its notes; cells as the page of a report shows them, a text that the row above
    has too only once where the table says so.

    Where it is too wide, spare columns are left out, as few as do; then heads and shares take several lines, then
    columns of prose do, again with as many spare columns as fit. Where that is not enough, a row becomes a block of
    lines. A word is broken only where nothing else is left.

    Args:
        most: rows to show; how many more there are is said.
    """
    left = len(measured.rows) - most if most is not None else 0
    if left > 0:
        more = f"{left:,} more rows are not shown here; --json has them."
        measured = measured.model_copy(update={"rows": measured.rows[:most], "notes": (more, *measured.notes)})
    endless = out.options.update(width=10**6)
    folds = ((" ", None), ("\n", None), (" ", _LEAST), ("\n", _LEAST))
    for (space, least), shown in product(folds, measured.for_reading().narrowed()):
        if out.measure(_grid(shown, space, least), options=endless).maximum <= out.width:
            out.print(_grid(shown, space))
            break
    else:
        rows = (map(cell_text, measured.columns, row) for row in measured.rows)
        _print_blocks(([*zip((c.label for c in measured.columns), row, strict=True)] for row in rows), measured.title)
        if measured.all_notes:
            out.print()
    for note in measured.all_notes:
        tell(note, indent="  ")
    out.print()


def show_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    """Names and values on standard output, a line for each."""
    _print_blocks([pairs])


def _grid(measured: MeasuredTable, space: str, widest: int | None = None) -> Table:
    """The table as it is, with something else between the words of heads and shares; cells are folded, never cut.

    Args:
        widest: of columns of prose, None for as wide as they are.
    """
    made = Table(title=Text(visible(measured.title)), box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    texts = [tuple(visible(text) for text in map(cell_text, measured.columns, row)) for row in measured.rows]
    for index, column in enumerate(measured.columns):
        prose = not column.right and _is_prose([row[index] for row in texts])
        head = visible(column.label)
        made.add_column(
            Text(_folded([head, *(row[index] for row in texts if column.right)]) if space == "\n" else head),
            justify="right" if column.right else "left",
            overflow="fold",
            no_wrap=not prose,
            max_width=widest if prose else None,
        )
    for row in texts:
        cells = zip(measured.columns, row, strict=True)
        made.add_row(*(Text(text.replace(" ", space) if column.right else text) for column, text in cells))
    return made


def _folded(texts: Sequence[str]) -> str:
    """The first of a column's texts in lines no longer than the longest word of all."""
    longest = max((len(word) for text in texts for word in text.split()), default=1)
    return fill(texts[0], longest, break_long_words=False, break_on_hyphens=False)


def _is_prose(texts: Sequence[str]) -> bool:
    """Whether a column holds long texts of words that are short enough to be wrapped."""
    longest_word = max((len(word) for text in texts for word in text.split()), default=0)
    return longest_word <= _LEAST and any(len(text) > _PROSE for text in texts)


def _print_blocks(blocks: Iterable[Iterable[tuple[str, str]]], title: str | None = None) -> None:
    """Blocks of names and values, a line for each, with an empty line between blocks."""
    if title:
        out.print(title, style="table.title", markup=False)
    blocks = [[(visible(name), visible(value)) for name, value in block] for block in blocks]
    names = max((len(name) for block in blocks for name, _ in block), default=0)
    for number, block in enumerate(blocks):
        if number or title:
            out.print()
        made = Table.grid(padding=(0, 2))
        made.add_column(width=min(names, max(1, out.width - _LEAST)), overflow="fold")
        made.add_column(overflow="fold")
        for name, value in block:
            made.add_row(Text(name), Text(value))
        out.print(made)


def tell(text: str, *, indent: str = "") -> None:
    """A sentence on standard output, never read as markup; on a terminal it is wrapped between words.

    Args:
        indent: stands before every line.
    """
    if out.is_terminal:
        text = fill(
            visible(text),
            max(out.width, _LEAST),
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    else:
        text = indent + text
    out.print(text, markup=False)


def progress_bar() -> Progress:
    """A bar on standard error while something takes its time; nothing where that is no terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)


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
    """One JSON value on standard output, UTF-8 whatever the locale says; what is not to be seen is escaped."""
    written = json.dumps(value, ensure_ascii=False, indent=2)
    print_text(_UNSEEN.sub(lambda found: f"\\u{ord(found.group()):04x}", written) + "\n")


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
