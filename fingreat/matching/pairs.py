"""Which pairs of quotes, or of places, overlap enough to be the same passage; every one of them, and no other.

Most pairs are left out unseen, by a bound that holds for all of them, so the result is that of the full comparison.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from fingreat.matching.overlap import MIN_TOKENS, Quote, cap_of_fragments, overlap, prepare
from fingreat.schema.records import Range

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

MIN_OVERLAP = 0.80
"""Pairs below it are never matched."""

Decision = Literal["equal", "containment", "fragments", "order", "span"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)


@dataclass(frozen=True)
class Pairs:
    """Some pairs of the things compared, as arrays of one length.

    Attributes:
        a, b: numbers of the two.
        score: how far they overlap.
        decided_by: what gave the score, as a place in `DECISIONS`.
    """

    a: Array
    b: Array
    score: Array
    decided_by: Array


def pairs_by_text(a: Sequence[str], b: Sequence[str]) -> Pairs:
    """The pairs of quotes whose overlap is at least `MIN_OVERLAP`.

    Raises:
        InputError: the quotes hold more different tokens than there are characters.
    """
    import numpy as np

    quotes = prepare([*a, *b])
    others = _Others(quotes[len(a) :])
    found = [others.near(quote) for quote in quotes[: len(a)]]
    rows = np.repeat(np.arange(len(found), dtype=np.int32), [len(numbers) for numbers, _, _ in found])
    nothing = np.zeros(0, np.int32), np.zeros(0), np.zeros(0, np.int8)
    numbers, scores, decided = (np.concatenate(column) for column in zip(nothing, *found, strict=True))
    return Pairs(rows, numbers, scores, decided)


class _Others:
    """The quotes of one side, ready to be searched for those near to one of the other side."""

    def __init__(self, quotes: Sequence[Quote]) -> None:
        import numpy as np

        self._quotes = quotes
        self._sizes = np.array([len(quote.codes) for quote in quotes], dtype=np.int64)
        self._divided = np.array([quote.divided for quote in quotes], dtype=bool)
        holders: dict[str, list[int]] = defaultdict(list)
        self._without_tokens: dict[str, list[int]] = defaultdict(list)
        for number, quote in enumerate(quotes):
            for mark in _marks(quote):
                holders[mark].append(number)
            if not quote.codes:
                self._without_tokens[quote.text].append(number)
        self._holders = {mark: np.array(numbers, dtype=np.int32) for mark, numbers in holders.items()}

    def near(self, quote: Quote) -> tuple[Array, Array, Array]:
        """Numbers of the quotes that overlap enough with another one, their scores, and what gave each."""
        import numpy as np
        from rapidfuzz.distance import LCSseq
        from rapidfuzz.process import cdist

        if not quote.codes:
            same = np.array(self._without_tokens.get(quote.text, []), dtype=np.int32)
            return same, np.ones(len(same)), np.zeros(len(same), dtype=np.int8)
        numbers, shared = self._sharing(quote)
        sizes, size = self._sizes[numbers], len(quote.codes)
        shorter, longer = np.minimum(sizes, size), np.maximum(sizes, size)
        codes = [self._quotes[number].codes for number in numbers]
        score = cdist([quote.codes], codes, scorer=LCSseq.similarity, dtype=np.int32).reshape(-1) / longer
        decided = np.full(len(numbers), DECISIONS.index("order"), dtype=np.int8)
        # Token order is worked out for all at once. The other components are only where they can say more: equality
        # and containment need every token of the shorter quote, fragments a quote that has some.
        in_parts = (quote.divided | self._divided[numbers]) & (shorter >= MIN_TOKENS)
        in_parts &= score <= cap_of_fragments(shorter, longer)
        for at in np.flatnonzero((shared >= shorter) | in_parts):
            exact = overlap(quote, self._quotes[numbers[at]])
            score[at], decided[at] = exact.score, DECISIONS.index(exact.decided_by)
        kept = score >= MIN_OVERLAP
        return numbers[kept], score[kept], decided[kept]

    def _sharing(self, quote: Quote) -> tuple[Array, Array]:
        """Quotes that may overlap enough, and how many tokens each shares, repetitions counted.

        Every component counts tokens that stand in both quotes: such quotes share `MIN_OVERLAP` of the shorter one's.
        """
        import numpy as np

        found = [self._holders[mark] for mark in _marks(quote) if mark in self._holders]
        if not found:
            return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
        shared = np.bincount(np.concatenate(found), minlength=len(self._quotes))
        # Rounded down, so that an inexact product never leaves a pair out.
        needed = np.floor(MIN_OVERLAP * np.minimum(self._sizes, len(quote.codes)))
        numbers = np.flatnonzero(shared >= np.maximum(needed, 1)).astype(np.int32)
        return numbers, shared[numbers]


def _marks(quote: Quote) -> list[str]:
    """The tokens of a quote, each with its repetition's number; those of its pieces too, where these read otherwise."""
    counts = Counter(quote.codes)
    if quote.pieces != (quote.codes,):
        counts |= Counter("".join(quote.pieces))
    return [token if number == 0 else f"{token}{number}" for token, count in counts.items() for number in range(count)]


def span_overlap(a: Sequence[Range], b: Sequence[Range]) -> float:
    """The code points that two sets of ranges share, over those of the set that has fewer; 0 where one is empty."""
    merged_a, merged_b = _merged(a), _merged(b)
    shorter = min(sum(end - start for start, end in merged) for merged in (merged_a, merged_b))
    if not shorter:
        return 0.0
    shared, j = 0, 0
    for start, end in merged_a:
        while j < len(merged_b) and merged_b[j][1] <= start:
            j += 1
        for other_start, other_end in merged_b[j:]:
            if other_start >= end:
                break
            shared += min(end, other_end) - max(start, other_start)
    return shared / shorter


def pairs_by_span(a: Sequence[Sequence[Range]], b: Sequence[Sequence[Range]]) -> Pairs:
    """The pairs of places that share at least `MIN_OVERLAP` of the shorter one."""
    import numpy as np

    hulls = sorted((min(ranges)[0], max(end for _, end in ranges), j) for j, ranges in enumerate(b) if ranges)
    found = []
    for i, ranges in enumerate(a):
        if not ranges:
            continue
        first, last = min(ranges)[0], max(end for _, end in ranges)
        for start, end, j in hulls:
            if start >= last:
                break
            if end > first and (score := span_overlap(ranges, b[j])) >= MIN_OVERLAP:
                found.append((i, j, score))
    rows, cols, scores = np.array(found).reshape(-1, 3).T
    return Pairs(
        rows.astype(np.int32), cols.astype(np.int32), scores, np.full(len(found), DECISIONS.index("span"), np.int8)
    )


def _merged(ranges: Sequence[Range]) -> list[Range]:
    """The same code points as disjoint ranges in order."""
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
