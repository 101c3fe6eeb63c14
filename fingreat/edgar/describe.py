"""Who filed what and when: a filing's record from its header, its tagged facts, its cover or its folder."""

from __future__ import annotations

import re
from datetime import date
from html import unescape
from pathlib import Path

from fingreat.edgar.container import Document, Submission
from fingreat.edgar.places import Told, read_place
from fingreat.edgar.remote.addresses import accession_of
from fingreat.schema.records import Filing
from fingreat.schema.sic import division_of, sic_of

_DIGEST = re.compile(r"[0-9a-f]{32,}")
"""A name made of a file's digest, in which some of the digits may look like an accession number."""
_SIC = re.compile(r"\[?(\d{3,4})\]?\s*$")
_FACT_TAG = re.compile(r"<(/?)ix:non(?:numeric|fraction)\b([^<>]*)>", re.IGNORECASE)
_FACT_NAME = re.compile(r"\bname\s*=\s*[\"']dei:(\w+)[\"']")
_TAG = re.compile(r"<[^<>]*>")
_COVER_FORM = re.compile(r"\bform\s+(10-?[KQ](?:SB|T|405)?(?:/A)?)\b", re.IGNORECASE)
_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = {month: number for number, month in enumerate(_MONTH_NAMES.split(), start=1)}
_COVER_PERIOD = re.compile(
    r"(?:(?:fiscal\s+|transition\s+|quarterly\s+)?(?:year|period|quarter)\s+ended:?|december\s+31,\s*or)\s*:?\s*"
    r"(?P<month>" + "|".join(_MONTHS) + r")\s+(?P<day>\d{1,2})\s*,?\s*(?P<year>(?:19|20)\d\d)",
    re.IGNORECASE,
)
_COVER_SIZE = 60_000
_INLINE_TAG = re.compile(r"</?(?:b|i|u|a|em|strong|font|span|sup|sub|small|big|ix:\w+)\b[^<>]*>", re.IGNORECASE)
_PREFORMATTED = re.compile(r"<pre\b", re.IGNORECASE)
_UNDER_NAME = re.compile(r"exact\s+name\s+of\s+(?:the\s+)?(?:registrant|company|issuer)", re.IGNORECASE)
_LONGEST_NAME = 150
_LONGEST_FACT = 10_000
"""Characters of a tagged fact of the cover, with its tags; facts inside longer ones are not read over and over."""
_FACTS_WITHIN = 1_000_000
"""Tagged facts of the cover stand in the first part of a document, hidden ones in its head."""


def describe_filing(submission: Submission, sha256: str, path: Path, told: Told | None = None) -> Filing:
    """The record of a filing; what nothing says stays None.

    What the header or the tagged facts state comes first, then what is told around the file, then what its cover
    page seems to say. Of several registrants the first counts.

    Args:
        submission: the filing, taken apart.
        sha256: of the file's bytes as stored; the id where no accession number is known.
        path: where the file stands, relative to the corpus folder.
        told: what is said around the file; what a downloader's names say where not given.
    """
    told = read_place(path) if told is None else told
    header = submission.header
    main = next((document for document in submission.documents if document.text), None)
    text = main.text if main else ""
    facts = {} if header.get("COMPANY CONFORMED NAME") else _facts(text)
    cover = unescape(_TAG.sub(" ", text[:_COVER_SIZE]))
    stated_sic = _SIC.search(header.get("STANDARD INDUSTRIAL CLASSIFICATION", ""))
    header_sic = sic_of(stated_sic[1]) if stated_sic else None
    sic = header_sic or told.sic
    period = (
        _compact_date(header.get("CONFORMED PERIOD OF REPORT", ""))
        or _any_date(facts.get("DocumentPeriodEndDate", ""))
        or told.period
        or _cover_period(cover)
    )
    year = facts.get("DocumentFiscalYearFocus", "")
    cik = (header.get("CENTRAL INDEX KEY") or facts.get("EntityCentralIndexKey") or "").lstrip("0")
    company = header.get("COMPANY CONFORMED NAME") or facts.get("EntityRegistrantName")
    year_end = _year_end(header.get("FISCAL YEAR END") or facts.get("CurrentFiscalYearEndDate", ""))
    return Filing(
        id=_accession(header.get("ACCESSION NUMBER", ""), told, path) or sha256,
        cik=cik if cik.isdigit() else told.cik,
        company=company or told.company or _cover_name(main),
        form=_form(header.get("CONFORMED SUBMISSION TYPE"), main.type if main else "", facts, told, cover),
        filed=_compact_date(header.get("FILED AS OF DATE", "")) or told.filed,
        period=period,
        fiscal_year=int(year) if re.fullmatch(r"(?:19|20)\d\d", year) else _fiscal_year(period),
        sic=sic,
        sic_source="header" if header_sic else None,
        header_sic=header_sic,
        division=division_of(sic),
        fiscal_year_end=year_end or told.fiscal_year_end,
        path=path.as_posix(),
        sha256=sha256,
    )


