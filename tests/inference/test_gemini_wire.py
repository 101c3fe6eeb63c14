"""Gemini's responses as plain data: what is sent, what comes back, what failures mean."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from reply_builders import request

from fingreat.inference.hosted.gemini_wire import (
    content_body,
    content_reply,
    error_reply,
    error_words,
    fatal_error,
    retry_delay,
)
from fingreat.inference.presets import Preset, Prices
from fingreat.schema import ReplyState

PRICES = Prices(input=2.0, output=10.0, cached_input=0.1, on=date(2026, 11, 1), source="a test")
USAGE = {"promptTokenCount": 1000, "cachedContentTokenCount": 900, "candidatesTokenCount": 80, "thoughtsTokenCount": 20}


def response(*parts: dict[str, Any], stop: str = "STOP", **more: Any) -> dict[str, Any]:
    content = {"content": {"role": "model", "parts": list(parts)}} if parts else {}
    return {"candidates": [{"finishReason": stop, "index": 0, **content, **more}], "usageMetadata": USAGE}


def failure(status: int, name: str, text: str, *details: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"code": status, "message": text, "status": name, "details": list(details)}}


def test_a_request_has_the_system_message_first_and_the_schema_in_its_config() -> None:
    body = content_body(request("Sales rose."), Preset())
    assert list(body) == ["systemInstruction", "contents", "generationConfig"]
    assert body["systemInstruction"] == {"parts": [{"text": "Find the passages."}]}
    assert body["contents"] == [{"role": "user", "parts": [{"text": "Sales rose."}]}]
    config = body["generationConfig"]
    assert config.pop("responseJsonSchema")["properties"].keys() == {"extractions"}
    assert config == {"maxOutputTokens": 256, "temperature": 0.0, "seed": 0, "responseMimeType": "application/json"}


def test_a_preset_is_written_as_the_api_has_it_and_false_leaves_a_field_out() -> None:
    request_ = {
        "thinking_config": {"thinking_level": "low"},
        "temperature": False,
        "service_tier": "flex",
        "safety_settings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}],
    }
    body = content_body(request(), Preset(request=request_))
    config = body["generationConfig"]
    assert config["thinkingConfig"] == {"thinkingLevel": "low"}
    assert "temperature" not in config
    assert "serviceTier" not in config
    assert body["serviceTier"] == "flex"
    assert body["safetySettings"] == request_["safety_settings"]


def test_thoughts_are_counted_as_output_and_are_no_part_of_the_answer() -> None:
    data = response(
        {"text": "Let me see.", "thought": True}, {"text": '{"a":'}, {"text": " 1}", "thoughtSignature": "c"}
    )
    reply = content_reply(data, PRICES, 2.0)
    assert (reply.text, reply.reasoning, reply.finish_reason) == ('{"a": 1}', "Let me see.", "stop")
    assert (reply.prompt_tokens, reply.cached_tokens) == (1000, 900)
    assert (reply.output_tokens, reply.reasoning_tokens) == (100, 20)
    # (100 × $2 + 900 × $0.10 + 100 × $10) / 1,000,000
    assert reply.cost_usd == pytest.approx(0.00129)
    assert content_reply(data, PRICES, None, batch=True).cost_usd == pytest.approx(0.000645)


def test_zeros_that_are_left_out_are_zeros() -> None:
    data = response({"text": "{}"}) | {"usageMetadata": {"promptTokenCount": 10}}
    reply = content_reply(data, PRICES, None)
    assert (reply.cached_tokens, reply.output_tokens, reply.reasoning_tokens) == (0, 0, 0)
    unknown = content_reply(data | {"usageMetadata": None}, PRICES, None)
    assert (unknown.prompt_tokens, unknown.output_tokens, unknown.cost_usd) == (None, None, None)


@pytest.mark.parametrize(
    ("stop", "finish"), [("STOP", "stop"), ("MAX_TOKENS", "length"), ("CONTINUATION", "length"), ("OTHER", "other")]
)
def test_why_it_stopped_is_told_in_the_words_of_all_back_ends(stop: str, finish: str) -> None:
    reply = content_reply(response({"text": "{"}, stop=stop), None, None)
    assert (reply.finish_reason, reply.state) == (finish, None)


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        ("RECITATION", "recitation: RECITATION"),
        ("SAFETY", "refusal: SAFETY"),
        ("PROHIBITED_CONTENT", "refusal: PROHIBITED_CONTENT"),
        ("BLOCKLIST", "refusal: BLOCKLIST"),
        ("SPII", "refusal: SPII"),
    ],
)
def test_recitation_is_told_from_a_refusal(stop: str, words: str) -> None:
    for data in (response(stop=stop), response({"text": '{"extr'}, stop=stop)):
        reply = content_reply(data, None, None)
        assert (reply.state, reply.detail, reply.retryable) == (ReplyState.BLOCKED, words, False)
    said = content_reply(response(stop=stop, finishMessage="From a book."), None, None)
    assert said.detail == f"{words}: From a book."


def test_a_prompt_that_is_blocked_has_no_candidate_but_a_reason() -> None:
    data = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": USAGE}
    reply = content_reply(data, None, None)
    assert (reply.state, reply.detail) == (ReplyState.BLOCKED, "refusal: the prompt, for PROHIBITED_CONTENT")


@pytest.mark.parametrize("data", [response(stop="OTHER"), response(stop="MALFORMED_RESPONSE"), response(stop=""), {}])
def test_a_stop_without_an_answer_or_reason_may_be_asked_again(data: dict[str, Any]) -> None:
    reply = content_reply(data, None, None)
    assert (reply.state, reply.retryable) == (ReplyState.ERROR, True)


LONG = "The input token count (1091639) exceeds the maximum number of tokens allowed (1048576)."
LONG_TOO = "The input token count exceeds the maximum number of tokens allowed 1048576."


@pytest.mark.parametrize(
    ("status", "name", "text", "state", "retryable"),
    [
        (400, "INVALID_ARGUMENT", LONG, ReplyState.TOO_LONG, False),
        (400, "INVALID_ARGUMENT", LONG_TOO, ReplyState.TOO_LONG, False),
        (413, "", "Request Entity Too Large", ReplyState.TOO_LONG, False),
        (400, "INVALID_ARGUMENT", "Please use a valid role: user, model.", ReplyState.ERROR, False),
        (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", ReplyState.ERROR, True),
        (500, "INTERNAL", "An internal error has occurred.", ReplyState.ERROR, True),
        (503, "UNAVAILABLE", "The model is overloaded.", ReplyState.ERROR, True),
        (504, "DEADLINE_EXCEEDED", "Too late.", ReplyState.ERROR, True),
        (None, "INVALID_ARGUMENT", LONG, ReplyState.TOO_LONG, False),
    ],
)
def test_a_failure_is_told_by_status_name_and_words(
    status: int | None, name: str, text: str, state: ReplyState, retryable: bool
) -> None:
    body = failure(status or 400, name, text)
    reply = error_reply(status, body)
    assert (reply.state, reply.retryable) == (state, retryable)
    assert text in (reply.detail or "")
    assert fatal_error(status, body) is None


@pytest.mark.parametrize(("code", "retryable"), [(13, True), (4, True), (14, True), (3, False)])
def test_a_batchs_row_has_a_code_of_google_rpc(code: int, retryable: bool) -> None:
    reply = error_reply(None, {"error": {"code": code, "message": "x"}})
    assert (reply.state, reply.retryable) == (ReplyState.ERROR, retryable)


def test_the_wait_stands_among_the_errors_details() -> None:
    quota = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []}
    wait = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.074824224s"}
    assert retry_delay(failure(429, "RESOURCE_EXHAUSTED", "x", quota, wait)) == pytest.approx(34.074824224)
    assert retry_delay(failure(429, "RESOURCE_EXHAUSTED", "x", wait | {"retryDelay": "7s"})) == 7.0
    for odd in ("", "soon", "-1s", None, 5):
        assert retry_delay(failure(429, "RESOURCE_EXHAUSTED", "x", wait | {"retryDelay": odd})) is None
    assert retry_delay(failure(429, "RESOURCE_EXHAUSTED", "x", quota)) is None


@pytest.mark.parametrize(
    ("quota", "fatal"),
    [
        ("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", False),
        ("GenerateContentInputTokensPerModelPerMinute-FreeTier", False),
        ("GenerateRequestsPerDayPerProjectPerModel-FreeTier", True),
    ],
)
def test_a_quota_of_the_day_is_no_reason_to_wait_a_minute(quota: str, fatal: bool) -> None:
    details = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota}]}
    hint = fatal_error(429, failure(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", details))
    assert ("day" in (hint or "")) is fatal


BAD_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (failure(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", BAD_KEY), "key"),
        (failure(401, "UNAUTHENTICATED", "No."), "key"),
        (failure(403, "PERMISSION_DENIED", "Not yours."), "may not use"),
        (failure(404, "NOT_FOUND", "models/x is not found"), "name"),
        (failure(400, "FAILED_PRECONDITION", "User location is not supported for the API use."), "billing, place"),
        (
            failure(400, "INVALID_ARGUMENT", "The specified schema produces a constraint that has too many states"),
            "--m",
        ),
        (failure(400, "INVALID_ARGUMENT", "Thinking level MINIMAL is not supported for this model."), "--models"),
        ({"error": {"code": 302}}, "--base-url"),
    ],
)
def test_what_every_request_would_meet_is_fatal_and_says_what_to_do(body: dict[str, Any], words: str) -> None:
    assert words in (fatal_error(body["error"]["code"], body) or "")


def test_of_a_wrong_key_nothing_is_quoted() -> None:
    assert error_words(401, failure(401, "UNAUTHENTICATED", "bad key AIza1")) == "status 401 UNAUTHENTICATED"


@pytest.mark.parametrize("data", [None, [], "<html>", 7, {"candidates": {"a": 1}}, {"candidates": [None]}])
def test_what_is_no_response_raises_nothing(data: Any) -> None:
    reply = content_reply(data, PRICES, None)
    assert (reply.text, reply.cost_usd, reply.state) == ("", None, ReplyState.ERROR)
    assert error_reply(500, data).retryable
    assert fatal_error(500, data) is None
    assert retry_delay(data) is None
