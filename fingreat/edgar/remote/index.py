"""EDGAR's index files: form.idx, company.idx and master.idx, quarterly and daily, plain or gzipped.

A file begins with some lines about itself, then comes the line that names the columns, a line of dashes, and a row for
each filer of each filing. How many lines stand before the rows and how wide the columns are has changed over the
years, names run past their column, and rows have wider columns than the header says: so the header is looked for, the
fields without blanks are taken from the right, and only the gap between form and company tells these two apart.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from typing import BinaryIO, NamedTuple

from fingreat.errors import InputError

HEADER_WITHIN = 1000
"""Lines among which the header must be."""
MOST_UNREADABLE = 10_000
"""A file with more unreadable rows than that is refused, so that no file can fill the memory with them."""
_LONGEST_LINE = 4096
_LONGEST_FORM = 20
_SHOWN = 160
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_COMPANY, _FORM = rb"Company(?: Name)?", rb"Form(?: Type)?"
_PIPES = re.compile(
    rb"\s*CIK\s*\|\s*" + _COMPANY + rb"\s*\|\s*" + _FORM + rb"\s*\|\s*Date[^|]*\|\s*File ?name\s*", re.IGNORECASE
)
_BY_FORM = re.compile(rb"\s*" + _FORM + rb"\s+" + _COMPANY + rb"\s+CIK\b", re.IGNORECASE)
_BY_COMPANY = re.compile(rb"\s*" + _COMPANY + rb"\s+" + _FORM + rb"\s+CIK\b", re.IGNORECASE)
_NO_ROW = re.compile(rb"[-\s]*")
"""A blank line, or one of dashes."""
_FORM_NAME = re.compile(rb"[A-Za-z0-9][!-~]*(?: [!-~]+)*")
_CIK = re.compile(rb"0*([1-9]\d{0,9})")
_DATE = re.compile(rb"\d{4}-\d\d-\d\d|\d{8}")
_PATH = re.compile(rb"edgar/data/\d{1,10}/(?:(?P<folder>\d{18})/)?(?P<accession>\d{10}-\d\d-\d{6})\.txt")
_UNPRINTABLE = re.compile(r"[^\x20-\x7e\xa0-\xff]")


class IndexRow(NamedTuple):
    """A filing of a filer. A filing of several filers has a row for each, with one accession.

    Attributes:
        form: as the index writes it, such as `10-K405/A`.
        cik: Central Index Key of the filer, without leading zeros.
        company: its name with its own characters, double blanks included.
        filed: date of filing.
        accession: with dashes. Its first ten digits are the CIK of whoever sent it, often not the filer.
        path: of the full submission, below `/Archives/`.
    """

    form: str
    cik: str
    company: str
    filed: date
    accession: str
    path: str


class Unreadable(NamedTuple):
    """A row that cannot be read: its line, counted from 1, the beginning of its text, and why."""

    line: int
    text: str
    reason: str


class Index(NamedTuple):
    """What an index holds.

    Attributes:
        rows: those of the wanted forms, in the order of the file.
        unreadable: rows that were left out, whatever their form.
        passed_over: how many rows have other forms. Their CIK, date and path are not looked at.
    """

    rows: list[IndexRow]
    unreadable: list[Unreadable]
    passed_over: int


Fields = tuple[bytes, bytes, bytes, bytes, bytes]
"""Form, company, CIK, date and path of a row, as they stand in the file."""
Split = Callable[[bytes], Fields | None]


def read_index(data: bytes | BinaryIO, wanted: Callable[[str], bool] | None = None, *, name: str = "index") -> Index:
    """Read an index of any kind; only the rows of wanted forms are parsed and kept.

    Names are UTF-8, or Latin-1 where a row is no valid UTF-8.

    Args:
        data: the file's bytes, or a binary stream at its beginning that can seek; gzip is undone.
        wanted: whether a form's rows are wanted; called once for each form. All are if it is None.
        name: of the file, for messages.

    Raises:
        InputError: this is no index, its gzip data is cut or damaged, or no row, or too few, can be read.
    """
    stream = io.BytesIO(data) if isinstance(data, bytes) else data
    start = stream.read(len(_GZIP))
    stream.seek(-len(start), io.SEEK_CUR)
    try:
        lines = _lines(io.BufferedReader(gzip.GzipFile(fileobj=stream)) if start == _GZIP else stream)
        return _read_rows(lines, _find_header(lines, name), wanted, name)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"The gzip data is cut or damaged: {error}.", where=name, hint="Fetch it again.") from None


def _lines(stream: BinaryIO | io.BufferedReader) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers, from 1; of a longer one than any row only the beginning."""
    number, whole = 1, True
    for piece in iter(partial(stream.readline, _LONGEST_LINE), b""):
        if whole:
            yield number, piece
        whole = piece.endswith(b"\n")
        number += whole


