"""Small filings in the shapes that real filers use: invented words in the markup of their pages, heads and lists.

Every report here is about a maker of pumps; each item begins and ends with sentences of its own, so that a wrong extent
shows. What is right is stated beside each shape, by hand.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass

MDA = "Management’s Discussion and Analysis of Financial Condition and Results of Operations"
MDA_PLAIN = MDA.replace("’", "'")
RISK = "Quantitative and Qualitative Disclosures About Market Risk"
STATEMENTS = "Financial Statements and Supplementary Data"
DISAGREE = "Changes in and Disagreements with Accountants on Accounting and Financial Disclosure"
FIRST = "The year opened with slower orders at both of our plants and closed with fuller books than we had planned."
LAST = "We expect the new foundry to carry its own costs from the second half of the coming year onwards."

_WHO = [
    "Our plants",
    "Our customers",
    "The farm trade",
    "The mills",
    "Dealers in the north",
    "The spare parts group",
    "The foundry",
]
_DID = [
    "ordered fewer large pumps than in the year before",
    "kept their stocks of seals and valves low",
    "paid within the agreed terms",
    "asked for longer guarantees",
    "moved part of their work to the second quarter",
    "took up the smaller of the two models",
    "placed repeat orders for parts",
]
_WHY = [
    "because the price of castings rose",
    "as the dry summer held back planting",
    "after the new line had been tested",
    "while the old contract ran out",
    "since freight from the coast cost more",
    "before the change of model in autumn",
    "although the rate of exchange was against us",
    "when the second shift began",
]


def sentences(seed: int) -> Iterable[str]:
    """Sentences without end, none the same as another within some hundreds."""
    for number in itertools.count(seed):
        who, did, why = _WHO[number % 7], _DID[number * 3 % 7], _WHY[number * 5 % 8]
        yield f"{who} {did} {why}, which came to {number % 90 + 10} thousand dollars a week."


def prose(paragraphs: int, seed: int = 0, count: int = 4) -> list[str]:
    """Paragraphs of a few hundred characters."""
    stream = iter(sentences(seed))
    return [" ".join(itertools.islice(stream, count)) for _ in range(paragraphs)]


def discussion(seed: int = 500, paragraphs: int = 12) -> list[str]:
    """Management's discussion: its known first and last sentences around some 5,000 characters."""
    body = prose(paragraphs, seed)
    return [f"{FIRST} {body[0]}", *body[1:-1], f"{body[-1]} {LAST}"]


def plain(paragraphs: list[str]) -> list[str]:
    return [text.replace("’", "'") for text in paragraphs]


def about(title: str, paragraphs: int = 3) -> list[str]:
    """Another item's text, which names the item at its start and its end."""
    body = prose(paragraphs, sum(map(ord, title)))
    return [f"What we say on {title.lower()} begins here. {body[0]}", *body[1:], f"This ends {title.lower()}."]


ITEMS_10K = [
    ("1", "Business"),
    ("1A", "Risk Factors"),
    ("1B", "Unresolved Staff Comments"),
    ("2", "Properties"),
    ("3", "Legal Proceedings"),
    ("4", "Mine Safety Disclosures"),
    (
        "5",
        "Market for Registrant’s Common Equity, Related Stockholder Matters and Issuer Purchases of Equity Securities",
    ),
    ("6", "Selected Financial Data"),
    ("7", MDA),
    ("7A", RISK),
    ("8", STATEMENTS),
    ("9", DISAGREE),
    ("9A", "Controls and Procedures"),
    ("9B", "Other Information"),
    ("10", "Directors, Executive Officers and Corporate Governance"),
    ("11", "Executive Compensation"),
    ("12", "Security Ownership of Certain Beneficial Owners and Management and Related Stockholder Matters"),
    ("13", "Certain Relationships and Related Transactions, and Director Independence"),
    ("14", "Principal Accountant Fees and Services"),
    ("15", "Exhibits and Financial Statement Schedules"),
]
PARTS = {"1": "PART I", "5": "PART II", "10": "PART III", "15": "PART IV"}


Heading = Callable[[str, str], str]
"""Writes an item's heading from its number and title."""


