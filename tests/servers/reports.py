"""Annual reports of invented companies: the documents of a Form 10-K, as HTML or as fixed-width text.

Each report's Item 7 begins and ends with sentences of its own, `opening` and `closing`, so that a test can tell what
was read.
"""

from __future__ import annotations

import binascii
import random
import re
import textwrap
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import Path

from servers.catalogue import Company, LocalDocument

WORDS = tomllib.loads((Path(__file__).resolve().parent / "words.toml").read_text("utf-8"))
VARIANTS = ("found", "no_item_7", "by_reference", "exhibit", "unreadable")
"""What Item 7 is: the discussion; left out; a pointer to a text that is not in the file; a pointer to an EX-13 that is;
or the report is a picture of its pages."""

_MDA = next(item["title"] for item in WORDS["item"] if item["number"] == "7")
_POINTER = (
    f"The information required by this item is incorporated herein by reference to the section entitled “{_MDA}” of "
    "the Registrant's Annual Report to Stockholders{exhibit}."
)


@dataclass(frozen=True)
class Block:
    """A piece of a report: a `title` is centred and bold, an `item` bold, all else is prose."""

    kind: str
    text: str


def opening(company: Company, period: date) -> str:
    """The first sentence of the discussion."""
    return f"For {company.name} the year that ended on {_spoken(period)} began with slower orders than we had planned."


def closing(company: Company, period: date) -> str:
    """Its last sentence."""
    return f"We expect the orders of {company.name} to carry their own costs after {_spoken(period)}."


def annual_report(
    company: Company,
    form: str,
    period: date,
    *,
    variant: str = "found",
    html: bool = True,
    paragraphs: int = 8,
    assets: int | None = None,
) -> tuple[LocalDocument, ...]:
    """The documents of one annual report; the same arguments give the same bytes.

    Args:
        variant: one of `VARIANTS`.
        html: otherwise fixed-width text.
        paragraphs: of the discussion, some 400 characters each; a large number makes a large file.
        assets: total assets in whole dollars, printed in Item 8.
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant {variant!r} is none of {', '.join(VARIANTS)}")
    name = f"{_stem(company)}-{period:%Y%m%d}"
    if variant == "unreadable":
        return (LocalDocument(form, _picture(company), f"{name}.pdf", f"FORM {form}"),)
    drawn = random.Random(f"{company.cik} {period}")
    discussion = [opening(company, period), *_prose(drawn, paragraphs), closing(company, period)]
    blocks = _cover(company, form, period)
    key = "small" if form.startswith("10-KSB") else "number"
    for item in WORDS["item"]:
        if key not in item or (item["number"] == "7" and variant == "no_item_7"):
            continue
        if "part" in item:
            blocks.append(Block("title", item["part"]))
        blocks.append(Block("item", f"Item {item[key]}. {item['title']}"))
        if item["number"] != "7":
            texts = _prose(drawn, item["paragraphs"])
        elif variant == "found":
            texts = discussion
        else:
            texts = [_POINTER.format(exhibit=", filed as Exhibit 13 to this report" if variant == "exhibit" else "")]
        blocks += [Block("text", text) for text in texts]
        if item["number"] == "8" and assets is not None:
            blocks.append(Block("text", f"Total assets at {_spoken(period)} were ${assets:,}."))
    blocks += [Block("title", "SIGNATURES"), Block("text", f"{company.name} has had this report signed on its behalf.")]
    documents = [_document(form, blocks, name, f"FORM {form}", html)]
    if variant == "exhibit":
        annual = [Block("title", "ANNUAL REPORT TO STOCKHOLDERS"), Block("title", _MDA)]
        annual += [Block("text", text) for text in discussion]
        annual += [Block("title", "REPORT OF INDEPENDENT AUDITORS"), Block("text", _prose(drawn, 1)[0])]
        documents.append(_document("EX-13", annual, f"{name}-ex13", "ANNUAL REPORT", html))
    consent = Block("text", f"We consent to the use of our report on {company.name}.")
    return (*documents, _document("EX-23", [consent], f"{name}-ex23", "CONSENT", html))


def brief_report(company: Company, form: str, *, html: bool = True) -> tuple[LocalDocument, ...]:
    """The only document of some other form."""
    said = Block("text", f"{company.name} files this report on Form {form}.")
    name = f"{_stem(company)}-{re.sub('[^a-z0-9]', '', form.lower())}"
    return (_document(form, [Block("title", f"FORM {form}"), said], name, f"FORM {form}", html),)


def _stem(company: Company) -> str:
    """What the company's file names begin with: letters, whatever its name holds."""
    return re.sub("[^a-z]", "", company.name.lower())[:12] or "report"


