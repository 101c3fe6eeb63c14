"""HTML filings whose items have numbers, in the settings that filers use."""

from __future__ import annotations

from collections.abc import Callable

from shapes import (
    FIRST,
    ITEMS_10K,
    LAST,
    MDA,
    PARTS,
    RISK,
    Ascii,
    Donnelley,
    Heading,
    Shape,
    Workiva,
    about,
    discussion,
    prose,
)


def workiva_report(
    heading: Callable[[Workiva, str, str], str] | None = None,
    *,
    skip: tuple[str, ...] = (),
    foot: str = "",
    texts: dict[str, str] | None = None,
    before: Callable[[Workiva, str], str] | None = None,
    contents: bool = True,
) -> str:
    """A report of the years from 2019, every item on a page of its own."""
    made = Workiva(foot)
    heading = heading or (lambda w, number, title: w.h(f"Item&#160;{number}.&#160;&#160;&#160;&#160;{title}"))
    rows, body, page = [made.row("", "", "Page")], "", 3
    for number, title in ITEMS_10K:
        if number in skip:
            continue
        if number in PARTS:
            rows.append(made.row(PARTS[number], style="font-weight:700"))
            body += made.h(PARTS[number], centred=True)
        rows.append(
            made.row(
                f'<a href="#i{number}">Item {number}.</a>',
                f'<a href="#i{number}">{title}</a>',
                f'<a href="#i{number}">{page}</a>',
            )
        )
        body += made.anchor(f"i{number}") + (before(made, number) if before else "") + heading(made, number, title)
        body += (texts or {}).get(number) or made.ps(discussion() if number == "7" else about(title))
        body += made.turn()
        page += 1
    front = (
        made.h("FORM 10-K", centred=True, size=14)
        + made.p("Annual report of Corvane Pump Company.")
        + '<hr style="page-break-after:always"/>'
    )
    if contents:
        front += (
            made.anchor("toc")
            + made.h("TABLE OF CONTENTS", centred=True)
            + made.table(rows)
            + '<hr style="page-break-after:always"/>'
        )
    end = made.h("SIGNATURES", centred=True) + made.p(
        "Pursuant to the requirements of the Act, this report was signed by us."
    )
    return made.doc(front, body, end)


def small_capitals_heading(made: Workiva, number: str, title: str) -> str:
    """Words whose first letters are larger, each size in a span of its own."""
    words = f"ITEM {number}. {title.upper()}".split()
    bold = "font-weight:700"
    inside = "".join(made.span(word[:1], bold, 10) + made.span(word[1:] + " ", bold, 8) for word in words)
    return f'<div style="margin-top:12pt">{inside}</div>'


def broken_heading(made: Workiva, number: str, title: str) -> str:
    """A heading whose number and title an editor cut into spans at odd places."""
    cut = len(title) // 3
    bold = [made.span(text, "font-weight:700") for text in ("I", "tem", "&#160;", number, title[:cut], title[cut:])]
    spans = [*bold[:4], made.span("."), made.span("&#160; "), *bold[4:]]
    return f'<div style="margin-top:12pt">{"".join(spans)}</div>'


def linked_heading(made: Workiva, number: str, title: str) -> str:
    inside = made.span(f"Item {number}. {title}", "font-weight:700")
    return f'<div style="margin-top:12pt"><a href="#toc" style="text-decoration:none">{inside}</a></div>'


def two_cells(made: Workiva, number: str, title: str) -> str:
    return made.table([made.row(f"Item {number}.", title, style="font-weight:700")])


def capitals(made: Workiva, number: str, title: str) -> str:
    return made.h(f"ITEM {number}. {title.upper()}")


def item_heads() -> str:
    """Every page begins with the part and the item it belongs to, as running heads."""

    def before(made: Workiva, number: str) -> str:
        return made.p("PART II") + made.p(f"Item {number}")

    made = Workiva()
    long = ""
    for group in range(4):
        chunk = discussion()[group * 3 : group * 3 + 3]
        long += made.ps(chunk) + (made.turn() + made.p("PART II") + made.p("Item 7") if group < 3 else "")
    return workiva_report(small_capitals_heading, before=before, texts={"7": long})


def joint_report(number: str, title: str) -> str:
    """Items 7 and 7A under one heading."""
    made = Workiva()
    whole = workiva_report(capitals, skip=("7A",))
    plain = made.h(f"ITEM 7. {MDA.upper()}")
    return whole.replace(plain, made.h(f"{number} {title}"))


