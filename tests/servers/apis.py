"""The JSON files about companies: submissions, one concept's facts, tickers."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from typing import Any

from servers.catalogue import Catalogue, Company, LocalFiling
from servers.submission import file_number, film_number, full_submission

_TAGGED_SINCE = date(2010, 6, 15)
_INLINE_SINCE = date(2019, 6, 15)


def submissions(catalogue: Catalogue, company: Company, page_size: int) -> bytes:
    """`/submissions/CIK##########.json`: the company, its newest filings, and the names of older pages."""
    filings = catalogue.of_company(company.cik)
    pages = _pages(filings, page_size)
    return _dump(
        {
            "cik": company.padded,
            "entityType": company.entity_type,
            "sic": company.sic,
            "sicDescription": company.sic_title if company.sic else "",
            "ownerOrg": "06 Technology",
            "insiderTransactionForOwnerExists": 0,
            "insiderTransactionForIssuerExists": 1,
            "name": company.name,
            "tickers": list(company.tickers),
            "exchanges": list(company.exchanges),
            "ein": f"{int(company.cik) % 10**9:09d}",
            "description": "",
            "website": "",
            "category": "",
            "fiscalYearEnd": company.fiscal_year_end or None,
            "stateOfIncorporation": company.state,
            "phone": "6145550142",
            "flags": "",
            "formerNames": [
                {"name": former.name, "from": f"{former.start}T00:00:00.000Z", "to": f"{former.end}T00:00:00.000Z"}
                for former in company.former_names
            ],
            "filings": {
                "recent": _arrays(filings[:page_size]),
                "files": [
                    {
                        "name": f"CIK{company.padded}-submissions-{number:03d}.json",
                        "filingCount": len(page),
                        "filingFrom": str(page[-1].filed),
                        "filingTo": str(page[0].filed),
                    }
                    for number, page in enumerate(pages, start=1)
                ],
            },
        }
    )


def older_page(catalogue: Catalogue, company: Company, number: int, page_size: int) -> bytes | None:
    """`/submissions/CIK##########-submissions-###.json`: the arrays at the top; None where there is no such page."""
    pages = _pages(catalogue.of_company(company.cik), page_size)
    return _dump(_arrays(pages[number - 1])) if 1 <= number <= len(pages) else None


def assets(catalogue: Catalogue, company: Company) -> bytes | None:
    """`/api/xbrl/companyconcept/CIK##########/us-gaap/Assets.json`; None where no filing has a fact."""
    units: dict[str, list[dict[str, Any]]] = {}
    for filing in reversed(catalogue.of_company(company.cik)):
        for fact in filing.facts:
            year = fact.fy or (filing.period.year if filing.period else None)
            row = {"end": str(fact.end), "val": fact.val, "accn": filing.accession, "fy": year, "fp": fact.fp}
            row |= {"form": filing.form, "filed": str(filing.filed)}
            row |= {"frame": fact.frame} if fact.frame else {}
            units.setdefault(fact.unit, []).append(row)
    if not units:
        return None
    for rows in units.values():
        rows.sort(key=lambda row: (row["end"], row["filed"]))
    return _dump(
        {
            "cik": int(company.cik),
            "taxonomy": "us-gaap",
            "tag": "Assets",
            "label": "Assets",
            "description": "Amount of asset recognized for present right to economic benefit.",
            "entityName": company.name,
            "units": units,
        }
    )


def tickers(catalogue: Catalogue) -> bytes:
    """`/files/company_tickers.json`: an object keyed by numbers."""
    rows = [{"cik_str": int(cik), "ticker": ticker, "title": name} for cik, name, ticker, _ in _listed(catalogue)]
    return _dump({str(number): row for number, row in enumerate(rows)})


def tickers_exchange(catalogue: Catalogue) -> bytes:
    """`/files/company_tickers_exchange.json`: field names, and rows."""
    rows = [[int(cik), name, ticker, exchange] for cik, name, ticker, exchange in _listed(catalogue)]
    return _dump({"fields": ["cik", "name", "ticker", "exchange"], "data": rows})


def _listed(catalogue: Catalogue) -> list[tuple[str, str, str, str | None]]:
    return [
        (company.cik, company.name, ticker, company.exchanges[place] if place < len(company.exchanges) else None)
        for company in catalogue.companies
        for place, ticker in enumerate(company.tickers)
    ]


def _pages(filings: list[LocalFiling], size: int) -> list[list[LocalFiling]]:
    """What does not fit the newest page, cut into pages."""
    return [filings[start : start + size] for start in range(size, len(filings), size)]


def _arrays(filings: list[LocalFiling]) -> dict[str, list[object]]:
    return {name: [column(filing) for filing in filings] for name, column in _COLUMNS.items()}


def _accepted(filing: LocalFiling) -> str:
    at = filing.accepted
    return f"{filing.filed}T{at[8:10]}:{at[10:12]}:{at[12:]}.000Z"


_COLUMNS: dict[str, Callable[[LocalFiling], object]] = {
    "accessionNumber": lambda filing: filing.accession,
    "filingDate": lambda filing: str(filing.filed),
    "reportDate": lambda filing: str(filing.period or ""),
    "acceptanceDateTime": _accepted,
    "act": lambda _: "34",
    "form": lambda filing: filing.form,
    "fileNumber": lambda filing: file_number(filing.companies[0]),
    "filmNumber": film_number,
    "items": lambda _: "",
    "size": lambda filing: len(full_submission(filing)),
    "isXBRL": lambda filing: int(filing.filed >= _TAGGED_SINCE),
    "isInlineXBRL": lambda filing: int(filing.filed >= _INLINE_SINCE),
    "primaryDocument": lambda filing: filing.primary,
    "primaryDocDescription": lambda filing: filing.documents[0].description if filing.documents else "",
}
"""The parallel arrays, in EDGAR's order."""


def _dump(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
