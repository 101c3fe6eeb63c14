"""Variants of HTML: how headings are set and marked up, looks, links, tags, encodings."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from lxml import etree
from paper import BLOCK_TAGS, Heading
from variants import VARIANTS, Case, Changed, variant

_WEIGHT = r"font-weight\s*:\s*[^;\"']+;?"
REWRITES: dict[str, list[tuple[str, str]]] = {
    "look_not_bold": [(r"</?(?:b|strong)\b[^>]*>", ""), (_WEIGHT, ""), (r"<(/?)h[1-6]\b", r"<\1p")],
    "look_not_underlined": [(r"</?u\b[^>]*>", ""), (r"text-decoration\s*:\s*[^;\"']+;?", "")],
    "look_plain": [
        (r"</?(?:b|strong|u|i|em|center)\b[^>]*>", ""),
        (r"(?:font-weight|text-decoration|text-align|font-style|font-size)\s*:\s*[^;\"']+;?", ""),
        (r"\salign=[\"']?center[\"']?", ""),
        (r"<(/?)h[1-6]\b", r"<\1p"),
    ],
    "look_all_bold": [(_WEIGHT, ""), (r"<(p|div|td)\b([^>]*)>", r"<\1\2><b>"), (r"</(p|div|td)>", r"</b></\1>")],
    "look_no_styles": [(r"\sstyle=(?:\"[^\"]*\"|'[^']*')", "")],
    "links_removed": [(r"</?a\b[^>]*>", ""), (r"\s(?:id|name)=(?:\"[^\"]*\"|'[^']*'|[^\s>]+)", "")],
    "links_not_followed": [(r"\shref=[\"']?#[^\s>]*", "")],
    "tags_div": [(r"<(/?)p\b", r"<\1div")],
    "tags_span": [(r"<font\b[^>]*>", "<span>"), (r"</font>", "</span>")],
    "tags_not_closed": [(r"</p>", "")],
    "tags_no_html": [(r"(?s)<head\b.*?</head>|<!doctype[^>]*>|</?(?:html|body)\b[^>]*>", "")],
    "lines_crlf": [(r"\n", "\r\n")],
    "lines_blank_doubled": [(r"\n\n", "\n\n\n\n")],
}
"""Patterns to be replaced in the written body, the words left alone."""


def _rewritten(changes: list[tuple[str, str]], html_only: bool, case: Case) -> Changed:
    if html_only and not case.paper.is_html:
        return None

    def finish(body: str) -> str:
        for pattern, new in changes:
            body = re.sub(pattern, new, body, flags=re.IGNORECASE)
        return body

    return case.paper.written(finish).encode()


for _name, _changes in REWRITES.items():
    VARIANTS[_name] = partial(_rewritten, _changes, not _name.startswith("lines_"))


@variant
def tags_upper(case: Case) -> Changed:
    if not case.paper.is_html:
        return None
    tag = re.compile(r"<(/?)([a-z][a-z0-9:]*)")
    return case.paper.written(lambda body: tag.sub(lambda match: f"<{match[1]}{match[2].upper()}", body)).encode()


@variant
def lines_one(case: Case) -> Changed:
    """The whole document on one line."""
    if not case.paper.is_html or case.paper.root.find(".//pre") is not None:
        return None
    return case.paper.written(lambda body: re.sub(r"\s*\n\s*", " ", body)).encode()


@variant
def encoded_cp1252(case: Case) -> Changed:
    return case.paper.written().encode("cp1252", "xmlcharrefreplace") if case.paper.is_html else None


@variant
def encoded_entities(case: Case) -> Changed:
    return case.paper.written().encode("ascii", "xmlcharrefreplace") if case.paper.is_html else None


def _tag(tag: str, *inside: Any, **attributes: str) -> Any:
    """An element around strings and elements."""
    element = etree.Element(tag, attributes)
    for part in inside:
        if not isinstance(part, str):
            element.append(part)
        elif len(element):
            element[-1].tail = part
        else:
            element.text = part
    return element


def _cells(*cells: Any) -> Any:
    return _tag("table", _tag("tr", *(_tag("td", cell) for cell in cells)))


def _broken(title: str) -> str:
    return re.sub(r" (and) ", "\ue002\\1 ", title, flags=re.IGNORECASE)


def _lines(number: str, title: str) -> list[str]:
    """A heading in two lines, the second beginning with "and"."""
    match = re.search(
        r"\s(?=and (?:analysis|results|procedures|supplementary|related|disagreements))", title, re.IGNORECASE
    )
    return [f"{number} {title[: match.start()]}", title[match.end() :]] if match else [f"{number} {title}"]


Setting = Callable[[str, str], list[Any]]
SETTINGS: dict[str, Setting] = {
    "plain": lambda n, t: [_tag("p", f"{n} {t}")],
    "cells": lambda n, t: [_cells(n, t)],
    "cells_bold": lambda n, t: [_cells(_tag("b", n), _tag("b", t))],
    "cells_spacer": lambda n, t: [_cells(n, "\xa0", t)],
    "rows": lambda n, t: [_tag("table", _tag("tr", _tag("td", n)), _tag("tr", _tag("td", t)))],
    "one_cell": lambda n, t: [_cells(_tag("b", f"{n} {t}"))],
    "two_paragraphs": lambda n, t: [_tag("p", n), _tag("p", t)],
    "two_paragraphs_bold": lambda n, t: [_tag("p", _tag("b", n)), _tag("p", _tag("b", t))],
    "two_apart": lambda n, t: [_tag("p", n), _tag("p", "\xa0"), _tag("p"), _tag("p", t)],
    "anchor": lambda n, t: [_tag("p", _tag("a", _tag("b", f"{n} {t}"), name="item_x"))],
    "fonts": lambda n, t: [_tag("p", _tag("font", _tag("font", _tag("font", n), _tag("font", f" {t}"))))],
    "h1": lambda n, t: [_tag("h1", f"{n} {t}")],
    "h3": lambda n, t: [_tag("h3", f"{n} {t}")],
    "h4_two": lambda n, t: [_tag("h4", n), _tag("h4", t)],
    "br": lambda n, t: [_tag("p", _tag("b", f"{n}\ue002{t}"))],
    "br_plain": lambda n, t: [_tag("p", f"{n}\ue002{t}")],
    "title_broken": lambda n, t: [_tag("p", _tag("b", f"{n} {_broken(t)}"))],
    "title_parted": lambda n, t: [_tag("p", _tag("b", line)) for line in _lines(n, t)],
    "title_parted_plain": lambda n, t: [_tag("p", line) for line in _lines(n, t)],
    "title_bold": lambda n, t: [_tag("p", f"{n} ", _tag("b", t))],
    "number_bold": lambda n, t: [_tag("p", _tag("b", n), f" {t}")],
    "italic": lambda n, t: [_tag("p", _tag("i", f"{n} {t}"))],
    "list_item": lambda n, t: [_tag("ul", _tag("li", f"{n} {t}"))],
    "bullet": lambda n, t: [_tag("p", f"\u2022 {n} {t}")],
    "linked_back": lambda n, t: [_tag("p", _tag("a", f"{n} {t}", href="#toc"))],
    "linked_number": lambda n, t: [_tag("p", _tag("a", n, href="#toc"), _tag("b", f" {t}"))],
    "page_number_after": lambda n, t: [_tag("p", f"{n} {t}"), _tag("p", "27")],
    "back_link_in_line": lambda n, t: [_tag("p", _tag("b", f"{n} {t}"), _tag("a", " Table of Contents", href="#toc"))],
    "unaudited": lambda n, t: [_tag("p", _tag("b", f"{n} {t} (Unaudited)"))],
}
"""What a heading's number and title are set in, instead of its element."""
RUN_IN = {"bold": "b", "underlined": "u", "plain": "span"}


