"""What a run extracts: how it spreads over edges and categories, over filings, and over years.

Shares are of extractions, so they say what a run dwells on, not whether it is right. Coverage is of filings: in how
many of those that were read there is at least one extraction of an edge. Both are ratios of sums over filings, and
their intervals draw filings: of all of them, or of those of one year, whose number stays as it is.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from fingreat.analysis.bootstrap import REPLICATES, SEED, FilingBootstrap, intervals
from fingreat.analysis.filings import Filings
from fingreat.analysis.ratio import Ratio
from fingreat.schema import Extraction, Graph, Verdict
from fingreat.schema.graph import DEFAULT_GROUPING

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

_UNDATED = 0
"""Stands for the year of a filing without one."""


@dataclass(frozen=True)
class Portion:
    """What goes to one edge, or to one category of edges.

    Attributes:
        name: id of the edge, or name of the category.
        share: its extractions, of all extractions.
        coverage: filings with at least one extraction of it, of the filings that were read.
    """

    name: str
    share: Ratio
    coverage: Ratio


@dataclass(frozen=True)
class Emphasis:
    """What a run extracts from some filings.

    Attributes:
        year: in which they were filed; None for all filings, those without a date included.
        filings: that were read.
        silent: those in which the run extracts nothing; they count in every figure for a filing.
        per_filing: extractions for one filing, which may be more than 1.
        categories, edges: in the graph's order.
        grounded: extractions whose quote stands in the text, of all.
        verdicts: extractions with each verdict, of all.
    """

    year: int | None
    filings: int
    silent: int
    per_filing: Ratio
    categories: tuple[Portion, ...]
    edges: tuple[Portion, ...]
    grounded: Ratio
    verdicts: Mapping[Verdict, Ratio]

    @property
    def extractions(self) -> int:
        """In all of the filings."""
        return self.per_filing.hits


@dataclass(frozen=True)
class Behavior:
    """What one run extracts, in all and of the filings of each year.

    Attributes:
        run: its name.
        years: in order; only years of which a filing was read.
        undated: filings without a year; they count in `overall` alone.
    """

    run: str
    overall: Emphasis
    years: tuple[Emphasis, ...]
    undated: int


class BehaviorTally:
    """Counts the extractions of one run filing by filing; a few numbers of each are kept."""

    def __init__(
        self, run: str, graph: Graph, years: Mapping[str, int] | None = None, *, grouping: str = DEFAULT_GROUPING
    ) -> None:
        """
        Args:
            run: its name.
            years: filing id → year; filings that are not there have none.
            grouping: which grouping of the graph's edges gives the categories.

        Raises:
            InputError: the graph has no such grouping.
        """
        self._run = run
        self._years = years or {}
        self._edges = tuple(graph.edges)
        self._places = {edge: place for place, edge in enumerate(self._edges)}
        self._members = {
            category: [place for edge, place in self._places.items() if graph.category(edge, grouping) == category]
            for category in graph.categories(grouping)
        }
        self._verdict_places = {verdict: len(self._edges) + place for place, verdict in enumerate(Verdict)}
        self._width = 1 + len(self._edges) + len(Verdict)
        self._filings = Filings()
        self._rows = array("q")

    def add(self, filing_id: str, extractions: Sequence[Extraction]) -> None:
        """Count one filing's extractions; none is a count too.

        Raises:
            InputError: the filing was counted before, or an extraction is of another filing.
        """
        self._filings.check(filing_id, extractions)
        counts = [0] * (self._width - 1)
        for extraction in extractions:
            counts[self._places[extraction.edge]] += 1
            counts[self._verdict_places[extraction.verdict]] += 1
        self._rows.extend((self._years.get(filing_id, _UNDATED), *counts))
        self._filings.add(filing_id)

    def behavior(self, *, replicates: int = REPLICATES, seed: int = SEED) -> Behavior:
        """What was counted so far, with intervals; there are none where fewer than two filings add to a total.

        Args:
            replicates, seed: of the draws of filings, the same for every run over as many filings.

        Raises:
            InputError: no replicate or far too many.
        """
        table = self._filings.table(self._rows, self._width)
        dates, counts = table[:, 0], table[:, 1:]

        def of(rows: Array, year: int | None) -> Emphasis:
            return self._emphasis(rows, year, FilingBootstrap(len(rows), replicates=replicates, seed=seed))

        years = sorted(set(dates.tolist()) - {_UNDATED})
        return Behavior(
            run=self._run,
            overall=of(counts, None),
            years=tuple(of(counts[dates == year], year) for year in years),
            undated=int((dates == _UNDATED).sum()),
        )

    def _emphasis(self, counts: Array, year: int | None, bootstrap: FilingBootstrap) -> Emphasis:
        """What is in the rows of some filings: extractions by edge, then by verdict."""
        import numpy as np

        by_edge, by_verdict = counts[:, : len(self._edges)], counts[:, len(self._edges) :]
        by_category = np.stack([by_edge[:, places].sum(axis=1) for places in self._members.values()], axis=1)
        totals = by_edge.sum(axis=1)
        grounded = by_verdict[:, [verdict.grounded for verdict in Verdict]].sum(axis=1)
        shares = _ratios(np.column_stack((by_category, by_edge, grounded, by_verdict)), totals, bootstrap)
        for_a_filing = np.column_stack((totals, by_category > 0, by_edge > 0))
        per_filing, *coverages = _ratios(for_a_filing, np.ones(len(counts), dtype=np.int64), bootstrap)
        coverage = iter(coverages)
        return Emphasis(
            year=year,
            filings=len(counts),
            silent=int((totals == 0).sum()),
            per_filing=per_filing,
            categories=tuple(Portion(name, next(shares), next(coverage)) for name in self._members),
            edges=tuple(Portion(name, next(shares), next(coverage)) for name in self._edges),
            grounded=next(shares),
            verdicts={verdict: next(shares) for verdict in Verdict},
        )


def _ratios(hits: Array, totals: Array, bootstrap: FilingBootstrap) -> Iterator[Ratio]:
    """Ratios of sums of many measures, [filings, k], to totals that all of them share, [filings]."""
    total = int(totals.sum())
    found = intervals(bootstrap.values(hits, totals))
    return (Ratio(k, total, interval) for k, interval in zip(hits.sum(axis=0).tolist(), found, strict=True))
