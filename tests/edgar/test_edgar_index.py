"""EDGAR's indexes: every kind, header and row of the last thirty years, and files that only look like one."""

from __future__ import annotations

import csv
import gzip
import io
import re
import tracemalloc
from datetime import date
from pathlib import Path

import pytest

from fingreat.edgar.remote.families import FormChoice
from fingreat.edgar.remote.index import MOST_UNREADABLE, Index, IndexRow, read_index
from fingreat.errors import InputError

HEAD = b"""Description:           Master Index of EDGAR Dissemination Feed
Last Data Received:    March 31, 2003
Comments:              webmaster@sec.gov
Anonymous FTP:         ftp://ftp.sec.gov/edgar/
 
"""  # noqa: W293 - as EDGAR writes it
DASHES = b"-" * 100 + b"\n"
PIPES = b"CIK|Company Name|Form Type|Date Filed|Filename\n"
BY_FORM = b"%-12s%-62s%-12s%-12sFile Name\n" % (b"Form Type", b"Company Name", b"CIK", b"Date Filed")
BY_COMPANY = b"%-62s%-12s%-12s%-12sFile Name\n" % (b"Company Name", b"Form Type", b"CIK", b"Date Filed")
GOOD = b"7|ACME CORP|10-K|2003-03-31|edgar/data/7/0000000007-03-000001.txt\n"
ACME = IndexRow(
    "10-K", "7", "ACME CORP", date(2003, 3, 31), "0000000007-03-000001", "edgar/data/7/0000000007-03-000001.txt"
)


def master(*lines: bytes) -> bytes:
    """An index of which the first of the lines is line 8."""
    return HEAD + PIPES + DASHES + b"".join(lines)


@pytest.fixture
def case(shared: Path) -> Path:
    return shared / "cases" / "form-idx-overflow"


@pytest.fixture
def expected(case: Path) -> list[dict[str, str]]:
    block = re.search(r"```csv\n(.*?)```", (case / "expected.md").read_text(encoding="utf-8"), re.DOTALL)
    assert block
    rows = list(csv.DictReader(io.StringIO(block[1])))
    assert len(rows) == 11
    return rows


def as_expected(row: IndexRow) -> tuple[str, str, str, str]:
    return row.form, row.cik, row.filed.isoformat(), row.accession


@pytest.mark.parametrize("kind", ["form", "master"])
def test_the_quarterly_indexes_of_the_case_give_its_rows(case: Path, expected: list[dict[str, str]], kind: str) -> None:
    index = read_index((case / f"input.{kind}.idx").read_bytes())
    assert sorted(map(as_expected, index.rows)) == sorted(
        (row["form"], row["cik"], row["date"], row["accession"]) for row in expected
    )
    assert (index.unreadable, index.passed_over) == ([], 0)
    assert all(row.path == f"edgar/data/{row.cik}/{row.accession}.txt" for row in index.rows)


def test_form_and_master_of_the_case_agree_in_every_field(case: Path) -> None:
    form, by_cik = (read_index((case / f"input.{kind}.idx").read_bytes()).rows for kind in ("form", "master"))
    assert sorted(form) == sorted(by_cik)


@pytest.mark.parametrize("kind", ["form", "master"])
@pytest.mark.parametrize(("amendments", "count"), [(True, 9), (False, 7)])
def test_the_annual_reports_of_the_case_are_kept_and_the_others_counted(
    case: Path, expected: list[dict[str, str]], kind: str, amendments: bool, count: int
) -> None:
    index = read_index((case / f"input.{kind}.idx").read_bytes(), FormChoice(("10-K",), amendments).accepts)
    wanted = {r["accession"] for r in expected if r["annual"] == "1" and (amendments or r["amendment"] == "0")}
    assert {row.accession for row in index.rows} == wanted
    assert (len(index.rows), index.passed_over) == (count, 11 - count)


