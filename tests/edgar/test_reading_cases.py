"""The worked cases: reading rules with their expected output."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from fingreat.edgar import read_section, read_submission
from fingreat.edgar.markdown import render
from fingreat.edgar.section import read_blocks
from fingreat.schema.records import SectionStatus


@pytest.fixture(scope="module")
def cases(shared: Path) -> Path:
    return shared / "cases"


def test_a_pointer_is_followed_into_the_exhibit(cases: Path) -> None:
    section = read_section(cases / "item7-by-reference" / "input.txt")
    assert section.status is SectionStatus.FOUND
    assert section.source_document == "EX-13"
    assert section.pointer is not None
    assert "filed as Exhibit 13" in " ".join(section.pointer.split())
    for word in ("INSIDE-KESTREL", "INSIDE-LINNET", "INSIDE-MARTEN"):
        assert word in section.text
    for word in ("OUTSIDE-NUTHATCH", "incorporated herein by reference", "M1TE&"):
        assert word not in section.text


def test_a_pointer_without_its_exhibit_is_by_reference(cases: Path) -> None:
    data = (cases / "item7-by-reference" / "input.txt").read_bytes()
    alone = data[: data.index(b"<DOCUMENT>\n<TYPE>EX-13")] + b"</SEC-DOCUMENT>\n"
    section = read_section(alone, name="alone.txt")
    assert section.status is SectionStatus.BY_REFERENCE
    assert section.source_document == "10-K"
    assert any("not in this file" in warning for warning in section.warnings)


def test_an_item_that_says_see_item_7_is_a_pointer(cases: Path) -> None:
    section = read_section(cases / "item7-by-reference" / "input.txt", "7A")
    assert section.status is SectionStatus.BY_REFERENCE
    assert section.pointer == "See Item 7."


def test_parts_of_the_container_are_told_apart(cases: Path) -> None:
    submission = read_submission((cases / "item7-by-reference" / "input.txt").read_bytes(), "input.txt")
    assert [document.type for document in submission.documents] == ["10-K", "EX-13", "GRAPHIC"]
    assert submission.documents[1].filename == "holloway13.txt"
    assert submission.documents[2].text == ""
    assert submission.header["PUBLIC DOCUMENT COUNT"] == "3"
    assert submission.warnings == ()


def test_a_missing_end_mark_is_reported_as_truncated(cases: Path) -> None:
    data = (cases / "item7-by-reference" / "input.txt").read_bytes()
    cut = data[: data.rindex(b"</DOCUMENT>")]
    assert any("truncated" in warning for warning in read_submission(cut, "x").warnings)
    assert any("truncated" in warning for warning in read_section(cut, name="x").warnings)


@pytest.mark.parametrize(("count", "warned"), [(b"4", False), (b"2", False), (b"5", True), (b"9", True)])
def test_a_document_count_off_by_more_than_one_is_reported(cases: Path, count: bytes, warned: bool) -> None:
    data = (cases / "item7-by-reference" / "input.txt").read_bytes()
    data = re.sub(rb"(PUBLIC DOCUMENT COUNT:\s+)3", rb"\g<1>" + count, data)
    assert any("counts" in warning for warning in read_submission(data, "x").warnings) is warned


def test_tagged_facts_neither_add_nor_lose_a_blank(cases: Path) -> None:
    section = read_section(cases / "inline-xbrl-text" / "input.html")
    paragraphs = section.text.split("\n\n")
    assert paragraphs == [
        "## Item 7. Management’s Discussion and Analysis of Financial Condition and Results of Operations",
        "Purchase obligations were $95.2 billion, of which substantially all will be paid within one year. TAIL-ONE.",
        "Our stores number 1,500 and sell to the Lake trade; our two reportable segments did not change. TAIL-TWO.",
        "Revenue is recognised when control passes, which is on delivery. TAIL-THREE.",
        "Headcount was 12 lower. TAIL-FOUR.",
    ]
    assert section.next_heading == "Item 8. Financial Statements and Supplementary Data"


def test_a_filing_table_becomes_a_markdown_table(cases: Path) -> None:
    data = (cases / "money-table-colspan" / "input.html").read_bytes()
    blocks, _ = read_blocks(read_submission(data, "input.html").documents[0])
    expected = (cases / "money-table-colspan" / "expected.md").read_text(encoding="utf-8")
    tables = re.search(r"```markdown\n(.*?)```", expected, re.DOTALL)
    assert tables is not None
    text = render(blocks, None, 0)
    # Widths are free: compare cells, not blanks.
    squeezed = re.sub(r"\|[ ]+", "| ", text)
    for line in tables[1].split("\n"):
        assert re.sub(r"\|[ ]+", "| ", line) in squeezed
    assert text.endswith(
        "A table with a broken span still has one line of text.\n\n- We opened one plant; and\n- we closed two."
    )
    assert "(1) Net of returns. A pipe | in prose and 3 * 4 stay as they are." in text


def test_no_number_of_a_table_is_lost(cases: Path) -> None:
    data = (cases / "money-table-colspan" / "input.html").read_bytes()
    blocks, _ = read_blocks(read_submission(data, "input.html").documents[0])
    text = render(blocks, None, 0)
    source = re.sub(r"<[^>]*>", "", data.decode().replace("18<span>8</span>.2", "188.2").replace("<", " <"))
    numbers = re.compile(r"\d[\d,.]*\d|\d")
    expected = sorted(numbers.findall(re.sub(r"&#\d+;", " ", source)))
    # The head over two years stands in both columns: "June 30," once more than in the source.
    assert sorted(numbers.findall(text)) == sorted([*expected, "30"])


def test_fixed_width_pages_read_as_one_text(cases: Path) -> None:
    section = read_section(cases / "ascii-1990s-pages" / "input.txt")
    text = section.text
    for word in ("INSIDE-PLOVER", "INSIDE-QUAIL", "INSIDE-REDPOLL", "INSIDE-SISKIN"):
        assert word in text
    for word in ("OUTSIDE-OTTER", "OUTSIDE-TEAL", "CONTINUED", "OSTLER PUMP CORP", "<S>", "<C>", "<PAGE>", "----"):
        assert word not in text
    assert "Selling expense as a share of net sales was 21.4%, against 22.0% a year earlier." in text
    assert "two ship-yards closed" in text
    assert "Gross margin was < 30% in the first quarter only." in text


def test_a_fixed_width_table_can_be_read_cell_by_cell(cases: Path) -> None:
    section = read_section(cases / "ascii-1990s-pages" / "input.txt")
    fence = re.search(r"```\n(.*?)\n```", section.text, re.DOTALL)
    assert fence is not None
    expected = (cases / "ascii-1990s-pages" / "expected.md").read_text(encoding="utf-8")
    block = re.search(r"```csv\n(.*?)```", expected, re.DOTALL)
    assert block is not None
    rows = list(csv.reader(io.StringIO(block[1])))[1:]
    read = [re.split(r"\s{2,}", line.strip()) for line in fence[1].split("\n")]
    assert [row for row in read if len(row) == 4] == rows
    assert "[F1]  Sold in June 1996." in fence[1]


def test_a_broken_word_is_joined_where_the_filing_writes_it_whole(cases: Path) -> None:
    text = (cases / "ascii-1990s-pages" / "input.txt").read_text(encoding="utf-8")
    whole = text.replace("OUTSIDE-TEAL.", "OUTSIDE-TEAL. Shipyards.")
    assert "two shipyards closed" in read_section(whole.encode(), name="x.txt").text
