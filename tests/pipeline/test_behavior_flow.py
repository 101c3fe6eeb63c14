"""What runs on disk dwell on: years from their corpora, tables and figures, and what is said where years lack."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from extraction_builders import an_extraction, finished_run

from fingreat.errors import CorpusError, InputError
from fingreat.pipeline.behavior import (
    TABLES,
    Dating,
    MeasuredBehavior,
    YearOf,
    behavior_figures,
    behavior_tables,
    measure_behavior,
)
from fingreat.pipeline.side_by_side import Choice
from fingreat.report import Share, Table
from fingreat.runs import RunFolder
from fingreat.schema import Filing, Verdict, load_graph

GRAPH = load_graph()
DATES = {"F1": (date(2008, 3, 1), 2007), "F2": (date(2008, 12, 20), 2008), "F3": (date(2009, 2, 1), None)}
"""Filing → when it was filed, and its fiscal year."""
SAID = {
    "a": {"F1": ["REV-NNCA", "REV-NNCA", "NNCA-COGS"], "F2": ["CASH-DIV"], "F3": ["REV-NNCA"]},
    "b": {"F1": ["ISS-NNCA"], "F3": ["CASH-DIV", "CASH-DIV"]},
}
YEARLY = [f"{name}-by-year" for name in ("behavior", "edges", "coverage", "volume", "verdicts")]


def corpus_at(path: Path, dates: dict[str, tuple[date | None, int | None]]) -> Path:
    """A corpus that lists filings and holds nothing else."""
    path.mkdir(parents=True)
    filings = [
        Filing(id=id_, filed=filed, fiscal_year=fiscal, path=f"raw/{id_}", sha256="0")
        for id_, (filed, fiscal) in dates.items()
    ]
    (path / "filings.jsonl").write_text("".join(filing.model_dump_json() + "\n" for filing in filings))
    return path


def run_at(
    path: Path, said: dict[str, list[str]], *, filings: tuple[str, ...] = tuple(DATES), **asked: object
) -> RunFolder:
    extractions = [
        an_extraction(filing, f"{filing}-{n}", edge=edge, verdict=Verdict.NOT_FOUND if n else Verdict.EXACT)
        for filing, edges in said.items()
        for n, edge in enumerate(edges)
    ]
    return finished_run(path, filings, extractions, **asked)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[RunFolder]:
    folder = tmp_path_factory.mktemp("runs")
    corpus = corpus_at(folder / "corpus", DATES)
    return [run_at(folder / name, said, corpus=str(corpus)) for name, said in SAID.items()]


def tables_of(measured: MeasuredBehavior) -> dict[str, Table]:
    return {table.id: table for table in behavior_tables(measured)}


def rows_of(table: Table) -> list[tuple[object, ...]]:
    """Its rows, shares as (k, n); those of nothing are left out."""
    rows = [tuple((cell.k, cell.n) if isinstance(cell, Share) else cell for cell in row) for row in table.rows]
    return [row for row in rows if not (isinstance(row[-1], tuple) and row[-1][0] == 0)]


def test_every_table_of_two_small_runs_is_as_worked_out_by_hand(runs: list[RunFolder]) -> None:
    tables = tables_of(measure_behavior(runs, replicates=50))
    assert tuple(tables) == TABLES.ids
    assert rows_of(tables["behavior"]) == [
        ("Net Income", "a", (4, 5)), ("Cash Flow", "a", (1, 5)), ("Cash Flow", "b", (2, 3)), ("Equity", "b", (1, 3)),
    ]  # fmt: skip
    assert rows_of(tables["behavior-by-edge"]) == [
        ("Net Income", "REV-NNCA", "a", (3, 5)),
        ("Net Income", "NNCA-COGS", "a", (1, 5)),
        ("Cash Flow", "CASH-DIV", "a", (1, 5)),
        ("Cash Flow", "CASH-DIV", "b", (2, 3)),
        ("Equity", "ISS-NNCA", "b", (1, 3)),
    ]
    assert rows_of(tables["coverage"])[:2] == [
        ("Net Income", "REV-NNCA", "a", (2, 3)), ("Net Income", "NNCA-COGS", "a", (1, 3)),
    ]  # fmt: skip
    # In each filing the first quote stands in the text and the others do not.
    assert [(row[0], row[1].k, row[-2].k) for row in tables["verdicts"].rows] == [("a", 3, 2), ("b", 2, 1)]
    assert rows_of(tables["behavior-by-year"]) == [
        ("a", "2008", "Net Income", (3, 4)),
        ("a", "2008", "Cash Flow", (1, 4)),
        ("a", "2009", "Net Income", (1, 1)),
        ("b", "2008", "Equity", (1, 1)),
        ("b", "2009", "Cash Flow", (2, 2)),
    ]
    assert ("a", "2008", "REV-NNCA", (2, 4)) in rows_of(tables["edges-by-year"])
    assert ("a", "2008", "REV-NNCA", (1, 2)) in rows_of(tables["coverage-by-year"])
    assert [row[:6] for row in tables["volume-by-year"].rows] == [
        ("a", "2008", 2, 0, 4, 2.0), ("a", "2009", 1, 0, 1, 1.0),
        ("b", "2008", 2, 1, 1, 0.5), ("b", "2009", 1, 0, 2, 2.0),
    ]  # fmt: skip
    # Of 2008 there are filings with 1 and with 3 extractions, so draws say 1, 2 or 3; 2009 has one filing alone.
    assert [row[6:] for row in tables["volume-by-year"].rows[:2]] == [(1.0, 3.0), (None, None)]
    assert tables["filing-years"].rows == (("2008", 2, "2007 (1), 2008 (1)"), ("2009", 1, "unknown (1)"))


def test_tables_say_what_they_are_over_and_how_they_are_made(runs: list[RunFolder]) -> None:
    tables = tables_of(measure_behavior(runs, replicates=50, seed=3))
    assert all(table.notes[0] == "Over 3 filings." for table in tables.values())
    notes = " ".join(tables["behavior-by-year"].notes)
    assert "Year is the year of filing." in notes
    assert "draws whole filings of a year, as many as it has, with replacement, 50 times (seed 3)" in notes
    # 2009 has one filing alone, and b extracts something from one of 2008 alone.
    assert "No interval stands where fewer than two filings add to a total" in notes
    assert "what a run dwells on, not what is right" in " ".join(tables["behavior"].notes)
    assert "known year" not in notes


def test_tables_with_categories_name_a_grouping_that_is_not_the_usual_one(runs: list[RunFolder]) -> None:
    tables = tables_of(measure_behavior(runs, grouping="capital", replicates=20))
    note = "Categories of edges are those of the grouping “capital”."
    told = {id_ for id_, table in tables.items() if note in table.notes}
    assert told == {"behavior", "behavior-by-edge", "coverage", "behavior-by-year"}


def test_draws_of_silent_filings_alone_are_left_out_and_counted(runs: list[RunFolder], tmp_path: Path) -> None:
    corpus = corpus_at(tmp_path / "corpus", dict.fromkeys(DATES, (date(2008, 1, 1), None)))
    measured = measure_behavior(runs[1:], dating=Dating(corpus), replicates=2000)
    interval = measured.runs[0].years[0].categories[0].share.interval
    # b is silent in one of three filings, and one draw of 27 is that one three times: 74 of 2,000, give or take 25.
    assert interval.used + interval.empty == 2000
    assert 49 <= interval.empty <= 99
    notes = " ".join(tables_of(measured)["behavior-by-year"].notes)
    assert f"Draws in which a measure is 0/0 are left out, {interval.empty} at most." in notes


def test_years_may_be_fiscal_years(runs: list[RunFolder]) -> None:
    measured = measure_behavior(runs, dating=Dating(year=YearOf.FISCAL), replicates=20)
    tables = tables_of(measured)
    assert tables["filing-years"].rows == (("2007", 1, "2008 (1)"), ("2008", 1, "2008 (1)"))
    assert [row[1] for row in tables["volume-by-year"].rows] == ["2007", "2008"] * 2
    assert "1 filing of 3 has no known fiscal year, and counts in no year." in tables["behavior"].notes
    assert "by fiscal year" in behavior_figures(measured)[0].title


def test_figures_are_lines_over_years_in_a_panel_for_each_category_and_edge(runs: list[RunFolder]) -> None:
    figures = {figure.id: figure for figure in behavior_figures(measure_behavior(runs, replicates=20))}
    assert tuple(figures) == ("category-lines", "edge-lines", "coverage-lines")
    assert set(figures) <= set(TABLES.figures)
    for category in GRAPH.categories():
        assert f">{category}</text>" in figures["category-lines"].svg
    for edge in GRAPH.edges:
        assert f">{edge}</text>" in figures["edge-lines"].svg
        assert f">{edge}</text>" in figures["coverage-lines"].svg
    assert "a: 75.0% in 2008, 100% in 2009" in figures["category-lines"].svg
    # Only one of the years has two filings and so intervals: no band can be drawn.
    assert "Intervals stand in the tables." in figures["category-lines"].caption


@pytest.mark.parametrize(
    ("dates", "note"),
    [
        ({}, "3 filings of 3 have no known year of filing, and count in no year."),
        ({"F1": (date(2008, 3, 1), 2007)}, "2 filings of 3 have no known year of filing, and count in no year."),
    ],
)
def test_without_two_years_figures_are_dots_over_all_filings_and_the_lack_is_said(
    dates: dict[str, tuple[date, int]], note: str, runs: list[RunFolder], tmp_path: Path
) -> None:
    measured = measure_behavior(runs, dating=Dating(corpus_at(tmp_path / "corpus", dates)), replicates=20)
    tables = tables_of(measured)
    assert set(tables) == set(TABLES.ids) - (set() if dates else {"filing-years", *YEARLY})
    assert all(note in table.notes for table in tables.values())
    figures = behavior_figures(measured)
    assert [figure.id for figure in figures] == ["category-dots", "edge-dots", "coverage-dots"]
    assert "80.0% (4/5)" in figures[0].svg


def test_a_corpus_that_is_gone_or_was_never_named_leaves_the_years_unknown_and_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    runs = [run_at(tmp_path / "a", SAID["a"], corpus=str(gone)), run_at(tmp_path / "b", SAID["b"])]
    notes = measure_behavior(runs, replicates=20).notes
    assert notes[0] == "3 filings of 3 have no known year of filing, and count in no year."
    assert f"Run {runs[1].path} does not say which corpus it read." in notes
    assert any(str(gone) in note and "is no corpus folder" in note for note in notes)
    with pytest.raises(CorpusError, match="is no corpus folder"):
        measure_behavior(runs, dating=Dating(gone))


def test_of_two_corpora_the_one_that_knows_the_date_is_believed(tmp_path: Path) -> None:
    first = corpus_at(tmp_path / "first", {"F1": (None, 2007), "F2": (date(2001, 1, 1), None)})
    second = corpus_at(tmp_path / "second", DATES)
    runs = [run_at(tmp_path / name, SAID[name], corpus=str(where)) for name, where in (("a", first), ("b", second))]
    measured = measure_behavior(runs, replicates=20)
    assert measured.years == {2001: {"unknown": 1}, 2008: {"2007": 1}, 2009: {"unknown": 1}}
    assert measured.notes == ()


def test_one_run_alone_can_be_measured_and_other_filings_need_common(runs: list[RunFolder], tmp_path: Path) -> None:
    alone = measure_behavior(runs[:1], replicates=20)
    assert [run.run for run in alone.runs] == ["a"]
    fewer = run_at(tmp_path / "c", {"F1": ["REV-NNCA"]}, filings=("F1", "F2"), corpus=str(tmp_path))
    with pytest.raises(InputError, match="has not read 1 of the 3 filings"):
        measure_behavior([runs[0], fewer])
    common = measure_behavior([runs[0], fewer], choice=Choice(common=True), replicates=20)
    assert [run.overall.extractions for run in common.runs] == [4, 1]
    assert common.scope.left_out_extractions == 1
