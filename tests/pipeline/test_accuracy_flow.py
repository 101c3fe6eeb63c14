"""Accuracy of classification runs from their folders to tables, figures and files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmark_builders import judged_run
from classify_builders import GOLD, gold_file

from fingreat.analysis import Ratio
from fingreat.analysis.families import ModelFacts
from fingreat.errors import InputError
from fingreat.pipeline.accuracy import TABLES, accuracy_figures, accuracy_tables, measure_accuracy_of, model_facts
from fingreat.report.tables import Share
from fingreat.runs import RunFolder

# GOLD: p0-1 accepts REV-NNCA, p3-1 NNCA-CASH, p5-1 nothing, p1-2 REV-NNCA or NNCA-OPEX.


def known(run: RunFolder, **facts: object) -> RunFolder:
    """The run as of a model of which this is known."""
    path = run.path / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["model"] |= facts
    path.write_text(json.dumps(manifest))
    return run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[RunFolder]:
    folder = tmp_path_factory.mktemp("runs")
    gold = gold_file(folder, GOLD)
    right = {"p3-1": "NNCA-CASH"}
    return [
        known(judged_run(folder, "small", gold=gold), family="qwen", total_parameters=4),
        known(judged_run(folder, "large", right, gold=gold), family="qwen", total_parameters=27),
        known(judged_run(folder, "far", right | {"p1-2": None}, gold=gold), family="gpt", backend="openai"),
    ]


def test_runs_are_measured_on_the_passages_that_they_were_asked_about(runs: list[RunFolder]) -> None:
    measured = measure_accuracy_of(runs, replicates=100)
    right = {name: one.overall.accuracy for name, one in measured.accuracies.items()}
    # Two filings, of two passages and of one.
    assert {name: Ratio(one.hits, one.total) for name, one in right.items()} == {
        "small": Ratio(2, 3),
        "large": Ratio(3, 3),
        "far": Ratio(2, 3),
    }
    assert all(one.interval for one in right.values())
    assert [(one.a, one.b, one.only_a, one.only_b) for one in measured.differences] == [
        ("small", "large", 0, 1),
        ("small", "far", 1, 1),
        ("large", "far", 1, 0),
    ]
    assert [(one.family, one.models) for one in measured.families] == [("qwen", ("small", "large")), ("gpt", ("far",))]
    assert (measured.gaps[0].open_best, measured.gaps[0].hosted_best) == (("large",), ("far",))


def test_all_tables_and_figures_are_made_and_written(runs: list[RunFolder], tmp_path: Path) -> None:
    measured = measure_accuracy_of(runs, replicates=100)
    tables, figures = accuracy_tables(measured), accuracy_figures(measured)
    assert {table.id for table in tables} == set(TABLES.ids)
    assert tuple(figure.id for figure in figures) == TABLES.figures
    assert all(table.notes[0] == "Over 3 passages of 2 filings." for table in tables)
    assert all("Replies that failed count as wrong: 1 of far." in table.notes for table in tables)
    TABLES.write(tables, tmp_path / "out", ["by a test"], figures)
    assert {path.name for path in (tmp_path / "out").glob("*.csv")} == {f"{id_}.csv" for id_ in TABLES.ids}
    assert {path.name for path in (tmp_path / "out").glob("*.svg")} == {"accuracy.svg", "sizes.svg"}


def test_what_is_not_known_makes_no_table(tmp_path: Path) -> None:
    measured = measure_accuracy_of([judged_run(tmp_path, "alone")])
    assert [table.id for table in accuracy_tables(measured)] == ["accuracy", "accuracy-by-edge", "accuracy-by-cohort"]
    assert [figure.id for figure in accuracy_figures(measured)] == ["accuracy"]


def test_a_model_at_a_server_of_ones_own_is_open(runs: list[RunFolder]) -> None:
    manifest = runs[2].manifest()
    assert model_facts("far", manifest) == ModelFacts("far", "gpt", None, hosted=True)
    model = manifest.model.model_copy(update={"base_url": "http://127.0.0.1:8000/v1"})
    assert not model_facts("near", manifest.model_copy(update={"model": model})).hosted
    assert not model_facts("small", runs[0].manifest()).hosted


def test_one_filing_alone_has_no_intervals_and_it_is_told(tmp_path: Path) -> None:
    gold = gold_file(tmp_path, GOLD[:2])
    runs = [judged_run(tmp_path, "one", gold=gold), judged_run(tmp_path, "two", {"p3-1": "NNCA-CASH"}, gold=gold)]
    tables = {table.id: table for table in accuracy_tables(measure_accuracy_of(runs))}
    assert tables["accuracy"].rows[0][1] == Share(k=2, n=2)
    assert "Of one filing alone there are no intervals: they tell how filings differ." in tables["accuracy"].notes
    assert not any("Intervals, which are wide" in note for note in tables["accuracy-by-edge"].notes)
    assert "All passages are of one filing" in " ".join(tables["accuracy-differences"].notes)


def test_tables_with_categories_name_a_grouping_that_is_not_the_usual_one(runs: list[RunFolder]) -> None:
    for grouping, told in (("capital", {"accuracy", "accuracy-by-cohort", "open-and-hosted"}), ("default", set())):
        tables = accuracy_tables(measure_accuracy_of(runs, grouping=grouping, replicates=20))
        note = f"Categories of edges are those of the grouping “{grouping}”."
        assert {table.id for table in tables if note in table.notes} == told


def test_a_grouping_that_the_graph_lacks_is_refused(runs: list[RunFolder]) -> None:
    with pytest.raises(InputError, match="no grouping 'colour'"):
        measure_accuracy_of(runs, grouping="colour")