def own_contents() -> str:
    """The discussion begins with a list of its own parts and their pages."""
    made = Workiva()
    parts = [
        "Introduction",
        "Results of Operations",
        "Liquidity and Capital Resources",
        "Critical Accounting Estimates",
        "Risk Factors",
        "Market Risk",
    ]
    listed = made.table([made.row(part, str(30 + number)) for number, part in enumerate(parts)])
    text = listed + made.turn()
    paragraphs = discussion()
    for number, part in enumerate(parts):
        text += made.h(part, style="font-weight:700;font-style:italic") + made.ps(
            paragraphs[number * 2 : number * 2 + 2]
        )
    return workiva_report(texts={"7": text})


def company_named() -> str:
    """A bank whose item headings carry the company's name before the title."""

    def heading(made: Workiva, number: str, title: str) -> str:
        if number in ("7", "8"):
            return made.h(f"Item {number}. Halden Bank Corporation and Subsidiaries") + made.h(title, size=14)
        return made.h(f"Item {number}. {title}")

    return workiva_report(heading)


def running_title() -> str:
    """A bank whose pages are headed by the firm's name and the part's title."""
    made = Workiva()
    text = ""
    for group in range(4):
        text += made.ps(discussion()[group * 3 : group * 3 + 3])
        if group < 3:
            text += made.turn() + made.h("THE HALDEN GROUP, INC. AND SUBSIDIARIES", centred=True, size=9)
            text += made.h("Management’s Discussion and Analysis", centred=True, size=9)
    return workiva_report(texts={"7": text}, foot="Halden 2024 Form 10-K")


def bar_headings() -> str:
    """An insurer: headings and running heads set with a bar, "ITEM 7 | Management's Discussion ..."."""

    def heading(made: Workiva, number: str, title: str) -> str:
        return made.h(f"ITEM {number} | {title}", size=16)

    made = Workiva()
    text = ""
    names = ["Executive Summary", "Consolidated Results of Operations", "Liquidity and Capital Resources", "Glossary"]
    for group, name in enumerate(names):
        text += made.h(name, size=12) + made.ps(discussion()[group * 3 : group * 3 + 3])
        if group < 3:
            text += made.turn() + made.p(f"ITEM 7 | {names[group + 1]}")
    return workiva_report(heading, texts={"7": text}, foot="Halden | 2024 Form 10-K")


def registrants() -> str:
    """One report of three companies: each has its own discussion under the one item."""
    made = Workiva()
    text = made.p(FIRST + " " + prose(1, 77)[0])
    for number, name in enumerate(("CORVANE POWER COMPANY", "HALDEN ELECTRIC COMPANY", "NORTH RIVER GAS COMPANY")):
        text += made.h(name, centred=True, size=12) + made.h(MDA.upper(), centred=True)
        text += made.h("Results of Operations") + made.ps(prose(5, 900 + 40 * number)) + made.turn()
        text += made.h("Liquidity and Capital Resources") + made.ps(prose(4, 1200 + 40 * number)) + made.turn()
    text += made.p(prose(1, 78)[0] + " " + LAST)
    return workiva_report(capitals, texts={"7": text})


def registrants_with_item_heads() -> str:
    """One report of three companies: the item's heading comes again for each of them."""
    made = Workiva()
    names = ("CORVANE POWER COMPANY", "HALDEN ELECTRIC COMPANY", "NORTH RIVER GAS COMPANY")
    text = made.h(names[0], centred=True) + made.p(FIRST + " " + prose(1, 77)[0]) + made.ps(prose(6, 900)) + made.turn()
    for number, name in enumerate(names[1:]):
        text += (
            made.h(f"ITEM 7. {MDA.upper()}")
            + made.h(name, centred=True)
            + made.ps(prose(7, 1200 + 40 * number))
            + made.turn()
        )
    text += made.p(prose(1, 78)[0] + " " + LAST)
    return workiva_report(capitals, texts={"7": text})


def cited_items() -> str:
    """Paragraphs in earlier items and in the discussion that begin with the name of another item, in bold."""
    made = Workiva()
    aside = " of this report says more on how rates of exchange bear on what we earn, currency by currency."

    def cited(item: str) -> str:
        return f'<div style="margin-top:6pt">{made.span(item, "font-weight:700")}{made.span(aside)}</div>'

    text = made.ps(discussion()[:6]) + cited(f"Item 7A. {RISK}") + made.ps(discussion()[6:])
    return workiva_report(
        texts={
            "7": text,
            "1": made.ps(about("Business")[:1]) + cited(f"Item 7. {MDA}") + made.ps(about("Business", 6)[1:]),
        }
    )


