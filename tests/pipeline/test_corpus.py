"""A corpus takes in what is a filing, says why the rest is not, loses nothing, and stays in its folder."""

from __future__ import annotations

import errno
import gzip
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
from pipeline_builders import SENTENCES, corpus_of, html, submission

from fingreat.errors import CorpusError, FingreatError, InputError, StorageError
from fingreat.pipeline import Corpus
from fingreat.runs import read_record_file
from fingreat.schema import Failure, Section, SectionStatus

ACCESSION = "0000000001-24-000005"
NO_ITEM = html().replace(b"Item 7. Management's Discussion and Analysis", b"Item 2. Properties")
POINTER = html(["The information required by this item appears in our annual report to shareholders, Exhibit 13."])


def failures(corpus: Corpus) -> list[Failure]:
    return [failure for _, failure in read_record_file(corpus.path / "failures.jsonl", Failure)]


def stages(corpus: Corpus) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads((corpus.path / "manifest.json").read_text())["stages"]
    return found


def tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_folders_are_searched_for_filings_other_files_are_counted_and_named_ones_are_taken_as_they_are(
    tmp_path: Path,
) -> None:
    source = tmp_path / "in"
    (source / "deep" / "er").mkdir(parents=True)
    (source / ".hidden").mkdir()
    (source / "a.htm").write_bytes(html(company="A"))
    (source / "deep" / "b.HTML").write_bytes(html(company="B"))
    (source / "deep" / "er" / "c.txt.gz").write_bytes(gzip.compress(submission(ACCESSION)))
    (source / "notes.md").write_bytes(html(company="C"))
    (source / "deep" / "b.pdf.gz").write_bytes(b"")
    (source / ".hidden" / "d.htm").write_bytes(html(company="D"))
    (tmp_path / "named.md").write_bytes(html(company="E"))
    corpus = Corpus(tmp_path / "corpus")
    seen: list[str] = []
    counts = corpus.add([source, tmp_path / "named.md"], on_file=lambda path: seen.append(path.name))
    assert counts == {"added": 4, "already_there": 0, "doubles": 0, "failed": 0, "passed_over": 2}
    assert seen == ["a.htm", "b.HTML", "c.txt.gz", "named.md"]
    filings = corpus.filings()
    assert len(filings) == 4
    for filing in filings:
        assert hashlib.sha256((corpus.path / filing.path).read_bytes()).hexdigest() == filing.sha256
    packed = filings[2]
    assert packed.id == ACCESSION
    assert packed.company == "PUMPS INC"
    assert packed.path == f"raw/{ACCESSION}/c.txt"
    assert (corpus.path / packed.path).read_bytes() == submission(ACCESSION)
    assert stages(corpus)["add"]["calls"][0]["counts"] == counts
    assert (stages(corpus)["add"]["filings"], stages(corpus)["add"]["added"]) == (4, 4)


def test_the_same_bytes_are_taken_once_whatever_they_are_called(tmp_path: Path) -> None:
    for name in ("a.htm", "b.htm"):
        (tmp_path / name).write_bytes(html())
    (tmp_path / "c.htm.gz").write_bytes(gzip.compress(html()))
    corpus = Corpus(tmp_path / "corpus")
    files = [tmp_path / name for name in ("a.htm", "b.htm", "c.htm.gz")]
    assert corpus.add(files) == {"added": 1, "already_there": 2, "doubles": 0, "failed": 0, "passed_over": 0}
    assert corpus.add(files) == {"added": 0, "already_there": 3, "doubles": 0, "failed": 0, "passed_over": 0}
    assert len(corpus.filings()) == 1


