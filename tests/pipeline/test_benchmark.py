"""Classification runs read as one sheet of answers: joined by passage, refused where they do not belong together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmark_builders import judged_run
from classify_builders import ACCESSIONS, CONFIG, GOLD, corpus, gold_file, passage
from pipeline_builders import corpus_of, submission

from fingreat.errors import InputError, RunError
from fingreat.pipeline.benchmark import read_benchmark
from fingreat.runs import RunFolder

# GOLD: p0-1 accepts REV-NNCA, p3-1 NNCA-CASH, p5-1 nothing, p1-2 REV-NNCA or NNCA-OPEX.


def test_answers_of_runs_stand_side_by_side_and_a_failed_reply_is_no_edge(tmp_path: Path) -> None:
    runs = [
        judged_run(tmp_path, "one", {"p3-1": "NNCA-CASH", "p1-2": "NNCA-OPEX"}),
        judged_run(tmp_path, "two", {"p3-1": None}),
    ]
    found = read_benchmark(runs)
    assert found.names == found.sheet.names == ("one", "two")
    assert [one.passage_id for one in found.gold] == ["p0-1", "p3-1", "p5-1", "p1-2"]
    assert [one.passage_id for one in found.sheet.passages] == ["p0-1", "p3-1", "p1-2"]
    assert found.sheet.edges == (("REV-NNCA", "NNCA-CASH", "NNCA-OPEX"), ("REV-NNCA", None, "REV-NNCA"))
    assert found.sheet.right.tolist() == [[True, True, True], [True, False, True]]
    assert found.manifests["two"].model.model == "two"
    assert found.years == {}
    assert found.notes == (
        "Over 3 passages of 2 filings.",
        "1 passage without an accepted edge plays no part.",
        "Replies that failed count as wrong: 1 of two.",
    )


def test_no_run_is_called_what_a_table_calls_a_selector_or_a_sum(tmp_path: Path) -> None:
    runs = [judged_run(tmp_path, name) for name in ("All", "random edge", "always NNCA-TAX", "always")]
    assert read_benchmark(runs).names == ("All (2)", "random edge (2)", "always NNCA-TAX (2)", "always")


def test_years_are_those_of_the_runs_corpora(tmp_path: Path) -> None:
    filed, other = (submission(accession) for accession in ACCESSIONS)
    kind = b"CONFORMED SUBMISSION TYPE"
    filed = filed.replace(kind, b"FILED AS OF DATE:\t\t20190214\n" + kind)
    other = other.replace(kind, b"CONFORMED PERIOD OF REPORT:\t20191231\n" + kind)
    over = corpus_of(tmp_path, a=filed, b=other)
    runs = [judged_run(tmp_path, "alone"), judged_run(tmp_path, "shown", over=over)]
    found = read_benchmark(runs)
    assert found.years == {ACCESSIONS[0]: 2019}
    assert found.period_years == {ACCESSIONS[1]: 2019}
    assert "Runs were asked in different ways: corpus is not given in alone, given in shown." in found.notes


def test_a_corpus_that_is_gone_costs_the_years_and_is_told(tmp_path: Path) -> None:
    over = corpus(tmp_path)
    run = judged_run(tmp_path, "one", over=over)
    (over.path / "filings.jsonl").rename(tmp_path / "elsewhere")
    found = read_benchmark([run])
    assert found.years == {}
    assert "Years of its filings are not known" in found.notes[-1]


def test_runs_asked_in_different_ways_are_compared_and_it_is_told(tmp_path: Path) -> None:
    plain = CONFIG.model_copy(update={"guide": "none"})
    runs = [judged_run(tmp_path, "one"), judged_run(tmp_path, "two", config=plain)]
    told = "Runs were asked in different ways: guide is rules in one, none in two."
    assert told in read_benchmark(runs).notes


def test_one_text_under_two_ids_of_a_filing_is_told(tmp_path: Path) -> None:
    again = passage(0, "NNCA-TAX").model_copy(update={"passage_id": "again"})
    gold = gold_file(tmp_path, [*GOLD, again])
    notes = read_benchmark([judged_run(tmp_path, "one", gold=gold)]).notes
    assert notes[-1] == (
        "1 passage has the text of an earlier one of the same filing (first: again, as p0-1); each counts, "
        "1 of them with other accepted edges."
    )


def test_runs_over_other_gold_files_are_refused_with_both_named(tmp_path: Path) -> None:
    runs = []
    for name, passages in (("one", GOLD), ("two", GOLD[1:])):
        (tmp_path / f"of-{name}").mkdir()
        gold = gold_file(tmp_path / f"of-{name}", passages)
        runs.append(judged_run(tmp_path, name, gold=gold))
    with pytest.raises(InputError) as refused:
        read_benchmark(runs)
    assert refused.value.where == str(runs[1].path)
    assert "of-one/gold.jsonl" in refused.value.message
    assert "of-two/gold.jsonl" in refused.value.message
    assert "--common" in (refused.value.hint or "")
    found = read_benchmark(runs, common=True)
    assert [one.passage_id for one in found.sheet.passages] == ["p3-1", "p1-2"]
    assert found.sheet.left_out == ("p0-1",)
    assert "Left out: 1 passage that not all runs were asked about (first: p0-1)." in found.notes


def test_a_passage_that_two_gold_files_label_differently_is_never_common(tmp_path: Path) -> None:
    runs = []
    for name, edge in (("one", "REV-NNCA"), ("two", "NNCA-TAX")):
        (tmp_path / f"of-{name}").mkdir()
        gold = gold_file(tmp_path / f"of-{name}", [passage(0, edge), *GOLD[1:]])
        runs.append(judged_run(tmp_path, name, gold=gold))
    with pytest.raises(InputError, match="passage p0-1 is not the same"):
        read_benchmark(runs, common=True)


def test_a_gold_file_that_moved_is_named_by_hand_and_must_be_the_very_file(tmp_path: Path) -> None:
    run = judged_run(tmp_path, "one")
    moved = (tmp_path / "gold.jsonl").rename(tmp_path / "moved.jsonl")
    with pytest.raises(InputError, match="which is not there") as refused:
        read_benchmark([run])
    assert "--gold" in (refused.value.hint or "")
    assert len(read_benchmark([run], gold=moved).gold) == 4
    moved.write_text(moved.read_text().replace("NNCA-CASH", "CASH-DIV"))
    with pytest.raises(InputError, match="is not the gold file"):
        read_benchmark([run], gold=moved)
    moved.rename(tmp_path / "gold.jsonl")
    with pytest.raises(InputError, match="which is not what it was"):
        read_benchmark([run])
    with pytest.raises(InputError, match="is no file"):
        read_benchmark([run], gold=moved)


def test_only_whole_and_different_classification_runs_are_read(tmp_path: Path) -> None:
    run = judged_run(tmp_path, "one")
    with pytest.raises(InputError, match="named twice"):
        read_benchmark([run, RunFolder(run.path)])
    with pytest.raises(InputError, match="no run"):
        read_benchmark([])
    manifest = json.loads((run.path / "manifest.json").read_text())
    for field, value, error, told in (
        ("kind", "extract", InputError, "a run of `fingreat extract`"),
        ("status", "interrupted", RunError, "interrupted, not complete"),
    ):
        (run.path / "manifest.json").write_text(json.dumps(manifest | {field: value}))
        with pytest.raises(error, match=told):
            read_benchmark([run])
    (run.path / "manifest.json").write_text(json.dumps(manifest))
    (part,) = run.classifications.glob("*.jsonl")
    part.write_text(part.read_text().replace("REV-NNCA", "NNCA-TAX"))
    with pytest.raises(RunError, match="damaged"):
        read_benchmark([run])


def test_runs_with_other_graphs_are_refused(tmp_path: Path) -> None:
    runs = [judged_run(tmp_path, "one"), judged_run(tmp_path, "two")]
    path = runs[1].path / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["hashes"]["graph"] = "another"
    path.write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=r"was made with graph .* \(another\)"):
        read_benchmark(runs)
