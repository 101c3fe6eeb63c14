"""Which quotes, or places, of one filing overlap enough to be the same passage: every two of them, and no others.

Every two are compared once, whichever runs they are of. Most pairs are left out unseen, by bounds that hold for all of
them, so the result is that of the full comparison.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from fingreat.matching.fragments import Fragments
from fingreat.matching.overlap import MIN_TOKENS, Quote, cap_of_fragments, shared_tokens
from fingreat.matching.places import Places
from fingreat.matching.sharing import Sharing

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

MIN_OVERLAP = 0.80
"""Pairs below it are never matched."""

Decision = Literal["equal", "containment", "fragments", "order", "span"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)

_EQUAL, _CONTAINMENT, _FRAGMENTS, _ORDER, _SPAN = range(len(DECISIONS))
_BLOCK = 1 << 19  # pairs that are looked at together


@dataclass(frozen=True)
class Pairs:
    """Some pairs of the things compared, none of them twice, as arrays of one length.

    Attributes:
        size: how many things there are.
        a, b: numbers of the two.
        over, under: how far they overlap, as a fraction in lowest terms.
        decided_by: what gave the overlap, as a place in `DECISIONS`.
    """

    size: int
    a: Array
    b: Array
    over: Array
    under: Array
    decided_by: Array

    def between(self, a: Sequence[int], b: Sequence[int]) -> tuple[Array, Array, Array]:
        """Every pair of one side's things and the other's, each given by its number and there as often as it is given.

        Returns:
            which of these pairs it is, and where its two ends stand in `a` and in `b`; arrays of one length.
        """
        import numpy as np

        (order_a, count_a, begin_a), (order_b, count_b, begin_b) = (_members(side, self.size) for side in (a, b))
        in_a, in_b = count_a > 0, count_b > 0
        forth = np.flatnonzero(in_a[self.a] & in_b[self.b])
        back = np.flatnonzero(in_a[self.b] & in_b[self.a] & (self.a != self.b))
        which = np.concatenate((forth, back), dtype=np.int32)
        first = np.concatenate((self.a[forth], self.b[back]))
        second = np.concatenate((self.b[forth], self.a[back]))
        del forth, back
        sizes, wide = count_a[first], count_b[second]
        first, second = begin_a[first], begin_b[second]
        if max(sizes.max(initial=0), wide.max(initial=0)) > 1:
            sizes *= wide
            pair = np.repeat(np.arange(len(which), dtype=np.int32), sizes)
            within = np.arange(len(pair), dtype=np.int32) - (np.cumsum(sizes, dtype=np.int32) - sizes)[pair]
            place_a, place_b = np.divmod(within, wide[pair])
            which, first, second = which[pair], first[pair] + place_a, second[pair] + place_b
        return which, order_a[first], order_b[second]


def _members(numbers: Sequence[int], size: int) -> tuple[Array, Array, Array]:
    """Where things stand, sorted by their numbers; for each number how often it is there, and where that begins."""
    import numpy as np

    count = np.bincount(np.array(numbers, dtype=np.int64), minlength=size).astype(np.int32)
    begin = np.cumsum(count, dtype=np.int32) - count
    return np.argsort(numbers, kind="stable").astype(np.int32), count, begin


def pairs_by_text(quotes: Sequence[Quote], apart: Sequence[int] | None = None) -> Pairs:
    """The pairs of different quotes whose overlap is at least `MIN_OVERLAP`, and each quote with itself.

    Args:
        apart: for each quote the number of a set within which quotes are not compared; below 0 for none.

    Raises:
        ValueError: the quotes were not prepared together.
    """
    import numpy as np

    if len({id(quote.vocabulary) for quote in quotes}) > 1:
        raise ValueError("quotes that are compared must be prepared together")
    # From the shortest to the longest: of two quotes the first is the shorter.
    order = np.argsort([len(quote.codes) for quote in quotes], kind="stable")
    sets = np.full(len(quotes), -1) if apart is None else np.array(apart, dtype=np.int64)
    compared = _Compared([quotes[number] for number in order.tolist()], sets[order])
    itself = np.arange(len(quotes))
    found = _Found()
    found.add(itself, itself, np.ones_like(itself), np.ones_like(itself), _EQUAL)
    for short, long, over, under, decided in compared.blocks():
        found.add(order[short], order[long], over, under, decided)
    return found.pairs(len(quotes))


def pairs_by_span(places: Places) -> Pairs:
    """The pairs of places that share at least `MIN_OVERLAP` of the shorter one, those with themselves among them."""
    import numpy as np

    lengths = np.array(places.lengths, dtype=np.int64)
    found = _Found()
    for number, shared in enumerate(places.shared_with_all(range(len(places)))):
        shorter = np.maximum(np.minimum(lengths, lengths[number]), 1)  # a place without code points shares none
        near = number + np.flatnonzero(shared[number:] / shorter[number:] >= MIN_OVERLAP)
        found.add(np.full(len(near), number), near, shared[near], shorter[near], _SPAN)
    return found.pairs(len(places))


class _Compared:
    """Quotes, given from the shortest to the longest, and the scores of every two that may overlap enough."""

    def __init__(self, quotes: Sequence[Quote], sets: Array) -> None:
        import numpy as np

        self._quotes = quotes
        self._sets = sets
        self._sharing = Sharing(quotes, MIN_OVERLAP)
        self._codes = [quote.codes for quote in quotes]
        self._sizes = np.array([len(quote.codes) for quote in quotes], dtype=np.int64)
        self._divided = np.array([quote.divided for quote in quotes], dtype=bool)
        number: dict[str, int] = {}
        self._texts = np.array([number.setdefault(quote.text, len(number)) for quote in quotes], dtype=np.int64)

    @cached_property
    def _fragments(self) -> Fragments:
        return Fragments(self._quotes)

    def blocks(self) -> Iterator[tuple[Array, ...]]:
        """The pairs that overlap enough, some at a time: the shorter and the longer, the score as a fraction, and what
        gave it."""
        import numpy as np

        rows = max(1, _BLOCK // max(1, len(self._quotes)))
        for first in range(0, len(self._quotes), rows):
            short, long = self._candidates(first, first + rows)
            if not len(short):
                continue
            over, under, decided = self._scores(short, long, first, first + rows)
            kept = np.flatnonzero(over / under >= MIN_OVERLAP)
            yield short[kept], long[kept], over[kept], under[kept], decided[kept]

    def _candidates(self, first: int, last: int) -> tuple[Array, Array]:
        """Pairs that may overlap enough, the shorter quotes from `first` up to `last`, in order of these."""
        import numpy as np

        # Quotes without any token come first; they overlap where they are equal.
        without_tokens = self._texts[self._sizes == 0]
        equal = without_tokens[first:last, None] == without_tokens
        short, long = np.nonzero(np.triu(equal, first + 1))
        sharing = self._sharing.pairs(first, last)
        short, long = np.concatenate((short + first, sharing[0])), np.concatenate((long, sharing[1]))
        if self._sets.max() < 0:
            return short, long
        compared = np.flatnonzero((self._sets[short] != self._sets[long]) | (self._sets[short] < 0))
        return short[compared], long[compared]

    def _scores(self, short: Array, long: Array, first: int, last: int) -> tuple[Array, Array, Array]:
        """The scores of some pairs, the shorter quotes from `first` up to `last`; as `overlap` has them where they are
        large enough."""
        import numpy as np

        n_short, n_long = self._sizes[short], self._sizes[long]
        codes, ends = self._codes, zip(short.tolist(), long.tolist(), strict=True)
        contained = np.array([codes[a] in codes[b] for a, b in ends], dtype=bool)
        whole = n_short >= MIN_TOKENS
        over = np.where(whole, 9 * n_long + n_short, n_short)
        under = np.where(whole, 10 * n_long, np.maximum(n_long, 1))
        decided = np.full(len(short), _CONTAINMENT, dtype=np.int8)
        at = np.flatnonzero(self._texts[short] == self._texts[long])
        over[at], under[at], decided[at] = 1, 1, _EQUAL
        at = np.flatnonzero(~contained)
        over[at], under[at], decided[at] = self._in_order(short[at], long[at]), n_long[at], _ORDER
        self._by_fragments((short, long, n_short, n_long), first, last, (over, under, decided))
        return over, under, decided

    def _in_order(self, short: Array, long: Array) -> Array:
        """How many tokens of some pairs stand in both in order; 0 where they are too few for the score of token order,
        as they always are where the shorter quote has too few."""
        import numpy as np
        from rapidfuzz.distance import LCSseq
        from rapidfuzz.process import cdist

        found = np.zeros(len(short), dtype=np.int64)
        enough = np.flatnonzero(self._sizes[short] / self._sizes[long] >= MIN_OVERLAP)
        for at in np.split(enough, np.flatnonzero(np.diff(short[enough])) + 1) if len(enough) else ():
            # Rounded down, so that an inexact product never leaves a pair out.
            least = int(MIN_OVERLAP * self._sizes[long[at]].min())
            quote, others = [self._codes[short[at[0]]]], [self._codes[number] for number in long[at].tolist()]
            found[at] = cdist(quote, others, scorer=LCSseq.similarity, score_cutoff=least, dtype=np.int32)
        return found

    def _by_fragments(
        self, pairs: tuple[Array, Array, Array, Array], first: int, last: int, scores: tuple[Array, Array, Array]
    ) -> None:
        """Put in the score of shared fragments where it is no smaller than that of token order, which decided so far.

        It is never larger than the score of what is equal or contained.
        """
        import numpy as np

        over, under, decided = scores
        may = (decided == _ORDER) & (self._divided[pairs[0]] | self._divided[pairs[1]]) & (pairs[2] >= MIN_TOKENS)
        at = np.flatnonzero(may)
        if not len(at):
            return
        short, long, n_short, n_long = (column[at] for column in pairs)
        least = np.maximum(over[at] / under[at], MIN_OVERLAP)
        shared = self._fragments.shared(first, last)[short - first, long]
        may = (least <= cap_of_fragments(n_short, n_long)) & (least <= shared / n_short)
        at, short, long, n_short, n_long, shared = (
            column[may] for column in (at, short, long, n_short, n_long, shared)
        )
        regular = self._fragments.regular
        for n in np.flatnonzero(~(regular[short] & regular[long])).tolist():
            shared[n] = shared_tokens(self._quotes[short[n]], self._quotes[long[n]])
        cap_over, cap_under = 18 * n_long + n_short, 20 * n_long
        capped = shared * cap_under > cap_over * n_short
        by_over, by_under = np.where(capped, cap_over, shared), np.where(capped, cap_under, n_short)
        better = by_over * under[at] >= over[at] * by_under
        at = at[better]
        over[at], under[at], decided[at] = by_over[better], by_under[better], _FRAGMENTS


class _Found:
    """Pairs as they are found, in as little memory as they need."""

    def __init__(self) -> None:
        self._columns = tuple(array(kind) for kind in "iiiib")

    def add(self, a: Array, b: Array, over: Array, under: Array, decided_by: Array | int) -> None:
        """Some more pairs; their fractions need not be in lowest terms."""
        import numpy as np

        common = np.gcd(over, under)
        values = a, b, over // common, under // common, np.broadcast_to(decided_by, a.shape)
        for column, value in zip(self._columns, values, strict=True):
            column.frombytes(value.astype(column.typecode).tobytes())

    def pairs(self, size: int) -> Pairs:
        """All that were found of so many things."""
        import numpy as np

        return Pairs(size, *(np.frombuffer(column, dtype=column.typecode) for column in self._columns))
