"""`openai:` against a server on loopback that speaks its language, with the faults of the wire."""

from __future__ import annotations

import json
import logging
import time
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hosted_runs import quick, replies  # noqa: F401 - a fixture
from openai_servers import KEY, ask, asked_of, state_of
from reply_builders import GRAPH, quoted, reply_of, request
from servers.answers import cut, cut_chunked, delayed, dribbling, edited, instead, redirected, reset
from servers.providers.local import LocalProvider, as_json
from servers.providers.openai import (
    CHAT,
    broken,
    changed,
    filtered,
    no_credit,
    overloaded,
    rate_limited,
    wrong_key,
)
from servers.providers.said import Said

from fingreat.errors import BackendError
from fingreat.inference import Settings, create_backend
from fingreat.inference.hosted import online
from fingreat.inference.presets import Preset, Prices

ROW = reply_of(quoted())

pytestmark = pytest.mark.usefixtures("quick", "no_key")


def test_requests_get_their_own_replies(server: LocalProvider) -> None:
    texts = [f"row {number:03d}" for number in range(150)]
    server.say(lambda prompt: Said(reply_of(quoted(prompt)), prompt_tokens=int(prompt[-3:]) + 1))
    found = ask(server, *texts)
    assert sorted(found) == texts
    for text, reply in found.items():
        assert json.loads(reply.text)["extractions"][0]["quote"] == text
        assert reply.prompt_tokens == int(text[-3:]) + 1
        assert reply.seconds is not None
        assert 0 < reply.seconds < 10
    assert asked_of(server) == 150


def test_answers_come_out_of_order_and_are_joined_to_their_requests(server: LocalProvider) -> None:
    server.fail(delayed(0.6), "row 0")
    server.fail(delayed(0.3), "row 1")
    found = ask(server, "row 0", "row 1", "row 2")
    assert list(found) == ["row 2", "row 1", "row 0"]
    assert all(text in reply.text for text, reply in found.items())


def test_the_rows_of_a_messy_result_get_their_states(server: LocalProvider) -> None:
    said = {
        "empty list": Said(reply_of()),
        "cut": Said(reply_of(quoted(), quoted())[:-30], stop="length"),
        "in the thoughts": Said("", reasoning=ROW),
        "blanks": Said('{"extractions":[' + "\n" * 400, stop="length"),
        "bare quote mark": Said('{"extractions":[{"quote":"the "core" lines grew","edge":{}}]}'),
        "fenced": Said(f"Here it is:\n```json\n{ROW}\n```\nMore?"),
        "foreign word": Said(reply_of(quoted(source="REVENUE"))),
        "refused": Said(refusal="recitation"),
        "filtered": Said("", stop="filter"),
    }
    server.say(lambda prompt: said[prompt])
    found = ask(server, *said, "word " * 3001)
    states = {text[:20].strip(): state_of(reply) for text, reply in found.items()}
    assert states == {
        "empty list": "ok",
        "cut": "truncated",
        "in the thoughts": "ok",
        "blanks": "degenerate",
        "bare quote mark": "invalid_json",
        "fenced": "ok",
        "foreign word": "schema_violation",
        "refused": "blocked",
        "filtered": "blocked",
        ("word " * 4).strip(): "too_long",
    }
    assert asked_of(server) == len(states)


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(broken, id="500"),
        pytest.param(overloaded, id="503"),
        pytest.param(rate_limited(), id="429"),
        pytest.param(instead(as_json({"error": {"message": "busy"}}, 529)), id="529"),
        pytest.param(instead(as_json({"detail": "conflict"}, 409)), id="409"),
        pytest.param(reset(), id="reset before the answer"),
        pytest.param(reset(0.5), id="reset in the middle"),
        pytest.param(cut(0.5), id="cut"),
        pytest.param(cut_chunked(0.5), id="cut in chunks"),
        pytest.param(edited(lambda body: body[: len(body) // 2]), id="half a body in good order"),
        pytest.param(edited(lambda body: body + body), id="the answer twice over"),
        pytest.param(edited(lambda body: b""), id="nothing"),
        pytest.param(edited(lambda body: b"[" * 200_000), id="brackets"),
        pytest.param(edited(lambda body: b'{"created": ' + b"9" * 5000 + body[body.index(b",") :]), id="digits"),
        pytest.param(edited(lambda body: body.replace(b"choices", b"cho\xff\xfeces")), id="no UTF-8"),
        pytest.param(changed(lambda data: data | {"choices": []}), id="no choice"),
        pytest.param(changed(lambda data: {"error": {"message": "lost"}}), id="an error under status 200"),
        pytest.param(lambda answer: replace(answer, type="text/html", body=b"<html>login</html>"), id="a page"),
    ],
)
def test_what_may_pass_is_asked_again_and_the_others_once(server: LocalProvider, fault: Any) -> None:
    server.fail(fault, "row 1", times=2)
    found = ask(server, "row 0", "row 1", "row 2")
    assert {text: state_of(reply) for text, reply in found.items()} == dict.fromkeys(("row 0", "row 1", "row 2"), "ok")
    assert [server.asked(f"row {number}") for number in range(3)] == [1, 3, 1]


def test_a_row_that_crashes_the_server_every_time_stops_nobody(server: LocalProvider) -> None:
    server.fail(broken, "row 1")
    found = ask(server, "row 0", "row 1", "row 2")
    assert (state_of(found["row 0"]), state_of(found["row 2"])) == ("ok", "ok")
    poison = found["row 1"]
    assert (state_of(poison), poison.retryable) == ("error", True)
    assert poison.detail is not None
    assert "status 500" in poison.detail
    assert "tried 3 times" in poison.detail
    assert server.asked("row 1") == 3


def test_a_request_waits_as_long_as_the_server_says(server: LocalProvider) -> None:
    server.fail(rate_limited(after=1), "row 0", times=1)
    assert state_of(ask(server, "row 0")["row 0"]) == "ok"
    first, second = (seen.arrived for seen in server.log.requests if seen.path == CHAT)
    assert second - first >= 1.0


def test_a_body_that_trickles_is_given_up_and_asked_again(server: LocalProvider) -> None:
    server.fail(dribbling(piece=1, pause=0.1), "row 0", times=1)
    start = time.monotonic()
    assert state_of(ask(server, "row 0")["row 0"]) == "ok"
    assert 1.4 < time.monotonic() - start < 5  # a try lasts 1.5 seconds here
    assert server.asked("row 0") == 2


def test_a_slow_body_is_waited_for(server: LocalProvider) -> None:
    server.fail(dribbling(piece=200, pause=0.1))
    assert state_of(ask(server, "row 0")["row 0"]) == "ok"
    assert server.asked("row 0") == 1


def test_what_a_filter_stops_before_the_model_is_blocked_for_good(server: LocalProvider) -> None:
    server.fail(filtered, "row 0")
    reply = ask(server, "row 0")["row 0"]
    assert (state_of(reply), reply.retryable) == ("blocked", False)
    assert server.asked("row 0") == 1


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        pytest.param(instead(wrong_key(KEY)), "Check the key", id="401"),
        pytest.param(instead(as_json({"error": {"message": "no"}}, 403)), "may not use this model", id="403"),
        pytest.param(instead(as_json({"error": {"message": "gone"}}, 404)), "Check the model's name", id="404"),
        pytest.param(no_credit, "no credit", id="no credit"),
        pytest.param(redirected("http://127.0.0.1:9/v1"), "Check the model's name and --base-url", id="elsewhere"),
    ],
)
def test_what_every_request_would_meet_ends_the_run_at_once(server: LocalProvider, fault: Any, said: str) -> None:
    server.fail(fault, path=CHAT)
    start = time.monotonic()
    with pytest.raises(BackendError, match=said) as caught:
        ask(server, *(f"row {number}" for number in range(500)), in_flight=4)
    assert time.monotonic() - start < 5
    assert asked_of(server) <= 4
    assert str(caught.value).startswith(f"openai:small at {server.base}/v1: status ")


