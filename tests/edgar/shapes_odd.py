"""Rarer settings: titles without numbers, items in two columns, pointers with more than a pointer, unusual exhibits."""

from __future__ import annotations

import textwrap

from shapes import (
    ITEMS_10K,
    PARTS,
    RISK,
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
from shapes_forms import OLD, typed
from shapes_html import donnelley_report, workiva_report
from shapes_pointers import AUDITOR


def title_only(risk: str = "Quantitative and Qualitative Disclosures about Risk", *, heads: bool = True) -> str:
    """A bank: numbers in the contents page only; titles in the text, repeated as the heads of the pages."""
    made = Workiva("2023 Form 10-K")
    rows, body = [made.row("Table of Contents", "Part", "Item", "Page", style="font-weight:700")], ""
    names = {**dict(ITEMS_10K), "7A": risk}
    for page, (number, title) in enumerate(names.items(), start=3):
        part = next(PARTS[n] for n in reversed(PARTS) if float(n) <= float(number.rstrip("ABC"))).removeprefix("PART ")
        rows.append(made.row(f'<a href="#x{number}">{title}</a>', part, number, str(page)))
        text = discussion() if number == "7" else about(title, 6)
        half = len(text) // 2
        body += (
            made.anchor(f"x{number}") + made.h(title, size=16 if not heads else 12) + made.ps(text[:half]) + made.turn()
        )
        body += (made.h(title.split(" of Financial")[0], size=12) if heads else "") + made.ps(text[half:]) + made.turn()
    return made.doc(
        made.h("FORM 10-K", centred=True), made.table(rows), made.turn(), body, made.h("Signatures"), made.p("Signed.")
    )


def annual_pages() -> str:
    """Pages K-1 and on, the discussion's title with "(Continued)" at the head of its later pages."""
    made = Workiva()
    body, page = "", 0
    for number, title in ITEMS_10K:
        body += made.h(f"Item {number}. {title}")
        texts = discussion() if number == "7" else about(title)
        for part in range(3):
            head = (
                made.h('Management’s Discussion and Analysis <span style="font-style:italic">(Continued)</span>')
                if number == "7" and part
                else ""
            )
            body += head + made.ps(texts[part * 4 : part * 4 + 4] if number == "7" else texts[part * 2 : part * 2 + 2])
            page += 1
            body += made.turn(f"K-{page}")
    return made.doc(body)


def two_columns() -> str:
    """The number of every item in a left column, its title and whole text in the right one."""
    rows = ""
    for number, title in ITEMS_10K:
        text = "".join(f"<p>{t}</p>" for t in (discussion() if number == "7" else about(title)))
        rows += f"<tr><td width=60 valign=top><b>Item {number}.</b></td><td valign=top><b>{title}</b>{text}</td></tr>"
    return f"<html><body><table width=100%>{rows}</table></body></html>"


def two_column_tables() -> str:
    """As above, each item in a table of its own."""
    body = ""
    for number, title in ITEMS_10K:
        text = "".join(f"<p>{t}</p>" for t in (discussion() if number == "7" else about(title)))
        body += (
            f"<table width=100%><tr><td width=60 valign=top><b>Item {number}.</b></td><td valign=top><b>"
            f"{title}</b>{text}</td></tr></table>"
        )
    return f"<html><body>{body}</body></html>"


def placed_lines() -> str:
    """From a page image: every printed line a DIV with a place of its own."""
    body = ""
    for number, title in ITEMS_10K:
        lines = textwrap.wrap(f"ITEM {number}. {title.upper()}", 60)
        body += "".join(
            f'<DIV style="position:absolute;top:{n * 12}px;left:70px"><FONT size=2><B>{line}</B></FONT></DIV>\n'
            for n, line in enumerate(lines)
        )
        for text in discussion() if number == "7" else about(title):
            body += "".join(
                f'<DIV style="position:absolute;left:70px"><FONT size=2>{line}</FONT></DIV>\n'
                for line in textwrap.wrap(text, 95)
            )
        body += '<DIV style="position:relative"><HR></DIV>'
    return f"<HTML><BODY>{body}</BODY></HTML>"


def unclosed() -> str:
    """Upper-case tags, none of them closed, entities for quotes and dashes."""
    body = ""
    for number, title in ITEMS_10K:
        body += f"<P><CENTER><B>ITEM {number}. {title.upper().replace('’', '&#146;')}</B></CENTER>\n"
        body += "".join(f"<P>{t}\n" for t in (discussion() if number == "7" else about(title)))
        body += "<HR>\n"
    return f"<HTML><BODY><FONT SIZE=2>{body}"


def tagged_heading(made: Workiva, number: str, title: str) -> str:
    return (
        f'<ix:nonNumeric contextRef="c-1" name="dei:Item" escape="true" id="f-{number}">'
        f"{made.h(f'Item {number}. {title}')}</ix:nonNumeric>"
    )


def spread_heading(made: Workiva, number: str, title: str) -> str:
    return made.h(f"Item&#8195;{number}.&#8203; " + title.replace(" ", "&#160;"))


def heading_elements() -> str:
    body = "".join(
        f"<h2>Item {n}. {t}</h2>" + "".join(f"<p>{p}</p>" for p in (discussion() if n == "7" else about(t)))
        for n, t in ITEMS_10K
    )
    return f"<html><body>{body}</body></html>"


def list_items() -> str:
    body = "".join(
        f"<ul><li><b>Item {n}. {t}</b></li></ul>"
        + "".join(f"<p>{p}</p>" for p in (discussion() if n == "7" else about(t)))
        for n, t in ITEMS_10K
    )
    return f"<html><body>{body}</body></html>"


def part_in_heading(made: Workiva, number: str, title: str) -> str:
    part = (
        "I"
        if number in ("1", "1A", "1B", "2", "3", "4")
        else "II"
        if number.startswith(("5", "6", "7", "8", "9"))
        else "III"
        if number != "15"
        else "IV"
    )
    return made.h(f"PART {part}, ITEM {number}. {title.upper()}")


def split_contents() -> str:
    """The contents page goes on in a second table after a page's end; Item 7 has lines of parts under it."""
    made = Workiva()
    half = workiva_report()
    cut = made.row(PARTS["10"], style="font-weight:700")
    parts = "".join(
        made.row("", f"&#160;&#160;&#160;{name}", str(30 + n))
        for n, name in enumerate(("Overview", "Results of Operations", "Liquidity and Capital Resources"))
    )
    row = made.row('<a href="#i7A">Item 7A.</a>', f'<a href="#i7A">{RISK}</a>', '<a href="#i7A">12</a>')
    return half.replace(row, parts + row, 1).replace(cut, "</table></div>" + made.turn() + "<div><table>" + cut, 1)


def after_title(number: str, title: str) -> str:
    return f"{title} (ITEM {number})\n\n"


def typed_cross_reference() -> str:
    """An annual report that serves as the form: a typed sheet of items and pages, then titles only."""
    made = Ascii()
    pages = {"1": "4", "7": "5-7", "8": "8-9"}
    rows = "".join(f"Item {n:<4}{t.title()[:50]:<56}{pages.get(n, '*'):>6}\n" for n, t in OLD)
    body = made.c("FORM 10-K CROSS REFERENCE INDEX") + rows + made.turn()
    body += made.turn() + made.turn() + made.c("BUSINESS") + made.ps(about("business", 4)) + made.turn()
    body += made.c("MANAGEMENT'S DISCUSSION AND ANALYSIS")
    for number in range(3):
        body += made.ps(plain(discussion()[number * 4 : number * 4 + 4])) + made.turn()
    body += (
        made.c("CONSOLIDATED BALANCE SHEETS")
        + made.ps(about("the sheets", 4))
        + made.turn()
        + made.ps(prose(3))
        + made.turn()
    )
    return submission("10-K", ("10-K", body + made.c("SIGNATURES") + made.p("Signed.")))


def continued_heads() -> str:
    """A typed report whose later pages begin with the item's heading and "(continued)"."""
    made = Ascii()
    body = ""
    for number, title in OLD:
        body += f"ITEM {number}.  {title}\n\n"
        if number != "7":
            body += made.ps(about(title)) + made.turn()
            continue
        for part in range(3):
            head = (
                (
                    "ITEM 7.  MANAGEMENT'S DISCUSSION AND ANALYSIS OF FINANCIAL CONDITION AND\n         RESULTS "
                    "OF OPERATIONS (Continued)\n\n"
                )
                if part
                else ""
            )
            body += head + made.ps(plain(discussion()[part * 4 : part * 4 + 4])) + made.turn()
    return submission("10-K", ("10-K", body))


def repeated_heads() -> str:
    """An HTML report whose pages all begin with their item's whole heading, without "(continued)"."""
    made = Donnelley()
    body = ""
    for number, title in ITEMS_10K:
        texts = discussion() if number == "7" else about(title, 4)
        for part in range(3):
            body += (
                made.h(f"Item {number}. {title}")
                + made.ps(texts[part * 4 : part * 4 + 4] if number == "7" else texts[part * 2 : part * 2 + 2])
                + made.turn()
            )
    return made.doc(body)


def list_contents() -> str:
    """A contents page without page numbers, its lines set as the headings are."""
    made = Donnelley()
    body = "".join(made.h(f"Item {n}. {t}") for n, t in ITEMS_10K) + made.turn()
    body += "".join(made.h(f"Item {n}. {t}") + made.ps(discussion() if n == "7" else about(t)) for n, t in ITEMS_10K)
    return made.doc(body)


def statements_inside() -> str:
    """Item 8 has no heading: reports and statements follow the discussion at once, then Item 9."""
    return workiva_report(
        skip=("7A", "8"),
        texts={
            "7": Workiva().ps(discussion())
            + Workiva().h(AUDITOR.upper(), centred=True)
            + Workiva().ps(about("the audit", 8))
        },
    )


def financial_group() -> str:
    """An index table with columns for part, item and page whose items are numbers only."""
    made = Workiva()
    rows = [made.row("PART II", "", "", style="font-weight:700")]
    for page, (number, title) in enumerate(ITEMS_10K, start=3):
        rows.append(made.row(number, f'<a href="#y{number}">{title}</a>', str(page)))
    body = ""
    for number, title in ITEMS_10K:
        body += (
            made.anchor(f"y{number}")
            + made.h(f"Item {number}. {title}")
            + made.ps(discussion() if number == "7" else about(title))
            + made.turn()
        )
    return made.doc(made.table(rows), body)


ODD_SHAPES = [
    Shape(
        "titles without numbers, repeated as heads",
        title_only,
        start="Management’s Discussion",
        following="Quantitative",
    ),
    Shape(
        "titles without numbers",
        lambda: title_only(RISK, heads=False),
        start="Management’s Discussion",
        following="Quantitative",
    ),
    Shape("pages K-1, continued heads", annual_pages, following="Item 7A"),
    Shape("numbers in a left column", two_columns, following="Item 7A"),
    Shape("numbers in a left column, tables", two_column_tables, following="Item 7A"),
    Shape("lines placed one by one", placed_lines, following="Item 7A"),
    Shape("tags never closed", unclosed, following="Item 7A"),
    Shape("heading inside a tagged fact", lambda: workiva_report(tagged_heading), following="Item 7A"),
    Shape("blanks of all kinds in the heading", lambda: workiva_report(spread_heading), following="Item 7A"),
    Shape("heading elements", heading_elements, following="Item 7A"),
    Shape("headings as list points", list_items, following="Item 7A"),
    Shape(
        "part in the heading",
        lambda: workiva_report(part_in_heading),
        start="Part II, Item 7",
        following="Part II, Item 7A",
    ),
    Shape("the item's number behind its title", lambda: typed(after_title), start="Management", following=None),
    Shape(
        "typed cross-reference sheet, titles only",
        typed_cross_reference,
        start="Management's Discussion",
        following="Consolidated Balance Sheets",
    ),
    Shape("continued heads, typed", continued_heads, following="ITEM 8"),
    Shape("whole headings as heads of all pages", repeated_heads, following="Item 7A"),
    Shape("contents set as headings", list_contents, following="Item 7A"),
    Shape("statements at once after the discussion", statements_inside, following=AUDITOR),
    Shape("index of bare numbers", financial_group, following="Item 7A"),
    Shape(
        "without anything but headings", lambda: donnelley_report(lambda n, t: f"<P>{n} {t}</P>"), following="Item 7A"
    ),
    Shape("contents in two tables, with lines of parts", split_contents, following="Item 7A"),
]
