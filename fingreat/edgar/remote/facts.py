"""What EDGAR's JSON says of a company: its names, its industry, its filings, and the assets that a filing tagged.

Bytes in, records out. Shapes: `/submissions/CIK##########.json`, its older pages, and
`/api/xbrl/companyconcept/CIK##########/us-gaap/Assets.json`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from fingreat.edgar.describe import _fiscal_year as fiscal_year_of
from fingreat.edgar.describe import month_day
from fingreat.edgar.remote import documented
from fingreat.edgar.remote.addresses import accession_of, cik_of, older_page_path
from fingreat.errors import InputError, RemoteError
from fingreat.schema.records import Filing
from fingreat.schema.sic import division_of, sic_of

# Why total assets are unknown. A currency that is known follows, as in "other currency: CAD".
NO_FACTS = "no facts of this filing"
OTHER_CURRENCY = "other currency"
EARLIER = "only an earlier balance sheet"
LATER = "a later balance sheet"
NO_PERIOD = "the filing's period is unknown"
SEVERAL = "several values"

_SAME_YEAR_END = 16
"""Days between the period of a header and a balance sheet: years of 52 or 53 weeks end days from the month's end."""
_COLUMNS = ("accessionNumber", "form", "filingDate", "reportDate", "primaryDocument")
_STYLESHEET = re.compile(r"^xsl[^/]*/")
_FILE_NAME = re.compile(r"(?!.*\.\.)\w[\w.-]{0,150}", re.ASCII)
_CURRENCY = re.compile(r"[A-Z]{3}")


@dataclass(frozen=True, slots=True)
class FormerName:
    """A name that a company has given up, with the days of its first and last filing under it, where known."""

    name: str
    first: date | None
    last: date | None


@dataclass(frozen=True, slots=True)
class FilingRow:
    """One filing in a company's list.

    Attributes:
        period: the report date; None where EDGAR has none or no calendar has it.
        primary_document: file name of the main document, without the folder of a stylesheet; None where there is
            none or it is not a plain file name.
    """

    accession: str
    form: str
    filed: date
    period: date | None
    primary_document: str | None


@dataclass(frozen=True, slots=True)
class OlderPage:
    """A further page of a company's list, with the days of the first and last filing in it, where known."""

    name: str
    first: date | None
    last: date | None


@dataclass(frozen=True, slots=True)
class CompanyFacts:
    """What EDGAR says of a company now.

    Attributes:
        cik: without leading zeros.
        name: the present one.
        sic: the present code, in four digits.
        fiscal_year_end: the present one, such as "12-31".
        rows: the newest filings (1,000 at least, where there are as many), in EDGAR's order.
        older: where the others are listed.
    """

    cik: str
    name: str
    sic: str | None
    fiscal_year_end: str | None
    former_names: tuple[FormerName, ...]
    rows: tuple[FilingRow, ...]
    older: tuple[OlderPage, ...]


@dataclass(frozen=True, slots=True)
class Assets:
    """Total assets of one filing in whole US dollars at `end`, or why they are unknown.

    Attributes:
        why: None where `value` is known, else a reason that can be counted.
    """

    value: int | None
    end: date | None
    why: str | None


def read_submissions(data: bytes) -> CompanyFacts:
    """A company's facts and newest filings.

    Raises:
        RemoteError: the bytes are not what EDGAR documents.
    """
    where = "submissions"
    company = documented.document(data, where)
    filings = documented.mapping(company.get("filings"), f"{where}, filings")
    return CompanyFacts(
        cik=_cik(company.get("cik"), f"{where}, cik"),
        name=documented.text(company.get("name"), f"{where}, name"),
        sic=sic_of(documented.text_or_empty(company.get("sic"), f"{where}, sic")),
        fiscal_year_end=month_day(documented.text_or_empty(company.get("fiscalYearEnd"), f"{where}, fiscalYearEnd")),
        former_names=_former_names(company.get("formerNames") or [], f"{where}, formerNames"),
        rows=_rows(documented.mapping(filings.get("recent"), f"{where}, filings.recent"), f"{where}, filings.recent"),
        older=_older_pages(filings.get("files"), f"{where}, filings.files"),
    )


def read_older_page(data: bytes) -> tuple[FilingRow, ...]:
    """The filings of an older page.

    Raises:
        RemoteError: the bytes are not what EDGAR documents.
    """
    return _rows(documented.document(data, "older submissions"), "older submissions")


