"""The best assignments by several objectives, for a few pairs and for many: those of trying every assignment."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction

import networkx
import numpy as np
import pytest
from match_builders import Assignment, assignments, ex

from fingreat.errors import InputError
from fingreat.matching import few, many, match_extractions
from fingreat.matching.few import FewPairs, best_of_few
from fingreat.matching.many import ManyPairs
from fingreat.matching.solve import Assignments, Weights

TEN = "one two three four five six seven eight nine ten"
Pairs = list[tuple[int, int]]


@pytest.fixture(params=["few", "many"])
def solver(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The way for a few pairs, or that for any number."""
    if request.param == "many":
        monkeypatch.setattr(few, "_MOST_STEPS", 0)
    return str(request.param)


def small_problem(draw: random.Random) -> Pairs:
    n_a, n_b = draw.randint(1, 5), draw.randint(1, 5)
    pairs = [(i, j) for i in range(n_a) for j in range(n_b) if draw.random() < 0.6] or [(0, 0)]
    draw.shuffle(pairs)
    return pairs


def every(pairs: Pairs) -> list[Assignment]:
    return list(assignments(dict.fromkeys(pairs, Fraction(1)), 1 + max(i for i, _ in pairs)))


def totals(found: Sequence[Assignment], pairs: Pairs, weights: Sequence[Fraction | int]) -> list[Fraction | int]:
    weight = dict(zip(pairs, weights, strict=True))
    return [sum(weight[pair] for pair in chosen) for chosen in found]


def solved(pairs: Pairs, objectives: Sequence[Sequence[Fraction | int]]) -> Assignments:
    rows, cols = (np.array(side) for side in zip(*pairs, strict=True))
    best = Assignments(rows, cols)
    for weights in objectives:
        over, under = (np.array([getattr(Fraction(w), part) for w in weights]) for part in ("numerator", "denominator"))
        best = best.narrowed(lambda at, over=over, under=under: Weights(over[at], under[at]))
    return best


def test_objectives_are_taken_in_turn_whatever_the_number_of_pairs(solver: str) -> None:
    """Small weights, so that totals are often equal, also those of assignments with more and with fewer pairs."""
    unequal = 0
    for seed in range(1500):
        draw = random.Random(seed)
        pairs = small_problem(draw)
        weights = [[draw.randint(low, 4) for _ in pairs] for low in (1, 0, -2)]
        chosen = solved(pairs, weights).any()
        everything = every(pairs)
        by_objective = list(zip(*(totals(everything, pairs, w) for w in weights), strict=True))
        best = max(by_objective)
        assert len({pairs[n][0] for n in chosen}) == len({pairs[n][1] for n in chosen}) == len(chosen)
        assert tuple(sum(w[n] for n in chosen) for w in weights) == best, seed
        sizes = {len(found) for found, total in zip(everything, by_objective, strict=True) if total[0] == best[0]}
        unequal += len(sizes) > 1
    assert unequal > 30


def narrowings(draw: random.Random, pairs: Pairs) -> Iterator[tuple[list[Fraction], list[Assignment]]]:
    """Objectives, and the assignments that are best by each and by those before."""
    left = every(pairs)
    for stage in range(3):
        weights = [Fraction(draw.randint(0 if stage else 1, 4), draw.choice([1, 2, 3, 27, 29, 31])) for _ in pairs]
        sums = totals(left, pairs, weights)
        left = [found for found, total in zip(left, sums, strict=True) if total == max(sums)]
        yield weights, left


def test_just_the_pairs_of_best_assignments_are_kept_and_totals_of_fractions_are_exact(solver: str) -> None:
    for seed in range(600):
        draw = random.Random(seed)
        pairs = small_problem(draw)
        objectives = []
        for weights, left in narrowings(draw, pairs):
            objectives.append(weights)
            best = solved(pairs, objectives)
            kept = [n for part in best._parts for n in list(part.numbers)] + best._chosen
            assert sorted(pairs[n] for n in kept) == sorted(set().union(*left)), seed
            assert sorted(pairs[n] for n in best.any()) in [sorted(found) for found in left], seed
            assert best.open or len(left) == 1