def _set(setting: Setting, case: Case) -> Changed:
    if case.seven is None or not case.paper.is_html:
        return None
    done = {heading: _reset(case, heading, setting) for heading in case.headings}
    case.paper.root.find(".//body").insert(0, _tag("p", _tag("a", name="toc")))
    return case.written() if done[case.seven] else None


def _reset(case: Case, heading: Heading, setting: Setting) -> bool:
    """Put new elements in the place of the one that holds a heading and nothing else; link targets stay."""
    old = _element_of(case, heading)
    if old is None:
        return False
    number = " ".join(case.paper.flat[heading.start : heading.number_end].split())
    title = " ".join("".join(old.itertext()).split())[len(number) :].strip()
    targets = [name for one in old.iter(etree.Element) if (name := one.get("id") or one.get("name"))]
    new = [*(_tag("a", name=name) for name in targets), *setting(number, title)]
    for element in new:
        old.addprevious(element)
    new[-1].tail = old.tail
    old.getparent().remove(old)
    return True


def _element_of(case: Case, heading: Heading) -> Any:
    """The paragraph, or the layout table, whose words are the heading's number and title; None where there is none."""
    here = case.paper.element_at(heading.start)
    if here.tag in ("td", "th", "li") or heading.title_start > heading.line_end:
        here = next(here.iterancestors("table"), None)
    if here is None or here.tag == "body" or here.getparent() is None or not heading.title:
        return None
    words = "".join(here.itertext()).strip()
    good = words.casefold().startswith("item") and len(heading.item) + 8 < len(words) < 300 and not words.endswith(",")
    return here if good else None


def _run_in(tag: str, case: Case) -> Changed:
    """Headings as the first words of the paragraph that follows."""
    if case.seven is None or not case.paper.is_html:
        return None
    done = set()
    for heading in case.headings:
        old = _element_of(case, heading)
        following = _next_paragraph(old) if old is not None else None
        if following is not None:
            words = " ".join("".join(old.itertext()).split()).rstrip(".")
            first = _tag(tag, f"{words}.")
            first.tail = f" {following.text or ''}"
            following.text = ""
            following.insert(0, first)
            place = _tag("a")
            place.tail = old.tail
            old.addprevious(place)
            old.getparent().remove(old)
            done.add(heading)
    return case.written() if case.seven in done else None


def _next_paragraph(element: Any) -> Any:
    """The next block with words, if it is a paragraph of text."""
    for here in element.itersiblings(etree.Element):
        words = "".join(here.itertext()).strip()
        if words:
            leaf = here.tag in ("p", "div") and next(here.iterdescendants(*BLOCK_TAGS), None) is None
            return here if leaf and len(words) > 150 else None
    return None


for _name, _setting in SETTINGS.items():
    VARIANTS[f"set_{_name}"] = partial(_set, _setting)
for _name, _run_in_tag in RUN_IN.items():
    VARIANTS[f"run_in_{_name}"] = partial(_run_in, _run_in_tag)
