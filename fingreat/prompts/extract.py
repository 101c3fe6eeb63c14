"""Prompts for extraction, in both modes: the part that never changes within a run first, the chunk last."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

from fingreat.prompts.data import as_data, fence_code, one_line
from fingreat.prompts.rendering import header, render, source
from fingreat.schema import Example, Filing, Graph, Message, Mode, reply_schema, sha256_hex
from fingreat.schema.reply import MAX_TAGS

Guide = Literal["none", "rules"]

_SYSTEM = "extract_system.md.j2"
_USER = "extract_user.md.j2"


class ExtractionPrompt:
    """Makes the messages of extraction requests for one graph, mode and guide.

    Args:
        guide: `none` sends the definitions of the relationships only, as published; `rules` adds the
            graph's border rules and its worked example.
        facets: ask for the graph's facets as well.
    """

    def __init__(self, graph: Graph, mode: Mode, guide: Guide = "rules", *, facets: bool = False) -> None:
        self.graph = graph
        self.mode = mode
        self.guide = guide
        self.facets = facets

    @cached_property
    def system(self) -> str:
        """The part that is the same for every chunk."""
        example = self.graph.example if self.guide == "rules" else None
        return render(
            _SYSTEM,
            graph=self.graph,
            mode=self.mode,
            guide=self.guide,
            facets=self.graph.facets if self.facets else {},
            max_tags=MAX_TAGS,
            example=example and self._shown(example),
        )

    @cached_property
    def reply_schema(self) -> dict[str, Any]:
        """The JSON schema that an engine is asked to honour."""
        return reply_schema(self.graph, self.mode, facets=self.facets)

    @property
    def digest(self) -> str:
        """SHA-256 over the templates and the rendered system part, for manifests."""
        return sha256_hex("\0".join([source(_SYSTEM), source(_USER), self.system]).encode())

    def messages(self, filing: Filing, segments: Sequence[str]) -> tuple[Message, ...]:
        """The messages that show one chunk, given as its segments, to a model."""
        return (
            Message(role="system", content=self.system),
            Message(role="user", content=self._user(header(filing), segments)),
        )

    def example_messages(self, example: Example) -> tuple[Message, ...]:
        """The messages that show a worked example as if it were a chunk."""
        user = self._user(one_line(example.header), example.segments)
        return Message(role="system", content=self.system), Message(role="user", content=user)

    def _user(self, header: str, segments: Sequence[str]) -> str:
        if self.mode == "quote":
            body = as_data("".join(segments)).strip("\n")
        else:
            # One line each: a line break inside a segment could otherwise fake the next number.
            body = "\n".join(f"[{i}] {as_data(' '.join(text.split()))}" for i, text in enumerate(segments, 1))
        return render(_USER, header=header, body=body, code=fence_code(body))

    def _shown(self, example: Example) -> dict[str, str]:
        return {
            "user": self._user(one_line(example.header), example.segments),
            "reply": json.dumps(example_reply(self.graph, example, self.mode, facets=self.facets), ensure_ascii=False),
        }


def example_reply(graph: Graph, example: Example, mode: Mode, *, facets: bool = False) -> dict[str, Any]:
    """The right reply to a worked example, in the form of `reply_schema`."""
    items: list[dict[str, Any]] = []
    for extraction in example.extractions:
        edge = graph.edges[extraction.edge]
        item: dict[str, Any]
        if mode == "quote":
            item = {
                "quote": example.quote(extraction),
                "edge": {"source": edge.source, "target": edge.target},
                "tags": list(extraction.tags),
                "period": extraction.period,
            }
        else:
            last = {} if extraction.last == extraction.first else {"last": extraction.last}
            item = {"first": extraction.first, **last, "edge": edge.id, "tags": list(extraction.tags)}
        if facets:
            item |= {name: extraction.facets.get(name) for name in graph.facets}
        items.append(item)
    return {"extractions": items}
