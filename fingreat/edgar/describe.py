"""Who filed what and when: a filing's record from its header, its tagged facts, its cover or its folder."""

from __future__ import annotations

import re
from datetime import date
from html import unescape
from pathlib import Path

from fingreat.edgar.container import Document, Submission
from fingreat.schema.records import Filing

_ACCESSION = re.compile(r"(?<!\d)(\d{10})-?(\d{2})-?(\d{6})(?!\d)")
_SIC = re.compile(r"\[?(\d{4})\]?\s*$")
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


def describe_filing(submission: Submission, sha256: str, path: Path) -> Filing:
    """The record of a filing; what the file does not say stays None.

    Args:
        submission: the filing, taken apart.
        sha256: of the file's bytes as stored; the id where no accession number is known.
        path: where the file stands, relative to the corpus folder; the folder layout of
            sec-edgar-downloader gives the accession number and the form where the file has none.
    """
    header = submission.header
    main = next((document for document in submission.documents if document.text), None)
    text = main.text if main else ""
    facts = {} if header.get("COMPANY CONFORMED NAME") else _facts(text)
    cover = unescape(_TAG.sub(" ", text[:_COVER_SIZE]))
    accession = _accession(header.get("ACCESSION NUMBER", ""), path)
    sic = _SIC.search(header.get("STANDARD INDUSTRIAL CLASSIFICATION", ""))
    period = (
        _compact_date(header.get("CONFORMED PERIOD OF REPORT", ""))
        or _any_date(facts.get("DocumentPeriodEndDate", ""))
        or _cover_period(cover)
    )
    year = facts.get("DocumentFiscalYearFocus", "")
    cik = (header.get("CENTRAL INDEX KEY") or facts.get("EntityCentralIndexKey") or "").lstrip("0")
    return Filing(
        id=accession or sha256,
        cik=cik if cik.isdigit() else None,
        company=header.get("COMPANY CONFORMED NAME") or facts.get("EntityRegistrantName") or _cover_name(main),
        form=_form(header.get("CONFORMED SUBMISSION TYPE"), main.type if main else "", facts, path, cover),
        filed=_compact_date(header.get("FILED AS OF DATE", "")),
        period=period,
        fiscal_year=int(year) if re.fullmatch(r"(?:19|20)\d\d", year) else _fiscal_year(period),
        sic=sic[1] if sic else None,
        path=path.as_posix(),
        sha256=sha256,
    )


def _accession(stated: str, path: Path) -> str | None:
    for text in (stated, path.parent.name, path.name):
        match = _ACCESSION.search(text)
        if match:
            return "-".join(match.groups())
    return None


def _form(stated: str | None, main: str, facts: dict[str, str], path: Path, cover: str) -> str | None:
    if stated or main:
        return stated or main
    if facts.get("DocumentType"):
        return facts["DocumentType"].upper()
    parts = path.parts
    if "sec-edgar-filings" in parts and len(parts) - parts.index("sec-edgar-filings") > 3:
        return parts[parts.index("sec-edgar-filings") + 2]
    match = _COVER_FORM.search(cover)
    if not match:
        return None
    form = match[1].upper()
    return form if form[2] == "-" else f"10-{form[2:]}"


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
