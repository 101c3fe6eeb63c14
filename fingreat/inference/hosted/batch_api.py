"""What a provider's batch interface is to this package, and what its refusals mean."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any, Protocol

from fingreat.errors import BackendError
from fingreat.inference.backend import RawReply
from fingreat.inference.hosted.online import TryLater
from fingreat.schema import Request


@dataclass(frozen=True)
class Look:
    """What a provider says of a batch.

    Attributes:
        ended: there will be no more results than there are.
        detail: where it did not end well, in words; what its requests without a result are told.
        no_room: the provider refused the batch as a whole, since too much is waiting; nothing of it was asked.
        refused: it refused the batch as a whole for another reason, and would again.
        cancelled: somebody ended it there, who may not want it sent again at once.
    """

    ended: bool
    detail: str | None = None
    no_room: bool = False
    refused: bool = False
    cancelled: bool = False


class UnknownBatchError(BackendError):
    """The provider does not know a batch, or no longer: another key, or too long ago."""


class BatchApi(Protocol):
    """A provider's batch interface. Every method may raise `TryLater`, and `BackendError` where it is no use.

    Attributes:
        provider: its name, for messages.
        most_requests, most_bytes: of one batch.
        by_name: whether `find` goes by a batch's name, so that what it finds is certain.
    """

    provider: str
    most_requests: int
    most_bytes: int
    by_name: bool

    def line(self, request: Request) -> bytes:
        """A request in the provider's form, as one line of JSON with its line end."""
        ...

    def send(self, name: str, file: IO[bytes]) -> str:
        """Have the lines of a file asked as one batch, and return the batch's id. One try."""
        ...

    def find(self, name: str, size: int, since: datetime) -> list[str]:
        """Ids of batches that may be the one of this name and size, sent after a time."""
        ...

    def look(self, batch_id: str) -> Look:
        """How far a batch is."""
        ...

    def fetch(self, batch_id: str, file: IO[bytes]) -> None:
        """Write the lines of all results of a batch that ended; every line of a file but its last ends."""
        ...

    def read(self, line: Mapping[str, Any]) -> tuple[str, RawReply]:
        """Id and reply of one line of the results (`batch_files.ReadLine`)."""
        ...

    def close(self) -> None:
        """End all connections."""
        ...


@contextmanager
def line_faults() -> Iterator[None]:
    """Turn a broken connection into `TryLater`; SDKs let those of a streamed body through as they are.

    Raises:
        TryLater: the line failed.
    """
    # Whichever of the two libraries the SDK in use was built on; neither is a requirement of ours.
    kinds = tuple(sys.modules[name].HTTPError for name in ("httpx", "httpx2") if name in sys.modules)
    try:
        yield
    except kinds as error:
        raise TryLater(f"the connection failed ({type(error).__name__})") from error


def copy_lines(chunks: Iterable[bytes], file: IO[bytes]) -> None:
    """Write a file that comes in pieces, and end its last line, so that another file may follow."""
    last = b"\n"
    for chunk in chunks:
        file.write(chunk)
        last = chunk[-1:] or last
    if last != b"\n":
        file.write(b"\n")


def one_line(value: Any) -> bytes:
    """A value as one line of JSON Lines; line separators of Unicode are escaped, since some readers end lines there."""
    return json.dumps(value).encode() + b"\n"
