"""A study is run, stopped and run again: what is there is never asked again, and what is missing is told."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pipeline_builders import Watching
from study_builders import STUDY, rows, states, table, write_script, write_study

from fingreat.errors import InputError, RunError, StorageError
from fingreat.pipeline.progress import Progress
from fingreat.pipeline.study.check import check_study
from fingreat.pipeline.study.flow import Study, run_study
from fingreat.runs import read_records, sole_owner
from fingreat.schema import GoldPassage, Reply


def test_a_part_that_was_not_asked_for_says_so_and_is_not_missing(made_study: tuple[Path, Study]) -> None:
    _, study = made_study
    assert study.report is not None
    parts = {part.id: part for part in study.report.parts}
    assert parts["reviewers"].text == ("Not asked for: the study has no reviews.",)
    assert parts["stability"].text == ("Not asked for: the study has no model of both tasks.",)
    assert study.report.missing == ()


@pytest.mark.usefixtures("no_engine")
def test_a_second_run_makes_no_back_end_and_gives_the_same_tables(
    made_study: tuple[Path, Study], study_out: Path
) -> None:
    again = run_study(made_study[0] / "study.toml", study_out)
    assert set(states(again).values()) == {"there"}
    for id_ in ("agreement", "noise-floor", "accuracy"):
        assert table(again, id_) == table(made_study[1], id_)


def test_gold_has_the_same_bytes_in_every_process(made_study: tuple[Path, Study]) -> None:
    """A set of edges has no order of its own: the file lists them sorted."""
    lines = (made_study[0] / "out" / "gold.jsonl").read_text(encoding="utf-8").splitlines()
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


def test_a_slot_is_left_out_and_said(study_out: Path, other_study: Callable[[str], Path]) -> None:
    study = run_study(
        other_study(STUDY.replace('model = "scripted:cash.jsonl"', 'slot = "a model of cash"')), study_out
    )
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
    study_out: Path, other_study: Callable[[str], Path]
) -> None:
    study = run_study(other_study(STUDY.replace('guide = "none"', 'guide = "none"\nmax_tokens = 50')), study_out)
    reasons = {one.run.name: one.reason for one in study.outcomes if one.run.kind == "extract"}
    assert "max_tokens was 4096, now 50" in str(reasons["first"])
    assert str(reasons["first"]).endswith("Rename the model in the study file, or remove this run.")
    assert states(study)["classify/cash"] == "there"


def test_a_folder_with_anything_else_is_left_alone(
    made_study: tuple[Path, Study], study_out: Path, other_study: Callable[[str], Path], tmp_path: Path
) -> None:
    file = made_study[0] / "study.toml"
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="is a folder with other things in it"):
        run_study(file, tmp_path / "full")
    with pytest.raises(InputError, match="holds a run, a match or a corpus"):
        run_study(file, study_out / "corpus" / "study")
    with pytest.raises(InputError, match="holds study 'small', not 'other'"):
        run_study(other_study(STUDY.replace('name = "small"', 'name = "other"')), study_out)
    (study_out / "tables" / "mine.csv").write_text("a,b\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"holds 'mine\.csv'"):
        run_study(file, study_out)


def test_page_and_tables_name_no_folder_of_the_machine(
    made_study: tuple[Path, Study], study_out: Path, other_study: Callable[[str], Path]
) -> None:
    """What is in the study's folder is named from there, what is beside the study file from its folder."""
    file = other_study(STUDY.replace('name = "second"', 'name = "second"\nmax_tokens = 50'))
    study = run_study(file, study_out)
    assert study.report is not None
    assert any("runs/extract/second" in line for line in study.report.missing)
    assert any("--corpus corpus" in line for part in study.report.parts for line in part.text)
    assert ("scripted:first.jsonl",) in rows(table(study, "study-runs"), "model")
    for one in (study_out / "report.html", *(study_out / "tables").iterdir()):
        lines = one.read_text(encoding="utf-8").splitlines()
        # The first lines say by which command they were made_study, as it was given.
        told = [line for line in lines if "Made by" not in line]
        assert str(study_out) not in "".join(told)
        assert str(made_study[0]) not in "".join(told)


