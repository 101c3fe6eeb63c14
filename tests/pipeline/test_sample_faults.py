"""Samples while EDGAR fails, blocks or is slow, and while the process is interrupted or killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sample_builders import (
    GOOD,
    IDENTITY,
    first_good,
    in_order,
    kept_ids,
    list_bytes,
    no_limit,
    sampled,
    seeded_order,
    year_of_filings,
)
from servers.answers import Fault, cut, delayed, denied, missing, reset, threshold, too_many, unavailable
from servers.edgar import LocalEdgar

from fingreat.errors import BlockedError, RemoteError, RunError
from fingreat.pipeline import Corpus
from fingreat.pipeline.sample import SampleProgress, read_drawn
from fingreat.pipeline.sample_year import Drawn

__all__ = ["no_limit"]
pytestmark = pytest.mark.usefixtures("no_limit")

YEARS = (2003, 2004)
WORLD = {number: one for year in YEARS for number, one in year_of_filings(year).items()}
FILINGS = [one for one, _ in WORLD.values()]
SAMPLE = [number for year in YEARS for number in first_good(WORLD, year, 7, 4)]
IN_A_PROCESS = """
import sys
from fingreat.edgar.remote import client
from fingreat.edgar.remote.limiter import Limiter
client.LIMITER = Limiter(hold=0.0)
from fingreat.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def edgar() -> Iterator[LocalEdgar]:
    with LocalEdgar(FILINGS) as server:
        yield server