def donnelley_report(item: Heading | None = None, *, texts: dict[str, str] | None = None) -> str:
    """A report of 2000 to 2018; `item` writes a heading."""
    made = Donnelley()
    item = item or made.item
    rows: list[tuple[str, ...]] = [("", "", "<B>Page</B>")]
    body, page = "", 3
    for number, title in ITEMS_10K:
        if number in PARTS:
            rows.append((f"<B>{PARTS[number]}</B>",))
            body += made.h(PARTS[number], centred=True)
        rows.append((f"Item&nbsp;{number}.", f'<A HREF="#i{number}">{title}</A>', str(page)))
        body += f'<A NAME="i{number}"></A>' + item(f"Item&nbsp;{number}.", title)
        body += (texts or {}).get(number) or made.ps(discussion() if number == "7" else about(title))
        body += made.turn()
        page += 1
    front = made.h("FORM 10-K", centred=True) + made.p("Annual report of Corvane Pump Company.") + made.turn("")
    front += '<A NAME="toc"></A>' + made.h("TABLE OF CONTENTS", centred=True) + made.rows(rows) + made.turn("i")
    return made.doc(front, body, made.h("SIGNATURES", centred=True), made.p("Signed on our behalf."))


def bold_then_plain(number: str, title: str) -> str:
    return (
        '<P STYLE="margin-top:18px;margin-bottom:0px"><FONT FACE="Times New Roman" SIZE="2"><B><U>'
        f"{number}</U></B> <I><U>{title}</U></I></FONT></P>\n"
    )


def dash_heading(number: str, title: str) -> str:
    return f'<P ALIGN="left"><FONT SIZE="2"><B>{number.replace(".", "")}&#151;{title}</B></FONT></P>\n'


def div_report() -> str:
    """A small filer's converter: one line of text after the other, parted by BR, headings in bold among them."""
    body = "<font size=2 face='Times New Roman'><b>TABLE OF CONTENTS</b><br><br>"
    for page, (number, title) in enumerate(ITEMS_10K, start=3):
        body += f"Item {number}. {title} {'.' * 20} {page}<br>"
    for number, title in ITEMS_10K:
        body += f"<br><br><b>Item {number}. {title}</b><br><br>"
        body += "<br><br>".join(discussion() if number == "7" else about(title))
    return f"<html><body bgcolor=white>{body}<br><br><b>SIGNATURES</b><br><br>Signed for us.</font></body></html>"


def layout_report() -> str:
    """A converter that puts every paragraph into a row of one table, as wide as the page."""
    rows = "<tr><td colspan=3 align=center><b>TABLE OF CONTENTS</b></td></tr>"
    for page, (number, title) in enumerate(ITEMS_10K, start=3):
        rows += f"<tr><td>Item {number}.</td><td>{title}</td><td>{page}</td></tr>"
    for number, title in ITEMS_10K:
        rows += f"<tr><td colspan=3>&nbsp;</td></tr><tr><td colspan=3><b>Item {number}. {title}</b></td></tr>"
        rows += "".join(
            f"<tr><td colspan=3>{text}</td></tr>" for text in (discussion() if number == "7" else about(title))
        )
    return f"<html><body><table width=640 border=0 cellpadding=0>{rows}</table></body></html>"


def layout_cells_report() -> str:
    """A converter that wraps each page in a table of one cell, its paragraphs inside."""
    pages = ""
    for number, title in ITEMS_10K:
        inside = f"<p><b>Item {number}. {title}</b></p>" + "".join(
            f"<p>{text}</p>" for text in (discussion() if number == "7" else about(title))
        )
        pages += f"<table width='100%'><tr><td>{inside}<p align=center>{len(pages) % 97}</p></td></tr></table><hr>"
    return f"<html><body>{pages}</body></html>"


