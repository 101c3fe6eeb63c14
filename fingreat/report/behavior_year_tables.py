"""What runs dwell on, as tables with a row for each year of filing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fingreat.analysis import Behavior, Emphasis, Ratio
from fingreat.report.behavior_tables import COVERAGE, SHARE, UNGROUNDED, VERDICTS, verdict_heads, verdict_shares
from fingreat.report.columns import (
    counts,
    edges,
    names,
    numbers,
    on_grouping,
    on_yearly_intervals,
    share,
    shares,
    texts,
)
from fingreat.report.tables import Cell, Table
from fingreat.schema.graph import DEFAULT_GROUPING


def behavior_by_year_table(
    runs: Sequence[Behavior], year: str, *, seed: int, grouping: str = DEFAULT_GROUPING
) -> Table:
    """How the extractions of each run spread over categories, year by year.

    Args:
        year: which year of a filing it is, in words.
        seed: of the draws that the intervals are from.
        grouping: which grouping of the graph's edges gives the categories.
    """
    rows = [(run, one, found) for run, one in _by_year(runs) for found in one.categories]
    return Table(
        id="behavior-by-year",
        title="What runs dwell on: extractions by category and year",
        detail=True,
        columns=(*names("run", "year"), *texts("category"), *shares("share")),
        rows=tuple((run.run, str(one.year), found.name, share(found.share)) for run, one, found in rows),
        notes=(SHARE, *on_grouping(grouping), *_on_years(runs, year, (found.share for *_, found in rows), seed)),
    )


def edges_by_year_table(runs: Sequence[Behavior], year: str, *, seed: int) -> Table:
    """How the extractions of each run spread over edges, year by year."""
    rows = [(run, one, found.name, found.share) for run, one in _by_year(runs) for found in one.edges]
    notes = (SHARE, *_on_years(runs, year, (ratio for *_, ratio in rows), seed))
    return _edges("edges-by-year", "What runs dwell on: extractions by edge and year", "share", rows, notes)


def coverage_by_year_table(runs: Sequence[Behavior], year: str, *, seed: int) -> Table:
    """In how many filings each run finds something of an edge, year by year."""
    rows = [(run, one, found.name, found.coverage) for run, one in _by_year(runs) for found in one.edges]
    notes = (COVERAGE, *_on_years(runs, year, (ratio for *_, ratio in rows), seed))
    return _edges(
        "coverage-by-year", "Filings in which runs find evidence of an edge, by year", "coverage", rows, notes
    )


def volume_by_year_table(runs: Sequence[Behavior], year: str, *, seed: int) -> Table:
    """How much each run extracts from a filing, year by year."""
    found = list(_by_year(runs))
    return Table(
        id="volume-by-year",
        title="What each run extracts per filing, by year",
        detail=True,
        columns=(
            *names("run"),
            *texts("year"),
            *counts("filings", "without any", "extractions"),
            *numbers("per filing", "low", "high", digits=1),
        ),
        rows=tuple(
            (run.run, str(one.year), one.filings, one.silent, one.extractions, *_mean(one.per_filing))
            for run, one in found
        ),
        notes=(
            "Filings without any extraction count in the extractions per filing; low and high are the ends of their "
            "interval.",
            *_on_years(runs, year, (one.per_filing for _, one in found), seed),
        ),
    )


def verdicts_by_year_table(runs: Sequence[Behavior], year: str, *, seed: int) -> Table:
    """How many quotes of each run stand in the text, year by year."""
    found = list(_by_year(runs))
    return Table(
        id="verdicts-by-year",
        title="Quotes that stand in the text, by year",
        detail=True,
        columns=(*names("run"), *texts("year"), *shares(*verdict_heads(UNGROUNDED))),
        rows=tuple((run.run, str(one.year), *map(share, verdict_shares(one, UNGROUNDED))) for run, one in found),
        notes=(
            VERDICTS,
            *_on_years(runs, year, (ratio for _, one in found for ratio in verdict_shares(one, UNGROUNDED)), seed),
        ),
    )


def filing_years_table(years: Mapping[int, Mapping[str, int]], year: str, other: str) -> Table:
    """The filings of each year, and by their other year.

    Args:
        years: year → other year in words → filings.
        year, other: which years of a filing they are, in words.
    """
    return Table(
        id="filing-years",
        title=f"Filings that all runs read, by {year}",
        detail=True,
        columns=(*texts("year"), *counts("filings"), *texts(other)),
        rows=tuple(
            (str(one), sum(found.values()), ", ".join(f"{name} ({number:,})" for name, number in found.items()))
            for one, found in years.items()
        ),
        notes=(f"Beside it, by {other}, how many of them.",),
    )


def _edges(
    id_: str, title: str, label: str, rows: Sequence[tuple[Behavior, Emphasis, str, Ratio]], notes: tuple[str, ...]
) -> Table:
    """A table with a row for each run, year and edge."""
    return Table(
        id=id_,
        title=title,
        detail=True,
        columns=(*names("run", "year"), *edges("edge"), *shares(label)),
        rows=tuple((run.run, str(one.year), edge, share(ratio)) for run, one, edge, ratio in rows),
        notes=notes,
    )


def _by_year(runs: Sequence[Behavior]) -> Iterator[tuple[Behavior, Emphasis]]:
    return ((run, one) for run in runs for one in run.years)


def _mean(ratio: Ratio) -> tuple[Cell, ...]:
    interval = ratio.interval
    return (ratio.value, interval.low if interval else None, interval.high if interval else None)


def _on_years(runs: Sequence[Behavior], year: str, ratios: Iterable[Ratio], seed: int) -> tuple[str, ...]:
    """The notes on years, and on intervals over the filings of each year."""
    found = [ratio.interval for ratio in ratios]
    return (f"Year is the {year}.", *on_yearly_intervals(found, (one.filings for one in runs[0].years), seed))
