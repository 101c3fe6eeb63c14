"""What counts as the whole of a file; on real filings where they are at hand, and cut at every kind of place."""

from __future__ import annotations

import gzip
import json
import random
import tracemalloc
import zlib
from pathlib import Path

import pytest
from servers.answers import page

from fingreat.edgar.remote.whole import Kind, fault, is_block, most_bytes, unpack

ACCESSION = "0000320193-24-000123"
HEADER = f"ACCESSION NUMBER:\t\t{ACCESSION}\nCONFORMED SUBMISSION TYPE:\t10-K\n"
BODY = "<DOCUMENT>\n<TYPE>10-K\n<TEXT>\nItem 7.\n</TEXT>\n</DOCUMENT>\n"
PLAIN = (
    f"<SEC-DOCUMENT>{ACCESSION}.txt : 20241101\n<SEC-HEADER>\n{HEADER}</SEC-HEADER>\n{BODY}</SEC-DOCUMENT>\n".encode()
)
EARLY = PLAIN.replace(b"SEC-DOCUMENT", b"IMS-DOCUMENT").replace(b"SEC-HEADER", b"IMS-HEADER")
PEM = (
    b"-----BEGIN PRIVACY-ENHANCED MESSAGE-----\nProc-Type: 2001,MIC-CLEAR\n\n"
    + PLAIN
    + b"-----END PRIVACY-ENHANCED MESSAGE-----\n"
)
HTML = b"<html><head><title>10-K</title></head><body><p>Item 7.</p></body></html>\n"
RATE_PAGE = page("threshold.html", 403).body
TOOL_PAGE = page("undeclared.html", 403).body
DENIED = page("denied.xml", 403).body


@pytest.mark.parametrize(
    "data", [PLAIN, EARLY, PEM, PLAIN.replace(b"\n", b"\r\n"), PLAIN + b"\n\n\x00\x00", b"\n" + PEM]
)
def test_a_whole_submission_has_no_fault(data: bytes) -> None:
    assert fault("submission", data, "text/plain", ACCESSION) is None
    assert fault("submission", data, "text/plain; charset=utf-8", ACCESSION) is None
    assert fault("submission", data) is None


@pytest.mark.parametrize("data", [PLAIN, EARLY, PEM])
def test_a_submission_cut_anywhere_has_a_fault(data: bytes) -> None:
    whole = len(data.rstrip())
    assert all(fault("submission", data[:size], "text/plain", ACCESSION) for size in range(whole))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b" \n\x00", "is empty"),
        (HTML, "does not begin as"),
        (PLAIN[1:], "does not begin as"),
        (PLAIN.replace(b"</SEC-DOCUMENT>", b""), "does not end with </SEC-DOCUMENT>"),
        (PEM.replace(b"-----END", b""), "does not end with -----END PRIVACY-ENHANCED MESSAGE-----"),
        (PLAIN.replace(b"24-000123\nCONF", b"24-000124\nCONF"), "is the submission 0000320193-24-000124, not"),
        (PLAIN.replace(b"ACCESSION NUMBER:", b"NUMBER:"), "of no stated number"),
        (RATE_PAGE, "refuses the request"),
        (TOOL_PAGE, "refuses the request"),
    ],
)
def test_what_is_no_whole_submission_is_told(data: bytes, words: str) -> None:
    assert words in (fault("submission", data, "text/plain", ACCESSION) or "")


def test_a_submission_that_speaks_of_a_refusal_is_no_refusal() -> None:
    data = PLAIN.replace(b"Item 7.", b"Your Request Originates from an Undeclared Automated Tool")
    assert fault("submission", data, "text/plain", ACCESSION) is None
    assert not is_block(200, data)


