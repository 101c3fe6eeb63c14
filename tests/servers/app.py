"""The local EDGAR as an ASGI application: which path gives what, which faults spoil it, how it is sent."""

from __future__ import annotations

import asyncio
import gzip
import re
import socket
import struct
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from servers import apis, indexes, submission
from servers.answers import MISSING, Answer, Fault, undeclared
from servers.catalogue import Catalogue, quarter
from servers.log import Log, Seen

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

_ADDRESS = re.compile(r"[^\s@<>()]+@[^\s@<>()]+\.[a-z]{2,}", re.IGNORECASE)
_QUARTERLY = re.compile(r"/Archives/edgar/full-index/(\d{4})/QTR([1-4])/(master|form|company)\.(idx|gz)")
_DAILY = re.compile(r"/Archives/edgar/daily-index/(\d{4})/QTR([1-4])/(master|form|company)\.(\d{8})\.idx")
_FLAT = re.compile(r"/Archives/edgar/data/(\d+)/(\d{10}-\d\d-\d{6})\.txt")
_FOLDER = re.compile(r"/Archives/edgar/data/(\d+)/(\d{18})/([^/]+)")
_SUBMISSIONS = re.compile(r"/submissions/CIK(\d{10})(?:-submissions-(\d{3}))?\.json")
_ASSETS = re.compile(r"/api/xbrl/companyconcept/CIK(\d{10})/us-gaap/Assets\.json")
_TYPES = {".txt": "text/plain", ".idx": "text/plain", ".htm": "text/html", ".html": "text/html"}
_TYPES |= {
    ".json": "application/json",
    ".gz": "application/x-gzip",
    ".xml": "application/xml",
    ".pdf": "application/pdf",
}


@dataclass
class Rule:
    """When a fault is given: for which path, how often, and how many requests it spares first."""

    fault: Fault
    where: str | Callable[[str], bool] | None
    times: int | None
    spare: int

    def applies(self, path: str) -> bool:
        """Whether this request is spoiled; counts it."""
        if not (self.where is None or (self.where == path if isinstance(self.where, str) else self.where(path))):
            return False
        if self.spare:
            self.spare -= 1
            return False
        if self.times is None:
            return True
        self.times -= 1
        return self.times >= 0


class App:
    """The application; its catalogue, rules and overrides may be changed from another thread while it serves."""

    def __init__(self, catalogue: Catalogue, *, page_size: int, strict: bool, compress: bool) -> None:
        self.catalogue = catalogue
        self.log = Log()
        self.lock = threading.Lock()
        self.rules: list[Rule] = []
        self.overrides: dict[str, Answer] = {}
        self._page_size = page_size
        self._strict = strict
        self._compress = compress

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        target = scope["raw_path"].decode("latin-1")
        if scope["query_string"]:
            target += "?" + scope["query_string"].decode("latin-1")
        seen = Seen(scope.get("arrived", time.monotonic()), scope["method"], scope["path"], target, headers)
        self.log.note(seen)
        with self.lock:
            answer = self._answer(seen)
        await send_answer(answer, seen, scope["transport"], receive, send)

    def _answer(self, seen: Seen) -> Answer:
        if self._strict and not _ADDRESS.search(seen.headers.get("user-agent", "")):
            return undeclared(MISSING)
        answer = self._right_answer(seen)
        for rule in self.rules:
            if rule.applies(seen.path):
                answer = rule.fault(answer)
        accepted = seen.headers.get("accept-encoding", "")
        if (
            self._compress
            and "gzip" in accepted
            and answer.body
            and answer.type.startswith(("text/", "application/json"))
        ):
            packed = gzip.compress(answer.body, 1, mtime=0)
            answer = replace(answer, body=packed, headers=(*answer.headers, ("Content-Encoding", "gzip")))
        return answer

    def _right_answer(self, seen: Seen) -> Answer:
        if seen.method not in ("GET", "HEAD"):
            return Answer(405, b"Method Not Allowed\n")
        if seen.path in self.overrides:
            return self.overrides[seen.path]
        body = self._body(seen.path)
        return MISSING if body is None else Answer(200, body, type_of(seen.path))

    def _body(self, path: str) -> bytes | None:
        """The file of a path; None where there is none."""
        if path == "/files/company_tickers.json":
            return apis.tickers(self.catalogue)
        if path == "/files/company_tickers_exchange.json":
            return apis.tickers_exchange(self.catalogue)
        for pattern, make in (
            (_FLAT, self._flat),
            (_FOLDER, self._in_folder),
            (_SUBMISSIONS, self._submissions),
            (_ASSETS, self._assets),
            (_QUARTERLY, self._quarterly),
            (_DAILY, self._daily),
        ):
            if match := pattern.fullmatch(path):
                return make(*match.groups())
        return None

    def _flat(self, cik: str, accession: str) -> bytes | None:
        filing = self.catalogue.filing(cik, accession)
        return submission.full_submission(filing) if filing else None

    def _in_folder(self, cik: str, nodash: str, name: str) -> bytes | None:
        filing = self.catalogue.filing(cik, nodash)
        if filing is None:
            return None
        if name == f"{filing.accession}.txt":
            return submission.full_submission(filing)
        if name in (f"{filing.accession}-index.htm", f"{filing.accession}-index.html"):
            return submission.landing_page(filing)
        if name == f"{filing.accession}-index-headers.html":
            return submission.header_page(filing)
        return submission.document(filing, name)

    def _submissions(self, cik: str, number: str | None) -> bytes | None:
        company = self.catalogue.company(cik)
        if company is None:
            return None
        if number is None:
            return apis.submissions(self.catalogue, company, self._page_size)
        return apis.older_page(self.catalogue, company, int(number), self._page_size)

    def _assets(self, cik: str) -> bytes | None:
        company = self.catalogue.company(cik)
        return apis.assets(self.catalogue, company) if company else None

    def _quarterly(self, year: str, number: str, kind: str, ending: str) -> bytes | None:
        first, last = quarter(int(year), int(number))
        rows = self.catalogue.between(first, last)
        if not rows:
            return None
        data = indexes.index_file(kind, rows, last)
        return gzip.compress(data, mtime=0) if ending == "gz" else data

    def _daily(self, year: str, number: str, kind: str, day: str) -> bytes | None:
        try:
            on = date(int(day[:4]), int(day[4:6]), int(day[6:]))
        except ValueError:
            return None
        first, last = quarter(int(year), int(number))
        rows = self.catalogue.between(on, on) if first <= on <= last else []
        return indexes.index_file(kind, rows, on, daily=True) if rows else None


