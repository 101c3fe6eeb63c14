"""Classifications against gold passages: accuracy, with the random and the majority selector beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fingreat.analysis.ratio import Ratio
from fingreat.errors import InputError
from fingreat.schema import Classification, GoldPassage, Graph


@dataclass(frozen=True)
class CohortAccuracy:
    """How a model did on some passages.

    Attributes:
        name: of the cohort: a category, an edge, a year.
        accuracy: passages whose edge is an accepted one, of all passages; one without an edge is wrong.
        majority: the same of a selector that always names the most frequent accepted edge of all passages.
        random: the expected accuracy of a selector that draws an edge of the graph for each passage, exact:
            the mean of |accepted edges| / |edges|. None without passages.
        failed: passages without an edge.
    """

    name: str
    accuracy: Ratio
    majority: Ratio
    random: Fraction | None
    failed: int


@dataclass(frozen=True)
class Accuracy:
    """How a model did on a benchmark.

    Attributes:
        overall: over every passage with accepted edges, each once.
        categories, edges: a cohort holds every passage with an accepted edge in it, and tests against the whole
            accepted set, so that cohorts overlap. In graph order.
        years: by filing year, ascending; they partition the passages whose filing's date is known.
        period_years: by the year in which the fiscal period ended, ascending; they partition the passages of which
            only that is known. Most annual reports are filed in the year after.
        majority_edge: the edge that most passages accept, of equal ones the first in the graph.
        correct: ids of the passages that are right.
        without_edges: passages that accept no edge; they play no part.
    """

    overall: CohortAccuracy
    categories: tuple[CohortAccuracy, ...]
    edges: tuple[CohortAccuracy, ...]
    years: tuple[CohortAccuracy, ...]
    period_years: tuple[CohortAccuracy, ...]
    majority_edge: str
    correct: frozenset[str]
    without_edges: int


def measure_accuracy(
    classifications: Iterable[Classification],
    gold: Sequence[GoldPassage],
    graph: Graph,
    *,
    grouping: str = "default",
    years: Mapping[str, int] | None = None,
    period_years: Mapping[str, int] | None = None,
) -> Accuracy:
    """Accuracy over every passage that accepts an edge: an answer is right if its edge is an accepted one.

    Args:
        grouping: of edges into categories.
        years: filing id → year in which it was filed.
        period_years: filing id → year in which its fiscal period ended; counts for filings that `years` lacks.

    Raises:
        InputError: no passage accepts an edge; a passage accepts an edge that the graph lacks, has no classification
            or two; a passage or a classification is of another benchmark.
    """
    passages = [passage for passage in gold if passage.accepted]
    if not passages:
        raise InputError("no gold passage accepts an edge, so that nothing can be right.")
    _check_edges(passages, graph)
    answers = _by_passage(classifications, gold)
    if missing := [passage.passage_id for passage in passages if passage.passage_id not in answers]:
        raise InputError(f"{len(missing)} gold passages have no classification (first: {missing[0]}).")
    accepting = Counter(edge for passage in passages for edge in passage.accepted)
    majority = max(graph.edges, key=lambda edge: accepting[edge])

    def cohort(name: str, members: Sequence[GoldPassage]) -> CohortAccuracy:
        edges = [(answers[passage.passage_id], passage.accepted) for passage in members]
        total = len(members)
        return CohortAccuracy(
            name=name,
            accuracy=Ratio(sum(edge in accepted for edge, accepted in edges), total),
            majority=Ratio(sum(majority in accepted for _, accepted in edges), total),
            random=Fraction(sum(len(accepted) for _, accepted in edges), total * len(graph.edges)) if total else None,
            failed=sum(edge is None for edge, _ in edges),
        )

    def in_category(passage: GoldPassage, category: str) -> bool:
        return any(graph.category(edge, grouping) == category for edge in passage.accepted)

    def by_year(of: Mapping[str, int]) -> tuple[CohortAccuracy, ...]:
        found = {of[passage.filing_id] for passage in passages if passage.filing_id in of}
        return tuple(cohort(str(year), [p for p in passages if of.get(p.filing_id) == year]) for year in sorted(found))

    filed = years or {}
    return Accuracy(
        overall=cohort("all", passages),
        categories=tuple(cohort(c, [p for p in passages if in_category(p, c)]) for c in graph.categories(grouping)),
        edges=tuple(cohort(edge, [p for p in passages if edge in p.accepted]) for edge in graph.edges),
        years=by_year(filed),
        period_years=by_year({one: year for one, year in (period_years or {}).items() if one not in filed}),
        majority_edge=majority,
        correct=frozenset(p.passage_id for p in passages if answers[p.passage_id] in p.accepted),
        without_edges=len(gold) - len(passages),
    )


def _check_edges(passages: Iterable[GoldPassage], graph: Graph) -> None:
    for passage in passages:
        if unknown := passage.accepted - set(graph.edges):
            raise InputError(
                f"accepts {', '.join(sorted(unknown))}, no edge of graph '{graph.name}'.",
                where=f"gold passage {passage.passage_id}",
            )


def _by_passage(classifications: Iterable[Classification], gold: Sequence[GoldPassage]) -> dict[str, str | None]:
    """Passage id → the edge that it was given."""
    known = {passage.passage_id for passage in gold}
    answers: dict[str, str | None] = {}
    for one in classifications:
        where = f"classification {one.id}"
        if one.passage_id not in known:
            raise InputError(f"is of passage {one.passage_id}, which is none of the gold passages.", where=where)
        if one.passage_id in answers:
            raise InputError(f"is a second one of passage {one.passage_id}.", where=where)
        answers[one.passage_id] = one.edge
    return answers
