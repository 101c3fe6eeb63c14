"""Tables: only cells that fit their column, one way to show a cell, CSV that other programs read."""

from __future__ import annotations

import csv
import io

import pytest
from pydantic import ValidationError
from report_builders import example_tables

from fingreat.report import Cell, Column, Estimate, Points, Share, Table, cell_text, percent, table_csv
from fingreat.report.tables import cell_fields

TEXT_COLUMN = Column(label="text")
SHARE = Column(label="share", kind="share")
NUMBER = Column(label="number", kind="number")
COUNT = Column(label="count", kind="count")
RATE = Column(label="rate", kind="rate")
POINTS = Column(label="gain", kind="points")
ESTIMATE = Column(label="about", kind="estimate")


def table(*rows: tuple[Cell, ...], columns: tuple[Column, ...] = (TEXT_COLUMN, SHARE)) -> Table:
    return Table(id="t", title="T", columns=columns, rows=rows)


@pytest.mark.parametrize(
    ("column", "cell", "shown"),
    [
        (TEXT_COLUMN, "<b> & =1+1", "<b> & =1+1"),
        (COUNT, 1234567, "1,234,567"),
        (COUNT, 0, "0"),
        (COUNT, None, "–"),
        (SHARE, Share(k=4, n=7), "57.1% (4/7)"),
        (SHARE, Share(k=1204, n=3000), "40.1% (1,204/3,000)"),
        (SHARE, Share(k=6, n=10, interval=(0.3, 0.85)), "60.0% (6/10) [30.0–85.0%]"),
        (SHARE, Share(k=6, n=10, interval=(0.0001, 1.0)), "60.0% (6/10) [<0.1–100%]"),
        (SHARE, Share(k=0, n=0), "– (0/0)"),
        (SHARE, None, "–"),
        (POINTS, Points(value=0.025, interval=(-0.0125, 0.04)), "+2.5 [-1.2\xa0to\xa0+4.0]"),
        (POINTS, Points(value=-0.3333), "-33.3"),
        (POINTS, Points(value=0.0), "0"),
        (POINTS, Points(value=-0.0), "0"),
        (POINTS, Points(value=0.0001), "<+0.1"),
        (POINTS, Points(value=-0.0001), ">-0.1"),
        (POINTS, None, "–"),
        (ESTIMATE, Estimate(value=0.572, interval=(0.501, 0.64)), "57.2% [50.1–64.0%]"),
        (ESTIMATE, Estimate(value=0.02, interval=(-0.012, 0.052)), "2.0% [-1.2\xa0to\xa05.2%]"),
        (ESTIMATE, Estimate(value=-0.02, interval=(-0.052, -0.0001)), "-2.0% [-5.2\xa0to\xa0>-0.1%]"),
        (ESTIMATE, Estimate(value=1.0004), "<100.1%"),
        (ESTIMATE, Estimate(value=0.9999), ">99.9%"),
        (ESTIMATE, Estimate(value=1.25), "125.0%"),
        (ESTIMATE, Estimate(value=0.0), "0%"),
        (ESTIMATE, None, "–"),
        (RATE, 0.0417, "4.2%"),
        (RATE, 0.112, "11.2%"),
        (RATE, 0.0001, "<0.1%"),
        (RATE, 1, "100%"),
        (RATE, None, "–"),
        (NUMBER, 0.71349, "0.713"),
        (NUMBER, -1234.5, "-1,234.500"),
        (NUMBER, 5, "5"),
        (NUMBER, 0.0, "0.000"),
        (NUMBER, -0.0, "0.000"),
        (NUMBER, 0.0001, "<0.001"),
        (NUMBER, -0.0001, ">-0.001"),
        (Column(label="n", kind="number", digits=0), 71.6, "72"),
    ],
)
def test_a_cell_is_shown_by_the_rule_of_its_kind(column: Column, cell: Cell, shown: str) -> None:
    assert cell_text(column, cell) == shown


@pytest.mark.parametrize(
    ("k", "n", "shown"),
    # 1999/2000 is 99.95 %, which would round to 100.0; 1/2001 is 0.04998 %, which would round to 0.0.
    [(7, 7, "100%"), (0, 7, "0%"), (1999, 2000, ">99.9%"), (1, 2001, "<0.1%"), (1, 1000, "0.1%"), (999, 1000, "99.9%")],
)
def test_a_hundred_and_nought_per_cent_are_shown_only_where_exact(k: int, n: int, shown: str) -> None:
    assert percent(Share(k=k, n=n)) == shown
    assert percent(k / n) == shown


def test_per_cents_of_nothing_are_a_dash() -> None:
    assert (percent(None), percent(Share(k=0, n=0))) == ("–", "–")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a",)], "row 1 of table 't' has 1 cells for 2 columns"),
        ([("a", None), (1, None)], "row 2 of table 't', column 'text': int is no text"),
        ([("a", 0.5)], "column 'share': float is no share"),
    ],
)
def test_a_row_that_does_not_fit_its_columns_is_refused(rows: list[tuple[Cell, ...]], message: str) -> None:
    with pytest.raises(ValidationError, match=message.replace("(", r"\(")):
        table(*rows)


