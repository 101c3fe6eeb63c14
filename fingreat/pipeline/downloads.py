"""Full submissions from EDGAR to a corpus's raw folder, several at a time; what is there and whole is not asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

from fingreat.edgar.remote.addresses import cik_of, submission_path
from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.whole import fault, is_submission
from fingreat.errors import BlockedError, InputError, RemoteError
from fingreat.pipeline.background import Background
from fingreat.pipeline.reading import Examined, examine, time_limit
from fingreat.runs import sweep, write_atomic

THREADS = 4
"""Downloads at the same time; the client's limit holds for all of them together."""
_NOT_FOUND = 404
"""EDGAR answers with either for a path that it does not have."""
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


class Downloads(Background[Wanted, Stored], Sequence[Stored]):
    """What came of each filing, in order; looking at one waits for it.

    Leaving the block drops what was not begun. Leaving it by an exception also closes the client, and does not wait
    for answers: what comes later is not written. Going through them raises BlockedError where EDGAR refuses everything,
    and StorageError where the disk refused.

    Args:
        corpus: the corpus folder, held by this process.
        locate: gives the CIK for a filing that EDGAR does not have where it was looked for; None to look no further.
    """

    def __init__(
        self, corpus: Path, client: EdgarClient, wanted: Sequence[Wanted], locate: Callable[[str], str | None] | None
    ) -> None:
        self._corpus = corpus
        self._client = client
        self._locate = locate
        super().__init__(self._store, wanted, count=THREADS, give_up=client.close)

    def __len__(self) -> int:
        return len(self._futures)

    @overload
    def __getitem__(self, index: int) -> Stored: ...
    @overload
    def __getitem__(self, index: slice) -> list[Stored]: ...
    def __getitem__(self, index: int | slice) -> Stored | list[Stored]:
        """What came of one, for who looks ahead: where going through them raises, there is just no file."""
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        future = self._futures[index]
        return Stored(None, state="not_fetched") if future.exception() else future.result()

    def _store(self, wanted: Wanted) -> Stored:
        relative = raw_path(wanted.accession)
        target = self._corpus / relative
        if is_whole(target, wanted.accession):
            return Stored(relative, size=target.stat().st_size)
        if target.is_symlink() or target.parent.is_symlink():
            reason = f"{relative.parent} or the file in it is a link, and nothing is written through one; remove it."
            return Stored(None, state="refused", reason=reason)
        try:
            data = _fetch(self._client, self._locate, wanted)
        except BlockedError:
            raise
        except RemoteError as error:
            return Stored(None, state=state_of(error, "not_found"), reason=str(error))
        except InputError as error:
            # An index in which it was to be looked up.
            return Stored(None, state="not_fetched", reason=str(error))
        if self._left.is_set():
            # The corpus may belong to another process by now.
            return Stored(None, state="not_fetched", reason="It came after the end.")
        if is_alone(target):
            write_atomic(target.with_suffix(".main.txt"), target.read_bytes())
        sweep(target)
        write_atomic(target, data)
        return Stored(relative, asked=True, size=len(data))


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


def is_submission_file(path: Path) -> bool:
    """Whether a file begins as a full submission does."""
    return is_submission(_head(path))


def is_alone(path: Path) -> bool:
    """Whether a file is there that was never a full submission, whole or cut: a main document that somebody added."""
    head = _head(path)
    return bool(head.strip()) and not is_submission(head)


def _head(path: Path) -> bytes:
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(_END)


def state_of(error: RemoteError, missing: str) -> str:
    """The state of what EDGAR did not give: `missing`, `refused` or, where another try may help, `not_fetched`."""
    return "not_fetched" if error.retryable else missing if error.status == _NOT_FOUND else "refused"


def examine_stored(corpus: Path, stored: Stored) -> Examined:
    """Read what was stored completely."""
    return examine(frozenset(), corpus / stored.path) if stored.path else Examined()


def stored_limit(corpus: Path, stored: Stored) -> float:
    """Seconds that reading it may take."""
    return time_limit(corpus / stored.path) if stored.path else 1.0


def _fetch(client: EdgarClient, locate: Callable[[str], str | None] | None, wanted: Wanted) -> bytes:
    # The number's first part is that of who sent the filing in, often the registrant itself.
    cik = wanted.cik or cik_of(wanted.accession[:10])
    if cik is not None:
        try:
            return client.get(submission_path(cik, wanted.accession), "submission")
        except RemoteError as error:
            if error.status != _NOT_FOUND or locate is None:
                raise
    found = locate(wanted.accession) if locate is not None else None
    if found is not None and found != cik:
        return client.get(submission_path(found, wanted.accession), "submission")
    where = f"neither under CIK {cik} nor" if cik is not None else "not"
    message = f"EDGAR does not have it, {where} in the indexes of its year and the next."
    raise RemoteError(message, status=_NOT_FOUND)
