"""A row for every run, filing and edge, and shares corrected by labelled passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from fingreat.analysis.bootstrap import REPLICATES, SEED, FilingBootstrap
from fingreat.analysis.filings import by_filing
from fingreat.analysis.panel import PanelContents, PanelRow, panel_contents, panel_rows
from fingreat.analysis.prediction_powered import LEAST_FILINGS, CorrectedShares, CorrectionTally
from fingreat.errors import InputError
from fingreat.pipeline.behavior import filings_of
from fingreat.pipeline.on_gold import on_gold
from fingreat.pipeline.panel_files import CSV, PARQUET, write_rows
from fingreat.pipeline.side_by_side import EVERYTHING, Choice, Compared, Scope, Watching, compared, unwatched
from fingreat.pipeline.table_files import TableFolder
from fingreat.report.model import Figure
from fingreat.report.panel_tables import (
    corrected_by_edge_table,
    corrected_by_year_table,
    corrected_table,
    panel_contents_table,
)
from fingreat.report.tables import Table, count_of
from fingreat.runs import RunFolder
from fingreat.schema import Extraction, Filing, GoldPassage, Graph
from fingreat.schema.graph import DEFAULT_GROUPING


class PanelFolder(TableFolder):
    """A folder of tables that also holds the panel itself."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of all files there can be."""
        return (*super().names, CSV, PARQUET)


TABLES = PanelFolder(
    "a panel", ("panel-contents", "corrected-shares", "corrected-shares-by-edge", "corrected-shares-by-year")
)
"""What a folder of its tables holds. `write` takes an earlier panel away: write the panel after the tables."""


@dataclass(frozen=True)
class PanelSettings:
    """How a panel is measured.

    Attributes:
        grouping: which grouping of the graph's edges gives the categories.
        replicates, seed: of the intervals of uncorrected shares.
    """

    grouping: str = DEFAULT_GROUPING
    replicates: int = REPLICATES
    seed: int = SEED


@dataclass(frozen=True)
class MeasuredPanel:
    """What several runs extract, filing by filing.

    Attributes:
        rows: of every run, filing and edge, in this order.
        contents: of each run.
        gold_passages: that were given.
        gold_elsewhere: those of them whose filing was not read; they play no part.
        corrected: per run the shares over all filings; empty where no gold passages were given.
        by_year: per run and year in which at least two filings have labels.
        notes: why firms and years of filings are not known, where they are not.
    """

    scope: Scope
    names: tuple[str, ...]
    graph: Graph
    settings: PanelSettings
    rows: tuple[PanelRow, ...]
    contents: tuple[PanelContents, ...]
    gold_passages: int
    gold_elsewhere: int
    corrected: tuple[CorrectedShares, ...]
    by_year: tuple[CorrectedShares, ...]
    notes: tuple[str, ...] = ()


def measure_panel(
    runs: Sequence[RunFolder],
    *,
    corpus: Path | None = None,
    gold: Sequence[GoldPassage] = (),
    choice: Choice = EVERYTHING,
    settings: PanelSettings = PanelSettings(),
    watch: Watching = unwatched,
) -> MeasuredPanel:
    """The panel of runs over the same texts, and with gold passages their corrected shares.

    Gold passages are matched with each run's extractions by words (`on_gold`); all that quote one are labelled by it.

    Args:
        corpus: says of which firm and year filings are; by default those that the runs name, where they are there.
        choice: which of their filings and extractions; by default all, and runs that read others are refused.
        watch: told how many filings are done.

    Raises:
        RunError: a run is not complete or is damaged, or another process changes it.
        CorpusError: the corpus that is named is none, or is damaged.
        InputError: there is no run, or the runs cannot be compared; no such grouping; a gold passage accepts an edge
            that the graph lacks; no replicate or far too many.
    """
    if not runs:
        raise InputError("there is no run to make a panel of.", hint="Name at least one run folder.")
    with compared(runs, choice) as found:
        filings, unread = filings_of(runs, corpus)
        tallies = [CorrectionTally(name, found.graph, grouping=settings.grouping) for name in found.names]
        rows = _gather(found, filings, by_filing(gold), tallies, settings, watch)
        read = dict.fromkeys(found.scope.filings)
    draws = _draws(len(read), settings)
    return MeasuredPanel(
        scope=found.scope,
        names=found.names,
        graph=found.graph,
        settings=settings,
        rows=tuple(chain.from_iterable(rows)),
        contents=tuple(map(panel_contents, found.names, rows)),
        gold_passages=len(gold),
        gold_elsewhere=sum(passage.filing_id not in read for passage in gold),
        corrected=tuple(tally.shares(bootstrap=draws) for tally in tallies) if gold else (),
        by_year=tuple(_by_year(tallies, (filings[one] for one in read if one in filings), settings)),
        notes=_on_unknown(sum(one not in filings for one in read), unread),
    )


