"""What a run has handed to a provider's batch interface, on disk before and after it is handed over."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from fingreat.runs import RecordLog, read_records
from fingreat.schema.records import Record


class BatchNote(Record):
    """One step in the life of a batch.

    Attributes:
        name: of our own making; the provider is told it where it takes one.
        step: `planned` before it is sent, `sent` once the provider has given it an id, `closed` when every reply
            in it was handed on, or when nothing was sent.
        keys: of its requests; with `planned` only.
        batch_id: the provider's; with `sent`.
        certain: false where the id was found by time and size only, so that its results must prove it.
        outcome: with `closed`, in words.
    """

    name: str
    step: Literal["planned", "sent", "closed"]
    at: datetime
    provider: str
    keys: tuple[str, ...] = ()
    batch_id: str | None = None
    certain: bool = True
    outcome: str | None = None


@dataclass
class Part:
    """A batch that is not closed.

    Attributes:
        tried: it may have been sent although nobody knows its id.
    """

    name: str
    keys: tuple[str, ...]
    planned: datetime
    batch_id: str | None = None
    certain: bool = True
    tried: bool = False


class BatchNotes:
    """The notes of one run.

    Args:
        folder: made if missing; the run's lock must be held.
    """

    def __init__(self, folder: Path, provider: str) -> None:
        self._provider = provider
        self._log = RecordLog(
            folder, BatchNote, key=lambda note: f"{note.name} {note.step}", supersedes=lambda old, new: True
        )
        self._parts: dict[str, Part] = {}
        self._taken: set[str] = set()
        for note in read_records(folder, BatchNote):
            self._apply(note)
            if note.step == "planned":
                # Nobody knows whether it left: the process that planned it may have died in between.
                self._parts[note.name].tried = True

    def open(self) -> list[Part]:
        """The batches that are not closed, in the order in which they were planned."""
        return list(self._parts.values())

    @property
    def taken(self) -> Collection[str]:
        """Ids of the provider that belong to a batch of this run, or were found not to."""
        return self._taken

    def plan(self, keys: Collection[str]) -> Part:
        """Note a batch before it is sent."""
        name = f"fingreat-{secrets.token_hex(8)}"
        self._write(BatchNote(name=name, step="planned", at=_now(), provider=self._provider, keys=tuple(keys)))
        return self._parts[name]

    def sent(self, part: Part, batch_id: str, *, certain: bool = True) -> None:
        """Note the id that the provider gave."""
        self._write(
            BatchNote(
                name=part.name, step="sent", at=_now(), provider=self._provider, batch_id=batch_id, certain=certain
            )
        )

    def reject(self, part: Part) -> None:
        """The batch that was found for a part is somebody else's; its id is not taken for ours again."""
        part.batch_id, part.certain = None, True

    def close(self, part: Part, outcome: str) -> None:
        """Note that nothing more is to come of it."""
        self._write(
            BatchNote(
                name=part.name,
                step="closed",
                at=_now(),
                provider=self._provider,
                batch_id=part.batch_id,
                outcome=outcome,
            )
        )

    def __enter__(self) -> BatchNotes:
        return self

    def __exit__(self, *exc: object) -> None:
        self._log.close()

    def _write(self, note: BatchNote) -> None:
        self._log.append(note)
        self._apply(note)

    def _apply(self, note: BatchNote) -> None:
        _apply(self._parts, note)
        if note.batch_id:
            self._taken.add(note.batch_id)


def open_batches(folder: Path) -> list[Part]:
    """The batches of a run that are not closed, in the order in which they were planned; nothing is written.

    Of one without an id nobody knows whether the provider has it.

    Raises:
        RunError: a note is damaged.
    """
    parts: dict[str, Part] = {}
    for note in read_records(folder, BatchNote):
        _apply(parts, note)
    return list(parts.values())


def _apply(parts: dict[str, Part], note: BatchNote) -> None:
    if note.step == "planned":
        parts[note.name] = Part(note.name, note.keys, note.at)
    elif note.step == "sent" and (part := parts.get(note.name)):
        part.batch_id, part.certain = note.batch_id, note.certain
    elif note.step == "closed":
        parts.pop(note.name, None)


def _now() -> datetime:
    return datetime.now(UTC)
