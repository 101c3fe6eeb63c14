"""Which pairs of quotes, or of places, overlap enough to be the same passage; every one of them, and no other.

Comparing all pairs would take time that grows with the square of their number. Most pairs are left out unseen by a
bound that holds for all of them, so the result is that of the full comparison.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from fingreat.matching.overlap import Quote, overlap, prepare
from fingreat.schema.records import Range

MIN_OVERLAP = 0.80
"""Pairs below it are never matched."""


class Pair(NamedTuple):
    """Two of the things compared, by their numbers, and how far they overlap."""

    a: int
    b: int
    score: float
    decided_by: Literal["equal", "containment", "fragments", "order", "span"]


def pairs_by_text(a: Sequence[str], b: Sequence[str]) -> list[Pair]:
    """The pairs of quotes whose overlap is at least `MIN_OVERLAP`, in order.

    Raises:
        InputError: the quotes hold more different tokens than there are characters.
    """
    quotes = prepare([*a, *b])
    quotes_a, quotes_b = quotes[: len(a)], quotes[len(a) :]
    found = []
    for i, j in sorted(_candidates(quotes_a, quotes_b)):
        score, decided_by = overlap(quotes_a[i], quotes_b[j])
        if score >= MIN_OVERLAP:
            found.append(Pair(i, j, score, decided_by))
    return found


def _candidates(a: Sequence[Quote], b: Sequence[Quote]) -> set[tuple[int, int]]:
    """A superset of the pairs with at least `MIN_OVERLAP`.

    Such quotes are equal, or share at least `MIN_OVERLAP` of the shorter one's tokens, counted with their
    repetitions: each component counts tokens that stand in both. So of any selection of the shorter one's tokens that
    is larger than what it may lack, the longer has one. The rarest ones are selected, since few others have them.
    """
    by_text: dict[str, list[int]] = defaultdict(list)
    for j, quote in enumerate(b):
        by_text[quote.text].append(j)
    found = {(i, j) for i, quote in enumerate(a) for j in by_text.get(quote.text, ())}
    marks_a, marks_b = [_marks(quote) for quote in a], [_marks(quote) for quote in b]
    frequency = Counter(mark for marks in (*marks_a, *marks_b) for mark in marks)
    found.update(_shorter_in_longer(a, marks_a, b, marks_b, frequency))
    found.update((i, j) for j, i in _shorter_in_longer(b, marks_b, a, marks_a, frequency))
    return found


def _shorter_in_longer(
    short: Sequence[Quote],
    short_marks: Sequence[Sequence[str]],
    long: Sequence[Quote],
    long_marks: Sequence[Sequence[str]],
    frequency: Counter[str],
) -> Iterator[tuple[int, int]]:
    """Pairs of which the first is no longer than the second and may overlap with it."""
    places: dict[str, list[int]] = defaultdict(list)
    for j in sorted(range(len(long)), key=lambda j: len(long[j].codes)):
        for mark in long_marks[j]:
            places[mark].append(j)
    for i, quote in enumerate(short):
        size = len(quote.codes)
        # Rounded down, so that an inexact product never leaves a pair out.
        select = len(short_marks[i]) - int(MIN_OVERLAP * size) + 1 if size else 0
        for mark in sorted(short_marks[i], key=lambda mark: (frequency[mark], mark))[:select]:
            holders = places.get(mark, ())
            for j in holders[bisect_left(holders, size, key=lambda j: len(long[j].codes)) :]:
                yield i, j


def _marks(quote: Quote) -> list[str]:
    """The tokens of a quote, each with its repetition's number; those of its pieces too, where these read otherwise."""
    counts = Counter(quote.codes)
    if len(quote.pieces) > 1:
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


def pairs_by_span(a: Sequence[Sequence[Range]], b: Sequence[Sequence[Range]]) -> list[Pair]:
    """The pairs of places that share at least `MIN_OVERLAP` of the shorter one, in order."""
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
                found.append(Pair(i, j, score, "span"))
    return sorted(found)


def _merged(ranges: Sequence[Range]) -> list[Range]:
    """The same code points as disjoint ranges in order."""
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
