"""What several reviewers selected for the same passages: how far they agree, and which edges are accepted.

A decision is a set of edges, and the empty set says "none of them". Agreement is measured on all passages, before any
of them is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from math import comb
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fingreat.analysis.ratio import Ratio
from fingreat.errors import InputError
from fingreat.schema.records import Record

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

Decision: TypeAlias = frozenset[str]
"""The edges that one reviewer selected for a passage; empty where none fits."""
Source: TypeAlias = Literal["primary", "fallback", "none"]

NESTED, CROSSED = Fraction(67, 100), Fraction(33, 100)
"""MASI's weights of two sets of which one holds the other, and of sets that overlap otherwise (Passonneau 2006 has
thirds, rounded to two places by convention)."""
_BLOCK = 2**20
"""Up to so many pairs of distinct sets are looked at at once."""


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
    sets = _Sets(tuple(numbers))
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


def accepted_of(decisions: Sequence[Decision]) -> tuple[Decision, Source]:
    """The edges that count as right for a passage, and where they come from.

    `primary`: those that more than half of the reviewers selected. Without any: `none`, and no edge, where more than
    half of the reviewers selected nothing; else `fallback`, all that any of them selected.

    Raises:
        InputError: there is no decision.
    """
    if not decisions:
        raise InputError("without a decision no edge is accepted or refused.")
    votes = Counter(chain.from_iterable(decisions))
    primary = frozenset(edge for edge, n in votes.items() if 2 * n > len(decisions))
    if primary:
        return primary, "primary"
    if 2 * sum(not one for one in decisions) > len(decisions):
        return frozenset(), "none"
    return frozenset(votes), "fallback"


def alpha(observed: float | Fraction, expected: float | Fraction) -> float:
    """Krippendorff's alpha, 1 - observed / expected disagreement; 1 where both are 0.

    Raises:
        InputError: only the expected one is 0, or one is below 0.
    """
    if observed < 0 or expected < 0 or (observed and not expected):
        raise InputError(f"an observed disagreement of {observed} with {expected} expected has no alpha.")
    return float(1 - observed / expected) if expected else 1.0


_Kinds: TypeAlias = Mapping[tuple[int, int, bool], int]
"""(|A∩B|, |A∪B|, whether one holds the other) → how many pairs are so."""


class _Sets:
    """The distinct sets that were selected, and pairs of them counted by kind."""

    def __init__(self, sets: Sequence[Decision]) -> None:
        import numpy as np

        edges = {edge: i for i, edge in enumerate(sorted(frozenset().union(*sets)))}
        self._members = np.zeros((len(sets), len(edges)))
        for row, one in enumerate(sets):
            self._members[row, [edges[edge] for edge in one]] = 1.0
        self._sizes = self._members.sum(axis=1).astype(np.int64)
        self._base = len(edges) + 1

    def within(self, table: Array) -> _Kinds:
        """Pairs of decisions on one passage, from the numbers of their sets, shape [passages, reviewers]."""
        import numpy as np

        found: Counter[tuple[int, int, bool]] = Counter()
        for a, b in combinations(range(table.shape[1]), 2):
            both, counts = np.unique(table[:, a] * len(self._sizes) + table[:, b], return_counts=True)
            left, right = np.divmod(both, len(self._sizes))
            for start in range(0, len(both), _BLOCK):
                part = slice(start, start + _BLOCK)
                shared = (self._members[left[part]] * self._members[right[part]]).sum(axis=1)
                found += self._kinds(shared, self._sizes[left[part]], self._sizes[right[part]], counts[part])
        return found

    def pooled(self, counts: Array) -> _Kinds:
        """All pairs of decisions, from how often each set was selected."""
        import numpy as np

        found: Counter[tuple[int, int, bool]] = Counter()
        step = max(1, _BLOCK // len(counts))
        for start in range(0, len(counts), step):
            rows = np.arange(start, min(start + step, len(counts)))
            # Each two sets once; of a set with itself, the pairs of its decisions.
            left, right = np.nonzero(rows[:, None] <= np.arange(len(counts)))
            shared = (self._members[rows] @ self._members.T)[left, right]
            left += start
            pairs = np.where(left == right, counts[left] * (counts[left] - 1) // 2, counts[left] * counts[right])
            found += self._kinds(shared, self._sizes[left], self._sizes[right], pairs)
        return found

    def _kinds(self, shared: Array, a: Array, b: Array, pairs: Array) -> Counter[tuple[int, int, bool]]:
        import numpy as np

        shared = shared.astype(np.int64)
        keys = ((a + b - shared) * self._base + shared) * 2 + (shared == np.minimum(a, b))
        kinds, place = np.unique(keys, return_inverse=True)
        sums = np.zeros(len(kinds), dtype=np.int64)
        np.add.at(sums, place, pairs)
        found: Counter[tuple[int, int, bool]] = Counter()
        for key, n in zip(kinds.tolist(), sums.tolist(), strict=True):
            sizes, nested = divmod(key, 2)
            union, both = divmod(sizes, self._base)
            found[both, union, bool(nested)] = n
        return found


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


def _mean(kinds: _Kinds, measure: Callable[[int, int, bool], Fraction]) -> Fraction | None:
    total = sum(kinds.values())
    return sum((n * measure(*kind) for kind, n in kinds.items()), Fraction(0)) / total if total else None


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
