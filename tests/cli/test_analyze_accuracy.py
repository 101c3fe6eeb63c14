"""`fingreat analyze accuracy` from a user's side: what it prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

GOLD = (
    ("p1", "F1", "Revenue rose by 12% on higher volumes.", ("REV-NNCA",)),
    ("p2", "F1", "Dividends of $0.40 per share were paid in cash.", ("CASH-DIV",)),
    ("p3", "F2", "Our effective tax rate was 21% after a settlement.", ("NNCA-TAX",)),
    ("p4", "F2", "Nothing of note happened.", ()),
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Callable) -> Path:
    monkeypatch.chdir(tmp_path)
    write_gold(tmp_path / "gold.jsonl", GOLD)
    for out in ("one", "two"):
        assert run("classify", "--gold", "gold.jsonl", "--model", "lexicon", "--out", out).code == 0
    return tmp_path


def write_gold(path: Path, passages: tuple[tuple[str, str, str, tuple[str, ...]], ...]) -> None:
    lines = [
        {
            "passage_id": name,
            "filing_id": filing,
            "text": text,
            "accepted": accepted,
            "source": "primary" if accepted else "none",
        }
        for name, filing, text, accepted in passages
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_models_stand_beside_selectors_and_pairs_below(here: Path, run: Callable) -> None:
    outcome = run("analyze", "accuracy", "one", "two", "--replicates", "100")
    assert (outcome.code, outcome.err) == (0, "")
    words = " ".join(outcome.out.split())
    # The lexicon knows all three; a random edge is right once in 11.
    assert words.count("(3/3)") >= 2
    assert "random edge 9.1%" in words
    assert words.count("Over 3 passages of 2 filings.") == 1
    assert "1 passage without an accepted edge plays no part." in words
    assert "1 pair without a standard error" in words


def test_json_has_shares_with_their_numbers_and_null_for_what_there_is_not(here: Path, run: Callable) -> None:
    data = json.loads(run("analyze", "accuracy", "one", "two", "--replicates", "100", "--json").out)
    assert (data["passages"], data["filings"], data["replicates"], data["seed"]) == (3, 2, 100, 20261010)
    one, two = data["models"]
    assert (one["name"], one["family"], one["hosted"]) == ("one", None, False)
    assert one["overall"]["accuracy"] == {
        "k": 3, "n": 3, "value": 1.0, "interval": {"low": 1.0, "high": 1.0, "used": 100, "empty": 0},
    }  # fmt: skip
    assert one["overall"]["random"] == pytest.approx(1 / 11)
    assert next(edge for edge in two["edges"] if edge["name"] == "OCI-NNCA")["accuracy"]["value"] is None
    (pair,) = data["differences"]
    assert (pair["a"], pair["b"], pair["difference"], pair["p"], pair["p_mcnemar"]) == ("one", "two", 0.0, None, 1.0)
    assert data["open_and_hosted"] == []


def test_tables_and_figures_are_written_and_nothing_else_is_written_over(here: Path, run: Callable) -> None:
    outcome = run("analyze", "accuracy", "one", "two", "--replicates", "100", "--out", "tables")
    assert outcome.code == 0
    assert "4 tables and 1 figure" in outcome.err
    with (here / "tables" / "accuracy.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["model"], row["all passages k"], row["all passages n"]) for row in rows[:2]] == [
        ("one", "3", "3"),
        ("two", "3", "3"),
    ]
    assert "fingreat analyze accuracy one two" in (here / "tables" / "accuracy.tex").read_text(encoding="utf-8")
    (here / "tables" / "mine.txt").write_text("mine")
    refused = run("analyze", "accuracy", "one", "two", "--out", "tables")
    assert refused.code != 0
    assert "mine.txt" in refused.err


def test_runs_over_other_gold_files_are_refused_unless_common(here: Path, run: Callable) -> None:
    write_gold(here / "fewer.jsonl", GOLD[1:])
    assert run("classify", "--gold", "fewer.jsonl", "--model", "lexicon", "--out", "three").code == 0
    refused = run("analyze", "accuracy", "one", "three")
    assert refused.code != 0
    assert "another gold file" in " ".join(refused.err.split())
    outcome = run("analyze", "accuracy", "one", "three", "--common")
    assert outcome.code == 0
    assert "Left out: 1 passage that not all runs were asked about (first: p1)." in " ".join(outcome.out.split())


def test_a_gold_file_that_moved_can_be_named(here: Path, run: Callable) -> None:
    (here / "gold.jsonl").rename(here / "moved.jsonl")
    refused = run("analyze", "accuracy", "one")
    assert refused.code != 0
    assert "--gold" in refused.err
    assert run("analyze", "accuracy", "one", "--gold", "moved.jsonl").code == 0
