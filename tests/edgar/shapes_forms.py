"""Other forms and years: typed 10-K and 10-K405, the small filer's form, quarterly reports, amendments, trusts."""

from __future__ import annotations

import textwrap

from shapes import (
    ITEMS_10K,
    MDA,
    MDA_PLAIN,
    RISK,
    Ascii,
    Donnelley,
    Heading,
    Shape,
    Workiva,
    about,
    discussion,
    plain,
    submission,
)
from shapes_pointers import wrapped

OLD = [
    ("1", "BUSINESS"),
    ("2", "PROPERTIES"),
    ("3", "LEGAL PROCEEDINGS"),
    ("4", "SUBMISSION OF MATTERS TO A VOTE OF SECURITY HOLDERS"),
    ("5", "MARKET FOR REGISTRANT'S COMMON EQUITY AND RELATED STOCKHOLDER MATTERS"),
    ("6", "SELECTED FINANCIAL DATA"),
    ("7", MDA_PLAIN.upper()),
    ("8", "FINANCIAL STATEMENTS AND SUPPLEMENTARY DATA"),
    ("9", "CHANGES IN AND DISAGREEMENTS WITH ACCOUNTANTS ON ACCOUNTING AND FINANCIAL DISCLOSURE"),
    ("10", "DIRECTORS AND EXECUTIVE OFFICERS OF THE REGISTRANT"),
    ("11", "EXECUTIVE COMPENSATION"),
    ("12", "SECURITY OWNERSHIP OF CERTAIN BENEFICIAL OWNERS AND MANAGEMENT"),
    ("13", "CERTAIN RELATIONSHIPS AND RELATED TRANSACTIONS"),
    ("14", "EXHIBITS, FINANCIAL STATEMENT SCHEDULES AND REPORTS ON FORM 8-K"),
]


def typed(heading: Heading | None = None, *, head: str = "", kind: str = "10-K", gap: str = "") -> str:
    """A typed annual report; `heading` writes an item's heading, `head` is a line at the top of every page."""
    made = Ascii()
    heading = heading or (lambda number, title: wrapped(number, title))
    body = (
        made.c("TABLE OF CONTENTS")
        + made.dots((f"Item {n}.", t.title(), str(p)) for p, (n, t) in enumerate(OLD, start=2))
        + made.turn()
    )
    for number, title in OLD:
        body += (f"{head}\n\n" if head else "") + heading(number, title)
        text = plain(discussion()) if number == "7" else about(title)
        half = len(text) // 2
        body += (
            made.ps(text[:half]) + made.turn() + (f"{head}\n\n" if head else "") + made.ps(text[half:]) + made.turn()
        )
    if gap:
        body = body.replace("\n", gap)
    return submission(
        kind, (kind, made.c("FORM " + kind) + body + made.c("SIGNATURES") + made.p("Signed on our behalf."))
    )


def hanging(number: str, title: str) -> str:
    """Number and title in two columns, the title over several lines, underlined."""

    rows = textwrap.wrap(title, 50)
    out = f"ITEM {number + '.':<5}{rows[0]}\n" + "".join(" " * 10 + row + "\n" for row in rows[1:])
    return out + "-" * 40 + "\n\n"


def centred(number: str, title: str) -> str:
    return (
        f"ITEM {number}".center(75).rstrip()
        + "\n\n"
        + "\n".join(row.center(75).rstrip() for row in textwrap.wrap(title, 60))
        + "\n\n"
    )


def dashed(number: str, title: str) -> str:
    return f"Item {number} - {title.title()}\n\n"


def run_in(number: str, title: str) -> str:
    """The heading and the first words of the text in one paragraph."""
    return f"     ITEM {number}.  {title}.  "


def spaced_out() -> str:
    """Every line followed by an empty one."""
    return typed(gap="\n\n")


