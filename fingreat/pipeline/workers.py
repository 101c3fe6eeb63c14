"""One function over many tasks, in processes of their own: a task that brings its process down loses only itself.

Results come in the order of the tasks, and few of them are held at a time. The processes are fresh interpreters that
are sent the function by its name: nothing is forked from a process that may run threads, and a script that has no
`if __name__ == "__main__":` is not run again in each of them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from textwrap import shorten
from typing import Any, Generic, TypeVar

from fingreat.errors import InputError

T = TypeVar("T")
R = TypeVar("R")

_START = (
    "import sys; from multiprocessing.connection import Connection; "
    "pipes = [Connection(int(handle)) for handle in sys.argv[1:]]; sys.path[:] = pipes[0].recv(); "
    "from fingreat.pipeline.workers import serve; serve(*pipes)"
)
_READY = "ready"
_AHEAD = 8
"""Results beyond two for each process that are held for the sake of order, while an earlier task takes its time."""
_LONGEST_MESSAGE = 300
_GRACE = 5.0
"""Seconds between the end of a process's pipe and its own, before it is ended: how it ended is to be known."""


@dataclass(frozen=True)
class Lost:
    """What stands for the result of a task that gave none.

    Attributes:
        reason: in words.
    """

    reason: str


def usable_cores() -> int:
    """How many processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(
    function: Callable[[T], R],
    tasks: Sequence[T],
    *,
    workers: int | None = None,
    limit: Callable[[T], float] = lambda task: 300.0,
) -> Generator[R | Lost, None, None]:
    """The results of all tasks, in their order, whatever the number of processes; close it to end them.

    A task whose process dies or reaches its limit is tried once more, since the cause may have been outside it, such
    as a lack of memory; the second time it is `Lost`. So is at once one that raises anything that is no interrupt.

    Args:
        function: importable by its module and name, or a `partial` of such a one; it and the results are pickled.
        workers: how many processes, never more than tasks; as many as there are usable cores for None. With 1 all is
            done in this process, where there is no limit, and what brings the process down ends the call.
        limit: seconds of wall time that a task may take.

    Raises:
        InputError: `workers` is below 1, or a process could not be started.
    """
    if workers is not None and workers < 1:
        raise InputError("needs at least one process.", where="--workers", hint="Leave it out to use every core.")
    if workers == 1:
        return (_attempt(function, task) for task in tasks)
    return _spread(function, tasks, min(workers or usable_cores(), len(tasks)), limit)


def serve(tasks: Connection, results: Connection) -> None:
    """What a process does until the other end of its pipes is gone."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    try:
        results.send(_READY)
        function = tasks.recv()
        while True:
            seconds, task = tasks.recv()
            # The system keeps the time: it ends a process that hangs in a library, and one whose parent was killed.
            signal.setitimer(signal.ITIMER_REAL, seconds)
            result = _attempt(function, task)
            signal.setitimer(signal.ITIMER_REAL, 0)
            results.send(result)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


def _attempt(function: Callable[[T], R], task: T) -> R | Lost:
    try:
        return function(task)
    except Exception as error:  # noqa: BLE001 - whatever one task meets, it is that task's result, with its reason
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(frame.filename).name}, line {frame.lineno}"
        # One line of text that every file can hold, whatever is in the message.
        message = shorten(str(error).encode("utf-8", "replace").decode(), _LONGEST_MESSAGE, placeholder=" …")
        return Lost(f"reading it failed with {type(error).__name__} ({message}) in {place}; fingreat is at fault.")


def _spread(
    function: Callable[[T], R], tasks: Sequence[T], count: int, limit: Callable[[T], float]
) -> Generator[R | Lost, None, None]:
    with closing(_Crew(function, tasks, count, limit)) as crew:
        for number in range(len(tasks)):
            yield crew.result(number)


