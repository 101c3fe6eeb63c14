"""Classifications against gold passages: accuracy, with the random and the majority selector beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from fingreat.analysis.answers import AnswerSheet, answer_sheet
from fingreat.analysis.bootstrap import ratios_of_sums
from fingreat.analysis.ratio import Ratio
from fingreat.schema import Classification, GoldPassage, Graph
from fingreat.schema.graph import DEFAULT_GROUPING

if TYPE_CHECKING:
    from fingreat.analysis.bootstrap import FilingBootstrap


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
    grouping: str = DEFAULT_GROUPING,
    years: Mapping[str, int] | None = None,
    period_years: Mapping[str, int] | None = None,
) -> Accuracy:
    """Accuracy of one model over every passage that accepts an edge: an answer is right if its edge is an accepted one.

    Args:
        grouping, years, period_years: as for `measure_accuracies`.

    Raises:
        InputError: no passage accepts an edge; a passage accepts an edge that the graph lacks, has no classification
            or two; a passage or a classification is of another benchmark.
    """
    sheet = answer_sheet({"the model": classifications}, gold, graph)
    (measured,) = measure_accuracies(sheet, grouping=grouping, years=years, period_years=period_years)
    return measured


def measure_accuracies(
    sheet: AnswerSheet,
    *,
    grouping: str = DEFAULT_GROUPING,
    bootstrap: FilingBootstrap | None = None,
    years: Mapping[str, int] | None = None,
    period_years: Mapping[str, int] | None = None,
) -> tuple[Accuracy, ...]:
    """Accuracy of each model of a sheet, in the order of its names, all on the same passages and draws.

    Args:
        grouping: of edges into categories.
        bootstrap: draws of the sheet's filings, for intervals of what models and the majority selector get right.
        years: filing id → year in which it was filed.
        period_years: filing id → year in which its fiscal period ended; counts for filings that `years` lacks.

    Raises:
        InputError: no such grouping; the draws are of another number of filings.
    """
    graph, filed = sheet.graph, years or {}
    accepting = Counter(edge for passage in sheet.passages for edge in passage.accepted)
    majority = max(graph.edges, key=lambda edge: accepting[edge])

    def cohorts(members: Mapping[str, Sequence[bool]]) -> tuple[tuple[CohortAccuracy, ...], ...]:
        """Per model one for each cohort, whose members are told by passage."""
        found = [_of_cohort(sheet, name, inside, majority, bootstrap) for name, inside in members.items()]
        return tuple(zip(*found, strict=True)) if found else ((),) * len(sheet.names)

    def accepting_in(edges: Set[str]) -> list[bool]:
        return [not edges.isdisjoint(passage.accepted) for passage in sheet.passages]

    def by_year(of: Mapping[str, int]) -> dict[str, list[bool]]:
        given = [of.get(passage.filing_id) for passage in sheet.passages]
        return {str(year): [one == year for one in given] for year in sorted({one for one in given if one is not None})}

    of_category = {c: {e for e in graph.edges if graph.category(e, grouping) == c} for c in graph.categories(grouping)}
    ended = {one: year for one, year in (period_years or {}).items() if one not in filed}
    return tuple(
        Accuracy(
            overall=overall,
            categories=categories,
            edges=edges,
            years=in_years,
            period_years=in_period_years,
            majority_edge=majority,
            correct=frozenset(p.passage_id for p, hit in zip(sheet.passages, right, strict=True) if hit),
            without_edges=sheet.without_edges,
        )
        for (overall,), categories, edges, in_years, in_period_years, right in zip(
            cohorts({"all": [True] * len(sheet.passages)}),
            cohorts({category: accepting_in(edges) for category, edges in of_category.items()}),
            cohorts({edge: accepting_in({edge}) for edge in graph.edges}),
            cohorts(by_year(filed)),
            cohorts(by_year(ended)),
            sheet.right.tolist(),
            strict=True,
        )
    )


def _of_cohort(
    sheet: AnswerSheet, name: str, inside: Sequence[bool], majority: str, bootstrap: FilingBootstrap | None
) -> list[CohortAccuracy]:
    """Of each model on the passages inside a cohort."""
    import numpy as np

    member = np.array(inside, dtype=bool)
    by_majority = np.array([majority in passage.accepted for passage in sheet.passages], dtype=bool)
    hits = sheet.by_filing(np.vstack((by_majority, sheet.right)) & member)
    selector, *models = ratios_of_sums(hits, np.broadcast_to(sheet.by_filing(member), hits.shape), bootstrap)
    accepted = sum(len(passage.accepted) for passage, one in zip(sheet.passages, inside, strict=True) if one)
    total = selector.total
    return [
        CohortAccuracy(
            name=name,
            accuracy=right,
            majority=selector,
            random=Fraction(accepted, total * len(sheet.graph.edges)) if total else None,
            failed=sum(edge is None for edge, one in zip(edges, inside, strict=True) if one),
        )
        for right, edges in zip(models, sheet.edges, strict=True)
    ]
