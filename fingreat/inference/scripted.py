"""`scripted:FILE`: replies from a file or a function, so that the whole flow runs without a model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from fingreat.errors import InputError
from fingreat.inference.backend import ModelSpec, RawReply, Settings
from fingreat.runs import read_json_lines
from fingreat.schema import Graph, ReplyState, Request, sha256_hex
from fingreat.schema.records import Record


class Rule(Record):
    """One line of a script.

    Attributes:
        contains: the rule answers requests whose last message holds this text; all, if empty.
        times: how often it answers before the next fitting rule takes over; without end, if null.
        wait: seconds to wait before the answer.
    """

    contains: str = ""
    times: int | None = Field(default=None, ge=1)
    wait: float = Field(default=0.0, ge=0)
    text: str = ""
    reasoning: str | None = None
    finish_reason: str | None = "stop"
    state: ReplyState | None = None
    detail: str | None = None
    retryable: bool = False


class ScriptedBackend:
    """Answers by the first rule of the script that fits and is not used up.

    Args:
        spec: `scripted:FILE`, JSON Lines of `Rule`.

    Raises:
        InputError: there is no such file, or a line is no rule.
    """

    is_language_model = False
    options: Mapping[str, Any] = {}

    def __init__(self, spec: ModelSpec, graph: Graph, settings: Settings) -> None:
        if not spec.model:
            raise InputError("names no script.", where="--model scripted", hint="Write `scripted:FILE`.")
        path = Path(spec.model)
        if not path.is_file():
            raise InputError("there is no such file.", where=str(path), hint="Write `scripted:FILE`.")
        rules = []
        for number, value in read_json_lines(path):
            try:
                rules.append(Rule.model_validate(value))
            except ValidationError as error:
                detail = error.errors()[0]
                key = ".".join(str(part) for part in detail["loc"])
                raise InputError(f"'{key}': {detail['msg']}", where=f"{path}, line {number}") from error
        self.model = path.stem
        self.revision: str | None = sha256_hex(path.read_bytes())[:16]
        self.context: int | None = None
        self._respond = _by_rules(rules)

    @classmethod
    def of(cls, respond: Callable[[Request], RawReply], name: str = "function") -> ScriptedBackend:
        """A back end that answers with a function."""
        backend = cls.__new__(cls)
        backend.model, backend.revision, backend.context = name, None, None
        backend._respond = respond
        return backend

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        """Each request with its reply, in order."""
        for request in requests:
            start = time.perf_counter()
            reply = self._respond(request)
            yield request, RawReply(**{**reply.__dict__, "seconds": time.perf_counter() - start})

    def close(self) -> None:
        """Nothing to free."""


def _by_rules(rules: list[Rule]) -> Callable[[Request], RawReply]:
    used = [0] * len(rules)

    def respond(request: Request) -> RawReply:
        for index, rule in enumerate(rules):
            if (rule.times is None or used[index] < rule.times) and rule.contains in request.messages[-1].content:
                used[index] += 1
                time.sleep(rule.wait)
                return RawReply(**rule.model_dump(exclude={"contains", "times", "wait"}))
        return RawReply(state=ReplyState.ERROR, detail="the script has no reply for this request")

    return respond
