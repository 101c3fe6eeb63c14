"""How a table fits on a page of a paper: in which size, with which columns, in how many parts, and whether it is longer
than the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from fingreat.report.latex_text import width
from fingreat.report.latex_widths import PAGE, Style, narrowest, table_width, wrapped
from fingreat.report.tables import Column, Table, cell_text

_HEIGHT = 540
"""Points of LaTeX: the height of a text on letter paper at 11 pt, which is less than on A4."""
_AROUND = 60
"""Points that caption, rules and head take."""
_SPACE = 5
"""Points between rows of several lines."""

_NORMAL = Style(compact=False, stacked=False, tight=False, above=0, size=11, space=12, line=13.6)
_SMALL = Style(compact=True, stacked=False, tight=False, above=0, size=9.25, space=5, line=11)


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
        if table_width(kept, style) <= PAGE:
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
    widths = narrowest(table, style)
    room = PAGE - sum(widths[:names])
    least = len(_divided(widths[names:], room))
    rooms = (*(room * tenths / 10 for tenths in range(1, 10)), room)
    parts = next(parts for less in rooms if len(parts := _divided(widths[names:], less)) <= least)
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


def is_long(fit: Fit) -> bool:
    """Whether a table with its notes is longer than a page."""
    notes = sum(math.ceil(width(note) * _SMALL.size / PAGE) + 1 for note in fit.panels[0].all_notes)
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
