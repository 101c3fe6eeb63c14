"""Heat maps of many names, and of rows and columns that differ: legible, and every value in its place."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from lxml import etree
from report_builders import two_filings

from fingreat.errors import InputError
from fingreat.report import Share, Sides, heat_map, render_report, svg_to_png
from fingreat.report.draw import text_width

SVG = "{http://www.w3.org/2000/svg}"
NAMES = [f"Some-Family-{n}-7B-Instruct" for n in range(44)]


def drawn(names: list[str] | Sides, values: list[list[object]], **more: object) -> etree._Element:
    return etree.fromstring(heat_map("f", "F", names, values, **more).svg.encode())


def number(element: etree._Element, name: str) -> float:
    return float(element.get(name))


def overlaps() -> list[list[object]]:
    """Row i, column j: (i + j) of 100; the diagonal has no value."""
    return [[None if i == j else Share(k=i + j, n=100) for j in range(44)] for i in range(44)]


def titled(root: etree._Element) -> dict[str, etree._Element]:
    """What a cell says → the cell."""
    titles = list(root.iter(f"{SVG}title"))[1:]
    return {one.text: one.getparent() for one in titles}


def test_of_44_names_every_cell_says_its_value_and_none_shows_a_number() -> None:
    root = drawn(NAMES, overlaps())
    cells = titled(root)
    assert len(cells) == 44 * 44
    assert cells[f"{NAMES[1]}, {NAMES[2]}: 3.0% 3/100"].tag == f"{SVG}rect"
    assert cells[f"{NAMES[5]}, {NAMES[5]}: no value"].get("class") == "fg-hatch"
    assert {"3/100", "3.0%"}.isdisjoint(one.text for one in root.iter(f"{SVG}text"))


def test_names_of_44_rows_and_columns_do_not_overlap_one_another_or_the_cells() -> None:
    root = drawn(NAMES, overlaps(), axes=("model", "model"))
    cells = [one for one in root.iter(f"{SVG}rect") if one.find(f"{SVG}title") is not None]
    left, top = (min(number(one, key) for one in cells) for key in ("x", "y"))
    names = [one for one in root.iter(f"{SVG}text") if one.get("class") == "fg-name"]
    upright, level = names[:44], names[44:]
    assert all(one.get("transform").startswith("rotate(-90 ") for one in upright)
    for side, key in ((upright, "x"), (level, "y")):
        gaps = [number(b, key) - number(a, key) for a, b in pairwise(side)]
        # A line of 11 units needs about 13 from its neighbour's.
        assert min(gaps) >= 13
    longest = text_width(NAMES[0], 11)
    for one in upright:
        assert number(one, "y") < top
        assert number(one, "y") - longest > 0
    for one in level:
        assert number(one, "x") < left
        assert number(one, "x") - longest > 0


def test_small_cells_have_a_scale_that_goes_from_the_palest_to_the_darkest_of_them() -> None:
    values = [[0.2 + 0.01 * (i + j) for j in range(13)] for i in range(13)]
    root = drawn(NAMES[:13], values, span=(0.2, 0.44))
    rects = [one for one in root.iter(f"{SVG}rect") if one.get("class") == "fg-shade"]
    cells = [number(one, "fill-opacity") for one in rects if one.find(f"{SVG}title") is not None]
    scale = [number(one, "fill-opacity") for one in rects if one.find(f"{SVG}title") is None]
    assert scale == sorted(scale)
    assert (scale[0], scale[-1]) == (min(cells), max(cells))
    assert [one.text for one in root.iter(f"{SVG}text") if one.get("class") == "fg-count"] == ["0.20", "0.32", "0.44"]


def test_a_large_map_is_told_row_by_row_and_not_cell_by_cell() -> None:
    words = drawn(NAMES, overlaps()).find(f"{SVG}desc").text
    # The first row has 1 to 43, the last 43 to 86 of 100.
    assert words.startswith(f"{NAMES[0]}: 1.0% to 43.0%; ")
    assert words.endswith(f"{NAMES[43]}: 43.0% to 85.0%")
    assert len(words) < 44 * 60


def test_a_row_without_any_value_says_so() -> None:
    values = [[None] * 13, *[[0.5] * 13] * 12]
    assert drawn(NAMES[:13], values).find(f"{SVG}desc").text.startswith(f"{NAMES[0]}: no value; {NAMES[1]}: 0.50; ")


def test_columns_may_be_others_than_rows() -> None:
    root = drawn(Sides(["A", "B"], ["A", "B", "failed"]), [[0.8, 0.1, 0.1], [0.0, 1.0, None]], axes=("of", "as"))
    words = root.find(f"{SVG}desc").text
    assert words == "A, A: 0.80; A, B: 0.10; A, failed: 0.10; B, A: 0.00; B, B: 1.00; B, failed: no value"
    heads = ["".join(one.itertext()) for one in root.iter(f"{SVG}text") if one.get("class") == "fg-name"]
    assert heads == ["A", "B", "failed", "A", "B"]
    cells = [one for one in root.iter(f"{SVG}rect") if one.get("class") == "fg-cell"]
    assert len({one.get("x") for one in cells}) == 3
    assert max(number(one, "x") + number(one, "width") for one in cells) <= number(root, "width")


def test_many_columns_of_short_values_are_narrow_and_their_heads_break_at_hyphens() -> None:
    edges = ["NNCA-NONOP", "Ministral-Large", *[f"CASH-D{n}" for n in range(10)]]
    root = drawn(edges, [[0.5] * 12] * 12)
    heads = [one for one in root.iter(f"{SVG}text") if one.get("class") == "fg-name"][:12]
    assert [part.text for part in heads[0]] == ["NNCA-", "NONOP"]
    assert [part.text for part in heads[1]] == ["Ministral-", "Large"]
    assert number(root, "width") < 1350
    few = drawn(edges[:2], [[0.5] * 2] * 2)
    assert [one.text for one in few.iter(f"{SVG}tspan")] == edges[:2]


def test_more_than_twelve_columns_make_small_cells_however_few_rows_there_are() -> None:
    root = drawn(Sides(["only"], NAMES[:13]), [[n / 13 for n in range(13)]])
    sizes = {(one.get("width"), one.get("height")) for one in root.iter(f"{SVG}rect") if len(one)}
    assert sizes == {("15", "15")}
    assert not re.search(r">0\.08<", etree.tostring(root).decode())


@pytest.mark.parametrize("values", [[[1.0, 0.0]], [[1.0], [0.0]], []])
def test_values_that_do_not_fit_rows_and_columns_are_refused(values: list[list[float]]) -> None:
    with pytest.raises(InputError, match="the values are no table of 2 by 2"):
        heat_map("f", "F", Sides(["a", "b"], ["c", "d"]), values)


def test_hostile_names_of_a_large_map_are_text() -> None:
    bad = "</text><script>alert(1)</script>"
    root = drawn([bad, *NAMES[:12]], [[0.5] * 13] * 13, axes=(bad, bad))
    assert not list(root.iter(f"{SVG}script"))


def test_a_large_map_becomes_a_picture() -> None:
    pytest.importorskip("resvg_py")
    assert svg_to_png(heat_map("f", "F", NAMES, overlaps()).svg, scale=0.5)[:8] == b"\x89PNG\r\n\x1a\n"


def test_a_large_map_is_plain_drawing_that_a_page_takes() -> None:
    page = render_report(two_filings(figures=(heat_map("large", "Large", NAMES, overlaps()),)))
    assert page.count(f"{NAMES[1]}, {NAMES[2]}: 3.0% 3/100</title>") == 1
