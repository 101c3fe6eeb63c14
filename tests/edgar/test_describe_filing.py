"""Who filed what: from the header, tagged facts, the cover page, or the folder."""

from __future__ import annotations

import hashlib
import re
from datetime import date
from pathlib import Path

import pytest

from fingreat.edgar import describe_filing, read_bytes, read_submission
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
    assert filing.sic == "6770"


def test_a_header_without_tags_is_read(shared: Path) -> None:
    path = shared / "filings" / "dev" / "320193_1995_aapl-sub.txt.gz"
    filing = describe(read_bytes(path), "raw/x.txt")
    assert (filing.id, filing.company, filing.sic) == ("0000320193-95-000016", "APPLE COMPUTER INC", "3571")
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
