"""Items other than the discussion that stand under no heading of the form: by title, by caption, by pages."""

from __future__ import annotations

from collections.abc import Container
from itertools import accumulate, islice

from fingreat.edgar.blocks import Block, Kind, length_of
from fingreat.edgar.contents import Contents
from fingreat.edgar.form_index import IndexEntry, last_page_end
from fingreat.edgar.forms import Form, end_titles, letters
from fingreat.edgar.headings import Candidate
from fingreat.edgar.markdown import is_heading
from fingreat.edgar.reference import Pointer
from fingreat.edgar.tables import filled_rows
from fingreat.edgar.titles import LISTED, MOST_TITLES, Region, first_words, is_set_apart, last_page_of

_LONG = 200
_SHORT = 80
_ENOUGH = 2000
_STATEMENTS = 5000
_CAPTION_ENOUGH = 200
_NOTES_BLOCKS = 100
_PAGES_OFF = 3
"""Statements may begin a page or two after the one that is named."""
_TELLING = 14
"""Letters of a title that an item's title may go on from; shorter ones begin other titles, too."""


def find_part(
    blocks: list[Block], starts: tuple[str, ...], entry: IndexEntry | None, others: tuple[str, ...], within: range
) -> Region | None:
    """An item by its title, where something says what follows it.

    The end is the next part by the contents page, the title of another item set at least as large, the last page
    that the form's index names, or the end of what is searched, whichever comes first.

    Args:
        blocks: a document's blocks.
        starts: how the item's title may begin.
        entry: what the form's index says about the item.
        others: how the titles of the items that come later may begin.
        within: where the item can stand: between its neighbours, where those have headings.
    """
    titled = letters(entry.title) if entry else ""
    starts = (*(start for start in starts if titled.startswith(start)), titled) if titled else starts
    best: Region | None = None
    best_value = -1
    contents = Contents(blocks)
    pages = {first for first, _ in entry.pages} if entry else set()
    named = ((index, _heading(blocks[index], starts, pages)) for index in within)
    for index, heading in islice(((place, title) for place, title in named if title), MOST_TITLES):
        right_page = blocks[index].page in pages
        value = (letters(heading) == (titled or starts[0])) + 2 * right_page
        if value <= best_value:
            continue
        region = _extent(contents, blocks[: within.stop], index, heading, entry, others)
        if region is None and within.stop < len(blocks):
            region = Region(index, within.stop, heading, first_words(blocks[within.stop]), "heading of the next item")
        if region and length_of(blocks[index : region.end]) >= _ENOUGH:
            best, best_value = region, value
    return best


def _heading(block: Block, starts: tuple[str, ...], pages: set[str]) -> str | None:
    """The title that a block is or begins with, if it is one of these or begins with a long one."""
    if block.kind is Kind.TABLE:
        # A title may be the first row of the table under it.
        if not letters(block.text[:_LONG]).startswith(starts):
            return None
        first = [text for text, _ in filled_rows(block.source)[0]]
        return first[0] if len(first) == 1 and _is_named(first[0], starts) else None
    if block.kind is not Kind.TEXT or not letters(block.text[:_LONG]).startswith(starts) or LISTED.search(block.text):
        return None
    heading = block.text if len(block.text) <= _LONG and is_set_apart(block) else block.look.lead
    near = block.page in pages and len(heading) <= _SHORT // 2 and letters(heading).startswith(starts)
    return heading if heading and (near or _is_named(heading, starts)) else None


def _is_named(heading: str, starts: tuple[str, ...]) -> bool:
    plain = letters(heading)
    return plain in starts or plain.startswith(tuple(start for start in starts if len(start) >= _TELLING))


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
        if (
            titled
            and is_heading(block)
            and (block.look.size or 0.0) >= size
            and length_of(blocks[start:index]) > _ENOUGH
        ):
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
        if length_of(blocks[start:end]) >= _ENOUGH:
            following = first_words(blocks[end]) if end < len(blocks) else None
            return Region(start, end, "", following, "pages by the form's index")
    return None


def find_statements(blocks: list[Block], pointer: Pointer, avoid: Container[int], heads: set[int]) -> Region | None:
    """The financial statements, notes included, that an item points to; None where what is there is not all of them.

    Args:
        blocks: a document's blocks.
        pointer: what the item says.
        avoid: blocks not to look at: the pointing item itself, lines of contents.
        heads: where items of the form begin in this document, which ends the statements.
    """
    labels = {block.page for block in blocks}
    if pointer.first_page in labels and pointer.last_page and pointer.last_page not in labels:
        return None
    near = _near_page(blocks, pointer.first_page)
    closings = [index for index, block in enumerate(blocks) if _closes_statements(block)]
    openers = (index for index in near if index not in avoid and _opens_statements(blocks[index]))
    for index in islice(openers, MOST_TITLES):
        length = accumulate((len(block.text) for block in blocks[index:]), initial=0)
        sizes = dict(enumerate(length, start=index))
        ends = [place for place in heads if place > index]
        ends += [n for n in closings if n > index and (sizes[n] >= _STATEMENTS or _is_discussion(blocks[n]))]
        rules = dict.fromkeys(ends, "heading after the statements") | {len(blocks): "end of the document"}
        last = last_page_of(blocks, index, pointer)
        if last and (last[1] == len(blocks) or blocks[last[1]].kind is not Kind.TEXT or is_heading(blocks[last[1]])):
            rules[last[1]] = "last page named by the pointer"
        end = min(rules)
        if _are_statements(blocks[index:end]):
            following = first_words(blocks[end]) if end < len(blocks) else None
            heading = blocks[index].text if blocks[index].kind is Kind.TEXT else ""
            return Region(index, end, heading, following, rules[end])
    return _statement_pages(blocks, pointer, avoid)