@pytest.mark.parametrize("kind", ["form", "master"])
def test_names_keep_their_own_characters(case: Path, kind: str) -> None:
    names = {row.cik: row.company for row in read_index((case / f"input.{kind}.idx").read_bytes()).rows}
    assert names["9900102"] == "HOLLOWAY  TIN WORKS CO /DE/"
    assert names["9900103"] == "SOCI\u00c9T\u00c9 QUILLFEATHER SA"
    assert names["9900104"] == "PEMBERTON AMALGAMATED INSURANCE AND SAVINGS, A LIMITED PARTNERSHIP"


def test_a_daily_index_gives_one_accession_under_two_filers(case: Path) -> None:
    rows = read_index((case / "input.daily.idx").read_bytes()).rows
    assert [as_expected(row) for row in rows] == [
        ("10-K", "9900104", "2003-03-31", "0009900104-03-000009"),
        ("10-K", "9900108", "2003-03-31", "0009900199-03-000007"),
        ("10-K", "9900105", "2003-03-31", "0009900199-03-000007"),
    ]
    assert len({row.accession for row in rows}) == 2


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(HEAD + PIPES + DASHES, id="quarterly"),
        pytest.param(
            HEAD + b"Cloud HTTP:            https://www.sec.gov/Archives/\n\n\n\n" + PIPES + DASHES, id="cloud"
        ),
        pytest.param(b"CIK|Company Name|Form Type|Date Filed|File Name\n" + DASHES, id="File Name, nothing above"),
        pytest.param(b"\xef\xbb\xbfCIK|Company|Form|Date|FILENAME\n" + DASHES, id="short names, BOM"),
        pytest.param(HEAD + PIPES, id="no dashes"),
        pytest.param(HEAD * 20 + PIPES + DASHES + b"\n \n", id="many lines"),
        pytest.param((HEAD + PIPES + DASHES).replace(b"\n", b"\r\n"), id="CR LF"),
    ],
)
def test_rows_begin_below_the_header_wherever_it_stands(head: bytes) -> None:
    assert read_index(head + GOOD) == Index([ACME], [], 0)
    assert read_index(head + GOOD.replace(b"\n", b"\r\n")).rows == [ACME]
    assert read_index(head + GOOD.rstrip()).rows == [ACME]


def test_a_daily_header_broken_in_two_is_read() -> None:
    # As in company.20221003.idx.
    head = b"%-62s%-12sCIK\n      Date Filed  File Name\n" % (b"Company Name", b"Form Type") + DASHES
    row = b"%-62s%-12s%-12s%-12s%-45s\n" % (b"1st stREIT Office Inc.", b"1-A POS", b"1700461", b"20221003", b"%s")
    index = read_index(HEAD + head + row % b"edgar/data/1700461/0001104659-22-105357.txt")
    assert [row[:4] for row in index.rows] == [("1-A POS", "1700461", "1st stREIT Office Inc.", date(2022, 10, 3))]
    assert index.unreadable == []


@pytest.mark.parametrize("form", ["4", "10-K", "NT 10-K", "SCHEDULE 13D", "SCHEDULE 13G/A"])
def test_columns_wider_than_the_header_says_are_read(form: str) -> None:
    # Since 2024 the form's column has 17 characters below a header for 12.
    line = (
        f"{form:17}{'Fund With  Two Blanks':62}{'888888':12}{'20260918':12}edgar/data/888888/0001104659-26-108754.txt\n"
    )
    (row,) = read_index(HEAD + BY_FORM + DASHES + line.encode()).rows
    assert row[:4] == (form, "888888", "Fund With  Two Blanks", date(2026, 9, 18))


def test_a_form_that_fills_its_column_is_parted_from_the_name_by_one_blank() -> None:
    line = f"{'NT 10-KSB/A':12}{'ACME CORP':62}{'7':12}{'2003-03-31':12}edgar/data/7/0000000007-03-000001.txt\n"
    assert read_index(HEAD + BY_FORM + DASHES + line.encode()).rows == [ACME._replace(form="NT 10-KSB/A")]


def test_a_name_that_fills_its_column_is_parted_from_the_form_by_one_blank() -> None:
    name = "A  B " + "C" * 56
    line = f"{name} {'NT 10-K':12}{'7':12}{'2003-03-31':12}edgar/data/7/0000000007-03-000001.txt\n"
    index = read_index(HEAD + BY_COMPANY + DASHES + line.encode())
    assert index.rows == [ACME._replace(form="NT 10-K", company=name)]


