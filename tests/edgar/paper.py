"""A filing taken apart just far enough that its form can be changed and its words left alone.

A paper is a filing's main document as one flat text, one line for each block (HTML) or line (fixed-width text),
whose ranges can be replaced; HTML keeps its tree, so whole elements can be changed, too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Self

from lxml import etree

_BLOCK_NAMES = (
    "address blockquote body center dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre table tbody td th thead tr ul"
)
BLOCK_TAGS = frozenset(_BLOCK_NAMES.split())
ITEM = re.compile(
    r"^[\s*]*(?P<part>part\s+[iv]+[\s,.:;–—-]*)?(?P<number>(?P<word>items?)\s*(?P<digits>\d{1,2})\s?"
    r"(?:\(?(?P<letter>[a-c])\)?(?![a-z]))?(?P<mark>\s?[.:–—-]*\s?[.:–—-]*))\s*(?P<rest>.*)$",
    re.IGNORECASE,
)
TITLES = {
    "1": "business description general our",
    "1A": "risk",
    "1B": "unresolved",
    "1C": "cyber",
    "2": "properties description property",
    "3": "legal",
    "4": "mine submission reserved removed",
    "5": "market",
    "6": "selected reserved",
    "7": "management mda financial review operating and financial",
    "7A": "quantitative qualitative disclosures",
    "8": "financial consolidated independent",
    "9": "changes change disagreements",
    "9A": "controls control",
    "9B": "other",
    "9C": "disclosure",
    "10": "directors executive",
    "11": "executive",
    "12": "security",
    "13": "certain",
    "14": "principal exhibits controls exhibit",
    "15": "exhibits exhibit",
    "16": "form",
}
ORDER = list(TITLES)
_LONG_HEADING = 350
_DOCUMENT = re.compile(r"<DOCUMENT>.*?(?:</DOCUMENT>|\Z)", re.DOTALL | re.IGNORECASE)
_TEXT = re.compile(r"<TEXT>\s*(.*?)(?:</TEXT>|</DOCUMENT>|\Z)", re.DOTALL | re.IGNORECASE)
MARKS = {"\ue000": '<font size="2">', "\ue001": "</font>", "\ue002": "<br>", "\ue003": "&#146;"}
"""Stand for markup in replaced text until the paper is written."""


@dataclass(frozen=True, slots=True)
class Heading:
    """An item's heading: the ranges of its number ("Item 7.") and its line, and its title as far as it is known.

    `title_start` is where the title begins, on the same line or a later one.
    """

    item: str
    start: int
    number_end: int
    line_end: int
    title_start: int
    title: str


@dataclass
class Paper:
    """The main document of a filing, and what stands around it."""

    before: str
    after: str
    is_html: bool
    flat: str = ""
    root: Any = None
    slots: list[tuple[int, Any, str]] = field(default_factory=list)
    edits: list[tuple[int, int, str]] = field(default_factory=list)

    def replace(self, start: int, end: int, new: str) -> None:
        """Put other words in a range of the flat text; done when the paper is written."""
        if not any(start < old_end and old_start < end for old_start, old_end, _ in self.edits):
            self.edits.append((start, end, new))

    def element_at(self, place: int) -> Any:
        """The innermost block element around a place of the flat text."""
        while place < len(self.flat) and self.flat[place].isspace():
            place += 1
        slot = self.slots[bisect_right([start for start, _, _ in self.slots], place) - 1]
        here = slot[1] if slot[2] == "text" else slot[1].getparent()
        while here.tag not in BLOCK_TAGS:
            here = here.getparent()
        return here

    def insert(self, place: int, lines: list[str], tags: tuple[str, ...] = ("p",), **attributes: str) -> None:
        """Paragraphs of their own before the block (in HTML the table) at a place, in these tags."""
        if not self.is_html:
            start = self.flat.rfind("\n", 0, place) + 1
            self.edits.append((start, start, "".join(f"{line}\n\n" for line in lines)))
            return
        here = self.element_at(place)
        outer = list(here.iterancestors("table"))
        here = outer[-1] if outer else here
        if here.tag == "body":
            slot = self.slots[bisect_right([start for start, _, _ in self.slots], place) - 1]
            here = slot[1]
        for line in lines:
            element = etree.Element(tags[0], attributes)
            inner = element
            for tag in tags[1:]:
                inner = etree.SubElement(inner, tag)
            inner.text = line
            here.addprevious(element)

    def paragraphs(self, start: int, end: int) -> list[int]:
        """Where paragraphs of prose begin that follow prose, in a range of the flat text."""
        places = []
        tagged = False
        ended = False
        place = 0
        blank = True
        for line in self.flat.split("\n"):
            words = line.strip()
            tagged = (tagged or words.upper().startswith("<TABLE")) and "</TABLE" not in words.upper()
            inside = start < place < end and not tagged and ended and (blank or self.is_html)
            if inside and len(words) > (200 if self.is_html else 60) and words[0].isupper() and self._in_prose(place):
                places.append(place)
            if words or not self.is_html:
                blank = not words
            if words:
                ended = words.endswith(".") and len(words) > 20
            place += len(line) + 1
        return places

    def _in_prose(self, place: int) -> bool:
        if not self.is_html:
            return True
        here = self.element_at(place)
        leaf = next(here.iterdescendants(*BLOCK_TAGS), None) is None
        return here.tag in ("p", "div") and leaf and next(here.iterancestors("table"), None) is None

    def written(self, finish: Callable[[str], str] | None = None) -> str:
        """The whole filing again."""
        for start, end, new in sorted(self.edits, key=lambda edit: edit[:2], reverse=True):
            if self.is_html:
                self._edit_slots(start, end, new)
            else:
                self.flat = self.flat[:start] + new + self.flat[end:]
        body = self.flat
        if self.is_html:
            body = etree.tostring(self.root, method="html", encoding="unicode")
        for mark, markup in MARKS.items():
            body = body.replace(mark, markup)
        return self.before + (finish(body) if finish else body) + self.after

    def _edit_slots(self, start: int, end: int, new: str) -> None:
        starts = [place for place, _, _ in self.slots]
        number = max(0, bisect_right(starts, start) - 1)
        for first in range(number, len(self.slots)):
            place, element, kind = self.slots[first]
            text = getattr(element, kind) or ""
            if place > end or (place == end and first > number):
                return
            low, high = max(start - place, 0), min(end - place, len(text))
            if low > len(text) or (low == len(text) and start < end):
                continue
            setattr(element, kind, text[:low] + new + text[max(high, low) :])
            new = ""

    def copy(self) -> Self:
        """A paper to change while this one stays; the tree is parsed anew only in the copy."""
        fresh = type(self)(self.before, self.after, self.is_html, self.flat)
        if self.is_html:
            fresh.root = deepcopy(self.root)
            fresh.flat, fresh.slots = flatten(fresh.root)
        return fresh


def open_paper(data: bytes, around: str) -> Paper:
    """The document of a filing that holds a text (compared on letters and digits), ready for changes."""
    whole = _decode(data).replace("\r\n", "\n").replace("\r", "\n")
    before, body, after = _cut(whole, around)
    is_html = len(re.findall(r"<(?:p|div|font|br|span|td|html|body|pre)\b", body, re.IGNORECASE)) > 2
    paper = Paper(before, after, is_html, body)
    if is_html:
        paper.root = etree.fromstring(
            body.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8", huge_tree=True)
        )
        paper.flat, paper.slots = flatten(paper.root)
    return paper


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _cut(whole: str, around: str) -> tuple[str, str, str]:
    parts = list(_DOCUMENT.finditer(whole))
    wanted = squash(around)[:40]
    chosen = None
    for part in parts:
        text = _TEXT.search(part[0])
        if text and (chosen is None or wanted in squash(re.sub(r"<[^>]*>", "", text[1]))):
            chosen = (part.start() + text.start(1), part.start() + text.end(1))
            if wanted in squash(re.sub(r"<[^>]*>", "", text[1])):
                break
    if chosen is None:
        return "", whole, ""
    return whole[: chosen[0]], whole[chosen[0] : chosen[1]], whole[chosen[1] :]


def squash(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.casefold())


def flatten(root: Any) -> tuple[str, list[tuple[int, Any, str]]]:
    """The tree's words, one line a block, and where each text node stands in them."""
    parts: list[str] = []
    slots: list[tuple[int, Any, str]] = []
    size = 0
    pre = 0
    fresh = True

    def add(text: str, element: Any, kind: str) -> None:
        nonlocal size, fresh
        slots.append((size, element, kind))
        parts.append(text if pre else text.replace("\n", " "))
        size += len(text)
        fresh = False

    def line() -> None:
        nonlocal size, fresh
        if not fresh:
            parts.append("\n")
            size += 1
            fresh = True

    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        tag = element.tag
        named = isinstance(tag, str)
        if event == "start" and named:
            pre += tag == "pre"
            if tag in BLOCK_TAGS or tag == "br":
                line()
            if element.text and tag not in ("script", "style", "title"):
                add(element.text, element, "text")
        else:
            pre -= tag == "pre"
            if named and tag in BLOCK_TAGS:
                line()
            if element.tail:
                add(element.tail, element, "tail")
    return "".join(parts), slots


