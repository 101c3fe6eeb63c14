"""vLLM as a server of its own, asked through `openai:` with `--base-url`: the same engine, over HTTP."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from reply_builders import GRAPH, judge, request

from fingreat.inference import Backend, Settings, create_backend, parse_spec
from fingreat.inference.presets import load_presets
from fingreat.prompts import ExtractionPrompt
from fingreat.schema import Message, ReplyState

pytestmark = pytest.mark.torch
NAME = "smollm2"
TEXT = 'Filing: Northmere Valve Works.\n\nNet sales rose "6%" to $84.2 million. We paid dividends of $3.1 million.'
PATIENCE = 180
QUIET = {
    "HF_HUB_OFFLINE": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": ",".join(str(core) for core in sorted(os.sched_getaffinity(0))),
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
}


@pytest.fixture(scope="module")
def address(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on the loopback, as a user would start it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    form = {"backend": "guidance", "disable_any_whitespace": True}
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(model)]
    command += ["--served-model-name", NAME, "--host", "127.0.0.1", "--port", str(port), "--dtype", "bfloat16"]
    command += ["--max-model-len", "8192", "--max-num-seqs", "8", "--enforce-eager", "--enable-prompt-tokens-details"]
    command += ["--structured-outputs-config", json.dumps(form)]
    said = tmp_path_factory.mktemp("server") / "said.txt"
    # What the engine in this process has set for itself is not what a user's shell holds.
    own = {name: value for name, value in os.environ.items() if not name.startswith("VLLM_")}
    with said.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=own | QUIET)
    try:
        begun = time.perf_counter()
        while not answers(port):
            assert process.poll() is None, said.read_text()[-2000:]
            assert time.perf_counter() - begun < PATIENCE
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)


def answers(port: int) -> bool:
    line = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        line.request("GET", "/health")
        return line.getresponse().status == 200
    except OSError:
        return False
    finally:
        line.close()


@pytest.fixture
def served(address: str) -> Iterator[Backend]:
    spec = parse_spec(f"openai:{NAME}")
    preset = load_presets(None).find(spec, address)
    backend = create_backend(str(spec), GRAPH, Settings(preset=preset, base_url=address, in_flight=8))
    yield backend
    backend.close()


def test_the_server_is_known_with_its_context(served: Backend) -> None:
    assert (served.model, served.context) == (NAME, 8192)


def test_replies_of_the_server_are_valid_and_count_what_the_prefix_cache_held(served: Backend) -> None:
    system = Message(role="system", content=ExtractionPrompt(GRAPH, "span").system)
    asked = [
        one.model_copy(update={"messages": (system, one.messages[-1])})
        for one in (request(f"{TEXT} {number}", mode="span", max_tokens=48) for number in range(6))
    ]
    first = list(served.answer(asked[:1]))
    replies = {one.key: reply for one, reply in (*first, *served.answer(asked[1:]))}
    assert set(replies) == {one.key for one in asked}
    for reply in replies.values():
        state = judge("span").judge(reply, 10).state
        assert state in (ReplyState.OK, ReplyState.TRUNCATED, ReplyState.DEGENERATE, ReplyState.SCHEMA_VIOLATION)
        assert reply.text.startswith('{"extractions":[')
        assert (reply.prompt_tokens or 0) > 1000
        assert 1 <= (reply.output_tokens or 0) <= 48
    for one in asked[1:]:
        reply = replies[one.key]
        # All but the text is the same, so nearly all of the prompt is there after the first.
        assert (reply.cached_tokens or 0) > 0.8 * (reply.prompt_tokens or 0)


def test_a_prompt_that_is_too_long_for_the_server_fails_alone(served: Backend) -> None:
    good = request(TEXT, mode="span", max_tokens=4)
    long = request("sales rose " * 8192, mode="span", max_tokens=4)
    replies = {one.key: reply for one, reply in served.answer([long, good])}
    assert (replies[long.key].state, replies[long.key].retryable) == (ReplyState.TOO_LONG, False)
    assert replies[good.key].state is None
