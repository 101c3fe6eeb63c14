"""Management's discussion by its title: for filers without item headings and for annual reports.

Used where the item's number leads nowhere: the form's headings are missing (only a
cross-reference index names the items), or the item points to an annual report that is bound into
the same document or filed as an exhibit.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, replace
from itertools import islice

from fingreat.edgar.blocks import Block, Kind, length_of
from fingreat.edgar.contents import Contents
from fingreat.edgar.form_index import IndexEntry, last_page_end
from fingreat.edgar.forms import compact, end_titles, letters, load_forms
from fingreat.edgar.headings import item_number
from fingreat.edgar.markdown import is_heading
from fingreat.edgar.reference import Pointer, find_pointer
from fingreat.edgar.tables import filled_rows

_TITLE = re.compile(
    r"^(?:(?:i ?t ?e ?m ?s?|part|[ivx]{1,4}) )*(?:financial review (?:incorporating|and) )?"
    r"(?:managements? (?:s )?(?:financial )?(?:discussion|review)|discussion and analysis of (?:financial|results|the))"
    r"|^financial review(?: |$)|^operating and financial review|^md ?a$"
)
_SPACED_TITLES = ("managementsdiscussionandanalysis", "managementdiscussionandanalysis")
"""For titles whose letters are set apart."""
_TOLD = 30
"""A title of so many letters counts where a caption begins with it."""
_PART_TITLE = re.compile(r"^managements? (?:discussion|review)(?: and analysis)? of ")
_NOT_TITLE = re.compile(r"financial responsib|of financial statements|summary of operating")
LISTED = re.compile(r"[\s.]\d{1,3}$")
"""A title in a list of contents ends in its page."""
_LONG = 200
_TITLE_LENGTH = 120
"""A line as short as this may be a title also where it ends in a stop."""
_LONGER_WORD = re.compile(r"[A-Za-z]{5,}")
_ENOUGH = 2000
MOST_TITLES = 100
"""More titles of the discussion than this are running heads."""
_ENOUGH_POINTED = 150
_POINTER_BLOCKS = 6


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of blocks that holds the discussion, half-open, and how it was found."""

    start: int
    end: int
    heading: str
    next_heading: str | None
    rule: str


def find_title_pointer(blocks: list[Block], avoid: Container[int] = ()) -> tuple[int, int, Pointer] | None:
    """A title of the discussion with nothing under it but a pointer: first block, end, pointer."""
    for index, block in enumerate(blocks):
        if index in avoid or _title(block, ()) is None or LISTED.search(block.text):
            continue
        end = index + 1
        while end < min(index + _POINTER_BLOCKS, len(blocks)) and not is_heading(blocks[end]):
            end += 1
        pointer = find_pointer(" ".join(inside.text for inside in blocks[index + 1 : end]))
        if pointer:
            return index, end, pointer
    return None


def find_region(
    blocks: list[Block],
    pointer: Pointer | None,
    avoid: Container[int] = (),
    entry: IndexEntry | None = None,
    outside: int | None = None,
    heads: Container[int] = (),
) -> Region | None:
    """The discussion by its title, its captions or its pages; None where the document has none.

    Args:
        blocks: a document's blocks.
        pointer: what the item says about where the text stands, if it does.
        avoid: blocks not to look at: the pointing item itself, lines of contents.
        entry: what the form's index says about the item.
        outside: a block that the discussion cannot hold: the item that points to it.
        heads: where items of the form begin, which ends the discussion.
    """
    pages = {first for first, _ in entry.pages} if entry else {pointer.first_page} if pointer else set()
    captions = tuple(letters(caption) for caption in pointer.captions) if pointer else ()
    best: Region | None = None
    best_value = 0.0
    enough = _ENOUGH_POINTED if pointer else _ENOUGH
    contents = Contents(blocks)
    titles = ((index, _title(block, captions)) for index, block in enumerate(blocks) if index not in avoid)
    named = ((index, heading) for index, heading in titles if heading is not None and not _is_listed(blocks, index))
    for index, heading in islice(named, MOST_TITLES):
        block = blocks[index]
        region = _without_tail(blocks, _extent(contents, blocks, index, heading, pointer, entry, heads))
        length = length_of(blocks[region.start : region.end])
        if length < enough or (outside is not None and region.start < outside < region.end):
            continue
        value = float(min(length, 20_000)) + (5000 if block.page and block.page in pages else 0)
        if LISTED.search(block.text) or block.look.linked:
            value *= 0.3
        if value > best_value:
            best, best_value = region, value
    return best or (_by_pages(blocks, pointer) if pointer and not avoid else None)


def _is_listed(blocks: list[Block], index: int) -> bool:
    """Whether a title is one of a list: the next block is the title of the item that follows."""
    form = load_forms()["10-K"]
    after = blocks[index + 1] if index + 1 < len(blocks) else None
    if after is None or after.kind is not Kind.TEXT or len(after.text) > _LONG:
        return False
    return letters(after.text).startswith((*form.starts["7A"], *form.starts["8"]))


def _by_pages(blocks: list[Block], pointer: Pointer) -> Region | None:
    """The pages that a pointer names, whatever stands at their head; for exhibits without a title."""
    labels = [block.page for block in blocks]
    if pointer.first_page not in labels or pointer.last_page not in labels or pointer.first_page is None:
        return None
    start = labels.index(pointer.first_page)
    end = len(labels) - labels[::-1].index(pointer.last_page)
    if end <= start or length_of(blocks[start:end]) < _ENOUGH:
        return None
    following = first_words(blocks[end]) if end < len(blocks) else None
    return Region(start, end, "", following, "last page named by the pointer")