@pytest.fixture(scope="module")
def whole(no_limit: None, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The list of a sample that nothing came in the way of."""
    folder = tmp_path_factory.mktemp("whole")
    with LocalEdgar(FILINGS) as server:
        sampled(folder, server, YEARS)
    assert kept_ids(folder) == SAMPLE
    return list_bytes(folder)


def is_filing(path: str) -> bool:
    return path.endswith(".txt")


@pytest.mark.parametrize("fault", [unavailable, reset(), reset(0.5), cut(0.9)], ids=["503", "reset", "broken", "cut"])
def test_what_cannot_be_had_for_the_moment_keeps_its_place(
    fault: Fault, tmp_path: Path, edgar: LocalEdgar, whole: bytes
) -> None:
    lost = {SAMPLE[1], SAMPLE[4]}
    for number in lost:
        edgar.fail(fault, edgar.path(WORLD[number][0]))
    told: list[str] = []
    counts = sampled(
        tmp_path, edgar, YEARS, progress=SampleProgress(open=lambda year, number, why: told.append(number))
    )
    assert (counts["kept"], counts["open"], counts["short"]) == (6, 2, 0)
    assert kept_ids(tmp_path) == [number for number in SAMPLE if number not in lost]
    assert set(told) == lost
    # Nothing was drawn in their stead: what was drawn is what the whole sample draws, but for them.
    ends = {SAMPLE[3]: 2003, SAMPLE[7]: 2004}
    drawn = {one.accession for one in read_drawn(tmp_path)}
    orders = {end: seeded_order(FILINGS, year, 7) for end, year in ends.items()}
    assert drawn == {number for end, order in orders.items() for number in order[: order.index(end) + 1]} - lost
    failures = {failure.id: failure for failure in Corpus(tmp_path).failures()}
    assert failures.keys() == lost
    assert {failure.state for failure in failures.values()} == {"not_fetched"}
    assert all("tried 2 times" in failure.reason for failure in failures.values())
    edgar.heal()
    edgar.log.clear()
    counts = sampled(tmp_path, edgar, YEARS)
    assert (counts["kept"], counts["open"]) == (8, 0)
    assert list_bytes(tmp_path) == whole
    assert Corpus(tmp_path).failures() == []
    assert {seen.path for seen in edgar.log.requests} == {edgar.path(WORLD[number][0]) for number in lost}


def test_an_open_place_that_turns_out_bad_is_replaced_later(tmp_path: Path, edgar: LocalEdgar, whole: bytes) -> None:
    order = seeded_order(FILINGS, 2003, 7)
    bad = next(number for number in order[: order.index(SAMPLE[3])] if WORLD[number][1] not in GOOD)
    edgar.fail(unavailable, edgar.path(WORLD[bad][0]))
    counts = sampled(tmp_path, edgar, YEARS)
    # One place is kept free for it, since it may be good: the fourth good one waits.
    assert (counts["kept"], counts["open"]) == (7, 1)
    assert kept_ids(tmp_path) == [number for number in SAMPLE if number != SAMPLE[3]]
    edgar.heal()
    assert sampled(tmp_path, edgar, YEARS)["kept"] == 8
    assert list_bytes(tmp_path) == whole


def test_places_that_no_firm_is_left_for_are_short_also_while_others_are_open(
    tmp_path: Path, edgar: LocalEdgar
) -> None:
    edgar.fail(unavailable, edgar.path(WORLD[SAMPLE[0]][0]))
    counts = sampled(tmp_path, edgar, YEARS, 10)
    # Eight of fourteen are good in each year; one of them is open.
    assert (counts["kept"], counts["open"], counts["short"]) == (15, 1, 4)
    edgar.heal()
    counts = sampled(tmp_path, edgar, YEARS, 10)
    assert (counts["kept"], counts["open"], counts["short"]) == (16, 0, 4)


def test_a_larger_sample_fills_what_was_open(tmp_path: Path, edgar: LocalEdgar) -> None:
    edgar.fail(unavailable, edgar.path(WORLD[SAMPLE[1]][0]))
    sampled(tmp_path / "one", edgar, YEARS, 3)
    edgar.heal()
    sampled(tmp_path / "one", edgar, YEARS, 4)
    assert kept_ids(tmp_path / "one") == SAMPLE


@pytest.mark.parametrize("workers", [1, 2])
def test_the_order_of_the_answers_changes_no_byte(
    workers: int, tmp_path: Path, edgar: LocalEdgar, whole: bytes
) -> None:
    # Those whose turn comes first come last, and each at another time.
    for year in YEARS:
        order = seeded_order(FILINGS, year, 7)
        for place, number in enumerate(order):
            edgar.fail(delayed(0.02 * (len(order) - place)), edgar.path(WORLD[number][0]))
    sampled(tmp_path, edgar, YEARS, workers=workers)
    assert list_bytes(tmp_path) == whole


@pytest.mark.parametrize("fault", [threshold, too_many], ids=["page", "429"])
def test_a_block_that_goes_on_ends_the_call_and_the_next_one_goes_on(
    fault: Fault, tmp_path: Path, edgar: LocalEdgar, whole: bytes
) -> None:
    edgar.fail(fault, is_filing, spare=3)
    with pytest.raises(BlockedError) as caught:
        sampled(tmp_path, edgar, YEARS, pause=0.05)
    assert "10 requests a second" in (caught.value.hint or "")
    had = {seen.path for seen in edgar.log.requests if seen.status == 200}
    assert sum(map(is_filing, had)) == 3
    stage = Corpus(tmp_path).manifest()["stages"]["sample"]
    assert (stage["complete"], stage["seed"]) == (False, 7)
    assert set(kept_ids(tmp_path)) <= set(SAMPLE)
    edgar.heal()
    edgar.log.clear()
    sampled(tmp_path, edgar, YEARS)
    assert list_bytes(tmp_path) == whole
    assert had.isdisjoint(seen.path for seen in edgar.log.requests)


def test_a_block_while_indexes_are_fetched_draws_nothing(tmp_path: Path, edgar: LocalEdgar, whole: bytes) -> None:
    edgar.fail(threshold, spare=3)
    with pytest.raises(BlockedError):
        sampled(tmp_path, edgar, YEARS, pause=0.05)
    assert not (tmp_path / "filings.jsonl").exists()
    assert list(read_drawn(tmp_path)) == []
    edgar.heal()
    sampled(tmp_path, edgar, YEARS)
    assert list_bytes(tmp_path) == whole


@pytest.mark.parametrize("fault", [missing, denied], ids=["404", "403"])
@pytest.mark.parametrize("spare", [0, 5])
def test_filings_that_are_not_there_in_a_row_end_the_call_and_are_not_replaced(
    fault: Fault, spare: int, tmp_path: Path, edgar: LocalEdgar, whole: bytes
) -> None:
    there = {edgar.path(WORLD[number][0]) for number in seeded_order(FILINGS, 2003, 7)[:spare]}
    edgar.fail(fault, lambda path: is_filing(path) and path not in there)
    with pytest.raises(RemoteError, match="gave none of 10 filings in a row that its indexes list") as caught:
        sampled(tmp_path, edgar, YEARS, 8)
    assert caught.value.hint
    assert len(list(read_drawn(tmp_path))) == spare
    assert not any((one.reason or "").startswith("http") for one in read_drawn(tmp_path))
    edgar.heal()
    sampled(tmp_path, edgar, YEARS, 8)
    assert [number for number in kept_ids(tmp_path) if number in SAMPLE] == SAMPLE
    assert set(whole.splitlines()) <= set(list_bytes(tmp_path).splitlines())


def test_many_filings_that_are_not_there_among_others_are_replaced(tmp_path: Path, edgar: LocalEdgar) -> None:
    absent = {number for year in YEARS for number in seeded_order(FILINGS, year, 7)[::2]}
    assert len(absent) > 10
    for number in absent:
        edgar.fail(missing, edgar.path(WORLD[number][0]))
    sampled(tmp_path, edgar, YEARS, 8)
    assert {one.accession for one in read_drawn(tmp_path)} == WORLD.keys()
    good = {number for number, (_, what) in WORLD.items() if what in GOOD}
    assert set(kept_ids(tmp_path)) == good - absent


def test_a_few_filings_that_are_not_there_are_replaced(tmp_path: Path, edgar: LocalEdgar) -> None:
    order = seeded_order(FILINGS, 2003, 7)
    for number in order[:9]:
        edgar.fail(missing, edgar.path(WORLD[number][0]))
    sampled(tmp_path, edgar, (2003,), 2)
    assert kept_ids(tmp_path) == [number for number in order[9:] if WORLD[number][1] in GOOD][:2]
    log = in_order(read_drawn(tmp_path))
    assert [one.accession for one in log] == order[: len(log)]


@pytest.mark.parametrize("after", [1, 2, 5, 8, 10])
def test_an_interrupted_sample_goes_on_as_if_nothing_had_happened(
    after: int, tmp_path: Path, edgar: LocalEdgar, whole: bytes
) -> None:
    seen: list[Drawn] = []

    def stop(one: Drawn) -> None:
        seen.append(one)
        if len(seen) == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sampled(tmp_path, edgar, YEARS, progress=SampleProgress(draw=stop))
    # What was drawn so far is a corpus already, and says that it is not complete.
    assert [one.accession for one in in_order(seen) if one.filing] == kept_ids(tmp_path)
    assert Corpus(tmp_path).manifest()["stages"]["sample"]["complete"] is False
    sampled(tmp_path, edgar, YEARS)
    assert list_bytes(tmp_path) == whole
    assert len({one.accession for one in read_drawn(tmp_path)}) == len(list(read_drawn(tmp_path)))
    # The client is closed by the interrupt, so at most the answers on their way were asked for twice.
    counts = Counter(seen.path for seen in edgar.log.requests)
    assert sum(count - 1 for count in counts.values()) <= 4
    assert all(count == 1 for path, count in counts.items() if not is_filing(path))


def test_the_folder_is_one_process_alone(tmp_path: Path, edgar: LocalEdgar) -> None:
    inside: list[str] = []

    def second(one: Drawn) -> None:
        if not inside:
            with pytest.raises(RunError, match="another process is working here"):
                sampled(tmp_path, edgar, YEARS)
            inside.append(one.accession)

    sampled(tmp_path, edgar, YEARS, progress=SampleProgress(draw=second))
    assert inside
    assert kept_ids(tmp_path) == SAMPLE


def killed_sample(folder: Path, edgar: LocalEdgar, kill_after: int | None, rest: float = 0.0) -> int:
    """A sample as a user starts it, killed once the server saw so many requests; returned is how it ended."""
    arguments = ["corpus", "sample", "--corpus", str(folder), "--years", "2003-2004", "--per-year", "4", "--seed", "7"]
    command = [sys.executable, "-c", IN_A_PROCESS, *arguments, "--workers", "1"]
    environment = {**os.environ, "EDGAR_BASE_URL": edgar.base, "EDGAR_IDENTITY": IDENTITY}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        if kill_after is not None:
            edgar.log.wait_for(kill_after)
            time.sleep(rest)
            process.kill()
        _, errors = process.communicate(timeout=60)
    assert b"Traceback" not in errors, errors.decode()
    return process.returncode


def killed_and_resumed(tmp_path: Path, edgar: LocalEdgar, whole: bytes, times: int, seed: int) -> int:
    """How often a sample was killed in the middle; each goes on to the whole one, and asks for nothing twice."""
    drawn = random.Random(seed)
    # Slow enough that there are moments to be killed at.
    edgar.fail(delayed(0.03), is_filing)
    killed = 0
    for turn in range(times):
        folder = tmp_path / str(turn)
        edgar.log.clear()
        killed += killed_sample(folder, edgar, drawn.randrange(1, 26), drawn.uniform(0, 0.05)) == -signal.SIGKILL
        ended = killed_sample(folder, edgar, None)
        assert ended == 0
        assert list_bytes(folder) == whole
        counts = Counter(seen.path for seen in edgar.log.requests)
        # What had come was not asked for again: but for what was on its way when it was killed, once each.
        assert sum(count - 1 for count in counts.values()) <= 4
        assert max(counts.values()) <= 2
    return killed


def test_a_killed_sample_goes_on_as_if_nothing_had_happened(tmp_path: Path, edgar: LocalEdgar, whole: bytes) -> None:
    assert killed_and_resumed(tmp_path, edgar, whole, 2, seed=3) > 0


@pytest.mark.prove
def test_fifteen_kills_at_random_moments(tmp_path: Path, edgar: LocalEdgar, whole: bytes) -> None:
    assert killed_and_resumed(tmp_path, edgar, whole, 15, seed=random.randrange(10**6)) > 7


def test_one_sample_killed_again_and_again(tmp_path: Path, edgar: LocalEdgar, whole: bytes) -> None:
    edgar.fail(delayed(0.05), is_filing)
    for requests in (10, 3, 3):
        edgar.log.clear()
        assert killed_sample(tmp_path, edgar, requests) == -signal.SIGKILL
    assert killed_sample(tmp_path, edgar, None) == 0
    assert list_bytes(tmp_path) == whole
