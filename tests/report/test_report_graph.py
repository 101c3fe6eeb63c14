"""The drawing: complete, readable without colour, no label over another, in every valid graph."""

from __future__ import annotations

import importlib.util
import re
import struct
import sys
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from report_builders import contrast

from fingreat.errors import InputError, MissingExtraError
from fingreat.report import draw_svg, svg_to_png
from fingreat.report.palette import palette
from fingreat.schema import Graph, load_graph
from fingreat.schema.load import parse_graph

SVG = "{http://www.w3.org/2000/svg}"


def drawn(graph: Graph, **options: object) -> etree._Element:
    return etree.fromstring(draw_svg(graph, **options).encode())


def by_class(root: etree._Element, name: str) -> list[etree._Element]:
    return [e for e in root.iter() if name in (e.get("class") or "").split()]


def boxes(root: etree._Element) -> list[tuple[float, float, float, float]]:
    found = []
    for rect in by_class(root, "fg-box") + by_class(root, "fg-label"):
        x, y, w, h = (float(rect.get(k)) for k in ("x", "y", "width", "height"))
        found.append((x, y, x + w, y + h))
    return found


def graph_of(nodes: int, pairs: list[tuple[int, int]]) -> Graph:
    lines = ['format = 1\nname = "g"\ntitle = "Generated"\nrules = ["r"]']
    lines += [
        f'[[node]]\nid = "N{i}"\nname = "{"long word " * (i % 4)}node {i}"\nkind = "k"\nholds = "h"'
        for i in range(nodes)
    ]
    lines += [
        f'[[edge]]\nid = "E{a}-{b}"\nsource = "N{a}"\ntarget = "N{b}"\n'
        f'category = "{"even" if k % 2 else "odd"}"\nis = "i"'
        for k, (a, b) in enumerate(pairs)
    ]
    return parse_graph("\n".join(lines).encode(), "generated")


def test_all_node_names_and_edge_ids_are_in_the_drawing() -> None:
    graph = load_graph()
    root = drawn(graph)
    names = ["".join(e.itertext()) for e in by_class(root, "fg-name")]
    assert names == [n.name for n in graph.nodes.values()] + ["Net Income", "Cash Flow", "Equity"]
    assert ["".join(e.itertext()).strip() for e in by_class(root, "fg-id")] == list(graph.edges)


def test_an_arrow_runs_from_the_credited_to_the_debited_account() -> None:
    graph = load_graph()
    root = drawn(graph)
    box = dict(zip(graph.nodes, boxes(root), strict=False))
    for group in by_class(root, "fg-edge"):
        edge = graph.edges[group.get("data-edge")]
        start = [float(n) for n in re.match(r"M([\d.]+) ([\d.]+)", group.find(f"{SVG}path").get("d")).groups()]
        tip = [float(n) for n in group.find(f"{SVG}polygon").get("points").split()[0].split(",")]
        left, top, right, bottom = box[edge.source]
        assert start[0] == pytest.approx(right, abs=0.2)
        assert top < start[1] < bottom
        left, top, right, bottom = box[edge.target]
        assert tip[0] == pytest.approx(left, abs=0.2)
        assert top < tip[1] < bottom


@pytest.mark.parametrize("grouping", ["default", "capital"])
def test_categories_differ_in_line_style_and_not_only_in_colour(grouping: str) -> None:
    graph = load_graph()
    styles: dict[str, set[str]] = {}
    for group in by_class(drawn(graph, grouping=grouping), "fg-edge"):
        category = graph.category(group.get("data-edge"), grouping)
        styles.setdefault(category, set()).add(group.find(f"{SVG}path").get("stroke-dasharray", "solid"))
    assert all(len(dashes) == 1 for dashes in styles.values())
    assert len({next(iter(dashes)) for dashes in styles.values()}) == 3


def test_counts_stand_on_their_edges() -> None:
    root = drawn(load_graph(), counts={"REV-NNCA": 1204, "CASH-DIV": 3})
    counts = {e.get("data-edge"): e.text for e in by_class(root, "fg-count")}
    assert counts["REV-NNCA"] == "1,204"
    assert counts["CASH-DIV"] == "3"
    assert counts["OCI-NNCA"] == "0"


def no_overlap(root: etree._Element) -> bool:
    return not any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for a, b in combinations(boxes(root), 2))