class _Crew(Generic[T, R]):
    """Some processes, which task each of them has, and the results whose turn has not come."""

    def __init__(self, function: Callable[[T], R], tasks: Sequence[T], count: int, limit: Callable[[T], float]) -> None:
        self._function = function
        self._tasks = tasks
        self._count = count
        self._limit = limit
        self._window = 2 * count + _AHEAD
        self._given = 0
        self._tried_twice: set[int] = set()
        self._done: dict[int, R | Lost] = {}
        self._workers: list[_Worker] = []

    def result(self, number: int) -> R | Lost:
        """The result of a task; they are asked for in order."""
        self._collect(0)
        self._hand_out(number)
        while number not in self._done:
            self._collect(None)
            self._hand_out(number)
        return self._done.pop(number)

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        for worker in self._workers:
            worker.end(0)

    def _hand_out(self, wanted: int) -> None:
        """Give every idle process a task, but none so far ahead that many results would have to be held."""
        while self._given < min(len(self._tasks), wanted + self._window):
            idle = next((worker for worker in self._workers if worker.number is None), None)
            if idle is None:
                if len(self._workers) == self._count:
                    return
                idle = self._start()
            self._give(idle, self._given)
            self._given += 1

    def _start(self) -> _Worker:
        worker = _Worker()
        self._workers.append(worker)
        return worker

    def _give(self, worker: _Worker, number: int) -> None:
        task = self._tasks[number]
        worker.give(number, self._limit(task), task)

    def _collect(self, seconds: float | None) -> None:
        """Take what the processes have sent, waiting for it as long as said."""
        pipes = {worker.results: worker for worker in self._workers}
        for pipe in wait(list(pipes), seconds) if pipes else ():
            worker = pipes[pipe]  # type: ignore[index]
            try:
                message = worker.results.recv()
            except (EOFError, OSError):
                self._replace(worker)
                continue
            if not worker.ready:
                worker.begin(self._function)
            elif worker.number is not None:
                self._done[worker.number] = message
                worker.number = None

    def _replace(self, worker: _Worker) -> None:
        """Put a new process in place of one that ended, and have it try the task if that was not its second time."""
        self._workers.remove(worker)
        how = worker.end(_GRACE)
        if not worker.ready:
            raise _cannot_start(how)
        if worker.number is None:
            return
        if worker.number in self._tried_twice:
            self._done[worker.number] = Lost(_why(how, self._limit(self._tasks[worker.number])))
            return
        self._tried_twice.add(worker.number)
        self._give(self._start(), worker.number)


class _Worker:
    """One process and our ends of its pipes; where ours are closed, by whatever means, it ends."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.ready = False
        self._first: object = None
        try:
            their_tasks, self._tasks = Pipe(duplex=False)
            self.results, their_results = Pipe(duplex=False)
            with their_tasks, their_results:
                handles = (their_tasks.fileno(), their_results.fileno())
                # In a group of its own, so that neither Ctrl-C nor Ctrl-Z of a terminal reaches it.
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-X", f"utf8={sys.flags.utf8_mode}", "-c", _START, *map(str, handles)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=handles,
                    process_group=0,
                )
        except OSError as error:
            raise _cannot_start(error.strerror or str(error)) from error
        self._send(sys.path)

    def give(self, number: int, seconds: float, task: object) -> None:
        """Have it do a task, as soon as it is ready; `number` says which, until the result is there."""
        self.number = number
        if self.ready:
            self._send((seconds, task))
        else:
            self._first = (seconds, task)

    def begin(self, function: Callable[[Any], Any]) -> None:
        """Send it the function, which may be larger than what a pipe holds, now that it takes it off."""
        self.ready = True
        self._send(function)
        self._send(self._first)

    def end(self, grace: float) -> str:
        """End it if it has not ended of itself after some seconds, and say in words how it did."""
        self._tasks.close()
        self.results.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(grace)
        self._process.kill()
        status = self._process.wait()
        return _signal(-status) if status < 0 else f"exit status {status}"

    def _send(self, value: object) -> None:
        try:
            self._tasks.send(value)
        except (BrokenPipeError, ConnectionResetError):
            # It is gone; its results say so, and whoever waits for them learns it there.
            return


def _cannot_start(why: str) -> InputError:
    return InputError(
        f"a process that reads filings could not be started ({why}).",
        where="--workers",
        hint="With fewer, less is needed; with 1 all are read in this process.",
    )


def _why(how: str, seconds: float) -> str:
    if how == "SIGALRM":
        return f"reading it took longer than {seconds:,.0f} seconds, twice."
    memory = ", as the system does where memory runs out" if how == "SIGKILL" else ""
    return f"the process that read it ended with {how}{memory}, twice."


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