BAD_ROWS = {
    "no columns": (b"what is this\n", "columns"),
    "too few marks": (b"7|ACME CORP|10-K|2003-03-31\n", "columns"),
    "no form": (b"7|ACME CORP||2003-03-31|edgar/data/7/0000000007-03-000001.txt\n", "columns"),
    "a long form": (b"7|ACME CORP|" + b"X" * 21 + b"|2003-03-31|edgar/data/7/0000000007-03-000001.txt\n", "columns"),
    "no CIK": (b"|ACME CORP|10-K|2003-03-31|edgar/data/7/0000000007-03-000001.txt\n", "CIK"),
    "a CIK of zeros": (b"000|ACME CORP|10-K|2003-03-31|edgar/data/7/0000000007-03-000001.txt\n", "CIK"),
    "eleven digits": (b"12345678901|ACME CORP|10-K|2003-03-31|edgar/data/7/0000000007-03-000001.txt\n", "CIK"),
    "30 February": (b"7|ACME CORP|10-K|2003-02-30|edgar/data/7/0000000007-03-000001.txt\n", "no such date"),
    "no leap year": (b"7|ACME CORP|10-K|20030229|edgar/data/7/0000000007-03-000001.txt\n", "no such date"),
    "a week": (b"7|ACME CORP|10-K|2003-W05-1|edgar/data/7/0000000007-03-000001.txt\n", "date is neither"),
    "a date of another shape": (
        b"7|ACME CORP|10-K|3/31/2003|edgar/data/7/0000000007-03-000001.txt\n",
        "date is neither",
    ),
    "cut": (b"7|ACME CORP|10-K|2003-03-31|edgar/data/7/0000000007-03-0000", "path"),
}
BAD_PATHS = (
    b"",
    b"/edgar/data/7/0000000007-03-000001.txt",
    b"../edgar/data/7/0000000007-03-000001.txt",
    b"edgar/data/7/../8/0000000007-03-000001.txt",
    b"edgar/data/../../etc/passwd",
    b"edgar\\data\\7\\0000000007-03-000001.txt",
    b"edgar/data/7/%2e%2e/0000000007-03-000001.txt",
    b"edgar/data/7%2f0000000007-03-000001.txt",
    b"https://www.sec.gov/Archives/edgar/data/7/0000000007-03-000001.txt",
    b"//example.org/edgar/data/7/0000000007-03-000001.txt",
    b"edgar/data/7/0000000007-03-000001.txt?x=1",
    b"edgar/data/7/0000000007-03-000001.txt#x",
    b"edgar/data/7/0000000007-03-000001.txt\x00",
    b"edgar/data/7/0000000007-03-000001.htm",
    b"edgar/data/7/000000000703000001.txt",
    b"edgar/data/seven/0000000007-03-000001.txt",
    b"edgar/data/7/000000000703000002/0000000007-03-000001.txt",
    b"edgar/data/7/0000000007-03-000001.txt|edgar/data/7/x",
)


@pytest.mark.parametrize(
    ("line", "reason"),
    [*BAD_ROWS.values(), *((GOOD.rsplit(b"|", 1)[0] + b"|" + path + b"\n", "") for path in BAD_PATHS)],
    ids=[*BAD_ROWS, *map(repr, BAD_PATHS)],
)
def test_a_row_that_cannot_be_read_is_reported_with_its_line_and_the_others_load(line: bytes, reason: str) -> None:
    index = read_index(master(GOOD, GOOD, line))
    assert index.rows == [ACME, ACME]
    (bad,) = index.unreadable
    assert bad.line == 10
    assert reason in bad.reason


@pytest.mark.parametrize("kind", [BY_FORM, BY_COMPANY])
@pytest.mark.parametrize("path", [path for path in BAD_PATHS if b" " not in path and path])
def test_no_kind_of_index_gives_a_path_of_another_shape(kind: bytes, path: bytes) -> None:
    first, second = (b"10-K", b"ACME CORP") if kind == BY_FORM else (b"ACME CORP", b"10-K")
    row = b"%-*s%-*s7  2003-03-31  " % (kind.index(b"Form") or 12, first, 62, second)
    good = row + b"edgar/data/7/0000000007-03-000001.txt\n"
    index = read_index(HEAD + kind + DASHES + good + row + path + b"\n")
    assert [len(index.rows), [bad.line for bad in index.unreadable]] == [1, [9]]


