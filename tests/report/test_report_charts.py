"""Charts: every value in its place and in words, no value hatched, legible on light and on dark paper."""

from __future__ import annotations

import re

import pytest
from lxml import etree
from report_builders import contrast

from fingreat.errors import InputError
from fingreat.report import Figure, Share, bars, edge_styles, heat_map, svg_to_png
from fingreat.report.palette import palette
from fingreat.report.templating import environment
from fingreat.schema import load_graph

KEY = "26"
"""Width of a step of a map's key."""
SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["lexicon", "vllm qwen", "linear"]


def root_of(figure: Figure) -> etree._Element:
    return etree.fromstring(figure.svg.encode())


def by_class(root: etree._Element, name: str, tag: str) -> list[etree._Element]:
    return [e for e in root.iter(f"{SVG}{tag}") if name in (e.get("class") or "").split()]


def number(element: etree._Element, name: str) -> float:
    return float(element.get(name))


def agreement() -> Figure:
    share = Share(k=3, n=4)
    return heat_map(
        "same-edge",
        "Same edge",
        NAMES,
        [[Share(k=9, n=9), share, Share(k=0, n=0)], [share, Share(k=7, n=7), None], [Share(k=1, n=8), None, 0.0]],
        axes=("reference", "candidate"),
    )


def shades_of(figure: Figure) -> list[float]:
    """The opacities of the cells of a map, without those of its key."""
    rects = by_class(root_of(figure), "fg-shade", "rect")
    return [number(e, "fill-opacity") for e in rects if e.get("width") != KEY]


def test_a_heat_map_has_a_number_in_every_cell_and_hatches_those_without_a_value() -> None:
    root = root_of(agreement())
    cells = [g for g in root.iter(f"{SVG}g") if g.find(f"{SVG}title") is not None]
    shown = [[t.text for t in g.findall(f"{SVG}text")] for g in cells]
    assert shown == [
        ["100%", "9/9"], ["75.0%", "3/4"], ["–", "0/0"],
        ["75.0%", "3/4"], ["100%", "7/7"], ["–"],
        ["12.5%", "1/8"], ["–"], ["0.00"],
    ]  # fmt: skip
    assert len(by_class(root, "fg-hatch", "path")) == 3
    assert len(shades_of(agreement())) == 6


def test_a_cell_is_the_darker_the_larger_its_value_and_colours_stop_at_the_span() -> None:
    figure = heat_map("f", "F", ["a", "b"], [[0.2, 0.4], [0.6, 0.9]], span=(0.4, 0.6))
    assert shades_of(figure) == [0.06, 0.06, 0.7, 0.7]


def test_rows_and_columns_of_a_heat_map_stand_in_the_same_order() -> None:
    root = root_of(agreement())
    names = ["".join(e.itertext()) for e in by_class(root, "fg-name", "text")]
    assert names == NAMES + NAMES
    boxes = [(number(e, "x"), number(e, "y")) for e in by_class(root, "fg-cell", "rect")]
    assert boxes == sorted(boxes, key=lambda place: (place[1], place[0]))
    assert len({x for x, _ in boxes}) == len({y for _, y in boxes}) == 3


def test_a_chart_says_its_values_in_words() -> None:
    root = root_of(agreement())
    assert root.find(f"{SVG}title").text == "Same edge"
    assert root.find(f"{SVG}desc").text.startswith("lexicon, lexicon: 100% 9/9; lexicon, vllm qwen: 75.0% 3/4; ")
    assert "linear, vllm qwen: no value" in root.find(f"{SVG}desc").text
    drawn = bars("f", "F", ["A"], [("r", [Share(k=1, n=4)]), ("s", [None])])
    assert root_of(drawn).find(f"{SVG}desc").text == "A, r: 25.0% (1/4); A, s: no value"


