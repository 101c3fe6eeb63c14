"""Records by the filing they belong to."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from fingreat.errors import InputError
from fingreat.schema import Extraction, GoldPassage, Match

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

T = TypeVar("T", Extraction, GoldPassage, Match)


def by_filing(records: Iterable[T]) -> dict[str, list[T]]:
    """Filing id → its records, both in the order in which they come."""
    parted: dict[str, list[T]] = {}
    for record in records:
        parted.setdefault(record.filing_id, []).append(record)
    return parted


class Filings:
    """The filings that a tally has counted, each once, in order."""

    def __init__(self) -> None:
        self._ids: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def check(self, filing_id: str, *sides: Iterable[Extraction | Match]) -> None:
        """Refuse a filing that was counted before, or records of another filing.

        Raises:
            InputError: it is so.
        """
        if filing_id in self._ids:
            raise InputError("was counted before.", where=f"filing {filing_id}")
        for records in sides:
            for record in records:
                if record.filing_id != filing_id:
                    kind = "an extraction" if isinstance(record, Extraction) else "a match"
                    raise InputError(f"was given {kind} of filing {record.filing_id}.", where=f"filing {filing_id}")

    def add(self, filing_id: str) -> None:
        """Note that a filing is counted."""
        self._ids[filing_id] = None

    def table(self, numbers: array[int], width: int) -> Array:
        """The numbers that a tally keeps of each filing, as rows in the order of the filings' ids.

        Draws are of rows. In this order they take the same filings wherever the same ones were counted, in whatever
        order that was.

        Args:
            numbers: `width` of each filing, in the order in which the filings were added.

        Returns:
            shape [filings, width].
        """
        import numpy as np

        ids = list(self._ids)
        rows: Array = np.array(numbers, dtype=np.int64).reshape(len(ids), width)
        return rows[sorted(range(len(ids)), key=ids.__getitem__)]
