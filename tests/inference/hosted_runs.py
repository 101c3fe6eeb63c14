"""What the tests of providers' back ends share: one that is asked, and a patience that ends soon."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from reply_builders import GRAPH

from fingreat.inference import RawReply
from fingreat.inference.backend import Settings
from fingreat.inference.hosted import online
from fingreat.inference.registry import create_backend
from fingreat.schema import Request

QUICK = online.Patience(tries=3, a_try=1.5, in_all=6.0, first_wait=0.01, longest_wait=0.05)


def replies(spec: str, requests: Iterable[Request], base_url: str, **settings: Any) -> dict[str, RawReply]:
    """The reply to each request by its text, in the order in which they came; a second reply is a fault."""
    backend = create_backend(spec, GRAPH, Settings(base_url=base_url, **settings))
    found: dict[str, RawReply] = {}
    for request, reply in backend.answer(iter(requests)):
        text = request.messages[-1].content
        assert text not in found
        found[text] = reply
    backend.close()
    return found


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online, "PATIENCE", QUICK)
