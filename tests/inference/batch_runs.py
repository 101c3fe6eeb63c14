"""Requests through a local provider's batch interface, with a model that repeats what it is asked."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from reply_builders import request
from servers.answers import redirected
from servers.providers.desk import Desk
from servers.providers.local import LocalProvider
from servers.providers.said import Said

from fingreat.errors import BackendError
from fingreat.inference import RawReply
from fingreat.inference.hosted import batches
from fingreat.inference.hosted.batches import Waits, answer_batched
from fingreat.inference.presets import Prices
from fingreat.schema import Request

PRICES = Prices(input=2.0, output=10.0, batch_factor=0.5, on=date(2026, 11, 1), source="a test")
QUICK = Waits(first=0.01, factor=1.0, longest=0.01, settle=0.1, patience=2.0)


def asked(count: int, first: int = 0) -> list[Request]:
    return [request(f"row {number}") for number in range(first, first + count)]


def echo(prompt: str) -> Said:
    return Said(f"answer to {prompt}", prompt_tokens=1000, output_tokens=100)


def replies(api: Any, requests: list[Request], folder: Path, **more: Any) -> dict[str, RawReply]:
    """The replies by what was asked; a second reply to one request is a fault."""
    found: dict[str, RawReply] = {}
    for one, reply in answer_batched(api, iter(requests), folder, **more):
        text = one.messages[-1].content
        assert text not in found
        found[text] = reply
    return found


def texts(found: dict[str, RawReply]) -> dict[str, str]:
    return {text: reply.text for text, reply in found.items()}


def right(count: int, first: int = 0) -> dict[str, str]:
    return {f"row {number}": f"answer to row {number}" for number in range(first, first + count)}


class Local:
    """A provider on loopback, new for every test but for its sockets.

    Args:
        wire: its batch interface.
        others: what else it speaks.
    """

    def __init__(self, wire: Any, *others: Any) -> None:
        self.wire = wire
        self.server = LocalProvider(wire, *others)

    @property
    def desk(self) -> Desk:
        return self.wire.desk

    def renew(self) -> None:
        self.wire.desk, self.wire.errored = Desk(), {}
        self.server.heal()
        self.server.say(echo)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "WAITS", QUICK)


def assert_key_stays(local: Local, api: Any, path: str, folder: Path) -> None:
    """A redirect to another host is not followed, and the key not sent there."""
    with LocalProvider() as elsewhere:
        local.server.fail(redirected(f"{elsewhere.base}{path}"), path=path)
        with pytest.raises(BackendError, match="302"):
            replies(api, asked(1), folder)
        assert elsewhere.log.count() == 0
