"""What replies took, added up by hand."""

from fingreat.inference import Trial
from fingreat.pipeline.meter import Meter, plus
from fingreat.runs import Beside
from fingreat.schema import Reply, ReplyState


def _reply(key: str, state: ReplyState = ReplyState.OK, **values: object) -> Reply:
    return Reply(key=key, state=state, text="", **values)


def test_sums_are_those_of_all_replies_and_rates_those_of_what_was_asked() -> None:
    meter = Meter()
    meter.add(_reply("a", prompt_tokens=1000, cached_tokens=600, output_tokens=50, seconds=2.0, cost_usd=0.25))
    meter.add(_reply("b", ReplyState.TRUNCATED, prompt_tokens=500, output_tokens=100, reasoning_tokens=40, seconds=3.0,
                     cost_usd=0.5))  # fmt: skip
    meter.add(_reply("c", prompt_tokens=700, output_tokens=30, cost_usd=0.0, from_cache=True))
    figures = meter.figures(10.0)
    assert figures["replies"] == 3
    assert figures["from_cache"] == 1
    assert (figures["prompt_tokens"], figures["cached_tokens"]) == (2200, 600)
    assert (figures["output_tokens"], figures["reasoning_tokens"]) == (180, 40)
    # The 700 and 30 tokens of the cache were not asked: (1000 + 500) / 10 and (50 + 100) / 10.
    assert (figures["prompt_tokens_per_second"], figures["output_tokens_per_second"]) == (150.0, 15.0)
    assert figures["cost_usd"] == 0.75
    assert figures["model_seconds"] == 5.0
    assert meter.failed == {"truncated": 1}


def test_cost_is_unknown_where_no_reply_has_a_price_and_gaps_are_counted() -> None:
    meter = Meter()
    meter.add(_reply("a", prompt_tokens=10, output_tokens=1))
    assert meter.figures()["cost_usd"] is None
    meter.add(_reply("b", prompt_tokens=10, output_tokens=1, cost_usd=0.125))
    # A failure of the line took no tokens: nothing is missing in its price.
    meter.add(_reply("c", ReplyState.ERROR))
    assert meter.figures()["cost_usd"] == 0.125
    assert meter.figures()["unpriced"] == 1


def test_a_zero_price_is_a_price() -> None:
    meter = Meter()
    meter.add(_reply("a", prompt_tokens=10, output_tokens=1, cost_usd=0.0))
    assert meter.figures()["cost_usd"] == 0.0


def test_what_came_from_the_cache_costs_nothing_and_lacks_no_price() -> None:
    meter = Meter()
    meter.add(_reply("a", prompt_tokens=10, output_tokens=1, seconds=None, from_cache=True))
    assert meter.figures()["cost_usd"] is None
    assert meter.figures()["unpriced"] == 0
    meter.add(_reply("b", prompt_tokens=10, output_tokens=1, cost_usd=0.0, from_cache=True))
    assert meter.figures()["cost_usd"] == 0.0


def test_there_are_no_rates_without_time() -> None:
    assert Meter().figures()["output_tokens_per_second"] is None
    assert Meter().figures(0.0)["prompt_tokens_per_second"] is None
    meter = Meter()
    meter.add(_reply("a", prompt_tokens=10, output_tokens=1, from_cache=True))
    assert meter.figures(0.1)["prompt_tokens_per_second"] is None


def test_states_are_all_named_and_add_up() -> None:
    meter = Meter()
    for number, state in enumerate(ReplyState):
        meter.add(_reply(str(number), state))
    states = meter.figures()["replies_by_state"]
    assert isinstance(states, dict)
    assert list(states) == [state.value for state in ReplyState]
    assert sum(states.values()) == meter.replies == len(ReplyState)


def test_what_is_no_reply_of_the_run_is_paid_for_and_counts_as_none() -> None:
    meter = Meter()
    meter.add(_reply("a", prompt_tokens=1000, output_tokens=50, seconds=2.0, cost_usd=0.25))
    trial = Trial(prompt_tokens=900, output_tokens=250, seconds=1.0, cost_usd=0.125)
    beside = plus(plus(Beside(), trial), trial)
    figures = meter.figures(10.0, beside)
    assert (figures["prompt_tokens"], figures["output_tokens"], figures["cost_usd"]) == (2800, 550, 0.5)
    assert figures["beside"] == {
        "requests": 2, "prompt_tokens": 1800, "cached_tokens": 0, "output_tokens": 500, "reasoning_tokens": 0,
        "cost_usd": 0.25,
    }  # fmt: skip
    assert (figures["replies"], figures["model_seconds"], figures["prompt_tokens_per_second"]) == (1, 2.0, 100.0)
    # Without a price anywhere there is none; a trial with one is known to have cost it.
    assert Meter().figures(beside=plus(Beside(), Trial(prompt_tokens=5)))["cost_usd"] is None
    assert Meter().figures(beside=beside)["cost_usd"] == 0.25


def test_what_was_asked_and_belongs_to_no_result_is_said_beside_and_is_in_the_rates() -> None:
    own = _reply("a", prompt_tokens=1000, output_tokens=50, cost_usd=0.25)
    other = _reply("b", prompt_tokens=600, cached_tokens=100, output_tokens=30, reasoning_tokens=5, cost_usd=0.125)
    cached = _reply("c", prompt_tokens=7, output_tokens=7, cost_usd=0.0, from_cache=True)
    meter, every = Meter(), Meter()
    meter.add(own)
    for reply in (own, other, cached):
        every.add(reply)
    beside = plus(Beside(), Trial(prompt_tokens=9, cost_usd=1.0))
    figures = meter.figures(10.0, beside, every)
    assert (figures["replies"], figures["prompt_tokens"], figures["cost_usd"]) == (1, 1009, 1.25)
    # The one from the cache was neither asked nor paid for.
    assert figures["unused"] == {
        "requests": 1, "prompt_tokens": 600, "cached_tokens": 100, "output_tokens": 30, "reasoning_tokens": 5,
        "cost_usd": 0.125,
    }  # fmt: skip
    assert figures["spent_usd"] == 1.375
    # All that was asked in the ten seconds: (1000 + 600) / 10 and (50 + 30) / 10.
    assert (figures["prompt_tokens_per_second"], figures["output_tokens_per_second"]) == (160.0, 8.0)


def test_where_all_replies_belong_to_the_result_nothing_is_said_of_others() -> None:
    meter, every = Meter(), Meter()
    for reply in (_reply("a", prompt_tokens=10, cost_usd=0.5), _reply("c", cost_usd=0.0, from_cache=True)):
        every.add(reply)
    meter.add(_reply("a", prompt_tokens=10, cost_usd=0.5))
    assert not {"unused", "spent_usd"} & meter.figures(1.0, every=every).keys()
