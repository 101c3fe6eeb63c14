"""What runs dwell on: shares, coverage and verdicts worked out by hand, over all filings and year by year."""

from __future__ import annotations

import numpy as np
import pytest
from pipeline.extraction_builders import an_extraction

from fingreat.analysis import Behavior, BehaviorTally, Interval, Portion, Ratio
from fingreat.errors import InputError
from fingreat.schema import Extraction, Verdict, load_graph

GRAPH = load_graph()
YEARS = {"F1": 2001, "F2": 2001, "F3": 2002}
SAID = {
    "F1": ("REV-NNCA", "REV-NNCA", "NNCA-COGS", "CASH-DIV"),
    "F2": ("REV-NNCA", "ISS-NNCA"),
    "F3": (),
    "F4": ("CASH-DIV", "CASH-DIV"),
}
"""Filing → the edges of its extractions; F4 has no year."""


def extractions(filing: str, edges: tuple[str, ...], verdicts: tuple[Verdict, ...] = ()) -> list[Extraction]:
    more = (*verdicts, *[Verdict.EXACT] * len(edges))
    return [an_extraction(filing, f"{filing}-{n}", edge=edge, verdict=more[n]) for n, edge in enumerate(edges)]


def measured(said: dict[str, tuple[str, ...]], years: dict[str, int], **options: object) -> Behavior:
    tally = BehaviorTally("run", GRAPH, years, **options)
    for filing, edges in said.items():
        tally.add(filing, extractions(filing, edges))
    return tally.behavior(replicates=200)


def numbers(portions: tuple[Portion, ...], field: str) -> dict[str, tuple[int, int]]:
    ratios = {portion.name: getattr(portion, field) for portion in portions}
    return {name: (ratio.hits, ratio.total) for name, ratio in ratios.items() if ratio.hits}


def test_shares_and_coverage_over_all_filings_are_as_worked_out_by_hand() -> None:
    found = measured(SAID, YEARS).overall
    # Eight extractions: three REV-NNCA, one NNCA-COGS, three CASH-DIV, one ISS-NNCA.
    assert (found.year, found.filings, found.silent, found.extractions) == (None, 4, 1, 8)
    assert (found.per_filing.hits, found.per_filing.total, found.per_filing.value) == (8, 4, 2.0)
    assert numbers(found.edges, "share") == {
        "REV-NNCA": (3, 8), "NNCA-COGS": (1, 8), "CASH-DIV": (3, 8), "ISS-NNCA": (1, 8),
    }  # fmt: skip
    assert numbers(found.categories, "share") == {"Net Income": (4, 8), "Cash Flow": (3, 8), "Equity": (1, 8)}
    # Filings with at least one, of the four that were read: F1 and F2 have revenue, F1 and F4 dividends.
    assert numbers(found.edges, "coverage") == {
        "REV-NNCA": (2, 4), "NNCA-COGS": (1, 4), "CASH-DIV": (2, 4), "ISS-NNCA": (1, 4),
    }  # fmt: skip
    assert numbers(found.categories, "coverage") == {"Net Income": (2, 4), "Cash Flow": (2, 4), "Equity": (1, 4)}


def test_a_year_counts_its_own_filings_and_those_without_a_year_count_in_none() -> None:
    found = measured(SAID, YEARS)
    first, second = found.years
    assert (first.year, first.filings, first.silent, first.extractions) == (2001, 2, 0, 6)
    assert numbers(first.categories, "share") == {"Net Income": (4, 6), "Cash Flow": (1, 6), "Equity": (1, 6)}
    assert numbers(first.edges, "coverage")["CASH-DIV"] == (1, 2)
    assert (second.year, second.filings, second.silent, second.extractions) == (2002, 1, 1, 0)
    assert found.undated == 1


def test_a_year_without_an_extraction_has_no_shares_but_a_coverage_of_nothing() -> None:
    second = measured(SAID, YEARS).years[1]
    assert {portion.share for portion in second.edges} == {Ratio(0, 0)}
    assert {portion.share.value for portion in second.edges} == {None}
    assert {portion.coverage for portion in second.edges} == {Ratio(0, 1)}
    assert second.grounded.value is None


