"""OpenAI's language as plain data: bodies as its reference has them, replies, usage, cost, failures."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reply_builders import request
from servers.providers.openai import completion_data
from servers.providers.said import Said

from fingreat.inference import RawReply
from fingreat.inference.hosted.openai_wire import (
    chat_body,
    chat_options,
    chat_reply,
    error_reply,
    error_words,
    fatal_error,
)
from fingreat.inference.presets import Preset, Prices
from fingreat.schema import ReplyState

PRICES = Prices(input=2.5, output=10.0, cached_input=1.25, on=date(2026, 1, 1), source="invented")


def test_a_request_to_openai_has_the_parts_of_its_reference() -> None:
    asked = request("Net sales rose.", max_tokens=300)
    body = chat_body(asked, "some-model", Preset(), hosted=True)
    assert body == {
        "model": "some-model",
        "messages": [
            {"role": "system", "content": "Find the passages."},
            {"role": "user", "content": "Net sales rose."},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": dict(asked.reply_schema)},
        },
        "max_completion_tokens": 300,
        "temperature": 0.0,
        "seed": 0,
    }
    json.dumps(body)


def test_other_servers_know_the_budget_by_its_older_name_and_take_arguments_of_the_template() -> None:
    preset = Preset(chat_template={"enable_thinking": False}, request={"top_p": 1.0})
    body = chat_body(request(max_tokens=300), "m", preset, hosted=False)
    assert body["max_tokens"] == 300
    assert "max_completion_tokens" not in body
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert body["top_p"] == 1.0
    assert "chat_template_kwargs" not in chat_body(request(), "m", preset, hosted=True)
    assert chat_options(preset, hosted=True) == {"top_p": 1.0}


def test_a_reasoning_model_is_sent_no_temperature_unless_the_preset_names_one() -> None:
    low = Preset(request={"reasoning_effort": "low"})
    assert "temperature" not in chat_body(request(), "m", low, hosted=True)
    assert chat_body(request(), "m", low, hosted=False)["temperature"] == 0.0
    none = Preset(request={"reasoning_effort": "none"})
    assert chat_body(request(), "m", none, hosted=True)["temperature"] == 0.0
    named = Preset(request={"reasoning_effort": "low", "temperature": 1})
    assert chat_body(request(), "m", named, hosted=True)["temperature"] == 1


def test_a_fine_tuned_model_gets_the_schema_without_words_that_it_refuses() -> None:
    asked = request(mode="span")
    schema = chat_body(asked, "ft:some-model:us::1", Preset(), hosted=True)["response_format"]["json_schema"]["schema"]
    text = json.dumps(schema)
    assert "minimum" not in text
    assert "maxItems" not in text
    item = schema["properties"]["extractions"]["items"]
    assert item["properties"]["first"] == {"type": "integer"}
    assert item["required"] == ["first", "last", "edge", "tags"]
    assert item["additionalProperties"] is False
    assert "maxItems" in json.dumps(dict(asked.reply_schema))


def test_no_property_may_be_left_out_unless_the_server_is_lenient() -> None:
    asked = request(mode="span")
    assert "last" not in asked.reply_schema["properties"]["extractions"]["items"]["required"]
    for hosted in (True, False):
        sent = chat_body(asked, "m", Preset(), hosted=hosted)["response_format"]["json_schema"]["schema"]
        item = sent["properties"]["extractions"]["items"]
        assert item["required"] == ["first", "last", "edge", "tags"]
        assert "null" in item["properties"]["last"]["type"]
    lenient = chat_body(asked, "m", Preset(), hosted=False, lenient=True)
    assert lenient["response_format"]["json_schema"]["schema"] == dict(asked.reply_schema)


def test_a_property_may_be_called_like_a_word_of_the_schema() -> None:
    schema = {"type": "object", "properties": {"minimum": {"type": "integer", "minimum": 1}}, "required": ["minimum"]}
    asked = request().model_copy(update={"reply_schema": schema})
    sent = chat_body(asked, "ft:m", Preset(), hosted=True)["response_format"]["json_schema"]["schema"]
    assert sent == {"type": "object", "properties": {"minimum": {"type": "integer"}}, "required": ["minimum"]}
    named = {"type": "object", "properties": {"properties": {"type": "string"}}, "additionalProperties": False}
    asked = request().model_copy(update={"reply_schema": named})
    sent = chat_body(asked, "m", Preset(), hosted=True)["response_format"]["json_schema"]["schema"]
    assert sent == named | {"required": ["properties"]}


def test_a_reply_has_its_text_its_usage_and_its_cost() -> None:
    said = Said("{}", prompt_tokens=1000, cached_tokens=600, output_tokens=200, reasoning_tokens=50)
    reply = chat_reply(completion_data(said), PRICES, 1.5)
    # (400 × 2.50 + 600 × 1.25 + 200 × 10.00) / 1,000,000
    assert reply == RawReply(
        text="{}",
        finish_reason="stop",
        prompt_tokens=1000,
        cached_tokens=600,
        output_tokens=200,
        reasoning_tokens=50,
        seconds=1.5,
        cost_usd=pytest.approx(0.00375),
    )
    assert chat_reply(completion_data(said), PRICES, None, batch=True).cost_usd == pytest.approx(0.001875)
    assert chat_reply(completion_data(said), None, 1.5).cost_usd is None


def test_a_count_beyond_all_reason_is_none() -> None:
    data = completion_data(Said("{}", prompt_tokens=10**400))
    assert (chat_reply(data, PRICES, 1.0).prompt_tokens, chat_reply(data, PRICES, 1.0).cost_usd) == (None, None)


def test_without_usage_no_cost_is_made_up() -> None:
    data = completion_data(Said("{}"))
    del data["usage"]
    reply = chat_reply(data, PRICES, 1.0)
    assert (reply.text, reply.prompt_tokens, reply.output_tokens, reply.cost_usd) == ("{}", None, None, None)


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_thoughts_are_told_apart_from_the_answer(name: str) -> None:
    data = completion_data(Said("{}"))
    data["choices"][0]["message"][name] = "Let me see."
    reply = chat_reply(data, None, None)
    assert (reply.text, reply.reasoning) == ("{}", "Let me see.")


def test_a_cut_answer_says_so() -> None:
    assert chat_reply(completion_data(Said('{"ex', stop="length")), None, None).finish_reason == "length"


def test_a_refusal_is_blocked_in_the_models_words() -> None:
    reply = chat_reply(completion_data(Said(refusal="I can't help with that.")), None, None)
    assert (reply.state, reply.detail, reply.text) == (ReplyState.BLOCKED, "refusal: I can't help with that.", "")
    assert not reply.retryable


def test_a_filtered_answer_is_blocked_and_keeps_its_text() -> None:
    reply = chat_reply(completion_data(Said('{"ex', stop="filter")), None, None)
    assert (reply.state, reply.text, reply.finish_reason) == (ReplyState.BLOCKED, '{"ex', "content_filter")
    assert (reply.detail or "").startswith("content_filter")


def test_the_first_choice_counts_wherever_it_stands() -> None:
    data = completion_data(Said("first"))
    second = completion_data(Said("second"))["choices"][0] | {"index": 1}
    data["choices"].insert(0, second)
    assert chat_reply(data, None, None).text == "first"


def test_an_answer_in_parts_is_put_together() -> None:
    data = completion_data(Said())
    data["choices"][0]["message"]["content"] = [{"type": "text", "text": '{"a"'}, {"type": "text", "text": ": 1}"}]
    assert chat_reply(data, None, None).text == '{"a": 1}'


@pytest.mark.parametrize("data", [None, [], "<html>", {}, {"choices": []}, {"choices": [None]}, {"choices": "x"}])
def test_an_answer_without_a_choice_is_worth_another_try(data: Any) -> None:
    reply = chat_reply(data, PRICES, 1.0)
    assert (reply.state, reply.retryable) == (ReplyState.ERROR, True)


def test_an_error_under_a_status_of_success_is_an_error() -> None:
    lasting = chat_reply({"error": {"code": 400, "message": "bad"}}, None, None)
    assert (lasting.state, lasting.retryable) == (ReplyState.ERROR, False)
    passing = chat_reply({"error": {"message": "overloaded"}}, None, None)
    assert (passing.state, passing.retryable) == (ReplyState.ERROR, True)


NAMES = [
    *("choices", "message", "content", "refusal", "index", "finish_reason", "usage", "prompt_tokens", "error", "code"),
    *("completion_tokens", "prompt_tokens_details", "cached_tokens", "reasoning_content", "type", "text", "message"),
]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=True) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=20,
)


@given(ANYTHING, st.integers(100, 599))
def test_whatever_a_server_sends_becomes_a_reply(data: Any, status: int) -> None:
    assert isinstance(chat_reply(data, PRICES, 1.0), RawReply)
    assert isinstance(chat_reply({"choices": [{"message": data}], "usage": data}, PRICES, 1.0), RawReply)
    assert error_reply(status, data).state in (ReplyState.ERROR, ReplyState.TOO_LONG, ReplyState.BLOCKED)
    assert fatal_error(status, data) is None or status in (300, 400, 401, 402, 403, 404, 429) or status < 400
    assert error_words(status, data)


LONG_VLLM = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens."
LONG_TGI = "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4031 and 200."
LONG_SGLANG = "The input (9001 tokens) is longer than the model's context length (8192 tokens)."


@pytest.mark.parametrize(
    ("status", "error", "state", "retryable"),
    [
        (400, {"code": "context_length_exceeded", "message": "9001 tokens, limit is 8192"}, "too_long", False),
        (400, {"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 9001}, "too_long", False),
        (400, {"code": 400, "type": "BadRequestError", "message": LONG_VLLM}, "too_long", False),
        (400, {"message": LONG_SGLANG}, "too_long", False),
        (422, LONG_TGI, "too_long", False),
        (422, {"error": LONG_TGI, "error_type": "validation"}, "too_long", False),
        (413, {"message": "Payload Too Large"}, "too_long", False),
        (400, {"code": "content_filter", "message": "the prompt"}, "blocked", False),
        (400, {"code": "invalid_request", "message": "no"}, "error", False),
        (422, {"message": "no"}, "error", False),
        (500, {"message": f"crashed: {LONG_VLLM}"}, "error", True),
        (429, {"code": "rate_limit_exceeded", "message": "slower"}, "error", True),
        (408, None, "error", True),
        (409, None, "error", True),
        (500, {"message": "oops"}, "error", True),
        (503, "<html>busy</html>", "error", True),
        (529, {"message": "overloaded"}, "error", True),
    ],
)
def test_a_failure_becomes_a_state(status: int, error: Any, state: str, retryable: bool) -> None:
    bodies = [error] if error is None or "error" in error else [error, {"error": error}]
    for body in bodies:
        reply = error_reply(status, body)
        assert reply.state is not None
        assert (reply.state.value, reply.retryable) == (state, retryable)
        assert (reply.detail or "").removeprefix("refusal: ").startswith(f"status {status}")
        assert fatal_error(status, body) is None


@pytest.mark.parametrize(
    ("status", "error", "advice"),
    [
        (401, {"code": "invalid_api_key"}, "key"),
        (402, {"message": "Insufficient Balance"}, "credit"),
        (403, {"code": "unsupported_country_region_territory"}, "may not use"),
        (404, {"code": "model_not_found"}, "model's name"),
        (429, {"code": "insufficient_quota"}, "credit"),
        (307, None, "--base-url"),
        (400, {"code": "unsupported_value", "param": "temperature"}, "--models"),
    ],
)
def test_a_failure_that_every_request_would_meet_says_what_to_do(status: int, error: Any, advice: str) -> None:
    assert advice in (fatal_error(status, error) or "")


def test_parts_of_a_wrong_key_are_not_repeated() -> None:
    said = {"error": {"message": "Incorrect API key provided: sk-abcd***wxyz.", "code": "invalid_api_key"}}
    assert error_words(401, said) == "status 401 invalid_api_key"


def test_what_a_server_says_is_one_line_of_some_length() -> None:
    words = error_words(500, {"message": "a\n\tb " + "x" * 10_000})
    assert words.startswith("status 500: a b xxx")
    assert len(words) < 600


def test_half_a_surrogate_pair_is_no_text_that_a_file_can_hold() -> None:
    half = json.loads(r'"cut in the middle: \ud83d"')
    whole = "cut in the middle: \N{REPLACEMENT CHARACTER}"
    assert error_words(500, {"message": half, "code": half}) == f"status 500 {whole}: {whole}"
    data = completion_data(Said(half, refusal=half))
    data["choices"][0]["finish_reason"] = data["choices"][0]["message"]["content"] = half
    reply = chat_reply(data, None, 1.0)
    assert (reply.text, reply.detail, reply.finish_reason) == (whole, f"refusal: {whole}", whole)


def test_the_lines_of_the_case_get_what_the_server_alone_can_tell(shared: Path) -> None:
    folder = shared / "cases" / "batch-join-and-resume"
    lines = (folder / "input.output.jsonl").read_text().splitlines()[:-1]  # the last one is torn
    replies = {}
    for line in lines:
        row = json.loads(line)
        replies.setdefault(row["custom_id"], chat_reply(row["response"]["body"], None, None))
    (line,) = (folder / "input.errors.jsonl").read_text().splitlines()
    row = json.loads(line)
    replies[row["custom_id"]] = error_reply(row["response"]["status_code"], row["response"]["body"])
    states = {name: reply.state for name, reply in replies.items() if reply.state is not None}
    assert states == {"r10": ReplyState.TOO_LONG, "r14": ReplyState.BLOCKED}
    assert replies["r02"].finish_reason == replies["r05"].finish_reason == "length"
    assert replies["r04"].text == ""
    assert "second line came into use" in (replies["r04"].reasoning or "")
    assert replies["r14"].detail == "refusal: blocked: recitation"
    assert (replies["r01"].prompt_tokens, replies["r01"].output_tokens) == (60, 40)
