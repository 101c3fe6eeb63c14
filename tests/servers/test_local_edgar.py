"""The local EDGAR speaks the documented shapes."""

from __future__ import annotations

import gzip
from dataclasses import replace
from datetime import date

import pytest
import requests

from fingreat.edgar.container import read_submission
from fingreat.edgar.section import read_section
from servers import answers
from servers.edgar import LocalEdgar
from servers.example import AGENT, PATH, PUMPS, REPORT, get
from servers.invented import invented_company, invented_filing, invented_filings
from servers.reports import VARIANTS, closing, opening
from servers.submission import full_submission


def test_a_filing_is_served_below_each_of_its_companies_and_in_its_folder(edgar: LocalEdgar) -> None:
    data = full_submission(REPORT)
    for path in (
        PATH,
        "/Archives/edgar/data/9900502/0009900777-11-000042.txt",
        "/Archives/edgar/data/9900501/000990077711000042/0009900777-11-000042.txt",
    ):
        answer = get(edgar, path)
        assert (answer.status_code, answer.content) == (200, data)
        assert answer.headers["Content-Type"] == "text/plain"
    assert get(edgar, "/Archives/edgar/data/9900503/0009900777-11-000042.txt").status_code == 404
    folder = "/Archives/edgar/data/9900501/000990077711000042"
    assert get(edgar, f"{folder}/ostler.htm").content == b"<html><body><p>Our pumps.</p></body></html>\n"
    assert 'href="/Archives/edgar/data/9900501/000990077711000042/ostler.htm"' in (
        get(edgar, f"{folder}/0009900777-11-000042-index.htm").text
    )
    assert "CENTRAL INDEX KEY:\t\t\t0009900501" in get(edgar, f"{folder}/0009900777-11-000042-index-headers.html").text


def test_a_header_has_the_usual_lines() -> None:
    text = full_submission(REPORT).decode()
    assert text.startswith("<SEC-DOCUMENT>0009900777-11-000042.txt : 20110331\n<SEC-HEADER>")
    assert text.endswith("</DOCUMENT>\n</SEC-DOCUMENT>\n")
    for line in (
        "ACCESSION NUMBER:\t\t0009900777-11-000042",
        "CONFORMED SUBMISSION TYPE:\t10-K",
        "PUBLIC DOCUMENT COUNT:\t\t2",
        "CONFORMED PERIOD OF REPORT:\t20100930",
        "FILED AS OF DATE:\t\t20110331",
        "\t\tCOMPANY CONFORMED NAME:\t\t\tOSTLER PUMP CORP",
        "\t\tSTANDARD INDUSTRIAL CLASSIFICATION:\tPUMPS & PUMPING EQUIPMENT [3561]",
        "\t\tFISCAL YEAR END:\t\t\t0930",
        "\t\tFORMER CONFORMED NAME:\tOSTLER & SONS INC",
        "\t\tCOMPANY CONFORMED NAME:\t\t\tTARN FINANCE TRUST I",
        "<SEQUENCE>2",
        "<FILENAME>ex23.htm",
    ):
        assert f"\n{line}\n" in text
    # The trust has no industry and no fiscal year end.
    assert (text.count("STANDARD INDUSTRIAL"), text.count("FISCAL YEAR END")) == (1, 1)


def test_a_filing_of_the_nineties_is_wrapped_and_its_document_has_no_name() -> None:
    text = full_submission(invented_filing(PUMPS, 1996)).decode("ascii")
    assert text.startswith("-----BEGIN PRIVACY-ENHANCED MESSAGE-----\nProc-Type: 2001,MIC-CLEAR\n")
    assert text.endswith("</SEC-DOCUMENT>\n-----END PRIVACY-ENHANCED MESSAGE-----\n")
    assert "<FILENAME>" not in text
    assert "<html" not in text


