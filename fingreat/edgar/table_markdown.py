"""A data table's grid as one Markdown pipe table: currency and per-cent cells joined, spacers gone."""

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


def table_markdown(table: Element) -> str:
    """The table as Markdown: one row per row, the same number of columns in each, a delimiter row."""
    rows = [_join_marks(row) for row in grid(table)]
    columns = _columns(rows)
    header_count = _count_headers(rows, columns)
    header = _header(rows[:header_count], columns)
    lines = [_line(header), _line(["---"] * len(columns.starts))]
    for row in rows[header_count:]:
        lines.append(_line(_place(row, columns, spread=False)))
    return "\n".join(lines)


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


def _place(row: list[Cell], columns: _Columns, *, spread: bool) -> list[str]:
    """A row's texts by logical column; a spanning cell stands in its first, or (spread) in every column."""
    placed = [""] * len(columns.starts)
    for cell in row:
        touched = columns.touched(cell.start, cell.end)
        for index in touched if spread else touched[:1]:
            placed[index] = f"{placed[index]} {cell.text}".strip()
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


def _header(rows: list[list[Cell]], columns: _Columns) -> list[str]:
    header = [""] * len(columns.starts)
    for row in rows:
        for index, text in enumerate(_place(row, columns, spread=True)):
            header[index] = f"{header[index]} {text}".strip()
    return header


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
