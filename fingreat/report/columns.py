"""Columns, cells and notes that several tables share."""

from __future__ import annotations

from collections.abc import Iterable

from fingreat.analysis import Interval, Ratio
from fingreat.analysis.bootstrap import PERCENTILES
from fingreat.matching import MIN_OVERLAP
from fingreat.report.tables import Column, Points, Share

_FEW = 20
"""Fewer filings than these are few clusters by any reckoning (Cameron and Miller 2015, section VI)."""
MOST_ROWS = 2000
"""How many filings a table shows that has rows for each."""
MATCHED = (
    "Quotes of a filing are matched one to one, whatever their edges: of the pairs whose overlap (the largest of "
    f"equality, containment, shared fragments and common order of words) is at least {MIN_OVERLAP:.2f}, those with the "
    "largest total."
)
REFERENCE = "The reference is another run, not the truth."
TIES = (
    "Where a run quotes a passage twice under two edges, place, order and id decide which quote is matched with which. "
    "All that is said of edges here rests on that one assignment, and so do intervals."
)
COHORTS = "What a row counts goes by the reference's edge."
"""Notes that several tables have."""


def names(*labels: str) -> tuple[Column, ...]:
    """Columns of text that a reader sees once for rows that follow each other."""
    return tuple(Column(label=label, once=True) for label in labels)


def texts(*labels: str) -> tuple[Column, ...]:
    """Columns of text."""
    return tuple(Column(label=label) for label in labels)


def edges(*labels: str) -> tuple[Column, ...]:
    """Columns of edge ids."""
    return tuple(Column(label=label, kind="edge") for label in labels)


def filings() -> tuple[Column, ...]:
    """What names a filing: its id and its company."""
    return (Column(label="filing", kind="filing"), Column(label="company"))


def counts(*labels: str) -> tuple[Column, ...]:
    """Columns of whole numbers."""
    return tuple(Column(label=label, kind="count") for label in labels)


def spares(*labels: str) -> tuple[Column, ...]:
    """Columns of whole numbers that follow from the shares beside them."""
    return tuple(Column(label=label, kind="count", spare=True) for label in labels)


def shares(*labels: str) -> tuple[Column, ...]:
    """Columns of shares."""
    return tuple(Column(label=label, kind="share") for label in labels)


def points(*labels: str) -> tuple[Column, ...]:
    """Columns of differences of shares."""
    return tuple(Column(label=label, kind="points") for label in labels)


def rates(*labels: str) -> tuple[Column, ...]:
    """Columns of numbers from 0 to 1."""
    return tuple(Column(label=label, kind="rate") for label in labels)


def numbers(*labels: str, digits: int = 3) -> tuple[Column, ...]:
    """Columns of numbers with so many decimals."""
    return tuple(Column(label=label, kind="number", digits=digits) for label in labels)


def share(ratio: Ratio) -> Share:
    """A measured ratio as a cell."""
    return Share(k=ratio.hits, n=ratio.total, interval=_ends(ratio.interval))


def gain(ratio: Ratio, other: Ratio, interval: Interval | None) -> Points | None:
    """One measured ratio less another as a cell, None where either has no value.

    Args:
        interval: of the difference.
    """
    if ratio.value is None or other.value is None:
        return None
    return Points(value=ratio.value - other.value, interval=_ends(interval))


def _ends(interval: Interval | None) -> tuple[float, float] | None:
    return (interval.low, interval.high) if interval else None


def left_out(filings: int) -> tuple[str, ...]:
    """The note on the filings that do not fit into a table, if there are any."""
    left = filings - MOST_ROWS
    return (f"The first {MOST_ROWS:,} filings; {left:,} more are left out.",) if left > 0 else ()


def on_intervals(found: Iterable[Interval | None], filings: int, seed: int) -> tuple[str, ...]:
    """The note on what the intervals of a table are; why there are none, where a filing stands alone.

    Args:
        filings: that were drawn from.
        seed: of the draws.
    """
    intervals = [interval for interval in found if interval]
    if not intervals:
        return ("Of one filing alone there are no intervals: they tell how filings differ.",) if filings == 1 else ()
    draws = max(interval.used + interval.empty for interval in intervals)
    empty = max(interval.empty for interval in intervals)
    low, high = PERCENTILES
    note = (
        f"The {high - low:.0f}% intervals are from a bootstrap that draws whole filings: {filings:,} of the "
        f"{filings:,} with replacement, {draws:,} times (seed {seed}); their ends are the {low} and {high} percentiles."
    )
    if empty:
        note += f" Draws in which a measure is 0/0 are left out, {empty:,} at most."
    if filings < _FEW:
        note += " Of so few filings they are rough, and mostly too narrow."
    return (note,)
