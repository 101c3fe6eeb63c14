"""What a sample was drawn from and what became of the draws, year by year, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fingreat.report.tables import Column, Table

_COUNTS = ("rows", "filings", "firms", "drawn", "kept", "replaced", "open", "short")


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
        rows=(*rows, ("total", *total)),
        notes=(
            "Rows: of the wanted forms in the indexes. Filings: distinct accession numbers. Firms: distinct CIKs, of "
            "which each may be drawn once a year.",
            "Drawn: kept or replaced by the next of the seeded order. Open: could not be fetched yet. Short: places "
            "that no firm was left for.",
            *_remarks(noted.get("remarks")),
        ),
    )


def _counts(counts: Any) -> tuple[int | None, ...]:
    found = [counts.get(name) if isinstance(counts, Mapping) else None for name in _COUNTS]
    return tuple(count if type(count) is int and count >= 0 else None for count in found)


def _remarks(remarks: Any) -> Iterator[str]:
    """What was to be said about the indexes of a year."""
    for year, said in remarks.items() if isinstance(remarks, Mapping) else ():
        for remark in said if isinstance(said, list) else ():
            yield f"{year}: {remark}"
