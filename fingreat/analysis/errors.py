"""Where models that answered the same passages go wrong: together, on which passages, and by which edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import exp, fsum, lgamma, prod
from typing import TYPE_CHECKING

from fingreat.analysis.answers import AnswerSheet
from fingreat.analysis.ratio import Interval, Ratio
from fingreat.errors import InputError
from fingreat.schema import GoldPassage

if TYPE_CHECKING:
    from fingreat.analysis.bootstrap import FilingBootstrap

WITHIN = 1.0
"""Percentage points of accuracy by which two models differ at most to count as equally accurate."""
_FEW = 10
"""Few of the models are one in so many."""
ALL_MODELS = "all models"
_STEP = 64
"""Pairs whose columns are held at once."""


@dataclass(frozen=True)
class ErrorOverlap:
    """How far two models fail on the same passages.

    Attributes:
        right_a, right_b: passages that each answers right, of all.
        jaccard: passages that both fail on, of those that either does: |F_a ∩ F_b| / |F_a ∪ F_b|.
        independent: what that share is in expectation where each model's errors fall on that many passages drawn at
            random, whatever the other's; None where neither fails.
    """

    a: str
    b: str
    right_a: Ratio
    right_b: Ratio
    jaccard: Ratio
    independent: float | None

    @property
    def apart(self) -> Fraction:
        """By how many percentage points their accuracies differ."""
        return Fraction(100 * abs(self.right_a.hits - self.right_b.hits), self.right_a.total)


@dataclass(frozen=True)
class PassageAnswers:
    """What all models said of a passage.

    Attributes:
        right: models with an accepted edge, of all.
        answers: edge → models that gave it, the most frequent first, of equal ones in graph order; None for replies
            that failed.
    """

    passage: GoldPassage
    right: Ratio
    answers: tuple[tuple[str | None, int], ...]


@dataclass(frozen=True)
class Confusion:
    """Which edges a model gives to passages that accept an edge.

    Attributes:
        name: of the model.
        counts: (accepted edge, answered edge) → passages, None for replies that failed. A right answer is a passage of
            the edge that was answered; a wrong one counts 1/|Y| for each of the |Y| accepted edges. Pairs without any
            are not there; all together make the passages, or those of each model.
    """

    name: str
    counts: Mapping[tuple[str, str | None], Fraction]

    def row(self, edge: str) -> Fraction:
        """All passages that count for an accepted edge."""
        return sum((count for (accepted, _), count in self.counts.items() if accepted == edge), Fraction())

    def share(self, accepted: str, answered: str | None) -> float | None:
        """The share of an accepted edge's passages with this answer; None where it has none."""
        total = self.row(accepted)
        return float(self.counts.get((accepted, answered), Fraction()) / total) if total else None


@dataclass(frozen=True)
class Errors:
    """Where models go wrong on a benchmark.

    Attributes:
        passages, filings: in all.
        overlaps: of every two models, in their order.
        right_counts: [k] is how many passages k of the models get right, from none to all.
        hardest: passages that at most `few` models get right, those that the fewest do first, then in gold order.
        missed_if_independent: how many passages all models would miss in expectation if each one's errors fell on as
            many passages at random.
        confusions: one for each model, in their order.
        confusion: their sum.
    """

    names: tuple[str, ...]
    passages: int
    filings: int
    overlaps: tuple[ErrorOverlap, ...]
    right_counts: tuple[int, ...]
    few: int
    hardest: tuple[PassageAnswers, ...]
    missed_if_independent: float
    confusions: tuple[Confusion, ...]
    confusion: Confusion


def errors_of(sheet: AnswerSheet, bootstrap: FilingBootstrap | None = None) -> Errors:
    """Errors of all models of a sheet; a failed reply is one.

    Args:
        bootstrap: of the sheet's filings, for the intervals of overlaps.

    Raises:
        InputError: an answer is no edge of the sheet's graph.
    """
    total = len(sheet.passages)
    right = sheet.right
    by_passage = right.sum(axis=0).tolist()
    few = len(sheet.names) // _FEW
    each = confusions(sheet)
    tally = Counter(by_passage)
    wrong = (total - right.sum(axis=1)).tolist()
    return Errors(
        names=sheet.names,
        passages=total,
        filings=len(sheet.filings),
        overlaps=error_overlaps(sheet, bootstrap),
        right_counts=tuple(tally[number] for number in range(len(sheet.names) + 1)),
        few=few,
        hardest=tuple(_hardest(sheet, by_passage, few)),
        missed_if_independent=float(total * prod(Fraction(number, total) for number in wrong)),
        confusions=each,
        confusion=_together(each),
    )


