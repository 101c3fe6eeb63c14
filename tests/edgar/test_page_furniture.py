"""Page furniture goes, words stay: what is taken out of a filing is counted apart from the code that takes it."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from pathlib import Path

import pytest

from fingreat.edgar import read_section, read_submission
from fingreat.edgar.ascii_pages import split_pages

WORDS = "We sold pumps and parts to the trade in the year, and the board expects no change of any note. "
PROSE = "\n".join([WORDS.strip()[:70]] * 3) + "\nand so the year ended.\n"
FIGURES = re.compile(r"\$|\d[\d,.]*\s{2,}\S*\d")


def report(middle: str) -> str:
    parts = (
        "ITEM 6. SELECTED FINANCIAL DATA",
        PROSE * 3,
        "ITEM 7. MANAGEMENT'S DISCUSSION AND ANALYSIS",
        PROSE,
        middle,
    )
    rest = ("ITEM 7A. QUANTITATIVE AND QUALITATIVE DISCLOSURES", PROSE * 3, "ITEM 8. FINANCIAL STATEMENTS", PROSE * 3)
    return "\n\n".join(["FORM 10-K", *parts, *rest])


def read(middle: str, item: str = "7") -> str:
    return read_section(report(middle).encode(), item, name="x.txt").text


def pages(*contents: str) -> str:
    return "".join(f"{content}\n\n                  {n}\n<PAGE>\n" for n, content in enumerate(contents, start=11))


def test_sentences_alike_but_for_their_figures_stay_at_page_heads() -> None:
    opening = "{} compared to {}. Net sales for the year ended December 31, {} decreased\n$8.6 million, or 11.1%.\n\n"
    text = read(pages(*(opening.format(2002 - n, 2001 - n, 2002 - n) + PROSE for n in range(3))))
    for n in range(3):
        assert (
            f"{2002 - n} compared to {2001 - n}. Net sales for the year ended December 31, {2002 - n} decreased" in text
        )


def test_two_line_paragraphs_stay_at_page_heads() -> None:
    text = read(
        pages(*(f"Interest expense was {n}.5 million in the\nyear that ended in June.\n\n{PROSE}" for n in range(3)))
    )
    assert text.count("Interest expense was") == 3


def test_total_rows_stay_at_page_feet() -> None:
    rows = "Sales of pumps           $100.{0}    $95.{0}\nOther                      8.5      6.3\n"
    total = "Total                   $108.{0}   $101.{0}"
    for gap in ("", "\n"):
        text = read(pages(*(PROSE + "\n" + rows.format(n) + gap + total.format(n) for n in range(3))))
        assert len(re.findall("Total ", text)) == 3


def test_a_subheading_that_returns_far_away_stays() -> None:
    text = read(pages(*("RESEARCH AND DEVELOPMENT\n\n" + PROSE if n % 6 == 0 else PROSE for n in range(18))))
    assert text.count("RESEARCH AND DEVELOPMENT") == 3


def test_column_years_and_a_line_that_ends_in_continued_stay() -> None:
    prose = "Demand for the pumps that we sell has continued\nto grow in each of the years.\n\n"
    text = read(
        pages(*(f"(In millions)\n                        1997      1996     1995\n\n{prose}{PROSE}" for _ in range(3)))
    )
    assert len(re.findall(r"1997\s+1996\s+1995", text)) == 3
    assert text.count("has continued to grow") == 3


def test_running_headers_and_page_numbers_go() -> None:
    text = read(pages(*(f"ACME PUMPS, INC.\nNOTES (CONTINUED)\n\n{PROSE}" for _ in range(5))))
    assert text.count("ACME PUMPS, INC.") <= 1
    assert text.count("(CONTINUED)") <= 1
    assert not re.search(r"^\s*1[1-5]$", text, re.MULTILINE)


@pytest.mark.parametrize(
    "title", ["ITEM 7A. QUANTITATIVE AND QUALITATIVE DISCLOSURES", "Item 7A - Quantitative and Qualitative"]
)
@pytest.mark.parametrize("html", [False, True])
def test_an_item_heading_at_a_page_head_ends_an_unfinished_paragraph(title: str, html: bool) -> None:
    unfinished = WORDS * 6 + "and by the plants of the list above"
    if html:
        text = report("").replace("\n\n", "</p><p>")
        source = f"<html><body><p>{text}</p></body></html>".replace(
            "ITEM 7A. QUANTITATIVE AND QUALITATIVE DISCLOSURES",
            f"{unfinished}</p><p>27</p><hr style='page-break-after:always'><p>{title}",
        )
    else:
        source = report(unfinished + "\n\n          27\n<PAGE>\n").replace(
            "ITEM 7A. QUANTITATIVE AND QUALITATIVE DISCLOSURES", title
        )
    assert read_section(source.encode(), "7", name="x").next_heading == title
    assert read_section(source.encode(), "7A", name="x").heading == title


def test_numbered_notes_and_short_answers_stay_at_page_heads_of_html() -> None:
    page = (
        "<p>{}</p><p>We sold pumps and parts to the trade in the year.</p><p>{}</p><hr style='page-break-after:always'>"
    )
    body = "".join(page.format(f"NOTE {n}", n + 20) for n in range(1, 6))
    html = f"<html><body><p><b>Item 7. Management's Discussion</b></p>{body}<p><b>Item 8. Financial Statements</b></p>"
    text = read_section(html.encode(), "7", name="x.htm").text
    assert [f"NOTE {n}" in text for n in range(1, 6)] == [True] * 5


def is_furniture(line: str, source: list[str]) -> bool:
    """Whether a line of a filing is a page's number, comes back in it, or says that it goes on."""
    if re.fullmatch(r"\W*(?:page\s+)?(?:[a-z]{0,4}\W?\d{1,4}|[ivxlc]+)(?:\s+of\s+\d+)?\W*", line, re.IGNORECASE):
        return True
    if FIGURES.search(line) or len(line) > 90:
        return False
    plain = re.sub(r"\d+", "#", " ".join(line.casefold().split()))
    places = [n for n, other in enumerate(source) if re.sub(r"\d+", "#", " ".join(other.casefold().split())) == plain]
    return len(places) >= 3 or any("cont" in " ".join(source[n : n + 3]).casefold() for n in places)


