"""The local provider: languages by path, what the model says, faults, and a log of what was asked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from servers.answers import Answer, Fault
from servers.app import send_answer
from servers.local import LocalServer
from servers.log import Log, Seen
from servers.providers.said import Said

Says = Callable[[str], Said]
"""What a model says to the text of a request's last message."""


@dataclass
class Asked(Seen):
    """One request with its body: `data` as it came, `body` as JSON (empty where it is none)."""

    data: bytes = b""
    body: Mapping[str, Any] = field(default_factory=dict)


class Wire(Protocol):
    """A provider's language."""

    def answer(self, asked: Asked, says: Says) -> Answer | None:
        """The right answer; None for a path that is not its own."""
        ...


@dataclass
class Rule:
    """When a fault is given: for requests that hold a text, how often, and how many of them it spares first."""

    fault: Fault
    contains: bytes
    path: str | None
    times: int | None
    spare: int

    def applies(self, asked: Asked) -> bool:
        """Whether this request is spoiled; counts it."""
        if self.contains not in asked.data or self.path not in (None, asked.path):
            return False
        if self.spare:
            self.spare -= 1
            return False
        if self.times is None:
            return True
        self.times -= 1
        return self.times >= 0


class LocalProvider(LocalServer):
    """The server, as a context manager.

    Args:
        wires: the languages that it speaks.
    """

    def __init__(self, *wires: Wire) -> None:
        super().__init__(self._serve)
        self.log = Log()
        self._wires = wires
        self._lock = threading.Lock()
        self._rules: list[Rule] = []
        self._says: Says = lambda prompt: Said()

    def say(self, says: Said | Says) -> None:
        """Have the model say this from now on."""
        with self._lock:
            self._says = (lambda prompt: says) if isinstance(says, Said) else says

    def fail(
        self, fault: Fault, contains: str = "", *, path: str | None = None, times: int | None = None, spare: int = 0
    ) -> None:
        """Spoil answers from now on.

        Args:
            contains: plain ASCII text that the body of the request holds.
            path: of the request; None for all.
            times: how many answers are spoiled; None for all.
            spare: how many are left whole first.
        """
        with self._lock:
            self._rules.append(Rule(fault, contains.encode(), path, times, spare))

    def heal(self) -> None:
        """Spoil no more answers."""
        with self._lock:
            self._rules.clear()

    def asked(self, contains: str) -> int:
        """How many requests held a text."""
        return sum(1 for seen in self.log.requests if isinstance(seen, Asked) and contains.encode() in seen.data)

    async def _serve(self, scope: Mapping[str, Any], receive: Callable[[], Awaitable[Any]], send: Any) -> None:
        data = await _body(receive)
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        target = scope["raw_path"].decode("latin-1")
        target += "?" + scope["query_string"].decode("latin-1") if scope["query_string"] else ""
        arrived = scope.get("arrived", time.monotonic())
        seen = Asked(arrived, scope["method"], scope["path"], target, headers, data=data, body=_json(data))
        self.log.note(seen)
        with self._lock:
            answer = self._answer(seen)
        await send_answer(answer, seen, scope["transport"], receive, send)

    def _answer(self, asked: Asked) -> Answer:
        answers = (wire.answer(asked, self._says) for wire in self._wires)
        answer = next((found for found in answers if found is not None), None)
        if answer is None:
            answer = Answer(404, b'{"detail": "Not Found"}', "application/json")
        for rule in self._rules:
            if rule.applies(asked):
                answer = rule.fault(answer)
        return answer


def as_json(data: object, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    """An answer in JSON."""
    return Answer(status, json.dumps(data).encode(), "application/json", headers)


async def _body(receive: Callable[[], Awaitable[Any]]) -> bytes:
    data = b""
    while True:
        event = await receive()
        data += event.get("body", b"")
        if not event.get("more_body"):
            return data


def _json(data: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(data)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
