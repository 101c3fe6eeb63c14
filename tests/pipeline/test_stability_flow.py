"""Extraction and classification runs of the same models, on disk: paired by model, measured on quoted passages."""

from __future__ import annotations

from pathlib import Path

import pytest
from pipeline.answered_runs import ACCEPTED, SENTENCES, answered, extracted, gold_file
from pipeline.extraction_builders import an_extraction, finished_run

from fingreat.errors import InputError, RunError
from fingreat.pipeline.stability import TABLES, measure_stability, stability_figures, stability_tables
from fingreat.runs import RunFolder

QUOTED = {"pumps": "REV-NNCA", "copper": "NNCA-OPEX", "tax": "NNCA-TAX", "dividend": "NNCA-CASH"}
# pumps: right in both; copper: right only when classified; tax: only when extracted; dividend: right by another edge.
ANSWERED = {"pumps": "REV-NNCA", "copper": "NNCA-COGS", "tax": None, "dividend": "CASH-DIV", "shares": "CASH-REP"}


def pair(folder: Path, model: str = "qwen") -> list[RunFolder]:
    gold = gold_file(folder)
    return [
        extracted(folder / f"{model}-extract", QUOTED, model=model),
        answered(folder / f"{model}-classify", gold, ANSWERED, model=model),
    ]


def test_a_row_says_what_a_reader_counts(tmp_path: Path) -> None:
    measured = measure_stability(pair(tmp_path), replicates=20)
    tables = {table.id: table for table in stability_tables(measured)}
    # No passage is quoted twice: there is no table of lowest and highest shares.
    assert tuple(tables) == ("stability", "stability-transitions")
    [row] = tables["stability"].rows
    assert row[:3] == ("qwen", "qwen-extract", "qwen-classify")
    quoted, before, now, change, same = row[3:]
    assert [(one.k, one.n) for one in (quoted, before, now, same)] == [(4, 5), (3, 4), (3, 4), (1, 4)]
    assert change.value == 0
    [row] = tables["stability-transitions"].rows
    assert [(one.k, one.n) for one in row[3:]] == [(2, 4), (1, 4), (1, 4), (0, 4)]
    notes = " ".join(tables["stability"].notes)
    assert "left out 1 passage not quoted (shares). Classified, 80.0% (4/5) of all passages are right." in notes
    assert "Over 5 passages of 2 filings." in notes


def test_a_passage_quoted_under_two_edges_leaves_shares_open_and_says_so(tmp_path: Path) -> None:
    runs = pair(tmp_path)
    quotes = [
        an_extraction(ACCEPTED[name][0], f"x-{number}-{name}", SENTENCES[name], edge)
        for number, edges in enumerate((QUOTED, {"pumps": "NNCA-COGS", "dividend": "CASH-DIV"}))
        for name, edge in edges.items()
    ]
    (tmp_path / "more").mkdir()
    twice = finished_run(tmp_path / "more" / "twice", ["F1", "F2"], quotes)
    twice.write_manifest(twice.manifest(), status="complete", model=runs[0].manifest().model)
    tables = stability_tables(measure_stability([twice, runs[1]], replicates=20))
    assert tuple(table.id for table in tables) == TABLES.ids
    table, open_ended, transitions = tables
    # As without the second quotes: pumps, tax and dividend are right, pumps is the same.
    assert (table.rows[0][4].k, table.rows[0][7].k) == (3, 1)
    [(*_, several, right, lowest_right, highest_right, same, lowest_same, highest_same)] = open_ended.rows
    assert [(one.k, one.n) for one in (several, right, same)] == [(2, 4), (3, 4), (1, 4)]
    # Pumps may be wrong; dividend is right by either edge, and the same by its second.
    assert (lowest_right, highest_right, lowest_same, highest_same) == (2 / 4, 3 / 4, 0, 2 / 4)
    for notes in (table.notes, transitions.notes):
        assert any("place, order and id decide which of these equal quotes counts" in note for note in notes)


