"""A list of filings and companies from a file: plain lines, CSV with a head, or JSON Lines such as filings.jsonl."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fingreat.edgar.remote.addresses import Named, cik_of, read_name
from fingreat.errors import InputError
from fingreat.runs import read_json_lines

_ACCESSIONS = ("accession", "accessionnumber", "accn", "adsh", "id", "url", "filename", "path")
_CIKS = ("cik", "cikstr", "ciknumber")
_TICKERS = ("ticker", "symbol")
_MOST_FAULTS = 5


def read_names(path: Path) -> list[Named]:
    """The filings and companies that a file lists, in its order.

    A plain line holds one name as `read_name` takes it; empty lines and those that begin with # are passed over. A CSV
    file (also one parted by tabs or semicolons) is known by its head, which names a column `accession`, `cik` or
    `ticker`, or one of the names that EDGAR and other tools use for them. JSON Lines hold objects with such keys.

    Raises:
        InputError: the file cannot be read, or lines name nothing; the first of them are told, with their numbers.
    """
    faults: list[str] = []
    names: list[Named] = []
    for number, row in _rows(path):
        try:
            names.append(_named(row) if isinstance(row, dict) else read_name(row))
        except InputError as error:
            faults.append(f"line {number}: {error.where or ''} {error.message}".replace("  ", " "))
    if faults:
        more = f"\n  and {len(faults) - _MOST_FAULTS} more" if len(faults) > _MOST_FAULTS else ""
        lines = "\n  ".join(faults[:_MOST_FAULTS])
        raise InputError(
            f"{len(faults)} of {len(faults) + len(names)} lines name no filing and no company:\n  {lines}{more}",
            where=str(path),
            hint="A line is an accession number, a CIK, a ticker or an address on www.sec.gov.",
        )
    if not names:
        raise InputError("lists nothing.", where=str(path), hint="Write an accession number, a CIK or a ticker a line.")
    return names


def _rows(path: Path) -> Iterator[tuple[int, str | dict[str, Any]]]:
    """Number and content of each line: a text, or its fields by name."""
    if path.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        for number, value in read_json_lines(path):
            yield number, value if isinstance(value, dict | str) else str(value)
        return
    lines = _lines(path)
    head = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    for mark in (",", "\t", ";"):
        columns = next(csv.reader([head], delimiter=mark), [])
        if any(_plain(column) in (*_ACCESSIONS, *_CIKS, *_TICKERS) for column in columns):
            # A field may hold line ends: the reader counts the lines.
            reader = csv.DictReader(lines, delimiter=mark)
            for fields in reader:
                yield reader.line_num, {key: value for key, value in fields.items() if key}
            return
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise InputError("is no UTF-8 text.", where=str(path)) from error


def _named(fields: dict[str, Any]) -> Named:
    """What a row names: its filing, with the company where both are given, else its company."""
    values = {_plain(key): str(value).strip() for key, value in fields.items() if value not in (None, "")}
    accession = next(_present(values, _ACCESSIONS), None)
    cik = next((found for text in _present(values, _CIKS) if (found := cik_of(text.removesuffix(".0")))), None)
    if accession is not None:
        named = read_name(accession)
        if named.kind == "accession":
            return Named("accession", accession=named.accession, cik=named.cik or cik)
    if cik is not None:
        return Named("cik", cik=cik)
    name = next(_present(values, _TICKERS), accession)
    if name is None:
        raise InputError("has neither an accession number nor a CIK nor a ticker.")
    return read_name(name)


def _present(values: dict[str, str], keys: Iterable[str]) -> Iterator[str]:
    return (values[key] for key in keys if key in values)


def _plain(key: str) -> str:
    return "".join(filter(str.isalnum, key)).lower()