def type_of(path: str) -> str:
    """The Content-Type by a path's ending."""
    name = path.rpartition("/")[2]
    return _TYPES.get("." + name.rpartition(".")[2].lower(), "application/octet-stream")


async def send_answer(answer: Answer, seen: Seen, transport: asyncio.Transport, receive: Receive, send: Send) -> None:
    """Send an answer; the transport is that of its connection."""
    if answer.delay and await _left_within(answer.delay, receive):
        return
    if not answer.silent:
        seen.status = answer.status
        await send({"type": "http.response.start", "status": answer.status, "headers": _head(answer)})
        if not await _send_body(answer, seen, transport, receive, send):
            await _left(receive)
            return
    if answer.keep is None:
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    else:
        await _hang_up(transport, by_reset=answer.by_reset)
        await _left(receive)


async def _send_body(answer: Answer, seen: Seen, transport: asyncio.Transport, receive: Receive, send: Send) -> bool:
    """Send the body, or the share of it that is sent; whether the client was there to the end."""
    end = len(answer.body) if answer.keep is None else int(len(answer.body) * answer.keep)
    for start in range(0, max(end, 1), answer.piece):
        # Writing alone never gives way: without this, nobody would learn that the client left.
        if start and await _left_within(answer.pause, receive):
            return False
        # Said before the last bytes leave, so that a client that has them all finds it said.
        seen.complete = answer.keep is None and start + answer.piece >= end
        piece = answer.body[start : min(start + answer.piece, end)]
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        if transport.is_closing():
            seen.complete = False
            return False
    return True


def _head(answer: Answer) -> list[tuple[bytes, bytes]]:
    lines = [("Content-Type", answer.type)] if answer.type else []
    lines += answer.headers
    lines += [] if answer.chunked else [("Content-Length", str(len(answer.body)))]
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in lines]


async def _left(receive: Receive) -> None:
    """Wait until the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _left_within(seconds: float, receive: Receive) -> bool:
    """Wait; whether the client left before the time was over."""
    try:
        await asyncio.wait_for(_left(receive), seconds)
    except TimeoutError:
        return False
    return True


async def _hang_up(transport: asyncio.Transport, *, by_reset: bool) -> None:
    """End a connection in the middle of an answer."""
    if not by_reset:
        transport.close()
        return
    # What was written leaves first: a reset throws away what still waits.
    await asyncio.sleep(0.05)
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
