"""The shipped filing of 2001 is a plain-text submission of its time, its statements tie, and Item 7 names Exhibit 13.

Documents, pages and figures are cut here with regular expressions; the package's own readers appear in the last tests.
"""

import re
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from fingreat.edgar import read_section
from fingreat.schema.records import SectionStatus

FILING = Path(__file__).resolve().parents[1] / "fingreat" / "shipped" / "larkmoor-2001.txt"
YEARS = (2001, 2000, 1999)
BY_REFERENCE = ("5", "6", "7", "7A", "8")
OPERATIONS = "CONSOLIDATED STATEMENTS OF OPERATIONS"
BALANCE = "CONSOLIDATED BALANCE SHEETS"
CASH_FLOWS = "CONSOLIDATED STATEMENTS OF CASH FLOWS"
EQUITY = "CONSOLIDATED STATEMENTS OF SHAREHOLDERS' EQUITY"
RUNNING_HEAD = re.compile(r"^LARKMOOR INSTRUMENTS CORPORATION AND SUB.*\n(?:.*\(CONTINUED\)\n)?", re.MULTILINE)

Row = tuple[str, tuple[Decimal, ...]]


@cache
def source() -> str:
    return FILING.read_bytes().decode("ascii")


@cache
def documents() -> dict[str, str]:
    """The text of each document by its type."""
    return dict(re.findall(r"<DOCUMENT>\n<TYPE>(\S+)\n.*?<TEXT>\n(.*?)</TEXT>\n</DOCUMENT>", source(), re.DOTALL))


@cache
def pages(kind: str) -> dict[int, str]:
    """A document's pages by the number at their foot."""
    parts = re.split(r"^<PAGE>.*\n", documents()[kind], flags=re.MULTILINE)[1:]
    feet = [re.search(r"\n\s*(\d+)\s*$", part) for part in parts]
    return {int(foot[1]): part[: foot.start()] for foot, part in zip(feet, parts, strict=True) if foot}


@cache
def discussion() -> str:
    """The discussion's lines as one, without page numbers, running heads, tables and hyphens at line ends."""
    text = RUNNING_HEAD.sub("", "\n".join(pages("EX-13").values()))
    text = text[text.index("MANAGEMENT'S DISCUSSION") : text.index("QUANTITATIVE AND QUALITATIVE")]
    text = re.sub(r"<TABLE>.*?</TABLE>", "", text, flags=re.DOTALL)
    return " ".join(re.sub(r"(?<=[a-z])-\n", "", text).split())


@cache
def rows(title: str) -> tuple[Row, ...]:
    """The rows with figures of the tables on the page with a centred title, cut at the marks of the columns."""
    (page,) = (
        page for page in pages("EX-13").values() if re.search(rf"^ {{5,}}{re.escape(title)}$", page, re.MULTILINE)
    )
    found: list[Row] = []
    for marks, body in re.findall(r"^(<S>[ <>C]+)\n(.*?)</TABLE>", page, re.DOTALL | re.MULTILINE):
        borders = [match.start() for match in re.finditer("<C>", marks)]
        label = ""
        for line in body.splitlines():
            cells = [line[a:b] for a, b in pairwise([*borders, len(line) + 1])]
            if re.search(r"\d|--(?!-)", "".join(cells)) is None:
                # A rule, a title of a group, or the first line of a long label.
                label = "" if not line.strip() or line.rstrip().endswith(("-", "=", ":")) else f"{line.strip()} "
                continue
            found.append((re.sub(r"[ .]+$", "", label + line[: borders[0]].strip()), tuple(map(value, cells))))
            label = ""
    return tuple(found)


def value(cell: str) -> Decimal:
    amount = Decimal(re.sub(r"[^\d.]", "", cell) or 0)
    return -amount if "(" in cell else amount


def figure(title: str, name: str, place: int = 0) -> Decimal:
    """The figure in a column of the first row of a name."""
    return next(values for label, values in rows(title) if label == name)[place]


def summed(title: str, place: int, first: str, last: str) -> Decimal:
    """The sum of a column over the rows from one to another."""
    names = [name for name, _ in rows(title)]
    start = names.index(first)
    return sum((values[place] for _, values in rows(title)[start : names.index(last, start) + 1]), Decimal(0))


def millions(thousands: Decimal) -> str:
    return f"${(abs(thousands) / 1000).quantize(Decimal('0.1'), ROUND_HALF_UP)} million"


def test_submission_has_the_header_documents_and_lines_of_its_time() -> None:
    assert len(source()) < 300_000
    assert source().startswith("<SEC-DOCUMENT>0009900863-01-000004.txt : 20011220\n<SEC-HEADER>")
    assert "CONFORMED SUBMISSION TYPE:\t10-K405" in source()
    assert list(documents()) == ["10-K405", "EX-13", "EX-21", "EX-23"]
    assert max(len(line) for text in documents().values() for line in text.splitlines()) <= 80
    assert not re.search(r"</?(?:html|p|div|font)\b", source(), re.IGNORECASE)


