"""A study is run, stopped and run again: what is there is never asked again, and what is missing is told."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pipeline_builders import Watching
from study_builders import SENTENCES, STUDY, YEARS, write_script, write_study

from fingreat.errors import InputError, RunError, StorageError
from fingreat.pipeline.progress import Progress
from fingreat.pipeline.study.check import check_study
from fingreat.pipeline.study.flow import Study, run_study
from fingreat.report import Share, Table
from fingreat.runs import RunFolder, read_records, sole_owner
from fingreat.schema import Extraction, GoldPassage, Reply


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Study]:
    """A study file's folder, and the study that was run into `out` beside it; nothing below changes them."""
    folder = tmp_path_factory.mktemp("study")
    return folder, run_study(write_study(folder), folder / "out")


@pytest.fixture
def out(made: tuple[Path, Study], tmp_path: Path) -> Path:
    """The folder of a study that was run, to be changed."""
    shutil.copytree(made[0] / "out", tmp_path / "out")
    return tmp_path / "out"


@pytest.fixture
def other(made: tuple[Path, Study], tmp_path: Path) -> Callable[[str], Path]:
    """Makes another study file over the same sources."""
    return lambda text: write_study(made[0], text, tmp_path.name)


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """No back end can be made."""

    def refuse(*_: object) -> None:
        raise AssertionError("a back end was made")

    for module in ("extract", "classify"):
        # The package has functions of these names, which hide the modules.
        monkeypatch.setattr(sys.modules[f"fingreat.pipeline.{module}"], "create_backend", refuse)


def table(study: Study, id_: str) -> Table:
    assert study.report is not None
    return next(one for one in study.report.tables if one.id == id_)


def states(study: Study) -> dict[str, str]:
    return {outcome.run.label: outcome.state for outcome in study.outcomes}


def rows(measured: Table, *labels: str) -> list[tuple[object, ...]]:
    places = [[column.label for column in measured.columns].index(label) for label in labels]
    return [tuple(row[place] for place in places) for row in measured.rows]


def test_every_run_of_the_file_is_made(made: tuple[Path, Study]) -> None:
    _, study = made
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


def test_a_reference_reads_the_filings_of_its_years_only(made: tuple[Path, Study]) -> None:
    _, study = made
    judge = next(one for one in study.outcomes if one.run.name == "judge")
    assert judge.manifest is not None
    assert set(judge.manifest.inputs) == {YEARS[2010], YEARS[2015]}
    found = {one.filing_id for one in read_records(judge.run.folder.extractions, Extraction)}
    assert found == {YEARS[2010], YEARS[2015]}


def test_models_are_measured_against_references_on_the_filings_that_all_read(made: tuple[Path, Study]) -> None:
    """The judge quotes what the first does: 4 of 4. The second shares one of two quotes in each of two filings."""
    measured = table(made[1], "agreement")
    assert [(a, b, recall.k, recall.n) for a, b, recall in rows(measured, "run", "reference", "recall")] == [
        ("first", "judge", 4, 4),
        ("second", "judge", 2, 4),
    ]
    assert any("left out: 1 filing that only some read" in note for note in measured.notes)


def test_a_models_noise_stands_beside_its_agreement_with_others(made: tuple[Path, Study]) -> None:
    """Over the three filings that both read: the repeat quotes the same 6; of 6 and 6 quotes 3 are shared, of 9."""
    measured = table(made[1], "noise-floor")
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
    made: tuple[Path, Study], out: Path, other: Callable[[str], Path]
) -> None:
    assert [floor for (floor,) in rows(table(made[1], "noise-floor"), "own repeats")] == [None, None]
    file = other(STUDY.replace('name = "second"', 'name = "second"\nrepeats = 1'))
    floors = [floor for (floor,) in rows(table(run_study(file, out), "noise-floor"), "own repeats")]
    assert floors[:2] == [None, None]
    assert isinstance(floors[2], Share)
    assert floors[2].value == 1.0


def test_accuracy_is_over_the_passages_that_accept_an_edge(made: tuple[Path, Study]) -> None:
    """Four passages: REV-NNCA is right on p1, p2 and p4, NNCA-CASH on p2 and p3."""
    measured = table(made[1], "accuracy")
    found = {name: (share.k, share.n) for name, share in rows(measured, "model", "all passages")}
    assert found["revenue"] == (3, 4)
    assert found["cash"] == (2, 4)