def test_what_all_best_assignments_use_is_told_for_a_few_pairs() -> None:
    for seed in range(1500):
        draw = random.Random(seed)
        pairs = small_problem(draw)
        weights = [draw.randint(1, 3) for _ in pairs]
        sums = totals(everything := every(pairs), pairs, weights)
        left = [found for found, total in zip(everything, sums, strict=True) if total == max(sums)]
        rows, cols = (list(side) for side in zip(*pairs, strict=True))
        best = best_of_few(rows, cols, weights)
        assert best.rows == set.intersection(*({i for i, _ in found} for found in left)), seed
        assert best.cols == set.intersection(*({j for _, j in found} for found in left)), seed
        assert [pairs[n] for n in best.some] == [pair for pair in pairs if any(pair in found for found in left)]
        assert sorted(pairs[n] for n in best.one) in [sorted(found) for found in left]


def test_both_ways_keep_the_same_pairs_where_many_hang_together() -> None:
    """A crowd of 7 and 8, with few different weights."""
    for seed in range(40):
        draw = random.Random(seed)
        pairs = [(i, j) for i in range(7) for j in range(8) if draw.random() < 0.5]
        rows, cols = (np.array(side) for side in zip(*pairs, strict=True))
        weights = np.array([draw.randint(1, 3) for _ in pairs])
        by_solver = ManyPairs.of(rows, cols).narrowed(weights, None)
        by_table = ManyPairs.of(rows, cols).as_few().narrowed(weights, None)
        assert by_solver.numbers.tolist() == by_table.numbers
        assert sum(weights[by_solver.chosen()]) == sum(weights[by_table.chosen()])
        # The other form of either is the same.
        assert ManyPairs.of_few(by_table).as_few() == by_table
        assert isinstance(by_table, FewPairs)


def test_pairs_fall_into_the_groups_that_share_no_row_and_no_column() -> None:
    sizes = set()
    for seed in range(300):
        draw = random.Random(seed)
        n, m = draw.randint(1, 9), draw.randint(1, 9)
        pairs = [(i, j) for i in range(n) for j in range(m) if draw.random() < 1.5 / max(n, m)] or [(0, 0)]
        graph = networkx.Graph((("row", i), ("col", j)) for i, j in pairs)
        expected = sorted(
            [number for number, (i, _) in enumerate(pairs) if ("row", i) in part]
            for part in networkx.connected_components(graph)
        )
        rows, cols = (np.array(side) for side in zip(*pairs, strict=True))
        for form in (ManyPairs.of(rows, cols), ManyPairs.of(rows, cols).as_few()):
            groups = [list(group.numbers) for group in form.groups()]
            assert sorted(map(sorted, groups)) == expected, seed
        sizes.add(len(expected))
    assert len(sizes) > 4


def test_weights_of_many_pairs_without_a_common_denominator_of_53_bits_are_rounded_finely() -> None:
    # A chain of 12 pairs of 12 primes: their product has 120 bits. The best takes every other pair.
    primes = [1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049, 1051, 1061, 1063, 1069]
    rows, cols = np.array([n // 2 for n in range(12)]), np.array([(n + 1) // 2 for n in range(12)])
    over, under = np.array([prime - 100 for prime in primes]), np.array(primes)
    kept = ManyPairs.of(rows, cols).narrowed(over, under)
    assert kept.chosen() == [0, 2, 4, 6, 8, 10] or kept.chosen() == [1, 3, 5, 7, 9, 11]
    every_other = [sum(Fraction(int(over[n]), primes[n]) for n in range(first, 12, 2)) for first in (0, 1)]
    assert kept.chosen()[0] == every_other.index(max(every_other))
    assert kept.numbers.tolist() == ManyPairs.of(rows, cols).as_few().narrowed(over, under).numbers


def test_a_problem_that_would_be_rounded_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(few, "_MOST_STEPS", 0)
    monkeypatch.setattr(many, "_EXACT", 8)
    with pytest.raises(InputError, match="too many to match"):
        match_extractions([ex("a1", TEN), ex("a2", TEN)], [ex("b1", TEN)])


def test_nothing_to_assign() -> None:
    nothing = np.zeros(0, dtype=np.int32)
    best = Assignments(nothing, nothing)
    assert not best.open
    assert best.narrowed(lambda at: Weights(at)).any() == []
