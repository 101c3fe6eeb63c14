"""`fingreat study` from a user's side."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "pipeline"))
from study_builders import STUDY, write_study

Run = Callable[..., Any]
QUICK = STUDY.partition("[power]")[0]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return write_study(tmp_path, QUICK)


def test_a_study_is_checked_run_and_checked_again(run: Run, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    before = run("study", "check", study, "--out", out)
    assert before.code == 0
    assert "What is to be done for small" in before.out
    assert not out.exists()

    made = run("study", "run", study, "--out", out)
    assert made.code == 0
    assert "Runs of the study" in made.out
    assert f"report: {out / 'report.html'}" in made.err
    assert (out / "report.html").is_file()

    after = json.loads(run("study", "check", study, "--out", out, "--json").out)
    assert after["ready"] is True
    assert {one["state"] for one in after["runs"]} == {"complete"}


def test_json_names_runs_tables_and_page(run: Run, study: Path, tmp_path: Path) -> None:
    found = json.loads(run("study", "run", study, "--out", tmp_path / "out", "--json").out)
    assert found["complete"] is True
    assert [one["run"] for one in found["runs"]][:2] == ["extract/first", "extract/first-repeat-1"]
    assert {"agreement", "noise-floor", "accuracy", "study-runs"} <= set(found["tables"])
    assert found["page"] == str(tmp_path / "out" / "report.html")


def test_only_some_models_are_run_without_a_page(run: Run, study: Path, tmp_path: Path) -> None:
    done = run("study", "run", study, "--out", tmp_path / "out", "--only", "cash")
    assert done.code == 0
    assert "report:" not in done.err
    assert (tmp_path / "out" / "runs" / "classify" / "cash" / "manifest.json").is_file()
    assert not (tmp_path / "out" / "runs" / "extract").exists()


def test_a_run_that_is_missing_gives_status_1_and_its_reason(run: Run, tmp_path: Path) -> None:
    file = write_study(tmp_path, QUICK.replace("scripted:cash.jsonl", "scripted:gone.jsonl"))
    done = run("study", "run", file, "--out", tmp_path / "out")
    assert done.code == 1
    assert "classify/cash" in done.err
    assert "there is no such file" in done.err
    checked = run("study", "check", file, "--out", tmp_path / "out")
    assert checked.code == 1
    assert "not ready: 1 run that cannot be made here now" in checked.err


def test_a_fault_of_the_file_gives_status_2_and_its_place(run: Run, tmp_path: Path) -> None:
    file = write_study(tmp_path, QUICK.replace('guide = "none"', "gide = 1"))
    for command in ("run", "check"):
        done = run("study", command, file, "--out", tmp_path / "out")
        assert done.code == 2
        assert "extract.gide: is no key here" in done.err
        assert "Traceback" not in done.err
    assert not (tmp_path / "out").exists()


def test_a_study_goes_to_a_folder_of_its_name_unless_told_otherwise(
    run: Run, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("study", "run", study, "--only", "cash").code == 0
    assert (tmp_path / "out" / "small" / "study.json").is_file()
