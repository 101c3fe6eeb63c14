"""The manifest notes how a corpus was filled: every selection once, with its counts over all of its calls."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fetch_builders import asking, fetched, unlimited
from pipeline_builders import html
from sample_builders import other_forms, sampled
from servers.answers import forbidden, unavailable
from servers.edgar import LocalEdgar
from servers.invented import invented_company, invented_filing, invented_filings

from fingreat.edgar.remote.addresses import Named
from fingreat.errors import CorpusError
from fingreat.pipeline import Corpus
from fingreat.pipeline.calls import listed, with_call
from fingreat.pipeline.fetch import FetchProgress, Selection, fetch

pytestmark = pytest.mark.usefixtures("unlimited")
__all__ = ["unlimited"]

FILINGS = invented_filings(2003, 4)
COMPANY = invented_company(1)
LATER = invented_filing(COMPANY, 2004)
NUMBERS = [filing.accession for filing in FILINGS]


@pytest.fixture(scope="module")
def serving() -> Iterator[LocalEdgar]:
    with LocalEdgar([*FILINGS, LATER, *other_forms(2003)]) as server:
        yield server


@pytest.fixture
def edgar(serving: LocalEdgar) -> LocalEdgar:
    serving.heal()
    serving.log.clear()
    return serving


def noted(folder: Path, stage: str = "fetch") -> dict[str, Any]:
    found: dict[str, Any] = Corpus(folder).manifest()["stages"][stage]
    return found


def counts_of(call: dict[str, Any]) -> tuple[int, int, int, int]:
    counts = call["counts"]
    return counts["asked"], counts["fetched"], counts["already_there"], counts["failed"]


def test_a_repeat_takes_nothing_away_from_what_was_noted(tmp_path: Path, edgar: LocalEdgar) -> None:
    edgar.fail(unavailable, edgar.path(FILINGS[3]))
    fetched(tmp_path, edgar, *NUMBERS)
    assert [counts_of(call) for call in noted(tmp_path)["calls"]] == [(4, 3, 0, 1)]
    edgar.heal()
    for _ in range(2):
        fetched(tmp_path, edgar, *NUMBERS)
        assert [counts_of(call) for call in noted(tmp_path)["calls"]] == [(4, 4, 0, 0)]
    assert {key: noted(tmp_path)[key] for key in ("filings", "fetched", "failed")} == {
        "filings": 4,
        "fetched": 4,
        "failed": 0,
    }
    size = sum(path.stat().st_size for path in (tmp_path / "raw").rglob("*.txt"))
    assert noted(tmp_path)["calls"][0]["counts"]["bytes"] == size


def test_every_selection_is_noted_as_it_was_meant(tmp_path: Path, edgar: LocalEdgar) -> None:
    fetched(tmp_path, edgar, NUMBERS[1], NUMBERS[1])
    fetched(tmp_path, edgar, COMPANY.cik, years=[2004], forms=["10-K405", "20-F"], amendments=True)
    fetched(tmp_path, edgar, COMPANY.tickers[0], NUMBERS[1], forms=["20-F"])
    fetched(tmp_path, edgar, COMPANY.cik, years=[2003, 2004], forms=["20-F"])
    first, second, third, fourth = noted(tmp_path)["calls"]
    digest = hashlib.sha256(f"{NUMBERS[1]}\n".encode()).hexdigest()
    # Forms and years choose among a company's filings only.
    assert {key: first[key] for key in first if key != "counts"} == {
        "names": [NUMBERS[1]],
        "names_in_all": 1,
        "names_sha256": digest,
        "exhibits": False,
    }
    assert (second["names"], second["years"], second["amendments"]) == ([COMPANY.cik], [2004], True)
    assert second["forms"] == ["10-K405", "20-F", "10-K405/A", "20-F/A"]
    assert (third["names"], third["years"], third["forms"]) == ([COMPANY.tickers[0], NUMBERS[1]], None, ["20-F"])
    assert fourth["years"] == [2003, 2004]
    assert (noted(tmp_path)["fetched"], noted(tmp_path)["failed"]) == (1, 2)


def test_of_many_names_the_first_are_noted_and_all_are_told_apart() -> None:
    names = [str(number) for number in range(1000)]
    some = listed("names", names)
    assert some["names"] == names[:100]
    assert some["names_in_all"] == 1000
    assert some["names_sha256"] == hashlib.sha256("".join(f"{name}\n" for name in names).encode()).hexdigest()
    assert listed("names", [*names[:-1], "x"])["names_sha256"] != some["names_sha256"]


def test_what_is_fetched_anew_counts_as_asked_anew_so_that_counts_add_up() -> None:
    counts = {"asked": 3, "fetched": 3, "already_there": 0, "failed": 0, "bytes": 30}
    calls = with_call([], {"names": ["1"]}, counts, "fetched")
    again = {"asked": 3, "fetched": 1, "already_there": 2, "failed": 0, "bytes": 10}
    (call,) = with_call(calls, {"names": ["1"]}, again, "fetched")
    assert call == {
        "names": ["1"],
        "counts": {"asked": 4, "fetched": 4, "already_there": 0, "failed": 0, "bytes": 40},
    }
    assert calls[0]["counts"] == counts


def test_what_came_before_an_interrupt_is_noted_with_its_failures(tmp_path: Path, edgar: LocalEdgar) -> None:
    def stop(accession: str) -> None:
        if accession == NUMBERS[1]:
            raise KeyboardInterrupt

    edgar.fail(forbidden, edgar.path(FILINGS[0]))
    selection = Selection(tuple(Named("accession", accession=number) for number in NUMBERS))
    with asking(edgar) as client, pytest.raises(KeyboardInterrupt):
        fetch(Corpus(tmp_path), client, selection, progress=FetchProgress(filing=stop))
    assert [counts_of(call) for call in noted(tmp_path)["calls"]] == [(2, 1, 0, 1)]
    assert [failure.id for failure in Corpus(tmp_path).failures()] == [NUMBERS[0]]
    edgar.heal()
    fetched(tmp_path, edgar, *NUMBERS)
    (call,) = noted(tmp_path)["calls"]
    assert (call["counts"]["asked"], call["counts"]["failed"]) == (4, 0)
    assert Corpus(tmp_path).failures() == []


def test_paths_that_were_added_are_noted_and_a_repeat_takes_nothing_away(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.htm").write_bytes(html(company=name))
    (tmp_path / "d.htm").write_bytes(b"%PDF-1.4")
    corpus = Corpus(tmp_path / "corpus")
    first, rest = [tmp_path / "a.htm"], [tmp_path / f"{name}.htm" for name in "bcd"]
    for paths in (first, rest, rest):
        corpus.add(paths)
    one, two = noted(corpus.path, "add")["calls"]
    assert (one["paths"], one["paths_in_all"], one["counts"]["added"]) == ([str(tmp_path / "a.htm")], 1, 1)
    assert two["paths"] == [str(path) for path in rest]
    assert two["counts"] == {"added": 2, "already_there": 0, "doubles": 0, "failed": 1, "passed_over": 0}
    assert {key: noted(corpus.path, "add")[key] for key in ("filings", "added", "failed")} == {
        "filings": 3,
        "added": 3,
        "failed": 1,
    }


def test_what_was_added_before_an_interrupt_is_noted(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.htm").write_bytes(html(company=name))
    corpus = Corpus(tmp_path / "corpus")

    def stop(path: Path) -> None:
        if path.name == "c.htm":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        corpus.add([tmp_path / f"{name}.htm" for name in "abc"], stop)
    corpus.add([tmp_path / f"{name}.htm" for name in "abc"])
    (call,) = noted(corpus.path, "add")["calls"]
    assert (call["counts"]["added"], call["counts"]["already_there"]) == (3, 0)


def test_a_sample_takes_no_filing_that_it_did_not_draw(tmp_path: Path, edgar: LocalEdgar) -> None:
    sample = tmp_path / "sample"
    sampled(sample, edgar, per_year=2)
    kept = [filing.id for filing in Corpus(sample).filings()]
    (other, *_) = set(NUMBERS) - set(kept)
    before = (sample / "filings.jsonl").read_bytes(), (sample / "manifest.json").read_bytes()
    edgar.log.clear()
    for names in ((other,), (COMPANY.cik,), (kept[0], other)):
        with pytest.raises(CorpusError) as caught:
            fetched(sample, edgar, *names)
        assert str(caught.value) == (
            f"{sample}: holds a sample; a filing fetched by name is none of it. Fetch into a folder of its own."
        )
    (tmp_path / "a.htm").write_bytes(html())
    with pytest.raises(CorpusError, match="holds a sample; a local filing is none of it"):
        Corpus(sample).add([tmp_path / "a.htm"])
    assert edgar.log.count() == 0
    assert ((sample / "filings.jsonl").read_bytes(), (sample / "manifest.json").read_bytes()) == before
    # The sample can be gone on with.
    sampled(sample, edgar, per_year=3)


def test_a_file_of_a_sample_that_is_gone_is_fetched_again_and_the_record_stays_as_drawn(
    tmp_path: Path, edgar: LocalEdgar
) -> None:
    sampled(tmp_path, edgar, per_year=2)
    before = (tmp_path / "filings.jsonl").read_bytes()
    first = Corpus(tmp_path).filings()[0]
    (tmp_path / first.path).unlink()
    assert fetched(tmp_path, edgar, first.id)["fetched"] == 1
    assert (tmp_path / "filings.jsonl").read_bytes() == before
    Corpus(tmp_path).make_sections("7")
    assert fetched(tmp_path, edgar, exhibits=True)["asked"] == 0
    sampled(tmp_path, edgar, per_year=3)