def test_a_server_that_dies_ends_the_run_in_words(server: LocalProvider) -> None:
    server.fail(reset(), spare=3, path=CHAT)
    with pytest.raises(BackendError, match="answered none of the last 10 requests"):
        ask(server, *(f"row {number}" for number in range(40)))


def test_usage_and_cost_are_the_servers_and_the_presets(server: LocalProvider) -> None:
    server.say(Said(ROW, prompt_tokens=2000, cached_tokens=1500, output_tokens=100, reasoning_tokens=30))
    prices = Prices(input=2.0, output=8.0, cached_input=0.5, on=date(2026, 1, 1), source="invented")
    reply = ask(server, "row", preset=Preset(prices=prices))["row"]
    assert (reply.prompt_tokens, reply.cached_tokens, reply.output_tokens, reply.reasoning_tokens) == (
        2000,
        1500,
        100,
        30,
    )
    assert reply.cost_usd == pytest.approx((500 * 2.0 + 1500 * 0.5 + 100 * 8.0) / 1e6)


def test_the_key_is_in_no_reply_no_error_and_no_log(
    hosted: LocalProvider, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    hosted.say(Said(f"you are {KEY}", reasoning=f"{KEY}?"))
    hosted.fail(instead(as_json({"error": {"message": f"bad: {KEY}"}}, 422)), "row 1")
    hosted.fail(instead(as_json({"error": {"message": f"crash: {KEY}"}}, 500)), "row 2")
    backend = create_backend("openai:small", GRAPH)
    found = {
        one.messages[-1].content: reply for one, reply in backend.answer(map(request, ["row 0", "row 1", "row 2"]))
    }
    assert found["row 0"].text == "you are [key]"
    assert "bad: [key]" in (found["row 1"].detail or "")
    assert "crash: [key]" in (found["row 2"].detail or "")
    hosted.fail(instead(as_json({"error": {"message": f"forbidden: {KEY}"}}, 403)))
    with pytest.raises(BackendError, match=r"forbidden: \[key\]") as caught:
        list(backend.answer([request("row 3")]))
    assert KEY not in repr(found) + str(caught.value) + caplog.text
    assert any(seen.headers["authorization"] == f"Bearer {KEY}" for seen in hosted.log.requests)


def test_an_interrupted_caller_waits_for_no_hanging_answer(server: LocalProvider) -> None:
    server.fail(delayed(30), "slow")
    backend = create_backend("openai:small", GRAPH, Settings(base_url=f"{server.base}/v1"))
    found = backend.answer(map(request, ["slow", "row", "slow too"]))
    next(found)
    start = time.monotonic()
    found.close()  # type: ignore[attr-defined]
    assert time.monotonic() - start < 1


def test_many_requests_in_flight_take_the_time_of_one(server: LocalProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online, "PATIENCE", online.Patience())
    server.fail(delayed(0.5), path=CHAT)
    start = time.monotonic()
    ask(server, *(f"row {number}" for number in range(128)), in_flight=64)
    # Two waves of half a second; one after the other would take 64.
    assert time.monotonic() - start < 6
