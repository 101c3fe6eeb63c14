"""What the runs of a study read: a sample of EDGAR's filings, an existing corpus."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_builders import IDENTITY, no_limit, other_forms, year_of_filings
from servers.edgar import LocalEdgar
from study_builders import STUDY, write_study

from fingreat.errors import CorpusError, InputError
from fingreat.pipeline import Corpus
from fingreat.pipeline.study.flow import run_study
from fingreat.pipeline.study.loading import load_study
from fingreat.pipeline.study.sources import corpus_to_look_at, lacking, make_corpus

__all__ = ["no_limit"]
FILES = 'files = ["2010.txt", "2015.txt", "2020.txt"]'
SAMPLE = '[corpus.sample]\nyears = "2004"\nper_year = 2\nseed = 1\n[extract]'


@pytest.mark.usefixtures("no_limit")
def test_a_sample_is_drawn_completed_and_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = load_study(write_study(tmp_path, STUDY.replace(FILES, "").replace("[extract]", SAMPLE, 1))).corpus
    filings = [filing for filing, _ in year_of_filings(2004).values()]
    monkeypatch.setenv("EDGAR_IDENTITY", IDENTITY)
    with LocalEdgar([*filings, *other_forms(2004)]) as edgar:
        monkeypatch.setenv("EDGAR_BASE_URL", edgar.base)
        corpus = make_corpus(part, tmp_path / "out", lambda line: None)
        stages = corpus.manifest()["stages"]
        assert (stages["sample"]["kept"], stages["sample"]["complete"], stages["enrich"]["filings"]) == (2, True, 2)
        assert len(list(corpus.sections("7"))) == 2
    # The server is gone, and nothing more is asked of it.
    assert make_corpus(part, tmp_path / "out", lambda line: None).filings() == corpus.filings()
    assert lacking(part, corpus) is None
    assert lacking(part.model_copy(update={"sample": None, "folder": corpus.path}), corpus) is None
    more = part.sample and part.sample.model_copy(update={"seed": 2})
    assert lacking(part.model_copy(update={"sample": more}), corpus) == "is a sample with seed 1."


def test_edgar_is_not_asked_by_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = load_study(write_study(tmp_path, STUDY.replace(FILES, "").replace("[extract]", SAMPLE, 1))).corpus
    monkeypatch.delenv("EDGAR_IDENTITY", raising=False)
    with pytest.raises(InputError, match=r"(?i)identity|who asks"):
        make_corpus(part, tmp_path / "out", lambda line: None)
    with corpus_to_look_at(part, tmp_path / "out") as corpus:
        assert corpus is None


def test_an_existing_corpus_is_read_where_it_is_and_must_have_the_item(tmp_path: Path) -> None:
    file = write_study(tmp_path, STUDY.replace(FILES, 'folder = "mine"'))
    corpus = Corpus(tmp_path / "mine")
    corpus.add([tmp_path / f"{year}.txt" for year in (2010, 2015, 2020)])
    with pytest.raises(CorpusError, match="has no sections for item 7"):
        run_study(file, tmp_path / "out", only=["cash"])
    corpus.make_sections("7")
    assert run_study(file, tmp_path / "out", only=["cash"]).complete
    assert not (tmp_path / "out" / "corpus").exists()


def test_a_file_that_came_later_is_added(tmp_path: Path) -> None:
    fewer = write_study(tmp_path, STUDY.replace(', "2020.txt"', ""))
    assert run_study(fewer, tmp_path / "out", only=["second"]).complete
    study = run_study(write_study(tmp_path), tmp_path / "out", only=["second"])
    assert study.outcomes[0].state == "made"
    assert study.outcomes[0].manifest is not None
    assert len(study.outcomes[0].manifest.inputs) == 3


def test_a_file_that_is_no_filing_is_told_of_and_alone_is_no_corpus(tmp_path: Path) -> None:
    file = write_study(tmp_path, STUDY.replace('"2020.txt"', '"2020.txt", "note.txt"'))
    (tmp_path / "note.txt").write_bytes(b"")
    study = run_study(file, tmp_path / "out")
    assert study.complete
    assert study.report is not None
    (told,) = study.report.missing
    assert told.startswith("note.txt is not in the corpus: ")
    assert run_study(file, tmp_path / "out", only=["cash"]).outcomes[0].state == "there"
    with pytest.raises(CorpusError, match=r"note\.txt is no filing: The file is empty"):
        run_study(write_study(tmp_path, STUDY.replace(FILES, 'files = ["note.txt"]')), tmp_path / "other")
