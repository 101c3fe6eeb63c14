"""The back ends as a run uses them: by name, with `batch` set, through the ask loop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from batch_runs import Local, asked, quick
from reply_builders import GRAPH
from servers.answers import redirected
from servers.providers.anthropic import AnthropicWire
from servers.providers.anthropic_batch import AnthropicBatchWire
from servers.providers.gemini import GeminiWire
from servers.providers.gemini_batch import GeminiBatchWire
from servers.providers.local import LocalProvider
from servers.providers.openai import OpenAIWire
from servers.providers.openai_batch import OpenAIBatchWire
from servers.providers.said import Said

from fingreat.errors import BackendError
from fingreat.inference import Backend, ReplyJudge, Settings, ask, create_backend, reply_log
from fingreat.schema import Reply, ReplyState, Request

KEY = "key-0123456789abcdef"
PROVIDERS = {
    "openai": (OpenAIBatchWire(key=KEY), OpenAIWire(key=KEY), "/v1"),
    "anthropic": (AnthropicBatchWire(key=KEY), AnthropicWire(key=KEY), ""),
    "gemini": (GeminiBatchWire(key=KEY), GeminiWire(key=KEY), ""),
}
pytestmark = pytest.mark.usefixtures("quick")
__all__ = ["quick"]


class Hosted:
    """A provider on loopback and the name of a back end that asks it."""

    def __init__(self, name: str, folder: Path) -> None:
        wire, others, self._path = PROVIDERS[name]
        self.local = Local(wire, others)
        self.local.renew()
        self._name = name
        self._folder = folder

    def backend(self) -> Backend:
        settings = Settings(base_url=f"{self.local.server.base}{self._path}", batch=self._folder / "batches")
        return create_backend(f"{self._name}:small", GRAPH, settings)

    def run(self, requests: list[Request]) -> dict[str, Reply]:
        """Ask what has no reply yet, as a run does, and give all replies."""
        backend = self.backend()
        with reply_log(self._folder / "replies") as log:
            ask(iter(requests), backend, ReplyJudge(GRAPH, "quote"), log)
            backend.close()
            return {request.key: log.get(request.key) for request in requests}


@pytest.fixture(params=PROVIDERS)
def hosted(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosted]:
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(variable, KEY)
    one = Hosted(request.param, tmp_path)
    with one.local.server as server:
        server.say(Said('{"extractions": []}'))
        yield one


def test_a_run_through_batches_answers_everything_and_is_done_when_called_again(hosted: Hosted) -> None:
    replies = hosted.run(asked(4))
    assert {reply.state for reply in replies.values()} == {ReplyState.OK}
    assert hosted.run(asked(4)) == replies
    assert hosted.local.desk.sent() == [4]


def test_an_expired_batch_is_sent_anew_within_the_run_as_far_as_it_was_not_answered(hosted: Hosted) -> None:
    hosted.local.desk.ends, hosted.local.desk.answered = ["expired"], 1
    replies = hosted.run(asked(3))
    assert {reply.state for reply in replies.values()} == {ReplyState.OK}
    # Gemini gives nothing of a batch that expired.
    assert hosted.local.desk.sent() in ([3, 2], [3, 3])


def test_a_run_that_ends_while_its_batch_is_under_way_takes_the_replies_when_called_again(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("fingreat.inference.hosted.batches.time.sleep", interrupted)
        with pytest.raises(KeyboardInterrupt):
            hosted.run(asked(3))
    replies = hosted.run(asked(3))
    assert {reply.state for reply in replies.values()} == {ReplyState.OK}
    assert hosted.local.desk.sent() == [3]


def test_the_key_stands_in_no_file_of_the_run(hosted: Hosted, tmp_path: Path) -> None:
    hosted.local.server.say(lambda prompt: Said(f"my key is {KEY}"))
    hosted.run(asked(2))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 2
    assert not [path for path in files if KEY in path.read_text(encoding="utf-8")]


def test_a_word_that_stands_for_no_key_is_left_in_replies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with LocalProvider(OpenAIBatchWire(), OpenAIWire()) as server:
        server.say(Said("none of it"))
        settings = Settings(base_url=f"{server.base}/v1", batch=tmp_path)
        ((_, reply),) = create_backend("openai:small", GRAPH, settings).answer(iter(asked(1)))
    assert reply.text == "none of it"


def test_a_redirect_takes_the_key_nowhere(hosted: Hosted) -> None:
    backend = hosted.backend()
    with LocalProvider() as elsewhere:
        hosted.local.server.fail(redirected(f"{elsewhere.base}/v1"))
        with pytest.raises(BackendError, match="302"):
            list(backend.answer(iter(asked(1))))
        assert elsewhere.log.count() == 0
