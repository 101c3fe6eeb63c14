"""`gemini:NAME`: generateContent of Google's Gemini API, through its own SDK."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from importlib import import_module
from time import perf_counter
from typing import Any

from fingreat.errors import BackendError, InputError
from fingreat.inference.backend import ModelSpec, RawReply, Settings
from fingreat.inference.hosted.batches import answer_batched
from fingreat.inference.hosted.gemini_batch import GeminiBatch
from fingreat.inference.hosted.gemini_wire import (
    content_body,
    content_reply,
    error_reply,
    error_words,
    fatal_error,
    preset_fields,
    retry_delay,
)
from fingreat.inference.hosted.online import TryLater, answer_online, retry_after
from fingreat.inference.hosted.provider import NO_LIST, Hosted, hosted, no_connection, refused, settled, unreachable
from fingreat.inference.hosted.wire import NO_JSON
from fingreat.inference.requirements import has_module
from fingreat.schema import Graph, Request

ADDRESS = "https://generativelanguage.googleapis.com"
_CONNECT_SECONDS = 20.0
_BATCH_MILLISECONDS = 300_000
"""For one call of the batch interface, a file with it."""


class GeminiBackend:
    """A Gemini model. The key is read from GEMINI_API_KEY, and from nowhere else.

    Raises:
        InputError: no key, a revision, an address that is none, a model that the provider does not know, or a preset
            whose `request` the SDK does not know.
        BackendError: the server is not there, or refuses the key.
    """

    is_language_model = True

    def __init__(self, spec: ModelSpec, graph: Graph, settings: Settings) -> None:
        self._hosted = hosted(spec, settings, ADDRESS)
        self._settings = settings
        self.model = self._hosted.model
        self.revision: str | None = None
        self.options: Mapping[str, Any] = dict(settings.preset.request)
        _check(self._hosted, self.options)
        self.context: int | None = _known(self._hosted)

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        """Each request with its reply, as they finish."""
        model, settings = self._hosted, self._settings
        if settings.batch:
            batches = GeminiBatch(lambda: _client(model, timeout=_BATCH_MILLISECONDS), model.model, settings.preset)
            return answer_batched(batches, requests, settings.batch, secret=model.key)
        return answer_online(lambda: _Content(model, settings), requests, settings, secret=model.key)

    def close(self) -> None:
        """Nothing is held between calls."""


class _Content:
    """generateContent, in one event loop."""

    def __init__(self, model: Hosted, settings: Settings) -> None:
        self._model = model
        self._preset = settings.preset
        self._http = _http()
        self._errors: Any = import_module("google.genai.errors")
        timeout = self._http.Timeout(None, connect=_CONNECT_SECONDS)

        self._sent = False

        async def hurry(request: Any) -> None:
            self._sent = True
            # The SDK sets one limit for all; how long an answer may take as a whole is decided by who waits for it.
            request.extensions["timeout"] = timeout.as_dict()

        limits = self._http.Limits(max_connections=None, max_keepalive_connections=None)
        self._line = self._http.AsyncClient(limits=limits, follow_redirects=False, event_hooks={"request": [hurry]})
        self._client = _client(model, httpx_async_client=self._line)

    async def ask(self, request: Request) -> RawReply:
        """One try."""
        body = content_body(request, self._preset)
        config = {**body.pop("generationConfig"), "should_return_http_response": True}
        contents = body.pop("contents")
        start = perf_counter()
        try:
            answer = await self._client.aio.models.generate_content(
                model=self._model.model, contents=contents, config={**body, **config}
            )
        except self._errors.APIError as error:
            headers = getattr(error.response, "headers", None) or {}
            after = retry_delay(error.details)
            return settled(
                self._model,
                error_reply(error.code, error.details),
                error.code,
                fatal_error(error.code, error.details),
                retry_after(headers) if after is None else after,
            )
        except self._http.RequestError as error:
            raise no_connection(error) from error
        except NO_JSON as error:
            if self._sent:
                # All requests are alike, so that what the SDK refuses it refuses before the first is sent.
                raise TryLater("the answer is no JSON") from error
            # What this API does not take, though another one of Google's does.
            raise BackendError(str(error), where=self._model.where, hint="Change the preset's `request`.") from error
        try:
            # The answer as it was sent: the SDK's own reading knows less, and so do rows of a batch.
            data = json.loads(answer.sdk_http_response.body)
        except NO_JSON as error:
            raise TryLater("the answer is no JSON") from error
        return settled(self._model, content_reply(data, self._preset.prices, perf_counter() - start), None, None, None)

    async def close(self) -> None:
        """End all connections."""
        await self._line.aclose()


def _http() -> Any:
    """The package that the SDK speaks HTTP with; it takes either."""
    return import_module("httpx2" if has_module("httpx2") else "httpx")


def _client(model: Hosted, **http: Any) -> Any:
    genai: Any = import_module("google.genai")
    # The key goes to the address that the user knows, and nowhere else.
    plain = {"retry_options": {"attempts": 1}, "client_args": {"follow_redirects": False}}
    options = {"base_url": model.address, **plain, **http}
    # It says that it takes the key from GOOGLE_API_KEY where that is set, though it is given one.
    said = logging.getLogger("google_genai._api_client")
    level = said.level
    said.setLevel(logging.ERROR)
    try:
        return genai.Client(vertexai=False, api_key=model.key, http_options=options)
    finally:
        said.setLevel(level)


def _check(model: Hosted, fields: Mapping[str, Any]) -> None:
    """Refuse a preset that the SDK would refuse with every request."""
    types: Any = import_module("google.genai.types")
    try:
        types.GenerateContentConfig(**preset_fields(fields))
    except ValueError as error:
        first = str(error).splitlines()[1:2] or [str(error)]
        raise InputError(
            f"google-genai knows no such field or value: {first[0].strip()}",
            where=f"`request` of {model.model} in the models file",
            hint="Write the fields of its GenerateContentConfig.",
        ) from None


def _known(model: Hosted) -> int | None:
    """Tokens of a prompt that the model takes, None where the server does not say.

    Raises:
        InputError: the provider does not know the model.
        BackendError: the server is not there, or refuses the key.
    """
    http, errors = _http(), import_module("google.genai.errors")
    line = http.Client(timeout=_CONNECT_SECONDS, follow_redirects=False)
    try:
        with closing(line):
            found = _client(model, httpx_client=line, timeout=int(_CONNECT_SECONDS * 1000)).models.get(
                model=model.model
            )
    except errors.APIError as error:
        status, body = error.code, error.details
        if status == 404 and not model.own:
            raise InputError("Google knows no such model.", where=model.where) from None
        if status in NO_LIST or error_reply(status, body).retryable:
            return None
        raise refused(model, error_words(status, body), fatal_error(status, body)) from None
    except http.RequestError as error:
        raise unreachable(model, error) from None
    except NO_JSON:
        return None
    limit = found.input_token_limit
    return limit if isinstance(limit, int) and limit > 0 else None
