"""Fetching from a local EDGAR, quick to give up and to go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from servers.catalogue import LocalFiling
from servers.edgar import LocalEdgar
from servers.quick import lift_limit
from servers.submission import full_submission

from fingreat.edgar.remote.addresses import read_name
from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.families import FormChoice
from fingreat.pipeline import Corpus
from fingreat.pipeline.fetch import Selection, fetch
from fingreat.schema import Failure, Filing

IDENTITY = "Test Person test@university.example"
QUICK = {"pause": 0.2, "tries": 2, "backoff": 0.01, "timeout": 5.0}


@pytest.fixture
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """No limit on requests, which has tests of its own, and nothing of this machine's surroundings."""
    lift_limit(monkeypatch)


def asking(edgar: LocalEdgar, **settings: Any) -> EdgarClient:
    return EdgarClient(IDENTITY, base=edgar.base, **{**QUICK, **settings})


def fetched(
    folder: Path,
    edgar: LocalEdgar,
    *names: str,
    forms: Iterable[str] = ("10-K",),
    amendments: bool = False,
    years: Iterable[int] | None = None,
    exhibits: bool = False,
    **settings: Any,
) -> dict[str, int]:
    """Fetch what some names mean, with a client of its own, and check that the counts add up."""
    chosen = Selection(
        tuple(read_name(name, edgar.base) for name in names),
        FormChoice(tuple(forms), amendments),
        None if years is None else tuple(years),
        exhibits,
    )
    with asking(edgar, **settings) as client:
        counts = fetch(Corpus(folder), client, chosen)
    assert counts["asked"] == counts["fetched"] + counts["already_there"] + counts["failed"]
    stage = Corpus(folder).manifest()["stages"]["fetch"]
    assert {key: stage[key] for key in stage if key != "calls"} == {
        "filings": len(Corpus(folder).filings()),
        "fetched": sum(call["counts"]["fetched"] for call in stage["calls"]),
        "failed": len(failed(folder)),
    }
    assert counts["failed"] in {call["counts"]["failed"] for call in stage["calls"]}
    return counts


def raw_files(folder: Path) -> dict[str, bytes]:
    """All files below raw/, by their path."""
    return {
        str(path.relative_to(folder / "raw")): path.read_bytes()
        for path in sorted((folder / "raw").rglob("*"))
        if path.is_file()
    }


def as_served(*filings: LocalFiling) -> dict[str, bytes]:
    """What `raw_files` must give for these."""
    return {f"{one.accession}/{one.accession}.txt": full_submission(one) for one in filings}


def listed(folder: Path) -> dict[str, Filing]:
    return {filing.id: filing for filing in Corpus(folder).filings()}


def failed(folder: Path) -> dict[str, Failure]:
    """Failures of fetching, by id; each once."""
    failures = [failure for failure in Corpus(folder).failures() if failure.stage == "fetch"]
    by_id = {failure.id: failure for failure in failures}
    assert len(by_id) == len(failures)
    return by_id


def asked(edgar: LocalEdgar, ending: str = ".txt") -> Counter[str]:
    """Paths that were asked for, and how often."""
    return Counter(seen.path for seen in edgar.log.requests if seen.path.endswith(ending))


def everything(folder: Path) -> dict[str, bytes]:
    """What a corpus holds, besides its lock and what EDGAR answered."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != ".lock"]
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files
        if path.relative_to(folder).parts[0] not in ("edgar", "manifest.json")
    }
