"""What does not fit a model is said before the first request, by the model's own count where there is one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pipeline_builders import SENTENCES, Counting, corpus_of, html

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
    return corpus_of(tmp_path_factory.mktemp("fit"), a=html(SENTENCES * 6), b=html(SENTENCES[:1]))


@pytest.fixture(scope="module")
def prompts(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    """What each request's prompt takes, from a run without a limit."""
    backend = OfWords()
    taken: list[int] = []

    def note(request: Request) -> object:
        taken.append(backend.prompt_tokens(request) or 0)
        return respond(request)

    respond, backend._respond = backend._respond, note  # type: ignore[assignment]
    extract(corpus, CONFIG, tmp_path_factory.mktemp("free") / "run", backend=backend)
    return sorted(taken)


def refusal(corpus: Corpus, config: ExtractConfig, out: Path, backend: Counting) -> str:
    with pytest.raises(InputError) as caught:
        extract(corpus, config, out, backend=backend)
    assert not backend.asked
    assert not out.exists()
    return str(caught.value)


def test_only_a_back_end_with_the_method_counts() -> None:
    assert isinstance(OfWords(), CountsTokens)
    assert not isinstance(Counting(), CountsTokens)


def test_the_largest_request_decides_to_the_token(corpus: Corpus, prompts: list[int], tmp_path: Path) -> None:
    need = prompts[-1] + CONFIG.max_tokens
    assert extract(corpus, CONFIG, tmp_path / "fits", backend=OfWords(context=need)).status == "complete"
    message = refusal(corpus, CONFIG, tmp_path / "run", OfWords(context=need - 1))
    beyond = sum(prompt == prompts[-1] for prompt in prompts)
    assert f"{beyond} of {len(prompts)} requests do not fit" in message
    assert f"the largest takes {prompts[-1]:,} tokens of prompt and 300 of answer" in message
    assert f"the model holds {need - 1:,}" in message


@pytest.mark.parametrize("option", ["tokens", "max_tokens"])
def test_each_option_that_is_proposed_is_enough(
    option: str, corpus: Corpus, prompts: list[int], tmp_path: Path
) -> None:
    context = prompts[-1] + CONFIG.max_tokens - 50
    message = refusal(corpus, CONFIG, tmp_path / "run", OfWords(context=context))
    proposed = re.search(rf"--{option.replace('_', '-')} (\d+)", message)
    assert proposed is not None, message
    config = CONFIG.model_copy(update={option: int(proposed[1])})
    assert 200 <= int(proposed[1]) < getattr(CONFIG, option)
    assert extract(corpus, config, tmp_path / "run", backend=OfWords(context=context)).status == "complete"


def test_an_answer_too_short_to_be_of_use_is_not_proposed(corpus: Corpus, prompts: list[int], tmp_path: Path) -> None:
    message = refusal(corpus, CONFIG, tmp_path / "run", OfWords(context=prompts[-1] + 199))
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
    assert "prompt, chunk and answer take about" in said


def test_the_estimate_proposes_what_is_enough(corpus: Corpus, tmp_path: Path) -> None:
    said = refusal(corpus, CONFIG, tmp_path / "run", Counting(context=1))
    need = int(said.partition("take about ")[2].partition(" ")[0].replace(",", ""))
    said = refusal(corpus, CONFIG, tmp_path / "run", Counting(context=need - 60))
    chunk = int(said.partition("--tokens ")[2].partition(",")[0])
    assert 200 <= chunk <= CONFIG.tokens - 60
    smaller = CONFIG.model_copy(update={"tokens": chunk})
    assert extract(corpus, smaller, tmp_path / "run", backend=Counting(context=need - 60)).status == "complete"
