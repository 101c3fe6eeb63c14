"""What a file's name and folders say about its filing, as downloaders give them.

sec-edgar-downloader  sec-edgar-filings/<ticker or CIK>/<form>/<accession>/full-submission.txt, with primary-document.*
                      (until version 5 filing-details.*) beside it; until version 4 <form>/<accession>.txt alone
edgar-crawler         RAW_FILINGS/<form>/<CIK>_<form without hyphens>_<year of the period>_<accession>.htm or .txt;
                      in older versions without a folder for the form
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import Literal

from fingreat.edgar.remote.addresses import accession_of, cik_of
from fingreat.edgar.remote.families import family

FULL_SUBMISSION = "full-submission.txt"
_MAIN_DOCUMENTS = ("primary-document", "filing-details")
_ROOTS = ("sec-edgar-filings", "sec_edgar_filings")
_CRAWLED = re.compile(r"([0-9]{1,10})_([0-9A-Z]{1,15})_[0-9]{4}_([0-9]{10}-[0-9]{2}-[0-9]{6})")
FORM = re.compile(r"[0-9A-Z][0-9A-Z /-]{0,19}")
"""What can be the name of a form."""
_COMPACT_FORM = re.compile(r"([0-9]{1,2})([A-Z][0-9A-Z]*?)(A?)")
_HTML = (".htm", ".html", ".htmll")
"""sec-edgar-downloader writes the name of an .html document with .htmll."""


@dataclass(frozen=True, slots=True)
class Told:
    """What is said about a filing around its file, not in it; None where nothing is.

    Attributes:
        kind: what the downloader stored under that name, a full submission or one HTML document.
    """

    accession: str | None = None
    cik: str | None = None
    company: str | None = None
    form: str | None = None
    filed: date | None = None
    period: date | None = None
    sic: str | None = None
    fiscal_year_end: str | None = None
    kind: Literal["submission", "document"] | None = None

    def or_else(self, other: Told) -> Told:
        """The same, with what the other says where this says nothing."""
        return Told(*(getattr(self, one.name) or getattr(other, one.name) for one in fields(self)))


def plain_name(path: Path) -> str:
    """A file's name without the ending of gzip."""
    return path.name[:-3] if path.name.lower().endswith(".gz") else path.name


def is_main_document(path: Path) -> bool:
    """Whether sec-edgar-downloader stores the main document beside a full submission under such a name."""
    return plain_name(path).startswith(tuple(f"{stem}." for stem in _MAIN_DOCUMENTS))


def read_place(path: Path) -> Told:
    """What a file's name and folders say, where a downloader has given them.

    The CIK is that of the company whose filings were asked for, who may be one of several registrants. The year in
    edgar-crawler's names is not used: that of a period that ends on 3 January is not the fiscal year's.

    Args:
        path: absolute, or with the folders that are to be read.
    """
    stem, _, suffix = plain_name(path).rpartition(".")
    suffix = f".{suffix.lower()}"
    document: Literal["document"] | None = "document" if suffix in _HTML else None
    crawled = _CRAWLED.fullmatch(stem)
    if crawled:
        return Told(
            accession=crawled[3],
            cik=cik_of(crawled[1]),
            form=_crawled_form(crawled[2], path.parent),
            kind="submission" if suffix == ".txt" else document,
        )
    above = _below_root(path)
    if plain_name(path) == FULL_SUBMISSION:
        return Told(accession=_whole_accession(path.parent.name), kind="submission").or_else(above)
    if is_main_document(path):
        return Told(accession=_whole_accession(path.parent.name), kind=document).or_else(above)
    accession = _whole_accession(stem) if above.form and suffix == ".txt" else None
    if accession is None and _whole_accession(path.parent.name) is None:
        # Not the tool's own, such as a note of who downloaded what.
        return Told()
    return Told(accession=accession, kind="submission" if accession else None).or_else(above)


def _below_root(path: Path) -> Told:
    """Company and form by the folders of sec-edgar-downloader's tree; a ticker is no CIK."""
    parts = path.parts
    root = max((number for number, part in enumerate(parts) if part in _ROOTS), default=None)
    if root is None or len(parts) - root < 4:
        return Told()
    company, form = parts[root + 1], parts[root + 2]
    return Told(cik=cik_of(company), form=form if FORM.fullmatch(form) else None)


def _whole_accession(text: str) -> str | None:
    accession = accession_of(text)
    return accession if accession and accession.replace("-", "") == text.replace("-", "") else None


def _crawled_form(compact: str, folder: Path) -> str | None:
    """The form of a name that lost its hyphens and slashes; its folder has them, that of an amendment is two."""
    for name in (folder.name, f"{folder.parent.name}/{folder.name}"):
        if re.sub(r"[-/]", "", name) == compact and name in family(name):
            return name
    match = _COMPACT_FORM.fullmatch(compact)
    return f"{match[1]}-{match[2]}{'/A' if match[3] else ''}" if match else None