def test_the_folder_without_dashes_is_accepted() -> None:
    path = "edgar/data/7/000000000703000001/0000000007-03-000001.txt"
    (row,) = read_index(master(b"0000000007|ACME CORP|10-K|20030331|" + path.encode())).rows
    assert row == ACME._replace(path=path)


def test_what_an_unreadable_row_says_cannot_steer_a_terminal() -> None:
    (bad,) = read_index(master(GOOD, b"\x1b[2J\x07|x\x9b31m" + b"y" * 3000 + b"\n")).unreadable
    assert bad.text.isprintable()
    assert len(bad.text) <= 160


def test_a_line_longer_than_any_row_is_one_unreadable_row() -> None:
    index = read_index(master(GOOD, b"x" * 100_000 + b"\n", GOOD, b"nothing\n"))
    assert index.rows == [ACME, ACME]
    assert [bad.line for bad in index.unreadable] == [9, 11]


def test_rows_in_utf8_and_in_latin1_may_stand_in_one_file() -> None:
    rows = [GOOD.replace(b"ACME CORP", "SOCIÉTÉ".encode(code)) for code in ("utf-8", "latin-1")]
    assert [row.company for row in read_index(master(*rows)).rows] == ["SOCIÉTÉ", "SOCIÉTÉ"]


def test_a_name_that_is_no_utf8_is_latin1_in_all_its_bytes() -> None:
    # Windows-1252 would make U+2019 of it.
    assert read_index(master(GOOD.replace(b"ACME", b"O\x92NEIL"))).rows[0].company == "O\u0092NEIL CORP"


def test_a_row_whose_gaps_were_closed_is_reported_not_taken_for_a_long_form() -> None:
    good = f"{'10-K':12}{'ACME CORP':62}{'7':12}{'2003-03-31':12}edgar/data/7/0000000007-03-000001.txt\n"
    closed = " ".join(good.split()) + "\n"
    index = read_index(HEAD + BY_FORM + DASHES + (good + closed).encode())
    assert (index.rows, index.passed_over) == ([ACME], 0)
    assert [(bad.line, bad.reason) for bad in index.unreadable] == [(9, "its columns cannot be told apart")]


def test_a_name_may_hold_the_mark_between_columns() -> None:
    assert read_index(master(GOOD.replace(b"ACME", b"A|C | M"))).rows[0].company == "A|C | M CORP"


def test_rows_without_a_name_are_read() -> None:
    nameless = [ACME._replace(company="")]
    tail = b"%-12s%-12sedgar/data/7/0000000007-03-000001.txt\n" % (b"7", b"2003-03-31")
    assert read_index(master(GOOD.replace(b"ACME CORP", b""))).rows == nameless
    assert read_index(HEAD + BY_FORM + DASHES + b"%-74s" % b"10-K" + tail).rows == nameless
    assert read_index(HEAD + BY_COMPANY + DASHES + b" " * 62 + b"%-12s" % b"10-K" + tail).rows == nameless


def test_a_day_without_filings_gives_no_rows() -> None:
    assert read_index(HEAD + BY_FORM + DASHES) == Index([], [], 0)
    assert read_index(gzip.compress(master())) == Index([], [], 0)


def test_each_form_is_asked_for_once() -> None:
    asked: list[str] = []

    def wanted(form: str) -> bool:
        asked.append(form)
        return form == "10-Q"

    index = read_index(master(GOOD, GOOD, GOOD.replace(b"10-K", b"10-Q"), GOOD), wanted)
    assert (asked, len(index.rows), index.passed_over) == (["10-K", "10-Q"], 1, 3)


