"""The list that edgar-crawler keeps of what it fetched: FILINGS_METADATA.csv, beside or above its raw files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TypeVar

from fingreat.edgar.decode import decode, read_bytes
from fingreat.edgar.describe import month_day
from fingreat.edgar.places import FORM, Told, read_place
from fingreat.edgar.remote.addresses import accession_of, cik_of
from fingreat.errors import InputError
from fingreat.schema.sic import sic_of

T = TypeVar("T")

NAME = "FILINGS_METADATA.csv"
_COLUMNS = (
    "CIK",
    "Company",
    "Type",
    "complete_text_file_link",
    "Filing Date",
    "Period of Report",
    "SIC",
    "Fiscal Year End",
    "filename",
)
_EMPTY = ("", "nan", "None")
_EXAMPLES = 3


@dataclass(frozen=True)
class FilingList:
    """A list of filings by the names of their files.

    Attributes:
        fault: what of it cannot be used, in words; None where all can.
    """

    rows: Mapping[str, Told] = field(default_factory=dict)
    fault: str | None = None


def read_list(path: Path) -> FilingList:
    """Read a list; what is damaged in it is said, and the rest is used.

    Its industry codes are those of the filing's landing page, which repeats the header's, and where that has none,
    the registrant's of the day of the crawl.
    """
    try:
        text, _ = decode(read_bytes(path))
    except InputError as error:
        return FilingList(fault=error.message)
    reader = csv.reader(io.StringIO(text, newline=""))
    rows: dict[str, Told] = {}
    damaged: list[str] = []
    head: list[str] = []
    total = 0
    try:
        head = next(reader, [])
        if "filename" not in head:
            return FilingList(fault="It has no column 'filename', so no row of it says which file it is about.")
        for values in reader:
            if values:
                total += 1
                damaged += [f"line {reader.line_num}: {fault}" for fault in _read_row(head, values, rows)]
    except csv.Error as error:
        damaged.append(f"line {reader.line_num}: {error}")
    return FilingList(rows, _fault([column for column in _COLUMNS if column not in head], damaged, total))


def _fault(missing: list[str], damaged: list[str], total: int) -> str | None:
    if not (missing or damaged):
        return None
    faults = [f"It has no column {', '.join(map(repr, missing))}."] if missing else []
    if damaged:
        more = f"; {len(damaged) - _EXAMPLES} more" if len(damaged) > _EXAMPLES else ""
        faults.append(f"Some of its {total} rows are damaged ({'; '.join(damaged[:_EXAMPLES])}{more}).")
    return " ".join([*faults, "The rest of it is used."])


def _read_row(head: list[str], values: list[str], rows: dict[str, Told]) -> list[str]:
    """Put what a row says under its file's name, and say what of it cannot be used."""
    if len(values) != len(head):
        return [f"{len(values)} values for {len(head)} columns"]
    row = {name: "" if text in _EMPTY else " ".join(text.split()) for name, text in zip(head, values, strict=True)}
    name = row["filename"]
    if not name:
        return ["no file name"]
    by_name = read_place(Path(name))
    faults: list[str] = []
    told = Told(
        accession=_value(row, "complete_text_file_link", accession_of, faults),
        cik=_value(row, "CIK", cik_of, faults),
        company=row.get("Company") or None,
        form=_value(row, "Type", lambda text: text if FORM.fullmatch(text) else None, faults),
        filed=_value(row, "Filing Date", _day, faults),
        period=_value(row, "Period of Report", _day, faults),
        sic=_value(row, "SIC", sic_of, faults),
        fiscal_year_end=_value(row, "Fiscal Year End", lambda text: month_day(text.zfill(4)), faults),
    )
    if _differ(by_name.accession, told.accession) or _differ(by_name.cik, told.cik):
        return [f"'filename' is that of another filing, {_shown(name)}"]
    if rows.setdefault(name, told) != told:
        faults.append(f"{_shown(name)} stands in an earlier row with other values")
    return faults


def _value(row: Mapping[str, str], column: str, read: Callable[[str], T | None], faults: list[str]) -> T | None:
    """What a value means; None where there is none, or a fault."""
    text = row.get(column, "")
    # EDGAR's own way to say that there is no code and no day.
    if not text.strip("0"):
        return None
    value = read(text)
    if value is None:
        faults.append(f"'{column}' is {_shown(text)}")
    return value


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) else None
    except ValueError:
        return None


def _differ(first: str | None, second: str | None) -> bool:
    return first is not None and second is not None and first != second


def _shown(text: str) -> str:
    return repr(text[:60])
