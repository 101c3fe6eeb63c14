"""When a request may be sent: at most ten in any one second, whatever threads and the line do to them."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

MOST_A_SECOND = 10
"""EDGAR's limit, for all of a user's requests together (SEC, "Accessing EDGAR Data")."""
HOLD = 1.02
"""Seconds that a slot is kept after the answer; more than one, for clocks that run at slightly different rates."""


class Limiter:
    """Slots for requests, such that a server sees at most so many in any one second.

    A request takes a slot before it is sent; the slot comes free `hold` seconds after its answer began or
    the request failed. A request arrives at the server after it was sent and before its answer began, so it
    holds its slot from before its arrival to more than one second after it. Take the requests that arrive
    within any one second: when the last of them arrives, all of them hold a slot, so there are no more of
    them than slots. How long each was on its way plays no part.

    (A request that failed without an answer is taken to have arrived before it failed.)

    Args:
        slots: how many requests in any one second.
        hold: seconds, more than one.
        clock: seconds that never go back.
    """

    def __init__(
        self, slots: int = MOST_A_SECOND, hold: float = HOLD, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.slots = slots
        self._hold = hold
        self._clock = clock
        self._on_their_way = 0
        self._frees: deque[float] = deque()
        self._change = threading.Condition()

    def try_take(self, most: int | None = None) -> float:
        """Take a slot if fewer than `most` (at most all) are taken.

        Returns:
            0 if one was taken, else the seconds after which to try again; infinite where all wait for answers.
        """
        with self._change:
            return self._try_take(most)

    def take(self, stopped: Callable[[], bool], most: int | None = None) -> bool:
        """Wait for a slot and take it; False, and none is taken, as soon as `stopped` says so.

        `wake` makes the waiting ones look whether they are stopped.
        """
        with self._change:
            while not stopped():
                wait = self._try_take(most)
                if wait == 0:
                    return True
                self._change.wait(None if wait == float("inf") else wait)
            return False

    def answered(self) -> None:
        """The answer to one request began, or the request failed: its slot comes free a while from now."""
        with self._change:
            self._on_their_way -= 1
            self._frees.append(self._clock() + self._hold)
            self._change.notify_all()

    def unsent(self) -> None:
        """A slot was taken and nothing was sent: it is free at once."""
        with self._change:
            self._on_their_way -= 1
            self._change.notify_all()

    def wake(self) -> None:
        """Make all that wait look whether they are stopped."""
        with self._change:
            self._change.notify_all()

    def _try_take(self, most: int | None) -> float:
        now = self._clock()
        while self._frees and self._frees[0] <= now:
            self._frees.popleft()
        if self._on_their_way + len(self._frees) < min(most or self.slots, self.slots):
            self._on_their_way += 1
            return 0.0
        return self._frees[0] - now if self._frees else float("inf")


def once(free: Callable[[], None]) -> Callable[[], None]:
    """The same, doing nothing when called again: a slot that is never freed would stop the process for good."""
    left = [free]
    return lambda: left.pop()() if left else None


LIMITER = Limiter()
"""The one of this process: everything that asks EDGAR goes through it."""