def test_bytes_and_streams_plain_or_gzipped_give_the_same(tmp_path: Path) -> None:
    data = master(GOOD, b"broken\n", GOOD.replace(b"10-K", b"8-K"))
    found = read_index(data)
    assert [len(found.rows), len(found.unreadable)] == [2, 1]
    (tmp_path / "no-suffix").write_bytes(gzip.compress(data))
    with (tmp_path / "no-suffix").open("rb") as stream:
        assert read_index(stream) == found
        assert not stream.closed
    assert read_index(gzip.compress(data)) == read_index(io.BytesIO(data)) == found
    # Two members, as some servers send them.
    assert read_index(gzip.compress(data[:300]) + gzip.compress(data[300:])) == found


NO_INDEXES = {
    "a block page": (
        b"<!DOCTYPE html>\n<html><head><title>SEC.gov | Request Rate Threshold Exceeded",
        "<!DOCTYPE html>",
    ),
    "a filing": (b"<SEC-DOCUMENT>0000000007-03-000001.txt : 20030331\n<SEC-HEADER>", "<SEC-DOCUMENT>"),
    "JSON": (b'{"directory": {"item": []}}', "directory"),
    "nothing": (b"", "empty"),
    "blanks": (b"\n \n\n", "empty"),
    "dashes and rows without a header": (DASHES + GOOD, "names its columns"),
    "one long line": (b"x" * 1_000_000, "xxx"),
    "very many lines before the header": (b"-\n" * 2000 + PIPES + GOOD, "names its columns"),
    "the head alone": (HEAD, "Description"),
    "other columns": (b"CIK|Name|Fax\n" + DASHES + GOOD, "CIK|Name|Fax"),
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(("data", "says"), NO_INDEXES.values(), ids=NO_INDEXES)
def test_a_file_that_is_no_index_is_refused_and_says_so(data: bytes, says: str, packed: bool) -> None:
    with pytest.raises(InputError, match=re.escape(says)) as failure:
        read_index(gzip.compress(data) if packed else data, name="2003/QTR1/master.gz")
    assert "This is no index of EDGAR." in failure.value.message
    assert failure.value.where == "2003/QTR1/master.gz"
    assert failure.value.hint


def test_cut_or_damaged_gzip_is_refused_at_every_length() -> None:
    packed = gzip.compress(master(*[GOOD] * 50))
    for length in range(2, len(packed)):
        with pytest.raises(InputError, match=r"gzip data is cut or damaged"):
            read_index(packed[:length])
    with pytest.raises(InputError, match=r"gzip data is cut or damaged"):
        read_index(packed[:-6] + b"\x00\x00" + packed[-4:])
    with pytest.raises(InputError, match=r"gzip data is cut or damaged"):
        read_index(packed + b"<html>")
    # Behind the ten bytes of the header, one wrong byte anywhere is met by the decoder or by the checksum.
    for place in range(10, len(packed)):
        wrong = bytes([packed[place] ^ 0xFF])
        with pytest.raises(InputError, match=r"gzip data is cut or damaged|no index of EDGAR|rows can"):
            read_index(packed[:place] + wrong + packed[place + 1 :])


def test_an_index_of_which_no_row_can_be_read_is_refused() -> None:
    crawler = GOOD.replace(b"edgar/", b"https://www.sec.gov/Archives/edgar/")
    with pytest.raises(InputError, match=r"None of its rows can be read\. Line 8: its path is not"):
        read_index(master(crawler, crawler))


def test_unreadable_rows_cannot_fill_the_memory() -> None:
    few = read_index(master(GOOD, *[b"x\n"] * MOST_UNREADABLE))
    assert len(few.unreadable) == MOST_UNREADABLE
    with pytest.raises(InputError, match=r"More than 10,000 of its rows cannot be read\. Line 9"):
        read_index(master(GOOD, *[b"x\n"] * (MOST_UNREADABLE + 1)))


def test_memory_is_that_of_the_wanted_rows() -> None:
    packed = gzip.compress(master(*[GOOD.replace(b"10-K", b"8-K")] * 40_000, GOOD))
    tracemalloc.start()
    try:
        index = read_index(packed, FormChoice(("10-K",)).accepts)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(index.rows), index.passed_over) == (1, 40_000)
    # The index is 2.7 MB unpacked.
    assert peak < 500_000
