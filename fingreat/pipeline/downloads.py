"""Full submissions from EDGAR to a corpus's raw folder, several at a time; what is there and whole is not asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import overload

from fingreat.edgar.remote.addresses import submission_path
from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.whole import fault
from fingreat.errors import BlockedError, InputError, RemoteError
from fingreat.pipeline.reading import Examined, examine, time_limit
from fingreat.runs import sweep, write_atomic

THREADS = 4
"""Downloads at the same time; the client's limit holds for all of them together."""
_NOT_FOUND = 404
_END = 64 * 1024
"""Bytes of a file's beginning, and of its end, that tell whether it is whole."""


@dataclass(frozen=True)
class Wanted:
    """A filing to fetch.

    Attributes:
        cik: of a registrant under which EDGAR has it; None where it is not known.
    """

    accession: str
    cik: str | None = None


@dataclass(frozen=True)
class Stored:
    """What came of a filing that was to be fetched.

    Attributes:
        path: relative to the corpus folder; None where there is no file.
        asked: whether it came over the wire just now.
        size: bytes.
        state: `not_found`, `refused` or, where another try may help, `not_fetched`; empty where it is there.
        reason: why there is no file.
    """

    path: Path | None
    asked: bool = False
    size: int = 0
    state: str = ""
    reason: str = ""


class Downloads(Sequence[Stored]):
    """What came of each filing, in order; looking at one waits for it.

    Leaving the block drops what was not begun; by an exception, it also closes the client.

    Args:
        corpus: the corpus folder, held by this process.
        locate: gives the CIK for a filing that EDGAR does not have where it was looked for; None to look no further.
    """

    def __init__(
        self, corpus: Path, client: EdgarClient, wanted: Sequence[Wanted], locate: Callable[[str], str | None] | None
    ) -> None:
        self._client = client
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="fetch")
        store = partial(_store, corpus, client, locate)
        self._futures: list[Future[Stored]] = [self._pool.submit(store, one) for one in wanted]

    def __len__(self) -> int:
        return len(self._futures)

    @overload
    def __getitem__(self, index: int) -> Stored: ...
    @overload
    def __getitem__(self, index: slice) -> list[Stored]: ...
    def __getitem__(self, index: int | slice) -> Stored | list[Stored]:
        """What came of one.

        Raises:
            BlockedError: EDGAR refuses everything.
            StorageError: the disk refused.
        """
        if isinstance(index, slice):
            return [future.result() for future in self._futures[index]]
        return self._futures[index].result()

    def __enter__(self) -> Downloads:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None:
            # Or the threads would go on waiting for EDGAR, and an interrupt would take as long.
            self._client.close()
        self._pool.shutdown(wait=True, cancel_futures=True)


def raw_path(accession: str) -> Path:
    """Where a full submission stands, relative to the corpus folder."""
    return Path("raw") / accession / f"{accession}.txt"


def is_whole(path: Path, accession: str) -> bool:
    """Whether a file is the full submission of that number, by its first and last bytes."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        ends = file.read(_END)
        if len(ends) == _END:
            file.seek(max(_END, path.stat().st_size - _END))
            ends += file.read()
    return fault("submission", ends, accession=accession) is None


def examine_stored(corpus: Path, stored: Stored) -> Examined:
    """Read what was stored completely."""
    return examine(frozenset(), corpus / stored.path) if stored.path else Examined()


def stored_limit(corpus: Path, stored: Stored) -> float:
    """Seconds that reading it may take."""
    return time_limit(corpus / stored.path) if stored.path else 1.0


def _store(corpus: Path, client: EdgarClient, locate: Callable[[str], str | None] | None, wanted: Wanted) -> Stored:
    relative = raw_path(wanted.accession)
    target = corpus / relative
    if is_whole(target, wanted.accession):
        return Stored(relative, size=target.stat().st_size)
    try:
        data = _fetch(client, locate, wanted)
    except BlockedError:
        raise
    except RemoteError as error:
        state = "not_fetched" if error.retryable else "not_found" if error.status == _NOT_FOUND else "refused"
        return Stored(None, state=state, reason=str(error))
    except InputError as error:
        # An index in which it was to be looked up.
        return Stored(None, state="not_fetched", reason=str(error))
    sweep(target)
    write_atomic(target, data)
    return Stored(relative, asked=True, size=len(data))


def _fetch(client: EdgarClient, locate: Callable[[str], str | None] | None, wanted: Wanted) -> bytes:
    try:
        # The number's first part is that of who sent the filing in, often the registrant itself.
        path = submission_path(wanted.cik or wanted.accession[:10], wanted.accession)
        return client.get(path, "submission")
    except RemoteError as error:
        if error.status != _NOT_FOUND or locate is None:
            raise
        cik = locate(wanted.accession)
        if cik in (None, wanted.cik):
            raise RemoteError(
                f"EDGAR has no filing {wanted.accession}, neither there nor in the indexes of its year and the next.",
                where=path,
                status=_NOT_FOUND,
            ) from None
    return client.get(submission_path(cik, wanted.accession), "submission")
