"""Pairs of sets, counted by what a distance between two of them goes by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

_BLOCK = 2**20
"""Up to so many pairs of distinct sets are looked at at once."""
Kinds: TypeAlias = Mapping[tuple[int, int, bool], int]
"""(|A∩B|, |A∪B|, whether one holds the other) → how many pairs are so."""


class SetPairs:
    """The distinct sets that were selected, and pairs of them counted by kind."""

    def __init__(self, sets: Sequence[frozenset[str]]) -> None:
        import numpy as np

        edges = {edge: i for i, edge in enumerate(sorted(frozenset().union(*sets)))}
        self._members = np.zeros((len(sets), len(edges)))
        for row, one in enumerate(sets):
            self._members[row, [edges[edge] for edge in one]] = 1.0
        self._sizes = self._members.sum(axis=1).astype(np.int64)
        self._base = len(edges) + 1

    def within(self, table: Array) -> Kinds:
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

    def pooled(self, counts: Array) -> Kinds:
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
