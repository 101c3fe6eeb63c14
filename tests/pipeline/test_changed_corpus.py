"""A corpus that changes between two calls of a run: nothing is left out in silence, counted twice or mixed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from pipeline_builders import (
    CONFIG,
    Counting,
    assert_counts_add_up,
    corpus_of,
    extractions_of_run,
    html,
    replies_of_run,
)

from fingreat.errors import CorpusError
from fingreat.pipeline import Corpus, extract
from fingreat.runs import RunFolder
from fingreat.schema import SectionStatus


def grow(corpus: Corpus, folder: Path) -> None:
    (folder / "more.htm").write_bytes(html(company="MORE"))
    corpus.add([folder / "more.htm"])


def test_filings_whose_section_was_not_looked_for_are_never_left_out_in_silence(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    backend = Counting()
    extract(corpus, CONFIG, tmp_path / "run", backend=backend)
    before = (tmp_path / "run" / "manifest.json").read_bytes()
    grow(corpus, tmp_path)
    for out in ("run", "new"):
        with pytest.raises(CorpusError, match="1 of 2 filings have no section record for item 7") as caught:
            extract(corpus, CONFIG, tmp_path / out, backend=backend)
        assert "fingreat corpus sections --corpus" in str(caught.value)
    # The finished run is as it was, and no new folder was begun.
    assert (tmp_path / "run" / "manifest.json").read_bytes() == before
    assert RunFolder(tmp_path / "run").verify() == []
    assert not (tmp_path / "new").exists()


def test_a_run_over_a_corpus_that_grew_asks_what_is_new_only(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    backend = Counting()
    first = extract(corpus, CONFIG, tmp_path / "run", backend=backend)
    old = extractions_of_run(tmp_path / "run")
    grow(corpus, tmp_path)
    corpus.make_sections("7")
    second = extract(corpus, CONFIG, tmp_path / "run", backend=backend)
    assert_counts_add_up(second, tmp_path / "run")
    assert set(backend.asked.values()) == {1}
    assert second.counts["requests"] > first.counts["requests"]
    assert extractions_of_run(tmp_path / "run")[: len(old)] == old
    assert set(second.inputs) == {filing.id for filing in corpus.filings()}


def test_a_filing_taken_off_the_list_plays_no_part(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(), b=html(company="B"))
    path = corpus.path / "filings.jsonl"
    path.write_bytes(path.read_bytes().split(b"\n")[1] + b"\n")
    manifest = extract(corpus, CONFIG, tmp_path / "run", backend=Counting())
    assert_counts_add_up(manifest, tmp_path / "run")
    (left,) = corpus.filings()
    assert manifest.counts["filings"] == 1
    assert set(manifest.inputs) == {left.id}
    assert {extraction.filing_id for extraction in extractions_of_run(tmp_path / "run")} == {left.id}


def test_a_section_that_is_there_twice_is_never_counted_twice(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    part = corpus.path / "sections" / "7" / "part-00000.jsonl"
    part.write_bytes(part.read_bytes() * 2)
    with pytest.raises(CorpusError, match="has two section records of filing") as caught:
        extract(corpus, CONFIG, tmp_path / "run", backend=Counting())
    assert "--again" in str(caught.value)
    corpus.make_sections("7", again=True)
    assert_counts_add_up(extract(corpus, CONFIG, tmp_path / "run", backend=Counting()), tmp_path / "run")


def test_a_section_that_changed_is_asked_anew_and_old_replies_count_no_more(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    backend = Counting()
    first = extract(corpus, CONFIG, tmp_path / "run", backend=backend)
    part = corpus.path / "sections" / "7" / "part-00000.jsonl"
    part.write_bytes(part.read_bytes().replace(b"Net sales of line 11 rose", b"Net sales of line 11 fell"))
    second = extract(corpus, CONFIG, tmp_path / "run", backend=backend)
    assert len(backend.asked) == first.counts["requests"] + 1
    assert second.counts["requests"] == second.counts["replies"] == first.counts["requests"]
    assert second.counts["prompt_tokens"] == first.counts["prompt_tokens"]
    # The reply to the old words was asked for, and is said beside the result.
    assert "unused" not in first.counts
    assert second.counts["unused"]["requests"] == 1
    assert second.inputs != first.inputs
    assert len(replies_of_run(tmp_path / "run")) == first.counts["requests"] + 1
    text = next(corpus.sections("7")).text
    for extraction in extractions_of_run(tmp_path / "run"):
        assert [text[start:end] for start, end in extraction.ranges] == [extraction.quote]


def test_a_filing_that_could_not_be_read_is_tried_again(tmp_path: Path) -> None:
    (tmp_path / "a.htm").write_bytes(html())
    corpus = Corpus(tmp_path / "corpus")
    corpus.add([tmp_path / "a.htm"])
    (stored,) = (corpus.path / "raw").rglob("a.htm")
    away = tmp_path / "away"
    stored.rename(away)
    assert corpus.make_sections("7")["unreadable"] == 1
    assert [section.status for section in corpus.sections("7")] == [SectionStatus.UNREADABLE]
    assert corpus.make_sections("7")["unreadable"] == 1
    away.rename(stored)
    assert corpus.make_sections("7") == {"found": 1, "by_reference": 0, "absent": 0, "unreadable": 0}
    assert [section.status for section in corpus.sections("7")] == [SectionStatus.FOUND]
    assert not (corpus.path / "failures.jsonl").read_text()


def test_a_filing_with_other_bytes_is_read_anew_and_its_old_section_plays_no_part(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(), b=html(company="B"))
    first, second = corpus.filings()
    longer = (corpus.path / first.path).read_bytes().replace(b"</body>", b"<p>One more line.</p></body>")
    (corpus.path / first.path).write_bytes(longer)
    changed = first.model_copy(update={"sha256": hashlib.sha256(longer).hexdigest()})
    lines = "".join(filing.model_dump_json() + "\n" for filing in (changed, second))
    (corpus.path / "filings.jsonl").write_text(lines, encoding="utf-8")
    read: list[str] = []
    counts = corpus.make_sections("7", on_section=lambda section: read.append(section.filing_id))
    assert (counts["found"], read) == (2, [first.id])
    sections = {section.filing_id: section.filing_sha256 for section in corpus.sections("7")}
    assert sections == {first.id: changed.sha256, second.id: second.sha256}
    assert len(list(corpus.sections("7"))) == 2
