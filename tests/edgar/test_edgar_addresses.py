"""What users and EDGAR write for filings, and the paths made of it; right values from EDGAR's own links."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingreat.edgar.remote.addresses import (
    Named,
    accession_of,
    assets_path,
    base_url,
    cik_of,
    index_path,
    older_page_path,
    read_name,
    submission_path,
    submissions_path,
    tickers_path,
)
from fingreat.errors import InputError

APPLE = "0000320193-24-000123"
APPLE_FILING = Named("accession", accession=APPLE, cik="320193")


@pytest.fixture(autouse=True)
def _no_base(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EDGAR_BASE_URL", raising=False)


@pytest.mark.parametrize(
    "text",
    [
        "https://www.sec.gov/Archives/edgar/data/320193/0000320193-24-000123.txt",
        "http://www.sec.gov/Archives/edgar/data/320193/0000320193-24-000123.txt",
        "HTTPS://WWW.SEC.GOV/Archives/edgar/data/320193/000032019324000123/",
        "https://sec.gov/Archives/edgar/data/320193/000032019324000123",
        "https://www.sec.gov/Archives/edgar/data/320193/000032019324000123/0000320193-24-000123-index.htm",
        "https://www.sec.gov/Archives/edgar/data/320193/000032019324000123/aapl-20240928.htm",
        "https://www.sec.gov/Archives/edgar/data/320193/000032019324000123/0000320193-24-000123.txt#top",
        "https://www.sec.gov/Archives/edgar/data/0000320193/000032019324000123/aapl-20240928.htm?x=1",
        "https://www.sec.gov/ix?doc=/Archives/edgar/data/320193/000032019324000123/aapl-20240928.htm",
        "https://www.sec.gov/ix?doc=%2FArchives%2Fedgar%2Fdata%2F320193%2F000032019324000123%2Faapl-20240928.htm",
        "https://www.sec.gov/ixviewer/ix.html?doc=/Archives/edgar/data/320193/000032019324000123/aapl-20240928.htm",
        "https://www.sec.gov/cgi-bin/viewer?action=view&cik=320193&accession_number=0000320193-24-000123&xbrl_type=v",
        "edgar/data/320193/0000320193-24-000123.txt",
        "/Archives/edgar/data/320193/000032019324000123/aapl-20240928.htm",
        "www.sec.gov/Archives/edgar/data/320193/000032019324000123/",
    ],
)
def test_every_address_of_a_filing_names_it_and_its_company(text: str) -> None:
    assert read_name(text) == APPLE_FILING


@pytest.mark.parametrize(
    "text",
    [
        "0000320193-24-000123",
        "000032019324000123",
        "  0000320193-24-000123\n",
        "0000320193-24-000123.txt",
        "AAPL_10-K_0000320193-24-000123.htm",
        "sec-edgar-filings/AAPL/10-K/0000320193-24-000123/full-submission.txt",
        '"0000320193-24-000123"',
    ],
)
def test_an_accession_number_is_found_in_any_surroundings(text: str) -> None:
    assert read_name(text) == Named("accession", accession=APPLE)
    assert accession_of(text) == APPLE


@pytest.mark.parametrize(
    "text",
    [
        "0000320193-24-000123-index.htm",
        "320193_10K_2024_0000320193-24-000123.htm",
        "0000320193-24-000123_10-K.htm",
        "AAPL-0000320193-24-000123.htm",
        "/home/jane/My filings/000032019324000123/aapl.htm",
        "0000320193-24-000123/0000320193-24-000123.txt",
        "ACCESSION NUMBER:\t\t0000320193-24-000123",
        "0000320193‐24‐000123",
        "0000320193–24–000123",
        "0000320193—24—000123",
        "0000320193−24−000123",
        "0000320193－24－000123",
    ],
)
def test_file_names_as_tools_write_them_and_typeset_dashes_name_a_filing(text: str) -> None:
    assert read_name(text) == Named("accession", accession=APPLE)


@pytest.mark.parametrize(
    "text",
    [
        "x0000320193-24-000123",
        "0000320193-24-000123x",
        "1-0000320193-24-000123",
        "0000320193-24-000123-4",
        "é000032019324000123",
        "000032019324000123O",
        "edgar/data/320193/x0000320193-24-000123.txt",
    ],
)
def test_a_number_with_a_letter_or_digit_too_many_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="names no filing and no company"):
        read_name(text)


@pytest.mark.parametrize("mark", [",", " ", ";", ", "])
def test_two_filings_in_one_name_are_refused(mark: str) -> None:
    with pytest.raises(InputError, match=r"names several filings at once\. Name each by itself"):
        read_name(f"{APPLE}{mark}0001193125-20-050884")


@pytest.mark.parametrize(
    ("text", "cik"),
    [
        ("320193", "320193"),
        ("0000320193", "320193"),
        ("CIK0000320193", "320193"),
        ("cik320193", "320193"),
        ("2", "2"),
        ("9999999999", "9999999999"),
        ("https://www.sec.gov/Archives/edgar/data/320193/", "320193"),
        ("https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=0000320193&type=10-K", "320193"),
        ("https://data.sec.gov/submissions/CIK0000320193.json", "320193"),
        ("https://data.sec.gov/submissions/CIK0000320193-submissions-001.json", "320193"),
        ("https://data.sec.gov/api/xbrl/companyconcept/CIK0000320193/us-gaap/Assets.json", "320193"),
        ("edgar/data/320193/", "320193"),
    ],
)
def test_a_company_is_named_by_its_cik(text: str, cik: str) -> None:
    assert read_name(text) == Named("cik", cik=cik)


@pytest.mark.parametrize(
    ("text", "ticker"),
    [
        ("AAPL", "AAPL"),
        ("brk-b", "BRK-B"),
        ("BF.B", "BF.B"),
        ("F", "F"),
        ("https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=aapl", "AAPL"),
    ],
)
def test_a_company_is_named_by_its_ticker(text: str, ticker: str) -> None:
    assert read_name(text) == Named("ticker", ticker=ticker)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "0",
        "CIK0000000000",
        "12345678901",
        "00003201932400012",
        "0000320193-24-0001234",
        "10000320193-24-000123",
        "10-K",
        "Apple Inc.",
        "aapl-20240928.htm",
        "٣٢٠١٩٣",
        "-5",
        "1_000",
        "edgar/data/",
        "A" * 5000,
        "https://www.sec.gov/edgar/searchedgar/companysearch.html",
        "https://www.sec.gov/Archives/edgar/full-index/2003/QTR1/master.gz",
    ],
)
def test_what_names_nothing_is_refused_with_what_is_accepted(text: str) -> None:
    with pytest.raises(InputError, match="accession number") as caught:
        read_name(text)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "text",
    [
        "https://evil.example/Archives/edgar/data/320193/0000320193-24-000123.txt",
        "https://www.sec.gov.evil.example/Archives/edgar/data/320193/0000320193-24-000123.txt",
        "https://www.sec.gov@evil.example/0000320193-24-000123.txt",
        "https://www.sec.gov:pass@evil.example/0000320193-24-000123.txt",
        "https://evilsec.gov/0000320193-24-000123.txt",
        "ftp://www.sec.gov/0000320193-24-000123.txt",
        "file:///Archives/edgar/data/320193/0000320193-24-000123.txt",
        "https://[::1/0000320193-24-000123.txt",
        "https://www.sec.gov:99999999/0000320193-24-000123.txt",
        "javascript://www.sec.gov/0000320193-24-000123",
    ],
)
def test_addresses_of_other_hosts_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"no address on www\.sec\.gov or data\.sec\.gov.*Write an accession number"):
        read_name(text)


def test_a_name_in_a_message_stays_on_one_line() -> None:
    with pytest.raises(InputError) as caught:
        read_name("no\nsuch\x1b[2Jname at all")
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_addresses_of_the_server_that_stands_in_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    address = "http://127.0.0.1:8123/Archives/edgar/data/320193/0000320193-24-000123.txt"
    assert read_name(address, "http://127.0.0.1:8123") == APPLE_FILING
    with pytest.raises(InputError):
        read_name(address, "http://127.0.0.1:8124")
    with pytest.raises(InputError):
        read_name(address)
    monkeypatch.setenv("EDGAR_BASE_URL", "http://127.0.0.1:8123/")
    assert read_name(address) == APPLE_FILING


def test_the_base_is_a_plain_address(monkeypatch: pytest.MonkeyPatch) -> None:
    assert base_url() is None
    assert base_url("") is None
    assert base_url("http://127.0.0.1:8000/") == "http://127.0.0.1:8000"
    assert base_url("https://mirror.example/edgar") == "https://mirror.example/edgar"
    monkeypatch.setenv("EDGAR_BASE_URL", "https://mirror.example")
    assert base_url() == "https://mirror.example"
    assert base_url("http://127.0.0.1:1") == "http://127.0.0.1:1"


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1:8000",
        "ftp://host",
        "http://",
        "http://host?x=1",
        "http://host/?",
        "http://host/#a",
        "http://user:secret@host",
        "http://host:port",
        "http://ho st",
        "http://host\\@www.sec.gov",
        "https:///path",
    ],
)
def test_other_bases_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="no address of a server"):
        base_url(text)


def test_paths_are_those_of_edgar() -> None:
    assert submission_path("320193", APPLE) == "/Archives/edgar/data/320193/0000320193-24-000123.txt"
    assert submission_path("0000320193", APPLE) == "/Archives/edgar/data/320193/0000320193-24-000123.txt"
    assert index_path(2003, 1) == "/Archives/edgar/full-index/2003/QTR1/master.gz"
    assert index_path(1993, 4, "form") == "/Archives/edgar/full-index/1993/QTR4/form.gz"
    assert submissions_path("320193") == "/submissions/CIK0000320193.json"
    assert older_page_path("CIK0000320193-submissions-001.json") == "/submissions/CIK0000320193-submissions-001.json"
    assert assets_path("320193") == "/api/xbrl/companyconcept/CIK0000320193/us-gaap/Assets.json"
    assert tickers_path() == "/files/company_tickers_exchange.json"


@pytest.mark.parametrize(
    "name",
    [
        "../CIK0000320193-submissions-001.json",
        "CIK0000320193-submissions-001.json/../../x",
        "CIK0000320193-submissions-001.json\n",
        "CIK320193-submissions-001.json",
        "CIK0000320193-submissions-001.json?x",
        "cik0000320193-submissions-001.json",
        "CIK000032019３-submissions-001.json",
        "https://evil.example/CIK0000320193-submissions-001.json",
        "",
    ],
)
def test_other_names_of_older_pages_are_refused(name: str) -> None:
    with pytest.raises(InputError):
        older_page_path(name)


@pytest.mark.parametrize("cik", ["", "0", "../320193", "320193/..", "12345678901", "32o193", "３２０１９３", "320193?"])
def test_no_path_is_made_of_what_is_no_cik(cik: str) -> None:
    for make in (submissions_path, assets_path, lambda text: submission_path(text, APPLE)):
        with pytest.raises(InputError):
            make(cik)


@pytest.mark.parametrize(
    "accession", ["", "../x", "0000320193-24-00012", "000032019324000123", f"{APPLE}\n", f"x{APPLE}"]
)
def test_no_path_is_made_of_what_is_no_accession_number(accession: str) -> None:
    with pytest.raises(InputError):
        submission_path("320193", accession)


def test_no_path_is_made_of_what_is_no_quarter() -> None:
    for year, quarter, kind in ((1992, 1, "master"), (2003, 0, "master"), (2003, 5, "master"), (2003, 1, "../x")):
        with pytest.raises(InputError):
            index_path(year, quarter, kind)


@given(st.integers(0, 10**18 - 1), st.text(alphabet=st.characters(exclude_categories=["Nd"]), max_size=20))
def test_an_accession_number_is_read_back_from_both_spellings(digits: int, around: str) -> None:
    text = f"{digits:018d}"
    dashed = f"{text[:10]}-{text[10:12]}-{text[12:]}"
    assert accession_of(f"{around}{text}{around}") == dashed
    assert accession_of(f"{around}{dashed}{around}") == dashed


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        named = read_name(text, "")
    except InputError:
        return
    assert [named.accession, named.cik, named.ticker][["accession", "cik", "ticker"].index(named.kind)]
    if named.cik:
        assert cik_of(named.cik) == named.cik
