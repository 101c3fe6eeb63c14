"""What runs took: tokens, seconds and dollars, for one filing and for a thousand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Literal

PER = 1000
"""Filings that large figures are given for."""
CostBasis = Literal["prices", "machine"]


@dataclass(frozen=True)
class RunFigures:
    """What one run took in all.

    Attributes:
        runs: names of the runs, one unless runs were put together.
        kind: `extract` or `classify`.
        filings: those that the model was shown, counted once for each run; None where the run is not complete.
        requests: distinct ones; chunks with equal words share one.
        from_cache: replies that an earlier run asked and paid for: tokens are counted, seconds and dollars are not.
        seconds: wall time while the model was asked, None where it was not noted.
        usd: US dollars that were spent in all, None where nothing is known of them.
        basis: whether they were counted by a provider's prices or by the machine's price for an hour; None also where
            all came from the cache.
        unpriced: replies that took tokens and have no price, where others have one.
        beside_usd: the part of `usd` that no reply of the run cost: trials of the model, and errors that were asked
            again.
        failed: the part of `requests` that ended in an error, without an answer.
        unused: replies that were asked for and are no part of the result any more; they are not among `requests`, and
            their tokens are left out.
        unused_seconds, unused_usd: the parts of `seconds` and `usd` that they took.
        status: of the run.
    """

    runs: tuple[str, ...]
    model: str
    kind: str
    mode: str
    filings: int | None
    requests: int
    from_cache: int
    prompt_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    seconds: float | None
    usd: float | None
    basis: CostBasis | None
    unpriced: int = 0
    beside_usd: float = 0.0
    failed: int = 0
    unused: int = 0
    unused_seconds: float = 0.0
    unused_usd: float = 0.0
    status: str = "complete"

    @property
    def asked(self) -> int:
        """Replies of the result that were given in the run itself."""
        return self.requests - self.from_cache

    @property
    def full_seconds(self) -> float | None:
        """Seconds as if every reply of the result had taken the mean of those that were asked; None where none was."""
        return self._full(self.seconds, self.unused_seconds)

    @property
    def full_usd(self) -> float | None:
        """US dollars as if every reply of the result had cost the mean of those asked; None where none was."""
        return self._full(self.usd, self.unused_usd, self.beside_usd)

    def _full(self, total: float | None, unused: float, beside: float = 0.0) -> float | None:
        if total is None:
            return None
        total -= unused
        if not self.from_cache:
            return total
        # What an earlier run paid for has no price and no time here, and would be neither free nor instant elsewhere.
        return (total - beside) * self.requests / self.asked + beside if self.asked else None

    def per_filing(self, total: float | None) -> float | None:
        """A total divided by the filings; None for an unknown total, and where no filing was shown."""
        return total / self.filings if total is not None and self.filings else None

    def per_thousand(self, total: float | None) -> float | None:
        """A total for a thousand filings like these; None as in `per_filing`."""
        return total / self.filings * PER if total is not None and self.filings else None


def machine_cost(seconds: float | None, usd_per_hour: float | None) -> float | None:
    """US dollars for a machine that is paid by the hour; None where time or price is unknown."""
    return seconds / 3600 * usd_per_hour if seconds is not None and usd_per_hour is not None else None


def by_model(runs: Iterable[RunFigures]) -> list[RunFigures]:
    """Complete runs of one model that asked in one way put together, in the order in which they are first met.

    A sum is unknown where a part of it is: time or dollars of some of the runs would be set against the filings of all.
    """
    groups: dict[tuple[str, str, str], list[RunFigures]] = defaultdict(list)
    for run in runs:
        if run.status == "complete":
            groups[run.model, run.kind, run.mode].append(run)
    return [_together(group) for group in groups.values()]


def _together(group: Sequence[RunFigures]) -> RunFigures:
    # A run that asked nothing counted nothing.
    bases = {run.basis for run in group if run.asked or not run.from_cache}
    return replace(
        group[0],
        runs=tuple(name for run in group for name in run.runs),
        filings=sum(run.filings or 0 for run in group),
        requests=sum(run.requests for run in group),
        from_cache=sum(run.from_cache for run in group),
        prompt_tokens=sum(run.prompt_tokens for run in group),
        cached_tokens=sum(run.cached_tokens for run in group),
        output_tokens=sum(run.output_tokens for run in group),
        reasoning_tokens=sum(run.reasoning_tokens for run in group),
        seconds=_sum(run.seconds for run in group),
        # Dollars by two ways of counting do not add up to anything.
        usd=_sum(run.usd for run in group) if len(bases) <= 1 else None,
        basis=next(iter(bases)) if len(bases) == 1 else None,
        unpriced=sum(run.unpriced for run in group),
        beside_usd=fsum(run.beside_usd for run in group),
        failed=sum(run.failed for run in group),
        unused=sum(run.unused for run in group),
        unused_seconds=fsum(run.unused_seconds for run in group),
        unused_usd=fsum(run.unused_usd for run in group),
    )


def _sum(values: Iterable[float | None]) -> float | None:
    known = []
    for value in values:
        if value is None:
            return None
        known.append(value)
    return fsum(known)
