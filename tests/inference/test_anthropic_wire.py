"""Anthropic's messages as plain data: what is sent, what comes back, what failures mean."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from reply_builders import request

from fingreat.inference.hosted.anthropic_wire import error_reply, error_words, fatal_error, message_body, message_reply
from fingreat.inference.presets import Preset, Prices
from fingreat.schema import ReplyState, Sampling

PRICES = Prices(input=3.0, output=15.0, cached_input=0.3, cache_write=3.75, on=date(2026, 11, 1), source="a test")


def message(*content: dict[str, Any], stop: str = "end_turn", **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 50, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 50, "output_tokens": 30}
    return {"type": "message", "content": list(content), "stop_reason": stop, "usage": usage} | more


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def failure(kind: str, text: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_1"}


def test_the_system_message_is_marked_for_the_cache_and_the_rest_is_not() -> None:
    body = message_body(request("Sales rose."), "a-model", Preset())
    assert body["system"] == [
        {"type": "text", "text": "Find the passages.", "cache_control": {"type": "ephemeral"}},
    ]
    assert body["messages"] == [{"role": "user", "content": "Sales rose."}]
    assert body["model"] == "a-model"
    assert body["max_tokens"] == 256
    assert body["output_config"]["format"]["type"] == "json_schema"
    assert "temperature" not in body


def test_a_preset_goes_beside_the_schema_and_a_temperature_is_the_requests_own() -> None:
    preset = Preset(request={"output_config": {"effort": "low"}, "thinking": {"type": "disabled"}, "temperature": 0})
    asked = request().model_copy(update={"sampling": Sampling(temperature=0.6)})
    body = message_body(asked, "a-model", preset)
    assert body["output_config"]["effort"] == "low"
    assert body["output_config"]["format"]["schema"]["type"] == "object"
    assert body["thinking"] == {"type": "disabled"}
    assert body["temperature"] == 0.6
    hotter = asked.model_copy(update={"sampling": Sampling(temperature=1.2)})
    # The provider takes 0 to 1.
    assert message_body(hotter, "a-model", preset)["temperature"] == 1.0


def test_tokens_of_the_prompt_are_all_of_it_and_each_part_has_its_price() -> None:
    data = message(said('{"a":'), said(" 1}"))
    reply = message_reply(data, PRICES, 1.5)
    assert (reply.text, reply.finish_reason, reply.state, reply.seconds) == ('{"a": 1}', "stop", None, 1.5)
    assert (reply.prompt_tokens, reply.cached_tokens, reply.output_tokens) == (1000, 900, 30)
    # (50 × $3 + 900 × $0.30 + 50 × $3.75 + 30 × $15) / 1,000,000
    assert reply.cost_usd == pytest.approx(0.0010575)
    halved = message_reply(data, PRICES, None, batch=True)
    assert halved.cost_usd == pytest.approx(0.00052875)
    assert message_reply(data, None, None).cost_usd is None


def test_thoughts_are_no_part_of_the_answer() -> None:
    details = {"output_tokens_details": {"thinking_tokens": 20}}
    thoughts = {"type": "thinking", "thinking": "Let me see.", "signature": "s"}
    data = message(thoughts, {"type": "redacted_thinking", "data": "x"}, said("{}"))
    data["usage"] |= details
    reply = message_reply(data, None, None)
    assert (reply.text, reply.reasoning, reply.reasoning_tokens) == ("{}", "Let me see.", 20)


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "pause_turn"),
    ],
)
def test_why_it_stopped_is_told_in_the_words_of_all_back_ends(stop: str, finish: str) -> None:
    reply = message_reply(message(said("{"), stop=stop), None, None)
    assert (reply.finish_reason, reply.state) == (finish, None)


@pytest.mark.parametrize(
    ("details", "words"),
    [
        ({"category": "bio", "explanation": "It is about toxins."}, "refusal: bio: It is about toxins."),
        ({"category": None, "explanation": None}, "refusal: no reason is given"),
        (None, "refusal: no reason is given"),
    ],
)
def test_a_refusal_is_blocked_with_the_providers_reason(details: dict[str, Any] | None, words: str) -> None:
    reply = message_reply(message(stop="refusal", stop_details=details), None, None)
    assert (reply.state, reply.detail, reply.retryable) == (ReplyState.BLOCKED, words, False)


LONG = "prompt is too long: 208656 tokens > 200000 maximum"
BOTH = "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length"


@pytest.mark.parametrize(
    ("status", "kind", "text", "state", "retryable"),
    [
        (400, "invalid_request_error", LONG, ReplyState.TOO_LONG, False),
        (400, "invalid_request_error", BOTH, ReplyState.TOO_LONG, False),
        (413, "request_too_large", "Request exceeds the maximum size", ReplyState.TOO_LONG, False),
        (400, "invalid_request_error", "messages: at least one is required", ReplyState.ERROR, False),
        (429, "rate_limit_error", "Number of requests", ReplyState.ERROR, True),
        (500, "api_error", "Internal server error", ReplyState.ERROR, True),
        (504, "timeout_error", "Timed out", ReplyState.ERROR, True),
        (529, "overloaded_error", "Overloaded", ReplyState.ERROR, True),
        # A row of a batch has no status.
        (None, "overloaded_error", "Overloaded", ReplyState.ERROR, True),
        (None, "invalid_request_error", LONG, ReplyState.TOO_LONG, False),
        (None, "invalid_request_error", "bad", ReplyState.ERROR, False),
    ],
)
def test_a_failure_is_told_by_status_type_and_words(
    status: int | None, kind: str, text: str, state: ReplyState, retryable: bool
) -> None:
    reply = error_reply(status, failure(kind, text))
    assert (reply.state, reply.retryable) == (state, retryable)
    assert text in (reply.detail or "")
    assert fatal_error(status, failure(kind, text)) is None


def test_a_batchs_row_holds_its_error_in_another_one() -> None:
    assert error_reply(None, {"type": "error", "error": {"error": {"type": "api_error", "message": "x"}}}).retryable


@pytest.mark.parametrize(
    ("status", "kind", "text", "words"),
    [
        (401, "authentication_error", "invalid x-api-key", "key"),
        (402, "billing_error", "Pay first.", "credit"),
        (400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", "credit"),
        (403, "permission_error", "Not yours.", "may not use"),
        (404, "not_found_error", "model: claude-x", "name"),
        (400, "invalid_request_error", "temperature: `temperature` is deprecated for this model.", "--models"),
        (400, "invalid_request_error", "output_config.format.schema: Invalid schema", "--models"),
        (302, "", "", "--base-url"),
    ],
)
def test_what_every_request_would_meet_is_fatal_and_says_what_to_do(
    status: int, kind: str, text: str, words: str
) -> None:
    assert words in (fatal_error(status, failure(kind, text)) or "")


@pytest.mark.parametrize("code", ["contract_spend_limit_reached", "enforced_spend_limit_reached"])
def test_a_limit_on_spending_is_no_reason_to_wait_a_minute(code: str) -> None:
    body = failure("rate_limit_error", "Limit reached.")
    assert fatal_error(429, body) is None
    body["error"]["details"] = {"error_code": code}
    assert "credit" in (fatal_error(429, body) or "")
    body["error"]["details"] = {"error_code": "ramp_limit_exceeded"}
    assert fatal_error(429, body) is None


def test_of_a_wrong_key_nothing_is_quoted() -> None:
    assert error_words(401, failure("authentication_error", "invalid x-api-key sk-1")) == (
        "status 401 authentication_error"
    )


@pytest.mark.parametrize("data", [None, [], "<html>", 7, {}, {"content": "x"}, {"type": "message", "content": [1, {}]}])
def test_what_is_no_message_raises_nothing(data: Any) -> None:
    reply = message_reply(data, PRICES, None)
    assert reply.text == ""
    assert reply.cost_usd is None
    assert reply.retryable is (not isinstance(data, dict) or data.get("type") != "message")
    assert error_reply(500, data).retryable
    assert fatal_error(500, data) is None
