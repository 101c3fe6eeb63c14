"""Numbers that run into titles, titles over several lines or letter by letter, quarterly cross-reference sheets."""

from __future__ import annotations

import textwrap

from shapes import (
    ITEMS_10K,
    MDA,
    MDA_PLAIN,
    RISK,
    Ascii,
    Donnelley,
    Shape,
    Workiva,
    about,
    discussion,
    plain,
    submission,
)
from shapes_exhibits import exhibit
from shapes_forms import OLD, typed
from shapes_html import workiva_report
from shapes_pointers import items


def no_blank(made: Workiva, number: str, title: str) -> str:
    return made.h(f"ITEM {number}{title.upper()}")


def half_bold(made: Workiva, number: str, title: str) -> str:
    """The number in plain type, the title in bold."""
    return (
        f'<div style="margin-top:12pt">{made.span(f"Item {number}.&#160;&#160;")}{made.span(title, "font-weight:700")}<'
        "/div>"
    )


def no_mark(made: Workiva, number: str, title: str) -> str:
    """Half bold as above, and the number without a full stop."""
    return (
        f'<div style="margin-top:12pt">{made.span(f"Item {number}&#160;")}{made.span(title, "font-weight:700")}</div>'
    )


def quarter_sheet() -> str:
    """A quarterly report without item headings: statements first, a cross-reference sheet at the end."""
    made = Workiva()
    contents = [
        "Consolidated Condensed Statements of Income",
        "Notes to Consolidated Condensed Financial Statements",
        "Management’s Discussion and Analysis",
        "Other Key Information",
        "Form 10-Q Cross-Reference Index",
    ]
    listed = (
        made.row(f'<a href="#z{n}">{title}</a>', str(n)) for n, title in zip((2, 3, 4, 7, 8), contents, strict=True)
    )
    body = (
        made.h("Table of Contents", size=18)
        + made.table(
            [
                *listed,
                *(
                    made.row("&#160;&#160;" + t, str(n))
                    for n, t in enumerate(("Overview", "Segment Trends", "Liquidity", "Risk Factors"), start=4)
                ),
            ]
        )
        + made.turn()
    )
    body += made.anchor("z2") + made.h(contents[0], size=18) + made.ps(about("income", 4)) + made.turn()
    body += made.anchor("z3") + made.h(contents[1], size=18) + made.ps(about("the notes", 8)) + made.turn()
    body += made.anchor("z4") + made.h(contents[2], size=18)
    for number, name in enumerate(("Overview", "Segment Trends", "Liquidity")):
        body += made.h(name, size=14) + made.ps(discussion()[number * 4 : number * 4 + 4]) + made.turn()
    body += (
        made.anchor("z7")
        + made.h(contents[3], size=18)
        + made.h("Risk Factors", size=14)
        + made.ps(about("risks", 4))
        + made.turn()
    )
    rows = [
        ("Part I - Financial Information", ""),
        ("Item 1. Financial Statements", "Pages 2 - 3"),
        (f"Item 2. {MDA}:", ""),
        ("Results of operations", "Pages 4 - 5"),
        ("Liquidity and capital resources", "Page 6"),
        (f"Item 3. {RISK}", "Page 7"),
        ("Item 4. Controls and Procedures", "Page 7"),
        ("Part II - Other Information", ""),
        ("Item 1. Legal Proceedings", "Page 3"),
        ("Item 1A. Risk Factors", "Page 7"),
        ("Item 6. Exhibits", "Page 8"),
    ]
    body += made.anchor("z8") + made.h(contents[4], size=18) + made.table(made.row(a, b) for a, b in rows) + made.turn()
    return submission("10-Q", ("10-Q", made.doc(body, made.h("Signatures"), made.p("Signed."))))


def quarter_joint() -> str:
    """A quarterly report whose Items 2 and 3 share a heading."""
    made = Donnelley()
    body = (
        made.h("PART I", centred=True)
        + made.h("Item 1. Financial Statements")
        + made.ps(about("statements", 6))
        + made.turn()
    )
    body += (
        made.h(f"Items 2 and 3. {MDA} and {RISK}")
        + made.ps(discussion())
        + made.turn()
        + made.h("Item 4. Controls and Procedures")
        + made.ps(about("controls"))
    )
    body += (
        made.h("PART II", centred=True)
        + made.h("Item 1. Legal Proceedings")
        + made.ps(about("legal"))
        + made.h("Item 2. Unregistered Sales of Equity Securities and Use of Proceeds")
        + made.ps(about("sales"))
    )
    return submission("10-Q", ("10-Q", made.doc(body)))


