"""What replies took: tokens, seconds, dollars. One way of counting for the live view, the manifest and estimates."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from fingreat.inference import Trial, is_finished
from fingreat.runs import Beside, Manifest, RunFolder, read_records
from fingreat.schema import Reply, ReplyState

TOKEN_KINDS = ("prompt_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
"""Fields of a reply; cached tokens are a part of the prompt's, reasoning tokens of the output's."""


def plus(beside: Beside, one: Reply | Trial) -> Beside:
    """What was asked beside the replies, with one more."""
    tokens = {kind: getattr(beside, kind) + (getattr(one, kind, None) or 0) for kind in TOKEN_KINDS}
    cost = beside.cost_usd if one.cost_usd is None else round((beside.cost_usd or 0.0) + one.cost_usd, 6)
    return Beside(requests=beside.requests + 1, cost_usd=cost, **tokens)


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

    @property
    def asked(self) -> int:
        """How many of them did not come from a cache."""
        return self.replies - self._hits

    def figures(
        self,
        seconds: float | None = None,
        beside: Beside = Beside(),  # noqa: B008 - frozen
        every: Meter | None = None,
    ) -> dict[str, Any]:
        """All of it under fixed names, as JSON.

        `prompt_tokens_per_second` and `output_tokens_per_second` are of what was asked, over `seconds`. `cost_usd` is
        None where no reply has a price, and the sum of those that have one otherwise; `unpriced` replies took tokens
        and have none. `model_seconds` is the sum over requests, which run side by side. `beside` is in the tokens and
        in `cost_usd`, for it was paid for, but in no number of replies, rate or time. Only where the run asked for
        replies that are none of these, `unused` says what those took, which is in the rates alone, and `spent_usd`
        what was paid in all.

        Args:
            seconds: wall time while the model was asked; without it, or where nothing was asked, there are no rates.
            every: of all replies that were asked in that time, with these among them; None where these are all.
        """
        every = every or self
        unused = self._unused(every)
        cost = _sum(self._cost, beside.cost_usd)
        return {
            "replies": self.replies,
            "replies_by_state": {state.value: self._states[state] for state in ReplyState},
            "from_cache": self._hits,
            **{kind: self._tokens[kind] + getattr(beside, kind) for kind in TOKEN_KINDS},
            "prompt_tokens_per_second": every._rate("prompt_tokens", seconds),
            "output_tokens_per_second": every._rate("output_tokens", seconds),
            "cost_usd": _rounded(cost),
            "unpriced": self._unpriced,
            "model_seconds": round(self._seconds, 3),
            "beside": beside.model_dump(),
            **(
                {"unused": unused.model_dump(), "spent_usd": _rounded(_sum(cost, unused.cost_usd))}
                if unused.requests
                else {}
            ),
        }

    def _rate(self, kind: str, seconds: float | None) -> float | None:
        return round(self._asked[kind] / seconds, 1) if seconds and self.asked else None

    def _unused(self, every: Meter) -> Beside:
        """What was asked and is not among these replies."""
        tokens = {kind: every._asked[kind] - self._asked[kind] for kind in TOKEN_KINDS}
        cost = None if every._cost is None else round(every._cost - (self._cost or 0.0), 6)
        return Beside(requests=every.asked - self.asked, cost_usd=cost, **tokens)


@dataclass(frozen=True)
class Spent:
    """What a run asked in all, whether it belongs to the result or not.

    Attributes:
        replies: of those on disk that stand.
        beside: what was paid for beside them.
    """

    replies: Meter
    beside: Beside


def figures_so_far(run: RunFolder, manifest: Manifest) -> dict[str, Any]:
    """The figures of a run that was stopped, from the replies on disk; of its chunks and filings they say nothing.

    They are empty where nothing was asked yet.

    Raises:
        RunError: a reply is damaged.
    """
    spent = spent_by(run, manifest)
    asked = spent.replies.replies or spent.beside.requests
    return spent.replies.figures(manifest.asking_seconds, spent.beside) if asked else {}


def spent_by(run: RunFolder, manifest: Manifest) -> Spent:
    """What a run asked in all its calls, from the replies on disk and the trials that the manifest counts.

    Raises:
        RunError: a reply is damaged.
    """
    meter, beside = Meter(), manifest.trials or Beside()
    failed: dict[str, Reply] = {}
    for reply in read_records(run.replies, Reply):
        if replaced := failed.pop(reply.key, None):
            beside = plus(beside, replaced)
        if is_finished(reply):
            meter.add(reply)
        else:
            failed[reply.key] = reply
    for reply in failed.values():
        meter.add(reply)
    return Spent(meter, beside)


def _sum(one: float | None, other: float | None) -> float | None:
    return (one or 0.0) + (other or 0.0) if one is not None or other is not None else None


def _rounded(cost: float | None) -> float | None:
    return None if cost is None else round(cost, 6)
