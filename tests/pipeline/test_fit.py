"""What does not fit a model is said before the first request, by the model's own count where there is one."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from pipeline_builders import SENTENCES, Counting, assert_counts_add_up, corpus_of, failures_of_run, html

from fingreat.errors import InputError
from fingreat.inference.backend import CountsTokens
from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.pipeline.extract import plan_extract
from fingreat.pipeline.progress import Silent
from fingreat.schema import Request

CONFIG = ExtractConfig(model="scripted:x", tokens=400, max_tokens=300)


class OfWords(Counting):
    """A model whose tokens are words; three times as many as there are, so that its count is unlike any other."""

    def prompt_tokens(self, request: Request) -> int | None:
        return 3 * sum(len(message.content.split()) for message in request.messages)


class Mute(Counting):
    """A model that could count but does not."""

    def prompt_tokens(self, request: Request) -> int | None:
        return None


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """One chunk of a sentence, and some that are many times as long."""
    return corpus_of(tmp_path_factory.mktemp("fit"), a=html(SENTENCES * 6), b=html(SENTENCES[:1]))


@pytest.fixture(scope="module")
def even(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Two chunks of nearly the same length."""
    return corpus_of(tmp_path_factory.mktemp("even"), a=html(SENTENCES * 3))


def prompts_of(corpus: Corpus, folder: Path) -> list[int]:
    """What each request's prompt takes, from a run without a limit."""
    backend = OfWords()
    taken: list[int] = []

    def note(request: Request) -> object:
        taken.append(backend.prompt_tokens(request) or 0)
        return respond(request)

    respond, backend._respond = backend._respond, note  # type: ignore[assignment]
    extract(corpus, CONFIG, folder / "run", backend=backend)
    return sorted(taken)