def test_real_filings_are_whole_and_their_halves_are_not(shared: Path) -> None:
    draw = random.Random(20261010)
    seen = {"submission": 0, "document": 0}
    passed = cuts = 0
    for path in sorted((shared / "filings" / "dev").glob("*.gz")):
        data = gzip.decompress(path.read_bytes())
        kind: Kind = "submission" if data.startswith((b"<SEC-", b"<IMS-", b"-----BEGIN")) else "document"
        assert fault(kind, data) is None, path.name
        seen[kind] += 1
        if kind == "document" and b"</" not in data[-2000:]:
            continue
        for _ in range(20):
            found = fault(kind, data[: draw.randrange(len(data) * 99 // 100)])
            assert found or kind == "document", path.name
            cuts += 1
            passed += found is None
    assert seen["submission"] >= 15
    assert seen["document"] >= 40
    # HTML that is cut right behind a closing tag cannot be told from whole HTML: a few hits in a hundred.
    assert passed < cuts * 0.03


@pytest.mark.parametrize(
    "data",
    [
        HTML,
        HTML.upper(),
        b"<!DOCTYPE html>\n" + HTML,
        b"<?xml version='1.0'?>\n<!--made by a tool-->\n" + HTML + b"<!-- end -->\n",
        b"<XBRL>\n" + HTML + b"</XBRL>\n",
        b"<p>Exhibit 13</p><div>text</div>",
        b"ANNUAL REPORT\n\nManagement's discussion\n",
        b"<DOCUMENT>\n<TYPE>EX-13\n<TEXT>\nAnnual report\n</TEXT>\n</DOCUMENT>\n",
        b"<PAGE>\n<TABLE>\n<S> <C>\nNet sales 1\n</TABLE>\n",
    ],
)
def test_a_whole_document_has_no_fault(data: bytes) -> None:
    assert fault("document", data, "text/html") is None


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (HTML[:50], "closing tag"),
        (b"<p>Exhibit 13</p><div>te", "closing tag"),
        (HTML.strip() + b"<!-- an open comment ", "closing tag"),
        (b"<DOCUMENT>\n<TYPE>EX-13\n<TEXT>\nAnnual rep", "</DOCUMENT>"),
        (b"%PDF-1.4 ...", "a PDF"),
        (b"PK\x03\x04....", "a ZIP archive"),
        (b'{"a": 1}', "JSON"),
        (b"<html><head><title>404 Not Found</title></head><body></body></html>", "404 Not Found"),
        (DENIED, "AccessDenied"),
        (RATE_PAGE, "refuses the request"),
        (b"", "is empty"),
    ],
)
def test_what_is_no_whole_document_is_told(data: bytes, words: str) -> None:
    assert words in (fault("document", data, "text/html") or "")


def test_json_is_whole_where_it_parses() -> None:
    data = json.dumps({"filings": {"recent": {"form": ["10-K"]}}}).encode()
    assert fault("json", data, "application/json") is None
    assert all(fault("json", data[:size], "application/json") for size in range(len(data)))
    assert "no whole JSON" in (fault("json", data + b"]", "application/json") or "")
    assert "no whole JSON" in (fault("json", b"\xff\xfe\x00", "application/json") or "")
    assert "no whole JSON" in (fault("json", b"[" * 200_000, "application/json") or "")


def test_a_packed_index_is_whole_where_its_checksum_is_right() -> None:
    packed = gzip.compress(b"CIK|Company Name\n" * 1000, mtime=0)
    assert fault("gzip", packed, "application/x-gzip") is None
    assert fault("gzip", packed + packed, "application/x-gzip") is None
    assert all(fault("gzip", packed[:size], "application/x-gzip") for size in range(len(packed)))
    flipped = bytearray(packed)
    flipped[-5] ^= 1
    assert "damaged" in (fault("gzip", bytes(flipped), "application/x-gzip") or "")
    assert "not packed" in (fault("gzip", b"CIK|Company Name\n", "application/x-gzip") or "")


@pytest.mark.parametrize(
    ("kind", "data", "content_type"),
    [
        ("submission", PLAIN, "text/html"),
        ("submission", PLAIN, "application/json"),
        ("document", HTML, "application/pdf"),
        ("document", HTML, "image/png"),
        ("json", b"{}", "text/html; charset=utf-8"),
        ("gzip", gzip.compress(b"x", mtime=0), "TEXT/HTML"),
    ],
)
def test_the_right_bytes_under_another_type_are_not_taken(kind: Kind, data: bytes, content_type: str) -> None:
    assert fault(kind, data) is None
    assert "is of type" in (fault(kind, data, content_type) or "")


def test_blocks_are_told_from_refusals_of_one_file() -> None:
    assert is_block(429, b"")
    assert is_block(403, RATE_PAGE)
    assert is_block(403, TOOL_PAGE)
    assert is_block(200, RATE_PAGE)
    assert is_block(503, RATE_PAGE)
    assert not is_block(403, DENIED)
    assert not is_block(403, b"<html><title>403 Forbidden</title></html>")
    assert not is_block(404, b"")
    assert not is_block(503, b"<html><h1>Service Unavailable</h1></html>")
    assert not is_block(200, b"<p>We exceeded a Request Rate Threshold Exceeded by nobody.</p>")
    assert not is_block(200, RATE_PAGE + b"x" * 100_000)


def test_encodings_are_undone_to_their_end() -> None:
    text = PLAIN * 50
    packed = gzip.compress(text, mtime=0)
    assert unpack(text, "", 1 << 20) == unpack(text, "identity", 1 << 20) == text
    assert (
        unpack(packed, "gzip", 1 << 20)
        == unpack(packed, " GZIP ", 1 << 20)
        == unpack(packed + packed, "x-gzip", 1 << 20)[: len(text)]
        == text
    )
    assert unpack(zlib.compress(text), "deflate", 1 << 20) == text
    for size in range(1, len(packed)):
        with pytest.raises(ValueError, match=r"cut|damaged"):
            unpack(packed[:size], "gzip", 1 << 20)
    with pytest.raises(ValueError, match="not asked for"):
        unpack(text, "br", 1 << 20)


def test_what_unpacks_to_more_than_any_filing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingreat.edgar.remote.whole.LARGEST", 1 << 20)
    bomb = gzip.compress(bytes((1 << 20) + 1))
    assert len(bomb) < 2000
    assert len(unpack(gzip.compress(bytes(1 << 20)), "gzip", 1 << 20)) == 1 << 20
    with pytest.raises(ValueError, match="larger than 1 MiB, more than any filing"):
        unpack(bomb, "gzip", 1 << 20)
    with pytest.raises(ValueError, match="larger than 1 MiB"):
        unpack(gzip.compress(bytes(1 << 19)) * 3, "gzip", 1 << 20)
    assert "more than 1 GiB" in (fault("gzip", bomb) or "")


def test_a_bomb_takes_no_more_memory_than_the_answer_may_have() -> None:
    bomb = gzip.compress(bytes(80 << 20))
    tracemalloc.start()
    with pytest.raises(ValueError, match="larger than 8 MiB, more than any such page"):
        unpack(bomb, "gzip", 8 << 20)
    _, refused = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    whole = unpack(bomb, "gzip", 80 << 20)
    _, taken = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(whole) == 80 << 20
    # What grows is extended in place, an eighth more than is in it.
    assert refused < 16 << 20
    assert taken < 110 << 20


def test_lists_of_a_company_are_bounded_more_tightly_than_filings() -> None:
    assert most_bytes("json") == 64 << 20
    assert most_bytes("submission") == most_bytes("gzip") == 1 << 30


def test_a_plain_text_document_with_tables_is_no_cut_page() -> None:
    data = b"ANNUAL REPORT\n\n<TABLE>\n<S>  <C>\nSales  84\n</TABLE>\n\nEnd of the report.\n"
    assert fault("document", data) is None
    assert fault("document", b"<html><body><p>ANNUAL REPORT") is not None
