"""A whole run through a batch interface that is stopped while a batch is open: what is paid for is taken, and once."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from batch_runs import QUICK
from servers.providers.desk import Desk
from servers.providers.local import LocalProvider
from servers.providers.openai import CHAT, OpenAIWire
from servers.providers.openai_batch import OpenAIBatchWire
from servers.providers.said import Said

from fingreat.inference.hosted import batches

Run = Callable[..., Any]
_PRICES = """
format = 1
[model."small".prices]
input = 1000.0
output = 1000.0
batch_factor = 0.5
on = 2026-11-01
source = "a test"
"""
_COST = 0.505
"""Of one reply: 1,010 tokens at 1,000 dollars a million, half of it."""


class Provider:
    """A provider on loopback, and a run of extract against it."""

    def __init__(self, run: Run, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.wire = OpenAIBatchWire()
        self.server = LocalProvider(self.wire, OpenAIWire())
        self._run = run
        self._folder = folder
        self._patch = patch

    @property
    def desk(self) -> Desk:
        return self.wire.desk

    def sent(self) -> Counter[str]:
        return Counter(row["custom_id"] for batch in self.desk.batches.values() for row in batch.rows)

    def extract(self, *more: object) -> Any:
        model = ("--model", "openai:small", "--base-url", f"{self.server.base}/v1", "--models", "prices.toml")
        return self._run(
            "extract", "--corpus", "corpus", *model, "--tokens", 64, "--no-cache", "--out", "run", *more
        )  # fmt: skip

    def stopped(self, *more: object, rounds: int = 1) -> Any:
        """Ctrl-C while the nth batch is under way."""

        def sleep(seconds: float) -> None:
            if len(self.desk.batches) >= rounds:
                raise KeyboardInterrupt

        with self._patch.context() as patch:
            patch.setattr(batches.time, "sleep", sleep)
            said = self.extract(*more)
        assert said.code == 130
        return said

    def counts(self) -> dict[str, Any]:
        manifest = json.loads((self._folder / "run" / "manifest.json").read_text())
        assert manifest["status"] == "complete"
        return dict(manifest["counts"])


@pytest.fixture
def provider(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    sentences = (f"Net sales of line {number} rose because demand grew in region {number}." for number in range(30))
    text = "".join(f"<p>{sentence}</p>" for sentence in sentences)
    monkeypatch.setattr(batches, "WAITS", QUICK)
    monkeypatch.setenv("OPENAI_API_KEY", "key-0123456789abcdef")
    monkeypatch.chdir(tmp_path)
    Path("prices.toml").write_text(_PRICES)
    Path("filing.htm").write_text(
        f"<html><body><p><b>Item 1. Business</b></p><p>{'We make pumps. ' * 40}</p>"
        f"<p><b>Item 7. Management's Discussion and Analysis</b></p>{text}"
        f"<p><b>Item 8. Financial Statements</b></p><p>{'Balance. ' * 60}</p></body></html>"
    )
    assert run("corpus", "add", "filing.htm", "--corpus", "corpus").code == 0
    assert run("corpus", "sections", "--corpus", "corpus").code == 0
    one = Provider(run, tmp_path, monkeypatch)
    with one.server as server:
        server.say(Said('{"extractions": []}', prompt_tokens=1000, output_tokens=10))
        yield one


def test_an_open_batch_is_taken_as_a_whole_whatever_may_still_be_spent(provider: Provider) -> None:
    provider.stopped("--batch")
    (number,) = provider.desk.sent()
    assert number > 5
    # All of it is on its way, for more than twice the limit.
    said = provider.extract("--batch", "--max-cost", 2)
    assert said.code == 0
    assert provider.desk.sent() == [number]
    assert provider.counts()["cost_usd"] == pytest.approx(number * _COST)


def test_a_limited_run_that_was_stopped_sends_no_request_twice_and_counts_all_it_paid(provider: Provider) -> None:
    provider.stopped("--batch", "--max-cost", 8, rounds=2)
    assert provider.extract("--batch", "--max-cost", 8).code == 0
    sent = provider.sent()
    assert set(sent.values()) == {1}
    assert len(provider.desk.sent()) >= 2
    assert provider.counts()["cost_usd"] == pytest.approx(len(sent) * _COST)


def test_what_is_paid_in_an_open_batch_counts_against_the_limit_of_the_rest(provider: Provider) -> None:
    provider.stopped("--batch", "--max-cost", 2)
    (first,) = provider.desk.sent()
    said = provider.extract("--batch", "--max-cost", 0.1)
    assert said.code == 1
    assert provider.desk.sent() == [first]
    assert f"has cost ${first * _COST:.4f} of the $0.1000 allowed" in said.err


def test_without_batch_nothing_is_asked_that_an_open_batch_holds(provider: Provider) -> None:
    provider.stopped("--batch")
    (number,) = provider.desk.sent()
    said = provider.extract("--no-trial")
    assert said.code == 2
    assert f"1 batch of {number} requests of this run went to the provider and is not collected" in said.err
    assert "Add --batch" in said.err
    assert provider.server.log.count(CHAT) == 0
    assert provider.extract("--batch").code == 0
    assert provider.desk.sent() == [number]
    # Where all is collected, it makes no difference.
    assert provider.extract().code == 0
    assert provider.server.log.count(CHAT) == 0


def test_whoever_watches_is_told_what_waits_at_the_provider(provider: Provider) -> None:
    provider.desk.looks = 3
    said = provider.stopped("--batch")
    (number,) = provider.desk.sent()
    lines = said.err.splitlines()
    (waits,) = [line for line in lines if "begun" in line]
    assert re.fullmatch(rf"1 batch of {number} requests at OpenAI, begun \d\d:\d\d", waits)
    assert lines.count("1 batch goes on at OpenAI; the same command takes the replies.") == 1
    said = provider.extract("--batch")
    assert re.search(rf"^1 batch of {number} requests at OpenAI, begun", said.err, re.MULTILINE)


def test_a_batch_that_somebody_cancelled_is_sent_again_by_the_next_call_only(provider: Provider) -> None:
    provider.desk.ends, provider.desk.answered = ["cancelled"], 3
    said = provider.extract("--batch")
    assert said.code == 1
    (number,) = provider.desk.sent()
    assert f"{number - 3} error" in said.err
    assert provider.extract("--batch").code == 0
    assert provider.desk.sent() == [number, number - 3]
