"""Which filings a company has, by sec-edgar-downloader's own reading of EDGAR's lists.

Its `Downloader.get` itself cannot be used: it refuses forms such as 10-K405 and 10KSB, writes files in place without
a look at what it got, and prints and forgets every error. So its parts are used: which CIK a ticker stands for, and
which rows of a company's pages are meant by form, dates and amendments. The one function of it that sends requests is
replaced meanwhile by one that asks an `EdgarClient`, so that there is one limiter, one identity and one set of checks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from fingreat.edgar.remote import documented
from fingreat.edgar.remote.addresses import (
    DATA,
    WWW,
    cik_of,
    older_page_path,
    read_name,
    submission_path,
    submissions_path,
    tickers_path,
)
from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.facts import FilingRow, read_older_page, read_submissions
from fingreat.edgar.remote.families import AMENDED
from fingreat.errors import InputError, RemoteError

_SENDS = "_call_sec"
"""The function of sec-edgar-downloader through which all of its requests go."""
_LOCK = threading.RLock()
"""Held while that function is replaced, since it is one for the whole process."""


@dataclass(frozen=True)
class Listed:
    """A filing in a company's list.

    Attributes:
        cik: of the company, without leading zeros.
        path: of its full submission.
    """

    accession: str
    cik: str
    path: str


def cik_for(client: EdgarClient, name: str) -> str:
    """The CIK, without leading zeros, of a company that is named by a CIK or a present ticker.

    Raises:
        InputError: it names a filing, or is no ticker that EDGAR lists now.
        RemoteError: the list of tickers could not be had.
    """
    from sec_edgar_downloader._utils import validate_and_convert_ticker_or_cik

    named = read_name(name, client.base)
    if named.kind == "accession":
        raise InputError("names a filing, not a company.", where=name, hint="Write a CIK or a ticker.")
    tickers = _tickers(client) if named.ticker else {}
    # EDGAR writes the class of a share behind a hyphen, others behind a point.
    wanted = named.cik or named.ticker or ""
    known = wanted if named.cik or wanted in tickers else wanted.replace(".", "-")
    try:
        return validate_and_convert_ticker_or_cik(known, tickers).lstrip("0")
    except ValueError:
        raise InputError(
            f"{wanted} is no ticker that EDGAR lists; it lists present ones only.",
            where=name,
            hint="Give the company's CIK, which never changes.",
        ) from None


def list_filings(
    client: EdgarClient, name: str, forms: Iterable[str], first: date, last: date, amendments: bool = False
) -> list[Listed]:
    """The filings of a company that are of some forms and were filed within some days, each once.

    Args:
        name: a CIK or a present ticker.
        forms: exact names, as EDGAR writes them; one that ends with `/A` means the amendments of that form.
        first, last: days of filing, both included.
        amendments: whether the amendments of all these forms are meant, too.

    Returns:
        Form by form, newest first.

    Raises:
        InputError: the name is no company's.
        RemoteError: EDGAR has no such company (status 404); a page could not be had, or is not what EDGAR documents.
    """
    cik = cik_for(client, name)
    pages = _Pages(client, cik)
    found: list[str] = []
    for form in dict.fromkeys(forms):
        plain = form.removesuffix(AMENDED)
        originals = pages.filings(plain, first, last, amended=False)
        if form == plain and not amendments:
            found += originals
        else:
            every = pages.filings(plain, first, last, amended=True)
            found += every if form == plain else [number for number in every if number not in set(originals)]
    return [Listed(number, cik, submission_path(cik, number)) for number in dict.fromkeys(found)]


class _Pages:
    """The pages of one company's list, each asked for once and checked before sec-edgar-downloader reads it."""

    def __init__(self, client: EdgarClient, cik: str) -> None:
        self._client = client
        self._cik = cik
        self._seen: dict[str, dict[str, Any]] = {}

    def filings(self, form: str, first: date, last: date, *, amended: bool) -> list[str]:
        """Accession numbers of the filings of a form, newest first; `amended` with its amendments."""
        from sec_edgar_downloader._orchestrator import aggregate_filings_to_download
        from sec_edgar_downloader._types import DownloadMetadata

        # Nothing is written: the folder is one of the fields that the reading of lists does not look at.
        wanted = DownloadMetadata(Path(), form, self._cik.zfill(10), after=first, before=last, include_amends=amended)
        with _sending(self._answer):
            return [one.accession_number for one in aggregate_filings_to_download(wanted, "")]

    def _answer(self, uri: str) -> dict[str, Any]:
        name = uri.removeprefix(f"{DATA}/submissions/")
        if name not in self._seen:
            newest = submissions_path(self._cik)
            path = newest if newest.endswith(f"/{name}") else older_page_path(name)
            self._seen[name] = self._read(path, newest=path == newest)
        return self._seen[name]

    def _read(self, path: str, *, newest: bool) -> dict[str, Any]:
        try:
            data = self._client.get(path, "json")
        except RemoteError as error:
            if error.status != 404 or not newest:
                raise
            raise RemoteError(
                f"EDGAR has no company with the CIK {self._cik}.", hint="Check the number.", status=404
            ) from None
        try:
            if not newest:
                return _table(read_older_page(data))
            facts = read_submissions(data)
            for page in facts.older:
                if cik_of(page.name[:13]) != self._cik:
                    raise documented.undocumented("submissions, filings.files", f"pages of CIK {self._cik}")
        except RemoteError as error:
            raise RemoteError(
                error.message, where=f"{path}: {error.where}", hint=error.hint, retryable=error.retryable
            ) from error
        if facts.cik != self._cik:
            raise RemoteError(f"EDGAR's list is that of company {facts.cik}, not {self._cik}.", where=path)
        return {"filings": {"recent": _table(facts.rows), "files": [{"name": page.name} for page in facts.older]}}


