"""What was answered once comes back as it was, whatever other processes, the disk and an older file do."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from fingreat.errors import FingreatError, InputError, StorageError
from fingreat.inference import ReplyCache, default_cache_path
from fingreat.schema import Reply, ReplyState


def reply(
    key: str = "req-1", state: ReplyState = ReplyState.OK, text: str = '{"extractions": []}', **more: Any
) -> Reply:
    return Reply(key=key, state=state, text=text, **more)


FULL = reply(
    text='Umsätze \u2028 "x"\n\x00 \U0001f4c8',
    finish_reason="stop",
    prompt_tokens=60,
    cached_tokens=50,
    output_tokens=4,
    reasoning_tokens=1,
    seconds=1.5,
    cost_usd=0.25,
    attempts=2,
    detail="fenced",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "replies.sqlite"


def test_a_reply_comes_back_as_it_was_in_the_next_process_too(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folders" / "replies.sqlite"
    with ReplyCache(path) as cache:
        assert cache.get("req-1") is None
        cache.put(FULL)
        assert cache.get("req-1") == FULL
    with ReplyCache(path) as cache:
        assert (cache.get("req-1"), cache.get("req-2"), len(cache)) == (FULL, None, 1)
    assert [file.name for file in path.parent.iterdir()] == ["replies.sqlite"]


@pytest.mark.parametrize("state", ReplyState)
def test_every_reply_is_kept_but_an_error(path: Path, state: ReplyState) -> None:
    with ReplyCache(path) as cache:
        cache.put(reply(state=state), context=4096)
        assert (cache.get("req-1", context=4096) is None) == (state is ReplyState.ERROR)


def test_the_first_reply_of_a_key_stays(path: Path) -> None:
    with ReplyCache(path) as cache:
        for later in (FULL, reply(text="other"), reply(state=ReplyState.BLOCKED), reply(state=ReplyState.ERROR)):
            cache.put(later)
        assert cache.get("req-1") == FULL


def test_what_was_too_long_is_open_again_for_a_model_that_holds_more_or_less(path: Path) -> None:
    with ReplyCache(path) as cache:
        cache.put(reply(state=ReplyState.TOO_LONG, text=""), context=4096)
        found = cache.get("req-1", context=4096)
        assert found is not None
        assert found.state is ReplyState.TOO_LONG
        assert cache.get("req-1", context=8192) is None
        assert cache.get("req-1", context=None) is None
        cache.put(reply(key="req-2", state=ReplyState.TOO_LONG, text=""), context=None)
        assert len(cache) == 1
        cache.put(FULL, context=8192)
        assert cache.get("req-1", context=8192) == cache.get("req-1", context=4096) == FULL


@pytest.mark.parametrize("name", ["a b.sqlite", "what?mode=ro#x%20.sqlite", "Übersicht 报告.sqlite", ":memory:", "-x"])
def test_any_name_of_a_file_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with ReplyCache(tmp_path / name) as cache:
        cache.put(FULL)
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_the_place_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("FINGREAT_CACHE", "~/own.sqlite")
    assert default_cache_path() == tmp_path / "own.sqlite"
    monkeypatch.setenv("FINGREAT_CACHE", "")
    assert default_cache_path() == tmp_path / "xdg" / "fingreat" / "replies.sqlite"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_cache_path() == tmp_path / ".cache" / "fingreat" / "replies.sqlite"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_cache_path() == tmp_path / ".cache" / "fingreat" / "replies.sqlite"


def use(path: Path, *keys: str) -> None:
    with ReplyCache(path, busy_seconds=0.1) as cache:
        for key in keys:
            cache.get(key)
        cache.put(reply("another"))


def refused(path: Path, kind: type[FingreatError] = InputError, key: str = "req-1") -> str:
    """The message of a cache that cannot be used."""
    with pytest.raises(kind) as caught:
        use(path, key)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("content", [b"{}\n" * 400, b"SQLite format 3\0" + b"\xff" * 5000], ids=["text", "header only"])
def test_a_file_that_is_no_database_is_refused_and_stays(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert "--no-cache" in refused(path)
    assert path.read_bytes() == content


def test_a_database_of_something_else_is_refused_and_stays(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE replies (mine TEXT)")
    database.close()
    before = path.read_bytes()
    assert "database of something else" in refused(path)
    assert path.read_bytes() == before


def test_a_cache_of_a_later_version_is_refused_and_stays(path: Path) -> None:
    with ReplyCache(path) as cache:
        cache.put(FULL)
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 7")
    database.close()
    message = refused(path)
    assert "format 7" in message
    assert "--no-cache" in message


def change(path: Path, old: bytes, new: bytes) -> None:
    content = path.read_bytes()
    assert content.count(old) == 1
    path.write_bytes(content.replace(old, new))


@pytest.mark.parametrize("new", [b"rose 7%", b"rose\xff6%"], ids=["another letter", "no letter"])
def test_a_damaged_reply_counts_as_not_there_and_the_others_stay(
    path: Path, caplog: pytest.LogCaptureFixture, new: bytes
) -> None:
    with ReplyCache(path) as cache:
        cache.put(reply(text="Net sales rose 6%"))
        cache.put(reply("req-2", text="Net sales fell"))
    change(path, b"rose 6%", new)
    with ReplyCache(path) as cache:
        assert cache.get("req-1") is cache.get("req-1") is None
        assert cache.get("req-2") == reply("req-2", text="Net sales fell")
        # What is answered in its place is kept.
        cache.put(FULL)
        assert cache.get("req-1") == FULL
    with ReplyCache(path) as cache:
        assert (cache.get("req-1"), len(cache)) == (FULL, 2)
    assert len(caplog.records) == 1
    assert str(path) in caplog.text
    assert "req-1" in caplog.text


def test_a_reply_of_another_form_counts_as_not_there(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with ReplyCache(path) as cache:
        cache.put(FULL)
        cache.put(reply("req-2"))
    database = sqlite3.connect(path)
    # The SHA-256 of the two characters {}, by sha256sum.
    digest = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    database.execute("UPDATE replies SET reply = '{}', sha256 = ?", (digest,))
    database.commit()
    database.close()
    with ReplyCache(path) as cache:
        assert cache.get("req-1") is cache.get("req-2") is None
        cache.put(FULL)
        assert cache.get("req-1") == FULL
        assert cache.get("req-2") is None
    assert len(caplog.records) == 1, "said once, however many there are"


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9])
def test_a_file_that_lost_its_end_is_refused(path: Path, kept: float) -> None:
    with ReplyCache(path) as cache:
        for number in range(300):
            cache.put(reply(f"req-{number}", text="x" * 500))
    os.truncate(path, int(path.stat().st_size * kept))
    with pytest.raises(InputError, match="damaged"):
        use(path, *(f"req-{number}" for number in range(300)))


def test_a_file_that_another_process_holds_is_refused_after_a_while(path: Path) -> None:
    with ReplyCache(path) as cache:
        cache.put(FULL)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    # Reading goes on meanwhile.
    with ReplyCache(path, busy_seconds=0.1) as cache:
        assert cache.get("req-1") == FULL
    start = time.monotonic()
    message = refused(path, StorageError)
    assert time.monotonic() - start < 3
    assert "another process holds it" in message
    assert "--no-cache" in message
    database.execute("ROLLBACK")
    database.close()
    with ReplyCache(path, busy_seconds=0.1) as cache:
        cache.put(reply("another"))


@pytest.mark.parametrize("place", ["folder", "file/replies.sqlite"])
def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    assert "--no-cache" in refused(tmp_path / place, StorageError)


WRITER = """
import sys
from pathlib import Path
from fingreat.inference.cache import ReplyCache
from fingreat.schema import Reply, ReplyState
path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
sys.stdin.readline()
with ReplyCache(path) as cache:
    for number in range(count):
        for key in (f"shared-{number}", f"{name}-{number}"):
            cache.put(Reply(key=key, state=ReplyState.OK, text=name * 200))
        print(number, flush=True)
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_several_processes_make_and_write_one_file_at_once(path: Path) -> None:
    writers = [writer(path, name, 100) for name in "abcd"]
    for process in writers:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in writers:
        process.communicate(timeout=60)
    assert [process.returncode for process in writers] == [0, 0, 0, 0]
    with ReplyCache(path) as cache:
        assert len(cache) == 500  # 100 of each of the four, and 100 that they share
        for name in "abcd":
            assert [cache.get(f"{name}-{number}").text for number in (0, 99)] == [name * 200] * 2  # type: ignore[union-attr]


def test_a_killed_process_leaves_whole_replies_and_a_file_that_goes_on(path: Path) -> None:
    process = writer(path, "a", 100_000)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    written = 0
    while written < 40:
        written = int(process.stdout.readline())
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    with ReplyCache(path) as cache:
        for number in range(written + 1):
            assert cache.get(f"a-{number}") == Reply(key=f"a-{number}", state=ReplyState.OK, text="a" * 200)
        cache.put(FULL)
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from fingreat.errors import StorageError
from fingreat.inference.cache import ReplyCache
from fingreat.schema import Reply, ReplyState
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
with ReplyCache(Path(sys.argv[1])) as cache:
    for number in range(1000):
        try:
            cache.put(Reply(key=str(number), state=ReplyState.OK, text="x" * 1000))
        except StorageError as error:
            print(number)
            sys.stderr.write(str(error))
            break
"""


def test_a_disk_that_takes_no_more_is_said_and_what_was_kept_stays(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, timeout=60, check=True
    )
    assert "--no-cache" in done.stderr
    kept = int(done.stdout)
    assert kept > 20
    with ReplyCache(path) as cache:
        assert len(cache) == kept
