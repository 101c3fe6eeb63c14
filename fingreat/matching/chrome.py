"""Page chrome: page numbers and running lines that stand between two halves of a text."""

from __future__ import annotations

import re
from typing import NamedTuple

from fingreat.matching.weight import chrome_phrases

_LINE = re.compile(r"[^\n\r]+")
_NUMBER = r"(?:[a-z]{1,2}-)?\d{1,3}|(?=[ivx])x{0,3}(?:ix|iv|v?i{0,3})"
_PAGE = re.compile(
    rf"(?:<page>|(?:<page>\s*)?(?:page\s+)?[-–—(]?\s*(?:{_NUMBER})\s*[-–—)]?(?:\s+of\s+\d{{1,3}})?)", re.I
)
_RULE = re.compile(r"[\s*_=\-–—]+")
_LAYOUT = ("|", "#", "<table>", "<tr>", "</table>")
_COLUMNS = re.compile(r"\s\s\s")
"""Inside a line, which has no white space at its ends."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_MAX_HEADER = 80
_MIN_WORDS = 3
_ENDS_SENTENCE = ".!?:;"
_CLOSING = "\"'”’)*_ "


class _Line(NamedTuple):
    start: int
    end: int
    text: str
    kind: str  # blank, page, header, prose or other


def chrome_ranges(text: str) -> list[tuple[int, int]]:
    """Ranges of code points that hold nothing but page chrome between two lines of prose.

    A block of short lines counts when it holds a page number or a running line (in capitals, or a
    known phrase) and the sentence before it goes on after it in lower case; or when it holds a page
    number and full lines of prose stand on both sides. Headings and table rows are never bridged.
    """
    lines = [_classified(match) for match in _LINE.finditer(text)]
    ranges: list[tuple[int, int]] = []
    before: int | None = None
    for at, line in enumerate(lines):
        if line.kind not in ("prose", "other"):
            continue
        if before is not None and at > before + 1 and _bridges(lines[before], lines[before + 1 : at], line):
            ranges.append((lines[before].end, line.start))
        before = at
    return ranges


def _classified(match: re.Match[str]) -> _Line:
    text = match.group().strip()
    return _Line(match.start(), match.end(), text, _kind(text))


def _kind(text: str) -> str:
    if text.startswith("|"):
        return "other"
    if not text or _RULE.fullmatch(text):
        return "blank"
    if len(text) <= _MAX_HEADER:
        if _PAGE.fullmatch(text):
            return "page"
        if text.strip("[]()* ").casefold() in chrome_phrases() or _is_capitals(text):
            return "header"
    return "other" if text.startswith(_LAYOUT) or _COLUMNS.search(text) else "prose"


def _is_capitals(text: str) -> bool:
    return text.isupper() and not text.startswith(_LAYOUT) and len(_WORD.findall(text)) > 1


def _bridges(before: _Line, block: list[_Line], after: _Line) -> bool:
    kinds = {line.kind for line in block}
    if before.kind != "prose" or after.kind != "prose" or not kinds & {"page", "header"}:
        return False
    open_sentence = before.text.rstrip(_CLOSING)[-1:] not in _ENDS_SENTENCE and after.text[0].islower()
    if open_sentence:
        return True
    return "page" in kinds and all(len(_WORD.findall(line.text)) >= _MIN_WORDS for line in (before, after))
