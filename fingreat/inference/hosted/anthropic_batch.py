"""Anthropic's batch interface: one call with all requests, one list of results, within 24 hours."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from importlib import import_module
from typing import IO, Any
from urllib.parse import urlsplit

from fingreat.errors import BackendError
from fingreat.inference.backend import RawReply
from fingreat.inference.hosted.anthropic_wire import error_reply, error_words, fatal_error, message_body, message_reply
from fingreat.inference.hosted.batch_api import Look, UnknownBatchError, copy_lines, one_line
from fingreat.inference.hosted.online import TryLater, retry_after
from fingreat.inference.presets import Preset, Prices
from fingreat.schema import ReplyState, Request

_SECONDS = 300.0
"""For one call; a batch that is sent twice costs twice, so the SDK tries nothing again by itself."""
_CONNECT_SECONDS = 20.0
_SKEW = timedelta(minutes=5)
"""How far the provider's clock may be behind."""
_UNANSWERED = {"expired": "its batch expired", "canceled": "its batch was cancelled"}


class AnthropicBatch:
    """A `BatchApi` of Anthropic.

    A batch takes no name. One whose id was lost is looked for by the time at which it was sent and its number of
    requests, and its results then prove whether it is the one: ids are hashes of what was asked.

    The interface takes 100,000 requests and 256 MB; since they are sent in one piece, far fewer are here.

    Args:
        client: makes the SDK's client; called once.
    """

    provider = "Anthropic"
    most_requests = 10_000
    most_bytes = 64_000_000
    by_name = False

    def __init__(self, client: Callable[[], Any], model: str, preset: Preset) -> None:
        self._sdk: Any = import_module("anthropic")
        # The key goes to the address that the user knows, and nowhere else.
        line = self._sdk.DefaultHttpxClient(follow_redirects=False)
        timeout = self._sdk.Timeout(_SECONDS, connect=_CONNECT_SECONDS)
        self._client = client().with_options(http_client=line, max_retries=0, timeout=timeout)
        self._model = model
        self._preset = preset

    def line(self, request: Request) -> bytes:
        """A request as one of the list."""
        return one_line({"custom_id": request.key, "params": message_body(request, self._model, self._preset)})

    def send(self, name: str, file: IO[bytes]) -> str:
        """Start the batch."""
        with self._faults():
            batch = self._client.messages.batches.create(requests=[json.loads(line) for line in file])
        return str(batch.id)

    def find(self, name: str, size: int, since: datetime) -> list[str]:
        """Batches of this size that were sent since then, the first one first."""
        found = []
        with self._faults():
            for batch in self._client.messages.batches.list(limit=100):
                if batch.created_at < since - _SKEW:
                    break
                if sum(batch.request_counts.to_dict().values()) == size:
                    found.append(str(batch.id))
        return found[::-1]

    def look(self, batch_id: str) -> Look:
        """How far a batch is."""
        with self._faults():
            batch = self._client.messages.batches.retrieve(batch_id)
        return Look(ended=batch.processing_status == "ended")

    def fetch(self, batch_id: str, file: IO[bytes]) -> None:
        """Write the lines of the results."""
        batches = self._client.messages.batches
        with self._faults():
            address = batches.retrieve(batch_id).results_url or ""
            if urlsplit(address).netloc not in ("", urlsplit(str(self._client.base_url)).netloc):
                raise BackendError(f"{self.provider} keeps the results at another address than its own.", where=address)
            with batches.with_streaming_response.results(batch_id) as response:
                copy_lines(response.iter_bytes(), file)

    def read(self, line: Mapping[str, Any]) -> tuple[str, RawReply]:
        """Id and reply of one line of the results."""
        return read_line(line, self._preset.prices)

    def close(self) -> None:
        """End all connections."""
        self._client.close()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except self._sdk.APIStatusError as error:
            status, body = error.status_code, error.body
            words, hint = error_words(status, body), fatal_error(status, body)
            if hint is None and error_reply(status, body).retryable:
                raise TryLater(words, after=retry_after(error.response.headers)) from error
            kind = BackendError
            if status == 404:
                kind = UnknownBatchError
                hint = "Is the key of the workspace in which the batch was sent?"
            raise kind(f"{self.provider}'s batch interface: {words}", hint=hint) from None
        except self._sdk.APIConnectionError as error:
            raise TryLater(f"no connection: {error.__cause__ or error}") from error
        except self._sdk.AnthropicError as error:
            # Results that are gone: the provider keeps them for 29 days.
            raise UnknownBatchError(f"{self.provider}'s batch interface: {error}") from None


def read_line(line: Mapping[str, Any], prices: Prices | None) -> tuple[str, RawReply]:
    """Id and reply of one line of the results.

    Raises:
        KeyError, TypeError, AttributeError: it is no such line.
    """
    key, result = line["custom_id"], line["result"]
    if not isinstance(key, str):
        raise TypeError("no id")
    kind = result["type"]
    if kind == "succeeded":
        return key, message_reply(result["message"], prices, None, batch=True)
    if kind == "errored":
        return key, error_reply(None, result["error"])
    detail = _UNANSWERED.get(kind, f"its batch: {kind}")
    return key, RawReply(state=ReplyState.ERROR, detail=detail, retryable=kind != "canceled")
