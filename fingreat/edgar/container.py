"""The container of an EDGAR filing: one SGML header and several `<DOCUMENT>` parts.

The container is cut by its own tags, line by line, never by an HTML parser: parts may be ASCII,
HTML, XML or uuencoded pictures. Files of 1993-1996 stand in a PRIVACY-ENHANCED MESSAGE wrapper
(or call themselves IMS-DOCUMENT); some stored copies have lost part of the tags, or have been
through an HTML parser that lower-cased them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice

from fingreat.edgar.decode import decode

_OPEN = re.compile(r"<DOCUMENT>", re.IGNORECASE)
_CLOSE = re.compile(r"</DOCUMENT>", re.IGNORECASE)
_TEXT_OPEN = re.compile(r"<TEXT>", re.IGNORECASE)
_TEXT_CLOSE = re.compile(r"</TEXT>", re.IGNORECASE)
_WRAPPER = re.compile(r"</?(?:XBRL|PDF|XML)>\s*", re.IGNORECASE)
_TAG = re.compile(
    r"^[ \t]*(?:<html><body>)?<(TYPE|SEQUENCE|FILENAME|DESCRIPTION)>([^\n<]*)", re.IGNORECASE | re.MULTILINE
)
_HEADER_LINE = re.compile(r"^[ \t]*([A-Z][A-Z0-9 /.-]{2,50}):[ \t]*(\S.*?)?[ \t]*$")
_HEADER_END = re.compile(r"</(?:SEC|IMS)-HEADER>|<DOCUMENT>", re.IGNORECASE)
_SUBMISSION = re.compile(r"^<(?:SEC|IMS)-DOCUMENT>", re.IGNORECASE | re.MULTILINE)
_PEM = "-----BEGIN PRIVACY-ENHANCED MESSAGE-----"
_SKIPPED_TYPE = re.compile(
    r"^(?:GRAPHIC|ZIP|EXCEL|PDF|XML|JSON|EX-101\b.*|EX-27\b.*|.*\.(?:INS|SCH|CAL|DEF|LAB|PRE|XSD))$", re.IGNORECASE
)
_MADE_BY_EDGAR = re.compile(r"^(?:ZIP|EXCEL|XML|JSON)$", re.IGNORECASE)
"""Parts that EDGAR adds to a submission; the header does not count them."""
_SKIPPED_FILE = re.compile(r"\.(?:jpe?g|gif|png|bmp|pdf|zip|xlsx?|xml|xsd|json|css|js)$", re.IGNORECASE)
_UUENCODED = re.compile(r"\s*(?:<PDF>\s*)?begin [0-7]{3} \S", re.IGNORECASE)
_HTML = re.compile(r"<(?:html|body|div|p|font|br|span|center|h[1-6]|hr|td)(?:\s[^<>]*)?/?>", re.IGNORECASE)
_HTML_START = re.compile(r"<html[\s>]|<!doctype html", re.IGNORECASE)
_HTML_SAMPLE = 400_000
_PLAIN_HEADER_LINES = 120


@dataclass(frozen=True, slots=True)
class Document:
    """One part of a submission.

    Attributes:
        type: its `<TYPE>`, such as `10-K` or `EX-13`; empty for a bare file.
        text: its content; empty for pictures, archives and data files, which are skipped undecoded.
        is_html: whether the content is HTML (otherwise fixed-width text).
    """

    type: str
    sequence: str
    filename: str
    description: str
    text: str
    is_html: bool


@dataclass(frozen=True, slots=True)
class Submission:
    """A filing as parts.

    Attributes:
        header: the header's `KEY: value` lines, first value of each key; empty for a bare document.
        documents: all parts in file order.
        warnings: what is damaged or doubtful.
    """

    header: Mapping[str, str]
    documents: tuple[Document, ...]
    warnings: tuple[str, ...] = field(default=())


def read_submission(data: bytes, name: str = "") -> Submission:
    """Take a filing's bytes apart.

    Args:
        data: a full submission, or a bare main document.
        name: the file's name, used where the file itself names no document.
    """
    text, warnings = decode(data)
    parts, cut = _split(text)
    header = _read_header(text)
    if cut:
        warnings.append("The submission is truncated: its last document has no end mark.")
    if not parts:
        body = _strip_plain_header(text) if header else text
        form = header.get("CONFORMED SUBMISSION TYPE", "")
        return Submission(header, (_document(form, "1", name, "", body),), tuple(warnings))
    documents = tuple(_parse_part(part) for part in parts)
    counted = header.get("PUBLIC DOCUMENT COUNT", "")
    filed = sum(1 for document in documents if not _MADE_BY_EDGAR.match(document.type))
    if (submissions := len(_SUBMISSION.findall(text))) > 1:
        warnings.append(
            f"The file holds {submissions} submissions; they are read as one, under the first one's header."
        )
    if counted.isdigit() and min(abs(int(counted) - filed), abs(int(counted) - len(documents))) > 1:
        warnings.append(f"The header counts {int(counted)} documents, the file holds {filed}.")
    return Submission(header, documents, tuple(warnings))


def _split(text: str) -> tuple[list[str], bool]:
    """The inside of each `<DOCUMENT>`, and whether the last one is cut off."""
    starts = [match.end() for match in _OPEN.finditer(text)]
    parts = []
    cut = False
    for number, start in enumerate(starts):
        limit = starts[number + 1] if number + 1 < len(starts) else len(text)
        close = _CLOSE.search(text, start, limit)
        cut = close is None and number + 1 == len(starts)
        parts.append(text[start : close.start() if close else limit])
    # A main document cut out of its submission keeps the opening tag and may lose the closing one.
    return parts, cut and (len(parts) > 1 or "<SEC-" in text[:4096] or "<IMS-" in text[:4096])


def _parse_part(part: str) -> Document:
    opened = _TEXT_OPEN.search(part)
    head = part[: opened.start()] if opened else part[:2000]
    tags = {key.upper(): value.strip() for key, value in reversed(_TAG.findall(head))}
    body = part[opened.end() :] if opened else part
    tail = max(0, len(body) - 2000)
    closed = _TEXT_CLOSE.search(body, tail)
    if closed:
        body = body[: closed.start()]
    return _document(
        tags.get("TYPE", ""), tags.get("SEQUENCE", ""), tags.get("FILENAME", ""), tags.get("DESCRIPTION", ""), body
    )


def _document(kind: str, sequence: str, filename: str, description: str, body: str) -> Document:
    if _SKIPPED_TYPE.match(kind) or _SKIPPED_FILE.search(filename) or _UUENCODED.match(body[:200]):
        return Document(kind, sequence, filename, description, "", is_html=False)
    body = _WRAPPER.sub("", body[:200], count=1) + body[200:]
    return Document(kind, sequence, filename, description, body, is_html=_looks_like_html(body))


def _looks_like_html(body: str) -> bool:
    """HTML by its tags; the `<TABLE>`, `<S>`, `<C>` and `<PAGE>` of fixed-width filings don't count."""
    if _HTML_START.search(body, 0, 2000):
        return True
    return len(list(islice(_HTML.finditer(body, 0, _HTML_SAMPLE), 3))) == 3


def _read_header(text: str) -> dict[str, str]:
    """Header lines before the first document; the first value of a key wins (the filer, not a co-filer)."""
    start = text.find("ACCESSION NUMBER:", 0, 20_000)
    if start < 0:
        return {}
    end = _HEADER_END.search(text, start, start + 200_000)
    lines = text[start : end.start() if end else start + 20_000].split("\n")
    if not end:
        lines = lines[:_PLAIN_HEADER_LINES]
    header: dict[str, str] = {}
    for line in lines:
        match = _HEADER_LINE.match(line)
        if match and match[2]:
            header.setdefault(match[1].strip(), match[2])
    return header


def _strip_plain_header(text: str) -> str:
    """The body of a submission whose tags were lost: what follows the last indented header line."""
    lines = text.split("\n")
    last = 0
    for number, line in enumerate(lines[: _PLAIN_HEADER_LINES + 40]):
        if _HEADER_LINE.match(line) and (line.startswith("\t") or "\t" in line):
            last = number + 1
    return "\n".join(lines[last:])
