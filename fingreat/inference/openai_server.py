"""What a server says of its models before anything is asked: whether it knows one, and how many tokens that holds."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from fingreat.errors import BackendError, InputError
from fingreat.inference.openai_wire import error_words, fatal_error

_SHOWN = 8


def check_address(text: str) -> str:
    """A server's address, without a last slash.

    Raises:
        InputError: it is none, or holds what would be written down with it and must not be.
    """
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise InputError(f"'{text}' is no address.", where="--base-url", hint="Write it like http://127.0.0.1:8000/v1.")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise InputError(
            "the address holds more than a host and a path, which would be written into the run.",
            where="--base-url",
            hint="Leave user, password and what follows '?' or '#' out; a key belongs into the environment.",
        )
    return text.rstrip("/")


def known_model(client: Any, sdk: Any, model: str, where: str, *, hosted: bool) -> int | None:
    """The context of a model in tokens, None where the server does not say.

    OpenAI is asked for the model alone. Other servers are asked for their list; one that has none, such as a proxy,
    is taken at its word when it answers.

    Raises:
        InputError: the server does not know the model.
        BackendError: it is not there, or refuses the key.
    """
    try:
        if hosted:
            client.get(f"/models/{model}", options={"follow_redirects": False}, cast_to=object)
            return None
        data = client.get("/models", options={"follow_redirects": False}, cast_to=object)
    except sdk.APIStatusError as error:
        if error.status_code == 404 and hosted:
            raise InputError("OpenAI knows no such model.", where=where) from None
        if error.status_code in (404, 405, 501):
            return None
        hint = fatal_error(error.status_code, error.body)
        raise BackendError(error_words(error.status_code, error.body), where=where, hint=hint) from None
    except sdk.APIConnectionError as error:
        raise BackendError(
            f"the server is not there: {error.__cause__ or error}", where=where, hint="Is it running?", retryable=True
        ) from None
    except ValueError:
        data = None
    return _context(_entries(data, where), model, where)


def _entries(data: Any, where: str) -> dict[str, Mapping[str, Any]]:
    listed = data.get("data") if isinstance(data, Mapping) else None
    if not isinstance(listed, list):
        raise BackendError(
            "does not speak the language of OpenAI.",
            where=where,
            hint="The address mostly ends in /v1.",
        )
    return {str(entry.get("id")): entry for entry in listed if isinstance(entry, Mapping)}


def _context(entries: Mapping[str, Mapping[str, Any]], model: str, where: str) -> int | None:
    entry = entries.get(model)
    if entry is None:
        near = difflib.get_close_matches(model, entries, n=_SHOWN, cutoff=0.3) or list(entries)[:_SHOWN]
        raise InputError(
            "the server has no such model.", where=where, hint=f"It has: {', '.join(near)}." if near else None
        )
    # vLLM; llama.cpp.
    meta = entry.get("meta")
    found = entry.get("max_model_len") or (meta.get("n_ctx_train") if isinstance(meta, Mapping) else None)
    return found if isinstance(found, int) and found > 0 else None
