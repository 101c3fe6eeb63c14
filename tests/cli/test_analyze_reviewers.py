"""`fingreat analyze reviewers` from a user's side: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from every_analyze import check_refused

REVIEWS = [
    ("p1", "[red]ann", ["REV-NNCA"]),
    ("p1", "bob", ["REV-NNCA", "NNCA-TAX"]),
    ("p2", "[red]ann", []),
    ("p2", "bob", []),
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lines = (
        json.dumps({"passage_id": passage, "reviewer": reviewer, "edges": edges})
        for passage, reviewer, edges in REVIEWS
    )
    (tmp_path / "reviews.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "torn.jsonl").write_text('{"passage_id": "p1"', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_agreement_and_accepted_edges_are_shown_and_names_are_text(here: Path, run: Callable) -> None:
    outcome = run("analyze", "reviewers", "reviews.jsonl")
    assert (outcome.code, outcome.err) == (0, "")
    # D_o = 0.665 / 2, D_e = 4.665 / 6: alpha is 0.572.
    assert "0.332500" in outcome.out
    assert "0.777500" in outcome.out
    assert "0.572" in outcome.out
    assert "[red]ann" in outcome.out


def test_json_has_every_figure(here: Path, run: Callable) -> None:
    data = json.loads(run("analyze", "reviewers", "reviews.jsonl", "--json").out)
    assert data["reviewers"] == ["[red]ann", "bob"]
    assert data["agreement"]["alpha"] == pytest.approx(1 - (0.665 / 2) / (4.665 / 6))
    assert (data["agreement"]["pairs"], data["agreement"]["pooled_pairs"], data["pairs"]) == (2, 6, [])
    assert data["agreement"]["exact"] == {"k": 1, "n": 2, "value": 0.5, "interval": None}
    assert data["accepted"] == {"primary": {"1": 1}, "fallback": {}, "none": {"0": 1}}
    assert (data["eligible"], data["labels"], data["edges"]["REV-NNCA"]) == (1, 1, 1)


def test_json_says_of_which_two_reviewers_each_pair_is(here: Path, run: Callable) -> None:
    third = [{"passage_id": passage, "reviewer": "cy", "edges": ["REV-NNCA"]} for passage in ("p1", "p2")]
    with (here / "reviews.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(f"\n{json.dumps(one)}" for one in third)
    pairs = json.loads(run("analyze", "reviewers", "reviews.jsonl", "--json").out)["pairs"]
    assert [(one["a"], one["b"]) for one in pairs] == [("[red]ann", "bob"), ("[red]ann", "cy"), ("bob", "cy")]
    # Equal decisions: p2 of ann and bob, p1 of ann and cy, none of bob and cy.
    assert [one["exact"]["k"] for one in pairs] == [1, 1, 0]


def test_tables_are_written_with_the_hash_of_the_reviews(here: Path, run: Callable) -> None:
    out = here / "tables"
    outcome = run("analyze", "reviewers", "reviews.jsonl", "--out", out)
    assert (outcome.code, outcome.err) == (0, f"4 tables: {out}\n")
    assert {path.stem for path in out.glob("*.tex")} == {
        "reviewers", "review-decisions", "accepted-edges", "accepted-by-edge",
    }  # fmt: skip
    second = (out / "reviewers.tex").read_text(encoding="utf-8").splitlines()[1]
    assert second.startswith("% Reviews reviews.jsonl: SHA-256 ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing argument 'REVIEWS'"),
        (("none.jsonl",), "none.jsonl: cannot be read"),
        ((".",), "file '.' is a directory."),
        (("torn.jsonl",), "torn.jsonl, line 1: is no JSON."),
        (("reviews.jsonl", "--out", "reviews.jsonl"), "reviews.jsonl: is a file; the tables need a folder."),
    ],
)
def test_what_cannot_be_measured_is_one_clear_message_and_nothing_is_written(
    arguments: tuple[str, ...], words: str, here: Path, run: Callable
) -> None:
    check_refused(run, "reviewers", arguments, words, here / "tables")
