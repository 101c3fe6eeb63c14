"""How often two matched quotes say the same: their figures, and the words that turn a meaning."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from fingreat.analysis.bootstrap import FilingBootstrap, ratio_of_sums
from fingreat.analysis.filings import Filings
from fingreat.analysis.ratio import Ratio
from fingreat.schema import Difference, Figures, Match

FIGURES: tuple[Figures, ...] = get_args(Figures)
DIFFERENCES: tuple[Difference, ...] = get_args(Difference)
_COLUMNS = ("matched", "equal", "near_miss", *FIGURES, *DIFFERENCES)


@dataclass(frozen=True)
class FidelityCounts:
    """What the matches of two runs say of their quotes.

    Attributes:
        filings: how many were counted, those without a match among them.
        matched: all matches.
        equal: those whose normal forms are equal, by words as by place.
        figures: matches by whether the figures of both quotes agree; every value is there.
        figures_agree: matches with the same figures, of all in which a figure stands.
        near_misses: matches of quotes that read alike and say something else, of all matches.
        kinds: near misses by what they differ in; one may differ in several kinds. Every kind is there.
    """

    filings: int
    matched: int
    equal: int
    figures: Mapping[Figures, int]
    figures_agree: Ratio
    near_misses: Ratio
    kinds: Mapping[Difference, int]


class FidelityTally:
    """Counts the matches of two runs filing by filing; which run is named first plays no part."""

    def __init__(self) -> None:
        self._filings = Filings()
        self._rows = array("I")

    def add(self, filing_id: str, matches: Sequence[Match]) -> None:
        """Count the matches of one filing; one without a match counts among the filings too.

        Raises:
            InputError: the filing was counted before, or a match is of another filing.
        """
        self._filings.check(filing_id, matches)
        counts: Counter[str] = Counter()
        for match in matches:
            counts["matched"] += 1
            counts["equal"] += match.equal == 1
            counts["near_miss"] += match.near_miss
            counts[match.figures] += 1
            counts.update(match.differs)
        self._filings.add(filing_id)
        self._rows.extend(counts[column] for column in _COLUMNS)

    def counts(self, bootstrap: FilingBootstrap | None = None) -> FidelityCounts:
        """What was counted so far, with intervals where draws are given.

        Raises:
            InputError: the draws are of another number of filings.
        """
        columns = dict(zip(_COLUMNS, self._filings.table(self._rows, len(_COLUMNS)).T, strict=True))
        matched = columns["matched"]
        bearing = columns["same"] + columns["more"] + columns["differ"]
        return FidelityCounts(
            filings=len(self._filings),
            matched=int(matched.sum()),
            equal=int(columns["equal"].sum()),
            figures={name: int(columns[name].sum()) for name in FIGURES},
            figures_agree=ratio_of_sums(columns["same"], bearing, bootstrap),
            near_misses=ratio_of_sums(columns["near_miss"], matched, bootstrap),
            kinds={name: int(columns[name].sum()) for name in DIFFERENCES},
        )
