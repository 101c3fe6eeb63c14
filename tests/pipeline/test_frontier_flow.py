"""Costs of runs and, of those over one gold file, accuracy beside them."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from benchmark_builders import judged_run
from classify_builders import GOLD, gold_file

from fingreat.cli import main
from fingreat.errors import InputError
from fingreat.inference.presets import load_presets
from fingreat.pipeline.frontier import TABLES, cost_figures, cost_tables, measure_costs
from fingreat.report import Share
from fingreat.runs import RunFolder

# Three passages accept an edge: p0-1 REV-NNCA, p3-1 NNCA-CASH, p1-2 REV-NNCA or NNCA-OPEX; p0-1 and p3-1 are of one
# filing. A model says REV-NNCA where nothing is written here.
ALL_RIGHT = {"p3-1": "NNCA-CASH"}
ONE_RIGHT = {"p0-1": "NNCA-TAX"}


def priced(run: RunFolder, usd: float | None, seconds: float | None) -> RunFolder:
    """The run as if it had cost so much and taken so long."""
    manifest = run.manifest()
    counts = {**manifest.counts, "cost_usd": usd, "spent_usd": usd}
    run.write_manifest(manifest, counts=counts, asking_seconds=seconds)
    return run


@pytest.fixture
def runs(tmp_path: Path) -> list[RunFolder]:
    said: Mapping[str, tuple[Mapping[str, str], float | None, float]] = {
        "good": (ALL_RIGHT, 0.03, 6.0),
        "middling": ({}, 0.06, 3.0),
        "free": ({}, None, 3.0),
        "poor": (ONE_RIGHT, 0.003, 9.0),
    }
    return [priced(judged_run(tmp_path, name, edges), *cost) for name, (edges, *cost) in said.items()]


def test_accuracy_stands_beside_what_a_thousand_passages_take(runs: list[RunFolder]) -> None:
    measured = measure_costs(runs, load_presets(None))
    cost, beside = cost_tables(measured)
    assert (cost.id, beside.id) == ("cost", "cost-accuracy")
    # Three passages were asked about: $0.03 and 6 s for them are $10 and 2,000 s for a thousand. "middling" is right on
    # two, dearer than "good" and as fast as "free", which has the same answers.
    shown = [[Share(k=c.k, n=c.n) if isinstance(c, Share) else c for c in row] for row in beside.rows]
    assert [[row[0], row[1], row[2], row[3], row[5], row[6]] for row in shown] == [
        ["good", Share(k=3, n=3), pytest.approx(10), "yes", pytest.approx(2000), "yes"],
        ["middling", Share(k=2, n=3), pytest.approx(20), "no", pytest.approx(1000), "yes"],
        ["free", Share(k=2, n=3), None, None, pytest.approx(1000), "yes"],
        ["poor", Share(k=1, n=3), pytest.approx(1), "yes", pytest.approx(3000), "no"],
    ]
    assert any(note.startswith("Dollars of free are not known") for note in beside.notes)
    by_dollars, by_time = cost_figures(measured)
    assert (by_dollars.id, by_time.id) == ("cost-accuracy", "time-accuracy")
    assert "free" not in by_dollars.svg
    assert "free" in by_time.svg


def test_dollars_that_are_counted_in_two_ways_are_told(runs: list[RunFolder], tmp_path: Path) -> None:
    models = tmp_path / "models.toml"
    models.write_text('format = 1\n[model."x"]\nengine = { usd_per_hour = 10.0 }\n')
    told = "Dollars are counted in two ways: of good, middling, poor by a provider's prices, of free as time"
    assert any(note.startswith(told) for note in cost_tables(measure_costs(runs, load_presets(models)))[1].notes)
    assert not any("two ways" in note for note in cost_tables(measure_costs(runs, load_presets(None)))[1].notes)


def test_runs_over_other_gold_files_have_costs_and_the_reason_why_no_accuracy(
    runs: list[RunFolder], tmp_path: Path
) -> None:
    (tmp_path / "else").mkdir()
    other = judged_run(tmp_path, "other", gold=gold_file(tmp_path / "else", GOLD[:1]))
    measured = measure_costs([*runs, other], load_presets(None))
    assert [table.id for table in cost_tables(measured)] == ["cost"]
    assert cost_figures(measured) == ()
    assert measured.refused is not None
    assert "another gold file" in measured.refused
    together = measure_costs([*runs, other], load_presets(None), common=True)
    assert together.refused is None
    assert {row.accuracy.total for row in together.answers} == {1}


def test_a_stopped_run_has_no_accuracy_and_keeps_its_costs(runs: list[RunFolder]) -> None:
    runs[0].write_manifest(runs[0].manifest(), status="interrupted", counts={})
    measured = measure_costs(runs, load_presets(None))
    assert [row.name for row in measured.answers] == ["middling", "free", "poor"]
    assert len(measured.runs) == 4


def test_a_run_that_is_named_twice_is_refused(runs: list[RunFolder]) -> None:
    with pytest.raises(InputError, match="named twice"):
        measure_costs([runs[0], runs[0]], load_presets(None))


def test_a_gold_file_that_is_not_theirs_is_refused(runs: list[RunFolder], tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    with pytest.raises(InputError, match="is not the gold file"):
        measure_costs(runs, load_presets(None), gold=gold_file(tmp_path / "else", GOLD[:1]))


def test_the_command_writes_tables_and_figures(
    runs: list[RunFolder], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "tables"
    arguments = ["analyze", "cost", *(str(run.path) for run in runs), "--out", str(out), "--json"]
    assert main(arguments) == 0
    data = json.loads(capsys.readouterr().out)
    assert [(one["name"], one["accuracy"]["k"]) for one in data["accuracy"]] == [
        ("good", 3), ("middling", 2), ("free", 2), ("poor", 1),
    ]  # fmt: skip
    assert data["accuracy"][0]["dollars"]["cost"] == pytest.approx(10)
    assert (data["replicates"], data["seed"], data["filings"]) == (2000, 20261010, len({p.filing_id for p in GOLD}))
    assert {path.name for path in out.iterdir()} <= set(TABLES.names)
    rows = list(csv.DictReader((out / "cost-accuracy.csv").open(newline="")))
    assert [row["USD frontier"] for row in rows] == ["yes", "no", "", "yes"]
    assert (out / "time-accuracy.svg").read_text().startswith("<svg")


def test_the_command_says_why_there_is_no_accuracy(
    runs: list[RunFolder], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gold.jsonl").unlink()
    assert main(["analyze", "cost", str(runs[0].path)]) == 0
    assert "Accuracy is not set beside cost" in " ".join(capsys.readouterr().out.split())
