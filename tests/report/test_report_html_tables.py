"""Tables that a section has as HTML: shown as tables, rebuilt from their parts; nothing of a filing is markup."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup, Tag
from hypothesis import given, settings
from hypothesis import strategies as st

from fingreat.report.layers import Layer
from fingreat.report.section_html import section_html
from fingreat.schema import Verdict

TABLE = (
    "<table>\n"
    '<tr><th></th><th colspan="2">Year ended</th></tr>\n'
    "<tr><th></th><th>2024</th><th>2023</th></tr>\n"
    "<tr><td>Grain &amp; flour &lt;own&gt;</td><td>$9,843</td><td>$(9,100)</td></tr>\n"
    '<tr><td colspan="2">Loss</td><td>(12)</td></tr>\n'
    "</table>"
)


def layer(start: int, end: int) -> Layer:
    return Layer(0, ("REV-NNCA",), 0, ((start, end),), verdict=Verdict.EXACT)


def rendered(text: str, *layers: Layer) -> Tag:
    return BeautifulSoup(section_html(text, layers), "html5lib").body


def covered(body: Tag, number: int = 0) -> list[str]:
    return [mark.get_text() for mark in body.find_all("mark") if str(number) in mark["data-x"].split()]


def test_heads_spans_and_texts_of_a_table_are_shown() -> None:
    body = rendered(f"Sales rose.\n\n{TABLE}\n\nCosts fell.")
    rows = [[(c.name, c.get_text(), c.get("colspan")) for c in row.find_all(["th", "td"])] for row in body("tr")]
    assert rows == [
        [("th", "", None), ("th", "Year ended", "2")],
        [("th", "", None), ("th", "2024", None), ("th", "2023", None)],
        [("th", "Grain & flour <own>", None), ("td", "$9,843", None), ("td", "$(9,100)", None)],
        [("th", "Loss", "2"), ("td", "(12)", None)],
    ]
    assert [len(part.find_all("tr")) for part in (body.thead, body.tbody)] == [2, 2]
    assert [th["scope"] for th in body("th")] == ["col", "colgroup", "col", "col", "col", "row", "row"]
    assert [cell.get_text() for cell in body.find_all(class_="fig")] == ["2024", "2023", "$9,843", "$(9,100)", "(12)"]
    assert [p.get_text() for p in body("p")] == ["Sales rose.", "Costs fell."]


def test_a_passage_over_rows_marks_their_texts_and_no_tag() -> None:
    start, end = TABLE.index("flour"), TABLE.index("(12)") + 3
    assert covered(rendered(TABLE, layer(start, end))) == [
        "flour ",
        "<",
        "own",
        ">",
        "$9,843",
        "$(9,100)",
        "Loss",
        "(12",
    ]
    assert (
        "".join(covered(rendered(TABLE, layer(0, len(TABLE)))))
        == "Year ended20242023Grain & flour <own>$9,843$(9,100)Loss(12)"
    )


@pytest.mark.parametrize(
    ("part", "shown"), [("amp; flour", [" flour"]), ("n &amp", ["n ", "&"]), ("lt;own", ["own"]), ("&lt", ["<"])]
)
def test_a_passage_that_cuts_an_entity_has_its_character_if_it_has_its_first(part: str, shown: list[str]) -> None:
    start = TABLE.index(part)
    body = rendered(TABLE, layer(start, start + len(part)))
    assert covered(body) == shown
    assert body.mark["data-l"] == "REV-NNCA"


def test_markup_that_a_filing_plants_stays_text() -> None:
    planted = [
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "&lt;img src=x onerror=alert(1)&gt;",
        '" onclick="alert(1)',
        "&amp;lt;b&amp;gt;",
        "&quot;&#60;i&#62;",
    ]
    table = "<table>\n" + "".join(f"<tr><td>{text}</td><td>5</td></tr>\n" for text in planted) + "</table>"
    body = rendered(table)
    assert {tag.name for tag in body.find_all(True)} == {"div", "table", "tbody", "tr", "th", "td"}
    assert {name for tag in body.find_all(["table", "tr", "th", "td"]) for name in tag.attrs} == {
        "class",
        "id",
        "scope",
    }
    assert [th.get_text() for th in body("th")] == [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '" onclick="alert(1)',
        "&lt;b&gt;",
        "&quot;&#60;i&#62;",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<table>",
        "<table>\n\n<tr><td>5</td></tr>",
        "<tr><td>5</td></tr>",
        "<table>\n<tr><td onclick=alert(1)>5</td></tr>\n</table>",
        "<table>\n<tr><td>5<script>alert(1)</script></td></tr>\n</table>",
        "<table>\n<tr><td>5</th></tr>\n</table>",
        '<table>\n<tr><td colspan="99999">5</td></tr>\n</table>',
        "<table class=x>\n<tr><td>5</td></tr>\n</table>",
        "See <table> and <td>5</td>.",
    ],
)
def test_what_is_no_table_in_the_form_of_a_section_is_text_as_it_stands(text: str) -> None:
    body = rendered(text)
    assert not body.find(["table", "script", "tr", "td"])
    assert " ".join(p.get_text() for p in body("p")).split() == text.split()


def test_rows_behind_a_damaged_one_are_text_and_a_missing_end_is_none() -> None:
    body = rendered("Above.\n<table>\n<tr><td>a</td></tr>\n<tr><td onclick=x>b</td></tr>\n</table>\nBelow.")
    assert [th.get_text() for th in body("th")] == ["a"]
    assert [p.get_text() for p in body("p")] == ["Above.", "<tr><td onclick=x>b</td></tr>\n</table>\nBelow."]
    body = rendered("<table>\n<tr><td>a</td></tr>")
    assert (body.th.get_text(), body.find("p")) == ("a", None)


PARTS = ["<table>\n", "<tr>", "</tr>\n", "<td>", "</td>", "<th>", "</th>", '<th colspan="2">', "</table>\n", "\n", "**"]
PARTS += ["&amp;", "&lt;", "&", "<", ">", "|", " ", "<tr><td>", "</td></tr>\n", "</td><td>", "<table>\n<tr><td>"]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(PARTS), st.just("x")), max_size=40),
    st.lists(st.tuples(st.integers(0, 200), st.integers(1, 60)), max_size=6),
)
def test_each_letter_is_shown_once_in_order_under_exactly_its_ranges(
    tokens: list[str], spans: list[tuple[int, int]]
) -> None:
    # Every "x" becomes a letter that stands nowhere else, so the page tells for itself which offset it shows.
    text = "".join(chr(0x4E00 + i) if token == "x" else token for i, token in enumerate(tokens))
    ranges = [(start, min(start + length, len(text))) for start, length in spans if start < len(text)]
    body = rendered(text, *(layer(*r) for r in ranges))
    shown = []
    for string in body.find_all(string=True):
        mark = string.find_parent("mark")
        over = {int(n) for n in mark["data-x"].split()} if mark else set()
        shown += [(letter, over) for letter in string if ord(letter) >= 0x4E00]
    assert shown == [
        (c, {i for i, (a, b) in enumerate(ranges) if a <= at < b}) for at, c in enumerate(text) if ord(c) >= 0x4E00
    ]
