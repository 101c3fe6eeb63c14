"""HTML bytes to an lxml tree that holds only what a reader sees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PreformattedString
from lxml import etree

from fingreat.edgar.blocks import LINE_BREAK

Element = etree._Element

MAX_DEPTH = 400
"""Elements nested deeper than this by the fallback parser are joined to the level above."""

_DECLARATION = re.compile(r"<\?xml[^>]*\?>")
_INVISIBLE = etree.XPath(
    "//*[self::script or self::style or self::head or self::title or self::noscript or self::img or self::object"
    " or self::input or self::textarea or self::select or self::button"
    " or name()='ix:header' or name()='ix:hidden' or name()='ix:exclude' or name()='ix:resources'"
    " or starts-with(name(), 'xbrli:') or starts-with(name(), 'link:')]"
)
_STYLED = etree.XPath(
    "//*[@style[contains(., 'none') or contains(., 'NONE') or contains(., 'idden') or contains(., 'IDDEN')"
    " or contains(., 'size:0') or contains(., 'size:1p') or contains(., 'size:2p')"
    " or contains(., 'size: 0') or contains(., 'size: 1p') or contains(., 'size: 2p') or contains(., 'SIZE: 1p')"
    " or contains(., 'SIZE: 0') or contains(., 'SIZE: 1')] or @hidden]"
)
_HIDDEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_NO_SIZE = re.compile(r"font-size\s*:\s*0(?:\.0*)?(?:pt|px|em|%)?\s*(?:;|$)", re.IGNORECASE)
_TINY = re.compile(r"font-size\s*:\s*[12](?:\.\d+)?p[tx]", re.IGNORECASE)
_WHITE = re.compile(r"(?:^|;)\s*color\s*:\s*(?:#fff(?:fff)?\b|white\b|rgb\(\s*255\s*,\s*255\s*,\s*255)", re.IGNORECASE)
_RAISED = etree.XPath(
    "//sup | //*[contains(@style, 'vertical-align:super') or contains(@style, 'vertical-align: super')]"
)
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
    text = _DECLARATION.sub("", text[:500]) + text[500:]
    warnings: list[str] = []
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(text.encode("utf-8", errors="replace"), parser)
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


def _parse_slowly(text: str) -> Element:
    """The same tree by BeautifulSoup, its depth bounded; linear in the number of nodes."""
    soup = BeautifulSoup(text, "html.parser")
    root = etree.Element("html")
    made: list[tuple[Tag | BeautifulSoup, Element]] = [(soup, root)]
    for node in soup.descendants:
        while made[-1][0] is not node.parent and len(made) > 1:
            made.pop()
        here = made[-1][1]
        if isinstance(node, Tag):
            element = here
            if len(made) < MAX_DEPTH:
                element = etree.SubElement(here, _tag_name(node.name))
                for key in ("style", "id", "name", "href", "align", "colspan", "rowspan"):
                    value = node.get(key)
                    if isinstance(value, str):
                        element.set(key, _xml_text(value))
            made.append((node, element))
        elif isinstance(node, NavigableString) and not isinstance(node, PreformattedString):
            if len(here):
                here[-1].tail = (here[-1].tail or "") + _xml_text(str(node))
            else:
                here.text = (here.text or "") + _xml_text(str(node))
    return root


_XML_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NAME = re.compile(r"^[a-z][a-z0-9._-]*$")


def _xml_text(text: str) -> str:
    return _XML_UNSAFE.sub("", text)


def _tag_name(name: str) -> str:
    """A name lxml accepts; `ix:header` and the like keep a mark of what they are."""
    if _NAME.match(name):
        return name
    return "style" if name.rpartition(":")[2] in {"header", "hidden", "exclude", "resources"} else "span"


def _remove_invisible(root: Element) -> None:
    for element in cast(list[Element], _INVISIBLE(root)):
        _drop(element)
    for element in cast(list[Element], _STYLED(root)):
        style = element.get("style") or ""
        tiny = _TINY.search(style) and _WHITE.search(style)
        if _HIDDEN.search(style) or _NO_SIZE.search(style) or tiny or element.get("hidden") is not None:
            _drop(element)
    for element in root.iter("br"):
        element.tail = LINE_BREAK + (element.tail or "")
    for element in cast(list[Element], _RAISED(root)):
        _part_note_mark(element)


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
    node.text = " " + (node.text or "")


def _drop(element: Element) -> None:
    """Take an element out and leave the text that follows it."""
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        previous = element.getprevious()
        if previous is not None:
            previous.tail = (previous.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    parent.remove(element)
