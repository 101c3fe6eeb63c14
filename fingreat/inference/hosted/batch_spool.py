"""Requests on disk while their batches run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from fingreat.runs.files import storage_errors
from fingreat.schema import Request


class Spool:
    """The requests of one call on disk, found again by their keys: a corpus of them does not fit memory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0
        self._file = scratch_file(folder)

    def add(self, request: Request) -> None:
        """Keep a request."""
        data = request.model_dump_json().encode()
        with storage_errors(self._folder):
            self._file.seek(self._end)
            self._file.write(data)
        self._places[request.key] = (self._end, len(data))
        self._end += len(data)

    def get(self, key: str) -> Request | None:
        """The request of a key, None where this call does not ask it."""
        if key not in self._places:
            return None
        start, length = self._places[key]
        with storage_errors(self._folder):
            self._file.seek(start)
            return Request.model_validate_json(self._file.read(length))

    def __iter__(self) -> Iterator[Request]:
        """The requests in the order in which they came."""
        return filter(None, map(self.get, list(self._places)))

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()


def scratch_file(folder: Path) -> IO[bytes]:
    """A file without a name in a folder; it is gone when it is closed, or when the process dies.

    Raises:
        StorageError: the disk refused.
    """
    with storage_errors(folder):
        return tempfile.TemporaryFile(dir=folder)
