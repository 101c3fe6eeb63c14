"""A run's tables as one file: every row, every value, or a refusal."""

from __future__ import annotations

import csv
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from pipeline_builders import (
    CONFIG,
    SENTENCES,
    Counting,
    corpus_of,
    extractions_of_run,
    failures_of_run,
    html,
    replies_of_run,
    reply,
)

from fingreat.errors import InputError, MissingExtraError, RunError, StorageError
from fingreat.inference import RawReply
from fingreat.pipeline import ExportFormat, export_run, extract
from fingreat.runs import RunFolder
from fingreat.schema import ReplyState, Request

ODD = 'Sales, "net"\r\nand\tmore;\u2028\x85=SUM(A1) é \U0001f4b0'


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run with grounded, ungrounded and odd quotes, and one failure."""
    folder = tmp_path_factory.mktemp("export")
    corpus = corpus_of(folder, a=html())

    def respond(request: Request) -> RawReply:
        if SENTENCES[2] in "".join(request.segments):
            return RawReply(state=ReplyState.BLOCKED, detail=ODD)
        return RawReply(text=reply((SENTENCES[0], "REV", "NNCA"), (ODD, "CASH", "DIV")), output_tokens=5)

    extract(corpus, CONFIG, folder / "run", backend=Counting(respond))
    return RunFolder(folder / "run")


def rows_of(run: RunFolder, table: str) -> list[dict[str, Any]]:
    records = {"extractions": extractions_of_run, "failures": failures_of_run}
    return [record.model_dump(mode="json") for record in records[table](run.path)]


@pytest.mark.parametrize("table", ["extractions", "failures"])
def test_json_lines_give_every_record_back(table: str, run: RunFolder, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    count = export_run(run, table, ExportFormat.JSONL, path)
    expected = rows_of(run, table)
    assert count == len(expected) > 0
    assert [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]] == expected


@pytest.mark.parametrize("table", ["extractions", "failures"])
def test_csv_gives_every_value_back(table: str, run: RunFolder, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    count = export_run(run, table, ExportFormat.CSV, path)
    expected = rows_of(run, table)
    with path.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert len(found) == count == len(expected)
    for row, values in zip(found, expected, strict=True):
        assert set(row) == set(values)
        for key, value in values.items():
            if isinstance(value, list | dict):
                assert json.loads(row[key]) == value
            else:
                assert row[key] == ("" if value is None else str(value))
    if table == "extractions":
        assert ODD in {row["quote"] for row in found}


@pytest.mark.parametrize("table", ["extractions", "failures", "replies"])
def test_parquet_gives_every_value_back(table: str, run: RunFolder, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    path = tmp_path / "out.parquet"
    count = export_run(run, table, ExportFormat.PARQUET, path)
    frame = polars.read_parquet(path)
    assert frame.height == count > 0
    if table == "replies":
        assert dict(zip(frame["key"], frame["text"], strict=True)) == {
            key: text for key, (_, text) in replies_of_run(run.path).items()
        }
        assert frame["output_tokens"].sum() == run.manifest().counts["output_tokens"]
        return
    expected = rows_of(run, table)
    for row, values in zip(frame.to_dicts(), expected, strict=True):
        assert list(row) == list(values)
        assert {**values, "facets": json.dumps(values["facets"])} == row if "facets" in values else values == row


@pytest.mark.parametrize("form", list(ExportFormat))
def test_a_table_without_rows_is_a_file_with_its_columns(form: ExportFormat, tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(SENTENCES[:2]))
    nothing = RawReply(text='{"extractions": []}')
    extract(corpus, CONFIG, tmp_path / "run", backend=Counting(lambda request: nothing))
    path = tmp_path / f"out.{form}"
    assert export_run(RunFolder(tmp_path / "run"), "extractions", form, path) == 0
    if form is ExportFormat.CSV:
        assert path.read_text().startswith("id,run,filing_id,chunk_id,quote,edge,tags,period,facets,verdict,ranges,")
    elif form is ExportFormat.JSONL:
        assert path.read_bytes() == b""
    else:
        polars = pytest.importorskip("polars")
        assert polars.read_parquet(path).columns[:6] == ["id", "run", "filing_id", "chunk_id", "quote", "edge"]


@pytest.mark.parametrize("table", ["extractions", "failures", "replies"])
def test_parquet_files_of_different_runs_have_the_same_columns(table: str, run: RunFolder, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    corpus = corpus_of(tmp_path, a=html(SENTENCES[:2]))
    # No extraction, no tokens, no failure: every column that can be empty is.
    extract(corpus, CONFIG, tmp_path / "run", backend=Counting(lambda request: RawReply(text='{"extractions": []}')))
    export_run(run, table, ExportFormat.PARQUET, tmp_path / "a.parquet")
    export_run(RunFolder(tmp_path / "run"), table, ExportFormat.PARQUET, tmp_path / "b.parquet")
    schemas = [polars.read_parquet_schema(tmp_path / name) for name in ("a.parquet", "b.parquet")]
    assert schemas[0] == schemas[1]
    expected = {
        "extractions": {
            "quote": "String",
            "ranges": "List(List(Int64))",
            "tags": "List(String)",
            "ambiguous": "Boolean",
        },
        "failures": {"reason": "String", "kept": "Int64"},
        "replies": {"text": "String", "prompt_tokens": "Int64", "cost_usd": "Float64", "detail": "String"},
    }[table]
    assert {name: str(schemas[0][name]) for name in expected} == expected


def test_a_run_that_is_not_complete_is_refused(run: RunFolder, tmp_path: Path) -> None:
    unfinished = RunFolder(tmp_path / "run")
    for status in ("started", "interrupted", "failed"):
        unfinished.write_manifest(run.manifest(), status=status)
        with pytest.raises(RunError, match=f"the run is {status}, not complete"):
            export_run(unfinished, "extractions", ExportFormat.CSV, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_a_run_that_was_stopped_gives_the_replies_that_it_has(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    answers = iter(range(2))

    def respond(request: Request) -> RawReply:
        if next(answers, None) is None:
            raise KeyboardInterrupt
        return RawReply(text='{"extractions": []}', output_tokens=5)

    with pytest.raises(KeyboardInterrupt):
        extract(corpus, CONFIG, tmp_path / "run", backend=Counting(respond))
    stopped = RunFolder(tmp_path / "run")
    assert stopped.manifest().so_far["output_tokens"] == 10
    path = tmp_path / "out.jsonl"
    assert export_run(stopped, "replies", ExportFormat.JSONL, path) == 2
    assert {json.loads(line)["key"] for line in path.read_text().splitlines()} == set(replies_of_run(stopped.path))
    with pytest.raises(RunError, match="not complete") as caught:
        export_run(stopped, "extractions", ExportFormat.JSONL, path)
    assert "--table replies" in str(caught.value.hint)


def test_a_run_that_lost_its_rows_is_refused_rather_than_exported_without_them(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    extract(corpus, CONFIG, tmp_path / "run", backend=Counting())
    (tmp_path / "run" / "extractions" / "part-00000.jsonl").unlink()
    with pytest.raises(RunError, match=r"the run is damaged: extractions/part-00000\.jsonl is missing"):
        export_run(RunFolder(tmp_path / "run"), "extractions", ExportFormat.CSV, tmp_path / "out.csv")
    # What the message says helps.
    extract(corpus, CONFIG, tmp_path / "run", backend=Counting())
    assert export_run(RunFolder(tmp_path / "run"), "extractions", ExportFormat.CSV, tmp_path / "out.csv") > 0


def test_without_polars_parquet_says_what_to_install_and_leaves_nothing(
    run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError) as caught:
        export_run(run, "extractions", ExportFormat.PARQUET, tmp_path / "out.parquet")
    assert 'pip install "fingreat[frames]"' in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", list(ExportFormat))
def test_a_refused_write_leaves_the_old_file_and_no_half(
    form: ExportFormat, run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")

    def full(*names: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StorageError, match="the disk is full"):
        export_run(run, "extractions", form, path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]
    assert path.read_bytes() == b"old"
    (tmp_path / "folder").mkdir()
    monkeypatch.undo()
    with pytest.raises(InputError, match="no regular file"):
        export_run(run, "extractions", form, tmp_path / "folder")
    assert {entry.name for entry in tmp_path.iterdir()} == {"out", "folder"}