def _find_header(lines: Iterator[tuple[int, bytes]], name: str) -> Split:
    """Go past the line that names the columns; returned is how the rows below it are split."""
    first = ""
    for number, line in lines:
        line = line.removeprefix(_BOM)
        if _PIPES.fullmatch(line):
            return _split_pipes
        by_form = _BY_FORM.match(line) is not None
        if by_form or _BY_COMPANY.match(line):
            if b"file" not in line.lower():
                # Daily files by company break the header in two.
                next(lines, None)
            column = line.lower().index(b"company" if by_form else b"form")
            return partial(_split_by_form if by_form else _split_by_company, column)
        first = first or _shown(line)[:60]
        if number == HEADER_WITHIN:
            break
    what = f"No line names its columns, and it begins with {first!r}" if first else "It is empty"
    raise InputError(f"This is no index of EDGAR. {what}.", where=name, hint="Fetch it again.")


def _read_rows(
    lines: Iterator[tuple[int, bytes]], split: Split, wanted: Callable[[str], bool] | None, name: str
) -> Index:
    rows: list[IndexRow] = []
    unreadable: list[Unreadable] = []
    passed_over = 0
    # Text of the form if it is wanted, "" if not: nearly all rows end at this look-up.
    forms: dict[bytes, str] = {}
    for number, line in lines:
        fields = split(line)
        form = forms.get(fields[0]) if fields else None
        if fields and form is None and _is_form(fields[0]):
            text = fields[0].decode("ascii")
            form = forms[fields[0]] = text if wanted is None or wanted(text) else ""
        if form == "":
            passed_over += 1
            continue
        if form is None and _NO_ROW.fullmatch(line):
            continue
        row = _row(form, fields) if form and fields else "its columns cannot be told apart"
        if isinstance(row, IndexRow):
            rows.append(row)
            continue
        unreadable.append(Unreadable(number, _shown(line), row))
        if len(unreadable) > MOST_UNREADABLE:
            raise _refusal(f"More than {MOST_UNREADABLE:,} of its rows cannot be read", unreadable[0], name)
    if unreadable and not rows and not passed_over:
        raise _refusal("None of its rows can be read", unreadable[0], name)
    return Index(rows, unreadable, passed_over)


def _refusal(what: str, first: Unreadable, name: str) -> InputError:
    return InputError(
        f"{what}. Line {first.line}: {first.reason}: {first.text!r}.",
        where=name,
        hint="Fetch form.idx or master.idx anew.",
    )


def _split_pipes(line: bytes) -> Fields | None:
    """Split a row of master.idx; a name may hold the mark that parts the columns."""
    cik, _, rest = line.partition(b"|")
    parts = rest.rsplit(b"|", 3)
    if len(parts) != 4:
        return None
    company, form, filed, path = parts
    return form.strip(), company, cik, filed, path


def _split_by_form(column: int, line: bytes) -> Fields | None:
    """Split a row of form.idx: the form ends at the first gap of two blanks.

    Args:
        column: where the header has the company; a form of full width is parted from it by one blank.
    """
    parts = line.rsplit(None, 3)
    if len(parts) != 4:
        return None
    rest, cik, filed, path = parts
    end = rest.find(b"  ")
    if end < 0 and line.startswith(b"  ", len(rest)):
        # A row without a name: the gap comes after the form all the same.
        end = len(rest)
    if end > column and rest[column - 1 : column] == b" ":
        end = column - 1
    return (rest[:end], rest[end:], cik, filed, path) if end > 0 else None


def _split_by_company(column: int, line: bytes) -> Fields | None:
    """Split a row of company.idx: the form begins after the last gap of two blanks.

    Args:
        column: where the header has the form; a name of full width is parted from it by one blank.
    """
    parts = line.rsplit(None, 3)
    if len(parts) != 4:
        return None
    rest, cik, filed, path = parts
    start = rest.rfind(b"  ") + 2
    if start < column and rest[column - 1 : column] == b" ":
        start = column
    return (rest[start:], rest[:start], cik, filed, path) if start > 1 else None


def _is_form(form: bytes) -> bool:
    return 0 < len(form) <= _LONGEST_FORM and _FORM_NAME.fullmatch(form) is not None


def _row(form: str, fields: Fields) -> IndexRow | str:
    """The row, or why it cannot be read."""
    company, number, day, path = (field.strip() for field in fields[1:])
    cik = _CIK.fullmatch(number)
    if cik is None:
        return "its CIK is not a number of up to ten digits"
    if not _DATE.fullmatch(day):
        return "its date is neither YYYY-MM-DD nor YYYYMMDD"
    try:
        filed = date.fromisoformat(day.decode("ascii"))
    except ValueError:
        return "there is no such date"
    # Requests and file names are made from the path, so nothing but EDGAR's own shape passes.
    place = _PATH.fullmatch(path)
    if place is None or (place["folder"] and place["folder"] != place["accession"].replace(b"-", b"")):
        return "its path is not edgar/data/CIK/ACCESSION.txt"
    return IndexRow(
        form, cik[1].decode("ascii"), _decoded(company), filed, place["accession"].decode("ascii"), path.decode("ascii")
    )


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("latin-1")


def _shown(line: bytes) -> str:
    """A line for a message: its beginning, without characters that a terminal would obey."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", _decoded(line.strip())[:_SHOWN])