@pytest.mark.parametrize("year", [1996, 2003, 2021])
@pytest.mark.parametrize("form", ["10-K", "10-K405/A", "10-KSB"])
@pytest.mark.parametrize(
    ("variant", "status", "source"),
    [
        ("found", "found", "main"),
        ("no_item_7", "absent", None),
        ("by_reference", "by_reference", "main"),
        ("exhibit", "found", "EX-13"),
        ("unreadable", "unreadable", None),
    ],
)
def test_item_7_of_a_report_is_what_its_variant_says(
    year: int, form: str, variant: str, status: str, source: str | None
) -> None:
    company = invented_company(8)
    filing = invented_filing(company, year, form=form, variant=variant)
    section = read_section(full_submission(filing))
    assert section.status == status
    assert section.source_document == (form if source == "main" else source)
    text = " ".join(section.text.split())
    assert filing.period
    assert (opening(company, filing.period) in text) == (status == "found")
    assert text.endswith(closing(company, filing.period)) == (status == "found")


def test_every_variant_is_tested() -> None:
    assert VARIANTS == ("found", "no_item_7", "by_reference", "exhibit", "unreadable")


def test_filings_of_a_year_are_of_companies_of_their_own_and_the_same_each_time() -> None:
    filings = invented_filings(2003, 60, variants=("found", "no_item_7"))
    assert filings == invented_filings(2003, 60, variants=("found", "no_item_7"))
    assert len({filing.companies[0].cik for filing in filings}) == len({one.accession for one in filings}) == 60
    assert {filing.filed.year for filing in filings} == {2003}
    header = read_submission(full_submission(filings[4])).header
    assert header["CENTRAL INDEX KEY"].lstrip("0") == filings[4].companies[0].cik == "9900005"
    assert header["FISCAL YEAR END"] == "0630"
    statuses = [read_section(full_submission(filing)).status for filing in filings[:4]]
    assert statuses == ["found", "absent", "found", "absent"]


def test_a_quarter_s_indexes_have_their_heads_and_a_row_for_each_company(edgar: LocalEdgar) -> None:
    lines = get(edgar, "/Archives/edgar/full-index/2011/QTR1/form.idx").text.split("\n")
    assert lines[0] == "Description:           Master Index of EDGAR Dissemination Feed by Form Type"
    head = lines[8]
    # Columns of today's files, counted from 0.
    assert [head.index(name) for name in ("Form Type", "Company Name", "CIK", "Date Filed", "File Name")] == [
        *(0, 12, 74, 86, 98)
    ]
    assert set(lines[9]) == {"-"}
    assert [line[:12].strip() + "|" + line[12:74].strip() + "|" + line[74:] for line in lines[10:12]] == [
        "10-K|OSTLER PUMP CORP|9900501     2011-03-31  edgar/data/9900501/0009900777-11-000042.txt",
        "10-K|TARN FINANCE TRUST I|9900502     2011-03-31  edgar/data/9900502/0009900777-11-000042.txt",
    ]
    master = get(edgar, "/Archives/edgar/full-index/2011/QTR1/master.idx").content
    assert b"\nCIK|Company Name|Form Type|Date Filed|Filename\n----" in master
    assert master.endswith(
        b"\n9900502|TARN FINANCE TRUST I|10-K|2011-03-31|edgar/data/9900502/0009900777-11-000042.txt\n"
    )
    packed = get(edgar, "/Archives/edgar/full-index/2011/QTR1/master.gz")
    assert gzip.decompress(packed.content) == master
    assert "Content-Encoding" not in packed.headers
    company = get(edgar, "/Archives/edgar/full-index/2011/QTR2/company.idx").text
    assert f"\n{'OSTLER PUMP CORP':<62}{'10-Q':<12}9900501     2011-05-02  " in company
    assert get(edgar, "/Archives/edgar/full-index/2011/QTR3/master.idx").status_code == 404


