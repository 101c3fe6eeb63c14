"""An independent parser, BeautifulSoup, must find the same words in the same order: in documents and in sections.

What the reader declares to take out or change is declared here a second time: elements that a browser hides, page
numbers, running heads and feet, blanks before raised note marks, heads of Markdown tables that span columns (said
once for each column).
"""

from __future__ import annotations

import gzip
import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from fingreat.edgar import read_section, read_submission
from fingreat.edgar.blocks import Kind
from fingreat.edgar.container import Document
from fingreat.edgar.html_blocks import html_blocks
from fingreat.edgar.html_tree import parse_html
from fingreat.edgar.tables import filled_rows
from fingreat.schema import Section, TableStyle

SHORT = (
    "1443388_2011_takedown-shell.txt.gz",
    "320193_2024_aapl.htm.gz",
    "72633_2021_neort-royaltytrust.htm.gz",
    "876134_2010_tgfin-shell-pem.txt.gz",
    "878560_2012_standardpacific.htm.gz",
)
BLOCKS = [
    *("address", "blockquote", "body", "br", "caption", "center", "dd", "div", "dl", "dt", "form", "hr", "html", "li"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "page", "pre", "table", "tbody", "tfoot", "thead", "tr", "ul"),
]
HIDDEN = [
    *("title", "script", "style", "noscript", "object", "textarea", "select", "button"),
    *("ix:header", "ix:exclude", "ix:hidden"),
]
HIDDEN_STYLE = re.compile(r"(?:^|;)(?:display:none|visibility:hidden|font-size:0(?:\.0*)?(?:pt|px)?(?:;|$))")
RAISED = re.compile(r"vertical-align:super|position:relative;top:-")
NOTE = re.compile(r"\s?\(?(?:\d{1,2}|[a-z]|[ivx]{1,3})\)?(?:,\s*\(?(?:\d{1,2}|[a-z])\)?)*\s*", re.IGNORECASE)
WORD = re.compile(r"[^\W_]+")
INVISIBLE = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")
PAGE_NUMBER = re.compile(r"(?:f )?(?:\d{1,3}|[ivxl]+)", re.IGNORECASE)
DELIMITER = re.compile(r"\|(\s*:?-+:?\s*\|)+")
FARTHEST = 3000
"""Words between two lines of a section, where a large table stands between them."""


@dataclass(frozen=True)
class Source:
    """A document's words in order, and for each of them whether it stands in a line of page furniture."""

    words: list[str]
    furniture: list[bool]


@lru_cache(maxsize=2)
def source_of(html: str) -> Source:
    """The words that a browser shows, by BeautifulSoup."""
    # EDGAR parted lines after 1023 characters, inside words, too.
    if re.search(r"(?m)^.{1023}$", html) and len(re.findall(r"(?m)^.{1024,}$", html)) < 5:
        html = re.sub(r"(?m)^(.{1023})\n", r"\1", html)
    soup = BeautifulSoup(html, "html.parser")
    for tag in soup.find_all(HIDDEN):
        tag.decompose()
    for tag in soup.find_all(style=True):
        # A row without an end tag seems to hold the rows after it.
        if not tag.decomposed and HIDDEN_STYLE.search(style_of(tag)) and not (tag.name == "tr" and tag.find("tr")):
            tag.decompose()
    for tag in (*soup.find_all("sup"), *soup.find_all(lambda tag: bool(RAISED.search(style_of(tag))))):
        if NOTE.fullmatch(tag.get_text()):
            tag.insert_before(" ")
    for tag in soup.find_all([*BLOCKS, "td", "th"]):
        mark = " " if tag.name in ("td", "th") else "\f"
        tag.insert_before(mark)
        tag.insert_after(mark)
    for text in [text for tag in soup.find_all("pre") for text in tag.find_all(string=True)]:
        text.replace_with(text.replace("\n", "\f"))
    lines = [WORD.findall(line) for line in INVISIBLE.sub("", "".join(soup.strings)).split("\f")]
    times = Counter(alike(line) for line in lines)
    words: list[str] = []
    furniture: list[bool] = []
    for line in lines:
        words += line
        furniture += [is_furniture(line, times)] * len(line)
    return Source(words, furniture)


def style_of(tag: object) -> str:
    return str(tag.get("style") or "").lower().replace(" ", "")  # type: ignore[attr-defined]


def alike(line: list[str]) -> str:
    """A line with its numbers left open."""
    return " ".join("#" if word.isdigit() else word.casefold() for word in line)


def is_furniture(line: list[str], times: Counter[str]) -> bool:
    """Whether a line is a page's number, stands in the document three times, or says that it goes on."""
    text = " ".join(line)
    again = len(text) < 120 and times[alike(line)] >= 3
    return bool(PAGE_NUMBER.fullmatch(text)) or again or text.casefold().endswith("continued")


def document_words(document: Document) -> list[str]:
    """What the reader makes of a document, before page furniture is taken out."""
    root, warnings = parse_html(document.text)
    assert root is not None
    assert warnings == []
    texts = []
    for block in html_blocks(root):
        if block.kind is Kind.TABLE:
            texts += [text for row in filled_rows(block.source) for text, _ in row]
        else:
            texts.append(f"{block.bullet} {block.text}")
    return WORD.findall(" ".join(texts))


def html_documents(path: Path) -> list[Document]:
    return [d for d in read_submission(gzip.decompress(path.read_bytes()), path.name).documents if d.is_html]