def word_report() -> str:
    """Saved from a word processor: classes, conditional marks, tabs as runs of no-break spaces."""
    body = ""
    for number, title in ITEMS_10K:
        body += (
            "<p class=MsoNormal style='margin-left:.5in;text-indent:-.5in'><b style='mso-bidi-font-weight:normal'>"
            f"<span style='font-size:10.0pt'>ITEM {number}.<span style='mso-tab-count:1'>&nbsp;&nbsp;&nbsp; </span>"
            f"{title.upper()}<o:p></o:p></span></b></p>\n<p class=MsoNormal><span style='font-size:10.0pt'>"
            "<![if !supportEmptyParas]>&nbsp;<![endif]><o:p></o:p></span></p>\n"
        )
        for text in discussion() if number == "7" else about(title):
            body += (
                f"<p class=MsoBodyText style='text-align:justify'><span style='font-size:10.0pt'>{text}<o:p>"
                "</o:p></span></p>\n"
            )
        body += "<span style='font-size:10.0pt'><br clear=ALL style='page-break-before:always'></span>\n"
    return (
        "<html xmlns:o='urn:schemas-microsoft-com:office:office'><head><meta name=Generator content='Microsoft Word 9'>"
        "<!--[if gte mso 9]><xml><o:DocumentProperties></o:DocumentProperties></xml><![endif]--></head>"
        f"<body lang=EN-US><div class=Section1>{body}</div></body></html>"
    )


def pre_report() -> str:
    """Typed pages in one PRE element."""
    made = Ascii()
    body = made.c("INDEX") + made.dots((f"Item {n}.", t, str(p)) for p, (n, t) in enumerate(ITEMS_10K, start=3))
    for number, title in ITEMS_10K:
        body += f"Item {number}.  {title}\n\n" + made.ps(discussion() if number == "7" else about(title))
    return f"<HTML><HEAD><TITLE>10-K</TITLE></HEAD><BODY><PRE>\n{body}</PRE></BODY></HTML>"


HTML_SHAPES = [
    Shape("small capitals, a span for each size", lambda: workiva_report(small_capitals_heading), following="ITEM 7A"),
    Shape("spans cut number and title", lambda: workiva_report(broken_heading), following="Item 7A"),
    Shape("every heading a link to the contents page", lambda: workiva_report(linked_heading), following="Item 7A"),
    Shape("heading in a table of two cells", lambda: workiva_report(two_cells), following="Item 7A"),
    Shape("part and item as running heads of each page", item_heads, following="ITEM 7A"),
    Shape(
        "joint heading 7 and 7A",
        start="Items 7 and 7A",
        build=lambda: joint_report("ITEMS 7 AND 7A.", f"{MDA.upper()} AND {RISK.upper()}"),
        following="ITEM 8",
    ),
    Shape(
        "joint heading 7 and 7A, singular",
        lambda: joint_report("ITEM 7 AND ITEM 7A.", f"{MDA.upper()}; {RISK.upper()}"),
        following="ITEM 8",
    ),
    Shape(
        "joint heading 7/7A", lambda: joint_report("ITEM 7/7A", f"{MDA.upper()} / {RISK.upper()}"), following="ITEM 8"
    ),
    Shape(
        "joint heading 7. and 7A.",
        lambda: joint_report("Item 7. and Item 7A.", f"{MDA} and {RISK}"),
        following="ITEM 8",
    ),
    Shape("the discussion lists its own parts", own_contents, first="Introduction", following="Item 7A"),
    Shape("the company's name before the title", company_named, following="Item 7A"),
    Shape("pages headed by the firm and the part", running_title, following="Item 7A"),
    Shape("bars in headings and heads", bar_headings, first="Executive Summary", following="ITEM 7A"),
    Shape("three companies under one item", registrants, following="ITEM 7A", whole=False),
    Shape(
        "the item's heading again for each company",
        registrants_with_item_heads,
        first="CORVANE",
        following="ITEM 7A",
        whole=False,
    ),
    Shape("paragraphs that begin with another item's name", cited_items, following="Item 7A"),
    Shape("without a contents page", lambda: workiva_report(contents=False), following="Item 7A"),
    Shape("no Item 7A", lambda: workiva_report(skip=("7A",)), following="Item 8"),
    Shape("heading in a table, 2000s", donnelley_report, following="Item 7A"),
    Shape("number bold, title italic", lambda: donnelley_report(bold_then_plain), following="Item 7A"),
    Shape("a dash for the full stop", lambda: donnelley_report(dash_heading), following="Item 7A"),
    Shape("lines parted by BR", div_report, following="Item 7A"),
    Shape("every paragraph a table row", layout_report, following="Item 7A"),
    Shape("every page a table of one cell", layout_cells_report, following="Item 7A"),
    Shape("saved from a word processor", word_report, following="ITEM 7A"),
    Shape("typed pages in PRE", pre_report, following="Item 7A"),
]
