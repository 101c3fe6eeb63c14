"""Intervals by resampling filings: against every possible draw, SciPy, slow arithmetic and simulated truth."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import fingreat.analysis.bootstrap as module
from fingreat.analysis import REPLICATES, SEED, FilingBootstrap, Interval, Ratio, ratio_of_sums, ratios_of_sums
from fingreat.analysis.bootstrap import intervals
from fingreat.errors import InputError

Counts = tuple[int, ...]


def every_draw(hits: Counts, totals: Counts) -> Counter[Fraction | None]:
    """The exact distribution: how many of the n^n ordered draws of filings give each ratio of sums; None for 0/0."""
    found: Counter[Fraction | None] = Counter()
    for draw in product(range(len(hits)), repeat=len(hits)):
        total = sum(totals[one] for one in draw)
        found[Fraction(sum(hits[one] for one in draw), total) if total else None] += 1
    return found


@pytest.mark.parametrize(
    ("hits", "totals"),
    [((1, 4, 9), (2, 5, 20)), ((0, 3), (1, 4)), ((0, 1, 5), (0, 2, 7)), ((0, 1, 0, 2), (0, 3, 0, 2)), ((2, 2), (2, 2))],
)
def test_replicates_are_spread_as_the_ordered_draws_of_filings_are(hits: Counts, totals: Counts) -> None:
    many = 20_000
    values = FilingBootstrap(len(hits), replicates=many).values(hits, totals)[0]
    exact = every_draw(hits, totals)
    drawn = Counter(None if np.isnan(value) else value for value in values.tolist())
    assert set(drawn) == {None if ratio is None else float(ratio) for ratio in exact}
    for ratio, ways in exact.items():
        p = ways / exact.total()
        # A binomial count: within five standard deviations.
        assert abs(drawn[None if ratio is None else float(ratio)] - many * p) <= 5 * sqrt(many * p * (1 - p))


def test_the_ends_for_three_filings_are_those_of_the_27_draws() -> None:
    # Of 27 draws one takes the first filing three times, which gives the lowest ratio: 1/27 = 3.7 % of all, more than
    # 2.5 %, so it is the lower end. Likewise the third filing, three times, is the upper end.
    hits, totals = (1, 4, 9), (10, 8, 10)
    assert FilingBootstrap(3).ratio(hits, totals) == Interval(0.1, 0.9, REPLICATES, 0)


@pytest.mark.parametrize(("hits", "totals"), [((1, 4, 9, 0, 3), (3, 5, 20, 2, 4)), ((7, 1, 0, 2, 2), (9, 2, 0, 6, 2))])
def test_the_ends_lie_where_the_exact_distribution_has_its_tails(hits: Counts, totals: Counts) -> None:
    many = 20_000
    found = FilingBootstrap(5, replicates=many).ratio(hits, totals)
    exact = every_draw(hits, totals)
    del exact[None]
    assert found is not None
    room = 5 * sqrt(0.025 * 0.975 / many)

    def share(low: float, high: float) -> float:
        return sum(ways for ratio, ways in exact.items() if ratio is not None and low <= ratio <= high) / exact.total()

    tiny = 1e-12
    assert share(0, found.low - tiny) <= 0.025 + room
    assert share(0, found.low + tiny) >= 0.025 - room
    assert share(found.high + tiny, 1) <= 0.025 + room
    assert share(found.high - tiny, 1) >= 0.025 - room


def drawn_filings(seed: int, filings: int, models: int = 1, *, apart: float = 3.0) -> tuple[np.ndarray, np.ndarray]:
    """Hits [filings, models] and totals [filings] of filings that differ in size and in difficulty; the true ratio of
    every model is 0.7, that of a beta distribution times sizes that know nothing of it."""
    generator = np.random.default_rng(seed)
    totals = generator.poisson(4, filings)
    ease = generator.beta(0.7 * apart, 0.3 * apart, filings)
    return generator.binomial(totals[:, None], ease[:, None], (filings, models)), totals


@pytest.mark.parametrize("seed", range(3))
def test_scipy_finds_the_same_ends(seed: int) -> None:
    hits, totals = drawn_filings(seed, 60, 2)
    many = 10_000
    ours = FilingBootstrap(60, replicates=many, seed=seed)
    options = {"paired": True, "method": "percentile", "n_resamples": many, "batch": 1000, "random_state": seed + 100}
    one = stats.bootstrap((hits[:, 0], totals), lambda k, n, axis: k.sum(axis) / n.sum(axis), **options)
    two = stats.bootstrap(
        (hits[:, 0], hits[:, 1], totals), lambda k, j, n, axis: (k.sum(axis) - j.sum(axis)) / n.sum(axis), **options
    )
    for found, theirs in (
        (ours.ratio(hits[:, 0], totals), one.confidence_interval),
        (ours.difference(hits[:, 0], totals, hits[:, 1], totals), two.confidence_interval),
    ):
        assert found is not None
        # A 2.5 percentile of n normal replicates has the standard error sqrt(0.025 * 0.975 / n) / 0.058 = 2.7 % of a
        # standard deviation, 0.7 % of the interval's width; of two of them the difference has 1 %. Five of these.
        near = 0.05 * (theirs.high - theirs.low)
        assert found.low == pytest.approx(theirs.low, abs=near)
        assert found.high == pytest.approx(theirs.high, abs=near)


def type_7(values: Sequence[Fraction], p: Fraction) -> Fraction:
    """Linear interpolation at place (n - 1) p of the ordered values: Hyndman and Fan (1996), definition 7."""
    ordered = sorted(values)
    whole, part = divmod((len(ordered) - 1) * p, 1)
    following = ordered[min(whole + 1, len(ordered) - 1)]
    return ordered[whole] + part * (following - ordered[whole])


def slow(hits: Sequence[Counts], totals: Sequence[Counts], seed: int, replicates: int) -> tuple[list[Fraction], int]:
    """The ratio of the first columns minus that of the second, if there is one, draw by draw in exact fractions."""
    generator = np.random.Generator(np.random.PCG64(seed))
    values, empty = [], 0
    for _ in range(replicates):
        draw = generator.integers(len(hits[0]), size=len(hits[0])).tolist()
        sums = [(sum(k[i] for i in draw), sum(n[i] for i in draw)) for k, n in zip(hits, totals, strict=True)]
        if all(n for _, n in sums):
            ratios = [Fraction(k, n) for k, n in sums]
            values.append(ratios[0] - ratios[1] if len(ratios) == 2 else ratios[0])
        else:
            empty += 1
    return values, empty


def test_the_same_draws_made_slowly_give_the_same_ends() -> None:
    hits, totals = (1, 0, 2, 5, 0, 3, 1), (1, 0, 4, 6, 2, 3, 2)
    for seed in (SEED, 7):
        values, empty = slow([hits], [totals], seed, 300)
        found = FilingBootstrap(7, replicates=300, seed=seed).ratio(hits, totals)
        low, high = (float(type_7(values, Fraction(p, 1000))) for p in (25, 975))
        assert found == Interval(pytest.approx(low), pytest.approx(high), len(values), empty)


def test_a_difference_counts_the_draws_in_which_both_have_a_value() -> None:
    # The first measure is over two filings of four and the second over the others: some draws have only one of them.
    hits, totals = ((1, 0, 0, 0), (0, 0, 3, 1)), ((2, 3, 0, 0), (0, 0, 4, 4))
    values, empty = slow(hits, totals, SEED, 400)
    found = FilingBootstrap(4, replicates=400).difference(hits[0], totals[0], hits[1], totals[1])
    low, high = (float(type_7(values, Fraction(p, 1000))) for p in (25, 975))
    assert found == Interval(pytest.approx(low), pytest.approx(high), len(values), empty)
    # A draw lacks the first with probability (2/4)^4, and so the second: 12.5 % in all.
    assert abs(empty / 400 - 0.125) < 5 * sqrt(0.125 * 0.875 / 400)


def test_sums_are_divided_not_ratios_averaged() -> None:
    # The first filing has 1 of 1, the second 0 of 99: both together are 1 of 100, no matter that their mean is a half.
    assert set(FilingBootstrap(2).values((1, 0), (1, 99))[0].tolist()) == {1.0, 0.01, 0.0}


def test_equal_filings_leave_no_width() -> None:
    boot = FilingBootstrap(20)
    assert boot.ratio([3] * 20, [7] * 20) == Interval(3 / 7, 3 / 7, REPLICATES, 0)
    # Nor do filings that differ in size alone, since every sum then has the same ratio.
    sizes = list(range(1, 21))
    assert boot.ratio(sizes, [2 * size for size in sizes]) == Interval(0.5, 0.5, REPLICATES, 0)


def test_a_measure_differs_from_itself_by_nothing() -> None:
    hits, totals = drawn_filings(1, 40, 2)
    boot = FilingBootstrap(40)
    assert boot.difference(hits[:, 0], totals, hits[:, 0], totals) == Interval(0.0, 0.0, REPLICATES, 0)
    # The other way round the ends change places and signs.
    one = boot.difference(hits[:, 0], totals, hits[:, 1], totals)
    other = boot.difference(hits[:, 1], totals, hits[:, 0], totals)
    assert one is not None
    assert other is not None
    assert (other.low, other.high) == pytest.approx((-one.high, -one.low))


def test_paired_draws_take_out_what_two_measures_share() -> None:
    # Both measures depend on the filing alone, but for one filing in ten: their difference hardly varies.
    hits = np.tile([0, 9], 50)
    totals = np.full(100, 9)
    other = hits.copy()
    other[:10] = 9
    paired = FilingBootstrap(100).difference(hits, totals, other, totals)
    a, b = FilingBootstrap(100).values(hits, totals), FilingBootstrap(100, seed=5).values(other, totals)
    (unpaired,) = intervals(a - b)
    assert paired is not None
    assert unpaired is not None
    assert (paired.high - paired.low) < 0.5 * (unpaired.high - unpaired.low)


columns = st.integers(2, 9).flatmap(
    lambda n: st.lists(
        st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), min_size=n, max_size=n), min_size=1, max_size=5
    )
)


@given(columns, st.integers(0, 2**64), st.randoms())
@settings(max_examples=60, deadline=None)
def test_what_is_measured_before_plays_no_part(measures: list[list[tuple[int, int]]], seed: int, order: object) -> None:
    filings = len(measures[0])
    pairs = [([hit for hit, _ in one], [hit + more for hit, more in one]) for one in measures]
    alone = [FilingBootstrap(filings, replicates=50, seed=seed).ratio(*pair) for pair in pairs]
    boot = FilingBootstrap(filings, replicates=50, seed=seed)
    shuffled = list(range(len(pairs)))
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    later = {place: boot.ratio(*pairs[place]) for place in shuffled}
    assert [later[place] for place in range(len(pairs))] == alone
    # All at once is one by one, and every interval lies within the ratio's bounds.
    hits, totals = (np.array([pair[side] for pair in pairs]).T for side in (0, 1))
    assert boot.ratios(hits, totals) == alone
    for found, (_, of) in zip(alone, pairs, strict=True):
        assert (found is None) <= (0 in of)
        if found is not None:
            assert 0 <= found.low <= found.high <= 1
            assert found.used + found.empty == 50
    # The scale of the counts plays no part.
    assert boot.ratios(12 * hits, 12 * totals) == alone


def test_another_seed_makes_other_draws() -> None:
    hits, totals = drawn_filings(3, 30)
    one, other = (FilingBootstrap(30, seed=seed).ratio(hits[:, 0], totals) for seed in (SEED, SEED + 1))
    assert one != other


@pytest.mark.parametrize("filings", [2, 255, 256, 300])
def test_every_replicate_holds_as_many_filings_as_there_are(filings: int) -> None:
    sums = FilingBootstrap(filings, replicates=500).sums(np.eye(filings))
    assert sums.shape == (filings, 500)
    assert (sums.sum(axis=0) == filings).all()
    # Each filing stands in a replicate once on average: within five standard deviations over all replicates.
    assert np.abs(sums.mean(axis=1) - 1).max() < 5 / sqrt(500)


def test_draws_in_parts_are_the_draws_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    hits, totals = drawn_filings(4, 50, 3)
    whole = FilingBootstrap(50).values(hits, totals)
    for cells in (1, 777, 50 * 1999):
        monkeypatch.setattr(module, "_CELLS", cells)
        assert np.array_equal(FilingBootstrap(50).values(hits, totals), whole)
    ratios = FilingBootstrap(50).ratios(hits, totals)
    # Draws that are too many to keep are the same each time, and measures that are too many at once go one by one.
    monkeypatch.setattr(module, "_KEPT", 99_999)
    monkeypatch.setattr(module, "_VALUES", 1)
    boot = FilingBootstrap(50)
    assert boot.ratios(hits, totals) == ratios == boot.ratios(hits, totals)
    assert np.array_equal(boot.values(hits, totals), whole)


def test_ten_thousand_filings_fit_into_little_memory() -> None:
    column = np.arange(10_000)
    tracemalloc.start()
    FilingBootstrap(10_000).ratios(np.tile(column, (5, 1)).T, column + 1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # The draws as floating point numbers alone would be 160 MB.
    assert peak < 80e6


def test_memory_grows_neither_with_replicates_nor_with_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    filings, measures = 50, 100
    hits = np.arange(filings * measures).reshape(filings, measures)
    for limit in ("_CELLS", "_KEPT", "_VALUES"):
        monkeypatch.setattr(module, limit, 2**16)
    tracemalloc.start()
    FilingBootstrap(filings, replicates=10_000).ratios(hits, hits + 1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # All ratios at once would be 8 MB, several times over.
    assert peak < 6e6


def test_draws_without_a_value_are_left_out_and_counted() -> None:
    # 0/0 wherever neither the third nor the fourth filing is drawn: (2/4)^4 = 1 of 16 draws. Draws with only one of
    # these, (3/4)^4 - (2/4)^4 = 25 % each, have the ratio of that one.
    found = FilingBootstrap(4).ratio((0, 0, 1, 5), (0, 0, 2, 7))
    assert found is not None
    assert (found.low, found.high, found.used + found.empty) == (1 / 2, 5 / 7, REPLICATES)
    assert abs(found.empty / REPLICATES - 1 / 16) < 5 * sqrt(1 / 16 * 15 / 16 / REPLICATES)
    assert FilingBootstrap(4).ratio((0, 0, 0, 0), (0, 0, 0, 0)) is None


def test_a_ratio_to_which_one_filing_adds_has_no_interval() -> None:
    # 5 of 7 in the third of 100 filings: every draw that has it says 5/7, and how filings differ is not known.
    boot = FilingBootstrap(100)
    alone = np.zeros((2, 100))
    alone[:, 2] = 5, 7
    assert boot.ratio(*alone) is None
    # Two that add to the total have one, though the second has no hit; so does the difference of two such ratios.
    two = alone.copy()
    two[1, 4] = 1
    assert boot.ratio(*two) is not None
    assert boot.difference(*two, *two) is not None
    assert boot.difference(*two, *alone) is boot.difference(*alone, *two) is None
    # Nothing changes for measures beside it.
    both = np.stack((alone, two), axis=-1)
    assert boot.ratios(*both) == [None, boot.ratio(*two)]
    assert intervals(boot.values(*both)) == [None, boot.ratio(*two)]


def test_fewer_than_two_filings_have_no_interval() -> None:
    assert FilingBootstrap(1).ratio((3,), (4,)) is FilingBootstrap(0).ratio((), ()) is None
    assert FilingBootstrap(1).difference((3,), (4,), (1,), (4,)) is None
    assert FilingBootstrap(1).ratios([[1, 2]], [[2, 2]]) == [None, None]
    assert FilingBootstrap(0).ratios(np.zeros((0, 3)), np.zeros((0, 3))) == [None] * 3


def test_ratios_keep_their_sums_beside_the_interval() -> None:
    hits, totals = np.array([[1, 0], [2, 0]]), np.array([[2, 0], [2, 0]])
    boot = FilingBootstrap(2)
    assert ratios_of_sums(hits, totals) == [Ratio(3, 4), Ratio(0, 0)]
    assert ratios_of_sums(hits, totals, boot) == [Ratio(3, 4, boot.ratio((1, 2), (2, 2))), Ratio(0, 0, None)]
    assert ratio_of_sums((1, 2), (2, 2), boot) == ratios_of_sums(hits, totals, boot)[0]


@pytest.mark.parametrize(
    ("hits", "totals", "words"),
    [
        ((1, 2), (1, 2, 3), r"columns of shape \(2, 1\) were given where 3 filings are drawn"),
        (np.ones((2, 3)), np.ones((2, 3)), r"columns of shape \(2, 3\) were given where 3 filings"),
        (np.ones((3, 1, 1)), (1, 2, 3), "where 3 filings"),
        ((1, float("nan"), 2), (1, 2, 3), "a number that is not finite"),
    ],
)
def test_columns_that_do_not_fit_the_filings_are_refused(hits: object, totals: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        FilingBootstrap(3).ratios(hits, totals)  # type: ignore[arg-type]


def test_settings_that_draw_nothing_or_too_much_are_refused() -> None:
    for many in (100_001, 99_999_999_999):
        with pytest.raises(InputError, match=rf"{many:,} replicates are more than 100,000"):
            FilingBootstrap(3, replicates=many)
    assert FilingBootstrap(3, replicates=100_000).ratio((1, 4, 9), (10, 8, 10)) == Interval(0.1, 0.9, 100_000)
    with pytest.raises(InputError, match="0 replicates make no interval"):
        FilingBootstrap(3, replicates=0)
    with pytest.raises(InputError, match="must not be below zero"):
        FilingBootstrap(3, seed=-1)
    with pytest.raises(InputError, match="must not be below zero"):
        FilingBootstrap(-3)


def covered(simulations: int, filings: int) -> float:
    """How often the interval holds the true ratio, 0.7, of filings drawn anew each time."""
    hits, totals = zip(*(drawn_filings(seed, filings) for seed in range(simulations)), strict=True)
    found = FilingBootstrap(filings, replicates=1000).ratios(np.hstack(hits), np.array(totals).T)
    return sum(one is not None and one.low <= 0.7 <= one.high for one in found) / simulations


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    # 95 % in the limit, a little less with few filings; 400 simulations have a standard error of 1.1 %.
    assert 0.90 <= covered(400, 80) <= 0.985


@pytest.mark.prove
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    # 5,000 simulations have a standard error of 0.3 %; the percentile method falls short by O(1 / filings).
    assert 0.935 <= covered(5000, 259) <= 0.96


def test_passages_taken_for_independent_would_promise_too_much() -> None:
    # Filings in which a model is right throughout or wrong throughout: nine passages each tell no more than one.
    right = np.random.default_rng(0).random(100) < 0.7
    whole = FilingBootstrap(100).ratio(9 * right, np.full(100, 9))
    passages = stats.binomtest(int(9 * right.sum()), 900).proportion_ci(method="wilson")
    assert whole is not None
    # sqrt(9) = 3 times as wide.
    assert (whole.high - whole.low) / (passages.high - passages.low) == pytest.approx(3, rel=0.1)