def test_the_same_accession_with_other_bytes_is_refused_and_the_first_stays(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(submission(ACCESSION))
    (tmp_path / "b.txt").write_bytes(submission(ACCESSION, ["Other words."]))
    corpus = Corpus(tmp_path / "corpus")
    counts = corpus.add([tmp_path / "a.txt", tmp_path / "b.txt"])
    assert counts == {"added": 1, "already_there": 0, "doubles": 0, "failed": 1, "passed_over": 0}
    assert (corpus.path / corpus.filings()[0].path).read_bytes() == submission(ACCESSION)
    assert [f.reason for f in failures(corpus)] == [f"accession {ACCESSION} is already in the corpus with other bytes."]


def test_what_is_no_filing_is_listed_with_the_reason_and_the_others_go_on(tmp_path: Path) -> None:
    bad = {
        "1-empty.htm": (b"", "empty"),
        "2-pdf.htm": (b"%PDF-1.4\n1 0 obj", "PDF"),
        "3-cut.htm.gz": (gzip.compress(html())[:-9], "gzip"),
        "4-block.htm": (b"<html><title>403 Forbidden</title></html>", "refused"),
        "5-nothing.htm": (b"<html><body></body></html>", "no text"),
    }
    for name, (data, _) in bad.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "0-good.htm").write_bytes(html())
    (tmp_path / "9-good.htm").write_bytes(html(company="B"))
    corpus = Corpus(tmp_path / "corpus")
    assert corpus.add([tmp_path]) == {"added": 2, "already_there": 0, "doubles": 0, "failed": 5, "passed_over": 0}
    listed = failures(corpus)
    assert [Path(failure.id).name for failure in listed] == list(bad)
    for failure, (_, word) in zip(listed, bad.values(), strict=True):
        assert word in failure.reason
        assert (failure.stage, failure.state) == ("add", "unreadable")


def test_failures_stay_until_their_own_file_is_added_again(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path / "corpus")
    first, second = tmp_path / "first.htm", tmp_path / "second.htm"
    first.write_bytes(b"%PDF-1.4")
    second.write_bytes(b"%PDF-1.5")
    corpus.add([first])
    corpus.add([second])
    assert [failure.id for failure in failures(corpus)] == [str(first), str(second)]
    first.write_bytes(html())
    assert corpus.add([first]) == {"added": 1, "already_there": 0, "doubles": 0, "failed": 0, "passed_over": 0}
    assert [failure.id for failure in failures(corpus)] == [str(second)]
    assert stages(corpus)["add"]["filings"] == 1


