"""The contents page as a witness: which part of the report follows the discussion, at the same level."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fingreat.edgar.blocks import Block, Kind
from fingreat.edgar.forms import letters
from fingreat.edgar.headings import bare_title
from fingreat.edgar.html_look import look_at, pieces_of
from fingreat.edgar.html_tree import Element, words_of
from fingreat.edgar.tables import filled_rows

_INDENT = re.compile(r"(?:padding|margin)-left\s*:\s*(-?\d+(?:\.\d+)?)\s*p[tx]", re.IGNORECASE)
_PADDING = re.compile(
    r"padding\s*:\s*\d+(?:\.\d+)?p[tx]\s+\d+(?:\.\d+)?p[tx]\s+\d+(?:\.\d+)?p[tx]\s+(\d+(?:\.\d+)?)p[tx]", re.IGNORECASE
)
_FEWEST_ROWS = 8
_LONG = 200
_COMPARED = 60
_NO_WORD = 5


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a contents page: its title (letters only) and its level by indent, weight and size."""

    title: str
    indent: float
    bold: bool
    size: float

    def at_least(self, other: Entry) -> bool:
        """Whether this entry is on the other's level or above it."""
        return self.indent <= other.indent + 1 and self.bold >= other.bold and self.size >= other.size - 0.1


def following_part(blocks: list[Block], start: int, heading: str) -> int | None:
    """The block that begins the next part after the one headed at `start`, by the contents page.

    None where no contents page lists the heading, or none of the parts that follow it is found.
    """
    own = bare_title(heading)[:_COMPARED]
    if not own:
        return None
    for block in blocks[:start]:
        if block.kind is not Kind.TABLE:
            continue
        entries = _entries(block)
        exact = [place for place, entry in enumerate(entries) if entry.title[:_COMPARED] == own]
        alike = [
            place
            for place, entry in enumerate(entries)
            if entry.title and (own.startswith(entry.title[:_COMPARED]) or entry.title.startswith(own))
        ]
        for place in (*exact, *alike):
            entry = entries[place]
            for later in entries[place + 1 :]:
                if later.at_least(entry) and (found := _find(blocks, start + 1, later.title)) is not None:
                    return found
    return None


def _entries(block: Block) -> list[Entry]:
    rows = filled_rows(block.source)
    if len(rows) < _FEWEST_ROWS:
        return []
    return [_entry(row) for row in rows]


def _entry(row: list[tuple[str, Element]]) -> Entry:
    """A row's title: the first cell with a word in it ("Item 7." may stand in a cell of its own)."""
    title = next((words for text, _ in row if len(words := bare_title(text)) > _NO_WORD), "")
    cell = row[0][1]
    look = look_at(list(pieces_of(cell)), cell)
    raw = words_of(cell)
    indent = 2.0 * (len(raw) - len(raw.lstrip(" \u00a0\u2003\u2002")))
    for element in (cell, *cell.iterdescendants("div", "p")):
        style = element.get("style") or ""
        match = _INDENT.search(style)
        indent += float(match[1]) if match else 0.0
        match = _PADDING.search(style)
        indent += float(match[1]) if match else 0.0
    return Entry(title, indent, look.bold, look.size or 0.0)


def _find(blocks: list[Block], start: int, title: str) -> int | None:
    """The first heading after `start` with this title."""
    if len(title) < 5:
        return None
    for index in range(start, len(blocks)):
        block = blocks[index]
        if block.kind is not Kind.TEXT:
            continue
        if len(block.text) <= _LONG and bare_title(block.text) == title:
            return index
        if letters(block.text[: len(title) + 20]).startswith(title) and letters(block.look.lead) == title:
            return index
    return None
