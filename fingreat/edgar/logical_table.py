"""A data table's logical form: currency and per-cent cells joined, spacers gone, heads told from rows."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass

from fingreat.edgar.html_tree import Element
from fingreat.edgar.table_heads import Placed, count_heads, is_figure
from fingreat.edgar.tables import Cell, grid

_CURRENCY = re.compile(r"^\(?\s*[A-Z]{0,3}[$€£¥]\s*\(?$")
_SIGN = re.compile(r"^[(+\-–−]$")
_SUFFIX = re.compile(
    r"^(?:\)|\)?\s*%\s*\)?|\)?\s*(?:p?pts?|pp|bps?|basis points)\.?\)?|x)$",
    re.IGNORECASE,
)
_STARTS_AS_NUMBER = re.compile(r"^[($€£¥+\-–—―−]*\s*[\d.—–―−-]")
_STARTS_WITH_DIGIT = re.compile(r"^\(?\s*[$€£¥]?\s*\.?\d")
_ENDS_AS_NUMBER = re.compile(r"[\d—–―−-]\)?$|^[—–―−-]$|N[./]?[MA]\.?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LogicalTable:
    """What both writers write.

    Attributes:
        width: number of columns.
        heads: the rows above the data, as the filer set them; a row's cells are in order and never overlap.
        rows: the data, likewise.
    """

    width: int
    heads: list[list[Placed]]
    rows: list[list[Placed]]


def logical_table(table: Element) -> LogicalTable:
    """The filled cells of an HTML table on columns that the reader sees."""
    rows = [_join_marks(row) for row in grid(table)]
    columns = _columns(rows)
    placed = [_place(row, columns) for row in rows]
    width = len(columns.starts)
    heads = count_heads(placed, width)
    return LogicalTable(width, placed[:heads], placed[heads:])


def _join_marks(row: list[Cell]) -> list[Cell]:
    """Currency signs join the number to their right; brackets and per-cent signs the number to their left."""
    joined: list[Cell] = []
    for cell in row:
        previous = joined[-1] if joined else None
        if previous is not None and _SUFFIX.match(cell.text) and _lacks(previous.text, cell.text):
            blank = " " if cell.text[0].isalpha() and cell.text.lower() != "x" else ""
            joined[-1] = Cell(previous.text + blank + cell.text, previous.start, cell.end, previous.element)
        elif previous is not None and _opens(previous, cell):
            joined[-1] = Cell(previous.text + cell.text, previous.start, cell.end, cell.element)
        else:
            joined.append(cell)
    return joined


def _lacks(number: str, mark: str) -> bool:
    """Whether a number goes on with the mark in the next cell."""
    open_bracket = mark[0] == ")" and number.count("(") > number.count(")")
    return open_bracket or _ENDS_AS_NUMBER.search(number) is not None


def _opens(mark: Cell, cell: Cell) -> bool:
    """Whether a cell is the mark before the number, or what stands for one (`Nil`), in the next cell."""
    if _CURRENCY.match(mark.text):
        if cell.text == "(" and "(" not in mark.text:
            return True
        return bool(_STARTS_AS_NUMBER.match(cell.text)) or (mark.end == cell.start and is_figure(cell.text))
    return bool(_SIGN.match(mark.text) and _STARTS_WITH_DIGIT.match(cell.text))


@dataclass(frozen=True, slots=True)
class _Columns:
    """Logical columns: disjoint half-open ranges of grid columns, in order."""

    starts: list[int]
    ends: list[int]

    def touched(self, start: int, end: int) -> range:
        """Indices of the columns that a range of grid columns overlaps."""
        first = bisect.bisect_right(self.ends, start)
        return range(first, max(first, bisect.bisect_left(self.starts, end)))


def _columns(rows: list[list[Cell]]) -> _Columns:
    """The logical columns of a table.

    Cells are taken from narrow to wide: one that touches no column founds one, one that touches a
    single column widens it, one that touches several spans them.
    """
    columns = _Columns([], [])
    ranges = {(cell.start, cell.end) for row in rows for cell in row}
    for start, end in sorted(ranges, key=lambda span: (span[1] - span[0], span[0])):
        touched = columns.touched(start, end)
        if not touched:
            columns.starts.insert(touched.start, start)
            columns.ends.insert(touched.start, end)
        elif len(touched) == 1:
            index = touched.start
            wide = min(columns.starts[index], start), max(columns.ends[index], end)
            if len(columns.touched(*wide)) == 1:
                columns.starts[index], columns.ends[index] = wide
    return columns


def _place(row: list[Cell], columns: _Columns) -> list[Placed]:
    """A row's cells by logical column; where two would share one, they stand in it together or side by side."""
    placed: list[Placed] = []
    for cell in row:
        touched = columns.touched(cell.start, cell.end)
        if placed and placed[-1].first == touched.start:
            placed[-1] = Placed(f"{placed[-1].text} {cell.text}", touched.start, touched.stop, cell.element)
            continue
        if placed:
            placed[-1].end = min(placed[-1].end, touched.start)
        placed.append(Placed(cell.text, touched.start, touched.stop, cell.element))
    return placed
