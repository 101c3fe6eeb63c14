"""One function over many tasks by threads that nobody has to wait for, in their order: for what waits for a server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Generic, Self, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_GRACE = 2.0
"""Seconds that threads have to write what they hold before they are left behind."""


class Background(Generic[T, R]):
    """The results of all tasks, in order; looking at one waits for it, and raises what its task raised.

    Leaving the block drops what was not begun. Leaving it by an exception calls `give_up`, and does not wait for what
    is on its way: Python waits for the threads of an executor before it ends, however long an answer takes, and not
    for these.

    Args:
        count: of threads.
        give_up: ends the waiting of the function, as far as that can be done.
    """

    def __init__(
        self, function: Callable[[T], R], tasks: Sequence[T], *, count: int, give_up: Callable[[], None]
    ) -> None:
        self._function = function
        self._tasks = tasks
        self._give_up = give_up
        self._futures: list[Future[R]] = [Future() for _ in tasks]
        self._numbers = iter(range(len(tasks)))
        self._lock = threading.Lock()
        self._left = threading.Event()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(min(count, len(tasks)))]
        for thread in self._threads:
            thread.start()

    def __iter__(self) -> Iterator[R]:
        return (future.result() for future in self._futures)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self._left.set()
        if kind is not None:
            self._give_up()
        end = time.monotonic() + _GRACE
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()) if kind is not None else None)

    def _work(self) -> None:
        while not self._left.is_set():
            with self._lock:
                number = next(self._numbers, None)
            if number is None:
                return
            try:
                self._futures[number].set_result(self._function(self._tasks[number]))
            except BaseException as error:  # noqa: BLE001 - raised again where the result is looked at
                self._futures[number].set_exception(error)
