"""Item headings: every place in a document that may be one, with how much it looks like one."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from fingreat.edgar.ascii_pages import CONTINUED
from fingreat.edgar.blocks import Block, Kind
from fingreat.edgar.tables import filled_rows

_NUMBER_WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi"
_WORDS = {word: str(number) for words in (_NUMBER_WORDS, _ROMAN) for number, word in enumerate(words.split(), start=1)}
_JOINT = r"(?:\s*(?:,|and|&|/|-|–|to|through)\s*(?:item\s*)?\d{1,2}[a-c]?(?![\w,]|\.\d))"
ITEM = re.compile(
    r"^[\s*•]*(?:part\s+(?:i{1,3}|iv|[1-4])\b[\s,.:;–—-]*)?i\s?tems?\s*(?:no\.?\s*|#\s*|\(\s*)?"
    r"(?P<number>\d{1,2}|"
    + "|".join(_NUMBER_WORDS.split())
    + "|(?:"
    + "|".join(_ROMAN.split())
    + r")(?=[a-c]?(?![a-z])))\s?(?:\(?(?P<letter>[a-c])\)?(?![a-z]))?"
    rf"(?P<joint>{_JOINT}*)"
    r"(?P<mark>\s*[.:,;)\]–—-]*)\s*(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
NUMBERED = re.compile(
    r"^(?P<number>\d{1,2})\s?(?:\(?(?P<letter>[a-c])\)?(?![a-z]))?(?P<mark>\s*[.:)\]–—-]+)\s*(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
"""A heading that has an item's number and title but not the word."""
_RANGE = re.compile(r"-|–|to|through", re.IGNORECASE)
_PROSE_AFTER = re.compile(
    r"^(?:of|above|below|herein|in|to|and|for|is|are|was|were|which|that|this|under|as|on|by|the|or|contains?|includes?|also|entitled|we)\b|^[,;]"
)
_TRAILING_PAGE = re.compile(
    r"(?:[.\s·…]{2,}|\s)(?:[A-Z]{1,3}-)?(?:\d{1,3}|[ivx]{1,5})(?:\s*[-–,&]\s*(?:[A-Z]-)?\d{1,3})*\s*$|\bn/?a\s*$",
    re.IGNORECASE,
)
_NOT_LETTERS = re.compile(r"[^a-z ]+")
_JOINS = re.compile(r"^(?:and|of|or|for|on|with|&)\s", re.IGNORECASE)
_LONG = 320
_MOST_BLOCKS = 4


@dataclass(frozen=True, slots=True)
class Form:
    """The items of one form, in order, how their titles begin, and their numbers on Form 10-K."""

    order: tuple[str, ...]
    starts: dict[str, tuple[str, ...]]
    same: dict[str, str]

    def own_number(self, item: str) -> str | None:
        """The form's number for an item named by its Form 10-K number."""
        for own, annual in self.same.items():
            if annual == item:
                return own
        return item if item in self.order and item not in self.same else None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that may be an item's heading.

    Attributes:
        item: the number as the form gives it, such as `7A`.
        start, end: the blocks of the heading, half-open.
        title: the heading as printed.
        weight: how much it looks like a heading, from 0 to about 2.
        contents: it looks like a line of a contents page.
    """

    item: str
    start: int
    end: int
    title: str
    weight: float
    contents: bool


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files("fingreat.edgar").joinpath("items.toml").read_text(encoding="utf-8"))


@cache
def end_titles(kind: str) -> tuple[str, ...]:
    """How titles begin that end management's discussion: `ends`, or `breaks` for those beyond doubt."""
    return tuple(_table()[kind]["titles"])


@cache
def load_forms() -> dict[str, Form]:
    """The forms and their items, from items.toml."""
    return {
        name: Form(
            tuple(form["order"]),
            {item: tuple(starts) for item, starts in form["starts"].items()},
            dict(form.get("same", {})),
        )
        for name, form in _table()["forms"].items()
    }


def form_of(name: str | None) -> Form:
    """The form's items; that of Form 10-K where the form is unknown."""
    forms = load_forms()
    plain = (name or "").upper()
    if plain.startswith(("10-KSB", "10KSB")):
        return forms["10-KSB"]
    if plain.startswith(("10-Q", "10QSB")):
        return forms["10-Q"]
    return forms["10-K"]


