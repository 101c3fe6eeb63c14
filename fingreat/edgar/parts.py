"""Items other than the discussion that stand under no heading of the form: by title, by caption, by pages."""

from __future__ import annotations

from collections.abc import Container
from itertools import islice

from fingreat.edgar.blocks import Block, Kind
from fingreat.edgar.contents import Contents
from fingreat.edgar.form_index import IndexEntry, last_page_end
from fingreat.edgar.forms import Form, end_titles, letters
from fingreat.edgar.headings import Candidate
from fingreat.edgar.markdown import is_heading
from fingreat.edgar.reference import Pointer
from fingreat.edgar.titles import LISTED, MOST_TITLES, Region, first_words, is_set_apart, last_page_of

_LONG = 200
_ENOUGH = 2000
_STATEMENTS = 5000
_CAPTION_ENOUGH = 200


def find_part(
    blocks: list[Block], starts: tuple[str, ...], entry: IndexEntry | None, others: tuple[str, ...]
) -> Region | None:
    """An item by its title, where something says what follows it.

    The end is the next part by the contents page, the title of another item set at least as large, or the last
    page that the form's index names, whichever comes first.

    Args:
        blocks: a document's blocks.
        starts: how the item's title may begin.
        entry: what the form's index says about the item.
        others: how the titles of the items that come later may begin.
    """
    best: Region | None = None
    best_value = -1
    contents = Contents(blocks)
    named = ((index, _heading(block, starts)) for index, block in enumerate(blocks))
    for index, heading in islice(((place, title) for place, title in named if title), MOST_TITLES):
        block = blocks[index]
        plain = letters(heading)
        right_page = entry is not None and block.page in {first for first, _ in entry.pages}
        value = (plain == (letters(entry.title) if entry else starts[0])) + 2 * right_page
        if value <= best_value:
            continue
        region = _extent(contents, blocks, index, heading, entry, others)
        if region and _length(blocks[index : region.end]) >= _ENOUGH:
            best, best_value = region, value
    return best


def _heading(block: Block, starts: tuple[str, ...]) -> str | None:
    """The title that a block is or begins with, if it begins as one of these."""
    if block.kind not in (Kind.TEXT, Kind.TABLE) or not letters(block.text[:_LONG]).startswith(starts):
        return None
    if block.kind is Kind.TABLE:
        # A title may be the first row of the table under it.
        return next((start for start in starts if letters(block.text[:_LONG]).startswith(start)), None)
    if LISTED.search(block.text):
        return None
    heading = block.text if len(block.text) <= _LONG and is_set_apart(block) else block.look.lead
    return heading if heading and letters(heading).startswith(starts) else None


def _extent(
    contents: Contents, blocks: list[Block], start: int, heading: str, entry: IndexEntry | None, others: tuple[str, ...]
) -> Region | None:
    printed = heading if blocks[start].kind is Kind.TEXT else ""
    ends: list[tuple[int, str]] = []
    part = contents.following_part(start, heading)
    if part is not None:
        ends.append((part, "next part by the contents page"))
    size = blocks[start].look.size or 0.0
    for index in range(start + 1, part or len(blocks)):
        block = blocks[index]
        titled = block.kind is Kind.TEXT and len(block.text) <= _LONG and letters(block.text).startswith(others)
        if titled and is_heading(block) and (block.look.size or 0.0) >= size and _length(blocks[start:index]) > _ENOUGH:
            ends.append((index, "title of another item"))
            break
    last = last_page_end(blocks, start, entry)
    if last is not None:
        ends.append((last, "last page by the form's index"))
    if not ends:
        return None
    end, rule = min(ends)
    return Region(start, end, printed, first_words(blocks[end]) if end < len(blocks) else None, rule)


def find_pages(blocks: list[Block], entry: IndexEntry) -> Region | None:
    """The first range of pages that the form's index gives an item, where both ends are in the document."""
    pages = [block.page for block in blocks]
    for first, last in entry.pages:
        if last is None or not {first, last} <= set(pages):
            continue
        start, end = pages.index(first), len(pages) - pages[::-1].index(last)
        if _length(blocks[start:end]) >= _ENOUGH:
            following = first_words(blocks[end]) if end < len(blocks) else None
            return Region(start, end, "", following, "pages by the form's index")
    return None