def candidates(paper: Paper) -> list[Heading]:
    """All lines that begin as a heading of an item does, in the contents page, the body and an index."""
    found = []
    place = 0
    lines = paper.flat.split("\n")
    for number, line in enumerate(lines):
        match = ITEM.match(line) if "tem" in line[:60].casefold() else None
        if match:
            heading = _heading(match, place, lines[number + 1 : number + 9])
            if heading:
                found.append(heading)
        place += len(line) + 1
    return found


def _heading(match: re.Match[str], place: int, following: list[str]) -> Heading | None:
    item = match["digits"] + (match["letter"] or "").upper()
    rest = match["rest"].strip()
    if item not in TITLES or (match["word"].casefold() == "items" and not re.match(r"items?\b", rest)):
        return None
    starts = tuple(TITLES[item].split())
    start, end = place + match.start("word"), place + match.end("number")
    if rest:
        words = re.sub(r"[^a-z' ]", "", rest.casefold().replace("’", "'")).strip()
        if not words.startswith(starts) or len(rest) > _LONG_HEADING * 3:
            return None
        return Heading(item, start, end, place + match.end(), place + match.start("rest"), rest)
    ahead = place + match.end() + 1
    for line in following:
        words = re.sub(r"[^a-z' ]", "", line.casefold().replace("’", "'")).strip()
        if words:
            good = words.startswith(starts)
            title = line.strip() if good else ""
            return Heading(item, start, end, place + match.end(), ahead + len(line) - len(line.lstrip()), title)
        ahead += len(line) + 1
    return Heading(item, start, end, place + match.end(), place + match.end(), "")


def append_paragraphs(paper: Paper, lines: list[str]) -> None:
    """Paragraphs at the end of the document."""
    if paper.is_html:
        body = paper.root.find(".//body")
        for line in lines:
            etree.SubElement(body, "p").text = line
    else:
        size = len(paper.flat)
        paper.replace(size, size, "\n\n" + "\n\n".join(lines) + "\n")


def squashed_places(flat: str) -> tuple[str, list[int]]:
    """The letters and digits of a text in lower case, and where each stands."""
    kept, places = [], []
    for match in re.finditer(r"[A-Za-z0-9]", flat):
        kept.append(match[0].lower())
        places.append(match.start())
    return "".join(kept), places