def test_every_table_and_figure_is_a_file_and_the_page_is_closed(made: tuple[Path, Study]) -> None:
    folder, study = made
    assert study.report is not None
    assert study.page == folder / "out" / "report.html"
    for one in study.report.tables:
        assert (folder / "out" / "tables" / f"{one.id}.csv").is_file()
    for figure in study.report.figures:
        assert (folder / "out" / "figures" / f"{figure.id}.svg").is_file()
    page = study.page.read_text(encoding="utf-8")
    assert "<script" not in page
    assert "default-src 'none'" in page


def test_methods_and_appendices_say_what_was_done(made: tuple[Path, Study]) -> None:
    _, study = made
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


def test_filings_are_listed_so_that_others_can_get_them(made: tuple[Path, Study]) -> None:
    listed = table(made[1], "study-filings")
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


def test_a_part_that_was_not_asked_for_says_so_and_is_not_missing(made: tuple[Path, Study]) -> None:
    _, study = made
    assert study.report is not None
    parts = {part.id: part for part in study.report.parts}
    assert parts["reviewers"].text == ("Not asked for: the study has no reviews.",)
    assert parts["stability"].text == ("Not asked for: the study has no model of both tasks.",)
    assert study.report.missing == ()


@pytest.mark.usefixtures("no_engine")
def test_a_second_run_makes_no_back_end_and_gives_the_same_tables(made: tuple[Path, Study], out: Path) -> None:
    again = run_study(made[0] / "study.toml", out)
    assert set(states(again).values()) == {"there"}
    for id_ in ("agreement", "noise-floor", "accuracy"):
        assert table(again, id_) == table(made[1], id_)


def test_gold_has_the_same_bytes_in_every_process(made: tuple[Path, Study]) -> None:
    """A set of edges has no order of its own: the file lists them sorted."""
    lines = (made[0] / "out" / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[1])["accepted"] == ["NNCA-CASH", "REV-NNCA"]
    assert [GoldPassage.model_validate_json(line).passage_id for line in lines] == ["p1", "p2", "p3", "p4", "p5"]


class Stopped(Watching):
    """Ctrl-C comes after the first reply."""

    def advance(self, reply: Reply) -> None:
        raise KeyboardInterrupt


def test_a_stop_loses_no_answer_and_the_next_call_asks_only_the_rest(tmp_path: Path) -> None:
    file = write_study(tmp_path)

    @contextmanager
    def stopping(label: str) -> Iterator[Progress]:
        yield Stopped() if label == "extract/second" else Watching()

    with pytest.raises(KeyboardInterrupt):
        run_study(file, tmp_path / "out", progress=stopping)
    kept = list(read_records(tmp_path / "out" / "runs" / "extract" / "second" / "replies", Reply))
    assert len(kept) == 1

    seen: dict[str, Watching] = {}

    @contextmanager
    def watching(label: str) -> Iterator[Progress]:
        seen[label] = Watching()
        yield seen[label]

    study = run_study(file, tmp_path / "out", progress=watching)
    assert states(study)["extract/first"] == "there"
    assert seen["extract/second"].begun == [(3, 1)]
    assert len(seen["extract/second"].replies) == 2
    assert study.complete


def test_a_model_that_is_not_here_is_told_of_and_the_others_go_on(tmp_path: Path) -> None:
    text = STUDY.replace("scripted:second.jsonl", "hf:./nowhere").replace("scripted:cash.jsonl", "scripted:gone.jsonl")
    notes: list[str] = []
    study = run_study(write_study(tmp_path, text), tmp_path / "out", note=notes.append)
    assert {label for label, state in states(study).items() if state == "missing"} == {
        "extract/second",
        "classify/cash",
    }
    assert not study.complete
    assert study.report is not None
    assert any(line.startswith("Run extract/second is missing: ") for line in study.report.missing)
    assert any(line.startswith("classify/cash: ") and "there is no such file" in line for line in notes)
    assert rows(table(study, "accuracy"), "model")[0] == ("revenue",)