SMALL = [
    ("1", "Description of Business"),
    ("2", "Description of Property"),
    ("3", "Legal Proceedings"),
    ("4", "Submission of Matters to a Vote of Security Holders"),
    ("5", "Market for Common Equity and Related Stockholder Matters"),
    ("6", "Management’s Discussion and Analysis or Plan of Operation"),
    ("7", "Financial Statements"),
    ("8", DISAGREE := "Changes in and Disagreements with Accountants on Accounting and Financial Disclosure"),
    ("8A", "Controls and Procedures"),
    (
        "9",
        (
            "Directors, Executive Officers, Promoters and Control Persons; Compliance with Section 16(a) "
            "of the Exchange Act"
        ),
    ),
    ("10", "Executive Compensation"),
    ("11", "Security Ownership of Certain Beneficial Owners and Management"),
    ("12", "Certain Relationships and Related Transactions"),
    ("13", "Exhibits and Reports on Form 8-K"),
    ("14", "Principal Accountant Fees and Services"),
]


def small(
    titles: list[tuple[str, str]] | None = None,
    *,
    kind: str = "10KSB",
    heading: Heading | None = None,
    contents: bool = True,
    texts: dict[str, str] | None = None,
) -> str:
    """A small filer's report: headings in FONT and B, capitals, every line a P, a rule for a page."""
    made = Donnelley()
    heading = heading or (lambda n, t: made.h(f"ITEM {n}. {t.upper()}"))
    rows = made.rows((f"Item {n}.", t, str(p)) for p, (n, t) in enumerate(titles or SMALL, start=3)) if contents else ""
    body = ""
    for number, title in titles or SMALL:
        discusses = title.startswith(("Management", "Plan of"))
        body += heading(number, title) + (
            (texts or {}).get(number) or made.ps(discussion() if discusses else about(title))
        )
        body += f"<P ALIGN=CENTER>{len(body) % 89}</P><HR>" if number in ("2", "5", "7", "9") else ""
    return submission(
        kind, (kind, made.doc(made.h("FORM 10-KSB"), rows, body, made.h("SIGNATURES"), made.p("Signed.")))
    )


def small_on_10k() -> str:
    """A small filer that went over to Form 10-K and kept the numbers of its old form."""
    return small(kind="10-K")


def plan_only() -> str:
    titles = [(n, "Plan of Operation" if n == "6" else t) for n, t in SMALL]
    return small(titles)


def bold_number_only(number: str, title: str) -> str:
    return f"<P><B>Item {number}.</B></P>\n<P><B>{title}</B></P>\n"


QUARTER = {
    "PART I. FINANCIAL INFORMATION": [
        ("1", "Financial Statements (Unaudited)"),
        ("2", MDA),
        ("3", RISK),
        ("4", "Controls and Procedures"),
    ],
    "PART II. OTHER INFORMATION": [
        ("1", "Legal Proceedings"),
        ("1A", "Risk Factors"),
        ("2", "Unregistered Sales of Equity Securities and Use of Proceeds"),
        ("6", "Exhibits"),
    ],
}


def quarter_workiva(*, part_lines: bool = True, numbers: bool = True) -> str:
    made = Workiva("Corvane")
    rows, body = [], ""
    for part, items in QUARTER.items():
        rows.append(made.row(part, style="font-weight:700"))
        body += made.h(part, centred=True) if part_lines else ""
        for number, title in items:
            rows.append(made.row(f"Item {number}.", f'<a href="#q{part[5:7]}{number}">{title}</a>', "3"))
            label = f"Item {number}. " if numbers else ""
            body += (
                made.h(f"{label}{title}")
                + made.ps(discussion() if number == "2" and title == MDA else about(title))
                + made.turn()
            )
    return submission("10-Q", ("10-Q", made.doc(made.table(rows), body, made.h("SIGNATURES"), made.p("Signed."))))


