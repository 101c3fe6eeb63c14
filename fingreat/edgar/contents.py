"""The contents page as a witness: which part of the report follows the discussion, at the same level."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

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
_FURTHEST = 60
"""More lines than this below a title are not looked through for what follows it."""


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


class Contents:
    """The contents pages of a document and where its titles stand; both are read once, when first asked for."""

    def __init__(self, blocks: list[Block]) -> None:
        self._blocks = blocks

    @cached_property
    def _pages(self) -> list[tuple[int, list[Entry]]]:
        tables = ((index, block) for index, block in enumerate(self._blocks) if block.kind is Kind.TABLE)
        return [(index, entries) for index, block in tables if (entries := _entries(block))]

    @cached_property
    def _titles(self) -> dict[str, list[int]]:
        """Blocks that are a title and no more, by the title's letters."""
        places: dict[str, list[int]] = {}
        for index, block in enumerate(self._blocks):
            if block.kind is Kind.TEXT and len(block.text) <= _LONG:
                places.setdefault(bare_title(block.text), []).append(index)
        return places

    @cached_property
    def _beginnings(self) -> list[tuple[str, int]]:
        """The first letters of every paragraph, sorted."""
        texts = ((index, block) for index, block in enumerate(self._blocks) if block.kind is Kind.TEXT)
        return sorted((letters(block.text[:_LONG]), index) for index, block in texts)

    def following_part(self, start: int, heading: str) -> int | None:
        """The block that begins the next part after the one headed at `start`, by the contents page.

        None where no contents page lists the heading, or none of the parts that follow it is found.
        """
        own = bare_title(heading)[:_COMPARED]
        if not own:
            return None
        for index, entries in self._pages:
            if index >= start:
                break
            for place in _listed(entries, own):
                entry = entries[place]
                for later in entries[place + 1 : place + 1 + _FURTHEST]:
                    if later.at_least(entry) and (found := self._find(start + 1, later.title)) is not None:
                        return found
        return None

    def _find(self, start: int, title: str) -> int | None:
        """The first heading from a block on that has this title, or begins its paragraph with it."""
        if len(title) < _NO_WORD:
            return None
        alone = self._titles.get(title, [])
        place = bisect_left(alone, start)
        found = alone[place : place + 1]
        for beginning, index in self._beginnings[bisect_left(self._beginnings, (title, -1)) :]:
            if not beginning.startswith(title):
                break
            if index >= start and (not found or index < found[0]) and letters(self._blocks[index].look.lead) == title:
                found = [index]
        return found[0] if found else None


def _listed(entries: list[Entry], own: str) -> list[int]:
    """Where a title stands on a contents page: exactly, else shortened or with more behind it."""
    exact = [place for place, entry in enumerate(entries) if entry.title[:_COMPARED] == own]
    alike = [
        place
        for place, entry in enumerate(entries)
        if entry.title and (own.startswith(entry.title[:_COMPARED]) or entry.title.startswith(own))
    ]
    return (exact + alike)[:_FURTHEST]


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
