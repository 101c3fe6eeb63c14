"""Accuracy of several models on the same passages: figures by hand, intervals on the same draws."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sheet_builders import GRAPH, passage, sheet_of

from fingreat.analysis import FilingBootstrap, Interval, Ratio
from fingreat.analysis.accuracy import measure_accuracies
from fingreat.analysis.answers import AnswerSheet
from fingreat.errors import InputError

EDGES = list(GRAPH.edges)


def test_every_model_is_measured_in_the_order_of_its_name() -> None:
    sheet = sheet_of({"b": [1, 1, 0], "a": [0, 1, 0]}, ["f1", "f1", "f2"])
    first, second = measure_accuracies(sheet)
    assert (first.overall.accuracy, second.overall.accuracy) == (Ratio(2, 3), Ratio(1, 3))
    assert (first.correct, second.correct) == ({"p0", "p1"}, {"p1"})
    # All accept the same edge of Net Income.
    assert [cohort.accuracy for cohort in first.categories] == [Ratio(2, 3), Ratio(0, 0), Ratio(0, 0)]


def test_intervals_are_those_of_columns_made_by_hand() -> None:
    sheet = AnswerSheet(
        graph=GRAPH,
        passages=(
            passage("p0", "REV-NNCA"),
            passage("p1", "REV-NNCA", "CASH-DIV", filing="f2"),
            passage("p2", "CASH-DIV", filing="f2"),
            passage("p3", "ISS-NNCA", filing="f3"),
        ),
        names=("a", "b"),
        edges=(("REV-NNCA", "REV-NNCA", None, "ISS-NNCA"), ("CASH-DIV", "CASH-DIV", "CASH-DIV", None)),
    )
    bootstrap = FilingBootstrap(3, replicates=300, seed=5)
    a, b = measure_accuracies(sheet, bootstrap=bootstrap)
    # Passages by filing: 1, 2, 1. Model a has p0, p1, p3 right, model b p1, p2.
    assert a.overall.accuracy == Ratio(3, 4, bootstrap.ratio([1, 1, 1], [1, 2, 1]))
    assert b.overall.accuracy == Ratio(2, 4, bootstrap.ratio([0, 2, 0], [1, 2, 1]))
    income, cash, equity = a.categories
    # p0 and p1 accept an edge of Net Income; p1 and p2, of one filing, one of Cash Flow; p3 alone one of Equity.
    assert income.accuracy == Ratio(2, 2, bootstrap.ratio([1, 1, 0], [1, 1, 0]))
    assert cash.accuracy == Ratio(1, 2)
    assert equity.accuracy == Ratio(1, 1)
    # REV-NNCA is accepted by two passages, as CASH-DIV is, and comes first in the graph.
    assert a.majority_edge == "REV-NNCA"
    assert a.overall.majority == Ratio(2, 4, bootstrap.ratio([1, 1, 0], [1, 2, 1]))
    assert [one.overall.failed for one in (a, b)] == [1, 1]


def test_a_filing_alone_has_no_intervals() -> None:
    (found,) = measure_accuracies(sheet_of({"a": [1, 0]}, ["f1", "f1"]), bootstrap=FilingBootstrap(1))
    assert found.overall.accuracy == Ratio(1, 2)


def test_draws_of_another_number_of_filings_are_refused() -> None:
    with pytest.raises(InputError, match="3 filings are drawn"):
        measure_accuracies(sheet_of({"a": [1, 0]}, ["f1", "f2"]), bootstrap=FilingBootstrap(3))


def test_a_random_selector_on_483_passages_with_591_accepted_edges() -> None:
    sizes = [1] * 398 + [2] * 64 + [3] * 19 + [4] * 2
    passages = tuple(passage(f"p{i}", *EDGES[:size], filing=f"f{i % 259:03}") for i, size in enumerate(sizes))
    answers = tuple(EDGES[0] if i < 406 else None for i in range(483))
    sheet = AnswerSheet(graph=GRAPH, passages=passages, names=("a",), edges=(answers,))
    (found,) = measure_accuracies(sheet, bootstrap=FilingBootstrap(259, replicates=200))
    assert found.overall.random == Fraction(591, 483 * 11)
    assert float(found.overall.random) == pytest.approx(0.111237, abs=5e-7)
    assert found.overall.accuracy.value == pytest.approx(0.840580, abs=5e-7)
    assert found.overall.failed == 77
    interval = found.overall.accuracy.interval
    assert isinstance(interval, Interval)
    assert interval.low < 406 / 483 < interval.high


def test_years_have_intervals_too() -> None:
    sheet = sheet_of({"a": [1, 0, 1]}, ["f1", "f2", "f3"])
    bootstrap = FilingBootstrap(3, replicates=200)
    (found,) = measure_accuracies(
        sheet, bootstrap=bootstrap, years={"f1": 2001, "f2": 2001}, period_years={"f3": 2002, "f1": 2000}
    )
    (year,), (period,) = found.years, found.period_years
    assert (year.name, year.accuracy) == ("2001", Ratio(1, 2, bootstrap.ratio([1, 0, 0], [1, 1, 0])))
    assert (period.name, period.accuracy) == ("2002", Ratio(1, 1))
