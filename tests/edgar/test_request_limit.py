"""No more than ten requests in any one second, as the server sees them."""

from __future__ import annotations

import heapq
import math
import random
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from servers.edgar import LocalEdgar

from fingreat.edgar.remote import client as client_module
from fingreat.edgar.remote.client import EdgarClient
from fingreat.edgar.remote.limiter import HOLD, LIMITER, Limiter

IDENTITY = "Test Person test@university.example"
SECONDS = st.floats(0, 3, allow_subnormal=False)


class Clock:
    """Time that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def simulate(limiter: Limiter, clock: Clock, trips: list[tuple[float, float]]) -> list[float]:
    """When requests arrive that are sent as soon as the limiter lets them, given each one's way there and back."""
    began: list[float] = []
    arrivals = []
    for there, back in trips:
        while (wait := limiter.try_take()) > 0:
            after = clock.now + wait
            answer = heapq.heappop(began) if began and began[0] <= after else None
            clock.now = max(clock.now, after if answer is None else answer)
            if answer is not None:
                limiter.answered()
        arrivals.append(clock.now + there)
        heapq.heappush(began, clock.now + there + back)
    return sorted(arrivals)


def most_in_a_second(arrivals: list[float]) -> int:
    """The slow and obvious way: for each arrival, how many within the second that begins with it."""
    return max(sum(1 for other in arrivals if first <= other <= first + 1) for first in arrivals)


@given(st.lists(st.tuples(SECONDS, SECONDS), min_size=1, max_size=60), st.integers(1, 10))
def test_no_second_sees_more_arrivals_than_slots_whatever_the_line_does(
    trips: list[tuple[float, float]], slots: int
) -> None:
    clock = Clock()
    arrivals = simulate(Limiter(slots, clock=clock), clock, trips)
    assert most_in_a_second(arrivals) <= slots


def test_requests_that_bunch_up_on_the_line_still_keep_the_limit() -> None:
    # Ten sent at once that take 0.9 s, then ten that take none: without slots held they would arrive together.
    clock = Clock()
    arrivals = simulate(Limiter(10, clock=clock), clock, [(0.9, 0.0)] * 10 + [(0.0, 0.0)] * 10)
    assert most_in_a_second(arrivals) == 10
    assert arrivals[10] - arrivals[9] > 1.0


def test_a_quick_server_is_asked_at_nearly_the_full_rate() -> None:
    clock = Clock()
    arrivals = simulate(Limiter(10, clock=clock), clock, [(0.0, 0.0)] * 101)
    # Ten rounds of ten before the last one.
    assert arrivals[-1] - arrivals[0] == pytest.approx(10 * HOLD)
    assert HOLD < 1.05


def test_a_client_may_ask_for_less_than_all_slots() -> None:
    clock = Clock()
    limiter = Limiter(10, clock=clock)
    assert [limiter.try_take(3) for _ in range(3)] == [0, 0, 0]
    assert limiter.try_take(3) == math.inf
    assert limiter.try_take() == 0
    limiter.answered()
    assert limiter.try_take(4) == pytest.approx(HOLD)
    assert limiter.try_take(99) == 0


def test_a_slot_without_a_request_is_free_at_once() -> None:
    clock = Clock()
    limiter = Limiter(1, clock=clock)
    assert limiter.try_take() == 0
    limiter.unsent()
    assert limiter.try_take() == 0


def test_waiting_ends_at_once_when_it_is_stopped() -> None:
    limiter = Limiter(1)
    stop = threading.Event()
    assert limiter.take(stop.is_set)
    got: list[bool] = []
    waiting = threading.Thread(target=lambda: got.append(limiter.take(stop.is_set)))
    waiting.start()
    stop.set()
    limiter.wake()
    waiting.join(5)
    assert got == [False]
    assert not limiter.take(stop.is_set)


def ask_all(base: str, paths: list[str], threads: int, clients: int = 1) -> None:
    """Ask for all paths from several threads, spread over several clients."""
    asking = [EdgarClient(IDENTITY, base=base) for _ in range(clients)]
    work: Iterator[str] = iter(paths)
    lock = threading.Lock()

    def run(client: EdgarClient) -> None:
        while True:
            with lock:
                path = next(work, None)
            if path is None:
                return
            client.get(path, "json")

    running = [threading.Thread(target=run, args=(asking[number % clients],)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert sum(client.requests for client in asking) == len(paths)
    for client in asking:
        client.close()


def serve(edgar: LocalEdgar, count: int) -> list[str]:
    paths = [f"/submissions/CIK{number:010d}.json" for number in range(1, count + 1)]
    for path in paths:
        edgar.put(path, b"{}")
    return paths


def with_jitter(monkeypatch: pytest.MonkeyPatch, draw: random.Random) -> None:
    """Let each request leave up to 0.4 s after its slot was taken, and its answer be seen as late."""
    ask: Callable[..., object] = client_module.Wire.ask

    def late(self: object, url: str, on_begun: Callable[[], None], most: int) -> object:
        def begun() -> None:
            time.sleep(draw.random() * 0.2)
            on_begun()

        time.sleep(draw.random() * 0.4)
        return ask(self, url, begun, most)

    monkeypatch.setattr(client_module.Wire, "ask", late)


def test_45_requests_of_four_threads_and_two_clients_keep_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    with LocalEdgar() as edgar:
        paths = serve(edgar, 45)
        start = time.monotonic()
        ask_all(edgar.base, paths, threads=4, clients=2)
        assert sorted(seen.path for seen in edgar.log.requests) == paths
        assert edgar.log.most_in_a_second() <= 10
        # Four full rounds before the last five; more than twice that would be no use of the rate.
        assert 4 * HOLD <= time.monotonic() - start + 0.1 <= 9 * HOLD


def test_requests_that_leave_late_keep_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    with_jitter(monkeypatch, random.Random(7))
    with LocalEdgar() as edgar:
        ask_all(edgar.base, serve(edgar, 40), threads=10)
        assert edgar.log.count() == 40
        assert edgar.log.most_in_a_second() <= 10


@pytest.mark.prove
@pytest.mark.parametrize("jitter", [False, True])
def test_500_requests_of_four_threads_keep_the_limit(monkeypatch: pytest.MonkeyPatch, jitter: bool) -> None:
    if jitter:
        with_jitter(monkeypatch, random.Random(8))
    with LocalEdgar() as edgar:
        ask_all(edgar.base, serve(edgar, 500), threads=4)
        assert edgar.log.count() == 500
        assert edgar.log.most_in_a_second() <= 10
        arrivals = edgar.log.arrivals()
        assert jitter or arrivals[-1] - arrivals[0] < 60


def test_the_process_has_one_limiter_of_ten() -> None:
    assert LIMITER.slots == 10
    assert client_module.LIMITER is LIMITER
