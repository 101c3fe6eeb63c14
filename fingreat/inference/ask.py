"""The resumable ask loop: every request ends with one reply on disk, and none is asked twice."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from fingreat.errors import BackendError, FingreatError
from fingreat.inference.backend import Backend, RawReply
from fingreat.inference.cache import ReplyCache
from fingreat.inference.parse import Judged
from fingreat.inference.spending import Spending
from fingreat.runs import RecordLog
from fingreat.schema import Reply, ReplyState, Request

_LOG = logging.getLogger(__name__)
MAX_ATTEMPTS = 3
"""How often a request is asked that fails for a reason which may pass."""


class Judge(Protocol):
    """Says what a raw reply turned out to be."""

    def judge(self, raw: RawReply, n_segments: int) -> Judged:
        """State and text of a reply to a request with `n_segments` segments."""
        ...


def reply_log(folder: Path) -> RecordLog[Reply]:
    """The replies of a run by request key: the first finished reply stays, an `error` gives way to it."""
    return RecordLog(folder, Reply, key=lambda reply: reply.key, supersedes=lambda old, new: not is_finished(old))


def is_finished(reply: Reply) -> bool:
    """Whether a reply stands; an `error` is asked again when the run goes on."""
    return reply.state is not ReplyState.ERROR


def ask(
    requests: Iterable[Request],
    backend: Backend,
    judge: Judge,
    log: RecordLog[Reply],
    on_reply: Callable[[Request, Reply], None] = lambda request, reply: None,
    *,
    cache: ReplyCache | None = None,
    spending: Spending | None = None,
) -> None:
    """Ask what has no finished reply yet, and write each reply as it comes.

    A request that fails with a retryable error is asked again, at most three times in all. Memory holds keys, and the
    requests that are to be asked again: at most as many as the back end takes at once.

    Args:
        requests: may be a generator; requests with equal keys are asked once.
        on_reply: called after each reply is written.
        cache: replies of earlier runs, used where the back end is a language model. What it holds is written with
            `from_cache`: the tokens are those of the first time, the seconds are left out and the cost is 0 where one
            was known, since neither was spent now.
        spending: the money that may be spent; what is under way when it ends is still written.

    Raises:
        BackendError: the engine is gone, or it left requests without an answer.
        CostError: the money is spent, and requests are left.
        InputError: the cache is damaged; what was under way is written before.
        StorageError: the disk refused a reply; all earlier ones are whole.
    """
    _Loop(requests, backend, log, on_reply, cache if backend.is_language_model else None, spending).run(judge)


class _Loop:
    """The requests still to be asked, handed to the back end one by one, each key once, and their replies."""

    def __init__(
        self,
        requests: Iterable[Request],
        backend: Backend,
        log: RecordLog[Reply],
        on_reply: Callable[[Request, Reply], None],
        cache: ReplyCache | None,
        spending: Spending | None,
    ) -> None:
        self._backend = backend
        self._log = log
        self._on_reply = on_reply
        self._cache = cache
        self._spending = spending
        self._fresh = self._unfinished(requests)
        self._again: deque[Request] = deque()
        self._held: Request | None = None
        self._fault: FingreatError | None = None
        self._keeps = cache is not None
        self._waited = False
        self._open: set[str] = set()
        self._failed: dict[str, tuple[int, float | None]] = {}

    def run(self, judge: Judge) -> None:
        """Ask in turns: what fails after the back end took the last request, and what cost less than feared."""
        while self._turn(judge) and not self._open and (self._again or (self._held and self._fits(self._held))):
            if self._fault is not None:
                break
        if self._fault is not None:
            raise self._fault
        left = sum(1 for _ in self._fresh) + len(self._again) + (self._held is not None)
        if self._spending is not None and self._held is not None and not self._fits(self._held):
            raise self._spending.over(left)
        if left := left + len(self._open):
            raise BackendError(
                f"the back end left {left} requests without an answer.",
                hint="Run the same command again: what is answered stays.",
            )

    def _turn(self, judge: Judge) -> int:
        """Ask until the back end has answered what it took; how many answers came."""
        count = 0
        answers = self._backend.answer(self._handed_out())
        try:
            for request, raw in answers:
                self._answered(request, raw, judge)
                count += 1
        finally:
            # An engine that works in the background ends with the loop, whatever ended it.
            if close := getattr(answers, "close", None):
                close()
        return count

    def _handed_out(self) -> Iterator[Request]:
        while (request := self._next_or_none()) is not None:
            if not self._fits(request):
                self._held = request
                if self._open and not self._waited:
                    self._waited = True
                    _LOG.info(
                        "--max-cost: what is under way could cost all that is left; more is asked as replies come."
                    )
                return
            self._open.add(request.key)
            yield request

    def _next_or_none(self) -> Request | None:
        """The next request; none after a fault, which is raised once all that is under way is written."""
        if self._fault is not None:
            return None
        try:
            return self._next()
        except FingreatError as error:
            _LOG.warning("Nothing more is asked; what is under way is still written. %s", error)
            self._fault = error
            return None

    def _next(self) -> Request | None:
        held, self._held = self._held, None
        if held is not None:
            return held
        return self._again.popleft() if self._again else next(self._fresh, None)

    def _fits(self, request: Request) -> bool:
        return self._spending is None or self._spending.allows(request, len(self._open))

    def _unfinished(self, requests: Iterable[Request]) -> Iterator[Request]:
        """The requests that neither the log nor the cache has a finished reply for."""
        met: set[str] = set()
        for request in requests:
            if request.key in met:
                continue
            met.add(request.key)
            reply = self._log.get(request.key)
            if (reply is None or not is_finished(reply)) and not self._from_cache(request):
                yield request

    def _from_cache(self, request: Request) -> bool:
        found = self._cache.get(request.key, context=self._backend.context) if self._cache is not None else None
        if found is None:
            return False
        cost = None if found.cost_usd is None else 0.0
        reply = found.model_copy(update={"from_cache": True, "seconds": None, "cost_usd": cost})
        self._log.append(reply)
        self._on_reply(request, reply)
        return True

    def _answered(self, request: Request, raw: RawReply, judge: Judge) -> None:
        """Write an answer, or ask again.

        Raises:
            BackendError: the request was not handed out, or is answered already.
        """
        if request.key not in self._open:
            raise BackendError(f"the back end answered request {request.key}, which is not open.")
        self._open.remove(request.key)
        if self._spending is not None:
            self._spending.add(request, raw)
        failed, paid = self._failed.pop(request.key, (0, None))
        attempt = failed + 1
        if paid is not None:
            # A provider may charge for an answer that is none.
            raw = replace(raw, cost_usd=paid + (raw.cost_usd or 0.0))
        reply = _reply(request, raw, judge, attempt)
        if raw.retryable and not is_finished(reply) and attempt < MAX_ATTEMPTS:
            self._failed[request.key] = attempt, raw.cost_usd
            self._again.append(request)
            return
        self._log.append(reply)
        self._keep(reply)
        self._on_reply(request, reply)

    def _keep(self, reply: Reply) -> None:
        """Put a reply into the cache. The run goes on where that fails: its own log has what was paid for."""
        if self._cache is None or not self._keeps:
            return
        try:
            self._cache.put(reply, context=self._backend.context)
        except FingreatError as error:
            _LOG.warning("Replies are kept for other runs no more. %s", error)
            self._keeps = False


def _reply(request: Request, raw: RawReply, judge: Judge, attempt: int) -> Reply:
    judged = judge.judge(raw, len(request.segments))
    return Reply(
        key=request.key,
        state=judged.state,
        text=judged.text,
        finish_reason=raw.finish_reason,
        prompt_tokens=raw.prompt_tokens,
        cached_tokens=raw.cached_tokens,
        output_tokens=raw.output_tokens,
        reasoning_tokens=raw.reasoning_tokens,
        seconds=raw.seconds,
        cost_usd=raw.cost_usd,
        attempts=attempt,
        detail=judged.detail,
    )
