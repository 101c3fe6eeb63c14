"""The panel as files: CSV for everything that reads tables, Parquet with a type for each column."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

from fingreat.analysis.panel import PanelRow
from fingreat.errors import MissingExtraError
from fingreat.runs import write_atomic
from fingreat.runs.files import replacing

CSV, PARQUET = "panel.csv", "panel.parquet"
COLUMNS: Mapping[str, type] = {
    "run": str,
    "filing_id": str,
    "cik": str,
    "company": str,
    "form": str,
    "filed": date,
    "period": date,
    "filing_year": int,
    "fiscal_year": int,
    "sic": str,
    "division": str,
    "total_assets": int,
    "edge": str,
    "category": str,
    "count": int,
    "total": int,
    "share": float,
    "covered": bool,
}
"""Of the panel's files, with the type of what stands in them where it is known."""


def write_rows(rows: Sequence[PanelRow], out: Path) -> tuple[Path, ...]:
    """Write `panel.csv`, and `panel.parquet` where polars is installed, with the same rows and columns.

    Returns:
        what was written.

    Raises:
        StorageError: the disk refused; every file is whole.
    """
    write_atomic(out / CSV, _csv(rows).encode("utf-8", "replace"))
    try:
        frame = panel_frame(rows)
    except MissingExtraError:
        return (out / CSV,)
    with replacing(out / PARQUET) as temporary:
        frame.write_parquet(temporary)
    return out / CSV, out / PARQUET


def panel_frame(rows: Sequence[PanelRow]) -> Any:
    """The panel as a polars data frame, each column of one type whatever the rows hold.

    Raises:
        MissingExtraError: polars is not installed.
    """
    try:
        polars: Any = import_module("polars")
    except ImportError as error:
        raise MissingExtraError("what makes data frames (polars)", 'pip install "fingreat[frames]"') from error
    types = {str: polars.String, int: polars.Int64, float: polars.Float64, bool: polars.Boolean, date: polars.Date}
    columns = {name: [getattr(row, name) for row in rows] for name in COLUMNS}
    return polars.DataFrame(columns, schema={name: types[kind] for name, kind in COLUMNS.items()})


def _csv(rows: Iterable[PanelRow]) -> str:
    """As tables are written (RFC 4180); dates as ISO 8601, what is not known as an empty field."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    writer.writerows([_field(getattr(row, name)) for name in COLUMNS] for row in rows)
    return file.getvalue()


def _field(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value
