"""Which quotes of a filing may share enough tokens to be compared: most pairs need not be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from fingreat.matching.overlap import Quote

if TYPE_CHECKING:
    import numpy as np
    from scipy.sparse import csr_array

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

_CODE_BITS = 21  # of a character


class Sharing:
    """The tokens of all quotes of a filing.

    Args:
        quotes: from the shortest to the longest.
        least: the share of the shorter quote's tokens that two quotes must share to be of interest.
    """

    def __init__(self, quotes: Sequence[Quote], least: float) -> None:
        self._quotes = quotes
        self._rarest, self._holders = _rarest_marks(quotes, least)

    def pairs(self, first: int, last: int) -> tuple[Array, Array]:
        """Numbers of quotes from `first` up to `last`, each with every longer one, or later one of its length, that may
        share enough of its tokens; no pair that does is left out."""
        import numpy as np

        short, long = (self._rarest[first:last] @ self._holders).nonzero()
        later = np.flatnonzero(long > short + first)
        return short[later] + first, long[later]


def _rarest_marks(quotes: Sequence[Quote], least: float) -> tuple[csr_array, csr_array]:
    """By quotes and marks, the rarest marks of each; by marks and quotes, all.

    A mark is a token with its repetition's number, so that quotes share as many marks as they share tokens,
    repetitions counted. Every component of the overlap counts tokens that stand in both quotes, or in their pieces
    where these read otherwise: two quotes of interest share `least` of the shorter one's tokens, so whichever of its
    marks the longer one lacks, one of the rarest `marks - needed + 1` is in both.
    """
    import numpy as np
    from scipy.sparse import csr_array

    strings = [(number, quote.codes) for number, quote in enumerate(quotes)]
    strings += [(n, "".join(quote.pieces)) for n, quote in enumerate(quotes) if quote.pieces != (quote.codes,)]
    lengths = [len(codes) for _, codes in strings]
    text = "".join(codes for _, codes in strings).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(text, dtype="<u4").astype(np.int64)
    keys = np.sort(np.repeat(np.arange(len(strings)), lengths) << _CODE_BITS | codes)
    places = np.arange(len(keys))
    again = np.concatenate(([False], keys[1:] == keys[:-1]))
    repetition = places - np.maximum.accumulate(np.where(again, 0, places))
    owners = np.array([number for number, _ in strings], dtype=np.int64)[keys >> _CODE_BITS]
    values = repetition << _CODE_BITS | keys & (1 << _CODE_BITS) - 1
    different, marks = np.unique(values, return_inverse=True)
    # Once for each quote, also where its pieces have the token too; then the rarest first.
    owners, marks = np.divmod(np.unique(owners * len(different) + marks), max(1, len(different)))
    frequency = np.bincount(marks, minlength=len(different))
    rank = np.empty(len(different), dtype=np.int64)
    rank[np.argsort(frequency, kind="stable")] = np.arange(len(different))
    owners, ranks = np.divmod(np.sort(owners * len(different) + rank[marks]), max(1, len(different)))
    begins = np.searchsorted(owners, np.arange(len(quotes) + 1))
    sizes = np.array([len(quote.codes) for quote in quotes], dtype=np.int64)
    # Rounded down, so that an inexact product never leaves a pair out.
    looked_at = np.diff(begins) - np.maximum(np.floor(least * sizes), 1).astype(np.int64) + 1
    rare = np.arange(len(owners)) - begins[owners] < looked_at[owners]
    shape = len(quotes), len(different)
    ones = np.ones(len(owners), dtype=np.int32)
    holders = csr_array((ones, (owners, ranks)), shape).T.tocsr()
    return csr_array((ones[rare], (owners[rare], ranks[rare])), shape), holders