@dataclass(frozen=True)
class Shape:
    """A filing and what is right for one of its items.

    `start` and `last` are the first and last words of the section's text, `first` those under its heading, `following`
    how the next heading begins
    (None where the shape leaves it open), `source` the type of the document that holds the text, `pointer` words of
    the pointing sentence. `whole` says that the section holds every paragraph of `discussion`.
    """

    name: str
    build: Callable[[], str]
    status: str = "found"
    start: str = "Item 7"
    first: str = FIRST
    last: str = LAST
    following: str | None = None
    source: str | None = None
    pointer: str | None = None
    item: str = "7"
    whole: bool = True


def submission(kind: str, *documents: tuple[str, str]) -> str:
    """A full submission: a header and its documents as (type, text)."""
    inside = "".join(
        f"<DOCUMENT>\n<TYPE>{type_}\n<SEQUENCE>{number}\n<TEXT>\n{text}\n</TEXT>\n</DOCUMENT>\n"
        for number, (type_, text) in enumerate(documents, start=1)
    )
    return (
        "<SEC-DOCUMENT>0000012345-99-000001.txt : 19990331\n<SEC-HEADER>0000012345-99-000001.hdr.sgml : 19990331\n"
        f"ACCESSION NUMBER:\t\t0000012345-99-000001\nCONFORMED SUBMISSION TYPE:\t{kind}\n"
        f"PUBLIC DOCUMENT COUNT:\t\t{len(documents)}\nCONFORMED PERIOD OF REPORT:\t19981231\n"
        f"FILED AS OF DATE:\t\t19990331\n</SEC-HEADER>\n{inside}</SEC-DOCUMENT>\n"
    )


class Workiva:
    """The markup of inline XBRL reports: spans in divs, absolute feet, a back link at the head of each page."""

    def __init__(self, foot: str = "") -> None:
        self.page = 0
        self.foot = foot
        self.back = True

    def span(self, text: str, style: str = "font-weight:400", size: int | float = 10) -> str:
        return (
            f"<span style=\"color:#000000;font-family:'Times New Roman',sans-serif;font-size:{size}pt;{style};"
            f'line-height:120%">{text}</span>'
        )

    def p(self, text: str) -> str:
        return f'<div style="margin-top:6pt;text-align:justify;text-indent:18pt">{self.span(text)}</div>'

    def ps(self, paragraphs: Iterable[str]) -> str:
        return "".join(map(self.p, paragraphs))

    def h(self, text: str, *, size: int | float = 10, centred: bool = False, style: str = "font-weight:700") -> str:
        place = "text-align:center" if centred else "margin-top:12pt"
        return f'<div style="{place}">{self.span(text, style, size)}</div>'

    def anchor(self, name: str) -> str:
        return f'<div id="{name}"></div>'

    def turn(self, label: str | None = None) -> str:
        """A page's foot, the border, and the head of the page that follows."""
        self.page += 1
        label = label or str(self.page)
        head = (
            '<div style="min-height:42.75pt;width:100%"><div><span style="font-size:9pt"><a href="#toc">'
            "Table of Contents</a></span></div></div>"
        )
        foot = f"{self.foot} {label}" if self.foot else label
        return (
            '<div style="height:42.75pt;position:relative;width:100%"><div style="bottom:0;position:absolute">'
            f'<div style="text-align:center">{self.span(foot)}</div></div></div><hr style="page-break-after:always"/>'
            + (head if self.back else "")
        )

    def row(self, *cells: str, style: str = "font-weight:400", pad: int = 1) -> str:
        tds = "".join(
            (
                f'<td colspan="3" style="padding:2px 1pt 2px {pad}pt;text-align:left;vertical-align:bottom">'
                f"{self.span(c, style)}</td>"
            )
            for c in cells
        )
        return f"<tr>{tds}</tr>"

    def table(self, rows: Iterable[str]) -> str:
        return (
            f'<div><table style="border-collapse:collapse;display:inline-table;width:100.000%">{"".join(rows)}</table>'
            "</div>"
        )

    def doc(self, *pieces: str) -> str:
        return (
            "<?xml version='1.0' encoding='ASCII'?>\n<html xmlns:ix=\"http://www.xbrl.org/2013/inlineXBRL\"><head>"
            "<title>pump-20241231</title></head><body>" + "".join(pieces) + "</body></html>"
        )


