"""Files are whole or not there, and a folder has one owner."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fingreat.errors import InputError, RunError, StorageError
from fingreat.runs import read_json, readers, sole_owner, to_json, write_atomic
from fingreat.runs.files import cut_back

BLOCK = 65_536


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def refuse(code: int) -> Callable[..., Any]:
    def call(*args: object, **kwargs: object) -> None:
        raise OSError(code, os.strerror(code))

    return call


@pytest.mark.parametrize("step", ["fsync", "replace", "open"])
def test_a_write_that_fails_leaves_the_old_file_and_no_other(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.json"
    write_atomic(path, b"old")
    monkeypatch.setattr(os if step == "fsync" else Path, step, refuse(errno.EIO))
    with pytest.raises(StorageError, match="cannot write"):
        write_atomic(path, b"new" * 1000)
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file.json"]


def test_a_write_that_is_interrupted_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(handle: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "file.json"
    write_atomic(path, b"old")
    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file.json"]


@pytest.mark.parametrize(
    ("code", "words", "retryable"),
    [
        (errno.ENOSPC, "the disk is full", True),
        (errno.EDQUOT, "the disk is full", True),
        (errno.EROFS, "Read-only", False),
    ],
)
def test_a_refused_write_says_why_where_and_what_to_do(
    code: int, words: str, retryable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", refuse(code))
    with pytest.raises(StorageError) as caught:
        write_atomic(tmp_path / "file.json", b"x")
    assert words in caught.value.message
    assert caught.value.where == str(tmp_path / "file.json")
    assert caught.value.retryable is retryable
    assert ("Free some space" in str(caught.value)) is retryable


def test_folders_are_made_and_a_name_of_255_bytes_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / ("n" * 251 + ".txt")
    write_atomic(path, b"x")
    assert path.read_bytes() == b"x"
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_file_where_a_folder_should_be_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError, match="cannot write"):
        write_atomic(tmp_path / "file" / "x", b"x")
    with pytest.raises(StorageError, match="cannot write"), sole_owner(tmp_path / "file"):
        pass


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        (b"", b""),
        (b"whole\n", b"whole\n"),
        (b"whole\ntorn", b"whole\n"),
        (b"no line end at all", b""),
        (b"\n", b"\n"),
        (b"x" * (BLOCK + 1), b""),
        # The last line end is the last byte before a block, the first byte of one, and the first byte of the file.
        (b"a" * (BLOCK - 1) + b"\n" + b"t" * BLOCK, b"a" * (BLOCK - 1) + b"\n"),
        (b"a" * BLOCK + b"\n" + b"t" * (BLOCK - 1), b"a" * BLOCK + b"\n"),
        (b"\n" + b"t" * BLOCK, b"\n"),
        (b"\n" + b"t" * (2 * BLOCK), b"\n"),
        (b"a" * (BLOCK - 1) + b"\n", b"a" * (BLOCK - 1) + b"\n"),
        (b"one\n" * 40_000 + b"\0\0\0", b"one\n" * 40_000),
    ],
)
def test_a_file_is_cut_back_to_its_last_line_end(content: bytes, kept: bytes, tmp_path: Path) -> None:
    path = tmp_path / "part"
    path.write_bytes(content)
    assert cut_back(path) == len(content) - len(kept)
    assert path.read_bytes() == kept


def test_json_is_indented_unicode_and_comes_back(tmp_path: Path) -> None:
    value = {"é": [1, None, "\u2028"]}
    write_atomic(tmp_path / "x.json", to_json(value))
    assert read_json(tmp_path / "x.json") == value
    assert "é".encode() in (tmp_path / "x.json").read_bytes()


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe{", b"{'a': 1}"])
def test_damaged_json_is_one_clear_error(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(RunError, match="is not valid JSON"):
        read_json(tmp_path / "x.json")
    with pytest.raises(RunError, match="cannot be read"):
        read_json(tmp_path / "none.json")


def test_a_second_process_is_refused_and_the_next_one_is_not(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from fingreat.errors import RunError; from fingreat.runs import sole_owner\n"
        "try:\n with sole_owner(Path(sys.argv[1])): print('mine')\n"
        "except RunError as error: print(error)\n"
    )

    def other() -> str:
        command = [sys.executable, "-c", code, str(tmp_path)]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout

    with sole_owner(tmp_path):
        assert "another process is working here" in other()
    assert other() == "mine\n"


def test_a_folder_that_cannot_be_locked_is_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fcntl, "flock", refuse(errno.ENOLCK))
    with pytest.raises(StorageError, match="cannot write"), sole_owner(tmp_path):
        pass


def test_a_link_stays_and_the_file_that_it_names_changes(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_atomic(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_pipe_or_folder_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for target in (tmp_path / "pipe", tmp_path):
        with pytest.raises(InputError, match="no regular file"):
            write_atomic(target, b"new")
    assert (tmp_path / "pipe").is_fifo()


def test_readers_share_a_folder_and_keep_writers_out(tmp_path: Path) -> None:
    with (
        readers(tmp_path),
        readers(tmp_path),
        pytest.raises(RunError, match="another process"),
        sole_owner(tmp_path),
    ):
        pass
    with sole_owner(tmp_path), pytest.raises(RunError, match="another process"), readers(tmp_path):
        pass
