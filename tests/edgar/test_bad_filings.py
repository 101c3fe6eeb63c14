"""Input that is no filing, or a damaged one: always a status or one clear error, and in time."""

from __future__ import annotations

import gzip
import os
import time
from pathlib import Path

import pytest

from fingreat.edgar import read_bytes, read_section, read_submission
from fingreat.errors import InputError
from fingreat.schema.records import SectionStatus

HEAD = (
    b"<html><body><p><b>Item 1. Business</b></p><p>" + b"We make pumps. " * 60 + b"</p>"
    b"<p><b>Item 7. Management's Discussion and Analysis</b></p><p>" + b"Sales rose by 3%. " * 60 + b"</p>"
)
TAIL = b"<p><b>Item 8. Financial Statements</b></p><p>" + b"Balance. " * 60 + b"</p></body></html>"
SECONDS = 20.0


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "empty"),
        (b" \n\n ", "empty"),
        (b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj", "PDF"),
        (b"PK\x03\x04" + b"\x00" * 100, "ZIP"),
        (b"\x00\x01\x02\x03\x04\x05" * 500, "binary"),
        (
            b"<html><head><title>SEC.gov | Request Rate Threshold Exceeded</title></head>"
            b"<body><h1>Your Request Originates from an Undeclared Automated Tool</h1></body></html>",
            "refused",
        ),
        (b"<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY>No permission</BODY></HTML>", "refused"),
        (b"<html><body></body></html>", "no text"),
    ],
)
def test_bytes_that_are_no_filing_are_unreadable(data: bytes, word: str) -> None:
    section = read_section(data, name="filing.htm")
    assert section.status is SectionStatus.UNREADABLE
    assert section.text == ""
    assert any(word in warning for warning in section.warnings)


def test_a_filing_without_the_item_is_absent() -> None:
    data = HEAD.replace(b"Item 7. Management's Discussion and Analysis", b"Item 2. Properties") + TAIL
    section = read_section(data, name="x.htm")
    assert section.status is SectionStatus.ABSENT
    assert any("Item 7" in warning for warning in section.warnings)


def test_a_missing_path_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_section(tmp_path / "none.htm")
    assert "no such file" in caught.value.message
    assert caught.value.where == str(tmp_path / "none.htm")
    with pytest.raises(InputError):
        read_bytes(tmp_path)
    (tmp_path / "empty.htm").write_bytes(b"")
    with pytest.raises(InputError, match="empty"):
        read_bytes(tmp_path / "empty.htm")


def test_a_pipe_or_a_device_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path(os.devnull)):
        with pytest.raises(InputError, match="pipe or a device") as caught:
            read_bytes(path)
        assert caught.value.where == str(path)


def test_gzip_is_told_by_its_bytes_and_damage_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "filing.htm"
    path.write_bytes(gzip.compress(HEAD + TAIL))
    assert read_bytes(path) == HEAD + TAIL
    path.write_bytes(gzip.compress(HEAD + TAIL)[:-20])
    with pytest.raises(InputError, match="gzip"):
        read_bytes(path)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        (b"<div>", b"</div>"),
        (b"<b>", b"</b>"),
        (b"<font>", b""),
        (b"<table><tr><td>", b"</td></tr></table>"),
        (b"<ul><li>", b"</li></ul>"),
        (b"<span style='font-weight:bold'>w ", b"</span>"),
    ],
)
def test_five_thousand_levels_of_nesting_are_read(opening: bytes, closing: bytes) -> None:
    data = HEAD + opening * 5000 + b"deepest words" + closing * 5000 + TAIL
    start = time.process_time()
    section = read_section(data, name="x.htm")
    assert time.process_time() - start < SECONDS
    assert section.status is SectionStatus.FOUND
    assert "deepest words" in section.text
    assert "Balance." not in section.text


