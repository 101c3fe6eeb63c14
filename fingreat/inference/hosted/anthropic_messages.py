"""`anthropic:NAME`: the Messages API of Anthropic, through its own SDK."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from time import perf_counter
from typing import Any

from fingreat.errors import InputError
from fingreat.inference.backend import ModelSpec, RawReply, Settings
from fingreat.inference.hosted.anthropic_batch import AnthropicBatch
from fingreat.inference.hosted.anthropic_wire import error_reply, error_words, fatal_error, message_body, message_reply
from fingreat.inference.hosted.batches import answer_batched
from fingreat.inference.hosted.online import TryLater, answer_online, retry_after
from fingreat.inference.hosted.provider import NO_LIST, Hosted, hosted, no_connection, refused, settled, unreachable
from fingreat.inference.hosted.wire import NO_JSON, count
from fingreat.schema import Graph, Request

ADDRESS = "https://api.anthropic.com"
_CONNECT_SECONDS = 20.0
_LOOK_UP_SECONDS = 60.0


class AnthropicBackend:
    """A model of Anthropic. The key is read from ANTHROPIC_API_KEY.

    Raises:
        InputError: no key, a revision, an address that is none, or a model that the provider does not know.
        BackendError: the server is not there, or refuses the key.
    """

    is_language_model = True

    def __init__(self, spec: ModelSpec, graph: Graph, settings: Settings) -> None:
        self._hosted = hosted(spec, settings, ADDRESS)
        self._settings = settings
        self.model = self._hosted.model
        self.revision: str | None = None
        self.options: Mapping[str, Any] = dict(settings.preset.request)
        self.context: int | None = _known(self._hosted)

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        """Each request with its reply, as they finish."""
        model, settings = self._hosted, self._settings
        if settings.batch:
            batches = AnthropicBatch(lambda: _client(model), model.model, settings.preset)
            return answer_batched(batches, requests, settings.batch, secret=model.key)
        return answer_online(lambda: _Messages(model, settings), requests, settings, secret=model.key)

    def close(self) -> None:
        """Nothing is held between calls."""


class _Messages:
    """The Messages API, in one event loop."""

    def __init__(self, model: Hosted, settings: Settings) -> None:
        self._model = model
        self._preset = settings.preset
        self._sdk: Any = import_module("anthropic")
        # How long an answer may take as a whole is decided by who waits for it.
        timeout = self._sdk.Timeout(None, connect=_CONNECT_SECONDS)
        self._client = self._sdk.AsyncAnthropic(
            api_key=model.key, base_url=model.address, timeout=timeout, max_retries=0
        )

    async def ask(self, request: Request) -> RawReply:
        """One try."""
        start = perf_counter()
        try:
            # The SDK's plain way: its typed one has no place for what some models take and others refuse.
            data = await self._client.post(
                "/v1/messages",
                body=message_body(request, self._model.model, self._preset),
                options={"follow_redirects": False},
                cast_to=object,
            )
        except self._sdk.APIStatusError as error:
            status, body = error.status_code, error.body
            reply, after = error_reply(status, body), retry_after(error.response.headers)
            return settled(self._model, reply, status, fatal_error(status, body), after)
        except self._sdk.APIConnectionError as error:
            raise no_connection(error) from error
        except NO_JSON as error:
            raise TryLater("the answer is no JSON") from error
        reply = message_reply(data, self._preset.prices, perf_counter() - start)
        return settled(self._model, reply, None, None, None)

    async def close(self) -> None:
        """End all connections."""
        await self._client.close()


def _client(model: Hosted) -> Any:
    sdk: Any = import_module("anthropic")
    timeout = sdk.Timeout(_LOOK_UP_SECONDS, connect=_CONNECT_SECONDS)
    return sdk.Anthropic(api_key=model.key, base_url=model.address, timeout=timeout, max_retries=0)


def _known(model: Hosted) -> int | None:
    """The model's context in tokens, None where the server does not say.

    Raises:
        InputError: the provider does not know the model.
        BackendError: the server is not there, or refuses the key.
    """
    sdk: Any = import_module("anthropic")
    try:
        with _client(model) as client:
            data = client.get(f"/v1/models/{model.model}", options={"follow_redirects": False}, cast_to=object)
    except sdk.APIStatusError as error:
        status, body = error.status_code, error.body
        if status == 404 and not model.own:
            raise InputError("Anthropic knows no such model.", where=model.where) from None
        if status in NO_LIST or error_reply(status, body).retryable:
            return None
        raise refused(model, error_words(status, body), fatal_error(status, body)) from None
    except sdk.APIConnectionError as error:
        raise unreachable(model, error) from None
    except NO_JSON:
        return None
    return count(data, "max_input_tokens")
