"""What a study lacks and would take is told before anything is asked; nothing stays on disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from study_builders import STUDY, write_study

from fingreat.errors import MissingExtraError
from fingreat.pipeline.study.check import CheckedStudy, check_study
from fingreat.pipeline.study.check_tables import check_tables
from fingreat.pipeline.study.flow import run_study
from fingreat.pipeline.study.sources import PartOfCorpus

QUICK = STUDY.partition("[power]")[0]


def told(checked: CheckedStudy) -> dict[str, tuple[str, int | None]]:
    """Run → its state and how many requests are to be asked."""
    return {
        planned.run.label: (planned.state, planned.estimate.to_ask if planned.estimate else None)
        for planned in checked.runs
    }


def test_requests_are_counted_over_filings_and_passages(tmp_path: Path) -> None:
    """Three filings of one chunk each, two of them for the reference; four passages that accept an edge."""
    checked = check_study(write_study(tmp_path, QUICK), tmp_path / "out")
    assert told(checked) == {
        "extract/first": ("to run", 3),
        "extract/first-repeat-1": ("to run", 3),
        "extract/second": ("to run", 3),
        "extract/judge": ("to run", 2),
        "classify/revenue": ("to run", 4),
        "classify/cash": ("to run", 4),
    }
    assert checked.ready
    assert checked.power is None
    assert checked.power_note is None
    total = check_tables(checked)[0].rows[-1]
    assert total[4:6] == (19, 19)
    assert not (tmp_path / "out").exists()


def test_what_takes_no_tokens_has_no_column_for_them(tmp_path: Path) -> None:
    text = QUICK.partition("[[extract.models]]")[0] + '[[extract.models]]\nname = "words"\nmodel = "lexicon"\n'
    lines: list[str] = []
    checked = check_study(write_study(tmp_path, text), tmp_path / "out", note=lines.append)
    table = check_tables(checked)[0]
    assert [column.label for column in table.columns] == ["run", "task", "model", "state", "requests", "to ask"]
    assert [row[-1] for row in table.rows] == [3, 3]
    # What takes its time is told before it is begun.
    assert lines == ["reading 3 files into the corpus", "looking for item 7 in 3 filings", "counting extract/words"]


def test_why_fewer_are_to_ask_than_there_are_is_said(tmp_path: Path) -> None:
    checked = check_study(write_study(tmp_path, QUICK), tmp_path / "out")
    first, *others = checked.runs
    assert first.estimate is not None
    fewer = first.estimate.model_copy(update={"requests": 19, "answered": 2, "from_cache": 3, "to_ask": 14})
    notes = check_tables(replace(checked, runs=(replace(first, estimate=fewer), *others)))[0].notes
    (told,) = [note for note in notes if note.startswith("Of the ")]
    assert told == (
        "Of the 19 requests of extract/first: 2 answered by this run before it was stopped, 3 in the reply cache, from "
        "earlier runs that asked the same."
    )


def test_what_is_done_is_not_counted_again(tmp_path: Path) -> None:
    file = write_study(tmp_path, QUICK)
    run_study(file, tmp_path / "out", only=["first", "cash"])
    checked = check_study(file, tmp_path / "out")
    assert told(checked) == {
        "extract/first": ("complete", None),
        "extract/first-repeat-1": ("complete", None),
        "extract/second": ("to run", 3),
        "extract/judge": ("to run", 2),
        "classify/revenue": ("to run", 4),
        "classify/cash": ("complete", None),
    }


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("fingreat.pipeline.study.check.need", lambda spec: None)
    text = (
        QUICK.replace('model = "scripted:cash.jsonl"', 'slot = "a model of cash"')
        .replace("scripted:revenue.jsonl", "openai:gpt-4o")
        .replace("scripted:second.jsonl", "scripted:gone.jsonl")
    )
    checked = check_study(write_study(tmp_path, text + '[reviews]\nfile = "reviews.jsonl"\n'), tmp_path / "out")
    reasons = {planned.run.label: planned.reason for planned in checked.runs if planned.state == "missing"}
    assert reasons["classify/revenue"] == "The key of the provider is not set: OPENAI_API_KEY."
    assert "there is no such file" in str(reasons["extract/second"])
    assert len(reasons) == 2
    assert [slot.label for slot in checked.slots] == ["classify/cash"]
    notes = check_tables(checked)[0].notes
    assert "Missing, classify/revenue: The key of the provider is not set: OPENAI_API_KEY." in notes
    assert "Slot classify/cash: a model of cash." in notes
    assert checked.missing == ("There is no file of reviews reviews.jsonl.",)
    assert not checked.ready
    # What cannot be asked here is still counted.
    assert told(checked)["classify/revenue"] == ("missing", 4)


def test_a_missing_extra_is_a_reason_and_what_it_would_take_is_told_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(spec: object) -> None:
        raise MissingExtraError("the engine", "pip install engine")

    monkeypatch.setattr("fingreat.pipeline.study.check.need", lacking)
    checked = check_study(write_study(tmp_path, QUICK), tmp_path / "out")
    assert told(checked)["classify/cash"] == ("missing", 4)
    assert checked.runs[0].reason == "the engine is not installed. Install it with: pip install engine"


def test_gold_of_other_filings_is_told_in_a_studys_words(tmp_path: Path) -> None:
    """No folder that is gone, and no option that studies lack; a filing_id is said to be what it is."""
    file = write_study(tmp_path, QUICK)
    gold = tmp_path / "gold.jsonl"
    gold.write_text(gold.read_text(encoding="utf-8").replace("0000000001-10-", "other-").replace(
        "0000000002-15-", "more-"), encoding="utf-8")  # fmt: skip
    reasons = [planned.reason for planned in check_study(file, tmp_path / "out").runs if planned.run.kind == "classify"]
    for reason in map(str, reasons):
        assert reason.startswith("the corpus: has none of the filings that the gold passages are from.")
        assert "its accession number, or the SHA-256" in reason
        assert "--corpus" not in reason


def test_without_corpus_or_gold_nothing_is_counted_and_both_are_named(tmp_path: Path) -> None:
    text = QUICK.replace("2015.txt", "2016.txt").replace("gold.jsonl", "later.jsonl")
    checked = check_study(write_study(tmp_path, text), tmp_path / "out")
    assert set(told(checked).values()) == {("missing", None)}
    assert checked.missing == (
        "There is no 2016.txt to put into the corpus.",
        "There is no gold file later.jsonl.",
    )


def test_a_sample_that_is_not_drawn_is_named_with_its_size(tmp_path: Path) -> None:
    sample = '[corpus.sample]\nyears = "2000-2025"\nper_year = 50\n[extract]'
    text = QUICK.replace('files = ["2010.txt", "2015.txt", "2020.txt"]', "").replace("[extract]", sample, 1)
    checked = check_study(write_study(tmp_path, text), tmp_path / "out")
    assert len(checked.missing) == 1
    assert "50 filings for each of 26 years, filed in 2000-2025" in checked.missing[0]


def test_power_is_of_the_gold_passages_and_of_all_pairs_of_models(tmp_path: Path) -> None:
    checked = check_study(write_study(tmp_path), tmp_path / "out")
    assert checked.power is not None
    # Passages of two filings, two each; one pair of models.
    assert checked.power.sizes == (2, 2)
    assert checked.power.question.comparisons == 1
    assert len(check_tables(checked)) == 3


def test_power_without_gold_needs_to_know_how_many_passages_there_will_be(tmp_path: Path) -> None:
    without = STUDY.replace("gold.jsonl", "later.jsonl")
    unknown = check_study(write_study(tmp_path, without), tmp_path / "out")
    assert unknown.power is None
    assert unknown.power_note == "There are no gold passages, and [power] does not say how many there will be."
    sized = write_study(tmp_path, without + "passages = 7\nfilings = 3\n")
    known = check_study(sized, tmp_path / "out").power
    assert known is not None
    assert sorted(known.sizes) == [2, 2, 3]


def test_a_part_of_a_corpus_without_filings_is_refused(tmp_path: Path) -> None:
    text = QUICK.replace('"2010,2015"', '"2011"')
    checked = check_study(write_study(tmp_path, text), tmp_path / "out")
    judge = next(one for one in checked.runs if one.run.name == "judge")
    assert judge.state == "missing"
    assert "has no filing that was filed in 2011" in str(judge.reason)


def test_a_part_of_a_corpus_has_the_filings_of_its_years(tmp_path: Path) -> None:
    file = write_study(tmp_path, QUICK)
    run_study(file, tmp_path / "out", only=["cash"])
    corpus = tmp_path / "out" / "corpus"
    assert [filing.filed.year for filing in PartOfCorpus(corpus, (2020, 2010)).filings() if filing.filed] == [
        2010,
        2020,
    ]
