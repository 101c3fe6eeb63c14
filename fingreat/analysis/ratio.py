"""A share that keeps the two numbers behind it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """`hits` of `total`; `value` is None for 0 of 0, never 0, 1 or NaN."""

    hits: int
    total: int

    @property
    def value(self) -> float | None:
        """hits / total."""
        return self.hits / self.total if self.total else None
