from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from batch_runs import PRICES, Local, asked, assert_key_stays, quick, replies, right, texts
from servers.answers import cut, edited, reset, shortened
from servers.providers import openai_batch as openai_batch_server
from servers.providers.local import LocalProvider
from servers.providers.openai import OpenAIWire, broken, rate_limited
from servers.providers.openai_batch import OpenAIBatchWire

from fingreat.errors import BackendError
from fingreat.inference.hosted.batch_notes import BatchNotes
from fingreat.inference.hosted.batches import answer_batched
from fingreat.inference.hosted.openai_batch import OpenAIBatch
from fingreat.inference.presets import Preset
from fingreat.schema import ReplyState

KEY = "sk-proj-0123456789abcdef"
pytestmark = pytest.mark.usefixtures("quick")
__all__ = ["quick"]


def api(local: Local, key: str = KEY, most_requests: int | None = None) -> OpenAIBatch:
    client = openai.OpenAI(api_key=key, base_url=f"{local.server.base}/v1")
    made = OpenAIBatch(lambda: client, "small", Preset(prices=PRICES))
    made.most_requests = most_requests or made.most_requests
    return made


@pytest.fixture(scope="module")
def running() -> Iterator[Local]:
    one = Local(OpenAIBatchWire(key=KEY), OpenAIWire(key=KEY))
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
    assert {(reply.prompt_tokens, reply.output_tokens, reply.seconds) for reply in found.values()} == {
        (1000, 100, None)
    }
    assert local.desk.sent() == [5]


def test_what_is_sent_is_what_would_be_sent_online(local: Local, tmp_path: Path) -> None:
    one = asked(1)[0]
    replies(api(local), [one], tmp_path)
    (row,) = next(iter(local.desk.batches.values())).rows
    assert (row["custom_id"], row["method"], row["url"]) == (one.key, "POST", "/v1/chat/completions")
    assert row["body"]["messages"][-1] == {"role": "user", "content": "row 0"}
    assert row["body"]["response_format"]["json_schema"]["schema"] == one.reply_schema


def test_a_batch_holds_no_more_requests_or_bytes_than_the_interface_takes(local: Local, tmp_path: Path) -> None:
    assert texts(replies(api(local, most_requests=2), asked(5), tmp_path / "count")) == right(5)
    assert local.desk.sent() == [2, 2, 1]
    by_bytes = api(local)
    by_bytes.most_bytes = 2 * len(by_bytes.line(asked(1)[0]))
    assert texts(replies(by_bytes, asked(3), tmp_path / "bytes")) == right(3)
    assert local.desk.sent()[3:] == [2, 1]


def test_rows_of_an_expired_batch_are_errors_that_a_new_batch_can_mend(local: Local, tmp_path: Path) -> None:
    local.desk.ends, local.desk.answered = ["expired"], 2
    found = replies(api(local), asked(4), tmp_path)
    lost = {text: reply for text, reply in found.items() if reply.state is not None}
    assert lost.keys() == {"row 2", "row 3"}
    assert {(reply.state, reply.retryable) for reply in lost.values()} == {(ReplyState.ERROR, True)}
    assert "batch_expired" in (lost["row 2"].detail or "")
    assert texts(replies(api(local), asked(2, 2), tmp_path)) == right(2, 2)
    assert local.desk.sent() == [4, 2]


def test_a_cancelled_batch_loses_nothing_that_was_answered_and_is_not_sent_again_at_once(
    local: Local, tmp_path: Path
) -> None:
    local.desk.ends, local.desk.answered = ["cancelled"], 3
    found = replies(api(local), asked(4), tmp_path)
    lost = found.pop("row 3")
    assert texts(found) == right(3)
    assert (lost.state, lost.retryable) == (ReplyState.ERROR, False)
    assert "batch_cancelled" in (lost.detail or "")


