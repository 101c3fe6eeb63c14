"""A run folder says what it is, and notices what was done to it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from fingreat.errors import RunError
from fingreat.runs import Manifest, ModelInfo, RunFolder, digest_of_text, find_runs, sha256_of, write_atomic
from fingreat.runs import folder as folder_module


def manifest(**changes: Any) -> Manifest:
    values: dict[str, Any] = {
        "asked": {"model": "lexicon"},
        "resolved": {"item": "7", "mode": "quote", "tokens": 4096, "temperature": 0.0, "seed": 7},
        "model": ModelInfo(spec="lexicon", backend="lexicon", model="m", revision="r", context=None),
        "hashes": {"prompt": "p", "graph": "g"},
    }
    return Manifest.new("run", **(values | changes))


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """A complete run with one part of replies and one of extractions."""
    run = RunFolder(tmp_path / "run")
    outputs = [run.replies / "part-00000.jsonl", run.extractions / "part-00000.jsonl", run.failures]
    for path in outputs:
        write_atomic(path, b"{}\n")
    run.mark_done("extract", outputs)
    run.write_manifest(manifest(), status="complete")
    return run


def test_a_manifest_comes_back_as_it_was(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    assert not run.exists
    written = run.write_manifest(manifest(), counts={"requests": 3})
    assert run.exists
    assert run.manifest() == written
    assert written.seeds == {"sampling": 7}
    assert written.differences(run.manifest()) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"resolved": {"item": "7", "mode": "span", "tokens": 4096, "temperature": 0.0, "seed": 7}},
            ["resolved.mode was 'quote', now 'span'"],
        ),
        (
            {"resolved": {"item": "7", "mode": "quote", "tokens": 1500, "temperature": 0.5, "seed": 7}},
            ["resolved.temperature was 0.0, now 0.5", "resolved.tokens was 4096, now 1500"],
        ),
        ({"hashes": {"prompt": "q", "graph": "g"}}, ["hashes.prompt was 'p', now 'q'"]),
        ({"hashes": {"graph": "g"}}, ["hashes.prompt was 'p', now None"]),
        (
            {"model": ModelInfo(spec="lexicon", backend="lexicon", model="m", revision="r2", context=8)},
            ["model.context was None, now 8", "model.revision was 'r', now 'r2'"],
        ),
        ({"asked": {}}, []),
    ],
)
def test_differences_name_what_would_change_the_questions(changes: dict[str, Any], said: list[str]) -> None:
    assert manifest().differences(manifest(**changes)) == said


def test_a_run_of_another_kind_differs() -> None:
    other = manifest().model_copy(update={"kind": "classify"})
    assert manifest().differences(other) == ["kind was 'extract', now 'classify'"]


def test_an_untouched_run_verifies(run: RunFolder) -> None:
    assert run.verify() == []


def test_one_changed_byte_is_noticed_in_every_output(run: RunFolder) -> None:
    for path in (run.replies / "part-00000.jsonl", run.extractions / "part-00000.jsonl", run.failures):
        path.write_bytes(b"{]\n")
        name = path.relative_to(run.path).as_posix()
        assert run.verify() == [f"{name} is not what stage extract wrote"]
        path.write_bytes(b"{}\n")


def test_a_missing_file_is_noticed(run: RunFolder) -> None:
    run.failures.unlink()
    assert run.verify() == ["failures.jsonl is missing (stage extract)"]


def test_a_file_that_cannot_be_read_is_noticed(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.open

    def refused(path: Path, *more: object, **options: object) -> object:
        if path.name == "part-00000.jsonl" and path.parent.name == "extractions":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *more, **options)

    monkeypatch.setattr(Path, "open", refused)
    assert run.verify() == ["extractions/part-00000.jsonl cannot be read (Permission denied)"]


def test_rows_that_nobody_wrote_are_noticed(run: RunFolder) -> None:
    write_atomic(run.extractions / "part-00001.jsonl", b"{}\n")
    assert run.verify() == ["extractions/part-00001.jsonl is there, but no finished stage wrote it"]


def test_complete_without_a_marker_is_a_fault_and_interrupted_without_one_is_not(run: RunFolder) -> None:
    run.clear_done("extract")
    assert run.verify() == ["the manifest says complete, but no stage is marked done"]
    run.clear_done("extract")
    run.write_manifest(run.manifest(), status="interrupted")
    assert run.verify() == []


@pytest.mark.parametrize("content", [b"", b"[]", b'{"outputs": 3}', b"\xff"])
def test_a_damaged_marker_is_a_fault_not_a_traceback(content: bytes, run: RunFolder) -> None:
    (run.path / "done" / "extract").write_bytes(content)
    assert run.verify() == ["done/extract is damaged"]


def test_half_a_marker_of_a_killed_writer_is_passed_over(run: RunFolder) -> None:
    (run.path / "done" / ".extract.x.part").write_bytes(b"{")
    assert run.verify() == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not valid JSON"),
        (b"{}", "format version None"),
        (b"[]", "is damaged"),
        (b'{"format": 2}', "has format version 2; this version of fingreat reads 1"),
        (b'{"format": "1"}', "format version '1'"),
        (b'{"format": 1}', "is damaged"),
    ],
)
def test_a_damaged_manifest_is_one_clear_error(content: bytes, words: str, tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(RunError, match=words):
        run.manifest()


def test_an_unknown_field_in_a_manifest_is_damage(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    run.write_manifest(manifest())
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"more": 1}))
    with pytest.raises(RunError, match="is damaged"):
        run.manifest()


def test_a_folder_without_a_manifest_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is no run folder"):
        RunFolder(tmp_path).manifest()
    with pytest.raises(RunError, match="is no run folder"):
        RunFolder(tmp_path).verify()


def test_runs_are_found_by_their_manifests_in_order(tmp_path: Path) -> None:
    for name in ("b", "a"):
        RunFolder(tmp_path / name).write_manifest(manifest())
    (tmp_path / "no-run").mkdir()
    assert [found.path.name for found in find_runs(tmp_path)] == ["a", "b"]
    assert find_runs(tmp_path / "none") == []


def test_runs_of_a_study_are_found_in_its_folder(tmp_path: Path) -> None:
    for name in ("extract/b", "classify/a"):
        RunFolder(tmp_path / "runs" / name).write_manifest(manifest())
    assert [found.path.name for found in find_runs(tmp_path)] == ["a", "b"]


def test_digests_are_sha256(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    # FIPS 180-4, the example "abc".
    expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256_of(tmp_path / "x") == digest_of_text("abc") == expected
    assert digest_of_text("é") == hashlib.sha256(b"\xc3\xa9").hexdigest()
    assert digest_of_text("\ud800") == digest_of_text("?")


def test_the_format_version_is_written(tmp_path: Path) -> None:
    RunFolder(tmp_path).write_manifest(manifest())
    assert json.loads((tmp_path / "manifest.json").read_text())["format"] == folder_module.FORMAT == 1


def test_a_run_that_goes_on_elsewhere_keeps_where_it_began() -> None:
    first = manifest()
    moved = first.model_copy(update={"code": first.code.model_copy(update={"commit": "other"})})
    again = moved.going_on_from(first)
    assert again.created == first.created
    assert [session.code for session in again.earlier] == [first.code]
    assert again.going_on_from(again).earlier == again.earlier, "the same code again is no new session"
