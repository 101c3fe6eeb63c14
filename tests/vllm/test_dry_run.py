"""A dry run over a real model folder: tokens and keys of the real run, without the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fingreat.errors import InputError
from fingreat.inference import Backend, Settings
from fingreat.inference.dry import DryBackend, dry_backend
from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.pipeline.asking import AskOptions
from fingreat.pipeline.extract import plan_extract
from fingreat.schema import load_graph

pytestmark = pytest.mark.torch
GRAPH = load_graph()


def test_a_model_folder_is_known_as_the_engine_knows_it(vllm: Backend, model: Path) -> None:
    dry = dry_backend(f"vllm:{model}", GRAPH, Settings())
    assert isinstance(dry, DryBackend)
    assert dry.certain
    assert (dry.model, dry.revision, dry.options) == (vllm.model, vllm.revision, vllm.options)
    assert dry.context == 8192


def test_a_dry_run_counts_what_the_run_then_asks(vllm: Any, model: Path, corpus: Corpus, tmp_path: Path) -> None:
    config = ExtractConfig(model=f"vllm:{model}", mode="span", tokens=1600, max_tokens=16, resend=0)
    before = plan_extract(corpus, config, tmp_path / "run")
    assert not (tmp_path / "run").exists()
    # A dry run does not count the request that tries the model out.
    manifest = extract(corpus, config, tmp_path / "run", backend=vllm, options=AskOptions(trial=False))
    assert before.tokenizer == "model"
    assert before.to_ask == manifest.counts["replies"]
    # The engine counted the same prompts itself.
    assert before.prompt_tokens == manifest.counts["prompt_tokens"]
    after = plan_extract(corpus, config, tmp_path / "run")
    assert (after.answered, after.to_ask) == (before.to_ask, 0)
    assert after.hours == 0


def test_a_folder_that_is_no_model_is_refused_as_in_a_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the folder holds no config\.json"):
        dry_backend(f"vllm:{tmp_path}", GRAPH, Settings())
