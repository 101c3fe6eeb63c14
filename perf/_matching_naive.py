"""The design's own score and assignment in plain Python, pair by pair: what `matching.py` is compared with.

Quotes are normalised and cut into tokens, pieces and sentences once each; then every pair of two runs is scored by
all components and scipy solves the dense problem of the filing. Ties are broken by a small part of the overlap of the
places, as far as one number can hold both.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import networkx
import numpy as np
from scipy.optimize import linear_sum_assignment

from fingreat.schema import Extraction, Match

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "matching"))
from slow_overlap import LargestByGraph, Pair, narrow_by_rule, slow_quote, slow_score

LEAST = 0.80
_TIE = 1e-7
_GAP = " \0 "


class Plain(NamedTuple):
    """A quote made ready once; texts of tokens stand between blanks, so that they can be searched for as they are."""

    text: str
    numbers: tuple[int, ...]
    joined: str
    pieces: str
    fragments: frozenset[str]


class NaiveFiling:
    """The quotes of one filing, made ready."""

    def __init__(self, extractions: Sequence[Extraction]) -> None:
        numbers: dict[str, int] = {}
        self.quotes: dict[str, Plain] = {}
        for quote in dict.fromkeys(extraction.quote for extraction in extractions):
            slow = slow_quote(quote)
            self.quotes[quote] = Plain(
                slow.text,
                tuple(numbers.setdefault(token, len(numbers)) for token in slow.tokens),
                spaced(slow.tokens),
                _GAP.join(map(spaced, slow.pieces)),
                frozenset(map(spaced, slow.fragments)),
            )

    def match(self, a: Sequence[Extraction], b: Sequence[Extraction]) -> tuple[dict[Pair, float], set[Pair]]:
        """The scores of all pairs that overlap enough, and the pairs of an assignment with the largest total."""
        of_a, of_b = [self.quotes[x.quote] for x in a], [self.quotes[x.quote] for x in b]
        near = {}
        for i, x in enumerate(of_a):
            for j, y in enumerate(of_b):
                if (score := naive_score(x, y)) >= LEAST:
                    near[i, j] = score
        dense = np.zeros((len(a), len(b)))
        for (i, j), score in near.items():
            dense[i, j] = score + _TIE * shared_places(a[i].ranges, b[j].ranges)
        rows, cols = linear_sum_assignment(dense, maximize=True)
        return near, {pair for pair in zip(rows.tolist(), cols.tolist(), strict=True) if pair in near}


def spaced(tokens: Sequence[str]) -> str:
    return f" {' '.join(tokens)} "


def naive_score(a: Plain, b: Plain) -> float:
    """The largest of the four components."""
    if a.text == b.text:
        return 1.0
    short, long = (a, b) if len(a.numbers) <= len(b.numbers) else (b, a)
    n_short, n_long = len(short.numbers), len(long.numbers)
    if not n_short:
        return 0.0
    ratio = n_short / n_long
    score = common_subsequence(short.numbers, long.numbers) / n_long
    if short.joined in long.joined:
        score = max(score, 0.90 + 0.10 * ratio if n_short >= 8 else ratio)
    if n_short >= 8:
        score = max(score, min(shared_tokens(a, b) / n_short, 0.90 + 0.05 * ratio))
    return score


def shared_tokens(a: Plain, b: Plain) -> int:
    shared = 0
    rest_a, rest_b = a.pieces, b.pieces
    for fragment in sorted(a.fragments | b.fragments, key=lambda part: (-part.count(" "), part)):
        while fragment in rest_a and fragment in rest_b:
            rest_a, rest_b = rest_a.replace(fragment, _GAP, 1), rest_b.replace(fragment, _GAP, 1)
            shared += fragment.count(" ") - 1
    return shared


def common_subsequence(a: Sequence[int], b: Sequence[int]) -> int:
    """Length of the longest one, in one row of the table that is filled again for every token."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = left = 0
        for j, y in enumerate(b, 1):
            above = row[j]
            if x == y:
                left = before + 1
            elif above > left:
                left = above
            row[j] = left
            before = above
    return row[-1]


def shared_places(a: Sequence[tuple[int, int]], b: Sequence[tuple[int, int]]) -> float:
    """Intersection over the shorter of two places whose own ranges are disjoint."""
    shorter = min(sum(end - start for start, end in ranges) for ranges in (a, b))
    shared = sum(max(0, min(x[1], y[1]) - max(x[0], y[0])) for x in a for y in b)
    return shared / shorter if shorter else 0.0


def differs(
    a: Sequence[Extraction],
    b: Sequence[Extraction],
    near: dict[Pair, float],
    chosen: set[Pair],
    ours: Sequence[Match],
) -> list[str]:
    """What the matches of the package have wrong: scores, the total, or who is matched by the rules for equal totals.

    Where several pairs hang together the rules are applied to exact fractions, part by part.
    """
    of_a, of_b = ({x.id: number for number, x in enumerate(side)} for side in (a, b))
    found = {(of_a[match.a], of_b[match.b]): match.overlap for match in ours}
    faults = [
        f"{a[i].id} and {b[j].id} score {score!r}, by the plain score {near.get((i, j))!r}"
        for (i, j), score in found.items()
        if abs(score - near.get((i, j), 0)) > 1e-12
    ]
    totals = [sum(near.get(pair, 0) for pair in pairs) for pairs in (found, chosen)]
    if abs(totals[0] - totals[1]) > 1e-9:
        faults.append(f"a total of {totals[0]!r}, by the dense problem {totals[1]!r}")
    graph = networkx.Graph((("a", i), ("b", j)) for i, j in near)
    for part in networkx.connected_components(graph):
        pairs = [(i, j) for i, j in near if ("a", i) in part]
        here = frozenset(pair for pair in found if ("a", pair[0]) in part)
        if not (here == {*pairs} or is_best(here, pairs, a, b)):
            faults.append(f"other matches among {[(a[i].id, b[j].id) for i, j in pairs]}: {sorted(here)}")
    return faults


def is_best(chosen: frozenset[Pair], pairs: list[Pair], a: Sequence[Extraction], b: Sequence[Extraction]) -> bool:
    quotes = {x.quote: slow_quote(x.quote) for i, j in pairs for x in (a[i], b[j])}
    best = LargestByGraph(pairs)
    narrow_by_rule(best, a, b, {(i, j): slow_score(quotes[a[i].quote], quotes[b[j].quote])[0] for i, j in pairs})
    return best.holds(chosen)
