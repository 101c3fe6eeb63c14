"""What a process does for one filing of a corpus: examine a file, find an item. Nothing is written here."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

from fingreat.edgar import describe_filing, read_bytes, read_section, read_submission
from fingreat.edgar.places import Told
from fingreat.edgar.remote.whole import fault
from fingreat.errors import InputError
from fingreat.pipeline.local_files import LocalFile
from fingreat.schema import Filing, Section, SectionStatus, TableStyle, sha256_hex
from fingreat.schema.records import Record

_SECONDS, _SECONDS_PER_MB = 120.0, 10.0
"""Wall time that a filing may take: hundreds of times what it does take, since the machine may have much else to do."""
DEFAULT_ITEM = "7"
_ITEM = re.compile(rb"\bitem(?:\s|&nbsp;|&#160;|\xa0|<[^<>]*>){1,20}[1-9]", re.IGNORECASE)
"""Every annual or quarterly report names its items, if only in its contents."""
_OTHER_NAME = "if it is as it should be, add a copy of another name elsewhere."
_HEAL = "fetch the filing again by its accession number, add its file again, or restore it from a copy."
_PACKED = 10
"""How many times its packed size a gzipped filing may have."""


@dataclass(frozen=True)
class Examined:
    """A file that may become a filing of the corpus.

    Attributes:
        sha256: of its bytes, gzip taken off; empty where they could not be read.
        filing: None where the bytes are known, or are no filing.
        fault: why it cannot be read as a filing, or lacks an item that it needs.
        status: of the search for an item, where there is a fault; None where the fault is another.
    """

    sha256: str = ""
    filing: Filing | None = None
    fault: str | None = None
    status: SectionStatus | None = None


def examine(
    known: Set[str], path: Path, needed: str | None = None, told: Told | None = None, *, sure: bool = True
) -> Examined:
    """Read a file completely, unless its SHA-256 is among the known ones.

    Args:
        needed: an item without which the filing is at fault; None where it need not have any.
        told: what is said around the file, with which it must agree; None where nothing is to be looked at.
        sure: that the file is meant to be a filing; if not, something in it must say so.
    """
    digest, filing = "", None
    try:
        data = read_bytes(path)
        digest = sha256_hex(data)
        if digest in known:
            return Examined(digest)
        filing = describe_filing(read_submission(data, path.name), digest, path, told)
        section = read_section(data, needed or DEFAULT_ITEM, name=path.name, filing_id=filing.id)
    except InputError as error:
        return Examined(digest, filing, error.message, SectionStatus.UNREADABLE)
    if section.status is SectionStatus.UNREADABLE:
        reason = "; ".join(section.warnings) or "it cannot be read as a filing."
        return Examined(digest, filing, reason, section.status)
    if needed is not None and section.status is not SectionStatus.FOUND:
        reason = f"its item {needed} is {section.status.value.replace('_', ' ')}: {why(section)}"
        return Examined(digest, filing, reason, section.status)
    nameless = filing.form is None and filing.id == digest
    if not sure and nameless and section.status is SectionStatus.ABSENT and not _ITEM.search(data):
        return Examined(digest, filing, "nothing in it says that it is a filing; name the file itself to add it.")
    wrong = _not_as_told(data, filing, told) if told else None
    if wrong:
        return Examined(digest, filing, wrong)
    _check_writable(filing.model_copy(update={"path": ""}))
    return Examined(digest, filing)


def examine_local(known: Set[str], file: LocalFile) -> Examined:
    """Read a file that a search found, unless its SHA-256 is among the known ones."""
    return examine(known, file.path, told=file.told, sure=file.named)


def _not_as_told(data: bytes, filing: Filing, told: Told) -> str | None:
    """Why a file is not what a downloader has named it for: downloads that were killed leave half files."""
    if told.accession and filing.id != told.accession:
        return f"its header has accession number {filing.id}, its name or folder {told.accession}; {_OTHER_NAME}"
    half = fault(told.kind, data) if told.kind else None
    return f"it {half}; delete it and download it again, or {_OTHER_NAME}" if half else None


def find_item(corpus: Path, item: str, tables: TableStyle, filing: Filing) -> Section:
    """An item of a filing that is in a corpus folder; `unreadable` where its stored file is not what was added."""
    path = corpus / filing.path
    try:
        if not path.exists():
            raise InputError(f"the stored file is gone; {_HEAL}")
        data = read_bytes(path)
        if sha256_hex(data) != filing.sha256:
            raise InputError(f"the stored file is not as it was: its SHA-256 differs; remove it and {_HEAL}")
        section = read_section(data, item, name=path.name, filing_id=filing.id, tables=tables)
    except InputError as error:
        return unreadable(filing, item, tables, error.message)
    _check_writable(section)
    return section.model_copy(update={"filing_sha256": filing.sha256})


def unreadable(filing: Filing, item: str, tables: TableStyle, reason: str) -> Section:
    """The section of a filing that could not be read."""
    return Section(
        filing_id=filing.id,
        item=item,
        status=SectionStatus.UNREADABLE,
        form=filing.form,
        warnings=(f"{filing.path}: {reason}",),
        tables=tables,
        filing_sha256=filing.sha256,
    )


def why(section: Section) -> str:
    """Why an item has no text, in words."""
    return section.pointer or "; ".join(section.warnings) or f"item {section.item} is {section.status.value}"


def _check_writable(record: Record) -> None:
    """Meet here what would stop the one who writes the records of all filings, such as half a character."""
    record.model_dump_json()


def time_limit(path: Path) -> float:
    """Seconds that reading a file may take."""
    try:
        size = path.stat().st_size * (_PACKED if path.suffix.lower() == ".gz" else 1)
    except OSError:
        size = 0
    return _SECONDS + _SECONDS_PER_MB * size / 1e6