def test_a_slot_is_left_out_and_said(out: Path, other: Callable[[str], Path]) -> None:
    study = run_study(other(STUDY.replace('model = "scripted:cash.jsonl"', 'slot = "a model of cash"')), out)
    assert "classify/cash" not in states(study)
    assert study.report is not None
    assert "1 slot of the study file has no model yet." in study.report.missing
    assert table(study, "study-runs").rows[-1][0] == "cash"
    assert table(study, "study-runs").rows[-1][-1] == "1 slot: a model of cash"


def test_without_gold_the_extractions_are_made_and_the_lack_is_told(tmp_path: Path) -> None:
    study = run_study(write_study(tmp_path, STUDY.replace("gold.jsonl", "later.jsonl")), tmp_path / "out")
    assert states(study)["extract/first"] == "made"
    assert {one.reason for one in study.outcomes if one.run.kind == "classify"} == {
        "There is no gold file later.jsonl."
    }


def test_only_some_models_are_run_and_nothing_is_measured(tmp_path: Path) -> None:
    study = run_study(write_study(tmp_path), tmp_path / "out", only=["first", "cash"])
    assert list(states(study)) == ["extract/first", "extract/first-repeat-1", "classify/cash"]
    assert study.page is None
    assert not (tmp_path / "out" / "report.html").exists()
    with pytest.raises(InputError, match="'third' is no model of the study"):
        run_study(tmp_path / "study.toml", tmp_path / "out", only=["third"])


def test_a_run_with_other_settings_is_not_taken_for_the_one_that_is_asked_for(
    out: Path, other: Callable[[str], Path]
) -> None:
    study = run_study(other(STUDY.replace('guide = "none"', 'guide = "none"\nmax_tokens = 50')), out)
    reasons = {one.run.name: one.reason for one in study.outcomes if one.run.kind == "extract"}
    assert "max_tokens was 4096, now 50" in str(reasons["first"])
    assert str(reasons["first"]).endswith("Rename the model in the study file, or remove this run.")
    assert states(study)["classify/cash"] == "there"