def test_what_an_earlier_call_measured_does_not_outlive_its_runs(
    study_out: Path, other_study: Callable[[str], Path]
) -> None:
    assert (study_out / "panel" / "panel.csv").is_file()
    text = STUDY.replace("[extract]", "tokens = 900\n[extract]", 1).replace("gold.jsonl", "later.jsonl")
    study = run_study(other_study(text), study_out)
    assert set(states(study).values()) == {"missing"}
    assert list((study_out / "panel").iterdir()) == []
    assert not (study_out / "gold.jsonl").exists()
    assert "gold" not in json.loads((study_out / "study.json").read_text(encoding="utf-8"))["inputs"]


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


def test_filings_that_the_study_does_not_name_are_refused(study_out: Path, other_study: Callable[[str], Path]) -> None:
    with pytest.raises(InputError, match=r"holds other filings than the study file names \(2010.txt is one\)"):
        run_study(other_study(STUDY.replace('"2010.txt", ', "")), study_out)


def test_a_source_that_was_edited_is_told_of_before_anything_is_added(
    made_study: tuple[Path, Study], study_out: Path, tmp_path: Path
) -> None:
    listed = (study_out / "corpus" / "filings.jsonl").read_bytes()
    here = tmp_path / "sources"
    shutil.copytree(made_study[0], here, ignore=shutil.ignore_patterns("out"))
    source = here / "2010.txt"
    source.write_bytes(source.read_bytes().replace(b"pumps", b"valves"))
    for look in (run_study, check_study):
        with pytest.raises(InputError, match=r"holds other filings than the study file names \(2010\.txt is one\)"):
            look(here / "study.toml", study_out)
    assert (study_out / "corpus" / "filings.jsonl").read_bytes() == listed


def test_a_damaged_record_and_a_place_that_is_taken_are_told(study_out: Path, made_study: tuple[Path, Study]) -> None:
    file = made_study[0] / "study.toml"
    (study_out / "gold.jsonl").unlink()
    (study_out / "gold.jsonl").mkdir()
    with pytest.raises(InputError, match="is no file of gold passages of a study"):
        run_study(file, study_out)
    shutil.rmtree(study_out / "panel")
    (study_out / "panel").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="is a file; the tables need a folder"):
        run_study(file, study_out)
    (study_out / "study.json").write_text('{"format": 1, "config": {"study": 5}}', encoding="utf-8")
    with pytest.raises(InputError, match="is not the record of a study"):
        run_study(file, study_out)


def test_two_gold_files_with_one_passage_are_refused(tmp_path: Path) -> None:
    file = write_study(tmp_path, STUDY.replace('["gold.jsonl"]', '["gold.jsonl", "again.jsonl"]'))
    shutil.copy(tmp_path / "gold.jsonl", tmp_path / "again.jsonl")
    with pytest.raises(InputError, match=r"has passage 'p1', which gold\.jsonl has too"):
        run_study(file, tmp_path / "out")


def test_a_reply_is_text_on_the_page_and_never_markup(
    made_study: tuple[Path, Study], study_out: Path, other_study: Callable[[str], Path]
) -> None:
    write_script(made_study[0] / "evil.jsonl", [{"text": '<script>alert(1)</script>{"edge": "REV-NNCA"}'}])
    added = '[[classify.models]]\nname = "evil"\nmodel = "scripted:evil.jsonl"\n[power]'
    study = run_study(other_study(STUDY.replace("[power]", added)), study_out)
    assert study.page is not None
    page = study.page.read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_two_processes_do_not_measure_one_study_at_once(study_out: Path, made_study: tuple[Path, Study]) -> None:
    with sole_owner(study_out):
        with pytest.raises(RunError, match="another process is working here"):
            run_study(made_study[0] / "study.toml", study_out)
        # Runs of some models are another machine's part of the work.
        assert run_study(made_study[0] / "study.toml", study_out, only=["cash"]).complete


def test_a_reference_that_read_less_is_said_to_stand_aside(made_study: tuple[Path, Study]) -> None:
    _, study = made_study
    assert study.report is not None
    told = {part.id for part in study.report.parts if "judge read fewer filings and stands aside here." in part.text}
    assert told == {"behavior", "noise", "tags", "panel"}


def test_a_full_disk_ends_all_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise StorageError("cannot write: the disk is full.")

    monkeypatch.setattr("fingreat.pipeline.study.flow.extract", full)
    with pytest.raises(StorageError):
        run_study(write_study(tmp_path), tmp_path / "out")
