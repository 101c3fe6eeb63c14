"""OpenAI's files and batches, as its API reference has them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from email import message_from_bytes
from typing import Any

from servers.answers import Answer
from servers.providers.desk import Batch, Desk
from servers.providers.local import Asked, Says, as_json
from servers.providers.openai import completion_data, error, wrong_key

FILES, BATCHES = "/v1/files", "/v1/batches"
_STATUS = {"done": "completed", "expired": "expired", "cancelled": "cancelled", "failed": "failed", "no room": "failed"}
_FAULTS = {
    "failed": {"code": "invalid_json_line", "line": 1, "message": "This line is not parseable.", "param": None},
    "no room": {
        "code": "token_limit_exceeded",
        "line": None,
        "message": "Enqueued token limit reached for small in organization org-1. Limit: 90,000 enqueued tokens.",
        "param": None,
    },
}


class OpenAIBatchWire:
    """The batch interface.

    Attributes:
        desk: what becomes of the batches.
    """

    def __init__(self, *, key: str | None = None) -> None:
        self.desk = Desk()
        self._key = key
        self._files: dict[str, bytes] = {}

    def answer(self, asked: Asked, says: Says) -> Answer | None:
        """The answer below `/v1/files` and `/v1/batches`; None for another path."""
        if not asked.path.startswith((FILES, BATCHES)):
            return None
        if self._key is not None and asked.headers.get("authorization") != f"Bearer {self._key}":
            return wrong_key(asked.headers.get("authorization", "").removeprefix("Bearer "))
        rest = asked.path.split("/")[3:]
        if asked.path.startswith(FILES):
            return self._upload(asked) if asked.method == "POST" else self._content(rest[0], says)
        if asked.method == "POST":
            return self._create(asked.body)
        if not rest:
            newest = [self._data(batch) for batch in reversed(self.desk.batches.values())]
            return as_json({"object": "list", "data": newest, "has_more": False})
        batch = self.desk.batches.get(rest[0])
        return as_json(self._data(batch, ended=self.desk.look(batch))) if batch else _none(f"batch {rest[0]}")

    def _upload(self, asked: Asked) -> Answer:
        head = f"Content-Type: {asked.headers['content-type']}\r\n\r\n".encode()
        parts = {part.get_param("name", header="content-disposition"): part for part in _parts(head + asked.data)}
        # A client that dies sends only a part of it.
        if not {"purpose", "file"} <= parts.keys() or parts["purpose"].get_payload(decode=True) != b"batch":
            return error(400, "Invalid purpose.")
        name, data = f"file-{len(self._files) + 1}", parts["file"].get_payload(decode=True)
        self._files[name] = data
        return as_json(
            {"id": name, "object": "file", "bytes": len(data), "created_at": 1, "filename": "x", "purpose": "batch"}
        )

    def _create(self, body: Mapping[str, Any]) -> Answer:
        if body["endpoint"] != "/v1/chat/completions" or body["completion_window"] != "24h":
            return error(400, "Invalid endpoint or window.")
        rows = [json.loads(line) for line in self._files[body["input_file_id"]].splitlines()]
        ids = [row["custom_id"] for row in rows]
        if len(set(ids)) != len(ids):
            return error(400, "The custom_id is not unique.")
        return as_json(self._data(self.desk.take(body["metadata"]["fingreat"], rows)))

    def _content(self, name: str, says: Says) -> Answer:
        batch = self.desk.batches.get(name.partition("-")[2])
        if batch is None:
            return _none(f"file {name}")
        shuffled = self.desk.shuffle(list(batch.rows[: batch.answered]))
        lines = [_output(row, says) for row in shuffled]
        if name.startswith("errors-"):
            lines = [_unanswered(row, batch.end) for row in batch.rows[batch.answered :]]
        return Answer(200, "".join(json.dumps(line) + "\n" for line in lines).encode(), "application/octet-stream")

    def _data(self, batch: Batch, *, ended: bool = False) -> dict[str, Any]:
        data: dict[str, Any] = {
            "id": batch.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "input_file_id": "file-1",
            "created_at": int(batch.created),
            "metadata": {"fingreat": batch.name},
            "status": _STATUS[batch.end] if ended else "in_progress",
        }
        if ended and batch.end in _FAULTS:
            data["errors"] = {"object": "list", "data": [_FAULTS[batch.end]]}
        elif ended:
            data["output_file_id"] = f"output-{batch.id}" if batch.answered else None
            data["error_file_id"] = f"errors-{batch.id}" if batch.answered < len(batch.rows) else None
        return data


def _output(row: Mapping[str, Any], says: Says) -> dict[str, Any]:
    said = says(str(row["body"]["messages"][-1]["content"]))
    response = {"status_code": 200, "request_id": "req_1", "body": completion_data(said, row["body"]["model"])}
    return {"id": "batch_req_1", "custom_id": row["custom_id"], "response": response, "error": None}


def _unanswered(row: Mapping[str, Any], end: str) -> dict[str, Any]:
    fault = {"code": f"batch_{end}", "message": "This request could not be executed in time."}
    return {"id": "batch_req_1", "custom_id": row["custom_id"], "response": None, "error": fault}


def _parts(data: bytes) -> list[Any]:
    message = message_from_bytes(data)
    return [part for part in message.walk() if not part.is_multipart()]


def _none(what: str) -> Answer:
    return error(404, f"No such {what}.", code="not_found")
