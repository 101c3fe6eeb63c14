"""Who filed what: from the header, tagged facts, the cover page, or the folder."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from fingreat.edgar import describe_filing, read_bytes, read_submission
from fingreat.edgar.places import Told
from fingreat.schema.records import Filing


def describe(data: bytes, path: str) -> Filing:
    return describe_filing(read_submission(data, Path(path).name), hashlib.sha256(data).hexdigest(), Path(path))


def test_the_header_is_read(shared: Path) -> None:
    path = shared / "filings" / "dev" / "876134_2010_tgfin-shell-pem.txt.gz"
    filing = describe(read_bytes(path), "raw/x.txt")
    # Values as printed in the file's first lines.
    assert filing.id == "0001010412-10-000078"
    assert filing.cik == "876134"
    assert filing.company == "TGFIN HOLDINGS INC"
    assert filing.form == "10-K"
    assert filing.filed == date(2010, 4, 6)
    assert filing.period == date(2009, 12, 31)
    assert filing.fiscal_year == 2009
    # BLANK CHECKS [6770], of division H; FISCAL YEAR END: 1231.
    assert (filing.sic, filing.sic_source) == ("6770", "header")
    assert filing.division == "Finance, Insurance, and Real Estate"
    assert filing.fiscal_year_end == "12-31"


def test_a_header_without_tags_is_read(shared: Path) -> None:
    path = shared / "filings" / "dev" / "320193_1995_aapl-sub.txt.gz"
    filing = describe(read_bytes(path), "raw/x.txt")
    assert (filing.id, filing.company, filing.sic) == ("0000320193-95-000016", "APPLE COMPUTER INC", "3571")
    assert (filing.sic_source, filing.division, filing.fiscal_year_end) == ("header", "Manufacturing", "09-30")
    assert filing.period == date(1995, 9, 29)


def test_tagged_facts_stand_in_for_a_header(shared: Path) -> None:
    path = shared / "filings" / "dev" / "320193_2024_aapl.htm.gz"
    data = read_bytes(path)
    filing = describe(data, "raw/aapl.htm")
    assert filing.id == hashlib.sha256(data).hexdigest()
    assert filing.cik == "320193"
    assert filing.company == "Apple Inc."
    assert filing.form == "10-K"
    assert filing.period == date(2024, 9, 28)
    assert filing.fiscal_year == 2024
    # Tagged as "September 28"; a main document has no industry code.
    assert filing.fiscal_year_end == "09-28"
    assert (filing.sic, filing.sic_source, filing.division, filing.filed) == (None, None, None, None)


@pytest.mark.parametrize(
    ("cover", "form", "period"),
    [
        (b"<p>FORM 10-K</p><p>For the fiscal year ended December 31, 2003</p>", "10-K", date(2003, 12, 31)),
        (b"<p>Form 10-KSB</p><p>For the fiscal year ended: June 30, 1999</p>", "10-KSB", date(1999, 6, 30)),
        (b"<p>FORM 10-Q</p><p>For the quarterly period ended March&nbsp;31, 2010</p>", "10-Q", date(2010, 3, 31)),
        (b"<p>FORM 10-K</p><p>For the fiscal year ended February 31, 2003</p>", "10-K", None),
        (b"<p>Nothing of the kind</p>", None, None),
    ],
)
def test_the_cover_page_stands_in_for_both(cover: bytes, form: str | None, period: date | None) -> None:
    filing = describe(b"<html><body>" + cover + b"</body></html>", "x.htm")
    assert filing.form == form
    assert filing.period == period


REGISTRANT = """
FILER:

	COMPANY DATA:
		COMPANY CONFORMED NAME:			{name}
		CENTRAL INDEX KEY:			{cik}
		STANDARD INDUSTRIAL CLASSIFICATION:	{sic}
		FISCAL YEAR END:			{year_end}