def error_overlaps(sheet: AnswerSheet, bootstrap: FilingBootstrap | None = None) -> tuple[ErrorOverlap, ...]:
    """Error Jaccard of every two models, each with what independence would give and, with draws, its interval."""
    ids = [passage.passage_id for passage in sheet.passages]
    failed = [frozenset(one for one, yes in zip(ids, row, strict=True) if not yes) for row in sheet.right.tolist()]
    numbers = list(combinations(range(len(sheet.names)), 2))
    total = len(ids)
    found = []
    for (a, b), interval in zip(numbers, _intervals(sheet, numbers, bootstrap), strict=True):
        found.append(
            ErrorOverlap(
                a=sheet.names[a],
                b=sheet.names[b],
                right_a=Ratio(total - len(failed[a]), total),
                right_b=Ratio(total - len(failed[b]), total),
                jaccard=replace(error_jaccard(failed[a], failed[b]), interval=interval),
                independent=independent_jaccard(len(failed[a]), len(failed[b]), total),
            )
        )
    return tuple(found)


def error_jaccard(a: Set[str], b: Set[str]) -> Ratio:
    """|a ∩ b| of |a ∪ b|, of the ids of the passages that two models fail on; without a value where neither fails."""
    return Ratio(len(a & b), len(a | b))


def independent_jaccard(errors_a: int, errors_b: int, passages: int) -> float | None:
    """The expected error Jaccard of two models whose errors fall independently on so many of the passages.

    The number of shared errors is then hypergeometric: Σ_i P(i) · i / (errors_a + errors_b - i). None without errors.
    """
    if not errors_a + errors_b:
        return None
    other = passages - errors_a
    shared = range(max(0, errors_b - other), min(errors_a, errors_b) + 1)
    logs = [_log_choose(errors_a, i) + _log_choose(other, errors_b - i) for i in shared]
    weights = [exp(one - max(logs)) for one in logs]
    return fsum(w * i / (errors_a + errors_b - i) for w, i in zip(weights, shared, strict=True)) / fsum(weights)


def matched_accuracy(overlaps: Iterable[ErrorOverlap], within: float = WITHIN) -> tuple[ErrorOverlap, ...]:
    """The pairs whose accuracies differ by at most `within` percentage points, those that share most errors first.

    Raises:
        InputError: `within` is not from 0 to 100.
    """
    if not 0 <= within <= 100:
        raise InputError(f"{within} percentage points are not from 0 to 100.", where="--within")
    # As it was typed: 0.1 as a binary fraction is a little more than a tenth.
    most = Fraction(str(within))
    near = (one for one in overlaps if one.apart <= most)
    return tuple(sorted(near, key=lambda one: -1.0 if one.jaccard.value is None else one.jaccard.value, reverse=True))


def confusions(sheet: AnswerSheet) -> tuple[Confusion, ...]:
    """The confusion of each model.

    Raises:
        InputError: an answer is no edge of the sheet's graph.
    """
    return tuple(
        Confusion(name, _counts(sheet, name, answers)) for name, answers in zip(sheet.names, sheet.edges, strict=True)
    )


def _counts(sheet: AnswerSheet, name: str, answers: Sequence[str | None]) -> dict[tuple[str, str | None], Fraction]:
    counts: dict[tuple[str, str | None], Fraction] = {}
    for passage, answer in zip(sheet.passages, answers, strict=True):
        if answer is not None and answer not in sheet.graph.edges:
            raise InputError(
                f"answers {answer} to passage {passage.passage_id}, no edge of graph '{sheet.graph.name}'.", where=name
            )
        right = answer in passage.accepted
        for accepted in (answer,) if right and answer is not None else passage.accepted:
            part = Fraction(1) if right else Fraction(1, len(passage.accepted))
            counts[accepted, answer] = counts.get((accepted, answer), Fraction()) + part
    return counts


def _together(each: Iterable[Confusion]) -> Confusion:
    counts: dict[tuple[str, str | None], Fraction] = {}
    for one in each:
        for pair, count in one.counts.items():
            counts[pair] = counts.get(pair, Fraction()) + count
    return Confusion(ALL_MODELS, counts)


def _hardest(sheet: AnswerSheet, right: Sequence[int], few: int) -> Iterator[PassageAnswers]:
    order = {edge: number for number, edge in enumerate(sheet.graph.edges)}
    for number in sorted(range(len(right)), key=right.__getitem__):
        if right[number] > few:
            return
        said = Counter(answers[number] for answers in sheet.edges)
        ranked = sorted(said.items(), key=lambda pair: (-pair[1], order.get(pair[0] or "", len(order))))
        yield PassageAnswers(sheet.passages[number], Ratio(right[number], len(sheet.names)), tuple(ranked))


def _intervals(
    sheet: AnswerSheet, pairs: Sequence[tuple[int, int]], bootstrap: FilingBootstrap | None
) -> Iterator[Interval | None]:
    if bootstrap is None:
        yield from (None for _ in pairs)
        return
    wrong = ~sheet.right
    for start in range(0, len(pairs), _STEP):
        a, b = ([pair[side] for pair in pairs[start : start + _STEP]] for side in (0, 1))
        both, either = wrong[a] & wrong[b], wrong[a] | wrong[b]
        yield from bootstrap.ratios(sheet.by_filing(both), sheet.by_filing(either))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
