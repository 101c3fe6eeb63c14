"""Fixtures that every test file may use."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from uuid import uuid4

import hypothesis
import pytest

# No deadline: these machines are shared, and a slow second is no fault of the code. `make test` draws the same
# examples at every run, so that it says the same of the same code; `make prove` draws new ones.
hypothesis.settings.register_profile("test", deadline=None, derandomize=True)
hypothesis.settings.register_profile("prove", deadline=None, max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "test"))

# A shell that starts the tests in the background has them ignore Ctrl-C, and what they start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with labelled filings, passages and cases; tests that need it are skipped without it."""
    default = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("FINGREAT_SHARED", default))
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder.name}/ (set FINGREAT_SHARED to the folder)")
    return folder


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replies that a test caches are its own: neither the user's nor another test's."""
    monkeypatch.setenv("FINGREAT_CACHE", str(tmp_path_factory.getbasetemp() / "caches" / uuid4().hex))
