"""Where results may be written, and files that are damaged in ways no parser expects."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from fingreat.cli import main
from fingreat.errors import InputError, RunError
from fingreat.runs import RunFolder, owner_of, read_json, read_json_lines
from fingreat.schema import load_graph

DEEP = "[" * 200_000


def test_an_empty_folder_and_one_that_is_not_there_yet_will_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    # What a killed writer leaves before it wrote anything else.
    (tmp_path / "empty" / ".lock").touch()
    for name in ("empty", "new", "with spaces, and ünïcode"):
        RunFolder(tmp_path / name).check_place()


def test_a_folder_with_other_things_a_file_and_a_dangling_link_are_refused(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "report.html").touch()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name, words in (("report", "other things"), ("file", "is a file"), ("link", "is a file")):
        with pytest.raises(InputError, match=words):
            RunFolder(tmp_path / name).check_place()


def test_a_folder_whose_parts_are_links_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "manifest.json").write_text("{}")
    (tmp_path / "run" / "matches").symlink_to(tmp_path / "other")
    with pytest.raises(InputError, match="is a link"):
        RunFolder(tmp_path / "run").check_place()


def test_a_folder_inside_other_results_is_refused_however_deep(tmp_path: Path) -> None:
    manifest = tmp_path / "out" / "manifest.json"
    manifest.parent.mkdir()
    (tmp_path / "link").symlink_to(manifest.parent)
    inside = [tmp_path / "out" / "new", tmp_path / "out" / "replies" / "a" / "b", tmp_path / "link" / "new"]
    for kind in ("extract", "classify", "match"):
        manifest.write_text(json.dumps({"kind": kind}))
        for path in inside:
            with pytest.raises(InputError, match="which holds other results") as caught:
                RunFolder(path).check_place()
            assert (caught.value.where, caught.value.hint) == (str(path), "Choose another --out.")
        # The results themselves may go on where they are, and others stand beside them.
        RunFolder(manifest.parent).check_place()
        RunFolder(tmp_path / "beside").check_place()
    # Manifests of other things, such as a web page's, say nothing of results.
    for other in ('{"kind": "corpus"}', '{"name": "page"}', '["extract"]', "{"):
        manifest.write_text(other)
        for path in inside:
            RunFolder(path).check_place()


def test_the_owner_of_a_path_is_the_run_match_or_corpus_that_it_lies_in_however_deep(tmp_path: Path) -> None:
    manifest = tmp_path / "out" / "manifest.json"
    manifest.parent.mkdir()
    (tmp_path / "link").symlink_to(manifest)
    inside = [manifest, manifest.parent / "new", manifest.parent / "a" / "b" / "c", tmp_path / "link"]
    for kind in ("extract", "classify", "match", "corpus"):
        manifest.write_text(json.dumps({"kind": kind}))
        assert {owner_of(path) for path in inside} == {manifest.parent.resolve()}
        assert owner_of(manifest.parent) is owner_of(tmp_path / "beside") is None
    manifest.write_text('{"name": "page"}')
    assert {owner_of(path) for path in inside} == {None}


@pytest.mark.parametrize("name", [b"a\x1b[31m", b"line\nbreak", b"\xff", "\ufffe".encode()])
def test_a_name_that_no_page_and_no_terminal_can_show_is_refused(tmp_path: Path, name: bytes) -> None:
    with pytest.raises(InputError, match="control characters") as caught:
        RunFolder(tmp_path / os.fsdecode(name)).check_place()
    assert str(caught.value).isprintable()


def test_json_that_is_nested_too_deeply_is_damage_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text(DEEP)
    with pytest.raises(RunError, match="not valid JSON"):
        read_json(path)
    with pytest.raises(InputError, match="is no JSON"):
        list(read_json_lines(path))


def test_a_file_that_is_not_there_is_told_from_one_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    for name, words in (("none", "No such file"), ("bytes", "no UTF-8"), (".", "directory")):
        with pytest.raises(InputError, match=words):
            list(read_json_lines(tmp_path / name))


def test_a_graph_file_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.toml"
    path.write_text("a = " + DEEP)
    assert main(["schema", "check", "--schema", str(path)]) == 2
    with pytest.raises(InputError, match="nested too deeply"):
        load_graph(path)


@pytest.mark.parametrize(
    ("field", "value"),
    [("hashes", {}), ("resolved", {"mode": "quote"}), ("asked", {"corpus": 5}), ("asked", {"schema_file": 7})],
)
def test_a_manifest_that_does_not_say_what_was_asked_is_damaged(
    tmp_path: Path, shipped_run: Path, field: str, value: object
) -> None:
    path = shipped_run / "manifest.json"
    data = json.loads(path.read_text()) | {field: value}
    path.write_text(json.dumps(data))
    with pytest.raises(RunError, match="is damaged"):
        RunFolder(shipped_run).manifest()


@pytest.fixture
def shipped_run(tmp_path: Path) -> Path:
    """A small finished run."""
    (tmp_path / "a.htm").write_text(
        "<html><body><p><b>Item 7. Management's Discussion and Analysis</b></p><p>Net sales rose 6% to $84 million.</p>"
        f"<p><b>Item 8. Financial Statements</b></p><p>{'Balance. ' * 60}</p></body></html>"
    )
    corpus = str(tmp_path / "corpus")
    assert main(["corpus", "add", str(tmp_path / "a.htm"), "--corpus", corpus]) == 0
    assert main(["corpus", "sections", "--corpus", corpus]) == 0
    assert main(["extract", "--corpus", corpus, "--model", "lexicon", "--out", str(tmp_path / "run")]) == 0
    return tmp_path / "run"


def test_an_endless_temperature_is_refused_before_anything_is_written(tmp_path: Path, shipped_run: Path) -> None:
    out = tmp_path / "hot"
    arguments = ["extract", "--corpus", str(tmp_path / "corpus"), "--model", "lexicon", "--out", str(out)]
    assert main([*arguments, "--temperature", "inf"]) == 2
    assert not out.exists()
