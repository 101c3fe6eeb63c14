"""Columns, cells and notes that several tables share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fingreat.analysis import Interval, Ratio
from fingreat.analysis.bootstrap import PERCENTILES
from fingreat.matching import MIN_OVERLAP
from fingreat.report.tables import Column, Points, Share
from fingreat.schema.graph import DEFAULT_GROUPING

FEW_FILINGS = 20
"""Fewer filings than these are few clusters by any reckoning (Cameron and Miller 2015, section VI)."""
_FEW_DRAWS = 1000
"""Percentiles of fewer draws than these are not to be relied on (Efron and Tibshirani 1993, section 19.3)."""
_NO_INTERVAL = "No interval stands where fewer than two filings add to a total."
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


def estimates(*labels: str) -> tuple[Column, ...]:
    """Columns of shares that were estimated, or of their standard errors."""
    return tuple(Column(label=label, kind="estimate") for label in labels)


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


def on_grouping(grouping: str) -> tuple[str, ...]:
    """The note on which grouping of the graph's edges gives a table's categories, where it is not the usual one."""
    return () if grouping == DEFAULT_GROUPING else (f"Categories of edges are those of the grouping “{grouping}”.",)


def on_intervals(found: Iterable[Interval | None], filings: int, seed: int) -> tuple[str, ...]:
    """The notes on what the intervals of a table are; why there are none, where a filing stands alone.

    Args:
        found: of every cell that could have one, None for those that have none.
        filings: that were drawn from.
        seed: of the draws.
    """
    given = list(found)
    if filings == 1 and not any(given):
        return ("Of one filing alone there are no intervals: they tell how filings differ.",)
    few = ("Of so few filings they are rough, and mostly too narrow.",) if filings < FEW_FILINGS else ()
    return _on_draws(given, f"whole filings: {filings:,} of the {filings:,} with replacement", seed, few)


def on_yearly_intervals(found: Iterable[Interval | None], filings: Iterable[int], seed: int) -> tuple[str, ...]:
    """The notes on intervals for each of which the filings of one year were drawn.

    Args:
        found: of every cell that could have one, None for those that have none.
        filings: of each year.
        seed: of the draws.
    """
    few = min(filings, default=FEW_FILINGS) < FEW_FILINGS
    told = ("Of a year with few filings they are rough, and mostly too narrow.",) if few else ()
    return _on_draws(list(found), "whole filings of a year, as many as it has, with replacement", seed, told)


def _on_draws(found: Sequence[Interval | None], drawn: str, seed: int, few: Sequence[str]) -> tuple[str, ...]:
    """How the intervals were drawn and what they do not tell, then why others are lacking."""
    intervals = [interval for interval in found if interval]
    lacking = (_NO_INTERVAL,) if len(intervals) < len(found) else ()
    if not intervals:
        return lacking
    draws = max(interval.used + interval.empty for interval in intervals)
    empty = max(interval.empty for interval in intervals)
    low, high = PERCENTILES
    told = [
        f"The {high - low:.0f}% intervals are from a bootstrap that draws {drawn}, {draws:,} times (seed {seed}); "
        f"their ends are the {low} and {high} percentiles."
    ]
    if empty:
        told.append(
            f"Draws in which a measure is 0/0 are left out, {empty:,} at most. Such measures come from few filings, "
            "and their intervals are rough."
        )
    told += few
    if draws < _FEW_DRAWS:
        told.append("The ends of so few draws are themselves uncertain.")
    # One draw has no width whatever it is of.
    if any(interval.low == interval.high and interval.used > 1 for interval in intervals):
        told.append(
            "An interval without width says that no filing differs from the others, not that a value is certain."
        )
    return (" ".join(told), *lacking)
