"""A share that keeps the two numbers behind it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """A confidence interval by resampling.

    Attributes:
        low, high: its ends.
        used, empty: replicates that it was made from, and those without a value (0/0), which were left out.
    """

    low: float
    high: float
    used: int
    empty: int = 0


@dataclass(frozen=True)
class Ratio:
    """`hits` of `total`; `value` is None for 0 of 0, never 0, 1 or NaN.

    Attributes:
        interval: its confidence interval, where one was asked for and there is one.
    """

    hits: int
    total: int
    interval: Interval | None = None

    @property
    def value(self) -> float | None:
        """hits / total."""
        return self.hits / self.total if self.total else None
