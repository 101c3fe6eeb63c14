"""Tables as records, and the one rule by which console, page and files show a cell."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat, model_validator

from fingreat.schema.records import Record

Count = Annotated[int, Field(ge=0)]
Slug = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
"""A name for files and for places in a page: lower-case words of ASCII letters and digits, joined by hyphens."""

DASH = "–"
ALL = "All"
"""The row of all filings of a table."""
_HASH, _HASH_SHOWN = 64, 12
"""Characters of a SHA-256, and how many of them tell two filings of a report apart to a reader."""
NO_SHARE = "0/0 has no value: it is neither 0 nor 1."


class Share(Record):
    """A share with the numbers behind it: k of n.

    Attributes:
        interval: its confidence interval, as fractions, where the caller computed one.
    """

    k: Count
    n: Count
    interval: tuple[float, float] | None = None

    @model_validator(mode="after")
    def _part_of_whole(self) -> Share:
        if self.k > self.n:
            raise ValueError(f"a share of {self.k} of {self.n} is more than the whole")
        return self

    @property
    def value(self) -> float | None:
        """k/n, None for 0/0."""
        return self.k / self.n if self.n else None


class Points(Record):
    """The difference of two shares.

    Attributes:
        value: as a fraction, from -1 to 1.
        interval: its confidence interval, as fractions, where the caller computed one.
    """

    value: Annotated[float, Field(ge=-1, le=1)]
    interval: tuple[float, float] | None = None


class Estimate(Record):
    """A share that was estimated and not counted, or the standard error of one.

    Attributes:
        value: as a fraction; an estimate is not bound to 0 to 1.
        interval: its confidence interval, as fractions, where the caller computed one.
    """

    value: FiniteFloat
    interval: tuple[FiniteFloat, FiniteFloat] | None = None


ColumnKind = Literal["text", "edge", "filing", "count", "share", "points", "estimate", "rate", "number", "money"]
Cell = str | int | float | Share | Points | Estimate | None
"""What stands in a cell; None is "no value" and is shown as a dash."""

_TYPES: dict[ColumnKind, tuple[type, ...]] = {
    "text": (str,),
    "edge": (str,),
    "filing": (str,),
    "count": (int,),
    "share": (Share,),
    "points": (Points,),
    "estimate": (Estimate,),
    "rate": (int, float),
    "number": (int, float),
    "money": (int, float),
}
_SCALES: tuple[tuple[int, str, int], ...] = ((10**6, "million", 1), (10**9, "billion", 2), (10**12, "trillion", 2))
"""What large amounts are counted in, and with how many decimals."""


class Column(Record):
    """A column: its head, and what kind of cell stands in it.

    Attributes:
        kind: `edge` holds ids of edges, which the page colours by their category; `filing` ids of filings, of which
            only the beginning is shown where they are hashes; `count` whole numbers from 0; `share` `Share`
            records; `points` `Points` records, shown in percentage points; `estimate` `Estimate` records, shown in per
            cent; `rate` numbers from 0 to 1, shown in per cent; `number` any finite number; `money` US dollars.
        digits: decimal places of a `number`.
        once: whether a reader sees a text only where it, or that of a `once` column before it, is not that of the row
            above; CSV has it in every row.
        spare: whether it is left out where there is no room for it, since other columns tell it too.
    """

    label: str = Field(min_length=1)
    kind: ColumnKind = "text"
    digits: Annotated[int, Field(ge=0, le=9)] = 3
    once: bool = False
    spare: bool = False

    @property
    def right(self) -> bool:
        """Whether its cells are aligned to the right."""
        return self.kind in ("count", "share", "points", "estimate", "rate", "number", "money")

    @property
    def head(self) -> str:
        """Its label as a page writes it: with a capital, unless it begins with a symbol, as "p (Holm)" does."""
        return self.label if not self.label[1:2].strip(" (") else self.label[:1].upper() + self.label[1:]


class Table(Record):
    """A table to be shown as it is: the caller measured, nothing is computed here.

    Attributes:
        id: names its file and its place in the page.
        rows: one cell per column, of the column's kind or None.
        notes: sentences to stand under it.
        totals: how many rows at its end sum up those above them.
        detail: whether the page folds it away among others, for who looks closer.
    """

    id: Slug
    title: str = Field(min_length=1)
    columns: tuple[Column, ...] = Field(min_length=1)
    rows: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[str, ...] = ()
    totals: Count = 0
    detail: bool = False

    @model_validator(mode="after")
    def _rows_fit_columns(self) -> Table:
        labels = [column.label for column in self.columns]
        twice = sorted({label for label in labels if labels.count(label) > 1})
        if twice:
            raise ValueError(f"table '{self.id}' has two columns '{twice[0]}'")
        for number, row in enumerate(self.rows, 1):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"row {number} of table '{self.id}' has {len(row)} cells for {len(self.columns)} columns"
                )
            for column, cell in zip(self.columns, row, strict=True):
                if fault := _fault(column, cell):
                    raise ValueError(f"row {number} of table '{self.id}', column '{column.label}': {fault}")
        return self

    @property
    def bounded(self) -> tuple[bool, ...]:
        """Per column, whether a share, a difference or an estimate in it has an interval."""
        return tuple(any(_has_interval(row[i]) for row in self.rows) for i in range(len(self.columns)))

    @property
    def spans(self) -> tuple[int, ...]:
        """Per column, how many parts its cells have (`cell_fields`), each of them a narrow column in a paper."""
        return tuple(
            (2 if column.kind == "share" else 1) + bounded
            for column, bounded in zip(self.columns, self.bounded, strict=True)
        )

    def for_reading(self) -> Table:
        """The table with empty cells where a `once` column says what the row above says."""
        rows = list(self.rows[:1])
        for above, row in pairwise(self.rows):
            cells = list(row)
            for place, column in enumerate(self.columns):
                if column.once and row[place] != above[place]:
                    break
                if column.once:
                    cells[place] = ""
            rows.append(tuple(cells))
        return self.model_copy(update={"rows": tuple(rows)})

    def narrowed(self) -> Iterator[Table]:
        """The table as it is, then with a spare column less each time, the last one first."""
        yield self
        kept = list(range(len(self.columns)))
        for place in reversed(range(len(self.columns))):
            if self.columns[place].spare:
                kept.remove(place)
                yield self.only(kept)

    def only(self, kept: Sequence[int]) -> Table:
        """The table with only the columns at these places."""
        return self.model_copy(
            update={
                "columns": tuple(self.columns[place] for place in kept),
                "rows": tuple(tuple(row[place] for place in kept) for row in self.rows),
            }
        )

    @property
    def all_notes(self) -> tuple[str, ...]:
        """The notes, and one on shares without a value where there are any."""
        empty = any(isinstance(cell, Share) and not cell.n for row in self.rows for cell in row)
        return (*self.notes, NO_SHARE) if empty else self.notes


def _has_interval(cell: Cell) -> bool:
    return isinstance(cell, (Share, Points, Estimate)) and cell.interval is not None


def _fault(column: Column, cell: Cell) -> str | None:
    """What is wrong with a cell, None if nothing is."""
    if cell is None:
        return None
    if not isinstance(cell, _TYPES[column.kind]):
        return f"{type(cell).__name__} is no {column.kind}"
    if column.kind == "count" and isinstance(cell, int) and cell < 0:
        return f"{cell} counts nothing"
    if isinstance(cell, float) and not math.isfinite(cell):
        return f"{cell} is no number; None stands for a value that there is not"
    if column.kind == "rate" and isinstance(cell, (int, float)) and not 0 <= cell <= 1:
        return f"{cell} is no rate from 0 to 1"
    return None


def percent(share: Share | float | None) -> str:
    """A share in per cent with one decimal, also one that is estimated as less than 0 or more than 1; "100%" and "0%"
    only where exact; a dash for 0/0 and for None.
    """
    value = share.value if isinstance(share, Share) else share
    if value is None:
        return DASH
    if value in (0, 1):
        return f"{value:.0%}"
    shown = f"{value:.1%}"
    least = {"0.0%": "<0.1%", "-0.0%": ">-0.1%", "100.0%": ">99.9%" if value < 1 else "<100.1%"}
    return least.get(shown, shown)


def fraction(share: Share) -> str:
    """The numbers behind a share, as "k/n"."""
    return f"{share.k:,}/{share.n:,}"


def points_text(value: float) -> str:
    """A difference of shares in percentage points with its sign and one decimal; 0 only where exact, and of no sign."""
    shown = f"{100 * value:+.1f}"
    if value == 0:
        return "0"
    return {"+0.0": "<+0.1", "-0.0": ">-0.1"}.get(shown, shown)


def interval_text(cell: Share | Points | Estimate) -> str:
    """The ends of an interval: "30.0–85.0%" of a share or an estimate, "-1.2 to 4.0%" of an estimate that may be below
    0, "-1.2 to +4.0" of a difference; "" where there is none.
    """
    if cell.interval is None:
        return ""
    low, high = (points_text(end) if isinstance(cell, Points) else percent(end) for end in cell.interval)
    # Beside a minus a dash could be one; the blanks are no place to break a line.
    signed = isinstance(cell, Points) or min(cell.interval) < 0
    between = "\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}" if signed else DASH
    return f"{low.rstrip('%')}{between}{high}"


def number_text(value: float, digits: int = 3) -> str:
    """A number with its decimals; one that is not 0 is never shown as 0."""
    if isinstance(value, int):
        return f"{value:,}"
    shown = f"{value + 0.0:,.{digits}f}"  # no minus sign before 0
    if value and float(shown.replace(",", "")) == 0:
        least = f"{10**-digits:.{digits}f}"
        return f"<{least}" if value > 0 else f">-{least}"
    return shown


def money_text(value: float) -> str:
    """An amount in US dollars as a paper writes it: "$568.7 million", "$3.00 billion", "$12,345" below a million; one
    that is not 0 is never shown as 0.
    """
    sign, size = "-" if value < 0 else "", abs(value)
    if 0 < size <= 0.5:
        return ">-$1" if sign else "<$1"
    if round(size) < _SCALES[0][0]:
        return f"{sign}${size:,.0f}"
    fitting = (scale for scale in _SCALES if round(size / scale[0], scale[2]) < 1000)
    unit, name, digits = next(fitting, _SCALES[-1])
    return f"{sign}${size / unit:,.{digits}f} {name}"


def count_of(number: int, noun: str) -> str:
    """A number with its noun, in the plural where it has to be."""
    plural = f"{noun.removesuffix('y')}ies" if re.search("[^aeiou]y$", noun) else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def cell_text(column: Column, cell: Cell) -> str:
    """A cell in one line: counts with commas, shares as "57.1% (4/7)" and with an interval as "57.1% (4/7)
    [30.0–85.0%]", differences as "+2.5 [-1.2 to +4.0]", estimates as "57.1% [-2.0 to 116.2%]", rates as "57.1%", a dash
    for no value.
    """
    if cell is None:
        return DASH
    if isinstance(cell, (Share, Points, Estimate)):
        shown = f"{percent(cell)} ({fraction(cell)})" if isinstance(cell, Share) else _without_numbers(cell)
        return f"{shown} [{interval_text(cell)}]" if cell.interval else shown
    if isinstance(cell, str):
        return f"{cell[:_HASH_SHOWN]}…" if column.kind == "filing" and len(cell) == _HASH else cell
    if column.kind == "money":
        return money_text(cell)
    return percent(cell) if column.kind == "rate" else number_text(cell, column.digits)


def _without_numbers(cell: Points | Estimate) -> str:
    """The value of what has no counts behind it."""
    return points_text(cell.value) if isinstance(cell, Points) else percent(cell.value)


def cell_fields(column: Column, cell: Cell, span: int) -> tuple[str, ...]:
    """The parts of a cell: of a share its per cent, "k/n" and interval, of a difference its points and interval, of an
    estimate its per cent and interval, of anything else its text.

    Args:
        span: how many a cell of the column has; those that this one lacks are empty.
    """
    if isinstance(cell, Share):
        fields: tuple[str, ...] = (percent(cell), fraction(cell), interval_text(cell))
    elif isinstance(cell, (Points, Estimate)):
        fields = (_without_numbers(cell), interval_text(cell))
    else:
        fields = (cell_text(column, cell),)
    return (*fields, *[""] * span)[:span]


def table_csv(table: Table) -> str:
    """The table as CSV (RFC 4180: CRLF line ends, quotes doubled), numbers unrounded, no value as an empty field.

    Its columns are those of `flat_columns`. Text is written as it is, also where a spreadsheet would read it as a
    formula.
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(name for name, _ in flat_columns(table))
    writer.writerows(flat_rows(table))
    return file.getvalue()


