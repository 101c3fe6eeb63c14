"""Tries that the server charges for although their answers are none: what they cost is in the reply that ends them."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hosted_runs import quick  # noqa: F401 - a fixture
from openai_servers import ask, asked_of
from reply_builders import quoted, reply_of
from servers.providers.local import LocalProvider
from servers.providers.openai import CHAT, changed, overloaded
from servers.providers.said import Said

from fingreat.inference.presets import Preset, Prices
from fingreat.schema import ReplyState

PRICES = Prices(input=1000.0, output=1000.0, on=date(2026, 11, 1), source="a test")
"""A try with 1,000 tokens in and 10 out costs 1.01 dollars."""
pytestmark = pytest.mark.usefixtures("quick", "no_key")


@changed
def aborted(data: Any) -> Any:
    data["choices"][0]["finish_reason"] = "error"
    return data


@pytest.mark.parametrize(("times", "tries", "state"), [(2, 3, None), (9, 3, ReplyState.ERROR)])
def test_a_reply_costs_what_all_its_tries_cost(
    server: LocalProvider, times: int, tries: int, state: ReplyState | None
) -> None:
    server.say(Said(reply_of(quoted()), prompt_tokens=1000, output_tokens=10))
    server.fail(aborted, path=CHAT, times=times)
    (reply,) = ask(server, "Chunk.", preset=Preset(prices=PRICES)).values()
    assert asked_of(server) == tries
    assert reply.state is state
    assert reply.cost_usd == pytest.approx(3 * 1.01)


def test_tries_that_cost_nothing_leave_the_cost_unknown(server: LocalProvider) -> None:
    server.fail(overloaded, path=CHAT, times=9)
    (reply,) = ask(server, "Chunk.", preset=Preset(prices=PRICES)).values()
    assert reply.cost_usd is None