def mixed(ink: str, paper: str, opacity: float) -> str:
    """What a colour of some opacity looks like on paper."""
    parts = [(int(ink[i : i + 2], 16), int(paper[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(opacity * a + (1 - opacity) * b):02x}" for a, b in parts)


def test_numbers_on_the_darkest_cell_have_a_contrast_of_at_least_4_5_on_light_and_dark_paper() -> None:
    figure = heat_map("f", "F", ["a"], [[1.0]])
    (darkest,) = shades_of(figure)
    style = environment().get_template("page.css.j2").render(palette=palette())
    dimmed = float(re.search(r"\.fg-cells \{ opacity: ([.\d]+); \}", style).group(1))
    light, dark = re.findall(r"--soft: (#\w+);", style)
    assert contrast("#1b1f24", mixed(light, "#ffffff", darkest)) >= 4.5
    assert contrast("#1b1f24", mixed("#525c66", "#ffffff", darkest)) >= 4.5
    assert contrast("#e6e9ed", mixed(dark, "#14181d", darkest * dimmed)) >= 4.5


def edge_bars() -> tuple[etree._Element, list[str]]:
    graph = load_graph()
    edges = list(graph.edges)
    first = [Share(k=n, n=50, interval=(n / 60, (n + 5) / 50)) for n in range(len(edges))]
    second: list[Share | float | None] = [Share(k=2 * n, n=50) for n in range(len(edges))]
    second[3] = None
    figure = bars("f", "F", edges, [("first", first), ("second", second)], styles=list(edge_styles(graph).values()))
    return root_of(figure), edges


def test_bars_are_as_long_as_their_values_and_in_the_colour_of_their_edge() -> None:
    root, edges = edge_bars()
    groups = [g for g in root.iter(f"{SVG}g") if g.find(f"{SVG}title") is not None]
    assert len(groups) == 2 * len(edges)
    lengths = [number(g.find(f"{SVG}rect"), "width") if g.find(f"{SVG}rect") is not None else 0.0 for g in groups]
    # The second run's value is twice the first's; its largest is 20/50.
    assert lengths[1] == 0
    assert lengths[7] == 0
    for n in (1, 2, 10):
        assert lengths[2 * n + 1] == pytest.approx(2 * lengths[2 * n], abs=0.11)
    styles = list(edge_styles(load_graph()).values())
    assert [g.find(f"{SVG}rect").get("class") for g in groups[2::2]] == [f"fg-f{style}" for style in styles[1:]]


def test_the_axis_has_round_steps_and_the_bars_keep_to_it() -> None:
    root, _ = edge_bars()
    ticks = [e.text for e in by_class(root, "fg-nodeid", "text")]
    # The largest value is 20/50 = 40 %: four steps of 10.
    assert ticks == ["0%", "10%", "20%", "30%", "40%"]
    lines = [number(e, "x1") for e in by_class(root, "fg-grid", "line")]
    longest = max(number(e, "x") + number(e, "width") for e in root.iter(f"{SVG}rect") if e.get("fill-opacity"))
    assert longest == pytest.approx(lines[-1], abs=0.2)


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.0], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ([1.0], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ([4200.0], ["0", "1,000", "2,000", "3,000", "4,000", "5,000"]),
        ([0.013], ["0.000", "0.005", "0.010", "0.015"]),
        ([Share(k=1, n=200)], ["0.0%", "0.1%", "0.2%", "0.3%", "0.4%", "0.5%"]),
        ([Share(k=1, n=1)], ["0%", "20%", "40%", "60%", "80%", "100%"]),
        ([None], ["0%", "20%", "40%", "60%", "80%", "100%"]),
    ],
)
def test_axis_steps_fit_the_largest_value(values: list[Share | float | None], ticks: list[str]) -> None:
    root = root_of(bars("f", "F", ["a"], [("r", values)]))
    assert [e.text for e in by_class(root, "fg-nodeid", "text")] == ticks


def test_series_are_told_apart_by_lightness_and_named_in_order() -> None:
    root, _ = edge_bars()
    shades = [number(e, "fill-opacity") for e in by_class(root, "fg-name", "rect")]
    assert shades == sorted(shades, reverse=True)
    assert len(set(shades)) == 2
    assert [e.text for e in by_class(root, "fg-name", "text")] == ["first", "second"]
    alone = bars("f", "F", list(load_graph().edges)[:1], [("r", [0.5])], styles=[0])
    assert not by_class(root_of(alone), "fg-name", "rect")


def test_the_key_of_a_map_says_what_its_palest_and_its_darkest_shade_stand_for() -> None:
    figure = heat_map("f", "F", ["a", "b"], [[Share(k=1, n=100), None], [None, Share(k=6, n=100)]], span=(0.0, 0.1))
    root = root_of(figure)
    key = [e for e in by_class(root, "fg-shade", "rect") if e.get("width") == KEY]
    assert (number(key[0], "fill-opacity"), number(key[-1], "fill-opacity")) == (0.06, 0.7)
    assert [e.text for e in root.findall(f"{SVG}text") if e.get("class") == "fg-count"] == ["0%", "5.0%", "10.0%"]


def test_what_is_of_no_category_has_no_colour_of_one() -> None:
    """Models as groups of bars, and shades that stand for numbers."""
    inks = {style.ink for style in palette()}
    for figure in (agreement(), bars("f", "F", ["model"], [("r", [0.5]), ("s", [0.2])])):
        assert not [ink for ink in inks if ink in figure.svg]
        assert not re.search(r'class="[^"]*fg-[cf]\d', figure.svg)


def test_what_columns_are_stands_over_all_of_them_and_not_over_one() -> None:
    root = root_of(agreement())
    cells = by_class(root, "fg-cell", "rect")
    left = min(number(e, "x") for e in cells)
    across = max(number(e, "x") + number(e, "width") for e in cells) - left
    (line,) = by_class(root, "fg-axis", "path")
    x, length = (float(part) for part in re.match(r"M([\d.]+) [\d.]+h([\d.]+)$", line.get("d")).groups())
    assert (x, length) == pytest.approx((left, across), abs=0.11)


def test_intervals_are_drawn_as_whiskers_with_the_number_beyond_them() -> None:
    root = root_of(bars("f", "F", ["a"], [("r", [Share(k=1, n=2, interval=(0.25, 1.0))])]))
    whisker = by_class(root, "fg-whisker", "path")[0].get("d")
    low, high = (float(v) for v in re.match(r"M([\d.]+) [\d.]+H([\d.]+)", whisker).groups())
    bar = next(e for e in root.iter(f"{SVG}rect") if e.get("fill-opacity"))
    assert low - number(bar, "x") == pytest.approx(number(bar, "width") / 2, abs=0.2)
    assert high - number(bar, "x") == pytest.approx(number(bar, "width") * 2, abs=0.2)
    assert number(by_class(root, "fg-halo", "text")[0], "x") > high


def test_long_names_stay_inside_the_drawing() -> None:
    name = "vllm:some-organisation/a-model-of-a-long-name@revision"
    for figure in (
        heat_map("f", "F", [name, "b"], [[1.0, 0.0], [0.0, 1.0]]),
        bars("f", "F", [name], [(name, [1.0])] * 9),
    ):
        root = root_of(figure)
        width, height = number(root, "width"), number(root, "height")
        rects = [
            [number(e, key) for key in ("x", "y", "width", "height")] for e in root.iter(f"{SVG}rect") if e.get("x")
        ]
        assert all(x >= 0 and y >= 0 and x + w <= width and y + h <= height for x, y, w, h in rects)
        for text in root.iter(f"{SVG}text"):
            # A wide sans serif at 12 units: 0.55 of its size a letter on the average.
            length = 0.55 * number(text, "font-size") * len("".join(text.itertext()))
            if text.get("text-anchor") == "end":
                assert number(text, "x") - length >= 0
            elif text.get("text-anchor") is None and text.get("x"):
                assert number(text, "x") + length <= width


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: heat_map("f", "F", [], []), "no square of 0 by 0"),
        (lambda: heat_map("f", "F", ["a"], [[1.0, 2.0]]), "no square of 1 by 1"),
        (lambda: heat_map("f", "F", ["a"], [[float("nan")]]), "nan cannot be drawn"),
        (lambda: heat_map("f", "F", ["a"], [[1.0]], span=(1.0, 1.0)), "has no colours"),
        (lambda: bars("f", "F", [], []), "nothing to draw"),
        (lambda: bars("f", "F", ["a"], [("r", [])]), "one value for each of 1 groups"),
        (lambda: bars("f", "F", ["a"], [("r", [1.0])], styles=[0, 1]), "one value for each of 1 groups"),
        (lambda: bars("f", "F", ["a"], [("r", [-1.0])]), "-1.0 cannot be drawn"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw()


def test_charts_become_pictures() -> None:
    pytest.importorskip("resvg_py")
    assert svg_to_png(agreement().svg, scale=1)[:8] == b"\x89PNG\r\n\x1a\n"


def test_hostile_names_are_text() -> None:
    bad = "</text><script>alert(1)</script>"
    for figure in (
        heat_map("f", bad, [bad], [[None]], axes=(bad, bad)),
        bars("f", bad, [bad], [(bad, [1.0]), ("b", [0.0])]),
    ):
        root = root_of(figure)
        assert not list(root.iter(f"{SVG}script"))
        assert root.find(f"{SVG}title").text == bad
