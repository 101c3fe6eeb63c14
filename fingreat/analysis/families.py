"""Accuracy by what models are: families, sizes, and the best open model beside the best hosted one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fingreat.analysis.accuracy import Accuracy
from fingreat.analysis.answers import AnswerSheet
from fingreat.analysis.ratio import Interval, Ratio
from fingreat.schema.graph import DEFAULT_GROUPING

if TYPE_CHECKING:
    from fingreat.analysis.bootstrap import FilingBootstrap


@dataclass(frozen=True)
class ModelFacts:
    """What is known of a model that answered.

    Attributes:
        family: None where it is not known.
        parameters: all of them, in billions; None where they are not known.
        hosted: whether a provider answered, so that its weights were not at hand.
    """

    name: str
    family: str | None
    parameters: float | None
    hosted: bool


@dataclass(frozen=True)
class FamilyAccuracy:
    """The models of one family, open and hosted ones apart.

    Attributes:
        models: names, in the order of the sheet.
        best: those with the highest accuracy, several where equal.
        accuracy: of the best.
        mean: of the accuracies of its models, each once.
    """

    family: str | None
    hosted: bool
    models: tuple[str, ...]
    best: tuple[str, ...]
    accuracy: Ratio
    mean: float


@dataclass(frozen=True)
class Gap:
    """The best open and the best hosted model on some passages.

    Attributes:
        cohort: None for all passages, or a category.
        open_best, hosted_best: names, several where equal, none without passages.
        open, hosted: what they get right.
        interval: of hosted less open, between the first named of each, on the same draws. Both were chosen by these
            very passages, which it takes as given.
    """

    cohort: str | None
    open_best: tuple[str, ...]
    open: Ratio
    hosted_best: tuple[str, ...]
    hosted: Ratio
    interval: Interval | None = None


def measure_families(accuracies: Mapping[str, Accuracy], facts: Sequence[ModelFacts]) -> tuple[FamilyAccuracy, ...]:
    """The best and the mean of every family, the best family first; equal ones as their first models are named.

    Args:
        accuracies: by name of the model, all on the same passages.
        facts: of each of them.
    """
    members: dict[tuple[str | None, bool], list[str]] = {}
    for one in facts:
        members.setdefault((one.family, one.hosted), []).append(one.name)
    found = []
    for (family, hosted), models in members.items():
        overall = {name: accuracies[name].overall.accuracy for name in models}
        best, accuracy = _best(overall)
        mean = sum(one.hits for one in overall.values()) / (accuracy.total * len(models))
        found.append(FamilyAccuracy(family, hosted, tuple(models), best, accuracy, mean))
    return tuple(sorted(found, key=lambda one: -one.accuracy.hits))


def measure_gaps(
    sheet: AnswerSheet,
    accuracies: Sequence[Accuracy],
    facts: Sequence[ModelFacts],
    *,
    grouping: str = DEFAULT_GROUPING,
    bootstrap: FilingBootstrap | None = None,
) -> tuple[Gap, ...]:
    """The best open beside the best hosted model on all passages, then in each category; none without both kinds.

    Args:
        accuracies, facts: of each model, in the order of the sheet.
        grouping: that accuracies were measured with.
        bootstrap: draws of the sheet's filings.
    """
    if len({one.hosted for one in facts}) < 2:
        return ()
    graph, found = sheet.graph, []
    for number, category in enumerate((None, *graph.categories(grouping))):
        right = [one.overall.accuracy if not number else one.categories[number - 1].accuracy for one in accuracies]
        sides = [
            _best({fact.name: ratio for fact, ratio in zip(facts, right, strict=True) if fact.hosted is hosted})
            for hosted in (False, True)
        ]
        (open_best, of_open), (hosted_best, of_hosted) = sides
        interval = None
        if bootstrap and of_open.total:
            edges = {edge for edge in graph.edges if category in (None, graph.category(edge, grouping))}
            interval = _interval(sheet, (hosted_best[0], open_best[0]), edges, bootstrap)
        found.append(Gap(category, open_best, of_open, hosted_best, of_hosted, interval))
    return tuple(found)


def _best(right: Mapping[str, Ratio]) -> tuple[tuple[str, ...], Ratio]:
    """Who has the most right of the same passages, and what that is; nobody where there is no passage."""
    best = max(right.values(), key=lambda one: one.hits)
    return tuple(name for name, one in right.items() if one.hits == best.hits and one.total), best


def _interval(
    sheet: AnswerSheet, names: tuple[str, str], edges: Set[str], bootstrap: FilingBootstrap
) -> Interval | None:
    """Of the difference of two models on the passages that accept any of the edges."""
    import numpy as np

    inside = np.array([not edges.isdisjoint(passage.accepted) for passage in sheet.passages], dtype=bool)
    rows = [sheet.names.index(name) for name in names]
    first, second, totals = sheet.by_filing(np.vstack((sheet.right[rows] & inside, inside))).T
    return bootstrap.difference(first, totals, second, totals)
