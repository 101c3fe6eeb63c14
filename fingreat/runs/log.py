"""Append-only JSON Lines in parts, with an index by key that keeps the records on disk."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from io import FileIO
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

from pydantic import ValidationError

from fingreat.errors import InputError, RunError
from fingreat.runs.files import PART_BYTES, cut_back, storage_errors
from fingreat.schema.records import Record

R = TypeVar("R", bound=Record)

_PART = 1 << 48
"""More than a part has bytes."""


def part_paths(folder: Path) -> list[Path]:
    """The parts of a log, in order."""
    return sorted(folder.glob("part-*.jsonl"))


def read_records(folder: Path, model: type[R]) -> Iterator[R]:
    """The records of a log in the order in which they were written; a torn last line is left out.

    Raises:
        RunError: a whole line is damaged; the message names file and line.
    """
    for path in part_paths(folder):
        for number, (_, line) in enumerate(_lines(path), 1):
            yield parse_line(line, model, path, number)


def parse_line(line: bytes, model: type[R], path: Path, number: int | None = None) -> R:
    """One record from its line, whose number the message gives where it is known.

    Raises:
        RunError: the line is no such record.
    """
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        shown = repr(line[:80].decode(errors="replace").rstrip("\n"))[1:-1]
        what = "holds a line that is" if number is None else "is"
        raise RunError(
            f"{what} no {model.__name__} record: {shown}",
            where=str(path) if number is None else f"{path}, line {number}",
            hint="Restore the file from a copy, or remove the damaged line.",
        ) from error


def read_record_file(path: Path, model: type[R]) -> list[tuple[int, R]]:
    """Line number and record of every line of one JSON Lines file that is written as a whole.

    Lines end at `\\n` and nowhere else: names and texts may hold every other line separator of Unicode.

    Raises:
        RunError: the file cannot be read, or a line is no such record; the message names the line.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise RunError(f"cannot be read ({error.strerror}).", where=str(path)) from error
    return [(number, parse_line(line, model, path, number)) for number, line in enumerate(lines, 1) if line.strip()]


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Start and content of every whole line."""
    start = 0
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield start, line
            start += len(line)


class RecordLog(Generic[R]):
    """A folder of `part-*.jsonl` that only grows.

    Opening it cuts a torn last line back. The index holds key, part and offset, so memory grows with the
    number of records only, not with their text. A record supersedes an earlier one of the same key only
    where `supersedes(old, new)` says so; the first one stays otherwise, and both stay on disk.

    Args:
        folder: made if missing.
        key: the key of a record.
        supersedes: whether the second record replaces the first; never, by default.
        writable: otherwise nothing is made or cut back, a torn last line is left out, and `append` is not to be called.
    """

    def __init__(
        self,
        folder: Path,
        model: type[R],
        key: Callable[[R], str],
        supersedes: Callable[[R, R], bool] = lambda old, new: False,
        *,
        writable: bool = True,
    ) -> None:
        self.folder = folder
        self._model = model
        self._key = key
        self._supersedes = supersedes
        self._parts: list[Path] = []
        # Part and offset in one number: a log may have millions of records.
        self._index: dict[str, int] = {}
        self._file: FileIO | None = None
        if writable:
            with storage_errors(folder):
                folder.mkdir(parents=True, exist_ok=True)
        for path in part_paths(folder):
            if writable:
                cut_back(path)
            for number, (start, line) in enumerate(_lines(path), 1):
                self._note(parse_line(line, model, path, number), path, start)

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, key: str) -> bool:
        return key in self._index

    def get(self, key: str) -> R | None:
        """The record of a key, read from disk; None where there is none."""
        if key not in self._index:
            return None
        part, start = divmod(self._index[key], _PART)
        with self._parts[part].open("rb") as file:
            file.seek(start)
            return parse_line(file.readline(), self._model, self._parts[part])

    def append(self, record: R) -> None:
        """Write one record; it is with the operating system when this returns.

        Raises:
            StorageError: the disk refused; what was written before stays whole.
        """
        line = record.model_dump_json().encode() + b"\n"
        path = self._path_for_append()
        with storage_errors(path):
            if self._file is None:
                self._file = path.open("ab", buffering=0)
            start = self._file.seek(0, os.SEEK_END)
            try:
                rest = memoryview(line)
                while rest:
                    rest = rest[self._file.write(rest) :]
            except OSError:
                self._file.truncate(start)
                raise
        self._note(record, path, start)

    def close(self) -> None:
        """Sync to disk and close."""
        file, self._file = self._file, None
        if file is not None:
            with storage_errors(self.folder), closing(file):
                os.fsync(file.fileno())

    def __enter__(self) -> RecordLog[R]:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _note(self, record: R, path: Path, start: int) -> None:
        key = self._key(record)
        if key in self._index:
            old = self.get(key)
            if old is not None and not self._supersedes(old, record):
                return
        if not self._parts or self._parts[-1] != path:
            self._parts.append(path)
        self._index[key] = (len(self._parts) - 1) * _PART + start

    def _path_for_append(self) -> Path:
        parts = part_paths(self.folder)
        if not parts:
            return self.folder / "part-00000.jsonl"
        last = parts[-1]
        if last.stat().st_size < PART_BYTES:
            return last
        self.close()
        return self.folder / f"part-{int(last.stem.split('-')[1]) + 1:05d}.jsonl"


def write_records(folder: Path, records: Iterable[Record]) -> tuple[int, list[Path]]:
    """Write derived records anew: parts under temporary names, renamed when all are whole.

    Returns:
        how many records there are, and the parts.

    Raises:
        StorageError: the disk refused; the old parts are still there.
    """
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for stale in folder.glob(".part-*.tmp"):
            stale.unlink()
    temporary: list[Path] = []
    count = 0
    try:
        with storage_errors(folder), ExitStack() as stack:
            file: IO[bytes] | None = None
            for record in records:
                if file is None or file.tell() >= PART_BYTES:
                    temporary.append(folder / f".part-{len(temporary):05d}.tmp")
                    file = stack.enter_context(_synced(temporary[-1]))
                file.write(record.model_dump_json().encode() + b"\n")
                count += 1
    except BaseException:
        for half in temporary:
            half.unlink(missing_ok=True)
        raise
    final = [folder / f"{path.name[1:].removesuffix('.tmp')}.jsonl" for path in temporary]
    with storage_errors(folder):
        for source, target in zip(temporary, final, strict=True):
            source.replace(target)
        for old in part_paths(folder):
            if old not in final:
                old.unlink()
    return count, final


@contextmanager
def _synced(path: Path) -> Iterator[IO[bytes]]:
    """A new file whose content is on the disk when the block ends."""
    with path.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def read_json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Line number and value of every line of a JSON Lines file that a user gave.

    Raises:
        InputError: the file cannot be read, or a line is no JSON.
    """
    try:
        # Not `splitlines`: a JSON text may hold U+2028 and other line separators as they are.
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise InputError("is no UTF-8 text.", where=str(path)) from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError("is no JSON.", where=f"{path}, line {number}") from error
