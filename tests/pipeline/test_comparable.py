"""Which runs can be held against each other, and which are refused, with the difference named."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from match_run_builders import FIRST, SECOND, THIRD, all_sentences, change
from pipeline_builders import CONFIG, SENTENCES, Counting, corpus_of, extractions_of_run, first_sentence
from pipeline_builders import submission as filing

from fingreat.errors import InputError, RunError
from fingreat.pipeline import check_comparable, extract, match_runs, measure_runs
from fingreat.runs import Manifest, RunFolder


@pytest.mark.parametrize("status", ["started", "interrupted", "failed"])
def test_runs_that_are_not_complete_are_refused(status: str, runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    change(runs[1], lambda manifest: {"status": status})
    with pytest.raises(RunError, match=f"the run is {status}, not complete") as caught:
        match_runs(*runs, tmp_path / "match")
    assert caught.value.where == str(runs[1].path)
    assert "Repeat its `fingreat extract` command" in str(caught.value)
    assert not (tmp_path / "match").exists()


def test_counts_that_are_no_numbers_are_damage(runs: tuple[RunFolder, RunFolder]) -> None:
    for counts in ({"requests": "x"}, {"requests": 3, "failures": None}, {"failures": [1]}):
        change(runs[1], lambda _: {"counts": counts})  # noqa: B023
        with pytest.raises(RunError, match="counts of requests are no numbers") as caught:
            check_comparable(runs)
        assert caught.value.where == str(runs[1].path)


def test_damaged_runs_are_refused(runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    (runs[0].extractions / "part-00000.jsonl").write_bytes(b"")
    with pytest.raises(RunError, match=r"damaged: extractions/part-00000\.jsonl is not what stage extract wrote"):
        match_runs(*runs, tmp_path / "match")
    assert not (tmp_path / "match").exists()


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda m: {"hashes": m.hashes | {"graph": "abc"}}, r"its graph is gaap11 \(abc\), not gaap11 \("),
        (lambda m: {"resolved": m.resolved | {"graph": "own"}}, r"its graph is own \(.*\), not gaap11 \("),
        (lambda m: {"resolved": m.resolved | {"item": "7A"}}, "it read item 7A, not 7"),
        (lambda m: {"inputs": m.inputs | {SECOND: "0" * 64}}, rf"text differs in 1 of its filings \(first: {SECOND}"),
        (lambda m: {"kind": "classify"}, "is a run of `fingreat classify`, which quotes nothing"),
    ],
)  # fmt: skip
def test_runs_over_other_texts_or_graphs_are_refused_with_the_difference(
    edit: Callable[[Manifest], dict], words: str, runs: tuple[RunFolder, RunFolder]
) -> None:
    change(runs[1], edit)
    for common in (False, True):
        with pytest.raises(InputError, match=words) as caught:
            check_comparable(runs, common=common)
        assert caught.value.where == str(runs[1].path)


def test_other_models_prompts_modes_and_budgets_are_no_obstacle(runs: tuple[RunFolder, RunFolder]) -> None:
    change(
        runs[1],
        lambda m: {
            "model": m.model.model_copy(update={"spec": "other:x"}),
            "hashes": m.hashes | {"prompt": "p", "reply_schema": "s"},
            "resolved": m.resolved | {"mode": "span", "guide": "none", "tokens": 9999, "temperature": 1.0},
        },
    )
    assert check_comparable(runs) == ((FIRST, SECOND), ())
    assert check_comparable(runs[:1]) == ((FIRST, SECOND), ())


def test_the_same_run_twice_is_refused(runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(runs[0].path)
    for same in (runs[0], RunFolder(tmp_path / "all" / ".." / "some"), RunFolder(link)):
        with pytest.raises(InputError, match="is named twice"):
            check_comparable((runs[0], same))
    shutil.copytree(runs[0].path, tmp_path / "copy")
    with pytest.raises(InputError, match="is a copy of"):
        check_comparable((*runs, RunFolder(tmp_path / "copy")))


def test_a_folder_that_is_no_run_is_refused(runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is no run folder"):
        match_runs(runs[0], RunFolder(tmp_path / "none"), tmp_path / "match")
    match_runs(*runs, tmp_path / "match")
    with pytest.raises(RunError, match=r"is a match of two runs, no run\. Its runs were .*some and .*all"):
        match_runs(runs[0], RunFolder(tmp_path / "match"), tmp_path / "again")


def test_filings_that_only_one_run_read_are_refused_or_left_out(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=filing(FIRST))
    small = RunFolder(tmp_path / "small")
    extract(corpus, CONFIG, small.path, backend=Counting(first_sentence))
    corpus = corpus_of(tmp_path, b=filing(SECOND, SENTENCES[:4]), c=filing(THIRD, SENTENCES[:2]))
    grown = RunFolder(tmp_path / "grown")
    extract(corpus, CONFIG, grown.path, backend=Counting(all_sentences))
    for pair in ((small, grown), (grown, small)):
        with pytest.raises(InputError, match="has not read 2 of the 3 filings") as caught:
            match_runs(*pair, tmp_path / "match")
        assert caught.value.where == str(small.path)
        assert "grown corpus" in str(caught.value)
        assert "--common" in str(caught.value)
        assert check_comparable(pair, common=True).read == (FIRST,)
    manifest = match_runs(small, grown, tmp_path / "match", common=True)
    assert set(manifest.filings) == {FIRST}
    in_first = [x for x in extractions_of_run(grown.path) if x.filing_id == FIRST]
    assert manifest.counts.extractions_b == len(in_first)
    assert manifest.left_out_b == len(extractions_of_run(grown.path)) - len(in_first) > 0
    assert manifest.left_out_a == 0
    # What the message says helps.
    extract(corpus, CONFIG, small.path, backend=Counting(first_sentence))
    assert set(match_runs(small, grown, tmp_path / "both").filings) == {FIRST, SECOND, THIRD}


def test_runs_without_a_filing_in_common_are_refused(tmp_path: Path) -> None:
    found = []
    for name, id in (("x", FIRST), ("y", SECOND)):
        corpus = corpus_of(tmp_path / name, a=filing(id))
        extract(corpus, CONFIG, tmp_path / name / "run", backend=Counting(first_sentence))
        found.append(RunFolder(tmp_path / name / "run"))
    with pytest.raises(InputError, match="no filing in common"):
        check_comparable(found, common=True)


def test_filings_without_an_item_to_read_play_no_part(tmp_path: Path) -> None:
    """One filing has the item, the other has no such heading: nothing can be drawn from it, nor quoted."""
    bare = b"<html><body><p><b>Item 1. Business</b></p><p>We make pumps.</p></body></html>"
    corpus = corpus_of(tmp_path, a=filing(FIRST), b=bare)
    for name, respond in (("x", first_sentence), ("y", all_sentences)):
        extract(corpus, CONFIG, tmp_path / name, backend=Counting(respond))
    pair = RunFolder(tmp_path / "x"), RunFolder(tmp_path / "y")
    assert len(pair[0].manifest().inputs) == 2
    [other] = pair[0].manifest().inputs.keys() - {FIRST}
    assert check_comparable(pair) == ((FIRST,), (other,))
    assert set(match_runs(*pair, tmp_path / "match").filings) == {FIRST}
    scope = measure_runs(pair).scope
    assert (scope.filings, scope.without_text, scope.left_out) == ((FIRST,), (other,), 0)
    assert scope.sentence == "Over 1 filing (1 more had no item to read)."
    # Filings in common, but none of them with an item.
    for run in pair:
        change(run, lambda m: {"inputs": {other: m.inputs[other], run.path.name: "0" * 64}})  # noqa: B023
    with pytest.raises(InputError, match="no filing with an item to read in common"):
        check_comparable(pair, common=True)
