"""Tokens of runs of pieces of a text: exact, though most of the text is counted once only."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from fingreat.edgar.segments import Piece
from fingreat.edgar.tokens import CL100K, TiktokenCounter, TokenCounter

_GAP = re.compile(r"(?<=\S) ")


class TokenSums:
    """Counts the tokens of runs of pieces that follow one another.

    In cl100k_base no token goes across a blank that follows anything but white space other than by beginning with it,
    and none depends on what stands beyond: counts of what is before such a gap and of what is behind it add up. (Its
    pattern splits the text first; no alternative has a blank anywhere but at its start or among white space, and none
    looks back.) So each piece is counted from its first gap to its last, and the few characters between those of two
    pieces by themselves. Other encodings are counted as a whole.

    Attributes:
        alone: sums of the counts that the pieces have by themselves; the first is 0.
    """

    def __init__(self, text: str, pieces: Sequence[Piece], counter: TokenCounter) -> None:
        self._text = text
        self._counter = counter
        self._short: dict[str, int] = {}
        self._first_gaps: list[int] = []
        self._last_gaps: list[int] = []
        self._up_to_first: list[int] = []
        self._up_to_last: list[int] = []
        adds_up = isinstance(counter, TiktokenCounter) and counter.name == CL100K
        sizes = [self._piece(piece.segment.start, piece.segment.end, adds_up=adds_up) for piece in pieces]
        self.alone = list(accumulate(sizes, initial=0))

    def between(self, start: int, end: int) -> int:
        """The tokens of `text[start:end]`."""
        first, last = bisect_left(self._first_gaps, start), bisect_right(self._last_gaps, end) - 1
        if first > last:
            return self._counter.count(self._text[start:end])
        inside = self._up_to_last[last] - self._up_to_first[first]
        return self._few(start, self._first_gaps[first]) + inside + self._few(self._last_gaps[last], end)

    def _piece(self, start: int, end: int, *, adds_up: bool) -> int:
        """The tokens of a piece by itself; takes note of its gaps."""
        gap = _GAP.search(self._text, start + 1, end) if adds_up else None
        if gap is None:
            return self._counter.count(self._text[start:end])
        first = last = gap.start()
        at = self._text.rfind(" ", first + 1, end)
        while at > first and self._text[at - 1].isspace():
            at = self._text.rfind(" ", first + 1, at)
        last = max(first, at)
        inside = self._counter.count(self._text[first:last])
        before = self._up_to_last[-1] + self._few(self._last_gaps[-1], first) if self._last_gaps else 0
        self._first_gaps.append(first)
        self._last_gaps.append(last)
        self._up_to_first.append(before)
        self._up_to_last.append(before + inside)
        return self._few(start, first) + inside + self._few(last, end)

    def _few(self, start: int, end: int) -> int:
        """The tokens of a few characters, which recur."""
        few = self._text[start:end]
        count = self._short.get(few)
        if count is None:
            count = self._short[few] = self._counter.count(few)
        return count
