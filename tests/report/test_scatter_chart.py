"""Scatter charts: points in their places, names that touch nothing, a key where there is no room for names."""

from __future__ import annotations

import random
import re
from itertools import combinations

import pytest
from lxml import etree

from fingreat.errors import InputError
from fingreat.report import Figure, ScatterPoint, Share, scatter, svg_to_png
from fingreat.report.axis import linear_axis, log_axis
from fingreat.report.labels import place_labels

SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]


def root_of(figure: Figure) -> etree._Element:
    return etree.fromstring(figure.svg.encode())


def drawn(points: list[ScatterPoint], **more: object) -> etree._Element:
    return root_of(scatter("f", "F", points, x_label="dollars", y_label="accuracy", **more))


def groups(root: etree._Element) -> list[etree._Element]:
    return [g for g in root.iter(f"{SVG}g") if g.find(f"{SVG}title") is not None]


def place(group: etree._Element) -> tuple[float, float]:
    x, y = re.match(r"translate\(([\d.]+) ([\d.]+)\)", group.find(f"{SVG}path").get("transform")).groups()
    return float(x), float(y)


def box(text: etree._Element) -> Box:
    """Where a text is, its letters 0.5 of its size wide on the average."""
    size, x, y = (float(text.get(name)) for name in ("font-size", "x", "y"))
    width = 0.5 * size * len(text.text)
    left = x - width * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
    return left, y - 0.7 * size, left + width, y


def apart(a: Box, b: Box) -> bool:
    return a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def cloud(count: int, spread: float) -> list[ScatterPoint]:
    rng = random.Random(count)
    return [
        ScatterPoint(
            f"model-{i}-instruct",
            10 ** rng.uniform(-spread, spread),
            Share(k=rng.randint(240, 440), n=483, interval=(0.4, 0.95)),
            f"family {i % 9}",
        )
        for i in range(count)
    ]


def test_points_stand_where_their_values_are() -> None:
    points = [ScatterPoint("a", 0.0, 0.0), ScatterPoint("b", 5.0, 1.0), ScatterPoint("c", 10.0, 2.0)]
    at = {g.find(f"{SVG}text").text: place(g) for g in groups(drawn(points))}
    (ax, ay), (bx, by), (cx, cy) = at["a"], at["b"], at["c"]
    assert ax < bx < cx
    assert bx - ax == pytest.approx(cx - bx, abs=0.2)
    assert ay > by > cy
    assert ay - by == pytest.approx(by - cy, abs=0.2)


def test_equal_factors_are_equal_steps_on_a_logarithmic_axis() -> None:
    points = [ScatterPoint(name, x, 0.5) for name, x in (("a", 0.1), ("b", 1.0), ("c", 10.0))]
    root = drawn(points, log_x=True)
    at = sorted(place(g)[0] for g in groups(root))
    assert at[1] - at[0] == pytest.approx(at[2] - at[1], abs=0.2)
    ticks = [e.text for e in root.iter(f"{SVG}text") if e.get("class") == "fg-nodeid"]
    assert ticks[:7] == ["0.1", "0.2", "0.5", "1", "2", "5", "10"]


@pytest.mark.parametrize(("count", "spread"), [(1, 0.1), (2, 0.0), (5, 0.5), (8, 1.0), (44, 1.0)])
def test_names_and_numbers_touch_neither_each_other_nor_any_point(count: int, spread: float) -> None:
    root = drawn(cloud(count, spread))
    labels = [box(g.find(f"{SVG}text")) for g in groups(root) if g.find(f"{SVG}text") is not None]
    assert labels
    assert all(apart(a, b) for a, b in combinations(labels, 2))
    for x, y in map(place, groups(root)):
        assert all(apart(label, (x - 4, y - 4, x + 4, y + 4)) for label in labels)
    width = float(root.get("width"))
    assert all(label[0] >= 0 and label[2] <= width for label in labels)


def test_44_points_have_numbers_and_a_key_in_the_order_of_what_is_best() -> None:
    points = cloud(44, 1.0)
    root = drawn(points)
    names = {point.name for point in points}
    key = [e.text for e in root.iter(f"{SVG}text") if e.text in names]
    rights = {point.name: point.y.k for point in points}
    assert sorted(key) == sorted(names)
    assert [rights[name] for name in key] == sorted(rights.values(), reverse=True)
    for g in groups(root):
        if (text := g.find(f"{SVG}text")) is not None:
            # The number at a point is that of its name in the key.
            assert g.find(f"{SVG}title").text.startswith(f"{key[int(text.text) - 1]} (")
    texts = [e for e in root.iter(f"{SVG}text") if e.text in names]
    assert all(float(e.get("y")) <= float(root.get("height")) for e in texts)


def test_a_few_points_have_their_names_and_no_key() -> None:
    root = drawn([ScatterPoint("small", 1.0, 0.5), ScatterPoint("large", 9.0, 0.9)])
    assert sorted(e.text for e in root.iter(f"{SVG}text") if "fg-count" in e.get("class")) == ["large", "small"]


