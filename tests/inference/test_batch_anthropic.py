from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import pytest
from batch_runs import PRICES, Local, asked, assert_key_stays, quick, replies, right, texts
from servers.answers import cut, edited, reset
from servers.providers.anthropic import AnthropicWire, broken, overloaded, rate_limited
from servers.providers.anthropic_batch import BATCHES, AnthropicBatchWire
from servers.providers.local import LocalProvider

from fingreat.errors import BackendError
from fingreat.inference.hosted.anthropic_batch import AnthropicBatch
from fingreat.inference.presets import Preset
from fingreat.schema import ReplyState

KEY = "sk-ant-0123456789abcdef"
FAULTS = {"500": broken, "429": rate_limited(after=0), "529": overloaded, "reset": reset(), "cut": cut(0.5)}
pytestmark = pytest.mark.usefixtures("quick")
__all__ = ["quick"]


def api(local: Local, key: str = KEY) -> AnthropicBatch:
    client = anthropic.Anthropic(api_key=key, base_url=local.server.base)
    return AnthropicBatch(lambda: client, "small", Preset(prices=PRICES))


@pytest.fixture(scope="module")
def running() -> Iterator[Local]:
    one = Local(AnthropicBatchWire(key=KEY), AnthropicWire(key=KEY))
    with one.server:
        yield one


@pytest.fixture
def local(running: Local) -> Local:
    running.renew()
    return running


def test_replies_are_joined_by_id_out_of_order_at_half_the_price(local: Local, tmp_path: Path) -> None:
    found = replies(api(local), asked(5), tmp_path)
    assert texts(found) == right(5)
    # (1000 × $2 + 100 × $10) / 1,000,000, and half of it.
    assert {reply.cost_usd for reply in found.values()} == {0.0015}
    assert local.desk.sent() == [5]


def test_what_is_sent_is_what_would_be_sent_online(local: Local, tmp_path: Path) -> None:
    one = asked(1)[0]
    replies(api(local), [one], tmp_path)
    (row,) = next(iter(local.desk.batches.values())).rows
    assert row["custom_id"] == one.key
    assert row["params"]["messages"] == [{"role": "user", "content": "row 0"}]
    assert row["params"]["output_config"]["format"]["type"] == "json_schema"


@pytest.mark.parametrize(("end", "at_once"), [("expired", True), ("cancelled", False)])
def test_rows_of_a_batch_that_ended_early_are_errors_that_a_new_batch_can_mend(
    local: Local, tmp_path: Path, end: Any, at_once: bool
) -> None:
    local.desk.ends, local.desk.answered = [end], 2
    found = replies(api(local), asked(4), tmp_path)
    lost = {text: reply for text, reply in found.items() if reply.state is not None}
    assert lost.keys() == {"row 2", "row 3"}
    assert {(reply.state, reply.retryable, reply.detail) for reply in lost.values()} == {
        (ReplyState.ERROR, at_once, f"its batch {'was ' * (end == 'cancelled')}{end}")
    }
    assert texts(replies(api(local), asked(2, 2), tmp_path)) == right(2, 2)


def test_a_row_with_an_error_says_whether_asking_again_may_help(local: Local, tmp_path: Path) -> None:
    first, second, third = asked(3)
    local.wire.errored = {first.key: "overloaded_error", second.key: "invalid_request_error"}
    found = replies(api(local), [first, second, third], tmp_path)
    assert (found["row 0"].state, found["row 0"].retryable) == (ReplyState.ERROR, True)
    assert (found["row 1"].state, found["row 1"].retryable) == (ReplyState.TOO_LONG, False)
    assert found["row 2"].text == "answer to row 2"


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("path", [f"{BATCHES}/msgbatch_1", f"{BATCHES}/msgbatch_1/results"])
def test_a_line_that_fails_while_waiting_or_fetching_is_tried_again(
    local: Local, tmp_path: Path, fault: Any, path: str
) -> None:
    local.server.fail(fault, path=path, times=2)
    assert texts(replies(api(local), asked(3), tmp_path)) == right(3)
    assert local.desk.sent() == [3]


@pytest.mark.parametrize("fault", [broken, reset(), cut(0.5)], ids=["500", "reset", "cut"])
def test_a_batch_whose_id_was_lost_on_the_way_is_found_by_its_size_and_proved_by_its_results(
    local: Local, tmp_path: Path, fault: Any
) -> None:
    # Somebody else's batch of the same size, sent just before.
    local.desk.take("", [{"custom_id": f"x{n}", "params": _foreign(n)} for n in range(3)], "msgbatch_{}")
    local.server.fail(fault, "custom_id", path=BATCHES, times=1)
    assert texts(replies(api(local), asked(3), tmp_path)) == right(3)
    assert local.desk.sent() == [3, 3]


def test_a_wrong_key_ends_the_run_at_once_and_is_quoted_nowhere(local: Local, tmp_path: Path) -> None:
    wrong = "sk-ant-wrong-0123456789abcdef"
    with pytest.raises(BackendError, match="401") as caught:
        replies(api(local, wrong), asked(1), tmp_path, secret=wrong)
    assert wrong not in str(caught.value)


@pytest.mark.parametrize("path", ["/v1/messages/batches", "/v1/messages/batches/msgbatch_1/results"])
def test_a_redirect_takes_the_key_nowhere(local: Local, tmp_path: Path, path: str) -> None:
    assert_key_stays(local, api(local), path, tmp_path)


def test_results_at_another_address_are_not_fetched_with_the_key(local: Local, tmp_path: Path) -> None:
    with LocalProvider() as elsewhere:
        host = elsewhere.base.removeprefix("http://").encode()
        own = local.server.base.removeprefix("http://").encode()
        local.server.fail(edited(lambda body: body.replace(own, host)), path=f"{BATCHES}/msgbatch_1")
        with pytest.raises(BackendError, match="another address"):
            replies(api(local), asked(1), tmp_path)
        assert elsewhere.log.count() == 0


def _foreign(number: int) -> dict[str, Any]:
    return {"model": "small", "messages": [{"role": "user", "content": f"foreign {number}"}]}
