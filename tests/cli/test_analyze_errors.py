"""`fingreat analyze errors` from a user's side: what it prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from every_analyze import check_refused
from pipeline.answered_runs import answered, gold_file

from fingreat.pipeline.errors import TABLES

RIGHT = {"pumps": "REV-NNCA", "copper": "NNCA-COGS", "tax": "NNCA-TAX", "dividend": "CASH-DIV", "shares": "CASH-REP"}
ANSWERS = {
    "a": RIGHT | {"tax": "NNCA-OPEX", "shares": None},
    "b": RIGHT | {"tax": "NNCA-OPEX", "dividend": "ISS-CASH", "shares": "CASH-DIV"},
    "c": RIGHT | {"copper": "REV-NNCA", "shares": "CASH-DIV"},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    gold = gold_file(folder)
    for name, said in ANSWERS.items():
        answered(folder / name, gold, said)
    return folder


@pytest.fixture
def here(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


def test_pairs_passages_and_edges_are_shown_and_a_note_of_several_tables_once(here: Path, run: Callable) -> None:
    outcome = run("analyze", "errors", "a", "b", "c")
    assert (outcome.code, outcome.err) == (0, "")
    lines = [line.split() for line in outcome.out.splitlines()]
    # a and b miss 2 and 3 passages, 2 of them together.
    [row] = [line for line in lines if line[:2] == ["a", "b"]]
    assert row[2:6] == ["2", "3", "66.7%", "(2/3)"]
    words = " ".join(outcome.out.split())
    assert "1 of 5 passages is wrong for all 3 models, 1 right." in words
    assert words.count("Over 5 passages of 2 filings.") == 1
    assert words.count("A failed reply is an error.") == 1


def test_json_has_every_figure_with_its_numbers(here: Path, run: Callable) -> None:
    data = json.loads(run("analyze", "errors", "a", "b", "c", "--replicates", "200", "--json").out)
    assert (data["models"], data["passages"], data["filings"]) == (["a", "b", "c"], 5, 2)
    assert (data["within"], data["replicates"], data["seed"]) == (1.0, 200, 20261010)
    first = data["overlaps"][0]
    assert (first["a"], first["b"], first["jaccard"]["k"], first["jaccard"]["n"]) == ("a", "b", 2, 3)
    # In F1 both miss tax alone, in F2 one of the two passages together.
    assert (first["jaccard"]["interval"]["low"], first["jaccard"]["interval"]["high"]) == (0.5, 1.0)
    assert first["right_a"] == {"k": 3, "n": 5, "value": 0.6, "interval": None}
    assert data["matched"] == [["a", "c"]]
    assert data["right_counts"] == [1, 1, 2, 1]
    assert data["hardest"] == [
        {
            "passage_id": "shares",
            "filing_id": "F2",
            "accepted": ["CASH-REP"],
            "right": {"k": 0, "n": 3, "value": 0.0, "interval": None},
            "answers": [{"edge": "CASH-DIV", "models": 2}, {"edge": None, "models": 1}],
        }
    ]
    assert {"accepted": "CASH-REP", "answered": None, "answers": 1.0} in data["confusions"]["a"]
    assert sum(one["answers"] for one in data["confusion"]) == 15


def test_tables_and_figures_are_written(here: Path, tmp_path: Path, run: Callable) -> None:
    out = tmp_path / "tables"
    outcome = run("analyze", "errors", "a", "b", "c", "--within", "20", "--out", out)
    assert outcome.err.endswith(f"5 tables and 2 figures: {out}\n")
    assert {path.name for path in out.iterdir()} <= set(TABLES.names)
    assert {f"{one}.svg" for one in TABLES.figures} <= {path.name for path in out.iterdir()}
    with (out / "matched-accuracy.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    # Every two are within 20 points: 2 of 3, 1 of 3 and 1 of 4 errors are shared.
    shown = [(row["model a"], row["model b"], row["error overlap k"], row["error overlap n"]) for row in rows]
    assert shown == [("a", "b", "2", "3"), ("a", "c", "1", "3"), ("b", "c", "1", "4")]


def test_a_passage_with_markup_is_text(here: Path, tmp_path: Path, run: Callable) -> None:
    lines = [json.loads(line) for line in (here / "gold.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["text"] = "[bold]x[/bold] \x1b[31m \\textbf{x} <b>x</b> =1+1"
    gold = tmp_path / "gold.jsonl"
    gold.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    answered(tmp_path / "m", gold, ANSWERS["a"])
    outcome = run("analyze", "errors", tmp_path / "m", "--out", tmp_path / "tables")
    assert outcome.code == 0
    assert "[bold]x[/bold]" in outcome.out
    assert "\x1b" not in outcome.out
    assert r"\textbf{x}" not in (tmp_path / "tables" / "missed-by-all.tex").read_text(encoding="utf-8")
    assert "<b>" not in (tmp_path / "tables" / "missed-by-all.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing argument"),
        (("a", "a"), "a: is named twice."),
        (("a", "none"), "none: is no run folder"),
        (("a", "b", "--within", "101"), "Invalid value for '--within'"),
        (("a", "b", "--within", "-1"), "Invalid value for '--within'"),
        (("a", "b", "--replicates", "0"), "Invalid value for '--replicates'"),
        (("a", "b", "--gold", "nowhere.jsonl"), "nowhere.jsonl: is no file."),
        (("a", "b", "--out", "a"), "a: holds 'classifications', which is no table of errors."),
    ],
)
def test_what_cannot_be_measured_is_one_clear_message_and_nothing_is_written(
    arguments: tuple[str, ...], words: str, here: Path, tmp_path: Path, run: Callable
) -> None:
    check_refused(run, "errors", arguments, words, tmp_path / "tables")
