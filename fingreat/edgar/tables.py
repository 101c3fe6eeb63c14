"""What an HTML table is, and its grid: most tables of filings are layout, and most cells spacers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto

from lxml import etree

from fingreat.edgar.blocks import LINE_BREAK, fold
from fingreat.edgar.html_tree import Element, words_of

MAX_SPAN = 1000
"""The HTML standard's cap on colspan."""
MAX_ROWSPAN = 5000

_PROSE_CELL = 220
"""Average length of the filled cells from which a table is taken for layout."""
_SMALL_TABLE = 700
_BULLETS = frozenset("•●▪■◦·○*-–—§¨¡Øü\uf0b7\uf0a7►➢✓√o")
"""Marks of list points; some are letters because the filer set them in a font of symbols."""
_NUMBERING = re.compile(r"^(?:\(?(?:\d{1,2}|[a-zA-Z]|[ivxIVX]{1,4})[.)]|\d{1,2}|\*{1,4}|†|‡|\[\d{1,2}\])$")
_MAY_BE_LIST = re.compile(r"^(?:[•●▪■◦·○*►➢✓√\uf0b7\uf0a7–-]|\(?[0-9a-zA-Z]{1,4}[.)])")
_ROW_GROUPS = frozenset(("table", "thead", "tbody", "tfoot"))
_HEADING_ROWS = 6
_PARAGRAPH = 150
_ITEM_LABEL = re.compile(r"^(?:part\s+[iv]+\W{0,4})?items?\s*\d{1,2}\s?[a-c]?\b", re.IGNORECASE)
_ITEM = re.compile(r"^(?:part\s+[iv]+\W{0,4})?items?\b", re.IGNORECASE)


class TableShape(Enum):
    """What a table is used for."""

    EMPTY = auto()
    LAYOUT = auto()
    LINES = auto()
    DATA = auto()


@dataclass(frozen=True, slots=True)
class Shape:
    """A table's use; for LINES also each row as (list mark, text, filled cells)."""

    kind: TableShape
    text: str = ""
    rows: tuple[tuple[str, str, list[Element]], ...] = field(default=())


@dataclass(slots=True)
class Cell:
    """A filled cell: its text, the half-open range of grid columns it covers, and its element."""

    text: str
    start: int
    end: int
    element: Element | None = None


def read_shape(table: Element) -> Shape:
    """Tell what a table is used for, reading no more of it than that takes."""
    text = fold(words_of(table).replace(LINE_BREAK, " "))
    if not text:
        return Shape(TableShape.EMPTY if next(table.iter("hr", "a"), None) is None else TableShape.LAYOUT)
    if next(table.iterdescendants("table"), None) is not None:
        return Shape(TableShape.LAYOUT)
    if len(text) > _SMALL_TABLE and not _MAY_BE_LIST.match(text) and not _wordy(table, len(text)):
        return Shape(TableShape.DATA, text)
    rows = filled_rows(table)
    return _small_shape(rows, text)


def _wordy(table: Element, length: int) -> bool:
    """Whether the filled cells are long on average: then the table may be layout."""
    cells = sum(1 for _ in table.iter("td", "th"))
    return length > _PROSE_CELL // 4 * max(cells, 1)


def _small_shape(rows: list[list[tuple[str, Element]]], text: str) -> Shape:
    filled = sum(len(row) for row in rows)
    widest = max(len(row) for row in rows)
    joined = " ".join(cell for row in rows for cell, _ in row)
    if widest == 1:
        if any(_has_blocks(element) for row in rows for _, element in row):
            return Shape(TableShape.LAYOUT)
        return Shape(TableShape.LINES, joined, tuple(("", row[0][0], [row[0][1]]) for row in rows))
    if widest == 2 and all(_is_point(row) for row in rows):
        return Shape(TableShape.LINES, joined, tuple(_point(row) for row in rows))
    if _is_prose(rows, len(text)):
        return Shape(TableShape.LAYOUT)
    if (len(rows) == 1 and _one_line(rows[0])) or _sets_headings(rows):
        return Shape(TableShape.LINES, joined, tuple(_line(row) for row in rows))
    if len(text) > _PROSE_CELL * filled and any(_has_blocks(element) for row in rows for _, element in row):
        return Shape(TableShape.LAYOUT)
    return Shape(TableShape.DATA, joined)


def _is_point(row: list[tuple[str, Element]]) -> bool:
    if len(row) == 1:
        return len(row[0][0]) > 3
    mark, words = row[0][0], row[1][0]
    if mark in _BULLETS:
        return True
    return bool(_NUMBERING.match(mark)) and len(words) > 12 and any(char.isalpha() for char in words)


def _point(row: list[tuple[str, Element]]) -> tuple[str, str, list[Element]]:
    cells = [element for _, element in row]
    if len(row) == 1:
        return "", row[0][0], cells
    mark = row[0][0]
    return ("-" if mark in _BULLETS else mark), row[1][0], cells[1:]


