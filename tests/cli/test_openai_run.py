"""A whole run through `openai:`: the key is found nowhere afterwards, and a run that was stopped goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hosted_runs import QUICK
from servers.answers import instead
from servers.providers.local import Asked, LocalProvider, as_json
from servers.providers.openai import CHAT, OpenAIWire, no_credit
from servers.providers.said import Said

from fingreat.inference.hosted import online

KEY = "sk-proj-0123456789abcdefghijklmnop"
SENTENCES = [f"Net sales of line {number} rose because demand grew in region {number}." for number in range(30)]

Run = Callable[..., Any]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalProvider]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(online, "PATIENCE", QUICK)
    with LocalProvider(OpenAIWire(key=KEY)) as provider:
        yield provider


@pytest.fixture
def extract(run: Run, server: LocalProvider, tmp_path: Path) -> Run:
    """Extract from a corpus of one filing into `run`."""
    text = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
    (tmp_path / "filing.htm").write_text(
        f"<html><body><p><b>Item 1. Business</b></p><p>{'We make pumps. ' * 40}</p>"
        f"<p><b>Item 7. Management's Discussion and Analysis</b></p>{text}"
        f"<p><b>Item 8. Financial Statements</b></p><p>{'Balance. ' * 60}</p></body></html>"
    )
    corpus, out = tmp_path / "corpus", tmp_path / "run"
    assert run("corpus", "add", tmp_path / "filing.htm", "--corpus", corpus).code == 0
    assert run("corpus", "sections", "--corpus", corpus).code == 0
    model = ("--model", "openai:small", "--base-url", f"{server.base}/v1", "--tokens", 64, "--resend", 0)
    return lambda *more: run("extract", "--corpus", corpus, *model, "--out", out, *more)


def test_the_key_is_in_no_file_and_no_output_of_a_run(extract: Run, server: LocalProvider, tmp_path: Path) -> None:
    server.say(lambda prompt: Said(f'{{"extractions": []}} {KEY}', reasoning=KEY))
    server.fail(instead(as_json({"error": {"message": f"bad: {KEY}"}}, 422)), SENTENCES[7])
    server.fail(instead(as_json({"error": {"message": f"crash: {KEY}"}}, 500)), SENTENCES[17])
    said = extract("--no-trial")
    assert server.log.count(CHAT) > 5
    assert all(seen.headers["authorization"] == f"Bearer {KEY}" for seen in server.log.requests)
    replies = "".join(path.read_text() for path in (tmp_path / "run" / "replies").iterdir())
    assert "bad: [key]" in replies
    assert "crash: [key]" in replies
    assert KEY not in said.out + said.err
    found = [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert found == []


def test_a_run_whose_credit_ends_keeps_its_replies_and_goes_on(
    extract: Run, server: LocalProvider, tmp_path: Path
) -> None:
    server.fail(no_credit, path=CHAT, spare=4)
    said = extract("--no-trial", "--in-flight", 1)
    assert said.code == 2
    assert "no credit" in said.err
    server.heal()
    before = len(server.log.requests)
    assert extract("--no-trial", "--in-flight", 1).code == 0
    prompts = [seen.data for seen in server.log.requests if isinstance(seen, Asked) and seen.path == CHAT]
    answered = prompts[:4]
    again = [seen.data for seen in server.log.requests[before:] if isinstance(seen, Asked) and seen.path == CHAT]
    assert not set(answered) & set(again)
    assert len(set(answered) | set(again)) == len(answered) + len(again)
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["status"] == "complete"
    assert manifest["counts"]["requests"] == len(answered) + len(again)
