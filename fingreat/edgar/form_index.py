"""The index of a form's items: which title and which pages a filer gives each item that has no heading of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fingreat.edgar.blocks import Block, Kind
from fingreat.edgar.forms import Form, compact
from fingreat.edgar.headings import item_number
from fingreat.edgar.tables import filled_rows

_PAGES = re.compile(
    r"(?<![\w-])(?P<first>(?:[A-Z]{1,2}-)?\d{1,3})(?:\s*(?:-|–|—|to|through)\s*(?P<last>(?:[A-Z]{1,2}-)?\d{1,3}))?(?![\w-])"
)
_PAGE_CELL = re.compile(r"^(?:pages?\s*)?(?:[A-Z]{1,2}-)?\d{1,3}(?:\W.*)?$", re.IGNORECASE | re.DOTALL)
_BARE = re.compile(r"^(\d{1,2}[a-c]?)\.?$", re.IGNORECASE)
_FEWEST_ITEMS = 4


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """An item in the index: its title as printed there, and its ranges of pages by their printed labels.

    The last label of a range is None where the index only says where the text begins.
    """

    title: str
    pages: tuple[tuple[str, str | None], ...]


def read_index(blocks: list[Block], form: Form) -> dict[str, IndexEntry]:
    """The items of the form's index, by key; the fullest table that names items, whether it is a contents page or not.

    Rows without an item's number below one that has it give it further pages.
    """
    best: dict[str, IndexEntry] = {}
    for block in blocks:
        if block.kind is Kind.TABLE:
            found = _read_table(block, form)
            if len(found) >= _FEWEST_ITEMS and _ranges(found) >= _ranges(best):
                best = found
    return best


def last_page_end(blocks: list[Block], start: int, entry: IndexEntry | None) -> int | None:
    """Where the last page ends of the index's range that begins on the page of a block; None where there is none."""
    ranges = entry.pages if entry else ()
    last = next((last for first, last in ranges if last and first == blocks[start].page), None)
    pages = [block.page for block in blocks]
    return len(pages) - pages[::-1].index(last) if last is not None and last in pages[start:] else None


def _ranges(entries: dict[str, IndexEntry]) -> int:
    return sum(1 for entry in entries.values() for _, last in entry.pages if last)


def _read_table(block: Block, form: Form) -> dict[str, IndexEntry]:
    found: dict[str, IndexEntry] = {}
    current = ""
    for row in filled_rows(block.source):
        texts = [text for text, _ in row]
        number, title = item_number(texts[0])
        bare = _BARE.match(texts[0])
        if bare and len(texts) > 1:
            number = next(
                (bare[1].upper() for key in form.keys(bare[1].upper()) if form.titled(key, compact(texts[1]))), ""
            )
        keys = form.keys(number)
        if keys:
            current = next((key for key in keys if key not in found), keys[0])
            words = title or next((text for text in texts[1:] if not _PAGE_CELL.match(text)), "")
            found.setdefault(current, IndexEntry(words.rstrip(" :"), ()))
        elif texts[0].lower().startswith(("part ", "signature")):
            current = ""
        if current and len(texts) > 1 and _PAGE_CELL.match(texts[-1]):
            pages = tuple((match["first"], match["last"]) for match in _PAGES.finditer(texts[-1]))
            found[current] = IndexEntry(found[current].title, (*found[current].pages, *pages))
    return found
