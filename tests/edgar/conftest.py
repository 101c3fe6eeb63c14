"""What several tests of filings share."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def scorer(shared: Path) -> ModuleType:
    """The scorer that lies beside the labelled filings."""
    spec = importlib.util.spec_from_file_location("filings_score", shared / "filings" / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
