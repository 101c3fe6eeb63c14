"""EDGAR's JSON of a company: filings, names and industry as documented, and a record filled from them."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingreat.edgar.remote.facts import (
    Assets,
    CompanyFacts,
    FilingRow,
    completed,
    name_at,
    pages_for,
    read_older_page,
    read_submissions,
)
from fingreat.errors import RemoteError
from fingreat.schema.records import Filing

FY2024 = "0000320193-24-000123"
FY2023 = "0000320193-23-000106"


BARE = Filing(id=FY2024, path="raw/a.htm", sha256="0" * 64)
FULL = Filing(
    id=FY2024, cik="320193", company="APPLE AS FILED", form="10-K/A", filed=date(2024, 11, 2), period=date(2024, 9, 27),
    fiscal_year=2023, sic="3570", sic_source="header", fiscal_year_end="09-30", path="raw/a.htm", sha256="0" * 64,
)  # fmt: skip
ROW = FilingRow(FY2024, "10-K", date(2024, 11, 1), date(2024, 9, 28), "aapl-20240928.htm")
KNOWN = Assets(364980000000, date(2024, 9, 28), None)


def columns(*rows: tuple[Any, ...]) -> dict[str, list[Any]]:
    names = ("accessionNumber", "form", "filingDate", "reportDate", "primaryDocument")
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def submissions(**changes: Any) -> dict[str, Any]:
    """Apple's, in the documented shape; names and their dates are those that EDGAR lists."""
    recent = columns(
        (FY2024, "10-K", "2024-11-01", "2024-09-28", "aapl-20240928.htm"),
        ("0000320193-24-000114", "4", "2024-10-17", "2024-10-15", "xslF345X05/wk-form4_1.xml"),
        ("0000320193-24-000100", "CORRESP", "2024-08-01", "", ""),
    )
    older = {
        "name": "CIK0000320193-submissions-001.json",
        "filingCount": 1069,
        "filingFrom": "1994-01-26",
        "filingTo": "2014-01-26",
    }
    former = [
        {"name": "APPLE INC", "from": "2007-01-10T00:00:00.000Z", "to": "2019-08-05T00:00:00.000Z"},
        {"name": "APPLE COMPUTER INC", "from": "1994-01-26T05:00:00.000Z", "to": "2007-01-04T05:00:00.000Z"},
        {"name": "APPLE COMPUTER INC/ FA", "from": "1997-07-28T00:00:00.000Z", "to": "1997-07-28T00:00:00.000Z"},
    ]
    company = {"cik": "0000320193", "name": "Apple Inc.", "sic": "3571", "fiscalYearEnd": "0928"}
    return {**company, "formerNames": former, "filings": {"recent": recent, "files": [older]}, **changes}


def read(**changes: Any) -> CompanyFacts:
    return read_submissions(json.dumps(submissions(**changes)).encode())


def test_a_company_is_read() -> None:
    facts = read()
    assert (facts.cik, facts.name, facts.sic, facts.fiscal_year_end) == ("320193", "Apple Inc.", "3571", "09-28")
    assert facts.rows == (
        FilingRow(FY2024, "10-K", date(2024, 11, 1), date(2024, 9, 28), "aapl-20240928.htm"),
        FilingRow("0000320193-24-000114", "4", date(2024, 10, 17), date(2024, 10, 15), "wk-form4_1.xml"),
        FilingRow("0000320193-24-000100", "CORRESP", date(2024, 8, 1), None, None),
    )
    assert [(page.name, page.first, page.last) for page in facts.older] == [
        ("CIK0000320193-submissions-001.json", date(1994, 1, 26), date(2014, 1, 26))
    ]


def test_an_older_page_has_its_columns_at_the_top() -> None:
    page = columns(("0000320193-96-000023", "10-K", "1996-12-19", "1996-09-27", "0000320193-96-000023.txt"))
    assert read_older_page(json.dumps(page).encode()) == (
        FilingRow("0000320193-96-000023", "10-K", date(1996, 12, 19), date(1996, 9, 27), "0000320193-96-000023.txt"),
    )


