"""Annual reports as exhibits: what Item 7 says about them, and how they set the discussion."""

from __future__ import annotations

from shapes import (
    MDA_PLAIN,
    Ascii,
    Donnelley,
    Shape,
    about,
    discussion,
    plain,
    prose,
    submission,
)
from shapes_pointers import ascii_items, items

ANNUAL = (
    "The information required by this item is incorporated by reference from the section captioned "
    '"{}" in the Company\'s 1998 Annual Report to Shareholders, filed as Exhibit 13 to this report.'
)


def exhibit_13(title: str, caption: str, after: str = "CONSOLIDATED STATEMENTS OF INCOME", *, pages: str = "") -> str:
    """A typed filing with its annual report as Exhibit 13."""
    made = Ascii()
    main = made.c("FORM 10-K") + ascii_items(
        made, {"7": made.p(pages or ANNUAL.format(caption)), "8": made.p("Incorporated by reference from Exhibit 13.")}
    )
    inside = Ascii()
    inside.page = 10
    report = inside.c("SELECTED FINANCIAL DATA") + inside.ps(about("five years", 3)) + inside.turn()
    report += (
        inside.c(title)
        + inside.ps(plain(discussion()[:5]))
        + inside.turn()
        + inside.ps(plain(discussion()[5:]))
        + inside.turn()
    )
    report += (
        inside.c(after)
        + inside.ps(about("income", 3))
        + inside.turn()
        + inside.c("NOTES TO CONSOLIDATED FINANCIAL STATEMENTS")
        + inside.ps(about("the notes", 6))
    )
    return submission("10-K", ("10-K", main), ("EX-13", report), ("EX-27", "<ARTICLE> 5\n<CASH> 1,234\n"))


def exhibits_13_parts() -> str:
    """The annual report in several exhibits, each a part of it."""
    made = Ascii()
    main = ascii_items(
        made,
        {
            "7": made.p(
                "The information required by this item is contained in Exhibit 13.2 hereto and is incorporated "
                "herein by reference."
            )
        },
    )
    data = Ascii()
    return submission(
        "10-K405",
        ("10-K405", main),
        ("EX-13.1", data.c("SELECTED FINANCIAL DATA") + data.ps(about("five years", 5))),
        ("EX-13.2", data.c("MANAGEMENT'S DISCUSSION AND ANALYSIS") + data.ps(plain(discussion()))),
        ("EX-13.3", data.c("CONSOLIDATED BALANCE SHEETS") + data.ps(about("the sheets", 5))),
    )


def html_exhibit_13() -> str:
    """An HTML report and its annual report as Exhibit 13, whose discussion is called a financial review."""
    made = Donnelley()
    seven = made.p(
        "The information required by this item is set forth under the caption “Financial Review” on "
        "pages 11 through 12 of the 2007 Annual Report and is incorporated herein by reference."
    )
    main = made.doc(
        items(
            made,
            {"7": seven, "8": made.p("See the 2007 Annual Report, which is incorporated herein by reference.")},
            upper=False,
        )
    )
    inside = Donnelley()
    inside.page = 9
    report = inside.h("To Our Shareholders") + inside.ps(about("the letter")) + inside.turn()
    report += (
        inside.h("Financial Review")
        + inside.ps(discussion()[:6])
        + inside.turn()
        + inside.ps(discussion()[6:])
        + inside.turn()
    )
    report += inside.h("Consolidated Balance Sheets") + inside.ps(about("the sheets")) + inside.turn()
    return submission("10-K", ("10-K", main), ("EX-13", inside.doc(report)))


def appendix() -> str:
    """The discussion stands in an appendix to the proxy statement, which is not filed here."""
    made = Ascii()
    sentence = (
        "The information required by this item is incorporated by reference to Appendix A to the Proxy "
        "Statement for the annual meeting of shareholders, pages A-4 through A-12."
    )
    return submission("10-K", ("10-K", ascii_items(made, {"7": made.p(sentence)})))


