"""The graph as a drawing: nodes as boxes, edges as arrows whose colour and line style tell the category."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from textwrap import wrap

from fingreat.errors import InputError, MissingExtraError
from fingreat.report.layout import Point, layered
from fingreat.report.palette import category_index, palette
from fingreat.report.templating import environment
from fingreat.schema import Edge, Graph
from fingreat.schema.graph import DEFAULT_GROUPING

_FONT_SIZE = 13.0
_LINE = 17.0
_WRAP = 20
_LABEL_HEIGHT = 22.0
_PORT = 20.0
_MARGIN = 16.0
_ARROW = 9.0
_LEGEND_HEIGHT = 34.0
FIGURES_INSTALL = "pip install 'fingreat[figures]'"


@dataclass(frozen=True)
class _Arrow:
    edge: Edge
    style: int
    dash: str
    path: str
    head: str


def draw_svg(graph: Graph, *, grouping: str = DEFAULT_GROUPING, counts: Mapping[str, int] | None = None) -> str:
    """A self-contained SVG of the graph, as text.

    Categories are told apart by colour and by line style, and named in a legend. Elements carry classes
    (`fg-…`), so that a page that inlines the drawing can restyle it, for dark mode say.

    Args:
        graph: any valid graph.
        grouping: which grouping of its edges gives the categories.
        counts: edge id → number to stand on the edge; edges left out get 0. None: no numbers.

    Raises:
        InputError: the graph has no such grouping, or a count is for an edge it does not have.
    """
    styles = category_index(graph, grouping)
    unknown = sorted(set(counts or {}) - set(graph.edges))
    if unknown:
        raise InputError(f"'{unknown[0]}' is no edge of graph '{graph.name}'.")
    lines = {node.id: wrap(node.name, _WRAP, break_long_words=False) for node in graph.nodes.values()}
    layout = layered(graph, _node_sizes(graph, lines), _label_sizes(graph, counts))
    arrows = []
    for edge in graph.edges.values():
        style = styles[graph.category(edge.id, grouping)]
        path = layout.paths[edge.id]
        backward = edge.id in layout.reversed
        arrows.append(_Arrow(edge, style, palette()[style].dash, _curve(path, backward), _head(path, backward)))
    legend, legend_width = _legend(styles)
    width = max(layout.width, legend_width) + 2 * _MARGIN
    return (
        environment()
        .get_template("graph.svg.j2")
        .render(
            graph=graph,
            lines=lines,
            layout=layout,
            arrows=arrows,
            legend=legend,
            palette=palette(),
            counts=counts,
            width=round(width),
            height=round(layout.height + _LEGEND_HEIGHT + 2 * _MARGIN),
            left=_MARGIN + (width - 2 * _MARGIN - layout.width) / 2,
            margin=_MARGIN,
            legend_y=_MARGIN + layout.height + _LEGEND_HEIGHT - 6,
            line=_LINE,
            font_size=_FONT_SIZE,
        )
    )


def svg_to_png(svg: str, scale: float = 2.0) -> bytes:
    """A drawing as PNG, `scale` pixels to the unit, with the Open Sans font whatever the machine has.

    Raises:
        MissingExtraError: the extra `figures` (renderer and font) is not installed.
        InputError: the text is no SVG, or the scale is not above 0.
    """
    try:
        import resvg_py
    except ImportError as error:
        raise MissingExtraError("Drawing to PNG", FIGURES_INSTALL) from error
    fonts = font_folder("PNG")
    if not scale > 0:
        raise InputError(f"a scale of {scale} draws nothing.", hint="Give a number above 0.")
    try:
        data = resvg_py.svg_to_bytes(
            svg_string=svg,
            zoom=scale,
            font_files=[str(fonts / f"OpenSans-{face}.ttf") for face in ("Regular", "SemiBold", "Bold")],
            font_family="Open Sans",
            sans_serif_family="Open Sans",
        )
    except ValueError as error:
        raise InputError(f"the drawing cannot be turned into a PNG: {error}") from error
    return bytes(data)


def font_folder(form: str) -> Path:
    """Where the files of the Open Sans font are, which is what text is drawn in.

    Args:
        form: what is drawn, such as PNG.

    Raises:
        MissingExtraError: the extra `figures` is not installed.
    """
    spec = importlib.util.find_spec("ttf_opensans")
    if spec is None or spec.origin is None:
        raise MissingExtraError(f"The font for drawing to {form}", FIGURES_INSTALL)
    return Path(spec.origin).parent / "ttf"


def text_width(text: str, size: float) -> float:
    """A generous estimate of a line's width in pixels, for a semi-bold sans serif; wide scripts count double."""
    wide = sum(1.0 if ord(c) > 0x2E7F else 0.72 if c.isupper() or c in "mw%&@" else 0.6 for c in text)
    return wide * size


def _node_sizes(graph: Graph, lines: Mapping[str, list[str]]) -> dict[str, tuple[float, float]]:
    sizes = {}
    for node in graph.nodes:
        ports = max(graph.network.in_degree(node), graph.network.out_degree(node))
        width = max(text_width(line, _FONT_SIZE) for line in [*lines[node], node]) + 22
        height = max(len(lines[node]) * _LINE + 15 + 16, (ports + 1) * _PORT)
        sizes[node] = (max(width, 104.0), height)
    return sizes


def _label_sizes(graph: Graph, counts: Mapping[str, int] | None) -> dict[str, tuple[float, float]]:
    digits = max((len(f"{n:,}") for n in (counts or {}).values()), default=1) if counts is not None else 0
    extra = text_width("0" * digits, 12) + 8 if digits else 0
    return {edge: (text_width(edge, 11) + 10 + extra, _LABEL_HEIGHT) for edge in graph.edges}


def _curve(points: tuple[Point, ...], backward: bool) -> str:
    """A smooth path through the points, level at each; the arrow's tip is left free."""
    *body, (last_x, last_y) = points
    ends = [*body, (last_x if backward else last_x - _ARROW, last_y)]
    if backward:
        ends[0] = (ends[0][0] + _ARROW, ends[0][1])
    parts = [f"M{ends[0][0]:.1f} {ends[0][1]:.1f}"]
    for (x1, y1), (x2, y2) in pairwise(ends):
        middle = (x1 + x2) / 2
        parts.append(f"C{middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} {x2:.1f} {y2:.1f}")
    return "".join(parts)


def _head(points: tuple[Point, ...], backward: bool) -> str:
    x, y = points[0] if backward else points[-1]
    base = x + _ARROW if backward else x - _ARROW
    return f"{x:.1f},{y:.1f} {base:.1f},{y - 5:.1f} {base:.1f},{y + 5:.1f}"


def _legend(styles: Mapping[str, int]) -> tuple[list[tuple[str, int, float]], float]:
    """(category, style, x) per entry, and the width of all."""
    x = 0.0
    entries = []
    for category, style in styles.items():
        entries.append((category, style, x))
        x += 44 + text_width(category, 12) + 26
    return entries, x - 26
