"""What is there is not asked for again; what is not whole, or cannot be read, is told apart from it."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from fetch_builders import as_served, asked, asking, everything, failed, fetched, listed, raw_files, unlimited
from hypothesis import given, settings
from hypothesis import strategies as st
from servers.answers import delayed, missing, threshold, unavailable
from servers.edgar import LocalEdgar
from servers.invented import invented_filings

from fingreat.edgar.remote.addresses import Named
from fingreat.errors import BlockedError, RunError, StorageError
from fingreat.pipeline import Corpus
from fingreat.pipeline import downloads as downloads_module
from fingreat.pipeline.fetch import FetchProgress, Selection, fetch
from fingreat.pipeline.reading import Examined

pytestmark = pytest.mark.usefixtures("unlimited")
__all__ = ["unlimited"]

FILINGS = invented_filings(2003, 8)
PICTURE = invented_filings(2003, 1, first=21, variants=("unreadable",))[0]
NUMBERS = [filing.accession for filing in FILINGS]


@pytest.fixture(scope="module")
def serving() -> Iterator[LocalEdgar]:
    with LocalEdgar([*FILINGS, PICTURE]) as server:
        yield server


@pytest.fixture
def edgar(serving: LocalEdgar) -> LocalEdgar:
    serving.heal()
    serving.log.clear()
    return serving


def selection(*accessions: str) -> Selection:
    return Selection(tuple(Named("accession", accession=accession) for accession in accessions))


def file_of(folder: Path, accession: str) -> Path:
    return folder / "raw" / accession / f"{accession}.txt"


def test_nothing_is_asked_for_twice(tmp_path: Path, edgar: LocalEdgar) -> None:
    fetched(tmp_path, edgar, *NUMBERS)
    before = everything(tmp_path)
    edgar.log.clear()
    counts = fetched(tmp_path, edgar, *NUMBERS)
    assert (counts["already_there"], counts["bytes"]) == (8, 0)
    assert edgar.log.count() == 0
    assert everything(tmp_path) == before


def test_files_that_are_whole_but_not_listed_are_only_read(tmp_path: Path, edgar: LocalEdgar) -> None:
    fetched(tmp_path, edgar, *NUMBERS)
    before = everything(tmp_path)
    edgar.log.clear()
    # As after a kill before the list was written.
    (tmp_path / "filings.jsonl").unlink()
    counts = fetched(tmp_path, edgar, *NUMBERS)
    assert counts["already_there"] == 8
    assert edgar.log.count() == 0
    assert everything(tmp_path) == before


@pytest.mark.parametrize("listed_first", [True, False])
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:-20],
        lambda data: data[20:],
        lambda data: b"",
        lambda data: b"\n" * 100,
        lambda data: data.replace(b"0009900001-03-000001", b"0009900002-03-000001"),
        lambda data: b"<html><title>Request Rate Threshold Exceeded</title></html>",
    ],
)
def test_a_file_that_is_not_whole_is_fetched_again(
    tmp_path: Path, edgar: LocalEdgar, damage: object, listed_first: bool
) -> None:
    right = as_served(FILINGS[0])[f"{NUMBERS[0]}/{NUMBERS[0]}.txt"]
    if listed_first:
        fetched(tmp_path, edgar, NUMBERS[0])
        edgar.log.clear()
    path = file_of(tmp_path, NUMBERS[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(damage(right))  # type: ignore[operator]
    counts = fetched(tmp_path, edgar, NUMBERS[0])
    assert counts["fetched"] == 1
    assert asked(edgar) == {edgar.path(FILINGS[0]): 1}
    assert path.read_bytes() == right


def test_a_file_that_has_changed_within_is_fetched_again_once_it_is_removed_as_its_failure_says(
    tmp_path: Path, edgar: LocalEdgar
) -> None:
    fetched(tmp_path, edgar, NUMBERS[0])
    corpus, path = Corpus(tmp_path), file_of(tmp_path, NUMBERS[0])
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + b"#" + data[len(data) // 2 + 1 :])
    assert corpus.make_sections("7")["unreadable"] == 1
    assert "remove it and fetch the filing again by its accession number" in corpus.failures()[0].reason
    path.unlink()
    assert fetched(tmp_path, edgar, NUMBERS[0])["fetched"] == 1
    assert raw_files(tmp_path) == as_served(FILINGS[0])
    assert corpus.make_sections("7")["found"] == 1


def test_a_file_that_is_gone_is_fetched_again(tmp_path: Path, edgar: LocalEdgar) -> None:
    fetched(tmp_path, edgar, *NUMBERS)
    file_of(tmp_path, NUMBERS[3]).unlink()
    edgar.log.clear()
    counts = fetched(tmp_path, edgar, *NUMBERS)
    assert (counts["fetched"], counts["already_there"]) == (1, 7)
    assert asked(edgar) == {edgar.path(FILINGS[3]): 1}
    assert raw_files(tmp_path) == as_served(*FILINGS)


@pytest.mark.parametrize("name", ["full-submission.txt", f"{NUMBERS[0]}.txt", f"{NUMBERS[0]}.htm"])
def test_what_was_added_is_there_unless_it_is_half_a_submission(tmp_path: Path, edgar: LocalEdgar, name: str) -> None:
    right = as_served(FILINGS[0])[f"{NUMBERS[0]}/{NUMBERS[0]}.txt"]
    document = FILINGS[0].documents[0].text.encode()
    for number, (content, there) in enumerate([(right, True), (document, True), (right[:-30], False)]):
        if content is document and name == "full-submission.txt":
            continue
        path = tmp_path / str(number) / NUMBERS[0] / name
        path.parent.mkdir(parents=True)
        path.write_bytes(content if there else right)
        corpus = Corpus(tmp_path / f"corpus-{number}")
        assert corpus.add([path])["added"] == 1
        if not there:
            (corpus.path / listed(corpus.path)[NUMBERS[0]].path).write_bytes(content)
        edgar.log.clear()
        assert fetched(corpus.path, edgar, NUMBERS[0])["already_there"] == there
        assert edgar.log.count() == (0 if there else 1)
        stored = (corpus.path / listed(corpus.path)[NUMBERS[0]].path).read_bytes()
        assert stored == (content if there else right)


def test_a_large_file_is_judged_by_its_ends(tmp_path: Path) -> None:
    large = as_served(*invented_filings(2003, 1, paragraphs=1000))
    data = next(iter(large.values()))
    assert len(data) > 2 * 64 * 1024
    path = tmp_path / "file.txt"
    for content, whole in ((data, True), (data[:-1000], False), (data[1000:], False), (data[: len(data) // 2], False)):
        path.write_bytes(content)
        assert downloads_module.is_whole(path, NUMBERS[0]) is whole
        assert not downloads_module.is_whole(path, NUMBERS[1])


def test_a_whole_filing_that_cannot_be_read_stays_and_is_read_again_without_asking(
    tmp_path: Path, edgar: LocalEdgar, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = fetched(tmp_path, edgar, PICTURE.accession, NUMBERS[0])
    assert (counts["fetched"], counts["failed"]) == (1, 1)
    failure = failed(tmp_path)[PICTURE.accession]
    assert failure.state == "unreadable"
    assert "no document with text" in failure.reason
    assert raw_files(tmp_path) == as_served(PICTURE, FILINGS[0])
    assert list(listed(tmp_path)) == [NUMBERS[0]]
    edgar.log.clear()
    for _ in range(2):
        counts = fetched(tmp_path, edgar, PICTURE.accession)
        assert (counts["failed"], counts["bytes"]) == (1, 0)
        assert set(failed(tmp_path)) == {PICTURE.accession}
    assert edgar.log.count() == 0

    # A later version may be able to.
    def read(known: object, path: Path) -> Examined:
        record = listed(tmp_path)[NUMBERS[0]]
        return Examined("x", record.model_copy(update={"id": PICTURE.accession, "company": path.name}))

    monkeypatch.setattr(downloads_module, "examine", read)
    assert fetched(tmp_path, edgar, PICTURE.accession)["already_there"] == 1
    assert listed(tmp_path)[PICTURE.accession].company == f"{PICTURE.accession}.txt"
    assert not failed(tmp_path)
    assert edgar.log.count() == 0


def test_a_filing_on_which_reading_itself_fails_is_a_failure_and_stays(
    tmp_path: Path, edgar: LocalEdgar, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = downloads_module.examine

    def fails(known: frozenset[str], path: Path) -> Examined:
        if NUMBERS[2] in path.name:
            raise ZeroDivisionError("on purpose")
        return right(known, path)

    monkeypatch.setattr(downloads_module, "examine", fails)
    counts = fetched(tmp_path, edgar, *NUMBERS)
    assert (counts["fetched"], counts["failed"]) == (7, 1)
    assert failed(tmp_path)[NUMBERS[2]].state == "unreadable"
    assert "ZeroDivisionError (on purpose)" in failed(tmp_path)[NUMBERS[2]].reason
    assert raw_files(tmp_path) == as_served(*FILINGS)


@settings(max_examples=12)
@given(kinds=st.lists(st.sampled_from(["new", "there", "cut", "missing", "broken", "picture"]), max_size=8))
def test_every_mix_of_outcomes_adds_up(
    tmp_path_factory: pytest.TempPathFactory, serving: LocalEdgar, kinds: list[str]
) -> None:
    serving.heal()
    folder = tmp_path_factory.mktemp("mix")
    names = [PICTURE.accession if kind == "picture" else NUMBERS[place] for place, kind in enumerate(kinds)]
    there = [name for name, kind in zip(names, kinds, strict=True) if kind in ("there", "cut")]
    if there:
        fetched(folder, serving, *there)
    for place, kind in enumerate(kinds):
        if kind == "cut":
            path = file_of(folder, NUMBERS[place])
            path.write_bytes(path.read_bytes()[:-100])
        elif kind in ("missing", "broken"):
            serving.fail(missing if kind == "missing" else unavailable, serving.path(FILINGS[place]))
    # Every kind but "picture" has a filing of its own.
    pictures = min(1, kinds.count("picture"))
    counts = fetched(folder, serving, *names, "NOPE")
    assert counts["asked"] == len(kinds) - kinds.count("picture") + pictures
    assert counts["fetched"] == kinds.count("new") + kinds.count("cut")
    assert counts["already_there"] == kinds.count("there")
    assert counts["failed"] == kinds.count("missing") + kinds.count("broken") + pictures
    assert len(failed(folder)) == counts["failed"] + 1
    whole = [FILINGS[place] for place, kind in enumerate(kinds) if kind in ("new", "there", "cut")]
    assert raw_files(folder) == as_served(*whole, *[PICTURE] * pictures)
    assert set(listed(folder)) == {one.accession for one in whole}


@pytest.mark.parametrize("workers", [1, 2])
def test_after_a_block_that_goes_on_what_came_before_is_listed_and_the_same_call_goes_on(
    tmp_path: Path, edgar: LocalEdgar, workers: int
) -> None:
    edgar.fail(threshold, lambda path: not any(number in path for number in NUMBERS[:3]))
    with pytest.raises(BlockedError, match="refusals in a row"), asking(edgar) as client:
        fetch(Corpus(tmp_path), client, selection(*NUMBERS), workers=workers)
    assert list(listed(tmp_path)) == NUMBERS[:3]
    assert raw_files(tmp_path) == as_served(*FILINGS[:3])
    edgar.heal()
    edgar.log.clear()
    counts = fetched(tmp_path, edgar, *NUMBERS)
    assert (counts["asked"], counts["fetched"], counts["already_there"]) == (8, 5, 3)
    assert len(asked(edgar)) == 5
    assert raw_files(tmp_path) == as_served(*FILINGS)


@pytest.mark.parametrize("workers", [1, 2])
def test_on_a_full_disk_what_came_before_is_listed(
    tmp_path: Path, edgar: LocalEdgar, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    right = downloads_module.write_atomic

    def full(path: Path, data: bytes) -> None:
        if NUMBERS[4] in path.name:
            raise StorageError("cannot write: the disk is full.", where=str(path), retryable=True)
        right(path, data)

    monkeypatch.setattr(downloads_module, "write_atomic", full)
    with pytest.raises(StorageError, match="the disk is full"), asking(edgar) as client:
        fetch(Corpus(tmp_path), client, selection(*NUMBERS), workers=workers)
    assert list(listed(tmp_path)) == NUMBERS[:4]
    monkeypatch.undo()
    assert fetched(tmp_path, edgar, *NUMBERS)["asked"] == 8
    assert raw_files(tmp_path) == as_served(*FILINGS)


def test_the_list_is_written_while_filings_come(
    tmp_path: Path, edgar: LocalEdgar, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The function has the module's name.
    monkeypatch.setattr(import_module("fingreat.pipeline.fetch"), "_LIST_EVERY", 3)
    seen: list[int] = []
    path = tmp_path / "filings.jsonl"
    progress = FetchProgress(filing=lambda _: seen.append(len(path.read_bytes().splitlines()) if path.exists() else 0))
    with asking(edgar) as client:
        fetch(Corpus(tmp_path), client, selection(*NUMBERS), progress=progress)
    assert seen == [0, 0, 0, 3, 3, 3, 6, 6]


def test_what_comes_after_an_interrupt_is_not_written(tmp_path: Path, edgar: LocalEdgar) -> None:
    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    edgar.fail(delayed(1.8), lambda path: NUMBERS[0] not in path)
    with asking(edgar) as client, pytest.raises(KeyboardInterrupt):
        fetch(Corpus(tmp_path), client, selection(*NUMBERS), progress=FetchProgress(filing=interrupt))
    assert list(listed(tmp_path)) == NUMBERS[:1]
    # By now the corpus may belong to another process.
    time.sleep(1.8)
    assert edgar.log.completed() > 1
    assert raw_files(tmp_path) == as_served(FILINGS[0])


def test_what_a_kill_left_of_a_file_is_cleared_away(tmp_path: Path, edgar: LocalEdgar) -> None:
    path = file_of(tmp_path, NUMBERS[0])
    path.parent.mkdir(parents=True)
    path.with_name(f".{path.name}.abcdefgh.part").write_bytes(b"half")
    fetched(tmp_path, edgar, NUMBERS[0])
    assert raw_files(tmp_path) == as_served(FILINGS[0])


def test_downloads_overlap(tmp_path: Path, edgar: LocalEdgar) -> None:
    edgar.fail(delayed(0.5))
    started = time.monotonic()
    fetched(tmp_path, edgar, *NUMBERS)
    # One after the other: 4 s. Four at a time: 1 s.
    assert 1.0 <= time.monotonic() - started < 3.0
    assert raw_files(tmp_path) == as_served(*FILINGS)


def test_a_second_process_is_told_that_another_one_works_there(tmp_path: Path, edgar: LocalEdgar) -> None:
    edgar.fail(delayed(2.0))
    first = threading.Thread(target=fetched, args=(tmp_path, edgar, NUMBERS[0]))
    first.start()
    assert edgar.log.wait_for(1)
    command = [sys.executable, "-m", "fingreat", "corpus", "fetch", "--corpus", tmp_path, "--accession", NUMBERS[1]]
    command += ["--base-url", edgar.base, "--identity", "Test Person test@university.example"]
    second = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    with pytest.raises(RunError, match="another process is working here"):
        fetched(tmp_path, edgar, NUMBERS[1])
    first.join()
    assert second.returncode == 2
    assert second.stderr.startswith(f"error: {tmp_path}: another process is working here.\n")
    assert asked(edgar) == {edgar.path(FILINGS[0]): 1}
    assert raw_files(tmp_path) == as_served(FILINGS[0])


def test_what_a_filing_of_the_same_number_was_replaced_by_is_its_new_bytes(tmp_path: Path) -> None:
    with LocalEdgar(FILINGS[:1]) as edgar:
        fetched(tmp_path, edgar, NUMBERS[0])
        old = listed(tmp_path)[NUMBERS[0]]
        file_of(tmp_path, NUMBERS[0]).unlink()
        newer = replace(FILINGS[0], documents=FILINGS[0].documents[:1])
        edgar.add([newer])
        fetched(tmp_path, edgar, NUMBERS[0])
    new = listed(tmp_path)[NUMBERS[0]]
    assert new.sha256 != old.sha256
    assert raw_files(tmp_path) == as_served(newer)
