"""The indexes that a sample is drawn from: kept as they came, complete or said so, and never another's."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from sample_builders import (
    first_good,
    index_of,
    kept_ids,
    list_bytes,
    no_limit,
    other_forms,
    sampled,
    year_of_filings,
)
from servers.answers import (
    Answer,
    Fault,
    block_page,
    cut,
    denied,
    edited,
    instead,
    missing,
    shortened,
    typed,
    unavailable,
)
from servers.edgar import LocalEdgar
from servers.invented import invented_filings

from fingreat.errors import BlockedError, CorpusError, FingreatError, InputError, RemoteError
from fingreat.pipeline import Corpus
from fingreat.pipeline.sample import SampleProgress, read_drawn

__all__ = ["no_limit"]
pytestmark = pytest.mark.usefixtures("no_limit")

YEARS = (2003, 2004)
WORLD = {number: one for year in YEARS for number, one in year_of_filings(year).items()}
FILINGS = [one for one, _ in WORLD.values()]
SECOND = "/Archives/edgar/full-index/2003/QTR2/master.gz"
PATHS = [f"/Archives/edgar/full-index/{year}/QTR{quarter}/master.gz" for year in YEARS for quarter in (1, 2, 3, 4)]


@pytest.fixture
def edgar() -> Iterator[LocalEdgar]:
    with LocalEdgar(FILINGS) as server:
        yield server


def noted(folder: Path) -> dict[str, dict[str, object]]:
    stage = Corpus(folder).manifest()["stages"]["sample"]
    return {"indexes": stage["indexes"], "remarks": stage["remarks"]}


def received(folder: Path, day: str) -> None:
    """Have the kept answers say that they came on a day."""
    for part in (folder / "edgar" / "answers").glob("part-*.jsonl"):
        lines = [json.loads(line) | {"received": f"{day}T12:00:00Z"} for line in part.read_text("utf-8").splitlines()]
        part.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


def test_indexes_are_kept_byte_for_byte_with_their_digest_and_asked_for_once(tmp_path: Path, edgar: LocalEdgar) -> None:
    served: dict[str, bytes] = {}

    def note(answer: Answer) -> Answer:
        served[hashlib.sha256(answer.body).hexdigest()] = answer.body
        return answer

    edgar.fail(note, lambda path: path.endswith(".gz"))
    sampled(tmp_path, edgar, YEARS, 2)
    assert noted(tmp_path)["remarks"] == {}
    digests = noted(tmp_path)["indexes"]
    assert list(digests) == [path.lstrip("/") for path in PATHS]
    for path, digest in digests.items():
        data = (tmp_path / "edgar" / path).read_bytes()
        assert data == served[str(digest)]
        assert hashlib.sha256(data).hexdigest() == digest
    assert [edgar.log.count(path) for path in PATHS] == [1] * 8
    sampled(tmp_path, edgar, YEARS, 4)
    assert [edgar.log.count(path) for path in PATHS] == [1] * 8
    assert noted(tmp_path)["indexes"] == digests


@pytest.mark.parametrize("fault", [missing, denied], ids=["404", "403"])
def test_a_past_quarter_without_an_index_is_an_error_and_no_smaller_sample(
    fault: Fault, tmp_path: Path, edgar: LocalEdgar
) -> None:
    edgar.fail(fault, PATHS[6])
    with pytest.raises(RemoteError, match="EDGAR has no such index, which it should have") as caught:
        sampled(tmp_path, edgar, YEARS)
    assert caught.value.where == PATHS[6]
    assert list(read_drawn(tmp_path)) == []
    assert not (tmp_path / "filings.jsonl").exists()
    assert "sample" not in Corpus(tmp_path).manifest()["stages"]
    edgar.heal()
    sampled(tmp_path, edgar, YEARS)
    assert kept_ids(tmp_path) == [number for year in YEARS for number in first_good(WORLD, year, 7, 4)]


@pytest.mark.parametrize("fault", [missing, denied], ids=["404", "403"])
def test_quarters_before_edgars_own_beginning_may_lack_an_index(fault: Fault, tmp_path: Path) -> None:
    filings = invented_filings(1994, 12, paragraphs=1)
    absent = [f"/Archives/edgar/full-index/1994/QTR{quarter}/master.gz" for quarter in (1, 2)]
    notes: list[str] = []
    with LocalEdgar([*filings, *other_forms(1994)]) as edgar:
        for path in absent:
            edgar.fail(fault, path)
        sampled(tmp_path, edgar, (1994,), 2, progress=SampleProgress(note=notes.append))
        assert notes == [f"1994: EDGAR had no index of quarter {quarter} on 2010-06-01." for quarter in (1, 2)]
        assert all(filing.filed and filing.filed.month > 6 for filing in Corpus(tmp_path).filings())
        edgar.fail(missing, "/Archives/edgar/full-index/1994/QTR3/master.gz")
        with pytest.raises(RemoteError, match="which it should have"):
            sampled(tmp_path / "later", edgar, (1994,), 2)


def test_a_quarter_that_has_not_begun_and_one_that_is_not_over_are_said(tmp_path: Path, edgar: LocalEdgar) -> None:
    notes: list[str] = []
    filings = [one for one in FILINGS if one.filed < date(2003, 8, 1)]
    last = max(one.filed for one in filings)
    with LocalEdgar(filings) as half:
        sampled(tmp_path, half, (2003,), 2, today=date(2003, 8, 1), progress=SampleProgress(note=notes.append))
        assert half.log.count(PATHS[3]) == 0
    assert notes == [
        f"2003: the index of quarter 3 was not final on 2003-08-01: it reaches to {last}.",
        "2003: quarter 4 had not begun on 2003-08-01.",
    ]
    assert noted(tmp_path)["remarks"] == {"2003": [note.removeprefix("2003: ") for note in notes]}
    # What was drawn stays drawn from these indexes, whatever has come since, and that is said again.
    before, again = list_bytes(tmp_path), list[str]()
    received(tmp_path, "2003-08-01")
    sampled(tmp_path, edgar, (2003,), 2, today=date(2004, 2, 1), progress=SampleProgress(note=again.append))
    assert again == notes
    assert edgar.log.count() == 0
    assert list_bytes(tmp_path) == before
    sampled(tmp_path, edgar, (2003,), 3, today=date(2004, 2, 1))
    early = {number: one for number, one in WORLD.items() if one[0].filed < date(2003, 8, 1)}
    assert kept_ids(tmp_path) == first_good(early, 2003, 7, 3)
    assert not any(path in PATHS for path in (seen.path for seen in edgar.log.requests))


def test_an_index_that_was_not_final_is_asked_for_anew_until_filings_are_drawn_from_it(tmp_path: Path) -> None:
    early = [one for one in FILINGS if one.filed < date(2003, 8, 1)]
    with LocalEdgar(early) as edgar:
        edgar.fail(unavailable, lambda path: path.endswith(".txt"))
        counts = sampled(tmp_path, edgar, (2003,), 2, today=date(2003, 8, 1))
        assert counts["open"] == 2
        received(tmp_path, "2003-08-01")
        edgar.heal()
        edgar.add(FILINGS)
        edgar.log.clear()
        sampled(tmp_path, edgar, (2003,), 2, today=date(2004, 2, 1))
        # The first two quarters were final already.
        assert [edgar.log.count(path) for path in PATHS[:4]] == [0, 0, 1, 1]
    assert kept_ids(tmp_path) == first_good(WORLD, 2003, 7, 2)
    assert noted(tmp_path)["remarks"] == {}


def test_the_first_days_of_a_quarter_have_no_index_yet(tmp_path: Path, edgar: LocalEdgar) -> None:
    edgar.fail(missing, PATHS[3])
    notes: list[str] = []
    sampled(tmp_path, edgar, (2003,), 2, today=date(2003, 10, 2), progress=SampleProgress(note=notes.append))
    assert [note.split(" on ")[0] for note in notes] == [
        "2003: the index of quarter 3 was not final",
        "2003: EDGAR had no index of quarter 4",
    ]


def test_a_year_without_such_filings_is_an_error(tmp_path: Path, edgar: LocalEdgar) -> None:
    with pytest.raises(InputError, match="the indexes hold no 20-F of 2003") as caught:
        sampled(tmp_path, edgar, (2003,), forms=["20-F"])
    assert caught.value.where == "--years"
    with pytest.raises(InputError, match="hold no 10-K of 2012") as caught:
        sampled(tmp_path, edgar, (2003, 2012))
    assert caught.value.hint == "In 2012, quarter 1 had not begun on 2010-06-01."


RUBBISH = {
    "block page": (block_page, BlockedError, "refuses all requests"),
    "cut": (cut(0.5), RemoteError, "the connection broke"),
    "too short": (shortened(0.5), RemoteError, "is cut or damaged"),
    "web page": (typed("text/html"), RemoteError, "is of type text/html"),
    "empty": (instead(Answer(200, b"", "application/x-gzip")), RemoteError, "is empty"),
    "no gzip": (edited(lambda data: b"\x00" + data), RemoteError, "gzip"),
    "503": (unavailable, RemoteError, "status 503"),
    "another file": (edited(lambda data: gzip.compress(b"<html>Sorry.</html>\n")), InputError, "no index of EDGAR"),
    "no rows": (
        edited(lambda data: gzip.compress(gzip.decompress(data).replace(b"|edgar/data/", b"|../"))),
        InputError,
        "None of its rows can be read",
    ),
}


@pytest.mark.parametrize("what", RUBBISH)
def test_an_index_that_is_rubbish_gives_one_message_and_no_sample(what: str, tmp_path: Path, edgar: LocalEdgar) -> None:
    fault, kind, said = RUBBISH[what]
    edgar.fail(fault, SECOND)
    with pytest.raises(FingreatError, match=said) as caught:
        sampled(tmp_path, edgar, YEARS, pause=0.05)
    assert type(caught.value) is kind
    assert caught.value.hint
    assert list(read_drawn(tmp_path)) == []
    assert not any(seen.path.endswith(".txt") for seen in edgar.log.requests)
    edgar.heal()
    assert sampled(tmp_path, edgar, YEARS)["kept"] == 8


def test_rows_that_cannot_be_read_are_failures_with_file_and_line(tmp_path: Path, edgar: LocalEdgar) -> None:
    lost = first_good(WORLD, 2003, 7, 1)[0]
    path = next(path for path, quarter in zip(PATHS, (1, 2, 3, 4), strict=False) if _quarter(lost) == quarter)
    number = 0

    def spoil(packed: bytes) -> bytes:
        nonlocal number
        lines = gzip.decompress(packed).split(b"\n")
        number = next(place for place, line in enumerate(lines, 1) if lost.encode() in line)
        lines[number - 1] = lines[number - 1].replace(b"edgar/data/", b"../data/")
        return gzip.compress(b"\n".join(lines))

    edgar.fail(edited(spoil), path)
    sampled(tmp_path, edgar, (2003,))
    rest = {number: one for number, one in WORLD.items() if number != lost}
    assert kept_ids(tmp_path) == first_good(rest, 2003, 7, 4)
    (failure,) = Corpus(tmp_path).failures()
    assert failure.id == f"{path.lstrip('/')}, line {number}"
    assert (failure.stage, failure.state) == ("sample", "unreadable")
    assert failure.reason.startswith("its path is not edgar/data/CIK/ACCESSION.txt: ")
    # Said once, however often the command is repeated.
    sampled(tmp_path, edgar, (2003,))
    assert Corpus(tmp_path).failures() == [failure]


def _quarter(number: str) -> int:
    return (WORLD[number][0].filed.month + 2) // 3


def test_an_index_that_changed_since_is_refused(tmp_path: Path, edgar: LocalEdgar) -> None:
    sampled(tmp_path, edgar, YEARS, 2)
    before = list_bytes(tmp_path)
    kept = tmp_path / "edgar" / SECOND.lstrip("/")
    kept.unlink()
    # EDGAR has the same again: as if nothing had happened.
    sampled(tmp_path, edgar, YEARS, 2)
    data = kept.read_bytes()
    kept.write_bytes(data[:-10])
    edgar.add(invented_filings(2003, 3, first=500, paragraphs=1))
    with pytest.raises(CorpusError, match=r"is not the index that filings were drawn from") as caught:
        sampled(tmp_path, edgar, YEARS, 3)
    assert caught.value.where == str(kept)
    assert list_bytes(tmp_path) == before
    kept.write_bytes(data)
    sampled(tmp_path, edgar, YEARS, 3)
    assert kept_ids(tmp_path) == [number for year in YEARS for number in first_good(WORLD, year, 7, 3)]


def test_another_index_than_that_of_the_sample_is_refused(tmp_path: Path, edgar: LocalEdgar) -> None:
    sampled(tmp_path / "corpus", edgar, (2003,), 3)
    before = list_bytes(tmp_path / "corpus")
    # The same by another kind of index is the same.
    same, other = tmp_path / "same.idx", tmp_path / "other.idx"
    same.write_bytes(index_of([one for one in FILINGS if one.filed.year == 2003], "form"))
    sampled(tmp_path / "corpus", edgar, (2003,), 3, indexes=[same])
    assert list_bytes(tmp_path / "corpus") == before
    first = kept_ids(tmp_path / "corpus")[0]
    other.write_bytes(index_of([one for one in FILINGS if one.filed.year == 2003 and one.accession != first], "form"))
    with pytest.raises(CorpusError, match="which the indexes at hand do not give"):
        sampled(tmp_path / "corpus", edgar, (2003,), 3, indexes=[other])
    assert list_bytes(tmp_path / "corpus") == before
    sampled(tmp_path / "corpus", edgar, (2003,), 4)
    assert kept_ids(tmp_path / "corpus") == first_good(WORLD, 2003, 7, 4)


def test_index_files_at_hand_are_copied_and_may_have_one_name(tmp_path: Path, edgar: LocalEdgar) -> None:
    paths = []
    for year in YEARS:
        path = tmp_path / str(year) / "master.idx"
        path.parent.mkdir()
        path.write_bytes(index_of([one for one in FILINGS if one.filed.year == year], "master"))
        paths.append(path)
    packed = tmp_path / "again.gz"
    packed.write_bytes(gzip.compress(paths[0].read_bytes()))
    sampled(tmp_path / "corpus", edgar, YEARS, indexes=[*paths, packed])
    digests = noted(tmp_path / "corpus")["indexes"]
    assert sorted(map(str, digests.values())) == sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in paths)
    for place, digest in digests.items():
        assert place.startswith("given/")
        assert place.endswith("-master.idx")
        assert hashlib.sha256((tmp_path / "corpus" / "edgar" / place).read_bytes()).hexdigest() == digest
    # Both copies together are the sample again; a file that comes twice counts once.
    copies = [tmp_path / "corpus" / "edgar" / place for place in digests]
    sampled(tmp_path / "other", edgar, YEARS, indexes=copies)
    assert list_bytes(tmp_path / "other") == list_bytes(tmp_path / "corpus")
    assert [row["rows"] for row in Corpus(tmp_path / "corpus").manifest()["stages"]["sample"]["by_year"].values()] == [
        14,
        14,
    ]


def test_index_files_that_are_none_or_lack_a_year_are_refused(tmp_path: Path, edgar: LocalEdgar) -> None:
    page, one = tmp_path / "page.html", tmp_path / "form.idx"
    page.write_bytes(b"<html>\n")
    one.write_bytes(index_of([one for one in FILINGS if one.filed.year == 2003], "form"))
    folder = tmp_path / "corpus"
    for paths, said in (
        ([tmp_path / "none.idx"], "there is no such file"),
        ([one, page], "This is no index of EDGAR"),
        ([one], "the index files hold no 10-K of 2004-2006"),
        ([tmp_path], "This is a folder"),
    ):
        with pytest.raises(InputError, match=said) as caught:
            sampled(folder, edgar, (2003, 2004, 2005, 2006), indexes=paths)
        assert caught.value.where
        assert caught.value.hint
    assert not any("page" in path.name for path in folder.rglob("*"))
    assert list(read_drawn(folder)) == []
    assert edgar.log.count() == 0


def test_a_quarter_that_index_files_say_nothing_of_is_said(tmp_path: Path, edgar: LocalEdgar) -> None:
    path = tmp_path / "three.idx"
    three = [one for one in FILINGS if one.filed.year == 2003 and one.filed.month > 3]
    path.write_bytes(index_of(three, "form"))
    notes: list[str] = []
    sampled(tmp_path / "c", edgar, (2003,), 2, indexes=[path], progress=SampleProgress(note=notes.append))
    assert notes == ["2003: the index files hold no 10-K of quarter 1."]


def test_names_of_index_files_never_leave_the_folder(tmp_path: Path, edgar: LocalEdgar) -> None:
    path = tmp_path / "..\\..\\evil\n.idx"
    path.write_bytes(index_of([one for one in FILINGS if one.filed.year == 2003], "form"))
    sampled(tmp_path / "c" / "d", edgar, (2003,), 2, indexes=[path])
    copies = list((tmp_path / "c" / "d" / "edgar" / "given").iterdir())
    assert len(copies) == 1
    assert "\n" not in copies[0].name
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([path.name, "c"])
