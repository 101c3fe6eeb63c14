"""The rows of EDGAR's indexes that a sample is drawn from; the corpus keeps the indexes as they came."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from fingreat.edgar.decode import read_bytes
from fingreat.edgar.remote.addresses import index_path
from fingreat.edgar.remote.families import FormChoice
from fingreat.edgar.remote.index import IndexRow, Unreadable, read_index
from fingreat.errors import InputError, RemoteError
from fingreat.pipeline.kept import KeptAnswers
from fingreat.pipeline.local_files import safe_name
from fingreat.runs import write_atomic
from fingreat.schema import sha256_hex

FIRST_COMPLETE = date(1994, 7, 1)
"""From this quarter on EDGAR documents an index of every quarter."""
_QUARTERS = (1, 2, 3, 4)


@dataclass
class Frame:
    """The rows of some forms, year by year, from index files at hand or from EDGAR's own.

    Attributes:
        corpus: the corpus folder, held by this process.
        today: decides which quarters have begun.
        note: called with what there is to say about an index.
        digests: SHA-256 of every index that was read, by its place in the corpus's edgar folder.
        unreadable: rows that were left out, with the index they stand in.
    """

    corpus: Path
    kept: KeptAnswers
    forms: FormChoice
    today: date
    note: Callable[[str], None]
    digests: dict[str, str] = field(default_factory=dict)
    unreadable: list[tuple[str, Unreadable]] = field(default_factory=list)
    _given: list[IndexRow] | None = None

    def take(self, paths: Iterable[Path], years: Iterable[int]) -> None:
        """Read index files at hand, copies of which the corpus keeps; EDGAR's own are not asked for then.

        Raises:
            InputError: a file is no index, or they hold nothing of one of the years.
        """
        rows = []
        for path in paths:
            data = read_bytes(path)
            name = f"given/{safe_name(path.name)}"
            if name in self.digests:
                raise InputError("two index files have one name.", where=str(path), hint="Rename one of them.")
            write_atomic(self.corpus / "edgar" / name, data)
            rows += self._read(name, data, sha256_hex(data))
        missing = set(years) - {row.filed.year for row in rows}
        if missing:
            raise InputError(
                f"the index files hold no {' or '.join(self.forms.forms)} of {min(missing)}.",
                where="--index",
                hint="Give the indexes of all quarters of every year.",
            )
        self._given = rows

    def rows(self, year: int) -> list[IndexRow]:
        """All rows of the forms in a year of filing.

        Raises:
            RemoteError: an index could not be fetched.
            InputError: an index cannot be read.
        """
        if self._given is not None:
            return [row for row in self._given if row.filed.year == year]
        rows: list[IndexRow] = []
        for quarter in _QUARTERS:
            rows += self._quarter(year, quarter)
        return rows

    def _quarter(self, year: int, quarter: int) -> list[IndexRow]:
        path, first = index_path(year, quarter), date(year, 3 * quarter - 2, 1)
        if first > self.today:
            self.note(f"{year}: quarter {quarter} has not begun.")
            return []
        # Whatever came stays, also of a quarter that is not over: the same index gives the same sample.
        data = self.kept.get(path, "gzip", since=date.min)
        if data is None:
            if first >= FIRST_COMPLETE:
                message, hint = "EDGAR has no such index, which it should have.", "Repeat the command later."
                raise RemoteError(message, where=path, hint=hint, status=404)
            self.note(f"{year}: EDGAR has no index of quarter {quarter}.")
            return []
        rows = self._read(path.lstrip("/"), data, sha256_hex(data))
        if (year, quarter) == (self.today.year, (self.today.month + 2) // 3):
            last = max((row.filed for row in rows), default=None)
            self.note(f"{year}: quarter {quarter} is not over; its index, as kept, reaches to {last or 'no day'}.")
        return rows

    def _read(self, name: str, data: bytes, digest: str) -> list[IndexRow]:
        index = read_index(data, self.forms.accepts, name=name)
        self.digests[name] = digest
        self.unreadable += [(name, row) for row in index.unreadable]
        return index.rows
