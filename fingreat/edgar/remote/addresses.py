"""What users and EDGAR write for filings and companies, and the paths that EDGAR keeps them under.

Every part of a path is checked before it is put into one, so a name from a JSON page or an index can
never make another path. The shapes are those of EDGAR's own links, index files and JSON pages.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from fingreat.errors import InputError

WWW = "https://www.sec.gov"
DATA = "https://data.sec.gov"
BASE_VARIABLE = "EDGAR_BASE_URL"
"""Environment variable with the address of a server that stands in for SEC's, such as a mirror."""

FIRST_YEAR = 1993
"""No index is older."""
_HOSTS = frozenset(("www.sec.gov", "sec.gov", "data.sec.gov"))
_DASH = "[-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]"
"""A hyphen, and what word processors and web pages write for one."""
_ACCESSION = re.compile(rf"(?<![0-9])([0-9]{{10}}){_DASH}?([0-9]{{2}}){_DASH}?([0-9]{{6}})(?![0-9])")
# Apart from what stands around it, as in file names: with a letter or digit too many, it may be that of another filing.
_APART = re.compile(rf"(?<![^\W_])(?<![0-9]{_DASH}){_ACCESSION.pattern}(?![^\W_])(?!{_DASH}[0-9])")
_CANONICAL = re.compile(r"[0-9]{10}-[0-9]{2}-[0-9]{6}")
_CIK = re.compile(r"(?:CIK)?0*([1-9][0-9]{0,9})", re.IGNORECASE)
_TICKER = re.compile(r"[A-Za-z][A-Za-z0-9.-]{0,9}")
_OLDER_PAGE = re.compile(r"CIK[0-9]{10}-submissions-[0-9]{3}\.json")
_FOLDER = re.compile(r"(?:^|/)edgar/data/0*([1-9][0-9]{0,9})(?:/|$)")
_COMPANY_PAGE = re.compile(r"/(?:submissions|api/xbrl/[a-z]+)/CIK([0-9]{10})[./-]")
_HINT = (
    "Write an accession number (0000320193-24-000123), a CIK (320193), a ticker (AAPL), a line of an index "
    "(edgar/data/320193/0000320193-24-000123.txt) or the address of a filing on www.sec.gov."
)
_SHOWN = 120


@dataclass(frozen=True)
class Named:
    """What a user's name for a filing or a company says; None where it does not say it.

    Attributes:
        accession: with dashes.
        cik: without leading zeros; of the folder that an address names, where it names a filing.
        ticker: in capitals.
    """

    kind: Literal["accession", "cik", "ticker"]
    accession: str | None = None
    cik: str | None = None
    ticker: str | None = None


def accession_of(text: str) -> str | None:
    """The first accession number in a text such as a file name or an address, with dashes; None without one."""
    match = _ACCESSION.search(text)
    return "-".join(match.groups()) if match else None


def cik_of(text: str) -> str | None:
    """The digits of a CIK without leading zeros, from `320193`, `0000320193` or `CIK0000320193`; None otherwise."""
    match = _CIK.fullmatch(text.strip())
    return match[1] if match else None


def read_name(text: str, base: str | None = None) -> Named:
    """What a user means by a name: a filing by its number or address, or a company by its CIK or ticker.

    Args:
        text: an accession number, also in the name of a file or a path; a CIK, a ticker, a path of an index, an
            address on SEC's site (folder, landing page, document, full submission, viewer link, company page).
        base: address of the server that stands in for SEC's; None for that of the environment.

    Raises:
        InputError: it is none of these, several filings at once, or an address on another host.
    """
    name = text.strip().strip("\"'<>")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", name):
        return _read_address(name, base)
    filings = {"-".join(match.groups()) for match in _APART.finditer(name)}
    if len(filings) > 1:
        raise InputError("names several filings at once.", where=_shown(text), hint="Name each by itself.")
    if filings:
        folder = _FOLDER.search(name)
        return Named("accession", accession=filings.pop(), cik=folder[1] if folder else None)
    cik = cik_of(name)
    if cik:
        return Named("cik", cik=cik)
    if _TICKER.fullmatch(name):
        return Named("ticker", ticker=name.upper())
    if (folder := _FOLDER.search(name)) and name.rstrip("/").endswith(folder[1]):
        return Named("cik", cik=folder[1])
    raise InputError("names no filing and no company.", where=_shown(text), hint=_HINT)


