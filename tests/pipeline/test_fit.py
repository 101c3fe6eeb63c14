"""What does not fit a model is said before the first request, by the model's own count where there is one."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from pipeline_builders import SENTENCES, Counting, assert_counts_add_up, corpus_of, failures_of_run, html

from fingreat.errors import InputError
from fingreat.inference.backend import CountsTokens
from fingreat.pipeline import Corpus, ExtractConfig, extract
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
    # Room for the one sentence of the shortest chunk, and for little more.
    backend = OfWords(context=prompts[0] + 20 + CONFIG.max_tokens)
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
    backend = OfWords(context=bare + 90 + CONFIG.max_tokens)
    manifest = extract(corpus, CONFIG, tmp_path / "run", backend=backend)
    assert manifest.counts["requests_by_state"]["too_long"] == manifest.counts["failures"] == 1
    assert manifest.counts["need_change"] == 1
    (failure,) = failures_of_run(tmp_path / "run")
    assert "is too long for the model" in failure.reason
    # The rest of its chunk was asked, and what was found there stays.
    assert failure.kept >= 1
    assert not any(giant in "".join(request.segments) for request in backend.seen)
    assert failure.id in {request.key for request in backend.seen}


def test_a_model_that_holds_not_even_the_shortest_chunk_is_refused(
    corpus: Corpus, prompts: list[int], tmp_path: Path
) -> None:
    need = prompts[0] + CONFIG.max_tokens
    assert extract(corpus, CONFIG, tmp_path / "fits", backend=OfWords(context=need)).status == "complete"
    message = refusal(corpus, CONFIG, tmp_path / "run", OfWords(context=need - 1))
    assert f"none of {len(prompts)} chunks fits" in message
    assert f"the shortest takes {prompts[0]:,} tokens of prompt and 300 of answer" in message
    assert f"the model holds {need - 1:,}" in message


@pytest.mark.parametrize("option", ["tokens", "max_tokens"])
def test_each_option_that_is_proposed_is_enough(
    option: str, even: Corpus, even_prompts: list[int], tmp_path: Path
) -> None:
    context = even_prompts[0] + CONFIG.max_tokens - 1
    message = refusal(even, CONFIG, tmp_path / "run", OfWords(context=context))
    proposed = re.search(rf"--{option.replace('_', '-')} (\d+)", message)
    assert proposed is not None, message
    config = CONFIG.model_copy(update={option: int(proposed[1])})
    assert 200 <= int(proposed[1]) < getattr(CONFIG, option)
    manifest = extract(even, config, tmp_path / "run", backend=OfWords(context=context))
    assert (manifest.status, manifest.counts["split_chunks"]) == ("complete", 0)


def test_an_answer_too_short_to_be_of_use_is_not_proposed(
    even: Corpus, even_prompts: list[int], tmp_path: Path
) -> None:
    message = refusal(even, CONFIG, tmp_path / "run", OfWords(context=even_prompts[-1] + 199))
    assert "--max-tokens" not in message


def test_a_model_that_holds_hardly_more_than_the_instructions_is_named_as_the_fault(
    corpus: Corpus, prompts: list[int], tmp_path: Path
) -> None:
    message = refusal(corpus, CONFIG, tmp_path / "run", OfWords(context=prompts[0]))
    assert "Use a model that holds more: the prompt takes" in message


def test_where_both_budgets_are_too_large_both_are_named(corpus: Corpus, prompts: list[int], tmp_path: Path) -> None:
    config = CONFIG.model_copy(update={"max_tokens": 5000})
    message = refusal(corpus, config, tmp_path / "run", OfWords(context=prompts[0] + 410))
    assert "--max-tokens" in message


def test_a_count_that_fails_gives_way_to_the_estimate(corpus: Corpus, tmp_path: Path) -> None:
    said = refusal(corpus, CONFIG, tmp_path / "run", Mute(context=2000))
    assert said == refusal(corpus, CONFIG, tmp_path / "run", Counting(context=2000))
    assert "the shortest takes about" in said


def test_the_estimate_proposes_what_is_enough(even: Corpus, tmp_path: Path) -> None:
    said = refusal(even, CONFIG, tmp_path / "run", Counting(context=1))
    need = int(said.partition("takes about ")[2].partition(" ")[0].replace(",", "")) + CONFIG.max_tokens
    said = refusal(even, CONFIG, tmp_path / "run", Counting(context=need - 60))
    chunk = int(said.partition("--tokens ")[2].partition(",")[0])
    assert 200 <= chunk <= CONFIG.tokens - 60
    smaller = CONFIG.model_copy(update={"tokens": chunk})
    manifest = extract(even, smaller, tmp_path / "run", backend=Counting(context=need - 60))
    assert (manifest.status, manifest.counts["split_chunks"]) == ("complete", 0)
