"""OpenAI's batch interface: a file of requests in, a file of answers and one of errors out, within 24 hours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from importlib import import_module
from typing import IO, Any

from fingreat.errors import BackendError
from fingreat.inference.backend import RawReply
from fingreat.inference.hosted.batch_api import Look, UnknownBatchError, copy_lines, one_line
from fingreat.inference.hosted.online import TryLater, retry_after
from fingreat.inference.hosted.openai_wire import chat_body, chat_reply, error_reply, error_words, fatal_error
from fingreat.inference.presets import Preset, Prices
from fingreat.schema import ReplyState, Request

_ENDPOINT = "/v1/chat/completions"
_MARK = "fingreat"
"""Name of the batch's metadata that holds our own name of it."""
_SECONDS = 300.0
"""For one call; a batch that is sent twice costs twice, so the SDK tries nothing again by itself."""
_CONNECT_SECONDS = 20.0
_SKEW = timedelta(minutes=5)
"""How far the provider's clock may be behind."""
_NO_ROOM = re.compile(r"enqueued (?:token|request)s? limit reached", re.IGNORECASE)
"""What a batch says that failed since too many tokens or requests of the organisation are waiting."""
_ENDED = {"completed": None, "expired": "its batch expired", "cancelled": "its batch was cancelled"}


class OpenAIBatch:
    """A `BatchApi` of OpenAI. A batch is found again by its metadata.

    The interface takes 50,000 requests and 200 MB; fewer at a time end sooner and are lost less.

    Args:
        client: makes the SDK's client; called once.
        hosted: by OpenAI itself, as for `chat_body`.
    """

    provider = "OpenAI"
    most_requests = 20_000
    most_bytes = 150_000_000
    by_name = True

    def __init__(self, client: Callable[[], Any], model: str, preset: Preset, *, hosted: bool = True) -> None:
        self._sdk: Any = import_module("openai")
        # The key goes to the address that the user knows, and nowhere else.
        line = self._sdk.DefaultHttpxClient(follow_redirects=False)
        timeout = self._sdk.Timeout(_SECONDS, connect=_CONNECT_SECONDS)
        self._client = client().with_options(http_client=line, max_retries=0, timeout=timeout)
        self._model = model
        self._preset = preset
        self._hosted = hosted

    def line(self, request: Request) -> bytes:
        """A request as one line of the input file."""
        body = chat_body(request, self._model, self._preset, hosted=self._hosted)
        return one_line({"custom_id": request.key, "method": "POST", "url": _ENDPOINT, "body": body})

    def send(self, name: str, file: IO[bytes]) -> str:
        """Upload the lines and start the batch."""
        with self._faults():
            upload = self._client.files.create(file=(f"{name}.jsonl", file), purpose="batch")
            batch = self._client.batches.create(
                input_file_id=upload.id, endpoint=_ENDPOINT, completion_window="24h", metadata={_MARK: name}
            )
        return str(batch.id)

    def find(self, name: str, size: int, since: datetime) -> list[str]:
        """The batch of this name; the newest come first, and older ones than `since` are not looked at."""
        oldest = (since - _SKEW).timestamp()
        with self._faults():
            for batch in self._client.batches.list(limit=100):
                if batch.created_at < oldest:
                    break
                if (batch.metadata or {}).get(_MARK) == name:
                    return [str(batch.id)]
        return []

    def look(self, batch_id: str) -> Look:
        """How far a batch is."""
        with self._faults():
            batch = self._client.batches.retrieve(batch_id)
        if batch.status == "failed":
            errors = list((batch.errors and batch.errors.data) or [])
            detail = "; ".join(f"{error.code}: {error.message}" for error in errors[:3]) or "it failed"
            no_room = any(_NO_ROOM.search(error.message or "") for error in errors)
            return Look(ended=True, detail=detail, no_room=no_room, refused=not no_room)
        cancelled = batch.status == "cancelled"
        return Look(ended=batch.status in _ENDED, detail=_ENDED.get(batch.status), cancelled=cancelled)

    def fetch(self, batch_id: str, file: IO[bytes]) -> None:
        """Write the lines of the file of answers, then those of the file of errors; either may be missing."""
        with self._faults():
            batch = self._client.batches.retrieve(batch_id)
            for file_id in filter(None, (batch.output_file_id, batch.error_file_id)):
                with self._client.files.with_streaming_response.content(file_id) as response:
                    copy_lines(response.iter_bytes(), file)

    def read(self, line: Mapping[str, Any]) -> tuple[str, RawReply]:
        """Id and reply of one line of either file."""
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
            words = error_words(status, body)
            if fatal_error(status, body) is None and error_reply(status, body).retryable:
                raise TryLater(words, after=retry_after(error.response.headers)) from error
            kind, hint = BackendError, fatal_error(status, body)
            if status == 404:
                kind = UnknownBatchError
                hint = "Has the server a batch interface, and is the key of the project in which the batch was sent?"
            raise kind(f"{self.provider}'s batch interface: {words}", hint=hint) from None
        except self._sdk.APIConnectionError as error:
            raise TryLater(f"no connection: {error.__cause__ or error}") from error


def read_line(line: Mapping[str, Any], prices: Prices | None) -> tuple[str, RawReply]:
    """Id and reply of one line of an output or an error file.

    Raises:
        KeyError, TypeError, AttributeError: it is no such line.
    """
    key = line["custom_id"]
    if not isinstance(key, str):
        raise TypeError("no id")
    response = line.get("response")
    if response is None:
        # The request was not asked: its batch expired or was cancelled before.
        error = line["error"]
        detail = f"{error.get('code')}: {error.get('message')}"
        return key, RawReply(state=ReplyState.ERROR, detail=detail, retryable=True)
    status = response["status_code"]
    if status != 200:
        return key, error_reply(status, response.get("body"))
    return key, chat_reply(response["body"], prices, None, batch=True)
