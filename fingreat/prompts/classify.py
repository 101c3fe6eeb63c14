"""The prompt of classifications: the part that is the same for all, the text around the passage, the passage."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from fingreat.prompts.data import as_data, fence_code, one_line
from fingreat.prompts.extract import Guide
from fingreat.prompts.rendering import render, source
from fingreat.schema import Graph, Message, classification_schema, sha256_hex

_SYSTEM = "classify_system.md.j2"
_USER = "classify_user.md.j2"


class ClassificationPrompt:
    """Makes the messages of classification requests for one graph and guide.

    There is no worked example: it would show the reply of one relationship and none of the others.

    Args:
        guide: `none` sends the definitions of the relationships only, as published; `rules` adds the border rules.
        shuffle: lists the relationships in another order, a different one for each number; None keeps the graph's.
            Accounts and rules stay where they are.
    """

    def __init__(self, graph: Graph, guide: Guide = "rules", *, shuffle: int | None = None) -> None:
        self.graph = graph
        self.guide = guide
        self.edges = tuple(graph.edges) if shuffle is None else shuffled(tuple(graph.edges), shuffle)

    @cached_property
    def system(self) -> str:
        """The part that is the same for every passage."""
        edges = [self.graph.edges[edge_id] for edge_id in self.edges]
        return render(_SYSTEM, graph=self.graph, edges=edges, guide=self.guide)

    @cached_property
    def reply_schema(self) -> dict[str, Any]:
        """The JSON schema that an engine is asked to honour."""
        return classification_schema(self.graph, self.edges)

    @property
    def digest(self) -> str:
        """SHA-256 over the templates and the rendered system part, for manifests."""
        return sha256_hex("\0".join([source(_SYSTEM), source(_USER), self.system]).encode())

    def messages(self, passage: str, context: str = "", header: str = "") -> tuple[Message, ...]:
        """The messages that show one passage to a model.

        Args:
            context: the text around it, the passage itself included; empty for none.
            header: what is said of the filing; empty for nothing.
        """
        shown, around = as_data(passage).strip(), as_data(context).strip("\n")
        # A code of its own for each: passages of one context then begin with the same tokens, which engines keep.
        user = render(
            _USER,
            header=one_line(header),
            context=around,
            context_code=fence_code(around),
            passage=shown,
            code=fence_code(shown),
        )
        return Message(role="system", content=self.system), Message(role="user", content=user)


def shuffled(edges: tuple[str, ...], seed: int) -> tuple[str, ...]:
    """The edges in the order of SHA-256(`seed:edge`): any tool can recompute it."""
    return tuple(sorted(edges, key=lambda edge_id: sha256_hex(f"{seed}:{edge_id}".encode())))
