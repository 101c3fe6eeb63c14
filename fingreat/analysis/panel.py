"""A panel of what runs extract: a row for every run, filing and edge, for the econometrics of others."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class PanelRow:
    """How many extractions of one filing a run gives to one edge.

    Attributes:
        filing_id: the accession number, or the SHA-256 of a file without one.
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
