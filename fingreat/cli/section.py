"""`fingreat section` and `fingreat chunk`: one filing, no corpus needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from fingreat.cli.common import (
    ALL_WELL,
    NOTHING_DONE,
    SOME_FAILED,
    ItemOption,
    JsonFlag,
    TablesOption,
    TokensOption,
    print_json,
    print_text,
    say,
    show_table,
)
from fingreat.edgar import chunk_section, read_section
from fingreat.edgar.chunks import DEFAULT_BUDGET
from fingreat.report import Column, Table
from fingreat.schema import Chunk, Section, SectionStatus, TableStyle

FileArgument = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="A filing: .htm, .txt or a full submission, also gzipped.", show_default=False),
]
_EXIT = {SectionStatus.FOUND: ALL_WELL, SectionStatus.BY_REFERENCE: SOME_FAILED}


def section(
    file: FileArgument,
    item: ItemOption = "7",
    tables: TablesOption = TableStyle.MARKDOWN,
    json: JsonFlag = False,
) -> None:
    """Find an item in a filing and print it as Markdown.

    Exit status 0: found; 1: the item only points elsewhere; 2: absent, or no filing.

    Example: fingreat section 10k.htm --item 7 --tables html --json
    """
    found = read_section(file, item, tables=tables)
    if json:
        fields = ("status", "item", "form", "heading", "next_heading", "text", "source_document", "pointer", "warnings")
        data = found.model_dump(mode="json")
        print_json({field: data[field] for field in fields} | {"chars": len(found.text), "tables": data["tables"]})
    else:
        print_text(found.text + ("\n" if found.text else ""))
    if not json or found.status is not SectionStatus.FOUND:
        _describe(file, found)
    raise typer.Exit(_EXIT.get(found.status, NOTHING_DONE))


def chunk(
    file: FileArgument, tokens: TokensOption = DEFAULT_BUDGET, item: ItemOption = "7", json: JsonFlag = False
) -> None:
    """Cut an item of a filing into chunks with numbered segments.

    Example: fingreat chunk 10k.htm --tokens 1500
    """
    found = read_section(file, item)
    if found.status is not SectionStatus.FOUND:
        _describe(file, found)
        raise typer.Exit(_EXIT.get(found.status, NOTHING_DONE))
    chunks = chunk_section(found, tokens)
    if json:
        print_json({"filing_id": found.filing_id, "item": item, "chunks": [_as_data(c, found) for c in chunks]})
        return
    show_table(_table(chunks, found))


def _describe(file: Path, found: Section) -> None:
    say(f"{file.name}: item {found.item} {found.status.value}, {len(found.text):,} characters")
    if found.heading:
        say(f"  from {found.heading!r} to {found.next_heading!r} in {found.source_document or 'the document'}")
    if found.pointer:
        say(f"  points elsewhere: {found.pointer}")
    for warning in found.warnings:
        say(f"  note: {warning}")


def _table(chunks: Sequence[Chunk], found: Section) -> Table:
    """A row for each chunk, with the words that it begins with."""
    columns = (
        Column(label="chunk", kind="count"),
        Column(label="characters"),
        Column(label="tokens", kind="count"),
        Column(label="segments", kind="count"),
        Column(label="begins"),
    )
    rows = []
    for number, one in enumerate(chunks, 1):
        begins = " ".join(found.text[one.start : one.start + 60].split())
        rows.append((number, f"{one.start}-{one.end}", one.n_tokens, len(one.segments), begins))
    return Table(id="chunks", title=f"Item {found.item}", columns=columns, rows=tuple(rows))


def _as_data(one: Chunk, found: Section) -> dict[str, object]:
    data = one.model_dump(mode="json")
    data["segments"] = [
        {"number": number, **segment.model_dump(mode="json"), "text": found.text[segment.start : segment.end]}
        for number, segment in enumerate(one.segments, 1)
    ]
    return data
