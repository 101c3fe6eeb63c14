"""Whether an answer is the whole of what was asked for, and whether it is EDGAR's refusal of everything.

A status of 200 says little: pages that refuse come with it too, and a line that breaks off can look like an end.
So the first and last bytes are checked, and what is packed is unpacked to its checksum.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from typing import Literal

from fingreat.edgar.decode import LARGEST, why_unreadable

Kind = Literal["submission", "document", "json", "gzip"]
"""What is asked for: a full submission, one document of it in HTML or text, JSON, or a packed index."""

_FRAMES = (
    (b"-----BEGIN PRIVACY-ENHANCED MESSAGE-----", b"-----END PRIVACY-ENHANCED MESSAGE-----"),
    (b"<SEC-DOCUMENT>", b"</SEC-DOCUMENT>"),
    (b"<IMS-DOCUMENT>", b"</IMS-DOCUMENT>"),
)
"""How full submissions begin, and how one that begins so ends; the first up to about 2010, the last up to 1996."""
_PADDING = b" \t\r\n\x00\x1a"
_ACCESSION = re.compile(rb"^[ \t]*ACCESSION NUMBER:[ \t]*([0-9-]{18,20})[ \t\r]*$", re.MULTILINE)
_HEAD = 20_000
_WRONG_TYPES: dict[Kind, str] = {
    "submission": r"text/html|application/(?:json|xml)|image/.*",
    "document": r"application/(?:json|pdf|zip)|image/.*",
    "json": r"text/html|application/xml|text/xml|image/.*",
    "gzip": r"text/html|application/(?:json|xml)|text/xml|image/.*",
}
"""Types that tell another thing; servers label the right one in more ways than can be listed."""
_BLOCK = re.compile(
    rb"<(?:title|h1)\b[^<>]*>[^<>]*(?:Request Rate Threshold Exceeded|"
    rb"Your Request Originates from an Undeclared Automated Tool)",
    re.IGNORECASE,
)
_BLOCK_SIZE = 100_000
"""The page is of some two kilobytes; a filing that speaks of it is larger or no page."""
_HTML = re.compile(rb"<(?:!doctype\s+html?|html|body|div|p|font|span|center|h[1-6])\b", re.IGNORECASE)
_END = re.compile(rb"</[a-z][a-z0-9:_-]*\s*>(?:\s|\x00|<!--(?:(?!-->).)*-->)*\Z", re.IGNORECASE | re.DOTALL)
_LAST_COMMENTS = 100_000
_ODD = re.compile(r"[^!-~]")
"""Characters that no type has, and that a terminal may obey."""
_LONGEST_TYPE = 60
_GZIP = b"\x1f\x8b"
_LARGEST_JSON = 64 << 20
_PIECE, _UNPACKED_PIECE = 64 << 10, 1 << 20
"""Bytes that are unpacked at a time, and what they may unpack to at once."""


def is_block(status: int, data: bytes) -> bool:
    """Whether an answer says that EDGAR refuses every request for a while.

    That is a 429, and its page on the rate threshold or on undeclared tools under any status. A plain 403 is no
    block: EDGAR answers so for files that do not exist.
    """
    return status == 429 or (len(data) <= _BLOCK_SIZE and _BLOCK.search(data) is not None)


def is_submission(data: bytes) -> bool:
    """Whether a file begins as a full submission does; one of its documents alone, or a headless copy, does not."""
    return any(data[:_HEAD].lstrip(_PADDING).startswith(opening) for opening, _ in _FRAMES)


def most_bytes(kind: Kind) -> int:
    """The largest answer that is taken, packed and unpacked: EDGAR's lists of a company are of some megabytes."""
    return _LARGEST_JSON if kind == "json" else LARGEST


