"""Item headings: every place in a document that may be one, with how much it looks like one."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from fingreat.edgar.ascii_pages import CONTINUED
from fingreat.edgar.blocks import Block, Kind
from fingreat.edgar.forms import Form, compact, letters, part_of
from fingreat.edgar.tables import filled_rows

_NUMBER_WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi"
_WORDS = {word: str(number) for words in (_NUMBER_WORDS, _ROMAN) for number, word in enumerate(words.split(), start=1)}
_JOINT = r"(?:\.?\s*(?:,|and|&|/|-|–|to|through)\s*(?:item\s*)?\d{1,2}[a-c]?(?!\w|[,.]\d))"
_LETTER = r"(?:\s?\(?(?P<letter>[a-c])\)?(?![a-z])|[.-](?P<behind>[a-c])\b)?"
ITEM = re.compile(
    r"^[\s*•\[]*(?:part\s+(?P<part>i{1,3}|iv|[1-4])\b[\s,.:;–—-]*)?i\s?t\s?e\s?m\s?s?\s*(?:no\.?\s*|#\s*|\(\s*)?"
    r"(?P<number>\d{1,2}|"
    + "|".join(_NUMBER_WORDS.split())
    + "|(?:"
    + "|".join(_ROMAN.split())
    + rf")(?=[a-c]?(?![a-z]))){_LETTER}(?P<joint>{_JOINT}*)"
    r"(?P<mark>\s*[.:,;)\]|–—-]*)\s*(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
NUMBERED = re.compile(
    rf"^\(?(?P<number>\d{{1,2}}){_LETTER}(?P<mark>\s*[.:)\]–—-]+)\s*(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
"""A heading that has an item's number and title but not the word."""
_RANGE = re.compile(r"-|–|to|through", re.IGNORECASE)
_PROSE_AFTER = re.compile(
    r"^(?:of|above|below|herein|in|to|and|for|is|are|was|were|which|that|this|under|as|on|by|the|or|contains?|includes?|also|entitled|we)\b|^[,;]"
)
TRAILING_PAGE = re.compile(
    r"(?:[.\s·…]{2,}|\s)(?:[A-Z]{1,3}-)?(?:\d{1,3}|[ivx]{1,5})(?:\s*[-–,&]\s*(?:[A-Z]-)?\d{1,3})*\s*$|\bn/?a\s*$",
    re.IGNORECASE,
)
_JOINS = re.compile(r"^(?:and|of|or|for|on|with|&)\s", re.IGNORECASE)
_PART_LINE = re.compile(
    r"^part\s+(i{1,3}|iv|[1-4])(?:\W+(?:other|financial)\s+information)?\W*$",
    re.IGNORECASE,
)
_PART_DIGITS = {"1": "I", "2": "II", "3": "III", "4": "IV"}
_PART_LENGTH = 60
_FIRST_PART = "I"
_WRONG_PART = 0.3
_SHARED = 3
_TOLD_OF = re.compile(
    r"^[^.;]{10,}?\b(?:contains?|includes?|should\s+be\s+read|discuss(?:es)?|describes?|provides?"
    r"|[-–—,]\s*notes?\s+\d|(?:of|in)\s+(?:this|our|the|its)\s+(?:annual|quarterly|current)?\s*(?:report|form\s+10))\b",
    re.IGNORECASE,
)
"""What follows an item's title in a sentence about it."""
_CAPITALS = re.compile(r"([^a-z]{12,}?[.:–—-])\s+(?=[A-Z]?[a-z])")
_SENTENCE = re.compile(r"(i\s?tems?\s*\w{1,5}\W{0,4}[^.:]{10,200}?[.:])\s+(?=[A-Z])", re.IGNORECASE)
_RUN_IN = 160
"""A longer text is a paragraph that begins with its heading."""
_SHORTEST_LEAD = 12
_LONG = 320
_TITLE_LENGTH = 120
_MOST_BLOCKS = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that may be an item's heading.

    Attributes:
        item: the item's key on its form, such as `7A`.
        start, end: the blocks of the heading, half-open.
        title: the heading as printed.
        weight: how much it looks like a heading, from 0 to about 2.
        contents: it looks like a line of a contents page.
        odd: its title is that of the item, its number is not.
        unnumbered: it is a title alone.
    """

    item: str
    start: int
    end: int
    title: str
    weight: float
    contents: bool
    odd: bool = False
    unnumbered: bool = False


def bare_title(text: str) -> str:
    """A title's letters without the item's number before it."""
    match = ITEM.match(text[:400]) or NUMBERED.match(text[:400])
    return letters(match["rest"] if match else text)


def item_number(text: str) -> tuple[str, str]:
    """The item's number that a text begins with, and what follows it; two empty texts where there is none."""
    match = ITEM.match(text[:400])
    return (_number(match), match["rest"].strip()) if match else ("", "")