class Donnelley:
    """The markup of 2000 to 2018: upper-case tags, FONT and B, pages parted by a rule."""

    def __init__(self) -> None:
        self.page = 0

    def p(self, text: str) -> str:
        return (
            '<P STYLE="margin-top:6px;margin-bottom:0px; text-indent:4%">'
            f'<FONT FACE="Times New Roman" SIZE="2">{text} </FONT></P> '
        )

    def ps(self, paragraphs: Iterable[str]) -> str:
        return "".join(map(self.p, paragraphs))

    def h(self, text: str, *, centred: bool = False) -> str:
        align = ' ALIGN="center"' if centred else ""
        return (
            f'<P STYLE="margin-top:18px;margin-bottom:0px"{align}>'
            f'<FONT FACE="Times New Roman" SIZE="2"><B>{text} </B></FONT></P>\n'
        )

    def item(self, number: str, title: str) -> str:
        """A heading as a table of two columns."""
        return (
            '<TABLE CELLPADDING="0" CELLSPACING="0" BORDER="0" WIDTH="100%"><TR><TD WIDTH="10%" VALIGN="top" '
            'ALIGN="left">'
            f'<FONT FACE="Times New Roman" SIZE="2"><B>{number}</B></FONT></TD><TD ALIGN="left" VALIGN="top">'
            f'<FONT FACE="Times New Roman" SIZE="2"><B>{title} </B></FONT></TD></TR></TABLE>\n'
        )

    def turn(self, label: str | None = None) -> str:
        self.page += 1
        return (
            '<P STYLE="margin-top:0px;margin-bottom:0px" ALIGN="center"><FONT FACE="Times New Roman" SIZE="2">'
            f"{label or self.page}</FONT></P>\n"
            '<p Style=\'page-break-before:always\'>\n<HR SIZE="3" WIDTH="100%" COLOR="#999999" ALIGN="CENTER">\n'
            '<P><FONT FACE="Times New Roman" SIZE="1"><A HREF="#toc">Table of Contents</A></FONT></P>\n'
        )

    def rows(self, rows: Iterable[tuple[str, ...]]) -> str:
        body = ""
        for cells in rows:
            tds = "".join(
                (
                    f'<TD VALIGN="top"><FONT FACE="Times New Roman" SIZE="2">{cell}</FONT></TD><TD VALIGN="bottom">'
                    '<FONT SIZE="1">&nbsp;&nbsp;</FONT></TD>'
                )
                for cell in cells
            )
            body += f"<TR>\n{tds}</TR>\n"
        return f'<TABLE CELLSPACING="0" CELLPADDING="0" WIDTH="100%" BORDER="0" ALIGN="center">\n{body}</TABLE>\n'

    def doc(self, *pieces: str) -> str:
        return (
            '<HTML><HEAD>\n<TITLE>Form 10-K</TITLE>\n</HEAD>\n <BODY BGCOLOR="WHITE">\n'
            + "".join(pieces)
            + "</BODY></HTML>\n"
        )


class Ascii:
    """Typed pages of the 1990s."""

    def __init__(self, width: int = 75) -> None:
        self.page = 0
        self.width = width

    def p(self, text: str) -> str:
        return textwrap.fill(text, self.width, initial_indent="     ") + "\n\n"

    def ps(self, paragraphs: Iterable[str]) -> str:
        return "".join(map(self.p, paragraphs))

    def c(self, text: str) -> str:
        return text.center(self.width).rstrip() + "\n\n"

    def turn(self, label: str | None = None) -> str:
        self.page += 1
        return f"\n\n{(label or str(self.page)).center(self.width).rstrip()}\n<PAGE>\n\n"

    def dots(self, rows: Iterable[tuple[str, str, str]]) -> str:
        return "".join(f"{number:<10}{title[:48] + ' ':.<52}{page:>5}\n" for number, title, page in rows) + "\n"
