"""Records in append-only parts: nothing lost, nothing twice, damage named."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import fingreat.runs.log as log_module
from fingreat.errors import InputError, RunError, StorageError
from fingreat.runs import RecordLog, part_paths, read_json_lines, read_record_file, read_records, write_records
from fingreat.schema.records import Record


class Row(Record):
    key: str
    text: str = ""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def open_log(folder: Path, replaces: bool = False) -> RecordLog[Row]:
    return RecordLog(folder, Row, key=lambda row: row.key, supersedes=lambda old, new: replaces and old.text == "error")


def rows(folder: Path) -> list[Row]:
    return list(read_records(folder, Row))


def test_a_log_goes_on_where_it_was(tmp_path: Path) -> None:
    with open_log(tmp_path) as log:
        log.append(Row(key="a", text="1\u2028\x85\n"))
    with open_log(tmp_path) as log:
        assert "a" in log
        assert "b" not in log
        log.append(Row(key="b", text="2"))
        assert (log.get("a"), log.get("b"), log.get("c")) == (
            Row(key="a", text="1\u2028\x85\n"),
            Row(key="b", text="2"),
            None,
        )
        assert len(log) == 2
    assert [row.key for row in rows(tmp_path)] == ["a", "b"]


def test_a_torn_line_is_cut_before_the_next_one_is_written(tmp_path: Path) -> None:
    with open_log(tmp_path) as log:
        log.append(Row(key="a"))
    part = part_paths(tmp_path)[0]
    whole = part.read_bytes()
    # Even a line that is whole JSON but for its line end: whether it was written out is not known.
    part.write_bytes(whole + b'{"key":"b","text":""}')
    assert [row.key for row in rows(tmp_path)] == ["a"]
    with open_log(tmp_path) as log:
        assert part.read_bytes() == whole, "opening cuts the torn line off"
        assert "b" not in log
        log.append(Row(key="c"))
    assert part.read_bytes() == whole + b'{"key":"c","text":""}\n'


def test_the_first_record_of_a_key_stays_unless_the_rule_says_otherwise(tmp_path: Path) -> None:
    with open_log(tmp_path, replaces=True) as log:
        for text in ("error", "error", "first", "second"):
            log.append(Row(key="a", text=text))
        assert log.get("a") == Row(key="a", text="first")
    with open_log(tmp_path, replaces=True) as log:
        assert log.get("a") == Row(key="a", text="first")
        assert len(log) == 1
    with open_log(tmp_path) as log:
        assert log.get("a") == Row(key="a", text="error")
        assert len(log) == 1
    assert len(rows(tmp_path)) == 4


def test_a_full_part_is_followed_by_a_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_module, "PART_BYTES", 50)
    keys = [f"k{number}" for number in range(20)]
    for half in (keys[:10], keys[10:]):
        with open_log(tmp_path) as log:
            for key in half:
                log.append(Row(key=key, text="x" * 10))
    # A line is {"key":"k0","text":"xxxxxxxxxx"} and its end: 33 or 34 bytes, so a part is full with its second.
    assert [path.name for path in part_paths(tmp_path)] == [f"part-{number:05d}.jsonl" for number in range(10)]
    assert [row.key for row in rows(tmp_path)] == keys
    with open_log(tmp_path) as log:
        assert [log.get(key) for key in keys] == [Row(key=key, text="x" * 10) for key in keys]


class FullDisk:
    """A file that takes some bytes of a line and then no more."""

    def __init__(self, file: object, room: int) -> None:
        self.file, self.room = file, room

    def write(self, data: memoryview) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written: int = self.file.write(data[: self.room])  # type: ignore[attr-defined]
        self.room -= written
        return written

    def __getattr__(self, name: str) -> object:
        return getattr(self.file, name)


def test_a_disk_that_fills_up_inside_a_line_leaves_whole_lines_only(tmp_path: Path) -> None:
    with open_log(tmp_path) as log:
        log.append(Row(key="a"))
        good = part_paths(tmp_path)[0].read_bytes()
        real = log._file
        log._file = FullDisk(real, room=7)  # type: ignore[assignment]
        with pytest.raises(StorageError, match="the disk is full") as caught:
            log.append(Row(key="b"))
        assert caught.value.retryable
        assert part_paths(tmp_path)[0].read_bytes() == good
        assert "b" not in log
        log._file = FullDisk(real, room=10_000)  # type: ignore[assignment]
        log.append(Row(key="b"))
    assert [row.key for row in rows(tmp_path)] == ["a", "b"]


def test_a_line_that_is_written_in_pieces_is_written_whole(tmp_path: Path) -> None:
    class Slow(FullDisk):
        def write(self, data: memoryview) -> int:
            return int(self.file.write(data[:3]))  # type: ignore[attr-defined]

    with open_log(tmp_path) as log:
        log.append(Row(key="a"))
        log._file = Slow(log._file, 0)  # type: ignore[assignment]
        log.append(Row(key="b", text="é" * 50))
    assert rows(tmp_path) == [Row(key="a"), Row(key="b", text="é" * 50)]


def test_a_damaged_line_in_the_middle_is_named_and_not_skipped(tmp_path: Path) -> None:
    with open_log(tmp_path) as log:
        for key in "abc":
            log.append(Row(key=key))
    part = part_paths(tmp_path)[0]
    part.write_bytes(part.read_bytes().replace(b'"b"', b'"b'))
    for read in (lambda: rows(tmp_path), lambda: open_log(tmp_path)):
        with pytest.raises(RunError, match=r'part-00000\.jsonl, line 2: is no Row record: \{"key":"b'):
            read()


def test_derived_records_replace_the_old_ones_and_stale_parts_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_module, "PART_BYTES", 1)
    count, parts = write_records(tmp_path, (Row(key=key) for key in "abcde"))
    assert (count, len(parts)) == (5, 5)
    assert write_records(tmp_path, [Row(key="z"), Row(key="y")])[0] == 2
    assert [row.key for row in rows(tmp_path)] == ["z", "y"]
    assert names(tmp_path) == ["part-00000.jsonl", "part-00001.jsonl"]
    assert write_records(tmp_path, []) == (0, [])
    assert names(tmp_path) == []


@pytest.mark.parametrize("error", [RunError("x"), KeyboardInterrupt(), ValueError("a bug")])
def test_an_error_midway_keeps_the_old_parts_and_leaves_no_others(error: BaseException, tmp_path: Path) -> None:
    def broken() -> Iterator[Row]:
        yield Row(key="new")
        raise error

    write_records(tmp_path, [Row(key="old")])
    with pytest.raises(type(error)):
        write_records(tmp_path, broken())
    assert rows(tmp_path) == [Row(key="old")]
    assert names(tmp_path) == ["part-00000.jsonl"]


def test_a_full_disk_midway_keeps_the_old_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    write_records(tmp_path, [Row(key="old")])
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="the disk is full"):
        write_records(tmp_path, [Row(key="new")])
    assert rows(tmp_path) == [Row(key="old")]


def test_what_a_killed_writer_left_is_swept_away(tmp_path: Path) -> None:
    (tmp_path / ".part-00007.tmp").write_bytes(b"half")
    write_records(tmp_path, [Row(key="a")])
    assert names(tmp_path) == ["part-00000.jsonl"]


def test_a_whole_file_of_records_keeps_its_last_line_without_an_end(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = [json.dumps({"key": key}, ensure_ascii=False) for key in ("a\u2028", "b\x85", "c")]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert read_record_file(path, Row) == [(1, Row(key="a\u2028")), (2, Row(key="b\x85")), (3, Row(key="c"))]
    path.write_text(lines[0] + "\n{}\n", encoding="utf-8")
    with pytest.raises(RunError, match="line 2"):
        read_record_file(path, Row)
    with pytest.raises(RunError, match="cannot be read"):
        read_record_file(tmp_path / "none", Row)


def test_a_users_json_lines_are_numbered_and_their_faults_named(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    # A byte-order mark, Windows line ends, a blank line, a line separator inside a string.
    path.write_bytes('\ufeff{"a": "x\u2028y"}\r\n\r\n[1]\r\n'.encode())
    assert list(read_json_lines(path)) == [(1, {"a": "x\u2028y"}), (3, [1])]
    path.write_bytes(b"{}\n{\n")
    with pytest.raises(InputError, match=r"gold\.jsonl, line 2: is no JSON"):
        list(read_json_lines(path))
    path.write_bytes(b"\xff\xff")
    with pytest.raises(InputError, match="UTF-8"):
        list(read_json_lines(path))
    with pytest.raises(InputError, match="cannot be read"):
        list(read_json_lines(tmp_path / "none"))
