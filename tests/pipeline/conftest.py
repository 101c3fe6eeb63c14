"""Two runs over the same filings, for the tests of what is made of two runs on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from match_run_builders import copied_runs, make_runs

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
