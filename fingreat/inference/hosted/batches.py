"""Asking through a provider's batch interface: noted before it is sent, polled, joined by id, at half the price."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, TypeVar

from fingreat.errors import BackendError
from fingreat.inference.backend import RawReply
from fingreat.inference.hosted.batch_api import BatchApi, Look, UnknownBatchError, line_faults
from fingreat.inference.hosted.batch_files import Join
from fingreat.inference.hosted.batch_notes import BatchNotes, Part
from fingreat.inference.hosted.batch_spool import Spool, scratch_file
from fingreat.inference.hosted.kept_secret import KeptSecret
from fingreat.inference.hosted.online import TryLater
from fingreat.inference.parse import valid_text
from fingreat.runs.files import storage_errors
from fingreat.schema import ReplyState, Request

_LOG = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True)
class Waits:
    """Seconds between looks, and how long a provider may be out of reach.

    Attributes:
        first, factor, longest: of the waits between two looks at the batches; they grow while nothing ends.
        settle: after a batch was planned by a process that died, before it counts as never sent: the provider may
            still be at it.
        patience: without any answer of the provider, before the run gives up; its batches go on.
    """

    first: float = 10.0
    factor: float = 1.5
    longest: float = 300.0
    settle: float = 30.0
    patience: float = 3600.0


WAITS = Waits()


def answer_batched(
    api: BatchApi, requests: Iterable[Request], folder: Path, *, secret: str | None = None
) -> Iterator[tuple[Request, RawReply]]:
    """Each request with its reply, batch by batch as they end.

    All requests are taken before the first reply is waited for. A request that an earlier call sent is not sent
    again: its batch is waited for, also where the process died between sending it and noting its id. What has no
    result (a batch that failed, was cancelled or expired, a line that is missing or torn) is yielded as a retryable
    error, and asking it again sends a new batch.

    Args:
        api: closed at the end.
        folder: where the batches of the run are noted.
        secret: a key that is taken out of all that the provider says.

    Raises:
        BackendError: the provider refuses every request, or can't be reached for `WAITS.patience`. What was sent
            goes on at the provider, and the next call takes its replies.
        StorageError: the disk refused a note; nothing is sent that isn't noted.
    """
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    kept = KeptSecret(secret)
    with closing(api), BatchNotes(folder, api.provider) as notes, Spool(folder) as spool:
        batches = _Batches(api, notes, spool, folder, kept)
        try:
            batches.take(requests)
            for request, reply in batches.replies():
                yield request, kept.reply(reply)
        except BackendError as error:
            raise kept.error(error) from None
        except KeyboardInterrupt:
            if left := len(batches.running):
                what = "1 batch goes" if left == 1 else f"{left} batches go"
                _LOG.warning("%s on at %s; the same command takes the replies.", what, api.provider)
            raise


class _Batches:
    """The batches of one call: those to be sent, and those that are waited for."""

    def __init__(self, api: BatchApi, notes: BatchNotes, spool: Spool, folder: Path, kept: KeptSecret) -> None:
        self.running: list[Part] = []
        self._api = api
        self._notes = notes
        self._spool = spool
        self._folder = folder
        self._kept = kept
        self._unsent: list[Part] = []
        self._later = ""

    def take(self, requests: Iterable[Request]) -> None:
        """Send what no batch of an earlier call holds, in as few batches as the provider takes."""
        earlier = {key: part for part in self._earlier() for key in part.keys}
        awaited: dict[str, Part] = {}
        keys: list[str] = []
        size = 0
        for request in requests:
            self._spool.add(request)
            if part := earlier.get(request.key):
                awaited[part.name] = part
                continue
            length = len(self._api.line(request))
            if keys and (len(keys) >= self._api.most_requests or size + length > self._api.most_bytes):
                self._send(self._notes.plan(keys))
                keys, size = [], 0
            keys.append(request.key)
            size += length
        if keys:
            self._send(self._notes.plan(keys))
        self.running += awaited.values()

    def replies(self) -> Iterator[tuple[Request, RawReply]]:
        """Wait for the batches, and yield what they hold as they end."""
        wait, last_sign = WAITS.first, time.monotonic()
        told, unknown = "", list[tuple[Part, UnknownBatchError]]()
        while self.running or self._unsent:
            moved, crowded = False, len(self.running) > 1
            for part in list(self.running):
                try:
                    look = self._patiently(partial(self._api.look, part.batch_id or ""))
                    last_sign = time.monotonic()
                    if look.ended:
                        moved = moved or not look.no_room
                        self.running.remove(part)
                        detail = look.detail and self._clean(look.detail)
                        yield from self._ended(part, replace(look, detail=detail), crowded=crowded)
                except UnknownBatchError as error:
                    self.running = [one for one in self.running if one is not part]
                    unknown.append((part, error))
            unsent, self._unsent = self._unsent, []
            for part in unsent:
                self._send(part)
            if not self.running and self._unsent and time.monotonic() - last_sign > WAITS.patience:
                raise self._given_up(self._later)
            if self.running or self._unsent:
                if (state := self._state()) != told:
                    _LOG.info("%s", state)
                    told = state
                wait = WAITS.first if moved else min(wait * WAITS.factor, WAITS.longest)
                time.sleep(wait)
        if unknown:
            raise self._unknown(*unknown[0])

    def _state(self) -> str:
        """What is waited for, in words."""
        parts = self.running + self._unsent
        number = sum(len(part.keys) for part in parts)
        requests = f"{number:,} request{'s' if number != 1 else ''}"
        batches = "1 batch of" if len(parts) == 1 else f"{len(parts)} batches with"
        begun = min(part.planned for part in parts).astimezone()
        today = begun.date() == datetime.now(begun.tzinfo).date()
        since = f"begun {begun:%H:%M}" if today else f"begun {begun:%Y-%m-%d %H:%M}"
        later = f"; {len(self._unsent)} to be sent again later" if self._unsent else ""
        return f"{batches} {requests} at {self._api.provider}, {since}{later}"

    def _earlier(self) -> list[Part]:
        """The open batches of earlier calls that were sent."""
        for part in self._notes.open():
            if part.batch_id is None and not self._found(part):
                self._notes.close(part, "never sent")
        return self._notes.open()

    def _found(self, part: Part) -> bool:
        """Look for a batch that may have been sent before its id was noted."""
        while True:
            found = self._patiently(lambda: self._api.find(part.name, len(part.keys), part.planned))
            mine = [batch_id for batch_id in found if batch_id not in self._notes.taken]
            if mine:
                self._notes.sent(part, mine[0], certain=self._api.by_name)
                return True
            left = WAITS.settle - (datetime.now(part.planned.tzinfo) - part.planned).total_seconds()
            if left <= 0:
                return False
            time.sleep(min(left, WAITS.settle))

    def _send(self, part: Part) -> None:
        """Send a batch, unless an earlier try arrived without our knowing; put it off where there is no room."""
        if part.tried and self._found(part):
            self.running.append(part)
            return
        part.tried = True
        try:
            with scratch_file(self._folder) as file:
                for key in part.keys:
                    if request := self._spool.get(key):
                        file.write(self._api.line(request))
                file.seek(0)
                with line_faults():
                    batch_id = self._api.send(part.name, file)
        except TryLater as later:
            self._later = later.detail
            self._unsent.append(part)
            return
        self._notes.sent(part, batch_id)
        self.running.append(part)

    def _ended(self, part: Part, look: Look, *, crowded: bool) -> Iterator[tuple[Request, RawReply]]:
        if look.no_room:
            self._put_off(part, look.detail or "no room", whole=crowded)
            return
        if look.refused:
            self._notes.close(part, look.detail or "refused")
            raise BackendError(f"{self._api.provider} refuses the batch: {look.detail}")
        with scratch_file(self._folder) as file:
            self._patiently(lambda: self._fetched(part, file))
            if not part.certain and not self._is_ours(part, file):
                # A batch of the same size that somebody else sent at the same time.
                self._notes.reject(part)
                self._unsent.append(part)
                return
            yield from self._joined(part, look, file)

    def _joined(self, part: Part, look: Look, file: IO[bytes]) -> Iterator[tuple[Request, RawReply]]:
        join = Join(frozenset(part.keys))
        for key, reply in join.rows(file, self._api.read):
            if request := self._spool.get(key):
                yield request, replace(reply, retryable=reply.retryable and not look.cancelled)
        detail = look.detail or "the results of its batch have no line for it"
        missing = join.missing
        for key in part.keys:
            if key in missing and (request := self._spool.get(key)):
                yield request, RawReply(state=ReplyState.ERROR, detail=detail, retryable=not look.cancelled)
        oddities = join.oddities()
        self._notes.close(part, "; ".join([look.detail or "ended", *oddities]))
        if oddities:
            strays = f" (not asked for: {self._clean(join.shown_strays())})" if join.stray else ""
            _LOG.warning("batch %s of %s: %s%s", part.batch_id, self._api.provider, ", ".join(oddities), strays)

    def _put_off(self, part: Part, reason: str, *, whole: bool) -> None:
        """Send a refused batch again when there is room: whole where others of ours were in the way, else in halves."""
        _LOG.warning("%s puts off a batch of %d: %s", self._api.provider, len(part.keys), reason[:200])
        self._notes.close(part, reason)
        keys = [key for key in part.keys if key in self._spool]
        half = len(keys) if whole else (len(keys) + 1) // 2
        self._unsent += [self._notes.plan(some) for some in (keys[:half], keys[half:]) if some]

    def _fetched(self, part: Part, file: IO[bytes]) -> None:
        file.seek(0)
        file.truncate()
        with storage_errors(self._folder), line_faults():
            self._api.fetch(part.batch_id or "", file)
        file.seek(0)

    def _is_ours(self, part: Part, file: IO[bytes]) -> bool:
        join = Join(frozenset(part.keys))
        first = next(join.rows(file, self._api.read), None)
        file.seek(0)
        return first is not None and not join.stray

    def _patiently(self, call: Callable[[], T]) -> T:
        """What a call gives, tried again while the provider is out of reach.

        Raises:
            BackendError: it was for too long.
        """
        wait, end = WAITS.first, time.monotonic() + WAITS.patience
        while True:
            try:
                with line_faults():
                    return call()
            except TryLater as later:
                if time.monotonic() > end:
                    raise self._given_up(later.detail) from later
                pause = max(wait, later.after or 0.0)
                _LOG.info("%s: %s; asked again in %.0f s", self._api.provider, self._clean(later.detail)[:200], pause)
                time.sleep(pause)
                wait = min(wait * WAITS.factor, WAITS.longest)

    def _unknown(self, part: Part, error: UnknownBatchError) -> BackendError:
        """What is said of a batch that the provider does not know, once all others are collected."""
        number = len(part.keys)
        return BackendError(
            f"{error.message} (batch {part.batch_id} of {number:,} request{'s' if number != 1 else ''}, sent "
            f"{part.planned:%Y-%m-%d})",
            where=str(self._folder),
            hint=f"{error.hint or ''} If the batch is gone for good, remove this folder: what it held is then sent "
            "anew; all other batches are collected.".lstrip(),
        )

    def _clean(self, text: str) -> str:
        """What a provider says, without the key, and fit for a UTF-8 file and a console."""
        return valid_text(self._kept.text(text))

    def _given_up(self, detail: str) -> BackendError:
        return BackendError(
            f"{self._api.provider}'s batch interface gave no answer for {WAITS.patience / 60:.0f} minutes: "
            f"{self._clean(detail)}",
            hint="What was sent goes on there: run the same command again later.",
            retryable=True,
        )
