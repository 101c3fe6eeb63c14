"""Blocks stop everything for the whole pause, for every thread and for the next process; and how waiting ends."""

from __future__ import annotations

import json
import signal
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from asking import PATHS, PAUSE, asking, right_bytes
from servers.answers import (
    Answer,
    Fault,
    block_page,
    delayed,
    threshold,
    too_many,
    unavailable,
    undeclared,
)
from servers.edgar import LocalEdgar

from fingreat.edgar.remote import client as client_module
from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.limiter import Limiter
from fingreat.edgar.remote.whole import Kind
from fingreat.errors import BlockedError, RemoteError

pytestmark = pytest.mark.usefixtures("unlimited")


@pytest.mark.parametrize("kind", list(PATHS))
@pytest.mark.parametrize("block", [too_many, threshold, undeclared, block_page])
def test_a_block_stops_everything_for_the_whole_pause(
    edgar: LocalEdgar, client: EdgarClient, said: list[str], kind: Kind, block: Fault
) -> None:
    edgar.fail(block, times=1)
    data = client.get(PATHS[kind], kind)
    first, second = edgar.log.arrivals()
    assert second - first >= PAUSE
    assert len(said) == 1
    assert said[0].startswith("EDGAR refuses all requests (")
    assert data == right_bytes(edgar, PATHS[kind])


def test_the_message_on_a_block_says_until_when_and_how_long(edgar: LocalEdgar) -> None:
    said: list[str] = []
    client = asking(edgar, pause=600.0, on_wait=said.append)
    edgar.fail(too_many)

    def run() -> None:
        with suppress(RemoteError):
            client.get(PATHS["json"], "json")

    waiting = threading.Thread(target=run)
    waiting.start()
    edgar.log.wait_for(1)
    while not said:
        time.sleep(0.01)
    ends = [datetime.now().astimezone() + timedelta(minutes=10, seconds=late) for late in (-5, 0)]
    assert said[0] in [f"EDGAR refuses all requests (429): waiting until {end:%H:%M}, 10 minutes." for end in ends]
    client.close()
    waiting.join(5)
    assert not waiting.is_alive()


def test_blocks_do_not_use_up_tries(edgar: LocalEdgar, client: EdgarClient) -> None:
    edgar.fail(unavailable, times=1)
    edgar.fail(too_many, times=1, spare=1)
    edgar.fail(unavailable, times=1, spare=2)
    assert client.get(PATHS["json"], "json") == right_bytes(edgar, PATHS["json"])
    assert client.requests == 4


def test_three_blocks_in_a_row_end_in_an_error_that_says_what_to_do(
    edgar: LocalEdgar, client: EdgarClient, said: list[str]
) -> None:
    edgar.fail(threshold)
    with pytest.raises(BlockedError, match=r"3 refusals in a row.*machines together.*--identity") as caught:
        client.get(PATHS["json"], "json")
    assert caught.value.retryable
    assert edgar.log.count() == 3
    assert len(said) == 2
    with pytest.raises(BlockedError):
        client.get(PATHS["submission"], "submission")
    assert edgar.log.count() == 3


def test_after_blocks_that_ended_in_an_error_one_more_pause_lets_it_ask_again(
    edgar: LocalEdgar, client: EdgarClient
) -> None:
    edgar.fail(too_many, times=3)
    with pytest.raises(BlockedError):
        client.get(PATHS["json"], "json")
    time.sleep(PAUSE)
    assert client.get(PATHS["json"], "json") == right_bytes(edgar, PATHS["json"])


def test_an_answer_between_blocks_makes_them_not_in_a_row(edgar: LocalEdgar, client: EdgarClient) -> None:
    for spare in (0, 1, 3, 4):
        edgar.fail(too_many, times=1, spare=spare)
    client.get(PATHS["json"], "json")
    client.get(PATHS["json"], "json")
    assert edgar.log.count() == 6


def test_a_fault_between_blocks_does_not_break_their_row(edgar: LocalEdgar, client: EdgarClient) -> None:
    edgar.fail(too_many, times=1)
    edgar.fail(unavailable, times=1, spare=1)
    edgar.fail(too_many, spare=2)
    with pytest.raises(BlockedError):
        client.get(PATHS["json"], "json")
    assert edgar.log.count() == 4


def test_all_threads_share_one_pause_and_one_of_them_goes_first(edgar: LocalEdgar, said: list[str]) -> None:
    client = asking(edgar, on_wait=said.append)
    paths = [f"/submissions/CIK{number:010d}.json" for number in range(1, 9)]
    for path in paths:
        edgar.put(path, b"{}")
    # The first four arrive together and are all refused; the answer after the pause takes its time.
    edgar.fail(lambda answer: Answer(429, b"", delay=0.5), times=4)
    edgar.fail(delayed(0.2), times=1, spare=4)
    threads = [threading.Thread(target=client.get, args=(path, "json")) for path in paths]
    for thread in threads[:4]:
        thread.start()
    while not said:
        time.sleep(0.01)
    for thread in threads[4:]:
        thread.start()
    for thread in threads:
        thread.join(10)
    arrivals = edgar.log.arrivals()
    assert len(arrivals) == 4 + 8
    assert arrivals[3] - arrivals[0] < 0.5
    assert arrivals[4] - arrivals[3] >= PAUSE
    # The others waited for the answer to the first one.
    assert arrivals[5] - arrivals[4] >= 0.2
    assert len(said) == 1
    client.close()


