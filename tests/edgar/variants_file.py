"""Variants of the file around the words: containers, fixed-width renderings, fixed-width headings, Form 10-KSB."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from functools import partial
from typing import Any

from lxml import etree
from paper import BLOCK_TAGS
from variants import VARIANTS, Case, Changed, variant
from variants_pages import erase_contents

HEADER = """<SEC-DOCUMENT>0000950123-10-012345.txt : 20100301
<SEC-HEADER>0000950123-10-012345.hdr.sgml : 20100301
ACCESSION NUMBER:\t\t0000950123-10-012345
CONFORMED SUBMISSION TYPE:\t{form}
PUBLIC DOCUMENT COUNT:\t\t{count}
CONFORMED PERIOD OF REPORT:\t20091231
FILED AS OF DATE:\t\t20100301

FILER:

\tCOMPANY DATA:
\t\tCOMPANY CONFORMED NAME:\t\t\tACME HOLDINGS INC
\t\tCENTRAL INDEX KEY:\t\t\t0000012345
</SEC-HEADER>
"""
CERTIFICATE = """<p>CERTIFICATION</p><p>I, John Doe, certify that:</p>
<p>1. I have reviewed this annual report on Form 10-K.</p>
<p>2. Based on my knowledge, this report does not contain any untrue statement of a material fact.</p>
"""
_PICTURE = "begin 644 g1.jpg\nM_]C_X``02D9)1@`!`0$`8`!@``#_VP!#``@&!@<&!0@'!P<)\n`\nend\n"
_TAGS = re.compile(r"</?(?:DOCUMENT|TEXT|TYPE|SEQUENCE|FILENAME|DESCRIPTION)>")
_PLAIN = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "—": "--",
        "–": "-",
        "•": "o",
        "●": "o",
        "®": "(R)",
        "™": "(TM)",
        "…": "...",
    }
    | dict.fromkeys("\xa0\u2002\u2003\u2009", " ")
    | dict.fromkeys("\u200b\ufeff", "")
)


def plain(text: str) -> str:
    """Characters that fixed-width filings have."""
    return text.translate(_PLAIN)


def submission(form: str, *documents: tuple[str, str], text_tag: bool = True) -> bytes:
    """A full submission of documents, each a type and its text."""
    parts = [HEADER.format(form=form, count=len(documents))]
    opened, closed = ("<TEXT>\n", "</TEXT>\n") if text_tag else ("", "")
    for number, (kind, text) in enumerate(documents, start=1):
        parts.append(f"<DOCUMENT>\n<TYPE>{kind}\n<SEQUENCE>{number}\n<FILENAME>d{number}.htm\n")
        parts.append(f"<DESCRIPTION>{kind}\n{opened}{text}\n{closed}</DOCUMENT>\n")
    return ("".join(parts) + "</SEC-DOCUMENT>\n").encode()


def bare(case: Case) -> str:
    """The main document alone, with its changes."""
    case.paper.before = case.paper.after = ""
    return case.paper.written()


def _alone(case: Case) -> bool:
    """Whether no exhibit beside the main document holds the text."""
    return not case.label.get("exhibit_text")


def _in_submission(kind: str, case: Case) -> Changed:
    if not _alone(case):
        return None
    main, certificate = ("10-K", bare(case)), ("EX-31.1", CERTIFICATE)
    if kind == "exhibits_first":
        return submission("10-K", certificate, main)
    if kind == "no_text_tags":
        return submission("10-K", main, certificate, text_tag=False)
    whole = submission("10-K", main, certificate, ("EX-32.1", CERTIFICATE), ("GRAPHIC", _PICTURE))
    return _TAGS.sub(lambda match: match[0].lower(), whole.decode()).encode() if kind == "lower_case" else whole


def _form(form: str, case: Case) -> Changed:
    return submission(form, (form, bare(case))) if _alone(case) else None


for _kind in ("whole", "exhibits_first", "no_text_tags", "lower_case"):
    VARIANTS[f"file_submission_{_kind}"] = partial(_in_submission, _kind)
for _name in ("10-K405", "10-KT", "10-K/A"):
    VARIANTS[f"file_form_{_name}"] = partial(_form, _name)


@variant
def file_bare(case: Case) -> Changed:
    return bare(case).encode() if _alone(case) else None


@dataclass(frozen=True, slots=True)
class Layout:
    """How fixed-width text is set; `page` is the mark between pages, "" for page numbers only."""

    tagged: bool = False
    page: str | None = None
    width: int = 78
    indent: int = 0
    pre: bool = False


LAYOUTS = {
    "plain": Layout(),
    "indented": Layout(indent=5),
    "tagged": Layout(tagged=True),
    "paged": Layout(tagged=True, page="<PAGE>"),
    "paged_plain": Layout(page="<PAGE>"),
    "form_feeds": Layout(page="\f"),
    "numbers_only": Layout(page=""),
    "narrow": Layout(width=64, page="<PAGE>"),
    "pre": Layout(pre=True),
}
_PAGE_LINES = 52
_LAYOUT_CELL = 400
_LABEL = 40


def _rendered(layout: Layout, case: Case) -> Changed:
    """An HTML filing as fixed-width text."""
    if not case.paper.is_html or case.paper.root.find(".//pre") is not None or not _alone(case):
        return None
    lines = _text_lines(case.paper.root, layout)
    if layout.page is not None:
        pages = [lines[start : start + _PAGE_LINES] for start in range(0, len(lines), _PAGE_LINES)]
        lines = [line for number, page in enumerate(pages, 1) for line in (*page, "", f"{number:>40}", layout.page)]
    text = "\n".join(lines)
    if layout.pre:
        escaped = text.replace("&", "&amp;").replace("<", "&lt;")
        return f"<html><body><pre>\n{escaped}\n</pre></body></html>".encode()
    return submission("10-K", ("10-K", text))


def _text_lines(root: Any, layout: Layout) -> list[str]:
    """Paragraphs wrapped and tables in columns, an empty line after each."""
    lines: list[str] = []
    loose: list[str] = []
    indent = " " * layout.indent

    def flush() -> None:
        words = plain(" ".join("".join(loose).split()))
        loose.clear()
        if words:
            lines.extend([*textwrap.wrap(words, layout.width, initial_indent=indent), ""])

    walker = etree.iterwalk(root, events=("start", "end", "comment"))
    for event, element in walker:
        hidden = "display:none" in (element.get("style") or "").replace(" ", "")
        if event == "start" and (hidden or element.tag in ("script", "style", "title", "head")):
            walker.skip_subtree()
        elif event == "start" and element.tag == "table" and not _is_layout(element):
            flush()
            lines.extend(_table_lines(element, tagged=layout.tagged))
            walker.skip_subtree()
        elif event == "start":
            if element.tag in BLOCK_TAGS or element.tag == "br":
                flush()
            loose.append(element.text or "")
        else:
            if element.tag in BLOCK_TAGS:
                flush()
            loose.append(element.tail or "")
    flush()
    return lines


def _is_layout(table: Any) -> bool:
    return any(len("".join(cell.itertext())) > _LAYOUT_CELL for cell in table.iter("td"))


def _table_lines(table: Any, *, tagged: bool) -> list[str]:
    rows = [cells for row in table.iter("tr") if (cells := _cells(row))]
    if len(rows) < 3:
        # A heading or a list point set as a table.
        wrapped = [textwrap.wrap("   ".join(row), 78, subsequent_indent=" " * 9) for row in rows]
        return [line for part in wrapped for line in (*part, "")]
    column = min(14, max((len(cell) for row in rows for cell in row[1:]), default=8) + 2)
    lines = []
    for row in rows:
        *label, last = textwrap.wrap(row[0], _LABEL - 2 if len(row) > 1 else 74) or [""]
        lines += [
            *label,
            last.ljust(_LABEL)
            + "".join(f"{cell:>{column}}" if len(cell) < column else f"  {cell}" for cell in row[1:]),
        ]
    return ["<TABLE>", "<CAPTION>", "<S>  <C>", *lines, "</TABLE>", ""] if tagged else [*lines, ""]


def _cells(row: Any) -> list[str]:
    """A row's filled cells, signs put to their figures."""
    cells: list[str] = []
    for cell in row.iter("td", "th"):
        words = plain(" ".join("".join(cell.itertext()).split()))
        if (words in (")", "%", ")%") and cells) or (cells and cells[-1] in ("$", "($")):
            cells[-1] += words
        elif words:
            cells.append(words)
    return cells


