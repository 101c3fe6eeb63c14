"""A main document as the search for an item reads it, and what is odd about an item found in it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from fingreat.edgar.ascii_blocks import ascii_blocks
from fingreat.edgar.blocks import Block, Kind, length_of
from fingreat.edgar.container import Document
from fingreat.edgar.finder import Span, best_chain
from fingreat.edgar.forms import Form, compact, spoken
from fingreat.edgar.furniture import clean
from fingreat.edgar.headings import Candidate, item_number
from fingreat.edgar.html_blocks import html_blocks
from fingreat.edgar.html_tree import parse_html
from fingreat.edgar.reference import Pointer
from fingreat.edgar.titles import Region
from fingreat.edgar.weighing import weighed_candidates

_MOST = 0.75
_SIZEABLE = 50_000
_APART = 2000
_REPEATS = 3
"""A heading that stands again and again is a running head."""


def read_blocks(document: Document) -> tuple[list[Block], list[str]]:
    """A document's blocks without page furniture, and what was doubtful."""
    if not document.is_html:
        return clean(ascii_blocks(document.text)), []
    root, warnings = parse_html(document.text)
    return (clean(html_blocks(root)) if root is not None else []), warnings


@dataclass(frozen=True, slots=True)
class MainDocument:
    """A main document: its blocks, what may be headings, and which of them are.

    Attributes:
        own: the key of the item looked for.
        candidates: all places that may be headings, weighed.
        chain: the headings.
    """

    document: Document
    blocks: list[Block]
    form: Form
    own: str
    candidates: list[Candidate]
    chain: list[Candidate]

    @classmethod
    def read(cls, document: Document, blocks: list[Block], form: Form, own: str) -> MainDocument:
        """The document with its headings told."""
        candidates = weighed_candidates(blocks, form)
        return cls(document, blocks, form, own, candidates, best_chain(blocks, candidates, form))

    def listed(self) -> set[int]:
        """Blocks of text that only list items."""
        return {one.start for one in self.candidates if one.contents and self.blocks[one.start].kind is Kind.TEXT}

    def heads(self) -> set[int]:
        """Blocks that begin a numbered item by the chain of headings."""
        return {one.start for one in self.chain if not (one.contents or one.unnumbered)}

    def room(self) -> range:
        """Where the item can stand: between its neighbours in the chain of headings."""
        rank = self.form.order.index(self.own)
        heads = [one for one in self.chain if not (one.contents or one.unnumbered)]
        after = [one.start for one in heads if self.form.order.index(one.item) > rank]
        before = [one.end for one in heads if self.form.order.index(one.item) < rank]
        return range(max(before, default=0), min(after, default=len(self.blocks)))

    def length(self, span: Span | None = None) -> int:
        """Characters of a span, or of the whole document."""
        blocks = self.blocks[span.heading.start : span.end] if span else self.blocks
        return length_of(blocks)


def doubts_about(main: MainDocument, span: Span, *, discussion: bool) -> list[str]:
    """What is odd about an item found by its heading.

    Args:
        main: the document.
        span: where the item stands.
        discussion: it is management's discussion, which may not be most of a long document.
    """
    heading = span.heading
    said = spoken(heading.item)
    doubts = []
    if heading.odd:
        doubts.append(f"The heading's number is not that of {said}; its title decided.")
    elif heading.unnumbered:
        doubts.append("The heading has no item number; its title decided.")
    elif _has_other_title(main, heading):
        doubts.append(f"The heading's title is none that {said} has.")
    if span.following is None:
        doubts.append("No heading follows; the section runs to the end of the document.")
    doubts += _again(main, span, said) + _missed(main, span)
    share = main.length(span) / max(main.length(), 1)
    if discussion and share > _MOST and main.length() > _SIZEABLE:
        doubts.append(f"The section is {share:.0%} of the document.")
    return doubts


def _has_other_title(main: MainDocument, heading: Candidate) -> bool:
    words = compact(item_number(heading.title)[1])
    return bool(words) and not main.form.titled(heading.item, words) and heading.item not in main.form.named(words)


def _again(main: MainDocument, span: Span, said: str) -> list[str]:
    """Other headings of the same item: elsewhere, or within the section and not as a running head."""
    heading = span.heading
    alike = [
        one
        for one in main.candidates
        if one.item == heading.item
        and one.start != heading.start
        and not (one.contents or one.odd or one.unnumbered)
        and one.weight >= heading.weight - 0.3
    ]
    outside = [one for one in alike if not span.heading.start <= one.start < span.end]
    inside = [one for one in alike if span.heading.start <= one.start < span.end]
    following = span.following
    if following and not following.contents:
        further = [one for one in main.candidates if one.item == following.item and one.start > following.end]
        strong = [one for one in further if not (one.contents or one.odd) and one.weight >= following.weight - 0.1]
        if 0 < len(strong) < _REPEATS and _length_between(main, following, strong[0]) > _APART:
            return [
                f"{spoken(following.item)}, which ends the section, has another heading: {short(strong[0].title)!r}."
            ]
    if outside:
        place = "before" if outside[0].start < heading.start else "after"
        return [f"Another heading of {said} stands {place} this one: {short(outside[0].title)!r}."]
    if 0 < len(inside) < _REPEATS and _length_between(main, heading, inside[-1]) > _APART:
        return [f"Another heading of {said} stands within the section: {short(inside[0].title)!r}."]
    return []


def _length_between(main: MainDocument, before: Candidate, after: Candidate) -> int:
    return length_of(main.blocks[before.start : after.start])


def _missed(main: MainDocument, span: Span) -> list[str]:
    """The next item of the form, where the contents page lists it and no heading of it was found."""
    order = main.form.order
    following = order.index(span.following.item) if span.following and span.following.item in order else len(order)
    next_item = order.index(span.heading.item) + 1
    found = {one.item for one in main.chain if not one.contents}
    missed = [
        key
        for key in order[next_item:following]
        if key not in found and any(one.item == key and one.contents for one in main.candidates)
    ]
    if not missed:
        return []
    return [f"The contents list {spoken(missed[0])}, of which no heading was found; its text may be inside."]


def doubts_about_pointed(document: Document, blocks: list[Block], region: Region, pointer: Pointer) -> list[str]:
    """Where a text that a pointer was followed to is not quite what the pointer says."""
    doubts = []
    kind = document.type.upper()
    if kind.startswith("EX-") and pointer.exhibits and not kind.startswith(tuple(f"EX-{n}" for n in pointer.exhibits)):
        doubts.append(f"The pointer names Exhibit {pointer.exhibits[0]}; the text is in {document.type}.")
    elif kind.startswith("EX-") and not kind.startswith("EX-13") and not pointer.exhibits:
        doubts.append(f"The pointer does not name {document.type}; the title of its text decided.")
    page = blocks[region.start].page
    if page and pointer.first_page and page != pointer.first_page:
        doubts.append(f"The pointer names page {pointer.first_page}; the text begins on page {page}.")
    return doubts


def short(text: str) -> str:
    """A title's first words, for a warning."""
    return textwrap.shorten(text, 60, placeholder=" …")
