"""Annual reports named by pages, by several captions, or for several items at once."""

from __future__ import annotations

from shapes import (
    ITEMS_10K,
    MDA,
    Ascii,
    Donnelley,
    Shape,
    Workiva,
    about,
    discussion,
    plain,
    prose,
    submission,
)
from shapes_forms import small
from shapes_pointers import AUDITOR, ascii_items, items

BEFORE, AFTER = ("1", "2", "3", "4"), ("9", "10", "11", "12", "13", "14")


def report_pages(title: str, *, top: bool = False, first: int = 11) -> str:
    """A typed annual report whose discussion fills pages 12 and 13; `top` sets the numbers at the pages' heads."""
    made = Ascii()
    texts = plain(discussion())
    pages = [
        made.c("FIVE YEARS AT A GLANCE") + made.ps(about("five years")),
        made.c(title) + made.ps(texts[:6]),
        made.ps(texts[6:]),
        made.c("CONSOLIDATED STATEMENTS OF INCOME") + made.ps(about("income")),
        made.c("NOTES TO CONSOLIDATED FINANCIAL STATEMENTS") + made.ps(about("the notes")),
    ]
    if top:
        return "".join(f"<PAGE>\n{label:>74}\n\n{page}" for label, page in enumerate(pages, start=first))
    return "".join(f"{page}\n\n{label:>40}\n<PAGE>\n" for label, page in enumerate(pages, start=first))


def joint_items(sentence: str, heading: str, title: str = "MANAGEMENT'S DISCUSSION AND ANALYSIS") -> str:
    """A typed report in which several items of Part II share a heading and a pointer."""
    made = Ascii()
    main = ascii_items(made, {}, BEFORE).split(made.c("SIGNATURES"))[0]
    main += f"{heading}\n\n" + made.p(sentence) + ascii_items(made, {}, AFTER)
    return submission("10-K", ("10-K", main), ("EX-13", report_pages(title)))


def by_pages(sentence: str, title: str, *, top: bool = False) -> str:
    made = Ascii()
    return submission(
        "10-K", ("10-K", ascii_items(made, {"7": made.p(sentence)})), ("EX-13", report_pages(title, top=top))
    )


def html_pages() -> str:
    """An HTML annual report with feet that change sides, the discussion without a title of its own."""
    made = Donnelley()
    seven = made.p(
        "The information required by this item is included in our 2007 Annual Report to Shareholders "
        "on pages 12 through 13 and is incorporated herein by reference."
    )
    inside = Donnelley()

    def foot(page: int) -> str:
        words = f"{page} &nbsp;Corvane 2007 Annual Report" if page % 2 else f"Corvane 2007 Annual Report &nbsp;{page}"
        return (
            f'<P ALIGN="{"left" if page % 2 else "right"}"><FONT SIZE="1">{words}</FONT></P>\n<HR SIZE="3" '
            'COLOR="#999999">\n'
        )

    report = (
        inside.h("Letter to Our Owners")
        + inside.ps(about("the letter"))
        + foot(10)
        + inside.ps(about("the board"))
        + foot(11)
    )
    report += (
        inside.h("How the Year Went") + inside.ps(discussion()[:6]) + foot(12) + inside.ps(discussion()[6:]) + foot(13)
    )
    report += (
        inside.h("Consolidated Balance Sheets")
        + inside.ps(about("the sheets"))
        + foot(14)
        + inside.ps(about("the notes"))
        + foot(15)
    )
    return submission("10-K", ("10-K", made.doc(items(made, {"7": seven}, upper=False))), ("EX-13", inside.doc(report)))


def captions() -> str:
    """The discussion under several captions of an annual report, none of which is the usual title."""
    made = Ascii()
    pointer = (
        'The information required by this item appears under the captions "Results of Operations" '
        'and "Financial Condition" on pages 12 and 13 of the 1998 Annual Report to Shareholders, which '
        "is incorporated herein by reference."
    )
    inside = Ascii()
    texts = plain(discussion())
    report = inside.c("FIVE YEARS AT A GLANCE") + inside.ps(about("five years")) + inside.turn("11")
    report += (
        inside.c("RESULTS OF OPERATIONS")
        + inside.ps(texts[:6])
        + inside.turn("12")
        + inside.c("FINANCIAL CONDITION")
        + inside.ps(texts[6:])
        + inside.turn("13")
    )
    report += inside.c("CONSOLIDATED STATEMENTS OF INCOME") + inside.ps(about("income")) + inside.turn("14")
    return submission("10-K", ("10-K", ascii_items(made, {"7": made.p(pointer)})), ("EX-13", report))