def test_a_folder_with_anything_else_is_left_alone(
    made: tuple[Path, Study], out: Path, other: Callable[[str], Path], tmp_path: Path
) -> None:
    file = made[0] / "study.toml"
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="is a folder with other things in it"):
        run_study(file, tmp_path / "full")
    with pytest.raises(InputError, match="holds a run, a match or a corpus"):
        run_study(file, out / "corpus" / "study")
    with pytest.raises(InputError, match="holds study 'small', not 'other'"):
        run_study(other(STUDY.replace('name = "small"', 'name = "other"')), out)
    (out / "tables" / "mine.csv").write_text("a,b\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"holds 'mine\.csv'"):
        run_study(file, out)


def test_page_and_tables_name_no_folder_of_the_machine(
    made: tuple[Path, Study], out: Path, other: Callable[[str], Path]
) -> None:
    """What is in the study's folder is named from there, what is beside the study file from its folder."""
    file = other(STUDY.replace('name = "second"', 'name = "second"\nmax_tokens = 50'))
    study = run_study(file, out)
    assert study.report is not None
    assert any("runs/extract/second" in line for line in study.report.missing)
    assert any("--corpus corpus" in line for part in study.report.parts for line in part.text)
    assert ("scripted:first.jsonl",) in rows(table(study, "study-runs"), "model")
    for one in (out / "report.html", *(out / "tables").iterdir()):
        lines = one.read_text(encoding="utf-8").splitlines()
        # The first lines say by which command they were made, as it was given.
        told = [line for line in lines if "Made by" not in line]
        assert str(out) not in "".join(told)
        assert str(made[0]) not in "".join(told)


def test_what_an_earlier_call_measured_does_not_outlive_its_runs(out: Path, other: Callable[[str], Path]) -> None:
    assert (out / "panel" / "panel.csv").is_file()
    text = STUDY.replace("[extract]", "tokens = 900\n[extract]", 1).replace("gold.jsonl", "later.jsonl")
    study = run_study(other(text), out)
    assert set(states(study).values()) == {"missing"}
    assert list((out / "panel").iterdir()) == []
    assert not (out / "gold.jsonl").exists()
    assert "gold" not in json.loads((out / "study.json").read_text(encoding="utf-8"))["inputs"]


def test_a_study_says_what_it_is_before_its_corpus_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that another process, or the next after a stop, does not take it for a folder with other things in it."""

    def stop(*_: object) -> None:
        (tmp_path / "out" / "corpus").mkdir()
        raise KeyboardInterrupt

    file = write_study(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("fingreat.pipeline.study.flow.make_corpus", stop)
        with pytest.raises(KeyboardInterrupt):
            run_study(file, tmp_path / "out")
    assert run_study(file, tmp_path / "out", only=["cash"]).complete


def test_filings_that_the_study_does_not_name_are_refused(out: Path, other: Callable[[str], Path]) -> None:
    with pytest.raises(InputError, match=r"holds other filings than the study file names \(2010.txt is one\)"):
        run_study(other(STUDY.replace('"2010.txt", ', "")), out)


def test_a_source_that_was_edited_is_told_of_before_anything_is_added(
    made: tuple[Path, Study], out: Path, tmp_path: Path
) -> None:
    listed = (out / "corpus" / "filings.jsonl").read_bytes()
    here = tmp_path / "sources"
    shutil.copytree(made[0], here, ignore=shutil.ignore_patterns("out"))
    source = here / "2010.txt"
    source.write_bytes(source.read_bytes().replace(b"pumps", b"valves"))
    for look in (run_study, check_study):
        with pytest.raises(InputError, match=r"holds other filings than the study file names \(2010\.txt is one\)"):
            look(here / "study.toml", out)
    assert (out / "corpus" / "filings.jsonl").read_bytes() == listed


def test_a_damaged_record_and_a_place_that_is_taken_are_told(out: Path, made: tuple[Path, Study]) -> None:
    file = made[0] / "study.toml"
    (out / "gold.jsonl").unlink()
    (out / "gold.jsonl").mkdir()
    with pytest.raises(InputError, match="is no file of gold passages of a study"):
        run_study(file, out)
    shutil.rmtree(out / "panel")
    (out / "panel").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="is a file; the tables need a folder"):
        run_study(file, out)
    (out / "study.json").write_text('{"format": 1, "config": {"study": 5}}', encoding="utf-8")
    with pytest.raises(InputError, match="is not the record of a study"):
        run_study(file, out)


def test_two_gold_files_with_one_passage_are_refused(tmp_path: Path) -> None:
    file = write_study(tmp_path, STUDY.replace('["gold.jsonl"]', '["gold.jsonl", "again.jsonl"]'))
    shutil.copy(tmp_path / "gold.jsonl", tmp_path / "again.jsonl")
    with pytest.raises(InputError, match=r"has passage 'p1', which gold\.jsonl has too"):
        run_study(file, tmp_path / "out")


def test_a_reply_is_text_on_the_page_and_never_markup(
    made: tuple[Path, Study], out: Path, other: Callable[[str], Path]
) -> None:
    write_script(made[0] / "evil.jsonl", [{"text": '<script>alert(1)</script>{"edge": "REV-NNCA"}'}])
    added = '[[classify.models]]\nname = "evil"\nmodel = "scripted:evil.jsonl"\n[power]'
    study = run_study(other(STUDY.replace("[power]", added)), out)
    assert study.page is not None
    page = study.page.read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_two_processes_do_not_measure_one_study_at_once(out: Path, made: tuple[Path, Study]) -> None:
    with sole_owner(out):
        with pytest.raises(RunError, match="another process is working here"):
            run_study(made[0] / "study.toml", out)
        # Runs of some models are another machine's part of the work.
        assert run_study(made[0] / "study.toml", out, only=["cash"]).complete


def test_a_reference_that_read_less_is_said_to_stand_aside(made: tuple[Path, Study]) -> None:
    _, study = made
    assert study.report is not None
    told = {part.id for part in study.report.parts if "judge read fewer filings and stands aside here." in part.text}
    assert told == {"behavior", "noise", "tags", "panel"}


def test_a_full_disk_ends_all_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise StorageError("cannot write: the disk is full.")

    monkeypatch.setattr("fingreat.pipeline.study.flow.extract", full)
    with pytest.raises(StorageError):
        run_study(write_study(tmp_path), tmp_path / "out")
