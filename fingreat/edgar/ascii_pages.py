"""Fixed-width filings: pages, their numbers and running headers."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

_PAGE_MARK = re.compile(r"^[ \t]*<PAGE>[ \t]*(\S{0,12})[ \t]*$|\f", re.IGNORECASE)
PAGE_NUMBER = re.compile(
    r"^[\s\-–—(\[]*(?:page\s+)?((?:[A-Z]{1,4}[-–—.]|[A-Z])?\d{1,4}|[ivxlc]{1,7})(?:\s+of\s+\d{1,4})?[\s\-–—)\]]*$",
    re.IGNORECASE,
)
CONTINUED = re.compile(r"\(?\bcont(?:inued|'d|d)?\b\.?\)?\W*$", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_HEAD_LINES = 5
_REPEATS = 3
_SENTENCE_END = re.compile(r"[.:;!?][\"”')\]]*$")


@dataclass(slots=True)
class Page:
    """The lines of one printed page and its label."""

    lines: list[str]
    label: str | None


def split_pages(text: str) -> list[Page]:
    """Pages of a fixed-width document, their numbers and running headers taken out.

    A page's label is the number printed at its foot or head; else the one in its `<PAGE>` mark.
    Where no page marks are left, lone numbers that count upwards are page feet.
    """
    lines = text.expandtabs(8).split("\n")
    raw: list[tuple[list[str], str | None]] = [([], None)]
    for line in lines:
        match = _PAGE_MARK.search(line)
        if not match:
            raw[-1][0].append(line.rstrip())
            continue
        rest = line[match.end() :] if match[0] == "\f" else ""
        if match[0] == "\f" and line[: match.start()].strip():
            raw[-1][0].append(line[: match.start()].rstrip())
        raw.append(([rest] if rest.strip() else [], match[1] or None))
    if len(raw) < _REPEATS:
        raw = _split_at_numbers([line for page, _ in raw for line in page])
    pages = [_trim_number(page, mark) for page, mark in raw]
    _drop_running_headers(pages)
    return pages


def _split_at_numbers(lines: list[str]) -> list[tuple[list[str], str | None]]:
    """Pages of a text without page marks: lone numbers, each one more than the one before."""
    lone = [
        (place, int(line))
        for place, line in enumerate(lines)
        if line.strip().isdigit() and len(line.strip()) < 4 and not _near(lines, place)
    ]
    values = dict(lone)
    feet = [
        place
        for order, (place, value) in enumerate(lone)
        if (order > 0 and values[lone[order - 1][0]] in (value - 1, value - 2))
        or (order + 1 < len(lone) and values[lone[order + 1][0]] in (value + 1, value + 2))
    ]
    pages: list[tuple[list[str], str | None]] = []
    start = 0
    for place in feet:
        pages.append((lines[start : place + 1], None))
        start = place + 1
    pages.append((lines[start:], None))
    return pages


def _near(lines: list[str], place: int) -> bool:
    """Whether text stands right above or below a line."""
    above = place > 0 and lines[place - 1].strip() != ""
    below = place + 1 < len(lines) and lines[place + 1].strip() != ""
    return above and below


def _trim_number(lines: list[str], mark: str | None) -> Page:
    """A page without its number, at the foot or the head."""
    label = None
    filled = [place for place, line in enumerate(lines) if line.strip()]
    for place in (*reversed(filled[-2:]), *filled[:1]):
        match = PAGE_NUMBER.match(lines[place])
        if match and (len(filled) > 1 or not mark):
            label = match[1]
            lines = [*lines[:place], "", *lines[place + 1 :]]
            break
    return Page(lines, label or mark)


def _drop_running_headers(pages: list[Page]) -> None:
    """Blank the lines that stand at the head (or foot) of many pages; the first of each stays."""
    heads = [_edge(page.lines, head=True) for page in pages]
    feet = [_edge(page.lines, head=False) for page in pages]
    counts = Counter(
        key for page, edge in zip(pages, heads, strict=True) for key in {_key(page.lines[i]) for i in edge}
    )
    foot_counts = Counter(
        key for page, edge in zip(pages, feet, strict=True) for key in {_key(page.lines[i]) for i in edge}
    )
    seen: set[str] = set()
    cut = False
    for page, head, foot in zip(pages, heads, feet, strict=True):
        for place in foot:
            if foot_counts[_key(page.lines[place])] >= _REPEATS and len(page.lines[place].strip()) < 90:
                page.lines[place] = ""
        continued = [place for place in head if CONTINUED.search(page.lines[place])]
        for place in head:
            key = _key(page.lines[place])
            repeated = counts[key] >= _REPEATS and (key in seen or cut)
            seen.add(key)
            if repeated or (continued and place <= continued[-1]):
                page.lines[place] = ""
        body = [line for line in page.lines if line.strip()]
        cut = bool(body) and len(body[-1].strip()) > 40 and not _SENTENCE_END.search(body[-1])


def _edge(lines: list[str], *, head: bool) -> list[int]:
    """Places of the first filled lines of a page (or its last one)."""
    filled = [place for place, line in enumerate(lines) if line.strip()]
    if not head:
        return filled[-1:]
    edge = []
    for place in filled[:_HEAD_LINES]:
        if len(lines[place].strip()) > 90 or lines[place].lstrip().startswith("<"):
            break
        edge.append(place)
    return edge


def _key(line: str) -> str:
    return _DIGITS.sub("#", " ".join(line.casefold().split()))
