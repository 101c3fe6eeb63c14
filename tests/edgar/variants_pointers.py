"""Variants of Item 7 as a pointer, with its text in an exhibit, bound into the report, or elsewhere; and pairs."""

from __future__ import annotations

import re
import textwrap
from functools import partial

from variants import SEVEN, TABLES, VARIANTS, Case, Changed, enter, open_case, without_heading
from variants_file import bare, plain, submission

_CONSENT = ("EX-23", "<p>Consent of auditors</p>")


def _pointer(case: Case, sentence: str, name: str) -> Changed:
    """The text isn't in the file."""
    if case.label.get("exhibit_text"):
        return None
    _point(case, sentence)
    return submission("10-K", ("10-K", bare(case)), _CONSENT), _label(case, sentence)


def _moved(case: Case, line: list[str], name: str) -> Changed:
    """The text is in an exhibit of a type, or at the end of the report."""
    key, place = line
    if not case.own_text:
        return None
    text = _annual_report(case.fresh())
    _point(case, TABLES["pointer"][key])
    label = {**_label(case, TABLES["pointer"][key]), "exhibit_text": without_heading(case.label["text"])}
    main = bare(case)
    if place == "bound":
        return submission(
            "10-K", ("10-K", _bound(main, text) if case.paper.is_html else f"{main}\n<PAGE>\n{text}")
        ), label
    return submission("10-K", ("10-K", main), (place, text), _CONSENT), label


def _label(case: Case, sentence: str) -> dict[str, str]:
    return {**case.label, "status": "by_reference", "text": f"{SEVEN} {sentence}"}


def _point(case: Case, sentence: str) -> None:
    """Put a pointing sentence in the place of Item 7's text."""
    words = sentence if case.paper.is_html else "\n\n" + textwrap.fill(plain(sentence), 76) + "\n\n"
    start = case.body
    while case.paper.flat[start] in " .\xa0\n\t|*":
        start += 1
    following = next((one.start for one in case.headings if one.start >= case.end), len(case.paper.flat))
    case.paper.replace(start, following, words)


def _annual_report(case: Case) -> str:
    """A document with the text of Items 7 and 8 only, under their titles without numbers."""
    paper, market, eight = case.paper, case.after("7A"), case.after("8")
    paper.replace(case.next_start(eight) if eight else case.end, len(paper.flat), "")
    if eight:
        paper.replace(eight.start, eight.number_end, "")
    if market:
        paper.replace(market.start, eight.start if eight else case.next_start(market), "")
    if case.seven:
        paper.replace(0, case.seven.number_end, "" if paper.is_html else "\n")
    return bare(case)


def _bound(main: str, text: str) -> str:
    inside = re.search(r"(?is)<body[^>]*>(.*)</body>", text)
    added = '<hr style="page-break-after:always">' + (inside[1] if inside else text) + "</body>"
    return re.sub(r"(?is)</body>", lambda _: added, main, count=1)


enter("pointer", _pointer)
enter("moved", _moved)


def _pair(first: str, second: str, case: Case) -> Changed:
    """Two changes, the second one made on what the first one left."""
    once = VARIANTS[first](case)
    again = open_case(once, case.label) if isinstance(once, bytes) else None
    return VARIANTS[second](again) if again and again.seven else None


for _second, _firsts in TABLES["both"].items():
    for _first in _firsts:
        VARIANTS[f"both_{_first}_{_second}"] = partial(_pair, _first, _second)
