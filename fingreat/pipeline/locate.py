"""Under which registrant EDGAR has a filing of which only the accession number is known."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from threading import Lock

from fingreat.edgar.remote.addresses import FIRST_YEAR, index_path
from fingreat.edgar.remote.index import read_index
from fingreat.errors import BlockedError, FingreatError, InputError
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
        today: decides which quarters have begun.
    """

    def __init__(self, kept: KeptAnswers, accessions: Iterable[str], today: date | None = None) -> None:
        self._kept = kept
        self._wanted = frozenset(accessions)
        self._today = today or date.today()
        self._found: dict[str, str] = {}
        self._read: dict[tuple[int, int], FingreatError | None] = {}
        self._lock = Lock()

    def locate(self, accession: str) -> str | None:
        """The CIK of a registrant that filed it; None where no index names it.

        Raises:
            RemoteError: an index could not be fetched; it is not asked for again for other filings.
            InputError: an index is damaged.
        """
        two = int(accession.split("-")[1])
        year = two + (2000 if two < _CENTURY else 1900)
        quarters = ((one, quarter) for one in (year, year + 1) for quarter in (1, 2, 3, 4))
        with self._lock:
            for one, quarter in quarters:
                if accession in self._found:
                    break
                # A quarter that has not begun has no index.
                if one >= FIRST_YEAR and date(one, 3 * quarter - 2, 1) <= self._today:
                    self._look_into(one, quarter)
            return self._found.get(accession)

    def _look_into(self, year: int, quarter: int) -> None:
        if (year, quarter) not in self._read:
            try:
                self._take(year, quarter)
            except BlockedError:
                raise
            except FingreatError as error:
                self._read[year, quarter] = error
            else:
                self._read[year, quarter] = None
        before = self._read[year, quarter]
        if before is not None:
            raise before

    def _take(self, year: int, quarter: int) -> None:
        path = index_path(year, quarter)
        # One that came before the quarter was over is not complete.
        data = self._kept.get(path, "gzip", since=quarter_end(year, quarter))
        if data is None:
            return
        try:
            rows = read_index(data, name=path).rows
        except InputError:
            # One that was kept by an earlier process is asked for anew.
            rows = read_index(self._kept.get(path, "gzip", since=date.max) or b"", name=path).rows
        for row in rows:
            if row.accession in self._wanted:
                self._found.setdefault(row.accession, row.cik)
