"""How a table fits on a page of a paper: in which size, with which columns, and whether it is longer than the page."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from fingreat.report.tables import Cell, Column, Estimate, Points, Share, Table, cell_fields, cell_text

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
        stacked: the parts of a share below each other instead of side by side.
        above: how many columns of names stand above their rows instead of before them.
        character, space, line: points of a character, of what is between two columns, and of a line.
    """

    compact: bool
    stacked: bool
    above: int
    character: float
    space: float
    line: float

    def shown(self, table: Table) -> Table:
        """What of a table is set in columns, and only what a reader has to see again."""
        return table.only(range(self.above, len(table.columns))).for_reading()

    def headings(self, table: Table) -> tuple[tuple[str, ...], ...]:
        """For each row the lines that stand above it: one, "Run a, reference b", or one for each name if that is too
        wide; none where they stand above the row before.
        """
        columns = table.columns[: self.above]
        named = [
            tuple(f"{column.label} {cell_text(column, cell)}" for column, cell in zip(columns, row, strict=False))
            for row in table.rows
        ]
        if all(len(", ".join(names)) * self.character <= _PAGE for names in named):
            named = [(", ".join(names),) if names else () for names in named]
        capital = [tuple(f"{line[:1].upper()}{line[1:]}" for line in lines) for lines in named]
        return tuple(() if lines == before else lines for before, lines in pairwise([(), *capital]))

    def spans(self, table: Table) -> tuple[int, ...]:
        """How many narrow columns each column takes."""
        return (1,) * len(table.columns) if self.stacked else table.spans


_NORMAL = Style(compact=False, stacked=False, above=0, character=5.6, space=12, line=13.6)
_SMALL = Style(compact=True, stacked=False, above=0, character=4.45, space=5, line=11)
_STACKED = _SMALL._replace(stacked=True)


def fitted(table: Table) -> tuple[Style, Table]:
    """The first style in which a table is not wider than a page, with as few spare columns left out as do for it.

    What is wider in every style gets the last one.
    """
    tries = list(_tries(table))
    return next(((style, kept) for style, kept in tries if _width(kept, style) <= _PAGE), tries[-1])


def _tries(table: Table) -> Iterator[tuple[Style, Table]]:
    """Styles and what of a table is kept in them, the best first."""
    once, names = _leading(table)
    yield _NORMAL, table
    yield from ((_SMALL, kept) for kept in table.narrowed())
    if once and 2 * len({row[:once] for row in table.rows}) <= len(table.rows):
        yield from ((_SMALL._replace(above=once, space=7), kept) for kept in table.narrowed())
    last = _STACKED if max(table.spans) > 1 else _SMALL
    yield from ((last._replace(above=above), kept) for kept in table.narrowed() for above in (0, once))
    yield from ((last._replace(above=names), kept) for kept in table.narrowed())


def is_long(table: Table, style: Style) -> bool:
    """Whether a table with its notes is longer than a page."""
    rows = max(table.spans) * style.line + _SPACE if style.stacked else style.line
    headings = [len(lines) for lines in style.headings(table) if lines]
    notes = sum(math.ceil(len(note) * _SMALL.character / _PAGE) + 1 for note in table.all_notes)
    height = len(table.rows) * rows + sum(headings) * style.line + len(headings) * _SPACE + notes * _SMALL.line
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
    if isinstance(cell, (Share, Points, Estimate)) and cell.interval:
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


def _leading(table: Table) -> tuple[int, int]:
    """How many columns at the beginning a reader sees once, and how many are names of any kind; 0 where no others
    follow, or where rows sum up others.
    """
    if table.totals:
        return 0, 0
    once = next((place for place, column in enumerate(table.columns) if not column.once), 0)
    return once, next((place for place, column in enumerate(table.columns) if column.right), 0)


def _width(table: Table, style: Style) -> float:
    """About how wide a table is, in points."""
    widest = max((len(line) for lines in style.headings(table) for line in lines), default=0) * style.character
    points = 0.0
    table = style.shown(table)
    whole = table.spans
    for index, (column, span) in enumerate(zip(table.columns, style.spans(table), strict=True)):
        kind = letters(table, index, span)
        if kind == PROSE_COLUMN:
            points += 0.4 * _PAGE + style.space
            continue
        fields = zip(*(parts(column, row[index], whole[index]) for row in table.rows), strict=True)
        widths = [max(map(len, part)) for part in fields]
        head = max(map(len, head_lines(column, style)))
        cells = max(widths, default=0) if style.stacked else sum(widths)
        points += max(head, cells) * style.character + style.space * len(kind)
    return max(points, widest)