@pytest.mark.parametrize(
    "name",
    [
        b"sp ace.htm",
        b"a\nb.htm",
        "a\u2028b\x85c.htm".encode(),
        b"not-utf8-\xff.htm",
        b"n" * 251 + b".htm",
        "é".encode() * 120 + b".htm",
        b"..gz",
        b"...gz",
        b".gz",
        b"<img src=x>.htm",
        b"-rf.htm",
    ],
)
@pytest.mark.parametrize("data", [html(), b"%PDF-1.4"])
def test_a_file_with_an_odd_name_is_taken_or_listed_and_read_again(name: bytes, data: bytes, tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    path = Path(os.fsdecode(os.fsencode(source) + b"/" + name))
    path.write_bytes(data)
    corpus = Corpus(tmp_path / "out" / "corpus")
    counts = corpus.add([path])
    good = data == html()
    assert counts == {"added": int(good), "already_there": 0, "doubles": 0, "failed": int(not good), "passed_over": 0}
    assert len(failures(corpus)) == counts["failed"]
    counts = corpus.add([path])
    assert counts == {"added": 0, "already_there": int(good), "doubles": 0, "failed": int(not good), "passed_over": 0}
    assert corpus.make_sections("7")["found"] == int(good)
    assert corpus.make_sections("7")["found"] == int(good)
    assert tree(tmp_path / "out") == {"corpus"} | {f"corpus/{entry}" for entry in tree(corpus.path)}
    for filing in corpus.filings():
        stored = Path(filing.path)
        assert len(stored.parts) == 3
        assert (corpus.path / stored).read_bytes() == data


@pytest.mark.parametrize(
    "accession",
    [
        "../../../../evil",
        "0000000001-24-000005/../../../evil",
        "/evil/place",
        "..",
        "0000000001-24-000005\\..\\evil",
        "0000000001-24-00000\u0665",
    ],
)
def test_a_forged_header_cannot_leave_the_corpus_folder(accession: str, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    (inner / "in").mkdir(parents=True)
    (inner / "in" / "x.txt").write_bytes(submission(accession, company="../../../evil"))
    corpus = Corpus(inner / "corpus")
    assert corpus.add([inner / "in"])["added"] == 1
    assert corpus.make_sections("7")["found"] == 1
    assert {path.name for path in tmp_path.iterdir()} == {"inner"}
    assert {path.name for path in inner.iterdir()} == {"in", "corpus"}
    assert {path.name for path in (corpus.path / "raw").iterdir()} == {corpus.filings()[0].id}
    assert not any(part in ("..", "/") for part in Path(corpus.filings()[0].path).parts)


@pytest.mark.parametrize("item", ["../../evil", "", "/", "7/../..", "7 A", "seven", "..", "777"])
def test_an_item_that_is_no_item_is_refused_before_anything_is_written(item: str, tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    before = tree(tmp_path)
    with pytest.raises(InputError, match="is no item"):
        corpus.make_sections(item)
    with pytest.raises(InputError, match="is no item"):
        list(corpus.sections(item))
    assert tree(tmp_path) == before


def test_an_item_is_the_same_however_it_is_written(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    corpus.make_sections(" 7a ")
    assert [section.item for section in corpus.sections("7A")] == ["7A"]
    assert {path.name for path in (corpus.path / "sections").iterdir()} == {"7", "7A"}


def test_an_empty_folder_or_a_missing_path_is_one_clear_error_and_makes_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    corpus = Corpus(tmp_path / "corpus")
    with pytest.raises(InputError, match=r"empty: there is no filing to add.*\.htm, \.html"):
        corpus.add(path for path in [tmp_path / "empty"])
    with pytest.raises(InputError, match="no such file or folder"):
        corpus.add([tmp_path / "none"])
    with pytest.raises(InputError, match="no filing to add"):
        corpus.add([])
    assert not corpus.path.exists()


def test_statuses_are_counted_over_all_filings_and_failures_say_why(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, found=html(), absent=NO_ITEM, other=html(company="B"), pointer=POINTER)
    counts = corpus.make_sections("7")
    assert sum(counts.values()) == len(corpus.filings()) == 4
    assert counts == {"found": 2, "by_reference": 1, "absent": 1, "unreadable": 0}
    assert stages(corpus)["sections/7"] == {**counts, "tables": "markdown"}
    listed = failures(corpus)
    assert {failure.state for failure in listed} == {"absent", "by_reference"}
    assert all(failure.reason and failure.stage == "sections/7" for failure in listed)
    texts = {path.stem: path.read_text() for path in (corpus.path / "sections" / "7" / "text").iterdir()}
    assert texts == {section.filing_id: section.text for section in corpus.sections("7") if section.text}


def test_the_failures_of_one_item_do_not_replace_those_of_another(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=NO_ITEM, bad=b"%PDF-1.4")
    corpus.make_sections("7A")
    assert sorted(failure.stage for failure in failures(corpus)) == ["add", "sections/7", "sections/7A"]
    corpus.make_sections("7")
    assert sorted(failure.stage for failure in failures(corpus)) == ["add", "sections/7", "sections/7A"]


def test_a_second_call_does_only_what_is_missing(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(), b=html(company="B"))
    (tmp_path / "c.htm").write_bytes(html(company="C"))
    corpus.add([tmp_path / "c.htm"])
    part = corpus.path / "sections" / "7" / "part-00000.jsonl"
    before = part.read_bytes()
    # The last record is torn, as a kill in the middle of its line leaves it.
    part.write_bytes(before[:-10])
    seen: list[str] = []
    counts = corpus.make_sections("7", on_section=lambda section: seen.append(section.filing_id))
    ids = [filing.id for filing in corpus.filings()]
    assert seen == ids[1:]
    assert counts["found"] == 3
    assert part.read_bytes().startswith(before)
    assert [section.filing_id for section in corpus.sections("7")] == ids


def test_again_does_all_anew_and_leaves_no_old_text(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(), b=html(company="B"))
    changed = corpus.filings()[0]
    (corpus.path / changed.path).write_bytes(NO_ITEM)
    assert corpus.make_sections("7")["found"] == 2
    seen: list[Section] = []
    assert corpus.make_sections("7", again=True, on_section=seen.append)["unreadable"] == 1
    assert "SHA-256 differs" in failures(corpus)[0].reason
    assert len(seen) == 2
    assert [path.stem for path in (corpus.path / "sections" / "7" / "text").iterdir()] == [corpus.filings()[1].id]


def test_a_filing_whose_file_is_gone_is_unreadable_and_the_others_go_on(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(), b=html(company="B"))
    (corpus.path / corpus.filings()[0].path).unlink()
    counts = corpus.make_sections("7", again=True)
    assert (counts["unreadable"], counts["found"]) == (1, 1)
    assert ["file is gone" in failure.reason for failure in failures(corpus)] == [True]


def test_a_damaged_list_names_its_line(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(), b=html(company="B"))
    path = corpus.path / "filings.jsonl"
    good = path.read_bytes()
    for damage in (good.replace(b'"id"', b'"no"'), good + b"\xff\n", good + good.split(b"\n")[0]):
        path.write_bytes(damage)
        with pytest.raises(CorpusError, match=r"filings\.jsonl, line [13]: "):
            corpus.filings()
    # The last line counts even without a line end: it may come from an editor.
    path.write_bytes(good.rstrip(b"\n"))
    assert len(corpus.filings()) == 2


def test_what_is_no_corpus_says_how_to_make_one(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    for call in (corpus.filings, lambda: corpus.make_sections("7")):
        with pytest.raises(CorpusError, match=r"Make one with `fingreat corpus fetch`, `sample` or `add`\."):
            call()
    assert tree(tmp_path) == set()


def test_missing_sections_give_the_command(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    with pytest.raises(CorpusError) as caught:
        corpus.sections("1A")
    assert caught.value.hint == f"Make them with `fingreat corpus sections --corpus {corpus.path} --item 1A`."


@pytest.mark.parametrize(
    "content", [b"{", b"[]", b"{}", b'{"format": 1, "kind": "extract", "name": "run"}', b'{"format": 2, "stages": {}}']
)
def test_a_folder_with_another_manifest_is_refused_before_anything_is_written(content: bytes, tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    (corpus.path / "manifest.json").write_bytes(content)
    (tmp_path / "b.htm").write_bytes(html(company="B"))
    before = tree(tmp_path)
    for call in (lambda: corpus.add([tmp_path / "b.htm"]), lambda: corpus.make_sections("7A")):
        with pytest.raises(CorpusError):
            call()
    assert tree(tmp_path) == before
    assert len(corpus.filings()) == 1


def test_damaged_failures_are_one_clear_error(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html())
    (corpus.path / "failures.jsonl").write_bytes(b"{}\n")
    with pytest.raises(CorpusError, match=r"failures\.jsonl, line 1"):
        corpus.make_sections("7")


def test_a_full_disk_is_an_error_and_never_listed_as_a_bad_filing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        (tmp_path / f"{name}.htm").write_bytes(html(company=name))
    corpus = Corpus(tmp_path / "corpus")
    corpus.add([tmp_path / "a.htm"])
    fsync = os.fsync
    calls = 0

    def full(handle: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="the disk is full"):
        corpus.add([tmp_path])
    # The third sync is that of c's bytes: b was added, and stays so.
    assert len(corpus.filings()) == 2
    assert failures(corpus) == []
    monkeypatch.setattr(os, "fsync", fsync)
    counts = corpus.add([tmp_path / "b.htm", tmp_path / "c.htm"])
    assert counts == {"added": 1, "already_there": 1, "doubles": 0, "failed": 0, "passed_over": 0}


def test_an_interrupt_while_adding_keeps_what_was_added(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.htm").write_bytes(html(company=name))

    def stop(path: Path) -> None:
        if path.name == "c.htm":
            raise KeyboardInterrupt

    corpus = Corpus(tmp_path / "corpus")
    with pytest.raises(KeyboardInterrupt):
        corpus.add([tmp_path], on_file=stop)
    assert len(corpus.filings()) == 2
    files = [tmp_path / f"{name}.htm" for name in "abc"]
    assert corpus.add(files) == {"added": 1, "already_there": 2, "doubles": 0, "failed": 0, "passed_over": 0}
    assert corpus.make_sections("7")["found"] == 3


def test_two_filings_of_equal_words_stay_two(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=submission(ACCESSION), b=submission("0000000002-24-000006"))
    sections = list(corpus.sections("7"))
    assert [section.filing_id for section in sections] == [ACCESSION, "0000000002-24-000006"]
    assert sections[0].text == sections[1].text
    assert SENTENCES[3] in sections[0].text


def test_a_second_process_in_the_same_corpus_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = corpus_of(tmp_path, a=html())

    def inside(section: Section) -> None:
        with pytest.raises(FingreatError, match="another process is working here"):
            corpus.add([tmp_path / "source"])

    assert corpus.make_sections("7", again=True, on_section=inside)["found"] == 1


def test_a_real_filing_is_added_by_its_accession(shared: Path, tmp_path: Path) -> None:
    path = min((shared / "filings").rglob("*.txt.gz"), key=lambda file: file.stat().st_size)
    corpus = Corpus(tmp_path / "corpus")
    assert corpus.add([path])["added"] == 1
    counts = corpus.make_sections("7")
    assert sum(counts.values()) == 1
    assert next(corpus.sections("7")).status in set(SectionStatus)