def joint_items(title: str, form: Form) -> tuple[str, ...]:
    """The further items of a joint heading: 7A for "Items 7 and 7A", and those between for "Items 10 to 13"."""
    match = ITEM.match(title[:400])
    if not match or not match["joint"]:
        return ()
    named = [number.upper() for number in re.findall(r"\d{1,2}[a-c]?", match["joint"], re.IGNORECASE)]
    first = _number(match)
    if len(named) == 1 and _RANGE.search(match["joint"]) and {first, named[0]} <= set(form.order):
        return form.order[form.order.index(first) + 1 : form.order.index(named[0]) + 1]
    return tuple(named)


def find_candidates(blocks: list[Block], form: Form, pattern: re.Pattern[str] = ITEM) -> list[Candidate]:
    """Every place that may be an item heading, in order; a heading that may be of several items gives one for each.

    Args:
        blocks: a document's blocks.
        form: its items.
        pattern: `ITEM`, or `NUMBERED` for filers that leave the word out; those need the title, too.
    """
    found: list[Candidate] = []
    part = ""
    links = _links(blocks, pattern)
    for index, block in enumerate(blocks):
        if block.kind is Kind.TEXT:
            part = part_line(block) or part
            found += _candidates(blocks, index, form, pattern, part, links)
        elif block.kind in (Kind.TABLE, Kind.FIXED) and ("tem" in block.text or "TEM" in block.text):
            found += _table_candidates(block, index, form)
    return found


def part_line(block: Block) -> str:
    """The part that a block opens, such as "II"; empty for any other block."""
    match = _PART_LINE.match(block.text) if len(block.text) < _PART_LENGTH else None
    return _part(match[1]) if match else ""


def _part(stated: str) -> str:
    return _PART_DIGITS.get(stated, stated.upper())


def _candidates(
    blocks: list[Block], index: int, form: Form, pattern: re.Pattern[str], part: str, links: _Links
) -> list[Candidate]:
    block = blocks[index]
    match = pattern.match(block.text[:400])
    if not match or CONTINUED.search(block.text[:_LONG]):
        return []
    number, rest = _number(match), match["rest"].strip()
    glued = number + rest[:1].upper()
    if any(form.titled(key, compact(rest[1:_TITLE_LENGTH])) for key in form.keys(glued)):
        # "ITEM 7AQUANTITATIVE": the letter touches the title.
        number, rest = glued, rest[1:]
    keys = form.keys(number)
    end, title, words = index + 1, _printed(block), compact(rest[:_TITLE_LENGTH])
    if len(rest) < 4:
        # The title may stand in the next block, or in the one after a repeated "Item 7.".
        for ahead in (index + 1, index + 2):
            below = _short_words(blocks, ahead)
            if any(form.titled(key, below) for key in keys) or form.named(below):
                words, end = below, ahead + 1
                title = f"{title} {blocks[ahead].text}"
                break
    while end < min(index + _MOST_BLOCKS, len(blocks)) and _goes_on(blocks[end - 1], blocks[end]):
        title, end = f"{title} {blocks[end].text}", end + 1
    named = form.named(words)
    titled = bool(named) or any(form.titled(key, words) for key in keys)
    if _is_prose(block, match, rest, titled=titled) or (pattern is NUMBERED and not titled):
        return []
    if pattern is ITEM and match["part"]:
        part = _part(match["part"])
    contents = (len(title) < _LONG and bool(TRAILING_PAGE.search(title))) or links.lead_on(block, index)
    found = []
    for key in dict.fromkeys((*keys, *named)):
        odd = key not in keys
        weight = 0.3 + _title_weight(words, key, form, odd=odd) + look_weight(block)
        if part and len(keys) > 1 and (part_of(key) or _FIRST_PART) != part:
            weight *= _WRONG_PART
        found.append(Candidate(key, index, end, title, weight * (0.3 if contents else 1.0), contents, odd))
    return found