def _table(rows: Iterable[FilingRow]) -> dict[str, list[str]]:
    """Rows as the parallel arrays that EDGAR writes, as far as sec-edgar-downloader reads them."""
    kept = list(rows)
    return {
        "accessionNumber": [row.accession for row in kept],
        "form": [row.form for row in kept],
        "primaryDocument": [row.primary_document or "" for row in kept],
        "filingDate": [row.filed.isoformat() for row in kept],
    }


@lru_cache(maxsize=1)
def _tickers(client: EdgarClient) -> dict[str, str]:
    """CIKs with leading zeros by ticker; asked for once in a process."""
    from sec_edgar_downloader._orchestrator import get_ticker_to_cik_mapping

    def answer(uri: str) -> dict[str, Any]:
        if uri != WWW + tickers_path():
            raise documented.undocumented(uri, "the address of the list of tickers")
        where = tickers_path()
        page = documented.document(client.get(tickers_path(), "json"), where)
        fields = documented.items(page.get("fields"), f"{where}, fields")
        if "cik" not in fields or "ticker" not in fields:
            raise documented.undocumented(f"{where}, fields", "cik and ticker")
        places = fields.index("cik"), fields.index("ticker")
        rows = [documented.items(row, f"{where}, data") for row in documented.items(page.get("data"), f"{where}, data")]
        return {"fields": ["cik", "ticker"], "data": [_ticker(row, places, f"{where}, data") for row in rows]}

    with _sending(answer):
        return get_ticker_to_cik_mapping("")


def _ticker(row: list[Any], places: tuple[int, int], where: str) -> list[str]:
    if len(row) <= max(places):
        raise documented.undocumented(where, "a CIK and a ticker in each row")
    cik = cik_of(str(row[places[0]]))
    if cik is None:
        raise documented.undocumented(where, "a CIK in each row")
    return [cik, documented.text_or_empty(row[places[1]], where)]


@dataclass(frozen=True)
class _Reply:
    """As much of an answer as sec-edgar-downloader looks at."""

    page: dict[str, Any]

    def json(self) -> dict[str, Any]:
        return self.page


@contextmanager
def _sending(answer: Callable[[str], dict[str, Any]]) -> Iterator[None]:
    """Let sec-edgar-downloader's requests be answered by a function of the address."""
    from sec_edgar_downloader import _sec_gateway

    def send(uri: str, user_agent: str, host: str) -> _Reply:
        return _Reply(answer(uri))

    with _LOCK:
        theirs = getattr(_sec_gateway, _SENDS)
        setattr(_sec_gateway, _SENDS, send)
        try:
            yield
        finally:
            setattr(_sec_gateway, _SENDS, theirs)
