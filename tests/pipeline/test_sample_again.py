"""A sample whose surroundings change: readers that die, stored files that are gone, cut, or links to elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from sample_builders import asking, kept_ids, list_bytes, no_limit, other_forms, sampled
from servers.answers import edited, forbidden, redirected, unavailable
from servers.edgar import LocalEdgar
from servers.invented import invented_filings

from fingreat.pipeline import Corpus, sample
from fingreat.pipeline.downloads import Stored, raw_path
from fingreat.pipeline.reading import Examined
from fingreat.pipeline.sample import examine_drawn, read_drawn
from fingreat.pipeline.workers import Lost

__all__ = ["no_limit"]

FILINGS = (*invented_filings(2003, 9, paragraphs=1), *other_forms(2003))


@pytest.fixture
def edgar(no_limit: None) -> Iterator[LocalEdgar]:
    with LocalEdgar(FILINGS) as server:
        yield server


def failing(dies: set[str], corpus: Path, item: str, stored: Stored) -> Examined | Lost:
    if stored.path and stored.path.stem in dies:
        raise MemoryError
    return examine_drawn(corpus, item, stored)


def test_a_filing_whose_reader_dies_keeps_its_place(
    tmp_path: Path, edgar: LocalEdgar, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader without memory or time is this machine's fault: another would draw another sample."""
    sampled(tmp_path / "whole", edgar)
    right = kept_ids(tmp_path / "whole")
    with monkeypatch.context() as patch:
        patch.setattr(sample, "examine_drawn", partial(failing, {right[1]}))
        counts = sampled(tmp_path / "one", edgar)
    assert (counts["kept"], counts["open"], counts["replaced"]) == (3, 1, 0)
    assert kept_ids(tmp_path / "one") == [number for number in right if number != right[1]]
    (failure,) = Corpus(tmp_path / "one").failures()
    assert (failure.id, failure.state) == (right[1], "not_read")
    edgar.log.clear()
    assert sampled(tmp_path / "one", edgar)["kept"] == 4
    assert edgar.log.count() == 0
    assert list_bytes(tmp_path / "one") == list_bytes(tmp_path / "whole")


@pytest.mark.parametrize("fault", [redirected("https://www.sec.gov/"), forbidden], ids=["redirect", "403"])
def test_what_something_refuses_keeps_its_place(fault: object, tmp_path: Path, edgar: LocalEdgar) -> None:
    sampled(tmp_path / "whole", edgar)
    right = kept_ids(tmp_path / "whole")
    paths = {one.accession: edgar.path(one) for one in FILINGS}
    edgar.fail(fault, paths[right[2]])
    counts = sampled(tmp_path / "one", edgar)
    assert (counts["kept"], counts["open"], counts["replaced"]) == (3, 1, 0)
    edgar.heal()
    assert sampled(tmp_path / "one", edgar)["kept"] == 4
    assert list_bytes(tmp_path / "one") == list_bytes(tmp_path / "whole")


def test_stored_files_that_are_gone_or_cut_are_fetched_again(tmp_path: Path, edgar: LocalEdgar) -> None:
    sampled(tmp_path, edgar)
    before = list_bytes(tmp_path)
    gone, cut = (tmp_path / raw_path(number) for number in kept_ids(tmp_path)[:2])
    bytes_before = gone.read_bytes(), cut.read_bytes()
    gone.unlink()
    cut.write_bytes(bytes_before[1][:500])
    edgar.fail(unavailable, lambda path: gone.name in path)
    counts = sampled(tmp_path, edgar, whole=False)
    assert (counts["kept"], counts["open"]) == (3, 1)
    assert cut.read_bytes() == bytes_before[1]
    assert not gone.exists()
    (failure,) = Corpus(tmp_path).failures()
    assert failure.id == gone.stem
    assert failure.reason.startswith("its file is gone, and ")
    edgar.heal()
    assert sampled(tmp_path, edgar)["kept"] == 4
    assert gone.read_bytes() == bytes_before[0]
    assert list_bytes(tmp_path) == before


def test_a_file_that_edgar_has_changed_since_is_not_taken_for_the_one_drawn(tmp_path: Path, edgar: LocalEdgar) -> None:
    sampled(tmp_path, edgar)
    gone = tmp_path / raw_path(kept_ids(tmp_path)[0])
    gone.unlink()
    edgar.fail(
        edited(lambda data: data.replace(b"</SEC-DOCUMENT>", b"\n</SEC-DOCUMENT>")), lambda path: gone.name in path
    )
    counts = sampled(tmp_path, edgar, whole=False)
    assert (counts["kept"], counts["open"]) == (3, 1)
    (failure,) = Corpus(tmp_path).failures()
    assert (failure.id, failure.state) == (gone.stem, "changed")
    assert sum(drawn.filing is not None for drawn in read_drawn(tmp_path)) == 4


@pytest.mark.parametrize("planted", ["folder", "file"])
def test_nothing_is_written_through_a_link_in_raw(planted: str, tmp_path: Path, edgar: LocalEdgar) -> None:
    sampled(tmp_path / "whole", edgar)
    number = kept_ids(tmp_path / "whole")[0]
    outside = tmp_path / "outside"
    outside.mkdir()
    precious = outside / f"{number}.txt"
    precious.write_bytes(b"precious")
    folder = tmp_path / "one" / "raw" / number
    folder.parent.mkdir(parents=True)
    if planted == "folder":
        folder.symlink_to(outside)
    else:
        folder.mkdir()
        (folder / precious.name).symlink_to(precious)
    counts = sampled(tmp_path / "one", edgar)
    assert (counts["kept"], counts["open"]) == (3, 1)
    assert precious.read_bytes() == b"precious"
    assert [path.name for path in outside.iterdir()] == [precious.name]
    assert asking(edgar).requests == 0
