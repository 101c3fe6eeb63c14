"""What several tests of filings share."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from asking import FILINGS, asking
from servers.edgar import LocalEdgar
from servers.quick import lift_limit

from fingreat.edgar.remote.client import EdgarClient


@pytest.fixture(scope="module")
def scorer(shared: Path) -> ModuleType:
    """The scorer that lies beside the labelled filings."""
    spec = importlib.util.spec_from_file_location("filings_score", shared / "filings" / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def _serving() -> Iterator[LocalEdgar]:
    with LocalEdgar(FILINGS) as server:
        yield server


@pytest.fixture
def edgar(_serving: LocalEdgar) -> LocalEdgar:
    """A local EDGAR without faults that has been asked for nothing."""
    _serving.heal()
    _serving.log.clear()
    return _serving


@pytest.fixture
def said() -> list[str]:
    """What the client says of its waits."""
    return []


@pytest.fixture
def client(edgar: LocalEdgar, said: list[str]) -> Iterator[EdgarClient]:
    """A client of the local EDGAR."""
    with asking(edgar, on_wait=said.append) as made:
        yield made


@pytest.fixture
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """No limit, which has tests of its own, and nothing of this machine's surroundings."""
    lift_limit(monkeypatch)
