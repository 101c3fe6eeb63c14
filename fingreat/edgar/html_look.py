"""How an HTML block is set: bold, centred, linked, ... from tags, attributes and inline styles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, cast

from lxml import etree

from fingreat.edgar.blocks import LINE_BREAK, Look
from fingreat.edgar.html_tree import Element

Piece = tuple[str, Element]
"""A run of text and the element whose styling applies to it."""

_BOLD_TAGS = frozenset(("b", "strong", "h1", "h2", "h3", "h4", "h5", "h6", "th"))
_BOLD = re.compile(r"\b(?:bold(?:er)?|[6-9]00)\b")
_NOT_BOLD = re.compile(r"\s*(?:normal|400|[1-3]00)")
_CENTRED = re.compile(r"text-align\s*:\s*center", re.IGNORECASE)
_SIZE = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*p([tx])")
_RUNS = etree.XPath(".//text()")
_UNSEEN = LINE_BREAK + " \n\t\u00a0.,:;"
_CLIMB = 12


def pieces_of(element: Element) -> Iterator[Piece]:
    """The text runs inside an element, in order, each with the element that styles it."""
    for run in cast(list[Any], _RUNS(element)):
        owner = run.getparent()
        if run.is_tail:
            owner = owner.getparent()
        if owner is not None:
            yield str(run), owner


def _links_of(pieces: list[Piece]) -> frozenset[str]:
    """The link targets inside the document that these text runs lead to."""
    found: set[str] = set()
    for owner in {owner for _, owner in pieces}:
        here: Element | None = owner
        for _ in range(_CLIMB):
            if here is None:
                break
            href = here.get("href") if here.tag == "a" else None
            if href and href.startswith("#"):
                found.add(href[1:])
            here = here.getparent()
    return frozenset(found)


def look_at(pieces: list[Piece], block: Element | None) -> Look:
    """The look of a block made of these pieces.

    Args:
        pieces: the block's text runs.
        block: the element that encloses them all, for centring; None for loose text.
    """
    seen: dict[Element, tuple[bool, bool, bool, bool, float | None]] = {}
    bold = underlined = italic = linked = True
    lead: list[str] = []
    leading = True
    size: float | None = None
    empty = True
    for text, owner in pieces:
        if not text.strip(_UNSEEN):
            # A stop after a bold title may itself be plain.
            if leading:
                lead.append(text)
            continue
        empty = False
        style = seen.get(owner)
        if style is None:
            style = seen[owner] = _style(owner)
        leading = leading and style[0]
        if leading:
            lead.append(text)
        bold, underlined, italic, linked = (
            bold and style[0],
            underlined and style[1],
            italic and style[2],
            linked and style[3],
        )
        size = style[4] if size is None else size
    if empty:
        return Look()
    anchor = block if block is not None else pieces[0][1]
    return Look(
        bold,
        " ".join("".join(lead).replace(LINE_BREAK, " ").split()),
        underlined,
        italic,
        _centred(anchor),
        linked,
        size,
        links=_links_of(pieces) if linked else frozenset(),
    )


def _style(element: Element) -> tuple[bool, bool, bool, bool, float | None]:
    """Bold, underlined, italic, linked and size of text right inside an element."""
    bold: bool | None = None
    underlined = italic = linked = False
    size: float | None = None
    here: Element | None = element
    for _ in range(_CLIMB):
        if here is None:
            break
        tag = here.tag
        style = here.get("style")
        if style:
            declared = _declared(style)
            bold = declared[0] if bold is None else bold
            underlined, italic = underlined or declared[1], italic or declared[2]
            size = declared[3] if size is None else size
        if bold is None and tag in _BOLD_TAGS:
            bold = True
        underlined = underlined or tag == "u"
        italic = italic or tag in ("i", "em")
        linked = linked or (tag == "a" and here.get("href") is not None)
        here = here.getparent()
    return bool(bold), underlined, italic, linked, size


@lru_cache(maxsize=512)
def _declared(style: str) -> tuple[bool | None, bool, bool, float | None]:
    """Bold, underlined, italic and size as an inline style declares them; None for what it leaves open."""
    bold: bool | None = None
    underlined = italic = False
    size: float | None = None
    for declaration in style.lower().split(";"):
        name, _, value = declaration.partition(":")
        name = name.strip()
        if name.startswith("text-decoration"):
            underlined = underlined or "underline" in value
        if name in ("font", "font-weight"):
            bold = bold or bool(_BOLD.search(value)) or (False if _NOT_BOLD.match(value) else bold)
        if name in ("font", "font-style"):
            italic = italic or "italic" in value
        if name in ("font", "font-size") and size is None and (match := _SIZE.search(value)):
            size = float(match[1]) * (0.75 if match[2] == "x" else 1.0)
    return bold, underlined, italic, size


def _centred(element: Element) -> bool:
    here: Element | None = element
    for _ in range(_CLIMB):
        if here is None:
            return False
        style = here.get("style") or ""
        align = here.get("align")
        if "text-align" in style.lower():
            return _CENTRED.search(style) is not None
        if align:
            return align.lower() == "center"
        if here.tag == "center":
            return True
        if here.tag in ("td", "table", "body"):
            return False
        here = here.getparent()
    return False
