"""Runs and a study on disk, for the tests of what is made of them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from match_run_builders import copied_runs, make_runs
from study_builders import write_study

from fingreat.pipeline.study.flow import Study, run_study
from fingreat.runs import RunFolder


@pytest.fixture(scope="session")
def made_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run with some extractions and one with all; not to be changed."""
    folder = tmp_path_factory.mktemp("runs")
    make_runs(folder)
    return folder


@pytest.fixture
def runs(made_runs: Path, tmp_path: Path) -> tuple[RunFolder, RunFolder]:
    """Copies of both that a test may change."""
    return copied_runs(made_runs, tmp_path)


@pytest.fixture(scope="session")
def made_study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Study]:
    """A study file's folder, and the study that was run into `out` beside it; nothing below changes them."""
    folder = tmp_path_factory.mktemp("study")
    return folder, run_study(write_study(folder), folder / "out")


@pytest.fixture
def study_out(made_study: tuple[Path, Study], tmp_path: Path) -> Path:
    """The folder of a study that was run, to be changed."""
    shutil.copytree(made_study[0] / "out", tmp_path / "out")
    return tmp_path / "out"


@pytest.fixture
def other_study(made_study: tuple[Path, Study], tmp_path: Path) -> Callable[[str], Path]:
    """Makes another study file over the same sources."""
    return lambda text: write_study(made_study[0], text, tmp_path.name)


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """No back end can be made."""

    def refuse(*_: object) -> None:
        raise AssertionError("a back end was made")

    for module in ("extract", "classify"):
        # The package has functions of these names, which hide the modules.
        monkeypatch.setattr(sys.modules[f"fingreat.pipeline.{module}"], "create_backend", refuse)
