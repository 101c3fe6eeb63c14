"""HTML bytes to an lxml tree that holds only what a reader sees."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice

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

_ANY_TAG = re.compile(r"<(/?)([a-zA-Z][\w:.-]*)[^<>]*>")
_VOID = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"))
_MAY_STAY_OPEN = frozenset(("p", "li", "td", "th", "tr", "dd", "dt", "option"))
_MOST_OPEN = 200
_DECLARATION = re.compile(r"<\?xml[^>]*\?>")
_WRAP_WIDTH = 1023
"""EDGAR once cut lines after so many characters, inside words and tags, too."""
_NO_CHARACTER = re.compile(
    r"&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01]|127|129|14[134]|157|649(?:7[6-9]|[89]\d)|6500[0-7]|6553[45])(?!\d)"
    r"|x0*(?:[0-8bcef]|1[0-9a-f]|7f|8[1df]|9[0d]|fd[de][0-9a-f]|fff[ef])(?![0-9a-f]));?",
    re.IGNORECASE,
)
"""References to control characters and to code points that are no characters."""
_NOTHING = "\u2060"
"""Left in their place, and out with white space: what stood around one could be another."""
_CLOSED_EARLY = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)
_SWALLOWERS = re.compile(r"</?(title|style|script|textarea)\b[^<>]*>", re.IGNORECASE)
_UNSEEN_NAMES = (
    "head title script style noscript object textarea select button"
    " ix:header ix:hidden ix:exclude ix:resources ix:references"
)
_UNSEEN_TAGS = frozenset(_UNSEEN_NAMES.split())
_CELLS = frozenset(("td", "th"))
_HIDDEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_NO_PLACE = re.compile(r"(?:^|;)\s*display\s*:\s*none", re.IGNORECASE)
"""Unlike a cell whose text is hidden, one that is not displayed takes no column of its table."""
_NO_SIZE = re.compile(r"font-size\s*:\s*0(?:\.0*)?(?:pt|px|em|%)?\s*(?:;|$)", re.IGNORECASE)
_TINY = re.compile(r"font-size\s*:\s*[12](?:\.\d+)?p[tx]", re.IGNORECASE)
_WHITE = re.compile(r"(?:^|;)\s*color\s*:\s*(?:#fff(?:fff)?\b|white\b|rgb\(\s*255\s*,\s*255\s*,\s*255)", re.IGNORECASE)
_LONGEST_STYLE = 4000
_MOST_PARTS = 8
"""Elements of a note mark; more of them hold text."""
_RAISED_MARKS = ("vertical-align:super", "vertical-align: super", "VERTICAL-ALIGN: super", "position:relative;top:-")
_NOTE_MARK = re.compile(
    r"^\s?(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,3})\)?(?:,\s*\(?(?:\d{1,2}|[a-z])\)?)*|[*†‡]+)\s*$", re.IGNORECASE
)


def words_of(element: Element) -> str:
    """All text inside an element, as it stands."""
    return etree.tostring(element, method="text", encoding="unicode", with_tail=False)


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
        _remove_invisible(root)
    return root, warnings


def _mend(text: str) -> str:
    """Markup that would make a parser stop early or swallow what follows, taken out.

    Filings are pasted together: text goes on after `</html>`, comments and titles stay open.
    """
    text = _NO_CHARACTER.sub(_NOTHING, _CLOSED_EARLY.sub("", _unwrap(text)))
    if text.count("<!--") > text.count("-->"):
        before, _, after = text.rpartition("<!--")
        text = before + after
    swallowers = Counter(tag.lower() for tag in _SWALLOWERS.findall(text))
    odd = {tag for tag, count in swallowers.items() if count % 2}
    return _SWALLOWERS.sub(lambda tag: "" if tag[1].lower() in odd else tag[0], text) if odd else text


def _unwrap(text: str) -> str:
    """Join lines that were cut at EDGAR's width, where the document has such lines and hardly any longer ones."""
    lines = text.split("\n")
    cut = [len(line) == _WRAP_WIDTH for line in lines]
    if not any(cut) or sum(len(line) > _WRAP_WIDTH for line in lines) * 10 > sum(cut):
        return text
    return "".join(line if joined else line + "\n" for line, joined in zip(lines, cut, strict=True))


def _flattened(text: str) -> str:
    """Markup without the tags that nest too deeply: the slow parser's time grows with the depth of every node.

    Where many elements of a kind whose end tag may be left out are open, the oldest way to end one is taken: an
    end tag before the next.
    """
    depth = 0
    opened: Counter[str] = Counter()
    dropped: Counter[str] = Counter()

    def kept(tag: re.Match[str]) -> str:
        nonlocal depth
        name = tag[2].lower()
        if name in _VOID or tag[0].endswith("/>"):
            return tag[0]
        if name in _MAY_STAY_OPEN:
            opened[name] = max(opened[name] + (-1 if tag[1] else 1), 0)
            if opened[name] <= _MOST_OPEN or tag[1]:
                return tag[0]
            opened[name] -= 1
            return f"</{name}>{tag[0]}"
        if tag[1]:
            if dropped[name]:
                dropped[name] -= 1
                return ""
            depth = max(depth - 1, 0)
        elif depth >= MAX_DEPTH:
            dropped[name] += 1
            return ""
        else:
            depth += 1
        return tag[0]

    return _ANY_TAG.sub(kept, text)