def test_only_furniture_is_taken_out_of_the_filings_in_fixed_width(shared: Path) -> None:
    """Every line with words that the source has and no page has: counted line by line."""
    looked_at = removed = 0
    faults = []
    for path in sorted((shared / "filings" / "dev").glob("*.txt.gz")):
        for document in read_submission(gzip.decompress(path.read_bytes()), path.name).documents:
            if document.is_html:
                continue
            # Privacy-enhanced mail puts a dash before a line that begins with one.
            printed = re.sub(r"(?m)^- (?=-)", "", document.text).expandtabs(8).replace("\f", "\n")
            source = [line.strip() for line in printed.split("\n")]
            left = Counter(line.strip() for page in split_pages(document.text) for line in page.lines)
            looked_at += len(source)
            for line, times in (Counter(source) - left).items():
                if any(char.isalpha() for char in line) and not line.upper().startswith("<PAGE>"):
                    removed += times
                    if not is_furniture(line, source):
                        faults.append((path.name, line))
    assert faults == []
    assert looked_at > 10_000
    assert 0 < removed < looked_at // 20


def test_a_sentence_that_returns_in_a_filing_is_kept_each_time(shared: Path) -> None:
    # Counted in the printed source: five paragraphs begin so.
    path = shared / "filings" / "dev" / "839484_2003_jordan.txt.gz"
    sentence = "2002 Compared to 2001. Net sales"
    assert gzip.decompress(path.read_bytes()).decode("latin-1").count(sentence) == 5
    assert read_section(path).text.count(sentence) == 5
    # Two subheadings at page heads among them.
    apple = shared / "filings" / "dev" / "320193_2000_aapl-sub.txt.gz"
    assert "RESEARCH AND DEVELOPMENT" in read_section(apple).text.upper()