@pytest.mark.parametrize("cik", [320193, "320193", "0000320193"])
def test_a_cik_is_a_number_or_padded(cik: int | str) -> None:
    assert read(cik=cik).cik == "320193"


@pytest.mark.parametrize(
    ("written", "sic"), [("3571", "3571"), ("100", "0100"), ("", None), ("0", None), (None, None), ("n/a", None)]
)
def test_an_industry_code_has_four_digits_or_is_unknown(written: str | None, sic: str | None) -> None:
    assert read(sic=written).sic == sic


@pytest.mark.parametrize(
    ("written", "end"),
    [("1231", "12-31"), ("0229", "02-29"), ("0230", None), ("1331", None), ("", None), (None, None), ("928", None)],
)
def test_a_fiscal_year_ends_on_a_day_of_the_calendar_or_is_unknown(written: str | None, end: str | None) -> None:
    assert read(fiscalYearEnd=written).fiscal_year_end == end


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("a10k.htm", "a10k.htm"),
        ("xslF345X03/doc.xml", "doc.xml"),
        ("xslF345X03/../doc.xml", None),
        ("../../raw/a.htm", None),
        ("/etc/passwd", None),
        (".htaccess", None),
        ("a..htm", None),
        ("c:a.htm", None),
        ("a\\b.htm", None),
        ("axsl1/b.htm", None),
        ("", None),
        (None, None),
    ],
)
def test_a_main_document_is_a_plain_file_name(written: str | None, name: str | None) -> None:
    page = columns((FY2024, "10-K", "2024-11-01", "", written))
    assert read_older_page(json.dumps(page).encode())[0].primary_document == name


@pytest.mark.parametrize(
    ("day", "name"),
    [
        (date(1993, 5, 1), "APPLE COMPUTER INC"),  # before all: the first known
        (date(1994, 1, 26), "APPLE COMPUTER INC"),
        (date(1997, 7, 28), "APPLE COMPUTER INC/ FA"),  # the one filing under it
        (date(1997, 7, 29), "APPLE COMPUTER INC"),
        (date(2007, 1, 4), "APPLE COMPUTER INC"),  # "filings through 2007-01-04"
        (date(2007, 1, 5), "APPLE INC"),  # between two names
        (date(2019, 8, 5), "APPLE INC"),
        (date(2019, 8, 6), "Apple Inc."),
    ],
)
def test_a_name_is_that_of_the_day(day: date, name: str) -> None:
    assert name_at(read(), day) == name


@pytest.mark.parametrize(
    ("former", "day", "name"),
    [
        ([{"name": "A", "from": "2000-01-01"}], date(2001, 1, 1), "A"),
        ([{"name": "A", "from": "2000-01-01", "to": None}], date(1999, 1, 1), "A"),
        ([{"name": "A", "to": "2000-01-01"}], date(1999, 1, 1), "A"),
        ([{"name": "A", "to": "2000-01-01"}], date(2000, 1, 2), "Apple Inc."),
        # Without a day, it isn't known when it held.
        ([{"name": "A"}], date(2000, 1, 2), "Apple Inc."),
        # Without a last day, until the next name.
        ([{"name": "A", "from": "2000-01-01"}, {"name": "B", "from": "2005-01-01", "to": "2006-01-01"}],
         date(2004, 12, 31), "A"),
        ([{"name": "A", "from": "2000-01-01"}, {"name": "B", "from": "2005-01-01", "to": "2006-01-01"}],
         date(2007, 1, 1), "Apple Inc."),
        ([{"name": "A", "from": "2000-01-01"}, {"name": "B", "from": "2005-01-01", "to": "2006-01-01"}],
         date(2005, 1, 1), "B"),
        # Nor does it take the place of a name that is known to have held.
        ([{"name": "A", "from": "2000-01-01", "to": "2006-01-01"}, {"name": "B", "from": "2001-01-01"}],
         date(2002, 1, 1), "A"),
        # Of two names from the same day, the shorter one.
        ([{"name": "A", "from": "2000-01-01", "to": "2006-01-01"},
          {"name": "B", "from": "2000-01-01", "to": "2001-01-01"}], date(2000, 5, 1), "B"),
        ([], date(2007, 1, 1), "Apple Inc."),
        (None, date(2007, 1, 1), "Apple Inc."),
    ],
)  # fmt: skip
def test_a_name_without_dates_holds_as_far_as_is_known(former: Any, day: date, name: str) -> None:
    assert name_at(read(formerNames=former), day) == name


