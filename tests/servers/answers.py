"""An answer of the local EDGAR, and the faults that spoil one.

A fault is a function from the right answer to the one that is given; faults can be put one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

_PAGES = Path(__file__).resolve().parent / "pages"
_PIECE = 65536


@dataclass(frozen=True)
class Answer:
    """What is sent, and how.

    Attributes:
        type: the Content-Type; empty for none.
        headers: further header lines.
        delay: seconds before the first byte.
        piece, pause: bytes sent at a time, and seconds between two pieces.
        chunked: no Content-Length; the body in chunks.
        keep: the share of the body after which the connection ends; None for a whole answer.
        by_reset: such a connection ends with a reset (RST), not in order (FIN).
        silent: not even a status line is sent before the connection ends.
    """

    status: int = 200
    body: bytes = b""
    type: str = "text/plain"
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0
    piece: int = _PIECE
    pause: float = 0.0
    chunked: bool = False
    keep: float | None = None
    by_reset: bool = False
    silent: bool = False


Fault = Callable[[Answer], Answer]


def page(name: str, status: int) -> Answer:
    """One of the pages of this folder as an answer."""
    kind = "text/html" if name.endswith(".html") else "application/xml"
    return Answer(status, (_PAGES / name).read_bytes(), kind)


def instead(answer: Answer) -> Fault:
    """The fault that gives another answer."""
    return lambda _: answer


MISSING = page("missing.xml", 404)

too_many = instead(Answer(429, b"Too Many Requests\n"))
"""429, as archives answer above the limit; no Retry-After."""
threshold = instead(page("threshold.html", 403))
"""403 with the page on the request rate."""
undeclared = instead(page("undeclared.html", 403))
"""403 with the page on undeclared tools."""
denied = instead(page("denied.xml", 403))
"""403 of EDGAR's store, for a path under which it has nothing: no block."""
forbidden = instead(Answer(403, b"<html><body><h1>Forbidden</h1></body></html>", "text/html"))
"""403 of something else, such as a proxy."""
missing = instead(MISSING)
"""404."""
broken = instead(Answer(500, b"<html><body><h1>Internal Server Error</h1></body></html>", "text/html"))
"""500."""
unavailable = instead(Answer(503, b"<html><body><h1>Service Unavailable</h1></body></html>", "text/html"))
"""503."""
block_page = instead(page("threshold.html", 200))
"""The page on the request rate, under status 200."""


def cut(keep: float = 0.5) -> Fault:
    """The connection closes after this share of the body; Content-Length speaks of all of it."""
    return lambda answer: replace(answer, keep=keep)


def cut_chunked(keep: float = 0.5) -> Fault:
    """The same in chunks: the last chunk never comes."""
    return lambda answer: replace(answer, keep=keep, chunked=True)


def reset(keep: float | None = None) -> Fault:
    """The connection is reset before the status line, or after this share of the body."""
    return lambda answer: replace(answer, keep=keep or 0.0, by_reset=True, silent=keep is None)


def shortened(keep: float = 0.5) -> Fault:
    """A file that is too short, under a Content-Length that agrees with it."""
    return edited(lambda body: body[: int(len(body) * keep)])


def edited(change: Callable[[bytes], bytes]) -> Fault:
    """Other bytes, in good order."""
    return lambda answer: replace(answer, body=change(answer.body))


def delayed(seconds: float) -> Fault:
    """The first byte comes late."""
    return lambda answer: replace(answer, delay=seconds)


def dribbling(piece: int, pause: float) -> Fault:
    """So many bytes at a time, and so many seconds between them."""
    return lambda answer: replace(answer, piece=piece, pause=pause)


def redirected(location: str, status: int = 302) -> Fault:
    """Another address, which may be on another host."""
    return instead(Answer(status, b"", "text/html", (("Location", location),)))


def typed(kind: str) -> Fault:
    """The right bytes under another Content-Type."""
    return lambda answer: replace(answer, type=kind)


def in_chunks(answer: Answer) -> Answer:
    """A whole answer without a Content-Length."""
    return replace(answer, chunked=True)
