"""What runs dwell on: edges, categories and coverage, over all filings and over the years in which they were filed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from fingreat.analysis import REPLICATES, SEED, Behavior, BehaviorTally
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.pipeline.known_filings import known_filings
from fingreat.pipeline.side_by_side import EVERYTHING, Choice, Scope, Watching, compared, unwatched
from fingreat.pipeline.table_files import TableFolder
from fingreat.report import Figure, Table, count_of
from fingreat.report.behavior_figures import behavior_figures as drawn
from fingreat.report.behavior_tables import behavior_by_edge_table, behavior_table, coverage_table, verdicts_table
from fingreat.report.behavior_year_tables import (
    behavior_by_year_table,
    coverage_by_year_table,
    edges_by_year_table,
    filing_years_table,
    verdicts_by_year_table,
    volume_by_year_table,
)
from fingreat.runs import RunFolder
from fingreat.schema import Filing, Graph
from fingreat.schema.graph import DEFAULT_GROUPING

TABLES = TableFolder(
    "the behaviour of runs",
    (
        "behavior",
        "behavior-by-edge",
        "coverage",
        "verdicts",
        "filing-years",
        "behavior-by-year",
        "edges-by-year",
        "coverage-by-year",
        "volume-by-year",
        "verdicts-by-year",
    ),
    figures=("category-lines", "edge-lines", "coverage-lines", "category-dots", "edge-dots", "coverage-dots"),
)
"""What a folder of its tables and figures holds."""


class YearOf(StrEnum):
    """Which year of a filing counts."""

    FILING = "filing"
    FISCAL = "fiscal"

    @property
    def words(self) -> str:
        """As a reader is told."""
        return "year of filing" if self is YearOf.FILING else "fiscal year"

    @property
    def other(self) -> YearOf:
        """The one that stands beside it."""
        return YearOf.FISCAL if self is YearOf.FILING else YearOf.FILING

    def of(self, filing: Filing) -> int | None:
        """The year of a filing, None where it is not known."""
        if self is YearOf.FISCAL:
            return filing.fiscal_year
        return filing.filed.year if filing.filed else None


@dataclass(frozen=True)
class Dating:
    """How filings get their years.

    Attributes:
        corpus: says of which year they are; None for those that the runs name, where they are there.
        year: which year of a filing counts.
    """

    corpus: Path | None = None
    year: YearOf = YearOf.FILING


@dataclass(frozen=True)
class MeasuredBehavior:
    """What runs dwell on, over the same filings.

    Attributes:
        grouping: which grouping of the graph's edges gives the categories.
        replicates, seed: of the intervals; there are none where fewer than two filings add to a total.
        year: which year of a filing counts.
        runs: one for each run, in their order.
        years: year → the filing's other year in words → filings.
        notes: how many filings have no year and why, where some have none.
    """

    scope: Scope
    graph: Graph
    grouping: str
    replicates: int
    seed: int
    year: YearOf
    runs: tuple[Behavior, ...]
    years: Mapping[int, Mapping[str, int]]
    notes: tuple[str, ...]


def measure_behavior(
    runs: Sequence[RunFolder],
    *,
    dating: Dating | None = None,
    choice: Choice = EVERYTHING,
    grouping: str = DEFAULT_GROUPING,
    replicates: int = REPLICATES,
    seed: int = SEED,
    watch: Watching = unwatched,
) -> MeasuredBehavior:
    """Measure how the extractions of each run spread over edges, filings and years, in one pass over the filings.

    Years are what the corpus says of the filings. Without years, or with one, all else is still measured.

    Args:
        runs: at least one.
        dating: how filings get their years; by default those of filing, from the corpora that the runs name.
        choice: which of their filings and extractions; by default all, and runs that read others are refused.
        grouping: which grouping of the graph's edges gives the categories.
        replicates: draws of filings that the intervals are made from.
        watch: told how many filings are done.

    Raises:
        RunError: a run is not complete or is damaged, or another process changes it.
        InputError: the runs cannot be compared; no such grouping; no replicate or far too many.
        CorpusError: the corpus that is named is none, or is damaged.
    """
    dating = dating or Dating()
    year = dating.year
    with compared(runs, choice) as found:
        filings, unread = filings_of(runs, dating.corpus)
        read = [filings[id_] for id_ in found.scope.filings if id_ in filings]
        years = {filing.id: of for filing in read if (of := year.of(filing))}
        tallies = [BehaviorTally(name, found.graph, years, grouping=grouping) for name in found.names]
        for filing_id, extractions in found.by_filing(watch):
            for tally, of_run in zip(tallies, extractions, strict=True):
                tally.add(filing_id, of_run)
    return MeasuredBehavior(
        scope=found.scope,
        graph=found.graph,
        grouping=grouping,
        replicates=replicates,
        seed=seed,
        year=year,
        runs=tuple(tally.behavior(replicates=replicates, seed=seed) for tally in tallies),
        years=_beside(years, read, year.other),
        notes=_on_undated(year, len(found.scope.filings) - len(years), len(years), unread),
    )


def behavior_tables(measured: MeasuredBehavior) -> tuple[Table, ...]:
    """All there is to say, as tables; those by year only where a year is known."""
    runs, seed, grouping = measured.runs, measured.seed, measured.grouping
    categories = {edge: measured.graph.category(edge, grouping) for edge in measured.graph.edges}
    tables = [
        behavior_table(runs, seed=seed, grouping=grouping),
        behavior_by_edge_table(runs, categories, seed=seed, grouping=grouping),
        coverage_table(runs, categories, seed=seed, grouping=grouping),
        verdicts_table(runs, seed=seed),
    ]
    if measured.years:
        makers = (edges_by_year_table, coverage_by_year_table, volume_by_year_table, verdicts_by_year_table)
        words = measured.year.words
        tables += [
            filing_years_table(measured.years, words, measured.year.other.words),
            behavior_by_year_table(runs, words, seed=seed, grouping=grouping),
            *(make(runs, words, seed=seed) for make in makers),
        ]
    told = (table.model_copy(update={"notes": (*measured.notes, *table.notes)}) for table in tables)
    return measured.scope.told(told)


def behavior_figures(measured: MeasuredBehavior) -> tuple[Figure, ...]:
    """Shares by category and by edge, and coverage: lines over years, dots where no two years are known."""
    return drawn(measured.runs, measured.graph, measured.grouping, year=measured.year.words)


def filings_of(runs: Sequence[RunFolder], corpus: Path | None = None) -> tuple[Mapping[str, Filing], tuple[str, ...]]:
    """Filing id → what is known of it, from a corpus or from those that the runs name.

    Where several have a filing, `known_filings` says which of them goes before others.

    Returns:
        the filings, and a sentence for each run whose corpus cannot be read.

    Raises:
        CorpusError: the corpus that is named is none, or is damaged.
    """
    if corpus is not None:
        return {filing.id: filing for filing in CorpusFolder(corpus).filings()}, ()
    named = {run.path: run.manifest().asked.get("corpus") for run in runs}
    filings, unread = known_filings(Path(place) for place in named.values() if place)
    unnamed = (f"Run {path} does not say which corpus it read." for path, place in named.items() if not place)
    return filings, (*unnamed, *(f"The corpus cannot be read: {error}" for error in unread))


def _beside(years: Mapping[str, int], filings: Iterable[Filing], other: YearOf) -> dict[int, dict[str, int]]:
    """Year → the other year of its filings in words → filings, both in order."""
    pairs = Counter((years[filing.id], other.of(filing) or 0) for filing in filings if filing.id in years)
    found: dict[int, dict[str, int]] = {}
    for (year, beside), number in sorted(pairs.items()):
        found.setdefault(year, {})[str(beside) if beside else "unknown"] = number
    return found


def _on_undated(year: YearOf, undated: int, dated: int, unread: Iterable[str]) -> tuple[str, ...]:
    if not undated:
        return ()
    whose = f"{count_of(undated, 'filing')} of {undated + dated:,} {'has' if undated == 1 else 'have'}"
    return (f"{whose} no known {year.words}, and {'counts' if undated == 1 else 'count'} in no year.", *unread)
