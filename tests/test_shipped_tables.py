"""The shipped filing of fiscal 2008 is a table-laid page of its time, and its statements tie.

Figures and the discussion are read here with plain lxml; nothing but the last two tests uses the package's own readers.
"""

import re
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path

import pytest
from lxml import html

from fingreat.edgar import read_section
from fingreat.schema.records import SectionStatus

FILING = Path(__file__).resolve().parents[1] / "fingreat" / "shipped" / "pellwether-2008.htm"
ITEMS = ["1", "1A", "1B", "2", "3", "4", "5", "6", "7", "7A", "8", "9", "9A", "9B", *map(str, range(10, 16))]
# A reference such as &#146; names a byte of windows-1252; libxml2 leaves it as the control character of that number.
WINDOWS = {byte: bytes([byte]).decode("cp1252", "ignore") for byte in range(0x80, 0xA0)}
NUMBER = re.compile(r"\(?\d[\d,]*(?:\.\d+)?|—")

Row = tuple[str, tuple[Decimal, ...]]


def plain(element: html.HtmlElement) -> str:
    return " ".join(" ".join(element.itertext()).translate(WINDOWS).split())


@cache
def source() -> str:
    return FILING.read_bytes().decode("ascii")


@cache
def root() -> html.HtmlElement:
    return html.fromstring(source())


@cache
def item7() -> html.HtmlElement:
    """The page between the anchors of Items 7 and 7A, so cut in the source's own text."""
    start, end = (source().index(f'<A NAME="tx10k_{item}">') for item in ("7", "7A"))
    return html.fromstring(f"<div><table><tr><td>{source()[start:end]}</div>")


@cache
def discussion() -> str:
    return re.sub(r" \d+ Table of Contents", "", plain(item7()))


@cache
def money_tables() -> tuple[html.HtmlElement, ...]:
    """The tables of the discussion that hold a dollar sign in a cell of its own."""
    innermost = (table for table in item7().iter("table") if table.find(".//table") is None)
    return tuple(table for table in innermost if "$" in [plain(cell) for cell in table.iter("td")])


def value(text: str) -> Decimal:
    if text == "—":
        return Decimal(0)
    number = Decimal(text.strip("(").replace(",", ""))
    return -number if text.startswith("(") else number


@cache
def statement(title: str) -> tuple[Row, ...]:
    """A statement's rows: the label and its figures; the closing bracket stands in a cell of its own."""
    (heading,) = (p for p in root().iter("p") if plain(p) == title)
    table = next(e for e in heading.itersiblings() if e.tag == "table")
    rows = []
    for row in table.iter("tr"):
        label, *cells = [plain(cell) for cell in row.iterchildren("td")] or [""]
        if label:
            rows.append((label, tuple(value(cell) for cell in cells if NUMBER.fullmatch(cell))))
    return tuple(rows)


def line(title: str, label: str) -> tuple[Decimal, ...]:
    """The figures of the first row with a label."""
    return next(figures for name, figures in statement(title) if name == label)


def between(title: str, first: str, last: str) -> list[tuple[Decimal, ...]]:
    """The figures of the rows after one label and before another; rows without figures left out."""
    labels = [name for name, _ in statement(title)]
    start = labels.index(first) + 1
    return [figures for _, figures in statement(title)[start : labels.index(last, start)] if figures]


def total(rows: list[tuple[Decimal, ...]]) -> tuple[Decimal, ...]:
    return tuple(map(sum, zip(*rows, strict=True)))


