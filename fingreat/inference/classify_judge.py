"""Judging a raw reply to a classification: one edge, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

from fingreat.inference.parse import Item, Judged, TextJudge, pair_fault, schema_fault
from fingreat.schema import Graph, ReplyState, classification_schema


class ClassifyJudge(TextJudge):
    """Judges the replies of a classification run: `ok` has one item, its edge; every other state has none."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._form = Draft202012Validator(classification_schema(graph, edges_only=False))

    def _judge_value(self, value: Any, n_segments: int, repair: str | None) -> Judged:
        if fault := schema_fault(self._form, value) or pair_fault(self._graph, value["edge"]):
            return Judged(ReplyState.SCHEMA_VIOLATION, detail=fault)
        if value["edge"] not in self._graph.edges:
            return Judged(ReplyState.OFF_GRAPH, detail=f"no edge: {value['edge']}")
        return Judged(ReplyState.OK, (Item(index=0, edge=value["edge"]),), repair)

    def _whole_items(self, text: str, n_segments: int) -> Iterator[Item]:
        # An answer of one word is whole or it is nothing.
        return iter(())
