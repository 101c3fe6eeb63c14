"""What the local EDGAR holds: invented companies, their filings, and the facts tagged in these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta


@dataclass(frozen=True)
class FormerName:
    """A name that a company had, from one day to another."""

    name: str
    start: date
    end: date


@dataclass(frozen=True)
class Company:
    """A registrant.

    Attributes:
        cik: without leading zeros.
        sic: four digits; empty where EDGAR has none.
        fiscal_year_end: month and day as EDGAR writes it, "1231"; empty where unknown.
        exchanges: as many as tickers, or none.
    """

    cik: str
    name: str
    sic: str = "3561"
    sic_title: str = "PUMPS & PUMPING EQUIPMENT"
    fiscal_year_end: str = "1231"
    tickers: tuple[str, ...] = ()
    exchanges: tuple[str, ...] = ()
    former_names: tuple[FormerName, ...] = ()
    entity_type: str = "operating"
    state: str = "DE"

    @property
    def padded(self) -> str:
        """The CIK with its leading zeros."""
        return self.cik.zfill(10)


@dataclass(frozen=True)
class LocalDocument:
    """One `<DOCUMENT>` of a submission; without a file name as in filings before 2001."""

    type: str
    text: str
    filename: str = ""
    description: str = ""


@dataclass(frozen=True)
class Fact:
    """Total assets as tagged in a filing.

    Attributes:
        end: the balance sheet's date.
        unit: "USD", or another currency.
        frame: such as "CY2010Q4I"; only one of the facts of a date has it.
        fy, fp: of the filing; by its period, and "FY", where not given.
    """

    end: date
    val: int
    unit: str = "USD"
    frame: str | None = None
    fy: int | None = None
    fp: str = "FY"


@dataclass(frozen=True)
class LocalFiling:
    """One filing; its full submission is written from these fields, unless `raw` is given.

    Attributes:
        companies: the filer, and its co-filers.
        period: end of the fiscal period; None for forms that have none.
        documents: the main document first.
        facts: total assets; the company's concept file is made from those of all its filings.
        pem: wrapped as a PRIVACY-ENHANCED MESSAGE, as until 2001.
        raw: the bytes to serve instead of a submission made from the other fields.
    """

    companies: tuple[Company, ...]
    accession: str
    form: str
    filed: date
    period: date | None
    documents: tuple[LocalDocument, ...] = ()
    facts: tuple[Fact, ...] = ()
    pem: bool = False
    raw: bytes | None = field(default=None, repr=False)

    @property
    def nodash(self) -> str:
        """The accession number without its dashes, as folders are called."""
        return self.accession.replace("-", "")

    @property
    def accepted(self) -> str:
        """When it was accepted, as 14 digits."""
        return f"{self.filed:%Y%m%d}16{int(self.accession[-2:]) % 60:02d}00"

    @property
    def primary(self) -> str:
        """The main document's name, which is the submission's own where it has none."""
        return (self.documents[0].filename if self.documents else "") or f"{self.accession}.txt"

    @property
    def path(self) -> str:
        """As indexes give it, below the first company."""
        return self.path_of(self.companies[0])

    def path_of(self, company: Company) -> str:
        """As indexes give it, below one of its companies."""
        return f"edgar/data/{company.cik}/{self.accession}.txt"


class Catalogue:
    """All filings, in the order in which they were added."""

    def __init__(self, filings: Iterable[LocalFiling] = ()) -> None:
        self._filings: dict[str, LocalFiling] = {}
        self._companies: dict[str, Company] = {}
        self.add(filings)

    def add(self, filings: Iterable[LocalFiling]) -> None:
        """Put filings in; one of the same accession number is replaced.

        A company is known as its last filing has it: earlier ones keep the name and the industry of their day.
        """
        for filing in filings:
            self._filings[filing.accession] = filing
            self._companies.update((company.cik, company) for company in filing.companies)

    @property
    def companies(self) -> tuple[Company, ...]:
        """All companies."""
        return tuple(self._companies.values())

    def company(self, cik: str) -> Company | None:
        """The company of a CIK, with or without leading zeros."""
        return self._companies.get(cik.lstrip("0"))

    def filing(self, cik: str, accession: str) -> LocalFiling | None:
        """A filing below one of its companies, its accession number with or without dashes."""
        digits = accession.replace("-", "")
        filing = self._filings.get(f"{digits[:10]}-{digits[10:12]}-{digits[12:]}")
        return filing if filing and any(company.cik == cik for company in filing.companies) else None

    def of_company(self, cik: str) -> list[LocalFiling]:
        """A company's filings, newest first."""
        mine = [one for one in self._filings.values() if any(company.cik == cik for company in one.companies)]
        return sorted(mine, key=lambda one: (one.filed, one.accession), reverse=True)

    def between(self, first: date, last: date) -> list[tuple[Company, LocalFiling]]:
        """Filings of some days, once for each of their companies."""
        within = [one for one in self._filings.values() if first <= one.filed <= last]
        return [(company, one) for one in within for company in one.companies]


def quarter(year: int, number: int) -> tuple[date, date]:
    """First and last day of a quarter."""
    first = date(year, 3 * number - 2, 1)
    following = date(year + number // 4, 3 * number % 12 + 1, 1)
    return first, following - timedelta(days=1)
