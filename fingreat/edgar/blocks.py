"""The common block model: what both parsers make of a document and all later steps read.

A document is a list of blocks in reading order. A block is a paragraph, a table or a page border;
it knows its flat text and, on demand, its look. Nothing is rendered until a section is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

LINE_BREAK = "\ufdd0"
"""Stands for `<br>` while white space is folded; a code point that is no character."""

_INVISIBLE = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")


class Kind(Enum):
    """What a block is."""

    TEXT = auto()
    TABLE = auto()
    FIXED = auto()
    BREAK = auto()


@dataclass(frozen=True, slots=True)
class Look:
    """How a block is set.

    Attributes:
        bold: all of its words are bold, or it is a heading element.
        lead: the bold words that a paragraph begins with, "" where it begins plain.
        underlined: all of its words are underlined.
        italic: all of its words are italic.
        centred: it is centred.
        linked: all of its words are a link inside the document.
        size: font size in points where the source gives one.
        apart: a short line of its own in title case; fixed-width text has no bold.
        links: where its links lead, if it is linked.
    """

    bold: bool = False
    lead: str = ""
    underlined: bool = False
    italic: bool = False
    centred: bool = False
    linked: bool = False
    size: float | None = None
    apart: bool = False
    links: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class Block:
    """One block of a document.

    Attributes:
        text: its words, white space folded; a table's cells are parted by blanks.
        source: what the block was made from (an lxml element, text pieces, or lines), for rendering.
        look_of: computes the look; asked only for blocks that matter.
        page: the printed label of the page that the block stands on, where known.
        anchors: link targets that stand at or in the block.
        targets: anchors that links inside the block point to.
        joined: the paragraph goes on from the block before (a page border stood between).
        bullet: the mark of a list point, "" for none.
    """

    kind: Kind
    text: str
    source: Any = None
    look_of: Callable[[], Look] | None = None
    page: str | None = None
    anchors: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    joined: bool = False
    bullet: str = ""
    _look: Look | None = field(default=None, repr=False)

    @property
    def look(self) -> Look:
        """How the block is set."""
        if self._look is None:
            self._look = self.look_of() if self.look_of else Look()
        return self._look


def fold(text: str) -> str:
    """White space, no-break and typographic spaces included, as single blanks; invisible characters out."""
    if not text.isascii():
        text = _INVISIBLE.sub("", text)
    return " ".join(text.split())


def length_of(blocks: Iterable[Block]) -> int:
    """Characters of all blocks."""
    return sum(len(block.text) for block in blocks)
