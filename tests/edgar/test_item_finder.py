"""Shapes of filings that the finder must tell apart, each as a small invented document."""

from __future__ import annotations

import pytest

from fingreat.edgar import read_section
from fingreat.schema.records import Section, SectionStatus

PROSE = "<p>" + "We sold pumps and parts to the trade in the year. " * 20 + "</p>"
MDA = "Management's Discussion and Analysis of Financial Condition"


def filing(*headings: str, form: str = "10-K") -> str:
    """A document with these headings, each followed by the same prose."""
    parts = "".join(f"<p><b>{heading}</b></p>{PROSE}" for heading in headings)
    return f"<html><body><p>FORM {form}</p>{parts}"


def read(html: str, item: str = "7") -> Section:
    return read_section(html.encode(), item, name="filing.htm")


@pytest.mark.parametrize(
    ("form", "headings", "number"),
    [
        ("10-K", ["Item 1. Business", f"Item 7. {MDA}", "Item 8. Financial Statements"], 1),
        ("10-K", ["ITEM ONE. BUSINESS", "ITEM SEVEN. MANAGEMENT'S DISCUSSION", "ITEM EIGHT. FINANCIAL STATEMENTS"], 1),
        ("10-K", ["I TEM 1. Business", f"I TEM 7. {MDA}", "I TEM 8. Financial Statements"], 1),
        ("10-K", ["Item\xa01.\u2003Business", f"Item\xa07.\u2003{MDA}", "Item\xa08.\u2003Financial Statements"], 1),
        ("10-K", ["1. Business", "1A. Risk Factors", "2. Properties", f"7. {MDA}", "8. Financial Statements"], 3),
        ("10-K", ["Item 1. Business", f"Item 7. {MDA}", "SIGNATURES"], 1),
        ("10-KSB", ["Item 5. Market for", "Item 6. Plan of Operation", "Item 7. Financial Statements"], 1),
        (
            "10-Q",
            [
                *(
                    "PART I",
                    "Item 1. Financial Statements",
                    "Item 2. Management's Discussion",
                    "Item 3. Quantitative and",
                ),
                *("PART II", "Item 1. Legal Proceedings", "Item 2. Unregistered Sales"),
            ],
            2,
        ),
    ],
)
def test_headings_are_told_in_their_many_forms(form: str, headings: list[str], number: int) -> None:
    heading, next_heading = (" ".join(title.split()) for title in headings[number : number + 2])
    html = filing(*headings, form=form)
    section = read(html)
    assert section.status is SectionStatus.FOUND
    assert section.heading == heading
    assert section.next_heading == next_heading
    assert section.text == f"## {heading}\n\n{PROSE[3:-4].strip()}"


def test_a_joint_heading_keeps_both_items() -> None:
    title = "Items 7 and 7A. Management's Discussion and Quantitative Disclosures"
    section = read(
        filing("Item 1. Business", title, "Quantitative and Qualitative Disclosures", "Item 8. Financial Statements")
    )
    assert section.heading == title
    assert "### Quantitative and Qualitative Disclosures" in section.text
    assert section.next_heading == "Item 8. Financial Statements"


@pytest.mark.parametrize(
    "heading",
    [
        "<table><tr><td>Item 7.</td><td>&#160;</td>"
        "<td>Management's Discussion and<br>Analysis of Financial Condition</td></tr></table>",
        "<p><b>Item</b> <b>7.</b></p><p><b>Management's Discussion</b></p>"
        "<p><b>and Analysis of Financial Condition</b></p>",
        "<div><font>It</font><font>em 7. Management's</font>"
        " <i>Discussion and Analysis of Financial Condition</i></div>",
    ],
)
def test_a_heading_split_over_cells_blocks_or_tags_is_one(heading: str) -> None:
    section = read(filing("Item 1. Business") + heading + PROSE + "<p><b>Item 8. Financial Statements</b></p>" + PROSE)
    assert section.heading == f"Item 7. {MDA}"
    assert section.text.startswith(f"## Item 7. {MDA}\n\nWe sold")


def test_contents_before_and_index_after_are_no_headings() -> None:
    contents = "".join(
        f"<p>{line}</p>" for line in ("Item 1. Business", f"Item 7. {MDA}", "Item 8. Financial Statements")
    )
    body = "".join(f"<p>{h}</p>{PROSE}" for h in ("Item 1. Business", f"Item 7. {MDA}", "Item 8. Financial Statements"))
    section = read(f"<html><body>{contents}{body}{contents}")
    assert section.text.count("We sold pumps") == 20
    assert section.next_heading == "Item 8. Financial Statements"