def flat_columns(table: Table) -> Iterator[tuple[str, type]]:
    """The columns of a table where a field holds one value: name and type.

    A share takes three (its label, "k", "n"), and two more, "low" and "high", where a share of the column has an
    interval; so do differences and estimates, which have no k and n. All of them are fractions here.
    """
    for column, bounded in zip(table.columns, table.bounded, strict=True):
        yield column.label, int if column.kind == "count" else float if column.right else str
        if column.kind == "share":
            yield from ((f"{column.label} {part}", int) for part in ("k", "n"))
        if bounded:
            yield from ((f"{column.label} {part}", float) for part in ("low", "high"))


def flat_rows(table: Table) -> Iterator[tuple[str | float | None, ...]]:
    """The rows of a table, with a value for each of the flat columns."""
    columns = tuple(zip(table.columns, table.bounded, strict=True))
    for row in table.rows:
        cells = zip(columns, row, strict=True)
        yield tuple(value for (column, bounded), cell in cells for value in _flat_cell(column, cell, bounded))


def _flat_cell(column: Column, cell: Cell, bounded: bool) -> Iterator[str | float | None]:
    yield cell.value if isinstance(cell, (Share, Points, Estimate)) else cell
    if column.kind == "share":
        yield from (cell.k, cell.n) if isinstance(cell, Share) else (None, None)
    if bounded:
        interval = cell.interval if isinstance(cell, (Share, Points, Estimate)) else None
        yield from interval or (None, None)
