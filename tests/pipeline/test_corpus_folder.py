"""What holds for a corpus folder whatever the stage: what it is, what is out of date, what heals it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pipeline_builders import corpus_of, html, submission

from fingreat.errors import CorpusError
from fingreat.pipeline import Corpus
from fingreat.pipeline.corpus_folder import failure_of

ACCESSION, OTHER = "0000000001-24-000005", "0000000002-24-000007"


def test_a_file_is_no_corpus_whatever_is_done_with_it(tmp_path: Path) -> None:
    (tmp_path / "afile").write_text("mine")
    (tmp_path / "a.htm").write_bytes(html())
    corpus = Corpus(tmp_path / "afile")
    for call in (corpus.filings, lambda: corpus.add([tmp_path / "a.htm"]), lambda: corpus.make_sections("7")):
        with pytest.raises(CorpusError) as caught:
            call()
        assert str(caught.value) == f"{tmp_path / 'afile'}: is a file; a corpus is a folder."
    assert (tmp_path / "afile").read_text() == "mine"


def test_a_filing_that_was_added_is_no_failure_to_fetch_any_more(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path / "corpus")
    (tmp_path / "a.txt").write_bytes(submission(ACCESSION))
    (tmp_path / "b.txt").write_bytes(submission(OTHER))
    corpus.add([tmp_path / "b.txt"])
    with corpus.held() as held:
        # The other one's exhibits could not be fetched: it is there, and they are not.
        held.finish("fetch", {}, [failure_of("fetch", one, "not_fetched", "late") for one in (ACCESSION, OTHER)])
        held.finish("sections/7", {}, [failure_of("sections/7", ACCESSION, "absent", "none")])
    corpus.add([tmp_path / "a.txt"])
    assert [(one.stage, one.id) for one in corpus.failures()] == [("fetch", OTHER), ("sections/7", ACCESSION)]


def test_bytes_whose_stored_file_is_gone_are_stored_again_and_what_was_learnt_stays(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=submission(ACCESSION), b=html())
    with corpus.held() as held:
        held.filings[ACCESSION] = held.filings[ACCESSION].model_copy(update={"total_assets": 77})
        held.write_list()
    before = corpus.filings()
    for filing in before:
        (corpus.path / filing.path).unlink()
    assert corpus.make_sections("7", again=True)["unreadable"] == 2
    reasons = [one.reason for one in corpus.failures()]
    assert all("the stored file is gone; fetch the filing again" in reason for reason in reasons)
    # One keeps its name, one has another: it is the bytes that count.
    (tmp_path / "source" / "b.htm").rename(tmp_path / "source" / f"{OTHER}.htm")
    assert corpus.add([tmp_path / "source"])["added"] == 2
    after = corpus.filings()
    assert [one.model_copy(update={"path": ""}) for one in after] == [
        one.model_copy(update={"path": ""}) for one in before
    ]
    assert corpus.make_sections("7")["found"] == 2
    assert corpus.failures() == []
    assert corpus.add([tmp_path / "source"])["already_there"] == 2


def test_a_stored_file_that_has_changed_says_how_it_is_healed_and_is_so(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=submission(ACCESSION))
    stored = corpus.path / corpus.filings()[0].path
    right = stored.read_bytes()
    stored.write_bytes(right.replace(b"demand", b"damage"))
    assert corpus.make_sections("7", again=True)["unreadable"] == 1
    reason = corpus.failures()[0].reason
    assert "SHA-256 differs; remove it and fetch the filing again by its accession number, add its file" in reason
    stored.unlink()
    assert corpus.add([tmp_path / "source" / "a.htm"])["added"] == 1
    assert stored.read_bytes() == right
    assert corpus.make_sections("7")["found"] == 1