def test_pages_count_upwards_and_the_marks_of_the_main_document_agree() -> None:
    assert list(pages("10-K405")) == list(range(1, 11))
    assert re.findall(r"^<PAGE> +(\d+)$", documents()["10-K405"], re.MULTILINE) == [str(n) for n in range(1, 11)]
    assert list(pages("EX-13")) == list(range(12, 12 + len(pages("EX-13"))))


def test_main_document_has_every_item_and_gives_five_of_them_by_reference() -> None:
    parts = re.split(r"^ITEM (\d+A?)\.  ", documents()["10-K405"], flags=re.MULTILINE)
    items = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert list(items) == [*map(str, range(1, 8)), "7A", *map(str, range(8, 15))]
    for item in BY_REFERENCE:
        text = " ".join(items[item].split())
        assert re.search(r"of the Annual Report.* incorporated herein by reference\.$", text), item
        assert len(text.split()) < 75, item


def test_pages_that_the_main_document_names_hold_what_it_says() -> None:
    text = " ".join(documents()["10-K405"].split())
    named = re.findall(r'caption "([^"]+)" on pages? (\d+)', text)
    assert len(named) == 4
    for caption, page in named:
        assert caption.upper() in " ".join(pages("EX-13")[int(page)].split()), caption
    statements = re.search(r"accountants on pages (\d+) through (\d+)", text)
    assert statements
    assert OPERATIONS in pages("EX-13")[int(statements[1])]
    assert "REPORT OF INDEPENDENT PUBLIC ACCOUNTANTS" in pages("EX-13")[int(statements[2])]


@pytest.mark.parametrize("year", YEARS)
def test_income_statement_adds_up(year: int) -> None:
    place = YEARS.index(year)

    def f(name: str) -> Decimal:
        return figure(OPERATIONS, name, place)

    assert summed(OPERATIONS, place, "Products", "Services") == f("Total net sales")
    costs = [v[place] for n, v in rows(OPERATIONS) if n in ("Products", "Services")][2:]
    assert sum(costs) + f("Inventory write-downs") == f("Total cost of sales")
    assert f("Total net sales") - f("Total cost of sales") == f("Gross profit")
    expenses = summed(OPERATIONS, place, "Selling, general and administrative", "Merger costs")
    assert expenses == f("Total operating expenses")
    assert f("Gross profit") - expenses == f("Operating income (loss)")
    pre_tax = f("Income (loss) before income taxes, extraordinary item and accounting change")
    assert summed(OPERATIONS, place, "Operating income (loss)", "Other, net") == pre_tax
    before = f("Income (loss) before extraordinary item and accounting change")
    assert pre_tax + f("Income tax benefit (provision)") == before
    special = [
        v[place] for n, v in rows(OPERATIONS) if n.startswith(("Extraordinary gain on", "Cumulative effect of acc"))
    ]
    assert before + sum(special) == f("Net income (loss)")
    per_share = f("Net income (loss)") / f("Average shares, basic")
    assert (
        per_share.quantize(Decimal("0.01"), ROUND_HALF_UP)
        == [v[place] for n, v in rows(OPERATIONS) if n == "Net income (loss)"][1]
    )


@pytest.mark.parametrize("place", [0, 1], ids=["2001", "2000"])
def test_balance_sheet_balances(place: int) -> None:
    total = figure(BALANCE, "Total assets", place)
    assert total == figure(BALANCE, "Total liabilities and equity", place)
    current = figure(BALANCE, "Total current assets", place)
    assert summed(BALANCE, place, "Cash and cash equivalents", "Prepaid expenses and other") == current
    assert summed(BALANCE, place, "Total current assets", "Other assets") == total
    owed = figure(BALANCE, "Total current liabilities", place)
    assert summed(BALANCE, place, "Current portion of bank loans", "Income taxes payable") == owed
    equity = figure(BALANCE, "Total shareholders' equity", place)
    assert summed(BALANCE, place, "Total current liabilities", "Put option obligation") + equity == total
    first = next(name for name, _ in rows(BALANCE) if name.startswith("Common stock"))
    last = next(name for name, _ in rows(BALANCE) if name.startswith("Treasury stock"))
    assert summed(BALANCE, place, first, last) == equity


