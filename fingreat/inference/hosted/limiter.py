"""When a request may be sent to a provider: its limits by the minute, and the pauses that it asks for."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

WINDOW = 60.0
"""Seconds that limits are counted over."""


@dataclass
class Sent:
    """One request that was sent, and the tokens that it is taken to cost."""

    at: float
    tokens: int


class Limiter:
    """Sliding limits on the requests and tokens of any one minute; to be used from any thread.

    Tokens are an estimate when a request is sent; `correct` puts the true number in as soon as it is known. A request
    that alone is beyond the limit on tokens goes when it has the minute to itself.

    Args:
        requests, tokens: most of them in a minute; None for no limit.
        clock: seconds that never go back.
    """

    def __init__(
        self, requests: int | None = None, tokens: int | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most_requests = requests
        self._most_tokens = tokens
        self._clock = clock
        self._lock = threading.Lock()
        self._sent: deque[Sent] = deque()
        self._tokens = 0
        self._paused_until = float("-inf")

    def try_send(self, tokens: int) -> Sent | float:
        """A note of the request if it may be sent now, else the seconds after which to try again."""
        with self._lock:
            now = self._clock()
            if (pause := self._paused_until - now) > 0:
                return pause
            if self._most_requests is None and self._most_tokens is None:
                return Sent(now, tokens)
            while self._sent and self._sent[0].at + WINDOW <= now:
                self._tokens -= self._sent.popleft().tokens
            if self._is_full(tokens):
                return self._sent[0].at + WINDOW - now
            sent = Sent(now, tokens)
            self._sent.append(sent)
            self._tokens += tokens
            return sent

    def correct(self, sent: Sent, tokens: int) -> None:
        """The request took so many tokens, not what was estimated."""
        with self._lock:
            # One that has left the window counts no more. The notes are in the order of their times.
            if self._sent and self._sent[0].at <= sent.at:
                self._tokens += tokens - sent.tokens
            sent.tokens = tokens

    def pause(self, seconds: float) -> bool:
        """Nothing is sent for so long; the longest pause counts.

        Returns:
            whether this one is longer, by a second at least, than what was to be waited for already: the requests
            under way are all refused alike, one after the other.
        """
        with self._lock:
            before, end = self._paused_until, self._clock() + seconds
            self._paused_until = max(before, end)
            return end >= before + 1.0

    def _is_full(self, tokens: int) -> bool:
        if not self._sent:
            return False
        if self._most_requests is not None and len(self._sent) >= self._most_requests:
            return True
        return self._most_tokens is not None and self._tokens + tokens > self._most_tokens


_LIMITERS: dict[tuple[str | None, int | None, int | None], Limiter] = {}
_LIMITERS_LOCK = threading.Lock()


def shared_limiter(server: str | None, requests: int | None, tokens: int | None) -> Limiter:
    """The limiter of this process for a server's address (None for the provider's own) and these limits."""
    with _LIMITERS_LOCK:
        return _LIMITERS.setdefault((server, requests, tokens), Limiter(requests, tokens))
