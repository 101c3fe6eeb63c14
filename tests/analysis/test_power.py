"""Power of the paired test: against formulas of others, by hand, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from fingreat.analysis.power import PairedDesign, paired_power, smallest_difference
from fingreat.errors import InputError


def generator(seed: int = 7) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_what_each_model_alone_has_right_is_as_worked_out_by_hand() -> None:
    # p_both = 0.8 · 0.7 + 0.5 · sqrt(0.8 · 0.2 · 0.7 · 0.3) = 0.56 + 0.5 · 0.183303 = 0.651652
    better, other = PairedDesign((1, 1), 0.8, 0.1, correlation=0.5).alone
    assert (better, other) == (pytest.approx(0.148348, abs=1e-6), pytest.approx(0.048348, abs=1e-6))
    # Independent models: 0.8 · 0.3 and 0.2 · 0.7.
    assert PairedDesign((1, 1), 0.8, 0.1, correlation=0.0).alone == (pytest.approx(0.24), pytest.approx(0.14))


def test_a_correlation_that_the_accuracies_do_not_allow_is_the_nearest_that_they_do() -> None:
    # All that the other has right the better one has, too: it is alone on the difference.
    assert PairedDesign((1, 1), 0.8, 0.3, correlation=1.0).alone == (pytest.approx(0.3), 0.0)
    # Both right on no more passages than must be: 0.8 + 0.7 - 1 = 0.5.
    assert PairedDesign((1, 1), 0.8, 0.1, correlation=-1.0).alone == (pytest.approx(0.3), pytest.approx(0.2))
    assert PairedDesign((1, 1), 1.0, 0.0).alone == (0.0, 0.0)


@pytest.mark.parametrize("difference", [0.03, 0.05, 0.08])
def test_power_of_independent_passages_is_that_of_the_paired_t_test(difference: float) -> None:
    # With one passage in each filing the test is the t test of 400 differences of -1, 0 and 1.
    design = PairedDesign((1,) * 400, 0.85, difference, correlation=0.6)
    better, other = design.alone
    spread = (better + other - difference**2) ** 0.5
    expected = TTestPower().power(difference / spread, 400, 0.05, alternative="two-sided")
    found = paired_power(design, simulations=4000, generator=generator())
    assert found.power == pytest.approx(expected, abs=0.02)
    # The standard error of a share of 4,000.
    assert found.standard_error == pytest.approx((found.power * (1 - found.power) / 4000) ** 0.5)


def test_passages_of_a_filing_that_are_alike_count_for_fewer() -> None:
    # 100 filings of 5: the variance is 1 + 4 · 0.3 = 2.2 times that of 500 independent passages (Kish's design effect),
    # so that a filing's mean is worth 5 / 2.2 passages.
    design = PairedDesign((5,) * 100, 0.85, 0.06, correlation=0.6, intracluster=0.3)
    better, other = design.alone
    of_means = ((better + other - 0.06**2) * 2.2 / 5) ** 0.5
    expected = TTestPower().power(0.06 / of_means, 100, 0.05, alternative="two-sided")
    assert paired_power(design, simulations=4000, generator=generator()).power == pytest.approx(expected, abs=0.025)


@pytest.mark.parametrize("intracluster", [0.0, 0.4])
def test_equal_models_are_found_to_differ_as_often_as_the_level_says(intracluster: float) -> None:
    design = PairedDesign((1, 2, 3) * 40, 0.8, 0.0, intracluster=intracluster)
    assert paired_power(design, simulations=5000, generator=generator()).power == pytest.approx(0.05, abs=0.012)


def test_one_of_many_comparisons_is_tested_at_its_part_of_the_level() -> None:
    design = PairedDesign((2,) * 200, 0.85, 0.05)
    one, many = (paired_power(design, comparisons=n, generator=generator()) for n in (1, 946))
    assert (one.level, many.level) == (0.05, pytest.approx(0.05 / 946))
    assert many.power < one.power
    # C(44, 2) pairs are no different from a level that was divided by hand.
    assert paired_power(design, alpha=0.05 / 946, generator=generator()) == many


def test_the_smallest_difference_is_found_with_the_power_that_is_wanted() -> None:
    design = PairedDesign((1, 2, 3) * 80, 0.85, 0.0)
    smallest = smallest_difference(design, simulations=2000, generator=generator())
    assert smallest is not None
    at = PairedDesign(design.sizes, 0.85, smallest)
    assert paired_power(at, simulations=2000, generator=generator()).power == pytest.approx(0.8, abs=0.02)
    # Other random numbers say the same, but for chance.
    assert paired_power(at, simulations=4000, generator=generator(8)).power == pytest.approx(0.8, abs=0.03)
    more = smallest_difference(design, comparisons=946, simulations=2000, generator=generator())
    assert more is not None
    assert more > smallest


def test_a_benchmark_that_is_too_small_finds_no_difference() -> None:
    assert smallest_difference(PairedDesign((3, 4), 0.85, 0.0), comparisons=946, generator=generator()) is None


def test_the_same_state_of_the_generator_gives_the_same_power() -> None:
    design = PairedDesign((1, 3) * 30, 0.8, 0.1)
    assert paired_power(design, generator=generator()) == paired_power(design, generator=generator())


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"sizes": (5,)}, "at least two filings"),
        ({"sizes": (5, 0)}, "each with a passage"),
        ({"accuracy": 1.2}, "accuracy: is 1.2, not from 0 to 1"),
        ({"difference": -0.1}, "difference: is -0.1"),
        ({"difference": 0.9}, "leaves nothing of an accuracy of 0.8"),
        ({"correlation": float("nan")}, "correlation: is nan"),
        ({"intracluster": -0.1}, "intracluster: is -0.1"),
    ],
)
def test_a_design_that_cannot_be_is_refused(values: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        PairedDesign(**{"sizes": (2, 2), "accuracy": 0.8, "difference": 0.1, **values})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"alpha": 0.0}, "alpha: is 0.0"),
        ({"comparisons": 0}, "0 comparisons are none"),
        ({"simulations": 0}, "0 simulations are not from 1 to 10,000"),
        ({"simulations": 10_001}, "10,001 simulations"),
        ({"wanted": 1.0}, "power: is 1.0, not between 0 and 1"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        smallest_difference(PairedDesign((2, 2), 0.8, 0.1), **options, generator=generator())