def quarter_other_report() -> str:
    """The discussion of a quarter cites items of the annual report in lines of their own."""
    made = Workiva()
    body = (
        made.h("PART I. FINANCIAL INFORMATION", centred=True)
        + made.h("Item 1. Consolidated Financial Statements (Unaudited)")
        + made.ps(about("statements", 6))
        + made.turn()
    )
    cited = made.p(
        "Item 1 “Business — Regulation” included in our 2023 Form 10-K says more on the rules of the trade."
    ) + made.p("Item 1A “Risk Factors” in the same report says what may go wrong.")
    body += (
        made.h(f"Item 2. {MDA}")
        + made.ps(discussion()[:6])
        + cited
        + made.turn()
        + made.ps(discussion()[6:])
        + made.turn()
    )
    body += (
        made.h(f"Item 3. {RISK}")
        + made.ps(about("risk"))
        + made.h("Item 4. Controls and Procedures")
        + made.ps(about("controls"))
        + made.turn()
    )
    body += (
        made.h("PART II. OTHER INFORMATION", centred=True)
        + made.h("Item 1. Legal Proceedings")
        + made.ps(about("legal"))
        + made.h("Item 1A. Risk Factors")
        + made.ps(about("risks"))
    )
    return submission("10-Q", ("10-Q", made.doc(body)))


def two_line_title(title: str) -> str:
    """A typed exhibit whose title stands in two centred lines."""
    whole = exhibit("@@", MDA_PLAIN, "INDEPENDENT AUDITORS' REPORT")
    made = Ascii()
    return whole.replace(made.c("@@ (CONTINUED)"), "").replace(made.c("@@"), title)


def exhibit_table_title() -> str:
    """An exhibit in HTML whose title stands in a table beside a picture, in two lines."""
    made = Donnelley()
    seven = made.p(
        "The information required by this item is incorporated by reference to “Management’s Discussion "
        "and Analysis of Financial Condition and Results of Operations” in the Annual Report, Exhibit "
        "13."
    )
    inside = Donnelley()
    report = inside.h("Selected Financial Data") + inside.ps(about("selected data")) + inside.turn()
    report += (
        '<TABLE WIDTH="100%"><TR><TD><IMG SRC="g1.jpg"></TD><TD><FONT SIZE="4"><B>Management’s Discussion '
        "and Analysis of<BR>Financial Condition and Results of Operations</B></FONT></TD></TR></TABLE>"
    )
    report += inside.ps(discussion()[:6]) + inside.turn() + inside.ps(discussion()[6:]) + inside.turn()
    report += (
        inside.h("Report of Independent Registered Public Accounting Firm")
        + inside.ps(about("the audit"))
        + inside.turn()
    )
    return submission("10-K", ("10-K", made.doc(items(made, {"7": seven}, upper=False))), ("EX-13", inside.doc(report)))


def repeated_typed() -> str:
    """A typed report whose pages all begin with their item's heading."""
    made = Ascii()
    body = ""
    for number, title in OLD:
        texts = plain(discussion()) if number == "7" else about(title, 5)
        for start in range(0, len(texts), 4):
            body += f"ITEM {number}.  {title[:60]}\n\n" + made.ps(texts[start : start + 4]) + made.turn()
    return submission("10-K", ("10-K", body))


def contents_in_lines() -> str:
    """A typed contents page whose entries go over two lines."""
    made = Ascii()
    rows = ""
    for page, (number, title) in enumerate(OLD, start=2):
        wrapped = textwrap.wrap(title.title(), 50)
        wrapped[-1] = f"{wrapped[-1] + ' ':.<54}{page:>4}"
        rows += f"Item {number + '.':<6}{wrapped[0]}\n" + "".join(f"{'':11}{line}\n" for line in wrapped[1:])
    body = made.c("TABLE OF CONTENTS") + rows + made.turn()
    for number, title in OLD:
        body += textwrap.fill(f"Item {number}.  {title.title()}", 62, subsequent_indent=" " * 9) + "\n\n"
        body += made.ps(plain(discussion()) if number == "7" else about(title)) + made.turn()
    return submission("10-K", ("10-K", body))


