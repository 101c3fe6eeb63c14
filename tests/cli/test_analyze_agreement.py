"""`fingreat analyze agreement` from a user's side: what it prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from analyzed_runs import SENTENCES, made_run, made_runs
from every_analyze import check_refused

import fingreat

TITLES = [
    "Runs against each other",
    "What each run extracts per filing",
    "Runs against each other, by category",
    "Runs against each other, by place in the text",
    "Whether matched quotes say the same",
    "Near misses by what they differ in",
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture
def here(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


def titles(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith(" ")]


def test_every_measure_has_a_table_and_the_notes_say_what_it_was_measured_on(here: Path, run: Callable) -> None:
    outcome = run("analyze", "agreement", "a", "b", "--reference", "c")
    assert (outcome.code, outcome.err) == (0, "")
    assert titles(outcome.out) == [title.replace("each other", "references") for title in TITLES]
    words = " ".join(outcome.out.split())
    # Said once, under the first of the tables that have the note.
    for note in ("Over 2 filings.", "The reference is another run, not the truth.", "2,000 times (seed 20261010)"):
        assert words.count(note) == 1, note
    first = outcome.out.split(TITLES[1])[0]
    rows = [line.split() for line in first.splitlines() if line.split()[:1] in (["a"], ["b"])]
    # a quotes five sentences, three of them are all that c quotes; b has two of the three under the same edge.
    assert rows[0][:6] == ["a", "c", "5", "3", "3", "100%"]
    assert "(3/5)" in rows[0]
    assert "(1/3)" in rows[0]
    assert rows[1][:6] == ["b", "c", "5", "3", "3", "100%"]
    assert "(2/3)" in rows[1]


def test_edges_have_a_table_where_it_is_asked_for(here: Path, run: Callable) -> None:
    outcome = run("analyze", "agreement", "a", "b", "--by-edge")
    assert titles(outcome.out) == [*TITLES[:3], "Runs against each other, by edge", *TITLES[3:]]


def test_json_has_every_share_with_its_numbers_and_interval(here: Path, run: Callable) -> None:
    outcome = run("analyze", "agreement", "a", "--reference", "b", "--replicates", "400", "--seed", "5", "--json")
    data = json.loads(outcome.out)
    assert (data["filings"], data["left_out"], data["left_out_extractions"]) == (2, 0, 0)
    assert (data["grouping"], data["replicates"], data["seed"]) == ("default", 400, 5)
    (pair,) = data["pairs"]
    assert (pair["run"], pair["reference"]) == ("a", "b")
    # Four quotes match, three with the same edge; in the first filing two of b's three, in the second both.
    ends = {"low": 2 / 3, "high": 1.0, "used": 400, "empty": 0}
    for by in ("words", "spans"):
        found = pair[by]
        assert (found["n"], found["n_reference"], found["matched"], found["same_edge"]) == (5, 5, 4, 3)
        assert found["recall"] == {"k": 4, "n": 5, "value": 0.8, "interval": ends}
        assert (found["jaccard"]["k"], found["jaccard"]["n"]) == (4, 6)
        assert found["conditional_precision"]["value"] == 0.75
        assert [one["value"] for one in found["conditional_precision_range"]] == [0.75, 0.75]
        assert {row["name"]: row["recall"]["n"] for row in found["edges"] if row["recall"]["n"]} == {
            "REV-NNCA": 2, "NNCA-COGS": 1, "NNCA-OPEX": 1, "CASH-DIV": 1,
        }  # fmt: skip
        assert sum(row["recall"]["k"] for row in found["categories"]) == 4
    shared = 2 * (len(SENTENCES[0]) + len(SENTENCES[1]))
    assert pair["characters"]["recall"]["k"] == shared
    assert pair["characters"]["recall"]["n"] == shared + len(SENTENCES[3])
    assert pair["fidelity"]["figures"] == {"none": 2, "same": 2, "more": 0, "differ": 0}
    assert list(data["volumes"]) == ["a", "b"]
    assert (data["volumes"]["a"]["extractions"], data["volumes"]["a"]["mean"]) == (5, 2.5)


def test_nothing_of_nothing_is_null_in_json_and_a_dash_with_a_note_in_tables(here: Path, run: Callable) -> None:
    pairs = json.loads(run("analyze", "agreement", "empty", "--reference", "a", "--json").out)["pairs"]
    assert pairs[0]["words"]["conditional_precision"] == {"k": 0, "n": 0, "value": None, "interval": None}
    assert pairs[0]["words"]["recall"]["value"] == 0.0
    outcome = run("analyze", "agreement", "empty", "--reference", "a")
    assert "– (0/0)" in outcome.out
    assert "0/0 has no value: it is neither 0 nor 1." in outcome.out


def test_one_filing_has_no_intervals_and_says_so(tmp_path: Path, run: Callable) -> None:
    for name in ("x", "y"):
        made_run(tmp_path / name, {"F1": {0: "REV-NNCA"}}, ("F1",))
    runs = tmp_path / "x", tmp_path / "y"
    data = json.loads(run("analyze", "agreement", *runs, "--json").out)
    assert [pair["words"]["recall"]["interval"] for pair in data["pairs"]] == [None, None]
    outcome = run("analyze", "agreement", *runs)
    assert "Of one filing alone there are no intervals" in outcome.out
    assert "seed" not in outcome.out


def test_each_table_is_written_in_three_forms_with_what_made_it(here: Path, tmp_path: Path, run: Callable) -> None:
    out = tmp_path / "tables"
    arguments = ("a", "--reference", "b", "--reference", "c", "--grouping", "capital", "--replicates", "50")
    outcome = run("analyze", "agreement", *arguments, "--out", out)
    assert outcome.code == 0
    assert outcome.err == f"6 tables: {out}\n"
    names = [
        "agreement", "agreement-by-category", "agreement-by-place", "fidelity", "near-misses", "volume",
    ]  # fmt: skip
    assert sorted(path.name for path in out.iterdir()) == sorted(
        f"{n}.{end}" for n in names for end in ("csv", "tex", "md")
    )
    with (out / "agreement.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["run"], row["reference"], row["recall k"], row["recall n"]) for row in rows] == [
        ("a", "b", "4", "5"), ("a", "c", "3", "3"),
    ]  # fmt: skip
    assert float(rows[0]["recall low"]) == 2 / 3
    first, *others = (out / "agreement.tex").read_text(encoding="utf-8").splitlines()[:4]
    assert (
        first
        == f"% Made by fingreat {fingreat.__version__}: fingreat analyze agreement a --reference b --reference c "
        + ("--grouping capital --replicates 50 --seed 20261010")
    )
    assert [line.split(", begun at ")[0] for line in others] == [f"% Run {n}: {n}" for n in "abc"]
    # The command in the file makes the same file.
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    again = shlex.split(first.split(": ", 1)[1])[1:]
    assert run(*again, "--out", out).code == 0
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    # Tables that this call does not make are gone, those that it adds are there.
    assert run("analyze", "agreement", "a", "b", "--by-edge", "--out", out).code == 0
    assert (out / "agreement-by-edge.csv").is_file()
    assert run("analyze", "agreement", "a", "b", "--out", out).code == 0
    assert not (out / "agreement-by-edge.csv").exists()


def test_filings_that_not_all_read_are_left_out_and_said(here: Path, tmp_path: Path, run: Callable) -> None:
    grown = made_run(tmp_path / "grown", {"F1": {0: "REV-NNCA"}, "F3": {1: "NNCA-COGS"}}, ("F1", "F2", "F3")).path
    refused = run("analyze", "agreement", "a", grown)
    assert refused.code == 2
    assert "has not read 1 of the 3 filings" in refused.err
    outcome = run("analyze", "agreement", "a", grown, "--common")
    assert outcome.code == 0
    assert (
        "Over 2 filings that all runs read; left out: 1 filing that only some read, with 1 extraction." in outcome.out
    )
    data = json.loads(run("analyze", "agreement", "a", grown, "--common", "--json").out)
    assert (data["filings"], data["left_out"], data["left_out_extractions"]) == (2, 1, 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing argument 'RUN'"),
        (("a",), "a: has no other run to be measured against."),
        (("a", "--reference", "a"), "a: is its own only reference."),
        (("a", "b", "./a"), "a: is named twice."),
        (("a", "--reference", "b", "--reference", "b"), "b: is named twice."),
        (("a", "none"), "none: is no run folder"),
        (("a", "b", "--grouping", "colour"), "has no grouping 'colour'. Groupings: default, "),
        (("a", "b", "--replicates", "0"), "Invalid value for '--replicates'"),
        (("a", "b", "--replicates", "99999999999"), "Invalid value for '--replicates'"),
        (("a", "b", "--replicates", "many"), "Invalid value for '--replicates'"),
        (("a", "b", "--seed", "-1"), "Invalid value for '--seed'"),
        (("a", "b", "--out", "a/done/new"), "which holds a run, a match or a corpus. Choose another --out."),
        (("a", "b", "--out", "a"), "a: holds 'done', which is no table of an agreement of runs."),
        (("a", "b", "--out", "a/manifest.json"), "a/manifest.json: is a file; the tables need a folder."),
    ],
)
def test_what_cannot_be_measured_is_one_clear_message_and_nothing_is_written(
    arguments: tuple[str, ...], words: str, here: Path, tmp_path: Path, run: Callable
) -> None:
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file() and path.name != ".lock"}
    check_refused(run, "agreement", arguments, words, tmp_path / "tables")
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file() and path.name != ".lock"} == before


def test_names_from_files_are_shown_as_they_are(tmp_path: Path, run: Callable) -> None:
    runs = [made_run(tmp_path / name, {"F1": {0: "REV-NNCA"}}).path for name in ("[red]a", "=1+1")]
    outcome = run("analyze", "agreement", *runs, "--out", tmp_path / "tables")
    assert outcome.code == 0
    assert "[red]a" in outcome.out
    assert "{[}red{]}a" in (tmp_path / "tables" / "agreement.tex").read_text(encoding="utf-8")
