"""Tables as data frames: types by kind, values as in the CSV file."""

from __future__ import annotations

import csv
import io
import sys

import pytest

from fingreat.errors import MissingExtraError
from fingreat.report import Cell, Column, Estimate, Points, Share, Table, table_csv, table_frame
from fingreat.report.tables import ColumnKind

polars = pytest.importorskip("polars")

KINDS: tuple[ColumnKind, ...] = (
    "text", "edge", "filing", "count", "share", "points", "estimate", "rate", "number", "money",
)  # fmt: skip
ROWS: tuple[tuple[Cell, ...], ...] = (
    ("a", "REV-NNCA", "f1", 3, Share(k=3, n=4, interval=(0.5, 1.0)), Points(value=-0.25), Estimate(value=1.5),
     0.125, 2.5, 568712345),
    ("b", None, "f2", None, Share(k=0, n=0), None, None, 1, 7, None),
)  # fmt: skip


def of_kinds(rows: tuple[tuple[Cell, ...], ...]) -> Table:
    return Table(id="t", title="T", columns=tuple(Column(label=kind, kind=kind) for kind in KINDS), rows=rows)


def test_every_kind_of_column_has_its_type_and_a_share_the_numbers_behind_it() -> None:
    frame = table_frame(of_kinds(ROWS))
    text, whole, real = polars.String, polars.Int64, polars.Float64
    assert dict(frame.schema) == {
        "text": text, "edge": text, "filing": text, "count": whole, "share": real, "share k": whole, "share n": whole,
        "share low": real, "share high": real, "points": real, "estimate": real, "rate": real, "number": real,
        "money": real,
    }  # fmt: skip
    assert frame.rows() == [
        ("a", "REV-NNCA", "f1", 3, 0.75, 3, 4, 0.5, 1.0, -0.25, 1.5, 0.125, 2.5, 568712345.0),
        ("b", None, "f2", None, None, 0, 0, None, None, None, None, 1.0, 7.0, None),
    ]


def test_a_column_without_a_value_keeps_its_type() -> None:
    frame = table_frame(of_kinds(()))
    assert frame.height == 0
    assert frame.schema["count"] == polars.Int64
    assert "share low" not in frame.columns
    assert table_frame(of_kinds(((None,) * len(KINDS),))).schema == frame.schema


def test_the_frame_says_what_the_csv_file_says() -> None:
    table = of_kinds(ROWS)
    read = list(csv.DictReader(io.StringIO(table_csv(table), newline="")))
    frame = table_frame(table)
    assert frame.columns == list(read[0])
    for made, line in zip(frame.iter_rows(named=True), read, strict=True):
        for name, value in made.items():
            assert (line[name] == "") if value is None else (line[name] == value or float(line[name]) == value)


def test_half_a_surrogate_pair_is_a_question_mark() -> None:
    table = Table(id="t", title="T", columns=(Column(label="run"),), rows=(("a\ud800b",),))
    assert table_frame(table).rows() == [("a?b",)]


def test_without_polars_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match=r"fingreat\[frames\]"):
        table_frame(of_kinds(ROWS))