for _name, _layout in LAYOUTS.items():
    VARIANTS[f"text_{_name}"] = partial(_rendered, _layout)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


@variant
def text_as_html(case: Case) -> Changed:
    """Fixed-width text as a converter sets it: paragraphs in `<p>`, the rest in `<pre>`."""
    if case.paper.is_html or not _alone(case):
        return None
    body = re.sub(r"</?(?:PAGE|TABLE|S|C|CAPTION|FN)>", "", case.paper.flat)
    body = re.sub(r"(?m)^([ \t]*\d{1,3}[ \t]*)$", r"\n\1\n", body)
    parts = []
    for part in re.split(r"\n\s*\n", body):
        rows = re.search(r"\S {3,}\S.*\n.*\S {3,}\S|\.{4,}|-{4,}", part)
        parts.append(f"<pre>{_escaped(part)}</pre>" if rows else f"<p>{' '.join(_escaped(part).split())}</p>")
    return ("<html><body>" + "\n".join(parts) + "</body></html>").encode()


@variant
def text_in_pre(case: Case) -> Changed:
    if case.paper.is_html or not _alone(case):
        return None
    body = _escaped(re.sub(r"<(?=[A-Z/])[^>\n]*>", "", case.paper.flat))
    return f"<html><body><pre>{body}</pre></body></html>".encode()


