"""What a person sees while many filings, or other steps, are gone through one by one."""

from __future__ import annotations

import time
from collections.abc import Callable

from fingreat.cli.common import err, progress_bar, say
from fingreat.cli.live import duration

_QUICK = 1.0
"""Seconds within which work ends without a word."""
_PLAIN_EVERY = 30.0
"""Seconds between two lines where standard error is no terminal."""


class Watch:
    """Filings done and left, on standard error: a bar on a terminal, elsewhere a plain line now and then.

    Work that takes about a second shows nothing. Call it with the filings that are done and with those in all.

    Args:
        description: what is done, in a word.
        clock: seconds from any fixed point.
        unit: what is counted, where it is not filings.
    """

    def __init__(self, description: str, clock: Callable[[], float] = time.monotonic, *, unit: str = "filings") -> None:
        self._description = description
        self._unit = unit
        self._clock = clock
        self._started = self._said = clock()
        self._bar = progress_bar()
        self._task = self._bar.add_task(description, total=None)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *exc: object) -> None:
        # A bar that never began would only leave an empty line.
        if self._bar.live.is_started:
            self._bar.stop()

    def __call__(self, done: int, total: int) -> None:
        """So many filings are done, of so many in all."""
        now = self._clock()
        if err.is_terminal:
            self._bar.update(self._task, completed=done, total=total)
            if now - self._started >= _QUICK:
                self._bar.start()
        elif now - self._said >= _PLAIN_EVERY and done < total:
            self._said = now
            left = f", about {duration((now - self._started) * (total - done) / done)} left" if done else ""
            say(f"{self._description}: {done:,} of {total:,} {self._unit}{left}")
