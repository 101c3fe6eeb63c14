"""Combined reports of power companies, small filers' habits, headings left out, typed pages without blank lines."""

from __future__ import annotations

import textwrap

from shapes import (
    ITEMS_10K,
    MDA,
    PARTS,
    Ascii,
    Donnelley,
    Heading,
    Shape,
    Workiva,
    about,
    discussion,
    prose,
    submission,
)
from shapes_forms import OLD, typed
from shapes_html import workiva_report
from shapes_pointers import AUDITOR, items


def power_holding() -> str:
    """A power holding: a pointer for the parent, one for its subsidiaries; the discussion comes after Part IV."""
    made = Workiva()
    reference = (
        "incorporated herein by reference to the material under Management’s Discussion and Analysis "
        "of Financial Condition and Results of Operations."
    )
    seven = made.h("Corvane Power") + made.p(f"The information required by this item is {reference}")
    seven += made.h(
        "Corvane Transmission, Halden Electric, North River Power and Light, Ostley Electric and Ostley Gas"
    )
    seven += made.p(
        "Omitted pursuant to Instruction I(2)(a). Management’s narrative analysis of the results of "
        f"operations and other information required by Instruction I(2)(a) is {reference}"
    )
    body = items(made, {"7": seven})
    body += (
        made.h("INDEX OF CORVANE POWER", centred=True, size=12)
        + made.table(
            [made.row(MDA, "101"), made.row(AUDITOR, "103"), made.row("Consolidated Statements of Income", "104")]
        )
        + made.turn("100")
    )
    body += (
        made.h("CORVANE POWER COMPANY, INC. AND SUBSIDIARY COMPANIES", centred=True)
        + made.h(MDA.upper(), centred=True)
        + made.h("EXECUTIVE OVERVIEW", centred=True)
    )
    body += made.ps(discussion()[:6]) + made.turn("101") + made.ps(discussion()[6:]) + made.turn("102")
    body += made.h(AUDITOR.upper(), centred=True) + made.ps(about("the audit", 4)) + made.turn("103")
    body += (
        made.h("CORVANE POWER COMPANY, INC. AND SUBSIDIARY COMPANIES", centred=True)
        + made.h("CONSOLIDATED STATEMENTS OF INCOME", centred=True)
        + made.ps(about("income", 3))
        + made.turn("104")
    )
    body += (
        made.h("CORVANE TRANSMISSION COMPANY", centred=True)
        + made.h("MANAGEMENT’S NARRATIVE DISCUSSION AND ANALYSIS OF RESULTS OF OPERATIONS", centred=True)
        + made.ps(about("the narrative", 3))
        + made.turn("105")
    )
    return made.doc(body)


def discussion_before_part_one() -> str:
    """A power company whose discussion stands before Part I; Item 7 refers to it by its title in capitals."""
    made = Donnelley()
    title = "MANAGEMENT’S FINANCIAL DISCUSSION AND ANALYSIS"
    name = "CORVANE CORPORATION AND SUBSIDIARIES"
    front = (
        made.h(name, centred=True)
        + made.h(title, centred=True)
        + made.ps(discussion()[:6])
        + made.turn()
        + made.ps(discussion()[6:])
        + made.turn()
    )
    front += (
        made.h(name, centred=True)
        + made.h("REPORT OF MANAGEMENT", centred=True)
        + made.ps(about("the report of management", 2))
        + made.turn()
    )
    front += (
        made.h(name, centred=True)
        + made.h("CONSOLIDATED INCOME STATEMENTS", centred=True)
        + made.ps(about("income", 4))
        + made.turn()
    )
    seven = made.p(f"Refer to “{title} OF {name}, HALDEN ELECTRIC COMPANY AND NORTH RIVER GAS COMPANY.”")
    return made.doc(front, items(made, {"7": seven}, upper=False))


def number_left_out(*, contents: bool) -> str:
    """All items have numbers but this one, which has its title alone."""
    return workiva_report(
        lambda w, n, t: w.h(t.upper() if n == "7" else f"ITEM {n}. {t.upper()}", centred=True), contents=contents
    )


