"""Accuracy of several models as tables: every cell by hand."""

from __future__ import annotations

import csv

import pytest
from analysis.sheet_builders import FACTS, SHEET, sheet_of

from fingreat.analysis import FilingBootstrap
from fingreat.analysis.accuracy import measure_accuracies
from fingreat.analysis.differences import paired_differences
from fingreat.analysis.families import measure_families, measure_gaps
from fingreat.report.accuracy_table import accuracies_by_cohort_table, accuracies_by_edge_table, accuracies_table
from fingreat.report.columns import share
from fingreat.report.differences_table import differences_table
from fingreat.report.families_table import families_table, gaps_table, sizes_table
from fingreat.report.tables import Points, Share, Table, cell_text, table_csv

# SHEET: REV-NNCA, NNCA-TAX and CASH-DIV are right, in three filings; small and large have the first two, other the
# first, far the first and the last; one reply of large and one of far failed.
BOOTSTRAP = FilingBootstrap(3, replicates=200)
ACCURACIES = dict(zip(SHEET.names, measure_accuracies(SHEET, bootstrap=BOOTSTRAP), strict=True))


def shown(table: Table) -> list[list[str]]:
    """Cells as a reader sees them, without intervals."""
    return [
        [cell_text(column, cell).partition(" [")[0] for column, cell in zip(table.columns, row, strict=True)]
        for row in table.rows
    ]


def test_models_stand_by_accuracy_and_selectors_below() -> None:
    table = accuracies_table(ACCURACIES, 3)
    assert [column.label for column in table.columns] == [
        "model", "all passages", "Net Income", "Cash Flow", "Equity", "failed",
    ]  # fmt: skip
    assert shown(table) == [
        ["small", "66.7% (2/3)", "100% (2/2)", "0% (0/1)", "– (0/0)", "0"],
        ["large", "66.7% (2/3)", "100% (2/2)", "0% (0/1)", "– (0/0)", "1"],
        ["far", "66.7% (2/3)", "50.0% (1/2)", "100% (1/1)", "– (0/0)", "1"],
        ["other", "33.3% (1/3)", "50.0% (1/2)", "0% (0/1)", "– (0/0)", "0"],
        # Every edge is accepted once; REV-NNCA is the first. A random edge of 11 is right once in 11 for each.
        ["always REV-NNCA", "33.3% (1/3)", "50.0% (1/2)", "0% (0/1)", "– (0/0)", "–"],
        ["random edge", "9.1% (3/33)", "9.1% (2/22)", "9.1% (1/11)", "– (0/0)", "–"],
    ]
    assert table.rows[0][1] == share(ACCURACIES["small"].overall.accuracy)
    told = " ".join(table.all_notes)
    assert "0/0 has no value" in told
    assert "draws whole filings: 3 of the 3 with replacement, 200 times" in told
    # Cash Flow has one passage, of one filing.
    assert "No interval stands where fewer than two filings add to a total." in table.notes


def test_edges_are_columns() -> None:
    table = accuracies_by_edge_table(ACCURACIES)
    row = dict(zip([column.label for column in table.columns], shown(table)[2], strict=True))
    assert (row["model"], row["REV-NNCA"], row["NNCA-TAX"], row["CASH-DIV"]) == (
        "far", "100% (1/1)", "0% (0/1)", "100% (1/1)",
    )  # fmt: skip
    assert table.bounded == (False,) * 12


def test_where_intervals_of_edges_stand_is_told_only_if_there_are_any() -> None:
    def notes(filings: list[str]) -> str:
        sheet = sheet_of({"a": [1, 0]}, filings)
        measured = measure_accuracies(sheet, bootstrap=FilingBootstrap(len(set(filings)), replicates=20))
        return " ".join(accuracies_by_edge_table({"a": measured[0]}).notes)

    assert "are in the table" in notes(["f1", "f2"])
    assert "ntervals" not in notes(["f1", "f1"])


def test_every_cohort_has_a_row() -> None:
    measured = measure_accuracies(SHEET, years={"f1": 2001, "f2": 2002}, period_years={"f3": 2002})
    table = accuracies_by_cohort_table(dict(zip(SHEET.names, measured, strict=True)), 3)
    rows = shown(table)
    # All, three categories, eleven edges, two years and one of a period, of four models and two selectors.
    assert len(rows) == (1 + 3 + 11 + 2 + 1) * 6
    assert ["far", "year filed", "2002", "1", "0% (0/1)", "1"] in rows
    assert ["far", "year of period", "2002", "1", "100% (1/1)", "0"] in rows
    assert ["random edge", "year filed", "2001", "1", "9.1% (1/11)", "–"] in rows
    assert "period to: 1 passage" in " ".join(table.notes).lower()


