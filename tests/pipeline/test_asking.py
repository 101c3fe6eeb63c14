"""What a run asks beside its requests: one that tries the model out, the cache, the money, and what it notes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from pipeline_builders import (
    CONFIG,
    SENTENCES,
    Counting,
    Watching,
    assert_counts_add_up,
    corpus_of,
    extraction_bytes,
    first_sentence,
    html,
    replies_of_run,
)

from fingreat.errors import BackendError, CostError, InputError
from fingreat.inference import RawReply, Settings
from fingreat.inference.cache import ReplyCache
from fingreat.inference.presets import Preset, Prices
from fingreat.pipeline import AskOptions, Corpus, ExtractConfig, extract
from fingreat.pipeline.asked_model import settings_for
from fingreat.prompts import example_reply
from fingreat.runs import RunFolder
from fingreat.schema import ReplyState, Request, load_graph

GRAPH = load_graph()
PRICES = Prices(input=1.0, output=2.0, on=date(2026, 11, 1), source="a list")
PRICED = Settings(preset=Preset(name="m", prices=PRICES))


def costing(request: Request) -> RawReply:
    """Ten cents an answer."""
    return RawReply(**{**first_sentence(request).__dict__, "cost_usd": 0.1})


class Language(Counting):
    """A language model that is asked for the worked example once more than for the chunks."""

    is_language_model = True

    def __init__(self, respond: Callable[[Request], RawReply] = first_sentence, **more: int) -> None:
        self.trials: list[Request] = []

        def answer(request: Request) -> RawReply:
            if request.chunk_id != "example":
                return respond(request)
            self.trials.append(request)
            return self.to_trial()

        super().__init__(answer, **more)

    def to_trial(self) -> RawReply:
        example = GRAPH.example
        assert example is not None
        text = json.dumps(example_reply(GRAPH, example, "quote"))
        return RawReply(text=text, finish_reason="stop", prompt_tokens=900, output_tokens=250, cost_usd=0.1)


class Talking(Language):
    """It keeps to no schema."""

    def to_trial(self) -> RawReply:
        return RawReply(text="Sales rose.", finish_reason="stop", prompt_tokens=900, output_tokens=3)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpus_of(tmp_path_factory.mktemp("asking"), a=html())


def test_a_language_model_is_tried_out_once_with_the_worked_example(corpus: Corpus, tmp_path: Path) -> None:
    model = Language()
    manifest = extract(corpus, CONFIG, tmp_path / "run", backend=model)
    assert_counts_add_up(manifest, tmp_path / "run")
    (trial,) = model.trials
    assert GRAPH.example is not None
    assert trial.segments == GRAPH.example.segments
    assert manifest.trial is not None
    assert (manifest.trial["reply_schema"], manifest.trial["fault"]) == ("honoured", None)
    # It is no reply of the run.
    assert trial.key not in replies_of_run(tmp_path / "run")
    extract(corpus, CONFIG, tmp_path / "run", backend=model)
    assert len(model.trials) == 1


def test_a_model_that_keeps_to_no_schema_is_refused_after_one_request(corpus: Corpus, tmp_path: Path) -> None:
    model = Talking()
    with pytest.raises(BackendError) as caught:
        extract(corpus, CONFIG, tmp_path / "run", backend=model)
    assert "--no-trial" in str(caught.value)
    assert len(model.seen) == len(model.trials)
    run = RunFolder(tmp_path / "run")
    assert run.manifest().status == "failed"
    assert run.manifest().trial is not None
    # A model that failed is tried again; one that is not tried is asked at once.
    with pytest.raises(BackendError):
        extract(corpus, CONFIG, tmp_path / "run", backend=model)
    # What both trials took stays, and is a part of what the run took.
    assert (trials := run.manifest().trials) is not None
    assert trials.requests == 2
    assert run.manifest().so_far["prompt_tokens"] == 2 * 900
    manifest = extract(corpus, CONFIG, tmp_path / "run", backend=model, options=AskOptions(trial=False))
    assert manifest.status == "complete"
    assert manifest.counts["beside"]["output_tokens"] == 2 * 3


def test_what_is_no_language_model_is_not_tried_out(corpus: Corpus, tmp_path: Path) -> None:
    model = Counting()
    assert extract(corpus, CONFIG, tmp_path / "run", backend=model).trial is None
    assert "example" not in {request.chunk_id for request in model.seen}


def test_a_run_that_the_cache_answers_asks_and_pays_nothing(corpus: Corpus, tmp_path: Path) -> None:
    with ReplyCache(tmp_path / "replies.sqlite") as cache:
        options = AskOptions(cache=cache, settings=PRICED)
        first = extract(corpus, CONFIG, tmp_path / "a" / "run", backend=Language(costing), options=options)
        model = Language(costing)
        second = extract(corpus, CONFIG, tmp_path / "b" / "run", backend=model, options=options)
    assert not model.seen
    assert second.counts["from_cache"] == second.counts["replies"] == first.counts["replies"]
    # The trial is paid for like any reply.
    assert first.counts["cost_usd"] == pytest.approx(0.1 * (first.counts["replies"] + 1))
    assert second.counts["cost_usd"] in (0, None)
    assert second.asking_seconds < 60
    assert extraction_bytes(tmp_path / "a" / "run") == extraction_bytes(tmp_path / "b" / "run")


def test_a_run_that_was_stopped_before_it_asked_took_nothing(corpus: Corpus, tmp_path: Path) -> None:
    def gone(request: Request) -> RawReply:
        raise BackendError("the engine is gone.")

    with pytest.raises(BackendError):
        extract(corpus, CONFIG, tmp_path / "run", backend=Counting(gone))
    manifest = RunFolder(tmp_path / "run").manifest()
    assert (manifest.status, manifest.so_far, manifest.trials) == ("failed", {}, None)


def test_a_limit_on_spending_stops_the_run_and_a_larger_one_goes_on(corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "run"
    whole = extract(corpus, CONFIG, tmp_path / "whole" / "run", backend=Language(costing))
    assert whole.counts["replies"] > 3
    model = Language(costing)
    with pytest.raises(CostError) as caught:
        extract(corpus, CONFIG, out, backend=model, options=AskOptions(max_cost=0.3, settings=PRICED))
    assert "--max-cost" in str(caught.value)
    # The trial and two requests cost 0.30.
    assert len(replies_of_run(out)) == 2
    stopped = RunFolder(out).manifest()
    assert stopped.status == "interrupted"
    # The final counts are still to come; what was spent is known.
    assert stopped.counts == {}
    assert (stopped.so_far["replies"], stopped.so_far["replies_by_state"]["ok"]) == (2, 2)
    assert stopped.so_far["cost_usd"] == pytest.approx(0.3)
    # What was spent before counts.
    with pytest.raises(CostError):
        extract(corpus, CONFIG, out, backend=model, options=AskOptions(max_cost=0.3, settings=PRICED))
    assert len(replies_of_run(out)) == 2
    done = extract(corpus, CONFIG, out, backend=model, options=AskOptions(max_cost=5.0, settings=PRICED))
    assert (done.status, done.so_far) == ("complete", {})
    assert done.counts["cost_usd"] == pytest.approx(0.1 * (done.counts["replies"] + 1))
    assert set(model.asked.values()) == {1}
    assert extraction_bytes(out) == extraction_bytes(tmp_path / "whole" / "run")


def test_a_limit_that_is_nearly_spent_buys_nothing_more_however_often_the_call_is_repeated(
    corpus: Corpus, tmp_path: Path
) -> None:
    model = Language(costing)
    for _ in range(3):
        with pytest.raises(CostError, match=r"of the \$0\.3500 allowed"):
            extract(corpus, CONFIG, tmp_path / "run", backend=model, options=AskOptions(max_cost=0.35, settings=PRICED))
        # The trial and two requests cost 0.30, and replies cost 0.10 each.
        assert len(replies_of_run(tmp_path / "run")) == 2


def test_the_trial_is_paid_for_within_the_limit(corpus: Corpus, tmp_path: Path) -> None:
    model = Language(costing)
    for limit, trials, message in ((0.0, 0, r"\$0\.00 of the \$0\.00"), (0.05, 1, r"\$0\.1000 of the \$0\.0500")):
        for _ in range(2):
            with pytest.raises(CostError, match=message):
                extract(
                    corpus, CONFIG, tmp_path / "run", backend=model, options=AskOptions(max_cost=limit, settings=PRICED)
                )
            assert len(model.trials) == trials
    # No request of the run was asked.
    assert len(model.seen) == 1


def test_a_limit_without_a_price_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    model = Language()
    with pytest.raises(InputError, match="no price of"):
        extract(corpus, CONFIG, tmp_path / "run", backend=model, options=AskOptions(max_cost=1.0, trial=False))
    assert not model.seen


def test_the_time_of_asking_is_summed_over_calls(corpus: Corpus, tmp_path: Path) -> None:
    def respond(request: Request) -> RawReply:
        if len(model.seen) == 3:
            raise KeyboardInterrupt
        return slow(request)

    def slow(request: Request) -> RawReply:
        time.sleep(0.002)  # noted in milliseconds
        return first_sentence(request)

    model = Counting(respond)
    with pytest.raises(KeyboardInterrupt):
        extract(corpus, CONFIG, tmp_path / "run", backend=model)
    before = RunFolder(tmp_path / "run").manifest().asking_seconds
    assert before > 0
    done = extract(corpus, CONFIG, tmp_path / "run", backend=Counting(slow))
    assert done.asking_seconds > before
    # A call that asks nothing adds nothing.
    again = extract(corpus, CONFIG, tmp_path / "run", backend=Counting())
    assert again.asking_seconds == done.asking_seconds
    assert again.counts == done.counts


def test_errors_of_this_call_are_not_asked_twice_by_it(corpus: Corpus, tmp_path: Path) -> None:
    down = RawReply(state=ReplyState.ERROR, detail="the line is down")
    no_json = RawReply(text="Sales rose.", finish_reason="stop")
    model = Counting(lambda request: down if SENTENCES[0] in "".join(request.segments) else no_json)
    progress = Watching()
    extract(corpus, CONFIG, tmp_path / "run", backend=model, progress=progress)
    assert set(model.asked.values()) == {1}
    total, done = progress.begun[0]
    assert (total + sum(progress.added), done) == (len(progress.replies), 0)


def test_the_address_of_a_server_is_part_of_the_model_and_holds_no_password(corpus: Corpus, tmp_path: Path) -> None:
    config = ExtractConfig(model="openai:m", base_url="http://localhost:8000/v1", tokens=64, max_tokens=100)
    model = Counting()
    manifest = extract(corpus, config, tmp_path / "run", backend=model)
    assert {request.model for request in model.seen} == {"openai:m at http://localhost:8000/v1"}
    assert manifest.model.base_url == "http://localhost:8000/v1"
    with pytest.raises(InputError) as caught:
        settings_for("openai:m", "http://me:secret@localhost/v1", None, Settings())
    assert "secret" not in str(caught.value)


def test_what_is_known_of_a_model_may_change_beside_a_run(corpus: Corpus, tmp_path: Path) -> None:
    extract(corpus, CONFIG, tmp_path / "run", backend=Counting())
    known = Settings(preset=Preset(name="x", family="qwen", total_parameters=7))
    manifest = extract(corpus, CONFIG, tmp_path / "run", backend=Counting(), options=AskOptions(settings=known))
    assert (manifest.model.family, manifest.model.total_parameters) == ("qwen", 7)


def test_the_console_and_the_manifest_go_by_one_clock(corpus: Corpus, tmp_path: Path) -> None:
    class Slow(Language):
        def to_trial(self) -> RawReply:
            time.sleep(0.3)
            return super().to_trial()

    def taking(request: Request) -> RawReply:
        return RawReply(**{**first_sentence(request).__dict__, "output_tokens": 100})

    progress, model = Watching(), Slow(taking)
    manifest = extract(corpus, CONFIG, tmp_path / "run", backend=model, progress=progress)
    assert len(progress.trials) == 1
    # The trial is no time of asking.
    assert progress.seconds() == pytest.approx(manifest.asking_seconds, abs=0.002)
    assert progress.seconds() < 0.3
    rate = 100 * manifest.counts["replies"] / progress.seconds()
    assert manifest.counts["output_tokens_per_second"] == pytest.approx(rate, rel=0.05)
    # A call that has nothing to ask took no time; the run's stays.
    again = Watching()
    assert extract(corpus, CONFIG, tmp_path / "run", backend=model, progress=again).asking_seconds > 0
    assert again.seconds() == 0


def test_an_error_that_was_paid_for_stays_in_the_cost(corpus: Corpus, tmp_path: Path) -> None:
    failing = {"left": 1}

    def respond(request: Request) -> RawReply:
        if failing["left"]:
            failing["left"] -= 1
            return RawReply(state=ReplyState.ERROR, detail="cut off", cost_usd=0.5)
        return costing(request)

    first = extract(corpus, CONFIG, tmp_path / "run", backend=Counting(respond))
    second = extract(corpus, CONFIG, tmp_path / "run", backend=Counting(respond))
    assert (first.counts["failures"], second.counts["failures"]) == (1, 0)
    assert second.counts["replies"] == first.counts["replies"]
    assert second.counts["cost_usd"] == pytest.approx(0.5 + 0.1 * second.counts["replies"])
    assert second.counts["beside"]["requests"] == 1
