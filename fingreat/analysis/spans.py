"""Which characters of the text two runs quote, without any matching of their quotes.

One run's passage may be two of another's: matching pairs one of them and leaves the other, characters tell how much of
the text both take for evidence. Edges play no part.

A quote that stands in several places claims one of them: beside another run the one that this run quotes most of, for
nobody knows which of them was meant, and by place the two are matched as well. By itself, or where several are quoted
equally, it claims the first.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fingreat.analysis.agreement import Side
from fingreat.analysis.bootstrap import ratio_of_sums
from fingreat.analysis.filings import Filings
from fingreat.analysis.ratio import Ratio
from fingreat.schema import Extraction

if TYPE_CHECKING:
    from fingreat.analysis.bootstrap import FilingBootstrap

Place = tuple[int, int]
_FIELDS = ("n_a", "n_b", "both", "unplaced_a", "unplaced_b")


@dataclass(frozen=True)
class CharacterAgreement:
    """The characters that a run quotes against those that a reference quotes, summed over filings.

    Attributes:
        n, n_reference: code points of the text that the run and the reference quote, each counted once; of several
            equal places those that the other one quotes.
        recall: those that both quote, of the reference's.
        jaccard: those that both quote, of those that either quotes; the same in both directions.
        n_unplaced, n_reference_unplaced: extractions whose quote stands nowhere in the text; they quote no characters.
    """

    n: int
    n_reference: int
    recall: Ratio
    jaccard: Ratio
    n_unplaced: int
    n_reference_unplaced: int


class CharacterTally:
    """Counts the characters that two runs, A and B, quote, filing by filing."""

    def __init__(self) -> None:
        self._filings = Filings()
        self._rows = array("q")

    def add(self, filing_id: str, a: Sequence[Extraction], b: Sequence[Extraction]) -> None:
        """Count one filing's extractions of both runs.

        Raises:
            InputError: the filing was counted before, or an extraction is of another filing.
        """
        self._filings.check(filing_id, a, b)
        of_a, of_b = covered_beside(a, b), covered_beside(b, a)
        unplaced = (sum(not x.ranges for x in side) for side in (a, b))
        self._rows.extend((length(of_a), length(of_b), shared(of_a, of_b), *unplaced))
        self._filings.add(filing_id)

    def agreement(self, reference: Side = "b", bootstrap: FilingBootstrap | None = None) -> CharacterAgreement:
        """What was counted so far, with intervals where draws of as many filings are given.

        Raises:
            InputError: the draws are of another number of filings.
        """
        of_a, of_b, both, unplaced_a, unplaced_b = self._filings.table(self._rows, len(_FIELDS)).T
        run, other = (of_a, of_b) if reference == "b" else (of_b, of_a)
        lost, lost_there = (unplaced_a, unplaced_b) if reference == "b" else (unplaced_b, unplaced_a)
        return CharacterAgreement(
            n=int(run.sum()),
            n_reference=int(other.sum()),
            recall=ratio_of_sums(both, other, bootstrap),
            jaccard=ratio_of_sums(both, run + other - both, bootstrap),
            n_unplaced=int(lost.sum()),
            n_reference_unplaced=int(lost_there.sum()),
        )


def first_place(extraction: Extraction) -> tuple[Place, ...]:
    """The characters an extraction claims: all pieces of an elided quote, the first of several equal places."""
    return extraction.ranges[:1] if extraction.ambiguous else extraction.ranges


def covered(extractions: Iterable[Extraction]) -> list[Place]:
    """The characters that extractions of one filing claim, as ranges in order that neither overlap nor touch."""
    return _merged(place for extraction in extractions for place in first_place(extraction))


def covered_beside(extractions: Iterable[Extraction], others: Iterable[Extraction]) -> list[Place]:
    """`covered`, where of several equal places the one counts that another run's extractions quote most of."""
    there = _merged(place for other in others for place in other.ranges)

    def claimed(extraction: Extraction) -> Sequence[Place]:
        if extraction.ambiguous and extraction.ranges:
            return (max(extraction.ranges, key=lambda place: shared((place,), there)),)
        return extraction.ranges

    return _merged(place for extraction in extractions for place in claimed(extraction))


def _merged(places: Iterable[Place]) -> list[Place]:
    found: list[Place] = []
    for start, end in sorted(places):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        elif start < end:
            found.append((start, end))
    return found


def length(places: Iterable[Place]) -> int:
    """How many characters ranges that don't overlap hold."""
    return sum(end - start for start, end in places)


def shared(a: Sequence[Place], b: Sequence[Place]) -> int:
    """How many characters stand in both, each of them ranges in order that don't overlap."""
    total = i = j = 0
    while i < len(a) and j < len(b):
        total += max(0, min(a[i][1], b[j][1]) - max(a[i][0], b[j][0]))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return total
