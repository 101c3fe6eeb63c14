"""Running `fingreat corpus fetch` against a local EDGAR."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from servers.catalogue import LocalFiling
from servers.edgar import LocalEdgar
from servers.quick import lift_limit
from servers.submission import full_submission

from fingreat.edgar.remote.client import EdgarClient

IDENTITY = "Test Person test@university.example"
SUMMARY = re.compile(
    r"^asked ([0-9,]+): fetched ([0-9,]+) \(([0-9,.]+) MB\), already there ([0-9,]+), failed ([0-9,]+) · "
    r"([0-9,]+) requests?$",
    re.MULTILINE,
)


def set_up(monkeypatch: pytest.MonkeyPatch, edgar: LocalEdgar, **settings: float) -> None:
    """Name the server and who asks in the environment; no limit on requests, and a client that is quick to go on."""
    lift_limit(monkeypatch)
    monkeypatch.setenv("EDGAR_BASE_URL", edgar.base)
    monkeypatch.setenv("EDGAR_IDENTITY", IDENTITY)
    for name, value in {"pause": 0.3, "tries": 3, "backoff": 0.01, "timeout": 0.6, **settings}.items():
        # The command leaves these at their defaults, which are far too patient for a test.
        monkeypatch.setitem(EdgarClient.__init__.__kwdefaults__, name, value)


def summary(text: str) -> dict[str, float]:
    """The numbers of the line that a user sees."""
    match = SUMMARY.search(text)
    assert match, text
    asked, fetched, _, there, failed, requests = (float(number.replace(",", "")) for number in match.groups())
    return {"asked": asked, "fetched": fetched, "already_there": there, "failed": failed, "requests": requests}


def raw_files(corpus: Path) -> dict[str, bytes]:
    """All files below raw/, by their path."""
    files = [path for path in (corpus / "raw").rglob("*") if path.is_file()]
    return {str(path.relative_to(corpus / "raw")): path.read_bytes() for path in files}


def as_served(*filings: LocalFiling) -> dict[str, bytes]:
    """What `raw_files` must give for these."""
    return {f"{one.accession}/{one.accession}.txt": full_submission(one) for one in filings}