def _read_address(text: str, base: str | None) -> Named:
    parts = _split(text)
    stand_in = base_url(base)
    if parts is None or not (
        parts.hostname in _HOSTS or (stand_in is not None and parts.netloc == urlsplit(stand_in).netloc)
    ):
        raise InputError("is no address on www.sec.gov or data.sec.gov.", where=_shown(text), hint=_HINT)
    query = parse_qs(parts.query)
    # The viewer's link names the document in its query, and so do the older pages of EDGAR's search.
    path = unquote(" ".join([parts.path, *query.get("doc", []), *query.get("accession_number", [])]))
    asked = next((value for key, values in query.items() if key.lower() == "cik" for value in values), "")
    folder = _FOLDER.search(path)
    page = _COMPANY_PAGE.search(path)
    cik = folder[1] if folder else cik_of(page[1] if page else asked)
    accession = accession_of(path)
    if accession:
        return Named("accession", accession=accession, cik=cik)
    if cik:
        return Named("cik", cik=cik)
    if _TICKER.fullmatch(asked):
        return Named("ticker", ticker=asked.upper())
    raise InputError("is an address of neither a filing nor a company.", where=_shown(text), hint=_HINT)


def base_url(base: str | None = None) -> str | None:
    """The address of the server that stands in for SEC's, without a slash at its end; None where SEC's are asked.

    Args:
        base: as given; None for that of the environment variable EDGAR_BASE_URL.

    Raises:
        InputError: it is no http or https address of a host, or holds a password, a query or a fragment.
    """
    where = "the base address" if base is not None else BASE_VARIABLE
    text = (os.environ.get(BASE_VARIABLE, "") if base is None else base).strip()
    if not text:
        return None
    parts = _split(text)
    if parts is None or not parts.hostname or "@" in parts.netloc or re.search(r"[\s?#\\]", text):
        raise InputError(
            f"{_shown(text)!r} is no address of a server.",
            where=where,
            hint="Write http:// or https:// and a host, without a password or a query: http://127.0.0.1:8000",
        )
    return text.rstrip("/")


def submission_path(cik: str, accession: str) -> str:
    """Path of a full submission.

    Raises:
        InputError: one of the parts is no such thing; so with the other paths.
    """
    return f"/Archives/edgar/data/{_cik(cik)}/{_number(accession)}.txt"


def index_path(year: int, quarter: int, kind: str = "master") -> str:
    """Path of a quarter's index, packed with gzip; `kind` is `master`, `form` or `company`."""
    if not FIRST_YEAR <= year <= 9999 or quarter not in (1, 2, 3, 4) or kind not in ("master", "form", "company"):
        raise InputError(f"EDGAR has no {kind} index of quarter {quarter} of {year}.")
    return f"/Archives/edgar/full-index/{year}/QTR{quarter}/{kind}.gz"


def submissions_path(cik: str) -> str:
    """Path of the JSON page with a company's latest filings."""
    return f"/submissions/CIK{_cik(cik).zfill(10)}.json"


def older_page_path(name: str) -> str:
    """Path of a JSON page with older filings, from the name that the latest page gives it."""
    if not _OLDER_PAGE.fullmatch(name):
        raise InputError("is no name of a page of older filings.", where=_shown(name))
    return f"/submissions/{name}"


def assets_path(cik: str) -> str:
    """Path of the JSON page with a company's total assets as tagged in its filings."""
    return f"/api/xbrl/companyconcept/CIK{_cik(cik).zfill(10)}/us-gaap/Assets.json"


def tickers_path() -> str:
    """Path of the JSON page with the present tickers and their CIKs."""
    return "/files/company_tickers_exchange.json"


def _cik(text: str) -> str:
    cik = cik_of(text)
    if cik is None:
        raise InputError("is no CIK: one to ten digits, not all zero.", where=_shown(text))
    return cik


def _number(text: str) -> str:
    if not _CANONICAL.fullmatch(text):
        raise InputError("is no accession number such as 0000320193-24-000123.", where=_shown(text))
    return text


def _split(text: str) -> SplitResult | None:
    """An http or https address in parts; None for anything else."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") else None


def _shown(text: str) -> str:
    """A name as it can stand in a message: on one line, of bounded length."""
    line = "".join(char if char.isprintable() else "?" for char in text.strip())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
