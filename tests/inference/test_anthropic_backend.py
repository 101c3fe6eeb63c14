"""`anthropic`: its own SDK against a server on loopback that speaks its language, with faults."""

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
from servers.answers import cut, delayed, dribbling, edited, redirected, reset, typed
from servers.providers.anthropic import AnthropicWire, broken, no_credit, overloaded, rate_limited
from servers.providers.anthropic import error as anthropic_error
from servers.providers.anthropic_batch import AnthropicBatchWire
from servers.providers.local import LocalProvider
from servers.providers.said import Said

from fingreat.errors import BackendError, InputError
from fingreat.inference.backend import ModelSpec, Settings
from fingreat.inference.hosted import batches
from fingreat.inference.presets import Preset, Prices
from fingreat.inference.registry import create_backend
from fingreat.schema import ReplyState

anthropic = pytest.importorskip("anthropic")

from fingreat.inference.hosted.anthropic_messages import AnthropicBackend  # noqa: E402 - needs the SDK's presence

KEY = "sk-ant-api03-0123456789abcdef"
SPEC = "anthropic:small"
PRICES = Prices(input=3.0, output=15.0, cached_input=0.3, on=date(2026, 11, 1), source="a test")
pytestmark = pytest.mark.usefixtures("quick")
__all__ = ["quick"]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalProvider]:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with LocalProvider(AnthropicWire({"small": 1000, "warm": 1000}, key=KEY, warm=frozenset({"warm"}))) as one:
        yield one


def test_replies_come_with_usage_and_cost_and_the_context_is_the_providers(provider: LocalProvider) -> None:
    provider.say(lambda prompt: Said(f"answer to {prompt}", prompt_tokens=1000, cached_tokens=900, output_tokens=100))
    found = replies(SPEC, (request(f"row {n}") for n in range(20)), provider.base, preset=Preset(prices=PRICES))
    assert {text: reply.text for text, reply in found.items()} == {f"row {n}": f"answer to row {n}" for n in range(20)}
    # (100 × $3 + 900 × $0.30 + 100 × $15) / 1,000,000
    assert [reply.cost_usd for reply in found.values()] == pytest.approx([0.00207] * 20)
    assert provider.log.count("/v1/messages") == 20
    assert AnthropicBackend(ModelSpec("anthropic", "small"), GRAPH, Settings(base_url=provider.base)).context == 1000


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
        (Said("", refusal="It is about toxins.", stop="refusal"), ReplyState.BLOCKED, 0, "refusal: bio: It is about"),
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
    assert "prompt is too long" in (found["word " * 2000].detail or "")
    assert provider.asked("word word") == 1


BRACKETS = edited(lambda body: b"[" * 200_000)
DIGITS = edited(lambda body: b'{"usage": {"input_tokens": ' + b"9" * 5000 + b"}}")
FAULTS: list[Any] = [broken, overloaded, rate_limited(), reset(), reset(0.5), cut(), typed("text/html")]
FAULTS += [BRACKETS, DIGITS]


@pytest.mark.parametrize("fault", FAULTS)
def test_what_may_pass_is_tried_again(provider: LocalProvider, fault: Any) -> None:
    provider.fail(fault, "row 1", times=2)
    found = replies(SPEC, [request(f"row {n}") for n in range(3)], provider.base)
    assert {reply.text for reply in found.values()} == {'{"extractions": []}'}
    assert [provider.asked(f"row {n}") for n in range(3)] == [1, 3, 1]


def test_the_server_says_how_long_to_wait(provider: LocalProvider) -> None:
    provider.fail(rate_limited(after=1), times=1, path="/v1/messages")
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
        (no_credit, "no credit left"),
        (redirected("/elsewhere"), "--base-url"),
        (lambda answer: anthropic_error(403, "No.", kind="permission_error"), "may not use this model"),
    ],
)
def test_what_every_request_would_meet_ends_the_run(provider: LocalProvider, fault: Any, words: str) -> None:
    provider.fail(fault, path="/v1/messages")
    with pytest.raises(BackendError) as caught:
        replies(SPEC, [request("row")], provider.base)
    assert words in str(caught.value)
    assert KEY not in str(caught.value)


def test_a_key_that_a_server_repeats_is_taken_out(provider: LocalProvider) -> None:
    provider.say(Said(f"your key is {KEY}", reasoning=f"hm, {KEY}"))
    provider.fail(lambda answer: anthropic_error(400, f"bad header: {KEY}"), "row 1")
    found = replies(SPEC, [request("row 0"), request("row 1")], provider.base)
    assert "[key]" in found["row 0"].text
    assert "[key]" in (found["row 1"].detail or "")
    assert KEY not in repr(found)