def test_older_pages_are_those_whose_days_include_the_filing() -> None:
    pages = [
        {"name": "CIK0000320193-submissions-001.json", "filingFrom": "2005-01-03", "filingTo": "2014-01-26"},
        {"name": "CIK0000320193-submissions-002.json", "filingFrom": "1994-01-26", "filingTo": "2005-01-03"},
        {"name": "CIK0000320193-submissions-003.json", "filingCount": 40},
    ]
    facts = read(filings={"recent": columns(), "files": pages})

    def numbers(filed: date | None) -> list[int]:
        return [int(page.name[-6]) for page in pages_for(facts, filed)]

    assert numbers(date(2005, 1, 3)) == [1, 2, 3]
    assert numbers(date(2005, 1, 4)) == [1, 3]
    assert numbers(date(1993, 12, 31)) == [3]
    assert numbers(None) == [1, 2, 3]


@pytest.mark.parametrize(
    "changes",
    [
        {"cik": True}, {"cik": 0}, {"cik": -5}, {"cik": 1.5}, {"cik": "12345678901"}, {"cik": None}, {"cik": "x"},
        {"name": None}, {"name": 5}, {"name": "\ud800"}, {"name": "A\x1b[2J"}, {"sic": 3571}, {"sic": []},
        {"fiscalYearEnd": 928}, {"formerNames": {"a": 1}}, {"formerNames": [5]}, {"formerNames": [{"from": "1994"}]},
        {"formerNames": [{"name": "A", "from": "1994"}]}, {"formerNames": [{"name": "A", "to": 5}]},
        {"filings": None}, {"filings": []}, {"filings": {}}, {"filings": {"recent": columns()}},
        {"filings": {"recent": [], "files": []}}, {"filings": {"recent": columns(), "files": {}}},
        {"filings": {"recent": columns(), "files": [{}]}},
        {"filings": {"recent": columns(), "files": [{"name": "../../CIK0000320193-submissions-001.json"}]}},
        {"filings": {"recent": columns(), "files": [{"name": "https://example.org/a.json"}]}},
    ],
)  # fmt: skip
def test_submissions_of_another_shape_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(RemoteError, match=r"^submissions.*is not what EDGAR documents"):
        read(**changes)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("accessionNumber", None),
        ("accessionNumber", []),
        ("accessionNumber", [FY2024, FY2023]),
        ("accessionNumber", ["../0000320193-24-000123"]),
        ("accessionNumber", ["000032019324000123"]),
        ("form", [5]),
        ("form", "10-K"),
        ("filingDate", [""]),
        ("filingDate", ["2024-13-01"]),
        ("filingDate", ["20241101"]),
        ("filingDate", [20241101]),
        ("reportDate", ["last year"]),
        ("reportDate", [5]),
        ("primaryDocument", [{}]),
    ],
)
def test_columns_of_another_shape_are_refused(column: str, values: Any) -> None:
    page = columns((FY2024, "10-K", "2024-11-01", "2024-09-28", "a.htm")) | {column: values}
    with pytest.raises(RemoteError, match="is not what EDGAR documents"):
        read_older_page(json.dumps(page).encode())


def test_a_report_date_that_no_calendar_has_is_unknown() -> None:
    page = columns((FY2024, "10-K", "2024-11-01", "2024-02-30", "a.htm"))
    assert read_older_page(json.dumps(page).encode())[0].period is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("2024-11-01"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.data())