@pytest.fixture(scope="module")
def prompts(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    return prompts_of(corpus, tmp_path_factory.mktemp("free"))


@pytest.fixture(scope="module")
def even_prompts(even: Corpus, tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    return prompts_of(even, tmp_path_factory.mktemp("free-even"))


@pytest.fixture(scope="module")
def bare(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> int:
    """What a prompt takes without any text: the least that the model counts."""
    counted: list[int] = []

    class Noting(OfWords):
        def prompt_tokens(self, request: Request) -> int | None:
            counted.append(super().prompt_tokens(request) or 0)
            return counted[-1]

    extract(corpus, CONFIG, tmp_path_factory.mktemp("bare") / "run", backend=Noting(context=100_000))
    return min(counted)


class Told(Silent):
    """Keeps what whoever watches is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, line: str) -> None:
        self.notes.append(line)


def refusal(corpus: Corpus, config: ExtractConfig, out: Path, backend: Counting) -> str:
    with pytest.raises(InputError) as caught:
        extract(corpus, config, out, backend=backend)
    assert not backend.asked
    assert not out.exists()
    return str(caught.value)


def sizes_asked(backend: OfWords) -> list[int]:
    """What the prompt of each request took that was asked."""
    return [backend.prompt_tokens(request) or 0 for request in backend.seen]


def test_only_a_back_end_with_the_method_counts() -> None:
    assert isinstance(OfWords(), CountsTokens)
    assert not isinstance(Counting(), CountsTokens)


def test_a_chunk_is_cut_in_halves_from_the_first_token_on_that_does_not_fit(
    corpus: Corpus, prompts: list[int], tmp_path: Path
) -> None:
    need = prompts[-1] + CONFIG.max_tokens
    assert extract(corpus, CONFIG, tmp_path / "fits", backend=OfWords(context=need)).counts["split_chunks"] == 0
    backend = OfWords(context=need - 1)
    manifest = extract(corpus, CONFIG, tmp_path / "run", backend=backend)
    largest = prompts.count(prompts[-1])
    assert manifest.counts["split_chunks"] == largest
    assert manifest.counts["requests"] == manifest.counts["outputs"] == len(prompts)
    assert manifest.counts["replies"] == len(backend.asked) == len(prompts) + largest
    assert manifest.counts["resent"] == manifest.counts["healed"] == 0
    assert max(sizes_asked(backend)) + CONFIG.max_tokens < need


def test_halves_that_do_not_fit_are_cut_again_and_together_show_the_whole_text(
    corpus: Corpus, prompts: list[int], tmp_path: Path
) -> None:
    # Room for a quarter of a long chunk: its 400 tokens are some 300 words, which take 900.
    backend = OfWords(context=prompts[0] + 200 + CONFIG.max_tokens)
    manifest = extract(corpus, CONFIG, tmp_path / "run", backend=backend)
    assert_counts_add_up(manifest, tmp_path / "run")
    assert manifest.counts["split_chunks"] == len(prompts) - 1
    assert manifest.counts["outputs"] == len(prompts)
    assert max(sizes_asked(backend)) + CONFIG.max_tokens <= backend.context
    shown = Counter(segment.strip() for request in backend.seen for segment in request.segments)
    assert set(SENTENCES) <= set(shown)


def test_a_segment_alone_that_does_not_fit_is_a_failure_that_was_not_asked(tmp_path: Path) -> None:
    giant = " ".join(["Sales rose"] + [f"by {number} units" for number in range(60)]) + "."
    corpus = corpus_of(tmp_path, a=html([*SENTENCES[:2], giant, *SENTENCES[2:4]]), b=html(SENTENCES[:1]))
    bare = prompts_of(corpus, tmp_path / "free")[0]
    backend = OfWords(context=bare + 200 + CONFIG.max_tokens)
    manifest = extract(corpus, CONFIG, tmp_path / "run", backend=backend)
    assert manifest.counts["requests_by_state"]["too_long"] == manifest.counts["failures"] == 1
    assert manifest.counts["need_change"] == 1
    (failure,) = failures_of_run(tmp_path / "run")
    assert "is too long for the model" in failure.reason
    # The rest of its chunk was asked, and what was found there stays.
    assert failure.kept >= 1
    assert not any(giant in "".join(request.segments) for request in backend.seen)
    assert failure.id in {request.key for request in backend.seen}


def test_a_model_without_room_for_200_tokens_of_text_is_refused(
    corpus: Corpus, prompts: list[int], bare: int, tmp_path: Path
) -> None:
    need = bare + 200 + CONFIG.max_tokens
    assert extract(corpus, CONFIG, tmp_path / "fits", backend=OfWords(context=need)).status == "complete"
    # The chunk of a sentence would fit; those beside it would be asked in crumbs.
    assert prompts[0] < bare + 200 < prompts[-1]
    message = refusal(corpus, CONFIG, tmp_path / "run", OfWords(context=need - 1))
    assert "there is no room for 200 tokens of text" in message
    assert f"the prompt takes {bare:,} without any, the answer 300, and the model holds {need - 1:,}" in message


def test_whether_a_filing_can_be_asked_does_not_hang_on_those_beside_it(
    corpus: Corpus, even: Corpus, even_prompts: list[int], tmp_path: Path
) -> None:
    # No chunk of `even` fits whole, one of `corpus` does.
    context = even_prompts[0] + CONFIG.max_tokens - 1
    alone = extract(even, CONFIG, tmp_path / "alone", backend=OfWords(context=context))
    assert alone.counts["split_chunks"] == alone.counts["outputs"] == len(even_prompts)
    assert extract(corpus, CONFIG, tmp_path / "beside", backend=OfWords(context=context)).status == "complete"


def test_chunks_that_all_fit_are_asked_however_little_room_there_is(tmp_path: Path) -> None:
    short = corpus_of(tmp_path, a=html(SENTENCES[:1]))
    (need,) = prompts_of(short, tmp_path / "free")
    backend = OfWords(context=need + CONFIG.max_tokens)
    assert extract(short, CONFIG, tmp_path / "run", backend=backend).counts["split_chunks"] == 0


@pytest.mark.parametrize("option", ["tokens", "max_tokens"])
def test_how_many_chunks_are_asked_in_pieces_is_said_with_options_that_keep_them_whole(
    option: str, even: Corpus, even_prompts: list[int], tmp_path: Path
) -> None:
    context = even_prompts[0] + CONFIG.max_tokens - 1
    told = Told()
    extract(even, CONFIG, tmp_path / "pieces", backend=OfWords(context=context), progress=told)
    pieces, whole = told.notes
    assert pieces == (
        f"2 of 2 chunks do not fit whole into the {context:,} tokens that the model holds, and are asked in pieces."
    )
    proposed = re.search(rf"--{option.replace('_', '-')} (\d+)", whole)
    assert proposed is not None, whole
    config = CONFIG.model_copy(update={option: int(proposed[1])})
    assert 200 <= int(proposed[1]) < getattr(CONFIG, option)
    told = Told()
    manifest = extract(even, config, tmp_path / "run", backend=OfWords(context=context), progress=told)
    assert (manifest.counts["split_chunks"], told.notes) == (0, [])


def test_a_dry_run_says_the_same_of_pieces(corpus: Corpus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    backend = Counting(context=6000)
    monkeypatch.setattr(sys.modules["fingreat.pipeline.extract"], "dry_backend", lambda *_: backend)
    config = CONFIG.model_copy(update={"max_tokens": 6000 - estimated(corpus, tmp_path) - 210})
    told = Told()
    extract(corpus, config, tmp_path / "run", backend=backend, progress=told)
    assert len(told.notes) == 2
    assert plan_extract(corpus, config, tmp_path / "dry").notes[:2] == tuple(told.notes)


def test_an_answer_too_short_to_be_of_use_is_not_proposed(
    even: Corpus, even_prompts: list[int], bare: int, tmp_path: Path
) -> None:
    message = refusal(even, CONFIG, tmp_path / "run", OfWords(context=bare + 399))
    assert "Use a model that holds more" in message
    message = refusal(even, CONFIG, tmp_path / "run", OfWords(context=bare + 400))
    assert "Use --max-tokens 200, or less" in message


def test_an_answer_that_keeps_every_chunk_whole_is_proposed_where_there_is_one(
    even: Corpus, even_prompts: list[int], tmp_path: Path
) -> None:
    config = CONFIG.model_copy(update={"max_tokens": 5000})
    context = even_prompts[-1] + 410
    assert "Use --max-tokens 410, or less" in refusal(even, config, tmp_path / "run", OfWords(context=context))


def test_a_count_that_fails_gives_way_to_the_estimate(corpus: Corpus, tmp_path: Path) -> None:
    said = refusal(corpus, CONFIG, tmp_path / "run", Mute(context=1000))
    assert said == refusal(corpus, CONFIG, tmp_path / "run", Counting(context=1000))
    assert "the prompt takes about" in said


def estimated(corpus: Corpus, folder: Path) -> int:
    """What the prompt takes without text, by the estimate."""
    said = refusal(corpus, CONFIG, folder / "none", Counting(context=1))
    return int(said.partition("takes about ")[2].partition(" ")[0].replace(",", ""))


def test_the_estimate_proposes_what_is_enough(even: Corpus, tmp_path: Path) -> None:
    context = estimated(even, tmp_path) + CONFIG.max_tokens + 310
    told = Told()
    extract(even, CONFIG, tmp_path / "pieces", backend=Counting(context=context), progress=told)
    assert "--tokens 310" in told.notes[1]
    smaller = CONFIG.model_copy(update={"tokens": 310})
    manifest = extract(even, smaller, tmp_path / "run", backend=Counting(context=context))
    assert (manifest.status, manifest.counts["split_chunks"]) == ("complete", 0)
