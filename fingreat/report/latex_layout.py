"""How a table fits on a page of a paper: in which size, with which columns, in how many parts, and whether it is longer
than the page.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from fingreat.report.latex_text import width
from fingreat.report.tables import Cell, Column, Estimate, Points, Share, Table, cell_fields, cell_text

_PROSE, _READABLE, _LEAST = 40, 24, 11
"""Length from which on a text is prose; digits that a column of prose has room for at least, and in the last resort any
column of text.
"""
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


_NORMAL = Style(compact=False, stacked=False, tight=False, above=0, size=11, space=12, line=13.6)
_SMALL = Style(compact=True, stacked=False, tight=False, above=0, size=9.25, space=5, line=11)
_DIGIT = 0.5
"""Points of a digit in letters of one point."""


class Fit(NamedTuple):
    """A table as it fits.

    Attributes:
        panels: parts of the table with some of its columns each, set below each other; mostly one.
    """

    style: Style
    panels: tuple[Table, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns that are shown."""
        return tuple(column for panel in self.panels for column in panel.columns)


def fitted(table: Table) -> Fit:
    """The first style in which a table is not wider than a page, with as few spare columns left out as do for it.

    What is wider in every style is divided into panels, in the style in which they are less high.
    """
    tries = list(_tries(table))
    for style, kept in tries:
        if _width(kept, style) <= _PAGE:
            return Fit(style, (kept,))
    least = tries[-1][1]
    tight = dict.fromkeys(style for style, _ in tries if style.tight)
    return min((Fit(style, _panels(least, style)) for style in tight), key=_whole_height)


def _tries(table: Table) -> Iterator[tuple[Style, Table]]:
    """Styles and what of a table is kept in them, the best first."""
    once = _grouping(table)
    places = (0, once) if once else (0,)
    stacked = [_SMALL._replace(stacked=True)] if max(table.spans) > 1 else []
    yield _NORMAL, table
    yield from ((_SMALL, kept) for kept in table.narrowed())
    if once:
        yield from ((_SMALL._replace(above=once, space=7), kept) for kept in table.narrowed())
    for style in stacked:
        yield from ((style._replace(above=above), kept) for kept in table.narrowed() for above in places)
    for style in (_SMALL, *stacked):
        yield from ((style._replace(tight=True), kept) for kept in table.narrowed())


def _grouping(table: Table) -> int:
    """How many columns at the beginning a reader sees once for several rows; 0 where rows sum up others."""
    once = next((place for place, column in enumerate(table.columns) if not column.once), 0)
    return 0 if table.totals or 2 * len({row[:once] for row in table.rows}) > len(table.rows) else once


def _panels(table: Table, style: Style) -> tuple[Table, ...]:
    """The table in as few parts as are not wider than a page, about as wide as each other, with the names of its rows
    in each.
    """
    names = max(1, next((place for place, column in enumerate(table.columns) if column.right), 0))
    widths = _narrowest(table, style)
    room = _PAGE - sum(widths[:names])
    least = len(_divided(widths[names:], room))
    parts = next(
        parts for tenths in range(1, 11) if len(parts := _divided(widths[names:], room * tenths / 10)) <= least
    )
    return tuple(table.only((*range(names), *(names + place for place in part))) for part in parts)


def _divided(widths: Sequence[float], room: float) -> list[list[int]]:
    """The places of columns in parts that fit some room, as far as can be."""
    parts: list[list[int]] = [[]]
    left = room
    for place, points in enumerate(widths):
        if parts[-1] and points > left:
            parts.append([])
            left = room
        parts[-1].append(place)
        left -= points
    return parts


def _narrowest(table: Table, style: Style) -> list[float]:
    """The points of each column, and of what is beside it, if all of text are as narrow as they can be."""
    columns = zip(table.columns, _natural(table, style), _least(table.columns, style), style.spans(table), strict=True)
    return [
        (natural if column.right else min(natural, least)) + style.space * span
        for column, natural, least, span in columns
    ]


def is_long(fit: Fit) -> bool:
    """Whether a table with its notes is longer than a page."""
    notes = sum(math.ceil(width(note) * _SMALL.size / _PAGE) + 1 for note in fit.panels[0].all_notes)
    return _whole_height(fit) + notes * _SMALL.line > _HEIGHT


def _whole_height(fit: Fit) -> float:
    """About how high a table is without its notes, in points."""
    return sum(_height(panel, fit.style) + _AROUND for panel in fit.panels)


def blocks(table: Table, style: Style, long: bool) -> Iterator[Table]:
    """The rows of a table in parts that begin with all their names, as a reader has to see them at the top of a page:
    those of the same names together, but no more than half a page. One that is not longer than a page is one part.
    """
    if not long:
        yield table
        return
    once = [place for place, column in enumerate(table.columns) if column.once]
    for _, group in groupby(table.rows, key=lambda row: [row[place] for place in once]):
        rows = tuple(group)
        whole = table.model_copy(update={"rows": rows})
        parts = math.ceil(_height(whole, style) / (_HEIGHT / 2)) if once else len(rows)
        size = math.ceil(len(rows) / parts)
        for start in range(0, len(rows), size):
            yield whole.model_copy(update={"rows": rows[start : start + size]})


def _height(table: Table, style: Style) -> float:
    """About how high the rows of a table are, in points."""
    shown = style.shown(table)
    wraps = wrapped(shown, style)
    parts = max(table.spans) if style.stacked else 1
    lines = 0
    for row in shown.rows:
        cells = [cell for cell in zip(shown.columns, row, wraps, strict=True) if cell[2]]
        # No line is full to its end.
        texts = [math.ceil(1.1 * width(cell_text(column, cell)) * style.size / wrap) for column, cell, wrap in cells]
        lines += max([parts, *texts])
    headings = sum(map(bool, style.headings(table)))
    spaces = len(table.rows) if style.spaced(wraps) else headings
    return (lines + headings) * style.line + spaces * _SPACE


def wrapped(table: Table, style: Style) -> tuple[float, ...]:
    """For each column of what is shown the points that its text is wrapped to, 0 for one that is not wrapped.

    Columns of prose, and in a tight style all of text, share what the others leave.
    """
    natural = _natural(table, style)
    texts = [place for place, column in enumerate(table.columns) if not column.right]
    if not style.tight:
        texts = [place for place in texts if any(len(text) > _PROSE for text in _texts(table, place))]
    room = _PAGE - _between(table, style) - sum(points for place, points in enumerate(natural) if place not in texts)
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
    return width(line) * style.size > _PAGE


def _width(table: Table, style: Style) -> float:
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
