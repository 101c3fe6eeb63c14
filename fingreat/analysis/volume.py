"""How much a run extracts: passages and characters, for one filing and in all."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles

from fingreat.analysis.filings import Filings
from fingreat.analysis.spans import covered, length
from fingreat.schema import Extraction


@dataclass(frozen=True)
class Volume:
    """What a run extracts, over all filings that it read.

    Attributes:
        extractions: in all.
        filings: that the run read.
        silent: filings in which it extracts nothing; they count in every figure for one filing.
        unplaced: extractions whose quote stands nowhere in the text.
        characters: code points of the text that it quotes, each counted once.
        lower_quartile, median, upper_quartile: extractions of a filing; between two filings they are interpolated, with
            the extremes as the 0 and 100 percentiles (`inclusive` in Python's statistics). None without filings.
    """

    extractions: int
    filings: int
    silent: int
    unplaced: int
    characters: int
    lower_quartile: float | None
    median: float | None
    upper_quartile: float | None

    @property
    def mean(self) -> float | None:
        """Extractions for one filing; None without filings."""
        return self.extractions / self.filings if self.filings else None

    @property
    def mean_characters(self) -> float | None:
        """Characters quoted for one filing; None without filings."""
        return self.characters / self.filings if self.filings else None


class VolumeTally:
    """Counts the extractions of one run filing by filing."""

    def __init__(self) -> None:
        self._filings = Filings()
        self._counts = array("q")
        self._unplaced = 0
        self._characters = 0

    def add(self, filing_id: str, extractions: Sequence[Extraction]) -> None:
        """Count one filing's extractions; none is a count too.

        Raises:
            InputError: the filing was counted before, or an extraction is of another filing.
        """
        self._filings.check(filing_id, extractions)
        self._counts.append(len(extractions))
        self._unplaced += sum(not x.ranges for x in extractions)
        self._characters += length(covered(extractions))
        self._filings.add(filing_id)

    def volume(self) -> Volume:
        """What was counted so far."""
        counts = list(self._counts)
        return Volume(sum(counts), len(counts), counts.count(0), self._unplaced, self._characters, *_quartiles(counts))


def _quartiles(counts: Sequence[int]) -> tuple[float, float, float] | tuple[None, None, None]:
    if not counts:
        return None, None, None
    # One filing alone has no quantiles in Python 3.11 and 3.12; twice the same has those of one.
    low, middle, high = quantiles(counts if len(counts) > 1 else [*counts, *counts], n=4, method="inclusive")
    return low, middle, high
