"""Threads in the background: results in order, errors where they are looked at, nobody waits after an exception."""

from __future__ import annotations

import threading
import time

import pytest

from fingreat.pipeline.background import Background


def test_results_come_in_order_whatever_takes_long() -> None:
    def slow_first(number: int) -> int:
        time.sleep(0.1 if number < 2 else 0)
        return number * number

    given_up: list[bool] = []
    with Background(slow_first, range(20), count=4, give_up=lambda: given_up.append(True)) as results:
        assert list(results) == [number * number for number in range(20)]
    assert given_up == []


def test_no_more_threads_than_said_are_at_work_at_once() -> None:
    lock, at_work, most = threading.Lock(), 0, 0

    def count(number: int) -> int:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        time.sleep(0.02)
        with lock:
            at_work -= 1
        return number

    with Background(count, range(12), count=3, give_up=lambda: None) as results:
        assert len(list(results)) == 12
    assert most == 3


def test_nothing_to_do_gives_nothing() -> None:
    with Background(str, [], count=4, give_up=lambda: None) as results:
        assert list(results) == []


def test_what_a_task_raises_is_raised_at_its_place_and_ends_the_rest() -> None:
    begun: list[int] = []
    waiting = threading.Event()

    def fail_third(number: int) -> int:
        begun.append(number)
        if number == 2:
            raise ValueError("the third")
        if number > 2:
            waiting.wait(10)
        return number

    seen: list[int] = []
    started = time.monotonic()
    with (
        pytest.raises(ValueError, match="the third"),
        Background(fail_third, range(100), count=2, give_up=waiting.set) as results,
    ):
        seen.extend(results)
    # What waits is told to give up, so that nobody waits for the grace of those that cannot.
    assert time.monotonic() - started < 1
    assert seen == [0, 1]
    assert len(begun) < 10


def test_an_exception_does_not_wait_for_what_cannot_give_up() -> None:
    never = threading.Event()
    started = time.monotonic()
    with (
        pytest.raises(KeyboardInterrupt),
        Background(lambda number: never.wait(30), range(8), count=4, give_up=lambda: None),
    ):
        raise KeyboardInterrupt
    assert time.monotonic() - started < 10
    never.set()
