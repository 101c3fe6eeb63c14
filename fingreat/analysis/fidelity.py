"""How often two matched quotes say the same: their figures, and the words that turn a meaning."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from fingreat.analysis.bootstrap import FilingBootstrap, ratio_of_sums
from fingreat.analysis.ratio import Ratio
from fingreat.errors import InputError
from fingreat.schema import Difference, Figures, Match

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

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
        self._filings: set[str] = set()
        self._rows = array("I")

    def add(self, filing_id: str, matches: Iterable[Match]) -> None:
        """Count the matches of one filing; one without a match counts among the filings too.

        Raises:
            InputError: the filing was counted before, or a match is of another filing.
        """
        if filing_id in self._filings:
            raise InputError(f"the matches of filing {filing_id} were given twice.")
        counts: Counter[str] = Counter()
        for match in matches:
            if match.filing_id != filing_id:
                raise InputError(f"a match of filing {match.filing_id} was given as one of filing {filing_id}.")
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
        columns = self._columns()
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

    def _columns(self) -> dict[str, Array]:
        """One number for each filing, in the order in which they were added."""
        import numpy as np

        table = np.array(self._rows, dtype=np.int64).reshape(-1, len(_COLUMNS))
        return dict(zip(_COLUMNS, table.T, strict=True))