def unpack(data: bytes, encoding: str, most: int) -> bytes:
    """Undo the content encoding of an answer, a piece at a time.

    Args:
        data: as it came over the wire.
        encoding: the Content-Encoding header; empty where there is none.
        most: bytes that it may unpack to.

    Raises:
        ValueError: it is cut, damaged, larger than that, or of an encoding that was not asked for.
    """
    if encoding.strip().lower() in ("", "identity"):
        return data
    if encoding.strip().lower() not in ("gzip", "x-gzip", "deflate"):
        raise ValueError(f"its encoding is {encoding[:40]!r}, which was not asked for")
    # It gives its bytes away without copying them.
    unpacked = io.BytesIO()
    stream = None
    for start in range(0, len(data), _PIECE):
        rest = data[start : start + _PIECE]
        while rest:
            if stream is None or stream.eof:
                # 32: a header of gzip or of zlib, whichever there is.
                stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
            try:
                unpacked.write(stream.decompress(rest, _UNPACKED_PIECE))
            except zlib.error as error:
                raise ValueError(f"its packed content is damaged ({error})") from None
            if unpacked.tell() > most:
                raise ValueError(f"it is larger than {in_words(most)}")
            rest = stream.unused_data if stream.eof else stream.unconsumed_tail
    if stream is not None and not stream.eof:
        raise ValueError("its packed content is cut")
    return unpacked.getvalue()


def in_words(most: int) -> str:
    """A limit of bytes, and what keeps within it."""
    size = f"{most >> 30} GiB" if most >= 1 << 30 else f"{most >> 20} MiB"
    return f"{size}, more than any {'filing' if most == LARGEST else 'such page'}"


def fault(kind: Kind, data: bytes, content_type: str = "", accession: str | None = None) -> str | None:
    """Why these bytes are not the whole of what was asked for, in words that follow "the answer"; None if they are.

    Args:
        kind: what was asked for.
        data: the answer's content, its content encoding undone.
        content_type: the header of the answer; empty where there is none.
        accession: number of the submission that was asked for, which its header must state.
    """
    # The first of it: stripping copies all of it.
    if not data[:_HEAD].strip(_PADDING) and not data.strip(_PADDING):
        return "is empty"
    if len(data) <= _BLOCK_SIZE and _BLOCK.search(data):
        return "is a page that refuses the request"
    type_ = _ODD.sub("?", content_type.partition(";")[0].strip().lower())[:_LONGEST_TYPE]
    if re.fullmatch(_WRONG_TYPES[kind], type_):
        return f"is of type {type_}, which no {_NAMES[kind]} is"
    if kind == "submission":
        return _submission_fault(data, accession)
    if kind == "document":
        return _document_fault(data)
    if kind == "json":
        return _json_fault(data)
    return _gzip_fault(data)


_NAMES: dict[Kind, str] = {
    "submission": "full submission",
    "document": "document of a filing",
    "json": "JSON page",
    "gzip": "packed index",
}


def _submission_fault(data: bytes, accession: str | None) -> str | None:
    head, tail = data[:_HEAD].lstrip(_PADDING), data[-_HEAD:].rstrip(_PADDING)
    closing = next((closing for opening, closing in _FRAMES if head.startswith(opening)), None)
    if closing is None:
        return "does not begin as a full submission does"
    if not tail.endswith(closing):
        return f"is cut: it does not end with {closing.decode()}"
    stated = _ACCESSION.search(head)
    if accession is not None and (stated is None or stated[1].decode() != accession):
        return f"is the submission {stated[1].decode() if stated else 'of no stated number'}, not {accession}"
    return None


def _document_fault(data: bytes) -> str | None:
    why = why_unreadable(data)
    if why:
        return f"is no document of a filing: {why}"
    if data.lstrip(_PADDING).startswith(b"<DOCUMENT>") and not data.rstrip(_PADDING).endswith(b"</DOCUMENT>"):
        return "is cut: it does not end with </DOCUMENT>"
    if _HTML.search(data[:_HEAD]) and not _END.search(data[-_LAST_COMMENTS:]):
        return "is cut: it is HTML and does not end with a closing tag"
    return None


def _json_fault(data: bytes) -> str | None:
    try:
        json.loads(data)
    except (ValueError, RecursionError) as error:
        return f"is no whole JSON ({error})"
    return None


def _gzip_fault(data: bytes) -> str | None:
    if not data.startswith(_GZIP):
        return "is not packed with gzip"
    size = 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as unpacked:
            while block := unpacked.read(1 << 20):
                size += len(block)
                if size > LARGEST:
                    return "unpacks to more than 1 GiB"
    except (EOFError, OSError, zlib.error) as error:
        return f"is cut or damaged ({error})"
    return None
