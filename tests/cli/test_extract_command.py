"""`fingreat extract` against a provider on loopback: what it would cost, what it may cost, and what is said of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from servers.providers.local import LocalProvider
from servers.providers.openai import CHAT, OpenAIWire
from servers.providers.said import Said

import fingreat
from fingreat.inference.requirements import has_module
from fingreat.pipeline import Corpus
from fingreat.runs import RunFolder

FILING = Path(fingreat.__file__).parent / "shipped" / "larkmoor-2001.txt"
# A cent for each answer of 1,000 tokens in and 100 out.
PRICES = """format = 1
[model.small]
prices = { input = 5.0, output = 50.0, on = 2026-09-30, source = "a price list" }
"""
USUAL = Said(prompt_tokens=1000, output_tokens=100)

pytestmark = pytest.mark.skipif(not has_module("openai"), reason="needs the openai package")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = Corpus(tmp_path_factory.mktemp("one") / "corpus")
    made.add([FILING])
    made.make_sections("7")
    return made.path


@pytest.fixture
def provider() -> Iterator[LocalProvider]:
    with LocalProvider(OpenAIWire()) as server:
        server.say(USUAL)
        yield server


@pytest.fixture
def arguments(tmp_path: Path, corpus: Path, provider: LocalProvider) -> list[object]:
    """About twenty requests at a known price, one at a time, without the trial."""
    models = tmp_path / "prices.toml"
    models.write_text(PRICES)
    return [
        "extract", "--corpus", corpus, "--model", "openai:small", "--base-url", f"{provider.base}/v1",
        "--models", models, "--out", tmp_path / "out" / "run", "--tokens", 400, "--max-tokens", 100,
        "--in-flight", 1, "--no-trial",
    ]  # fmt: skip


def test_a_dry_run_asks_and_writes_nothing_and_the_run_then_asks_what_it_said(
    arguments: list[object], provider: LocalProvider, tmp_path: Path, run: Callable
) -> None:
    outcome = run(*arguments, "--dry-run", "--json")
    assert outcome.code == 0
    said = json.loads(outcome.out)
    assert provider.log.requests == []
    assert not (tmp_path / "out").exists()
    assert said["requests"] == said["to_ask"] > 10
    assert said["output_bound"] == said["to_ask"] * 100
    assert said["cost_usd"] == pytest.approx((said["prompt_tokens"] * 5 + said["output_tokens"] * 50) / 1e6)
    assert run(*arguments).code == 0
    assert provider.log.count(CHAT) == said["requests"]
    again = json.loads(run(*arguments, "--dry-run", "--json").out)
    assert (again["answered"], again["to_ask"]) == (said["requests"], 0)
    assert again["cost_usd"] == 0


def test_a_dry_run_knows_what_the_reply_cache_holds_and_what_earlier_replies_took(
    arguments: list[object], tmp_path: Path, run: Callable
) -> None:
    assert run(*arguments).code == 0
    elsewhere = [*arguments, "--out", tmp_path / "out" / "second", "--dry-run", "--json"]
    said = json.loads(run(*elsewhere).out)
    assert (said["from_cache"], said["to_ask"]) == (said["requests"], 0)
    without = json.loads(run(*elsewhere, "--no-cache").out)
    assert without["to_ask"] == without["requests"]
    # Every answer took 100 tokens.
    assert without["output_basis"] == "measured"
    assert without["output_tokens"] == without["to_ask"] * 100
    assert without["hours"] > 0


def test_a_dry_run_as_text_says_prices_with_their_day(arguments: list[object], run: Callable) -> None:
    outcome = run(*arguments, "--dry-run")
    words = " ".join(outcome.out.split())
    assert "$5.00 in and $50.00 out for a million tokens; a price list, 2026-09-30" in words
    assert "assumed" in words
    assert outcome.err == ""


def test_no_more_is_spent_than_allowed_and_the_run_goes_on_with_more(
    arguments: list[object], provider: LocalProvider, tmp_path: Path, run: Callable
) -> None:
    whole = json.loads(run(*arguments, "--dry-run", "--json").out)["requests"]
    outcome = run(*arguments, "--max-cost", 0.055)
    assert outcome.code == 1
    # Five answers at a cent each; a sixth would pass five and a half.
    assert provider.log.count(CHAT) == 5
    assert f"{whole - 5} requests are left" in outcome.err
    assert "larger --max-cost" in outcome.err
    stopped = tmp_path / "out" / "run"
    assert RunFolder(stopped).manifest().status == "interrupted"
    # What it took so far can be read, and says that it is not all.
    (so_far,) = json.loads(run("analyze", "cost", stopped, "--json").out)["runs"]
    assert (so_far["status"], so_far["requests"], so_far["usd"]) == ("interrupted", 5, pytest.approx(0.05))
    exported = run("export", stopped, "--table", "replies", "--format", "jsonl", "--out", "-")
    assert len(exported.out.splitlines()) == 5
    assert "The run is interrupted, not complete: these are the replies so far." in exported.err
    listed = run("runs", "list", tmp_path / "out").out
    (row,) = [line.split() for line in listed.splitlines() if "interrupted" in line]
    assert row[:2] == ["run", "interrupted"]
    assert row[4:7] == ["5", "–", "–"]
    assert "are those answered so far" in listed
    # What was paid counts: of eight cents in all, three are left.
    assert run(*arguments, "--max-cost", 0.085).code == 1
    assert provider.log.count(CHAT) == 8
    assert run(*arguments, "--max-cost", 10).code == 0
    assert provider.log.count(CHAT) == whole
    costs = json.loads(run("analyze", "cost", tmp_path / "out" / "run", "--json").out)["runs"][0]
    assert costs["per_filing"]["usd"] == pytest.approx(whole * 0.01)


def test_a_limit_without_a_price_is_refused_before_anything_is_asked(
    arguments: list[object], provider: LocalProvider, tmp_path: Path, run: Callable
) -> None:
    bare = [a for a in arguments if a not in ("--models", tmp_path / "prices.toml")]
    outcome = run(*bare, "--max-cost", 1)
    assert outcome.code == 2
    assert "no price of openai:small is known" in outcome.err
    assert provider.log.requests == []
    assert not (tmp_path / "out").exists()


def test_what_a_second_run_takes_from_the_cache_is_said_and_costs_nothing(
    arguments: list[object], provider: LocalProvider, tmp_path: Path, run: Callable
) -> None:
    assert run(*arguments).code == 0
    asked = provider.log.count(CHAT)
    outcome = run(*arguments, "--out", tmp_path / "out" / "second")
    assert outcome.code == 0
    assert provider.log.count(CHAT) == asked
    assert f"{asked} replies from the cache" in outcome.err
    counts = RunFolder(tmp_path / "out" / "second").manifest().counts
    assert counts["from_cache"] == asked
    assert counts["cost_usd"] == 0
    assert run(*arguments, "--out", tmp_path / "out" / "third", "--no-cache").code == 0
    assert provider.log.count(CHAT) == 2 * asked


def test_the_end_says_what_failed_and_what_to_do(
    arguments: list[object], provider: LocalProvider, run: Callable
) -> None:
    provider.say(lambda prompt: Said(refusal="I will not.", stop="refusal", prompt_tokens=9, output_tokens=1))
    outcome = run(*arguments)
    assert outcome.code == 2
    assert " 0 ok, " in outcome.err
    assert "need a change" in outcome.err
    assert "blocked" in outcome.err


def test_the_trial_is_said_and_can_be_left_out(arguments: list[object], provider: LocalProvider, run: Callable) -> None:
    tried = run(*(a for a in arguments if a != "--no-trial"))
    assert tried.code == 0
    assert "trial: reply schema: honoured" in tried.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--model", "lexicon", "--batch"],
            "--batch: is for models that are asked over a line, and 'lexicon' is none.",
        ),
        (["--model", "embedded", "--rpm", "5"], "--rpm: is for models"),
        (["--model", "lexicon", "--base-url", "http://127.0.0.1:1/v1"], "--base-url: is for models"),
        (["--model", "openai:m", "--base-url", "http://u:p@127.0.0.1:1/v1"], "holds more than a host and a path"),
        (["--model", "openai:m", "--base-url", "http://[::1"], "--base-url: is no address of a server"),
        (["--model", "openai:m", "--base-url", "http://h/\x1b[31m"], "--base-url: is no address of a server"),
        (["--model", "openai:m", "--models", "nowhere.toml"], "cannot read the models file"),
        (["--model", "lexicon", "--max-cost", "-1"], "--max-cost"),
        (["--model", "lexicon", "--resend", "10"], "--resend"),
        (["--model", "lexicon", "--temperature", "2.1"], "--temperature: Input should be less than or equal to 2"),
        (["--model", "lexicon", "--seed", "-1"], "--seed: Input should be greater than or equal to 0, found -1"),
        (["--model", "lexicon", "--seed", "2147483647"], "--seed: Input should be less than"),
        (["--model", "lexicon", "--max-tokens", "1000001"], "--max-tokens: Input should be less than"),
    ],
)
def test_options_that_do_not_fit_end_with_one_message(
    options: list[str], words: str, corpus: Path, tmp_path: Path, run: Callable
) -> None:
    outcome = run("extract", "--corpus", corpus, "--out", tmp_path / "r", *options)
    assert outcome.code == 2
    assert words in " ".join(outcome.err.split())
    assert "Traceback" not in outcome.err
    assert not (tmp_path / "r").exists()