@pytest.mark.parametrize(
    ("column", "cell", "message"),
    [
        (COUNT, -1, "-1 counts nothing"),
        (COUNT, 1.5, "float is no count"),
        (NUMBER, float("nan"), "nan is no number"),
        (NUMBER, float("inf"), "inf is no number"),
        (NUMBER, "1", "str is no number"),
        (RATE, 1.01, "1.01 is no rate from 0 to 1"),
        (RATE, -0.1, "-0.1 is no rate from 0 to 1"),
        (RATE, float("nan"), "nan is no number"),
        (RATE, Share(k=1, n=2), "Share is no rate"),
        (POINTS, 0.5, "float is no points"),
        (ESTIMATE, 0.5, "float is no estimate"),
        (POINTS, Estimate(value=0.5), "Estimate is no points"),
    ],
)
def test_a_cell_of_another_kind_is_refused(column: Column, cell: Cell, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        table((cell,), columns=(column,))


def test_two_columns_of_one_label_and_names_that_are_no_slug_are_refused() -> None:
    with pytest.raises(ValidationError, match="two columns 'text'"):
        table(columns=(TEXT_COLUMN, TEXT_COLUMN))
    for name in ("../up", "a b", "A", "", "a--b", "a/b"):
        with pytest.raises(ValidationError):
            Table(id=name, title="T", columns=(TEXT_COLUMN,))


def test_shares_of_nothing_add_a_note() -> None:
    assert table(("a", Share(k=0, n=0))).all_notes == ("0/0 has no value: it is neither 0 nor 1.",)
    assert table(("a", Share(k=0, n=1)), ("b", None)).all_notes == ()


def test_csv_gives_a_share_as_value_and_numbers_and_no_value_as_an_empty_field() -> None:
    assert table_csv(example_tables()[0]) == (
        "Runs,Edge,Matched,Same edge,Same edge k,Same edge n,Same edge low,Same edge high,H(E|T)\r\n"
        '"lexicon, embedded",REV-NNCA,1204,0.3333333333333333,1,3,0.05,0.7,1.5\r\n'
        '"lexicon, embedded",NNCA-TAX,0,,0,0,,,\r\n'
    )


def test_csv_gives_a_difference_as_a_fraction_with_the_ends_of_its_interval() -> None:
    rows = ((Points(value=0.025, interval=(-0.5, 1.0)),), (Points(value=-1.0),), (None,))
    assert table_csv(table(*rows, columns=(POINTS,))) == "gain,gain low,gain high\r\n0.025,-0.5,1.0\r\n-1.0,,\r\n,,\r\n"
    assert table_csv(table((Points(value=0.5),), columns=(POINTS,))) == "gain\r\n0.5\r\n"


def test_csv_gives_an_estimate_as_a_fraction_also_below_0_and_above_1() -> None:
    rows = ((Estimate(value=0.95, interval=(-0.1, 1.2)),), (Estimate(value=1.1),), (None,))
    assert table_csv(table(*rows, columns=(ESTIMATE,))) == (
        "about,about low,about high\r\n0.95,-0.1,1.2\r\n1.1,,\r\n,,\r\n"
    )
    assert table(*rows, columns=(ESTIMATE,)).spans == (2,)
    for bad in ({"value": float("nan")}, {"value": 0.5, "interval": (0.0, float("inf"))}):
        with pytest.raises(ValidationError):
            Estimate(**bad)


def test_a_page_and_a_paper_have_narrow_columns_for_the_parts_of_a_cell() -> None:
    bounded, bare = Share(k=6, n=10, interval=(0.3, 0.85)), Share(k=1, n=2)
    gain = Points(value=0.025, interval=(-0.5, 1.0))
    columns = (TEXT_COLUMN, SHARE, POINTS, Column(label="bare", kind="share"))
    made = table(("a", bounded, gain, bare), ("b", bare, Points(value=0.0), None), columns=columns)
    assert made.spans == (1, 3, 2, 2)
    fields = [
        [cell_fields(column, cell, span) for column, cell, span in zip(made.columns, row, made.spans, strict=True)]
        for row in made.rows
    ]
    assert fields == [
        [("a",), ("60.0%", "6/10", "30.0–85.0%"), ("+2.5", "-50.0\xa0to\xa0+100.0"), ("50.0%", "1/2")],
        [("b",), ("50.0%", "1/2", ""), ("0", ""), ("–", "")],
    ]


def test_a_reader_sees_a_text_again_where_one_before_it_has_changed() -> None:
    columns = (Column(label="run", once=True), Column(label="reference", once=True), Column(label="edge"))
    rows = (("a", "r", "e"), ("a", "r", "e"), ("b", "r", "e"), ("b", "s", "e"), ("b", "s", "f"))
    assert table(*rows, columns=columns).for_reading().rows == (
        ("a", "r", "e"),
        ("", "", "e"),
        ("b", "r", "e"),
        ("", "s", "e"),
        ("", "", "f"),
    )


def test_csv_gives_a_rate_unrounded() -> None:
    assert table_csv(table((0.04171717,), columns=(RATE,))) == "rate\r\n0.04171717\r\n"


def test_a_head_begins_with_a_capital_unless_it_is_a_symbol() -> None:
    labels = ["filed in", "Jaccard", "H(E|T)", "p", "p (Holm)", "of the tag's weight"]
    assert [Column(label=label).head for label in labels] == [
        *("Filed in", "Jaccard", "H(E|T)", "p", "p (Holm)", "Of the tag's weight")
    ]


def test_csv_gives_back_any_text_as_it_was() -> None:
    texts = ["=HYPERLINK(1)", '"quoted", with comma', "two\nlines", "two\r\nlines", " blank ", "ångström ☃", "+1", "@x"]
    made = table_csv(table(*((text, Share(k=1, n=4)) for text in texts)))
    rows = list(csv.reader(io.StringIO(made, newline="")))
    assert rows[0] == ["text", "share", "share k", "share n"]
    assert rows[1:] == [[text, "0.25", "1", "4"] for text in texts]
