"""Families, and the best open beside the best hosted model: counted by hand."""

from __future__ import annotations

import pytest
from sheet_builders import FACTS, SHEET

from fingreat.analysis import FilingBootstrap, Ratio
from fingreat.analysis.accuracy import measure_accuracies
from fingreat.analysis.families import measure_families, measure_gaps


def test_a_family_has_its_best_and_the_mean_of_its_models() -> None:
    accuracies = dict(zip(SHEET.names, measure_accuracies(SHEET), strict=True))
    qwen, gpt, unknown = measure_families(accuracies, FACTS)
    assert (qwen.family, qwen.models, qwen.best, qwen.accuracy) == (
        "qwen",
        ("small", "large"),
        ("small", "large"),
        Ratio(2, 3),
    )
    assert qwen.mean == pytest.approx(2 / 3)
    assert (gpt.family, gpt.hosted, gpt.best, gpt.accuracy) == ("gpt", True, ("far",), Ratio(2, 3))
    assert (unknown.family, unknown.accuracy, unknown.mean) == (None, Ratio(1, 3), pytest.approx(1 / 3))


def test_the_best_of_each_kind_are_chosen_in_each_category_anew() -> None:
    bootstrap = FilingBootstrap(3, replicates=300, seed=2)
    gaps = measure_gaps(SHEET, measure_accuracies(SHEET), FACTS, bootstrap=bootstrap)
    whole, income, cash, equity = gaps
    assert [gap.cohort for gap in gaps] == [None, "Net Income", "Cash Flow", "Equity"]
    assert (whole.open_best, whole.open, whole.hosted_best, whole.hosted) == (
        ("small", "large"),
        Ratio(2, 3),
        ("far",),
        Ratio(2, 3),
    )
    # far is right in f1 and f3, small in f1 and f2.
    assert whole.interval == bootstrap.difference([1, 0, 1], [1, 1, 1], [1, 1, 0], [1, 1, 1])
    assert (income.open, income.hosted) == (Ratio(2, 2), Ratio(1, 2))
    assert income.interval == bootstrap.difference([1, 0, 0], [1, 1, 0], [1, 1, 0], [1, 1, 0])
    # Nobody open is right on the one passage, so that all are equally good.
    assert (cash.open_best, cash.open, cash.hosted, cash.interval) == (
        ("small", "large", "other"),
        Ratio(0, 1),
        Ratio(1, 1),
        None,
    )
    assert (equity.open_best, equity.hosted_best, equity.open, equity.interval) == ((), (), Ratio(0, 0), None)


def test_models_of_one_kind_have_no_gap() -> None:
    assert measure_gaps(SHEET, measure_accuracies(SHEET)[:3], FACTS[:3]) == ()
