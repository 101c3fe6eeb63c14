from __future__ import annotations

from collections.abc import Iterator

import pytest

from servers.edgar import LocalEdgar
from servers.example import QUARTERLY, REPORT


@pytest.fixture
def edgar() -> Iterator[LocalEdgar]:
    with LocalEdgar([REPORT, QUARTERLY]) as server:
        yield server
