"""Runs measured on the extractions that stand in the text alone, beside the same on all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from extraction_builders import an_extraction, finished_run

from fingreat.analysis import Ratio
from fingreat.pipeline.agreement import agreement_tables, measure_runs
from fingreat.pipeline.behavior import behavior_tables, measure_behavior
from fingreat.pipeline.by_filing import read_by_filing
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.pipeline.ensemble import ensemble_tables, measure_ensemble
from fingreat.pipeline.groups import group_runs
from fingreat.pipeline.noise import measure_noise, noise_tables
from fingreat.pipeline.panel import measure_panel, panel_tables
from fingreat.pipeline.side_by_side import Choice, compared
from fingreat.pipeline.study.loading import load_study
from fingreat.pipeline.study.material import Material
from fingreat.pipeline.study.methods import methods_of
from fingreat.pipeline.study.runs import Outcome, study_runs
from fingreat.pipeline.tags import measure_run_tags, tag_tables
from fingreat.report.tables import table_csv
from fingreat.runs import RunFolder
from fingreat.schema import Verdict, load_graph

SALES = "Revenue from pumps rose by 12% on higher volumes in Europe."
COSTS = "Cost of sales fell because copper became cheaper during spring."
TAXES = "Our effective tax rate was 21% after a settlement with authorities."
GROUNDED = Choice(grounded=True)
NOTE = "Only extractions whose quote stands in the text count; left out: 1 of the 2 of a, 0 of the 2 of b."


def run_of(path: Path, **verdicts: tuple[str, Verdict]) -> RunFolder:
    extractions = [
        an_extraction("F1", name, quote, verdict=verdict, tags=["price"]) for name, (quote, verdict) in verdicts.items()
    ]
    return finished_run(path, ("F1", "F2"), extractions)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunFolder]:
    """Of a one quote stands in the text and one was altered, of b both stand there, of c none does."""
    folder = tmp_path_factory.mktemp("runs")
    exact, altered = Verdict.EXACT, Verdict.ALTERED
    return {
        "a": run_of(folder / "a", x=(SALES, exact), y=(COSTS, altered)),
        "b": run_of(folder / "b", x=(SALES, Verdict.NORMALISED), y=(TAXES, Verdict.ELIDED)),
        "c": run_of(folder / "c", x=(SALES, altered), y=(COSTS, Verdict.NOT_FOUND), z=(TAXES, Verdict.TOO_SHORT)),
    }


def test_volume_and_agreement_are_of_what_stands_in_the_text(runs: dict[str, RunFolder]) -> None:
    both = runs["a"], runs["b"]
    everything, grounded = measure_runs(both, replicates=10), measure_runs(both, choice=GROUNDED, replicates=10)
    assert [volume.extractions for volume in everything.volumes.values()] == [2, 2]
    assert [volume.extractions for volume in grounded.volumes.values()] == [1, 2]
    # Both quote the sales; beside it each has one more, of which that of a was altered.
    jaccards = [found.pairs["a", "b"].words.jaccard for found in (everything, grounded)]
    assert [(one.hits, one.total) for one in jaccards] == [(1, 3), (1, 2)]


def test_tables_say_how_many_of_each_run_were_left_out(runs: dict[str, RunFolder]) -> None:
    both = runs["a"], runs["b"]
    for table in agreement_tables(measure_runs(both, choice=GROUNDED, replicates=10)):
        assert table.notes[:2] == ("Over 2 filings.", NOTE)
    assert not any("stands in the text count" in note for t in agreement_tables(measure_runs(both)) for note in t.notes)


def test_left_out_are_counted_in_the_filings_that_are_compared_alone(
    runs: dict[str, RunFolder], tmp_path: Path
) -> None:
    more = [an_extraction(filing, "x", SALES, verdict=Verdict.ALTERED) for filing in ("F1", "F3")]
    grown = finished_run(tmp_path / "grown", ("F1", "F2", "F3"), more)
    with compared([runs["a"], grown], Choice(common=True, grounded=True)) as found:
        assert found.scope.ungrounded == {"a": (1, 2), "grown": (1, 1)}
        assert (found.scope.left_out, found.scope.left_out_extractions) == (1, 1)
        assert [[len(one) for one in of_runs] for _, of_runs in found.by_filing()] == [[1, 0], [0, 0]]
    assert read_by_filing([runs["a"]], ["F1"]).ungrounded == (0,)


def test_a_run_of_which_nothing_stands_in_the_text_has_no_extractions(runs: dict[str, RunFolder]) -> None:
    three = [*runs.values()]
    agreed = measure_runs(three, choice=GROUNDED, replicates=10)
    assert agreed.volumes["c"].extractions == 0
    assert agreed.pairs["a", "c"].words.recall == Ratio(0, 0)
    said = measure_behavior(three, choice=GROUNDED, replicates=10)
    assert (said.runs[2].overall.extractions, said.runs[2].overall.grounded) == (0, Ratio(0, 0))
    rows = measure_panel(three, choice=GROUNDED)
    tags = measure_run_tags(three, choice=GROUNDED)
    assert tags.scores["c"].purity is None
    voted = measure_ensemble(three[:2], three[2:], choice=GROUNDED, replicates=10)
    noisy = measure_noise(three[:2], {0: three[2:]}, choice=GROUNDED, replicates=10)
    tables = (
        *agreement_tables(agreed, by_edge=True), *behavior_tables(said), *panel_tables(rows), *tag_tables(tags),
        *ensemble_tables(voted), *noise_tables(noisy),
    )  # fmt: skip
    for table in tables:
        assert any("3 of the 3 of c" in note for note in table.notes)
        assert "nan" not in table_csv(table).lower()


def test_groups_hold_what_stands_in_the_text_alone(runs: dict[str, RunFolder], tmp_path: Path) -> None:
    # All three quote the sales, c in other words than the text's.
    three = [*runs.values()]
    assert group_runs(three).counts.groups == 1
    assert group_runs(three, choice=GROUNDED).counts.groups == 0
    assert group_runs(three[:2], choice=GROUNDED).counts.groups == 1


@pytest.mark.parametrize("grounded", [False, True])
def test_a_study_measures_all_extractions_unless_it_says_otherwise(grounded: bool, tmp_path: Path) -> None:
    for empty in ("filings.jsonl", "sections/7/part-00000.jsonl"):
        (tmp_path / "corpus" / empty).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "corpus" / empty).write_text("")
    file = tmp_path / "study.toml"
    file.write_text(
        f"""format = 1
        [study]
        name = "s"
        title = "S"
        {"grounded = true" if grounded else ""}
        [corpus]
        folder = "corpus"
        [[extract.models]]
        name = "words"
        model = "lexicon"
        """
    )
    config = load_study(file)
    (run,) = study_runs(config, tmp_path / "out")
    manifest = finished_run(tmp_path / "run", ()).manifest()
    corpus = CorpusFolder(tmp_path / "corpus")
    material = Material(config, tmp_path / "out", corpus, load_graph(), None, [Outcome(run, "there", manifest)])
    assert material.choice == Choice(common=True, grounded=grounded)
    methods = " ".join(methods_of(material))
    assert ("not grounded were left out of all measures" in methods) is grounded
    assert ("over all extractions, grounded or not" in methods) is not grounded