def contents_as_headings() -> str:
    """A typed list of items without pages, set as the headings are."""
    made = Ascii()
    heads = [textwrap.fill(f"Item {n}.  {t}", 66, subsequent_indent=" " * 9) + "\n\n" for n, t in OLD]
    body = "".join(heads) + made.turn()
    for head, (number, title) in zip(heads, OLD, strict=True):
        body += head + made.ps(plain(discussion()) if number == "7" else about(title)) + made.turn()
    return submission("10-K", ("10-K", body))


def amended_typed() -> str:
    """A typed amendment of Item 7 alone."""
    made = Ascii()
    body = made.c("FORM 10-K/A") + made.p(
        "The undersigned registrant hereby amends the following items of its Annual Report for 1996:"
    )
    body += (
        "Item 7.  Management's Discussion and Analysis of Financial Condition and\n         Results of Operations\n\n"
    ) + made.ps(plain(discussion()))
    return submission("10-K/A", ("10-K/A", body + made.c("SIGNATURES") + made.p("Signed.")))


def boxed_title(number: str, title: str) -> str:
    return "=" * 60 + f"\nITEM {number}.  {title[:48]}\n" + "=" * 60 + "\n\n"


def statements_first() -> str:
    """A small filer whose statements stand under Item 8 before Item 7 is headed in larger type (no order kept)."""
    made = Donnelley()
    order = [
        *(pair for pair in ITEMS_10K if pair[0] not in ("7", "7A")),
        *(pair for pair in ITEMS_10K if pair[0] == "7"),
    ]
    return made.doc(
        "".join(
            made.h(f"Item {n}. {t}") + made.ps(discussion() if n == "7" else about(t)) + made.turn() for n, t in order
        )
    )


LATE_SHAPES = [
    Shape("number and title without a blank", lambda: workiva_report(no_blank), following="ITEM 7A"),
    Shape("number plain, title bold", lambda: workiva_report(half_bold), following="Item 7A"),
    Shape("number plain without full stop, title bold", lambda: workiva_report(no_mark), following="Item 7A"),
    Shape(
        "quarterly cross-reference sheet",
        quarter_sheet,
        start="Management’s Discussion",
        first="Overview",
        following="Other Key Information",
    ),
    Shape("quarterly report, joint heading", quarter_joint, start="Items 2 and 3", following="Item 4"),
    Shape("quarterly report that cites the annual one", quarter_other_report, start="Item 2", following="Item 3"),
    Shape(
        "exhibit: title in two lines",
        lambda: two_line_title(
            Ascii().c("MANAGEMENT'S DISCUSSION AND ANALYSIS OF").rstrip()
            + "\n"
            + Ascii().c("FINANCIAL CONDITION AND RESULTS OF OPERATIONS")
        ),
        start="Management's Discussion",
        following="Independent auditors",
        source="EX-13",
    ),
    Shape(
        "exhibit: title in two lines apart",
        lambda: two_line_title(
            Ascii().c("MANAGEMENT'S DISCUSSION AND ANALYSIS")
            + Ascii().c("OF FINANCIAL CONDITION AND RESULTS OF OPERATIONS")
        ),
        start="Management's Discussion",
        following="Independent auditors",
        source="EX-13",
    ),
    Shape(
        "exhibit: title letter by letter",
        lambda: two_line_title(Ascii().c("M A N A G E M E N T ' S   D I S C U S S I O N   A N D   A N A L Y S I S")),
        start="Management's Discussion",
        following="Independent auditors",
        source="EX-13",
    ),
    Shape(
        "exhibit: title in a table",
        exhibit_table_title,
        start="Management’s Discussion",
        following="Report of Independent",
        source="EX-13",
    ),
    Shape("typed, headings at the head of all pages", repeated_typed, following="ITEM 8"),
    Shape("typed, contents entries over two lines", contents_in_lines, following="Item 8"),
    Shape("typed, contents set as headings", contents_as_headings, following="Item 8"),
    Shape("typed amendment of one item", amended_typed, following=None, source="10-K/A"),
    Shape("typed, headings between rules", lambda: typed(boxed_title), following="ITEM 8"),
    Shape("the item comes last", statements_first, following=None),
]
