"""`fingreat analyze behavior` from a user's side: what it prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from analyzed_runs import made_run, made_runs
from every_analyze import check_refused

from fingreat.schema import Filing

IDS = (
    "behavior", "behavior-by-edge", "coverage", "verdicts", "filing-years", "behavior-by-year", "edges-by-year",
    "coverage-by-year", "volume-by-year", "verdicts-by-year",
)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = made_runs(tmp_path_factory.mktemp("runs"))
    made_run(folder / "fewer", {"F1": {0: "REV-NNCA"}}, filings=("F1",))
    (folder / "corpus").mkdir()
    filings = [
        Filing(id="F1", filed=date(2007, 3, 1), fiscal_year=2006, path="raw/1", sha256="1"),
        Filing(id="F2", filed=date(2008, 2, 28), fiscal_year=2007, path="raw/2", sha256="2"),
    ]
    lines = (filing.model_dump_json() + "\n" for filing in filings)
    (folder / "corpus" / "filings.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


@pytest.fixture
def here(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


def test_shares_stand_beside_each_other_in_all_and_by_year(here: Path, run: Callable) -> None:
    outcome = run("analyze", "behavior", "a", "b", "--corpus", "corpus")
    assert (outcome.code, outcome.err) == (0, "")
    words = " ".join(outcome.out.split())
    # a: all of its five are of net income; b: four of five, and a dividend in the first filing.
    assert "Net Income a 100% (5/5)" in words
    assert "b 80.0% (4/5)" in words
    assert "CASH-DIV a 0% (0/5) [0–0%] b 20.0% (1/5)" in words
    assert "a 2007 1 0 3 3.0 – – 2008 1 0 2 2.0 – –" in words
    assert "2007 1 2006 (1) 2008 1 2007 (1)" in words
    assert words.count("Over 2 filings.") == 1


def test_json_has_every_share_with_its_numbers_and_interval(here: Path, run: Callable) -> None:
    arguments = ("a", "empty", "--corpus", "corpus", "--replicates", "200", "--year", "fiscal", "--json")
    data = json.loads(run("analyze", "behavior", *arguments).out)
    assert (data["filings"], data["replicates"], data["seed"], data["year"]) == (2, 200, 20261010, "fiscal")
    assert data["years"] == {"2006": {"2007": 1}, "2007": {"2008": 1}}
    a, empty = data["runs"]
    assert [year["year"] for year in a["years"]] == [2006, 2007]
    revenue = a["overall"]["edges"][0]
    # One of three in the first filing and one of two in the second.
    assert (revenue["name"], revenue["share"]["k"], revenue["share"]["n"]) == ("REV-NNCA", 2, 5)
    assert revenue["share"]["interval"] == {"low": 1 / 3, "high": 0.5, "used": 200, "empty": 0}
    assert revenue["coverage"]["value"] == 1.0
    assert a["overall"]["verdicts"]["exact"]["k"] == 5
    assert empty["overall"]["edges"][0]["share"] == {"k": 0, "n": 0, "value": None, "interval": None}
    assert (empty["overall"]["silent"], empty["overall"]["per_filing"]["value"]) == (2, 0.0)


def test_tables_and_figures_are_written(here: Path, tmp_path: Path, run: Callable) -> None:
    out = tmp_path / "tables"
    outcome = run("analyze", "behavior", "a", "b", "--corpus", "corpus", "--out", out)
    assert outcome.err.endswith(f"10 tables and 3 figures: {out}\n")
    names = {path.name for path in out.iterdir()}
    assert {f"{id_}.{form}" for id_ in IDS for form in ("csv", "tex", "md")} <= names
    assert {f"{stem}-lines.svg" for stem in ("category", "edge", "coverage")} <= names
    with (out / "behavior-by-year.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["run"], row["year"], row["category"], row["share k"]) for row in rows[:4]] == [
        ("a", "2007", "Net Income", "3"), ("a", "2007", "Cash Flow", "0"), ("a", "2007", "Equity", "0"),
        ("a", "2008", "Net Income", "2"),
    ]  # fmt: skip


def test_without_years_the_rest_is_shown_and_the_lack_is_said(here: Path, tmp_path: Path, run: Callable) -> None:
    out = tmp_path / "tables"
    outcome = run("analyze", "behavior", "a", "--out", out)
    assert outcome.code == 0
    words = " ".join(outcome.out.split())
    assert words.count("2 filings of 2 have no known year of filing, and count in no year.") == 1
    assert words.count("Run a does not say which corpus it read.") == 1
    assert {path.stem for path in out.iterdir()} == {*IDS[:4], "category-dots", "edge-dots", "coverage-dots"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("none",), "none: is no run folder"),
        (("a", "a"), "a: is named twice."),
        (("a", "fewer"), "fewer: has not read 1 of the 2 filings"),
        (("a", "--corpus", "b"), "b: is no corpus folder (no filings.jsonl)."),
        (("a", "--year", "lunar"), "Invalid value for '--year'"),
        (("a", "--grouping", "colour"), "has no grouping 'colour'. Groupings: default, "),
        (("a", "--replicates", "0"), "Invalid value for '--replicates'"),
        (("a", "--out", "b"), "b: holds 'done', which is no table of the behaviour of runs."),
    ],
)
def test_what_cannot_be_measured_is_one_clear_message_and_nothing_is_written(
    arguments: tuple[str, ...], words: str, here: Path, tmp_path: Path, run: Callable
) -> None:
    check_refused(run, "behavior", arguments, words, tmp_path / "tables")