@pytest.mark.parametrize("year", YEARS)
def test_cash_flows_add_up_and_roll_the_balance_forward(year: int) -> None:
    place = YEARS.index(year)

    def f(name: str) -> Decimal:
        return figure(CASH_FLOWS, name, place)

    assert summed(CASH_FLOWS, place, "Net income (loss)", "Income taxes payable") == f("Operating activities")
    assert summed(CASH_FLOWS, place, "Capital expenditures", "Purchase of equity investment") == f(
        "Investing activities"
    )
    financing = summed(CASH_FLOWS, place, "Sale of convertible notes, net", "Distributions by pooled company")
    assert financing == f("Financing activities")
    moved = f("Operating activities") + f("Investing activities") + financing + f("Effect of exchange rates on cash")
    assert moved == f("Increase (decrease) in cash")
    assert f("Cash and equivalents, start of year") + moved == f("Cash and equivalents, end of year")
    assert f("Net income (loss)") == figure(OPERATIONS, "Net income (loss)", place)
    if year > 1999:
        assert f("Cash and equivalents, end of year") == figure(BALANCE, "Cash and cash equivalents", place)
        assert f("Cash and equivalents, start of year") == figure(
            CASH_FLOWS, "Cash and equivalents, end of year", place + 1
        )


def test_equity_rolls_forward_by_column_and_agrees_with_the_other_statements() -> None:
    moves = [row for row in rows(EQUITY) if len(row[1]) == 6]
    assert all(sum(values[:-1]) == values[-1] for _, values in moves)
    dates = [n for n, (name, _) in enumerate(moves) if re.match(r"October 1, 1998|September 30,", name)]
    assert len(dates) == 4
    for (start, end), year in zip(pairwise(dates), reversed(YEARS), strict=True):
        place = YEARS.index(year)
        assert [sum(column) for column in zip(*(v for _, v in moves[start:end]), strict=True)] == list(moves[end][1])
        named = dict(moves[start + 1 : end])
        assert named["Net income (loss)"][-1] == figure(OPERATIONS, "Net income (loss)", place)
        for ours, theirs in [("Dividends", "Dividends paid"), ("Treasury purchases", "Purchases of treasury stock")]:
            assert named[ours][-1] == figure(CASH_FLOWS, theirs, place)
        others = sum(values[3] for values in named.values())
        comprehensive = figure(EQUITY, "Comprehensive income (loss)", place)
        assert comprehensive == named["Net income (loss)"][-1] + others
        kinds = ("Translation adj", "Unrealized gains (losses)", "Minimum pension liability", "Cash flow hedges")
        assert others == sum(v[place] for name, v in rows(EQUITY) if len(v) == 3 and name.startswith(kinds))
        if year > 1999:
            assert moves[end][1][-1] == figure(BALANCE, "Total shareholders' equity", place)


def test_quarters_sum_to_the_year() -> None:
    quarters = rows("QUARTERLY RESULTS AND STOCK PRICES (UNAUDITED)")
    for name in ("Net sales", "Gross profit", "Net income (loss)"):
        sums = [sum(values) for label, values in quarters if label.endswith(name)]
        total = "Total net sales" if name == "Net sales" else name
        assert sums == [figure(OPERATIONS, total, place) for place in (0, 1)], name


def test_segments_sum_to_net_sales_and_to_operating_income() -> None:
    exhibit = documents()["EX-13"]
    sales = exhibit[exhibit.index("NET SALES BY SEGMENT") :].split("</TABLE>")[0]
    results = exhibit[exhibit.index("Segment result:") :].split("</TABLE>")[0]
    for table, total in ((sales, "Total net sales"), (results, "Operating income (loss)")):
        lines = [line for line in table.splitlines() if re.match(r" *[A-Z].* \.\.\. ?", line)]
        figures = [[value(cell) for cell in re.findall(r"\(?\d[\d,]+\)?|--", line.split("...")[-1])] for line in lines]
        assert len(figures) >= 4
        parts, last = figures[:-1], figures[-1]
        assert [sum(column) for column in zip(*parts, strict=True)] == last
        assert last == [figure(OPERATIONS, total, place) for place in range(3)]