def part_lists() -> str:
    """Each part begins with a list of its items."""
    made = Donnelley()
    body, groups = "", {}
    current = ""
    for number, title in ITEMS_10K:
        current = PARTS.get(number, current)
        groups.setdefault(current, []).append((number, title))
    for part, group in groups.items():
        body += made.h(part, centred=True) + made.rows((f"Item {n}.", t) for n, t in group) + made.turn()
        body += "".join(
            made.h(f"Item {n}. {t}") + made.ps(discussion() if n == "7" else about(t)) + made.turn() for n, t in group
        )
    return made.doc(body)


def part_lists_plain() -> str:
    """As above, the list's lines as paragraphs of their own."""
    made = Donnelley()
    body, groups, current = "", {}, ""
    for number, title in ITEMS_10K:
        current = PARTS.get(number, current)
        groups.setdefault(current, []).append((number, title))
    for part, group in groups.items():
        body += made.h(part, centred=True) + "".join(made.p(f"Item {n}. {t}") for n, t in group) + made.turn()
        body += "".join(
            made.h(f"Item {n}. {t}") + made.ps(discussion() if n == "7" else about(t)) + made.turn() for n, t in group
        )
    return made.doc(body)


def tight(number: str, title: str) -> str:
    """No blank line between the heading and the text."""
    return textwrap.fill(f"Item {number}.  {title.title()}", 64) + "\n"


def tabbed(number: str, title: str) -> str:
    return f"ITEM {number}.\t{title[:60]}\n\t{title[60:]}\n\n" if len(title) > 60 else f"ITEM {number}.\t{title}\n\n"


def bare(number: str, title: str) -> str:
    return textwrap.fill(f"Item {number} {title.title()}", 66) + "\n\n"


def small_filer(heading: Heading) -> str:
    """A small filer of 2009 and later: one face and size, headings in bold or plain."""
    face = "font: 10pt Times New Roman, Times, Serif; margin: 0pt 0"
    body = ""
    for number, title in ITEMS_10K:
        body += heading(number, title)
        for text in discussion() if number == "7" else about(title):
            body += f'<p style="{face}; text-align: justify">{text}</p>\n<p style="{face}">&nbsp;</p>\n'
        body += (
            '<!-- Field: Page; Sequence: 9 --><div style="border-bottom: Black 1pt solid"><table style="width: 100%">'
            '<tr style="vertical-align: top"><td style="width: 33%">&nbsp;</td><td style="text-align: center">'
            f"<!-- Field: Sequence; Type: Arabic; Name: PageNo -->{len(body) % 77}<!-- Field: /Sequence --></td>"
            '<td style="width: 33%">&nbsp;</td></tr></table></div><div style="break-before: page"><p>&nbsp;</p></div>'
            "<!-- Field: /Page -->\n"
        )
    return (
        '<!DOCTYPE html><html><head><title></title></head><body style="font: 10pt Times New Roman, '
        f'Times, Serif">{body}</body></html>'
    )


def plain_line(number: str, title: str) -> str:
    return f'<p style="font: 10pt Times New Roman, Times, Serif; margin: 0pt 0">Item {number} {title}</p>\n'


