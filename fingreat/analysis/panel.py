"""A panel of what runs extract: a row for every run, filing and edge, for analyses elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from fingreat.schema import Extraction, Filing, Graph
from fingreat.schema.graph import DEFAULT_GROUPING


@dataclass(frozen=True, slots=True)
class PanelRow:
    """How many extractions of one filing a run gives to one edge.

    Attributes:
        filing_id: the accession number, or the SHA-256 of a file without one.
        cik: Central Index Key without leading zeros.
        filed, period: the date of filing, and the end of the fiscal period.
        filing_year: of the date of filing.
        total_assets: in whole US dollars.
        count: extractions of the edge.
        total: extractions of the filing.
    """

    run: str
    filing_id: str
    cik: str | None
    company: str | None
    form: str | None
    filed: date | None
    period: date | None
    filing_year: int | None
    fiscal_year: int | None
    sic: str | None
    division: str | None
    total_assets: int | None
    edge: str
    category: str
    count: int
    total: int

    @property
    def share(self) -> float | None:
        """count / total, None for 0/0."""
        return self.count / self.total if self.total else None

    @property
    def covered(self) -> bool:
        """Whether the filing has an extraction of the edge."""
        return self.count > 0


@dataclass(frozen=True)
class PanelContents:
    """What a run has in a panel.

    Attributes:
        rows: filings times edges.
        firms: different Central Index Keys; `no_cik` filings have none.
        first_year, last_year: of filing; `no_date` filings have none.
        silent: filings without an extraction; their shares have no value.
        empty: rows without an extraction.
        assets: filings whose total assets are known.
    """

    run: str
    rows: int
    filings: int
    firms: int
    no_cik: int
    first_year: int | None
    last_year: int | None
    no_date: int
    silent: int
    empty: int
    assets: int


def panel_rows(
    run: str, filing: Filing, extractions: Sequence[Extraction], graph: Graph, *, grouping: str = DEFAULT_GROUPING
) -> Iterator[PanelRow]:
    """A row for every edge of the graph, in its order, also of a filing without extractions.

    Args:
        extractions: all that the run has of the filing.
    """
    counts = Counter(extraction.edge for extraction in extractions)
    for edge in graph.edges:
        yield PanelRow(
            run=run,
            filing_id=filing.id,
            cik=filing.cik,
            company=filing.company,
            form=filing.form,
            filed=filing.filed,
            period=filing.period,
            filing_year=filing.filed.year if filing.filed else None,
            fiscal_year=filing.fiscal_year,
            sic=filing.sic,
            division=filing.division,
            total_assets=filing.total_assets,
            edge=edge,
            category=graph.category(edge, grouping),
            count=counts[edge],
            total=len(extractions),
        )


def panel_contents(run: str, rows: Sequence[PanelRow]) -> PanelContents:
    """What the rows of one run hold."""
    filings = {row.filing_id: row for row in rows}.values()
    years = [row.filing_year for row in filings if row.filing_year is not None]
    return PanelContents(
        run=run,
        rows=len(rows),
        filings=len(filings),
        firms=len({row.cik for row in filings} - {None}),
        no_cik=sum(row.cik is None for row in filings),
        first_year=min(years, default=None),
        last_year=max(years, default=None),
        no_date=len(filings) - len(years),
        silent=sum(not row.total for row in filings),
        empty=sum(not row.covered for row in rows),
        assets=sum(row.total_assets is not None for row in filings),
    )
