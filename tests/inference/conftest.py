"""Servers on loopback that several files of tests ask: one of the user's own, and what stands for OpenAI itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from openai_servers import KEY
from reply_builders import quoted, reply_of
from servers.providers.local import LocalProvider
from servers.providers.openai import OpenAIWire
from servers.providers.said import Said

from fingreat.inference.hosted import openai_chat


@pytest.fixture
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[LocalProvider]:
    """A server of the user's own, without a key."""
    with LocalProvider(OpenAIWire({"small": {"max_model_len": 8192}}, context=3000)) as provider:
        provider.say(lambda prompt: Said(reply_of(quoted(prompt))))
        yield provider


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalProvider]:
    """What stands for OpenAI itself: it wants a key, and refuses what is not its own."""
    wire = OpenAIWire({"small": {}, "thinker": {}}, key=KEY, thinks=frozenset({"thinker"}), hosted=True)
    with LocalProvider(wire) as provider:
        monkeypatch.setattr(openai_chat, "ADDRESS", f"{provider.base}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield provider
