"""Filings whose Item 7 points elsewhere, into the same report or an exhibit, and those that only an index names."""

from __future__ import annotations

import textwrap

from shapes import (
    ITEMS_10K,
    MDA,
    PARTS,
    Ascii,
    Donnelley,
    Shape,
    Workiva,
    about,
    discussion,
    prose,
)

ICFR = "Management’s Report on Internal Control over Financial Reporting"
AUDITOR = "Report of Independent Registered Public Accounting Firm"


def items(made: Workiva | Donnelley, texts: dict[str, str], *, upper: bool = True) -> str:
    """The form's items, each with its heading and a text, short where `texts` has none."""
    body = ""
    for number, title in ITEMS_10K:
        if number in PARTS:
            body += made.h(PARTS[number], centred=True)
        body += made.h(f"ITEM {number}. {title.upper()}" if upper else f"Item {number}. {title}")
        body += texts.get(number) or made.ps(about(title))
        if number in ("1", "4", "9B", "15"):
            body += made.turn()
    return (
        body
        + made.h("SIGNATURES", centred=True)
        + made.p("Signed on behalf of the registrant by its officers.")
        + made.turn()
    )


def oil_financial_section() -> str:
    """An oil company: Item 7 names a section that comes after the signatures and has its own contents."""
    made = Workiva()
    pointer = made.p(
        "Reference is made to the section entitled “Management’s Discussion and Analysis of Financial "
        "Condition and Results of "
        "Operations” in the Financial Section of this report."
    )
    risk = made.p("Reference is made to the section entitled “Market Risks” in the Financial Section of this report.")
    eight = made.p(
        "Reference is made to the following in the Financial Section of this report: Consolidated "
        "financial statements and notes."
    )
    body = items(made, {"7": pointer, "7A": risk, "8": eight})
    contents = [
        "Business Profile",
        "Frequently Used Terms",
        MDA,
        "&#160;&#160;&#160;Overview",
        "&#160;&#160;&#160;Market Risks",
        ICFR,
        AUDITOR,
        "Consolidated Financial Statements",
        "Notes",
    ]
    body += made.h("FINANCIAL SECTION", centred=True, size=14) + made.h("TABLE OF CONTENTS", centred=True)
    body += (
        made.table(made.row(f'<a href="#f{n}">{title}</a>', str(40 + n)) for n, title in enumerate(contents))
        + made.turn()
    )
    body += made.h("BUSINESS PROFILE", size=12) + made.ps(about("the business profile", 2)) + made.turn()
    body += made.h(MDA.upper(), size=12)
    for number, name in enumerate(("OVERVIEW", "BUSINESS RESULTS", "LIQUIDITY AND CAPITAL RESOURCES", "MARKET RISKS")):
        body += made.h(name) + made.ps(discussion()[number * 3 : number * 3 + 3]) + made.turn()
    body += made.h(ICFR.upper(), size=12) + made.ps(about("internal control", 2)) + made.turn()
    body += made.h(AUDITOR.upper(), size=12) + made.ps(about("the audit", 4)) + made.turn()
    return made.doc(made.h("FORM 10-K", centred=True), body)


def oil_index_page() -> str:
    """An oil company: Item 7 says that an index is on page FS-1; the pages FS-1 and on come after the items."""
    made = Workiva()
    sentence = (
        "The index to Management’s Discussion and Analysis of Financial Condition and Results of Operations, "
        "Consolidated Financial "
        "Statements and Supplementary Data is presented on page FS-1."
    )
    risk = (
        "The discussion of interest rate, foreign currency and commodity price market risk is contained "
        "in Management’s Discussion and Analysis on page FS-3."
    )
    body = items(made, {"7": made.p(sentence), "7A": made.p(risk), "8": made.p(sentence)}, upper=False)
    names = [
        "Key Financial Results",
        "Business Environment and Outlook",
        "Results of Operations",
        "Liquidity and Capital Resources",
    ]
    body += made.h("Financial Table of Contents", size=14)
    body += made.table(
        [
            made.row(MDA, ""),
            *(made.row(f"&#160;&#160;&#160;{name}", f"FS-{n}") for n, name in enumerate(names, start=2)),
            made.row(ICFR, "FS-6"),
            made.row("Consolidated Financial Statements", "FS-7"),
            made.row("Notes to the Consolidated Financial Statements", "FS-9"),
        ]
    )
    body += made.turn("FS-1") + made.h(MDA, size=14)
    for number, name in enumerate(names, start=2):
        body += (
            made.h(name, size=11) + made.ps(discussion()[number * 3 - 6 : number * 3 - 3]) + made.turn(f"FS-{number}")
        )
    body += made.h(ICFR, size=12) + made.ps(about("internal control", 2)) + made.turn("FS-6")
    return made.doc(
        made.h("FORM 10-K", centred=True),
        body,
        made.h("Consolidated Balance Sheet", size=12),
        made.ps(about("the balance sheet")),
        made.turn("FS-7"),
    )


