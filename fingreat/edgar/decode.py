"""From bytes to text, and from bytes that are no filing to a reason why."""

from __future__ import annotations

import gzip
import io
import re
import stat
import zlib
from pathlib import Path

from fingreat.errors import InputError

LARGEST = 1 << 30
"""Bytes of the largest file that is read, unpacked: no filing comes near it."""
_TOO_LARGE = "The file is larger than 1 GiB, more than any filing."
_GZIP = b"\x1f\x8b"
_SIGNATURES = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"{\\rtf", "an RTF document"),
    (b"\x7fELF", "a program"),
)
_OTHER_KINDS = (
    (re.compile(rb"[\[{]\s*[\"{\[\]}]"), "JSON"),
    (
        re.compile(rb"(?:[A-Z][\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*)*?MIME-Version:", re.IGNORECASE),
        "a web archive or a mail (MIME); save the page as HTML",
    ),
    (re.compile(rb"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:\w+:)?xbrl[\s>]", re.DOTALL), "an XBRL data file"),
    (re.compile(rb"(?:[A-Za-z0-9+/]{60,76}\r?\n){12}"), "base64 data"),
    (
        re.compile(rb".{0,2000}<title>\s*EDGAR Filing (?:Documents|Index)", re.DOTALL | re.IGNORECASE),
        "EDGAR's list of a filing's documents",
    ),
)
"""What a file may be by how it begins, though its bytes are text."""
_BLOCK_PAGES = re.compile(
    r"Your Request Originates from an Undeclared Automated Tool|Request Rate Threshold Exceeded"
    r"|<title>\s*(?:403 Forbidden|404 Not Found|429 Too Many Requests|Access Denied"
    r"|SEC\.gov \| (?:Request Rate|File Not Found))"
    r"|You don't have permission to access|<Code>(?:AccessDenied|NoSuchKey)</Code>",
    re.IGNORECASE,
)
_BLOCK_PAGE_SIZE = 100_000
"""A page that refuses a download is small; a filing that quotes such words is not."""
_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.IGNORECASE)
_WESTERN = frozenset(("windows-1252", "cp1252", "iso-8859-1", "latin-1", "latin1"))
_STRAY = re.compile("[\udc80-\udcff]")
_CONTROL_CODES = (*range(9), 11, *range(14, 32), *range(127, 160), *range(0xFDD0, 0xFDF0), 0xFFFE, 0xFFFF)
_CONTROLS = {
    code: bytes([code]).decode("cp1252", errors="ignore") if 128 <= code < 160 else "" for code in _CONTROL_CODES
}
"""Characters that no text has; those from U+0080 on are Windows-1252 bytes that somebody took for Latin-1."""


def read_bytes(path: Path) -> bytes:
    """The bytes of a file; gzip is undone, whatever the file is called.

    Raises:
        InputError: the file is missing, a folder, a pipe or a device, unreadable, empty, or damaged gzip.
    """
    where = str(path)
    try:
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            # Reading a pipe or a device may never end.
            raise InputError("This is a pipe or a device, not a file.", where=where, hint="Copy the filing to a file.")
        if path.stat().st_size > LARGEST:
            raise InputError(_TOO_LARGE, where=where)
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError("there is no such file.", where=where, hint="Check the path.") from None
    except IsADirectoryError:
        raise InputError("This is a folder, not a filing.", where=where, hint="Name one file in it.") from None
    except OSError as error:
        raise InputError(f"The file cannot be read: {error.strerror or error}.", where=where) from None
    if data.startswith(_GZIP):
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as unpacked:
                data = unpacked.read(LARGEST + 1)
        except (EOFError, OSError, zlib.error) as error:
            raise InputError(
                f"The gzip data is damaged: {error}.", where=where, hint="Fetch or copy the file again."
            ) from None
    if len(data) > LARGEST:
        raise InputError(_TOO_LARGE, where=where)
    if not data.strip():
        raise InputError("The file is empty.", where=where, hint="Fetch or copy the file again.")
    return data


def why_unreadable(data: bytes) -> str | None:
    """Why these bytes cannot be a filing, in words; None where they may be one."""
    head = data[:2048].lstrip(b"\xef\xbb\xbf \t\r\n\x00")
    if not data.strip(b"\x00 \t\r\n\f"):
        return "The file is empty."
    for signature, what in _SIGNATURES:
        if head.startswith(signature):
            return f"This is {what}, not an EDGAR filing in HTML or text."
    for pattern, what in _OTHER_KINDS:
        if pattern.match(head):
            return f"This is {what}, not an EDGAR filing in HTML or text."
    if not head.startswith(b"<"):
        sample = data[:65536]
        binary = sum(sample.count(bytes([code])) for code in (0, 1, 2, 3, 4, 5, 6, 7, 8, 14, 15, 16, 17, 18))
        if binary > len(sample) // 50 and not _utf16(data):
            return "This is binary data, not an EDGAR filing in HTML or text."
    if len(data) <= _BLOCK_PAGE_SIZE:
        match = _BLOCK_PAGES.search(data[:_BLOCK_PAGE_SIZE].decode("latin-1"))
        if match:
            phrase = re.sub(r"<[^>]*>", "", match[0]).strip()
            return f'This is the page of a server that refused the download ("{phrase}"), not a filing.'
    return None


def decode(data: bytes) -> tuple[str, list[str]]:
    """Text of a filing and what was doubtful about its encoding; never fails.

    UTF-8, and Windows-1252 for each byte that is not: filings of one encoding come out right, and so
    do those that were pasted together from both. What neither knows becomes a replacement mark.
    """
    utf16 = _utf16(data)
    if utf16:
        return _clean(data.decode(utf16, errors="replace")), []
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return _clean(data.decode("utf-8")), []
    except UnicodeDecodeError as error:
        first = error.start
    text = _STRAY.sub(_cp1252, data.decode("utf-8", errors="surrogateescape"))
    declared = _CHARSET.search(data[:4096])
    if declared and declared[1].decode("ascii").lower() in _WESTERN:
        return _clean(text), []
    return _clean(text), [f"The text is not valid UTF-8 (first at byte {first}); such bytes are read as Windows-1252."]


def _utf16(data: bytes) -> str | None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    return None


def _cp1252(stray: re.Match[str]) -> str:
    return bytes([ord(stray[0]) - 0xDC00]).decode("cp1252", errors="replace")


def _clean(text: str) -> str:
    """Line ends as `\\n`, no control characters besides tab and form feed."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Hardly a filing has any, and looking for them one by one is faster than anything that takes them out.
    return text.translate(_CONTROLS) if any(chr(code) in text for code in _CONTROLS) else text