def _cover(company: Company, form: str, period: date) -> list[Block]:
    return [
        Block("title", "UNITED STATES SECURITIES AND EXCHANGE COMMISSION"),
        Block("title", "Washington, D.C. 20549"),
        Block("title", f"FORM {form}"),
        Block("text", "[X] ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934"),
        Block("text", f"For the fiscal year ended {_spoken(period)}"),
        Block("title", company.name),
        Block("text", "(Exact name of registrant as specified in its charter)"),
        Block(
            "text",
            "Indicate by check mark whether the registrant has filed all reports required to be filed. Yes [X] No [ ]",
        ),
    ]


def _prose(drawn: random.Random, paragraphs: int) -> list[str]:
    return [" ".join(_sentence(drawn) for _ in range(4)) for _ in range(paragraphs)]


def _sentence(drawn: random.Random) -> str:
    who, did, why = (drawn.choice(WORDS[key]) for key in ("who", "did", "why"))
    return f"{who} {did} {why}, which came to {drawn.randrange(10, 1000)} thousand dollars."


def _document(kind: str, blocks: Sequence[Block], stem: str, description: str, html: bool) -> LocalDocument:
    if html:
        return LocalDocument(kind, _as_html(blocks, description), f"{stem}.htm", description)
    return LocalDocument(kind, _as_text(blocks), f"{stem}.txt", description)


def _as_html(blocks: Sequence[Block], title: str) -> str:
    marks = {"title": ('<p style="text-align:center"><b>', "</b></p>"), "item": ("<p><b>", "</b></p>")}
    lines = [
        f"{marks.get(one.kind, ('<p>', ''))[0]}{escape(one.text)}{marks.get(one.kind, ('', '</p>'))[1]}"
        for one in blocks
    ]
    return "\n".join([f"<html><head><title>{escape(title)}</title></head><body>", *lines, "</body></html>\n"])


def _as_text(blocks: Sequence[Block]) -> str:
    lines = ["<PAGE>", ""]
    for number, block in enumerate(blocks):
        if block.kind == "title":
            lines += [line.center(78).rstrip() for line in textwrap.wrap(block.text.upper(), 70)]
        elif block.kind == "item":
            lines += textwrap.wrap(block.text.upper(), 78)
        else:
            lines += textwrap.wrap(block.text, 78, initial_indent="     ")
        lines.append("")
        if number % 12 == 11:
            lines += [str(number // 12 + 1).center(78).rstrip(), "<PAGE>", ""]
    # Until 2001 filings were ASCII.
    return "\n".join(lines).replace("“", '"').replace("”", '"') + "\n"


def _picture(company: Company) -> str:
    """Bytes that are no text, encoded as EDGAR encodes pictures."""
    data = random.Random(company.cik).randbytes(6000)
    rows = [data[start : start + 45] for start in range(0, len(data), 45)]
    lines = [binascii.b2a_uu(row, backtick=True).decode("ascii").rstrip("\n") for row in rows]
    return "\n".join(["<PDF>", "begin 644 report.pdf", *lines, "`", "end", "</PDF>\n"])


def _spoken(day: date) -> str:
    return f"{day:%B} {day.day}, {day.year}"