def bank_bound_in() -> str:
    """A bank: an index of parts and items at the front, pointers by caption and pages, the annual report bound in."""
    made = Workiva("Halden &amp; Co./2024 Form 10-K")
    rows = [made.row("Form 10-K Index", "", style="font-weight:700")]
    pages = {"1": "1", "7": "4", "7A": "8", "8": "9"}
    for number, title in ITEMS_10K:
        if number in PARTS:
            rows.append(made.row(PARTS[number].title(), "", "Page", style="font-weight:700"))
        rows.append(made.row(f"Item {number}.", title, pages.get(number, "2-3")))
    body = made.table(rows) + made.turn()
    seven = (
        "Management’s discussion and analysis of the financial condition and results of operations, "
        "entitled “Management’s discussion and "
        "analysis,” appears on pages 5–8. Such information should be read in conjunction with the "
        "Consolidated Financial Statements and Notes "
        "thereto, which appear on pages 10–12."
    )
    risk = "Refer to the Market Risk Management section of Management’s discussion and analysis on pages 7–8."
    eight = (
        "The Consolidated Financial Statements, together with the Notes thereto and the report thereon, "
        "appear on pages 10–12."
    )
    body += items(made, {"7": made.p(seven), "7A": made.p(risk), "8": made.p(eight)}, upper=False).replace(
        ">5</span>", ">5</span>"
    )
    made.page = 4
    contents = [
        "Financial:",
        "Three-Year Summary",
        "Management’s discussion and analysis:",
        "Introduction",
        "Executive Overview",
        "Capital Risk Management",
        "Audited financial statements:",
        ICFR,
        AUDITOR,
        "Consolidated Financial Statements",
    ]
    body += (
        made.h("Table of contents", size=14)
        + made.table(made.row(str(4 + n), title) for n, title in enumerate(contents))
        + made.turn("4")
    )
    made.page = 4
    body += made.h("Management’s discussion and analysis", size=12, style="font-weight:400")
    for number, name in enumerate(
        ("INTRODUCTION", "EXECUTIVE OVERVIEW", "CONSOLIDATED RESULTS", "CAPITAL RISK MANAGEMENT")
    ):
        body += made.h(name, size=14) + made.ps(discussion()[number * 3 : number * 3 + 3]) + made.turn()
        body += made.h("Management’s discussion and analysis", size=12, style="font-weight:400") if number < 3 else ""
    body += made.h(ICFR, size=12, style="font-weight:400") + made.ps(about("internal control", 2)) + made.turn()
    body += made.h("Consolidated balance sheets", size=12) + made.ps(about("the balance sheet", 3)) + made.turn()
    return made.doc(made.h("FORM 10-K", centred=True), body)


def bank_title_only() -> str:
    """A bank without item headings: a cross-reference index at the front gives pages; titles are in large type."""
    made = Workiva()
    pages = {"1": "3-4", "1A": "9", "7": "5-8", "7A": "8", "8": "11-13", "9A": "10"}
    rows = [made.row("Item Number", "Page", style="font-weight:700")]
    for number, title in ITEMS_10K:
        if number in PARTS:
            rows.append(made.row(PARTS[number].title(), style="font-weight:700"))
        rows.append(made.row(f"{number}.", title, pages.get(number, "Not Applicable")))
    body = made.h("FORM 10-K CROSS-REFERENCE INDEX", size=12) + made.table(rows) + made.turn()
    listed = [
        "OVERVIEW",
        "Our Five Segments",
        MDA.upper().replace(" OF", " <br/>OF", 1),
        "Executive Summary",
        "Results by Segment",
        "Managing Risk",
    ]
    listed += [
        "CAPITAL RESOURCES",
        "RISK FACTORS",
        "INTERNAL CONTROL",
        "CONSOLIDATED FINANCIAL STATEMENTS",
        "CORPORATE INFORMATION",
    ]
    contents = (
        made.row(title, f'<a href="#a{n}">{n}</a>', style="font-weight:700") for n, title in enumerate(listed, start=3)
    )
    body += made.h("HALDEN’S 2025 ANNUAL REPORT ON FORM 10-K", size=12) + made.table(contents) + made.turn()
    body += (
        made.h("OVERVIEW", size=12) + made.ps(about("the firm", 6)) + made.turn() + made.ps(prose(3, 44)) + made.turn()
    )
    body += made.h(MDA.upper(), size=12)
    for number, name in enumerate(("EXECUTIVE SUMMARY", "RESULTS BY SEGMENT", "MANAGING RISK", "CAPITAL RESOURCES")):
        body += made.h(name, size=12) + made.ps(discussion()[number * 3 : number * 3 + 3]) + made.turn()
    body += made.h("RISK FACTORS", size=12) + made.ps(about("risk factors", 6)) + made.turn()
    body += made.h("INTERNAL CONTROL", size=12) + made.ps(about("internal control", 3)) + made.turn()
    body += made.h("CONSOLIDATED FINANCIAL STATEMENTS", size=12) + made.ps(about("the statements", 6)) + made.turn()
    body += made.h("CORPORATE INFORMATION", size=12) + made.ps(about("the corporation", 2)) + made.turn()
    return made.doc(made.h("FORM 10-K", centred=True), body, made.h("SIGNATURES"), made.p("Signed."))