def test_runs_are_paired_by_model_in_whatever_order_they_are_named(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    first, second = pair(tmp_path, "qwen"), pair(tmp_path, "gemma")
    other = extracted(tmp_path / "more" / "qwen-extract", {"pumps": "REV-NNCA"}, model="qwen")
    measured = measure_stability([second[1], first[0], other, first[1], second[0]], replicates=10)
    # Of equal names the later one has a number.
    assert [(one.model, one.extraction, one.classification, one.quoted.hits) for one in measured.pairs] == [
        ("qwen", "qwen-extract", "qwen-classify", 4),
        ("qwen", "qwen-extract (2)", "qwen-classify", 1),
        ("gemma", "gemma-extract", "gemma-classify", 4),
    ]
    (figure,) = stability_figures(measured)
    assert figure.id == "stability"
    assert "qwen-extract (2) / qwen-classify, same edge: 100% (1/1)" in figure.svg


def test_runs_of_both_tasks_may_have_one_name(tmp_path: Path) -> None:
    """As in a study, where both are called what the model is."""
    for task in ("extract", "classify"):
        (tmp_path / task).mkdir()
    runs = [
        extracted(tmp_path / "extract" / "qwen", QUOTED, model="qwen"),
        answered(tmp_path / "classify" / "qwen", gold_file(tmp_path), ANSWERED, model="qwen"),
    ]
    table = stability_tables(measure_stability(runs, replicates=10))[0]
    assert table.rows[0][:3] == ("qwen", "qwen", "qwen")
    assert any(note.startswith("qwen: left out 1 passage not quoted") for note in table.notes)


def test_filings_that_an_extraction_run_did_not_read_are_told_and_left_out(tmp_path: Path) -> None:
    gold = gold_file(tmp_path)
    runs = [
        extracted(tmp_path / "e", {"pumps": "REV-NNCA"}, model="m", filings=("F1",)),
        answered(tmp_path / "c", gold, ANSWERED, model="m"),
    ]
    measured = measure_stability(runs, replicates=10)
    assert (measured.pairs[0].quoted.hits, measured.pairs[0].quoted.total, measured.pairs[0].unread) == (1, 3, 2)
    notes = " ".join(stability_tables(measured)[0].notes)
    assert (
        "e and c: left out 2 passages not quoted (copper, tax) and 2 passages of filings that were not read." in notes
    )


def test_requests_of_an_extraction_run_that_failed_are_told(tmp_path: Path) -> None:
    runs = pair(tmp_path)
    runs[0].write_manifest(runs[0].manifest(), counts={"requests": 9, "failures": 2})
    tables = stability_tables(measure_stability(runs, replicates=10))
    assert all(
        any("2 of 9 requests of extraction run qwen-extract failed" in note for note in table.notes) for table in tables
    )


def test_a_run_without_a_partner_is_named(tmp_path: Path) -> None:
    runs = pair(tmp_path)
    lonely = extracted(tmp_path / "phi-extract", QUOTED, model="phi")
    with pytest.raises(
        InputError, match="phi-extract: has no partner: none of the runs is one of `fingreat classify` by phi"
    ):
        measure_stability([*runs, lonely])
    with pytest.raises(
        InputError, match="qwen-classify: has no partner: none of the runs is one of `fingreat extract`"
    ):
        measure_stability(runs[1:])
    with pytest.raises(InputError, match="no run to measure"):
        measure_stability([])


def test_the_same_model_at_another_server_is_no_partner(tmp_path: Path) -> None:
    runs = pair(tmp_path)
    manifest = runs[0].manifest()
    runs[0].write_manifest(manifest, model=manifest.model.model_copy(update={"base_url": "http://localhost:8000/v1"}))
    with pytest.raises(InputError, match="by qwen at http://localhost:8000/v1"):
        measure_stability(runs)


def test_partners_with_different_graphs_a_run_named_twice_and_an_unfinished_one_are_refused(tmp_path: Path) -> None:
    gold = gold_file(tmp_path)
    runs = pair(tmp_path)
    other = answered(tmp_path / "other", gold, ANSWERED, model="qwen", graph="another")
    with pytest.raises(InputError, match=r"qwen-extract: was made with another graph than .*other"):
        measure_stability([runs[0], other])
    with pytest.raises(InputError, match="is named twice"):
        measure_stability([*runs, runs[0]])
    runs[0].write_manifest(runs[0].manifest(), status="interrupted")
    with pytest.raises(RunError, match="interrupted, not complete"):
        measure_stability(runs)
