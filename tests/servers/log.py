"""What the local EDGAR was asked, and when."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass
class Seen:
    """One request.

    Attributes:
        arrived: when its bytes were read, in seconds of the monotonic clock.
        path: decoded, without the query.
        target: as sent, with the query.
        headers: by names in lower case.
        status: of the answer; None while there is none, or where the connection was reset.
        complete: the last byte of the answer was handed to the connection; the client may have died with it unread.
    """

    arrived: float
    method: str
    path: str
    target: str
    headers: Mapping[str, str]
    status: int | None = None
    complete: bool = False


class Log:
    """All requests in the order of their arrival; to be asked from any thread."""

    def __init__(self) -> None:
        self._seen: list[Seen] = []
        self._more = threading.Condition()

    def note(self, seen: Seen) -> None:
        """Put a request in."""
        with self._more:
            self._seen.append(seen)
            self._more.notify_all()

    @property
    def requests(self) -> list[Seen]:
        """All requests so far."""
        with self._more:
            return list(self._seen)

    def count(self, path: str | None = None) -> int:
        """How many there were, of one path or of all."""
        return sum(1 for seen in self.requests if path in (None, seen.path))

    def completed(self, path: str | None = None) -> int:
        """How many were answered to the last byte with status 200."""
        return sum(1 for seen in self.requests if path in (None, seen.path) and seen.complete and seen.status == 200)

    def arrivals(self) -> list[float]:
        """When they arrived, in order."""
        return sorted(seen.arrived for seen in self.requests)

    def most_in_a_second(self) -> int:
        """The largest number of arrivals in any window [t, t + 1)."""
        times = self.arrivals()
        most = first = 0
        for last, time in enumerate(times):
            while time - times[first] >= 1.0:
                first += 1
            most = max(most, last - first + 1)
        return most

    def wait_for(self, count: int, timeout: float = 10.0) -> bool:
        """Wait until there were so many requests; whether there were in time."""
        with self._more:
            return self._more.wait_for(lambda: len(self._seen) >= count, timeout)

    def clear(self) -> None:
        """Forget all."""
        with self._more:
            self._seen.clear()