def cautionary_pointer() -> str:
    """A bank: the pointer, then a page of caution about statements on the future."""
    made = Ascii()
    pointer = (
        "The information required by this item is incorporated by reference from \"Management's Discussion "
        'and Analysis of Financial Condition and Results of Operations" in the 1998 Annual Report '
        "to Shareholders, Exhibit 13."
    )
    caution = [
        f"Statements in this report that look to the future carry risks, and what comes may differ from them. {p}"
        for p in prose(4, 31)
    ]
    main = ascii_items(made, {"7": made.p(pointer) + made.ps(caution)})
    inside = Ascii()
    report = (
        inside.c("MANAGEMENT'S DISCUSSION AND ANALYSIS OF FINANCIAL CONDITION AND RESULTS OF OPERATIONS")
        + inside.ps(plain(discussion()))
        + inside.turn()
    )
    report += inside.c("REPORT OF INDEPENDENT AUDITORS") + inside.ps(about("the audit", 4))
    return submission("10-K", ("10-K", main), ("EX-13", report))


def table_pointer() -> str:
    """The pointer is a table of captions and the pages of the annual report."""
    made = Donnelley()
    seven = made.p(
        "The following portions of the 2004 Annual Report to Shareholders, filed as Exhibit 13, are "
        "incorporated herein by reference:"
    )
    seven += made.rows(
        [
            ("<B>Caption</B>", "<B>Pages</B>"),
            ("Management’s Discussion and Analysis", "11-12"),
            ("Forward-Looking Statements", "12"),
        ]
    )
    main = made.doc(items(made, {"7": seven}, upper=False))
    inside = Donnelley()
    inside.page = 10
    report = (
        inside.h("Management’s Discussion and Analysis")
        + inside.ps(discussion()[:6])
        + inside.turn()
        + inside.ps(discussion()[6:])
        + inside.turn()
    )
    report += inside.h("Consolidated Statements of Earnings") + inside.ps(about("earnings")) + inside.turn()
    return submission("10-K", ("10-K", main), ("EX-13", inside.doc(report)))


def exhibit(
    title: str, caption: str, after: str, *, kind: str = "EX-13", named: str = "Exhibit 13", before: bool = False
) -> str:
    """A typed annual report in an exhibit; `after` is the title of what follows the discussion."""
    made = Ascii()
    pointer = (
        f'The information required by this item appears under the caption "{caption}" in the Annual '
        f"Report, which is filed as {named} and is incorporated herein by reference."
    )
    inside = Ascii()
    statements_ = (
        inside.c("CONSOLIDATED BALANCE SHEETS")
        + inside.ps(about("the sheets", 5))
        + inside.turn()
        + inside.c("NOTES TO FINANCIAL STATEMENTS")
        + inside.ps(about("the notes", 8))
        + inside.turn()
    )
    report = (
        (statements_ if before else "")
        + inside.c(title)
        + inside.ps(plain(discussion()[:6]))
        + inside.turn()
        + inside.c(title + " (CONTINUED)")
        + inside.ps(plain(discussion()[6:]))
        + inside.turn()
    )
    report += inside.c(after) + inside.ps(about(after, 4))
    return submission("10-K", ("10-K", ascii_items(made, {"7": made.p(pointer)})), (kind, report))


def joint_pointer() -> str:
    """Items 7 and 7A share a heading and a pointer."""
    whole = exhibit(MDA_PLAIN.upper(), MDA_PLAIN, "INDEPENDENT AUDITORS' REPORT")
    old = whole[whole.index("ITEM 7.") : whole.index("     The information required by this item appears")]
    return whole.replace(old, "ITEMS 7 AND 7A.  MANAGEMENT'S DISCUSSION AND ANALYSIS AND MARKET RISK\n\n")


