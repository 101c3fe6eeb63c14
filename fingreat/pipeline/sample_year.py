"""One year of a sample: whose turn it is, and what became of those whose turn it was. No file is touched here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date
from itertools import islice
from typing import Literal, get_args

from fingreat.edgar.remote.index import IndexRow
from fingreat.pipeline.draw import Draw
from fingreat.schema import Filing
from fingreat.schema.records import Record

Place = tuple[int, IndexRow]
"""A filing with its rank in the seeded order of its year, from 1."""


State = Literal["absent", "by_reference", "unreadable", "not_found"]
"""Why a filing was replaced: what its item is, or that EDGAR does not have it."""
STATES: tuple[State, ...] = get_args(State)


class Drawn(Record):
    """A filing that was drawn.

    Attributes:
        rank: its place in the seeded order of its year, from 1.
        outcome: `replaced` filings are not in the corpus; the next of the order stands in their place.
        state: why it was replaced, in a word.
        reason: the same in words.
        filing: its record, where it was kept.
    """

    year: int
    rank: int
    accession: str
    cik: str
    company: str
    form: str
    filed: date
    outcome: Literal["kept", "replaced"]
    state: State | None = None
    reason: str | None = None
    filing: Filing | None = None


class YearSample:
    """The draws of one year, decided in any order.

    Args:
        frame: the seeded order.
        wanted: how many filings.
        drawn: what was decided before.
    """

    def __init__(self, year: int, frame: Draw, wanted: int, drawn: Iterable[Drawn]) -> None:
        self.year = year
        self._frame = frame
        self._wanted = wanted
        self._drawn = {one.accession: one for one in drawn}
        self._open = 0
        self._ranks = {row.accession: rank for rank, row in enumerate(frame.order, 1)}
        self._waiting = (place for place in enumerate(frame.order, 1) if place[1].accession not in self._drawn)

    @property
    def misplaced(self) -> Drawn | None:
        """One that was decided before and has another place in this order, or none; None where all have theirs."""
        return next((one for one in self._drawn.values() if self._ranks.get(one.accession) != one.rank), None)

    @property
    def kept(self) -> int:
        """Filings that were kept."""
        return sum(one.filing is not None for one in self._drawn.values())

    @property
    def filings(self) -> list[Drawn]:
        """Those that were kept."""
        return [one for one in self._drawn.values() if one.filing is not None]

    def lose(self, one: Drawn) -> None:
        """One that was kept is no longer at hand and could not be had again this time: its place is open."""
        del self._drawn[one.accession]
        self._open += 1

    def due(self) -> list[Place]:
        """Those whose turn it is now: as many as are sure to be needed, whatever becomes of the open ones."""
        return list(islice(self._waiting, max(0, self._wanted - self.kept - self._open)))

    def decide(self, one: Drawn) -> None:
        """One of those whose turn it was is kept, or replaced by the next."""
        self._drawn[one.accession] = one

    def leave_open(self) -> None:
        """One of those whose turn it was could not be had this time: no other takes its place."""
        self._open += 1

    def counts(self) -> dict[str, int]:
        """Rows, filings and firms of the frame; `drawn = kept + replaced`; `kept + open + short` were wanted."""
        kept = self.kept
        return {
            "rows": self._frame.rows,
            "filings": self._frame.accessions,
            "firms": self._frame.firms,
            "drawn": len(self._drawn),
            "kept": kept,
            "replaced": len(self._drawn) - kept,
            "open": self._open,
            "short": self._wanted - kept - self._open,
        }

    def reasons(self) -> dict[str, int]:
        """The replaced filings by their state."""
        counts = Counter(one.state for one in self._drawn.values() if one.filing is None)
        return {state: counts[state] for state in STATES}