def differences(ours: list[str], theirs: list[str], preformatted: bool) -> list[str]:
    """Where two sequences differ, apart from the letter o for a list's point.

    In fixed-width text page numbers and lines that say that they go on are out, too.
    """
    if ours == theirs:
        return []
    found = []
    for tag, a, b, c, d in SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes():
        lost, made = " ".join(theirs[a:b]), " ".join(ours[c:d])
        declared = lost == "o" or (preformatted and (PAGE_NUMBER.fullmatch(lost) or lost.endswith("Continued")))
        if tag != "equal" and not (declared and not made):
            found.append(f"{' '.join(theirs[a - 3 : a])} [{lost} → {made}] {' '.join(theirs[b : b + 3])}")
    return found


def check_documents(path: Path) -> int:
    """Every HTML document of a filing, word by word; how many words."""
    looked_at = 0
    for document in html_documents(path):
        theirs = source_of(document.text).words
        found = differences(document_words(document), theirs, "<pre" in document.text.lower())
        assert found == [], (path.name, document.type, found[:10])
        looked_at += len(theirs)
    return looked_at


def section_words(section: Section) -> tuple[list[list[str]], Counter[str], Counter[str]]:
    """The words of each line of prose, of the tables between them, and of the heads of Markdown tables."""
    prose: list[list[str]] = []
    tables: Counter[str] = Counter()
    heads: Counter[str] = Counter()
    lines = section.text.split("\n")
    while not lines[-1] or lines[-1].startswith(("|", "<", "```")):
        # Where a table at the end stops in the source, no line of prose tells.
        lines.pop()
    fenced = False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        fenced ^= line.startswith("```")
        if line.startswith(("<tr>", "<table>", "</table>")):
            tables.update(WORD.findall(BeautifulSoup(line, "html.parser").get_text(" ")))
        elif fenced or line.startswith("| "):
            tables.update(WORD.findall(line))
            if DELIMITER.fullmatch(following):
                heads.update(WORD.findall(line))
        elif not DELIMITER.fullmatch(line) and WORD.search(line):
            prose.append(WORD.findall(line))
    return prose, tables, heads


def match(line: list[str], source: Source, here: int, word: int = 0) -> int | None:
    """Where a line of prose ends in the source, if it begins at a place; furniture may part it."""
    while word < len(line) and here < len(source.words):
        if word and source.furniture[here] and not source.furniture[here - 1]:
            after = here
            while after < len(source.words) and source.furniture[after]:
                after += 1
            end = match(line, source, after, word)
            if end is not None:
                return end
        if source.words[here] != line[word]:
            return None
        here, word = here + 1, word + 1
    return here if word == len(line) else None


def follow(line: list[str], source: Source, start: int, end: int) -> int | None:
    """Where a line of prose ends in the source that begins at one of these places."""
    ends = (match(line, source, place) for place in range(start, min(end, len(source.words))))
    return next((end for end in ends if end is not None), None)


def locate(prose: list[list[str]], source: Source) -> tuple[int, int, list[str]]:
    """Where in the source a section stands, and its lines of prose that do not stand there in this order."""
    best: tuple[int, int, list[str]] | None = None
    for start in (n for n, word in enumerate(source.words) if word == prose[0][0]):
        at = follow(prose[0], source, start, start + 1)
        if at is None:
            continue
        lost = []
        for line in prose[1:]:
            end = follow(line, source, at, at + FARTHEST)
            if end is None:
                lost.append(" ".join(line))
            at = end or at
        if best is None or (len(lost), at - start) < (len(best[2]), best[1] - best[0]):
            best = start, at, lost
    assert best is not None, prose[0]
    return best


def check_section(path: Path, tables: TableStyle) -> int:
    """The text of Item 7 against its place in the source; how many words."""
    section = read_section(path, tables=tables)
    documents = [d for d in html_documents(path) if section.source_document in (None, d.type)]
    if not section.text or not documents:
        return 0
    source = source_of(documents[0].text)
    prose, in_tables, heads = section_words(section)
    start, end, strangers = locate(prose, source)
    assert strangers == [], (path.name, strangers[:5])
    ours = Counter(word for line in prose for word in line) + in_tables
    theirs = Counter(source.words[start:end])
    furniture = Counter(w for w, out in zip(source.words[start:end], source.furniture[start:end], strict=True) if out)
    lost, made = theirs - ours - furniture, ours - theirs
    assert lost == Counter(), (path.name, lost.most_common(10))
    if tables is TableStyle.MARKDOWN:
        made -= heads
    assert made == Counter(), (path.name, made.most_common(10))
    return end - start


@pytest.mark.parametrize("name", SHORT)
def test_documents_and_sections_hold_the_words_of_the_source_in_order(shared: Path, name: str) -> None:
    path = shared / "filings" / "dev" / name
    assert check_documents(path) > 10_000
    for tables in TableStyle:
        assert check_section(path, tables) > 700


@pytest.mark.prove
def test_all_filings_hold_the_words_of_the_source_in_order(shared: Path) -> None:
    words = sections = 0
    for path in sorted((shared / "filings" / "dev").iterdir()):
        words += check_documents(path)
        for tables in TableStyle:
            sections += check_section(path, tables)
    assert words > 2_000_000
    assert sections > 600_000


@pytest.mark.parametrize("name", SHORT)
def test_the_slow_parser_reads_the_same_words(shared: Path, name: str) -> None:
    document = html_documents(shared / "filings" / "dev" / name)[0]
    fast, warnings = parse_html(document.text)
    # Deeper than the fast parser goes, and nothing to read in it.
    slow, doubts = parse_html(document.text + "<b>" * 20_000)
    assert warnings == []
    assert "the slow one" in doubts[0]
    assert fast is not None
    assert slow is not None
    assert [block.text for block in html_blocks(slow)] == [block.text for block in html_blocks(fast)]