def split_paragraphs(number: str, title: str) -> str:
    half = title.rfind(" ", 0, max(20, len(title) // 2))
    first, rest = (title[:half], title[half:]) if half > 0 else (title, "")
    return f'<p style="margin: 0pt 0"><b>ITEM {number}. {first.upper()}</b></p>\n' + (
        f'<p style="margin: 0pt 0"><b>{rest.upper()}</b></p>\n' if rest else ""
    )


def colon_table(number: str, title: str) -> str:
    return (
        '<table cellpadding="0" cellspacing="0" style="width: 100%"><tr style="vertical-align: top">'
        f'<td style="width: 0"></td><td style="width: 0.75in"><b>Item {number}:</b></td><td><b><span '
        f'style="text-decoration:underline">{title}</span></b></td></tr></table>\n'
    )


def underlined(number: str, title: str) -> str:
    return f'<p style="margin: 0pt 0"><u>Item {number}</u>. <u>{title}</u>.</p>\n'


def line_break(number: str, title: str) -> str:
    return f'<p align="center" style="margin: 0pt 0"><b>ITEM {number}<br/>{title.upper()}</b></p>\n'


def renamed_plan() -> str:
    made = Donnelley()
    names = {**dict(ITEMS_10K), "7": "Plan of Operation"}
    return made.doc(
        "".join(
            made.h(f"ITEM {n}. {t.upper()}") + made.ps(discussion() if n == "7" else about(t)) for n, t in names.items()
        )
    )


def abbreviated() -> str:
    made = Donnelley()
    names = {**dict(ITEMS_10K), "7": "MD&amp;A"}
    return made.doc(
        "".join(made.h(f"Item {n}: {t}") + made.ps(discussion() if n == "7" else about(t)) for n, t in names.items())
    )


def trust_omitted(sentence: str, *, joint: bool = False) -> str:
    """A trust: each item it need not answer has one sentence, or one heading stands for several."""
    made = Donnelley()
    body = ""
    for number, title in ITEMS_10K:
        if joint and number == "5":
            body += made.h("Items 5, 6, 7, 7A and 8.") + made.p(sentence)
        if not joint or number not in ("5", "6", "7", "7A", "8"):
            body += made.h(f"Item {number}. {title}") + made.p(
                sentence if number not in ("9B", "15") else prose(1, 5)[0]
            )
    return submission("10-K", ("10-K", made.doc(made.h("FORM 10-K"), body, made.h("SIGNATURES"), made.p("Signed."))))


def typed_trust() -> str:
    """A trust of the 1990s: "Not applicable" under every heading, then exhibits."""
    made = Ascii()
    body = "".join(
        textwrap.fill(f"Item {n}.  {t.title()}", 70, subsequent_indent=" " * 9) + "\n\n         Not applicable.\n\n"
        for n, t in OLD
    )
    return submission("10-K", ("10-K", body + made.c("SIGNATURES") + made.p("Signed.")))


def composed() -> str:
    """A printer's composition of 2000 to 2005: empty anchors in headings, all headings again as links at the end."""
    body, links = "", ""
    for number, title in ITEMS_10K:
        if number in PARTS:
            body += (
                f'<P ALIGN="CENTER"><FONT SIZE=2><A NAME="part"> </A>\n<BR></FONT><FONT SIZE=2><B>{PARTS[number]} '
                "<BR> </B></FONT></P>\n"
            )
        body += (
            f'<P><FONT SIZE=2><A\nNAME="de1220_item_{number}"> </A>\n<A NAME="toc_de1220_{number}"> </A>\n<BR></FONT>'
            f"<FONT SIZE=2><B>Item&nbsp;{number}.&nbsp;&nbsp;&nbsp;&nbsp;{title}.    <BR>  </B></FONT></P>\n\n"
        )
        links += f'<FONT SIZE=2><A HREF="#toc_de1220_{number}">Item {number}. {title}.</A></FONT><BR>\n'
        for text in discussion() if number == "7" else about(title):
            body += (
                f"<P><FONT SIZE=2>&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;{text.replace(' ', chr(10), 1)} "
                "</FONT></P>\n\n"
            )
        body += (
            f'<P ALIGN="CENTER"><FONT SIZE=2>{len(body) % 83} </FONT></P>\n\n<HR NOSHADE>\n<!-- ZEQ.=1,SEQ=2 -->\n'
            '<A NAME="page_de1220_1"> </A>\n\n'
        )
    front = (
        '<FONT SIZE=3 ><A HREF="#03STP1220_1">QuickLinks</A></FONT>\n<font size=3> -- Click here to '
        "rapidly navigate through this document</font>\n<HR NOSHADE>\n"
    )
    end = f'<BR>\n<P><BR><A NAME="03STP1220_1">QuickLinks</A><BR></P>\n<!-- TOC_BEGIN -->\n{links}<!-- TOC_END -->'
    return f'<HTML>\n<BODY BGCOLOR="#FFFFFF" LINK=BLUE  VLINK=PURPLE>\n{front}{body}{end}</BODY>\n</HTML>\n'


def profile() -> str:
    """A publisher's marks: areas for number, break and head of each page; upper-case styles; headings in tables."""
    style = "FONT-SIZE: 10pt; FONT-FAMILY: 'Times New Roman', Times, serif"
    body = ""
    for number, title in ITEMS_10K:
        body += (
            f'<table cellspacing="0" cellpadding="0" style="{style}; WIDTH: 100%"><tr>\n<td style="WIDTH: '
            '54pt; VERTICAL-ALIGN: top">'
            f'<div style="{style}; FONT-WEIGHT: bold; TEXT-ALIGN: left">ITEM {number}.</div>\n</td>\n<td '
            'style="VERTICAL-ALIGN: top">'
            f'<div style="{style}; FONT-WEIGHT: bold">{title.upper()}</div>\n</td>\n</tr>\n</table>\n<div>'
            "<br>\n</div>\n"
        )
        for text in discussion() if number == "7" else about(title):
            body += (
                f'<div style="{style}; TEXT-ALIGN: justify">{text}</div>\n\n<div style="{style}; TEXT-ALIGN: '
                'left">&#160;</div>\n'
            )
        body += (
            '<div id="DSPFPageBreakArea" style="CLEAR: both">\n<div id="DSPFPageNumberArea" style="TEXT-ALIGN: '
            'center">'
            f'<div style="{style}; TEXT-ALIGN: center" id="DSPFPageNumber">{len(body) % 71}</div>\n</div>\n'
            '<div id="DSPFPageBreak" style="PAGE-BREAK-AFTER: always">\n<hr noshade="noshade">\n</div>\n'
            '<div id="DSPFPageHeader" style="WIDTH: 100%">\n<div style="FONT-STYLE: italic"><a href="#toc">'
            "Table of Contents</a></div>\n</div>\n</div>\n"
        )
    return (
        f'<html>\n<head>\n<title></title>\n</head>\n<body style="{style}" bgcolor="#ffffff">\n<div>'
        f"\n{body}</div>\n</body>\n</html>"
    )


MORE_SHAPES = [
    Shape("a printer's composition with links at the end", composed, following="Item 7A"),
    Shape("a publisher's page marks", profile, following="ITEM 7A"),
    Shape(
        "a power holding's pointers",
        power_holding,
        start="Management’s Discussion",
        first="Executive overview",
        following="Report of Independent",
        pointer="incorporated herein by reference",
    ),
    Shape(
        "the discussion before Part I",
        discussion_before_part_one,
        start="Management’s Financial Discussion",
        following="Report of Management",
        pointer="Refer to",
    ),
    Shape(
        "this item's number left out",
        lambda: number_left_out(contents=True),
        start="Management’s Discussion",
        following="Item 7A",
    ),
    Shape(
        "this item's number left out, no contents",
        lambda: number_left_out(contents=False),
        start="Management’s Discussion",
        following="Item 7A",
    ),
    Shape("a list of items before each part", part_lists, following="Item 7A"),
    Shape("a list of items before each part, plain lines", part_lists_plain, following="Item 7A"),
    Shape("typed, no blank line under headings", lambda: typed(tight), following="Item 8"),
    Shape("typed with tabs", lambda: typed(tabbed), following="ITEM 8"),
    Shape("typed without full stops", lambda: typed(bare), following="Item 8"),
    Shape("small filer, plain lines", lambda: small_filer(plain_line), following="Item 7A"),
    Shape("small filer, heading in two paragraphs", lambda: small_filer(split_paragraphs), following="ITEM 7A"),
    Shape("small filer, colon in a table", lambda: small_filer(colon_table), following="Item 7A"),
    Shape("small filer, number and title underlined", lambda: small_filer(underlined), following="Item 7A"),
    Shape("small filer, line break in the heading", lambda: small_filer(line_break), following="ITEM 7A"),
    Shape("plan of operation on Form 10-K", renamed_plan, following="ITEM 7A"),
    Shape("abbreviated title", abbreviated, following="Item 7A"),
    Shape("trust, omitted", lambda: trust_omitted("Omitted."), first="Omitted", last="Omitted.", following="Item 7A"),
    Shape(
        "trust, omitted by instruction",
        lambda: trust_omitted("Omitted pursuant to General Instruction J of Form 10-K."),
        first="Omitted",
        last="Form 10-K.",
        following="Item 7A",
    ),
    Shape(
        "trust, joint heading",
        lambda: trust_omitted("Not applicable.", joint=True),
        start="Items 5, 6, 7",
        first="Not applicable",
        last="Not applicable.",
        following="Item 9",
    ),
    Shape("typed trust", typed_trust, first="Not applicable", last="Not applicable.", following="Item 8"),
]
