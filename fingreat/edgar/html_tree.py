"""HTML bytes to an lxml tree that holds only what a reader sees."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import cast

from lxml import etree

from fingreat.edgar.blocks import LINE_BREAK

Element = etree._Element

MAX_DEPTH = 400
"""Elements nested deeper than this by the fallback parser are joined to the level above."""

_REACH = 20
"""Levels up to which an end tag that was left out is supplied."""
_ENDED_BY_BLOCKS = (("p",), ("td", "th", "table", "div"))
_END_PARAGRAPHS = frozenset(
    ("p", "div", "table", "center", "hr", "pre", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6")
)
_ENDED_BY = {
    "tr": (("tr",), ("table",)),
    "td": (("td", "th"), ("table",)),
    "th": (("td", "th"), ("table",)),
    "li": (("li",), ("ul", "ol", "table")),
}
"""For a tag, the elements that it ends where their end tags are left out, and those beyond which it ends none."""

_DECLARATION = re.compile(r"<\?xml[^>]*\?>")
_WRAP_WIDTH = 1023
"""EDGAR once cut lines after so many characters, inside words and tags, too."""
_NO_CHARACTER = re.compile(
    r"&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01]|127|129|14[134]|157|649(?:7[6-9]|[89]\d)|6500[0-7]|6553[45])(?!\d)"
    r"|x0*(?:[0-8bcef]|1[0-9a-f]|7f|8[1df]|9[0d]|fd[de][0-9a-f]|fff[ef])(?![0-9a-f]));?",
    re.IGNORECASE,
)
"""References to control characters and to code points that are no characters."""
_CLOSED_EARLY = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)
_SWALLOWERS = tuple(re.compile(rf"</?{tag}\b[^>]*>", re.IGNORECASE) for tag in ("title", "style", "script", "textarea"))
_UNSEEN_TAGS = (
    *("head", "title", "script", "style", "noscript", "object", "textarea", "select", "button"),
    *("ix:header", "ix:hidden", "ix:exclude", "ix:resources", "ix:references"),
)
_STYLE_MARKS = (
    *("none", "NONE", "None", "hidden", "HIDDEN", "size:0", "size:1p", "size:2p", "size: 0", "size: 1p", "size: 2p"),
    *("SIZE:0", "SIZE:1p", "SIZE:2p", "SIZE: 0", "SIZE: 1p", "SIZE: 2p"),
)
"""What the style of an element that nobody sees contains; only those that a document has are looked for."""
_STRAY_CELLS = etree.XPath("//td[not(parent::tr)] | //th[not(parent::tr)]")
_STRAY_TEXT = etree.XPath("//tr/*[not(self::td or self::th) and not(.//td)]")
_HIDDEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_NO_PLACE = re.compile(r"(?:^|;)\s*display\s*:\s*none", re.IGNORECASE)
"""Unlike a cell whose text is hidden, one that is not displayed takes no column of its table."""
_NO_SIZE = re.compile(r"font-size\s*:\s*0(?:\.0*)?(?:pt|px|em|%)?\s*(?:;|$)", re.IGNORECASE)
_TINY = re.compile(r"font-size\s*:\s*[12](?:\.\d+)?p[tx]", re.IGNORECASE)
_WHITE = re.compile(r"(?:^|;)\s*color\s*:\s*(?:#fff(?:fff)?\b|white\b|rgb\(\s*255\s*,\s*255\s*,\s*255)", re.IGNORECASE)
_RAISED_MARKS = ("vertical-align:super", "vertical-align: super", "VERTICAL-ALIGN: super", "position:relative;top:-")
_NOTE_MARK = re.compile(
    r"^\s?(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,3})\)?(?:,\s*\(?(?:\d{1,2}|[a-z])\)?)*|[*†‡]+)\s*$", re.IGNORECASE
)


def words_of(element: Element) -> str:
    """All text inside an element, as it stands."""
    return "".join(cast(Iterator[str], element.itertext()))


def parse_html(text: str) -> tuple[Element | None, list[str]]:
    """The visible tree of an HTML document, and what was doubtful.

    Returns None for the tree where there is nothing to read.
    """
    text = _mend(_DECLARATION.sub("", text[:500]) + text[500:])
    warnings: list[str] = []
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    data = text.encode("utf-8", errors="replace")
    try:
        root = etree.fromstring(data, parser)
        rejected = bool(parser.error_log.filter_from_fatals())
    except (etree.LxmlError, ValueError):
        root, rejected = None, True
    if root is None and not rejected:
        return None, warnings
    if rejected:
        warnings.append("The HTML is nested too deeply or damaged for the fast parser; the slow one read it.")
        root = _parse_slowly(text)
    if root is not None:
        _remove_invisible(root, data)
    return root, warnings


def _mend(text: str) -> str:
    """Markup that would make a parser stop early or swallow what follows, taken out.

    Filings are pasted together: text goes on after `</html>`, comments and titles stay open.
    """
    text = _NO_CHARACTER.sub("", _CLOSED_EARLY.sub("", _unwrap(text)))
    if text.count("<!--") > text.count("-->"):
        before, _, after = text.rpartition("<!--")
        text = before + after
    for swallower in _SWALLOWERS:
        if len(swallower.findall(text)) % 2:
            text = swallower.sub("", text)
    return text


def _unwrap(text: str) -> str:
    """Join lines that were cut at EDGAR's width, where the document has such lines and hardly any longer ones."""
    lines = text.split("\n")
    cut = [len(line) == _WRAP_WIDTH for line in lines]
    if not any(cut) or sum(len(line) > _WRAP_WIDTH for line in lines) * 10 > sum(cut):
        return text
    return "".join(line if joined else line + "\n" for line, joined in zip(lines, cut, strict=True))


