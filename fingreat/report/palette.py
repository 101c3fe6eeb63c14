"""Colours and line styles of edge categories."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from fingreat.schema import Graph
from fingreat.schema.graph import DEFAULT_GROUPING
from fingreat.schema.records import Record


class Style(Record):
    """How a category looks: on light and on dark paper, and as an SVG dash pattern."""

    ink: str
    tint: str
    dark_ink: str
    dark_tint: str
    dash: str


@cache
def palette() -> tuple[Style, ...]:
    """The styles in order; more categories than styles start again from the first."""
    data = files("fingreat.report").joinpath("templates", "palette.toml").read_text(encoding="utf-8")
    return tuple(Style.model_validate(row) for row in tomllib.loads(data)["category"])


def category_index(graph: Graph, grouping: str) -> dict[str, int]:
    """Category → index into the palette.

    Raises:
        InputError: the graph has no such grouping.
    """
    return {category: i % len(palette()) for i, category in enumerate(graph.categories(grouping))}


def edge_styles(graph: Graph, grouping: str = DEFAULT_GROUPING) -> dict[str, int]:
    """Edge → index of its category into the palette, in graph order.

    Raises:
        InputError: the graph has no such grouping.
    """
    styles = category_index(graph, grouping)
    return {edge: styles[graph.category(edge, grouping)] for edge in graph.edges}
