"""What is asked after a damaged reply: the rest, otherwise, or in halves; derived from the replies on disk alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from pipeline_builders import (
    SENTENCES,
    Counting,
    Watching,
    assert_counts_add_up,
    corpus_of,
    extraction_bytes,
    extractions_of_run,
    failures_of_run,
    html,
    reply,
)

from fingreat.edgar import chunk_section
from fingreat.inference import RawReply
from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.pipeline.asked_model import resampled
from fingreat.runs import RunFolder
from fingreat.schema import ReplyState, Request, Sampling

ONE_CHUNK = ExtractConfig(model="scripted:x", tokens=1000, max_tokens=100)
SIX = SENTENCES[:6]
NOTHING = RawReply(text='{"extractions": []}', finish_reason="stop")
NO_JSON = RawReply(text="Sales rose.", finish_reason="stop")
OFF = RawReply(text=reply((SIX[0], "COGS", "NNCA")), finish_reason="stop")
DEGENERATE = RawReply(text='{"extractions": [' + "\n" * 400, finish_reason="length")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """A filing whose item is one chunk of a heading and six sentences."""
    corpus = corpus_of(tmp_path_factory.mktemp("pieces"), a=html(SIX))
    assert len(chunk_section(next(corpus.sections("7")), ONE_CHUNK.tokens)) == 1
    return corpus


def shown(request: Request) -> list[str]:
    """The sentences that a request shows."""
    return [text for segment in request.segments if (text := segment.strip()) in SENTENCES]


def every_sentence(request: Request) -> RawReply:
    return RawReply(text=reply(*((text, "REV", "NNCA") for text in shown(request))), finish_reason="stop")


def cut_after(*quotes: str) -> RawReply:
    """A reply whose budget ended inside the extraction after these."""
    whole = reply(*((quote, "REV", "NNCA") for quote in quotes))
    return RawReply(text=whole.removesuffix("]}") + (", " if quotes else "") + '{"quote": "Net', finish_reason="length")


def ask(corpus: Corpus, out: Path, respond: Callable[[Request], RawReply], **settings: object) -> Counting:
    """Run, and check what must hold of every run."""
    model = Counting(respond)
    manifest = extract(corpus, ONE_CHUNK.model_copy(update=settings), out, backend=model)
    assert_counts_add_up(manifest, out)
    assert set(model.asked.values()) == {1}
    return model


def by_turn(*replies: RawReply | Callable[[Request], RawReply]) -> Callable[[Request], RawReply]:
    """The nth answer of a model, the last one from then on."""
    turns = list(replies)

    def respond(request: Request) -> RawReply:
        turn = turns.pop(0) if len(turns) > 1 else turns[0]
        return turn if isinstance(turn, RawReply) else turn(request)

    return respond


def counts(out: Path) -> dict[str, object]:
    return RunFolder(out).manifest().counts


def test_of_a_cut_reply_the_whole_ones_stay_and_the_rest_of_the_text_is_asked(corpus: Corpus, tmp_path: Path) -> None:
    model = ask(corpus, tmp_path / "run", by_turn(cut_after(SIX[0], SIX[2]), every_sentence))
    # From the sentence of the last whole extraction on, which may hold a second flow.
    assert [shown(request) for request in model.seen] == [list(SIX), list(SIX[2:])]
    found = extractions_of_run(tmp_path / "run")
    assert [x.quote for x in found] == [SIX[0], SIX[2], *SIX[3:]]
    assert len({x.chunk_id for x in found}) == 1
    assert not any(x.outside_chunk for x in found)
    made = counts(tmp_path / "run")
    assert (made["requests"], made["outputs"], made["replies"], made["resent"], made["healed"]) == (1, 1, 2, 1, 1)


def test_of_the_passage_that_is_asked_twice_only_another_edge_is_new(corpus: Corpus, tmp_path: Path) -> None:
    two = RawReply(text=reply((SIX[2], "NNCA", "COGS"), (SIX[2], "REV", "NNCA")), finish_reason="stop")
    ask(corpus, tmp_path / "run", by_turn(cut_after(SIX[0], SIX[2]), two))
    found = [(x.quote, x.edge) for x in extractions_of_run(tmp_path / "run")]
    assert found == [(SIX[0], "REV-NNCA"), (SIX[2], "REV-NNCA"), (SIX[2], "NNCA-COGS")]


@pytest.mark.parametrize(
    ("kept", "before"),
    [((SIX[3], SIX[1]), SIX[:1]), ((SIX[2],), SIX[:2]), ((SIX[0],), ()), ((SIX[1], SIX[3], SIX[1]), SIX[:3])],
    ids=["backwards", "one alone", "one alone, behind the heading", "from the beginning again"],
)
def test_where_the_order_is_not_shown_what_stands_before_the_last_one_is_asked_too(
    kept: tuple[str, ...], before: tuple[str, ...], corpus: Corpus, tmp_path: Path
) -> None:
    model = ask(corpus, tmp_path / "run", by_turn(cut_after(*kept), every_sentence))
    whole, *parts = model.seen
    assert [shown(request) for request in parts] == [list(before), list(SIX[len(before) :])]
    assert parts[0].segments + parts[1].segments == whole.segments
    # What was kept stays, first; nothing of it comes a second time, and nothing is lost.
    quotes = [x.quote for x in extractions_of_run(tmp_path / "run")]
    once = list(dict.fromkeys(kept))
    assert quotes == [*once, *(text for text in SIX if text not in once)]


@pytest.mark.parametrize("kept", [(), ("These words stand nowhere in it.",)])
def test_where_nothing_that_was_kept_has_a_place_both_halves_are_asked(
    kept: tuple[str, ...], corpus: Corpus, tmp_path: Path
) -> None:
    model = ask(corpus, tmp_path / "run", by_turn(cut_after(*kept), every_sentence))
    assert [shown(request) for request in model.seen] == [list(SIX), list(SIX[:3]), list(SIX[3:])]
    assert [x.quote for x in extractions_of_run(tmp_path / "run")] == [*kept, *SIX]


@pytest.mark.parametrize("mode", ["quote", "span"])
@pytest.mark.parametrize("kept", [1, 4, 5])
def test_a_model_that_shows_that_it_goes_by_something_else_than_the_order_of_the_text_loses_nothing(
    kept: int, mode: str, corpus: Corpus, tmp_path: Path
) -> None:
    # Every second sentence, then the others, as a model does that goes edge by edge. Cut after two or three
    # it would look as if it went by the text, as it was told to.
    def respond(request: Request) -> RawReply:
        numbers = [n for n, segment in enumerate(request.segments, 1) if segment.strip() in SENTENCES]
        numbers = [*numbers[1::2], *numbers[::2]]
        spans = [{"first": number, "edge": "REV-NNCA", "tags": []} for number in numbers]
        quotes = reply(*((request.segments[number - 1].strip(), "REV", "NNCA") for number in numbers))
        text = quotes if mode == "quote" else json.dumps({"extractions": spans})
        if len(numbers) < len(SIX):
            return RawReply(text=text, finish_reason="stop")
        ends = [at for at in range(len(text)) if text.startswith("}, {", at)]
        return RawReply(text=text[: ends[kept - 1] + 2], finish_reason="length")

    ask(corpus, tmp_path / "run", respond, mode=mode)
    made = counts(tmp_path / "run")
    quotes = [x.quote for x in extractions_of_run(tmp_path / "run")]
    assert (made["failures"], sorted(quotes)) == (0, sorted(SIX))


@pytest.mark.parametrize("mode", ["quote", "span"])
def test_after_a_full_list_the_rest_is_asked(mode: str, tmp_path: Path) -> None:
    sentences = [f"Net sales of plant {number} rose {number + 3}%." for number in range(100)]
    corpus = corpus_of(tmp_path, a=html(sentences))

    def respond(request: Request) -> RawReply:
        numbers = [n for n, segment in enumerate(request.segments, 1) if segment.strip() in sentences][:64]
        spans = [{"first": number, "edge": "REV-NNCA", "tags": []} for number in numbers]
        quotes = reply(*((request.segments[number - 1].strip(), "REV", "NNCA") for number in numbers))
        return RawReply(text=quotes if mode == "quote" else json.dumps({"extractions": spans}), finish_reason="stop")

    model = Counting(respond)
    config = ONE_CHUNK.model_copy(update={"mode": mode, "tokens": 4096})
    manifest = extract(corpus, config, tmp_path / "run", backend=model)
    assert_counts_add_up(manifest, tmp_path / "run")
    assert (manifest.counts["outputs"], manifest.counts["healed"], len(model.seen)) == (1, 1, 2)
    assert [x.quote for x in extractions_of_run(tmp_path / "run")] == sentences
    assert model.seen[1].segments[0].strip() == sentences[63]


@pytest.mark.parametrize("damaged", [NO_JSON, OFF, DEGENERATE, RawReply(text='{"extractions": 3}')])
def test_after_other_damage_the_same_text_is_asked_with_other_sampling_and_then_in_halves(
    damaged: RawReply, corpus: Corpus, tmp_path: Path
) -> None:
    model = ask(corpus, tmp_path / "run", by_turn(damaged, damaged, every_sentence))
    first, second, *halves = model.seen
    assert first.messages == second.messages
    assert (first.sampling.temperature, first.sampling.seed) == (0.0, 0)
    assert (second.sampling.temperature, second.sampling.seed) == (0.3, 1)
    assert first.key != second.key
    assert [shown(request) for request in halves] == [list(SIX[:3]), list(SIX[3:])]
    assert {request.sampling for request in halves} == {first.sampling}
    assert [x.quote for x in extractions_of_run(tmp_path / "run")] == list(SIX)
    made = counts(tmp_path / "run")
    assert (made["outputs"], made["resent"], made["healed"]) == (1, 3, 1)


def test_what_comes_back_the_second_time_takes_the_place_of_a_damaged_reply(corpus: Corpus, tmp_path: Path) -> None:
    mixed = RawReply(text=reply((SIX[0], "REV", "NNCA"), (SIX[1], "COGS", "NNCA")), finish_reason="stop")
    good = RawReply(text=reply((SIX[4], "REV", "NNCA")), finish_reason="stop")
    ask(corpus, tmp_path / "run", by_turn(mixed, good))
    assert [x.quote for x in extractions_of_run(tmp_path / "run")] == [SIX[4]]


def test_what_was_kept_stays_where_nothing_better_comes(corpus: Corpus, tmp_path: Path) -> None:
    mixed = RawReply(text=reply((SIX[0], "REV", "NNCA"), (SIX[1], "COGS", "NNCA")), finish_reason="stop")
    ask(corpus, tmp_path / "run", by_turn(mixed, NO_JSON))
    assert [x.quote for x in extractions_of_run(tmp_path / "run")] == [SIX[0]]
    (failure,) = failures_of_run(tmp_path / "run")
    assert (failure.state, failure.kept) == ("invalid_json", 1)
    assert counts(tmp_path / "run")["partial"] == 1


@pytest.mark.parametrize(("resend", "requests"), [(0, 1), (1, 2), (2, 4), (3, 6), (4, 10)])
def test_a_text_is_asked_again_in_so_many_rounds_at_most(
    resend: int, requests: int, corpus: Corpus, tmp_path: Path
) -> None:
    # Whole; otherwise; two halves; each otherwise; four quarters.
    model = ask(corpus, tmp_path / "run", lambda request: NO_JSON, resend=resend)
    assert len(model.seen) == requests
    made = counts(tmp_path / "run")
    assert (made["failures"], made["to_resend"], made["resent"]) == (1, 1, requests - 1)


def test_a_refusal_is_not_asked_again_and_needs_a_change(corpus: Corpus, tmp_path: Path) -> None:
    refused = RawReply(state=ReplyState.BLOCKED, detail="refusal: I can't help with that")
    model = ask(corpus, tmp_path / "run", lambda request: refused)
    assert len(model.seen) == 1
    made = counts(tmp_path / "run")
    assert (made["failures"], made["need_change"], made["to_resend"], made["partial"]) == (1, 1, 0, 0)


def test_what_the_engine_finds_too_long_is_asked_in_halves_until_it_fits(corpus: Corpus, tmp_path: Path) -> None:
    too_long = RawReply(state=ReplyState.TOO_LONG, detail="context_length_exceeded")
    respond = lambda request: too_long if len(shown(request)) > 2 else every_sentence(request)  # noqa: E731
    ask(corpus, tmp_path / "run", respond, resend=0)
    assert [x.quote for x in extractions_of_run(tmp_path / "run")] == list(SIX)
    made = counts(tmp_path / "run")
    assert (made["outputs"], made["split_chunks"], made["resent"], made["healed"]) == (1, 1, 0, 0)


def test_a_chunk_is_as_bad_as_the_worst_of_its_pieces_and_keeps_the_rest(corpus: Corpus, tmp_path: Path) -> None:
    refused = RawReply(state=ReplyState.BLOCKED, detail="recitation: too close to a source")
    respond = lambda request: refused if SIX[5] in shown(request) else every_sentence(request)  # noqa: E731
    ask(corpus, tmp_path / "run", by_turn(NO_JSON, NO_JSON, respond))
    (failure,) = failures_of_run(tmp_path / "run")
    assert (failure.state, failure.kept, failure.reason) == ("blocked", 3, "recitation: too close to a source")
    assert [x.quote for x in extractions_of_run(tmp_path / "run")] == list(SIX[:3])
    assert counts(tmp_path / "run")["need_change"] == 1


def test_a_single_sentence_is_asked_with_ever_other_sampling(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(SIX[:2]))
    config = ONE_CHUNK.model_copy(update={"tokens": 16, "resend": 3})
    model = Counting(lambda request: NO_JSON if len(request.segments) == 1 else NOTHING)
    extract(corpus, config, tmp_path / "run", backend=model)
    seeds = {tuple(request.segments): [] for request in model.seen}
    for request in model.seen:
        seeds[tuple(request.segments)].append((request.sampling.seed, request.sampling.temperature))
    assert [(0, 0.0), (1, 0.3), (2, 0.6), (3, 0.9)] in seeds.values()


def test_sampling_never_gets_colder_or_too_hot() -> None:
    warm = Sampling(max_tokens=7, temperature=0.8, seed=5)
    assert resampled(warm, 0) == warm
    assert resampled(warm, 1) == Sampling(max_tokens=7, temperature=0.8, seed=6)
    assert resampled(warm, 9) == Sampling(max_tokens=7, temperature=1.0, seed=14)
    assert resampled(Sampling(temperature=1.5), 9).temperature == 1.5


def stubborn(request: Request) -> RawReply:
    """Damages much, and the same request always in the same way."""
    number = int(request.key[-4:], 16) % 7
    kept = shown(request)[: number % 3]
    return [NO_JSON, OFF, DEGENERATE, cut_after(*kept), cut_after(*reversed(kept)), every_sentence(request)][number % 6]


@pytest.mark.parametrize("resend", [2, 4])
def test_a_run_that_is_stopped_after_any_reply_asks_what_an_uninterrupted_one_asks(resend: int, tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(SENTENCES), b=html(SENTENCES, company="B"))
    config = ONE_CHUNK.model_copy(update={"tokens": 48, "resend": resend})
    whole = Counting(stubborn)
    expected = extract(corpus, config, tmp_path / "whole" / "run", backend=whole)
    assert_counts_add_up(expected, tmp_path / "whole" / "run")
    assert expected.counts["resent"] > 10
    asked: Counter[str] = Counter()

    def one_by_one(request: Request) -> RawReply:
        if model.asked:
            raise KeyboardInterrupt
        return stubborn(request)

    while True:
        model = Counting(one_by_one)
        try:
            manifest = extract(corpus, config, tmp_path / "run", backend=model)
        except KeyboardInterrupt:
            asked += model.asked
            continue
        asked += model.asked
        break
    assert asked == whole.asked
    assert set(asked.values()) == {1}
    assert extraction_bytes(tmp_path / "run") == extraction_bytes(tmp_path / "whole" / "run")
    timeless = {name: count for name, count in expected.counts.items() if "second" not in name}
    assert {name: count for name, count in manifest.counts.items() if "second" not in name} == timeless


def test_a_piece_that_failed_for_a_passing_reason_is_asked_again_by_the_next_call(
    corpus: Corpus, tmp_path: Path
) -> None:
    down = RawReply(state=ReplyState.ERROR, detail="the line is down")
    first = Counting(by_turn(cut_after(SIX[0], SIX[2]), down))
    manifest = extract(corpus, ONE_CHUNK, tmp_path / "run", backend=first)
    assert (manifest.counts["requests_by_state"]["error"], len(first.seen)) == (1, 2)
    second = Counting(every_sentence)
    manifest = extract(corpus, ONE_CHUNK, tmp_path / "run", backend=second)
    assert list(second.asked) == [first.seen[1].key]
    assert manifest.counts["failures"] == 0
    assert [x.quote for x in extractions_of_run(tmp_path / "run")] == [SIX[0], SIX[2], *SIX[3:]]


def test_a_finished_run_goes_on_with_more_rounds(corpus: Corpus, tmp_path: Path) -> None:
    first = Counting(lambda request: NO_JSON)
    extract(corpus, ONE_CHUNK, tmp_path / "run", backend=first)
    second = Counting(every_sentence)
    more = ONE_CHUNK.model_copy(update={"resend": 3})
    manifest = extract(corpus, more, tmp_path / "run", backend=second)
    assert len(second.seen) == 2
    assert not first.asked.keys() & second.asked.keys()
    assert (manifest.counts["outputs"], manifest.resolved["resend"]) == (1, 3)


def test_requests_that_come_on_top_are_told_as_such(corpus: Corpus, tmp_path: Path) -> None:
    progress = Watching()
    model = Counting(by_turn(NO_JSON, NO_JSON, every_sentence))
    extract(corpus, ONE_CHUNK, tmp_path / "run", backend=model, progress=progress)
    assert progress.begun == [(1, 0)]
    assert sum(progress.added) == 3
    assert len(progress.replies) == 4


def test_a_range_of_more_segments_than_one_may_hold_is_a_violation(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, a=html(SENTENCES * 2))
    long = {"first": 1, "last": 13, "edge": "REV-NNCA", "tags": []}
    most = {**long, "last": 12}
    states = {}
    for name, item in (("long", long), ("most", most)):
        model = Counting(lambda request, item=item: RawReply(text=json.dumps({"extractions": [item]})))
        config = ONE_CHUNK.model_copy(update={"mode": "span", "resend": 0})
        states[name] = extract(corpus, config, tmp_path / name, backend=model).counts["requests_by_state"]
    assert states["long"]["schema_violation"] == states["most"]["ok"] == 1
