"""What a process does for one filing of a corpus: examine a file, find an item. Nothing is written here."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

from fingreat.edgar import describe_filing, read_bytes, read_section, read_submission
from fingreat.errors import InputError
from fingreat.schema import Filing, Section, SectionStatus, TableStyle, sha256_hex
from fingreat.schema.records import Record

_SECONDS, _SECONDS_PER_MB = 120.0, 10.0
"""Wall time that a filing may take: hundreds of times what it does take, since the machine may have much else to do."""
_PACKED = 10
"""How many times its packed size a gzipped filing may have."""


@dataclass(frozen=True)
class Examined:
    """A file that may become a filing of the corpus.

    Attributes:
        sha256: of its bytes, gzip taken off; empty where they could not be read.
        filing: None where the bytes are known, or are no filing.
        fault: why it cannot be read as a filing.
    """

    sha256: str = ""
    filing: Filing | None = None
    fault: str | None = None


def examine(known: Set[str], path: Path) -> Examined:
    """Read a file completely, unless its SHA-256 is among the known ones."""
    digest, filing = "", None
    try:
        data = read_bytes(path)
        digest = sha256_hex(data)
        if digest in known:
            return Examined(digest)
        filing = describe_filing(read_submission(data, path.name), digest, path)
        section = read_section(data, name=path.name, filing_id=filing.id)
    except InputError as error:
        return Examined(digest, filing, error.message)
    if section.status is SectionStatus.UNREADABLE:
        return Examined(digest, filing, "; ".join(section.warnings) or "it cannot be read as a filing.")
    _check_writable(filing.model_copy(update={"path": ""}))
    return Examined(digest, filing)


def find_item(corpus: Path, item: str, tables: TableStyle, filing: Filing) -> Section:
    """An item of a filing that is in a corpus folder; `unreadable` where its stored file is not what was added."""
    path = corpus / filing.path
    try:
        data = read_bytes(path)
        if sha256_hex(data) != filing.sha256:
            raise InputError("the stored file is not the one that was added: its SHA-256 differs.")
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
