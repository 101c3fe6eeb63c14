"""What several reviewers selected for the same passages, and how far they agree.

A decision is a set of edges, and the empty set says "none of them". Agreement is measured on all passages, before any
of them is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import comb
from typing import TypeAlias

from fingreat.analysis.ratio import Ratio
from fingreat.analysis.set_pairs import Kinds, SetPairs
from fingreat.errors import InputError
from fingreat.schema import Graph
from fingreat.schema.records import Record

Decision: TypeAlias = frozenset[str]
"""The edges that one reviewer selected for a passage; empty where none fits."""

NESTED, CROSSED = Fraction(67, 100), Fraction(33, 100)
"""MASI's weights of two sets of which one holds the other, and of sets that overlap otherwise: the thirds of Passonneau
(2006), rounded to two places as in the published study."""


class Review(Record):
    """What one reviewer selected for one passage.

    Attributes:
        edges: ids of the edges; empty where none fits.
    """

    passage_id: str
    reviewer: str
    edges: frozenset[str]


@dataclass(frozen=True)
class ReviewAgreement:
    """How far reviewers agree.

    Attributes:
        passages: all that were reviewed.
        reviewers: decisions on each of them.
        pairs: of decisions on one passage.
        pooled_pairs: of all decisions, whatever their passages.
        observed: mean MASI distance of `pairs`, None where there are none.
        expected: that of `pooled_pairs`, None where there are none.
        alpha: 1 - observed / expected (Krippendorff); 1 where both are 0.
        jaccard: mean of |A∩B|/|A∪B| over `pairs`, with 1 for two empty sets.
        exact: pairs of equal sets.
        identical: passages for which all reviewers, two at least, selected the same set.
    """

    passages: int
    reviewers: int
    pairs: int
    pooled_pairs: int
    observed: float | None
    expected: float | None
    alpha: float | None
    jaccard: float | None
    exact: Ratio
    identical: Ratio


def decisions_of(
    reviews: Iterable[Review], graph: Graph, *, common: bool = False
) -> tuple[dict[str, dict[str, Decision]], tuple[str, ...]]:
    """Reviews by passage and reviewer.

    Args:
        common: keep to the passages that every reviewer decided, instead of refusing others.

    Returns:
        Id of a passage → reviewer, in the order of their names → decision, with passages in the order in which they
        come; and ids of the passages that were left out.

    Raises:
        InputError: there is no review, a reviewer decided a passage twice, selected an edge that the graph lacks or did
            not decide a passage; or no passage is left that all decided.
    """
    found: dict[str, dict[str, Decision]] = {}
    for review in reviews:
        where = f"passage {review.passage_id}, reviewer {review.reviewer}"
        if unknown := review.edges - set(graph.edges):
            raise InputError(f"selects {', '.join(sorted(unknown))}, no edge of graph '{graph.name}'.", where=where)
        if review.reviewer in found.setdefault(review.passage_id, {}):
            raise InputError("is decided twice.", where=where, hint="Keep the decision that counts.")
        found[review.passage_id][review.reviewer] = review.edges
    if not found:
        raise InputError("there is no review to measure.")
    reviewers = sorted({reviewer for of in found.values() for reviewer in of})
    left_out = []
    for id_, of in found.items():
        lacking = [reviewer for reviewer in reviewers if reviewer not in of]
        if lacking and not common:
            raise InputError(
                f"has no decision of {', '.join(lacking)}.",
                where=f"passage {id_}",
                hint="Add it, or measure on the passages that all reviewers decided with --common.",
            )
        left_out += [id_] if lacking else []
    if len(left_out) == len(found):
        raise InputError("no passage was decided by all of them.", where=", ".join(reviewers))
    lost = set(left_out)
    kept = {id_: {reviewer: of[reviewer] for reviewer in reviewers} for id_, of in found.items() if id_ not in lost}
    return kept, tuple(left_out)


def masi_distance(a: Decision, b: Decision) -> float:
    """The MASI distance of two sets: 1 - m·|A∩B|/|A∪B|, with m = 1 for equal sets, 0.67 for proper containment, 0.33
    for other overlap and 0 for none; 0 for two empty sets (Passonneau 2006).
    """
    shared = len(a & b)
    return float(_distance(shared, len(a | b), shared == min(len(a), len(b))))


def measure_reviews(decisions: Mapping[str, Sequence[Decision]]) -> ReviewAgreement:
    """Measure how far reviewers agree.

    Distances are summed as exact fractions: pairs are counted by the sizes of their intersections and unions, which
    are all that a distance goes by. The expected distance is over pairs without replacement, so that no decision is
    compared with itself.

    Args:
        decisions: id of a passage → the decisions on it, of the same number for each; who made which plays no part.

    Raises:
        InputError: there is no passage, one has no decision, or not as many as the others.
    """
    import numpy as np

    reviewers = _reviewers(decisions)
    numbers: dict[Decision, int] = {}
    coded = [numbers.setdefault(one, len(numbers)) for one in chain.from_iterable(decisions.values())]
    table = np.array(coded, dtype=np.int64).reshape(len(decisions), reviewers)
    sets = SetPairs(tuple(numbers))
    within = sets.within(table)
    pooled = sets.pooled(np.bincount(table.ravel(), minlength=len(numbers)))
    pairs = len(decisions) * comb(reviewers, 2)
    observed, expected = _mean(within, _distance), _mean(pooled, _distance)
    jaccard = _mean(within, _jaccard)
    same = int((table == table[:, :1]).all(axis=1).sum())
    return ReviewAgreement(
        passages=len(decisions),
        reviewers=reviewers,
        pairs=pairs,
        pooled_pairs=comb(table.size, 2),
        observed=_float(observed),
        expected=_float(expected),
        alpha=None if observed is None or expected is None else alpha(observed, expected),
        jaccard=_float(jaccard),
        exact=Ratio(sum(n for (shared, union, _), n in within.items() if shared == union), pairs),
        identical=Ratio(same, len(decisions)) if pairs else Ratio(0, 0),
    )


def alpha(observed: float | Fraction, expected: float | Fraction) -> float:
    """Krippendorff's alpha, 1 - observed / expected disagreement; 1 where both are 0.

    Raises:
        InputError: only the expected one is 0, or one is below 0.
    """
    if observed < 0 or expected < 0 or (observed and not expected):
        raise InputError(f"an observed disagreement of {observed} with {expected} expected has no alpha.")
    return float(1 - observed / expected) if expected else 1.0


def _reviewers(decisions: Mapping[str, Sequence[Decision]]) -> int:
    if not decisions:
        raise InputError("there is no review to measure.")
    first, number = next((id_, len(of)) for id_, of in decisions.items())
    if not number:
        raise InputError("has no decision.", where=f"passage {first}")
    for id_, of in decisions.items():
        if len(of) != number:
            raise InputError(
                f"has {len(of)} decisions, where passage {first} has {number}.",
                where=f"passage {id_}",
                hint="Agreement takes equally many for each passage.",
            )
    return number


def _distance(shared: int, union: int, nested: bool) -> Fraction:
    if shared == union:
        return Fraction(0)
    return 1 - (NESTED if nested else CROSSED) * Fraction(shared, union)


def _jaccard(shared: int, union: int, nested: bool) -> Fraction:
    return Fraction(shared, union) if union else Fraction(1)


def _mean(kinds: Kinds, measure: Callable[[int, int, bool], Fraction]) -> Fraction | None:
    total = sum(kinds.values())
    return sum((n * measure(*kind) for kind, n in kinds.items()), Fraction(0)) / total if total else None


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
