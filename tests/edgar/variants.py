"""Changes of a filing's form that other filers really use and that leave its Item 7 what it is.

Each variant is a function from a case to the changed filing's bytes; None where it does not apply. Where the label
changes with the form (the text moves to an exhibit), it comes along.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from paper import Heading, Paper, candidates, open_paper, squash, squashed_places

Label = dict[str, Any]
Changed = bytes | tuple[bytes, Label] | None
Variant = Callable[["Case"], Changed]

TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("variants.toml").read_text(encoding="utf-8"))
VARIANTS: dict[str, Variant] = {}
SEVEN = "Management's Discussion and Analysis of Financial Condition and Results of Operations"
_WORD_LIST = "One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen"
_ROMAN_LIST = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI"
_WORDS, _ROMAN = _WORD_LIST.split(), _ROMAN_LIST.split()
_HEADING = re.compile(
    r".{0,90}?management.s\s+discussion\s+and\s+analysis.{0,130}?operations?\b(?:[ ]*\([^\n)]{0,120}\))?",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Case:
    """A labelled filing ready to be changed.

    Attributes:
        headings: item headings of the body; `contents` those of the contents page.
        start, body, end: where Item 7, its text after the heading, and what follows begin in the paper's flat text.
    """

    label: Label
    paper: Paper
    headings: list[Heading]
    contents: list[Heading]
    start: int
    body: int
    end: int

    @property
    def seven(self) -> Heading | None:
        """The heading of Item 7; None where it has no number."""
        return next((heading for heading in self.headings if abs(heading.start - self.start) < 30), None)

    @property
    def own_text(self) -> bool:
        """Whether Item 7's text stands in the item itself."""
        return bool(self.label["status"] != "by_reference")

    def before(self, item: str) -> Heading | None:
        """An item's heading before Item 7."""
        return next((one for one in self.headings if one.item == item and one.start < self.start), None)

    def after(self, item: str) -> Heading | None:
        """An item's heading after the beginning of Item 7."""
        return next((one for one in self.headings if one.item == item and one.start > self.start), None)

    def next_start(self, heading: Heading) -> int:
        """Where the next heading begins."""
        return next((one.start for one in self.headings if one.start > heading.start), len(self.paper.flat))

    def fresh(self) -> Case:
        """The same case with a paper of its own to change."""
        return replace(self, paper=self.paper.copy())

    def erase(self, heading: Heading | None) -> bool:
        """Take an item out, heading and text."""
        if heading is not None:
            self.paper.replace(heading.start, self.next_start(heading), "")
        return heading is not None

    def written(self) -> bytes:
        """The changed filing."""
        return self.paper.written().encode()


def open_case(data: bytes, label: Label) -> Case:
    paper = open_paper(data, label["text"])
    squashed, places = squashed_places(paper.flat)
    words = squash(without_heading(label["text"]))
    place = next((at for n in (120, 80, 50, 30) if (at := squashed.find(words[:n])) >= 0), -1)
    stop = next((at + n for n in (60, 40, 25) if (at := squashed.find(words[-n:], place)) >= 0), -1)
    if place < 0 or stop < 0:
        raise ValueError(f"{label['file']}: the label's text is not in the filing")
    body, end = places[place], places[stop - 1] + 1
    found = candidates(paper)
    start = max((one.start for one in found if one.item == "7" and body - 600 < one.start < body), default=body)
    contents = _contents(found, start)
    return Case(label, paper, [one for one in found if one not in contents], contents, start, body, end)


def _contents(found: list[Heading], before: int) -> list[Heading]:
    """Lines of contents pages: six items or more close together."""
    runs: list[list[Heading]] = []
    for heading in found:
        if heading.start >= before:
            break
        if runs and heading.start - runs[-1][-1].start < 400 and heading.item not in {one.item for one in runs[-1]}:
            runs[-1].append(heading)
        else:
            runs.append([heading])
    return [heading for run in runs if len(run) >= 6 for heading in run]


def without_heading(text: str) -> str:
    """A label's text after its heading, whose words variants may change."""
    match = _HEADING.match(text)
    return text[match.end() :] if match and match.end() < 400 else text


def verdict(scorer: Any, label: Label, section: Any) -> str:
    """The scorer's verdict on a section of a changed filing, the heading's own words left out."""
    if label["status"] == "by_reference":
        return str(scorer.judge(label, {"status": section.status.value, "text": section.text})[0])
    bare = {**label, "text": without_heading(label["text"])}
    if label.get("joint"):
        # A joint heading's section is that of both items: only its beginning and Item 7's words are judged.
        recall = scorer.f1(bare["text"], section.text)[0]
        return "exact" if recall > 0.95 and scorer.ends(bare["text"], section.text)[0] else "wrong"
    return str(scorer.judge(bare, {"status": section.status.value, "text": section.text})[0])


def variant(function: Variant) -> Variant:
    """Enter a variant under its function's name."""
    VARIANTS[function.__name__] = function
    return function


def enter(kind: str, change: Callable[..., Changed]) -> None:
    """Enter a variant for each line of a table: `change` gets the case and the line."""
    for name, line in TABLES[kind].items():
        VARIANTS[f"{kind}_{name}"] = partial(_given, change, line, name)


def _given(change: Callable[..., Changed], line: Any, name: str, case: Case) -> Changed:
    return change(case, line, name) if case.seven is not None else None


def digits(heading: Heading) -> int:
    return int(re.sub(r"\D", "", heading.item))


