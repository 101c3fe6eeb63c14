"""Evidence by sentence embeddings: how near a text is to statements of each edge, and to statements of none.

Zero-shot: the statements and definitions come from the graph file, and nothing is fitted. What it cannot do: similarity
sees what a sentence is about, hardly what it says. "We paid no dividends" is as near to a dividend as "We paid
dividends"; a flow that is only named as the cause of another pulls as much as the one that moved; a sentence whose
subject stands in the one before it ("They increased by $13 million") is placed by guess; and lines that share their
words (an amount in income and its payment, the interest of a bank and of a borrower) are often mixed up. It finds
evidence better than it types it: on filings not seen before, four of five extractions lay on evidence, and about half
had a right edge (figures: `tests/inference/test_embed_backend.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fingreat.inference.embed_encoder import Encoder, Vectors
from fingreat.schema import Graph, load_graph

_NEAREST = 3
"""Prototypes of an edge that count: one alone is chance, and the mean of all punishes an edge for being broad."""
_NEXT_EDGE = 0.95
"""Share of the best edge's nearness from which another edge is given too."""
_CLAUSE = re.compile(r"[,;:]\s+")


@dataclass(frozen=True)
class Judgement:
    """What the scorer says of one text.

    Attributes:
        scores: edge → nearness, a mean cosine; only their order and ratios mean something. In graph order.
        evidence: nearness to evidence less nearness to no evidence; from 0 on the text counts as evidence.
        edges: the edges for which it is evidence, in graph order.
        clauses: edge → the clause of its definition that is nearest.
    """

    scores: dict[str, float]
    evidence: float
    edges: tuple[str, ...]
    clauses: dict[str, str]

    @property
    def best(self) -> str:
        """The one nearest edge, whether the text is evidence or not."""
        return max(self.scores, key=lambda edge: self.scores[edge])


class EmbedScorer:
    """Scores text against the prototypes of a graph: the twin of `CueScorer`.

    An edge's prototypes are its statements (`[prototypes]`; the quotes of the worked example in a graph without it),
    the clauses of its definition, and those of each node that no other edge touches. Prototypes are embedded as
    queries, texts as passages; the mean of all prototypes is taken off both (Mu and Viswanath 2018), as e5 puts all
    texts into a narrow cone. A text's nearness to an edge is its mean cosine with the edge's three nearest prototypes.

    A text is evidence if its nearness to the statements of some edge is at least that to the statements that are no
    evidence: both are worded as filings word them, so that style cannot decide. In a graph without `[prototypes]`
    definitions stand in for statements and the shipped graph's `no_evidence` is used; that works far less well.
    """

    def __init__(self, graph: Graph, encoder: Encoder) -> None:
        self._encoder = encoder
        self._edges = tuple(graph.edges)
        statements, no_evidence = _statements(graph)
        definitions = {edge_id: _definition(graph, edge_id) for edge_id in graph.edges}
        texts = [text for group in (*statements.values(), *definitions.values(), no_evidence) for text in group]
        vectors = _unit(encoder.queries(texts))
        self._mean = vectors.mean(axis=0)
        self._vectors = _unit(vectors - self._mean)
        rows = iter(range(len(texts)))
        stated = {edge_id: [next(rows) for _ in group] for edge_id, group in statements.items()}
        defined = {edge_id: [next(rows) for _ in group] for edge_id, group in definitions.items()}
        self._no_evidence = list(rows)
        self._prototypes = {edge_id: stated[edge_id] + defined[edge_id] for edge_id in graph.edges}
        self._evidence = stated if graph.prototypes else self._prototypes
        self._clauses = {
            edge_id: {row: texts[row] for row in defined[edge_id][: len(_clauses(edge.is_))]}
            for edge_id, edge in graph.edges.items()
        }

    def judge(self, texts: Sequence[str]) -> list[Judgement]:
        """What to make of each text; embedding is nearly all of the work."""
        vectors = _unit(self._encoder.passages([text.strip() for text in texts])) - self._mean
        # Row by row: a product of whole matrices rounds otherwise for other numbers of rows.
        return [self._judge(self._vectors @ vector) for vector in _unit(vectors)]

    def scores(self, text: str) -> dict[str, float]:
        """The nearness of every edge, in graph order."""
        return self.judge([text])[0].scores

    def classify(self, text: str) -> str:
        """The one best edge, for a sentence or a whole passage."""
        return self.judge([text])[0].best

    def evidence(self, text: str) -> float:
        """How far a sentence is evidence for any edge: from 0 on it counts as such."""
        return self.judge([text])[0].evidence

    def edges(self, text: str) -> list[str]:
        """The edges for which a sentence is evidence, in graph order."""
        return list(self.judge([text])[0].edges)

    def _judge(self, cosines: Vectors) -> Judgement:
        scores = {edge_id: _nearness(cosines[self._prototypes[edge_id]]) for edge_id in self._edges}
        against = _nearness(cosines[self._no_evidence])
        evidence = {edge_id: _nearness(cosines[self._evidence[edge_id]]) - against for edge_id in self._edges}
        surest = max(evidence.values())
        best = max(scores.values())
        edges = [
            edge_id
            for edge_id, score in scores.items()
            if score == best or (score >= _NEXT_EDGE * best and evidence[edge_id] >= 0)
        ]
        clauses = {
            edge_id: max(rows.items(), key=lambda item: float(cosines[item[0]]))[1]
            for edge_id, rows in self._clauses.items()
        }
        return Judgement(scores, surest, tuple(edges) if surest >= 0 else (), clauses)


def _statements(graph: Graph) -> tuple[dict[str, list[str]], list[str]]:
    """Statements per edge, and those that are no evidence."""
    if graph.prototypes:
        return {edge_id: list(graph.prototypes.evidence[edge_id]) for edge_id in graph.edges}, [
            *graph.prototypes.no_evidence
        ]
    example = graph.example
    quotes = [(item.edge, example.quote(item)) for item in example.extractions] if example else []
    shipped = load_graph().prototypes
    return (
        {edge_id: [quote for edge, quote in quotes if edge == edge_id] for edge_id in graph.edges},
        [*shipped.no_evidence] if shipped else [],
    )


def _definition(graph: Graph, edge_id: str) -> list[str]:
    """The clauses of an edge's definition, then those of its nodes that no other edge touches."""
    edge = graph.edges[edge_id]
    own = [node for node in (edge.source, edge.target) if graph.network.degree(node) == 1]
    return [*_clauses(edge.is_), *(clause for node in own for clause in _clauses(graph.nodes[node].holds))]


def _clauses(text: str) -> list[str]:
    return [clause.strip() for clause in _CLAUSE.split(text) if clause.strip()]


def _nearness(cosines: Vectors) -> float:
    return float(np.sort(cosines)[-_NEAREST:].mean())


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
    return unit
