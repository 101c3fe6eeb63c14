"""What a chart shows, and the words for it.

A colour always stands for a category of edges, so runs are told apart by lightness and by their order. Elements
carry the classes of the graph's drawing (`fg-…`), so that the page restyles them for dark paper, and each chart
says its values in words (`title`, `desc`) for readers who don't see it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from fingreat.errors import InputError
from fingreat.report.tables import DASH, Share, fraction, number_text, percent

Value = Share | float | None
"""A share, a number, or no value."""

MARGIN, GAP, SIZE, LINE = 16.0, 10.0, 12.0, 15.0
"""Around a chart, between names and what they name, of letters, and from line to line."""


def check_values(id: str, values: Iterable[Value], least: float = -math.inf) -> None:
    """Refuse a number that is not finite or is below `least`.

    Raises:
        InputError: with the figure's id and the number.
    """
    for value in values:
        if isinstance(value, (int, float)) and not (math.isfinite(value) and value >= least):
            raise InputError(f"{value} cannot be drawn.", where=f"figure '{id}'")


def number_of(value: Value) -> float | None:
    """The number of a value, None where it has none."""
    return value.value if isinstance(value, Share) else value


def lines_of(value: Value) -> tuple[str, ...]:
    """A value in lines: a share in per cent and its numbers, another number with two decimals."""
    if isinstance(value, Share):
        return (percent(value), fraction(value))
    return (DASH,) if value is None else (number_text(float(value), 2),)