@dataclass(frozen=True, slots=True)
class _Links:
    """Where the links of headings lead: targets that several share, and the blocks that targets stand at."""

    shared: frozenset[str]
    places: dict[str, int]

    def lead_on(self, block: Block, index: int) -> bool:
        """Whether a block links to a later place, or to one unknown; a heading may link back to the contents.

        What several headings lead to is the contents page, even where there is no such place.
        """
        look = block.look
        if not look.linked or look.links & self.shared:
            return False
        return not any(self.places.get(link, index + 1) <= index for link in look.links)


def _links(blocks: list[Block], pattern: re.Pattern[str]) -> _Links:
    texts = [block for block in blocks if block.kind is Kind.TEXT and pattern.match(block.text[:_LONG])]
    leads = Counter(link for block in texts if block.look.linked for link in block.look.links)
    shared = frozenset(link for link, times in leads.items() if times >= _SHARED)
    return _Links(shared, {name: index for index, block in enumerate(blocks) for name in block.anchors})


def _printed(block: Block) -> str:
    """The heading that a block is, or that a paragraph begins with."""
    text = block.text
    if len(text) <= _RUN_IN:
        return text
    for lead in (block.look.lead, *(match[1] for match in (_CAPITALS.match(text), _SENTENCE.match(text)) if match)):
        if _SHORTEST_LEAD < len(lead) < len(text) and text.startswith(lead):
            return lead
    return text


def _short_words(blocks: list[Block], index: int) -> str:
    """The letters of a block that may be a title; empty for any other."""
    if index >= len(blocks) or blocks[index].kind is not Kind.TEXT or len(blocks[index].text) >= _LONG:
        return ""
    return compact(blocks[index].text[:_TITLE_LENGTH])


def _title_weight(words: str, key: str, form: Form, *, odd: bool) -> float:
    if odd:
        return 0.7
    return 0.9 if form.titled(key, words) else 0.0


def _goes_on(before: Block, block: Block) -> bool:
    """Whether a heading goes on in the next block: "MANAGEMENT'S DISCUSSION", "AND ANALYSIS OF ..."."""
    if block.kind is not Kind.TEXT or len(before.text) > _LONG or len(block.text) > _LONG // 2:
        return False
    alike = block.text.isupper() == before.text.isupper() and block.look.bold == before.look.bold
    return alike and _JOINS.match(block.text) is not None and not block.text.endswith(".")


def _is_prose(block: Block, match: re.Match[str], rest: str, *, titled: bool) -> bool:
    """Whether the line is a sentence that begins with an item's name."""
    if _PROSE_AFTER.match(rest) and not block.look.bold:
        return True
    if not titled and rest and not match["mark"].strip() and not block.look.bold:
        return True
    if titled and not block.look.bold and _TOLD_OF.search(rest[:_LONG]):
        return True
    if len(block.text) > _LONG:
        return not titled or (len(_printed(block)) == len(block.text) and not block.look.lead)
    return titled and rest[:1].islower() and not block.look.bold and not match["mark"].strip()


def look_weight(block: Block) -> float:
    """How much a block is set like a heading, from 0 to 0.9."""
    look = block.look
    capitals = block.text[:60].isupper()
    return 0.4 * (look.bold or bool(look.lead)) + 0.2 * capitals + 0.1 * look.centred + 0.2 * look.underlined


def _table_candidates(block: Block, index: int, form: Form) -> list[Candidate]:
    """Rows of a table that name items: almost always a contents page or a cross-reference index."""
    found = []
    if block.kind is Kind.FIXED:
        lines = [line.strip() for line in block.source]
    else:
        lines = [" ".join(cell for cell, _ in row) for row in filled_rows(block.source)]
    for text in lines:
        match = ITEM.match(text[:400])
        if match:
            keys = form.keys(_number(match))
            found += [Candidate(key, index, index + 1, text, 0.2, contents=True) for key in keys]
    return found


def _number(match: re.Match[str]) -> str:
    number = match["number"].lower()
    return str(int(_WORDS.get(number, number))) + (match["letter"] or match["behind"] or "").upper()
