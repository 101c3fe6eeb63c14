"""A list of filings and companies from a file: plain lines, CSV with a head, or JSON Lines such as filings.jsonl."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from fingreat.edgar.remote.addresses import Named, accession_of, cik_of, read_name
from fingreat.errors import InputError
from fingreat.runs import read_json_lines

_NUMBERS = ("accession", "accessionnumber", "accessionno", "accessionnum", "accnum", "accn", "adsh")
"""Columns of accession numbers, by their letters and digits, in the order in which they count."""
_PLACES = ("id", "url", "link", "filename", "fname", "path")
"""Columns in which there may be one, in an address or a path."""
_CIKS = ("cik", "cikstr", "ciknumber")
_TICKERS = ("ticker", "tickersymbol", "symbol")
_COLUMNS = frozenset((*_NUMBERS, *_PLACES, *_CIKS, *_TICKERS))
_YEARS = frozenset(("year", "years", "fyear", "fiscalyear", "filingyear", "fy"))
"""Columns by which a reader may think that filings are chosen."""
_MARKS = (",", "\t", ";", "|")
_MOST_FAULTS = 5


def read_names(path: Path, base: str | None = None, note: Callable[[str], None] = lambda text: None) -> list[Named]:
    """The filings and companies that a file lists, in its order.

    A plain line holds one name as `read_name` takes it, or is one of a master index. A CSV file (parted by commas,
    tabs, semicolons or bars) is known by its head, which names a column `accession`, `cik` or `ticker`, or one of the
    names that EDGAR and other tools use for them. Empty lines and those that begin with # are passed over in both.
    JSON Lines hold objects with such keys, or names. A row means its filing, and its company only where it holds no
    accession number.

    Args:
        base: address of the server that stands in for SEC's, as in `read_name`.
        note: told once where a column of years does not choose among the filings of the companies listed.

    Raises:
        InputError: the file cannot be read, its head names no such column or one twice, or lines name nothing; the
            first of them are told, with their numbers.
    """
    faults: list[str] = []
    names: list[Named] = []
    unused: dict[str, None] = {}
    for number, row in _rows(path):
        if isinstance(row, dict):
            unused |= dict.fromkeys(key for key in row if _plain(key) in _YEARS)
        try:
            # The last field of an index's line is the filing's path.
            names.append(_named(row, base) if isinstance(row, dict) else read_name(row.rpartition("|")[2], base))
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
    if unused and not all(name.accession for name in names):
        note(f"{path}: column {next(iter(unused))} is not used; --years chooses years of filing for all companies.")
    return names


def _rows(path: Path) -> Iterator[tuple[int, str | dict[str, Any]]]:
    """Number and content of each line: a text, or its fields by name."""
    if path.name.lower().endswith((".jsonl", ".ndjson")):
        for number, value in read_json_lines(path):
            yield number, value if isinstance(value, dict) else _text(value) or ""
        return
    # The line ends of text files only: a name may hold what else Python takes for one.
    lines = _read(path).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = ["" if line.lstrip().startswith("#") else line for line in lines]
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    mark = _mark(lines[first:])
    if mark is None:
        _check_plain(path, [line for line in lines if line.strip()])
        yield from ((number, line) for number, line in enumerate(lines, 1) if line.strip())
        return
    try:
        # A field may hold line ends: the reader counts the lines. Strict, or a quote that is left open hides the rest.
        text = (f"{line}\n" for line in lines[first:])
        reader = csv.DictReader(text, delimiter=mark, skipinitialspace=True, strict=True)
        _check_head(path, reader.fieldnames or [])
        for fields in reader:
            if any(fields.values()):
                yield first + reader.line_num, {key: value for key, value in fields.items() if key}
    except csv.Error as error:
        where = f"{path}, line {first + reader.line_num + 1}"
        raise InputError(f"cannot be read as CSV ({error}).", where=where) from None


def _mark(lines: list[str]) -> str | None:
    """What parts the fields of a file that begins with a head; None for plain lines."""
    for mark in _MARKS if lines else ():
        columns = next(csv.reader([lines[0][:10_000]], delimiter=mark, skipinitialspace=True), [])
        known = _COLUMNS.intersection(map(_plain, columns))
        if known and (len(columns) > 1 or known.intersection(_TICKERS) or not _is_ticker(lines[1:])):
            return mark
    return None


def _check_head(path: Path, columns: Sequence[str]) -> None:
    """Refuse a head in which a column that is read stands twice: one of them would count, and the other not."""
    names = Counter(map(_plain, columns))
    twice = next((column for column in columns if _plain(column) in _COLUMNS and names[_plain(column)] > 1), None)
    if twice is not None:
        raise InputError(f"column {twice} stands twice in its head.", where=str(path), hint="Leave one of them out.")


def _check_plain(path: Path, lines: list[str]) -> None:
    """Refuse a table whose head names no column that is read; its lines would be taken for names, or for nothing."""
    kinds = [_kind(line.rpartition("|")[2]) for line in lines]
    table = path.name.lower().endswith((".csv", ".tsv"))
    several = any(mark in line for mark in _MARKS for line in lines[:1])
    # A column such as gvkey: a word that could be a ticker, with numbers below it that could be CIKs.
    one = table and kinds[:1] == ["ticker"] and len(kinds) > 1 and "ticker" not in kinds[1:]
    if (several and kinds[0] is None) or one:
        raise InputError(
            "no column of its head is accession, cik or ticker.",
            where=str(path),
            hint="Call one of them so in the first line, or write one name a line.",
        )


def _kind(text: str) -> str | None:
    try:
        return read_name(text).kind
    except InputError:
        return None


def _is_ticker(lines: list[str]) -> bool:
    """Whether a ticker follows: then ID, PATH or CIK above it is one, too."""
    return _kind(next((line for line in lines if line.strip()), "")) == "ticker"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise InputError("is no UTF-8 text.", where=str(path), hint="Save it as UTF-8.") from error


def _named(fields: dict[str, Any], base: str | None) -> Named:
    """What a row names: its filing, with the company where both are given, else its company."""
    values = {_plain(key): text for key, value in fields.items() if (text := _text(value))}
    cik = next((found for text in _present(values, _CIKS) if (found := cik_of(text.removesuffix(".0")))), None)
    filing = _filing(values, base)
    if filing is not None:
        return Named("accession", accession=filing.accession, cik=filing.cik or cik)
    if cik is not None:
        return Named("cik", cik=cik)
    named = [*_present(values, _TICKERS), *(text for text in _present(values, _PLACES) if "/" in text)]
    if not named:
        raise InputError("has neither an accession number nor a CIK nor a ticker.")
    return read_name(named[0], base)


def _filing(values: dict[str, str], base: str | None) -> Named | None:
    """The filing that a row names; never all filings of its company in place of one whose number is damaged."""
    for text in _present(values, _NUMBERS):
        try:
            named = read_name(text, base)
        except InputError as error:
            raise error if accession_of(text) else InputError(f"{text[:80]!r} is no accession number.") from None
        if named.kind != "accession":
            raise InputError(f"{text[:80]!r} is no accession number.")
        return named
    if "sha256" in values:
        # A line of a corpus: digits of the checksum that stands for an unknown number may look like one.
        text = values.get("id", "")
        if accession_of(text) != text:
            raise InputError(f"{text[:80]!r} is a filing whose accession number is not known.")
        return read_name(text, base)
    places = (text for text in _present(values, _PLACES) if accession_of(text))
    return next((read_name(text, base) for text in places), None)


def _text(value: object) -> str | None:
    """A field as text; None for what holds no name."""
    return str(value).strip() or None if isinstance(value, str | int) and not isinstance(value, bool) else None


def _present(values: dict[str, str], keys: Iterable[str]) -> Iterator[str]:
    return (values[key] for key in keys if key in values)


def _plain(key: str) -> str:
    return "".join(filter(str.isalnum, key)).lower()
