"""What EDGAR said besides filings, kept in the corpus as it came: a corpus can show what it was made from.

edgar/<path>                 the bytes, under the path that they have on EDGAR
edgar/answers/part-*.jsonl   one Answer per path: status, SHA-256, when
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from threading import Lock

from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.whole import Kind
from fingreat.errors import RemoteError
from fingreat.runs import RecordLog, sweep, write_atomic
from fingreat.schema import sha256_hex
from fingreat.schema.records import Record

_NOT_FOUND = 404


class Answer(Record):
    """What came of asking for a path.

    Attributes:
        path: on EDGAR.
        sha256: of the bytes; None where there was nothing.
    """

    path: str
    status: int
    sha256: str | None
    received: datetime


class KeptAnswers:
    """The answers in a corpus that this process holds; several threads may ask at the same time.

    Args:
        corpus: the corpus folder.
        client: asks what is not kept yet.
        again: ask anew for what is kept, too, but once only.
    """

    def __init__(self, corpus: Path, client: EdgarClient, *, again: bool = False) -> None:
        self._folder = corpus / "edgar"
        self._client = client
        self._lock = Lock()
        self._log = RecordLog(self._folder / "answers", Answer, lambda answer: answer.path, lambda old, new: True)
        self._asked: set[str] = set()
        self._again = again
        self._closed = False

    def get(self, path: str, kind: Kind, *, since: date | None = None) -> bytes | None:
        """The bytes under a path, from disk where they are kept; None where EDGAR has nothing.

        Args:
            path: as the builders of `fingreat.edgar.remote.addresses` make it.
            since: what came before that day, or came to nothing, is asked for anew, once.

        Raises:
            RemoteError: EDGAR did not answer, or answered with something else, or after the end.
            StorageError: the disk refused.
        """
        with self._lock:
            answer = self._log.get(path)
            old = self._again or (answer and since and (answer.sha256 is None or answer.received.date() < since))
            if old and path not in self._asked:
                answer = None
        if answer is not None:
            if answer.sha256 is None:
                return None
            data = self._read(path)
            if data is not None and sha256_hex(data) == answer.sha256:
                return data
        try:
            data = self._client.get(path, kind)
        except RemoteError as error:
            if error.status != _NOT_FOUND:
                raise
            data = None
        self._keep(path, data)
        return data

    def forget(self, *paths: str) -> None:
        """Remove what came, so that it is asked for anew the next time."""
        for path in paths:
            self._file(path).unlink(missing_ok=True)

    def close(self) -> None:
        """Sync what was noted; what comes later is not kept, since the corpus may belong to another process by then."""
        with self._lock:
            self._closed = True
            self._log.close()

    def _file(self, path: str) -> Path:
        return self._folder / path.lstrip("/")

    def _read(self, path: str) -> bytes | None:
        try:
            return self._file(path).read_bytes()
        except OSError:
            return None

    def _keep(self, path: str, data: bytes | None) -> None:
        answer = Answer(
            path=path,
            status=_NOT_FOUND if data is None else 200,
            sha256=None if data is None else sha256_hex(data),
            received=datetime.now(UTC),
        )
        with self._lock:
            if self._closed:
                raise RemoteError("came after the end.", where=path, retryable=True)
            if data is not None:
                sweep(self._file(path))
                write_atomic(self._file(path), data)
            self._asked.add(path)
            self._log.append(answer)
