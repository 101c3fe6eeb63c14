"""A study that is run from its file: every run, every measure, and a page that says how."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from study_builders import SENTENCES, STUDY, YEARS, rows, states, table, write_study

from fingreat.pipeline.study.flow import Study, run_study
from fingreat.report import Share
from fingreat.runs import RunFolder, read_records
from fingreat.schema import Extraction


def test_every_run_of_the_file_is_made(made_study: tuple[Path, Study]) -> None:
    _, study = made_study
    assert states(study) == dict.fromkeys(
        [
            "extract/first",
            "extract/first-repeat-1",
            "extract/second",
            "extract/judge",
            "classify/revenue",
            "classify/cash",
        ],
        "made",
    )
    assert study.complete
    assert all(RunFolder(outcome.run.folder.path).verify() == [] for outcome in study.outcomes)


def test_a_reference_reads_the_filings_of_its_years_only(made_study: tuple[Path, Study]) -> None:
    _, study = made_study
    judge = next(one for one in study.outcomes if one.run.name == "judge")
    assert judge.manifest is not None
    assert set(judge.manifest.inputs) == {YEARS[2010], YEARS[2015]}
    found = {one.filing_id for one in read_records(judge.run.folder.extractions, Extraction)}
    assert found == {YEARS[2010], YEARS[2015]}


def test_models_are_measured_against_references_on_the_filings_that_all_read(made_study: tuple[Path, Study]) -> None:
    """The judge quotes what the first does: 4 of 4. The second shares one of two quotes in each of two filings."""
    measured = table(made_study[1], "agreement")
    assert [(a, b, recall.k, recall.n) for a, b, recall in rows(measured, "run", "reference", "recall")] == [
        ("first", "judge", 4, 4),
        ("second", "judge", 2, 4),
    ]
    assert any("left out: 1 filing that only some read" in note for note in measured.notes)


def test_a_models_noise_stands_beside_its_agreement_with_others(made_study: tuple[Path, Study]) -> None:
    """Over the three filings that both read: the repeat quotes the same 6; of 6 and 6 quotes 3 are shared, of 9."""
    measured = table(made_study[1], "noise-floor")
    found = rows(measured, "run", "and", "which is", "Jaccard")
    assert [(a, b, which, share.k, share.n) for a, b, which, share in found] == [
        ("first", "first-repeat-1", "its repeat", 6, 6),
        ("first", "second", "another model", 3, 9),
    ]
    # Of the three shared quotes one has another edge.
    precision = rows(measured, "conditional precision")[1][0]
    assert isinstance(precision, Share)
    assert (precision.k, precision.n) == (2, 3)


def test_a_pair_has_a_floor_only_where_both_models_were_repeated(
    made_study: tuple[Path, Study], study_out: Path, other_study: Callable[[str], Path]
) -> None:
    assert [floor for (floor,) in rows(table(made_study[1], "noise-floor"), "own repeats")] == [None, None]
    file = other_study(STUDY.replace('name = "second"', 'name = "second"\nrepeats = 1'))
    floors = [floor for (floor,) in rows(table(run_study(file, study_out), "noise-floor"), "own repeats")]
    assert floors[:2] == [None, None]
    assert isinstance(floors[2], Share)
    assert floors[2].value == 1.0


def test_accuracy_is_over_the_passages_that_accept_an_edge(made_study: tuple[Path, Study]) -> None:
    """Four passages: REV-NNCA is right on p1, p2 and p4, NNCA-CASH on p2 and p3."""
    measured = table(made_study[1], "accuracy")
    found = {name: (share.k, share.n) for name, share in rows(measured, "model", "all passages")}
    assert found["revenue"] == (3, 4)
    assert found["cash"] == (2, 4)


def test_every_table_and_figure_is_a_file_and_the_page_is_closed(made_study: tuple[Path, Study]) -> None:
    folder, study = made_study
    assert study.report is not None
    assert study.page == folder / "out" / "report.html"
    for one in study.report.tables:
        assert (folder / "out" / "tables" / f"{one.id}.csv").is_file()
    for figure in study.report.figures:
        assert (folder / "out" / "figures" / f"{figure.id}.svg").is_file()
    page = study.page.read_text(encoding="utf-8")
    assert "<script" not in page
    assert "default-src 'none'" in page


def test_methods_and_appendices_say_what_was_done(made_study: tuple[Path, Study]) -> None:
    _, study = made_study
    assert study.report is not None
    text = " ".join(study.report.methods)
    assert "3 filings, filed in 2010, 2015, 2020" in text
    # The judge is the first one over again.
    assert "3 runs of 2 models (first, second, judge)" in text
    assert "judge, which read the filings that were filed in 2010, 2015" in text
    assert (
        "2 models (revenue, cash) named one relationship for each of 4 passages of 2 filings; 1 of the passages" in text
    )
    assert "1 passage with no accepted relationship was left out" in text
    blocks = {block.title: block.text for appendix in study.report.appendices for block in appendix.blocks}
    assert SENTENCES[0] in blocks[f"extract: a chunk of filing {YEARS[2010]}"]
    assert json.loads(blocks["extract/first: the reply"])["extractions"][0]["quote"] == SENTENCES[0]
    assert any(title.startswith("classify, guide rules: what every request begins with") for title in blocks)


def test_filings_are_listed_so_that_others_can_get_them(made_study: tuple[Path, Study]) -> None:
    listed = table(made_study[1], "study-filings")
    assert rows(listed, "filing", "form", "filed", "item 7") == [
        (accession, "10-K", f"{year}-03-01", "found") for year, accession in YEARS.items()
    ]


def test_what_takes_no_prompt_is_said_to_take_none(tmp_path: Path) -> None:
    """Nothing is said of prompts, sampling or contexts that no run had."""
    text = STUDY.partition("[[extract.models]]")[0] + '[[extract.models]]\nname = "words"\nmodel = "lexicon"\n'
    text += '[classify]\ngold = ["gold.jsonl"]\n[[classify.models]]\nname = "words"\nmodel = "lexicon"\n'
    study = run_study(write_study(tmp_path, text), tmp_path / "out")
    assert study.report is not None
    methods = " ".join(study.report.methods)
    assert "words is no language model: it finds weighted cue phrases of the graph file" in methods
    for untrue in ("Prompts have", "Damaged replies", "A passage was shown with"):
        assert untrue not in methods
    prompts = next(one for one in study.report.appendices if one.id == "prompts")
    assert (prompts.text, prompts.blocks) == (("No run took a prompt.",), ())


def test_a_classification_is_made_anew_where_its_passages_filings_came_later(tmp_path: Path) -> None:
    """First the corpus lacks the filing of 2015, so that its passages are shown without it."""
    text = STUDY.replace('context = "none"', 'context = "auto"')
    fewer = text.replace('"2015.txt", ', "")
    first = run_study(write_study(tmp_path, fewer), tmp_path / "out", only=["cash"]).outcomes[0]
    assert first.manifest is not None
    assert first.manifest.counts["contexts"]["none"] == 2
    again = run_study(write_study(tmp_path, text), tmp_path / "out", only=["cash"])
    assert states(again) == {"classify/cash": "made"}
    assert again.outcomes[0].manifest is not None
    assert again.outcomes[0].manifest.counts["contexts"]["none"] == 0
