"""`fingreat classify` from a user's side: what it prints, what it leaves, and what the other commands make of it."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import fingreat
from fingreat.analysis import measure_accuracy
from fingreat.inference import CueScorer
from fingreat.pipeline import read_gold
from fingreat.runs import RunFolder, read_records
from fingreat.schema import Classification, load_graph

SHIPPED = Path(fingreat.__file__).parent / "shipped"
GOLD = SHIPPED / "larkmoor-2001.gold.jsonl"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus of one filing, its gold file, and out/lexicon over it."""
    from fingreat.cli import main

    folder = tmp_path_factory.mktemp("made")
    shutil.copy(GOLD, folder / "gold.jsonl")
    for arguments in (
        ("corpus", "add", SHIPPED / "larkmoor-2001.txt", "--corpus", folder / "corpus"),
        ("corpus", "sections", "--corpus", folder / "corpus"),
        ("classify", "--gold", folder / "gold.jsonl", "--corpus", folder / "corpus", "--model", "lexicon",
         "--out", folder / "out" / "lexicon"),
    ):  # fmt: skip
        assert main([str(argument) for argument in arguments]) == 0
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy to work in."""
    shutil.copytree(made, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def test_the_tables_say_how_often_the_model_was_right(here: Path, run: Callable) -> None:
    outcome = run("classify", "--gold", "gold.jsonl", "--corpus", "corpus", "--model", "lexicon")
    assert outcome.code == 0
    gold, graph = read_gold(GOLD), load_graph()
    # What the lexicon says of each passage, asked directly.
    scorer = CueScorer(graph)
    eligible = [passage for passage in gold if passage.accepted]
    right = sum(scorer.classify(passage.text) in passage.accepted for passage in eligible)
    [row] = [line.split() for line in outcome.out.splitlines() if line.split()[:1] == ["All"]]
    assert row[1] == str(len(eligible))
    assert row[3] == f"({right}/{len(eligible)})"
    assert "by filing year" in outcome.out
    assert f"{len(eligible):,} asked, {len(eligible):,} ok" in outcome.err
    assert "run: out/lexicon-classify" in outcome.err


def test_json_is_one_object_whose_counts_add_up(here: Path, run: Callable) -> None:
    outcome = run("classify", "--gold", "gold.jsonl", "--model", "lexicon", "--out", "out/alone", "--json")
    data = json.loads(outcome.out)
    assert data["status"] == "complete"
    assert data["passages"] == data["left_out"] + data["requests"]
    assert data["requests"] == data["outputs"] + data["failures"] == data["contexts"]["none"]
    assert data["accuracy"]["overall"]["correct"] == data["correct"]
    assert data["accuracy"]["years"] == {}
    assert set(data["accuracy"]["edges"]) == set(load_graph().edges)


def test_what_is_on_disk_gives_the_same_accuracy(here: Path, run: Callable) -> None:
    records = list(read_records(RunFolder(here / "out" / "lexicon").classifications, Classification))
    measured = measure_accuracy(records, read_gold(GOLD), load_graph())
    assert RunFolder(here / "out" / "lexicon").manifest().counts["correct"] == measured.overall.accuracy.hits
    assert {record.context_kind for record in records} <= {"section", "paragraph", "window"}


def test_a_run_is_listed_shown_verified_and_exported(here: Path, run: Callable) -> None:
    [row] = [line.split() for line in run("runs", "list", "out").out.splitlines() if line.split()[:1] == ["lexicon"]]
    assert row[1:4] == ["complete", "lexicon", "classify"]
    shown = run("runs", "show", "out/lexicon").out
    assert "1 section\n" in shown.replace(" " * 2, "").replace(" \n", "\n")
    assert "gold_sha256" in shown
    assert run("runs", "verify", "out/lexicon").code == 0
    rows = list(csv.DictReader(io.StringIO(run("export", "out/lexicon", "--out", "-").out)))
    assert len(rows) == RunFolder(here / "out" / "lexicon").manifest().counts["requests"]
    assert set(rows[0]) == {*Classification.model_fields, "accepted", "right", "filing_year", "period_year"}


def test_a_changed_classification_is_found_and_not_exported(here: Path, run: Callable) -> None:
    part = here / "out" / "lexicon" / "classifications" / "part-00000.jsonl"
    part.write_text(part.read_text().replace("REV-NNCA", "NNCA-TAX"))
    verified = run("runs", "verify", "out/lexicon")
    assert verified.code != 0
    assert "classifications/part-00000.jsonl is not what stage classify wrote" in verified.err
    exported = run("export", "out/lexicon", "--out", "-")
    assert (exported.code, exported.out) == (2, "")
    assert "classifications are made anew from the replies" in exported.err


@pytest.mark.parametrize("command", [("match", "out/lexicon", "out/lexicon"), ("report", "out/lexicon", "--out", "r")])
def test_what_compares_quotes_refuses_a_run_without_any(here: Path, run: Callable, command: tuple[str, ...]) -> None:
    outcome = run(*command)
    assert outcome.code == 2
    assert "is a run of `fingreat classify`, which quotes nothing" in outcome.err
    assert "Traceback" not in outcome.err


def test_it_has_no_extractions_to_export(here: Path, run: Callable) -> None:
    outcome = run("export", "out/lexicon", "--table", "extractions")
    assert outcome.code == 2
    assert "has no extractions; it has classifications, replies, failures" in outcome.err


def test_a_dry_run_counts_and_leaves_nothing(here: Path, run: Callable) -> None:
    outcome = run(
        "classify", "--gold", "gold.jsonl", "--corpus", "corpus", "--model", "openai:gpt-4o", "--dry-run", "--json"
    )
    data = json.loads(outcome.out)
    requests = RunFolder(here / "out" / "lexicon").manifest().counts["requests"]
    assert data["to_ask"] == data["requests"] == requests
    # The rules and definitions alone take more than 3,000 tokens.
    assert data["prompt_tokens"] > 3000 * requests
    assert data["output_bound"] == 512 * requests
    assert not (here / "out" / "openai-gpt-4o-classify").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--gold", "none.jsonl"), "none.jsonl: cannot be read"),
        (("--gold", "corpus/filings.jsonl"), "is no gold passage"),
        (("--gold", "gold.jsonl", "--mask", "names,dates"), "--mask: 'dates' is nothing to mask"),
        (("--gold", "gold.jsonl", "--tokens", "100"), "--tokens: Input should be greater than or equal to 1024"),
        (("--gold", "gold.jsonl", "--temperature", "1e308"), "--temperature: Input should be less than or equal to 2"),
        (("--gold", "gold.jsonl", "--seed", "-1"), "--seed: Input should be greater than or equal to 0"),
        (("--gold", "gold.jsonl", "--seed", "1" + "0" * 30), "--seed: Input should be less than or equal to"),
        (("--gold", "gold.jsonl", "--corpus", "nowhere"), "is no corpus folder"),
    ],
)
def test_what_cannot_be_asked_is_one_message(here: Path, run: Callable, options: tuple[str, ...], message: str) -> None:
    outcome = run("classify", "--model", "lexicon", "--out", "out/new", *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    assert not (here / "out" / "new").exists()


def test_failed_passages_give_status_one_and_what_to_do(here: Path, run: Callable) -> None:
    script = here / "script.jsonl"
    lines = [{"text": '{"edge": "REV-NNCA"}', "times": 2}, {"state": "blocked", "detail": "refusal: no"}]
    script.write_text("".join(json.dumps(line) + "\n" for line in lines))
    outcome = run("classify", "--gold", "gold.jsonl", "--model", f"scripted:{script}", "--out", "out/some")
    assert outcome.code == 1
    assert "failed in the end: 89 blocked" in outcome.err
    assert "need a change" in outcome.err


def test_an_answer_may_not_take_the_whole_budget(here: Path, run: Callable) -> None:
    asked = ("classify", "--gold", "gold.jsonl", "--model", "lexicon", "--tokens", 2048, "--out", "out/new")
    outcome = run(*asked, "--max-tokens", 2048)
    assert outcome.code == 2
    assert (
        "--max-tokens: Input should be less than --tokens, the budget of prompt and answer, found 2048." in outcome.err
    )
    assert run(*asked, "--max-tokens", 2047).code == 0