EXHIBIT_SHAPES = [
    Shape(
        "Exhibit 13 under its title",
        lambda: exhibit_13(MDA_PLAIN.upper(), MDA_PLAIN),
        start="Management's Discussion",
        following="Consolidated Statements of Income",
        source="EX-13",
        pointer="Annual Report to Shareholders",
    ),
    Shape(
        "Exhibit 13, short title",
        lambda: exhibit_13("MANAGEMENT'S DISCUSSION AND ANALYSIS", "Management's Discussion and Analysis"),
        start="Management's Discussion",
        following="Consolidated Statements of Income",
        source="EX-13",
    ),
    Shape(
        "Exhibit 13, financial review",
        lambda: exhibit_13("FINANCIAL REVIEW", "Financial Review", "REPORT OF INDEPENDENT AUDITORS"),
        start="Financial review",
        following="Report of Independent",
        source="EX-13",
    ),
    Shape(
        "Exhibit 13, a title of its own",
        lambda: exhibit_13(
            "REVIEW OF OPERATIONS AND FINANCIAL CONDITION", "Review of Operations and Financial Condition"
        ),
        start="Review of operations",
        following="Consolidated Statements of Income",
        source="EX-13",
    ),
    Shape(
        "Exhibit 13, by pages",
        lambda: exhibit_13(
            "RESULTS OF THE YEAR",
            "",
            pages=(
                "Pages 12 through 13 of the Company's 1998 Annual Report to Shareholders are incorporated "
                "herein by reference."
            ),
        ),
        start="Results of the year",
        following="Consolidated Statements of Income",
        source="EX-13",
    ),
    Shape("Exhibit 13 in parts", exhibits_13_parts, start="Management's Discussion", source="EX-13.2"),
    Shape(
        "Exhibit 13 in HTML",
        html_exhibit_13,
        start="Financial review",
        following="Consolidated Balance Sheets",
        source="EX-13",
    ),
    Shape(
        "an appendix to the proxy statement",
        appendix,
        status="by_reference",
        first="The information required",
        last="pages A-4 through A-12.",
        following="Item 8",
        pointer="Appendix A to the Proxy Statement",
    ),
    Shape(
        "pointer and a page of caution",
        cautionary_pointer,
        start="Management's Discussion",
        following="Report of Independent",
        source="EX-13",
        pointer="incorporated by reference",
    ),
    Shape(
        "pointer as a table of captions",
        table_pointer,
        start="Management's Discussion",
        following="Consolidated Statements of Earnings",
        source="EX-13",
        pointer="incorporated herein by reference",
    ),
    Shape(
        "exhibit: the discussion after the statements",
        lambda: exhibit(MDA_PLAIN.upper(), MDA_PLAIN, "MARKET FOR THE COMPANY'S COMMON STOCK", before=True),
        start="Management's Discussion",
        following="Market for",
        source="EX-13",
    ),
    Shape(
        "exhibit: directors after the discussion",
        lambda: exhibit(MDA_PLAIN.upper(), MDA_PLAIN, "DIRECTORS AND OFFICERS", before=True),
        start="Management's Discussion",
        following="Directors and officers",
        source="EX-13",
    ),
    Shape(
        "exhibit: management's financial review",
        lambda: exhibit(
            "MANAGEMENT'S FINANCIAL REVIEW", "Management's Financial Review", "STATEMENT OF MANAGEMENT'S RESPONSIBILITY"
        ),
        start="Management's Financial Review",
        following="Statement of",
        source="EX-13",
    ),
    Shape(
        "exhibit: selected data after the discussion",
        lambda: exhibit("MANAGEMENT'S DISCUSSION", "Management's Discussion", "FIVE-YEAR SUMMARY OF SELECTED DATA"),
        start="Management's Discussion",
        following="Five-year",
        source="EX-13",
    ),
    Shape(
        "exhibit 99",
        lambda: exhibit(
            MDA_PLAIN.upper(), MDA_PLAIN, "INDEPENDENT AUDITORS' REPORT", kind="EX-99.1", named="Exhibit 99.1"
        ),
        start="Management's Discussion",
        following="Independent auditors",
        source="EX-99.1",
    ),
    Shape(
        "joint pointer",
        joint_pointer,
        start="Management's Discussion",
        following="Independent auditors",
        source="EX-13",
    ),
]
