"""Anthropic's message batches, as its SDK's types have them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from servers.answers import Answer
from servers.providers.anthropic import error, message_data, wrong_key
from servers.providers.desk import Batch, Desk
from servers.providers.local import Asked, Says, as_json

BATCHES = "/v1/messages/batches"
_UNANSWERED = {"expired": "expired", "cancelled": "canceled"}


class AnthropicBatchWire:
    """The batch interface; to be named before the wire of messages, whose paths begin like its own.

    Attributes:
        desk: what becomes of the batches.
        errored: ids of requests whose result is an error, with its kind.
    """

    def __init__(self, *, key: str | None = None) -> None:
        self.desk = Desk()
        self.errored: dict[str, str] = {}
        self._key = key

    def answer(self, asked: Asked, says: Says) -> Answer | None:
        """The answer below `/v1/messages/batches`; None for another path."""
        if not asked.path.startswith(BATCHES):
            return None
        given = asked.headers.get("x-api-key") or asked.headers.get("authorization", "").removeprefix("Bearer ")
        if self._key is not None and given != self._key:
            return wrong_key
        rest = asked.path.split("/")[4:]
        if asked.method == "POST":
            ids = [row["custom_id"] for row in asked.body["requests"]]
            if len(set(ids)) != len(ids):
                return error(400, "requests: custom_id must be unique")
            return as_json(_data(self.desk.take("", asked.body["requests"], "msgbatch_{}"), asked))
        if not rest:
            newest = [_data(batch, asked) for batch in reversed(self.desk.batches.values())]
            return as_json({"data": newest, "has_more": False, "first_id": None, "last_id": None})
        batch = self.desk.batches.get(rest[0])
        if batch is None:
            return error(404, f"No such batch: {rest[0]}", kind="not_found_error")
        if rest[1:] == ["results"]:
            lines = [self._result(row, batch, says) for row in self.desk.shuffle(list(enumerate(batch.rows)))]
            return Answer(200, "".join(json.dumps(line) + "\n" for line in lines).encode(), "application/x-jsonl")
        return as_json(_data(batch, asked, ended=self.desk.look(batch)))

    def _result(self, numbered: tuple[int, Mapping[str, Any]], batch: Batch, says: Says) -> dict[str, Any]:
        number, row = numbered
        result: dict[str, Any]
        if kind := self.errored.get(row["custom_id"]):
            fault = {"type": kind, "message": "prompt is too long" if kind == "invalid_request_error" else "Overloaded"}
            result = {"type": "errored", "error": {"type": "error", "error": fault, "request_id": "req_1"}}
        elif number < batch.answered:
            said = says(str(row["params"]["messages"][-1]["content"]))
            result = {"type": "succeeded", "message": message_data(said, row["params"]["model"])}
        else:
            result = {"type": _UNANSWERED[batch.end]}
        return {"custom_id": row["custom_id"], "result": result}


def _data(batch: Batch, asked: Asked, *, ended: bool = False) -> dict[str, Any]:
    counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
    counts["succeeded" if ended else "processing"] = len(batch.rows)
    created = datetime.fromtimestamp(batch.created, UTC)
    host = asked.headers["host"]
    return {
        "id": batch.id,
        "type": "message_batch",
        "processing_status": "ended" if ended else "in_progress",
        "request_counts": counts,
        "created_at": created.isoformat(),
        "expires_at": (created + timedelta(days=1)).isoformat(),
        "ended_at": created.isoformat() if ended else None,
        "cancel_initiated_at": None,
        "archived_at": None,
        "results_url": f"http://{host}{BATCHES}/{batch.id}/results" if ended or batch.looks < 0 else None,
    }
