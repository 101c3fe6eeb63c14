"""`fingreat analyze ensemble` from a user's side: what it prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from analyzed_runs import made_run, made_runs
from every_analyze import check_refused

VOTED = {
    "F1": {0: "REV-NNCA", 1: "NNCA-OPEX", 2: "NNCA-TAX"},
    "F2": {0: "REV-NNCA", 1: "NNCA-COGS", 3: "CASH-DIV"},
}
"""What the reference gives the sentences."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = made_runs(tmp_path_factory.mktemp("runs"))
    made_run(folder / "r", VOTED)
    return folder


@pytest.fixture
def here(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


def test_vote_and_members_stand_beside_each_other(here: Path, run: Callable) -> None:
    outcome = run("analyze", "ensemble", "a", "b", "c", "--reference", "r")
    assert (outcome.code, outcome.err) == (0, "")
    rows = {}
    for line in outcome.out.split("by category")[0].splitlines():
        words = line.split()
        if "(" in line and "%" in line and len(words) > 3:
            rows[words[1] if words[0] == "r" else words[0]] = words
    # All quote 0 in both filings (two and three give it REV-NNCA) and 1 in the first (b and c: NNCA-OPEX).
    assert "(3/3)" in rows["ensemble"]
    assert "(2/3)" in rows["a"]
    assert "(3/3)" in rows["b"]
    assert "(2/3)" in rows["c"]
    words = " ".join(outcome.out.split())
    assert "Against r: all 3 members quote 3 passages; 3 have an edge of at least 2 members" in words
    assert words.count("Over 2 filings.") == 1
    assert words.count("The reference is another run, not the truth.") == 1


def test_json_has_every_share_with_its_numbers_and_interval(here: Path, run: Callable) -> None:
    arguments = ("a", "b", "c", "--reference", "r", "--reference", "empty", "--replicates", "200", "--json")
    data = json.loads(run("analyze", "ensemble", *arguments).out)
    assert (data["members"], data["filings"], data["replicates"], data["seed"]) == (["a", "b", "c"], 2, 200, 20261010)
    against_r, against_nothing = data["scores"]
    assert (against_r["reference"], against_r["groups"], against_r["decidable"], against_r["abstained"]) == (
        "r",
        3,
        3,
        0,
    )
    ensemble, a, *_ = against_r["rows"]
    assert ensemble["precision"] == {
        "k": 3, "n": 3, "value": 1.0, "interval": {"low": 1.0, "high": 1.0, "used": 200, "empty": 0},
    }  # fmt: skip
    # a is right on 1 of 2 in the first filing and on 1 of 1 in the second.
    assert (a["precision"]["interval"]["low"], a["precision"]["interval"]["high"]) == (0.5, 1.0)
    assert (a["difference"]["low"], a["difference"]["high"]) == (0.0, 0.5)
    assert ensemble["difference"] is None
    assert against_nothing["rows"][0]["precision"] == {"k": 0, "n": 0, "value": None, "interval": None}


def test_each_table_is_written_in_three_forms(here: Path, tmp_path: Path, run: Callable) -> None:
    out = tmp_path / "tables"
    outcome = run("analyze", "ensemble", "a", "b", "c", "--reference", "r", "--out", out)
    assert outcome.err == f"2 tables: {out}\n"
    assert sorted(path.name for path in out.iterdir()) == [
        "ensemble-by-category.csv", "ensemble-by-category.md", "ensemble-by-category.tex",
        "ensemble.csv", "ensemble.md", "ensemble.tex",
    ]  # fmt: skip
    with (out / "ensemble.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["run"], row["precision k"]) for row in rows] == [("ensemble", "3"), ("a", "2"), ("b", "3"), ("c", "2")]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("a", "b"), "Missing option '--reference'"),
        (("a", "--reference", "r"), "a: an ensemble takes at least two members."),
        (("a", "b", "--reference", "a"), "a: is a member of the ensemble, and would judge its own vote."),
        (("a", "b", "a", "--reference", "r"), "a: is named twice."),
        (("a", "b", "--reference", "none"), "none: is no run folder"),
        (("a", "b", "--reference", "r", "--grouping", "colour"), "has no grouping 'colour'. Groupings: default, "),
        (("a", "b", "--reference", "r", "--replicates", "0"), "Invalid value for '--replicates'"),
        (("a", "b", "--reference", "r", "--replicates", "100001"), "Invalid value for '--replicates'"),
        (("a", "b", "--reference", "r", "--out", "r"), "r: holds 'done', which is no table of an ensemble."),
    ],
)
def test_what_cannot_vote_is_one_clear_message_and_nothing_is_written(
    arguments: tuple[str, ...], words: str, here: Path, tmp_path: Path, run: Callable
) -> None:
    check_refused(run, "ensemble", arguments, words, tmp_path / "tables")
