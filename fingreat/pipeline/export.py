"""A run's records as one flat file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from fingreat.errors import MissingExtraError, RunError
from fingreat.pipeline.judged import JudgedClassification, judged
from fingreat.pipeline.match import Unmatched
from fingreat.runs import MatchManifest, RunFolder, read_record_file, read_records
from fingreat.runs.files import replacing
from fingreat.schema import Extraction, Failure, Match, Reply
from fingreat.schema.records import Record

OF_RUN: dict[str, type[Record]] = {"extractions": Extraction, "replies": Reply, "failures": Failure}
OF_CLASSIFICATION: dict[str, type[Record]] = {
    "classifications": JudgedClassification,
    "replies": Reply,
    "failures": Failure,
}
OF_MATCH: dict[str, type[Record]] = {"matches": Match, "unmatched": Unmatched}
REPLIES = "replies"
TABLES = OF_RUN | OF_CLASSIFICATION | OF_MATCH
"""What can be exported; the first of the tables of each kind is its main one."""


class ExportFormat(StrEnum):
    """File formats of `export_run`."""

    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"


def main_table(run: RunFolder) -> str:
    """The table that a run, or a match of two runs, is made for.

    Raises:
        RunError: the folder is neither.
    """
    return next(iter(_tables(run)))


def export_run(
    run: RunFolder, table: str, form: ExportFormat, path: Path, say: Callable[[str], None] = lambda line: None
) -> int:
    """Write one table of a run, or of a match of two runs, as a single file; in CSV lists and mappings are JSON texts.

    Args:
        say: told of columns of classifications that are left empty, and why.

    Returns:
        how many rows there are.

    Raises:
        RunError: the run is not complete, its files are not as they were written, or it has no such table. Of a run
            that is not complete there are its `replies` so far.
        MissingExtraError: Parquet without polars.
        InputError: `path` is a folder, a device or a pipe.
        StorageError: the disk refused; no half file is left.
    """
    manifest = run.any_manifest()
    tables = _tables(run)
    if table not in tables:
        raise RunError(
            f"has no {table}; it has {', '.join(tables)}.", where=str(run.path), hint="Choose another --table."
        )
    again = f"Repeat its `fingreat {manifest.kind}` command"
    if manifest.status != "complete" and table != REPLIES:
        so_far = f", or export what is answered so far by --table {REPLIES}" if REPLIES in tables else ""
        raise RunError(f"the run is {manifest.status}, not complete.", where=str(run.path), hint=f"{again}{so_far}.")
    if faults := run.verify():
        why = (
            "all is made anew from the two runs"
            if manifest.kind == "match"
            else f"{main_table(run)} are made anew from the replies"
        )
        raise RunError(f"the run is damaged: {'; '.join(faults)}.", where=str(run.path), hint=f"{again}: {why}.")
    rows = (record.model_dump(mode="json") for record in _records(run, table, say))
    with replacing(path) as temporary:
        return _WRITERS[form](rows, TABLES[table], temporary)


def _tables(run: RunFolder) -> dict[str, type[Record]]:
    manifest = run.any_manifest()
    if isinstance(manifest, MatchManifest):
        return OF_MATCH
    return OF_CLASSIFICATION if manifest.kind == "classify" else OF_RUN


def _records(run: RunFolder, table: str, say: Callable[[str], None]) -> Iterator[Record]:
    if TABLES[table] is JudgedClassification:
        yield from judged(run, say)
    elif table in ("failures", "unmatched"):
        yield from (record for _, record in read_record_file(run.path / f"{table}.jsonl", TABLES[table]))
    else:
        yield from read_records(run.path / table, TABLES[table])


def _write_csv(rows: Iterable[dict[str, Any]], model: type[Record], path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(model.model_fields))
        writer.writeheader()
        for row in rows:
            writer.writerow({key: _cell(value) for key, value in row.items()})
            count += 1
    return count


def _write_jsonl(rows: Iterable[dict[str, Any]], model: type[Record], path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


def _write_parquet(rows: Iterable[dict[str, Any]], model: type[Record], path: Path) -> int:
    try:
        polars: Any = import_module("polars")
    except ImportError as error:
        raise MissingExtraError("what writes Parquet (polars)", 'pip install "fingreat[frames]"') from error
    lines = io.BytesIO()
    count = 0
    for row in rows:
        # Facets are a mapping whose keys differ from row to row, which a column cannot hold.
        flat = {key: _cell(value) if isinstance(value, dict) else value for key, value in row.items()}
        lines.write(json.dumps(flat, ensure_ascii=False).encode() + b"\n")
        count += 1
    lines.seek(0)
    # Types come from the record, not from the rows: a column that is empty in one run is the same in the next.
    schema = {name: _column_type(polars, field.annotation) for name, field in model.model_fields.items()}
    frame = polars.read_ndjson(lines, schema=schema) if count else polars.DataFrame(schema=schema)
    frame.write_parquet(path)
    return count


def _column_type(polars: Any, annotation: Any) -> Any:
    """Column type of a field: lists for tuples, text for whatever is neither a number nor a truth value."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Annotated, Union, UnionType):
        return _column_type(polars, arguments[0])
    if origin is tuple:
        return polars.List(_column_type(polars, arguments[0]))
    return {int: polars.Int64, float: polars.Float64, bool: polars.Boolean}.get(annotation, polars.String)


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


_WRITERS = {ExportFormat.CSV: _write_csv, ExportFormat.JSONL: _write_jsonl, ExportFormat.PARQUET: _write_parquet}
