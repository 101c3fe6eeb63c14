"""Asking a server: many requests at once, each tried again while that may help, replies as they come."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Protocol

from fingreat.errors import BackendError, InputError
from fingreat.inference.backend import RawReply, Settings
from fingreat.inference.hosted.kept_secret import KeptSecret
from fingreat.inference.hosted.limiter import Sent, shared_limiter
from fingreat.schema import ReplyState, Request

_LOG = logging.getLogger(__name__)
IN_FLIGHT = 64
"""Requests under way at the same time, where the user says nothing."""
_CHARACTERS_A_TOKEN = 4
"""Of English text, to estimate what a request takes of a limit before its usage is known."""
_LOOK_AGAIN = 0.25
"""Seconds after which one that waits for a limit looks again: estimates are corrected meanwhile."""
_FILLING = 0.1
"""Seconds in which all slots are filled at first. Requests that are sent at one moment come back at one moment, again
and again, and each then waits for all the others to be read."""
_LONG_PAUSE = 5.0
"""Seconds of a pause for all from which on whoever watches is told."""
_GRACE = 2.0
"""Seconds that the loop has to end in order before it is left behind."""


class TryLater(Exception):  # noqa: N818 - a request to wait, not a fault
    """A try failed for a reason that may pass.

    Attributes:
        detail: the reason, in words.
        after: the seconds that the server asks to wait, if it says so.
        everyone: the server refuses all requests for a while, not this one.
        cost_usd: what it charges for the try all the same.
    """

    def __init__(
        self, detail: str, *, after: float | None = None, everyone: bool = False, cost_usd: float | None = None
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.after = after
        self.everyone = everyone
        self.cost_usd = cost_usd


class Provider(Protocol):
    """A server and its language. It is made and used in one event loop."""

    async def ask(self, request: Request) -> RawReply:
        """One try.

        Returns:
            the reply; where the request itself is at fault, one with a `state` that is not `retryable`.

        Raises:
            TryLater: the same request may be answered later.
            BackendError: every request would fail, such as for a wrong key.
        """
        ...

    async def close(self) -> None:
        """End all connections."""
        ...


@dataclass(frozen=True)
class Patience:
    """How long a request is tried.

    Attributes:
        tries: at most; refusals of everyone (too many requests) don't count.
        a_try: seconds for one try, from sending to the last byte: a body may trickle for ever.
        in_all: seconds for all tries of a request with the waiting between them.
        first_wait, longest_wait: seconds between two tries where the server names none; they double from try to try.
        given_up: requests in a row, without an answer to any between them, after which the server counts as gone.
    """

    tries: int = 8
    a_try: float = 900.0
    in_all: float = 1800.0
    first_wait: float = 1.0
    longest_wait: float = 60.0
    given_up: int = 10


PATIENCE = Patience()


def answer_online(
    make: Callable[[], Provider], requests: Iterable[Request], settings: Settings, *, secret: str | None = None
) -> Iterator[tuple[Request, RawReply]]:
    """Each request with its reply, as they finish.

    Requests are taken one by one in the caller's thread, at most twice as many as are under way. A request that
    fails for good, or for longer than `PATIENCE` allows, is yielded with a `state`. Closing the generator, or an
    interrupt, ends what is under way at once.

    Args:
        make: makes the provider, inside the event loop.
        secret: a key that is taken out of all that the server says, whatever that is.

    Raises:
        InputError: a request takes more than all the tokens that a minute may have.
        BackendError: the server is gone or refuses every request.
            Of either, replies to what was asked before are yielded first.
    """
    refusal: InputError | None = None
    with closing(_Runner(make, settings, secret)) as runner:
        waiting: Iterator[Request] | None = iter(requests)
        while True:
            while waiting is not None and runner.open < runner.most_open:
                request = next(waiting, None)
                refusal = None if request is None else _beyond_a_minute(request, settings)
                if request is None or refusal is not None:
                    waiting = None
                else:
                    runner.submit(request)
            if runner.open:
                yield runner.result()
            elif refusal is not None:
                raise refusal
            else:
                return


class _Runner:
    """An event loop in a thread of its own, and what passes between it and the caller's thread."""

    def __init__(self, make: Callable[[], Provider], settings: Settings, secret: str | None) -> None:
        self._in_flight = settings.in_flight or IN_FLIGHT
        # As many again wait beside the loop: one follows another there at once, whatever the caller's thread does.
        self.most_open = 2 * self._in_flight
        self.open = 0
        self._make = make
        self._secret = KeptSecret(secret)
        self._limiter = shared_limiter(settings.base_url, settings.requests_per_minute, settings.tokens_per_minute)
        self._results: queue.SimpleQueue[tuple[Request, RawReply] | BaseException] = queue.SimpleQueue()
        self._failure: BaseException | None = None
        self._thread: threading.Thread | None = None
        self._slots = asyncio.Semaphore(self._in_flight)
        self._turn = asyncio.Lock()
        self._stop = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._given_up = 0
        self._ends = False
        self._first_sends = self._in_flight - 1

    def submit(self, request: Request) -> None:
        """Have a request asked."""
        if self._thread is None:
            self._loop = asyncio.new_event_loop()
            # Nobody has to wait for it: the interpreter ends without it where a connection hangs.
            thread = threading.Thread(target=self._main, name="requests", daemon=True)
            thread.start()
            self._thread = thread
        self.open += 1
        # A loop that has ended put the reason among the results.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._begin, request)

    def result(self) -> tuple[Request, RawReply]:
        """Wait for the next reply.

        Raises:
            BackendError: once all replies that came before are taken.
        """
        while True:
            if self._failure is None:
                result = self._results.get()
            else:
                try:
                    result = self._results.get_nowait()
                except queue.Empty:
                    raise self._failure from None
            if isinstance(result, BaseException):
                self._failure = self._failure or result
                continue
            self.open -= 1
            return result

    def close(self) -> None:
        """Drop what is under way and end the thread, or leave it behind where it does not end."""
        if self._thread is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(_GRACE)

    def _main(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            self._results.put(error)

    async def _serve(self) -> None:
        try:
            self._provider = self._make()
            await self._stop.wait()
        finally:
            self._ends = True
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_GRACE / 2)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE / 4):
                await self._provider.close()

    def _begin(self, request: Request) -> None:
        if self._ends:
            return
        task = self._loop.create_task(self._finish(request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _finish(self, request: Request) -> None:
        try:
            reply = await self._answer(request)
        except Exception as error:  # noqa: BLE001 - raised again in the caller's thread
            self._ends = True
            self._results.put(self._secret.error(error))
        else:
            if reply is not None:
                self._results.put((request, self._secret.reply(reply)))

    async def _answer(self, request: Request) -> RawReply | None:
        """Try a request until it is answered, or patience ends; None where the run ends before it is sent."""
        patience = PATIENCE
        tries = failures = 0
        paid: float | None = None
        estimate = _estimate(request)
        end = float("inf")
        while True:
            async with self._slots:
                sent = await self._sent(estimate)
                if self._ends:
                    return None
                end = min(end, time.monotonic() + patience.in_all)
                reply = await self._try(request)
            if isinstance(reply, RawReply):
                if reply.prompt_tokens is not None:
                    self._limiter.correct(sent, reply.prompt_tokens + (reply.output_tokens or 0))
                self._given_up = 0
                return _with_cost(reply, paid)
            later = reply
            if later.cost_usd is not None:
                paid = (paid or 0.0) + later.cost_usd
            failures += 1
            tries += not later.everyone
            wait = _wait(later, failures, patience)
            if later.everyone and self._limiter.pause(wait) and wait >= _LONG_PAUSE:
                _LOG.info("the provider asks to wait %.0f s: %s", wait, self._secret.text(later.detail)[:200])
            if tries >= patience.tries or time.monotonic() + wait > end:
                return _with_cost(self._give_up(later, failures, wait), paid)
            # Not all at the same moment: that would be the next crowd.
            await asyncio.sleep(wait * random.uniform(1.0, 1.2))

    async def _try(self, request: Request) -> RawReply | TryLater:
        try:
            async with asyncio.timeout(PATIENCE.a_try):
                return await self._provider.ask(request)
        except TryLater as later:
            return later
        except TimeoutError:
            return TryLater(f"no whole answer within {PATIENCE.a_try:g} seconds")

    async def _sent(self, tokens: int) -> Sent:
        """Wait until a request may be sent, one after the other in their order."""
        async with self._turn:
            while isinstance(sent := self._limiter.try_send(tokens), float):
                await asyncio.sleep(min(sent, _LOOK_AGAIN))
            if self._first_sends:
                self._first_sends -= 1
                await asyncio.sleep(_FILLING / self._in_flight)
        return sent

    def _give_up(self, later: TryLater, failures: int, wait: float) -> RawReply:
        self._given_up += 1
        times = "once" if failures == 1 else f"{failures} times"
        if later.everyone and wait > PATIENCE.in_all:
            raise BackendError(
                f"the server asks to wait {wait / 60:.0f} minutes: {later.detail}",
                hint="Run the same command again then: what is answered stays.",
                retryable=True,
            )
        if self._given_up >= PATIENCE.given_up:
            raise BackendError(
                f"the server answered none of the last {self._given_up} requests, the last one tried {times}: "
                f"{later.detail}",
                hint="Run the same command again when it is back: what is answered stays.",
                retryable=True,
            )
        return RawReply(state=ReplyState.ERROR, detail=f"{later.detail} (tried {times})", retryable=True)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date (RFC 9110)."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        at = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, at.timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def _wait(later: TryLater, failures: int, patience: Patience) -> float:
    if later.after is not None:
        # A server may say 0 again and again.
        return max(later.after, patience.first_wait)
    return min(patience.longest_wait, patience.first_wait * 2.0 ** min(failures - 1, 30))


def _beyond_a_minute(request: Request, settings: Settings) -> InputError | None:
    """A request that no minute has room for would go all the same, one in a minute, and mostly be refused."""
    limit, tokens = settings.tokens_per_minute, _estimate(request)
    if limit is None or tokens <= limit:
        return None
    return InputError(
        f"is less than one request may take: about {tokens:,} tokens with its answer.",
        where=f"--tpm {limit}",
        hint="Allow more tokens a minute, or ask for less: a smaller --max-tokens or --tokens.",
    )


def _with_cost(reply: RawReply, paid: float | None) -> RawReply:
    """A reply with what earlier tries cost, whose answers were none."""
    return reply if paid is None else replace(reply, cost_usd=paid + (reply.cost_usd or 0.0))


def _estimate(request: Request) -> int:
    """Tokens that a request takes at most, roughly."""
    characters = sum(len(message.content) for message in request.messages)
    return characters // _CHARACTERS_A_TOKEN + request.sampling.max_tokens
