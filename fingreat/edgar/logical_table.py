"""A data table's logical form: currency and per-cent cells joined, spacers gone, heads told from rows."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass

from fingreat.edgar.html_look import look_at, pieces_of
from fingreat.edgar.html_tree import Element
from fingreat.edgar.tables import Cell, grid

_PREFIX = re.compile(r"^(?:[A-Z]{0,3}[$€£¥]|\(|[A-Z]{0,3}[$€£¥]\s*\(|[+-])$")
_SUFFIX = re.compile(r"^(?:\)|%|\)\s*%|%\s*\)|pts?\.?\)?|pp\)?|bps?\)?|x)$", re.IGNORECASE)
_STARTS_AS_NUMBER = re.compile(r"^[($€£¥+\-–—]*\s*[\d.—–-]")
_ENDS_AS_NUMBER = re.compile(r"[\d—–-]\)?$|^[—–-]$|N/?[MA]$", re.IGNORECASE)
_NUMBER = re.compile(r"\d")
_YEAR = re.compile(r"^(?:(?:fiscal|FY|CY)\s*)?(?:19|20)\d\d\s*(?:\(\w{1,2}\)|[A-Z*]{1,2})?$", re.IGNORECASE)
_DATE = re.compile(
    r"^(?:(?:three|six|nine|twelve|\d+)\s+(?:months|weeks)\s+ended\s+|(?:fiscal\s+)?years?\s+ended\s+|(?:as\s+of|at)\s+)?"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2},?(?:\s*(?:19|20)\d\d)?\s*(?:\(\w{1,2}\))?$",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Placed:
    """A filled cell of a logical table: its text and the half-open range of columns it covers."""

    text: str
    first: int
    end: int


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
    heads = _count_headers(rows, columns)
    placed = [_place(row, columns) for row in rows]
    return LogicalTable(len(columns.starts), placed[:heads], placed[heads:])


def _join_marks(row: list[Cell]) -> list[Cell]:
    """Currency signs join the number to their right; brackets and per-cent signs the number to their left."""
    joined: list[Cell] = []
    for cell in row:
        previous = joined[-1] if joined else None
        if previous is not None and _SUFFIX.match(cell.text) and _ENDS_AS_NUMBER.search(previous.text):
            blank = " " if cell.text[0].isalpha() and cell.text.lower() != "x" else ""
            joined[-1] = Cell(previous.text + blank + cell.text, previous.start, cell.end, previous.element)
        elif previous is not None and _PREFIX.match(previous.text) and _STARTS_AS_NUMBER.match(cell.text):
            joined[-1] = Cell(previous.text + cell.text, previous.start, cell.end, cell.element)
        else:
            joined.append(cell)
    return joined


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
            placed[-1] = Placed(f"{placed[-1].text} {cell.text}", touched.start, touched.stop)
            continue
        if placed:
            placed[-1].end = min(placed[-1].end, touched.start)
        placed.append(Placed(cell.text, touched.start, touched.stop))
    return placed


def _count_headers(rows: list[list[Cell]], columns: _Columns) -> int:
    """How many leading rows are heads: rows without figures other than years and dates.

    A row with a label is a head only as the first one, or where its label is set like the heads or
    it is followed by years.
    """
    count = 0
    for number, row in enumerate(rows[:-1]):
        labelled = columns.starts[0] <= row[0].start < columns.ends[0]
        values = row[1:] if labelled else row
        figures = any(_NUMBER.search(c.text) and not _YEAR.match(c.text) and not _DATE.match(c.text) for c in values)
        if figures or (labelled and not values and number > 0):
            break
        if labelled and values and count > 0 and not all(_is_bold(cell) or _YEAR.match(cell.text) for cell in values):
            break
        if labelled and not values and len(columns.starts) > 1 and row[0].end <= columns.ends[0]:
            break
        count += 1
    return count


def _is_bold(cell: Cell) -> bool:
    return cell.element is not None and look_at(list(pieces_of(cell.element)), None).bold
