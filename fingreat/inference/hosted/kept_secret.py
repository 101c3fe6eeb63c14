"""A key that is sent to a server and must not come back in anything that is written or shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fingreat.errors import BackendError
from fingreat.inference.backend import RawReply

_SHORTEST = 12
"""What is shorter is no provider's key but a word for a server that wants none (`EMPTY`), and may stand in a reply."""


class KeptSecret:
    """Takes a key out of what a server says: it may say anything, the key that it was sent included."""

    def __init__(self, secret: str | None) -> None:
        self._secret = secret if secret and len(secret) >= _SHORTEST else None

    def text(self, text: str) -> str:
        """The text, without the key."""
        return text if self._secret is None else text.replace(self._secret, "[key]")

    def reply(self, reply: RawReply) -> RawReply:
        """The reply, without the key."""
        if self._secret is None:
            return reply
        parts = ("text", "reasoning", "detail", "finish_reason")
        said = {name: part for name in parts if (part := getattr(reply, name)) and self._secret in part}
        clean: dict[str, Any] = {name: self.text(part) for name, part in said.items()}
        return replace(reply, **clean) if clean else reply

    def error(self, error: Exception) -> Exception:
        """The error, without the key where it is one of ours."""
        if not isinstance(error, BackendError) or self._secret is None:
            return error
        # Made anew: below the old one stands the SDK's, which quotes the server and holds the request.
        message, where, hint = (part and self.text(part) for part in (error.message, error.where, error.hint))
        return BackendError(message or "", where=where, hint=hint, retryable=error.retryable)