def _number(case: Case, form: str, name: str) -> Changed:
    """Every item's number in another form, in the contents page as well where the name says everywhere."""
    if "\ue000" <= max(form, default="") <= "\ue003" and not case.paper.is_html:
        return None
    for heading in [*case.headings, *(case.contents if name.endswith("everywhere") else [])]:
        n, letter = digits(heading), re.sub(r"\d", "", heading.item)
        part = "Part " + ("I" if n < 5 else "II" if n < 10 else "III" if n < 15 else "IV")
        plain = "Item {n}." if name.endswith("letter") or name.startswith("letter") else form
        new = (form if letter else plain).format(
            n=n, l=letter, small=letter.lower(), word=_WORDS[n - 1], WORD=_WORDS[n - 1].upper(), roman=_ROMAN[n - 1],
            part=part, PART=part.upper(),
        )  # fmt: skip
        parted = case.paper.flat[heading.number_end : heading.number_end + 1].isspace()
        gap = "" if parted or not new or heading.title_start > heading.line_end else " "
        case.paper.replace(heading.start, heading.number_end, new + gap)
    return case.written()


enter("number", _number)


def _title(case: Case, new: str, pattern: str) -> Changed:
    """Item 7's title in other words, in capitals where the filing's is."""
    wanted = re.compile(TABLES["pattern"][pattern], re.IGNORECASE)
    changed = False
    for heading in case.headings:
        match = wanted.search(case.paper.flat, heading.number_end, heading.title_start + 130)
        if heading.item == "7" and match:
            changed = changed or heading == case.seven
            case.paper.replace(match.start(), match.end(), new.upper() if match[0].isupper() else new)
    return case.written() if changed else None


for _pattern, _lines in TABLES["title"].items():
    for _name, _line in _lines.items():
        VARIANTS[f"title_{_name}"] = partial(_given, _title, _line, _pattern)


@variant
def title_spaced(case: Case) -> Changed:
    """The first word of each title in spaced capitals."""
    for heading in case.headings:
        match = re.compile(r"[A-Za-z']+").search(case.paper.flat, heading.title_start)
        if match and heading.title:
            case.paper.replace(match.start(), match.end(), " ".join(match[0].upper()))
    return case.written() if case.seven else None


@variant
def title_broken_word(case: Case) -> Changed:
    """A blank after the first letter."""
    for heading in case.headings:
        if heading.title:
            case.paper.replace(heading.title_start + 1, heading.title_start + 1, " ")
    return case.written() if case.seven else None


@variant
def title_small_capitals(case: Case) -> Changed:
    """A large first letter in a tag of its own."""
    for heading in case.headings:
        if heading.title:
            letter = case.paper.flat[heading.title_start]
            case.paper.replace(heading.title_start, heading.title_start + 1, f"\ue000{letter}\ue001")
    return case.written() if case.seven and case.paper.is_html else None


def _slip(case: Case, line: list[str], name: str) -> Changed:
    item, number = line
    heading = case.seven if item == "7" else case.after(item)
    if heading is None:
        return None
    case.paper.replace(heading.start, heading.number_end, number + " ")
    return case.written()


def _joint(case: Case, number: str, name: str) -> Changed:
    """One heading for Items 7 and 7A."""
    heading, market = case.seven, case.after("7A")
    if heading is None or market is None or not case.own_text:
        return None
    case.paper.replace(heading.start, heading.number_end, number + " ")
    case.paper.replace(market.start, case.paper.flat.find("\n", market.title_start), "")
    return case.written(), {**case.label, "joint": True}


def _eight(case: Case, title: str, name: str) -> Changed:
    heading = case.after("8")
    if heading is None or not heading.title:
        return None
    line = case.paper.flat.find("\n", heading.title_start)
    case.paper.replace(heading.title_start, line, title if case.paper.is_html else title + "\n")
    return case.written()


def _market(case: Case, text: str, name: str) -> Changed:
    heading = case.after("7A")
    if heading is None or not heading.title:
        return None
    case.paper.replace(heading.title_start, case.next_start(heading), text + "\n\n")
    return case.written()


for _kind, _change in (("slip", _slip), ("joint", _joint), ("eight", _eight), ("market", _market)):
    enter(_kind, _change)


@variant
def written_again(case: Case) -> Changed:
    """No change: what the parser and the writer alone do."""
    return case.written()


@variant
def items_no_parts(case: Case) -> Changed:
    """Without the lines "PART I" ... "PART IV"."""
    for match in re.finditer(r"(?im)^[ \t\xa0]*part\s+(?:i{1,3}|iv)\W*$", case.paper.flat):
        case.paper.replace(match.start(), match.end(), "")
    return case.written() if case.seven else None


@variant
def items_6_reserved(case: Case) -> Changed:
    six = case.before("6")
    if six is None or case.seven is None:
        return None
    case.paper.replace(six.number_end, case.seven.start, " [Reserved]\n\n")
    return case.written()


def _missing(items: tuple[str, ...], case: Case) -> Changed:
    headings = [case.before(item) if item in "56" else case.after(item) for item in items]
    if case.seven is None or None in headings:
        return None
    for heading in headings:
        case.erase(heading)
    return case.written()


for _items in (("5",), ("6",), ("7A",), ("9",), ("7A", "8")):
    VARIANTS["items_no_" + "_no_".join(_items).lower()] = partial(_missing, _items)
