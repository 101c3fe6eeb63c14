"""Tables of agreement: their cells from counts made by hand, and their notes."""

from __future__ import annotations

import pytest
from agreement_builders import FILINGS, agreement, fidelity, labels, pair, shown

from fingreat.analysis import Interval
from fingreat.report import Table, table_csv
from fingreat.report.agreement_tables import (
    agreement_by_category_table,
    agreement_by_edge_table,
    agreement_table,
    span_table,
)
from fingreat.report.tables import NO_SHARE

BOTH = [pair("a", "b"), pair("b", "a", agreement(5, 4))]
BOOTSTRAP = (
    "The 95% intervals are from a bootstrap that draws whole filings: 300 of the 300 with replacement, 2,000 times "
    "(seed 20261010); their ends are the 2.5 and 97.5 percentiles."
)


def bootstrap_note(table: Table) -> str:
    (note,) = (note for note in table.all_notes if "interval" in note)
    return note


def test_runs_against_references_have_counts_and_shares_with_their_intervals() -> None:
    table = agreement_table(BOTH)
    assert (table.id, table.detail) == ("agreement", False)
    assert labels(table) == [
        *("run", "reference", "extractions", "of the reference", "matched"),
        *("recall", "Jaccard", "conditional precision"),
    ]
    # Jaccard: 3 of 4 + 5 - 3 in either direction.
    ends = "[25.0–87.5%]"
    assert shown(table) == [
        f"a | b | 4 | 5 | 3 | 60.0% (3/5) {ends} | 50.0% (3/6) {ends} | 66.7% (2/3) {ends}",
        f"b | a | 5 | 4 | 3 | 75.0% (3/4) {ends} | 50.0% (3/6) {ends} | 66.7% (2/3) {ends}",
    ]
    assert any("Recall favours a run that extracts much" in note for note in table.notes)
    assert table.notes[-1] == BOOTSTRAP


def test_the_range_of_equally_good_assignments_has_columns_where_there_is_one() -> None:
    table = agreement_table([pair(words=agreement(ends=(1, 3))), pair("b", "a", agreement(5, 4, ends=(2, 2)))])
    assert labels(table)[-2:] == ["lowest", "highest"]
    assert [row.split(" | ")[-2:] for row in shown(table)] == [["33.3%", "100%"], ["66.7%", "66.7%"]]
    assert sum("lowest and highest" in note for note in table.notes) == 1
    closed = agreement_table([pair(words=agreement(ends=(2, 2))), *BOTH])
    assert labels(closed)[-1] == "conditional precision"
    assert not any("lowest and highest" in note for note in closed.notes)


def test_a_title_says_whether_runs_are_against_each_other_or_against_references() -> None:
    assert agreement_table(BOTH).title == "Runs against each other"
    assert agreement_table([pair("a", "c"), pair("b", "c")]).title == "Runs against references"
    assert agreement_by_edge_table([pair("a", "c")]).title == "Runs against references, by edge"


def test_a_narrow_console_may_leave_out_what_recall_holds_too() -> None:
    found = [labels(table) for table in agreement_table(BOTH).narrowed()]
    measures = ["recall", "Jaccard", "conditional precision"]
    assert found == [
        ["run", "reference", "extractions", "of the reference", "matched", *measures],
        ["run", "reference", "extractions", "of the reference", *measures],
        ["run", "reference", "extractions", *measures],
        ["run", "reference", *measures],
    ]


def test_nothing_of_nothing_has_no_value() -> None:
    silent = agreement(0, 0, 0, 0, ends=(0, 0), interval=None)
    table = agreement_table([pair(words=silent), pair(words=agreement(ends=(1, 3)))])
    assert shown(table)[0] == "a | b | 0 | 0 | 0 | – (0/0) | – (0/0) | – (0/0) | – | –"
    assert table.all_notes[-1] == NO_SHARE
    assert table_csv(table).splitlines()[1] == "a,b,0,0,0,,0,0,,,,0,0,,,,0,0,,,,"


def test_cohorts_are_rows_below_their_pair() -> None:
    table = agreement_by_category_table(BOTH)
    assert labels(table) == ["run", "reference", "category", "recall", "conditional precision"]
    ends = "[25.0–87.5%]"
    of_a = [
        f"a | b | Net Income | 75.0% (3/4) {ends} | 66.7% (2/3) {ends}",
        f"a | b | Equity | 0% (0/1) {ends} | – (0/0)",
    ]
    assert shown(table) == [*of_a, *(row.replace("a | b", "b | a") for row in of_a)]
    assert [row[:3] for row in table.for_reading().rows] == [
        ("a", "b", "Net Income"),
        ("", "", "Equity"),
        ("b", "a", "Net Income"),
        ("", "", "Equity"),
    ]
    assert table.detail
    assert table.notes[-2:] == (BOOTSTRAP, "No interval stands where fewer than two filings add to a total.")


