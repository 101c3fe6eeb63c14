"""What replies took: tokens, seconds, dollars. One way of counting for the live view, the manifest and estimates."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fingreat.schema import Reply, ReplyState

TOKEN_KINDS = ("prompt_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
"""Fields of a reply; cached tokens are a part of the prompt's, reasoning tokens of the output's."""


class Meter:
    """Sums over replies; each is added once, whatever shares it.

    Tokens are those of all replies. A reply from the cache was asked and paid for by an earlier run: it has no part in
    rates, seconds and dollars.
    """

    def __init__(self) -> None:
        self._states: Counter[ReplyState] = Counter()
        self._tokens: Counter[str] = Counter()
        self._asked: Counter[str] = Counter()
        self._hits = 0
        self._seconds = 0.0
        self._cost: float | None = None
        self._unpriced = 0

    def add(self, reply: Reply) -> None:
        """One more reply."""
        self._states[reply.state] += 1
        self._hits += reply.from_cache
        for kind in TOKEN_KINDS:
            count = getattr(reply, kind) or 0
            self._tokens[kind] += count
            if not reply.from_cache:
                self._asked[kind] += count
        if not reply.from_cache:
            self._seconds += reply.seconds or 0.0
        # One from the cache says 0 where it once had a price.
        if reply.cost_usd is not None:
            self._cost = (self._cost or 0.0) + reply.cost_usd
        elif not reply.from_cache and (reply.prompt_tokens or reply.output_tokens):
            self._unpriced += 1

    @property
    def replies(self) -> int:
        """How many were added."""
        return self._states.total()

    @property
    def failed(self) -> dict[str, int]:
        """State → how many replies ended in it, without `ok`, in the order of the states."""
        return {s.value: self._states[s] for s in ReplyState if s is not ReplyState.OK and self._states[s]}

    def figures(self, seconds: float | None = None) -> dict[str, Any]:
        """All of it under fixed names, as JSON.

        `prompt_tokens_per_second` and `output_tokens_per_second` are of what was asked, over `seconds`. `cost_usd` is
        None where no reply has a price, and the sum of those that have one otherwise; `unpriced` replies took tokens
        and have none. `model_seconds` is the sum over requests, which run side by side.

        Args:
            seconds: wall time while the model was asked; without it, or with 0, there are no rates.
        """
        return {
            "replies": self.replies,
            "replies_by_state": {state.value: self._states[state] for state in ReplyState},
            "from_cache": self._hits,
            **{kind: self._tokens[kind] for kind in TOKEN_KINDS},
            "prompt_tokens_per_second": self._rate("prompt_tokens", seconds),
            "output_tokens_per_second": self._rate("output_tokens", seconds),
            "cost_usd": None if self._cost is None else round(self._cost, 6),
            "unpriced": self._unpriced,
            "model_seconds": round(self._seconds, 3),
        }

    def _rate(self, kind: str, seconds: float | None) -> float | None:
        return round(self._asked[kind] / seconds, 1) if seconds else None
