"""Fixtures that every test file may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with labelled filings, passages and cases; tests that need it are skipped without it."""
    default = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("FINGREAT_SHARED", default))
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder.name}/ (set FINGREAT_SHARED to the folder)")
    return folder
