"""Fixed-width filings: pages, their numbers and running headers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

_PAGE_MARK = re.compile(r"^[ \t]*<PAGE>[ \t]*(\S{0,12})[ \t]*$|\f", re.IGNORECASE)
PAGE_NUMBER = re.compile(
    r"^[\s\-–—(\[]*(?:page\s+)?((?:[A-Z]{1,4}[-–—.]|[A-Z])?\d{1,4}|[ivxlc]{1,7})(?:\s+of\s+\d{1,4})?[\s\-–—)\]]*$",
    re.IGNORECASE,
)
_ESCAPED = re.compile(r"^- (?=-)", re.MULTILINE)
"""A dash before a line that begins with one: privacy-enhanced mail escapes such lines so."""
_TABLE_TAG = re.compile(r"^\s*<(?:TABLE|CAPTION)>\s*$", re.IGNORECASE)
CONTINUED = re.compile(r"\(?\bcont(?:inued|'d|d)?\b\.?\)?\W*$", re.IGNORECASE)
_NUMBER_AT_EDGE = re.compile(
    r"^\W*\d{1,3}\W*$|^\d{1,3}(?=\s{2,}|\s*[|•])|(?:(?<=\s\s)|(?<=page\s)|(?<=[|•]\s)|(?<=[-–—]))\d{1,3}\W*$",
    re.IGNORECASE,
)
_STRONG = re.compile(r"\([Cc]ont|[-–—:]\s*[Cc]ont|CONT")
"""How a heading says that it goes on; a sentence may end a line in the bare word."""
_COLUMN = re.compile(r"(?:^|\s\s)[(]?\d[\d,.]*%?[)]?(?=\s\s|$)")
_HEAD_LINES = 5
_LONGEST = 90
_REPEATS = 3
_NEAR_PAGES = 3
_PAGE_LINES = 12
UNITS = re.compile(r"\bin\s+(?:thousands|millions|billions)\b", re.IGNORECASE)
"""What a table's figures are given in; statements say it at the head of each of their pages."""
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
    lines = _ESCAPED.sub("", text).expandtabs(8).split("\n")
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
    feet = [
        place
        for order, (place, value) in enumerate(lone)
        if (order > 0 and _a_page_on(lone[order - 1], (place, value)))
        or (order + 1 < len(lone) and _a_page_on((place, value), lone[order + 1]))
    ]
    pages: list[tuple[list[str], str | None]] = []
    start = 0
    for place in feet:
        pages.append((lines[start : place + 1], None))
        start = place + 1
    pages.append((lines[start:], None))
    return pages


def _a_page_on(before: tuple[int, int], after: tuple[int, int]) -> bool:
    """Whether a lone number is the next page's, so many lines further down as a page may have at the least."""
    return after[1] - before[1] in (1, 2) and after[0] - before[0] >= _PAGE_LINES


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
    """Blank the lines that stand at the head (or foot) of many pages; the first of each stays.

    A line goes only where it stands apart: at a head, an empty line or more furniture follows it; at a
    foot, an empty line comes before it. Lines of figures are rows or columns of a table and stay.
    """
    heads = [_edge(page.lines, head=True) for page in pages]
    feet = [_edge(page.lines, head=False) for page in pages]
    head_places = _places(pages, heads)
    foot_places = _places(pages, feet)
    seen: set[str] = set()
    cut = False
    for number, (page, head, foot) in enumerate(zip(pages, heads, feet, strict=True)):
        drop = {
            place
            for place in foot
            if _running(foot_places[_key(page.lines[place])], number) and _parted(page.lines, place, -1)
        }
        drop |= _head_furniture(
            page.lines,
            head,
            [
                _running(head_places[_key(page.lines[place])], number) and (_key(page.lines[place]) in seen or cut)
                for place in head
            ],
        )
        seen |= {_key(page.lines[place]) for place in head}
        for place in drop:
            page.lines[place] = ""
        body = [line for line in page.lines if line.strip() and not line.lstrip().startswith("<")]
        cut = bool(body) and len(body[-1].strip()) > 40 and not _SENTENCE_END.search(body[-1])


def _head_furniture(lines: list[str], head: list[int], repeated: list[bool]) -> set[int]:
    """Which lines of a page's head go, given which of them are repeated.

    A line that says it goes on, such as "NOTE 4 (CONTINUED)", goes too, with the title above that touches it.
    """
    drop = {place for place, again in zip(head, repeated, strict=True) if again}
    continued = {
        place
        for place in head
        if CONTINUED.search(lines[place]) and (_STRONG.search(lines[place]) or _parted(lines, place, 1))
    }
    drop |= continued
    for place in reversed(head):
        if place + 1 in continued and not _is_figures(lines[place]):
            continued.add(place)
            drop.add(place)
    kept: set[int] = set()
    for place in reversed(head):
        if place in drop and (place in continued or place + 1 in kept or _parted(lines, place, 1)):
            kept.add(place)
    return kept


def _parted(lines: list[str], place: int, step: int) -> bool:
    """Whether an empty line, a rule or the border of the page stands beside a line."""
    beside = place + step
    return not 0 <= beside < len(lines) or not any(char.isalnum() for char in lines[beside])


def _places(pages: list[Page], edges: list[list[int]]) -> dict[str, list[int]]:
    """The numbers of the pages that have each line at their edge."""
    found: dict[str, list[int]] = {}
    for number, (page, edge) in enumerate(zip(pages, edges, strict=True)):
        for key in {_key(page.lines[place]) for place in edge}:
            found.setdefault(key, []).append(number)
    return found


def _running(places: list[int], number: int) -> bool:
    """Whether a line that these pages have runs on: often enough, and on a page near this one too."""
    near = places[bisect_left(places, number - _NEAR_PAGES) : bisect_right(places, number + _NEAR_PAGES)]
    return len(places) >= _REPEATS and len(near) > (number in near)


def _edge(lines: list[str], *, head: bool) -> list[int]:
    """Places of the first filled lines of a page (or its last one) that may be furniture."""
    filled = [place for place, line in enumerate(lines) if line.strip()]
    if not head:
        last = [place for place in filled if not lines[place].lstrip().startswith("<")][-1:]
        return [place for place in last if len(lines[place].strip()) < _LONGEST and not _is_figures(lines[place])]
    edge = []
    # A table may be tagged from the page's border on, its running header inside.
    for place in [place for place in filled[: _HEAD_LINES + 2] if not _TABLE_TAG.match(lines[place])][:_HEAD_LINES]:
        if len(lines[place].strip()) > _LONGEST or lines[place].lstrip().startswith("<") or _is_figures(lines[place]):
            break
        edge.append(place)
    return edge


def _is_figures(line: str) -> bool:
    """Whether a line is a row of a table: money, or two figures and more that stand in columns."""
    return "$" in line or UNITS.search(line) is not None or len(_COLUMN.findall(line)) > 1


def _key(line: str) -> str:
    """A line for comparison: white space and case folded, a page's number at its start or end left open."""
    return " ".join(_NUMBER_AT_EDGE.sub("#", line.strip()).casefold().split())