def test_a_day_s_indexes_have_dates_without_dashes(edgar: LocalEdgar) -> None:
    folder = "/Archives/edgar/daily-index/2011"
    master = get(edgar, f"{folder}/QTR1/master.20110331.idx").text
    assert "|Date Filed|File Name\n" in master
    assert "9900501|OSTLER PUMP CORP|10-K|20110331|edgar/data/9900501/0009900777-11-000042.txt\n" in master
    assert "  20110331    edgar/data/9900501/" in get(edgar, f"{folder}/QTR1/form.20110331.idx").text
    for absent in ("QTR1/master.20110330.idx", "QTR2/master.20110331.idx", "QTR1/master.20110231.idx"):
        assert get(edgar, f"{folder}/{absent}").status_code == 404


def test_a_name_that_overflows_its_column_moves_the_others_and_indexes_are_latin_1() -> None:
    long = replace(PUMPS, cik="9900601", name="PEMBERTON AMALGAMATED INSURANCE AND SAVINGS, A LIMITED PARTNERSHIP")
    accents = replace(PUMPS, cik="9900602", name="SOCIÉTÉ QUILLFEATHER SA")
    filings = [invented_filing(company, 2003, filed=date(2003, 3, 3)) for company in (long, accents)]
    with LocalEdgar(filings) as edgar:
        rows = get(edgar, "/Archives/edgar/full-index/2003/QTR1/form.idx").content.split(b"\n")
    end = b"2003-03-03  edgar/data/"
    assert rows[10].startswith(b"10-K        " + long.name.encode() + b"  9900601     " + end)
    assert rows[11].startswith(b"10-K        " + b"SOCI\xc9T\xc9 QUILLFEATHER SA".ljust(62) + b"9900602     " + end)


def test_a_company_is_known_as_its_last_filing_has_it_and_indexes_keep_the_name_of_the_day() -> None:
    later = replace(PUMPS, name="OSTLER WATER CORP", sic="4941")
    filings = [invented_filing(PUMPS, 2003, filed=date(2003, 3, 3)), invented_filing(later, 2004)]
    with LocalEdgar(filings) as edgar:
        top = get(edgar, "/submissions/CIK0009900501.json").json()
        assert "|OSTLER PUMP CORP|" in get(edgar, "/Archives/edgar/full-index/2003/QTR1/master.idx").text
        assert "[3561]" in get(edgar, edgar.path(filings[0])).text
    assert (top["name"], top["sic"]) == ("OSTLER WATER CORP", "4941")


def test_submissions_are_parallel_arrays_and_what_does_not_fit_is_on_older_pages() -> None:
    years = [invented_filing(PUMPS, year, filed=date(year, 12, 1)) for year in range(2001, 2008)]
    with LocalEdgar(years, page_size=3) as edgar:
        top = get(edgar, "/submissions/CIK0009900501.json").json()
        names = [page["name"] for page in top["filings"]["files"]]
        older = [get(edgar, f"/submissions/{name}").json() for name in names]
        assert get(edgar, "/submissions/CIK0009900501-submissions-003.json").status_code == 404
        assert get(edgar, "/submissions/CIK0009900999.json").status_code == 404
    assert (top["cik"], top["sic"], top["fiscalYearEnd"]) == ("0009900501", "3561", "0930")
    assert (top["tickers"], top["sicDescription"]) == (["OSTP", "OSTPW"], "PUMPS & PUMPING EQUIPMENT")
    assert top["formerNames"] == [
        {"name": "OSTLER & SONS INC", "from": "1995-01-02T00:00:00.000Z", "to": "1999-05-06T00:00:00.000Z"}
    ]
    assert names == ["CIK0009900501-submissions-001.json", "CIK0009900501-submissions-002.json"]
    assert top["filings"]["files"][0] == {
        "name": names[0],
        "filingCount": 3,
        "filingFrom": "2002-12-01",
        "filingTo": "2004-12-01",
    }
    recent = top["filings"]["recent"]
    assert {len(column) for column in recent.values()} == {3}
    assert recent["filingDate"] == ["2007-12-01", "2006-12-01", "2005-12-01"]
    assert recent["reportDate"][0] == "2006-09-30"
    assert recent["acceptanceDateTime"][0] == "2007-12-01T16:01:00.000Z"
    assert recent["primaryDocument"][0] == "ostlerpumpco-20060930.htm"
    assert recent["size"][0] == len(full_submission(years[-1]))
    assert [page["filingDate"] for page in older] == [["2004-12-01", "2003-12-01", "2002-12-01"], ["2001-12-01"]]
    assert list(older[0]) == list(recent)


