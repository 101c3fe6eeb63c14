"""Axes of charts: round ticks, linear and logarithmic, and the words at them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

_TICKS = 5
"""About so many steps an axis has."""
_DECADES = 2.0
"""A logarithmic axis over more powers of ten than these has ticks at powers only."""


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, which are the values at its ends.

    Attributes:
        ticks: values from low to high, and the words at them.
        log: whether equal steps are equal factors.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    log: bool = False

    def place(self, value: float) -> float:
        """Where a value lies: 0 at the low end, 1 at the high one."""
        low, high, at = (math.log10(one) if self.log else one for one in (self.low, self.high, value))
        return (at - low) / (high - low)


def linear_axis(values: Iterable[float], *, shares: bool = False, ends: tuple[float, float] | None = None) -> Axis:
    """An axis whose ends are round values around all given ones: steps of 1, 2 or 5 times a power of ten.

    Args:
        values: at least one, all finite.
        shares: whether ticks are written in per cent.
        ends: what the axis does not go beyond, such as 0 and 1 for shares.
    """
    known = list(values)
    low, high = min(known), max(known)
    if low == high:
        spread = abs(low) / 2 or 0.5
        low, high = low - spread, high + spread
        if ends:
            low, high = max(low, ends[0]), min(high, ends[1])
    step = round_step((high - low) / _TICKS)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [number * step for number in range(first, last + 1)]
    return Axis(ticks[0], ticks[-1], tuple((tick, tick_text(tick, step, shares)) for tick in ticks))


def log_axis(values: Iterable[float]) -> Axis:
    """A logarithmic axis around all values, whose ends are 1, 2 or 5 times a power of ten, as are its ticks; a long one
    has ticks at powers of ten alone.

    Args:
        values: at least one, all above 0.
    """
    known = list(values)
    low, high = min(known), max(known)
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    every = [(step * 10.0**power, step) for power in powers for step in (1, 2, 5)]
    first = max(number for number, (tick, _) in enumerate(every) if tick <= low * (1 + 1e-9))
    last = min(number for number, (tick, _) in enumerate(every) if tick >= high * (1 - 1e-9))
    if first == last:
        first, last = first - 1, last + 1
    steps = (1,) if math.log10(high / low) > _DECADES else (1, 2, 5)
    ticks = tuple((tick, f"{float(f'{tick:.1g}'):,.10g}") for tick, step in every[first : last + 1] if step in steps)
    return Axis(every[first][0], every[last][0], ticks, log=True)


def round_step(least: float) -> float:
    """The smallest of 1, 2 or 5 times a power of ten that is at least so large."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def tick_text(tick: float, step: float, shares: bool) -> str:
    """A tick with as many decimals as its step needs."""
    digits = -math.floor(math.log10(step) + 1e-9)
    tick += 0.0  # no minus sign before 0
    return f"{tick:.{max(0, digits - 2)}%}" if shares else f"{tick:,.{max(0, digits)}f}"