def test_any_value_in_any_place_is_read_or_refused(data: st.DataObject) -> None:
    document = submissions()
    place: Any = document
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not isinstance(place[key], dict | list) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = data.draw(_JSON)
    with suppress(RemoteError):
        facts = read_submissions(json.dumps(document).encode())
        # What was read can be written.
        assert completed(BARE, facts, facts.rows[0] if facts.rows[:1] == (ROW,) else None, None).model_dump_json()


def test_what_the_file_does_not_say_is_filled() -> None:
    filing = completed(BARE, read(), ROW, KNOWN)
    assert (filing.cik, filing.company, filing.form) == ("320193", "Apple Inc.", "10-K")
    assert (filing.filed, filing.period, filing.fiscal_year) == (date(2024, 11, 1), date(2024, 9, 28), 2024)
    assert (filing.sic, filing.sic_source, filing.division) == ("3571", "submissions", "Manufacturing")
    assert filing.fiscal_year_end == "09-28"
    assert (filing.total_assets, filing.assets_date) == (364980000000, date(2024, 9, 28))
    assert (filing.id, filing.path, filing.sha256) == (BARE.id, BARE.path, BARE.sha256)


def test_what_the_file_says_is_kept_but_for_the_industry() -> None:
    filing = completed(FULL, read(), ROW, None)
    assert filing == FULL.model_copy(update={"sic": "3571", "sic_source": "submissions", "division": "Manufacturing"})


@pytest.mark.parametrize("source", ["header", None], ids=["header", "list"])
def test_an_industry_stays_with_its_source_where_the_registrant_has_none_now(source: str | None) -> None:
    bank = BARE.model_copy(update={"sic": "6021", "sic_source": source})
    filing = completed(bank, read(sic=""), None, None)
    assert (filing.sic, filing.sic_source) == ("6021", source)
    assert filing.division == "Finance, Insurance, and Real Estate"


def test_a_name_is_that_of_the_day_of_filing() -> None:
    old = BARE.model_copy(update={"filed": date(1996, 12, 19)})
    assert completed(old, read(), None, None).company == "APPLE COMPUTER INC"


def test_a_fiscal_year_that_ends_by_mid_january_is_the_year_before() -> None:
    row = FilingRow(FY2024, "10-K", date(2010, 3, 20), date(2010, 1, 2), None)
    assert completed(BARE, read(), row, None).fiscal_year == 2009


def test_unknown_stays_unknown() -> None:
    facts = read(sic="", fiscalYearEnd="")
    filing = completed(BARE, facts, None, Assets(None, None, "no facts of this filing"))
    assert filing == BARE.model_copy(update={"cik": "320193"})


def test_reported_zero_assets_are_kept() -> None:
    assert completed(BARE, read(), ROW, Assets(0, date(2024, 9, 28), None)).total_assets == 0


def test_facts_of_another_company_or_filing_are_refused() -> None:
    with pytest.raises(RemoteError, match="company 1, not 320193"):
        completed(FULL, read(cik="1"), None, None)
    with pytest.raises(RemoteError, match=FY2023):
        completed(BARE, read(), FilingRow(FY2023, "10-K", date(2023, 11, 3), None, None), None)


@given(
    st.sampled_from([BARE, FULL, BARE.model_copy(update={"sic": "6021"})]),
    st.sampled_from([{}, {"sic": ""}, {"fiscalYearEnd": None}, {"formerNames": []}]),
    st.sampled_from([None, ROW]),
    st.sampled_from([None, KNOWN, Assets(None, None, "several values")]),
)
def test_completing_twice_changes_nothing(
    filing: Filing, changes: dict[str, Any], row: FilingRow | None, found: Assets | None
) -> None:
    once = completed(filing, read(**changes), row, found)
    assert completed(once, read(**changes), row, found) == once
    assert Filing.model_validate_json(once.model_dump_json()) == once
