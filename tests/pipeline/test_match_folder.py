"""The folder of a match: made anew or refused, stopped and killed, checked, read and exported."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from extraction_builders import finished_run
from match_run_builders import FIRST, SECOND, change

from fingreat.errors import InputError, RunError, StorageError
from fingreat.pipeline import ExportFormat, export_run
from fingreat.pipeline.match import Unmatched, match_runs
from fingreat.runs import Manifest, MatchManifest, RunFolder, find_runs
from fingreat.schema import Match


def test_a_match_that_is_stopped_says_so_and_leaves_the_old_one_marked_as_gone(
    runs: tuple[RunFolder, RunFolder], tmp_path: Path
) -> None:
    out = tmp_path / "match"
    match_runs(*runs, out)

    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        match_runs(*runs, out, watch=stop)
    assert RunFolder(out).match_manifest().status == "interrupted"
    assert not (out / "done" / "match").exists()
    assert not list(out.rglob("*.part")) + list(out.rglob("*.tmp"))
    assert match_runs(*runs, out).status == "complete"
    assert RunFolder(out).verify() == []


def test_a_match_of_an_earlier_format_is_one_message_and_is_made_anew(
    runs: tuple[RunFolder, RunFolder], tmp_path: Path
) -> None:
    out = tmp_path / "match"
    made = match_runs(*runs, out)
    # As the first format had it.
    old = json.loads((out / "manifest.json").read_text())
    for counts in (old["counts"], *old["filings"].values()):
        for name in [name for name in counts if name.startswith(("equal", "figures", "near", "differs"))]:
            del counts[name]
    (out / "manifest.json").write_text(json.dumps(old | {"format": 1}))
    for refused in (
        lambda: RunFolder(out).verify(),
        lambda: export_run(RunFolder(out), "matches", ExportFormat.CSV, tmp_path / "x.csv"),
    ):
        with pytest.raises(RunError, match="has format version 1; this version of fingreat reads 2") as caught:
            refused()
        assert caught.value.hint == "Repeat its `fingreat match` command: it is made anew from the two runs."
    with pytest.raises(RunError, match="holds another match: by was 'text', now 'span'"):
        match_runs(*runs, out, by="span")
    assert match_runs(*runs, out).counts == made.counts
    assert RunFolder(out).verify() == []
    for unknown in (3, 0, "1", None):
        (out / "manifest.json").write_text(json.dumps(old | {"format": unknown}))
        with pytest.raises(RunError, match="has format version"):
            match_runs(*runs, out)


def test_every_changed_byte_of_a_match_is_noticed(runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    match_runs(*runs, tmp_path / "match")
    folder = RunFolder(tmp_path / "match")
    part = folder.matches / "part-00000.jsonl"
    for path, name in ((part, "matches/part-00000.jsonl"), (folder.unmatched, "unmatched.jsonl")):
        kept = path.read_bytes()
        path.write_bytes(kept[:-1])
        assert folder.verify() == [f"{name} is not what stage match wrote"]
        path.write_bytes(kept)
    (folder.matches / "part-00001.jsonl").write_bytes(b"{}\n")
    assert folder.verify() == ["matches/part-00001.jsonl is there, but no finished stage wrote it"]


def test_a_match_is_made_anew_in_its_folder_and_in_no_other(runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    out = tmp_path / "match"
    match_runs(*runs, out)
    before = (out / "matches" / "part-00000.jsonl").read_bytes()
    (out / "unmatched.jsonl").unlink()
    match_runs(*runs, out)
    assert (out / "matches" / "part-00000.jsonl").read_bytes() == before
    assert RunFolder(out).verify() == []
    with pytest.raises(RunError, match="holds another match: by was 'text', now 'span'"):
        match_runs(*runs, out, by="span")
    words = r"another match: run A was \S+/some \(.*, now \S+/all \(.*; run B was \S+/all .*, now \S+/some "
    with pytest.raises(RunError, match=words):
        match_runs(*runs[::-1], out)
    for other in (runs[0].path, runs[1].path):
        with pytest.raises(InputError, match="is one of the runs"):
            match_runs(*runs, other)
    shutil.copytree(runs[0].path, tmp_path / "third")
    with pytest.raises(InputError, match="which holds other results"):
        match_runs(*runs, tmp_path / "third" / "inside")
    with pytest.raises(RunError, match="is a run, no match of two runs"):
        match_runs(*runs, tmp_path / "third")
    assert RunFolder(tmp_path / "third").verify() == []
    assert (out / "matches" / "part-00000.jsonl").read_bytes() == before


def test_other_runs_of_equal_names_and_models_do_not_replace_a_match(tmp_path: Path) -> None:
    a, b, c = (finished_run(tmp_path / name / "run", [FIRST], []) for name in "abc")
    model = a.manifest().model
    for run, second in ((b, 0), (c, 59)):
        change(run, lambda _, at=second: {"model": model, "created": datetime(2026, 3, 1, 12, 30, at, tzinfo=UTC)})
    match_runs(a, b, tmp_path / "match")
    before = (tmp_path / "match" / "manifest.json").read_bytes()
    with pytest.raises(RunError) as caught:
        match_runs(a, c, tmp_path / "match")
    assert caught.value.message == (
        f"holds another match: run B was {b.path} ({model.spec}, begun 2026-03-01 12:30:00 UTC), "
        f"now {c.path} ({model.spec}, begun 2026-03-01 12:30:59 UTC)."
    )
    assert (tmp_path / "match" / "manifest.json").read_bytes() == before


def test_a_run_that_grew_moved_or_was_begun_anew_is_the_same_run(tmp_path: Path) -> None:
    a, b = (finished_run(tmp_path / name, [FIRST], []) for name in "ab")
    out = tmp_path / "match"
    match_runs(a, b, out)
    for run in (a, b):
        change(run, lambda m: {"inputs": m.inputs | {SECOND: "0" * 64}})
    assert set(match_runs(a, b, out).filings) == {FIRST, SECOND}
    b.path.rename(tmp_path / "moved")
    moved = RunFolder(tmp_path / "moved")
    assert [run.name for run in match_runs(a, moved, out).runs] == ["a", "moved"]
    change(moved, lambda m: {"created": m.created.replace(year=2001)})
    assert match_runs(a, moved, out).runs[1].created.year == 2001
    # Begun anew with another model it is another run.
    other = moved.manifest().model.model_copy(update={"spec": "x"})
    change(moved, lambda m: {"created": m.created.replace(year=2002), "model": other})
    with pytest.raises(RunError, match=r"run B was \S+/moved \(b, .*, now \S+/moved \(x, "):
        match_runs(a, moved, out)


class Killed(BaseException):
    """Nothing catches it, like a kill."""


def test_a_match_killed_at_any_write_does_not_look_complete_and_is_made_anew(
    runs: tuple[RunFolder, RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "match"
    whole = match_runs(*runs, tmp_path / "whole")
    real, left = os.replace, 0

    def replace(*names: object, **more: object) -> None:
        nonlocal left
        if left == 0:
            raise Killed
        left -= 1
        real(*names, **more)

    for earlier in (False, True):
        for allowed in range(20):
            left = allowed
            with monkeypatch.context() as patch:
                patch.setattr(os, "replace", replace)
                try:
                    match_runs(*runs, out)
                except Killed:
                    pass
                else:
                    break
            folder = RunFolder(out)
            if allowed == 0 and earlier:
                assert folder.verify() == [], "the old match stays until the new one begins"
            elif folder.exists:
                assert folder.match_manifest().status == "started"
                with pytest.raises(RunError, match="started, not complete"):
                    export_run(folder, "matches", ExportFormat.CSV, tmp_path / "out.csv")
        assert allowed >= 5
        assert RunFolder(out).verify() == []
        assert RunFolder(out).match_manifest().counts == whole.counts
    assert not list(out.rglob("*.part")) + list(out.rglob("*.tmp"))


def test_a_refused_write_says_so_in_the_manifest(
    runs: tuple[RunFolder, RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.replace

    def full(source: Path, target: Path, **more: object) -> None:
        if "unmatched" in str(target):
            raise OSError(28, "No space left on device")
        real(source, target, **more)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StorageError, match="the disk is full"):
        match_runs(*runs, tmp_path / "match")
    assert RunFolder(tmp_path / "match").match_manifest().status == "failed"


def test_a_folder_of_a_match_is_found_and_read_as_one(runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    match_runs(*runs, tmp_path / "match")
    folder = RunFolder(tmp_path / "match")
    assert [found.path.name for found in find_runs(tmp_path)] == ["all", "match", "some"]
    assert isinstance(folder.any_manifest(), MatchManifest)
    assert isinstance(runs[0].any_manifest(), Manifest)
    with pytest.raises(RunError, match="is a run, no match"):
        runs[0].match_manifest()
    with pytest.raises(RunError, match="is a match of two runs, no run"):
        folder.manifest()


@pytest.mark.parametrize("form", [ExportFormat.CSV, ExportFormat.JSONL, ExportFormat.PARQUET])
@pytest.mark.parametrize("table", ["matches", "unmatched"])
def test_matches_are_exported(
    table: str, form: ExportFormat, runs: tuple[RunFolder, RunFolder], tmp_path: Path
) -> None:
    if form is ExportFormat.PARQUET:
        pytest.importorskip("polars")
    manifest = match_runs(*runs, tmp_path / "match")
    folder, path = RunFolder(tmp_path / "match"), tmp_path / "out"
    counts = manifest.counts
    expected = counts.matched if table == "matches" else counts.unmatched_a + counts.unmatched_b
    assert export_run(folder, table, form, path) == expected > 0
    if form is ExportFormat.JSONL:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        model = Match if table == "matches" else Unmatched
        assert all(model.model_validate(row) for row in rows)
    if form is ExportFormat.CSV and table == "matches":
        assert path.read_text().startswith("filing_id,a,b,edge_a,edge_b,overlap,decided_by,equal,")


@pytest.mark.parametrize(("of", "table"), [("match", "replies"), ("match", "extractions"), ("some", "matches")])
def test_a_table_that_a_folder_does_not_have_is_refused(
    of: str, table: str, runs: tuple[RunFolder, RunFolder], tmp_path: Path
) -> None:
    match_runs(*runs, tmp_path / "match")
    with pytest.raises(RunError, match=f"has no {table}; it has "):
        export_run(RunFolder(tmp_path / of), table, ExportFormat.CSV, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()
