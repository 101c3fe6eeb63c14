"""Corpora with a known truth: what filings say, what models quote of it, and what readers say of some of it.

Filings are of two kinds. Those of the first say more, and speak more of the first edges; within a kind, filings differ
at random. Expectations follow from the numbers below alone and are worked out beside them, not taken from the code that
is under test.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from fingreat.analysis import CorrectionTally, PairTally
from fingreat.analysis.answers import AnswerSheet
from fingreat.schema import Extraction, GoldPassage, Graph, Match, Verdict, load_graph

EDGES = ("REV-NNCA", "NNCA-COGS", "NNCA-CASH")
FILINGS = 120
FIRST_KIND = 0.4
"""Part of the filings that are of the first kind."""
VOLUME = np.array([7.0, 3.0])
"""Passages of a filing of either kind beside the first one: a Poisson number."""
SAYS = np.array([[0.6, 0.3, 0.1], [0.2, 0.3, 0.5]])
"""How often a passage of either kind is of each edge."""
SPREAD = 12.0
"""A filing's own shares are Dirichlet around those of its kind; the larger, the more alike filings are."""
GIVES = np.array([[0.8, 0.15, 0.05], [0.1, 0.7, 0.2], [0.15, 0.05, 0.8]])
"""Which edge the model gives to a passage of each edge."""
SECOND = 0.3
"""How often readers accept the next edge, too."""
LABELLED, LABELS = 0.6, 0.3
"""Part of the filings that readers saw, and part of the passages there."""
QUOTED, MORE = 0.7, 0.25
"""Part of the reference's passages that the run quotes, and passages it quotes beside, for each of the reference's."""
SIZES = tuple(1 + number % 3 for number in range(FILINGS))
"""Passages of each filing in the benchmark."""
RIGHT = {"first": 0.8, "second": 0.8, "third": 0.7}
"""Model → how often it is right on a passage; the first two are equally good and right on different passages."""
SHIFT = 0.12
"""A filing is by so much easier or harder, for all models alike."""


class Truth(NamedTuple):
    """What every interval is to hold."""

    given: np.ndarray
    corrected: np.ndarray
    recall: float
    jaccard: float
    precision: float


def truth() -> Truth:
    """Expectations of the ratios of sums: a passage counts once, so that filings weigh by their volume.

    A filing of the first kind has 1 + 7 passages on average and one of the second 1 + 3: passages are of the first kind
    with 0.4 · 8 / (0.4 · 8 + 0.6 · 4) = 4/7.
    """
    of_first = FIRST_KIND * (1 + VOLUME[0]) / (FIRST_KIND * (1 + VOLUME[0]) + (1 - FIRST_KIND) * (1 + VOLUME[1]))
    says = of_first * SAYS[0] + (1 - of_first) * SAYS[1]
    # Of two accepted edges each counts half.
    read = says * (1 - SECOND / 2) + np.roll(says, 1) * SECOND / 2
    right = sum(says[edge] * GIVES[edge, edge] for edge in range(len(EDGES)))
    return Truth(says @ GIVES, read, QUOTED, QUOTED / (1 + MORE), right)


class Counts(NamedTuple):
    """One filing: the edges that the reference's passages are of, what the run gives them, and what becomes of them."""

    edges: np.ndarray
    given: np.ndarray
    quoted: np.ndarray
    labels: np.ndarray
    second: np.ndarray
    extra: int


def draw_corpus(generator: np.random.Generator) -> list[Counts]:
    """The filings of a corpus."""
    kind = (generator.random(FILINGS) >= FIRST_KIND).astype(int)
    sizes = 1 + generator.poisson(VOLUME[kind])
    # Gamma numbers over their sum are Dirichlet.
    parts = generator.gamma(SPREAD * SAYS[kind])
    filing = np.repeat(np.arange(FILINGS), sizes)
    edges = chosen(generator, (parts / parts.sum(axis=1, keepdims=True))[filing])
    of_passages = (
        edges,
        chosen(generator, GIVES[edges]),
        generator.random(len(filing)) < QUOTED,
        (generator.random(FILINGS) < LABELLED)[filing] & (generator.random(len(filing)) < LABELS),
        generator.random(len(filing)) < SECOND,
    )
    extra = generator.binomial(sizes, MORE).tolist()
    split = (np.split(one, np.cumsum(sizes)[:-1]) for one in of_passages)
    return [Counts(*one) for one in zip(*split, extra, strict=True)]