def name_at(facts: CompanyFacts, day: date) -> str:
    """The name under which the company filed on a day.

    Former names hold from their first to their last filing. Within a longer one a shorter one goes first (a name
    that was used for a single filing). Between two names, and before all, the next one holds; after the last former
    name the present one. A missing first day leaves that side open; a missing last day reaches to the next former
    name, and gives way to names with both days.
    """
    dated = [name for name in facts.former_names if name.first or name.last]
    starts = sorted(name.first for name in dated if name.first)

    def last_day(name: FormerName) -> date:
        following = next((start for start in starts if name.first and start > name.first), None)
        return name.last or following or date.max

    def rank(name: FormerName) -> tuple[bool, date, int]:
        return bool(name.first and name.last), name.first or date.min, -last_day(name).toordinal()

    held = [name for name in dated if (name.first or date.min) <= day <= last_day(name)]
    if held:
        return max(held, key=rank).name
    later = [(name.first, name.name) for name in dated if name.first and name.first > day]
    return min(later)[1] if later else facts.name


def pages_for(facts: CompanyFacts, filed: date | None) -> tuple[OlderPage, ...]:
    """The older pages that may list a filing that is not among `facts.rows`; all of them without its date."""
    return tuple(
        page for page in facts.older if filed is None or (page.first or date.min) <= filed <= (page.last or date.max)
    )


def total_assets(
    data: bytes, accession: str, filed: date | None, period: date | None, *, cik: str | None = None
) -> Assets:
    """The total assets that a filing tagged for its own balance-sheet date.

    Only facts in US dollars that name this very filing count, with a date that is not after the day of filing and
    within 16 days of the filing's period: the latest up to the period, or the first after it where there is none (the
    header of a year of 52 or 53 weeks may give the month's end). What lies further back is a comparative of an
    earlier balance sheet, and nothing is put in its place; so nothing is known of a filing without a period. A fraction
    of a dollar is rounded half to even.

    Args:
        data: the company concept us-gaap:Assets.
        accession: of the filing, with dashes.
        cik: of the company that was asked for, if the data is to be checked for it.

    Raises:
        RemoteError: the bytes are not what EDGAR documents, or are another concept or company. Facts of other filings
            are not looked into.
    """
    where = "companyconcept"
    concept = documented.document(data, where)
    for key, right in (("taxonomy", "us-gaap"), ("tag", "Assets")):
        if concept.get(key, right) != right:
            raise documented.undocumented(f"{where}, {key}", f'"{right}"')
    if cik is not None and "cik" in concept and _cik(concept["cik"], f"{where}, cik") != cik:
        raise documented.undocumented(f"{where}, cik", f"the company {cik}")
    units = documented.mapping(concept.get("units"), f"{where}, units")
    own = {unit: _own_facts(facts, accession, f"{where}, units.{unit[:20]!a}") for unit, facts in units.items()}
    if not own.get("USD"):
        currencies = sorted(unit for unit, facts in own.items() if facts and _CURRENCY.fullmatch(unit))
        reason = f"{OTHER_CURRENCY}: {', '.join(currencies)}" if currencies else OTHER_CURRENCY
        return Assets(None, None, reason if any(own.values()) else NO_FACTS)
    return _at_period(own["USD"], filed, period)


def _at_period(facts: list[tuple[date, Decimal]], filed: date | None, period: date | None) -> Assets:
    if period is None:
        return Assets(None, None, NO_PERIOD)
    ends = {end for end, _ in facts if abs((end - period).days) <= _SAME_YEAR_END and (filed is None or end <= filed)}
    if not ends:
        return Assets(None, None, EARLIER if all(end < period for end, _ in facts) else LATER)
    # A balance at the opening of the next year may stand beside the filing's own.
    end = max((end for end in ends if end <= period), default=min(ends))
    values = {value for day, value in facts if day == end}
    if len(values) > 1:
        return Assets(None, None, SEVERAL)
    return Assets(int(values.pop().to_integral_value(rounding=ROUND_HALF_EVEN)), end, None)


