"""What lets tests ask the local EDGAR as fast as it answers."""

from __future__ import annotations

import pytest

from fingreat.edgar.remote import client as client_module
from fingreat.edgar.remote.limiter import Limiter

_SURROUNDINGS = ("EDGAR_BASE_URL", "EDGAR_IDENTITY", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy")


def lift_limit(patch: pytest.MonkeyPatch) -> None:
    """No limit on requests, which has tests of its own, and nothing of this machine's surroundings."""
    for name in _SURROUNDINGS:
        patch.delenv(name, raising=False)
    patch.setattr(client_module, "LIMITER", Limiter(hold=0.0))