@pytest.mark.parametrize("unit", ["paragraphs", "tables", "lines", "fixed-width"])
def test_a_file_of_30_mb_is_read_in_time(unit: str) -> None:
    row = b"<tr><td>Net sales</td><td>$</td><td>41,207</td><td></td><td>$</td><td>38,915</td></tr>"
    words = b"Some words about sales and costs of pumps in the year. "
    middle = {
        "paragraphs": b"<p style='font-size:10pt'>" + words * 3 + b"</p>",
        "tables": b"<p>" + words * 16 + b"</p><table>" + row * 10 + b"</table>",
        "lines": words + b"<br>",
        "fixed-width": b"",
    }[unit]
    if unit == "fixed-width":
        prose = (words + b"\n") * 5 + b"\n"
        data = (
            b"Item 1. Business\n\nPumps.\n\nItem 7. Management's Discussion and Analysis\n\n"
            + prose * (30_000_000 // len(prose))
            + b"Item 8. Financial Statements\n\nBalance.\n"
        )
    else:
        data = HEAD + middle * (30_000_000 // len(middle)) + TAIL
    start = time.process_time()
    section = read_section(data, name="x")
    assert time.process_time() - start < SECONDS
    assert section.status is SectionStatus.FOUND
    assert "Balance." not in section.text


@pytest.mark.parametrize(
    ("raw", "shown", "warned"),
    [
        ("Management’s café".encode(), "Management’s café", False),
        ("Management’s café".encode("cp1252"), "Management’s café", True),
        (b"<meta charset=windows-1252>" + "café".encode("cp1252"), "café", False),
        (b"undefined in both: \x81", "\ufffd", True),
        (b"\xef\xbb\xbf" + "café".encode(), "café", False),
        ("café".encode("utf-16"), "café", False),
        ("“a” “b” “c” “d” “e” ".encode() + b"\xff end", "“e” ÿ end", True),
    ],
)
def test_encodings_are_told_and_doubts_reported(raw: bytes, shown: str, warned: bool) -> None:
    submission = read_submission(raw, "x.txt")
    assert shown in submission.documents[0].text
    assert bool(submission.warnings) is warned


def test_control_characters_by_reference_do_no_harm() -> None:
    odd = b"<p>One<br>&#1;two&#xFFFE;<sup>1</sup><i style='display:none'>x</i>&#2;</p><table><td>&#3;</td>&#4;</table>"
    section = read_section(HEAD + odd + TAIL, name="x.htm")
    assert section.status is SectionStatus.FOUND
    assert "One" in section.text


def test_a_pem_wrapped_submission_is_read() -> None:
    data = (
        b"-----BEGIN PRIVACY-ENHANCED MESSAGE-----\nProc-Type: 2001,MIC-CLEAR\nOriginator-Name: a@b\n\n"
        b"<IMS-DOCUMENT>0000000001-94-000005.txt : 19940322\n<IMS-HEADER>x\n"
        b"ACCESSION NUMBER:\t\t0000000001-94-000005\nCONFORMED SUBMISSION TYPE:\t10-K\nPUBLIC DOCUMENT COUNT:\t1\n"
        b"</IMS-HEADER>\n<DOCUMENT>\n<TYPE>10-K\n<SEQUENCE>1\n<TEXT>\nITEM 7.  MANAGEMENT'S DISCUSSION\n\nSales rose.\n"
        b"</TEXT>\n</DOCUMENT>\n-----END PRIVACY-ENHANCED MESSAGE-----\n"
    )
    submission = read_submission(data, "x.txt")
    assert submission.header["ACCESSION NUMBER"] == "0000000001-94-000005"
    assert [document.type for document in submission.documents] == ["10-K"]
    section = read_section(data, name="x.txt")
    assert section.text == "## ITEM 7. MANAGEMENT'S DISCUSSION\n\nSales rose."
    assert section.filing_id == "0000000001-94-000005"


def test_a_submission_cut_inside_item_7_gives_what_there_is() -> None:
    data = (
        b"<SEC-DOCUMENT>x\n<SEC-HEADER>x\nACCESSION NUMBER:\t0000000001-04-000005\n</SEC-HEADER>\n"
        b"<DOCUMENT>\n<TYPE>10-K\n<TEXT>\nITEM 7.  MANAGEMENT'S DISCUSSION AND ANALYSIS\n\n"
        + b"Sales rose by a third.\n"
        * 40
    )
    section = read_section(data, name="x.txt")
    assert section.status is SectionStatus.FOUND
    assert "Sales rose" in section.text
    assert any("truncated" in warning for warning in section.warnings)


def test_a_span_that_is_no_number_counts_as_one() -> None:
    """`¹` is a digit to Unicode but no decimal number."""
    table = "<table><tr><td colspan='¹'>Sales</td><td>5</td></tr></table>"
    html = f"<html><body><p>Item 7. Management's Discussion and Analysis</p>{table}</body></html>"
    assert "Sales" in read_section(html.encode(), "7", name="x.htm").text
