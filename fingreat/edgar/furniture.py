"""Page furniture out: page numbers, running headers and footers, links back to the contents page."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate

from fingreat.edgar.ascii_pages import CONTINUED, PAGE_NUMBER, UNITS
from fingreat.edgar.blocks import Block, Kind

_BACK_LINK = re.compile(
    r"^(?:\d{1,3}\s*)?(?:(?:return|back|go)\s+to\s+)?(?:the\s+)?(?:table\s+of\s+contents|contents|index(?:\s+to\s+.{0,40})?|top)(?:\s*\d{1,3})?$",
    re.IGNORECASE,
)
_LINK_INSIDE = re.compile(r"table\s+of\s+contents", re.IGNORECASE)
_ITEM = re.compile(r"^(?:part\s+[iv]+\W*)?item\s*\d|^managements?\W?s?\s+discussion", re.IGNORECASE)
_HEADING = re.compile(
    r"(?:part\s+[iv]+\W*)?items?\s*\W?(?:\d{1,2}|[ivx]+)\W?[a-c]?\b(?!\s*,?\s+(?:of|above|below|in|herein|to|for)\b)"
    r"|^part\s+[iv]+\W*$|^signatures?\W*$",
    re.IGNORECASE,
)
"""A heading of the form; no sentence goes on with one, unless in lower case ("see / item 7 ...")."""
_COUNTED = re.compile(r"^(?:note|notes|exhibit|schedule|table|figure|chart|appendix|annex|section)\W*\d", re.IGNORECASE)
"""Headings whose number is their own, not a page's."""
_NUMBER_AT_EDGE = re.compile(r"^\W*\d{1,3}\b(?![.,]\d)|(?<![\d.,])\d{1,3}\W*$")
_FIGURES = re.compile(r"[$€£]\s?\d|(?:\s[(]?\d{1,3}(?:,\d{3})*(?:\.\d+)?%?[)]?){2,}$|(?:\s\d{4}){2,}$")
"""Money, or two figures or years at the end: a row or a head of a table."""
_DATE = re.compile(r"^[A-Z][a-z]+\.? \d{1,2}, (?:19|20)\d\d$")
"""The date of a signature or a report; pages end with the same one."""
_PAGE_IN_FOOTER = re.compile(r"(?:^|\s|[|•·–—-])((?:[A-Z]{1,2}-)?\d{1,3})$|^((?:[A-Z]{1,2}-)?\d{1,3})\s*(?:\||\s)")
_SENTENCE_END = re.compile(r"[.:;!?][\"”’')\]]*$")
_REPEATS = 3
_REACH = 3
_NEAR_SIDES = 12
"""Sides of borders in about three pages, whose numbers may be borders as well."""
_FOOTER_LENGTH = 120
_HEAD_LENGTH = 240
_LINK_LENGTH = 40
_NUMBERED_LENGTH = 60
"""Longer lines that differ in their figures only are text, not footers."""
_SHORTEST, _LONGEST = 40, 20_000
_PAGE_LENGTH = 600
"""Characters; lone numbers closer together are years, notes or figures."""


def clean(blocks: list[Block]) -> list[Block]:
    """The blocks without page furniture, each with its page's label; paragraphs cut by a page are whole.

    A short block beside a page border is furniture if it is a page number, a link to the contents
    page, or stands beside many borders with only its digits changing.
    """
    dropped = _furniture(blocks)
    kept: list[Block] = []
    anchors: tuple[str, ...] = ()
    border = False
    for index, block in enumerate(blocks):
        if block.kind is Kind.BREAK:
            border = True
            continue
        if index in dropped:
            anchors += block.anchors
            border = True
            continue
        if anchors:
            block.anchors = anchors + block.anchors
            anchors = ()
        if border and kept and not block.anchors and _goes_on(kept[-1], block):
            kept[-1].text = f"{kept[-1].text} {block.text}"
        else:
            kept.append(block)
        border = False
    return kept


def _furniture(blocks: list[Block]) -> set[int]:
    """Indices of furniture blocks; labels the pages on the way.

    Each side of a border is read outwards and ends at the first block that is no furniture.
    """
    sides = _beside_borders(blocks)
    places: dict[str, list[tuple[int, int]]] = {}
    for number, side in enumerate(sides):
        for index in side:
            places.setdefault(_key(blocks[index].text), []).append((number, index))
    dropped: set[int] = set()
    headings: set[str] = set()
    for number, side in enumerate(sides):
        for index in side:
            if index in dropped:
                continue
            text = blocks[index].text
            if _is_page_head(blocks[index]):
                dropped.add(index)
                continue
            if _ITEM.match(text) and not CONTINUED.search(text) and _key(text) not in headings:
                # The first of a repeated heading is the heading itself.
                headings.add(_key(text))
                break
            again = CONTINUED.search(text) and _ITEM.match(text)
            running = _running(places[_key(text)], index, number) and not (
                _FIGURES.search(text) or _DATE.match(text) or UNITS.search(text)
            )
            if not (again or PAGE_NUMBER.match(text) or running or _is_back_link(blocks, index)):
                break
            dropped.add(index)
    _label_pages(blocks, sorted(_labels(blocks, dropped)))
    for index, block in enumerate(blocks):
        if (
            block.kind is Kind.TEXT
            and len(block.text) < _LINK_LENGTH
            and _BACK_LINK.match(block.text)
            and block.look.linked
        ):
            dropped.add(index)
    return dropped