def test_the_frontier_goes_right_and_then_up_from_point_to_point() -> None:
    points = [ScatterPoint("a", 1.0, 0.2), ScatterPoint("b", 2.0, 0.1), ScatterPoint("c", 3.0, 0.4)]
    root = drawn(points, frontier=["a", "c"])
    at = {g.find(f"{SVG}text").text: place(g) for g in groups(root)}
    (line,) = root.iter(f"{SVG}polyline")
    dx, dy = (float(v) for v in re.match(r"translate\(([\d.]+) ([\d.]+)\)", line.get("transform")).groups())
    corners = [tuple(map(float, pair.split(","))) for pair in line.get("points").split()]
    corners = [(x + dx, y + dy) for x, y in corners]
    a, c = at["a"], at["c"]
    assert corners[:3] == [pytest.approx(a, abs=0.2), pytest.approx((c[0], a[1]), abs=0.2), pytest.approx(c, abs=0.2)]
    assert corners[3][1] == corners[2][1]
    said = root.find(f"{SVG}desc").text.split("; ")
    assert [text.split(":")[0] for text in said if text.endswith("on the frontier")] == ["c", "a"]
    assert "frontier" in [e.text for e in root.iter(f"{SVG}text")]


def test_groups_have_markers_of_their_own_that_are_named_at_the_top() -> None:
    points = [ScatterPoint(str(i), float(i + 1), 0.1 * i, group=f"g{i}") for i in range(9)]
    root = drawn(points)
    looks = {(g.find(f"{SVG}path").get("d"), g.find(f"{SVG}path").get("fill")) for g in groups(root)}
    assert len(looks) == 9
    assert [e.text for e in root.iter(f"{SVG}text") if e.get("class") == "fg-name"] == [f"g{i}" for i in range(9)]


@pytest.mark.parametrize(
    ("points", "more", "message"),
    [
        ([], {}, "nothing to draw"),
        ([ScatterPoint("a", float("nan"), 0.5)], {}, "nan cannot be drawn"),
        ([ScatterPoint("a", 1.0, Share(k=0, n=0))], {}, "0/0 and has no place"),
        ([ScatterPoint("a", 0.0, 0.5)], {"log_x": True}, "no logarithm"),
        ([ScatterPoint("a", 1.0, 0.5), ScatterPoint("a", 2.0, 0.5)], {}, "there twice"),
        ([ScatterPoint("a", 1.0, 0.5)], {"frontier": ["b"]}, "'b' of the frontier is no point"),
    ],
)
def test_what_cannot_be_drawn_is_refused(points: list[ScatterPoint], more: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        drawn(points, **more)


def test_hostile_names_are_text_and_a_chart_becomes_a_picture() -> None:
    pytest.importorskip("resvg_py")
    bad = "</text><script>alert(1)</script>"
    figure = scatter("f", bad, [ScatterPoint(bad, 1.0, 0.5, bad)], x_label=bad, y_label=bad, frontier=[bad])
    assert not list(root_of(figure).iter(f"{SVG}script"))
    assert svg_to_png(figure.svg, scale=1)[:8] == b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    ("values", "shares", "ticks"),
    [
        ([0.62, 0.93], True, ["60%", "70%", "80%", "90%", "100%"]),
        ([0.0, 0.0], False, ["-0.6", "-0.4", "-0.2", "0.0", "0.2", "0.4", "0.6"]),
        ([1.0], True, ["50%", "60%", "70%", "80%", "90%", "100%"]),
        ([-3.0, 12.0], False, ["-5", "0", "5", "10", "15"]),
    ],
)
def test_linear_axes_have_round_ends_around_all_values(values: list[float], shares: bool, ticks: list[str]) -> None:
    axis = linear_axis(values, shares=shares, ends=(0.0, 1.0) if shares else None)
    assert [text for _, text in axis.ticks] == ticks
    assert axis.low <= min(values)
    assert axis.high >= max(values)


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.6, 35.0], ["0.5", "1", "2", "5", "10", "20", "50"]),
        ([3.0], ["2", "5"]),
        ([1.0], ["0.5", "1", "2"]),
        ([0.02, 900.0], ["0.1", "1", "10", "100", "1,000"]),
    ],
)
def test_logarithmic_axes_have_round_ends_around_all_values(values: list[float], ticks: list[str]) -> None:
    axis = log_axis(values)
    assert [text for _, text in axis.ticks] == ticks
    assert axis.place(axis.low) == 0
    assert axis.place(axis.high) == 1


def test_a_name_goes_to_the_left_at_the_right_edge_and_nowhere_if_all_is_taken() -> None:
    plot = (0.0, 0.0, 100.0, 100.0)
    (label,) = place_labels([(95.0, 50.0)], [(40.0, 12.0)], plot, rings=(7.0,), radius=4.0)
    assert (label.anchor, label.x) == ("end", 88.0)
    assert place_labels([(50.0, 50.0)], [(140.0, 12.0)], plot, rings=(7.0,), radius=4.0) == [None]
