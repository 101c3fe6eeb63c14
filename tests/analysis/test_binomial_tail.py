"""The probability of so many hits by chance, and the share that keeps its numbers."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from fingreat.analysis import Ratio, binomial_tail


@pytest.mark.parametrize(
    ("hits", "trials", "chance"),
    [
        (0, 0, 0.3), (1, 0, 0.3), (0, 5, 0.3), (5, 5, 0.3), (6, 5, 0.3), (3, 10, 1 / 11), (10, 10, 0.999),
        (40, 100, 0.3), (600, 2000, 0.25), (1500, 3000, 0.48), (1029, 1030, 0.99), (20_000, 50_000, 0.4),
        (1, 10, 0.0), (0, 10, 0.0), (10, 10, 1.0), (11, 10, 1.0), (-3, 10, 0.5),
    ],
)  # fmt: skip
def test_the_binomial_tail_is_scipys(hits: int, trials: int, chance: float) -> None:
    assert binomial_tail(hits, trials, chance) == pytest.approx(float(binom.sf(hits - 1, trials, chance)), rel=1e-9)


@given(st.integers(0, 25), st.integers(0, 25), st.fractions(0, 1, max_denominator=50))
@settings(max_examples=100, deadline=None)
def test_the_binomial_tail_is_the_exact_sum(hits: int, trials: int, chance: Fraction) -> None:
    terms = (comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(hits, trials + 1))
    assert binomial_tail(hits, trials, float(chance)) == pytest.approx(
        float(sum(terms, Fraction(0))), abs=1e-12, rel=1e-9
    )


def test_a_ratio_has_a_value_only_over_something() -> None:
    assert Ratio(0, 0).value is None
    assert Ratio(0, 4).value == 0.0
    assert Ratio(3, 4).value == 0.75
