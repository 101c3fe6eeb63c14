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


def test_the_first_request_does_not_wait_for_the_last_to_be_made(
    engine: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine takes a bounded number of requests: those under way, and two windows of them at most."""
    monkeypatch.setattr("fingreat.inference.vllm._WINDOW", 4)
    taken = []

    def requests() -> Iterator[Request]:
        for number in range(30):
            taken.append(number)
            yield request(f"{TEXT} {number}", max_tokens=2)

    replies = engine.answer(requests())
    next(replies)
    assert len(taken) <= 8 + 2 + 2 * 4
    assert sum(1 for _ in replies) == 29


def test_of_a_window_the_longest_requests_are_answered_first(vllm: Any) -> None:
    """One at a time, so that the order of the answers is that of the asking."""
    asked = [request(TEXT + " Net sales rose." * length, max_tokens=2) for length in (3, 40, 1, 12)]
    lengths = {one.key: vllm.prompt_tokens(one) for one in asked}
    vllm._under_way, kept = 1, vllm._under_way
    try:
        answered = [lengths[one.key] for one, _ in vllm.answer(asked)]
    finally:
        vllm._under_way = kept
    assert answered == sorted(lengths.values(), reverse=True)
    assert len(set(answered)) == 4


def test_the_grammar_of_a_schema_is_compiled_once(vllm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from vllm.v1.structured_output.backend_guidance import GuidanceBackend

    compiled = []
    real = GuidanceBackend.compile_grammar

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        compiled.append(args)
        return real(self, *args, **kwargs)

    monkeypatch.setattr(GuidanceBackend, "compile_grammar", counted)
    asked = [request(f"{TEXT} {number}", mode="span", max_tokens=40) for number in range(6)]
    # A schema that no other test has asked for.
    schema = {**asked[0].reply_schema, "title": "once"}
    asked = [one.model_copy(update={"reply_schema": schema}) for one in asked]
    replies = [reply for _, reply in vllm.answer(asked)]
    assert len(compiled) == 1
    assert all(judge("span").judge(reply, 10).state is not ReplyState.INVALID_JSON for reply in replies)


def test_the_shared_beginning_of_prompts_is_made_once_and_changes_no_token(engine: Any) -> None:
    """The whole prompt as one text is what the model's template says; its tokens are the measure."""
    chat = engine._chat
    for number in range(3):
        asked = request(f"{TEXT} {number}")
        whole = chat.tokenizer.apply_chat_template(
            [message.model_dump() for message in asked.messages], add_generation_prompt=True, tokenize=True
        )
        assert chat.prompt_ids(asked) == list(whole["input_ids"])
    assert chat._head[0].endswith(asked.messages[0].content)


def test_what_can_change_an_answer_is_part_of_the_requests_key(engine: Backend) -> None:
    assert engine.options == {"chat_template": {"enable_thinking": False}, "dtype": "bfloat16"}


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