def test_total_assets_are_a_list_per_unit_and_missing_where_no_filing_has_them(edgar: LocalEdgar) -> None:
    concept = get(edgar, "/api/xbrl/companyconcept/CIK0009900501/us-gaap/Assets.json").json()
    assert (concept["cik"], concept["tag"], concept["entityName"]) == (9900501, "Assets", "OSTLER PUMP CORP")
    row = {"accn": "0009900777-11-000042", "fy": 2010, "fp": "FY", "form": "10-K", "filed": "2011-03-31"}
    assert concept["units"] == {
        "USD": [
            {"end": "2009-09-30", "val": 700, **row},
            {"end": "2010-09-30", "val": 900, **row, "frame": "CY2010Q3I"},
        ]
    }
    edgar.add(invented_filings(2003, 1))
    answer = get(edgar, "/api/xbrl/companyconcept/CIK0009900001/us-gaap/Assets.json")
    assert answer.status_code == 404
    assert "<Code>NoSuchKey</Code>" in answer.text


def test_tickers_come_in_both_shapes(edgar: LocalEdgar) -> None:
    assert get(edgar, "/files/company_tickers.json").json()["1"] == {
        "cik_str": 9900501,
        "ticker": "OSTPW",
        "title": "OSTLER PUMP CORP",
    }
    assert get(edgar, "/files/company_tickers_exchange.json").json() == {
        "fields": ["cik", "name", "ticker", "exchange"],
        "data": [[9900501, "OSTLER PUMP CORP", "OSTP", "NYSE"], [9900501, "OSTLER PUMP CORP", "OSTPW", None]],
    }


def test_a_filing_can_be_any_bytes() -> None:
    with LocalEdgar([replace(REPORT, raw=b"\x00\x01")]) as edgar:
        assert get(edgar, PATH).content == b"\x00\x01"


def test_any_path_can_give_any_bytes(edgar: LocalEdgar) -> None:
    edgar.put("/submissions/CIK0009900501.json", b'{"name": "../../x"}')
    assert get(edgar, "/submissions/CIK0009900501.json").json() == {"name": "../../x"}
    edgar.put("/Archives/odd", answers.Answer(418, b"tea", "text/x-tea"))
    assert (get(edgar, "/Archives/odd").status_code, get(edgar, "/Archives/odd").text) == (418, "tea")


def test_answers_are_packed_only_for_clients_that_accept_it(edgar: LocalEdgar) -> None:
    assert get(edgar, PATH).headers["Content-Encoding"] == "gzip"
    plain = requests.get(edgar.base + PATH, headers={**AGENT, "Accept-Encoding": "identity"}, timeout=10)
    assert "Content-Encoding" not in plain.headers
    assert plain.content == full_submission(REPORT)
    with LocalEdgar([REPORT], compress=False) as other:
        assert "Content-Encoding" not in get(other, PATH).headers


def test_a_request_without_an_address_is_refused_unless_that_is_allowed(edgar: LocalEdgar) -> None:
    answer = requests.get(edgar.base + PATH, headers={"User-Agent": "Mozilla/5.0"}, timeout=10)
    assert answer.status_code == 403
    assert "Your Request Originates from an Undeclared Automated Tool" in answer.text
    with LocalEdgar([REPORT], strict=False) as open_to_all:
        assert requests.get(open_to_all.base + PATH, timeout=10).status_code == 200
    assert requests.post(edgar.base + PATH, headers=AGENT, timeout=10).status_code == 405
