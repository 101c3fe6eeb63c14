"""Addresses of servers, as the user writes them."""

from __future__ import annotations

from urllib.parse import urlsplit

from fingreat.errors import InputError


def check_address(text: str) -> str:
    """A server's address, without a last slash.

    Raises:
        InputError: it is none, or holds what would be written down with it and must not be.
    """
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or " " in text or not text.isprintable():
        raise InputError("is no address of a server.", where="--base-url", hint="Write http://127.0.0.1:8000/v1.")
    if "@" in parts.netloc or "?" in text or "#" in text:
        raise InputError(
            "the address holds more than a host and a path, which would be written into the run.",
            where="--base-url",
            hint="Leave user, password and what follows '?' or '#' out; a key belongs into the environment.",
        )
    return text.rstrip("/")
