"""Errors of as many models as a study has, as tables and maps that stay readable."""

from __future__ import annotations

from analysis.written_sheets import GRAPH, gold, sheet_of

from fingreat.analysis import errors_of, matched_accuracy
from fingreat.report.errors_tables import (
    confusion_map,
    confusion_table,
    matched_accuracy_table,
    missed_table,
    overlap_map,
    overlap_table,
)
from fingreat.report.tables import cell_text

PASSAGES = [
    gold("one", "REV-NNCA"),
    gold("two", "NNCA-COGS"),
    gold("three", "NNCA-TAX", filing="F2"),
    gold("four", "CASH-DIV", "NNCA-CASH", filing="F2"),
    gold("five", "CASH-REP", filing="F3"),
]
# The first and the third kind miss two passages each, the second three; all miss "five".
KINDS = (
    ["REV-NNCA", "NNCA-COGS", "NNCA-OPEX", "NNCA-CASH", None],
    ["REV-NNCA", "NNCA-COGS", "NNCA-OPEX", "ISS-CASH", "CASH-DIV"],
    ["REV-NNCA", "REV-NNCA", "NNCA-TAX", "CASH-DIV", "CASH-DIV"],
)
ERRORS = errors_of(sheet_of(PASSAGES, {f"Family-{n}-27B-Instruct": KINDS[n % 3] for n in range(44)}))


def test_all_946_pairs_of_44_models_are_for_who_looks_closer_and_the_equally_accurate_ones_for_reading() -> None:
    table = overlap_table(ERRORS)
    assert len(table.rows) == 946
    assert table.detail
    # 15, 15 and 14 models of each kind: those of the first and the third are equally accurate, and those of the second.
    found = matched_accuracy(ERRORS.overlaps, 1.0)
    shown = matched_accuracy_table(ERRORS, found, 1.0)
    assert len(shown.rows) == 29 * 28 // 2 + 15 * 14 // 2
    assert not shown.detail
    assert shown.notes[0].startswith("511 pairs of 946 whose accuracies differ by at most 1 percentage point, ")
    values = [row[4].value for row in shown.rows]
    assert values == sorted(values, reverse=True)


def test_what_44_models_say_of_a_passage_is_a_count_for_each_answer() -> None:
    [row] = missed_table(ERRORS).rows
    assert row[1:5] == ("F3", "five", "CASH-REP", "CASH-DIV 29, failed 15")
    assert missed_table(ERRORS).title == "Passages that none or at most 4 of 44 models get right"


def test_each_answer_of_each_model_counts_once_in_the_confusion() -> None:
    table = confusion_table(ERRORS, GRAPH)
    # 44 models and 5 passages; what the note says of it holds for one model and for all.
    assert round(sum(row[1] for row in table.rows), 6) == 44 * 5
    assert table.notes[0] == "Answers of 44 models to 5 passages."
    assert table.notes[1].endswith("each answer of a model counts once in all.")
    # No passage accepts OCI-NNCA: its row has no answers to sum.
    assert next(row for row in table.rows if row[0] == "OCI-NNCA")[1] == 0
    assert confusion_map(ERRORS, GRAPH).caption.startswith("Each row with answers sums to 1. ")


def test_the_most_frequent_wrong_answers_are_named_and_the_others_counted() -> None:
    said = [*list(GRAPH.edges)[1:7], "NNCA-COGS"]
    errors = errors_of(sheet_of(PASSAGES[:1], {f"m{n}": [edge] for n, edge in enumerate(said)}))
    [row] = [row for row in confusion_table(errors, GRAPH).rows if row[0] == "REV-NNCA"]
    assert row[4] == "NNCA-COGS 2.0, NNCA-OPEX 1.0, NNCA-NONOP 1.0, NNCA-TAX 1.0, 2 more"


def test_a_long_passage_is_shown_by_its_beginning_in_one_line() -> None:
    passage = PASSAGES[0].model_copy(update={"text": "| a  |\n| b |" + " word" * 100})
    [row] = missed_table(errors_of(sheet_of([passage], {"m": [None]}))).rows
    assert row[5].startswith("| a | | b | word")
    assert "\n" not in row[5]
    assert len(row[5]) <= 121


def test_the_map_of_44_models_fits_a_page_and_that_of_edges_keeps_its_numbers() -> None:
    overlap, confusion = overlap_map(ERRORS), confusion_map(ERRORS, GRAPH)
    width, height = (int(overlap.svg.split(f'{key}="', 1)[1].split('"', 1)[0]) for key in ("width", "height"))
    assert max(width, height) < 1100
    # Two models of the first and the third kind miss one passage together, of three.
    assert "Family-0-27B-Instruct, Family-2-27B-Instruct: 33.3% 1/3</title>" in overlap.svg
    assert ">0.34</text>" in confusion.svg  # 15 of the 44 answers to "five" failed


def test_models_without_errors_have_a_map_without_values() -> None:
    errors = errors_of(sheet_of(PASSAGES[:1], {"a": ["REV-NNCA"], "b": ["REV-NNCA"]}))
    assert "a, b: no value" in overlap_map(errors).svg
    table = overlap_table(errors)
    assert [cell_text(column, cell) for column, cell in zip(table.columns, table.rows[0], strict=True)][4:] == [
        "– (0/0)",
        "–",
    ]
    assert "0/0 has no value: it is neither 0 nor 1." in table.all_notes
