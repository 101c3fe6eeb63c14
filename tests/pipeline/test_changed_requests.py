"""Whatever can change an answer changes the request's key, so a run that shares its cache asks again exactly that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from pipeline_builders import CONFIG, SENTENCES, Counting, corpus_of, html

from fingreat.inference import RawReply
from fingreat.inference.cache import ReplyCache
from fingreat.pipeline import AskOptions, Corpus, ExtractConfig, extract
from fingreat.schema import load_graph


class Model(Counting):
    """A language model, so that its replies are cached. It finds nothing, which is a valid reply of any form."""

    is_language_model = True

    def __init__(self) -> None:
        super().__init__(lambda request: RawReply(text='{"extractions": []}', finish_reason="stop"))
        self.options: dict[str, Any] = {}


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return corpus_of(tmp_path, a=html(), b=html(SENTENCES[:6], company="B"))


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    with ReplyCache(tmp_path / "replies.sqlite") as cache:
        yield cache


def asked(corpus: Corpus, config: ExtractConfig, out: Path, cache: ReplyCache, model: Model | None = None) -> set[str]:
    """The keys that a run asks which may take the rest from the cache."""
    model = model or Model()
    extract(corpus, config, out, backend=model, options=AskOptions(cache=cache, trial=False))
    assert set(model.asked.values()) <= {1}
    return set(model.asked)


def test_nothing_changed_asks_nothing(corpus: Corpus, cache: ReplyCache, tmp_path: Path) -> None:
    first = asked(corpus, CONFIG, tmp_path / "a", cache)
    assert len(first) > 5
    assert asked(corpus, CONFIG, tmp_path / "b", cache) == set()


@pytest.mark.parametrize(
    "change",
    [
        {"guide": "none"},
        {"mode": "span"},
        {"facets": True},
        {"model": "scripted:other"},
        {"base_url": "http://localhost:8000/v1"},
        {"max_tokens": 99},
        {"temperature": 0.5},
        {"seed": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_setting_that_goes_into_every_request_asks_every_one_again(
    change: dict[str, Any], corpus: Corpus, cache: ReplyCache, tmp_path: Path
) -> None:
    first = asked(corpus, CONFIG, tmp_path / "a", cache)
    second = asked(corpus, CONFIG.model_copy(update=change), tmp_path / "b", cache)
    assert len(second) == len(first)
    assert not first & second


def revision(model: Model) -> None:
    model.revision = "abc"


def thinking_off(model: Model) -> None:
    model.options = {"chat_template_kwargs": {"enable_thinking": False}}


@pytest.mark.parametrize("change", [revision, thinking_off])
def test_another_revision_or_option_of_the_model_asks_every_one_again(
    change: Callable[[Model], None], corpus: Corpus, cache: ReplyCache, tmp_path: Path
) -> None:
    first = asked(corpus, CONFIG, tmp_path / "a", cache)
    other = Model()
    change(other)
    second = asked(corpus, CONFIG, tmp_path / "b", cache, other)
    assert len(second) == len(first)
    assert not first & second


def test_another_graph_asks_every_one_again(corpus: Corpus, cache: ReplyCache, tmp_path: Path) -> None:
    first = asked(corpus, CONFIG, tmp_path / "a", cache)
    changed = files("fingreat.schema").joinpath("gaap11.toml").read_text(encoding="utf-8")
    name = load_graph().nodes["REV"].name
    (tmp_path / "graph.toml").write_text(changed.replace(f'"{name}"', f'"{name} of the year"', 1), encoding="utf-8")
    second = asked(corpus, CONFIG.model_copy(update={"schema_file": tmp_path / "graph.toml"}), tmp_path / "b", cache)
    assert len(second) == len(first)
    assert not first & second


def test_the_text_of_one_chunk_asks_that_chunk_again(corpus: Corpus, cache: ReplyCache, tmp_path: Path) -> None:
    first = Model()
    asked(corpus, CONFIG, tmp_path / "a", cache, first)
    part = corpus.path / "sections" / "7" / "part-00000.jsonl"
    part.write_bytes(part.read_bytes().replace(b"line 11 rose", b"line 11 fell"))
    second = Model()
    asked(corpus, CONFIG, tmp_path / "b", cache, second)
    assert len(second.seen) == 1
    assert SENTENCES[11].replace("rose", "fell") in "".join(second.seen[0].segments)


def test_another_size_of_chunks_asks_what_is_cut_elsewhere(corpus: Corpus, cache: ReplyCache, tmp_path: Path) -> None:
    before = Model()
    asked(corpus, CONFIG, tmp_path / "a", cache, before)
    again = Model()
    asked(corpus, CONFIG.model_copy(update={"tokens": 96}), tmp_path / "b", cache, again)
    shown = {request.messages for request in before.seen}
    assert again.seen
    assert not any(request.messages in shown for request in again.seen)


def test_how_it_is_asked_changes_no_request(corpus: Corpus, cache: ReplyCache, tmp_path: Path) -> None:
    asked(corpus, CONFIG, tmp_path / "a", cache)
    assert asked(corpus, CONFIG.model_copy(update={"resend": 5}), tmp_path / "b", cache) == set()
