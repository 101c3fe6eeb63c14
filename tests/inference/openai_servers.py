"""Asking a server on loopback through `openai:`."""

from __future__ import annotations

from typing import Any

from hosted_runs import replies
from reply_builders import judge, request
from servers.providers.local import LocalProvider
from servers.providers.openai import CHAT

from fingreat.inference import RawReply

KEY = "sk-proj-0123456789abcdefghijklmnop"


def ask(server: LocalProvider, *texts: str, **settings: Any) -> dict[str, RawReply]:
    return replies("openai:small", map(request, texts), f"{server.base}/v1", **settings)


def asked_of(server: LocalProvider) -> int:
    return server.log.count(CHAT)


def state_of(reply: RawReply) -> str:
    return judge().judge(reply, 10).state.value