def panel_tables(measured: MeasuredPanel) -> tuple[Table, ...]:
    """What the panel holds, and the corrected shares, as tables; each says what it was measured on."""
    grouping, seed = measured.settings.grouping, measured.settings.seed
    tables = [panel_contents_table(measured.contents, grouping=grouping)]
    if measured.corrected:
        tables.append(corrected_table(measured.corrected, grouping=grouping, seed=seed))
        tables.append(corrected_by_edge_table(measured.corrected, seed=seed))
    if measured.by_year:
        tables.append(corrected_by_year_table(measured.by_year, grouping=grouping, seed=seed))
    if left := measured.gold_elsewhere:
        of = f"{left:,} of {count_of(measured.gold_passages, 'labelled passage')}"
        where = (
            "stands in a filing that was not read, and plays"
            if left == 1
            else "stand in filings that were not read, and play"
        )
        note = f"{of} {where} no part."
        tables[1:] = [table.model_copy(update={"notes": (*table.notes, note)}) for table in tables[1:]]
    tables[:1] = [table.model_copy(update={"notes": (*measured.notes, *table.notes)}) for table in tables[:1]]
    return measured.scope.told(tables)


def panel_figures(measured: MeasuredPanel) -> tuple[Figure, ...]:
    """None: the panel is data, for analyses elsewhere."""
    return ()


def write_panel(measured: MeasuredPanel, out: Path) -> tuple[Path, ...]:
    """Write `panel.csv`, and `panel.parquet` where polars is installed; see `write_rows`."""
    return write_rows(measured.rows, out)


def _gather(
    found: Compared,
    filings: Mapping[str, Filing],
    passages: Mapping[str, Sequence[GoldPassage]],
    tallies: Sequence[CorrectionTally],
    settings: PanelSettings,
    watch: Watching,
) -> list[list[PanelRow]]:
    """The rows of each run; labels go into the tallies on the way."""
    rows: list[list[PanelRow]] = [[] for _ in tallies]
    for filing_id, extractions in found.by_filing(watch):
        gold = passages.get(filing_id, ())
        about = filings.get(filing_id) or Filing(id=filing_id, path="", sha256="")
        for name, of_run, own, tally in zip(found.names, rows, extractions, tallies, strict=True):
            of_run += panel_rows(name, about, own, found.graph, grouping=settings.grouping)
            tally.add(filing_id, own, _labels(filing_id, own, gold))
    return rows


def _labels(
    filing_id: str, extractions: Sequence[Extraction], gold: Sequence[GoldPassage]
) -> list[tuple[Sequence[Extraction], frozenset[str]]]:
    """For each gold passage that is quoted all extractions that quote it, with the edges that it accepts."""
    quoted = on_gold([(filing_id, extractions)], gold)
    return [(quoted[one.passage_id].all, one.accepted) for one in gold if one.passage_id in quoted]


def _by_year(
    tallies: Sequence[CorrectionTally], filings: Iterable[Filing], settings: PanelSettings
) -> Iterator[CorrectedShares]:
    """The shares of each run over the filings of each year in which at least two have labels."""
    years: dict[int, list[str]] = {}
    for filing in filings:
        if filing.filed is not None:
            years.setdefault(filing.filed.year, []).append(filing.id)
    draws = {year: _draws(len(of_year), settings) for year, of_year in sorted(years.items())}
    for tally in tallies:
        for year, bootstrap in draws.items():
            if tally.gold_filings(years[year]) >= LEAST_FILINGS:
                yield tally.shares(years[year], year=year, bootstrap=bootstrap)


def _draws(filings: int, settings: PanelSettings) -> FilingBootstrap:
    return FilingBootstrap(filings, replicates=settings.replicates, seed=settings.seed)


def _on_unknown(unknown: int, unread: Iterable[str]) -> tuple[str, ...]:
    if not unknown:
        return ()
    of_firms = f"Firm and year of {count_of(unknown, 'filing')} are not known: no corpus that was read has them."
    return (of_firms, *unread)
