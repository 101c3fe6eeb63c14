"""Many tasks in several processes: every task gets its own result or its own reason, in order, and nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from multiprocessing import Pipe
from pathlib import Path

import pytest
import worker_tasks
from worker_tasks import die_once, double_or, first_waits_for, pid_after, wait_until

from fingreat.errors import InputError
from fingreat.pipeline.workers import Lost, in_order, serve, usable_cores

HERE = str(Path(worker_tasks.__file__).parent)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # What nobody waited for yet is dead all the same.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.parametrize("workers", [1, 2, 5, None])
def test_results_come_in_the_order_of_the_tasks(workers: int | None) -> None:
    assert list(in_order(double_or, range(40), workers=workers)) == [2 * number for number in range(40)]
    assert list(in_order(double_or, [], workers=workers)) == []


def test_a_task_that_ends_its_process_is_lost_with_the_reason_and_all_others_have_their_results() -> None:
    tasks: list[str | int] = [0, "exit", 1, "SIGSEGV", 2, "SIGKILL", 3]
    results = list(in_order(double_or, tasks, workers=2))
    assert [result for result in results if isinstance(result, int)] == [0, 2, 4, 6]
    reasons = [result.reason for result in results if isinstance(result, Lost)]
    for reason, words in zip(reasons, ("exit status 3", "SIGSEGV", "SIGKILL, as the system does"), strict=True):
        assert words in reason
    assert [isinstance(result, Lost) for result in results] == [isinstance(task, str) for task in tasks]


def test_a_process_that_was_ended_from_outside_costs_its_task_nothing(tmp_path: Path) -> None:
    assert list(in_order(partial(die_once, tmp_path), range(6), workers=2)) == [0, 2, 4, 6, 8, 10]
    assert (tmp_path / "died").exists()


def test_a_task_that_hangs_in_a_library_is_ended_at_its_limit() -> None:
    tasks: list[str | int] = [0, "hang", 1, 2]
    results = list(in_order(double_or, tasks, workers=2, limit=lambda task: 1.0 if task == "hang" else 300.0))
    assert results == [0, Lost("reading it took longer than 1 seconds, twice."), 2, 4]


def test_an_unexpected_exception_is_the_reason_whatever_the_number_of_processes() -> None:
    one, two = (list(in_order(double_or, [4, "raise", 5], workers=workers)) for workers in (1, 2))
    assert one == two
    assert (one[0], one[2]) == (8, 10)
    assert isinstance(one[1], Lost)
    reason = one[1].reason
    assert reason.startswith("reading it failed with ZeroDivisionError (no such ? thing and so on and")
    assert " …) in worker_tasks.py, line " in reason
    assert len(reason.encode()) < 500


class Watched(Sequence[int]):
    """Tasks that know the last one that was asked for."""

    def __init__(self, length: int) -> None:
        self.length, self.last = length, -1

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, number: int) -> int:  # type: ignore[override]
        self.last = max(self.last, number)
        return number

    def __iter__(self) -> Iterator[int]:
        raise AssertionError("all tasks at once")


def test_few_results_are_held_while_an_early_task_takes_its_time(tmp_path: Path) -> None:
    tasks = Watched(500)
    # Two for each of two processes, and eight.
    window = 12
    with closing(in_order(partial(first_waits_for, tmp_path, window - 1), tasks, workers=2)) as results:
        assert next(results) == 0
        assert tasks.last == window - 1
        for number in range(1, 500):
            assert next(results) == number
            assert tasks.last < number + window


def test_closing_ends_every_process_at_once() -> None:
    with closing(in_order(partial(pid_after, 0.0), range(200), workers=3)) as results:
        pids = {pid for pid in (next(results) for _ in range(100)) if isinstance(pid, int)}
    assert pids
    assert all(gone(pid) for pid in pids)


def test_processes_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); from functools import partial; from pathlib import Path;"
        "import worker_tasks; from fingreat.pipeline.workers import in_order;"
        "list(in_order(partial(worker_tasks.note_and_sleep, Path(sys.argv[2])), range(10_000), workers=3))"
    )
    parent = subprocess.Popen([sys.executable, "-c", script, HERE, str(tmp_path)])
    try:
        assert wait_until(lambda: len(list(tmp_path.iterdir())) == 3)
    finally:
        parent.kill()
        parent.wait()
    pids = [int(path.stem) for path in tmp_path.iterdir()]
    assert wait_until(lambda: all(gone(pid) for pid in pids))


@pytest.mark.parametrize(("program", "why"), [("/nowhere/python", "No such file"), ("/bin/false", "exit status 1")])
def test_where_no_process_can_start_the_error_says_how_to_do_without(
    program: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    with pytest.raises(InputError) as caught:
        list(in_order(double_or, [1, 2, 3], workers=2))
    assert why in caught.value.message
    assert caught.value.where == "--workers"
    assert "with 1" in (caught.value.hint or "")
    assert list(in_order(double_or, [1, 2, 3], workers=1)) == [2, 4, 6]


def test_fewer_than_one_process_is_refused() -> None:
    with pytest.raises(InputError, match="at least one"):
        in_order(double_or, [1], workers=0)


def test_the_cores_are_those_that_this_process_may_use() -> None:
    command = [sys.executable, "-c", "from fingreat.pipeline.workers import usable_cores; print(usable_cores())"]
    one = sorted(os.sched_getaffinity(0))[0]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, preexec_fn=lambda: os.sched_setaffinity(0, {one})
    )
    assert done.stdout == "1\n"
    assert usable_cores() == len(os.sched_getaffinity(0))


def test_what_a_process_does_until_its_pipe_is_closed() -> None:
    tasks, ours = Pipe(duplex=False)
    results, theirs = Pipe(duplex=False)
    for message in (double_or, (60.0, 21), (60.0, "raise")):
        ours.send(message)
    ours.close()
    before = signal.getsignal(signal.SIGALRM)
    try:
        serve(tasks, theirs)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert (results.recv(), results.recv()) == ("ready", 42)
    assert "ZeroDivisionError" in results.recv().reason
    for pipe in (tasks, results, theirs):
        pipe.close()