def further_regions(blocks: list[Block], first: Region, pointer: Pointer) -> list[Region]:
    """Later parts of a discussion that an annual report gives in several, each under its own title.

    "Management's discussion of operations" may be followed, after a statement, by "Management's
    discussion of financial resources and liquidity".
    """
    found: list[Region] = []
    contents = Contents(blocks)
    titles = {letters(first.heading)}
    end = first.end
    for index in range(first.end, len(blocks)):
        heading = _title(blocks[index], ()) if index >= end else None
        if heading is None or not _PART_TITLE.match(letters(heading)) or letters(heading) in titles:
            continue
        region = _extent(contents, blocks, index, heading, pointer)
        if length_of(blocks[index : region.end]) >= _ENOUGH_POINTED:
            found.append(region)
            titles.add(letters(heading))
            end = region.end
    return found


def _title(block: Block, captions: tuple[str, ...]) -> str | None:
    """The title that a block is or begins with."""
    if block.kind is not Kind.TEXT:
        return None
    text = block.text
    plain = letters(text[:_LONG])
    named = _TITLE.match(plain) or compact(text[:_LONG]).startswith(_SPACED_TITLES)
    quoted = captions and (
        plain.startswith(captions) or (len(plain) >= _TOLD and any(c.startswith(plain) for c in captions))
    )
    if not (named or quoted) or _NOT_TITLE.search(plain):
        return None
    if len(text) <= _LONG:
        return text if is_set_apart(block) else None
    lead = block.look.lead
    return lead if lead and len(lead) < _LONG and _TITLE.match(letters(lead)) else None


def is_set_apart(block: Block) -> bool:
    """Whether a block may be a title by how it is set."""
    look = block.look
    if text_is_sentence(block.text):
        return False
    return is_heading(block) or look.centred or (look.size or 0) >= 11 or len(block.text) < 110


def text_is_sentence(text: str) -> bool:
    """Whether a short text is a sentence rather than a title."""
    return text.endswith((".", ";", ",")) and len(text) > 110


def _extent(
    contents: Contents,
    blocks: list[Block],
    start: int,
    heading: str,
    pointer: Pointer | None,
    entry: IndexEntry | None = None,
    heads: Container[int] = (),
) -> Region:
    """From a title to where the discussion ends: by its pages, the contents page, or a title that ends it."""
    last = last_page_of(blocks, start, pointer)
    if last is None:
        part = contents.following_part(start, heading)
        if part is not None and (entry is None or length_of(blocks[start:part]) >= _ENOUGH):
            return Region(start, part, heading, first_words(blocks[part]), "next part by the contents page")
        end = last_page_end(blocks, start, entry)
        if end is not None:
            following = first_words(blocks[end]) if end < len(blocks) else None
            return Region(start, end, heading, following, "last page by the form's index")
    ends = end_titles("ends")
    own = letters(heading)
    size = blocks[start].look.size
    # Where the title is set off by a mark ("| MANAGEMENT'S DISCUSSION"), titles of its rank have it too.
    mark = heading[0] if heading[0] in "|*>#=+" else ""
    for index in range(start + 1, len(blocks)):
        block = blocks[index]
        if last and index >= last[1]:
            return Region(start, index, heading, first_words(block), "last page named by the pointer")
        if block.kind is not Kind.TEXT or len(block.text) > _LONG:
            continue
        if index in heads or _heads_item(block):
            return Region(start, index, heading, block.text, "heading of another item")
        if (mark and not block.text.startswith(mark)) or (last and index < last[0]):
            continue
        if index < start + 2 or not _may_title(block):
            continue
        plain = letters(block.text)
        if plain.startswith(ends) and not plain.startswith(own[:20]) and is_set_apart(block):
            return Region(start, index, heading, block.text, "title of another part")
        if block.anchors and size and block.look.size and block.look.size >= size + 0.5:
            return Region(start, index, heading, block.text, "heading as large")
    return Region(start, len(blocks), heading, None, "end of the document")


def last_page_of(blocks: list[Block], start: int, pointer: Pointer | None) -> tuple[int, int] | None:
    """Where the last page that a pointer names begins and ends, in blocks; None where no such page follows."""
    label = pointer.last_page if pointer else None
    if label is None:
        return None
    first = next((index for index in range(start, len(blocks)) if blocks[index].page == label), None)
    if first is None:
        return None
    end = next((index for index in range(first, len(blocks)) if blocks[index].page != label), len(blocks))
    return first, end


def _may_title(block: Block) -> bool:
    """Whether a block is set as a title, or is a short line whose longer words are capitalised."""
    if is_heading(block):
        return True
    words = [word for word in _LONGER_WORD.findall(block.text) if word not in ("about", "under")]
    capitalised = bool(words) and all(word[0].isupper() for word in words)
    return len(block.text) <= _TITLE_LENGTH and (block.look.bold or capitalised)


def _without_tail(blocks: list[Block], region: Region) -> Region:
    """A region without headings at its end: a company's name above the title of the next part, say."""
    end = region.end
    while end > region.start + 1 and is_heading(blocks[end - 1]):
        end -= 1
    return replace(region, end=end)


def _heads_item(block: Block) -> bool:
    return bool(item_number(block.text)[0]) and (block.look.bold or is_heading(block))


def first_words(block: Block) -> str | None:
    """What a section is followed by: a title, or the first line of a table."""
    if block.kind is Kind.TABLE:
        return " ".join(text for text, _ in filled_rows(block.source)[0])[:_LONG]
    if block.kind is Kind.FIXED:
        return " ".join(block.source[0].split())[:_LONG]
    return block.text[:_LONG] or None
