"""Under which registrant EDGAR has a filing of which only the accession number is known."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from threading import Lock

from fingreat.edgar.remote.addresses import index_path
from fingreat.edgar.remote.index import read_index
from fingreat.pipeline.kept import KeptAnswers

_WEEK = timedelta(days=7)
_CENTURY = 50
"""Two digits of a year below this are those of 20xx."""


def quarter_end(year: int, quarter: int) -> date:
    """The day from which on a quarter's index is complete: indexes are made anew until a Saturday after its end."""
    return date(year + quarter // 4, 3 * quarter % 12 + 1, 1) + _WEEK


class Locator:
    """Looks filings up in the quarterly indexes of the year in their number, and of the next.

    Args:
        accessions: those that may be asked for; each index is read once, for all of them.
    """

    def __init__(self, kept: KeptAnswers, accessions: Iterable[str]) -> None:
        self._kept = kept
        self._wanted = frozenset(accessions)
        self._found: dict[str, str] = {}
        self._years: set[int] = set()
        self._lock = Lock()

    def locate(self, accession: str) -> str | None:
        """The CIK of a registrant that filed it; None where no index names it.

        Raises:
            RemoteError: an index could not be fetched.
            InputError: an index is damaged.
        """
        two = int(accession.split("-")[1])
        year = two + (2000 if two < _CENTURY else 1900)
        with self._lock:
            for one in (year, year + 1):
                if accession not in self._found and one not in self._years:
                    self._read(one)
            return self._found.get(accession)

    def _read(self, year: int) -> None:
        for quarter in (1, 2, 3, 4):
            # A quarter that has not begun has no index, and one that came before the quarter was over is not complete.
            data = self._kept.get(index_path(year, quarter), "gzip", since=quarter_end(year, quarter))
            if data is None:
                continue
            for row in read_index(data).rows:
                if row.accession in self._wanted:
                    self._found.setdefault(row.accession, row.cik)
        self._years.add(year)