def _near_page(blocks: list[Block], page: str | None) -> range:
    """The blocks from a page on and a little further; all where there is no such page."""
    pages = [block.page for block in blocks]
    if page is None or page not in pages:
        return range(len(blocks))
    first = pages.index(page)
    near = list(dict.fromkeys(pages[first:]))[:_PAGES_OFF]
    return range(first, len(pages) - pages[::-1].index(near[-1]))


def statements_within(blocks: list[Block], start: int, end: int) -> int | None:
    """Where whole financial statements begin between two blocks, told by the title of their notes; None without.

    The notes may also begin right at the end.
    """
    places = range(start, min(end + 1, len(blocks)))
    titles = (index for index in places if letters(blocks[index].text[:60]).startswith("notes to"))
    notes = next((index for index in titles if _is_title(blocks[index])), None)
    if notes is None:
        return None
    tail = max(end, notes + _NOTES_BLOCKS)
    first = notes
    prose = 0
    for index in range(notes - 1, start - 1, -1):
        block = blocks[index]
        if _opens_statements(block) or _is_titled_table(block):
            first, prose = index, 0
        elif block.kind is Kind.TEXT:
            prose += len(block.text)
        if prose > _ENOUGH:
            break
    whole = first < notes and length_of(blocks[notes:tail]) >= _STATEMENTS and _are_statements(blocks[first:tail])
    return first if whole else None


def _is_titled_table(block: Block) -> bool:
    """Whether a table carries a title in capitals that ends the discussion: a page of selected data, say."""
    if block.kind is Kind.TEXT or not block.text[:20].isupper():
        return False
    return letters(block.text[:_LONG]).startswith(end_titles("ends"))


def _statement_pages(blocks: list[Block], pointer: Pointer, avoid: Container[int]) -> Region | None:
    """The range of pages that a pointer names, where it holds whole statements."""
    start = next((n for n, block in enumerate(blocks) if block.page == pointer.first_page and n not in avoid), None)
    last = last_page_of(blocks, start, pointer) if start is not None else None
    if start is None or last is None or not _are_statements(blocks[start : last[1]]):
        return None
    following = first_words(blocks[last[1]]) if last[1] < len(blocks) else None
    heading = blocks[start].text if _opens_statements(blocks[start]) and blocks[start].kind is Kind.TEXT else ""
    return Region(start, last[1], heading, following, "last page named by the pointer")


def _opens_statements(block: Block) -> bool:
    if len(block.text) > _ENOUGH or not letters(block.text[:_LONG]).startswith(end_titles("statements")):
        return False
    return block.kind is not Kind.TEXT or (_is_title(block) and not LISTED.search(block.text))


def _is_title(block: Block) -> bool:
    """Whether a block that begins as a title does is one: set as a heading, or a short line without a stop."""
    short = len(block.text) <= _SHORT and block.text[-1].isalpha()
    return block.kind is Kind.TEXT and len(block.text) <= _LONG and (short or is_heading(block))


def _are_statements(blocks: list[Block]) -> bool:
    """Whether a balance sheet, a statement of cash flows and notes are there, and no discussion."""
    if length_of(blocks) < _STATEMENTS or any(map(_is_discussion, blocks)):
        return False
    words = " ".join(letters(block.text[:_LONG]) for block in blocks)
    sheet = "balance sheet" in words or "financial position" in words or "financial condition" in words
    return sheet and "cash flow" in words and "notes to" in words


def _closes_statements(block: Block) -> bool:
    if block.kind is not Kind.TEXT or len(block.text) > _LONG:
        return False
    return _is_discussion(block) or (letters(block.text).startswith(end_titles("closings")) and is_heading(block))


def _is_discussion(block: Block) -> bool:
    named = letters(block.text[:_LONG]).startswith(("managements discussion", "management discussion"))
    return named and _is_title(block)


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
        if end is not None and length_of(blocks[index:end]) >= _CAPTION_ENOUGH:
            return Region(index, end, block.text, first_words(blocks[end]), "heading as large")
    return None


def _rank(block: Block) -> tuple[float, bool, bool]:
    """How large a heading is set: size, capitals, weight."""
    return (block.look.size or 0.0, block.text.isupper(), block.look.bold)


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
