"""Gemini's batch interface: a file of keyed requests in, a file of keyed responses out, within 24 hours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module
from typing import IO, Any

from fingreat.errors import BackendError
from fingreat.inference.backend import RawReply
from fingreat.inference.hosted.batch_api import Look, UnknownBatchError, one_line
from fingreat.inference.hosted.gemini_wire import (
    content_body,
    content_reply,
    error_reply,
    error_words,
    fatal_error,
    retry_delay,
)
from fingreat.inference.hosted.online import TryLater
from fingreat.inference.presets import Preset, Prices
from fingreat.schema import Request

_ENDED = {
    "JOB_STATE_SUCCEEDED": None,
    "JOB_STATE_PARTIALLY_SUCCEEDED": None,
    "JOB_STATE_FAILED": "its batch failed",
    "JOB_STATE_CANCELLED": "its batch was cancelled",
    "JOB_STATE_EXPIRED": "its batch expired",
}


class GeminiBatch:
    """A `BatchApi` of the Gemini API. A batch is found again by its display name.

    Requests go in a file, since those given inline come back in another order and without what tells them apart
    (googleapis/python-genai, issue 1909). The interface takes files of 2 GB; large batches are what is reported to be
    mixed up there.

    Args:
        client: makes the SDK's client; called once.
    """

    provider = "Gemini"
    most_requests = 5_000
    most_bytes = 100_000_000
    by_name = True

    def __init__(self, client: Callable[[], Any], model: str, preset: Preset) -> None:
        self._errors: Any = import_module("google.genai.errors")
        self._client = client()
        self._model = model
        self._preset = preset

    def line(self, request: Request) -> bytes:
        """A request as one line of the input file."""
        return one_line({"key": request.key, "request": content_body(request, self._preset)})

    def send(self, name: str, file: IO[bytes]) -> str:
        """Upload the lines and start the batch."""
        with self._faults():
            try:
                upload = self._client.files.upload(file=file, config={"display_name": name, "mime_type": "jsonl"})
            except (KeyError, ValueError) as error:
                raise TryLater(f"the upload failed: {error}") from error
            batch = self._client.batches.create(model=self._model, src=upload.name, config={"display_name": name})
        return str(batch.name)

    def find(self, name: str, size: int, since: datetime) -> list[str]:
        """The batch of this name."""
        with self._faults():
            for batch in self._client.batches.list(config={"page_size": 100}):
                if batch.display_name == name:
                    return [str(batch.name)]
        return []

    def look(self, batch_id: str) -> Look:
        """How far a batch is."""
        state = self._get(batch_id).state
        name = state.name if state else ""
        return Look(ended=name in _ENDED, detail=_ENDED.get(name), cancelled=name == "JOB_STATE_CANCELLED")

    def fetch(self, batch_id: str, file: IO[bytes]) -> None:
        """Write the lines of the file of responses; a batch that did not succeed has none."""
        batch = self._get(batch_id)
        if batch.dest and batch.dest.file_name:
            with self._faults():
                self._client.files.download(file=batch.dest.file_name, destination=file)

    def read(self, line: Mapping[str, Any]) -> tuple[str, RawReply]:
        """Id and reply of one line of the responses."""
        return read_line(line, self._preset.prices)

    def close(self) -> None:
        """End all connections."""
        self._client.close()

    def _get(self, batch_id: str) -> Any:
        with self._faults():
            return self._client.batches.get(name=batch_id)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except self._errors.APIError as error:
            status, body = error.code, error.details
            words, hint = error_words(status, body), fatal_error(status, body)
            if hint is None and error_reply(status, body).retryable:
                raise TryLater(words, after=retry_delay(body)) from error
            kind = BackendError
            if status == 404:
                kind = UnknownBatchError
                hint = "Is the key of the project in which the batch was sent?"
            raise kind(f"{self.provider}'s batch interface: {words}", hint=hint) from None


def read_line(line: Mapping[str, Any], prices: Prices | None) -> tuple[str, RawReply]:
    """Id and reply of one line of the responses.

    Raises:
        KeyError, TypeError: it is no such line.
    """
    key = line["key"]
    if not isinstance(key, str):
        raise TypeError("no id")
    if "response" in line:
        return key, content_reply(line["response"], prices, None, batch=True)
    return key, error_reply(None, {"error": line["error"]})
