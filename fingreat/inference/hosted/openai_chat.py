"""`openai:NAME`: chat completions of OpenAI, or with `--base-url` of any server that speaks its language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from time import perf_counter
from typing import Any

from fingreat.inference.backend import ModelSpec, RawReply, Settings
from fingreat.inference.hosted.batches import answer_batched
from fingreat.inference.hosted.online import TryLater, answer_online, retry_after
from fingreat.inference.hosted.openai_batch import OpenAIBatch
from fingreat.inference.hosted.openai_server import Server
from fingreat.inference.hosted.openai_wire import chat_body, chat_options, chat_reply, error_reply, fatal_error
from fingreat.inference.hosted.provider import Hosted, hosted, settled
from fingreat.inference.hosted.wire import NO_JSON
from fingreat.schema import Graph, Request

ADDRESS = "https://api.openai.com/v1"
_CONNECT_SECONDS = 20.0
_LOOK_UP_SECONDS = 60.0


class OpenAIBackend:
    """A model of OpenAI, or of a server that speaks its language (vLLM, llama.cpp, ...).

    The key is read from OPENAI_API_KEY; a server of the user's own is sent it too, and needs none. Nothing else of
    the environment decides where requests go. Such a server must list the model; if it says how many tokens it holds,
    that is the context.

    Raises:
        InputError: no key, a revision (names of OpenAI's models carry their date), an address that is none, or a
            model that the server does not know.
        BackendError: the server is not there, or refuses the key.
    """

    is_language_model = True

    def __init__(self, spec: ModelSpec, graph: Graph, settings: Settings) -> None:
        self._hosted = hosted(spec, settings, ADDRESS)
        self._settings = settings
        self._sdk: Any = import_module("openai")
        self.model = self._hosted.model
        self.revision: str | None = None
        self.options: Mapping[str, Any] = chat_options(settings.preset, hosted=not self._hosted.own)
        template = settings.preset.chat_template if self._hosted.own else {}
        self._server = Server(self._client(), self._sdk, self._hosted, template)
        self.context: int | None = self._server.context

    def prompt_tokens(self, request: Request) -> int | None:
        """Tokens of the request's prompt as a server of the user's own counts them; None where it does not."""
        return self._server.prompt_tokens(request)

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        """Each request with its reply, as they finish."""
        if self._settings.batch is not None:
            batch = OpenAIBatch(self._client, self.model, self._settings.preset, hosted=not self._hosted.own)
            return answer_batched(batch, requests, self._settings.batch, secret=self._hosted.key)
        return answer_online(
            lambda: _Chat(self._hosted, self._settings, lenient=self._server.lenient),
            requests,
            self._settings,
            secret=self._hosted.key,
        )

    def close(self) -> None:
        """End the connection that the model was looked up by."""
        self._server.close()

    def _client(self) -> Any:
        timeout = self._sdk.Timeout(_LOOK_UP_SECONDS, connect=_CONNECT_SECONDS)
        return self._sdk.OpenAI(api_key=self._hosted.key, base_url=self._hosted.address, timeout=timeout, max_retries=1)


class _Chat:
    """The chat completions, in one event loop."""

    def __init__(self, model: Hosted, settings: Settings, *, lenient: bool) -> None:
        self._model = model
        self._lenient = lenient
        self._preset = settings.preset
        self._sdk: Any = import_module("openai")
        # How long an answer may take as a whole is decided by who waits for it.
        timeout = self._sdk.Timeout(None, connect=_CONNECT_SECONDS)
        self._client = self._sdk.AsyncOpenAI(api_key=model.key, base_url=model.address, timeout=timeout, max_retries=0)

    async def ask(self, request: Request) -> RawReply:
        """One try."""
        start = perf_counter()
        try:
            # The SDK's plain way: its typed one checks again, for every request, what is made here.
            data = await self._client.post(
                "/chat/completions",
                body=self._body(request),
                options={"follow_redirects": False},
                cast_to=object,
            )
        except self._sdk.APIStatusError as error:
            status, body = error.status_code, error.body
            reply, after = error_reply(status, body), retry_after(error.response.headers)
            return settled(self._model, reply, status, fatal_error(status, body), after)
        except self._sdk.APIConnectionError as error:
            raise TryLater(f"no connection: {error.__cause__ or error}") from error
        except NO_JSON as error:
            raise TryLater("the answer is no JSON") from error
        return settled(self._model, chat_reply(data, self._preset.prices, perf_counter() - start), None, None, None)

    def _body(self, request: Request) -> dict[str, Any]:
        hosted = not self._model.own
        return chat_body(request, self._model.model, self._preset, hosted=hosted, lenient=self._lenient)

    async def close(self) -> None:
        """End all connections."""
        await self._client.close()
