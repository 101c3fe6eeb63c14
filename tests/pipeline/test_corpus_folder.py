"""What holds for a corpus folder whatever the stage: what it is, what is out of date, what heals it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pipeline_builders import html, submission

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
