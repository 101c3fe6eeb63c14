"""Short items, headings inside anchors or hidden twice, form feeds, reports in two documents, exhibits without it."""

from __future__ import annotations

from shapes import (
    ITEMS_10K,
    MDA_PLAIN,
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
from shapes_forms import typed
from shapes_html import donnelley_report, workiva_report
from shapes_pointers import ascii_items

SHORT = "We had no business in the year and own nothing but the cash in the bank."


def shell() -> str:
    """A company without a business: one sentence for the item, a contents page before it."""
    return donnelley_report(texts={"7": Donnelley().p(SHORT)})


def named_anchor(number: str, title: str) -> str:
    return f'<P><A NAME="a{number}"><FONT SIZE="2"><B>{number} {title}</B></FONT></A></P>\n'


def linked_number(number: str, title: str) -> str:
    return f'<P><FONT SIZE="2"><B><A HREF="#toc">{number}</A> {title}</B></FONT></P>\n'


def wide_stop(number: str, title: str) -> str:
    return f'<P><FONT SIZE="2"><B>{number.replace(".", "．")}{title}</B></FONT></P>\n'


def lower_case(number: str, title: str) -> str:
    return f'<P><FONT SIZE="2"><B>{number.lower()} {title.lower()}</B></FONT></P>\n'


def hidden_list() -> str:
    """A list of all headings that is not displayed, before the report."""
    hidden = "".join(f"<div><b>Item {n}. {t}</b></div>" for n, t in ITEMS_10K)
    return donnelley_report().replace(
        '<BODY BGCOLOR="WHITE">', f'<BODY BGCOLOR="WHITE"><div style="display:none">{hidden}</div>'
    )


def form_feeds() -> str:
    return typed().replace("<PAGE>", "\f")


def fragment() -> str:
    """HTML without the elements html and body."""
    whole = donnelley_report()
    return submission("10-K", ("10-K", whole[whole.index("<P STYLE") : whole.index("</BODY>")]))


def two_documents() -> str:
    """Part I in one document of the form's type, the rest in another."""
    made, again = Ascii(), Ascii()
    first = ascii_items(made, {}, ("1", "2", "3", "4"))
    second = ascii_items(
        again, {"7": again.ps(plain(discussion()))}, ("5", "6", "7", "8", "9", "10", "11", "12", "13", "14")
    )
    return submission("10-K", ("10-K", first), ("10-K", second))


def exhibit_without_it() -> str:
    """The exhibit holds the statements only."""
    whole = exhibit("@@", MDA_PLAIN, "INDEPENDENT AUDITORS' REPORT", before=True)
    start, end = whole.index("@@"), whole.index("INDEPENDENT AUDITORS' REPORT")
    return whole[:start] + whole[end:]


def repeated_in_exhibit() -> str:
    """An exhibit whose pages all begin with the part's title."""
    made = Ascii()
    pointer = (
        f'The information required by this item appears under "{MDA_PLAIN}" in the Annual Report, '
        "Exhibit 13, and is incorporated herein by reference."
    )
    inside = Ascii()
    report = inside.c("FIVE-YEAR SUMMARY") + inside.ps(about("five years")) + inside.turn()
    for number in range(4):
        report += (
            inside.c("MANAGEMENT'S DISCUSSION AND ANALYSIS")
            + inside.ps(plain(discussion()[number * 3 : number * 3 + 3]))
            + inside.turn()
        )
    report += inside.c("CONSOLIDATED BALANCE SHEETS") + inside.ps(about("the sheets", 4)) + inside.turn()
    return submission("10-K", ("10-K", ascii_items(made, {"7": made.p(pointer)})), ("EX-13", report))


def heading_parted_by_page(number: str, title: str) -> str:
    """The number at the foot of a page, the title at the head of the next one."""
    return (
        f"<P><B>{number}</B></P>"
        + (Donnelley().turn("9") if number.endswith("7.") else "")
        + f"<P><B>{title}</B></P>\n"
    )


def contents_over_rows() -> str:
    """A contents page whose long titles go over two rows of the table."""
    made = Donnelley()
    rows = []
    for page, (number, title) in enumerate(ITEMS_10K, start=3):
        cut = title.rfind(" ", 0, 45) if len(title) > 45 else len(title)
        rows.append((f"Item&nbsp;{number}.", title[:cut], "" if title[cut:] else str(page)))
        if title[cut:]:
            rows.append(("", title[cut:], str(page)))
    body = "".join(
        made.h(f"Item {n}. {t}") + made.ps(discussion() if n == "7" else about(t)) + made.turn() for n, t in ITEMS_10K
    )
    return made.doc(made.rows(rows), made.turn(), body)


def left_out_items() -> str:
    """Only Items 1, 7, 8 and 15, and these under titles of the filer's own."""
    made = Donnelley()
    own = {
        "1": "Our Company",
        "7": "How We Did in 2009: Management’s Discussion and Analysis",
        "8": "Our Financial Statements",
        "15": "Exhibits",
    }
    return made.doc(
        "".join(
            made.h(f"Item {n} — {t}") + made.ps(discussion() if n == "7" else about(t)) + made.turn()
            for n, t in own.items()
        )
    )


def sections() -> str:
    """Items counted by part: "Item II-7"."""
    made = Donnelley()
    groups = {"1": "I", "1A": "I", "1B": "I", "2": "I", "3": "I", "4": "I", "15": "IV"}
    label = {n: groups.get(n, "II" if int(n.rstrip("ABC")) < 10 else "III") for n, _ in ITEMS_10K}
    return made.doc(
        "".join(
            made.h(f"PART {label[n]} - ITEM {n} - {t.upper()}")
            + made.ps(discussion() if n == "7" else about(t))
            + made.turn()
            for n, t in ITEMS_10K
        )
    )


def glossary_first() -> str:
    """A glossary that defines "Item 7" and "MD&A" in bold before the report."""
    made = Workiva()
    terms = [
        ("Item 7", "Management’s Discussion and Analysis of Financial Condition and Results of Operations"),
        ("MD&amp;A", "Item 7 of this report"),
        ("Plant", "either of our two plants"),
    ]
    return workiva_report(texts={"1": made.table(made.row(a, b) for a, b in terms) + made.ps(about("Business", 5))})


RARE_SHAPES = [
    Shape("one sentence in the item", shell, first=SHORT, last=SHORT, following="Item 7A"),
    Shape("headings inside named anchors", lambda: donnelley_report(named_anchor), following="Item 7A"),
    Shape("only the number is a link", lambda: donnelley_report(linked_number), following="Item 7A"),
    Shape("full-width stop", lambda: donnelley_report(wide_stop), following="Item 7A"),
    Shape("headings in lower case", lambda: donnelley_report(lower_case), following="Item 7A"),
    Shape("a hidden list of headings", hidden_list, following="Item 7A"),
    Shape("form feeds for pages", form_feeds, following="ITEM 8"),
    Shape("a fragment of HTML", fragment, following="Item 7A"),
    Shape("a report in two documents", two_documents, following="ITEM 8", source="10-K"),
    Shape(
        "an exhibit without the discussion",
        exhibit_without_it,
        status="by_reference",
        first="The information required",
        last="incorporated herein by reference.",
        following="ITEM 8",
        source="10-K",
    ),
    Shape(
        "an exhibit with the title on all pages",
        repeated_in_exhibit,
        start="Management's Discussion",
        following="Consolidated Balance Sheets",
        source="EX-13",
    ),
    Shape("a page between number and title", lambda: donnelley_report(heading_parted_by_page), following="Item 7A"),
    Shape("contents over two rows", contents_over_rows, following="Item 7A"),
    Shape("titles of the filer's own", left_out_items, following="Item 8"),
    Shape("part and item by dashes", sections, start="Part II - Item 7", following="Part II - Item 7A"),
    Shape("a glossary that names the item", glossary_first, following="Item 7A"),
]