def test_edges_are_coloured_as_such() -> None:
    table = agreement_by_edge_table(BOTH)
    assert [column.kind for column in table.columns] == ["text", "text", "edge", "share", "share"]
    assert shown(table)[0] == "a | b | REV-NNCA | 75.0% (3/4) [25.0–87.5%] | 66.7% (2/3) [25.0–87.5%]"


def test_places_are_matched_and_characters_compared() -> None:
    table = span_table([pair()])
    assert labels(table) == [
        *("run", "reference", "matched", "recall", "Jaccard", "conditional precision"),
        *("character recall", "character Jaccard"),
    ]
    # Two matches of 4 and 5 extractions, one under the same edge; 60 characters of 80, and of 100 + 80 - 60.
    ends = "[25.0–87.5%]"
    assert shown(table) == [
        f"a | b | 2 | 40.0% (2/5) {ends} | 28.6% (2/7) {ends} | 50.0% (1/2) {ends} | 75.0% (60/80) {ends} | "
        f"50.0% (60/120) {ends}"
    ]
    # The constant is that of the published rule.
    assert any("at least 80% of the shorter one's characters" in note for note in table.notes)
    assert any("counts where the other run quotes most" in note for note in table.notes)
    assert not any("stand nowhere in the text:" in note for note in table.notes)


def test_quotes_that_stand_nowhere_are_told_run_by_run() -> None:
    table = span_table([pair(unplaced=(2, 0)), pair("b", "a", unplaced=(0, 2)), pair("a", "c", unplaced=(2, 1200))])
    assert "Quotes that stand nowhere in the text: 2 of a, 1,200 of c." in table.notes


@pytest.mark.parametrize(
    "make",
    [agreement_table, agreement_by_category_table, agreement_by_edge_table, span_table],
    ids=lambda f: f.__name__,
)
def test_one_filing_has_no_intervals_and_the_table_says_why(make) -> None:  # type: ignore[no-untyped-def]
    table = make([pair(interval=None, counts=fidelity(1, None))])
    assert not any(table.bounded)
    assert table.notes[-1] == "Of one filing alone there are no intervals: they tell how filings differ."
    # Over several filings there are none because only one of them adds to each total.
    several = make([pair(interval=None)])
    assert several.notes[-1] == "No interval stands where fewer than two filings add to a total."


def test_the_note_on_intervals_has_draws_seed_filings_and_draws_left_out() -> None:
    some_empty = Interval(0.0, 1.0, used=493, empty=7)
    table = agreement_table([pair(interval=some_empty, counts=fidelity(12, some_empty))], seed=7)
    assert bootstrap_note(table) == (
        "The 95% intervals are from a bootstrap that draws whole filings: 12 of the 12 with replacement, 500 times "
        "(seed 7); their ends are the 2.5 and 97.5 percentiles. Draws in which a measure is 0/0 are left out, 7 at "
        "most. Such measures come from few filings, and their intervals are rough. Of so few filings they are rough, "
        "and mostly too narrow. The ends of so few draws are themselves uncertain."
    )
    assert FILINGS >= 20


def test_csv_has_columns_for_the_ends_of_intervals() -> None:
    head, first, _ = table_csv(agreement_table(BOTH)).splitlines()
    assert head == (
        "run,reference,extractions,of the reference,matched,recall,recall k,recall n,recall low,recall high,"
        "Jaccard,Jaccard k,Jaccard n,Jaccard low,Jaccard high,conditional precision,conditional precision k,"
        "conditional precision n,conditional precision low,conditional precision high"
    )
    assert first == "a,b,4,5,3,0.6,3,5,0.25,0.875,0.5,3,6,0.25,0.875,0.6666666666666666,2,3,0.25,0.875"
    bare = table_csv(agreement_table([pair(interval=None)])).splitlines()[0]
    assert "low" not in bare
    assert bare.endswith("conditional precision,conditional precision k,conditional precision n")


def test_without_pairs_a_table_has_no_rows() -> None:
    for make in (agreement_table, agreement_by_category_table, agreement_by_edge_table, span_table):
        table = make([])
        assert table.rows == ()
        assert not any("interval" in note for note in table.notes)
