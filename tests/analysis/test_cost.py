"""Costs by hand arithmetic."""

from dataclasses import replace

import pytest

from fingreat.analysis.cost import RunFigures, by_model, machine_cost

RUN = RunFigures(
    runs=("a",),
    model="openai:m",
    kind="extract",
    mode="span",
    filings=4,
    requests=10,
    from_cache=0,
    prompt_tokens=20_000,
    cached_tokens=8_000,
    output_tokens=1_000,
    reasoning_tokens=0,
    seconds=80.0,
    usd=0.5,
    basis="prices",
)


def test_totals_are_divided_by_the_filings_that_were_shown() -> None:
    assert RUN.per_filing(RUN.prompt_tokens) == 5_000
    assert RUN.per_filing(RUN.seconds) == 20.0
    assert RUN.per_filing(RUN.usd) == 0.125
    assert RUN.per_thousand(RUN.usd) == 125.0


def test_what_is_unknown_or_over_no_filings_has_no_value() -> None:
    assert RUN.per_filing(None) is None
    assert RUN.per_thousand(None) is None
    assert replace(RUN, filings=0).per_filing(5.0) is None
    assert replace(RUN, filings=0).per_thousand(5.0) is None


def test_a_machine_costs_its_hours() -> None:
    # 90 minutes at 4 dollars an hour.
    assert machine_cost(5400.0, 4.0) == 6.0
    assert machine_cost(None, 4.0) is None
    assert machine_cost(5400.0, None) is None
    assert machine_cost(5400.0, 0.0) == 0.0


def test_runs_of_one_model_and_mode_are_put_together_and_others_are_not() -> None:
    more = replace(RUN, runs=("b",), filings=6, usd=1.5, seconds=20.0, from_cache=3, unpriced=1)
    other = replace(RUN, runs=("c",), mode="quote")
    first, second = by_model([RUN, other, more])
    assert first.runs == ("a", "b")
    assert (first.filings, first.requests, first.from_cache, first.unpriced) == (10, 20, 3, 1)
    assert first.prompt_tokens == 40_000
    # 2 dollars and 100 s over ten filings; the mean of the two runs' means would be another number.
    assert first.per_filing(first.usd) == pytest.approx(0.2)
    assert first.per_filing(first.seconds) == 10.0
    assert second == other


def test_a_sum_with_an_unknown_part_is_unknown() -> None:
    (put,) = by_model([RUN, replace(RUN, usd=None, basis=None, seconds=None)])
    assert put.usd is None
    assert put.seconds is None
    assert put.prompt_tokens == 40_000


def test_prices_and_hours_of_a_machine_are_not_added() -> None:
    (put,) = by_model([RUN, replace(RUN, basis="machine")])
    assert put.usd is None
    assert put.basis is None