def test_no_label_or_box_overlaps_another_in_gaap11() -> None:
    root = drawn(load_graph(), counts=dict.fromkeys(load_graph().edges, 9_999_999))
    assert len(boxes(root)) == 22
    assert no_overlap(root)
    width, height = float(root.get("width")), float(root.get("height"))
    # The boxes stand in a group that is moved right and down by the margin.
    assert all(x1 >= 0 and x2 < width and y1 >= 0 and y2 < height for x1, y1, x2, y2 in boxes(root))


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 9).flatmap(lambda n: st.tuples(
    st.just(n),
    st.lists(st.integers(0, n - 1), min_size=n - 1, max_size=n - 1),
    st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=14),
    st.integers(0, 2**20),
)))  # fmt: skip
def test_no_label_overlaps_in_any_connected_graph(case: tuple[int, list[int], list[tuple[int, int]], int]) -> None:
    nodes, parents, extra, flips = case
    pairs = {frozenset((i + 1, parents[i] % (i + 1))) for i in range(nodes - 1)} | {
        frozenset(p) for p in extra if p[0] != p[1]
    }
    # Bits of `flips` turn edges round, so that cycles occur.
    directed = [tuple(sorted(p, reverse=bool(flips >> k & 1))) for k, p in enumerate(sorted(pairs, key=sorted))]
    if len(directed) < 2:
        directed = [(0, 1), (1, 2)]
        nodes = 3
    root = drawn(graph_of(nodes, directed))
    assert len(boxes(root)) == nodes + len(directed)
    assert no_overlap(root)


def test_hostile_names_are_text() -> None:
    source = (
        'format = 1\nname = "g"\ntitle = "</title><script>"\nrules = ["r"]\n'
        '[[node]]\nid = "A"\nname = "<script>alert(1)</script> & \\"A\\""\nkind = "k"\nholds = "]]>"\n'
        '[[node]]\nid = "B"\nname = "B"\nkind = "k"\nholds = "h"\n'
        '[[node]]\nid = "C"\nname = "C"\nkind = "k"\nholds = "h"\n'
        '[[edge]]\nid = "A-B"\nsource = "A"\ntarget = "B"\ncategory = "<x>"\nis = "i"\n'
        '[[edge]]\nid = "B-C"\nsource = "B"\ntarget = "C"\ncategory = "y"\nis = "i"\n'
    )
    root = drawn(parse_graph(source.encode(), "hostile"))
    assert not [e for e in root.iter() if e.tag == f"{SVG}script"]
    assert "".join(by_class(root, "fg-name")[0].itertext()) == '<script>alert(1)</script> & "A"'


def test_an_unknown_grouping_or_count_is_refused() -> None:
    with pytest.raises(InputError, match="no grouping 'colour'"):
        draw_svg(load_graph(), grouping="colour")
    with pytest.raises(InputError, match="'X-Y' is no edge"):
        draw_svg(load_graph(), counts={"X-Y": 1})


def test_a_png_has_the_drawing_s_size_times_the_scale_and_its_text() -> None:
    pytest.importorskip("resvg_py")
    svg = draw_svg(load_graph())
    width, height = (int(v) for v in re.search(r'width="(\d+)" height="(\d+)"', svg).groups())
    png = svg_to_png(svg, scale=2)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", png[16:24]) == (2 * width, 2 * height)
    without_text = re.sub(r"<text.*?</text>", "", svg, flags=re.DOTALL)
    # Letters are what a renderer without fonts leaves out: they must add detail.
    assert len(png) > 1.5 * len(svg_to_png(without_text, scale=2))


def test_a_missing_renderer_or_font_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "resvg_py", None)
        with pytest.raises(MissingExtraError, match=r"pip install 'fingreat\[figures\]'"):
            svg_to_png("<svg/>")
    pytest.importorskip("resvg_py")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="font"):
        svg_to_png("<svg/>")


@pytest.mark.parametrize(("svg", "scale"), [("no drawing", 1.0), ("<svg xmlns='http://www.w3.org/2000/svg'/>", 0.0)])
def test_what_cannot_be_drawn_is_one_clear_error(svg: str, scale: float) -> None:
    pytest.importorskip("resvg_py")
    with pytest.raises(InputError):
        svg_to_png(svg, scale)


def test_the_contrast_measure_is_right() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_text_in_every_category_s_colours_has_a_contrast_of_at_least_4_5() -> None:
    for style in palette():
        assert contrast(style.ink, "#ffffff") >= 4.5
        assert contrast("#1b1f24", style.tint) >= 4.5
        assert contrast(style.dark_ink, "#14181d") >= 4.5
        assert contrast("#e6e9ed", style.dark_tint) >= 4.5


def test_the_first_three_styles_differ_for_readers_without_red_or_green_vision() -> None:
    # Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
    matrices = {
        "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
        "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    }

    def seen(colour: str, matrix: tuple[tuple[float, ...], ...]) -> list[float]:
        linear = [(int(colour[i : i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5)]
        return [255 * max(0.0, sum(m * c for m, c in zip(row, linear, strict=True))) ** (1 / 2.2) for row in matrix]

    for matrix in matrices.values():
        for one, other in combinations([style.ink for style in palette()[:3]], 2):
            a, b = seen(one, matrix), seen(other, matrix)
            assert sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5 > 60