def captions_and_pages() -> str:
    """A retailer's pointer: captions, each with its page, before the name of the report."""
    made = Donnelley()
    seven = made.p(
        "Analysis of Operations, Page 12; and Analysis of Financial Condition, Page 13, of Registrant's "
        "2002 Annual Report to Shareholders are incorporated herein by reference."
    )
    main = made.doc(items(made, {"7": seven}, upper=False))
    inside = Donnelley()
    inside.page = 10
    report = (
        inside.h("Financial Summary")
        + inside.ps(about("the summary"))
        + inside.turn()
        + inside.h("Analysis of Operations")
        + inside.ps(discussion()[:6])
        + inside.turn()
    )
    report += (
        inside.h("Analysis of Financial Condition")
        + inside.ps(discussion()[6:])
        + inside.turn()
        + inside.h("Consolidated Results of Operations")
        + inside.ps(about("results"))
        + inside.turn()
    )
    return submission("10-K", ("10-K", main), ("EX-13", inside.doc(report)))


def index_with_pages() -> str:
    """A manufacturer: titles in large type, a table of headings and pages at the front with the word ITEM."""
    made = Workiva()
    rows = [made.row("HEADING", "", "PAGE(S)", style="font-weight:700")]
    own = [
        ("1", "About Corvane", "3"),
        ("7", MDA, "4"),
        ("1A", "Risk Factors", "8"),
        ("7A", "Quantitative and Qualitative Disclosures About Market Risk", "9"),
        ("2", "Properties", "10"),
        ("3", "Legal Proceedings", "10"),
        ("8", "Financial Statements and Supplementary Data", "11"),
        ("9A", "Controls and Procedures", "13"),
    ]
    rows += [made.row(f"ITEM {n}", t, p) for n, t, p in own]
    body = made.h("CROSS-REFERENCE INDEX", size=12) + made.table(rows) + made.turn() + made.ps(prose(2)) + made.turn()
    for number, title, _ in own:
        body += made.h(title.upper(), size=16, style="font-weight:400;color:#e4002b")
        parts = (
            [
                ("EXECUTIVE SUMMARY", discussion()[:3]),
                ("RESULTS", discussion()[3:6]),
                ("LIQUIDITY", discussion()[6:9]),
                ("CRITICAL ESTIMATES", discussion()[9:]),
            ]
            if number == "7"
            else [("OVERVIEW", about(title))]
        )
        for name, texts in parts:
            body += made.h(name, size=11) + made.ps(texts) + made.turn()
    return submission("10-K", ("10-K", made.doc(body)))


def two_columns_of_lines() -> str:
    """A whole form as a table of items and where their answers stand, before an annual report in the same document."""
    made = Donnelley()
    rows = [("<B>Item</B>", "<B>Title</B>", "<B>Where found</B>")]
    for number, title in ITEMS_10K:
        rows.append(
            (
                f"Item {number}.",
                title,
                "Annual Report, pages 3 to 4"
                if number == "7"
                else "Annual Report, pages 6 to 7"
                if number == "8"
                else "Proxy Statement",
            )
        )
    body = (
        made.h("FORM 10-K CROSS REFERENCE SHEET", centred=True)
        + made.rows(rows)
        + made.turn()
        + made.h("To our owners", centred=True)
        + made.ps(about("the letter"))
        + made.turn()
    )
    body += (
        made.h("Management’s Discussion and Analysis", centred=True)
        + made.ps(discussion()[:6])
        + made.turn()
        + made.ps(discussion()[6:])
        + made.turn()
    )
    body += (
        made.h(AUDITOR, centred=True)
        + made.ps(about("the audit"))
        + made.turn()
        + made.h("Balance Sheets", centred=True)
        + made.ps(about("the sheets"))
        + made.turn()
        + made.ps(prose(4))
        + made.turn()
    )
    return submission("10-K", ("10-K", made.doc(body, made.h("SIGNATURES"), made.p("Signed."))))


