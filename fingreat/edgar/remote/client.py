"""A client that keeps EDGAR's rules, and returns a file whole or not at all."""

from __future__ import annotations

import os
import random
import re
import threading
import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Self

from fingreat.edgar.remote import pause as pauses
from fingreat.edgar.remote.addresses import DATA, WWW, accession_of, base_url
from fingreat.edgar.remote.limiter import LIMITER, MOST_A_SECOND, once
from fingreat.edgar.remote.whole import Kind, fault, is_block, most_bytes
from fingreat.edgar.remote.wire import Answer, LineError, Wire
from fingreat.errors import BlockedError, InputError, RemoteError

IDENTITY_VARIABLE = "EDGAR_IDENTITY"
LONGEST_BACKOFF = 60.0
"""Seconds between two tries at most."""
_EXAMPLE = "Jane Roe jane.roe@university.example"
_MAIL = re.compile(r"[^\s@<>()\[\],;:\"]+@[^\s@<>()\[\],;:\"]+\.[A-Za-z]{2,}")
_LONGEST_IDENTITY = 200
_MOST_REFUSED = 10
"""Files that are refused in a row: more likely, something between here and EDGAR refuses all of them."""
_NOTHING_THERE = "status 403 (AccessDenied)"
"""What EDGAR's store says of a path under which it has nothing, such as the index of a quarter to come."""
_FOR_THE_MOMENT = (408, 425)
"""Statuses of a request that came too slowly or too early."""
_PATH = re.compile(r"(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)+")


def check_identity(text: str | None) -> str:
    """The declaration of who asks, as it is sent with every request: a name and an e-mail address.

    Args:
        text: as given; None for that of the environment variable EDGAR_IDENTITY.

    Raises:
        InputError: there is none, or it cannot be sent.
    """
    where = "--identity" if text is not None else IDENTITY_VARIABLE
    hint = (
        f'Write your name or your institution\'s and an e-mail address, with --identity "{_EXAMPLE}" or '
        f"in the environment variable {IDENTITY_VARIABLE}."
    )
    identity = (os.environ.get(IDENTITY_VARIABLE, "") if text is None else text).strip()
    if not identity:
        raise InputError("EDGAR wants to know who asks, and nobody is named.", where=where, hint=hint)
    if len(identity) > _LONGEST_IDENTITY:
        raise InputError(f"is longer than {_LONGEST_IDENTITY} characters.", where=where, hint=hint)
    if not all(char.isprintable() and ord(char) < 256 for char in identity):
        raise InputError("holds characters that cannot be sent: use Latin letters, one line.", where=where, hint=hint)
    mail = _MAIL.search(identity)
    if not mail:
        raise InputError("names no e-mail address.", where=where, hint=hint)
    if not re.search(r"[^\W\d_]", identity.replace(mail[0], "")):
        raise InputError("names nobody beside the e-mail address.", where=where, hint=hint)
    return identity


def _tell_nobody(_: str) -> None: ...


