"""Kills, interrupts and full disks: a run goes on where it was, and ends as if nothing had happened."""

from __future__ import annotations

import errno
import os
import random
import signal
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pipeline_builders import CONFIG, Counting, corpus_of, extraction_bytes, first_sentence, replies_of_run, submission

import fingreat.runs.log as log_module
import fingreat.runs.manifest as manifest_module
from fingreat.errors import BackendError, StorageError
from fingreat.inference import RawReply
from fingreat.pipeline import Corpus, extract
from fingreat.runs import RecordLog, RunFolder
from fingreat.schema import Reply, Request

WAIT = 0.004
KILLED = -signal.SIGKILL
SETTINGS = CONFIG.model_copy(update={"tokens": 48})


@pytest.fixture(scope="module", autouse=True)
def same_environment() -> Iterator[None]:
    """Asked once: git and the driver take longer than these small runs."""
    code, environment = manifest_module.our_code(), manifest_module.environment()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_module, "our_code", lambda: code)
        patch.setattr(manifest_module, "environment", lambda: environment)
        yield


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    filings = {f"f{n}": submission(f"000000000{n}-24-000001", company=f"COMPANY {n}") for n in range(3)}
    return corpus_of(tmp_path_factory.mktemp("resume"), **filings)


@pytest.fixture(scope="module")
def whole(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing interrupted."""
    out = tmp_path_factory.mktemp("whole") / "run"
    extract(corpus, SETTINGS, out, backend=Counting())
    return out


def slow_model(asked: Path) -> Counting:
    """Waits a little per reply, and notes on disk which request it was asked."""

    def respond(request: Request) -> RawReply:
        with asked.open("a") as file:
            file.write(request.key + "\n")
        time.sleep(WAIT)
        return first_sentence(request)

    return Counting(respond)


def in_a_process(work: Callable[[], object], kill_when: Callable[[], bool] = lambda: False) -> int:
    """Run in a process of its own, killed as soon as something holds, and return how it ended."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            if status:
                traceback.print_exc()
            os._exit(status)
    killed = False
    while (ended := os.waitpid(pid, os.WNOHANG)) == (0, 0):
        if not killed and kill_when():
            os.kill(pid, signal.SIGKILL)
            killed = True
        time.sleep(0.001)
    return os.waitstatus_to_exitcode(ended[1])


def after(seconds: float) -> Callable[[], bool]:
    moment = time.perf_counter() + seconds
    return lambda: time.perf_counter() > moment


def without_time(counts: dict[str, Any]) -> dict[str, Any]:
    return {name: count for name, count in counts.items() if "second" not in name}


def assert_as_if_nothing_had_happened(out: Path, whole: Path, corpus: Corpus) -> None:
    """Go on in this process and compare with the run that was never stopped."""
    backend = Counting()
    manifest = extract(corpus, SETTINGS, out, backend=backend)
    assert set(backend.asked.values()) <= {1}
    assert manifest.status == RunFolder(out).manifest().status == "complete"
    assert RunFolder(out).verify() == []
    assert replies_of_run(out) == replies_of_run(whole)
    assert extraction_bytes(out) == extraction_bytes(whole)
    assert (out / "failures.jsonl").read_bytes() == (whole / "failures.jsonl").read_bytes()
    expected = RunFolder(whole).manifest().counts
    assert without_time(manifest.counts) == without_time(expected)
    left = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert left == {str(path.relative_to(whole)) for path in whole.rglob("*") if path.is_file()}


def killed_at(moment: float, folder: Path, corpus: Corpus, whole: Path) -> int:
    out, asked = folder / "run", folder / "asked"
    asked.touch()
    ended = in_a_process(lambda: extract(corpus, SETTINGS, out, backend=slow_model(asked)), after(moment))
    first = Counter(asked.read_text().splitlines())
    done = set(replies_of_run(out)) if out.exists() else set()
    assert set(first.values()) <= {1}
    # At most one request was in flight: asked, but not on disk.
    assert done <= set(first)
    assert len(set(first) - done) <= 1
    assert_as_if_nothing_had_happened(out, whole, corpus)
    return ended


@pytest.fixture(scope="module")
def longest(whole: Path, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> float:
    """Seconds that a run takes which nobody kills; after `whole`, which filled the caches."""
    folder = tmp_path_factory.mktemp("timed")
    start = time.perf_counter()
    in_a_process(lambda: extract(corpus, SETTINGS, folder / "run", backend=slow_model(folder / "asked")))
    return time.perf_counter() - start


@pytest.mark.parametrize("number", range(6))
def test_a_run_killed_at_a_random_moment_goes_on(
    number: int, longest: float, corpus: Corpus, whole: Path, tmp_path: Path
) -> None:
    moment = random.Random(20261010 + number).uniform(0, longest)
    # A run that beats the killer ends well.
    assert killed_at(moment, tmp_path, corpus, whole) in (KILLED, 0)


@pytest.mark.prove
def test_forty_kills_at_random_moments(longest: float, corpus: Corpus, whole: Path, tmp_path: Path) -> None:
    chance = random.Random(7)
    ends = []
    for number in range(40):
        folder = tmp_path / str(number)
        folder.mkdir()
        ends.append(killed_at(chance.uniform(0, longest), folder, corpus, whole))
    assert ends.count(KILLED) > 20


def test_one_run_killed_many_times_asks_one_full_pass_and_one_request_per_kill(
    corpus: Corpus, whole: Path, tmp_path: Path
) -> None:
    out, asked = tmp_path / "run", tmp_path / "asked"
    kills = 0

    def asked_so_far() -> int:
        return asked.read_text().count("\n") if asked.exists() else 0

    def go_on() -> int:
        enough = asked_so_far() + 3
        return in_a_process(
            lambda: extract(corpus, SETTINGS, out, backend=slow_model(asked)), lambda: asked_so_far() >= enough
        )

    while go_on() == KILLED:
        kills += 1
    replies = RunFolder(whole).manifest().counts["replies"]
    assert kills > 2
    assert replies <= asked_so_far() <= replies + kills
    assert_as_if_nothing_had_happened(out, whole, corpus)


def die(number: int, real: Callable[..., Any]) -> Callable[..., Any]:
    """The call, in place of whose `number`th turn the process is killed."""
    turns = iter(range(1, 10_000))

    def call(*args: Any, **kwargs: Any) -> Any:
        if next(turns) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)

    return call


@pytest.mark.parametrize("step", ["fsync", "replace", "unlink"])
def test_a_run_killed_before_any_step_of_its_writing_goes_on(
    step: str, corpus: Corpus, whole: Path, tmp_path: Path
) -> None:
    number = 0
    while True:
        number += 1
        out = tmp_path / str(number) / "run"

        def work(number: int = number, out: Path = out) -> None:
            setattr(os, step, die(number, getattr(os, step)))
            extract(corpus, SETTINGS, out, backend=Counting())

        ended = in_a_process(work)
        assert ended in (0, KILLED)
        assert_as_if_nothing_had_happened(out, whole, corpus)
        if ended == 0:
            break
    # The manifest twice, failures and marker: each file is synced, then its folder; and one part of two logs.
    assert number > {"fsync": 9, "replace": 4, "unlink": 0}[step]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_finished_run_killed_while_it_is_called_again_goes_on(
    step: str, corpus: Corpus, whole: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    extract(corpus, SETTINGS, out, backend=Counting())
    number, ended = 0, KILLED
    while ended == KILLED:
        number += 1

        def work(number: int = number) -> None:
            setattr(os, step, die(number, getattr(os, step)))
            extract(corpus, SETTINGS, out, backend=Counting(no_model))

        ended = in_a_process(work)
        # Whatever is on disk, it never says complete while it is not.
        assert RunFolder(out).manifest().status != "complete" or RunFolder(out).verify() == []
    assert ended == 0
    assert_as_if_nothing_had_happened(out, whole, corpus)


def no_model(request: Request) -> RawReply:
    raise AssertionError("asked again")


def test_an_interrupt_is_written_down_and_the_run_goes_on(corpus: Corpus, whole: Path, tmp_path: Path) -> None:
    def respond(request: Request) -> RawReply:
        if len(backend.asked) == 5:
            raise KeyboardInterrupt
        return first_sentence(request)

    backend = Counting(respond)
    with pytest.raises(KeyboardInterrupt):
        extract(corpus, SETTINGS, tmp_path / "run", backend=backend)
    run = RunFolder(tmp_path / "run")
    assert run.manifest().status == "interrupted"
    assert run.verify() == []
    assert len(replies_of_run(run.path)) == 5
    assert_as_if_nothing_had_happened(run.path, whole, corpus)


def test_a_back_end_that_breaks_off_leaves_a_failed_run_that_goes_on(
    corpus: Corpus, whole: Path, tmp_path: Path
) -> None:
    def respond(request: Request) -> RawReply:
        if len(backend.asked) == 5:
            raise BackendError("the engine is gone.")
        return first_sentence(request)

    backend = Counting(respond)
    with pytest.raises(BackendError, match="the engine is gone"):
        extract(corpus, SETTINGS, tmp_path / "run", backend=backend)
    assert RunFolder(tmp_path / "run").manifest().status == "failed"
    assert_as_if_nothing_had_happened(tmp_path / "run", whole, corpus)


@contextmanager
def disk_full_from(step: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """From its `step`th sync on, the disk takes nothing more."""
    fsync = os.fsync
    turns = iter(range(1, 10_000))

    def full(handle: int) -> None:
        if next(turns) >= step:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        yield


def test_a_disk_that_is_full_from_any_step_on_is_one_clear_error_and_the_run_goes_on(
    corpus: Corpus, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = 0
    for step in range(1, 40):
        out = tmp_path / str(step) / "run"
        error: StorageError | None = None
        try:
            with disk_full_from(step, monkeypatch):
                extract(corpus, SETTINGS, out, backend=Counting())
        except StorageError as raised:
            error = raised
        if error is None:
            break
        refused += 1
        assert "the disk is full" in error.message
        assert error.where
        assert error.retryable
        assert_as_if_nothing_had_happened(out, whole, corpus)
    assert refused > 8


def test_a_disk_that_fills_up_inside_a_reply_loses_that_reply_only(
    corpus: Corpus, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = RecordLog.append
    turns = iter(range(1, 10_000))

    class HalfALine:
        def __init__(self, file: Any) -> None:
            self.file, self.room = file, 9

        def write(self, data: memoryview) -> int:
            if not self.room:
                raise OSError(errno.ENOSPC, "No space left on device")
            self.room -= 9
            return int(self.file.write(data[:9]))

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

    def full(log: RecordLog[Reply], record: Reply) -> None:
        if next(turns) == 4:
            log._file = HalfALine(log._file)  # type: ignore[assignment]
        append(log, record)

    with monkeypatch.context() as patch:
        patch.setattr(log_module.RecordLog, "append", full)
        with pytest.raises(StorageError, match="the disk is full"):
            extract(corpus, SETTINGS, tmp_path / "run", backend=Counting())
    run = RunFolder(tmp_path / "run")
    assert run.manifest().status == "failed"
    assert (run.replies / "part-00000.jsonl").read_bytes().endswith(b"}\n")
    assert len(replies_of_run(run.path)) == 3
    assert_as_if_nothing_had_happened(run.path, whole, corpus)