def _one_line(row: list[tuple[str, Element]]) -> bool:
    """A heading or a footer set as a table: "Item 7." and its title, a company's name and a page number."""
    if _ITEM.match(row[0][0]):
        return True
    return len(row) <= 3 and not any("$" in text for text, _ in row)


def _sets_headings(rows: list[list[tuple[str, Element]]]) -> bool:
    """Whether a short table sets item headings: "PART II" above "Item 7." and its title, or an item without text."""
    if len(rows) > _HEADING_ROWS or any(len(row) > 3 for row in rows):
        return False
    return any(_ITEM_LABEL.match(row[0][0]) for row in rows) and not any("$" in text for row in rows for text, _ in row)


def _is_prose(rows: list[list[tuple[str, Element]]], length: int) -> bool:
    """Whether most of a table's words stand in paragraphs: a page, or a whole report, set as a table."""
    alone = sum(len(row[0][0]) for row in rows if len(row) == 1 and len(row[0][0]) > _PARAGRAPH)
    beside = sum(len(text) for row in rows for text, cell in row if len(text) > _PARAGRAPH and _has_blocks(cell))
    return max(alone, beside) * 2 > length


def _line(row: list[tuple[str, Element]]) -> tuple[str, str, list[Element]]:
    return "", " ".join(text for text, _ in row), [element for _, element in row]


def _has_blocks(cell: Element) -> bool:
    return sum(1 for _ in cell.iterdescendants("p", "div", "ul", "ol", "h1", "h2", "h3", "h4")) > 1


def nest_rows(table: Element) -> None:
    """In a table that sets paragraphs, put rows of several cells that follow one another into tables of their own.

    Only where no table stands inside: there the rows of figures are what would be read cell by cell.
    """
    if next(table.iterdescendants("table"), None) is not None:
        return
    runs: list[list[Element]] = [[]]
    # Rows inside other rows are damage; to move those would copy what they hold again and again.
    rows = [row for row in table.iter("tr") if (parent := row.getparent()) is not None and parent.tag in _ROW_GROUPS]
    for row in rows:
        cells = [cell for cell in row.iterchildren("td", "th") if cell_text(cell)]
        if len(cells) > 1 and not any(_has_blocks(cell) for cell in cells):
            runs[-1].append(row)
        elif cells:
            runs.append([])
    # A table that is one such run throughout would only be put into itself, and again.
    for run in runs if len(runs) > 1 else ():
        _nest(run)


def _nest(rows: list[Element]) -> None:
    parent = rows[0].getparent() if len(rows) > 1 else None
    if parent is None:
        return
    outer = etree.Element("tr")
    parent.replace(rows[0], outer)
    inner = etree.SubElement(etree.SubElement(outer, "td"), "table")
    for row in rows:
        row.tail = None
        inner.append(row)


def filled_rows(table: Element) -> list[list[tuple[str, Element]]]:
    """The filled cells of every row that has any."""
    rows = []
    for row in table.iter("tr"):
        cells = [(text, cell) for cell in row.iterchildren("td", "th") if (text := cell_text(cell))]
        if cells:
            rows.append(cells)
    if not rows:
        text = cell_text(table)
        return [[(text, table)]] if text else []
    return rows


def cell_text(cell: Element) -> str:
    """A cell's words on one line."""
    if not len(cell):
        return fold(cell.text or "")
    return fold("".join(_cell_parts(cell)).replace(LINE_BREAK, " "))


_CELL_BLOCKS = ("p", "div", "li", "tr", "td", "center", "h1", "h2", "h3", "h4", "h5", "h6")


def _cell_parts(cell: Element) -> list[str]:
    """Text runs; block elements inside the cell are parted by a blank."""
    if next(cell.iterdescendants(*_CELL_BLOCKS), None) is None:
        return [words_of(cell)]
    parts: list[str] = []
    for event, element in etree.iterwalk(cell, events=("start", "end")):
        if element.tag in _CELL_BLOCKS:
            parts.append(" ")
        if event == "start":
            parts.append(element.text or "")
        elif element is not cell:
            parts.append(element.tail or "")
    return parts


def grid(table: Element) -> list[list[Cell]]:
    """The filled cells of each row, placed on the grid that colspan and rowspan define."""
    rows: list[list[Cell]] = []
    held: dict[int, int] = {}
    for row in table.iter("tr"):
        column = 0
        cells = []
        taken = {position for position, left in held.items() if left > 0}
        held = {position: left - 1 for position, left in held.items() if left > 1}
        for cell in row.iterchildren("td", "th"):
            text = cell_text(cell)
            if not text and cell.get("hidden") is not None:
                continue
            while column in taken:
                column += 1
            width = _span(cell.get("colspan"), MAX_SPAN)
            height = _span(cell.get("rowspan"), MAX_ROWSPAN)
            if height > 1:
                for position in range(column, column + width):
                    held[position] = height - 1
            if text:
                cells.append(Cell(text, column, column + width, cell))
            column += width
        rows.append(cells)
    return [row for row in rows if row]


def _span(value: str | None, most: int) -> int:
    if value is None:
        return 1
    digits = value.strip()[:9]
    return min(max(int(digits), 1), most) if digits.isdecimal() else 1