"""


def with_header(*registrants: str) -> Filing:
    """What is read from a full submission of some registrants."""
    data = (
        "<SEC-DOCUMENT>0000000001-24-000005.txt\n<SEC-HEADER>x\nACCESSION NUMBER:\t\t0000000001-24-000005\n"
        + "".join(registrants)
        + "</SEC-HEADER>\n<DOCUMENT>\n<TYPE>10-K\n<TEXT>\n<html><body><p>Report</p></body></html>\n</TEXT>\n"
        "</DOCUMENT>\n</SEC-DOCUMENT>\n"
    )
    return describe(data.encode(), "raw/x.txt")


def test_of_several_registrants_the_first_counts() -> None:
    first = REGISTRANT.format(name="PUMPS INC", cik="0000000101", sic="PUMPS [3561]", year_end="0928")
    second = REGISTRANT.format(name="PUMPS HOLDING", cik="0000000202", sic="TRUSTS [6770]", year_end="1231")
    filing = with_header(first, second)
    assert (filing.company, filing.cik, filing.sic, filing.fiscal_year_end) == ("PUMPS INC", "101", "3561", "09-28")
    assert filing.division == "Manufacturing"


@pytest.mark.parametrize(
    ("written", "code", "division"),
    [
        ("PUMPS & PUMPING EQUIPMENT [3561]", "3561", "Manufacturing"),
        ("AGRICULTURAL PRODUCTION-CROPS [0100]", "0100", "Agriculture, Forestry, and Fishing"),
        ("AGRICULTURAL PRODUCTION-CROPS [100]", "0100", "Agriculture, Forestry, and Fishing"),
        ("[0000]", None, None),
        ("UNKNOWN SIC - 0000 [0000]", None, None),
        ("[]", None, None),
        ("", None, None),
    ],
)
def test_a_header_s_industry_has_its_code_division_and_source(
    written: str, code: str | None, division: str | None
) -> None:
    filing = with_header(REGISTRANT.format(name="X", cik="0000000101", sic=written, year_end="1231"))
    assert (filing.sic, filing.division) == (code, division)
    assert filing.sic_source == ("header" if code else None)
    assert filing.header_sic == code


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("0928", "09-28"),
        ("0229", "02-29"),
        ("1231", "12-31"),
        ("0230", None),
        ("1301", None),
        ("0000", None),
        ("", None),
    ],
)
def test_a_header_s_fiscal_year_end_is_a_day_or_none(written: str, day: str | None) -> None:
    filing = with_header(REGISTRANT.format(name="X", cik="0000000101", sic="[3561]", year_end=written))
    assert filing.fiscal_year_end == day


@pytest.mark.parametrize(
    ("tagged", "day"),
    [
        ("--12-28", "12-28"),
        ("September&#160;28", "09-28"),
        ("9/28", "09-28"),
        ("12-31", "12-31"),
        ("February 30", None),
        ("a day of the board's choice", None),
    ],
)
def test_a_tagged_fiscal_year_end_is_read_as_filers_write_it(tagged: str, day: str | None) -> None:
    fact = f'<ix:nonNumeric name="dei:CurrentFiscalYearEndDate" contextRef="c">{tagged}</ix:nonNumeric>'
    assert describe(f"<html><body><p>{fact}</p></body></html>".encode(), "x.htm").fiscal_year_end == day


def test_what_is_told_around_a_file_stands_between_its_facts_and_its_cover() -> None:
    told = Told(
        accession="0000000001-24-000005",
        cik="777",
        company="LISTED INC",
        form="10-K405",
        filed=date(2004, 12, 14),
        period=date(2004, 9, 30),
        sic="3561",
        fiscal_year_end="09-30",
    )
    words = "<p>PUMPS INC</p><p>(Exact name of registrant)</p><p>FORM 10-K</p><p>fiscal year ended June 30, 2003</p>"
    facts = "".join(
        f'<ix:nonNumeric name="dei:{name}" contextRef="c">{value}</ix:nonNumeric>'
        for name, value in {
            "EntityRegistrantName": "Tagged Inc",
            "EntityCentralIndexKey": "0000000101",
            "DocumentType": "10-KT",
            "DocumentPeriodEndDate": "2003-12-31",
            "CurrentFiscalYearEndDate": "--12-31",
        }.items()
    )
    bare, tagged = (f"<html><body>{body}</body></html>".encode() for body in (words, words + facts))

    def said(data: bytes) -> tuple[object, ...]:
        filing = describe_filing(read_submission(data), "0" * 64, Path("x.htm"), told)
        return filing.id, filing.cik, filing.company, filing.form, filing.period, filing.fiscal_year_end, filing.filed

    number, filed = "0000000001-24-000005", date(2004, 12, 14)
    assert said(bare) == (number, "777", "LISTED INC", "10-K405", date(2004, 9, 30), "09-30", filed)
    assert said(tagged) == (number, "101", "Tagged Inc", "10-KT", date(2003, 12, 31), "12-31", filed)


def test_reading_filings_brings_no_network_in() -> None:
    code = "import sys, fingreat.edgar; print(sorted({'requests', 'urllib3', 'http.client'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[]\n"


def test_the_download_folder_gives_the_accession_number() -> None:
    filing = describe(
        b"<html><body><p>Report</p></body></html>",
        "sec-edgar-filings/ACME/10-K405/0000000001-99-000002/primary-document.html",
    )
    assert filing.id == "0000000001-99-000002"
    assert filing.form == "10-K405"


def test_a_year_that_ends_in_early_january_is_the_year_before() -> None:
    cover = b"<html><body><p>FORM 10-K</p><p>For the fiscal year ended January 2, 2010</p></body></html>"
    assert describe(cover, "x.htm").fiscal_year == 2009


def words(name: str) -> str:
    plain = re.sub(r"[^A-Z0-9 ]", "", name.upper().replace("-", " "))
    return re.sub(r"^THE | (?:INC|CORP|CORPORATION|CO|COMPANY)$", "", plain)


def test_the_cover_names_the_company_as_the_header_of_the_same_filing_does(shared: Path) -> None:
    compared = 0
    for path in sorted((shared / "filings").rglob("*.txt.gz")):
        data = read_bytes(path)
        named = describe(data, path.name).company
        # Without its tagged lines a submission is a text like any other, and only the cover can name the company.
        bare = re.sub(rb"COMPANY CONFORMED NAME:", b"X:", data)
        if bare != data and named is not None:
            compared += 1
            found = describe(bare, path.name).company
            assert found is not None, path.name
            assert words(found) == words(named), path.name
    assert compared >= 10


@pytest.mark.parametrize(
    ("cover", "name"),
    [
        ("<p><b>YUM! B</b>RANDS,\n  INC.</p><p>(Exact name of registrant as specified)</p>", "YUM! BRANDS, INC."),
        ("<div>Ames &amp; Poe</div><hr><div>_____</div><div>( Exact Name of Registrant )</div>", "Ames & Poe"),
        ("<PRE>\n\n  File No. 1\n\n   <u>AMES ENERGY, LLC</u>\n  (Exact name of registrant)</PRE>", "AMES ENERGY, LLC"),
        ("<p>Form 10-K</p><p>no such line</p>", None),
        (f"<p>{'long ' * 40}</p><p>(Exact name of registrant)</p>", None),
    ],
)
def test_the_line_above_the_forms_caption_is_the_company(cover: str, name: str | None) -> None:
    assert describe(f"<html><body>{cover}</body></html>".encode(), "a.htm").company == name
