"""`openai:` before and around the asking: names, keys, addresses, what a server says of its model and takes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hosted_runs import quick, replies  # noqa: F401 - a fixture
from openai_servers import ask, asked_of, state_of
from reply_builders import GRAPH, request
from servers.answers import instead
from servers.providers.local import LocalProvider, as_json
from servers.providers.openai import (
    OpenAIWire,
)

from fingreat.errors import BackendError, InputError
from fingreat.inference import Settings, create_backend
from fingreat.inference.backend import CountsTokens
from fingreat.inference.presets import Preset

pytestmark = pytest.mark.usefixtures("quick", "no_key")


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
        backend = create_backend("openai:small", GRAPH, Settings(base_url=f"{server.base}/v1"))
    assert backend.model == "small"
