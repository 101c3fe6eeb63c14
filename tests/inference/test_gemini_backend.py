"""`gemini`: its own SDK against a server on loopback that speaks its language, with faults."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hosted_runs import quick, replies
from reply_builders import GRAPH, judge, quoted, reply_of, request
from servers.answers import Answer, cut, delayed, dribbling, edited, instead, redirected, reset, typed
from servers.providers.gemini import GeminiWire, broken, overloaded, rate_limited
from servers.providers.gemini import error as gemini_error
from servers.providers.gemini_batch import GeminiBatchWire
from servers.providers.local import LocalProvider
from servers.providers.said import Said

from fingreat.errors import BackendError, InputError
from fingreat.inference.backend import Settings
from fingreat.inference.hosted import batches
from fingreat.inference.hosted.gemini_wire import content_body
from fingreat.inference.presets import Preset, Prices, load_presets
from fingreat.inference.registry import create_backend
from fingreat.inference.requirements import known_spec
from fingreat.schema import ReplyState

pytest.importorskip("google.genai")

KEY = "AIzaSy0123456789abcdef"
SPEC = "gemini:small"
PATH = "/v1/models/small:generateContent"
PRICES = Prices(input=2.0, output=10.0, cached_input=0.1, on=date(2026, 11, 1), source="a test")
pytestmark = pytest.mark.usefixtures("quick")
__all__ = ["quick"]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalProvider]:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    with LocalProvider(GeminiWire({"small": 1000, "cold": 1000}, key=KEY, cold=frozenset({"cold"}))) as one:
        yield one


def test_replies_come_with_usage_and_cost_and_the_context_is_the_providers(provider: LocalProvider) -> None:
    provider.say(lambda prompt: Said(f"answer to {prompt}", prompt_tokens=1000, cached_tokens=900, output_tokens=100))
    found = replies(SPEC, (request(f"row {n}") for n in range(20)), provider.base, preset=Preset(prices=PRICES))
    assert {text: reply.text for text, reply in found.items()} == {f"row {n}": f"answer to row {n}" for n in range(20)}
    # (100 × $2 + 900 × $0.10 + 100 × $10) / 1,000,000
    assert [reply.cost_usd for reply in found.values()] == pytest.approx([0.00129] * 20)
    assert provider.log.count(PATH) == 20
    assert create_backend(SPEC, GRAPH, Settings(base_url=provider.base)).context == 1000


@pytest.mark.parametrize("mode", ["quote", "span"])
def test_the_sdk_sends_what_a_batch_would_hold(provider: LocalProvider, mode: Any) -> None:
    fields = {"thinking_config": {"thinking_level": "LOW"}, "top_p": 0.9, "service_tier": "flex"}
    preset = Preset(request=fields)
    asked = request("row", mode=mode, facets=True)
    assert replies(SPEC, [asked], provider.base, preset=preset)["row"].state is None
    # The SDK writes names inside of thinkingConfig in Python's way; the API takes both (JSON form of protocol buffers).
    sent = json.loads(provider.log.requests[-1].data.replace(b"thinking_level", b"thinkingLevel"))
    assert sent == content_body(asked, preset)


CLOSED = quoted()
CUT = reply_of(CLOSED, quoted(quote="Freight {net} rose [again]."))[:-30]


@pytest.mark.parametrize(
    ("said", "state", "kept", "words"),
    [
        (Said(reply_of()), ReplyState.OK, 0, ""),
        (Said(reply_of(CLOSED)), ReplyState.OK, 1, ""),
        (Said(f"Here it is:\n```json\n{reply_of(CLOSED)}\n```\n"), ReplyState.OK, 1, "fence"),
        (Said("", reasoning=reply_of(CLOSED)), ReplyState.OK, 1, "reasoning field"),
        (Said(CUT, stop="length"), ReplyState.TRUNCATED, 1, "budget"),
        (Said('{"extractions": [' + "\n" * 400, stop="length"), ReplyState.DEGENERATE, 0, "endless"),
        (Said('{"extractions": [{"quote": "the "core" lines'), ReplyState.INVALID_JSON, 0, ""),
        (Said('{"quotes": []}'), ReplyState.SCHEMA_VIOLATION, 0, ""),
        (Said(reply_of(quoted(target="REV"))), ReplyState.OFF_GRAPH, 0, "REV to REV"),
        (Said(stop="recitation"), ReplyState.BLOCKED, 0, "recitation: RECITATION"),
        (Said(stop="refusal", refusal="Not this."), ReplyState.BLOCKED, 0, "refusal: SAFETY: Not this."),
        (Said(stop="filter"), ReplyState.BLOCKED, 0, "refusal: the prompt, for PROHIBITED_CONTENT"),
        (Said(""), ReplyState.INVALID_JSON, 0, "empty"),
    ],
)
def test_every_state_of_a_reply_is_told(
    provider: LocalProvider, said: Said, state: ReplyState, kept: int, words: str
) -> None:
    provider.say(said)
    (reply,) = replies(SPEC, [request("one")], provider.base).values()
    judged = judge().judge(reply, 10)
    assert (judged.state, len(judged.items)) == (state, kept)
    assert words in (judged.detail or "")
    assert provider.asked("one") == 1


def test_what_does_not_fit_is_too_long_and_the_others_are_answered(provider: LocalProvider) -> None:
    found = replies(SPEC, [request("word " * 2000), request("short")], provider.base)
    assert [found[text].state for text in sorted(found)] == [None, ReplyState.TOO_LONG]
    assert "exceeds the maximum number of tokens" in (found["word " * 2000].detail or "")
    assert provider.asked("word word") == 1


NO_CANDIDATE = edited(lambda body: b'{"usageMetadata": {"promptTokenCount": 3}}')
FAULTS: list[Any] = [broken, overloaded, rate_limited(), reset(), reset(0.5), cut(), NO_CANDIDATE]
BRACKETS, DIGITS = b"[" * 200_000, b'{"usageMetadata": {"promptTokenCount": ' + b"9" * 5000 + b"}}"
FAULTS += [edited(lambda body: BRACKETS), edited(lambda body: DIGITS)]
FAULTS += [instead(Answer(503, body, "application/json")) for body in (BRACKETS, DIGITS, b'{"error": "\xff"}')]


@pytest.mark.parametrize("fault", FAULTS)
def test_what_may_pass_is_tried_again(provider: LocalProvider, fault: Any) -> None:
    provider.fail(fault, "row 1", times=2)
    found = replies(SPEC, [request(f"row {n}") for n in range(3)], provider.base)
    assert {reply.text for reply in found.values()} == {'{"extractions": []}'}
    assert [provider.asked(f"row {n}") for n in range(3)] == [1, 3, 1]


def test_another_content_type_does_no_harm(provider: LocalProvider) -> None:
    provider.fail(typed("text/html"), path=PATH)
    assert replies(SPEC, [request("row")], provider.base)["row"].text == '{"extractions": []}'


def test_the_server_says_in_the_body_how_long_to_wait(provider: LocalProvider) -> None:
    provider.fail(rate_limited(after=1), times=1, path=PATH)
    start = time.monotonic()
    replies(SPEC, [request("row")], provider.base)
    assert 1.0 <= time.monotonic() - start < 3.0


@pytest.mark.parametrize("fault", [broken, reset(), edited(lambda body: b"{not json"), dribbling(20, 0.3)])
def test_what_does_not_pass_ends_as_an_error_that_may_be_asked_again(provider: LocalProvider, fault: Any) -> None:
    provider.fail(fault, "row 1")
    found = replies(SPEC, [request(f"row {n}") for n in range(3)], provider.base)
    assert found["row 1"].state is ReplyState.ERROR
    assert found["row 1"].retryable
    assert {found[text].text for text in ("row 0", "row 2")} == {'{"extractions": []}'}


def test_replies_come_as_they_finish(provider: LocalProvider) -> None:
    provider.fail(delayed(0.6), "row 0")
    found = replies(SPEC, [request(f"row {n}") for n in range(3)], provider.base)
    assert list(found)[-1] == "row 0"


def test_who_stops_taking_replies_waits_for_no_server(provider: LocalProvider) -> None:
    provider.fail(delayed(30), "row 1")
    backend = create_backend(SPEC, GRAPH, Settings(base_url=provider.base))
    answers = backend.answer(request(f"row {n}") for n in range(3))
    next(answers)
    start = time.monotonic()
    answers.close()  # type: ignore[attr-defined]
    assert time.monotonic() - start < 3.0


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (redirected("/elsewhere"), "--base-url"),
        (lambda answer: gemini_error(403, "No.", "PERMISSION_DENIED"), "may not use this model"),
        (lambda answer: gemini_error(400, "The schema has too many states for serving."), "--models"),
    ],
)
def test_what_every_request_would_meet_ends_the_run(provider: LocalProvider, fault: Any, words: str) -> None:
    provider.fail(fault, path=PATH)
    with pytest.raises(BackendError) as caught:
        replies(SPEC, [request("row")], provider.base)
    assert words in str(caught.value)
    assert KEY not in str(caught.value)
    assert provider.log.count("/elsewhere") == 0


def test_a_key_that_a_server_repeats_is_taken_out(provider: LocalProvider) -> None:
    provider.say(Said(f"your key is {KEY}", reasoning=f"hm, {KEY}"))
    provider.fail(lambda answer: gemini_error(400, f"bad header: {KEY}"), "row 1")
    found = replies(SPEC, [request("row 0"), request("row 1")], provider.base)
    assert "[key]" in found["row 0"].text
    assert "[key]" in (found["row 1"].detail or "")
    assert KEY not in repr(found)


def test_a_key_that_a_server_repeats_when_it_is_looked_up_is_taken_out(provider: LocalProvider) -> None:
    provider.fail(lambda answer: gemini_error(403, f"not with {KEY}", "PERMISSION_DENIED"))
    with pytest.raises(BackendError, match=r"not with \[key\]") as caught:
        create_backend(SPEC, GRAPH, Settings(base_url=provider.base))
    assert KEY not in str(caught.value)


def test_a_wrong_key_is_told_before_anything_is_asked(provider: LocalProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "AIzaSyWrongWrongWrong")
    with pytest.raises(BackendError, match="Check the key") as caught:
        create_backend(SPEC, GRAPH, Settings(base_url=provider.base))
    assert "WrongWrong" not in str(caught.value)
    assert provider.log.count(PATH) == 0


@pytest.mark.parametrize("key", ["sk-two\nlines-of-it", "sk two-words-of-it", "sk-schlüssel-of-it"])
def test_a_key_that_no_header_can_hold_is_not_quoted(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", key)
    with pytest.raises(InputError, match="GEMINI_API_KEY") as caught:
        create_backend(SPEC, GRAPH)
    assert "of-it" not in str(caught.value)


def test_without_a_key_there_is_no_model_but_a_server_of_ones_own_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    with pytest.raises(InputError, match="GEMINI_API_KEY"):
        create_backend(SPEC, GRAPH)
    with LocalProvider(GeminiWire(lists=False)) as server:
        assert replies(SPEC, [request("row")], server.base)["row"].text == '{"extractions": []}'
        assert create_backend(SPEC, GRAPH, Settings(base_url=server.base)).context is None


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GOOGLE_API_KEY", "AIzaSyAnotherKey000000"),
        ("GOOGLE_GENAI_USE_VERTEXAI", "true"),
        ("GOOGLE_GENAI_USE_ENTERPRISE", "true"),
        ("GOOGLE_CLOUD_PROJECT", "a-project"),
        ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1"),
    ],
)
def test_the_environment_does_not_decide_where_requests_go(
    provider: LocalProvider,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    variable: str,
    value: str,
) -> None:
    monkeypatch.setenv(variable, value)
    assert replies(SPEC, [request("row")], provider.base)["row"].state is None
    assert "GOOGLE_API_KEY" not in caplog.text
    assert provider.log.requests[-1].headers["x-goog-api-key"] == KEY


def test_a_server_that_is_not_there_is_told_at_once(provider: LocalProvider) -> None:
    with pytest.raises(BackendError, match="is not there"):
        create_backend(SPEC, GRAPH, Settings(base_url="http://127.0.0.1:1"))


@pytest.mark.parametrize(
    ("spec", "base_url", "words"),
    [
        ("gemini", None, "names no model"),
        ("gemini:small@1", None, "takes no revision"),
        ("gemini:small", "ftp://x", "is no address"),
        ("gemini:small", "http://127.0.0.1/?key=1", "more than a host"),
    ],
)
def test_a_model_or_an_address_that_is_none_is_refused(
    provider: LocalProvider, spec: str, base_url: str | None, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        create_backend(spec, GRAPH, Settings(base_url=base_url))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"thinking": {"level": "low"}}, "thinking"),
        ({"thinking_config": {"thinking_levels": "low"}}, "thinkingConfig"),
        ({"top_p": "much"}, "topP"),
    ],
)
def test_a_preset_that_the_sdk_does_not_know_is_refused_at_once(
    provider: LocalProvider, fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        create_backend(SPEC, GRAPH, Settings(preset=Preset(request=fields), base_url=provider.base))


def test_a_model_that_refuses_a_temperature_is_sent_none_where_the_preset_says_so(provider: LocalProvider) -> None:
    with pytest.raises(BackendError, match="temperature is not supported"):
        replies("gemini:cold", [request("row")], provider.base)
    preset = Preset(request={"temperature": False})
    assert replies("gemini:cold", [request("row")], provider.base, preset=preset)["row"].state is None


@pytest.mark.parametrize("name", ["gemini-3-flash", "gemini-3.1-pro-preview", "gemini-2.5-flash", "gemini-9"])
def test_the_shipped_presets_are_fields_that_the_sdk_knows(provider: LocalProvider, name: str) -> None:
    preset = load_presets().find(known_spec(f"gemini:{name}"))
    assert replies(SPEC, [request("row")], provider.base, preset=preset)["row"].state is None


def test_with_a_folder_for_batches_requests_go_through_the_batch_interface(
    provider: LocalProvider, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(batches, "WAITS", batches.Waits(first=0.01, longest=0.05))
    with LocalProvider(GeminiBatchWire(key=KEY), GeminiWire(key=KEY)) as server:
        server.say(lambda prompt: Said(f"answer to {prompt}"))
        found = replies(SPEC, [request(f"row {n}") for n in range(3)], server.base, batch=tmp_path)
        assert {text: reply.text for text, reply in found.items()} == {
            f"row {n}": f"answer to row {n}" for n in range(3)
        }
        assert server.log.count(PATH) == 0
    assert all(KEY not in path.read_text() for path in tmp_path.rglob("*") if path.is_file())
