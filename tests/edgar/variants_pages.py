"""Variants of what stands around and between: contents pages, page heads and feet, sentences that name items."""

from __future__ import annotations

import re
import textwrap

from paper import append_paragraphs
from variants import SEVEN, Case, Changed, enter, variant

_EACH_SEVEN, _EACH_ALL, _EACH_NOISE = 4, 6, 9
"""After how many paragraphs a page, or a paragraph of noise, comes in."""
_FEWEST_PAGES = 3


def erase_contents(case: Case) -> bool:
    """Take the contents page out."""
    if not case.contents:
        return False
    end = case.paper.flat.find("\n", case.contents[-1].title_start)
    numbers = re.compile(r"(?:[\s\d.F-]{0,12}\n)*").match(case.paper.flat, end)
    case.paper.replace(case.contents[0].start, numbers.end() if numbers else end, "" if case.paper.is_html else "\n")
    return True


@variant
def contents_gone(case: Case) -> Changed:
    return case.written() if case.seven and erase_contents(case) else None


def _contents(case: Case, line: list[str], name: str) -> Changed:
    form, where, old = line
    if old == "gone" and not erase_contents(case):
        return None
    lines = ["TABLE OF CONTENTS"]
    first: dict[str, str] = {}
    for heading in case.headings:
        if heading.title:
            first.setdefault(heading.item, re.split(r"\.\s", heading.title[:110])[0].rstrip("."))
    for number, (item, title) in enumerate(first.items()):
        lines.append(form.format(item=item, title=title, page=3 + 4 * number))
    if where == "end":
        append_paragraphs(case.paper, lines)
        return case.written()
    target = case.before("5" if where == "middle" else "1")
    if target is None:
        return None
    case.paper.insert(target.start, lines)
    return case.written()


def _running(case: Case, line: list[str], name: str) -> Changed:
    """Pages with heads and feet."""
    head, foot, where = line
    one = case.before("1") if where == "all" else None
    each = _EACH_ALL if where == "all" else _EACH_SEVEN
    places = case.paper.paragraphs(one.start if one else case.body, case.end)[each - 1 :: each]
    if not case.own_text or len(places) < _FEWEST_PAGES:
        return None
    for page, place in enumerate(places, start=21):
        top, bottom = (part.format(page=page, seven=SEVEN, SEVEN=SEVEN.upper()) for part in (head, foot))
        if case.paper.is_html:
            case.paper.insert(place, [bottom], align="center")
            case.paper.insert(place, [""], ("hr",))
            case.paper.insert(place, [top] if top else [], ("p", "b"))
        else:
            above = f"{top}\n\n" if top else ""
            case.paper.replace(place, place, f"{' ' * 36}{bottom}\n<PAGE>\n{above}")
    return case.written()


def _noise(case: Case, line: list[str], name: str) -> Changed:
    where, tag, *sentences = line
    one, seven = case.before("1"), case.seven
    if seven is None or not case.own_text:
        return None
    places = case.paper.paragraphs(case.body, case.end)[1::_EACH_NOISE] if "7" in where else []
    if "1" in where and one:
        places += case.paper.paragraphs(one.start, seven.start)[2 :: _EACH_NOISE * 3]
    lines = [sentence.format(seven=SEVEN) for sentence in sentences]
    if not case.paper.is_html:
        lines = [textwrap.fill(sentence, 78) for sentence in lines]
    for place in places:
        case.paper.insert(place, lines, ("p", tag) if tag else ("p",))
    return case.written() if places else None


@variant
def noise_cover_list(case: Case) -> Changed:
    """A page of forward-looking statements before Part I that lists items."""
    one = case.before("1")
    if one is None or case.seven is None:
        return None
    lines = [
        "CAUTIONARY STATEMENT",
        "This report contains forward-looking statements, among other places in the following sections:",
        "Item 1. Business",
        "Item 1A. Risk Factors",
        f"Item 7. {SEVEN}",
        "You should not rely on them unduly, because results may differ for the reasons named in this report.",
    ]
    case.paper.insert(one.start, lines)
    return case.written()


for _kind, _change in (("contents", _contents), ("running", _running), ("noise", _noise)):
    enter(_kind, _change)