@dataclass(eq=False, repr=False)
class EdgarClient:
    """Asks EDGAR for files; one for a process, whose threads share it.

    All requests of the process go through one limiter. What fails for the moment (5xx, a broken line, an answer
    that is not the whole file) is asked again, later and later. A block stops all threads for the whole pause.

    Attributes:
        identity: who asks; None for that of the environment variable EDGAR_IDENTITY.
        base: address of a server that stands in for SEC's; None for that of the environment variable
            EDGAR_BASE_URL, and without it SEC's own hosts.
        rate: requests in any one second, at most 10.
        pause: seconds without a request after a block.
        tries: how often a file is asked for before it is given up; blocks don't count.
        backoff: seconds before the second try, doubled for each further one.
        timeout: seconds for a connection, and for the next bytes.
        on_wait: is told when a block makes all wait, in words.
        marker: file that keeps until when EDGAR refuses requests, for a process started meanwhile.
        requests: how many were sent.

    Raises:
        InputError: nobody is named as asking, or a setting is out of its range.
    """

    identity: str | None
    _: KW_ONLY
    base: str | None = None
    rate: int = MOST_A_SECOND
    pause: float = pauses.SECONDS
    tries: int = 5
    backoff: float = 1.0
    timeout: float = 60.0
    on_wait: Callable[[str], None] = _tell_nobody
    marker: Path | None = None
    requests: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.identity = check_identity(self.identity)
        self.base = base_url(self.base)
        if not 1 <= self.rate <= MOST_A_SECOND:
            raise InputError(f"{self.rate} requests a second: EDGAR allows 1 to {MOST_A_SECOND}.")
        if self.tries < 1 or self.timeout <= 0 or self.backoff < 0 or self.pause < 0:
            raise InputError("Tries and time-outs are larger than 0, waits not negative.")
        self._closed = threading.Event()
        self._refused = 0
        self._lock = threading.Lock()
        self._pause = pauses.Pause(self.pause, self.on_wait, self.marker)
        self._wire = Wire(self.identity, self.timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all waiting of other threads, which get a RemoteError, and close the connections."""
        self._closed.set()
        self._pause.close()
        LIMITER.wake()
        self._wire.close()

    def get(self, path: str, kind: Kind) -> bytes:
        """The whole of one file.

        Args:
            path: as made by `fingreat.edgar.remote.addresses`.
            kind: what the file must be.

        Raises:
            InputError: such a path is none of EDGAR's.
            RemoteError: EDGAR has no such file (status 404, also where its store says so with a 403), refuses it or
                points elsewhere; or (retryable) it could not be had whole in so many tries, or the client was closed.
            BlockedError: EDGAR refuses all requests, still after several pauses, or ten files in a row.
            StorageError: the marker cannot be written.
        """
        url = self._url(path)
        accession = accession_of(path) if kind == "submission" else None
        failed = 0
        while True:
            status = None
            try:
                answer = self._ask(url, most_bytes(kind))
                if answer is None:
                    continue
                status = answer.status
                if status != 200:
                    reason = self._refusal(answer, url)
                else:
                    self._refused = 0
                    # A server that names the packing of the file itself as its encoding gives it away unpacked.
                    packed = kind == "gzip" and not answer.data.startswith(b"\x1f\x8b")
                    data = answer.raw if packed else answer.data
                    why = fault(kind, data, answer.type, accession)
                    if why is None:
                        return data
                    reason = f"the answer {why}"
            except LineError as error:
                reason = str(error)
            failed += 1
            if failed == self.tries:
                raise RemoteError(
                    f"could not be had from EDGAR: {reason}; tried {failed} time{'s' if failed > 1 else ''}.",
                    where=url,
                    hint="Run the same command again later.",
                    retryable=True,
                    status=status,
                )
            self._back_off(failed)

    def _url(self, path: str) -> str:
        if not _PATH.fullmatch(path):
            raise InputError("is no path of EDGAR's.", where=path[:_LONGEST_IDENTITY])
        if self.base is not None:
            return self.base + path
        return (DATA if path.startswith(("/submissions/", "/api/")) else WWW) + path

    def _ask(self, url: str, most: int) -> Answer | None:
        """Send one request as soon as one may be sent; None where the answer is a block."""
        while True:
            self._pause.wait()
            if LIMITER.take(self._closed.is_set, self.rate):
                if self._pause.start():
                    break
                LIMITER.unsent()
        sent = time.monotonic()
        blocked = status = None
        free = once(LIMITER.answered)
        try:
            with self._lock:
                self.requests += 1
            answer = self._wire.ask(url, free, most)
            status = answer.status
            if is_block(status, answer.data):
                blocked = True
            elif status < 500:
                blocked = False
            return None if blocked else answer
        finally:
            free()
            self._pause.answered(sent, blocked, status)

    def _back_off(self, failed: int) -> None:
        # Spread, so that threads that failed together don't come back together.
        seconds = self.backoff * 2.0 ** (failed - 1) * random.uniform(0.75, 1.25)
        if self._closed.wait(min(seconds, LONGEST_BACKOFF)):
            raise RemoteError("was not asked again: the client is closed.", where="EDGAR", retryable=True)

    def _refusal(self, answer: Answer, url: str) -> str:
        """Why an answer without the file may be worth another try; raises where it is not."""
        status = answer.status
        code = re.search(rb"<Code>(\w{1,40})</Code>", answer.data)
        said = f"status {status}" + (f" ({code[1].decode()})" if code else "")
        if status >= 500 or status in _FOR_THE_MOMENT:
            return f"the server answered with {said}"
        if status == 404 or said == _NOTHING_THERE:
            self._refused = 0
            raise RemoteError(f"EDGAR has no such file{f': {said}' if status != 404 else ''}.", where=url, status=404)
        self._refused += 1
        if self._refused >= _MOST_REFUSED:
            raise BlockedError(
                f"{self._refused} files in a row were refused, the last with {said}.",
                where="EDGAR",
                hint="Check --identity and what stands before EDGAR, such as a proxy; then repeat the command.",
                retryable=True,
                status=status,
            )
        if 300 <= status < 400:
            raise RemoteError(
                f"points to {answer.location[:300]!r} (status {status}), and redirects are not followed.",
                where=url,
                status=status,
            )
        raise RemoteError(f"EDGAR refuses this file: {said}.", where=url, status=status)
