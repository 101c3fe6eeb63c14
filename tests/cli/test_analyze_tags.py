"""`fingreat analyze tags` from a user's side: what it prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from every_analyze import check_refused
from pipeline.extraction_builders import an_extraction, finished_run

SAID = {
    "a": [("REV-NNCA", ("Net Sales",)), ("NNCA-COGS", ("[red]price", "Net Sales"))],
    "b": [("REV-NNCA", ("net_sales",)), ("NNCA-TAX", ())],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for name, said in SAID.items():
        extractions = [an_extraction("F1", f"x{i}", edge=edge, tags=tags) for i, (edge, tags) in enumerate(said)]
        finished_run(folder / name, ("F1", "F2"), extractions)
    return folder


@pytest.fixture
def here(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


def test_runs_stand_beside_each_other_and_tags_are_shown_as_text(here: Path, run: Callable) -> None:
    outcome = run("analyze", "tags", "a", "b")
    assert (outcome.code, outcome.err) == (0, "")
    words = " ".join(outcome.out.split())
    assert "Over 2 filings." in words
    # {net sales}, and {net sales} beside a string with a bracket, which is no term.
    assert "100% (1/1)" in words
    assert "[red]price" in words


def test_json_has_the_measures_of_each_run(here: Path, run: Callable) -> None:
    data = json.loads(run("analyze", "tags", "a", "b", "--json").out)
    assert data["filings"] == 2
    a = data["runs"]["a"]
    assert (a["tagged"], a["uses"], a["vocabulary"], a["terms"], a["malformed"]) == (2, 3, 2, 1, ["[red]price"])
    # Net Sales: 1 of REV and 1/2 of COGS; [red]price: 1/2 of COGS.
    assert a["purity"] == 0.75
    assert a["top"][0]["tag"] == "Net Sales"
    assert data["runs"]["b"]["untagged"] == 1


def test_tables_and_the_map_are_written(here: Path, tmp_path: Path, run: Callable) -> None:
    out = tmp_path / "tables"
    outcome = run("analyze", "tags", "a", "b", "--out", out)
    assert outcome.code == 0
    assert outcome.err.endswith(f"6 tables and 1 figure: {out}\n")
    assert {path.stem for path in out.glob("*.csv")} == {
        "tags", "tag-recurrence", "vocabulary", "vocabulary-overlap", "top-tags", "tags-left-out",
    }  # fmt: skip
    assert (out / "vocabulary-overlap.svg").is_file()
    with (out / "vocabulary-overlap.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert (row["run"], row["other run"], row["Jaccard k"], row["Jaccard n"]) == ("a", "b", "1", "1")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing argument 'RUN'"),
        (("a", "a"), "a: is named twice."),
        (("none",), "none: is no run folder"),
        (("a", "--out", "b"), "b: holds 'done', which is no table of the tags of runs."),
    ],
)
def test_what_cannot_be_measured_is_one_clear_message(
    arguments: tuple[str, ...], words: str, here: Path, tmp_path: Path, run: Callable
) -> None:
    check_refused(run, "tags", arguments, words, tmp_path / "tables")
