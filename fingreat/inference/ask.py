"""The resumable ask loop: every request ends with one reply on disk, and none is asked twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from fingreat.errors import BackendError
from fingreat.inference.backend import Backend, RawReply
from fingreat.inference.parse import ReplyJudge
from fingreat.runs import RecordLog
from fingreat.schema import Reply, ReplyState, Request

MAX_ATTEMPTS = 3
"""How often a request is asked that fails for a reason which may pass."""


def reply_log(folder: Path) -> RecordLog[Reply]:
    """The replies of a run by request key: the first finished reply stays, an `error` gives way to it."""
    return RecordLog(folder, Reply, key=lambda reply: reply.key, supersedes=lambda old, new: not is_finished(old))


def is_finished(reply: Reply) -> bool:
    """Whether a reply stands; an `error` is asked again when the run goes on."""
    return reply.state is not ReplyState.ERROR


def ask(
    requests: Iterable[Request],
    backend: Backend,
    judge: ReplyJudge,
    log: RecordLog[Reply],
    on_reply: Callable[[Request, Reply], None] = lambda request, reply: None,
) -> None:
    """Ask what has no finished reply yet, and write each reply as it comes.

    A request that fails with a retryable error is asked again, at most three times in all.

    Args:
        requests: may be a generator; requests with equal keys are asked once.
        on_reply: called after each reply is written.

    Raises:
        BackendError: the engine is gone, or it left requests without an answer.
        StorageError: the disk refused a reply; all earlier ones are whole.
    """
    asked: Iterable[Request] = requests
    for attempt in range(1, MAX_ATTEMPTS + 1):
        pending = _Pending(asked, log)
        again = []
        for request, raw in backend.answer(pending):
            pending.answered(request)
            reply = _reply(request, raw, judge, attempt)
            if raw.retryable and reply.state is ReplyState.ERROR and attempt < MAX_ATTEMPTS:
                again.append(request)
                continue
            log.append(reply)
            on_reply(request, reply)
        if unanswered := pending.unanswered():
            raise BackendError(
                f"the back end left {unanswered} requests without an answer.",
                hint="Run the same command again: what is answered stays.",
            )
        if not again:
            return
        asked = again


class _Pending:
    """The requests still to be asked, handed to the back end one by one, each key once."""

    def __init__(self, requests: Iterable[Request], log: RecordLog[Reply]) -> None:
        self._requests = requests
        self._log = log
        self._met: set[str] = set()
        self._open: set[str] = set()

    def __iter__(self) -> Iterator[Request]:
        for request in self._requests:
            if request.key in self._met:
                continue
            self._met.add(request.key)
            reply = self._log.get(request.key)
            if reply is None or not is_finished(reply):
                self._open.add(request.key)
                yield request

    def answered(self, request: Request) -> None:
        """Note an answer.

        Raises:
            BackendError: the request was not handed out, or is answered already.
        """
        if request.key not in self._open:
            raise BackendError(f"the back end answered request {request.key}, which is not open.")
        self._open.remove(request.key)

    def unanswered(self) -> int:
        """How many requests have no answer, those included that the back end never took."""
        for _ in self:
            continue
        return len(self._open)


def _reply(request: Request, raw: RawReply, judge: ReplyJudge, attempt: int) -> Reply:
    judged = judge.judge(raw, len(request.segments))
    return Reply(
        key=request.key,
        state=judged.state,
        text=judged.text,
        finish_reason=raw.finish_reason,
        prompt_tokens=raw.prompt_tokens,
        cached_tokens=raw.cached_tokens,
        output_tokens=raw.output_tokens,
        seconds=raw.seconds,
        cost_usd=raw.cost_usd,
        attempts=attempt,
        detail=judged.detail,
    )
