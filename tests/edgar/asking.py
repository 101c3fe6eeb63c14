"""Clients that ask a local EDGAR, quick to give up and to go on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import requests
from servers.edgar import LocalEdgar
from servers.invented import invented_filings

from fingreat.edgar.remote.addresses import index_path, submissions_path
from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.whole import Kind

IDENTITY = "Test Person test@university.example"
FILINGS = (*invented_filings(2003, 2), *invented_filings(1996, 1, first=3))
PAUSE = 0.3
TRIES = 3
PATHS: dict[Kind, str] = {
    "submission": f"/Archives/{FILINGS[0].path}",
    "document": f"/Archives/edgar/data/{FILINGS[0].companies[0].cik}/{FILINGS[0].nodash}/{FILINGS[0].primary}",
    "json": submissions_path(FILINGS[0].companies[0].cik),
    "gzip": index_path(2003, (FILINGS[0].filed.month + 2) // 3),
}


def asking(
    edgar: LocalEdgar,
    *,
    pause: float = PAUSE,
    backoff: float = 0.01,
    timeout: float = 20.0,
    on_wait: Callable[[str], None] = lambda _: None,
    marker: Path | None = None,
) -> EdgarClient:
    return EdgarClient(
        IDENTITY,
        base=edgar.base,
        pause=pause,
        tries=TRIES,
        backoff=backoff,
        timeout=timeout,
        on_wait=on_wait,
        marker=marker,
    )


def right_bytes(edgar: LocalEdgar, path: str) -> bytes:
    """The file as another client gets it."""
    return requests.get(edgar.base + path, headers={"User-Agent": IDENTITY}, timeout=10).content
