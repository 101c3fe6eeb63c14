"""Files that are whole or not there: atomic writes, append-only logs, one owner at a time."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import IO, Any

from fingreat.errors import InputError, RunError, StorageError

PART_BYTES = 64 * 1024 * 1024
"""Size from which an append-only log goes on in a new part."""


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system says about a write into a message for a person."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        hint = "Free some space and run the same command again: what is written stays." if full else None
        reason = "the disk is full" if full else (error.strerror or str(error))
        raise StorageError(f"cannot write: {reason}.", where=str(path), hint=hint, retryable=full) from error


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file in the same folder, to be written; it takes the place of `path` when the block ends well.

    A link is followed, so that the file it names changes and the link stays.

    Raises:
        InputError: `path` is a folder, a device or a pipe.
        StorageError: the disk refused; the old file is still there.
    """
    target = path.resolve() if path.is_symlink() else path
    if target.exists() and not target.is_file():
        raise InputError("is no regular file.", where=str(path), hint="Name a file to write.")
    with storage_errors(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        # Part of the name only: a file system takes 255 bytes, and the name may have them all.
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            temporary.chmod(0o644)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_folder(target.parent)


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees the old content or the new one, never a part.

    A temporary file in the same folder is written, flushed, synced and renamed.

    Raises:
        InputError: `path` is a folder, a device or a pipe.
        StorageError: the disk refused.
    """
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sweep(*paths: Path) -> None:
    """Remove what killed writers of these files left; only for who owns their folder."""
    for path in paths:
        for half in path.parent.glob(f".{escape(path.name[:40])}.????????.part"):
            half.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def to_json(value: Any) -> bytes:
    """One JSON text, indented for a reader, with a line end."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Raises:
        RunError: it is missing or damaged.
    """
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise RunError(f"cannot be read ({error.strerror}).", where=str(path)) from error
    except (ValueError, RecursionError) as error:
        raise RunError("is not valid JSON.", where=str(path), hint="Restore it from a copy.") from error


def cut_back(path: Path) -> int:
    """Cut a line-based file back to its last line end, and return how many bytes went.

    A killed writer may leave half a line; appending to it would spoil the next line as well.
    """
    with storage_errors(path), path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        keep = size
        block = 1 << 16
        while keep > 0:
            start = max(0, keep - block)
            file.seek(start)
            found = file.read(keep - start).rfind(b"\n")
            if found >= 0:
                keep = start + found + 1
                break
            keep = start
        if keep < size:
            file.truncate(keep)
            file.flush()
            os.fsync(file.fileno())
        return size - keep


@contextmanager
def sole_owner(folder: Path) -> Iterator[None]:
    """Hold the folder for this process; a second process gets a message instead of a mixed result.

    Raises:
        RunError: another process holds it, or reads it.
        StorageError: the folder cannot be made or locked.
    """
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("a")
    with lock, _locked(lock, fcntl.LOCK_EX, folder):
        yield


@contextmanager
def readers(folder: Path) -> Iterator[None]:
    """Hold the folder together with other readers, so that nobody changes it meanwhile.

    A folder that cannot be written has no lock to hold.

    Raises:
        RunError: another process is changing it.
    """
    try:
        lock = (folder / ".lock").open("a")
    except OSError:
        yield
        return
    with lock, _locked(lock, fcntl.LOCK_SH, folder):
        yield


@contextmanager
def _locked(lock: IO[str], kind: int, folder: Path) -> Iterator[None]:
    try:
        with storage_errors(folder):
            fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except StorageError as error:
        if not isinstance(error.__cause__, BlockingIOError):
            raise
        raise RunError(
            "another process is working here.", where=str(folder), hint="Wait for it, or use another folder."
        ) from error
    yield
