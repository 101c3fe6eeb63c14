"""Numbered segments of a section: sentences, headings and table rows, with the border before each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

from nupunkt import PunktSentenceTokenizer, load_default_model

from fingreat.edgar.table_html import CLOSING, OPENING, ROW
from fingreat.schema import Segment, SegmentKind

_HEADING = re.compile(r"#{1,6} ")
_DELIMITER_ROW = re.compile(r"\|(\s*:?-+:?\s*\|)+\s*$")
_FENCE = "```"


class Border(IntEnum):
    """What stands before a segment; the higher, the better a place to cut."""

    SENTENCE = 1
    LINE = 2
    PARAGRAPH = 3
    SECTION = 4


@lru_cache(maxsize=1)
def _sentences() -> PunktSentenceTokenizer:
    model = load_default_model()
    lines = files("fingreat.edgar").joinpath("ordinary_words.txt").read_text(encoding="utf-8").splitlines()
    for word in lines:
        if not word.startswith("#"):
            model.remove_abbreviation(word)
    return model


@dataclass(frozen=True)
class Piece:
    """A segment and the border before it."""

    segment: Segment
    border: Border


@dataclass(frozen=True)
class _Line:
    start: int
    end: int
    content: str


def segment_text(text: str) -> list[Piece]:
    """Cut a section's Markdown into segments that partition it exactly.

    White space and marks that are no segment of their own (blank lines, the delimiter row of a table,
    the fences of a fixed-width block) belong to the segment before them, or to the first; the first and
    last line of a table in HTML belong to its first and last row.
    """
    if not text:
        return []
    found = list(_starts(text)) or [("sentence", Border.SECTION, 0)]
    # The first begins with the text, and each goes up to the next.
    borders = [0, *(start for _, _, start in found[1:]), len(text)]
    return [
        Piece(Segment(start=start, end=end, kind=kind), border)
        for (kind, border, _), (start, end) in zip(found, pairwise(borders), strict=True)
    ]


def _starts(text: str) -> Iterator[tuple[SegmentKind, Border, int]]:
    """Kind, border and start of every segment, in order."""
    border = Border.SECTION
    fenced = tabled = False
    opening: int | None = None
    after_heading = False
    for line in _lines(text):
        content = line.content
        if not content:
            border = max(border, Border.PARAGRAPH)
        elif content.startswith(_FENCE):
            fenced = not fenced
        elif content == OPENING and text.startswith(ROW, line.end):
            # A paragraph that only says so has an empty line after it.
            tabled, opening = True, line.start
        elif tabled and content == CLOSING:
            tabled = False
        elif fenced or tabled or content.startswith("|"):
            if not (fenced or tabled) and _DELIMITER_ROW.match(content):
                continue
            yield "row", border, line.start if opening is None else opening
            opening = None
            border, after_heading = Border.LINE, False
        elif _HEADING.match(content):
            # Headings that follow one another stay together: only the first is a border of sections.
            yield "heading", border if after_heading else Border.SECTION, line.start
            border, after_heading = Border.LINE, True
        else:
            for offset, _ in _sentences().span_tokenize(content):
                yield "sentence", border, line.start + offset
                border = Border.SENTENCE
            border, after_heading = Border.LINE, False


def _lines(text: str) -> Iterator[_Line]:
    """Lines without their indentation; `start` is that of the first character that is no blank."""
    position = 0
    for raw in text.splitlines(keepends=True):
        content = raw.strip()
        lead = len(raw) - len(raw.lstrip()) if content else 0
        yield _Line(position + lead, position + len(raw), content)
        position += len(raw)
