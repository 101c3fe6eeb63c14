"""A back end that answers as a test says and counts, and what the ask loop wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from reply_builders import quoted, raw, reply_of, request

from fingreat.inference import RawReply
from fingreat.schema import Reply, ReplyState, Request

FAILED = RawReply(state=ReplyState.ERROR, detail="the line is dead")
BUSY = RawReply(state=ReplyState.ERROR, detail="busy", retryable=True)
ANSWER = raw(reply_of(quoted()))


def requests(count: int) -> list[Request]:
    return [request(f"Chunk {number}.") for number in range(count)]


class Asked:
    """A back end that answers with a function of the request and of how often it was asked, and counts."""

    model, revision, context, is_language_model = "asked", None, None, True
    options: ClassVar[dict[str, Any]] = {}

    def __init__(self, respond: Callable[[Request, int], RawReply]) -> None:
        self.count: Counter[str] = Counter()
        self._respond = respond

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        for one in requests:
            self.count[one.key] += 1
            yield one, self._respond(one, self.count[one.key])

    def close(self) -> None:
        pass


def replies(folder: Path) -> dict[str, Reply]:
    lines = [line for path in sorted(folder.glob("part-*.jsonl")) for line in path.read_bytes().splitlines()]
    return {reply.key: reply for reply in map(Reply.model_validate_json, lines)}
