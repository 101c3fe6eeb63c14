"""What a report leaves on disk, and the places where it is not written."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest
from measured_builders import FIRST, A, B, gold_of, ids, run_of, two_filings

from fingreat.errors import InputError, StorageError
from fingreat.pipeline import Corpus
from fingreat.pipeline.report import build_report, write_report
from fingreat.runs import RunFolder


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return two_filings(tmp_path)


@pytest.fixture
def runs(tmp_path: Path, corpus: Corpus) -> tuple[RunFolder, RunFolder]:
    return run_of(corpus, tmp_path / "out" / "a", A), run_of(corpus, tmp_path / "out" / "b", B)


def test_everything_is_written_and_the_files_say_the_same(
    tmp_path: Path, corpus: Corpus, runs: tuple[RunFolder, RunFolder]
) -> None:
    out = tmp_path / "report"
    page = write_report(build_report(runs, corpus, gold=gold_of(FIRST, 0)), out)
    assert page == out / "report.html"
    report = build_report(runs, corpus)
    (out / "tables" / "mine.csv").write_text("x")
    write_report(report, out)
    tables, figures = ids(report)
    # Tables of an earlier report that this one lacks are gone, what is not ours stays.
    assert {path.stem for path in (out / "tables").iterdir()} == tables | {"mine"}
    assert {path.stem for path in (out / "figures").iterdir()} == figures
    assert {path.name for path in out.iterdir()} == {"report.html", "graph.svg", "tables", "figures"}
    with (out / "tables" / "agreement.csv").open(newline="") as file:
        first = next(csv.DictReader(file))
    assert (first["matched"], first["recall k"], first["recall n"], float(first["recall"])) == ("4", "4", "5", 0.8)
    text = page.read_text()
    assert "Evidence in Item 7 of 2 filings" in text
    # Neither a company's name nor a tag is markup.
    assert "<i>INC</i>" not in text
    assert "<b>paid</b>" not in text
    assert "&lt;b&gt;paid&lt;/b&gt; [red]" in text


def test_a_place_that_is_taken_is_refused(tmp_path: Path, corpus: Corpus, runs: tuple[RunFolder, RunFolder]) -> None:
    report = build_report(runs, corpus)
    file = tmp_path / "file"
    file.write_text("x")
    for place, words in (
        (file, "is a file"),
        (runs[0].path, "is a run or a corpus"),
        (corpus.path, "is a run or a corpus"),
        (runs[0].path / "done" / "report", "which holds a run, a match or a corpus"),
        (corpus.path / "report", "which holds a run, a match or a corpus"),
    ):
        before = sorted(place.rglob("*"))
        with pytest.raises(InputError, match=words):
            write_report(report, place)
        assert sorted(place.rglob("*")) == before
        assert place.exists() == (place in (file, runs[0].path, corpus.path))
    assert file.read_text() == "x"


def test_what_stands_in_the_place_of_a_reports_folder_is_told_before_anything_is_lost(
    tmp_path: Path, corpus: Corpus, runs: tuple[RunFolder, RunFolder]
) -> None:
    report = build_report(runs, corpus)
    out = tmp_path / "report"
    write_report(report, out)
    shutil.rmtree(out / "tables")
    (out / "tables").write_text("no folder")
    with pytest.raises(InputError, match="is no folder of a report"):
        write_report(report, out)
    assert (out / "report.html").exists()


def test_a_refused_write_leaves_no_page(tmp_path: Path, corpus: Corpus, runs: tuple[RunFolder, RunFolder]) -> None:
    report = build_report(runs, corpus)
    out = tmp_path / "report"
    write_report(report, out)
    (out / "tables" / "volume.csv").unlink()
    (out / "tables" / "volume.csv").mkdir()
    with pytest.raises((InputError, StorageError), match="volume"):
        write_report(report, out)
    # A page that stands there says that all of its files do.
    assert not (out / "report.html").exists()
    assert not list(out.rglob(".*.part"))