def _parse_slowly(text: str) -> Element:
    """The same tree by BeautifulSoup, its depth bounded; linear in the number of nodes."""
    # Imported here because few filings need it, and a tenth of a second is much for `fingreat --help`.
    from bs4 import BeautifulSoup, Tag
    from bs4.element import NavigableString, PreformattedString

    root = etree.Element("html")
    opened = [root]
    path: list[tuple[Tag | BeautifulSoup, Element]] = []
    for node in BeautifulSoup(text, "html.parser").descendants:
        while path and path[-1][0] is not node.parent:
            _close(opened, path.pop()[1])
        if isinstance(node, Tag):
            path.append((node, _open(opened, node.name, node.attrs)))
        elif isinstance(node, NavigableString) and not isinstance(node, PreformattedString):
            here = opened[-1]
            if len(here):
                here[-1].tail = (here[-1].tail or "") + _xml_text(str(node))
            else:
                here.text = (here.text or "") + _xml_text(str(node))
    return root


def _open(opened: list[Element], name: str, attributes: Mapping[str, object]) -> Element:
    """Start an element inside the innermost open one; those that its tag ends are closed first."""
    ended, bounds = _ENDED_BY.get(name, _ENDED_BY_BLOCKS if name in _END_PARAGRAPHS else ((), ()))
    for place in range(len(opened) - 1, max(0, len(opened) - _REACH), -1):
        if opened[place].tag in bounds:
            break
        if opened[place].tag in ended:
            del opened[place:]
            break
    element = etree.SubElement(opened[-1], _tag_name(name))
    for key in ("style", "id", "name", "href", "align", "colspan", "rowspan"):
        value = attributes.get(key)
        if isinstance(value, str):
            element.set(key, _xml_text(value))
    if len(opened) < MAX_DEPTH:
        opened.append(element)
    return element


def _close(opened: list[Element], element: Element) -> None:
    """End an element, with all that is open inside it; it may have ended already."""
    if element in opened:
        del opened[opened.index(element) :]


_XML_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NAME = re.compile(r"^[a-z][a-z0-9._-]*$")


def _xml_text(text: str) -> str:
    """Text without what lxml refuses; references such as `&#1;` bring control characters into a tree."""
    return _XML_UNSAFE.sub("", text)


def _tag_name(name: str) -> str:
    """A name lxml accepts; `ix:header` and the like keep a mark of what they are.

    A head that is never closed has the text inside; what nobody sees of a head has tags of its own.
    """
    if name == "head":
        return "div"
    if _NAME.match(name):
        return name
    return "style" if name.rpartition(":")[2] in {"header", "hidden", "exclude", "resources"} else "span"


def _remove_invisible(root: Element, data: bytes) -> None:
    """Empty what a browser doesn't show, mark line breaks, part note marks from words; linear in size."""
    for element in list(root.iter(*_UNSEEN_TAGS)):
        _empty(element)
    for element in _styled(root, data, _STYLE_MARKS):
        style = element.get("style") or ""
        tiny = _TINY.search(style) and _WHITE.search(style)
        if _HIDDEN.search(style) or _NO_SIZE.search(style) or tiny:
            _empty(element)
            if element.tag in ("td", "th") and _NO_PLACE.search(style):
                element.set("hidden", "")
    for element in root.iter("br"):
        element.tail = LINE_BREAK + _xml_text(element.tail or "")
    for element in cast(list[Element], _STRAY_CELLS(root)):
        _wrap(element, "tr")
    for element in cast(list[Element], _STRAY_TEXT(root)):
        _wrap(element, "td")
    for element in (*root.iter("sup"), *_styled(root, data, _RAISED_MARKS)):
        _part_note_mark(element)


def _wrap(element: Element, tag: str) -> None:
    """Put a cell that stands outside any row, or text in a row outside any cell, where it belongs."""
    parent = element.getparent()
    if parent is None:
        return
    wrapper = etree.Element(tag)
    if element.tail:
        wrapper.tail, element.tail = _xml_text(element.tail), None
    parent.replace(element, wrapper)
    wrapper.append(element)


def _empty(element: Element) -> None:
    tail = element.tail
    element.clear()
    if tail:
        element.tail = _xml_text(tail)


def _styled(root: Element, data: bytes, marks: tuple[str, ...]) -> list[Element]:
    """Elements whose style holds one of these marks, found without visiting each in Python."""
    present = [mark for mark in marks if mark.encode() in data]
    if not present:
        return []
    test = " or ".join(f"contains(., '{mark}')" for mark in present)
    return cast(list[Element], root.xpath(f"//*[@style[{test}]]"))


def _part_note_mark(element: Element) -> None:
    """Put a blank between a raised note mark and the word or digit before it: "31" and "(1)" are no "31(1)"."""
    text = words_of(element)
    if not _NOTE_MARK.match(text):
        return
    previous = element.getprevious()
    parent = element.getparent()
    before = previous.tail if previous is not None and previous.tail else None
    if before is None and previous is None and parent is not None:
        before = parent.text
    if before is not None and before[-1:].isspace():
        return
    node = element
    while not node.text and len(node):
        node = node[0]
    node.text = " " + _xml_text(node.text or "")
