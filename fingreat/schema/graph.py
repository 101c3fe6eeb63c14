"""The accounting graph as a typed object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from fingreat.errors import InputError
from fingreat.schema.records import Record

if TYPE_CHECKING:
    import networkx as nx

DEFAULT_GROUPING = "default"


class Node(Record):
    """An account group: `holds` says in words what belongs to it."""

    id: str = Field(pattern=r"^[A-Z][A-Z0-9_]*$")
    name: str = Field(min_length=1)
    kind: str = Field(min_length=1)
    holds: str = Field(min_length=1)


class Edge(Record):
    """A flow between two account groups, from the credited to the debited one in its usual direction.

    Attributes:
        category: the edge's place in the default grouping.
        is_: what counts as evidence; `is` in the file.
        is_not: what looks like it and is not.
        groupings: category under each other named grouping.
        facets: optional reply fields and their closed vocabularies.
    """

    id: str = Field(pattern=r"^[A-Z][A-Z0-9_-]*$")
    source: str
    target: str
    category: str = Field(min_length=1)
    is_: str = Field(alias="is", min_length=1)
    is_not: str = ""
    groupings: Mapping[str, str] = Field(default_factory=dict)
    facets: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)


_PHRASE_WORD = r"[^\s*.]*[\p{L}\p{N}$€£¥%#][^\s*.]*\*?"
Phrase = Annotated[str, Field(pattern=rf"^{_PHRASE_WORD}( (\.\.\. )?{_PHRASE_WORD})*$")]
"""A cue phrase in the syntax of `Lexicon`."""


class Lexicon(Record):
    """Weighted cue phrases, for evidence without a language model.

    A phrase is words in order, in any case; a hyphen parts words. `*` at a word's end stands for any ending, ` ... `
    between words for a gap of a few words, `#` for any number; `$`, `%` and other currency signs are words. Where
    phrases overlap in the text the one with more words keeps them, so that "cost of sales" is not read as "sales";
    a phrase with weight 0 does nothing but keep its words.

    Attributes:
        threshold: score from which a segment counts as evidence.
        cues: edge id → phrase → weight.
        moved: phrases that state a change, an amount or an entry, with weights that speak for evidence.
        against: phrases that speak against any evidence, with (positive) weights that are taken off.
        causes: phrases after which a sentence names causes, uses or parts, where cues count less.
    """

    threshold: float = Field(gt=0)
    cues: Mapping[str, Mapping[Phrase, float]]
    moved: Mapping[Phrase, float] = Field(default_factory=dict)
    against: Mapping[Phrase, float] = Field(default_factory=dict)
    causes: tuple[Phrase, ...] = ()


Statements = Annotated[tuple[Annotated[str, Field(pattern=r"\S")], ...], Field(min_length=1)]


class Prototypes(Record):
    """Statements as filings word them, for evidence by sentence embeddings.

    Attributes:
        evidence: edge id → statements that are evidence for the edge; for every edge at least one.
        no_evidence: statements that are evidence for no edge.
    """

    evidence: Mapping[str, Statements]
    no_evidence: Statements


class ExampleExtraction(Record):
    """One right answer of a worked example: segments `first` to `last`, counted from 1, both included."""

    first: int = Field(ge=1)
    last: int = Field(ge=1)
    edge: str
    tags: tuple[str, ...] = ()
    period: str | None = None
    facets: Mapping[str, str] = Field(default_factory=dict)


class Example(Record):
    """A worked example for prompts: an invented text, cut into segments, and all its extractions.

    Attributes:
        header: the filing's header line as a prompt shows it.
        segments: joined, they are the text.
    """

    header: str
    segments: tuple[str, ...]
    extractions: tuple[ExampleExtraction, ...]

    def quote(self, extraction: ExampleExtraction) -> str:
        """The text of an extraction, without the white space around it."""
        return "".join(self.segments[extraction.first - 1 : extraction.last]).strip()


@dataclass(frozen=True)
class Graph:
    """A validated graph. Make one with `load_graph`.

    Attributes:
        nodes: id → node, in file order.
        edges: id → edge, in file order.
        rules: the border rules, in order, as sentences.
        lexicon, prototypes: cue phrases and statements for back ends without a language model, if the file has them.
        example: a worked example for prompts, if the file has one.
        digest: SHA-256 of the file, for manifests.
        source: where it was read from, for messages.
    """

    name: str
    title: str
    nodes: Mapping[str, Node]
    edges: Mapping[str, Edge]
    rules: tuple[str, ...]
    lexicon: Lexicon | None
    prototypes: Prototypes | None
    example: Example | None
    digest: str
    source: str = field(compare=False)

    @cached_property
    def network(self) -> nx.DiGraph[str]:
        """The graph in networkx: nodes by id, edges with attribute `id`."""
        # Imported where it is used: it takes longer than everything else that `fingreat --help` needs of this room.
        import networkx as nx

        network: nx.DiGraph[str] = nx.DiGraph(name=self.name)
        network.add_nodes_from(self.nodes)
        network.add_edges_from((edge.source, edge.target, {"id": edge.id}) for edge in self.edges.values())
        return network

    def edge_between(self, source: str, target: str) -> Edge | None:
        """The edge from `source` to `target` in this order, None where there is none."""
        return self._by_pair.get((source, target))

    @cached_property
    def _by_pair(self) -> dict[tuple[str, str], Edge]:
        return {(edge.source, edge.target): edge for edge in self.edges.values()}

    @property
    def groupings(self) -> tuple[str, ...]:
        """Names of the ways to group edges, `default` first."""
        others = {name for edge in self.edges.values() for name in edge.groupings}
        return (DEFAULT_GROUPING, *sorted(others))

    def category(self, edge_id: str, grouping: str = DEFAULT_GROUPING) -> str:
        """The category of an edge under a grouping.

        Raises:
            InputError: for an edge or a grouping that the graph does not have.
        """
        if edge_id not in self.edges:
            raise InputError(f"'{edge_id}' is no edge of graph '{self.name}'.", hint=f"Edges: {', '.join(self.edges)}.")
        edge = self.edges[edge_id]
        if grouping == DEFAULT_GROUPING:
            return edge.category
        if grouping not in edge.groupings:
            raise InputError(
                f"graph '{self.name}' has no grouping '{grouping}'.", hint=f"Groupings: {', '.join(self.groupings)}."
            )
        return edge.groupings[grouping]

    def categories(self, grouping: str = DEFAULT_GROUPING) -> tuple[str, ...]:
        """The categories of a grouping, in the order in which edges name them."""
        return tuple(dict.fromkeys(self.category(edge_id, grouping) for edge_id in self.edges))

    @property
    def facets(self) -> dict[str, tuple[str, ...]]:
        """Every facet of any edge, with its vocabulary."""
        return {name: values for edge in self.edges.values() for name, values in edge.facets.items()}
