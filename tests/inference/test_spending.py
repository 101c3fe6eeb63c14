"""What a run spends under a limit; every amount is worked out by hand from the prices that the tests set."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from asked_backend import ANSWER, Asked, replies, requests
from reply_builders import judge, request

from fingreat.errors import CostError, InputError
from fingreat.inference import RawReply, ReplyCache, Spending, ask, reply_log
from fingreat.inference.presets import Prices
from fingreat.schema import ReplyState, Request, canonical_json

PRICES = Prices(input=0.0, output=1_000_000.0, on=date(2026, 1, 2), source="invented")
"""A dollar for each token of output, nothing for the prompt; the requests of these tests may take 256."""


def costing(usd: float | None) -> RawReply:
    return replace(ANSWER, cost_usd=usd)


class Crowd(Asked):
    """A back end with so many requests under way: it takes another one only when one has finished."""

    def __init__(self, respond: Callable[[Request, int], RawReply], size: int) -> None:
        super().__init__(respond)
        self.size = size
        self.most = 0
        self.turns = 0

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        self.turns += 1
        taken = iter(requests)
        under_way = list(islice(taken, self.size))
        while under_way:
            self.most = max(self.most, len(under_way))
            one = under_way.pop(0)
            self.count[one.key] += 1
            yield one, self._respond(one, self.count[one.key])
            under_way += islice(taken, 1)


def run(folder: Path, asked: Iterable[Request], backend: Any, spending: Spending, **more: Any) -> None:
    with reply_log(folder) as log:
        ask(asked, backend, judge(), log, spending=spending, **more)


def test_a_run_within_its_limit_is_complete(tmp_path: Path) -> None:
    spending = Spending(5.0, prices=PRICES)
    run(tmp_path, requests(20), Crowd(lambda one, times: costing(0.25), 4), spending)
    assert len(replies(tmp_path)) == 20
    assert spending.spent == 5.0  # 20 times 0.25, to the cent what was allowed


def test_cents_that_no_binary_fraction_holds_add_up_to_the_limit(tmp_path: Path) -> None:
    run(tmp_path, requests(20), Crowd(lambda one, times: costing(0.07), 4), Spending(1.4, prices=PRICES))
    assert len(replies(tmp_path)) == 20
    assert sum([0.07] * 20) != 1.4


def test_a_run_stops_before_its_limit_is_passed_and_says_what_is_left(tmp_path: Path) -> None:
    spending = Spending(5.0, prices=PRICES)
    backend = Crowd(lambda one, times: costing(0.75), 4)
    with pytest.raises(CostError) as caught:
        run(tmp_path, requests(20), backend, spending)
    # Six cost 4.50, seven 5.25.
    assert len(replies(tmp_path)) == 6
    assert spending.spent == 4.5
    message = str(caught.value)
    assert "$4.50 of the $5.00" in message
    assert "14 requests are left, of about $0.7500 each" in message
    assert "--max-cost" in message
    again = Spending(11.0, spent=4.5, prices=PRICES)
    with pytest.raises(CostError, match=r"\$10\.50 of the \$11\.00 allowed, and 6 requests are left"):
        run(tmp_path, requests(20), backend, again)
    assert len(replies(tmp_path)) == 14
    run(tmp_path, requests(20), backend, Spending(15.0, spent=10.5, prices=PRICES))
    assert len(replies(tmp_path)) == 20
    assert set(backend.count.values()) == {1}


def test_what_is_under_way_counts_with_what_it_can_cost_at_most(tmp_path: Path) -> None:
    # Of 256 dollars each, 600 allow two to be under way, and one as soon as less than 512 are left.
    backend = Crowd(lambda one, times: costing(1.0), 64)
    run(tmp_path, requests(100), backend, Spending(600.0, prices=PRICES))
    assert len(replies(tmp_path)) == 100
    assert backend.most == 2
    half = Crowd(lambda one, times: costing(1.0), 64)
    run(tmp_path / "b", requests(3), half, Spending(600.0, prices=PRICES, batch=True))
    assert half.most == 3  # of 128 dollars each


def test_cheap_answers_let_no_crowd_of_dear_ones_pass_the_limit(tmp_path: Path) -> None:
    spending = Spending(600.0, prices=PRICES)
    backend = Crowd(lambda one, times: costing(1.0 if sum(backend.count.values()) <= 3 else 256.0), 64)
    with pytest.raises(CostError):
        run(tmp_path, requests(45), backend, spending)
    # 3 for 3, and 2 for 512; the 85 that are left could hold one of the mean, which is 103.
    assert spending.spent == 515.0


def test_a_limit_is_passed_by_no_more_than_one_answer_costs_beyond_the_mean(tmp_path: Path) -> None:
    spending = Spending(10.0, prices=PRICES)
    backend = Crowd(lambda one, times: costing(1.0 if sum(backend.count.values()) <= 3 else 256.0), 64)
    with pytest.raises(CostError):
        run(tmp_path, requests(45), backend, spending)
    assert spending.spent == 3.0 + 256.0


def test_a_call_that_begins_with_less_than_the_mean_of_earlier_ones_asks_nothing(tmp_path: Path) -> None:
    for limit, asked in ((2.0, 0), (2.5, 0), (2.99, 0), (3.0, 1)):
        spending = Spending(limit, prices=PRICES)
        for cost in (0.5, 1.5):
            spending.count(cost)
        backend = Crowd(lambda one, times: costing(1.0), 64)
        with pytest.raises(CostError):
            run(tmp_path / str(limit), requests(3), backend, spending)
        assert sum(backend.count.values()) == asked


def test_a_batch_counts_as_the_dearest_reply_once_there_are_twenty(tmp_path: Path) -> None:
    few, enough = (Spending(100.0, prices=PRICES, batch=True) for _ in range(2))
    for number in range(20):
        enough.count(1.0 if number else 4.0)
        if number:
            few.count(1.0)
    (one,) = requests(1)
    # 77 are left: 19 of 4 dollars each, none of 128 beside another.
    assert [enough.allows(one, under_way) for under_way in (18, 19)] == [True, False]
    assert [few.allows(one, under_way) for under_way in (0, 1)] == [True, False]


def test_what_an_earlier_call_handed_over_is_taken_whatever_was_spent_and_counts_until_then() -> None:
    one, two, three = requests(3)
    spending = Spending(600.0, prices=PRICES, promised=[one.key, two.key])
    # Two promised ones of 256 dollars each leave no room for a third.
    assert not spending.allows(three, 0)
    assert spending.allows(one, 0)
    assert spending.allows(two, 1)
    spending.add(one, costing(299.0))
    spending.add(two, costing(299.0))
    assert spending.spent == 598.0
    assert not spending.allows(three, 0)
    # It is paid for once.
    assert not spending.allows(one, 0)


def test_the_prompt_and_the_schema_are_counted_by_four_characters_to_a_token() -> None:
    prices = Prices(input=1_000_000.0, output=0.0, on=date(2026, 1, 2), source="invented")
    (one,) = requests(1)
    text = "Find the passages." + "Chunk 0." + canonical_json(one.reply_schema)
    expected = math.ceil(len(text) / 4)
    assert Spending(2.0 * expected, prices=prices).allows(one, 1)
    assert not Spending(2.0 * expected - 1, prices=prices).allows(one, 1)


def test_before_a_cost_is_known_all_count_as_the_dearest_that_was_asked() -> None:
    spending = Spending(512.0, prices=PRICES)
    assert spending.allows(request("Dear.", max_tokens=256), 1)
    assert not spending.allows(request("Cheap.", max_tokens=1), 2)
    assert Spending(512.0, prices=PRICES).allows(request("Cheap.", max_tokens=1), 2)


def test_it_is_said_once_that_the_limit_lets_more_be_asked_only_as_replies_come(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        run(tmp_path, requests(9), Crowd(lambda one, times: costing(1.0), 64), Spending(600.0, prices=PRICES))
    assert caplog.messages == [
        "--max-cost: what is under way could cost all that is left; more is asked as replies come."
    ]


def test_a_small_limit_buys_at_least_one_request(tmp_path: Path) -> None:
    with pytest.raises(CostError, match="2 requests are left"):
        run(tmp_path, requests(5), Crowd(lambda one, times: costing(0.25), 64), Spending(0.75, prices=PRICES))
    assert len(replies(tmp_path)) == 3
    with pytest.raises(CostError, match=r"\$0\.00 of the \$0\.00 allowed, and 5 requests"):
        run(tmp_path / "b", requests(5), Crowd(lambda one, times: costing(0.25), 64), Spending(0.0, prices=PRICES))
    assert not replies(tmp_path / "b")


def test_without_prices_one_request_tells_what_they_cost(tmp_path: Path) -> None:
    backend = Crowd(lambda one, times: costing(1.0), 64)
    run(tmp_path, requests(10), backend, Spending(10.0))
    assert len(replies(tmp_path)) == 10
    assert backend.turns == 2


def test_a_reply_that_does_not_say_its_cost_counts_as_expected(tmp_path: Path) -> None:
    spending = Spending(4.0, prices=PRICES)
    costs = {one.key: cost for one, cost in zip(requests(6), [1.0, None, None, 1.0, 1.0, 1.0], strict=True)}
    with pytest.raises(CostError, match="2 requests are left"):
        run(tmp_path, requests(6), Asked(lambda one, times: costing(costs[one.key])), spending)
    assert spending.spent == 4.0


def test_every_attempt_is_paid_and_a_failure_that_cost_nothing_tells_no_mean(tmp_path: Path) -> None:
    failed = RawReply(state=ReplyState.ERROR, retryable=True)
    spending = Spending(3.0, prices=PRICES)
    backend = Asked(
        lambda one, times: replace(failed, cost_usd=0.5 if times == 1 else None) if times < 3 else costing(1)
    )
    run(tmp_path, requests(2), backend, spending)
    assert spending.spent == 3.0
    free = Spending(300.0, prices=PRICES)
    free.add(requests(1)[0], failed)
    free.add(requests(1)[0], RawReply(state=ReplyState.BLOCKED, cost_usd=0.0))
    assert not free.allows(requests(1)[0], 1)  # still 256 dollars each


def test_what_the_cache_holds_is_taken_after_the_money_is_spent(tmp_path: Path) -> None:
    with ReplyCache(tmp_path / "replies.sqlite") as cache:
        backend = Asked(lambda one, times: costing(1.0))
        run(tmp_path / "a", requests(10)[5:], backend, Spending(100.0, prices=PRICES), cache=cache)
        with pytest.raises(CostError, match="3 requests are left"):
            run(tmp_path / "b", requests(10), backend, Spending(2.0, prices=PRICES), cache=cache)
    assert [reply.from_cache for reply in replies(tmp_path / "b").values()] == [False] * 2 + [True] * 5


@pytest.mark.parametrize("amount", [-1.0, math.nan, math.inf])
def test_a_limit_that_is_no_amount_is_refused(amount: float) -> None:
    with pytest.raises(InputError, match="--max-cost"):
        Spending.check(amount, PRICES, "openai:some")


def test_a_limit_without_a_price_is_refused_and_one_with_a_price_is_not() -> None:
    with pytest.raises(InputError, match="no price of openai:some is known") as caught:
        Spending.check(1.0, None, "openai:some")
    assert "--models" in str(caught.value)
    Spending.check(0.0, PRICES, "openai:some")
