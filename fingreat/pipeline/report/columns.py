"""Columns and notes that the tables of a report share."""

from __future__ import annotations

from fingreat.report import Column

MOST_ROWS = 2000
"""How many filings a table shows that has rows for each."""


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


def shares(*labels: str) -> tuple[Column, ...]:
    """Columns of shares."""
    return tuple(Column(label=label, kind="share") for label in labels)


def rates(*labels: str) -> tuple[Column, ...]:
    """Columns of numbers from 0 to 1."""
    return tuple(Column(label=label, kind="rate") for label in labels)


def numbers(*labels: str, digits: int = 3) -> tuple[Column, ...]:
    """Columns of numbers with so many decimals."""
    return tuple(Column(label=label, kind="number", digits=digits) for label in labels)


def left_out(filings: int) -> tuple[str, ...]:
    """The note on the filings that do not fit into a table, if there are any."""
    left = filings - MOST_ROWS
    return (f"The first {MOST_ROWS:,} filings; {left:,} more are left out.",) if left > 0 else ()