def quarter_typed(*, part_two: str = "PART II - OTHER INFORMATION", numbers: bool = True) -> str:
    made = Ascii()
    number = (lambda n: f"Item {n}.  ") if numbers else (lambda n: "")
    body = (
        made.c("PART I - FINANCIAL INFORMATION")
        + f"{number(1)}Financial Statements\n\n"
        + made.c("CONSOLIDATED BALANCE SHEETS")
    )
    body += (
        made.ps(about("the sheets", 4))
        + made.turn()
        + made.c("NOTES TO CONSOLIDATED FINANCIAL STATEMENTS")
        + made.ps(about("notes", 4))
        + made.turn()
    )
    title = (
        f"{number(2)}MANAGEMENT'S DISCUSSION AND ANALYSIS OF FINANCIAL CONDITION\n"
        + " " * 9
        + "AND RESULTS OF OPERATIONS\n\n"
    )
    body += title + made.ps(plain(discussion()[:6])) + made.turn() + made.ps(plain(discussion()[6:])) + made.turn()
    body += (
        made.c(part_two)
        + "Item 1.  Legal Proceedings\n\n"
        + made.p("There was none in the quarter that we need to name here.")
    )
    body += "Item 2.  Changes in Securities\n\n     None.\n\nItem 6.  Exhibits and Reports on Form 8-K\n\n" + made.ps(
        about("exhibits")
    )
    return submission("10-Q", ("10-Q", body + made.c("SIGNATURES") + made.p("Signed.")))


def amendment_part_three() -> str:
    """An amendment that adds Part III only; its explanation names other items."""
    made = Workiva()
    note = made.p(
        "This Amendment No. 1 amends the Annual Report on Form 10-K. It adds the information that "
        "Part III, Items 10 through 14, asks for and changes nothing else. Item 7, Management’s Discussion "
        "and Analysis, and Item 8 stand as first filed."
    )
    body = "".join(
        made.h(f"Item {n}. {t}") + made.ps(about(t)) + made.turn()
        for n, t in ITEMS_10K
        if n in ("10", "11", "12", "13", "14", "15")
    )
    return submission(
        "10-K/A",
        (
            "10-K/A",
            made.doc(
                made.h("EXPLANATORY NOTE", centred=True),
                note,
                made.h("PART III", centred=True),
                body,
                made.h("SIGNATURES"),
            ),
        ),
    )


def amendment_restated() -> str:
    """An amendment that restates Items 7, 8 and 15."""
    made = Workiva()
    note = made.p(
        "We are filing this Amendment No. 2 to restate our financial statements. The following items are amended:"
    )
    note += made.p(
        "Part II, Item 7. Management’s Discussion and Analysis of Financial Condition and Results of Operations"
    )
    note += made.p("Part II, Item 8. Financial Statements and Supplementary Data") + made.p(
        "Part IV, Item 15. Exhibits and Financial Statement Schedules"
    )
    body = "".join(
        made.h(f"ITEM {n}. {t.upper()}") + made.ps(discussion() if n == "7" else about(t)) + made.turn()
        for n, t in ITEMS_10K
        if n in ("7", "8", "15")
    )
    return submission(
        "10-K/A", ("10-K/A", made.doc(made.h("EXPLANATORY NOTE", centred=True), note, body, made.h("SIGNATURES")))
    )


def trust_list() -> str:
    """An asset-backed issuer: the items it omits in one list, each a bold line."""
    made = Donnelley()
    body = made.h("PART I", centred=True) + made.h(
        "The following Items have been omitted in accordance with General Instruction J to Form 10-K:"
    )
    body += "".join(made.h(f"Item {n}. {t}") for n, t in ITEMS_10K if n in ("1", "1A", "2", "3"))
    body += made.h("PART II", centred=True) + made.h(
        "The following Items have been omitted in accordance with General Instruction J to Form 10-K:"
    )
    body += "".join(made.h(f"Item {n}. {t}") for n, t in ITEMS_10K if n in ("5", "6", "7", "7A", "8", "9", "9A"))
    body += made.h("Item 9B. Other Information") + made.p("None.") + made.h("PART IV", centred=True)
    body += made.h("Item 15. Exhibits, Financial Statement Schedules") + made.ps(about("exhibits", 3))
    for name in ("1112(b)", "1114(b)(2)", "1117", "1119", "1122", "1123"):
        body += made.h(f"Item {name} of Regulation AB") + made.ps(about(f"Regulation AB {name}", 2))
    return submission("10-K", ("10-K", made.doc(body, made.h("SIGNATURES"), made.p("Signed."))))


