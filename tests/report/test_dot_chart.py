"""Dot charts: every row in its place and in words, intervals around it, groups and lines named."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from lxml import etree

from fingreat.errors import InputError
from fingreat.report import DotRow, Figure, Share, dots, edge_styles, svg_to_png
from fingreat.schema import load_graph

SVG = "{http://www.w3.org/2000/svg}"


def root_of(figure: Figure) -> etree._Element:
    return etree.fromstring(figure.svg.encode())


def texts(root: etree._Element, name: str) -> list[str]:
    return ["".join(e.itertext()) for e in root.iter(f"{SVG}text") if name in e.get("class").split()]


def rows(count: int) -> list[DotRow]:
    """Models with k of 483 right, from 300 up, in two groups."""
    return [
        DotRow(
            f"some-family-{i}-35B-A3B-Instruct",
            Share(k=300 + i, n=483, interval=((260 + i) / 483, (330 + i) / 483)),
            "open" if i < count * 0.75 else "hosted",
        )
        for i in range(count)
    ]


def test_dots_stand_where_their_values_are_on_the_axis_and_whiskers_where_intervals_end() -> None:
    # 25 % with an interval from 10 to 40 %: an axis from 10 to 40 % in steps of 10, so that the dot is in the middle.
    root = root_of(dots("f", "F", [DotRow("a", Share(k=1, n=4, interval=(0.1, 0.4)))]))
    assert texts(root, "fg-nodeid") == ["10%", "20%", "30%", "40%"]
    grid = [float(e.get("x1")) for e in root.iter(f"{SVG}line") if e.get("class") == "fg-grid"]
    (dot,) = root.iter(f"{SVG}circle")
    assert float(dot.get("cx")) == pytest.approx((grid[0] + grid[-1]) / 2, abs=0.2)
    (whisker,) = [e.get("d") for e in root.iter(f"{SVG}path") if e.get("class") == "fg-whisker"]
    ends = [float(x) for x in re.match(r"M([\d.]+) [\d.]+H([\d.]+)", whisker).groups()]
    assert ends == pytest.approx([grid[0], grid[-1]], abs=0.2)
    assert texts(root, "fg-count") == ["25.0% (1/4)"]


def test_rows_without_a_value_have_no_dot_and_say_so() -> None:
    root = root_of(dots("f", "F", [DotRow("a", None), DotRow("b", Share(k=0, n=0)), DotRow("c", 0.5)]))
    assert len(list(root.iter(f"{SVG}circle"))) == 1
    assert root.find(f"{SVG}desc").text == "a: no value; b: no value; c: 0.50"


def test_lines_are_named_with_their_values_and_none_is_drawn_without_one() -> None:
    lines = [("random", 0.1), ("majority", Share(k=1, n=5)), ("none", None), ("best", 0.95)]
    root = root_of(dots("f", "F", [DotRow("a", Share(k=1, n=2))], lines=lines))
    named = [text for text in texts(root, "fg-nodeid") if " " in text]
    assert sorted(named) == ["best 95.0%", "majority 20.0%", "random 10.0%"]
    assert len([e for e in root.iter(f"{SVG}line") if e.get("stroke-dasharray")]) == 3
    assert root.find(f"{SVG}desc").text.count("line: ") == 3


def test_44_rows_keep_their_order_and_do_not_touch() -> None:
    made = rows(44)
    root = root_of(dots("f", "F", made, lines=[("random", 0.11), ("majority", 0.2)], x_label="accuracy"))
    assert texts(root, "fg-name") == [row.name for row in made]
    heights = [float(e.get("cy")) for e in root.iter(f"{SVG}circle")]
    # Letters are 12 units high; a row takes more.
    assert all(b - a >= 14 for a, b in pairwise(heights))
    assert [text for text in texts(root, "fg-nodeid") if text in ("open", "hosted")] == ["open", "hosted"]
    bottom, width = float(root.get("height")), float(root.get("width"))
    for text in root.iter(f"{SVG}text"):
        length = 0.55 * float(text.get("font-size")) * len("".join(text.itertext()))
        x = float(text.get("x"))
        left = x - length if text.get("text-anchor") == "end" else x
        assert left >= 0
        assert left + length <= width or text.get("text-anchor") == "middle"
        assert 0 < float(text.get("y")) <= bottom


def test_the_name_of_a_group_that_is_longer_than_any_row_s_has_room() -> None:
    root = root_of(dots("f", "F", [DotRow("a", 0.5, "what is told of the rows below")]))
    (head,) = [e for e in root.iter(f"{SVG}text") if e.text == "what is told of the rows below"]
    assert float(head.get("x")) - 0.55 * 11 * len(head.text) >= 0


def test_an_edge_has_the_colour_of_its_category() -> None:
    styles = edge_styles(load_graph())
    root = root_of(dots("f", "F", [DotRow(edge, 0.5, style=style) for edge, style in styles.items()]))
    assert [e.get("class") for e in root.iter(f"{SVG}circle")] == [f"fg-f{style}" for style in styles.values()]


def test_numbers_have_intervals_of_their_own_and_an_axis_of_numbers() -> None:
    root = root_of(dots("f", "F", [DotRow("a", 2.5, interval=(-1.0, 6.0)), DotRow("b", 0.0)], lines=[("none", 0.0)]))
    # From -1 to 6 in steps of 2: from -2 to 6.
    assert [text for text in texts(root, "fg-nodeid") if " " not in text] == ["-2", "0", "2", "4", "6"]


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: dots("f", "F", []), "nothing to draw"),
        (lambda: dots("f", "F", [DotRow("a", float("nan"))]), "nan cannot be drawn"),
        (lambda: dots("f", "F", [DotRow("a", 0.1, interval=(0.0, float("inf")))]), "inf cannot be drawn"),
        (lambda: dots("f", "F", [DotRow("a", 0.1)], lines=[("b", float("nan"))]), "nan cannot be drawn"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw()


def test_hostile_names_are_text_and_a_chart_becomes_a_picture() -> None:
    pytest.importorskip("resvg_py")
    bad = "</text><script>alert(1)</script>"
    figure = dots("f", bad, [DotRow(bad, 0.5, bad)], lines=[(bad, 0.2)], x_label=bad)
    root = root_of(figure)
    assert not list(root.iter(f"{SVG}script"))
    assert root.find(f"{SVG}title").text == bad
    assert svg_to_png(figure.svg, scale=1)[:8] == b"\x89PNG\r\n\x1a\n"
