"""Lists of filings and companies, as people and tools write them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingreat.edgar.remote.addresses import Named
from fingreat.errors import InputError
from fingreat.pipeline.name_list import read_names
from fingreat.schema import Filing

A, B = "0000320193-24-000123", "0001193125-20-050884"
FILING_A, FILING_B = Named("accession", accession=A), Named("accession", accession=B)
OF_APPLE = Named("accession", accession=A, cik="320193")
APPLE, FORD = Named("cik", cik="320193"), Named("cik", cik="37996")
AAPL, BRK = Named("ticker", ticker="AAPL"), Named("ticker", ticker="BRK-B")
ADDRESS = "https://www.sec.gov/Archives/edgar/data/320193/000032019324000123/aapl-20240928.htm"
VIEWER = "https://www.sec.gov/ix?doc=/Archives/edgar/data/320193/000032019324000123/aapl-20240928.htm"
SHA256 = "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9"
"""Of the text "0"; no 18 digits stand together in it."""
DIGITS = "a123456789012345678b" + "c" * 44
"""A possible SHA-256 in which 18 digits do."""


def names_in(folder: Path, name: str, text: str | bytes) -> list[Named]:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_names(path)


def faults_in(folder: Path, name: str, text: str | bytes) -> str:
    with pytest.raises(InputError) as caught:
        names_in(folder, name, text)
    assert str(folder / name) in str(caught.value)
    return str(caught.value)


def test_plain_lines_hold_one_name_each(tmp_path: Path) -> None:
    text = f"\n# mine\n{A}\n  {B.replace('-', '')}\n320193\nCIK0000037996\naapl\nbrk-b\n{ADDRESS}\n{VIEWER}\n"
    text += f"edgar/data/320193/{A}.txt\n320193|APPLE INC|10-K|2024-11-01|edgar/data/320193/{A}.txt\n"
    found = names_in(tmp_path, "list.txt", text)
    assert found == [FILING_A, FILING_B, APPLE, FORD, AAPL, BRK, *[OF_APPLE] * 4]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "﻿"])
def test_line_ends_and_byte_order_marks_do_not_matter(tmp_path: Path, end: str, mark: str) -> None:
    assert names_in(tmp_path, "list.txt", f"{mark}{A}{end}AAPL{end}") == [FILING_A, AAPL]
    assert names_in(tmp_path, "list.csv", f"{mark}cik,x{end}320193,y{end}37996,z") == [APPLE, FORD]


@pytest.mark.parametrize("mark", [",", "\t", ";", "|", ", "])
@pytest.mark.parametrize("name", ["list.csv", "list.tsv", "list.txt", "list"])
def test_tables_are_known_by_their_head_whatever_parts_their_fields(tmp_path: Path, name: str, mark: str) -> None:
    text = f"company{mark}CIK{mark}Accession Number\n"
    text += f'"Apple, Inc.; | {chr(9)}"{mark}"0000320193"{mark}"{A}"\nFord{mark}37996{mark}\n'
    assert names_in(tmp_path, name, text) == [OF_APPLE, FORD]


@pytest.mark.parametrize(
    ("head", "row", "named"),
    [
        ("adsh,cik", f"{A},320193", OF_APPLE),  # SEC's financial statement data sets
        ("accn,cik", f"{A},320193", OF_APPLE),  # company facts
        ("accessionNumber,filingDate", f"{A},2024-11-01", FILING_A),  # submissions
        ("cik_str,ticker,title", "320193,AAPL,Apple Inc.", APPLE),  # company_tickers.json
        ("CIK,Company Name,Form Type,Date Filed,Filename", f"320193,A,10-K,x,edgar/data/320193/{A}.txt", OF_APPLE),
        ("CIK,Company,filename", f"320193,Apple,320193_10K_2024_{A}.htm", OF_APPLE),  # edgar-crawler
        ("CIK,FILE_NAME,ACC_NUM", f"320193,20241101_10-K_x.txt,{A}", OF_APPLE),
        ("gvkey,Ticker Symbol", "001690,AAPL", AAPL),
        ("symbol", "brk-b", BRK),
        ("cik,year", "320193.0,2020.0", APPLE),  # a column of numbers with gaps, by pandas
        (",cik", "0,320193", APPLE),  # a data frame's index
        ("id,ticker", "1,AAPL", AAPL),
        ("id,cik", "37996,320193", APPLE),
        ("id,url", f"17,{ADDRESS}", OF_APPLE),
        ("url,cik", "https://www.apple.com,320193", APPLE),
        ("url", "https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=0000320193", APPLE),
        ("path", f"raw/{A}/{A}.txt", FILING_A),
        ("cik,id", f"320193,{A.replace('-', '–')}", OF_APPLE),  # typeset
    ],
)
def test_the_columns_that_edgar_and_other_tools_use_are_known(
    tmp_path: Path, head: str, row: str, named: Named
) -> None:
    assert names_in(tmp_path, "list.csv", f"{head}\n{row}\n") == [named]


@pytest.mark.parametrize("ticker", ["ID", "PATH", "CIK", "URL", "LINK"])
def test_a_ticker_that_could_be_a_head_is_one_where_tickers_follow(tmp_path: Path, ticker: str) -> None:
    found = names_in(tmp_path, "list.txt", f"{ticker}\n\nAAPL\n")
    assert found == [Named("ticker", ticker=ticker), AAPL]


def test_comments_and_empty_lines_above_and_within_a_table_are_passed_over(tmp_path: Path) -> None:
    text = f"# drawn on Monday, by me\n\ncik,accession\n# one\n320193,{A}\n\n,\n37996,{B}\n"
    found = names_in(tmp_path, "list.csv", text)
    assert found == [OF_APPLE, Named("accession", accession=B, cik="37996")]


def test_json_lines_hold_objects_or_names(tmp_path: Path) -> None:
    rows = [{"ticker": "AAPL"}, {"cik": 320193, "accession": None}, A, 37996, {"accession": A, "cik": "320193"}]
    text = "\n".join(json.dumps(row) for row in rows)
    assert names_in(tmp_path, "list.jsonl", text) == [AAPL, APPLE, FILING_A, FORD, OF_APPLE]


def test_the_list_of_another_corpus_is_one(tmp_path: Path) -> None:
    filings = [
        Filing(id=A, cik="320193", path=f"raw/{A}/{A}.txt", sha256=SHA256),
        Filing(id=B, path="raw/x/full-submission.txt", sha256=SHA256),
    ]
    text = "".join(filing.model_dump_json() + "\n" for filing in filings)
    assert names_in(tmp_path, "filings.jsonl", text) == [OF_APPLE, FILING_B]


@pytest.mark.parametrize("digest", [SHA256, DIGITS])
def test_a_filing_of_a_corpus_without_its_number_does_not_mean_its_company(tmp_path: Path, digest: str) -> None:
    filing = Filing(id=digest, cik="320193", path=f"raw/{digest}/{A}.txt", sha256=digest)
    faults = faults_in(tmp_path, "filings.jsonl", filing.model_dump_json())
    assert "line 1:" in faults
    assert "is a filing whose accession number is not known" in faults


@pytest.mark.parametrize("number", ["n/a", "NA", "32019324000123", "3.2019324000123E+13", "0000320193-24-00012"])
def test_a_damaged_accession_number_does_not_mean_the_company(tmp_path: Path, number: str) -> None:
    faults = faults_in(tmp_path, "list.csv", f"cik,accession\n320193,{A}\n320193,{number}\n")
    assert f"1 of 2 lines name no filing and no company:\n  line 3: '{number}' is no accession number." in faults


@pytest.mark.parametrize("number", [f"x{A}", f"{A}a", f"{A}, {B}"])
def test_a_number_with_something_too_many_is_no_filing_in_any_column(tmp_path: Path, number: str) -> None:
    for column in ("accession", "id", "filename"):
        faults = faults_in(tmp_path, "list.csv", f'cik,{column}\n320193,"{number}"\n')
        assert "1 of 1 lines name no filing and no company:\n  line 2: " in faults


@pytest.mark.parametrize("row", ["1,Apple", "0,", "37996,x"])
def test_the_numbers_of_rows_are_no_companies(tmp_path: Path, row: str) -> None:
    faults = faults_in(tmp_path, "list.csv", f"id,company\n{row}\n")
    assert "has neither an accession number nor a CIK nor a ticker" in faults


def test_a_filing_on_another_host_does_not_mean_the_company(tmp_path: Path) -> None:
    address = ADDRESS.replace("www.sec.gov", "www.sec.gov.example")
    assert "is no address on www.sec.gov" in faults_in(tmp_path, "list.csv", f"cik,url\n320193,{address}\n")


def test_an_address_of_the_server_that_stands_in_is_taken(tmp_path: Path) -> None:
    address = ADDRESS.replace("https://www.sec.gov", "http://127.0.0.1:8000")
    path = tmp_path / "list.txt"
    path.write_text(f"{address}\n")
    assert read_names(path, "http://127.0.0.1:8000") == [OF_APPLE]
    with pytest.raises(InputError, match=r"is no address on www\.sec\.gov"):
        read_names(path)


def test_the_first_lines_at_fault_are_told_with_their_numbers(tmp_path: Path) -> None:
    faults = faults_in(tmp_path, "list.txt", f"# head\n{A}\n" + "\n".join(f"no name {n}" for n in range(1, 8)))
    assert "7 of 8 lines name no filing and no company:" in faults
    assert "  line 3: no name 1 " in faults
    assert "  line 7: no name 5 " in faults
    assert "no name 6" not in faults
    assert "and 2 more" in faults


def test_a_line_of_a_table_is_told_by_where_it_ends(tmp_path: Path) -> None:
    faults = faults_in(tmp_path, "list.csv", '\n\ncompany,cik\n"on two\nlines",320193\n"Ford",none\n')
    assert "1 of 2 lines" in faults
    assert "line 6: has neither" in faults


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("list.txt", b"", "lists nothing"),
        ("list.txt", b"# only this\n\n", "lists nothing"),
        ("list.csv", b"cik,ticker\n", "lists nothing"),
        ("list.csv", b"cik,ticker\n,\n", "lists nothing"),
        ("list.jsonl", b"\n", "lists nothing"),
        ("list.jsonl", b"{\n", "line 1: is no JSON"),
        ("list.jsonl", b"null\n[1]\ntrue\n1.5\n", "4 of 4 lines"),
        ("list.jsonl", b'{"accession": ["x"], "title": 1}\n', "has neither"),
        ("list.txt", "AAPL\n".encode("utf-16"), "is no UTF-8 text. Save it as UTF-8"),
        ("list.csv", "cik,name\n320193,Nestlé\n".encode("latin-1"), "is no UTF-8 text"),
        ("list.csv", b"company,cik\n" + b"x" * 200_000 + b",320193\n", "line 2: cannot be read as CSV"),
        ("list.txt", b"\x00\x01\x02", "names no filing"),
        ("list.txt", b"../../etc/passwd\n", "names no filing"),
        ("list.txt", b"AAPL MSFT\n", "names no filing"),
    ],
)
def test_what_is_no_list_is_refused_with_its_reason(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    assert message in faults_in(tmp_path, name, content)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("l5.csv", "gvkey,year\n001690,2020\n"),
        ("l5.txt", "name;form\nApple;10-K\n"),
        ("l5.csv", "320193,2020\n"),
        ("l5.csv", "gvkey\n001690\n"),
        ("l5.tsv", "# mine\n\nCompany\n320193\n37996\n"),
        ("l5.txt", "AAPL, MSFT\n"),
    ],
)
def test_a_head_without_a_column_that_is_read_is_refused(tmp_path: Path, name: str, text: str) -> None:
    faults = faults_in(tmp_path, name, text)
    assert faults.startswith(f"{tmp_path / name}: no column of its head is accession, cik or ticker.")


def test_plain_lines_in_a_file_that_is_called_a_table_are_plain(tmp_path: Path) -> None:
    assert names_in(tmp_path, "list.csv", "AAPL\nbrk-b\n320193\n") == [AAPL, BRK, APPLE]
    assert names_in(tmp_path, "list.csv", f"{A},2020\n{B},2021\n") == [FILING_A, FILING_B]
    assert names_in(tmp_path, "list.csv", "320193\n37996\n") == [APPLE, FORD]
    assert names_in(tmp_path, "list.csv", "AAPL\n") == [AAPL]


def test_a_quote_that_is_left_open_hides_no_rows(tmp_path: Path) -> None:
    text = 'company,cik\n"Apple,320193\nFord,37996\n'
    assert "cannot be read as CSV (unexpected end of data)" in faults_in(tmp_path, "list.csv", text)


def test_a_column_that_stands_twice_is_refused(tmp_path: Path) -> None:
    assert "column CIK stands twice in its head" in faults_in(tmp_path, "list.csv", "CIK,name,cik\n320193,x,37996\n")
    assert names_in(tmp_path, "list.csv", "cik,name,name\n320193,x,y\n") == [APPLE]


def test_a_column_of_years_is_told_once_where_it_could_have_been_meant_to_choose(tmp_path: Path) -> None:
    told: list[str] = []
    path = tmp_path / "list.csv"
    for text in ("cik,fyear\n320193,2020\n37996,2021\n", f"accession,year\n{A},2020\n", "cik,name\n320193,x\n"):
        path.write_text(text)
        read_names(path, note=told.append)
    assert told == [f"{path}: column fyear is not used; --years chooses years of filing for all companies."]


def test_a_file_that_is_not_there_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.txt", tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            read_names(path)


ROWS = st.lists(
    st.tuples(
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12),
        st.integers(1, 10**10 - 1).map(str),
        st.integers(0, 10**18 - 1).map(lambda n: f"{n:018d}"),
    ),
    min_size=1,
    max_size=6,
)


@given(rows=ROWS, mark=st.sampled_from([",", "\t", ";", "|"]), order=st.permutations(range(3)), dashes=st.booleans())
def test_what_a_csv_writer_writes_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, str, str]],
    mark: str,
    order: list[int],
    dashes: bool,
) -> None:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=mark)
    expected = []
    writer.writerow([("name", "cik", "accession")[place] for place in order])
    for company, cik, number in rows:
        accession = f"{number[:10]}-{number[10:12]}-{number[12:]}"
        # A row that begins with # is a comment.
        fields = ("n" + company, cik, accession if dashes else number)
        writer.writerow([fields[place] for place in order])
        expected.append(Named("accession", accession=accession, cik=cik))
    folder = tmp_path_factory.mktemp("list")
    assert names_in(folder, "list.csv", file.getvalue()) == expected
