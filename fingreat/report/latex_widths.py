"""How wide the columns of a table are in a paper, and what they are wrapped to."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from fingreat.report.latex_text import width
from fingreat.report.tables import Cell, Column, Estimate, Points, Share, Table, cell_fields, cell_text

PAGE = 360
"""Points of LaTeX: the width of a text on A4 at 11 pt."""
_PROSE, _READABLE, _LEAST = 40, 24, 11
"""Length from which on a text is prose; digits that a column of prose has room for at least, and in the last resort any
column of text.
"""
_DIGIT = 0.5
"""Points of a digit in letters of one point."""


class Style(NamedTuple):
    """How a table is set.

    Attributes:
        compact: in small letters, with heads of two lines.
        stacked: the parts of a share below each other instead of side by side.
        tight: every column of text may be wrapped, and heads have as many lines as make them narrow.
        above: how many columns of names stand above their rows instead of before them.
        size, space, line: points of the letters, of what is between two columns, and of a line.
    """

    compact: bool
    stacked: bool
    tight: bool
    above: int
    size: float
    space: float
    line: float

    def shown(self, table: Table) -> Table:
        """What of a table is set in columns."""
        return table.only(range(self.above, len(table.columns)))

    def headings(self, table: Table) -> tuple[str, ...]:
        """For each row the line that stands above it, "Run: a, reference: b"; "" where that of the row before does."""
        columns = table.columns[: self.above]
        lines = [
            ", ".join(f"{column.label}: {cell_text(column, cell)}" for column, cell in zip(columns, row, strict=False))
            for row in table.rows
        ]
        capital = [f"{line[:1].upper()}{line[1:]}" for line in lines]
        return tuple("" if line == before else line for before, line in pairwise(["", *capital]))

    def spans(self, table: Table) -> tuple[int, ...]:
        """How many narrow columns each column takes."""
        return (1,) * len(table.columns) if self.stacked else table.spans

    def spaced(self, wraps: Sequence[float]) -> bool:
        """Whether rows are apart, as they have several lines, by the points that columns are wrapped to."""
        return self.stacked or (self.tight and any(wraps))


def narrowest(table: Table, style: Style) -> list[float]:
    """The points of each column, and of what is beside it, if all of text are as narrow as they can be."""
    columns = zip(table.columns, _natural(table, style), _least(table.columns, style), style.spans(table), strict=True)
    return [
        (natural if column.right else min(natural, least)) + style.space * span
        for column, natural, least, span in columns
    ]


def wrapped(table: Table, style: Style) -> tuple[float, ...]:
    """For each column of what is shown the points that its text is wrapped to, 0 for one that is not wrapped.

    Columns of prose, and in a tight style all of text, share what the others leave.
    """
    natural = _natural(table, style)
    texts = [place for place, column in enumerate(table.columns) if not column.right]
    if not style.tight:
        texts = [place for place in texts if any(len(text) > _PROSE for text in _texts(table, place))]
    room = PAGE - _between(table, style) - sum(points for place, points in enumerate(natural) if place not in texts)
    least = _least([table.columns[place] for place in texts], style)
    shared = dict(zip(texts, _shared([natural[place] for place in texts], least, room), strict=True))
    return tuple(
        math.floor(shared[place]) if place in shared and shared[place] < points else 0
        for place, points in enumerate(natural)
    )


def _least(columns: Sequence[Column], style: Style) -> list[float]:
    """The points that a wrapped column has at least."""
    digits = (_LEAST if style.tight else _READABLE) * _DIGIT
    return [style.size * max(digits, _head_width(column, style)) for column in columns]


def _shared(natural: Sequence[float], least: Sequence[float], room: float) -> list[float]:
    """How wide columns are that share some room: as wide as they would be, or by the square root of that, so that a
    short text is wrapped after a long one, and takes fewer lines; none is narrower than its least.
    """
    root = math.sqrt(max(natural, default=0))
    widths, narrowest = list(natural), sum(map(min, natural, least))
    while sum(widths) > max(room, narrowest):
        root *= 0.97
        widths = [min(points, max(low, root * math.sqrt(points))) for points, low in zip(natural, least, strict=True)]
    return widths


def letters(column: Column, span: int, wrap: float) -> str:
    """The letters of a column, or of the narrow ones that it takes."""
    if wrap:
        return rf">{{\raggedright\arraybackslash\hspace{{0pt}}}}p{{{wrap:g}pt}}"
    return "r" * span if column.right else "l"


def parts(column: Column, cell: Cell, span: int) -> tuple[str, ...]:
    """The parts of a cell, an interval in brackets."""
    fields = cell_fields(column, cell, span)
    if isinstance(cell, (Share, Points, Estimate)) and cell.interval:
        return (*fields[:-1], f"[{fields[-1]}]")
    return fields


def head_lines(column: Column, style: Style) -> tuple[str, ...]:
    """The head of a column: in two lines if there are several words and the style has such heads, in as many as make it
    narrow if it is tight.
    """
    words = column.head.split()
    if style.tight:
        pieces = re.split(r"\s|(?<=\w-)", column.head)
        return tuple(textwrap.wrap(column.head, max(map(len, pieces)), break_long_words=False)) or ("",)
    if not style.compact or len(words) < 2:
        return (column.head,)
    # Where the longer line is the shortest.
    lines = (tuple(map(" ".join, (words[:n], words[n:]))) for n in range(1, len(words)))
    return min(lines, key=lambda pair: max(map(len, pair)))


def too_wide(line: str, style: Style) -> bool:
    """Whether a line above rows is wider than a page."""
    return width(line) * style.size > PAGE


def table_width(table: Table, style: Style) -> float:
    """About how wide a table is, in points."""
    shown = style.shown(table)
    columns = zip(_natural(shown, style), wrapped(shown, style), strict=True)
    return sum(wrap or points for points, wrap in columns) + _between(shown, style)


def _between(table: Table, style: Style) -> float:
    """The points between the columns, and at both sides."""
    return style.space * sum(style.spans(table))


def _natural(table: Table, style: Style) -> tuple[float, ...]:
    """The points of each column if none is wrapped."""
    return tuple(
        style.size * max(_cells_width(table, place, span, style), _head_width(column, style))
        for place, (column, span) in enumerate(zip(table.columns, table.spans, strict=True))
    )


def _head_width(column: Column, style: Style) -> float:
    return max(map(width, head_lines(column, style)))


def _cells_width(table: Table, place: int, span: int, style: Style) -> float:
    """The width of a column's widest cells, part by part."""
    column = table.columns[place]
    if span == 1:
        return max(map(width, _texts(table, place)), default=0)
    fields = zip(*(parts(column, row[place], span) for row in table.rows), strict=True)
    widths = [max(map(width, part)) for part in fields]
    return max(widths, default=0) if style.stacked else sum(widths)


def _texts(table: Table, place: int) -> Iterator[str]:
    """The cells of a column, each in one line."""
    return (cell_text(table.columns[place], row[place]) for row in table.rows)
