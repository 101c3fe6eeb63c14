"""Any number of invented companies and of their filings in a year."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from servers.catalogue import Company, Fact, LocalFiling
from servers.reports import WORDS, annual_report, brief_report

_FIRST_CIK = 9_900_000
_HTML_SINCE = 2001
_TAGGED_SINCE = 2010
_ANNUAL = "10-K"


def invented_company(number: int) -> Company:
    """The company of a number from 1 on; always the same one."""
    if number < 1:
        raise ValueError(f"companies are numbered from 1, not {number}")
    industry = WORDS["industry"][number % len(WORDS["industry"])]
    words = [WORDS[key] for key in ("first", "second", "third")]
    name = " ".join(list_[number // step % len(list_)] for list_, step in zip(words, (1, 13, 7), strict=True)).upper()
    return Company(
        cik=str(_FIRST_CIK + number),
        name=f"{name} {number}",
        sic=industry["sic"],
        sic_title=industry["title"],
        fiscal_year_end="0630" if number % 5 == 0 else "1231",
        tickers=(f"LO{number:03d}",),
        exchanges=("Nasdaq",),
    )


def invented_filing(
    company: Company,
    year: int,
    *,
    form: str = _ANNUAL,
    variant: str = "found",
    number: int = 1,
    filed: date | None = None,
    html: bool | None = None,
    paragraphs: int = 8,
) -> LocalFiling:
    """One filing of a company in a year.

    Args:
        year: of filing; the fiscal year ended in the year before.
        form: an annual report is written for forms that begin with 10-K, a short page for the others.
        variant: one of `servers.reports.VARIANTS`.
        number: of the filing within the company's year; the last digits of its accession number.
        filed: by the company's number, from January to December, where not given.
        html: from 2001 on where not given; a filing before is wrapped as a PRIVACY-ENHANCED MESSAGE.
        paragraphs: of the discussion.
    """
    as_html = year >= _HTML_SINCE if html is None else html
    end = company.fiscal_year_end or "1231"
    period = date(year - 1, int(end[:2]), int(end[2:]))
    assets = (int(company.cik) % 1000 + 1) * 1_000_000 + year * 1000
    tagged = year >= _TAGGED_SINCE and form.startswith(_ANNUAL)
    facts = (Fact(period.replace(year=year - 2), assets - 1000), Fact(period, assets)) if tagged else ()
    if form.startswith(_ANNUAL):
        documents = annual_report(
            company, form, period, variant=variant, html=as_html, paragraphs=paragraphs, assets=assets
        )
    else:
        documents = brief_report(company, form, html=as_html)
    wrapped = year < _HTML_SINCE
    if wrapped:
        # Documents had no names of their own then.
        documents = tuple(replace(document, filename="") for document in documents)
    return LocalFiling(
        companies=(company,),
        accession=f"{company.padded}-{year % 100:02d}-{number:06d}",
        form=form,
        filed=filed or date(year, 1, 2) + timedelta(days=int(company.cik) * 37 % 360),
        period=period,
        documents=documents,
        facts=facts,
        pem=wrapped,
    )


def invented_filings(
    year: int,
    count: int,
    *,
    first: int = 1,
    form: str = _ANNUAL,
    variants: Sequence[str] = ("found",),
    paragraphs: int = 8,
) -> tuple[LocalFiling, ...]:
    """Annual reports filed in a year, each by a company of its own: those numbered from `first` on.

    Args:
        variants: taken in turn, such as `("found", "found", "no_item_7")`.
    """
    return tuple(
        invented_filing(
            invented_company(first + place),
            year,
            form=form,
            variant=variants[place % len(variants)],
            paragraphs=paragraphs,
        )
        for place in range(count)
    )