def test_discussion_agrees_with_the_statements() -> None:
    named = [
        (OPERATIONS, "Total net sales", 0, "Net sales fell 17.2% to {}"),
        (OPERATIONS, "Total net sales", 1, "increased 22.7% in fiscal 2000, to {}"),
        (OPERATIONS, "Gross profit", 0, "Gross profit was {}, or 34.9% of sales"),
        (OPERATIONS, "Inventory write-downs", 0, "came from {} of write-downs"),
        (OPERATIONS, "Selling, general and administrative", 0, "They came to {}, a reduction of $10.5 million"),
        (OPERATIONS, "Research and development", 0, "Research and development was held at {}"),
        (OPERATIONS, "Restructuring", 0, "The restructuring charge of {} comprises"),
        (OPERATIONS, "Interest expense", 0, "Interest expense was {}"),
        (OPERATIONS, "Income tax benefit (provision)", 0, "a tax benefit of {}"),
        (OPERATIONS, "Gain on sale of product line", 0, "booked a gain of {}"),
        (OPERATIONS, "Net income (loss)", 0, "The net loss for the year was {}"),
        (CASH_FLOWS, "Operating activities", 0, "Operating activities supplied {} in fiscal 2001"),
        (CASH_FLOWS, "Operating activities", 2, "and {} in fiscal 1999"),
        (CASH_FLOWS, "Capital expenditures", 0, "equipment were cut to {}"),
        (CASH_FLOWS, "Financing activities", 0, "Financing activities used {}"),
        (CASH_FLOWS, "Repurchase of convertible notes", 0, "in the open market for {}"),
        (CASH_FLOWS, "Dividends paid", 0, "Dividends were $.24 a share, {} in all"),
        (CASH_FLOWS, "Stock issued under employee plans", 0, "Employees and directors paid in {}"),
        (CASH_FLOWS, "Premiums from put options", 1, "compared with {} in fiscal 2000, and were added to paid-in"),
        (CASH_FLOWS, "Distributions by pooled company", 1, "it distributed {} to its former owners"),
        (EQUITY, "Translation adjustments", 0, "reduced equity by a further {}"),
        (EQUITY, "Minimum pension liability", 0, "took {}, after tax, out of shareholders' equity"),
    ]
    wrong = [
        phrase.format(millions(figure(title, name, place)))
        for title, name, place, phrase in named
        if phrase.format(millions(figure(title, name, place))) not in discussion()
    ]
    assert wrong == []


def test_discussion_is_long_breaks_across_pages_and_hyphenates() -> None:
    assert len(discussion().split()) >= 2_800
    joins = [(a.rstrip(), RUNNING_HEAD.sub("", b).lstrip()) for a, b in pairwise(pages("EX-13").values())]
    assert sum(1 for a, b in joins if re.search(r"[a-z]$", a) and b[:1].islower()) >= 3
    assert len(re.findall(r"[a-z]{2,}-\n[a-z]{2,}", documents()["EX-13"])) >= 8


def test_finder_follows_item_7_into_exhibit_13_and_keeps_the_pointer() -> None:
    section = read_section(FILING, "7")
    assert section.status is SectionStatus.FOUND
    assert section.source_document == "EX-13"
    assert section.form == "10-K405"
    assert section.filing_id == "0009900863-01-000004"
    held = [number for number, page in pages("EX-13").items() if "MANAGEMENT'S DISCUSSION AND ANALYSIS" in page]
    assert section.pointer is not None
    assert f"on pages {held[0]} through {held[-1]} of the Annual Report" in section.pointer


def test_section_is_the_whole_discussion_and_nothing_else() -> None:
    text = read_section(FILING, "7").text
    prose = re.sub(r"^#+ |^```\n.*?^```\n", "", text, flags=re.DOTALL | re.MULTILINE)
    # One word that the exhibit has nowhere else keeps the hyphen of its line's end, as any compound does.
    assert " ".join(prose.replace("divi-sions", "divisions").split()).replace("-", "") == discussion().replace("-", "")
    assert text.startswith("## MANAGEMENT'S DISCUSSION AND ANALYSIS OF FINANCIAL CONDITION AND RESULTS OF OPERATIONS\n")
    assert text.count("```") == 8


def test_items_that_point_to_the_proxy_statement_are_by_reference() -> None:
    sections = [read_section(FILING, item) for item in ("10", "11", "12")]
    assert {section.status for section in sections} == {SectionStatus.BY_REFERENCE}
    assert all("Proxy Statement" in (section.pointer or "") for section in sections)


@pytest.mark.parametrize(
    ("item", "first", "last"),
    [("6", 12, 12), ("7A", 24, 24), ("8", 25, 35)],
)
def test_other_items_are_followed_into_the_exhibit(item: str, first: int, last: int) -> None:
    section = read_section(FILING, item)
    assert section.status is SectionStatus.FOUND
    assert section.source_document == "EX-13"
    assert section.pointer is not None
    assert f"page {first}" in section.pointer or f"pages {first} through {last}" in section.pointer
    held = pages("EX-13")
    # Every long word of the section stands on its pages, and the last page's last long word ends it.
    printed = " ".join(held[number] for number in range(first, last + 1))
    words = set(re.findall(r"[A-Za-z]{8,}", section.text))
    assert words
    assert words <= set(re.findall(r"[A-Za-z]{8,}", re.sub(r"(?<=[a-z])-\n\s*", "", printed)))
    assert re.findall(r"[A-Za-z]{8,}", section.text)[-1] == re.findall(r"[A-Za-z]{8,}", held[last])[-1]