def month_day(text: str) -> str | None:
    """ "12-31" from "1231"; None for a day that no year has."""
    # 2000 is a leap year: fiscal years do end on 29 February.
    day = _date("2000", text[:2], text[2:]) if re.fullmatch(r"[0-9]{4}", text) else None
    return day.isoformat()[5:] if day else None


def _year_end(stated: str) -> str | None:
    """A day as headers (0928) and tagged facts (--09-28, 9/28, September 28) give it."""
    day = _any_date(f"{stated}, 2000")
    numbers = "".join(part.zfill(2) for part in re.findall(r"[0-9]+", stated))
    return day.isoformat()[5:] if day else month_day(numbers)


def _accession(stated: str, told: Told, path: Path) -> str | None:
    around = (_DIGEST.sub("", name) for name in (path.parent.name, path.name))
    return accession_of(stated) or told.accession or next(filter(None, map(accession_of, around)), None)


def _form(stated: str | None, main: str, facts: dict[str, str], told: Told, cover: str) -> str | None:
    if stated or main:
        return stated or main
    if facts.get("DocumentType"):
        return facts["DocumentType"].upper()
    match = _COVER_FORM.search(cover)
    form = match[1].upper() if match else None
    if form and form[2] != "-":
        form = f"10-{form[2:]}"
    # Downloaders put amendments among the reports that they amend.
    return form if told.form is None or form == f"{told.form}/A" else told.form


def _facts(text: str) -> dict[str, str]:
    """Inline-XBRL facts of the cover page, first value of each; facts may stand inside one another."""
    facts: dict[str, str] = {}
    opened: list[tuple[str | None, int]] = []
    for match in _FACT_TAG.finditer(text, 0, _FACTS_WITHIN):
        if match[2].endswith("/"):
            continue
        if not match[1]:
            name = _FACT_NAME.search(match[2])
            opened.append((name[1] if name else None, match.end()))
        elif opened:
            fact, start = opened.pop()
            if fact and match.start() - start <= _LONGEST_FACT:
                value = unescape(_TAG.sub("", text[start : match.start()]))
                facts.setdefault(fact, " ".join(value.split()))
    return facts


def _compact_date(text: str) -> date | None:
    return _date(text[:4], text[4:6], text[6:8]) if re.fullmatch(r"\d{8}", text.strip()) else None


def _any_date(text: str) -> date | None:
    match = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", text.strip())
    if match:
        return _date(*match.groups())
    match = re.search(r"([A-Za-z]+)\s+(\d{1,2}),?\s+(\d{4})", text)
    if match and match[1].lower() in _MONTHS:
        return _date(match[3], str(_MONTHS[match[1].lower()]), match[2])
    return None


def _cover_period(cover: str) -> date | None:
    match = _COVER_PERIOD.search(" ".join(cover.split()))
    return _date(match["year"], str(_MONTHS[match["month"].lower()]), match["day"]) if match else None


def _cover_name(main: Document | None) -> str | None:
    """What stands above the line that forms print under the registrant's name."""
    if main is None:
        return None
    text = main.text[:_COVER_SIZE]
    if main.is_html:
        # A line end of the source is one of the page only within <pre>.
        source = text if _PREFORMATTED.search(text) else " ".join(text.split())
        text = unescape(_TAG.sub("\n", _INLINE_TAG.sub("", source)))
    under = _UNDER_NAME.search(text)
    lines = (" ".join(line.split()) for line in reversed(text[: under.start()].split("\n"))) if under else iter(())
    name = next((line for line in lines if any(map(str.isalpha, line))), "")
    return name if 0 < len(name) <= _LONGEST_NAME else None


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _fiscal_year(period: date | None) -> int | None:
    """The year that most of the fiscal year falls into: filers whose year ends by mid January name the year before."""
    if period is None:
        return None
    return period.year - 1 if (period.month, period.day) <= (1, 15) else period.year
