"""Records by the filing they belong to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from fingreat.schema import Extraction, GoldPassage, Match

T = TypeVar("T", Extraction, GoldPassage, Match)


def by_filing(records: Iterable[T]) -> dict[str, list[T]]:
    """Filing id → its records, both in the order in which they come."""
    parted: dict[str, list[T]] = {}
    for record in records:
        parted.setdefault(record.filing_id, []).append(record)
    return parted