def test_a_batch_that_the_provider_does_not_know_keeps_no_other_from_being_collected(
    local: Local, tmp_path: Path
) -> None:
    next(answer_batched(api(local, most_requests=2), iter(asked(4)), tmp_path))
    (first, *_) = local.desk.batches
    del local.desk.batches[first]
    found = []
    with pytest.raises(BackendError) as caught:
        found.extend(answer_batched(api(local), iter(asked(4)), tmp_path))
    assert {one.messages[-1].content: reply.text for one, reply in found} == right(2, 2)
    assert str(caught.value).startswith(f"{tmp_path}: OpenAI's batch interface: ")
    assert f"(batch {first} of 2 requests, sent 20" in str(caught.value)
    assert "remove this folder" in str(caught.value)


def test_half_a_surrogate_pair_in_what_a_batch_failed_for_is_noted_and_said(
    local: Local, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = {"code": "bad", "line": 1, "message": "cut \ud83d", "param": None}
    monkeypatch.setitem(openai_batch_server._FAULTS, "failed", fault)
    local.desk.ends = ["failed"]
    with pytest.raises(BackendError, match="bad: cut \ufffd"):
        replies(api(local), asked(2), tmp_path)
    assert texts(replies(api(local), asked(2), tmp_path)) == right(2)


def test_a_batch_that_the_provider_finds_faulty_ends_the_run_and_is_sent_anew_by_the_next(
    local: Local, tmp_path: Path
) -> None:
    local.desk.ends = ["failed"]
    with pytest.raises(BackendError, match="invalid_json_line"):
        replies(api(local), asked(2), tmp_path)
    assert texts(replies(api(local), asked(2), tmp_path)) == right(2)


def test_a_batch_for_which_there_is_no_room_is_sent_again_in_halves(local: Local, tmp_path: Path) -> None:
    local.desk.ends = ["no room"]
    assert texts(replies(api(local), asked(4), tmp_path)) == right(4)
    assert local.desk.sent() == [4, 2, 2]


def test_a_batch_for_which_there_is_no_room_waits_whole_while_others_run(local: Local, tmp_path: Path) -> None:
    local.desk.ends = ["done", "no room"]
    assert texts(replies(api(local, most_requests=4), asked(8), tmp_path)) == right(8)
    assert local.desk.sent() == [4, 4, 4]


def test_a_torn_tail_and_an_unknown_id_are_reported_and_lose_no_other_row(
    local: Local, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def spoil(body: bytes) -> bytes:
        lines = body.splitlines(keepends=True)
        stray = lines[0].replace(json.loads(lines[0])["custom_id"].encode(), b"req-stranger")
        return b"".join([stray, lines[0], *lines[:-1], lines[-1][:30]])

    local.server.fail(edited(spoil), path="/v1/files/output-batch_1/content")
    with caplog.at_level(logging.WARNING):
        found = replies(api(local), asked(4), tmp_path)
    # Results come in reverse, so the torn last line is that of the first request.
    assert {text for text, reply in found.items() if reply.retryable} == {"row 0"}
    assert found["row 3"].text == "answer to row 3"
    assert "1 stray line, 1 duplicate, 1 damaged line" in caplog.text
    assert "req-stranger" in caplog.text


def test_a_second_answer_does_not_replace_the_first(local: Local, tmp_path: Path) -> None:
    def twice(body: bytes) -> bytes:
        return body + body.replace(b"answer to", b"another answer to")

    local.server.fail(edited(twice), path="/v1/files/output-batch_1/content")
    assert texts(replies(api(local), asked(2), tmp_path)) == right(2)


@pytest.mark.parametrize(
    "fault", [broken, rate_limited(after=0), reset(), cut(0.5)], ids=["500", "429", "reset", "cut"]
)
@pytest.mark.parametrize("path", ["/v1/batches/batch_1", "/v1/files/output-batch_1/content"])
def test_a_line_that_fails_while_waiting_or_fetching_is_tried_again(
    local: Local, tmp_path: Path, fault: Any, path: str
) -> None:
    local.server.fail(fault, path=path, times=2)
    assert texts(replies(api(local), asked(3), tmp_path)) == right(3)
    assert local.desk.sent() == [3]


@pytest.mark.parametrize("fault", [broken, reset(), cut(0.5)], ids=["500", "reset", "cut"])
def test_a_batch_whose_id_was_lost_on_the_way_is_found_and_not_sent_twice(
    local: Local, tmp_path: Path, fault: Any
) -> None:
    # The server has the batch; its answer does not arrive.
    local.server.fail(fault, "24h", path="/v1/batches", times=1)
    assert texts(replies(api(local), asked(3), tmp_path)) == right(3)
    assert local.desk.sent() == [3]


def test_a_batch_that_was_refused_for_the_moment_is_sent_once_more(local: Local, tmp_path: Path) -> None:
    local.server.fail(rate_limited(after=0), path="/v1/files", times=2)
    assert texts(replies(api(local), asked(3), tmp_path)) == right(3)
    assert local.desk.sent() == [3]


def test_a_provider_that_stays_away_ends_the_run_with_one_message(local: Local, tmp_path: Path) -> None:
    local.server.fail(broken)
    with pytest.raises(BackendError, match="OpenAI's batch interface gave no answer") as caught:
        replies(api(local), asked(1), tmp_path)
    assert caught.value.retryable


def test_a_wrong_key_ends_the_run_at_once_and_is_quoted_nowhere(local: Local, tmp_path: Path) -> None:
    wrong = "sk-wrong-0123456789abcdef"
    with pytest.raises(BackendError, match="401") as caught:
        replies(api(local, wrong), asked(1), tmp_path, secret=wrong)
    assert wrong not in str(caught.value)
    assert "0123456789abcdef" not in "".join(path.read_text() for path in tmp_path.rglob("*.jsonl"))


def test_a_key_that_the_provider_repeats_reaches_no_reply(local: Local, tmp_path: Path) -> None:
    local.server.fail(
        edited(lambda body: body.replace(b"answer", KEY.encode())), path="/v1/files/output-batch_1/content"
    )
    found = replies(api(local), asked(1), tmp_path, secret=KEY)
    assert found["row 0"].text == "[key] to row 0"


def test_a_key_that_the_provider_repeats_in_what_it_says_of_a_batch_reaches_no_note(
    local: Local, tmp_path: Path
) -> None:
    local.desk.ends = ["failed"]
    quoting = edited(lambda body: body.replace(b"This line", KEY.encode()))
    local.server.fail(quoting, path="/v1/batches/batch_1")
    with pytest.raises(BackendError, match="is not parseable") as caught:
        replies(api(local), asked(1), tmp_path, secret=KEY)
    assert KEY not in str(caught.value)
    assert KEY not in (tmp_path / "part-00000.jsonl").read_text()


def test_a_server_without_batches_is_told_as_such(tmp_path: Path) -> None:
    with LocalProvider(OpenAIWire()) as server:
        client = openai.OpenAI(api_key="x", base_url=f"{server.base}/v1")
        with pytest.raises(BackendError, match="batch interface"):
            replies(OpenAIBatch(lambda: client, "small", Preset()), asked(1), tmp_path)


def test_a_batch_that_is_gone_is_not_sent_again_by_itself(local: Local, tmp_path: Path) -> None:
    with BatchNotes(tmp_path, "OpenAI") as notes:
        notes.sent(notes.plan([asked(1)[0].key]), "batch_of_another_project")
    with pytest.raises(BackendError, match="project"):
        replies(api(local), asked(1), tmp_path)
    assert local.desk.sent() == []


def test_a_file_that_is_too_short_costs_only_its_tail(local: Local, tmp_path: Path) -> None:
    local.server.fail(shortened(0.5), path="/v1/files/output-batch_1/content")
    found = replies(api(local), asked(6), tmp_path)
    assert len(found) == 6
    assert 0 < sum(reply.retryable for reply in found.values()) < 6


@pytest.mark.parametrize("path", ["/v1/files", "/v1/batches/batch_1", "/v1/files/output-batch_1/content"])
def test_a_redirect_takes_the_key_nowhere(local: Local, tmp_path: Path, path: str) -> None:
    assert_key_stays(local, api(local), path, tmp_path)
