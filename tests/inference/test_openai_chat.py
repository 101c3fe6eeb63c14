"""`openai:` against a server on loopback that speaks its language, with the faults of the wire."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hosted_runs import quick, replies  # noqa: F401 - a fixture
from reply_builders import GRAPH, judge, quoted, reply_of, request
from servers.answers import cut, cut_chunked, delayed, dribbling, edited, instead, redirected, reset
from servers.providers.local import LocalProvider, as_json
from servers.providers.openai import (
    CHAT,
    OpenAIWire,
    broken,
    changed,
    filtered,
    no_credit,
    overloaded,
    rate_limited,
    wrong_key,
)
from servers.providers.said import Said

from fingreat.errors import BackendError, InputError
from fingreat.inference import RawReply, Settings, create_backend, online, openai_chat
from fingreat.inference.backend import CountsTokens
from fingreat.inference.presets import Preset, Prices

KEY = "sk-proj-0123456789abcdefghijklmnop"
ROW = reply_of(quoted())

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[LocalProvider]:
    """A server of the user's own, without a key."""
    with LocalProvider(OpenAIWire({"small": {"max_model_len": 8192}}, context=3000)) as provider:
        provider.say(lambda prompt: Said(reply_of(quoted(prompt))))
        yield provider


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalProvider]:
    """What stands for OpenAI itself: it wants a key, and refuses what is not its own."""
    wire = OpenAIWire({"small": {}, "thinker": {}}, key=KEY, thinks=frozenset({"thinker"}), hosted=True)
    with LocalProvider(wire) as provider:
        monkeypatch.setattr(openai_chat, "ADDRESS", f"{provider.base}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield provider


def ask(server: LocalProvider, *texts: str, **settings: Any) -> dict[str, RawReply]:
    return replies("openai:small", map(request, texts), f"{server.base}/v1", **settings)


def state_of(reply: RawReply) -> str:
    return judge().judge(reply, 10).state.value


def asked_of(server: LocalProvider) -> int:
    return server.log.count(CHAT)


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


def test_arguments_of_the_chat_template_reach_a_server_and_are_options(server: LocalProvider) -> None:
    preset = Preset(chat_template={"enable_thinking": False})
    backend = create_backend("openai:small", GRAPH, Settings(base_url=f"{server.base}/v1/", preset=preset))
    assert backend.options == {"chat_template_kwargs": {"enable_thinking": False}}
    assert backend.context == 8192
    assert (backend.model, backend.revision, backend.is_language_model) == ("small", None, True)
    list(backend.answer([request("row")]))
    assert server.log.requests[-1].body["chat_template_kwargs"] == {"enable_thinking": False}  # type: ignore[attr-defined]
    backend.close()


def test_openai_itself_takes_what_is_sent_to_it(hosted: LocalProvider) -> None:
    for mode in ("quote", "span"):
        backend = create_backend("openai:small", GRAPH)
        ((_, reply),) = backend.answer([request("row", mode=mode)])  # type: ignore[arg-type]
        assert reply.state is None, reply.detail
        assert backend.context is None
        assert backend.options == {}


def test_a_reasoning_model_takes_what_its_preset_says(hosted: LocalProvider) -> None:
    settings = Settings(preset=Preset(request={"reasoning_effort": "minimal"}))
    backend = create_backend("openai:thinker", GRAPH, settings)
    ((_, reply),) = backend.answer([request("row")])
    assert reply.state is None, reply.detail
    assert backend.options == {"reasoning_effort": "minimal"}


def test_a_parameter_that_a_model_refuses_ends_the_run_with_the_way_out(hosted: LocalProvider) -> None:
    backend = create_backend("openai:thinker", GRAPH)
    with pytest.raises(BackendError, match=r"unsupported_value.*--models"):
        list(backend.answer(map(request, "abc")))


def test_the_name_of_a_model_is_looked_up_before_anything_is_asked(
    hosted: LocalProvider, server: LocalProvider
) -> None:
    with pytest.raises(InputError, match="no such model"):
        create_backend("openai:smal", GRAPH)
    with pytest.raises(InputError, match=r"no such model.*It has: small"):
        create_backend("openai:smal", GRAPH, Settings(base_url=f"{server.base}/v1"))
    assert asked_of(hosted) == asked_of(server) == 0


def test_a_wrong_key_is_told_before_anything_is_asked(hosted: LocalProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = "sk-proj-wrongwrongwrongwrong"
    monkeypatch.setenv("OPENAI_API_KEY", wrong)
    with pytest.raises(BackendError, match=r"status 401.*Check the key") as caught:
        create_backend("openai:small", GRAPH)
    assert wrong[:8] not in str(caught.value)


def test_without_a_key_openai_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="Set the environment variable OPENAI_API_KEY"):
        create_backend("openai:small", GRAPH)


def test_a_key_that_cannot_be_sent_is_told_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-\u00fcber-secret")
    with pytest.raises(InputError, match="what no key can hold") as caught:
        create_backend("openai:small", GRAPH)
    assert "secret" not in str(caught.value)


def test_the_environment_moves_no_request_elsewhere(
    hosted: LocalProvider, server: LocalProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.base}/v1")
    backend = create_backend("openai:small", GRAPH)
    list(backend.answer([request("row")]))
    assert (asked_of(hosted), server.log.count()) == (1, 0)


@pytest.mark.parametrize(("spec", "said"), [("openai", "names no model"), ("openai:small@1", "takes no revision")])
def test_a_specification_without_a_model_or_with_a_revision_is_refused(spec: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        create_backend(spec, GRAPH, Settings(base_url="http://127.0.0.1:9/v1"))


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:8000/v1", "no address"),
        ("ftp://127.0.0.1/v1", "no address"),
        ("http://", "no address"),
        ("http://127.0.0.1:99999/v1", "no address"),
        ("http://[::1/v1", "no address"),
        ("http://127.0.0.1/v 1", "no address"),
        ("http://user:secret@127.0.0.1/v1", "environment"),
        ("http://127.0.0.1/v1?key=secret", "environment"),
    ],
)
def test_an_address_that_is_none_or_holds_a_secret_is_refused(address: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        create_backend("openai:small", GRAPH, Settings(base_url=address))
    assert "secret" not in str(caught.value)


def test_a_server_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(BackendError, match=r"the server is not there.*Is it running"):
        create_backend("openai:small", GRAPH, Settings(base_url="http://127.0.0.1:9/v1"))


def test_a_server_of_another_language_is_told(server: LocalProvider) -> None:
    server.fail(lambda answer: replace(answer, type="text/html", body=b"<html>Welcome</html>", status=200))
    with pytest.raises(BackendError, match=r"does not speak.*ends in /v1"):
        create_backend("openai:small", GRAPH, Settings(base_url=server.base))


def test_a_server_without_a_list_is_taken_at_its_word() -> None:
    with LocalProvider(OpenAIWire({"small": {}}, lists=False)) as server:
        assert state_of(ask(server, "row")["row"]) == "ok"
        with pytest.raises(BackendError, match="model_not_found"):
            replies("openai:other", [request("row")], f"{server.base}/v1")


@pytest.mark.parametrize(
    ("entry", "context"),
    [
        ({"max_model_len": 4096}, 4096),
        ({"meta": {"n_ctx": 2048, "n_ctx_train": 8192}}, 2048),
        ({"meta": {"n_ctx_train": 8192}}, 8192),
        ({"meta": None}, None),
        ({"max_model_len": "many"}, None),
    ],
)
def test_the_context_is_what_the_server_says(entry: dict[str, Any], context: int | None) -> None:
    with LocalProvider(OpenAIWire({"small": entry})) as server:
        assert create_backend("openai:small", GRAPH, Settings(base_url=f"{server.base}/v1")).context == context


@pytest.mark.parametrize("maker", ["vllm", "llamacpp"])
def test_a_known_server_counts_prompts_and_takes_the_schema_as_it_is(maker: str) -> None:
    with LocalProvider(OpenAIWire({"small": {"owned_by": maker}})) as server:
        preset = Preset(chat_template={"enable_thinking": False})
        backend = create_backend("openai:small", GRAPH, Settings(base_url=f"{server.base}/v1", preset=preset))
        assert isinstance(backend, CountsTokens)
        asked = request("four words of text", mode="span")
        assert backend.prompt_tokens(asked) == 7  # with "Find the passages."
        assert server.log.requests[-1].body["chat_template_kwargs"] == {"enable_thinking": False}  # type: ignore[attr-defined]
        ((_, reply),) = backend.answer([asked])
        assert reply.state is None
        sent = server.log.requests[-1].body["response_format"]["json_schema"]["schema"]  # type: ignore[attr-defined]
        assert sent == dict(asked.reply_schema)


def test_a_server_that_cannot_count_a_prompt_is_asked_once(server: LocalProvider) -> None:
    backend = create_backend("openai:small", GRAPH, Settings(base_url=f"{server.base}/v1"))
    assert isinstance(backend, CountsTokens)
    assert backend.prompt_tokens(request()) is None
    assert server.log.count() == 1  # the list of models
    with LocalProvider(OpenAIWire({"small": {"owned_by": "vllm"}})) as other:
        backend = create_backend("openai:small", GRAPH, Settings(base_url=f"{other.base}/v1"))
        other.fail(instead(as_json({"detail": "Not Found"}, 404)), path="/tokenize")
        assert [backend.prompt_tokens(request()) for _ in range(3)] == [None] * 3  # type: ignore[attr-defined]
        assert other.log.count("/tokenize") == 1


def test_an_alias_names_a_model_too() -> None:
    with LocalProvider(OpenAIWire({"models/small.gguf": {"aliases": ["small"]}, "small": {}})) as server:
        create_backend("openai:small", GRAPH, Settings(base_url=f"{server.base}/v1")).close()


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