def test_a_block_that_goes_on_sees_one_request_for_each_pause(edgar: LocalEdgar) -> None:
    client = asking(edgar)
    edgar.fail(lambda answer: Answer(429, b"", delay=0.5))
    failed: list[RemoteError] = []

    def run() -> None:
        try:
            client.get(PATHS["json"], "json")
        except BlockedError as error:
            failed.append(error)

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(failed) == 6
    assert edgar.log.count() == 6 + 1 + 1


def test_the_end_of_a_block_is_kept_for_the_next_process(edgar: LocalEdgar, tmp_path: Path, said: list[str]) -> None:
    marker = tmp_path / "blocked.json"
    edgar.fail(too_many, times=3)
    start = datetime.now(UTC)
    with asking(edgar, marker=marker) as first, pytest.raises(BlockedError):
        first.get(PATHS["json"], "json")
    until = datetime.fromisoformat(json.loads(marker.read_text())["blocked_until"])
    assert start < until - timedelta(seconds=PAUSE) < datetime.now(UTC)
    with asking(edgar, marker=marker, on_wait=said.append) as second:
        assert second.get(PATHS["json"], "json") == right_bytes(edgar, PATHS["json"])
    assert edgar.log.arrivals()[3] - edgar.log.arrivals()[2] >= PAUSE - 0.01
    assert len(said) == 1
    assert said[0].startswith("EDGAR refused requests a while ago: waiting until ")
    assert not marker.exists()


def test_a_marker_counts_as_one_of_the_blocks_in_a_row(edgar: LocalEdgar, tmp_path: Path) -> None:
    marker = tmp_path / "blocked.json"
    marker.write_text(json.dumps({"blocked_until": (datetime.now(UTC) + timedelta(seconds=0.2)).isoformat()}))
    edgar.fail(too_many)
    with asking(edgar, marker=marker) as client, pytest.raises(BlockedError):
        client.get(PATHS["json"], "json")
    assert edgar.log.count() == 2


@pytest.mark.parametrize(
    ("content", "pause"),
    [
        ("", 30.0),
        ("{}", 30.0),
        ("[]", 30.0),
        ('{"blocked_until": 5}', 30.0),
        ('{"blocked_until": "soon"}', 30.0),
        ('{"blocked_until": "2001-01-01T00:00:00+00:00"}', 30.0),
        ('{"blocked_until": "9999-12-31T00:00:00+00:00"}', PAUSE),
    ],
)
def test_a_marker_that_is_damaged_or_old_stops_nobody_and_one_far_ahead_for_no_longer_than_a_pause(
    edgar: LocalEdgar, tmp_path: Path, content: str, pause: float
) -> None:
    marker = tmp_path / "blocked.json"
    marker.write_text(content)
    start = time.monotonic()
    with asking(edgar, marker=marker, pause=pause) as client:
        client.get(PATHS["json"], "json")
    assert time.monotonic() - start < 15
    assert not marker.exists()


def waits_and_ends(client: EdgarClient, edgar: LocalEdgar) -> tuple[bool, bool, str]:
    """Whether a thread waits, whether it still does when the client is closed, and by what it ends."""
    failed: list[RemoteError] = []

    def run() -> None:
        try:
            client.get(PATHS["json"], "json")
        except RemoteError as error:
            failed.append(error)

    waiting = threading.Thread(target=run)
    waiting.start()
    assert edgar.log.wait_for(1)
    time.sleep(0.1)
    waits = waiting.is_alive()
    client.close()
    waiting.join(5)
    return waits, waiting.is_alive(), failed[0].message if failed else ""


def test_closing_ends_a_pause(edgar: LocalEdgar) -> None:
    edgar.fail(too_many)
    assert waits_and_ends(asking(edgar, pause=600.0), edgar) == (True, False, "was not asked: the client is closed.")


def test_closing_ends_the_wait_for_another_try(edgar: LocalEdgar) -> None:
    edgar.fail(unavailable)
    message = "was not asked again: the client is closed."
    assert waits_and_ends(asking(edgar, backoff=50.0), edgar) == (True, False, message)


def test_closing_ends_the_wait_for_a_slot(edgar: LocalEdgar, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "LIMITER", Limiter(1, hold=600.0))
    edgar.fail(unavailable)
    assert waits_and_ends(asking(edgar), edgar) == (True, False, "was not asked: the client is closed.")


def test_a_closed_client_asks_for_nothing(edgar: LocalEdgar) -> None:
    client = asking(edgar)
    client.close()
    with pytest.raises(RemoteError, match="the client is closed"):
        client.get(PATHS["json"], "json")
    assert edgar.log.count() == 0


@pytest.mark.parametrize(("fault", "backoff"), [(too_many, 0.01), (unavailable, 50.0)])
def test_control_c_ends_the_waiting_of_the_main_thread(edgar: LocalEdgar, fault: Fault, backoff: float) -> None:
    edgar.fail(fault)
    main = threading.main_thread().ident
    assert main is not None
    signals = threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT))
    start = time.monotonic()
    signals.start()
    with asking(edgar, pause=600.0, backoff=backoff) as client, pytest.raises(KeyboardInterrupt):
        client.get(PATHS["json"], "json")
    assert time.monotonic() - start < 10
    signals.join()