def completed(filing: Filing, facts: CompanyFacts, row: FilingRow | None, assets: Assets | None) -> Filing:
    """A filing's record with what its own file does not say; what is unknown stays unknown.

    The industry code is an exception: the registrant's present one stands in place of the header's, since headers
    of many years have none; `sic_source` says which it is. The fiscal year's end is the header's if it has one, which
    is that at the time of filing. Doing it twice changes nothing.

    Args:
        row: of this filing, None where it is not listed.
        assets: of this filing, None where they were not asked for.

    Raises:
        RemoteError: `facts` are those of another company or `row` is that of another filing.
    """
    if filing.cik not in (None, facts.cik):
        raise RemoteError(f"EDGAR's facts are those of company {facts.cik}, not {filing.cik}.", where=filing.id)
    if row and row.accession != filing.id:
        raise RemoteError(f"EDGAR's row is that of filing {row.accession}.", where=filing.id)
    filed = filing.filed or (row.filed if row else None)
    period = filing.period or (row.period if row else None)
    sic = facts.sic or filing.sic
    changes: dict[str, Any] = {
        "cik": facts.cik,
        "company": filing.company or (name_at(facts, filed) if filed else None) or None,
        "form": filing.form or (row.form if row else None) or None,
        "filed": filed,
        "period": period,
        "fiscal_year": fiscal_year_of(period) if filing.fiscal_year is None else filing.fiscal_year,
        "sic": sic,
        "sic_source": "submissions" if facts.sic else filing.sic_source,
        "division": division_of(sic),
        "fiscal_year_end": filing.fiscal_year_end or facts.fiscal_year_end,
    }
    if assets is not None:
        changes |= {"total_assets": assets.value, "assets_date": assets.end}
    return filing.model_copy(update=changes)


def _rows(table: dict[str, Any], where: str) -> tuple[FilingRow, ...]:
    columns = [documented.items(table.get(key), f"{where}.{key}") for key in _COLUMNS]
    if len({len(column) for column in columns}) != 1:
        raise documented.undocumented(where, f"the same number of entries in {', '.join(_COLUMNS)}")
    return tuple(
        _row(values, f"{where}, row {number}") for number, values in enumerate(zip(*columns, strict=True), start=1)
    )


def _row(values: tuple[Any, ...], where: str) -> FilingRow:
    accession, form, filed, period, document = values
    name = _STYLESHEET.sub("", documented.text_or_empty(document, f"{where}, primaryDocument"))
    return FilingRow(
        accession=_accession(accession, f"{where}, accessionNumber"),
        form=documented.text(form, f"{where}, form"),
        filed=documented.day(filed, f"{where}, filingDate"),
        period=documented.day_or_none(period, f"{where}, reportDate"),
        primary_document=name if _FILE_NAME.fullmatch(name) else None,
    )


def _former_names(value: Any, where: str) -> tuple[FormerName, ...]:
    entries = [documented.mapping(entry, where) for entry in documented.items(value, where)]
    return tuple(
        FormerName(
            documented.text(entry.get("name"), f"{where}, name"),
            documented.day_or_none(entry.get("from"), f"{where}, from"),
            documented.day_or_none(entry.get("to"), f"{where}, to"),
        )
        for entry in entries
    )


def _older_pages(value: Any, where: str) -> tuple[OlderPage, ...]:
    entries = [documented.mapping(entry, where) for entry in documented.items(value, where)]
    return tuple(
        OlderPage(
            _page_name(entry.get("name"), f"{where}, name"),
            documented.day_or_none(entry.get("filingFrom"), f"{where}, filingFrom"),
            documented.day_or_none(entry.get("filingTo"), f"{where}, filingTo"),
        )
        for entry in entries
    )


def _own_facts(value: Any, accession: str, where: str) -> list[tuple[date, Decimal]]:
    """Date and value of the facts of one unit that name the filing."""
    entries = [documented.mapping(entry, where) for entry in documented.items(value, where)]
    return [
        (documented.day(entry.get("end"), f"{where}, end"), documented.amount(entry.get("val"), f"{where}, val"))
        for entry in entries
        if entry.get("accn") == accession
    ]


def _cik(value: Any, where: str) -> str:
    cik = cik_of(str(value)) if isinstance(value, int | str) and not isinstance(value, bool) else None
    if cik is None:
        raise documented.undocumented(where, "a Central Index Key")
    return cik


def _accession(value: Any, where: str) -> str:
    accession = documented.text(value, where)
    if accession_of(accession) != accession:
        raise documented.undocumented(where, "an accession number")
    return accession


def _page_name(value: Any, where: str) -> str:
    name = documented.text(value, where)
    try:
        older_page_path(name)
    except InputError as error:
        raise documented.undocumented(where, "the name of a page") from error
    return name