def find_statements(blocks: list[Block], pointer: Pointer, avoid: Container[int], items: list[int]) -> Region | None:
    """The financial statements, notes included, that an item points to; None where what is there is not all of them.

    Args:
        blocks: a document's blocks.
        pointer: what the item says.
        avoid: blocks not to look at: the pointing item itself, lines of contents.
        items: where later headings of the form stand in this document.
    """
    page = pointer.first_page if any(block.page == pointer.first_page for block in blocks) else None
    for index, block in enumerate(blocks):
        if index in avoid or (page and block.page != page) or not _opens_statements(block):
            continue
        ends = [place for place in items if place > index]
        ends += [place for place in _closings(blocks, index) if _length(blocks[index:place]) >= _STATEMENTS]
        rules = dict.fromkeys(ends, "heading after the statements") | {len(blocks): "end of the document"}
        last = last_page_of(blocks, index, pointer)
        if last:
            rules[last[1]] = "last page named by the pointer"
        end = min(rules)
        if _are_statements(blocks[index:end]):
            following = first_words(blocks[end]) if end < len(blocks) else None
            heading = block.text if block.kind is Kind.TEXT else ""
            return Region(index, end, heading, following, rules[end])
    return None


def statements_within(blocks: list[Block], start: int, end: int) -> int | None:
    """Where whole financial statements begin between two blocks, told by the title of their notes; None without."""
    notes = next(
        (
            index
            for index in range(start, end)
            if letters(blocks[index].text[:60]).startswith("notes to") and is_heading(blocks[index])
        ),
        None,
    )
    if notes is None or _length(blocks[notes:end]) < _STATEMENTS:
        return None
    first = notes
    prose = 0
    for index in range(notes - 1, start - 1, -1):
        block = blocks[index]
        if _opens_statements(block):
            first, prose = index, 0
        elif block.kind is Kind.TEXT:
            prose += len(block.text)
        if prose > _ENOUGH:
            break
    return first if first < notes and _are_statements(blocks[first:end]) else None


def _opens_statements(block: Block) -> bool:
    if len(block.text) > _ENOUGH or not letters(block.text[:_LONG]).startswith(end_titles("statements")):
        return False
    title = len(block.text) <= _LONG and is_heading(block) and not LISTED.search(block.text)
    return block.kind is not Kind.TEXT or title


def _are_statements(blocks: list[Block]) -> bool:
    """Whether a balance sheet, a statement of cash flows and notes are there."""
    if _length(blocks) < _STATEMENTS:
        return False
    words = " ".join(letters(block.text[:_LONG]) for block in blocks)
    sheet = "balance sheet" in words or "financial position" in words or "financial condition" in words
    return sheet and "cash flow" in words and "notes to" in words


def _closings(blocks: list[Block], start: int) -> list[int]:
    titles = end_titles("closings")
    return [
        index
        for index in range(start + 1, len(blocks))
        if blocks[index].kind is Kind.TEXT
        and len(blocks[index].text) <= _LONG
        and letters(blocks[index].text).startswith(titles)
        and is_heading(blocks[index])
    ]


def find_caption(blocks: list[Block], pointer: Pointer, avoid: Container[int]) -> Region | None:
    """The text under the caption that an item quotes, up to the next heading set at least as large."""
    captions = {letters(caption) for caption in pointer.captions}
    for index, block in enumerate(blocks):
        if index in avoid or block.kind is not Kind.TEXT or len(block.text) > _LONG:
            continue
        if letters(block.text) not in captions or not is_heading(block) or block.look.linked:
            continue
        rank = _rank(block)
        end = next(
            (i for i in range(index + 1, len(blocks)) if is_heading(blocks[i]) and _rank(blocks[i]) >= rank), None
        )
        if end is not None and _length(blocks[index:end]) >= _CAPTION_ENOUGH:
            return Region(index, end, block.text, first_words(blocks[end]), "heading as large")
    return None


def _rank(block: Block) -> tuple[float, bool, bool]:
    """How large a heading is set: size, capitals, weight."""
    return (block.look.size or 0.0, block.text.isupper(), block.look.bold)


def _length(blocks: list[Block]) -> int:
    return sum(len(block.text) for block in blocks)


def find_unheaded_statements(blocks: list[Block], chain: list[Candidate], form: Form, own: str) -> Region | None:
    """The financial statements where their item has no heading: what opens them between its neighbours."""
    rank = form.order.index(own)
    before = [candidate for candidate in chain if form.order.index(candidate.item) < rank]
    after = [candidate for candidate in chain if form.order.index(candidate.item) > rank]
    if not before or not after:
        return None
    for index in range(before[-1].end, after[0].start):
        if breaks_off(blocks[index]):
            heading = blocks[index].text if blocks[index].kind is Kind.TEXT else ""
            return Region(index, after[0].start, heading, after[0].title, "heading of the next item")
    return None


def breaks_off(block: Block) -> bool:
    """Whether a block opens the financial statements: a title, or a short list of statements under one."""
    if not letters(block.text[:150]).startswith(end_titles("breaks")):
        return False
    if block.kind is Kind.TEXT:
        return len(block.text) < 150 and is_heading(block)
    return len(block.text) < 1500 and "balance sheet" in letters(block.text)