def utility_pointers() -> str:
    """A holding company: Item 7 lists its registrants and pointers; the discussion is on pages after Part IV."""
    made = Donnelley()
    names = ("CORVANE POWER CORPORATION AND SUBSIDIARIES", "HALDEN ELECTRIC COMPANY")
    pointer = made.p(
        "The information required by this item is incorporated herein by reference to the material "
        "under Management’s Discussion and "
        "Analysis of Financial Condition and Results of Operations on pages 5 through 6 of this report."
    )
    body = items(made, {"7": pointer})
    made.page = 4
    body += (
        made.h(names[0], centred=True)
        + made.h(MDA.upper(), centred=True)
        + made.ps(discussion()[:6])
        + made.turn()
        + made.ps(discussion()[6:])
        + made.turn()
    )
    body += (
        made.h(names[0], centred=True)
        + made.h("CONSOLIDATED STATEMENTS OF INCOME", centred=True)
        + made.ps(about("income", 2))
        + made.turn()
    )
    return made.doc(made.h("FORM 10-K", centred=True), body)


def f_pages() -> str:
    """Item 7 points to pages behind the signatures, numbered F-1 and on."""
    made = Donnelley()
    pointer = made.p("The information required by this Item is set forth on pages F-2 through F-4 of this report.")
    body = items(made, {"7": pointer, "8": made.p("See pages F-5 through F-6.")}, upper=False)
    body += (
        made.h("INDEX TO FINANCIAL INFORMATION", centred=True)
        + made.rows([(MDA, "F-2"), (AUDITOR, "F-5"), ("Balance Sheets", "F-6")])
        + made.turn("F-1")
    )
    body += made.h(MDA.upper(), centred=True)
    for number in range(3):
        body += made.ps(discussion()[number * 4 : number * 4 + 4]) + made.turn(f"F-{number + 2}")
    body += made.h(AUDITOR.upper(), centred=True) + made.ps(about("the audit", 2)) + made.turn("F-5")
    return made.doc(body, made.h("BALANCE SHEETS", centred=True), made.ps(about("the balance sheet")), made.turn("F-6"))


def ascii_items(
    made: Ascii,
    texts: dict[str, str],
    numbers: tuple[str, ...] = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14"),
) -> str:
    titles = {
        **{n: t.replace("’", "'") for n, t in ITEMS_10K},
        "4": "Submission of Matters to a Vote of Security Holders",
        "14": "Exhibits, Financial Statement Schedules and Reports on Form 8-K",
    }
    body = ""
    for number in numbers:
        body += (
            f"ITEM {number}.  {titles[number].upper()}\n\n"
            if len(titles[number]) < 55
            else wrapped(number, titles[number].upper())
        )
        body += texts.get(number) or made.ps(about(titles[number]))
        body += made.turn() if number in ("2", "6", "9") else ""
    return body + made.c("SIGNATURES") + made.p("Signed on our behalf.")


def wrapped(number: str, title: str) -> str:
    """A heading over several lines, its title indented."""

    return textwrap.fill(f"ITEM {number}.  {title}", 62, subsequent_indent=" " * 9) + "\n\n"


POINTER_SHAPES = [
    Shape(
        "an oil company's financial section",
        oil_financial_section,
        start="Management’s Discussion",
        first="Overview",
        following="Management’s Report on Internal",
        pointer="in the Financial Section of this report",
    ),
    Shape(
        "an oil company's index on page FS-1",
        oil_index_page,
        start="Management’s Discussion",
        first="Key Financial Results",
        following="Management’s Report on Internal",
        pointer="is presented on page FS-1",
    ),
    Shape(
        "a bank's annual report bound in",
        bank_bound_in,
        start="Management’s discussion and analysis",
        first="Introduction",
        following="Management’s Report on Internal",
        pointer="appears on pages",
    ),
    Shape(
        "a bank without item headings",
        bank_title_only,
        start="Management’s Discussion",
        first="Executive Summary",
        following="Risk factors",
    ),
    Shape(
        "pages of the registrants after Part IV",
        utility_pointers,
        start="Management’s Discussion",
        following=None,
        pointer="on pages 5 through 6",
    ),
    Shape(
        "pages F-2 through F-4",
        f_pages,
        start="Management’s Discussion",
        following="Report of Independent",
        pointer="on pages F-2 through F-4",
    ),
]
