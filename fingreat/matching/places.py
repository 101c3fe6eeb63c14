"""How far the places of two quotes in a section's text are the same: code points that both share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from fingreat.schema.records import Range

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

_FEW_PAIRS = 2000
"""Pairs up to which the overlap is looked up one by one, and kept for other runs that have the same places."""

Place: TypeAlias = tuple[Range, ...]
"""Where a quote stands, as the ranges of an extraction: several for an elided quote or for equal places."""


def span_overlap(a: Sequence[Range], b: Sequence[Range]) -> float:
    """The code points that two sets of ranges share, over those of the set that has fewer; 0 where one is empty."""
    merged_a, merged_b = merged(a), merged(b)
    shorter = min(length(merged_a), length(merged_b))
    return shared_points(merged_a, merged_b) / shorter if shorter else 0.0


def merged(ranges: Iterable[Range]) -> list[Range]:
    """The same code points as disjoint ranges in order, none of them empty."""
    found: list[Range] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        elif start < end:
            found.append((start, end))
    return found


def length(ranges: Iterable[Range]) -> int:
    """The code points of merged ranges."""
    return sum(end - start for start, end in ranges)


def shared_points(a: Sequence[Range], b: Sequence[Range]) -> int:
    """The code points that two merged sets of ranges share."""
    shared, j = 0, 0
    for start, end in a:
        while j < len(b) and b[j][1] <= start:
            j += 1
        for other_start, other_end in b[j:]:
            if other_start >= end:
                break
            shared += min(end, other_end) - max(start, other_start)
    return shared


class Places:
    """The different places of one filing's extractions, numbered from 0: how many code points every two share.

    Attributes:
        number: place → its number, in the order given.
        lengths: code points of each place.
    """

    def __init__(self, places: Iterable[Place]) -> None:
        self.number = {place: number for number, place in enumerate(dict.fromkeys(places))}
        self._merged = [merged(place) for place in self.number]
        self.lengths = [length(ranges) for ranges in self._merged]
        self._known: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self._merged)

    def shared(self, a: int, b: int) -> int:
        """The code points that two places share, worked out once."""
        pair = (a, b) if a <= b else (b, a)
        found = self._known.get(pair)
        if found is None:
            found = self._known[pair] = shared_points(self._merged[a], self._merged[b])
        return found

    def overlap(self, a: int, b: int) -> float:
        """`span_overlap` of two places."""
        shorter = min(self.lengths[a], self.lengths[b])
        return self.shared(a, b) / shorter if shorter else 0.0

    def overlaps(self, a: Array, b: Array) -> tuple[Array, Array]:
        """`span_overlap` of many pairs of places, as fractions."""
        import numpy as np

        lengths = np.array(self.lengths, dtype=np.int32)
        under = np.maximum(np.minimum(lengths[a], lengths[b]), 1)  # a place without code points shares none
        if len(a) <= _FEW_PAIRS:
            return np.array(list(map(self.shared, a.tolist(), b.tolist())), dtype=np.int64), under
        over = np.empty(len(a), dtype=np.int32)
        order = np.argsort(a, kind="stable").astype(np.int32)
        groups = np.split(order, np.flatnonzero(np.diff(a[order])) + 1)
        for group, shared in zip(groups, self.shared_with_all(int(a[group[0]]) for group in groups), strict=True):
            over[group] = shared[b[group]]
        return over, under

    def shared_with_all(self, numbers: Iterable[int]) -> Iterator[Array]:
        """For each of some places the code points that it shares with every place of the filing."""
        import numpy as np

        points, starts, ends, begins = self._bounds
        for number in numbers:
            below = np.zeros(len(points), dtype=np.int64)  # code points of the place before each bound
            for start, end in self._merged[number]:
                below += points.clip(start, end) - start
            # Sums over the ranges of each place, as differences of running sums: a place may have no range.
            sums = np.concatenate(([0], np.cumsum(below[ends] - below[starts])))
            yield sums[begins[1:]] - sums[begins[:-1]]

    @cached_property
    def _bounds(self) -> tuple[Array, Array, Array, Array]:
        """The different bounds of ranges; for each range the numbers of its two; for each place its first range."""
        import numpy as np

        ranges = [bounds for place in self._merged for bounds in place]
        points, numbers = np.unique(np.array(ranges, dtype=np.int64).reshape(-1), return_inverse=True)
        begins = np.cumsum([0, *map(len, self._merged)])
        return points, numbers[::2], numbers[1::2], begins