def small_form() -> str:
    """The small filer's form, whose Item 6 points to an annual report."""
    pointer = "The information required by this item is incorporated herein by reference to pages 12 through 13 of the "
    whole = small(texts={"6": Donnelley().p(pointer + "Annual Report to Shareholders, attached as Exhibit 13.")})
    main = whole[whole.index("<TEXT>") + 7 : whole.index("</TEXT>")]
    return submission("10KSB", ("10KSB", main), ("EX-13", report_pages("MANAGEMENT'S DISCUSSION AND ANALYSIS")))


def quarterly_exhibit() -> str:
    """A bank's quarterly report that points to the one it sends to its shareholders."""
    made = Ascii()
    pointer = (
        'The information required by this item appears under "Management\'s Discussion and Analysis" in the Quarterly '
    )
    pointer += "Report to Shareholders, filed as Exhibit 19, and is incorporated herein by reference."
    body = made.c("PART I - FINANCIAL INFORMATION") + "Item 1.  Financial Statements\n\n"
    body += made.p("Incorporated by reference from the Quarterly Report to Shareholders, Exhibit 19.")
    body += (
        "Item 2.  Management's Discussion and Analysis of Financial Condition and\n         Results of Operations\n\n"
    )
    body += made.p(pointer) + made.c("PART II - OTHER INFORMATION") + "Item 1.  Legal Proceedings\n\n     None.\n\n"
    body += "Item 6.  Exhibits\n\n" + made.ps(about("exhibits")) + made.c("SIGNATURES")
    return submission("10-Q", ("10-Q", body), ("EX-19", report_pages("MANAGEMENT'S DISCUSSION AND ANALYSIS")))


SHARED = (
    "The information required by Items 5 through 8 is set forth on pages 11 through 15 of the "
    "1998 Annual Report to Shareholders, filed as Exhibit 13, and is incorporated herein by reference."
)
LISTED = (
    "The information required by these items is incorporated by reference from the 1998 Annual "
    "Report to Shareholders (Exhibit 13): Item 5, page 15; Item 6, page 11; Item 7, pages 12 to "
    "13; and Item 8, pages 14 to 15."
)
REF_SHAPES = [
    Shape(
        "Items 5 through 8 point as one",
        lambda: joint_items(SHARED, "ITEMS 5 THROUGH 8."),
        start="Management's Discussion",
        following="Consolidated Statements of Income",
        source="EX-13",
    ),
    Shape(
        "Items 5, 6, 7 and 8 point one by one",
        lambda: joint_items(LISTED, "ITEMS 5, 6, 7 AND 8."),
        start="Management's Discussion",
        following="Consolidated Statements of Income",
        source="EX-13",
    ),
    Shape(
        "pages to and",
        lambda: by_pages(
            (
                "Incorporated by reference to pages 12 and 13 of the Company's Annual Report to Shareholders "
                "for 1998, filed herewith as Exhibit 13."
            ),
            "THE YEAR IN REVIEW",
        ),
        start="The year in review",
        following="Consolidated Statements of Income",
        source="EX-13",
    ),
    Shape(
        "pages with numbers at their heads",
        lambda: by_pages(
            (
                "Incorporated by reference to pages 12-13 of the Company's Annual Report to Shareholders for "
                "1998, filed herewith as Exhibit 13."
            ),
            "THE YEAR IN REVIEW",
            top=True,
        ),
        start="The year in review",
        following="Consolidated Statements of Income",
        source="EX-13",
    ),
    Shape(
        "pages of an HTML report",
        html_pages,
        start="How the year went",
        following="Consolidated Balance Sheets",
        source="EX-13",
    ),
    Shape(
        "several captions",
        captions,
        start="Results of operations",
        following="Consolidated Statements of Income",
        source="EX-13",
    ),
    Shape(
        "captions each with a page",
        captions_and_pages,
        start="Analysis of operations",
        following="Consolidated results",
        source="EX-13",
    ),
    Shape(
        "large titles, index with the word ITEM",
        index_with_pages,
        start="Management’s Discussion",
        first="Executive Summary",
        following="Risk Factors",
    ),
    Shape(
        "a sheet that says where each item stands",
        two_columns_of_lines,
        start="Management’s Discussion",
        following=AUDITOR,
    ),
    Shape(
        "the small form and an exhibit",
        small_form,
        start="Management's Discussion",
        following="Consolidated Statements of Income",
        source="EX-13",
    ),
    Shape(
        "a quarterly report in an exhibit",
        quarterly_exhibit,
        start="Management's Discussion",
        following="Consolidated Statements of Income",
        source="EX-19",
    ),
]
