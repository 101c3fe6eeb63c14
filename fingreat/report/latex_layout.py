"""How a table fits on a page of a paper: in which size, with which columns, and whether it is longer than the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from fingreat.report.tables import Cell, Column, Points, Share, Table, cell_fields, cell_text

_PROSE, PROSE_COLUMN = 40, r">{\raggedright\arraybackslash}p{0.4\linewidth}"
"""Length from which on a text is wrapped, and the column that it stands in."""
_PAGE, _HEIGHT = 360, 540
"""Points of LaTeX: the width of a text on A4 and the height of one on letter paper, at 11 pt."""
_AROUND = 60
"""Points that caption, rules and head take."""
_SPACE = 5
"""Points between rows of several lines."""


class Style(NamedTuple):
    """How a table is set.

    Attributes:
        compact: in small letters, with heads of two lines.
        headed: the names that a reader sees once stand above their rows instead of before them.
        stacked: the parts of a share below each other instead of side by side.
        character, space, line: points of a character, of what is between two columns, and of a line.
    """

    compact: bool
    headed: bool
    stacked: bool
    character: float
    space: float
    line: float

    def shown(self, table: Table) -> Table:
        """What of a table is set in columns, and only what a reader has to see again."""
        if self.headed:
            table = table.only(range(_leading(table), len(table.columns)))
        return table.for_reading()

    def headings(self, table: Table) -> tuple[str, ...]:
        """For each row the line that stands above it, "" for none."""
        if not self.headed:
            return ("",) * len(table.rows)
        columns = table.columns[: _leading(table)]
        above, headings = "", []
        for row in table.rows:
            heading = _heading(columns, row)
            headings.append("" if heading == above else heading)
            above = heading
        return tuple(headings)

    def spans(self, table: Table) -> tuple[int, ...]:
        """How many narrow columns each column takes."""
        return (1,) * len(table.columns) if self.stacked else table.spans


_NORMAL = Style(compact=False, headed=False, stacked=False, character=5.6, space=12, line=13.6)
_SMALL = Style(compact=True, headed=False, stacked=False, character=4.45, space=5, line=11)
_HEADED = _SMALL._replace(headed=True, space=7)
_STACKED = _SMALL._replace(stacked=True)
_SMALLEST = _STACKED._replace(headed=True)


def fitted(table: Table) -> tuple[Style, Table]:
    """The first style in which a table is not wider than a page, with as few spare columns left out as do for it.

    What is wider in every style gets the one that makes it narrowest.
    """
    names = {row[: _leading(table)] for row in table.rows}
    can_head = _leading(table) > 0 and not table.totals
    flat = [_SMALL, *([_HEADED] if can_head and 2 * len(names) <= len(table.rows) else [])]
    stacked = [_STACKED, *([_SMALLEST] if can_head else [])] if max(table.spans) > 1 else []
    tries = [
        (_NORMAL, table),
        *((style, kept) for style in flat for kept in table.narrowed()),
        *((style, kept) for kept in table.narrowed() for style in stacked),
    ]
    return next(((style, kept) for style, kept in tries if _width(kept, style) <= _PAGE), tries[-1])


def is_long(table: Table, style: Style) -> bool:
    """Whether a table with its notes is longer than a page."""
    rows = max(table.spans) * style.line + _SPACE if style.stacked else style.line
    headings = sum(map(bool, style.headings(table)))
    notes = sum(math.ceil(len(note) * _SMALL.character / _PAGE) + 1 for note in table.all_notes)
    height = len(table.rows) * rows + headings * (style.line + _SPACE) + notes * _SMALL.line
    return height + _AROUND > _HEIGHT


def letters(table: Table, index: int, span: int) -> str:
    """The letters of a column, or of the narrow ones that it takes."""
    column = table.columns[index]
    if column.right:
        return "r" * span
    return PROSE_COLUMN if any(len(cell_text(column, row[index])) > _PROSE for row in table.rows) else "l"


def parts(column: Column, cell: Cell, span: int) -> tuple[str, ...]:
    """The parts of a cell, an interval in brackets."""
    fields = cell_fields(column, cell, span)
    if isinstance(cell, (Share, Points)) and cell.interval:
        return (*fields[:-1], f"[{fields[-1]}]")
    return fields


def head_lines(column: Column, style: Style) -> tuple[str, ...]:
    """The head of a column, in two lines if there are several words and the style has such heads."""
    words = column.head.split()
    if not style.compact or len(words) < 2:
        return (column.head,)
    # Where the longer line is the shortest.
    lines = (tuple(map(" ".join, (words[:n], words[n:]))) for n in range(1, len(words)))
    return min(lines, key=lambda pair: max(map(len, pair)))


def _leading(table: Table) -> int:
    """How many columns at the beginning a reader sees once; 0 where no others follow."""
    return next((place for place, column in enumerate(table.columns) if not column.once), 0)


def _heading(columns: Sequence[Column], row: Sequence[Cell]) -> str:
    """The names at the beginning of a row in one line: "Run a, reference b"."""
    return ", ".join(
        f"{column.label if place else column.head} {cell_text(column, row[place])}"
        for place, column in enumerate(columns)
    )


def _width(table: Table, style: Style) -> float:
    """About how wide a table is, in points."""
    widest = max(map(len, style.headings(table)), default=0) * style.character
    points = 0.0
    table = style.shown(table)
    for index, (column, span) in enumerate(zip(table.columns, style.spans(table), strict=True)):
        kind = letters(table, index, span)
        if kind == PROSE_COLUMN:
            points += 0.4 * _PAGE + style.space
            continue
        fields = zip(*(parts(column, row[index], table.spans[index]) for row in table.rows), strict=True)
        widths = [max(map(len, part)) for part in fields]
        head = max(map(len, head_lines(column, style)))
        cells = max(widths, default=0) if style.stacked else sum(widths)
        points += max(head, cells) * style.character + style.space * len(kind)
    return max(points, widest)
