"""The rows of EDGAR's indexes that a sample is drawn from; the corpus keeps the indexes as they came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from fingreat.edgar.decode import read_bytes
from fingreat.edgar.remote.addresses import index_path
from fingreat.edgar.remote.families import FormChoice
from fingreat.edgar.remote.index import IndexRow, Unreadable, read_index
from fingreat.errors import CorpusError, InputError, RemoteError
from fingreat.pipeline.kept import KeptAnswers
from fingreat.pipeline.local_files import safe_name
from fingreat.pipeline.locate import quarter_end
from fingreat.pipeline.years import spoken_years
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
        noted: what an earlier call's `as_noted` gave.
        fixed: years of which filings were drawn from what is noted: no other index counts for them, such as that of
            a quarter that has begun since.
        digests: SHA-256 of every index that was read, by its place in the corpus's edgar folder.
        remarks: what there is to say about the indexes of a year, such as that a quarter is not over.
        unreadable: rows that were left out, with the index they stand in.
    """

    corpus: Path
    kept: KeptAnswers
    forms: FormChoice
    today: date
    noted: Mapping[str, Any]
    fixed: frozenset[int]
    digests: dict[str, str] = field(default_factory=dict)
    remarks: dict[int, list[str]] = field(default_factory=dict)
    unreadable: list[tuple[str, Unreadable]] = field(default_factory=list)
    _given: list[IndexRow] | None = None

    def as_noted(self) -> dict[str, Any]:
        """What the corpus notes of the indexes, so that a later call draws from the same."""
        return {"indexes": self.digests, "remarks": {str(year): said for year, said in self.remarks.items() if said}}

    def take(self, paths: Iterable[Path], years: Iterable[int]) -> None:
        """Read index files at hand, copies of which the corpus keeps, gzip taken off; EDGAR is not asked for any then.

        Raises:
            InputError: a file is no index, or they hold nothing of one of the years.
        """
        rows: list[IndexRow] = []
        for path in paths:
            data = read_bytes(path)
            digest = sha256_hex(data)
            if digest in self.digests.values():
                continue
            # EDGAR calls the indexes of all quarters the same.
            name = f"given/{digest[:12]}-{safe_name(path.name)}"
            rows += self._read(name, data, str(path))
            write_atomic(self.corpus / "edgar" / name, data)
        missing = set(years) - {row.filed.year for row in rows}
        if missing:
            raise InputError(
                f"the index files hold no {self._forms} of {spoken_years(missing)}.",
                where="--index",
                hint="Give the indexes of all quarters of every year.",
            )
        self._given = rows

    def rows(self, year: int) -> list[IndexRow]:
        """All rows of the forms in a year of filing.

        Raises:
            RemoteError: an index could not be fetched, or EDGAR lacks one that it should have.
            InputError: an index cannot be read, or there is no such filing.
            CorpusError: an index is not the one that filings were drawn from.
        """
        self.remarks[year] = []
        before = [path for path in map(partial(index_path, year), _QUARTERS) if path.lstrip("/") in self._noted]
        if self._given is not None:
            rows = self._at_hand(year, self._given)
        elif year in self.fixed and before:
            self.remarks[year] += self.noted.get("remarks", {}).get(str(year), [])
            rows = [row for path in before for row in self._same(path)]
        else:
            rows = [row for quarter in _QUARTERS for row in self._quarter(year, quarter)]
        if not any(row.filed.year == year for row in rows):
            said = " ".join(f"In {year}, {remark}" for remark in self.remarks[year][:1])
            raise InputError(f"the indexes hold no {self._forms} of {year}.", where="--years", hint=said or None)
        return rows

    @property
    def _forms(self) -> str:
        return " or ".join(self.forms.forms)

    @property
    def _noted(self) -> Mapping[str, str]:
        """SHA-256 of the indexes that an earlier call read."""
        noted: Mapping[str, str] = self.noted.get("indexes", {})
        return noted

    def _at_hand(self, year: int, given: Iterable[IndexRow]) -> list[IndexRow]:
        rows = [row for row in given if row.filed.year == year]
        found = {(row.filed.month + 2) // 3 for row in rows}
        for quarter in _QUARTERS:
            if quarter not in found and _first_day(year, quarter) <= self.today:
                self.remarks[year].append(f"the index files hold no {self._forms} of quarter {quarter}.")
        return rows

    def _same(self, path: str) -> list[IndexRow]:
        """The rows of an index that filings were drawn from before."""
        name = path.lstrip("/")
        file = self.corpus / "edgar" / name
        try:
            data: bytes | None = file.read_bytes()
        except OSError:
            data = None
        if data is None or sha256_hex(data) != self._noted[name]:
            # EDGAR may still have the same.
            data = self.kept.get(path, "gzip")
        if data is None or sha256_hex(data) != self._noted[name]:
            raise CorpusError(
                "is not the index that filings were drawn from: its SHA-256 differs.",
                where=str(file),
                hint="Restore it from a copy, or draw another sample into a folder of its own.",
            )
        return self._read(name, data, name)

    def _quarter(self, year: int, quarter: int) -> list[IndexRow]:
        path, remarks = index_path(year, quarter), self.remarks[year]
        first, over = _first_day(year, quarter), quarter_end(year, quarter)
        if first > self.today:
            remarks.append(f"quarter {quarter} had not begun on {self.today}.")
            return []
        # One that came before the quarter was over is asked for anew, until filings are drawn from it.
        data = self.kept.get(path, "gzip", since=over)
        if data is None:
            current = self.today.year, (self.today.month + 2) // 3
            if first >= FIRST_COMPLETE and (year, quarter) != current:
                message, hint = "EDGAR has no such index, which it should have.", "Repeat the command later."
                raise RemoteError(message, where=path, hint=hint, status=404)
            remarks.append(f"EDGAR had no index of quarter {quarter} on {self.today}.")
            return []
        rows = self._read_fetched(path, data)
        if self.today < over:
            last = max((row.filed for row in rows), default=None)
            reach = f"reaches to {last}" if last else f"holds no {self._forms}"
            remarks.append(f"the index of quarter {quarter} was not final on {self.today}: it {reach}.")
        return rows

    def _read_fetched(self, path: str, data: bytes) -> list[IndexRow]:
        name = path.lstrip("/")
        try:
            return self._read(name, data, path)
        except InputError as error:
            # Kept, it would be in the way for good.
            (self.corpus / "edgar" / name).unlink(missing_ok=True)
            hint = "It is not kept; repeat the command to fetch it again."
            raise InputError(error.message, where=path, hint=hint) from error

    def _read(self, name: str, data: bytes, where: str) -> list[IndexRow]:
        index = read_index(data, self.forms.accepts, name=where)
        self.digests[name] = sha256_hex(data)
        self.unreadable += [(name, row) for row in index.unreadable]
        return index.rows


def _first_day(year: int, quarter: int) -> date:
    return date(year, 3 * quarter - 2, 1)
