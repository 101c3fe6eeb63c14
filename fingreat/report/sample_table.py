"""What a sample was drawn from and what became of the draws, year by year, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fingreat.report.tables import ALL, Column, Share, Table

_COUNTS = ("rows", "filings", "firms", "drawn", "kept", "replaced", "open", "short")
_STATES = ("absent", "by_reference", "unreadable", "not_found")


def sample_table(noted: Any) -> Table | None:
    """A row for each year, and their total; None where there is no finished sample.

    Args:
        noted: what the stage that draws samples noted in the corpus' manifest.
    """
    by_year = noted.get("by_year") if isinstance(noted, Mapping) else None
    if not isinstance(by_year, Mapping) or not by_year:
        return None
    rows = [(str(year), *_counts(counts)) for year, counts in by_year.items()]
    total = (sum(count or 0 for count in column) for column in list(zip(*rows, strict=True))[1:])
    return Table(
        id="corpus-sample",
        title="Sample by year",
        columns=(Column(label="year"), *(Column(label=name, kind="count") for name in _COUNTS)),
        rows=(*rows, (ALL, *total)),
        totals=1,
        notes=(
            "Rows: of the wanted forms in the indexes. Filings: distinct accession numbers. Firms: distinct CIKs of "
            "the year, each of which may be drawn once; their total counts a firm once for each year.",
            "Drawn: kept or replaced by the next of the seeded order. Open: could not be fetched yet. Short: places "
            "that no firm was left for.",
            *_remarks(noted.get("remarks")),
        ),
    )


def replaced_table(noted: Any) -> Table | None:
    """Why filings were replaced, a row for each year and one for all; None where none was, or nothing says why.

    Args:
        noted: as in `sample_table`.
    """
    by_year = noted.get("by_year") if isinstance(noted, Mapping) else None
    rows: list[tuple[str, list[int]]] = []
    for year, counts in by_year.items() if isinstance(by_year, Mapping) else ():
        reasons = counts.get("reasons") if isinstance(counts, Mapping) else None
        found = (*_counts(counts, ("drawn", "replaced")), *_counts(reasons, _STATES))
        known = [count for count in found if count is not None]
        if len(known) < len(found) or known[1] > known[0] or known[1] != sum(known[2:]):
            return None
        rows.append((str(year), known))
    sums = [sum(column) for column in zip(*(known for _, known in rows), strict=True)]
    if not rows or not sums[1]:
        return None
    return Table(
        id="corpus-replaced",
        title="Replaced filings by reason",
        columns=(
            Column(label="year"),
            Column(label="drawn", kind="count"),
            Column(label="replaced", kind="share"),
            *(Column(label=name, kind="count") for name in ("absent", "by reference", "unreadable", "not on EDGAR")),
        ),
        rows=tuple(
            (name, drawn, Share(k=replaced, n=drawn), *states)
            for name, (drawn, replaced, *states) in (*rows, (ALL, sums))
        ),
        totals=1,
        notes=(
            "Replaced: of the filings that were drawn. The next of the seeded order stands in the place of each, so "
            "the sample is one of the filings that have the item's text themselves.",
            "Absent: no such item in the filing. By reference: it points to a text that is not in the filing. "
            "Unreadable: the file cannot be read. Not on EDGAR: an index lists it, and EDGAR does not have it.",
        ),
    )


def _counts(counts: Any, names: Sequence[str] = _COUNTS) -> tuple[int | None, ...]:
    found = [counts.get(name) if isinstance(counts, Mapping) else None for name in names]
    return tuple(count if type(count) is int and count >= 0 else None for count in found)


def _remarks(remarks: Any) -> Iterator[str]:
    """What was to be said about the indexes of a year."""
    for year, said in remarks.items() if isinstance(remarks, Mapping) else ():
        for remark in said if isinstance(said, list) else ():
            yield f"{year}: {remark}"