def _parse_slowly(text: str) -> Element:
    """The same tree by BeautifulSoup, its depth bounded; linear in the number of nodes."""
    # Imported here because few filings need it, and a tenth of a second is much for `fingreat --help`.
    from bs4 import BeautifulSoup, Tag
    from bs4.element import NavigableString, PreformattedString

    root = etree.Element("html")
    opened = [root]
    path: list[tuple[Tag | BeautifulSoup, Element]] = []
    for node in BeautifulSoup(_flattened(text), "html.parser").descendants:
        while path and path[-1][0] is not node.parent:
            _close(opened, path.pop()[1])
        if isinstance(node, Tag):
            path.append((node, _open(opened, node.name, node.attrs)))
        elif isinstance(node, NavigableString) and not isinstance(node, PreformattedString):
            here = opened[-1]
            # Not by its length: lxml counts the children for it.
            last = next(here.iterchildren(reversed=True), None)
            if last is not None:
                last.tail = (last.tail or "") + _xml_text(str(node))
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


@dataclass(slots=True)
class _Found:
    """What one pass over a tree finds; the number is that of elements in rows that are no cells."""

    unseen: list[Element] = field(default_factory=list)
    unplaced: list[Element] = field(default_factory=list)
    stray: list[Element] = field(default_factory=list)
    raised: list[Element] = field(default_factory=list)
    outside_cells: int = 0


def _remove_invisible(root: Element) -> None:
    """Empty what a browser doesn't show, mark line breaks, part note marks from words; linear in size."""
    found = _find(root)
    for element in found.unseen:
        _empty(element)
    for element in found.unplaced:
        element.set("hidden", "")
    for element in found.stray:
        _wrap(element, "tr")
    for element in _outside_cells(root) if found.outside_cells else ():
        _wrap(element, "td")
    for element in found.raised:
        _part_note_mark(element)


def _find(root: Element) -> _Found:
    """One pass in Python, which costs less than an XPath query over the styles; line breaks are marked on the way."""
    found = _Found()
    looks: dict[str, _Style] = {}
    for element in root.iter():
        tag = element.tag
        style = element.get("style")
        look = _PLAIN
        if style:
            if len(style) > _LONGEST_STYLE:
                style = _xml_text(style[:_LONGEST_STYLE])
                element.set("style", style)
            look = looks.get(style) or looks.setdefault(style, _read_style(style))
        if look.hidden or tag in _UNSEEN_TAGS:
            found.unseen.append(element)
        if look.raised or tag == "sup":
            found.raised.append(element)
        if tag in _CELLS:
            parent = element.getparent()
            if parent is None or parent.tag != "tr":
                found.stray.append(element)
            else:
                found.outside_cells -= 1
            if look.unplaced:
                found.unplaced.append(element)
        elif tag == "tr":
            found.outside_cells += len(element)
        elif tag == "br":
            element.tail = LINE_BREAK + _xml_text(element.tail or "")
    return found


@dataclass(frozen=True, slots=True)
class _Style:
    """What an inline style says about whether and where its element is seen."""

    hidden: bool = False
    unplaced: bool = False
    raised: bool = False


_PLAIN = _Style()


def _read_style(style: str) -> _Style:
    tiny = _TINY.search(style) and _WHITE.search(style)
    return _Style(
        hidden=bool(_HIDDEN.search(style) or _NO_SIZE.search(style) or tiny),
        unplaced=_NO_PLACE.search(style) is not None,
        raised=any(mark in style for mark in _RAISED_MARKS),
    )


def _outside_cells(root: Element) -> list[Element]:
    """What stands in a row but in no cell and has no cell inside."""
    around: set[Element] = set()
    for cell in root.iter("td"):
        here: Element | None = cell
        while here is not None and here not in around:
            around.add(here)
            here = here.getparent()
    return [part for row in root.iter("tr") for part in row if part.tag not in _CELLS and part not in around]


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


def _part_note_mark(element: Element) -> None:
    """Put blanks between a raised note mark and the words or digits beside it: "31" and "(1)" are no "31(1)"."""
    if next(islice(element.iter(), _MOST_PARTS, None), None) is not None or not _NOTE_MARK.match(words_of(element)):
        return
    if element.tail and element.tail[0].isalnum():
        element.tail = " " + _xml_text(element.tail)
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