def _running(places: list[tuple[int, int]], index: int, number: int) -> bool:
    """Whether a text at these sides of borders (and blocks) runs on: often enough, and near this one too."""
    if len({other for _, other in places[: _REPEATS * 4]}) < _REPEATS:
        return False
    near = places[bisect_left(places, (number - _NEAR_SIDES, -1)) : bisect_left(places, (number + _NEAR_SIDES + 1, -1))]
    return any(other != index for _, other in near)


def _is_back_link(blocks: list[Block], index: int) -> bool:
    """Whether a block leads back to the contents page; unlinked, it may be the contents page's own title."""
    return bool(_BACK_LINK.match(blocks[index].text)) and (blocks[index].look.linked or index > len(blocks) // 10)


def _is_page_head(block: Block) -> bool:
    """Whether a small table leads back to the contents page, with whatever titles beside the link."""
    small = block.kind is Kind.TABLE and len(block.text) <= _HEAD_LENGTH
    return small and bool(block.targets) and _LINK_INSIDE.search(block.text) is not None


def _may_be_furniture(block: Block) -> bool:
    return (block.kind is Kind.TEXT and len(block.text) <= _FOOTER_LENGTH) or _is_page_head(block)


def _labels(blocks: list[Block], dropped: set[int]) -> list[tuple[int, str]]:
    labels = []
    for index in dropped:
        number = PAGE_NUMBER.match(blocks[index].text)
        footer = _PAGE_IN_FOOTER.search(blocks[index].text)
        if number:
            labels.append((index, number[1]))
        elif footer:
            labels.append((index, footer[1] or footer[2]))
    return labels


def _beside_borders(blocks: list[Block]) -> list[list[int]]:
    """Short text blocks on each side of a page border, outwards; lone numbers that count upwards are borders too."""
    borders = [index for index, block in enumerate(blocks) if block.kind is Kind.BREAK]
    sides: list[list[int]] = []
    for border in sorted([*borders, *_counting(blocks)]):
        for step in (-1, 1):
            index = border + (step if blocks[border].kind is Kind.BREAK else 0)
            side: list[int] = []
            while len(side) < _REACH and 0 <= index < len(blocks) and _may_be_furniture(blocks[index]):
                side.append(index)
                index += step
            sides.append(side)
    return sides


def _counting(blocks: list[Block]) -> list[int]:
    """Lone numbers, each one more than the one before or one less than the next: page feet."""
    lone = [
        (index, int(block.text.strip("()-–— ")))
        for index, block in enumerate(blocks)
        if block.kind is Kind.TEXT and len(block.text) < 6 and block.text.strip("()-–— ").isdecimal()
    ]
    size = [0, *accumulate(len(block.text) for block in blocks)]
    found = []
    for order, (index, value) in enumerate(lone):
        before = order > 0 and _a_page_on(size, lone[order - 1], (index, value))
        after = order + 1 < len(lone) and _a_page_on(size, (index, value), lone[order + 1])
        if before or after:
            found.append(index)
    return found


def _a_page_on(size: list[int], before: tuple[int, int], after: tuple[int, int]) -> bool:
    """Whether a lone number is one more than another, with as much text between as a page may hold."""
    return after[1] == before[1] + 1 and size[after[0]] - size[before[0]] >= _PAGE_LENGTH


def _label_pages(blocks: list[Block], labels: list[tuple[int, str]]) -> None:
    """Give each block the label printed at the foot of its page.

    Where labels stand right after the borders (page heads), they name the page that follows.
    """
    if not labels or any(block.page for block in blocks):
        return
    heads = sum(1 for index, _ in labels if index and blocks[index - 1].kind is Kind.BREAK)
    if heads * 2 > len(labels):
        current: str | None = None
        places = dict(labels)
        for index, block in enumerate(blocks):
            current = places.get(index, current)
            block.page = current
        return
    start = 0
    for index, label in labels:
        for block in blocks[start : index + 1]:
            block.page = label
        start = index + 1


def _goes_on(before: Block, after: Block) -> bool:
    """Whether a paragraph goes on after a page border."""
    if before.kind is not Kind.TEXT or after.kind is not Kind.TEXT or after.bullet or after.look.centred:
        return False
    if _HEADING.match(after.text) and not after.text[0].islower():
        return False
    if after.text.isupper() and not before.text.isupper():
        return False
    if not _SHORTEST < len(before.text) < _LONGEST or _SENTENCE_END.search(before.text):
        return False
    first = after.text[0]
    if first.islower():
        return True
    return (first.isdigit() or first in "$(" or len(before.text) > 200) and not before.look.bold and not after.look.bold


def _key(text: str) -> str:
    """A text for comparison; in a short one a page's number at the start or end is left open."""
    if _ITEM.match(text) or _COUNTED.match(text) or len(text) > _NUMBERED_LENGTH or text[:1].islower():
        return text.casefold()
    return _NUMBER_AT_EDGE.sub("#", text.casefold())
