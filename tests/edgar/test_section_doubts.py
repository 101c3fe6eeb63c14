"""What is no discussion must not pass for one, and what is doubtful must be said."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from fingreat.edgar import decode, read_section
from fingreat.errors import InputError
from fingreat.schema import Section, SectionStatus

PROSE = "<p>" + "We sold pumps and parts to the trade in the year. " * 20 + "</p>"
MDA = "Management's Discussion and Analysis of Financial Condition"
STATEMENTS = (
    "<p><b>CONSOLIDATED BALANCE SHEETS</b></p><table><tr><td>Cash</td><td>$</td><td>12</td></tr>"
    "<tr><td>Total assets</td><td></td><td>345</td></tr></table><p><b>CONSOLIDATED STATEMENTS OF CASH FLOWS</b></p>"
    "<table><tr><td>Net income</td><td>$</td><td>9</td></tr><tr><td>Net cash</td><td></td><td>7</td></tr></table>"
    f"<p><b>NOTES TO CONSOLIDATED FINANCIAL STATEMENTS</b></p>{PROSE * 8}"
)


def heading(text: str) -> str:
    return f"<p><b>{text}</b></p>"


def page(*parts: str) -> str:
    return "<html><body><p>FORM 10-K</p>" + "".join(parts)


def part(kind: str, html: str) -> str:
    return f"<DOCUMENT>\n<TYPE>{kind}\n<TEXT>\n{html}\n</TEXT>\n</DOCUMENT>\n"


def read(text: str, item: str = "7") -> Section:
    return read_section(text.encode(), item, name="filing.txt")


def said(section: Section) -> str:
    return " ".join(section.warnings)


def test_an_item_of_another_form_is_no_discussion() -> None:
    # Item 7 of Form 20-F is about major shareholders.
    body = page(heading("Item 6. Directors"), PROSE, heading("Item 7. Major Shareholders"), PROSE, heading("Item 8. X"))
    section = read(part("20-F", body))
    assert section.status is SectionStatus.ABSENT
    assert "Form 20-F" in said(section)


def test_a_title_that_the_item_does_not_have_is_said() -> None:
    body = page(heading("Item 6. Directors"), PROSE, heading("Item 7. Major Shareholders"), PROSE, heading("Item 8. X"))
    assert "title is none that Item 7 has" in said(read(body))


def test_a_number_that_is_not_the_titles_is_said() -> None:
    body = page(
        heading("Item 1. Business"),
        PROSE,
        heading(f"Item 6. {MDA}"),
        PROSE,
        heading("Item 7. Financial Statements"),
        PROSE,
    )
    section = read(body)
    assert section.heading == f"Item 6. {MDA}"
    assert section.next_heading == "Item 7. Financial Statements"
    assert "number is not that of Item 7" in said(section)


@pytest.mark.parametrize("between", [PROSE * 3, PROSE * 3 + heading("Item 8. Financial Statements") + PROSE])
def test_a_second_heading_of_the_item_is_said(between: str) -> None:
    body = page(
        heading("Item 1. Business"),
        PROSE,
        heading("Item 2. Properties"),
        PROSE,
        heading(f"Item 7. {MDA}"),
        between,
        heading(f"Item 7. {MDA}"),
        PROSE * 3,
        heading("Item 9A. Controls and Procedures"),
        PROSE,
    )
    assert "Another heading of Item 7" in said(read(body))


@pytest.mark.parametrize("next_item", ["Item 8. Other Matters of the Year", "Item 9. Changes in and Disagreements"])
def test_statements_inside_a_discussion_end_it(next_item: str) -> None:
    body = page(heading("Item 1. Business"), PROSE, heading(f"Item 7. {MDA}"), PROSE, STATEMENTS, heading(next_item))
    section = read(body + PROSE)
    assert section.next_heading == "CONSOLIDATED BALANCE SHEETS"
    assert "Total assets" not in section.text
    assert "the section ends at 'CONSOLIDATED BALANCE SHEETS'" in said(section)


@pytest.mark.parametrize(
    "nothing", ["Not applicable.", "None.", "[Reserved]", "Not required for smaller reporting companies."]
)
def test_an_item_that_says_nothing_is_not_replaced_by_a_letter(nothing: str) -> None:
    letter = heading("Management's Discussion of the Year") + PROSE * 5
    body = page(letter, heading("Item 1. Business"), PROSE, heading(f"Item 7. {MDA}"), f"<p>{nothing}</p>")
    section = read(body + heading("Item 8. Financial Statements") + PROSE)
    assert section.status is SectionStatus.FOUND
    assert section.text == f"## Item 7. {MDA}\n\n{nothing}"
    assert "very little text" in said(section)


def test_a_short_item_is_not_replaced_by_a_similar_title() -> None:
    body = page(
        heading("OTHER INFORMATION REGARDING US"),
        PROSE * 5,
        heading("Item 9A. Controls and Procedures"),
        PROSE,
        heading("Item 9B. Other Information"),
        "<p>None</p>",
        heading("Item 10. Directors"),
        PROSE,
    )
    assert read(body, "9B").text == "## Item 9B. Other Information\n\nNone"


def test_an_item_with_nothing_under_its_heading_is_absent() -> None:
    listed = "".join(heading(f"Item {n}") for n in (f"7. {MDA}", "7A. Quantitative and Qualitative", "8. Financial"))
    section = read(page(heading("Item 1. Business"), PROSE, listed, PROSE))
    assert section.status is SectionStatus.ABSENT
    assert section.text == ""
    assert "Nothing stands under the heading" in said(section)


POINTER = (
    "<p>The information under the caption “Financial Review” on pages 34 to 83 of our Annual Report to Shareholders"
    " is incorporated herein by reference.</p>"
)


def pointing(*others: str) -> str:
    main = page(heading("Item 1. Business"), PROSE, heading(f"Item 7. {MDA}"), POINTER)
    return part("10-K", main + heading("Item 8. Financial Statements") + PROSE) + "".join(others)


def test_a_press_release_is_not_the_annual_report() -> None:
    release = page(heading("Management's Discussion and Analysis"), PROSE * 5, heading("Signatures"))
    section = read(pointing(part("EX-99.1", release)))
    assert section.status is SectionStatus.BY_REFERENCE
    assert "Financial Review" in (section.pointer or "")


def test_an_exhibit_that_is_not_named_is_said_to_be_so() -> None:
    report = page(heading("Financial Review"), PROSE * 5, heading("Report of Independent Auditors"))
    section = read(pointing(part("EX-99.1", report)))
    assert section.status is SectionStatus.FOUND
    assert section.source_document == "EX-99.1"
    assert "does not name EX-99.1" in said(section)


def test_the_text_may_stand_in_another_document_of_the_forms_type() -> None:
    report = page(heading("Financial Review"), PROSE * 5, heading("Report of Independent Auditors"))
    section = read(pointing(part("10-K", report)))
    assert section.status is SectionStatus.FOUND
    assert section.heading == "Financial Review"
    assert section.pointer is not None


def test_two_submissions_in_one_file_are_said() -> None:
    one = "<SEC-DOCUMENT>a.txt\n" + pointing() + "</SEC-DOCUMENT>\n"
    assert "holds 2 submissions" in said(read(one + one))


def test_a_contract_is_not_the_report() -> None:
    contract = page(heading("Item 1. Parties"), PROSE, heading("Item 7. Notices"), PROSE, heading("Item 8. Law"), PROSE)
    report = page(heading("Item 1. Business"), PROSE, heading(f"Item 7. {MDA}"), PROSE, heading("Item 8. Statements"))
    assert read(part("EX-10.1", contract) + part("", report)).heading == f"Item 7. {MDA}"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'{"cik": 320193, "facts": {}}', "JSON"),
        (b"From: <saved>\r\nSubject: 10-K\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\nx", "MIME"),
        (b'<?xml version="1.0"?>\n<xbrli:xbrl xmlns:xbrli="http://www.xbrl.org/2003/instance"></xbrli:xbrl>', "XBRL"),
        (b"QUJD" * 19 + (b"\n" + b"QUJD" * 19) * 20, "base64"),
        (
            b"<!DOCTYPE html>\n<html><head><title>EDGAR Filing Documents for 0000320193-24-000123</title>",
            "EDGAR's list",
        ),
    ],
)
def test_what_is_no_filing_is_named(data: bytes, kind: str) -> None:
    section = read_section(data, name="x.htm")
    assert section.status is SectionStatus.UNREADABLE
    assert kind in said(section)


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_too_large_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    monkeypatch.setattr(decode, "LARGEST", 10_000)
    data = b"<p>" + b"x" * 20_000
    path = tmp_path / "large.htm"
    path.write_bytes(gzip.compress(data) if packed else data)
    with pytest.raises(InputError, match="larger than"):
        read_section(path)


def test_numbers_that_rise_are_text_where_no_page_lies_between() -> None:
    years = "".join(f"<p><b>{year}</b></p><p>We sold more pumps in that year.</p>" for year in (2021, 2022, 2023))
    notes = "".join(f"<p>{n}</p><p>Note of the table above, number {n}.</p>" for n in (1, 2, 3))
    body = page(heading("Item 1. Business"), PROSE, heading(f"Item 7. {MDA}"), PROSE, years, notes)
    lines = read(body + heading("Item 8. Financial Statements") + PROSE).text.split("\n\n")
    assert [line for line in lines if line.isdigit()] == ["2021", "2022", "2023", "1", "2", "3"]


def test_a_raised_mark_is_parted_from_the_figure_that_follows() -> None:
    body = page(
        heading("Item 1. Business"), PROSE, heading(f"Item 7. {MDA}"), "<p><sup>2</sup>45.6% of sales.</p>", PROSE
    )
    assert "2 45.6% of sales." in read(body + heading("Item 8. Financial Statements") + PROSE).text


def test_points_have_the_numbers_that_a_reader_sees() -> None:
    points = '<ol start="3"><li>one</li><li value="7">two</li><li>three</li></ol>'
    points += '<ol type="a"><li>four</li><li>five</li></ol>'
    body = page(heading("Item 1. Business"), PROSE, heading(f"Item 7. {MDA}"), points, PROSE)
    text = read(body + heading("Item 8. Financial Statements") + PROSE).text
    for line in ("3. one", "7. two", "8. three", "a. four", "b. five"):
        assert f"\n{line}\n" in text


def test_fixed_width_text_has_its_characters_and_not_their_names() -> None:
    text = "FORM 10-K\n\nITEM 7. " + MDA.upper() + "\n\nR&amp;D was &lt; 3% of sales.\n\n" + "We sold pumps.\n" * 60
    assert "R&D was < 3% of sales." in read(text).text


def test_a_type_may_say_form() -> None:
    body = page(heading("Item 1. Business"), PROSE, heading(f"Item 7. {MDA}"), PROSE, heading("Item 8. Statements"))
    assert read(part("FORM 10-K", body)).status is SectionStatus.FOUND


def test_a_second_heading_of_the_item_that_ends_the_section_is_said() -> None:
    risk = heading("Item 7A. Quantitative and Qualitative Disclosures")
    body = page(heading("Item 1. Business"), PROSE, heading(f"Item 7. {MDA}"), PROSE, risk, PROSE * 3, risk, PROSE)
    assert "Item 7A, which ends the section, has another heading" in said(read(body + heading("Item 8. X") + PROSE))


@pytest.mark.parametrize(
    ("name", "pages"),
    [
        ("21344_1998_ko.txt.gz", b"on pages 33 through 41\nof"),
        ("51143_1998_ibm-10k405.txt.gz", b"pages 40 through 49 of"),
    ],
)
def test_a_discussion_in_an_annual_report_ends_where_it_did_when_the_pages_are_not_named(
    shared: Path, name: str, pages: bytes
) -> None:
    data = gzip.decompress((shared / "filings" / "dev" / name).read_bytes())
    start = data.index(b"ITEM 7.", data.index(b"ITEM 6."))
    words = b"".join(pages.split())
    places = [n for n in range(start, start + 800) if b"".join(data[n : n + 60].split()).startswith(words)]
    assert places, "the pointer names its pages"
    cut = places[0]
    end = next(n for n in range(cut, cut + 60) if b"".join(data[cut:n].split()) == words)
    named, unnamed = (read_section(text, name=name) for text in (data, data[:cut] + b"in" + data[end:]))
    assert "page" not in (unnamed.pointer or "page")
    assert unnamed.text == named.text


def test_a_reference_inside_a_reference_brings_no_control_character() -> None:
    odd = "<p>We sold &#1&#129;29;pumps.</p>"
    body = page(heading("Item 1. Business"), PROSE, heading(f"Item 7. {MDA}"), odd, PROSE)
    text = read(body + heading("Item 8. Financial Statements") + PROSE).text
    assert not [character for character in text if "\x7f" <= character <= "\x9f" or character == "\u2060"]
