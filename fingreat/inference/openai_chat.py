"""`openai:NAME`: chat completions of OpenAI, or with `--base-url` of any server that speaks its language."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from time import perf_counter
from typing import Any

from fingreat.errors import BackendError, InputError
from fingreat.inference.backend import ModelSpec, RawReply, Settings
from fingreat.inference.online import TryLater, answer_online, retry_after
from fingreat.inference.openai_server import check_address, known_model
from fingreat.inference.openai_wire import chat_body, chat_options, chat_reply, error_reply, error_words, fatal_error
from fingreat.schema import Graph, Request

KEY = "OPENAI_API_KEY"
ADDRESS = "https://api.openai.com/v1"
_NO_KEY = "none"
"""Sent to a server of the user's own where no key is set: the SDK wants one."""
_CONNECT_SECONDS = 20.0
_CROWDED = (429, 529)


class OpenAIBackend:
    """A model of OpenAI, or of a server that speaks its language (vLLM, llama.cpp, ...).

    The key is read from OPENAI_API_KEY; a server of the user's own is sent it too, and needs none. Nothing else of
    the environment decides where requests go. Such a server must list the model; if it says how many tokens it holds,
    that is the context.

    Raises:
        InputError: no key, a revision (names of OpenAI's models carry their date), or an address that is none.
        BackendError: the server is not there, refuses the key or does not know the model.
    """

    is_language_model = True

    def __init__(self, spec: ModelSpec, graph: Graph, settings: Settings) -> None:
        if not spec.model:
            raise InputError("names no model.", where="--model openai", hint="Write `openai:NAME`.")
        if spec.revision:
            raise InputError(
                "takes no revision.", where=f"--model {spec}", hint="Name the dated model, such as NAME-2024-08-06."
            )
        self.model = spec.model
        self.revision: str | None = None
        self._settings = settings
        self._hosted = settings.base_url is None
        self._address = ADDRESS if settings.base_url is None else check_address(settings.base_url)
        self._key = os.environ.get(KEY, "").strip()
        if self._hosted and not self._key:
            raise InputError("no key.", where=f"--model {spec}", hint=f"Set the environment variable {KEY}.")
        self.options: Mapping[str, Any] = chat_options(settings.preset, hosted=self._hosted)
        self._sdk: Any = import_module("openai")
        self.context: int | None = self._known()

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        """Each request with its reply, as they finish."""
        return answer_online(lambda: _Chat(self._async_client(), self), requests, self._settings, secret=self._key)

    def close(self) -> None:
        """Nothing is held between calls."""

    def body(self, request: Request) -> dict[str, Any]:
        """What is sent for a request."""
        return chat_body(request, self.model, self._settings.preset, hosted=self._hosted)

    def reply(self, data: Any, seconds: float) -> RawReply:
        """What came back for it."""
        return chat_reply(data, self._settings.preset.prices, seconds)

    @property
    def where(self) -> str:
        """What messages call it."""
        return f"openai:{self.model}" + ("" if self._hosted else f" at {self._address}")

    def _known(self) -> int | None:
        with self._sdk.OpenAI(**self._client_options(), max_retries=1) as client:
            return known_model(client, self._sdk, self.model, self.where, hosted=self._hosted)

    def _async_client(self) -> Any:
        return self._sdk.AsyncOpenAI(**self._client_options(), max_retries=0)

    def _client_options(self) -> dict[str, Any]:
        # How long an answer may take as a whole is decided by who waits for it.
        timeout = self._sdk.Timeout(None, connect=_CONNECT_SECONDS)
        return {"api_key": self._key or _NO_KEY, "base_url": self._address, "timeout": timeout}


class _Chat:
    """The chat completions of one client."""

    def __init__(self, client: Any, backend: OpenAIBackend) -> None:
        self._client = client
        self._backend = backend
        self._sdk: Any = import_module("openai")

    async def ask(self, request: Request) -> RawReply:
        """One try."""
        start = perf_counter()
        try:
            # The SDK's plain way: its typed one checks again, for every request, what is made here.
            data = await self._client.post(
                "/chat/completions",
                body=self._backend.body(request),
                options={"follow_redirects": False},
                cast_to=object,
            )
        except self._sdk.APIStatusError as error:
            return self._failed(error.status_code, error.body, error.response.headers)
        except self._sdk.APIConnectionError as error:
            raise TryLater(_connection(error)) from error
        except ValueError as error:
            raise TryLater("the answer is no JSON") from error
        reply = self._backend.reply(data, perf_counter() - start)
        if reply.retryable:
            raise TryLater(reply.detail or "the answer is damaged")
        return reply

    async def close(self) -> None:
        """End all connections."""
        await self._client.close()

    def _failed(self, status: int, body: Any, headers: Mapping[str, str]) -> RawReply:
        if hint := fatal_error(status, body):
            raise BackendError(error_words(status, body), where=self._backend.where, hint=hint)
        reply = error_reply(status, body)
        if reply.retryable:
            raise TryLater(reply.detail or "", after=retry_after(headers), everyone=status in _CROWDED)
        return reply


def _connection(error: Any) -> str:
    """A failed connection in words; the SDK says the same of all of them and keeps the cause below."""
    cause = error.__cause__
    said = str(cause) if cause is not None else ""
    return f"no connection: {said or type(cause or error).__name__}"
