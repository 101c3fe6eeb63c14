"""The JSON schema of a reply, generated from the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from fingreat.schema.graph import Graph

Mode = Literal["quote", "span"]

MAX_EXTRACTIONS = 64
"""Most extractions one reply may hold; a chunk of 4,096 tokens has about 150 sentences. A full list counts as cut."""
MAX_TAGS = 5
MAX_SPAN = 12
"""Most segments that one range of span mode may hold; a passage has one to three sentences, a row of a table more."""


def reply_schema(graph: Graph, mode: Mode, *, facets: bool = False, edges_only: bool = True) -> dict[str, Any]:
    """The form of a reply: an object with one list, `extractions`.

    In `quote` mode an item has `quote`, `edge` (`source` and `target`, in order), `tags` and `period`; in
    `span` mode `first` and `last` (segment numbers from 1, both included), `edge` (its id) and `tags`.
    Every property is required but `last`, which most passages, being one segment, do without: it would be a fifth of
    the answer. Other optional content is null or empty, which every engine's strict mode accepts. No `maxLength`:
    some grammar engines then let raw control characters in.

    Args:
        facets: ask for the graph's facets as well.
        edges_only: each source offers its own targets only, so that a constrained engine cannot leave
            the graph. Without it any ordered pair of nodes fits: the form a reply is checked against
            before its pairs are, so that "no edge" can be told from "no reply".
    """
    item: dict[str, Any] = {}
    if mode == "quote":
        item["quote"] = {"type": "string"}
        item["edge"] = _ordered_pair(graph) if edges_only else _any_pair(graph)
    else:
        item["first"] = {"type": "integer", "minimum": 1}
        item["last"] = {"type": ["integer", "null"], "minimum": 1}
        item["edge"] = {"type": "string", "enum": list(graph.edges)}
    item["tags"] = {"type": "array", "items": {"type": "string"}, "maxItems": MAX_TAGS}
    if mode == "quote":
        item["period"] = {"type": ["string", "null"]}
    if facets:
        for name, values in graph.facets.items():
            item[name] = {"type": ["string", "null"], "enum": [*values, None]}
    required = [name for name in item if name != "last"]
    items = {**_closed(item), "required": required}
    extractions = {"type": "array", "items": items, "maxItems": MAX_EXTRACTIONS}
    return _closed({"extractions": extractions})


def classification_schema(
    graph: Graph, edges: Sequence[str] | None = None, *, edges_only: bool = True
) -> dict[str, Any]:
    """The form of a classification's reply: an object with one property, `edge`, an edge's id.

    Args:
        edges: the ids in the order in which the prompt lists them, that of the graph by default.
        edges_only: without it any text fits, so that "no edge" can be told from "no reply".
    """
    ids = list(graph.edges if edges is None else edges)
    return _closed({"edge": {"type": "string", "enum": ids} if edges_only else {"type": "string"}})


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _ordered_pair(graph: Graph) -> dict[str, Any]:
    targets: dict[str, list[str]] = {}
    for edge in graph.edges.values():
        targets.setdefault(edge.source, []).append(edge.target)
    return {
        "anyOf": [
            _closed({"source": {"type": "string", "enum": [source]}, "target": {"type": "string", "enum": ends}})
            for source, ends in targets.items()
        ]
    }


def _any_pair(graph: Graph) -> dict[str, Any]:
    node = {"type": "string", "enum": list(graph.nodes)}
    return _closed({"source": node, "target": node})