@variant
def text_flush_left(case: Case) -> Changed:
    if case.paper.is_html:
        return None
    return case.paper.written(lambda body: re.sub(r"(?m)^[ \t]+(?=[A-Za-z\"(])", "", body)).encode()


HEADS = {
    "two_lines": "{number}\n",
    "two_lines_apart": "{number}\n\n",
    "indented": "            {number}  ",
    "wide_gap": "{number}            ",
    "tab": "{number}\t",
    "starred": "* {number} ",
    "dashes": "{number} -- ",
}
"""What stands before the title of a heading in fixed-width text."""


def _head(form: str, case: Case) -> Changed:
    if case.seven is None or case.paper.is_html:
        return None
    for heading in case.headings:
        if heading.title and heading.title_start <= heading.line_end:
            number = case.paper.flat[heading.start : heading.number_end].strip()
            line = case.paper.flat.rfind("\n", 0, heading.start) + 1
            case.paper.replace(line, heading.title_start, form.format(number=number))
    return case.written()


for _name, _form_of_head in HEADS.items():
    VARIANTS[f"head_{_name}"] = partial(_head, _form_of_head)


def _below_heads(new: str, case: Case) -> Changed:
    """Other lines in the place of the empty ones below each heading."""
    if case.seven is None or case.paper.is_html:
        return None
    gap = re.compile(r"\n[ \t]*(?:\n[ \t]*)+(?=\S)")
    for heading in case.headings:
        match = gap.search(case.paper.flat, heading.title_start, heading.title_start + 400)
        if match:
            case.paper.replace(match.start(), match.end(), new)
    return case.written()


VARIANTS["head_touching"] = partial(_below_heads, "\n")
VARIANTS["head_underlined"] = partial(_below_heads, "\n" + "-" * 60 + "\n\n")
KSB = {"7": "6", "8": "7", "9": "8", "9A": "8A", "9B": "8B", "10": "9", "11": "10", "12": "11", "13": "12", "15": "13"}
"""Numbers on Form 10-KSB of the items of Form 10-K."""


def _small_business(title: str, case: Case) -> Changed:
    """The items of Form 10-KSB: no selected data, no market risk, the discussion as Item 6."""
    if case.seven is None or not case.own_text or case.before("6") is None:
        return None
    erase_contents(case)
    for heading in case.headings:
        if heading.item in KSB:
            case.paper.replace(heading.start, heading.number_end, f"Item {KSB[heading.item]}. ")
        elif heading.item not in ("1", "2", "3", "4", "5"):
            case.erase(heading)
    tail = re.compile(r"of\s+financial\s+condition[^.]{0,60}operations?", re.IGNORECASE)
    match = tail.search(case.paper.flat, case.seven.start, case.seven.start + 300)
    if title and match:
        case.paper.replace(match.start(), match.end(), title)
    return submission("10-KSB", ("10-KSB", bare(case)))


VARIANTS["file_form_10-KSB"] = partial(_small_business, "")
VARIANTS["file_form_10-KSB_plan"] = partial(_small_business, "or Plan of Operation")