def plus(*rows: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
    return total(list(rows))


INCOME = "CONSOLIDATED STATEMENTS OF INCOME"
BALANCE = "CONSOLIDATED BALANCE SHEETS"
CASH = "CONSOLIDATED STATEMENTS OF CASH FLOWS"
EQUITY = "CONSOLIDATED STATEMENTS OF SHAREHOLDERS’ EQUITY"
COMPREHENSIVE = "CONSOLIDATED STATEMENTS OF COMPREHENSIVE INCOME"


def test_filing_is_html_of_its_time_in_a_modest_size() -> None:
    assert FILING.stat().st_size < 500_000
    assert "<ix:" not in source()
    assert "xbrl" not in source().lower()
    assert "<TABLE" in source()
    assert "<td" in source()
    assert min(source().count(mark) for mark in ("&nbsp;", "&#146;", "&#147;", "&#151;", "<FONT")) > 10
    assert len(re.findall(r"page-break-before:always'>\s*<HR", source())) >= 20


def test_every_item_of_the_form_of_2008_has_its_number_and_title_in_two_cells() -> None:
    rows = [[plain(cell) for cell in row.iterchildren("td") if plain(cell)] for row in root().iter("tr")]
    headings = [row for row in rows if len(row) == 2 and row[0].startswith("Item ") and row[1].endswith(".")]
    assert [no for no, _ in headings] == [f"Item {no}." for no in ITEMS]
    assert ["Item 4.", "Submission of Matters to a Vote of Security Holders."] in headings


def test_every_link_of_the_contents_leads_to_an_anchor() -> None:
    names = [a.get("name") for a in root().iter("a") if a.get("name")]
    assert len(names) == len(set(names)) == 1 + len(ITEMS)
    assert {a.get("href") for a in root().iter("a") if a.get("href")} == {f"#{name}" for name in names}


def test_money_stands_in_cells_apart_from_its_sign_and_its_bracket() -> None:
    cells = [plain(cell) for cell in root().iter("td")]
    assert cells.count("$") > 150
    assert cells.count(")") > 100
    assert cells.count(")%") >= 5


def test_points_and_paragraphs_stand_in_tables() -> None:
    assert sum(1 for cell in item7().iter("td") if plain(cell) == "•") >= 10
    page = [table for table in root().find("body").iterchildren("table") if table.get("width") == "680"]
    assert len(page) > 20
    assert all(table.find(".//p") is not None for table in page)


def test_page_breaks_cut_sentences_in_two() -> None:
    assert len(re.findall(r"[a-z] \d+ Table of Contents [a-z]", plain(item7()))) >= 3


def test_discussion_is_long_and_holds_five_money_tables() -> None:
    assert len(money_tables()) >= 5
    assert len(discussion().split()) - sum(len(plain(t).split()) for t in money_tables()) >= 2_800


def test_income_statement_adds_up() -> None:
    def get(label: str) -> tuple[Decimal, ...]:
        return line(INCOME, label)

    def less(*labels: str) -> tuple[Decimal, ...]:
        return tuple(-figure for figure in plus(*(get(label) for label in labels)))

    assert plus(get("Net sales"), less("Cost of sales")) == get("Gross profit")
    expenses = total(between(INCOME, "Gross profit", "Operating income"))
    assert plus(get("Gross profit"), tuple(-figure for figure in expenses)) == get("Operating income")
    pretax, continuing = "Income before income taxes and minority interest", "Income from continuing operations"
    assert plus(get("Operating income"), *between(INCOME, "Operating income", pretax)) == get(pretax)
    assert plus(get(pretax), *between(INCOME, pretax, continuing)) == get(continuing)
    assert plus(get(continuing), *between(INCOME, continuing, "Net income")) == get("Net income")


@pytest.mark.parametrize("kind", ["Basic", "Diluted"])
def test_earnings_per_share_follow_from_income_and_shares(kind: str) -> None:
    shares = line(INCOME, f"Weighted-average shares, {kind.lower()}")
    net, per_share = line(INCOME, "Net income"), line(INCOME, f"{kind} earnings per share")
    assert [round(n / s, 2) for n, s in zip(net, shares, strict=True)] == list(per_share)
    assert total(between(INCOME, f"{kind} earnings (loss) per share:", f"{kind} earnings per share")) == per_share


def test_balance_sheet_balances() -> None:
    current, assets = "Total current assets", "Total assets"
    assert total(between(BALANCE, "ASSETS", current)) == line(BALANCE, current)
    assert plus(line(BALANCE, current), *between(BALANCE, current, assets)) == line(BALANCE, assets)
    due, liabilities = "Total current liabilities", "Total liabilities"
    assert total(between(BALANCE, "LIABILITIES AND SHAREHOLDERS’ EQUITY", due)) == line(BALANCE, due)
    assert plus(line(BALANCE, due), *between(BALANCE, due, liabilities)) == line(BALANCE, liabilities)
    equity = "Total shareholders’ equity"
    assert total(between(BALANCE, "Minority interest", equity)) == line(BALANCE, equity)
    both = plus(line(BALANCE, liabilities), line(BALANCE, "Minority interest"), line(BALANCE, equity))
    assert both == line(BALANCE, "Total liabilities and shareholders’ equity") == line(BALANCE, assets)


def test_cash_flows_add_up_and_roll_the_balance_forward() -> None:
    going, all_of_it = "Net cash provided by continuing operations", "Net cash provided by operating activities"
    assert total(between(CASH, "OPERATING ACTIVITIES", going)) == line(CASH, going)
    assert plus(line(CASH, going), *between(CASH, going, all_of_it)) == line(CASH, all_of_it)
    invested, financed = "Net cash used in investing activities", "Net cash provided by (used in) financing activities"
    assert total(between(CASH, "INVESTING ACTIVITIES", invested)) == line(CASH, invested)
    assert total(between(CASH, "FINANCING ACTIVITIES", financed)) == line(CASH, financed)
    change = "Increase (decrease) in cash and cash equivalents"
    currency = line(CASH, "Effect of exchange rate changes on cash")
    assert plus(line(CASH, all_of_it), line(CASH, invested), line(CASH, financed), currency) == line(CASH, change)
    opening, closing = (line(CASH, f"Cash and cash equivalents at {point} of year") for point in ("beginning", "end"))
    assert plus(opening, line(CASH, change)) == closing
    assert opening[:2] == closing[1:]
    assert closing[:2] == line(BALANCE, "Cash and cash equivalents")
    assert line(CASH, "Net income") == line(INCOME, "Net income")


def test_equity_rolls_forward_and_its_columns_sum_to_the_total() -> None:
    running: tuple[Decimal, ...] | None = None
    balances = 0
    for label, figures in statement(EQUITY):
        assert sum(figures[:-1]) == figures[-1], label
        if label.startswith("Balance at"):
            assert running in (None, figures), label
            running, balances = figures, balances + 1
        elif running:
            running = plus(running, figures)
    assert balances == 4
    assert running is not None
    assert running[-1] == line(BALANCE, "Total shareholders’ equity")[0]


def test_equity_takes_up_income_dividends_and_repurchases_as_the_other_statements_show_them() -> None:
    def moved(label: str) -> list[Decimal]:
        """Newest year first."""
        return [figures[-1] for name, figures in statement(EQUITY) if name == label][::-1]

    assert moved("Net income") == list(line(INCOME, "Net income"))
    assert moved("Dividends") == list(line(CASH, "Dividends paid"))
    assert moved("Treasury stock purchased") == list(line(CASH, "Purchases of treasury stock"))
    assert moved("Share-based compensation") == list(line(CASH, "Share-based compensation"))
    parts = between(COMPREHENSIVE, "Net income", "Comprehensive income (loss)")
    assert plus(line(INCOME, "Net income"), *parts) == line(COMPREHENSIVE, "Comprehensive income (loss)")
    assert moved("Foreign currency translation") == list(line(COMPREHENSIVE, "Foreign currency translation"))


def test_discussion_agrees_with_the_statements() -> None:
    named = {
        (INCOME, "Net sales"): "Net sales advanced 8.4% to ${} million",
        (INCOME, "Cost of sales"): "Cost of sales climbed $68.8 million, or 11.5%, to ${} million",
        (INCOME, "Selling, general and administrative expenses"): "administrative expenses were ${} million, 2.2% more",
        (INCOME, "Amortization of intangible assets"): "Amortization of intangible assets amounted to ${} million",
        (INCOME, "Operating income"): "Operating income of ${} million compares",
        (INCOME, "Interest expense"): "Interest expense rose to ${} million",
        (INCOME, "Impairment of auction-rate securities"): "an other-than-temporary impairment of ${} million",
        (INCOME, "Provision for income taxes"): "The provision for income taxes was ${} million, or 40.1%",
        (INCOME, "Net income"): "Net income fell to ${} million, or $0.49 per diluted share",
        (CASH, "Net cash provided by operating activities"): "Operating activities provided ${} million of cash",
        (CASH, "Capital expenditures"): "Capital expenditures of ${} million",
        (CASH, "Proceeds from exercise of stock options"): "We received ${} million from employees",
        (CASH, "Dividends paid"): "Shareholders received ${} million in dividends",
        (CASH, "Purchases of treasury stock"): "We spent ${} million on 942,000 of our own shares",
        (CASH, "Income taxes paid"): "income taxes was $18.7 million and ${} million",
        (COMPREHENSIVE, "Foreign currency translation"): "reduced equity by ${} million",
        (BALANCE, "Total shareholders’ equity"): "Shareholders’ equity was ${} million",
    }
    for (title, label), phrase in named.items():
        shown = (abs(line(title, label)[0]) / 1000).quantize(Decimal("0.1"), ROUND_HALF_UP)
        assert phrase.format(shown) in discussion(), label


def test_debt_of_the_balance_sheet_is_the_debt_of_the_discussion_and_of_its_schedule() -> None:
    due = plus(line(BALANCE, "Current portion of long-term debt"), line(BALANCE, "Long-term debt"))
    assert due == (284_500, 230_600)
    assert "Total debt 284.5 230.6" in discussion()
    assert "Long-term debt $ 284.5 $ 15.0 $ 33.4 $ 106.5 $ 129.6" in discussion()
    assert Decimal("15.0") + Decimal("33.4") + Decimal("106.5") + Decimal("129.6") == Decimal("284.5")


def test_finder_takes_item_7_from_its_heading_to_before_item_7a() -> None:
    section = read_section(FILING, "7")
    assert section.status is SectionStatus.FOUND
    assert section.text.startswith("## Item 7. Management’s Discussion and Analysis")
    assert section.text.endswith("should not suppose that our silence means that nothing has changed.")
    assert section.next_heading == "Item 7A. Quantitative and Qualitative Disclosures about Market Risk."


def test_section_keeps_every_word_of_the_discussion_and_nothing_of_the_pages() -> None:
    text = read_section(FILING, "7").text
    words = re.findall(r"[A-Za-z’]{2,}", re.sub(r"(?m)^\|.*$", "", text))
    prose = discussion()
    for table in money_tables():
        prose = prose.replace(plain(table), " ")
    assert words == re.findall(r"[A-Za-z’]{2,}", prose)
    assert "Table of Contents" not in text
