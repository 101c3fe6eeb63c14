"""Index files of a quarter or a day: by form, by company, and with bars."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date

from servers.catalogue import Company, LocalFiling

Row = tuple[Company, LocalFiling]

_TITLES = {"master": "", "form": " by Form Type", "company": " by Company Name"}
_ORDER: dict[str, Callable[[Row], tuple[object, ...]]] = {
    "master": lambda row: (int(row[0].cik), row[1].form, row[1].filed, row[1].accession),
    "form": lambda row: (row[1].form, row[0].name, row[1].filed, row[1].accession),
    "company": lambda row: (row[0].name, row[1].form, row[1].filed, row[1].accession),
}
KINDS = tuple(_TITLES)


def index_file(kind: str, rows: Iterable[Row], last: date, *, daily: bool = False) -> bytes:
    """The bytes of `{kind}.idx`, Latin-1.

    Args:
        kind: "master", "form" or "company".
        last: the day of the last data received.
        daily: dates without dashes, and blanks behind the path.
    """
    feed = "Daily" if daily else "Master"
    head = [
        f"Description:           {feed} Index of EDGAR Dissemination Feed{_TITLES[kind]}",
        f"Last Data Received:    {last:%B} {last.day}, {last.year}",
        "Comments:              webmaster@sec.gov",
        "Anonymous FTP:         ftp://ftp.sec.gov/edgar/",
    ]
    if kind == "master":
        head += ["Cloud HTTP:            https://www.sec.gov/Archives/", "", *[" "] * 3]
        head += [f"CIK|Company Name|Form Type|Date Filed|{'File Name' if daily else 'Filename'}", "-" * 80]
    else:
        columns = ("Company Name", "Form Type") if kind == "company" else ("Form Type", "Company Name")
        head += [*[" "] * 4, _columns(kind, *columns, "CIK", "Date Filed", "File Name"), "-" * 141]
    lines = [*head, *(_line(kind, row, daily) for row in sorted(rows, key=_ORDER[kind]))]
    return ("\n".join(lines) + "\n").encode("latin-1", "replace")


def _line(kind: str, row: Row, daily: bool) -> str:
    company, filing = row
    filed = f"{filing.filed:%Y%m%d}" if daily else f"{filing.filed}"
    path = filing.path_of(company)
    if kind == "master":
        return "|".join((company.cik, company.name, filing.form, filed, path))
    first = (company.name, filing.form) if kind == "company" else (filing.form, company.name)
    return _columns(kind, *first, company.cik, filed, path + " " * 9 if daily else path)


def _columns(kind: str, *fields: str) -> str:
    """Fields at the columns 0, 12, 74, 86, 98 (by form); one that is too long moves the others to the right."""
    widths = (62, 12, 12, 12) if kind == "company" else (12, 62, 12, 12)
    padded = [f"{field:<{width - 2}}  " for field, width in zip(fields, widths, strict=False)]
    return "".join([*padded, fields[-1]])
