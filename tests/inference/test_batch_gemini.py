from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from batch_runs import PRICES, Local, asked, quick, replies, right, texts
from google import genai
from servers.answers import cut, reset
from servers.providers.gemini import GeminiWire, broken, overloaded, rate_limited
from servers.providers.gemini_batch import GeminiBatchWire
from servers.providers.said import Said

from fingreat.errors import BackendError
from fingreat.inference.hosted.gemini_batch import GeminiBatch
from fingreat.inference.presets import Preset
from fingreat.schema import ReplyState

KEY = "AIza-0123456789abcdef"
FAULTS = {"500": broken, "429": rate_limited(after=0), "503": overloaded, "reset": reset(), "cut": cut(0.5)}
pytestmark = pytest.mark.usefixtures("quick")
__all__ = ["quick"]


def api(local: Local, key: str = KEY) -> GeminiBatch:
    # Paths of tests name a version; the back end leaves it to the SDK.
    options = {"base_url": local.server.base, "api_version": "v1beta"}
    return GeminiBatch(lambda: genai.Client(api_key=key, http_options=options), "small", Preset(prices=PRICES))


@pytest.fixture(scope="module")
def running() -> Iterator[Local]:
    one = Local(GeminiBatchWire(key=KEY), GeminiWire(key=KEY))
    with one.server:
        yield one


@pytest.fixture
def local(running: Local) -> Local:
    running.renew()
    return running


def test_replies_are_joined_by_key_out_of_order_at_half_the_price(local: Local, tmp_path: Path) -> None:
    found = replies(api(local), asked(5), tmp_path)
    assert texts(found) == right(5)
    # (1000 × $2 + 100 × $10) / 1,000,000, and half of it.
    assert {reply.cost_usd for reply in found.values()} == {0.0015}
    assert local.desk.sent() == [5]


def test_what_is_sent_is_what_would_be_sent_online(local: Local, tmp_path: Path) -> None:
    one = asked(1)[0]
    replies(api(local), [one], tmp_path)
    (row,) = next(iter(local.desk.batches.values())).rows
    assert row["key"] == one.key
    assert row["request"]["contents"] == [{"role": "user", "parts": [{"text": "row 0"}]}]
    assert row["request"]["generationConfig"]["responseMimeType"] == "application/json"


@pytest.mark.parametrize(("end", "at_once"), [("expired", True), ("failed", True), ("cancelled", False)])
def test_rows_of_a_batch_that_did_not_end_well_are_errors_that_a_new_batch_can_mend(
    local: Local, tmp_path: Path, end: Any, at_once: bool
) -> None:
    local.desk.ends = [end]
    found = replies(api(local), asked(2), tmp_path)
    assert {(reply.state, reply.retryable) for reply in found.values()} == {(ReplyState.ERROR, at_once)}
    assert end in (found["row 0"].detail or "")
    assert texts(replies(api(local), asked(2), tmp_path)) == right(2)


def test_a_row_with_an_error_says_whether_asking_again_may_help(local: Local, tmp_path: Path) -> None:
    first, second, third = asked(3)
    # UNAVAILABLE and INVALID_ARGUMENT of google.rpc.Code.
    local.wire.errored = {first.key: 14, second.key: 3}
    found = replies(api(local), [first, second, third], tmp_path)
    assert (found["row 0"].state, found["row 0"].retryable) == (ReplyState.ERROR, True)
    assert (found["row 1"].state, found["row 1"].retryable) == (ReplyState.ERROR, False)
    assert found["row 2"].text == "answer to row 2"


def test_a_recitation_in_a_batch_is_told_from_a_refusal(local: Local, tmp_path: Path) -> None:
    local.server.say(lambda prompt: Said(stop="recitation" if prompt == "row 0" else "refusal"))
    found = replies(api(local), asked(2), tmp_path)
    assert {reply.state for reply in found.values()} == {ReplyState.BLOCKED}
    assert (found["row 0"].detail or "").startswith("recitation")
    assert (found["row 1"].detail or "").startswith("refusal")


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("path", ["/v1beta/batches/b1", "/v1beta/files/out-b1:download"])
def test_a_line_that_fails_while_waiting_or_fetching_is_tried_again(
    local: Local, tmp_path: Path, fault: Any, path: str
) -> None:
    local.server.fail(fault, path=path, times=2)
    assert texts(replies(api(local), asked(3), tmp_path)) == right(3)
    assert local.desk.sent() == [3]


@pytest.mark.parametrize("fault", [broken, reset(), cut(0.5)], ids=["500", "reset", "cut"])
def test_a_batch_whose_id_was_lost_on_the_way_is_found_by_its_name(local: Local, tmp_path: Path, fault: Any) -> None:
    local.server.fail(fault, path="/v1beta/models/small:batchGenerateContent", times=1)
    assert texts(replies(api(local), asked(3), tmp_path)) == right(3)
    assert local.desk.sent() == [3]


def test_an_upload_that_fails_is_made_again(local: Local, tmp_path: Path) -> None:
    local.server.fail(broken, path="/upload/v1beta/files", times=1)
    assert texts(replies(api(local), asked(2), tmp_path)) == right(2)
    assert local.desk.sent() == [2]


def test_a_wrong_key_ends_the_run_at_once_and_is_quoted_nowhere(local: Local, tmp_path: Path) -> None:
    wrong = "AIza-wrong-0123456789abcdef"
    with pytest.raises(BackendError, match="API key not valid") as caught:
        replies(api(local, wrong), asked(1), tmp_path, secret=wrong)
    assert wrong not in str(caught.value)
