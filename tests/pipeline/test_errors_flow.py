"""Errors over runs on disk: what is measured, what the tables say, and which figures there are."""

from __future__ import annotations

from pathlib import Path

import pytest
from pipeline.answered_runs import answered, gold_file

from fingreat.errors import InputError
from fingreat.pipeline.errors import TABLES, errors_figures, errors_tables, measure_errors
from fingreat.report import Share
from fingreat.runs import RunFolder

ANSWERS = {
    # Misses tax and shares.
    "a": {
        "pumps": "REV-NNCA", "copper": "NNCA-COGS", "tax": "NNCA-OPEX", "dividend": "NNCA-CASH", "shares": None,
    },
    # Misses tax, dividend and shares.
    "b": {
        "pumps": "REV-NNCA", "copper": "NNCA-COGS", "tax": "NNCA-OPEX", "dividend": "ISS-CASH", "shares": "CASH-DIV",
    },
    # Misses copper and shares.
    "c": {
        "pumps": "REV-NNCA", "copper": "REV-NNCA", "tax": "NNCA-TAX", "dividend": "CASH-DIV", "shares": "CASH-DIV",
    },
}  # fmt: skip


def runs_of(folder: Path, *names: str) -> list[RunFolder]:
    gold = gold_file(folder)
    return [answered(folder / name, gold, ANSWERS[name]) for name in names]


def test_tables_hold_what_a_reader_counts_in_the_answers(tmp_path: Path) -> None:
    measured = measure_errors(runs_of(tmp_path, "a", "b", "c"), replicates=50, seed=1)
    tables = {table.id: table for table in errors_tables(measured)}
    assert tuple(tables) == TABLES.ids
    overlap = {row[:2]: row[2:5] for row in tables["error-overlap"].rows}
    # a and b share tax and shares, b has dividend besides; a and c share shares of tax, copper and shares.
    assert [(key, row[:2], row[2].k, row[2].n) for key, row in overlap.items()] == [
        (("a", "b"), (2, 3), 2, 3),
        (("a", "c"), (2, 2), 1, 3),
        (("b", "c"), (3, 2), 1, 4),
    ]
    # a and c are right on 3 of 5 each, b on 2: 20 points from either.
    [(a, c, *shares, independent)] = tables["matched-accuracy"].rows
    assert (a, c) == ("a", "c")
    assert [(share.k, share.n) for share in shares] == [(3, 5), (3, 5), (1, 3)]
    # Two errors each in five passages share 0, 1, 2 of them in 3, 6, 1 of 10 cases: 0.6 * 1/3 + 0.1 * 1.
    assert independent == pytest.approx(0.3)
    assert tables["missed-by-all"].rows == (
        (
            Share(k=0, n=3), "F2", "shares", "CASH-REP", "CASH-DIV 2, failed 1",
            "We bought back 310,000 shares in the market at an average of $13.38.",
        ),
    )  # fmt: skip
    assert "1 of 5 passages is wrong for all 3 models, 1 right." in tables["missed-by-all"].notes
    # 5 * 2/5 * 3/5 * 2/5 = 0.48
    assert any("0.5 would be expected to be wrong for all 3 models" in note for note in tables["missed-by-all"].notes)


def test_confusion_is_of_all_models_together_and_of_each(tmp_path: Path) -> None:
    measured = measure_errors(runs_of(tmp_path, "a", "b", "c"), replicates=50)
    tables = {table.id: table for table in errors_tables(measured)}
    rows = {row[0]: row[1:] for row in tables["confusion"].rows}
    assert rows["REV-NNCA"] == (3.0, 3.0, 1.0, None)
    assert rows["NNCA-TAX"] == (3.0, 1.0, pytest.approx(1 / 3), "NNCA-OPEX 2.0")
    # Right: a by NNCA-CASH, c by CASH-DIV; b's ISS-CASH is half an answer to either.
    assert rows["CASH-DIV"] == (1.5, 1.0, pytest.approx(2 / 3), "ISS-CASH 0.5")
    assert rows["NNCA-CASH"] == rows["CASH-DIV"]
    assert rows["CASH-REP"] == (3.0, 0.0, 0.0, "CASH-DIV 2.0, failed 1.0")
    assert rows["OCI-NNCA"] == (0.0, 0.0, None, None)
    assert sum(row[0] for row in rows.values()) == 15
    by_model = tables["confusion-by-model"].rows
    assert list(dict.fromkeys(row[0] for row in by_model)) == ["All", "a", "b", "c"]
    assert [row[1:] for row in by_model if row[0] == "b" and row[1] in ("CASH-DIV", "NNCA-CASH")] == [
        ("NNCA-CASH", "ISS-CASH", 0.5, 1.0),
        ("CASH-DIV", "ISS-CASH", 0.5, 1.0),
    ]


def test_the_map_of_overlaps_goes_from_the_most_accurate_model_down(tmp_path: Path) -> None:
    overlap, confusion = errors_figures(measure_errors(runs_of(tmp_path, "b", "a", "c"), replicates=10))
    assert (overlap.id, confusion.id) == TABLES.figures
    assert "<desc>a, a: no value; a, c: 33.3% 1/3; a, b: 66.7% 2/3; c, a: 33.3% 1/3;" in overlap.svg
    assert "CASH-REP, CASH-DIV: 0.67; " in confusion.svg
    assert "CASH-REP, failed: 0.33" in confusion.svg


def test_where_no_reply_failed_no_column_says_so(tmp_path: Path) -> None:
    _, confusion = errors_figures(measure_errors(runs_of(tmp_path, "b", "c"), replicates=10))
    assert "failed" not in confusion.svg


def test_of_one_model_there_are_its_errors_and_no_pairs(tmp_path: Path) -> None:
    measured = measure_errors(runs_of(tmp_path, "a"), replicates=10)
    tables = {table.id: table for table in errors_tables(measured)}
    assert list(tables) == ["missed-by-all", "confusion", "confusion-by-model"]
    assert [row[4] for row in tables["missed-by-all"].rows] == ["NNCA-OPEX", "failed"]
    assert "2 of 5 passages are wrong for the model, 3 right." in tables["missed-by-all"].notes
    assert [figure.id for figure in errors_figures(measured)] == ["confusion"]


def test_every_table_says_what_it_is_over(tmp_path: Path) -> None:
    measured = measure_errors(runs_of(tmp_path, "a", "b"), replicates=10)
    for table in errors_tables(measured):
        assert table.notes[: len(measured.benchmark.notes)] == measured.benchmark.notes
    assert "Over 5 passages of 2 filings." in measured.benchmark.notes


def test_a_difference_of_more_than_all_points_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--within: 101\.0 percentage points"):
        measure_errors(runs_of(tmp_path, "a", "b"), within=101.0)