def trust_not_applicable() -> str:
    """A trust that says "Not applicable" to most items."""
    made = Donnelley()
    body = "".join(made.h(f"Item {n}. {t}") + made.p("Not applicable.") for n, t in ITEMS_10K)
    return submission("10-K", ("10-K", made.doc(body, made.h("SIGNATURES"), made.p("Signed."))))


def omitted_narrative() -> str:
    """A subsidiary with reduced disclosure: its narrative analysis under the item's number."""
    made = Workiva()
    body = ""
    for number, title in ITEMS_10K:
        if number == "7":
            body += made.h("Item 7. Management’s Narrative Analysis of Results of Operations") + made.ps(discussion())
        elif number in ("6", "10", "11", "12", "13"):
            body += made.h(f"Item {number}. {title}") + made.p(
                "Omitted pursuant to General Instruction I(2) of Form 10-K."
            )
        else:
            body += made.h(f"Item {number}. {title}") + made.ps(about(title)) + made.turn()
    return submission("10-K", ("10-K", made.doc(body)))


FORM_SHAPES = [
    Shape("typed 10-K, title over two lines", typed, following="ITEM 8"),
    Shape(
        "typed 10-K405 with a line at the head of each page",
        lambda: typed(head="CORVANE PUMP COMPANY AND SUBSIDIARIES", kind="10-K405"),
        following="ITEM 8",
        source="10-K405",
    ),
    Shape("typed, hanging title underlined", lambda: typed(hanging), following="ITEM 8"),
    Shape("typed, number and title centred", lambda: typed(centred), following="ITEM 8"),
    Shape("typed, dash for the full stop", lambda: typed(dashed), following="Item 8"),
    Shape("typed, heading runs into the text", lambda: typed(run_in), following="ITEM 8"),
    Shape("typed, every other line empty", spaced_out, following="ITEM 8"),
    Shape("10-KSB", small, start="Item 6", following="ITEM 7"),
    Shape("10-KSB, plan of operation", plan_only, start="Item 6", following="ITEM 7"),
    Shape(
        "10-KSB, number and title in two lines",
        lambda: small(heading=bold_number_only, contents=False),
        start="Item 6",
        following="Item 7",
    ),
    Shape("10-K with the numbers of the small form", small_on_10k, start="Item 6", following="ITEM 7"),
    Shape("10-Q of the inline years", quarter_workiva, start="Item 2", following="Item 3"),
    Shape(
        "10-Q without lines for its parts",
        lambda: quarter_workiva(part_lines=False),
        start="Item 2",
        following="Item 3",
    ),
    Shape(
        "10-Q, titles without numbers",
        lambda: quarter_workiva(numbers=False),
        start="Management",
        following="Quantitative",
    ),
    Shape("10-Q typed", quarter_typed, start="Item 2", following=None),
    Shape(
        "10-Q typed, part in one word",
        lambda: quarter_typed(part_two="OTHER INFORMATION"),
        start="Item 2",
        following=None,
    ),
    Shape(
        "10-Q typed, titles without numbers", lambda: quarter_typed(numbers=False), start="Management", following=None
    ),
    Shape("amendment of Part III", amendment_part_three, status="absent"),
    Shape("amendment of Items 7, 8 and 15", amendment_restated, following="ITEM 8", source="10-K/A"),
    Shape("trust that lists what it omits", trust_list, status="absent"),
    Shape(
        "trust that says not applicable",
        trust_not_applicable,
        first="Not applicable",
        last="Not applicable.",
        following="Item 7A",
    ),
    Shape("narrative analysis", omitted_narrative, following="Item 7A"),
]