def bare_title(text: str) -> str:
    """A title's letters without the item's number before it."""
    match = ITEM.match(text[:400]) or NUMBERED.match(text[:400])
    return letters(match["rest"] if match else text)


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


def letters(text: str) -> str:
    """Lower-case letters and single blanks only, apostrophes closed up; for comparing titles."""
    plain = text.casefold().replace("\u2019", "").replace("'", "").replace("`", "").replace("-", "")
    return " ".join(_NOT_LETTERS.sub(" ", plain).split())


def find_candidates(blocks: list[Block], form: Form, pattern: re.Pattern[str] = ITEM) -> list[Candidate]:
    """Every place that may be an item heading, in order.

    Args:
        blocks: a document's blocks.
        form: its items.
        pattern: `ITEM`, or `NUMBERED` for filers that leave the word out; those need the title, too.
    """
    found: list[Candidate] = []
    for index, block in enumerate(blocks):
        if block.kind is Kind.TEXT:
            candidate = _candidate(blocks, index, form, pattern)
            if candidate is not None:
                found.append(candidate)
        elif block.kind in (Kind.TABLE, Kind.FIXED) and ("tem" in block.text or "TEM" in block.text):
            found += _table_candidates(block, index, form)
    return found


def _candidate(blocks: list[Block], index: int, form: Form, pattern: re.Pattern[str]) -> Candidate | None:
    block = blocks[index]
    match = pattern.match(block.text[:400])
    if not match:
        return None
    item = _number(match)
    if item not in form.order or CONTINUED.search(block.text[:_LONG]):
        return None
    rest = match["rest"].strip()
    end = index + 1
    title = block.text
    starts = form.starts.get(item, ())
    titled = letters(rest[:120]).startswith(starts)
    if not titled and len(rest) < 4:
        # The title may stand in the next block, or in the one after a repeated "Item 7.".
        for ahead in (index + 1, index + 2):
            if ahead < len(blocks) and _is_title(blocks[ahead], starts):
                titled, end = True, ahead + 1
                title = f"{title} {blocks[ahead].text}"
                break
    while end < min(index + _MOST_BLOCKS, len(blocks)) and _goes_on(blocks[end - 1], blocks[end]):
        title, end = f"{title} {blocks[end].text}", end + 1
    if _is_prose(block, match, rest, titled=titled) or (pattern is NUMBERED and not titled):
        return None
    weight = 0.3 + (0.9 if titled else 0.0) + _look_weight(block)
    contents = (bool(_TRAILING_PAGE.search(title)) and len(title) < _LONG) or block.look.linked
    return Candidate(item, index, end, title, weight * (0.3 if contents else 1.0), contents)


def _goes_on(before: Block, block: Block) -> bool:
    """Whether a heading goes on in the next block: "MANAGEMENT'S DISCUSSION", "AND ANALYSIS OF ..."."""
    if block.kind is not Kind.TEXT or len(before.text) > _LONG or len(block.text) > _LONG // 2:
        return False
    alike = block.text.isupper() == before.text.isupper() and block.look.bold == before.look.bold
    return alike and _JOINS.match(block.text) is not None and not block.text.endswith(".")


def _is_title(block: Block, starts: tuple[str, ...]) -> bool:
    short = block.kind is Kind.TEXT and len(block.text) < _LONG
    return short and letters(block.text[:120]).startswith(starts)


def _is_prose(block: Block, match: re.Match[str], rest: str, *, titled: bool) -> bool:
    """Whether the line is a sentence that begins with an item's name."""
    if _PROSE_AFTER.match(rest) and not block.look.bold:
        return True
    if not titled and rest and not match["mark"].strip() and not block.look.bold:
        return True
    if len(block.text) > _LONG:
        lead = block.look.lead
        return not (titled and (lead or block.text[:6].isupper()))
    return titled and rest[:1].islower() and not block.look.bold and not match["mark"].strip()


def _look_weight(block: Block) -> float:
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
        if match and _number(match) in form.order:
            found.append(Candidate(_number(match), index, index + 1, text, 0.2, contents=True))
    return found


def _number(match: re.Match[str]) -> str:
    number = match["number"].lower()
    return str(int(_WORDS.get(number, number))) + (match["letter"] or "").upper()
