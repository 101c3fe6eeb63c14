"""The real engines on a real 135M model: replies in the asked form, failures of one request, failures of the engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from reply_builders import GRAPH, judge, request

from fingreat.errors import BackendError
from fingreat.inference import Backend, create_backend
from fingreat.inference.backend import CountsTokens
from fingreat.schema import ReplyState, Request

pytestmark = pytest.mark.torch
TEXT = 'Filing: Northmere Valve Works.\n\nNet sales rose "6%" to $84.2 million. We paid dividends of $3.1 million.'
CONTEXT = 8192
"""`max_position_embeddings` in the model's config.json."""


@pytest.fixture(params=["hf", "vllm"])
def engine(request: pytest.FixtureRequest) -> Backend:
    made: Backend = request.getfixturevalue(request.param)
    return made


def sampled(asked: Request, temperature: float, seed: int) -> Request:
    return asked.model_copy(
        update={"sampling": asked.sampling.model_copy(update={"temperature": temperature, "seed": seed})}
    )


def test_the_model_is_named_and_pinned_and_its_context_is_read(engine: Backend) -> None:
    assert engine.model == "smollm2-135m-instruct"
    assert len(engine.revision or "") == 16
    assert engine.context == CONTEXT


@pytest.mark.parametrize("mode", ["span", "quote"])
def test_replies_come_in_the_asked_form_with_their_tokens_counted(mode: Any, engine: Backend) -> None:
    asked = [request(f"{TEXT} {number}", mode=mode, max_tokens=24) for number in range(3)]
    replies = {one.key: reply for one, reply in engine.answer(asked)}
    assert set(replies) == {one.key for one in asked}
    assert isinstance(engine, CountsTokens)
    for one in asked:
        reply = replies[one.key]
        assert reply.prompt_tokens == engine.prompt_tokens(one)
        assert 1 <= (reply.output_tokens or 0) <= 24
        assert (reply.finish_reason == "length") == (reply.output_tokens == 24)
        assert (reply.seconds or 0) > 0
        assert reply.text.replace(" ", "").startswith('{"extractions":[')
        assert "<|im_end|>" not in reply.text
        assert judge(mode).judge(reply, 10).state is not ReplyState.INVALID_JSON


def test_one_request_that_fails_leaves_the_others_alone(engine: Backend) -> None:
    good = request(TEXT, max_tokens=4)
    long = request("sales rose " * CONTEXT, max_tokens=4)
    odd = good.model_copy(update={"key": "odd", "reply_schema": {"type": "nope"}})
    replies = {one.key: reply for one, reply in engine.answer([long, odd, good])}
    assert replies[long.key].state is ReplyState.TOO_LONG
    assert str(CONTEXT) in (replies[long.key].detail or "")
    assert replies["odd"].state is ReplyState.ERROR
    assert "nope" in (replies["odd"].detail or "")
    assert "\n" not in (replies["odd"].detail or "")
    assert replies[good.key].state is None
    assert not any(reply.retryable for reply in replies.values())


def test_an_answer_ends_where_the_context_does(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = request(TEXT, max_tokens=50)
    monkeypatch.setattr(engine, "context", engine.prompt_tokens(asked) + 2)
    ((_, reply),) = engine.answer([asked])
    assert (reply.output_tokens, reply.finish_reason, reply.state) == (2, "length", None)
    monkeypatch.setattr(engine, "context", engine.prompt_tokens(asked))
    ((_, reply),) = engine.answer([asked])
    assert reply.state is ReplyState.TOO_LONG


def test_a_seed_decides_what_is_drawn(engine: Backend) -> None:
    asked = request(TEXT, mode="span", max_tokens=24)

    def drawn(seed: int) -> str:
        ((_, reply),) = engine.answer([sampled(asked, 1.0, seed)])
        return reply.text

    first = drawn(1)
    assert drawn(1) == first
    assert {drawn(seed) for seed in (2, 3, 4)} != {first}


def test_the_first_request_does_not_wait_for_the_last_to_be_made(engine: Backend) -> None:
    """The engine takes a bounded number of requests, so that a killed run loses no more."""
    taken = []

    def requests() -> Iterator[Request]:
        for number in range(12):
            taken.append(number)
            yield request(f"{TEXT} {number}", max_tokens=2)

    replies = engine.answer(requests())
    next(replies)
    assert len(taken) <= 9
    assert sum(1 for _ in replies) == 11


def test_requests_left_behind_do_not_haunt_the_next_ones(engine: Backend) -> None:
    replies = engine.answer([request(f"{TEXT} {number}", max_tokens=2) for number in range(3)])
    next(replies)
    replies.close()  # type: ignore[attr-defined]
    asked = request(TEXT, max_tokens=2)
    assert [one.key for one, _ in engine.answer([asked])] == [asked.key]


def test_an_engine_that_breaks_is_one_error_and_nothing_reaches_standard_output(
    vllm: Any, hf: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*args: object, **kwargs: object) -> object:
        print("a library speaks")
        raise RuntimeError("device lost\nat line 1")

    with monkeypatch.context() as patch:
        patch.setattr(vllm._engine, "step", broken)
        with pytest.raises(BackendError, match=r"vLLM failed: device lost at line 1\. Run the same"):
            list(vllm.answer([request(TEXT, max_tokens=2)]))
        patch.setattr(hf._model, "generate", broken)
        with pytest.raises(BackendError, match=r"transformers failed: device lost at line 1\. Run the same"):
            list(hf.answer([request(TEXT, max_tokens=2)]))
    assert capfd.readouterr().out == ""
    assert len(list(vllm.answer([request(TEXT, max_tokens=2)]))) == 1


def test_a_request_without_memory_fails_alone(hf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **kwargs: object) -> object:
        raise hf._torch.OutOfMemoryError("tried to allocate 9 GiB")

    with monkeypatch.context() as patch:
        patch.setattr(hf._model, "generate", full)
        ((_, reply),) = hf.answer([request(TEXT, max_tokens=2)])
    assert (reply.state, reply.retryable) == (ReplyState.ERROR, False)
    assert "out of memory: tried to allocate 9 GiB" in (reply.detail or "")


def test_a_closed_back_end_can_be_made_again(model: Any) -> None:
    backend = create_backend(f"hf:{model}", GRAPH)
    backend.close()
    again = create_backend(f"hf:{model}", GRAPH)
    ((_, reply),) = again.answer([request(TEXT, max_tokens=2)])
    again.close()
    assert reply.output_tokens == 2