def test_text_that_goes_on_after_the_end_of_html_is_read() -> None:
    html = filing("Item 1. Business") + "</body></html>" + filing(f"Item 7. {MDA}", "Item 8. Financial Statements")
    assert read(html).status is SectionStatus.FOUND


@pytest.mark.parametrize("open_tag", ["<!-- lost", "<title>Report", "<style>"])
def test_a_comment_or_title_left_open_swallows_nothing(open_tag: str) -> None:
    html = "<html><head>" + open_tag + filing("Item 1. Business", f"Item 7. {MDA}", "Item 8. Financial Statements")
    assert read(html).status is SectionStatus.FOUND


def test_a_pointer_into_the_same_document_is_followed() -> None:
    html = (
        filing("Item 6. Selected Financial Data")
        + f"<p><b>Item 7. {MDA}</b></p><p>See pages F-2 through F-9 of this report.</p>"
        + "<p><b>Item 8. Financial Statements</b></p>"
        + PROSE
        + f"<p align=center><b>{MDA}</b></p><p>Sales were up, says the annual report.</p>"
        + PROSE * 3
        + "<p align=center><b>Report of Independent Auditors</b></p>"
        + PROSE
    )
    section = read(html)
    assert section.status is SectionStatus.FOUND
    assert section.pointer == "See pages F-2 through F-9 of this report."
    assert "says the annual report" in section.text
    assert section.next_heading == "Report of Independent Auditors"


def test_a_short_discussion_that_names_the_statements_is_no_pointer() -> None:
    html = (
        filing("Item 6. Selected Financial Data")
        + f"<p><b>Item 7. {MDA}</b></p><p>The following discussion should be read in conjunction with our"
        + " financial statements included elsewhere in this report. Sales rose. Costs fell.</p>"
        + "<p><b>Item 8. Financial Statements</b></p>"
        + PROSE
    )
    section = read(html)
    assert section.status is SectionStatus.FOUND
    assert section.pointer is None


def test_the_contents_page_ends_a_discussion_without_item_headings() -> None:
    titles = [
        "About Us",
        "Our Markets",
        "Management's Discussion and Analysis",
        "Other Key Information",
        "People",
        "Places",
        "Plans",
        "Pay",
    ]
    rows = "".join(f"<tr><td>{title}</td><td>{page}</td></tr>" for page, title in enumerate(titles, start=3))
    body = "".join(f"<p><b>{title}</b></p>{PROSE * 3}" for title in titles)
    section = read(f"<html><body><p>FORM 10-K</p><table>{rows}</table>{body}")
    assert section.status is SectionStatus.FOUND
    assert section.heading == "Management's Discussion and Analysis"
    assert section.next_heading == "Other Key Information"
    assert any("contents page" in warning for warning in section.warnings)


def test_running_headers_and_page_numbers_are_out_and_sentences_whole() -> None:
    pages = [
        f"<p>Sentence {n} begins here and is long enough to be cut by the end of the page, so it</p>"
        f"<p>{n}</p><hr style='page-break-after:always'><p>Acme Corp</p><p>goes on overleaf {n}.</p>"
        for n in range(1, 6)
    ]
    html = (
        filing("Item 1. Business")
        + f"<p><b>Item 7. {MDA}</b></p>"
        + "".join(pages)
        + "<p><b>Item 8. Financial Statements</b></p>"
        + PROSE
    )
    text = read(html).text
    assert "Acme Corp" not in text
    for number in range(1, 6):
        whole = "begins here and is long enough to be cut by the end of the page, so it goes on overleaf"
        assert f"Sentence {number} {whole} {number}." in text


def test_a_report_filed_in_two_documents_is_searched_whole() -> None:
    first = filing("Item 1. Business", "Item 2. Properties")
    second = filing(f"Item 7. {MDA}", "Item 8. Financial Statements")
    parts = "".join(f"<DOCUMENT>\n<TYPE>10-K\n<TEXT>\n{html}\n</TEXT>\n</DOCUMENT>\n" for html in (first, second))
    section = read("<SEC-DOCUMENT>x\n" + parts)
    assert section.status is SectionStatus.FOUND
    assert section.heading == f"Item 7. {MDA}"


