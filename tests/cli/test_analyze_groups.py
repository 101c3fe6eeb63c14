"""`fingreat analyze groups` from a user's side: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from analyzed_runs import SENTENCES, made_run, made_runs
from every_analyze import check_refused


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture
def here(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


def test_the_table_has_a_row_for_each_size_and_the_groups_are_written(
    here: Path, tmp_path: Path, run: Callable
) -> None:
    out = tmp_path / "groups.jsonl"
    outcome = run("analyze", "groups", "a", "b", "c", "--least", "2", "--out", out)
    assert outcome.code == 0
    assert outcome.err == f"4 groups: {out}\n"
    assert "Over 2 filings." in outcome.out
    rows = {line.split()[0]: line.split()[1:] for line in outcome.out.splitlines() if line.split()[-1:] and "%" in line}
    # Sentence 0 in both filings and 1 in the first have all three runs; 1 in the second has a and b.
    assert rows["2"] == ["1", "100%", "(1/1)", "–", "0%", "(0/1)"]
    assert rows["3"] == ["3", "33.3%", "(1/3)", "66.7%", "(2/3)", "0%", "(0/3)"]
    assert rows["All"][0] == "4"
    groups = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [(group["filing_id"], SENTENCES.index(group["quote"])) for group in groups] == [
        ("F1", 0), ("F1", 1), ("F2", 0), ("F2", 1),
    ]  # fmt: skip
    assert [member["run"] for member in groups[3]["members"]] == ["a", "b"]


def test_json_has_the_counts(here: Path, run: Callable) -> None:
    outcome = run("analyze", "groups", "a", "b", "c", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    data = json.loads(outcome.out)
    assert data["sizes"] == [{"size": 3, "groups": 3, "unanimous": 1, "majority": 2, "split": 0}]
    assert (data["runs"], data["least"], data["filings"]) == (["a", "b", "c"], 3, 2)
    assert (data["groups"], data["unanimous"], data["majority"], data["split"], data["torn"]) == (3, 1, 2, 0, 0)
    assert data["in_groups"] == {"a": 3, "b": 3, "c": 3}


def test_no_groups_are_a_table_of_nothing(here: Path, tmp_path: Path, run: Callable) -> None:
    outcome = run("analyze", "groups", "a", "empty", "--out", tmp_path / "groups.jsonl")
    assert outcome.code == 0
    assert "– (0/0)" in outcome.out
    assert "0/0 has no value" in outcome.out
    assert (tmp_path / "groups.jsonl").read_bytes() == b""


def test_filings_that_not_all_read_are_left_out_and_said(here: Path, tmp_path: Path, run: Callable) -> None:
    grown = made_run(tmp_path / "grown", {"F3": {1: "NNCA-COGS"}}, ("F1", "F2", "F3")).path
    assert "has not read 1 of the 3 filings" in run("analyze", "groups", "a", grown).err
    outcome = run("analyze", "groups", "a", grown, "--common")
    assert "left out: 1 filing that only some read, with 1 extraction." in outcome.out
    assert json.loads(run("analyze", "groups", "a", grown, "--common", "--json").out)["left_out"] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("a",), "a: a group takes at least two runs."),
        (("a", "b", "a"), "a: is named twice."),
        (("a", "none"), "none: is no run folder"),
        (("a", "b", "--least", "3"), "--least: must be 2 for 2 runs, not 3. Choose another number, or name more runs."),
        (("a", "b", "c", "--least", "1"), "--least: must be from 2 to 3 for 3 runs, not 1."),
        (("a", "b", "--least", "x"), "Invalid value for '--least'"),
        (("a", "b", "--out", "a"), "a: is no regular file. Choose another --out."),
        (("a", "b", "--out", "a/b/new.jsonl"), "which holds a run, a match or a corpus. Choose another --out."),
        (("a", "b", "--out", "a/manifest.json"), "a/manifest.json: lies in"),
    ],
)
def test_what_cannot_be_grouped_is_one_clear_message_and_nothing_is_written(
    arguments: tuple[str, ...], words: str, here: Path, tmp_path: Path, run: Callable
) -> None:
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file() and path.name != ".lock"}
    check_refused(run, "groups", arguments, words, tmp_path / "groups.jsonl")
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file() and path.name != ".lock"} == before
