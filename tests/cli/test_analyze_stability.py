"""`fingreat analyze stability` from a user's side: what it prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from every_analyze import check_refused
from pipeline.answered_runs import answered, extracted, gold_file

from fingreat.pipeline.stability import TABLES

QUOTED = {"pumps": "REV-NNCA", "copper": "NNCA-OPEX", "tax": "NNCA-TAX", "dividend": "NNCA-CASH"}
# pumps: right in both; copper: right only when classified; tax: only when extracted; dividend: right by another edge.
ANSWERED = {"pumps": "REV-NNCA", "copper": "NNCA-COGS", "tax": None, "dividend": "CASH-DIV", "shares": "CASH-REP"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    gold = gold_file(folder)
    extracted(folder / "e", QUOTED, model="qwen")
    answered(folder / "c", gold, ANSWERED, model="qwen")
    extracted(folder / "lonely", QUOTED, model="phi")
    return folder


@pytest.fixture
def here(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


def test_both_accuracies_and_the_share_of_same_edges_are_shown(here: Path, run: Callable) -> None:
    outcome = run("analyze", "stability", "c", "e")
    assert (outcome.code, outcome.err) == (0, "")
    rows = [line.split() for line in outcome.out.splitlines() if line.split()[:1] == ["qwen"]]
    shares = [[word for word in row if word.startswith("(")] for row in rows]
    # Quoted, right when extracted, right when classified, same edge; both, only extracted, only classified, neither.
    assert shares == [["(4/5)", "(3/4)", "(3/4)", "(1/4)"], ["(2/4)", "(1/4)", "(1/4)", "(0/4)"]]
    words = " ".join(outcome.out.split())
    assert "left out 1 passage not quoted (shares)" in words
    assert words.count("Over 5 passages of 2 filings.") == 1


def test_json_has_every_share_with_its_numbers(here: Path, run: Callable) -> None:
    data = json.loads(run("analyze", "stability", "e", "c", "--replicates", "100", "--json").out)
    assert (data["replicates"], data["seed"]) == (100, 20261010)
    [pair] = data["pairs"]
    assert (pair["model"], pair["extraction"], pair["classification"]) == ("qwen", "e", "c")
    assert (pair["quoted"]["k"], pair["quoted"]["n"], pair["not_quoted"]) == (4, 5, ["shares"])
    # F1: 2 of 3 by either task; F2: 1 of 1 by either.
    assert (pair["extracted"]["interval"]["low"], pair["extracted"]["interval"]["high"]) == (
        pytest.approx(2 / 3),
        1.0,
    )
    assert (pair["difference"]["low"], pair["difference"]["high"]) == (0.0, 0.0)
    assert (pair["overall"]["k"], pair["overall"]["n"]) == (4, 5)
    assert "Over 5 passages of 2 filings." in data["notes"]


def test_tables_and_a_figure_are_written(here: Path, tmp_path: Path, run: Callable) -> None:
    out = tmp_path / "tables"
    outcome = run("analyze", "stability", "e", "c", "--out", out)
    assert outcome.err.endswith(f"2 tables and 1 figure: {out}\n")
    assert {path.name for path in out.iterdir()} <= set(TABLES.names)
    assert (out / "stability.svg").is_file()
    with (out / "stability-transitions.csv").open(newline="", encoding="utf-8") as file:
        [row] = csv.DictReader(file)
    transitions = ("in both", "only when extracted", "only when classified", "in neither")
    assert [row[f"{name} k"] for name in transitions] == ["2", "1", "1", "0"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing argument"),
        (("e",), "e: has no partner: none of the runs is one of `fingreat classify` by qwen."),
        (("e", "c", "lonely"), "lonely: has no partner: none of the runs is one of `fingreat classify` by phi."),
        (("e", "c", "e"), "e: is named twice."),
        (("e", "none"), "none: is no run folder"),
        (("e", "c", "--seed", "-1"), "Invalid value for '--seed'"),
        (("e", "c", "--out", "e"), "e: holds 'done', which is no table of stability."),
    ],
)
def test_what_cannot_be_measured_is_one_clear_message_and_nothing_is_written(
    arguments: tuple[str, ...], words: str, here: Path, tmp_path: Path, run: Callable
) -> None:
    check_refused(run, "stability", arguments, words, tmp_path / "tables")
