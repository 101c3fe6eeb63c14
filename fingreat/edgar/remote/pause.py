"""EDGAR's blocks: while it refuses everything, nothing is asked, and afterwards one request goes first.

EDGAR refuses a user's requests until their rate has been low for ten minutes; requests in the meantime make that
longer (SEC's privacy page; it sends no Retry-After).
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from fingreat.errors import BlockedError, RemoteError
from fingreat.runs.files import storage_errors, to_json, write_atomic

SECONDS = 600.0
MOST_BLOCKS = 3
"""Blocks in a row, with no answer between them, after which waiting is given up."""


class Pause:
    """Whether requests may be sent, for all threads that share it.

    A block stops all of them for the full time, counted from its arrival. Requests that were on their way by then
    may be refused as well: that is the same block. Afterwards one request goes first, and the others wait for its
    answer, so that a block that goes on sees a single request.

    Args:
        seconds: how long a block lasts.
        on_wait: is told once for each wait, in words.
        marker: a file that holds until when EDGAR refuses requests, for the next process; gone with the next answer.
    """

    def __init__(self, seconds: float, on_wait: Callable[[str], None], marker: Path | None) -> None:
        self._seconds = seconds
        self._on_wait = on_wait
        self._marker = marker
        self._change = threading.Condition()
        self._closed = False
        self._first_is_out = False
        rest = _marked_rest(marker, seconds)
        self._until = time.monotonic() + rest if rest else float("-inf")
        self._blocks = 1 if rest else 0
        self._marked = marker is not None and marker.exists()
        self._message = _message("EDGAR refused requests a while ago", rest) if rest else ""

    def wait(self) -> None:
        """Wait while nothing may be sent.

        Raises:
            BlockedError: EDGAR still refuses after several waits.
            RemoteError: closed meanwhile.
        """
        with self._change:
            while True:
                self._check()
                rest = self._until - time.monotonic()
                if rest <= 0 and not (self._blocks and self._first_is_out):
                    return
                if rest > 0 and self._message:
                    self._on_wait(self._message)
                    self._message = ""
                self._change.wait(rest if rest > 0 else None)

    def start(self) -> bool:
        """Whether a request may be sent now, which `answered` must follow; False where `wait` is due again."""
        with self._change:
            if self._closed or time.monotonic() < self._until or (self._blocks and self._first_is_out):
                return False
            self._first_is_out = self._blocks > 0
            return True

    def answered(self, sent: float, blocked: bool | None, status: int | None = None) -> None:
        """What became of a request.

        Args:
            sent: when it was sent, by the monotonic clock.
            blocked: whether its answer was a block; None where no answer came, or none that tells.
            status: of the answer.
        """
        with self._change:
            # Sent before the present pause began, it says nothing new: neither a further block nor that it is over.
            fresh = sent >= self._until
            if fresh:
                self._first_is_out = False
            if blocked:
                self._blocks += fresh
                self._until = time.monotonic() + self._seconds
                if fresh and self._blocks < MOST_BLOCKS:
                    self._message = _message(f"EDGAR refuses all requests ({status})", self._seconds)
            elif blocked is False and fresh:
                self._blocks = 0
            self._change.notify_all()
            if blocked:
                self._mark()
            elif not self._blocks:
                self._unmark()

    def close(self) -> None:
        """End all waiting."""
        with self._change:
            self._closed = True
            self._change.notify_all()

    def _check(self) -> None:
        if self._closed:
            raise RemoteError("was not asked: the client is closed.", where="EDGAR", retryable=True)
        rest = self._until - time.monotonic()
        if self._blocks >= MOST_BLOCKS and rest > 0:
            raise BlockedError(
                f"still refuses all requests, after {self._blocks} refusals in a row.",
                where="EDGAR",
                hint=f"Its limit of 10 requests a second is for all of your machines together: let fewer of them ask, "
                f"check that --identity names you, and go on in {_length(max(rest, self._seconds))} or more.",
                retryable=True,
            )

    def _mark(self) -> None:
        if self._marker is not None:
            self._marked = True
            until = datetime.fromtimestamp(time.time() + self._seconds, tz=UTC)
            write_atomic(self._marker, to_json({"blocked_until": until.isoformat()}))

    def _unmark(self) -> None:
        if self._marker is not None and self._marked:
            self._marked = False
            with storage_errors(self._marker):
                self._marker.unlink(missing_ok=True)


def _marked_rest(marker: Path | None, most: float) -> float:
    """Seconds until the time that a marker names; 0 without one, or where it cannot be read and so tells nothing."""
    if marker is None:
        return 0.0
    try:
        until = datetime.fromisoformat(json.loads(marker.read_bytes())["blocked_until"]).timestamp()
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return 0.0
    return min(max(until - time.time(), 0.0), most)


def _message(what: str, seconds: float) -> str:
    until = datetime.fromtimestamp(time.time() + seconds).astimezone()
    return f"{what}: waiting until {until:%H:%M}, {_length(seconds)}."


def _length(seconds: float) -> str:
    number, unit = (round(seconds / 60), "minute") if seconds >= 60 else (round(seconds, 1), "second")
    return f"{number:g} {unit}{'' if number == 1 else 's'}"
