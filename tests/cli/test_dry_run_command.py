"""What a dry run says against what the run then asks: damaged replies on disk, a server that holds little."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from servers.providers.local import LocalProvider
from servers.providers.openai import CHAT, OpenAIWire
from servers.providers.said import Said

import fingreat
from fingreat.cli.dry_run import show_estimate
from fingreat.inference.presets import load_presets
from fingreat.inference.requirements import known_spec
from fingreat.pipeline.estimate import Estimate

SHIPPED = Path(fingreat.__file__).parent / "shipped"
FILING = SHIPPED / "pellwether-2008.htm"
GOLD = SHIPPED / "larkmoor-2001.gold.jsonl"
Run = Callable[..., Any]


@pytest.fixture
def server() -> Iterator[LocalProvider]:
    # Of one of its models it tells, once it is asked, how much it holds, and counts prompts in words.
    with LocalProvider(OpenAIWire({"small": {}, "tight": {"owned_by": "vllm", "max_model_len": 1995}})) as provider:
        yield provider


def _arguments(run: Run, server: LocalProvider, folder: Path, *more: object) -> list[object]:
    asked = ["extract", "--corpus", folder / "corpus", "--model", "openai:small", "--base-url", f"{server.base}/v1"]
    assert run("corpus", "add", FILING, "--corpus", folder / "corpus").code == 0
    assert run("corpus", "sections", "--corpus", folder / "corpus").code == 0
    return [*asked, "--out", folder / "out" / "run", "--no-cache", "--no-trial", *more]


def _said(run: Run, *arguments: object) -> dict[str, Any]:
    outcome = run(*arguments, "--dry-run", "--json")
    assert outcome.code == 0, outcome.err
    said: dict[str, Any] = json.loads(outcome.out)
    return said


def test_what_follows_damaged_replies_on_disk_is_counted(run: Run, server: LocalProvider, tmp_path: Path) -> None:
    arguments = _arguments(run, server, tmp_path, "--tokens", 800, "--max-tokens", 100)
    server.say(Said('{"extractions": [', stop="length"))
    run(*arguments, "--resend", 0)
    chunks = server.log.count(CHAT)
    assert _said(run, *arguments, "--resend", 0)["to_ask"] == 0
    said = _said(run, *arguments, "--resend", 1)
    run(*arguments, "--resend", 1)
    # Each chunk in halves, at most: a chunk of one segment is asked whole, with other sampling.
    assert chunks < said["to_ask"] <= 2 * chunks
    assert server.log.count(CHAT) == chunks + said["to_ask"]
    assert _said(run, *arguments, "--resend", 1)["to_ask"] == 0
    assert (tmp_path / "out" / "run" / "replies").is_dir()


def test_what_follows_damaged_answers_on_passages_is_counted(run: Run, server: LocalProvider, tmp_path: Path) -> None:
    arguments = [
        "classify", "--gold", GOLD, "--model", "openai:small", "--base-url", f"{server.base}/v1",
        "--out", tmp_path / "run", "--no-cache", "--no-trial",
    ]  # fmt: skip
    server.say(Said("none of them"))
    run(*arguments, "--resend", 0)
    passages = server.log.count(CHAT)
    assert passages > 10
    assert _said(run, *arguments, "--resend", 0)["to_ask"] == 0
    # Each passage once more, with other sampling.
    assert _said(run, *arguments, "--resend", 1)["to_ask"] == passages
    run(*arguments, "--resend", 1)
    assert server.log.count(CHAT) == 2 * passages
    assert _said(run, *arguments, "--resend", 1)["to_ask"] == 0


def test_what_a_server_holds_is_said_to_be_unknown_and_known_once_it_was_asked(
    run: Run, server: LocalProvider, tmp_path: Path
) -> None:
    arguments = _arguments(run, server, tmp_path, "--tokens", 400, "--max-tokens", 300, "--model", "openai:tight")
    before = _said(run, *arguments)
    assert any("not asked how much" in note for note in before["notes"])
    assert run(*arguments).code == 0
    asked = server.log.count(CHAT)
    assert asked > before["to_ask"], "some chunks do not fit, and were asked in halves"
    after = _said(run, *arguments)
    assert (after["requests"], after["answered"], after["to_ask"]) == (asked, asked, 0)


def _estimate(**values: Any) -> Estimate:
    figures: dict[str, Any] = dict.fromkeys(("requests", "answered", "from_cache", "prompt_tokens", "output_tokens"), 1)
    known = {"model": "m", "tokenizer": "model", "to_ask": 1, "output_bound": 9, "output_source": "s"}
    return Estimate(**figures | known | {"output_basis": "assumed"} | values)


def test_prices_are_shown_with_their_cents_and_one_date(capsys: pytest.CaptureFixture[str]) -> None:
    prices = load_presets().find(known_spec("openai:gpt-4o-mini")).prices
    assert prices is not None
    show_estimate(_estimate(prices=prices, cost_usd=1.0, cost_bound_usd=2.0), json=False)
    said = " ".join(capsys.readouterr().out.split())
    assert "($0.15 in and $0.60 out for a million tokens; " in said
    assert said.count("2026") == 1
    cheap = prices.model_copy(update={"input": 0.075})
    show_estimate(_estimate(prices=cheap, cost_usd=1.0, cost_bound_usd=2.0), json=False)
    assert "$0.075 in and $0.60 out" in " ".join(capsys.readouterr().out.split())


def test_what_batches_under_way_hold_is_said_in_the_line_of_requests(capsys: pytest.CaptureFixture[str]) -> None:
    show_estimate(_estimate(in_batches=1200), json=False)
    said = " ".join(capsys.readouterr().out.split())
    assert "1 to ask" in said
    assert "1,200 paid for in batches under way, which --batch collects" in said
    show_estimate(_estimate(), json=False)
    assert "batch" not in capsys.readouterr().out


def test_where_nothing_is_left_to_ask_no_tokenizer_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    show_estimate(_estimate(to_ask=0, prompt_tokens=0, output_tokens=0, output_bound=0), json=False)
    said = capsys.readouterr().out
    assert "nothing is left to ask" in said
    assert "tokenizer" not in said
