"""Gemini's files and batches, as its API reference and SDK have them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from servers.answers import Answer
from servers.providers.desk import Batch, Desk
from servers.providers.gemini import content_data, error, wrong_key
from servers.providers.local import Asked, Says, as_json

_VERSION = r"/v1(?:beta)?"
_UPLOAD = re.compile(rf"/upload{_VERSION}/files")
_UPLOADED = "/uploads/"
_CREATE = re.compile(rf"{_VERSION}/models/([^/:]+):batchGenerateContent")
_BATCHES = re.compile(rf"{_VERSION}/batches")
_BATCH = re.compile(rf"{_VERSION}/(batches/[^/]+)")
_DOWNLOAD = re.compile(rf"{_VERSION}/files/([^/:]+):download")
_STATES = {"done": "SUCCEEDED", "expired": "EXPIRED", "cancelled": "CANCELLED", "failed": "FAILED"}


class GeminiBatchWire:
    """The batch interface.

    Attributes:
        desk: what becomes of the batches.
        errored: keys of requests whose line is an error, with its code of google.rpc.
    """

    def __init__(self, *, key: str | None = None) -> None:
        self.desk = Desk()
        self.errored: dict[str, int] = {}
        self._key = key
        self._files: dict[str, bytes] = {}

    def answer(self, asked: Asked, says: Says) -> Answer | None:
        """The answer for files and batches; None for another path."""
        if asked.path.startswith(_UPLOADED):
            # The address that was given for this upload; it is its own key.
            return self._upload(asked)
        forms = (_UPLOAD, _CREATE, _DOWNLOAD, _BATCH, _BATCHES)
        upload, create, download, one, every = (form.fullmatch(asked.path) for form in forms)
        if not (upload or create or download or one or every):
            return None
        if self._key is not None and asked.headers.get("x-goog-api-key") != self._key:
            return wrong_key
        if upload:
            address = f"http://{asked.headers['host']}{_UPLOADED}{len(self._files) + 1}"
            return as_json({}, headers=(("X-Goog-Upload-URL", address),))
        if create:
            return self._create(create[1], asked.body["batch"])
        if download:
            return self._content(self.desk.batches[f"batches/{download[1].removeprefix('out-')}"], says)
        if one is None:
            return as_json({"operations": [_data(batch) for batch in self.desk.batches.values()]})
        found = self.desk.batches.get(one[1])
        if found is None:
            return error(404, "Requested entity was not found.", "NOT_FOUND")
        return as_json(_data(found, ended=self.desk.look(found)))

    def _create(self, model: str, batch: Mapping[str, Any]) -> Answer:
        lines = self._files[batch["inputConfig"]["fileName"]].splitlines()
        rows = [{**json.loads(line), "model": model} for line in lines]
        return as_json(_data(self.desk.take(batch["displayName"], rows, "batches/b{}")))

    def _upload(self, asked: Asked) -> Answer:
        name = f"files/f{len(self._files) + 1}"
        self._files[name] = asked.data
        return as_json({"file": {"name": name, "mimeType": "jsonl"}}, headers=(("X-Goog-Upload-Status", "final"),))

    def _content(self, batch: Batch, says: Says) -> Answer:
        lines = [self._line(row, says) for row in self.desk.shuffle(list(batch.rows))]
        return Answer(200, "".join(json.dumps(line) + "\n" for line in lines).encode(), "application/jsonl")

    def _line(self, row: Mapping[str, Any], says: Says) -> dict[str, Any]:
        if code := self.errored.get(row["key"]):
            return {"key": row["key"], "error": {"code": code, "message": "It could not be answered."}}
        prompt = str(row["request"]["contents"][-1]["parts"][0]["text"])
        return {"key": row["key"], "response": content_data(says(prompt), row["model"])}


def _data(batch: Batch, *, ended: bool = False) -> dict[str, Any]:
    ended = ended or batch.looks < 0
    metadata: dict[str, Any] = {
        "@type": "type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch",
        "name": batch.id,
        "displayName": batch.name,
        "createTime": "2026-11-01T00:00:00Z",
        "state": f"BATCH_STATE_{_STATES[batch.end] if ended else 'RUNNING'}",
    }
    if ended and batch.end == "done":
        metadata["output"] = {"responsesFile": f"files/out-{batch.id.removeprefix('batches/')}"}
    return {"name": batch.id, "metadata": metadata, "done": ended}
