"""Lines over years: every value in its place, gaps where there is none, runs told apart, legible for a whole study."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from lxml import etree

from fingreat.errors import InputError
from fingreat.report import Figure, Panel, Share, edge_styles, lines, svg_to_png
from fingreat.report.chart_values import Value
from fingreat.report.line_looks import look_of
from fingreat.schema import load_graph

SVG = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]


def root_of(figure: Figure) -> etree._Element:
    return etree.fromstring(figure.svg.encode())


def by_class(root: etree._Element, name: str, tag: str = "path") -> list[etree._Element]:
    return [e for e in root.iter(f"{SVG}{tag}") if name in (e.get("class") or "").split()]


def stretches(element: etree._Element) -> list[list[Point]]:
    """The points of a path of straight lines, stretch by stretch."""
    parts = [part for part in element.get("d").split("M") if part]
    return [[tuple(map(float, point.split())) for point in part.rstrip("Z").split("L")] for part in parts]


def marked(root: etree._Element) -> list[list[Point]]:
    """Where the markers of each line in a panel are."""
    found = [e for panel in by_class(root, "fg-panel", "g") for e in by_class(panel, "fg-mark")]
    return [[(float(x), float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)", e.get("d"))] for e in found]


def share(percent: float) -> Share:
    return Share(k=round(percent * 10), n=1000)


def one_panel(*runs: tuple[str, list[Value]], years: tuple[int, ...] = (2000, 2005, 2020), style: int = 0) -> Figure:
    return lines("f", "F", [Panel("Equity", style, runs)], years)


def test_points_stand_where_year_and_value_put_them() -> None:
    root = root_of(one_panel(("a", [share(0), share(20), share(40)])))
    (line,) = by_class(root, "fg-line")
    ((first, second, third),) = stretches(line)
    # 2005 is a quarter of the way from 2000 to 2020; the axis goes from 0 % at the bottom to 40 % at the top.
    assert second[0] - first[0] == pytest.approx((third[0] - first[0]) / 4, abs=0.1)
    grid = [float(e.get("d").split()[1].split("h")[0]) for e in by_class(root, "fg-grid")]
    labels = [e.text for e in by_class(root, "fg-nodeid", "text")]
    assert labels == ["0%", "10%", "20%", "30%", "40%", "2000", "2005", "2020"]
    assert [first[1], second[1], third[1]] == [grid[0], grid[2], grid[4]]
    assert marked(root) == [[first, second, third]]


def test_all_panels_share_one_scale_from_zero_on() -> None:
    panels = [Panel("large", 0, [("a", [share(80), share(80)])]), Panel("small", 1, [("a", [share(2), share(2)])])]
    root = root_of(lines("f", "F", panels, (2001, 2002)))
    large, small = (stretches(line)[0][0][1] for line in by_class(root, "fg-line"))
    bottom = max(float(e.get("d").split()[1].split("h")[0]) for e in by_class(root, "fg-grid"))
    assert bottom - large == pytest.approx(40 * (bottom - small), abs=2.1)
    # The ticks are named once for a row of panels.
    assert [e.text for e in by_class(root, "fg-nodeid", "text")].count("80%") == 1


def test_a_line_breaks_where_a_year_has_no_value_and_a_lone_value_is_a_point() -> None:
    values = [share(1), share(2), None, share(3), Share(k=0, n=0), share(4), share(5)]
    root = root_of(one_panel(("a", values), years=tuple(range(2000, 2007))))
    (line,) = by_class(root, "fg-line")
    assert [len(points) for points in stretches(line)] == [2, 2]
    assert len(marked(root)[0]) == 5


def test_where_years_stand_close_each_run_has_markers_at_other_years_and_lone_values_keep_theirs() -> None:
    values: list[Value] = [share(9)] * 26
    lone: list[Value] = [None if year in (9, 11) else share(3) for year in range(26)]
    root = root_of(one_panel(("a", values), ("b", values), ("c", lone), years=tuple(range(2000, 2026))))
    (line, *_) = by_class(root, "fg-line")
    ((first, second, *_),) = stretches(line)
    a, b, c = marked(root)
    assert {round((y[0] - x[0]) / (second[0] - first[0])) for x, y in pairwise(a)} == {3}
    assert not {x for x, _ in a} & {x for x, _ in b}
    assert any(x == pytest.approx(first[0] + 10 * (second[0] - first[0]), abs=0.6) for x, _ in c)


def test_a_panel_has_the_colour_of_its_category_and_runs_differ_by_marker_dash_and_lightness() -> None:
    root = root_of(one_panel(*((name, [share(5)] * 3) for name in "abcd"), style=2))
    drawn = by_class(root, "fg-line")
    assert {e.get("class") for e in drawn} == {"fg-line fg-c2"}
    assert [e.get("stroke-dasharray") for e in drawn] == [None, "7 3", "2 2.5", "10 3 2 3"]
    assert len({e.get("stroke-opacity") for e in drawn}) == 3
    looks = [look_of(number) for number in range(30)]
    assert len(set(looks)) == 30
    # Without colour and lightness the first ten still differ.
    assert len({(look.outline, look.fill) for look in looks[:10]}) == 10
    names = [e.text for e in by_class(root, "fg-name", "text")]
    assert names == ["a", "b", "c", "d"]


def bounded(percent: int) -> Share:
    return Share(k=percent, n=100, interval=((percent - 5) / 100, (percent + 10) / 100))


def test_intervals_are_bands_around_few_lines_and_the_scale_holds_them() -> None:
    runs = [(name, [bounded(10), bounded(50)]) for name in "abc"]
    root = root_of(one_panel(*runs, years=(2001, 2002)))
    bands = by_class(root, "fg-band")
    assert len(bands) == 3
    ((low, _, high, _),) = stretches(bands[0])
    grid = [float(e.get("d").split()[1].split("h")[0]) for e in by_class(root, "fg-grid")]
    # Ticks go from 0 to 60 % by 20: 5 % is an eighth of the way to 40 %, and the upper end of 2002 is 60 %.
    assert low[1] == pytest.approx(grid[0] + (grid[2] - grid[0]) / 8, abs=0.1)
    assert high[1] == grid[-1]
    assert not by_class(root_of(one_panel(*runs, ("d", [bounded(5), bounded(6)]), years=(2001, 2002))), "fg-band")


def test_a_chart_says_in_words_what_each_panel_goes_from_and_to() -> None:
    panels = [
        Panel("Equity", 2, [("a", [share(3.1), None]), ("b", [share(12), share(45)])]),
        Panel("Other", 1, [("a", [None, None]), ("b", [None, None])]),
    ]
    root = root_of(lines("f", "Figure", panels, (2001, 2024)))
    assert root.find(f"{SVG}title").text == "Figure"
    assert root.find(f"{SVG}desc").text == "Equity: from 3.1% (a, 2001) to 45.0% (b, 2024); Other: no value"
    told = [g.find(f"{SVG}title").text for g in root.iter(f"{SVG}g") if g.find(f"{SVG}title") is not None]
    assert told[:3] == ["Equity, a: 3.1% in 2001", "Equity, b: 12.0% in 2001, 45.0% in 2024", "Other, a: no value"]


def whole_study(names: list[str]) -> Figure:
    edges = edge_styles(load_graph())
    panels = [
        Panel(edge, style, [(name, [share((7 * k + n) % 40) for n in range(26)]) for k, name in enumerate(names)])
        for edge, style in edges.items()
    ]
    return lines("f", "F", panels, range(2000, 2026))


def test_a_whole_study_fits_its_drawing_and_its_words_stay_short() -> None:
    figure = whole_study([f"model-of-a-long-name-{k}" for k in range(8)])
    root = root_of(figure)
    width, height = float(root.get("width")), float(root.get("height"))
    assert len(by_class(root, "fg-line")) == 88
    assert width < 1100
    assert len(root.find(f"{SVG}desc").text) < 1200
    assert len(figure.svg) < 200_000
    boxes = []
    for panel in by_class(root, "fg-panel", "g"):
        left, top = map(float, re.findall(r"[\d.]+", panel.get("transform")))
        points = [point for line in by_class(panel, "fg-line") for part in stretches(line) for point in part]
        boxes.append((left, top, left + max(x for x, _ in points), top + max(y for _, y in points)))
    assert all(x1 <= width and y1 <= height for _, _, x1, y1 in boxes)
    # No panel begins before the one to its left or above it ends.
    for n, (left, top, _, _) in enumerate(boxes):
        assert all(x1 < left or y1 < top for _, _, x1, y1 in boxes[:n])
    years = [e for e in by_class(root, "fg-nodeid", "text") if re.fullmatch(r"20\d\d", e.text)][:6]
    assert [e.text for e in years] == ["2000", "2005", "2010", "2015", "2020", "2025"]


def test_long_names_and_many_runs_stay_inside_the_drawing() -> None:
    for figure in (
        whole_study([f"vllm:some-organisation/a-model-of-a-long-name-{k}" for k in range(44)]),
        one_panel(("vllm:some-organisation/a-model-of-a-very-long-name-indeed@revision", [share(1)] * 3)),
    ):
        root = root_of(figure)
        for text in by_class(root, "fg-name", "text"):
            assert float(text.get("x")) + 0.55 * 12 * len(text.text) <= float(root.get("width"))
        assert all(float(e.get("y")) > 0 for e in by_class(root, "fg-name", "text"))


def test_one_year_is_a_point_in_the_middle() -> None:
    root = root_of(one_panel(("a", [share(5)]), years=(2008,)))
    assert not by_class(root, "fg-line")
    assert len(marked(root)[0]) == 1
    assert [e.text for e in by_class(root, "fg-nodeid", "text")][-1] == "2008"


@pytest.mark.parametrize(
    ("panels", "years", "message"),
    [
        ([], (2001,), "nothing to draw"),
        ([Panel("p", 0, [])], (2001,), "nothing to draw"),
        ([Panel("p", 0, [("a", [])])], (), "nothing to draw"),
        ([Panel("p", 0, [("a", [0.1, 0.2])])], (2002, 2001), "years do not rise"),
        ([Panel("p", 0, [("a", [0.1, 0.2])])], (2001, 2001), "years do not rise"),
        ([Panel("p", 0, [("a", [0.1])])], (2001, 2002), "one value for each of 2 years"),
        ([Panel("p", 0, [("a", [0.1])]), Panel("q", 0, [("b", [0.1])])], (2001,), "panel 'q' has other runs"),
        ([Panel("p", 0, [("a", [-0.1])])], (2001,), "-0.1 cannot be drawn"),
        ([Panel("p", 0, [("a", [float("inf")])])], (2001,), "inf cannot be drawn"),
    ],
)
def test_what_cannot_be_drawn_is_refused(panels: list[Panel], years: tuple[int, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        lines("f", "F", panels, years)


def test_lines_become_a_picture() -> None:
    pytest.importorskip("resvg_py")
    figure = one_panel(("a", [bounded(10), bounded(20), bounded(15)]))
    assert svg_to_png(figure.svg, scale=1)[:8] == b"\x89PNG\r\n\x1a\n"


def test_hostile_names_are_text() -> None:
    bad = "</text><script>alert(1)</script>"
    root = root_of(lines("f", bad, [Panel(bad, 0, [(bad, [0.1, 0.2])])], (2001, 2002)))
    assert not list(root.iter(f"{SVG}script"))
    assert root.find(f"{SVG}title").text == bad