def test_a_key_that_a_server_repeats_when_it_is_looked_up_is_taken_out(provider: LocalProvider) -> None:
    provider.fail(lambda answer: anthropic_error(403, f"not with {KEY}", kind="permission_error"))
    with pytest.raises(BackendError, match=r"not with \[key\]") as caught:
        create_backend(SPEC, GRAPH, Settings(base_url=provider.base))
    assert KEY not in str(caught.value)


def test_a_wrong_key_is_told_before_anything_is_asked(provider: LocalProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-api03-wrongwrongwrong")
    with pytest.raises(BackendError, match="Check the key") as caught:
        create_backend(SPEC, GRAPH, Settings(base_url=provider.base))
    assert "wrongwrong" not in str(caught.value)
    assert provider.log.count("/v1/messages") == 0


@pytest.mark.parametrize("key", ["sk-two\nlines-of-it", "sk two-words-of-it", "sk-schlüssel-of-it"])
def test_a_key_that_no_header_can_hold_is_not_quoted(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    with pytest.raises(InputError, match="ANTHROPIC_API_KEY") as caught:
        create_backend(SPEC, GRAPH)
    assert "of-it" not in str(caught.value)


def test_without_a_key_there_is_no_model_but_a_server_of_ones_own_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(InputError, match="ANTHROPIC_API_KEY"):
        create_backend(SPEC, GRAPH)
    with LocalProvider(AnthropicWire(lists=False)) as server:
        assert replies(SPEC, [request("row")], server.base)["row"].text == '{"extractions": []}'
        assert create_backend(SPEC, GRAPH, Settings(base_url=server.base)).context is None


def test_the_environment_does_not_decide_where_requests_go(
    provider: LocalProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another")
    assert replies(SPEC, [request("row")], provider.base)["row"].state is None


def test_a_server_that_is_not_there_is_told_at_once(provider: LocalProvider) -> None:
    with pytest.raises(BackendError, match="is not there"):
        create_backend(SPEC, GRAPH, Settings(base_url="http://127.0.0.1:1"))


@pytest.mark.parametrize(
    ("spec", "base_url", "words"),
    [
        ("anthropic", None, "names no model"),
        ("anthropic:small@1", None, "takes no revision"),
        ("anthropic:small", "ftp://x", "is no address"),
        ("anthropic:small", "http://user:word@127.0.0.1", "more than a host"),
    ],
)
def test_a_model_or_an_address_that_is_none_is_refused(
    provider: LocalProvider, spec: str, base_url: str | None, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        create_backend(spec, GRAPH, Settings(base_url=base_url))


def test_a_preset_is_part_of_what_changes_an_answer_and_reaches_the_server(provider: LocalProvider) -> None:
    preset = Preset(request={"output_config": {"effort": "low"}, "temperature": 0})
    backend = create_backend("anthropic:warm", GRAPH, Settings(preset=preset, base_url=provider.base))
    assert json.loads(json.dumps(dict(backend.options))) == {"output_config": {"effort": "low"}, "temperature": 0}
    assert [reply.state for _, reply in backend.answer([request("row", mode="span", facets=True)])] == [None]
    sent = provider.log.requests[-1].body
    assert sent["output_config"]["effort"] == "low"
    assert sent["temperature"] == 0.0
    with pytest.raises(BackendError, match="deprecated for this model"):
        replies(SPEC, [request("row")], provider.base, preset=preset)


def test_with_a_folder_for_batches_requests_go_through_the_batch_interface(
    provider: LocalProvider, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(batches, "WAITS", batches.Waits(first=0.01, longest=0.05))
    with LocalProvider(AnthropicBatchWire(key=KEY), AnthropicWire({"small": 1000}, key=KEY)) as server:
        server.say(lambda prompt: Said(f"answer to {prompt}"))
        found = replies(SPEC, [request(f"row {n}") for n in range(3)], server.base, batch=tmp_path)
        assert {text: reply.text for text, reply in found.items()} == {
            f"row {n}": f"answer to row {n}" for n in range(3)
        }
        assert server.log.count("/v1/messages") == 0
        assert server.log.count("/v1/messages/batches") >= 1
    assert all(KEY not in path.read_text() for path in tmp_path.rglob("*") if path.is_file())