def chosen(generator: np.random.Generator, chances: np.ndarray) -> np.ndarray:
    """A number for each row, drawn with the row's chances."""
    above = generator.random(len(chances))[:, None] > chances.cumsum(axis=1)
    return np.minimum(above.sum(axis=1), chances.shape[1] - 1)


@cache
def graph() -> Graph:
    """The shipped one with no more than the edges that are needed, of two categories."""
    shipped = load_graph()
    return replace(shipped, edges={edge: shipped.edges[edge] for edge in EDGES})


@cache
def extraction(filing: int, number: int, edge: int) -> Extraction:
    """A passage of a filing; the same object each time, since making records is what takes the time."""
    return Extraction.model_construct(
        id=f"x{number}", run="run", filing_id=f"F{filing:03}", chunk_id="c", quote="q", edge=EDGES[edge],
        verdict=Verdict.EXACT, ranges=(), tags=(), period=None, facets={}, ambiguous=False, outside_chunk=False,
    )  # fmt: skip


@cache
def match(filing: int, number: int, given: int, edge: int) -> Match:
    """The run and the reference quote the same passage."""
    return Match.model_construct(
        filing_id=f"F{filing:03}", a=f"x{number}", b=f"x{number}", edge_a=EDGES[given], edge_b=EDGES[edge], overlap=1.0,
        decided_by="equal", equal=1.0, containment=1.0, fragments=1.0, order=1.0, span=None, figures="none", differs=(),
    )  # fmt: skip


def draw_agreement(filings: list[Counts]) -> PairTally:
    """A run that quotes part of a reference's passages, and others; an edge of its own for each."""
    tally = PairTally(graph())
    for filing, one in enumerate(filings):
        size = len(one.edges)
        theirs = [extraction(filing, number, edge) for number, edge in enumerate(one.edges.tolist())]
        matched = np.flatnonzero(one.quoted).tolist()
        ours = [extraction(filing, number, int(one.given[number])) for number in matched]
        ours += [extraction(filing, size + number, 0) for number in range(one.extra)]
        matches = [match(filing, number, int(one.given[number]), int(one.edges[number])) for number in matched]
        tally.add(f"F{filing:03}", ours, theirs, matches)
    return tally


def draw_corrections(filings: list[Counts]) -> CorrectionTally:
    """A run that quotes all passages, some of which readers labelled."""
    tally = CorrectionTally("run", graph())
    accepted = {
        (edge, second): frozenset({EDGES[edge], EDGES[(edge + 1) % len(EDGES)]} if second else {EDGES[edge]})
        for edge in range(len(EDGES))
        for second in (False, True)
    }
    for filing, one in enumerate(filings):
        own = [extraction(filing, number, edge) for number, edge in enumerate(one.given.tolist())]
        labels = [
            ([own[number]], accepted[int(one.edges[number]), bool(one.second[number])])
            for number in np.flatnonzero(one.labels).tolist()
        ]
        tally.add(f"F{filing:03}", own, labels)
    return tally


@cache
def passages() -> tuple[GoldPassage, ...]:
    """The benchmark's passages, each with one accepted edge."""
    return tuple(
        GoldPassage(
            passage_id=f"P{filing:03}-{number}",
            filing_id=f"F{filing:03}",
            text="text",
            accepted=frozenset({EDGES[number % len(EDGES)]}),
            source="primary",
        )
        for filing, size in enumerate(SIZES)
        for number in range(size)
    )


def draw_answers(generator: np.random.Generator) -> AnswerSheet:
    """Answers of the models: every filing is easier or harder for all of them, and passages are for each by itself."""
    shift = np.repeat(generator.choice([-SHIFT, SHIFT], size=FILINGS), SIZES)
    edges = []
    for right in RIGHT.values():
        hit = generator.random(len(shift)) < right + shift
        edges.append(tuple(
            next(iter(passage.accepted)) if one else None for passage, one in zip(passages(), hit, strict=True)
        ))  # fmt: skip
    return AnswerSheet(graph=graph(), passages=passages(), names=tuple(RIGHT), edges=tuple(edges))