@pytest.mark.parametrize("name", ["Item VII. ", "ITEM VII - ", "Item (7) ", "Item #7 ", "Item No. 7 "])
@pytest.mark.parametrize("form", ["html", "fixed-width"])
def test_numbers_are_told_as_romans_and_in_marks(name: str, form: str) -> None:
    eight = name.replace("VII", "VIII").replace("7", "8")
    html = filing("Item 1. Business", name + MDA, eight + "Financial Statements")
    if form == "html":
        section = read(html)
    else:
        text = html.replace("</p>", "\n\n").replace("<p>", "").replace("<b>", "").replace("</b>", "")
        section = read_section(text.replace("<html><body>", "").encode(), "7", name="x.txt")
    assert section.status is SectionStatus.FOUND
    assert section.heading == name + MDA
    assert section.next_heading == eight + "Financial Statements"


@pytest.mark.parametrize(
    ("title", "items"),
    [
        ("Items 7 and 7A. Management's Discussion", ["7", "7A"]),
        ("Items 7, 7A and 8. Management's Discussion", ["7", "7A", "8"]),
        ("Items 7 through 8. Management's Discussion", ["7", "7A", "8"]),
    ],
)
def test_an_item_that_shares_a_heading_is_the_text_of_both(title: str, items: list[str]) -> None:
    html = filing("Item 1. Business", title, "Item 9. Changes in and Disagreements with Accountants")
    for item in items:
        section = read(html, item)
        assert section.status is SectionStatus.FOUND
        assert section.heading == title
        assert any("shares a heading with Item 7" in warning for warning in section.warnings) is (item != "7")
    assert read(html, "9A").status is SectionStatus.ABSENT


def test_titles_without_the_word_end_where_the_contents_page_says() -> None:
    titles = {
        "1.": "Business",
        "2.": "Properties",
        "3.": "Legal Proceedings",
        "4.": "Submission of Matters to a Vote",
        "5.": "Market for Common Equity",
        "6.": "Selected Financial Data",
        "7.": MDA,
        "7A.": "Quantitative and Qualitative Disclosures About Market Risk",
        "8.": "Financial Statements and Supplementary Data",
    }
    rows = "".join(f"<tr><td>Item {number}</td><td>{title}</td><td>3</td></tr>" for number, title in titles.items())
    body = "".join(f"<p><b>{title}</b></p>{PROSE * 3}" for title in titles.values())
    section = read(f"<html><body><p>FORM 10-K</p><table>{rows}</table>{body}")
    assert section.heading == MDA
    assert section.next_heading == titles["7A."]


@pytest.mark.parametrize(("form", "item", "ask"), [("10-Q", "2", "7"), ("10-Q", "11", "7"), ("10-KSB", "6", "7")])
def test_an_item_asked_for_by_the_forms_own_number_says_how_items_are_named(form: str, item: str, ask: str) -> None:
    own = {"10-Q": "2", "10-KSB": "6"}[form]
    html = filing("Item 1. Business", f"Item {own}. {MDA}", form=form)
    warnings = " ".join(read(html, item).warnings)
    assert "named as on Form 10-K" in warnings
    assert f"{ask} for this form's Item {own}" in warnings
    assert "No heading" not in warnings


def test_an_item_ends_at_the_next_part_of_the_form() -> None:
    preamble = (
        "<p>PART III</p><p>Items 10 to 13 are incorporated by reference to the proxy statement, pages 3 to 9.</p>"
    )
    html = (
        "<html><body><p>FORM 10-K</p><p>PART II</p>"
        + filing(f"Item 7. {MDA}", "Item 8. Financial Statements")
        + "<p><b>Item 9. Changes in and Disagreements with Accountants</b></p><p>None.</p>"
        + preamble
        + filing("Item 10. Directors", "Item 11. Executive Compensation")
    )
    section = read(html, "9")
    assert section.status is SectionStatus.FOUND
    assert section.pointer is None
    assert section.text.endswith("None.")


def test_an_item_that_need_not_be_given_is_no_pointer() -> None:
    words = "As a “smaller reporting company”, we are not required to provide the information required by this Item."
    html = (
        filing("Item 1. Business", f"Item 7. {MDA}") + f"<p><b>Item 7A. Quantitative and Qualitative</b></p><p>{words}"
    )
    section = read(html + "<p><b>Item 8. Financial Statements</b></p>" + PROSE, "7A")
    assert section.status is SectionStatus.FOUND
    assert section.text.endswith(words)