def test_verdicts_are_shares_of_all_extractions() -> None:
    tally = BehaviorTally("run", GRAPH)
    verdicts = (Verdict.EXACT, Verdict.NORMALISED, Verdict.ELIDED, Verdict.ALTERED, Verdict.NOT_FOUND)
    tally.add("F1", extractions("F1", ("REV-NNCA",) * 6, verdicts))
    tally.add("F2", extractions("F2", ("REV-NNCA",) * 2, (Verdict.TOO_SHORT, Verdict.ALTERED)))
    found = tally.behavior(replicates=10).overall
    assert {verdict.value: ratio.hits for verdict, ratio in found.verdicts.items()} == {
        "exact": 2, "normalised": 1, "elided": 1, "altered": 2, "not_found": 1, "too_short": 1,
    }  # fmt: skip
    # Exact, normalised and elided ones stand in the text: four of eight.
    assert (found.grounded.hits, found.grounded.total) == (4, 8)


def test_intervals_of_a_year_draw_that_year_alone() -> None:
    # In every filing of 2001 half of the extractions are revenue, in every one of 2002 none is.
    said = {f"A{n}": ("REV-NNCA", "NNCA-TAX") * (n + 1) for n in range(4)}
    said |= {f"B{n}": ("NNCA-TAX",) * (n + 1) for n in range(4)}
    found = measured(said, {filing: 2001 if filing[0] == "A" else 2002 for filing in said})
    shares = [found_.edges[0].share.interval for found_ in (*found.years, found.overall)]
    assert shares[:2] == [Interval(0.5, 0.5, 200), Interval(0.0, 0.0, 200)]
    assert shares[2].low < 20 / 60 < shares[2].high
    # And 2001 alone, measured without the other year, is the same.
    alone = {filing: edges for filing, edges in said.items() if filing[0] == "A"}
    assert measured(alone, dict.fromkeys(alone, 2001)).overall.edges == found.years[0].edges


def test_intervals_are_those_of_a_plain_resampling() -> None:
    draw = np.random.default_rng(7)
    counts = draw.integers(0, 6, size=(40, 2))
    said = {f"F{n:02}": ("REV-NNCA",) * int(a) + ("NNCA-TAX",) * int(b) for n, (a, b) in enumerate(counts)}
    tally = BehaviorTally("run", GRAPH)
    for filing, edges in said.items():
        tally.add(filing, extractions(filing, edges))
    revenue = tally.behavior(replicates=4000).overall.edges[0]
    chosen = draw.integers(40, size=(4000, 40))
    sums = counts[chosen].sum(axis=1)
    low, high = np.percentile(sums[:, 0] / sums.sum(axis=1), (2.5, 97.5))
    # The ends of two resamplings differ by a few standard errors of a percentile, here about 0.002 each.
    assert (revenue.share.interval.low, revenue.share.interval.high) == pytest.approx((low, high), abs=0.01)
    covered = np.percentile((counts[chosen][:, :, 0] > 0).mean(axis=1), (2.5, 97.5))
    assert (revenue.coverage.interval.low, revenue.coverage.interval.high) == pytest.approx(covered, abs=0.026)


def test_categories_are_those_of_the_grouping() -> None:
    found = measured({"F1": ("NNCA-CASH", "ISS-CASH", "CASH-REP")}, {}, grouping="capital").overall
    # Raised and repurchased stock are equity where capital is a category of its own.
    assert numbers(found.categories, "share") == {
        GRAPH.category("NNCA-CASH", "capital"): (1, 3), GRAPH.category("ISS-CASH", "capital"): (2, 3),
    }  # fmt: skip
    with pytest.raises(InputError, match="has no grouping 'colour'"):
        BehaviorTally("run", GRAPH, grouping="colour")


def test_a_filing_counts_once_and_with_its_own_extractions_only() -> None:
    tally = BehaviorTally("run", GRAPH)
    tally.add("F1", extractions("F1", ("REV-NNCA",)))
    with pytest.raises(InputError, match="was counted before"):
        tally.add("F1", [])
    with pytest.raises(InputError, match="was given an extraction of filing F1"):
        tally.add("F2", extractions("F1", ("REV-NNCA",)))
    with pytest.raises(InputError, match="0 replicates make no interval"):
        tally.behavior(replicates=0)


def test_the_order_of_filings_plays_no_part() -> None:
    turned = dict(reversed(SAID.items()))
    assert measured(SAID, YEARS) == measured(turned, YEARS)
