"""A run's records as one flat file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from fingreat.errors import MissingExtraError, RunError
from fingreat.runs import RunFolder, read_record_file, read_records
from fingreat.runs.files import replacing
from fingreat.schema import Extraction, Failure, Reply
from fingreat.schema.records import Record

TABLES: dict[str, type[Record]] = {"extractions": Extraction, "replies": Reply, "failures": Failure}


class ExportFormat(StrEnum):
    """File formats of `export_run`."""

    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"


def export_run(run: RunFolder, table: str, form: ExportFormat, path: Path) -> int:
    """Write one table of a run as a single file; lists and mappings become JSON texts in CSV.

    Returns:
        how many rows there are.

    Raises:
        RunError: the run is not complete, or its files are not as they were written.
        MissingExtraError: Parquet without polars.
        InputError: `path` is a folder, a device or a pipe.
        StorageError: the disk refused; no half file is left.
    """
    manifest = run.manifest()
    if manifest.status != "complete":
        raise RunError(
            f"the run is {manifest.status}, not complete.",
            where=str(run.path),
            hint="Repeat its `fingreat extract` command.",
        )
    if faults := run.verify():
        raise RunError(
            f"the run is damaged: {'; '.join(faults)}.",
            where=str(run.path),
            hint="Repeat its `fingreat extract` command: extractions are made anew from the replies.",
        )
    rows = (record.model_dump(mode="json") for record in _records(run, table))
    with replacing(path) as temporary:
        return _WRITERS[form](rows, TABLES[table], temporary)


def _records(run: RunFolder, table: str) -> Iterator[Record]:
    if table == "failures":
        yield from (failure for _, failure in read_record_file(run.failures, Failure))
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