def test_the_better_one_of_a_pair_stands_first_and_pairs_by_p() -> None:
    sheet = sheet_of(
        {"a": [0, 0, 1, 0], "b": [1, 1, 1, 0], "same": [0, 0, 1, 0]},
        ["f1", "f1", "f2", "f3"],
    )
    found = paired_differences(sheet, FilingBootstrap(3, replicates=200))
    table = differences_table(found, 3)
    # b less a: t = (1/2) / (3/8) on 2 degrees of freedom, for which p = 1 - t / sqrt(2 + t^2) = 0.3140; times 3 for the
    # smallest of three tests. b less same is equal, and a and same have no standard error.
    assert [row[:4] for row in table.rows] == [("b", "a", 2, 0), ("b", "same", 2, 0), ("a", "same", 0, 0)]
    first = shown(table)[0]
    assert first[4:] == ["+50.0", "+50.0", "37.5%", "1.33", "0.3140", "0.9420", "0.5000"]
    assert shown(table)[2][4:] == ["0", "–", "–", "–", "–", "–", "1.0000"]
    # In files all of a row are fractions: t is one field over another.
    row = next(csv.DictReader(table_csv(table).splitlines()))
    assert (row["difference"], row["standard error"]) == ("0.5", "0.375")
    assert float(row["t"]) == pytest.approx(0.5 / 0.375)
    (a_b, *_), cell = found, table.rows[0][4]
    assert isinstance(cell, Points)
    assert a_b.interval is not None
    assert cell.interval == (-a_b.interval.high, -a_b.interval.low)
    told = " ".join(table.notes)
    assert "G-1 = 2 degrees of freedom" in told
    assert "Holm's p holds for all 3 pairs" in told
    assert "takes passages as independent" in told
    assert "1 pair without a standard error" in told
    # With 4.3027 for 2 degrees of freedom: 50 less and plus 161.35 points.
    assert "+211.3" in cell_text(table.columns[5], table.rows[0][5])
    assert "whose ends are not cut off at -100 and +100" in told


def test_pairs_that_differ_alike_everywhere_stand_first_and_those_that_never_differ_last() -> None:
    sheet = sheet_of({"all": [1, 1, 1], "none": [0, 0, 0], "one": [1, 0, 0], "also": [0, 0, 0]}, ["f1", "f2", "f3"])
    table = differences_table(paired_differences(sheet), 3)
    assert [row[:2] for row in table.rows[:2]] == [("all", "none"), ("all", "also")]
    assert table.rows[-1][:2] == ("none", "also")
    assert [row[7] is None for row in table.rows] == [True, True, False, False, False, True]


def test_few_filings_are_said_beside_p() -> None:
    def notes(filings: int) -> str:
        sheet = sheet_of({"a": [1, 0] * (filings // 2), "b": [0] * filings}, [f"f{n:02}" for n in range(filings)])
        return " ".join(differences_table(paired_differences(sheet), filings).notes)

    told = "So they mostly are with so few filings as here."
    assert told in notes(18)
    assert told not in notes(20)
    assert "Where a few filings have most of the passages, the standard error and p are too small." in notes(20)


def test_pairs_on_one_filing_have_no_t_and_it_is_told() -> None:
    table = differences_table(paired_differences(sheet_of({"a": [1, 0], "b": [0, 0]}, ["f1", "f1"])), 1)
    assert shown(table) == [["a", "b", "1", "0", "+50.0", "–", "–", "–", "–", "–", "1.0000"]]
    assert table.notes[0] == "All passages are of one filing: how filings differ is not known, and there is no t."


def test_families_sizes_and_gaps() -> None:
    assert shown(families_table(measure_families(ACCURACIES, FACTS), 3)) == [
        ["qwen", "open", "2", "small, large", "66.7% (2/3)", "66.7%"],
        ["gpt", "hosted", "1", "far", "66.7% (2/3)", "66.7%"],
        ["not known", "open", "1", "other", "33.3% (1/3)", "33.3%"],
    ]
    sizes = sizes_table(ACCURACIES, FACTS, 3)
    assert [row[:4] for row in sizes.rows] == [
        ("small", "qwen", "open", 4),
        ("large", "qwen", "open", 27),
        ("far", "gpt", "hosted", None),
        ("other", "not known", "open", None),
    ]
    assert "Of 2 models their number is not known." in sizes.notes
    gaps = measure_gaps(SHEET, list(ACCURACIES.values()), FACTS, bootstrap=BOOTSTRAP)
    assert shown(gaps_table(gaps, 3)) == [
        ["All", "small, large", "66.7% (2/3)", "far", "66.7% (2/3)", "0"],
        ["Net Income", "small, large", "100% (2/2)", "far", "50.0% (1/2)", "-50.0"],
        ["Cash Flow", "small, large, other", "0% (0/1)", "far", "100% (1/1)", "+100.0"],
        ["Equity", "–", "– (0/0)", "–", "– (0/0)", "–"],
    ]
    assert gaps_table(gaps, 3).rows[0][2] == Share(k=2, n=3, interval=share(gaps[0].open).interval)
