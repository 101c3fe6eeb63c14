"""What runs dwell on, as tables and figures of as many runs and years as a study has."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from pipeline.extraction_builders import an_extraction

from fingreat.analysis import Behavior, BehaviorTally
from fingreat.report import Table, table_csv
from fingreat.report.behavior_figures import behavior_figures
from fingreat.report.behavior_tables import behavior_by_edge_table, coverage_table, verdicts_table
from fingreat.report.behavior_year_tables import behavior_by_year_table, edges_by_year_table
from fingreat.schema import load_graph
from fingreat.schema.graph import DEFAULT_GROUPING

GRAPH = load_graph()
EDGES = tuple(GRAPH.edges)
CATEGORIES = {edge: GRAPH.category(edge) for edge in EDGES}


def made_up(run: str, number: int, years: int) -> Behavior:
    """A run over two filings of each year that gives the `k`th edge `k + number` times, by turns of the edges."""
    filings = {f"F{year}-{n}": year for year in range(2000, 2000 + years) for n in range(2)}
    tally = BehaviorTally(run, GRAPH, filings)
    for filing in filings:
        found = [an_extraction(filing, f"{k}", edge=edge) for k, edge in enumerate(EDGES[: 1 + number % len(EDGES)])]
        tally.add(filing, found)
    return tally.behavior(replicates=10)


@pytest.fixture(scope="module")
def many() -> list[Behavior]:
    return [made_up(f"model-{n:02}", n, years=1) for n in range(44)]


@pytest.mark.parametrize("make", [behavior_by_edge_table, coverage_table])
def test_a_table_by_edge_has_all_runs_of_an_edge_one_after_the_other(make: object, many: list[Behavior]) -> None:
    table: Table = make(many, CATEGORIES, seed=1)
    assert [row[1:3] for row in table.rows] == [(edge, run.run) for edge in EDGES for run in many]
    assert [row[0] for row in table.rows[::44]] == list(CATEGORIES.values())
    read = table.for_reading().rows
    # A reader sees an edge once, a spreadsheet in every row.
    assert [row[1] for row in read[:45]] == [EDGES[0], *[""] * 43, EDGES[1]]
    assert table_csv(table).count(EDGES[1]) == 44


def test_a_table_of_verdicts_has_a_row_for_each_run(many: list[Behavior]) -> None:
    table = verdicts_table(many, seed=1)
    assert [row[0] for row in table.rows] == [run.run for run in many]
    assert [column.label for column in table.columns] == [
        "run", "in the text", "exact", "normalised", "elided", "altered", "not found", "too short",
    ]  # fmt: skip


def test_figures_of_many_runs_name_each_of_them_in_each_group(many: list[Behavior]) -> None:
    for figure in behavior_figures(many, GRAPH, DEFAULT_GROUPING, year="year of filing"):
        groups = 3 if figure.id == "category-dots" else len(EDGES)
        assert len(re.findall(r">model-\d\d</text>", figure.svg)) == 44 * groups


def test_tables_by_year_of_a_whole_study_are_long_and_folded_away() -> None:
    runs = [made_up(f"run-{n}", 3 * n, years=26) for n in range(8)]
    table = edges_by_year_table(runs, "year of filing", seed=1)
    assert len(table.rows) == 8 * 26 * 11
    assert table.detail
    years = [row[1] for row in behavior_by_year_table(runs, "year of filing", seed=1).rows[: 26 * 3 : 3]]
    assert years == [str(year) for year in range(2000, 2026)]
    assert all(a < b for a, b in pairwise(years))
    figures = behavior_figures(runs, GRAPH, DEFAULT_GROUPING, year="year of filing")
    assert [figure.svg.count('class="fg-line') for figure in figures] == [24, 88, 88]
    # Eight runs would cover each other's bands.
    assert not any("fg-band" in figure.svg for figure in figures)
    assert figures[1].caption.endswith(
        "by year of filing. Of 52 filings, 2 in each year. Intervals stand in the tables."
    )


def test_lines_break_at_years_without_a_filing_and_the_caption_says_how_many_filings_there_are() -> None:
    """Two filings in 2000 and in 2001, none in 2002, two in 2003 and one in 2004; one has no date."""
    years = {"a": 2000, "b": 2000, "c": 2001, "d": 2001, "e": 2003, "f": 2003, "g": 2004}
    tally = BehaviorTally("run", GRAPH, years)
    for filing in [*years, "undated"]:
        tally.add(filing, [an_extraction(filing, filing, edge=EDGES[0])])
    figure = behavior_figures([tally.behavior(replicates=10)], GRAPH, DEFAULT_GROUPING, year="year of filing")[0]
    lines = re.findall(r'class="fg-line[^"]*" d="([^"]*)"', figure.svg)
    assert {line.count("M") for line in lines} == {2}
    assert figure.caption.endswith(
        "by year of filing. Of 7 filings, 1 to 2 in a year; 1 filing of no known year left out. Lines break where a "
        "year has no filing. Bands are 95% intervals."
    )


def test_filings_of_every_fifth_year_lack_no_year_between() -> None:
    tally = BehaviorTally("run", GRAPH, {"a": 2000, "b": 2005, "c": 2010})
    for filing in "abc":
        tally.add(filing, [an_extraction(filing, filing, edge=EDGES[0])])
    figure = behavior_figures([tally.behavior(replicates=10)], GRAPH, DEFAULT_GROUPING, year="year of filing")[0]
    assert {line.count("M") for line in re.findall(r'class="fg-line[^"]*" d="([^"]*)"', figure.svg)} == {1}
    assert figure.caption.endswith("Of 3 filings, 1 in each year.")
