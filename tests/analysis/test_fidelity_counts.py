"""Matches counted by whether their quotes say the same: worked by hand."""

from __future__ import annotations

from typing import Any

import pytest

from fingreat.analysis import FidelityTally, Ratio
from fingreat.analysis.bootstrap import FilingBootstrap
from fingreat.errors import InputError
from fingreat.schema import Match


def match(filing: str, decided_by: str, figures: str, *differs: str) -> Match:
    score: dict[str, Any] = {"equal": 0, "containment": 0.9, "fragments": 0, "order": 0.9, "span": None, "overlap": 0.9}
    if decided_by == "equal":
        score |= {"equal": 1, "overlap": 1}
    return Match(
        filing_id=filing, a="a", b="b", edge_a="E", edge_b="F", decided_by=decided_by, figures=figures,
        differs=differs, **score,
    )  # fmt: skip


FILINGS = {
    "f": [
        match("f", "equal", "same"),
        match("f", "equal", "none"),
        match("f", "containment", "more"),
        match("f", "order", "differ", "figure"),
        match("f", "order", "same", "figure", "scale"),
    ],
    "g": [],
    "h": [match("h", "span", "none", "negation"), match("h", "fragments", "same")],
}


def tally(filings: dict[str, list[Match]]) -> FidelityTally:
    made = FidelityTally()
    for filing, matches in filings.items():
        made.add(filing, matches)
    return made


def test_a_worked_example() -> None:
    found = tally(FILINGS).counts()
    assert (found.filings, found.matched, found.equal) == (3, 7, 2)
    assert found.figures == {"none": 2, "same": 3, "more": 1, "differ": 1}
    # Figures stand in 5 of the 7; in 3 of these they are the same.
    assert found.figures_agree == Ratio(3, 5)
    # One of the near misses differs in two kinds.
    assert found.near_misses == Ratio(3, 7)
    assert found.kinds == {"direction": 0, "figure": 2, "modal": 0, "negation": 1, "scale": 1}


def test_equal_quotes_are_counted_whatever_decided_that_they_match() -> None:
    by_place = match("f", "span", "same")
    equal = by_place.model_copy(update={"equal": 1.0, "span": 1.0, "overlap": 1.0})
    assert tally({"f": [equal, by_place, equal]}).counts().equal == 2


def test_nothing_has_no_share() -> None:
    for made in (tally({}), tally({"f": []})):
        found = made.counts()
        assert found.matched == found.equal == sum(found.figures.values()) == sum(found.kinds.values()) == 0
        assert (found.figures_agree.value, found.near_misses.value) == (None, None)


def test_the_order_of_filings_plays_no_part() -> None:
    assert tally(dict(reversed(FILINGS.items()))).counts() == tally(FILINGS).counts()


def test_counts_may_be_asked_for_while_it_goes_on() -> None:
    made = tally({"f": FILINGS["f"]})
    assert made.counts().figures_agree == Ratio(2, 4)
    made.add("h", FILINGS["h"])
    assert made.counts().figures_agree == Ratio(3, 5)


def test_intervals_resample_filings() -> None:
    found = tally(FILINGS).counts(FilingBootstrap(3, replicates=1000))
    interval = found.figures_agree.interval
    # Figures agree in 2 of 4 matches of f and 1 of 1 of h; g has nothing, and is drawn three times in 1 of 27 cases.
    assert interval is not None
    assert (interval.low, interval.high) == (0.5, 1.0)
    assert interval.used + interval.empty == 1000
    assert 10 < interval.empty < 70
    assert found.near_misses.interval is not None
    assert (found.near_misses.interval.low, found.near_misses.interval.high) == (0.4, 0.5)
    # Without h there is one filing with figures, which tells nothing of others.
    alone = tally({"f": FILINGS["f"], "g": []}).counts(FilingBootstrap(2, replicates=1000))
    assert (alone.figures_agree, alone.near_misses) == (Ratio(2, 4), Ratio(2, 5))


def test_an_interval_lies_between_the_shares_of_the_filings() -> None:
    filings = {f"f{n}": [match(f"f{n}", "order", "same" if n % 2 else "differ")] * 3 for n in range(40)}
    interval = tally(filings).counts(FilingBootstrap(40)).figures_agree.interval
    # Of 40 filings as many have 3 of 3 as have 0 of 3. The share of a replicate is binomial, 40 draws with p = 1/2:
    # its standard deviation is sqrt(0.25 / 40) = 0.079, and 1.96 of it make 0.155.
    assert interval is not None
    assert (interval.low, interval.high) == (pytest.approx(0.345, abs=0.03), pytest.approx(0.655, abs=0.03))


def test_a_filing_is_counted_once_and_by_its_own_matches() -> None:
    made = tally(FILINGS)
    with pytest.raises(InputError, match="filing g: was counted before"):
        made.add("g", [])
    with pytest.raises(InputError, match="filing k: was given a match of filing f"):
        made.add("k", [match("f", "equal", "same")])
    # What was refused is not counted in part.
    assert made.counts() == tally(FILINGS).counts()


def test_draws_of_another_number_of_filings_are_refused() -> None:
    with pytest.raises(InputError, match="4 filings"):
        tally(FILINGS).counts(FilingBootstrap(4, replicates=10))
