"""`fingreat analyze panel` from a user's side: what it prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from analyzed_runs import SENTENCES, made_runs
from every_analyze import check_refused

from fingreat.schema import Filing, GoldPassage

GOLD = {"F1": {0: {"REV-NNCA"}, 1: {"NNCA-OPEX"}}, "F2": {0: {"REV-NNCA"}}}
"""Filing → number of a sentence → edges that readers accept."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs of two filings, a corpus that says when these were filed, and a gold file."""
    folder = made_runs(tmp_path_factory.mktemp("runs"))
    (folder / "corpus").mkdir()
    filings = [
        Filing(id=id_, cik="7", filed=date(2015, 3, day), path=id_, sha256=id_) for day, id_ in enumerate(GOLD, 1)
    ]
    (folder / "corpus" / "filings.jsonl").write_text("".join(one.model_dump_json() + "\n" for one in filings))
    passages = [
        GoldPassage(passage_id=f"{filing}-{n}", filing_id=filing, text=SENTENCES[n], accepted=frozenset(edges),
                    source="primary")
        for filing, of_filing in GOLD.items()
        for n, edges in of_filing.items()
    ]  # fmt: skip
    (folder / "gold.jsonl").write_text("".join(one.model_dump_json() + "\n" for one in passages))
    return folder


@pytest.fixture
def here(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


def test_the_panel_and_every_table_are_written(here: Path, tmp_path: Path, run: Callable) -> None:
    pytest.importorskip("polars")
    out = tmp_path / "panel"
    arguments = ("analyze", "panel", "a", "b", "--corpus", "corpus", "--gold", "gold.jsonl", "--out", out)
    outcome = run(*arguments)
    assert (outcome.code, outcome.err) == (0, f"44 rows and 4 tables: {out}\n")
    ids = ("corrected-shares", "corrected-shares-by-edge", "corrected-shares-by-year", "panel-contents")
    assert {path.name for path in out.iterdir()} == {
        "panel.csv", "panel.parquet", *(f"{id_}.{form}" for id_ in ids for form in ("csv", "tex", "md")),
    }  # fmt: skip
    with (out / "panel.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["edge"] == "REV-NNCA"]
    # `a` gives the edge to one of three passages of the first filing and to one of two of the second.
    assert [(row["run"], row["filing_id"], row["filing_year"], row["count"], row["total"]) for row in rows] == [
        ("a", "F1", "2015", "1", "3"), ("a", "F2", "2015", "1", "2"),
        ("b", "F1", "2015", "1", "3"), ("b", "F2", "2015", "1", "2"),
    ]  # fmt: skip


def test_tables_say_what_was_corrected_by_what(here: Path, run: Callable) -> None:
    outcome = run("analyze", "panel", "a", "b", "--corpus", "corpus", "--gold", "gold.jsonl")
    assert (outcome.code, outcome.err) == (0, "")
    words = " ".join(outcome.out.split())
    assert "a: 3 labelled extractions of 2 filings, of 5 extractions of 2 filings." in words
    assert "prediction-powered inference for a mean" in words
    assert words.count("Over 2 filings.") == 1


def test_json_has_corrected_shares_with_their_numbers(here: Path, run: Callable) -> None:
    arguments = ("a", "--corpus", "corpus", "--gold", "gold.jsonl", "--replicates", "50", "--json")
    data = json.loads(run("analyze", "panel", *arguments).out)
    assert (data["filings"], data["replicates"], data["gold_passages"], data["gold_elsewhere"]) == (2, 50, 3, 0)
    (contents,) = data["contents"]
    assert (contents["rows"], contents["firms"], contents["first_year"]) == (22, 1, 2015)
    (corrected,) = data["corrected"]
    shares = {share["name"]: share for share in corrected["shares"]}
    # The run's COGS of the first filing is OPEX to readers: 2/5 - 1/3.
    assert shares["NNCA-COGS"]["value"] == pytest.approx(2 / 5 - 1 / 3)
    assert (shares["NNCA-COGS"]["uncorrected"]["k"], shares["NNCA-COGS"]["uncorrected"]["n"]) == (2, 5)
    assert shares["CASH-DIV"]["value"] is None


def test_without_polars_it_is_said_how_to_get_parquet(
    here: Path, tmp_path: Path, run: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    outcome = run("analyze", "panel", "a", "--out", tmp_path / "panel")
    assert outcome.code == 0
    assert 'The panel is written as CSV only. For Parquet: pip install "fingreat[frames]"' in outcome.err
    assert not (tmp_path / "panel" / "panel.parquet").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("a", "a"), "a: is named twice."),
        (("none",), "none: is no run folder"),
        (("a", "--gold", "none.jsonl"), "none.jsonl: "),
        (("a", "--corpus", "a"), "a: is no corpus folder"),
        (("a", "--grouping", "colour"), "has no grouping 'colour'. Groupings: default, "),
        (("a", "--out", "a"), "a: holds 'done', which is no table of a panel."),
    ],
)
def test_what_cannot_be_a_panel_is_one_clear_message_and_nothing_is_written(
    arguments: tuple[str, ...], words: str, here: Path, tmp_path: Path, run: Callable
) -> None:
    check_refused(run, "panel", arguments, words, tmp_path / "panel")
