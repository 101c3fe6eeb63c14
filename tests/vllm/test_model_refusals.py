"""A model that is none: one clear error, no traceback, nothing on standard output. The same for `hf` and `vllm`."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fingreat.errors import BackendError, InputError
from fingreat.inference import create_backend, parse_spec
from fingreat.inference.model_folder import ChatModel, folder_revision
from fingreat.schema import load_graph

pytestmark = pytest.mark.torch
GRAPH = load_graph()
both = pytest.mark.parametrize("backend", ["hf", "vllm"])


def refusal(spec: str) -> str:
    with pytest.raises(InputError) as caught:
        create_backend(spec, GRAPH)
    return str(caught.value)


@both
@pytest.mark.parametrize("name", ["./nothing", "/nothing/here", "a/b/c", "~no-such-user/model"])
def test_a_folder_that_is_not_there_is_refused(backend: str, name: str) -> None:
    assert refusal(f"{backend}:{name}").startswith(f"{backend}:{name}: there is no such model folder.")


@both
def test_a_file_is_no_model_folder(backend: str, tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    assert "no such model folder" in refusal(f"{backend}:{tmp_path}/model.gguf")


@both
def test_a_back_end_without_a_model_says_what_to_write(backend: str) -> None:
    assert f"Write `{backend}:DIR-or-HUB-NAME`" in refusal(backend)


@both
@pytest.mark.parametrize("name", ["nobody/no-such-model", "no-such-model"])
def test_a_name_that_is_neither_cached_nor_to_be_had_is_refused(backend: str, name: str) -> None:
    message = refusal(f"{backend}:{name}")
    assert "no such model in the local cache or on the model hub" in message
    assert "\n" not in message


@both
@pytest.mark.parametrize(
    ("gone", "words"),
    [
        (["config.json"], "holds no config.json"),
        (["tokenizer.json", "tokenizer_config.json"], "holds no tokenizer"),
        (["model.safetensors"], "holds no weights"),
        (["chat_template.jinja"], "has no chat template"),
    ],
)
def test_a_folder_that_lacks_a_part_is_refused_with_the_part_named(
    backend: str, gone: list[str], words: str, model_copy: Path
) -> None:
    for name in gone:
        (model_copy / name).unlink()
    assert words in refusal(f"{backend}:{model_copy}")


@both
@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("config.json", "{", "config.json cannot be used"),
        ("config.json", "{}", "config.json cannot be used"),
        ("tokenizer.json", "{", "tokenizer cannot be used"),
        ("chat_template.jinja", "{% for %}", "chat template cannot be used"),
        ("chat_template.jinja", "{{ raise_exception('never') }}", "chat template cannot be used: never"),
    ],
)
def test_a_damaged_part_is_refused_with_the_part_named(
    backend: str, name: str, content: str, words: str, model_copy: Path
) -> None:
    (model_copy / name).unlink()
    (model_copy / name).write_text(content)
    message = refusal(f"{backend}:{model_copy}")
    assert words in message
    assert "\n" not in message


def damaged(folder: Path, weights: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").write_bytes(weights.read_bytes()[:100_000])


def test_damaged_weights_are_one_error(model_copy: Path, model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    damaged(model_copy, model / "model.safetensors")
    with pytest.raises(BackendError, match="the model cannot be loaded: "):
        create_backend(f"hf:{model_copy}", GRAPH)
    assert capfd.readouterr().out == ""


def test_weights_that_lack_a_part_are_not_filled_with_chance(model_copy: Path, model: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(model / "model.safetensors")
    del weights["model.layers.7.mlp.up_proj.weight"]
    (model_copy / "model.safetensors").unlink()
    save_file(weights, model_copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(BackendError, match=r"lack 1 parts \(first: model.layers.7.mlp.up_proj.weight\)"):
        create_backend(f"hf:{model_copy}", GRAPH)


def test_the_command_line_says_one_message_about_weights_that_vllm_cannot_load(
    model_copy: Path, model: Path, tmp_path: Path
) -> None:
    damaged(model_copy, model / "model.safetensors")
    (tmp_path / "corpus").mkdir()
    command = [Path(sys.executable).with_name("fingreat"), "extract", "--corpus", tmp_path / "corpus"]
    done = subprocess.run(
        [*command, "--model", f"vllm:{model_copy}", "--out", tmp_path / "run"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "the model cannot be loaded" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run").exists()


def test_the_revision_of_a_folder_is_the_hash_of_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two").write_bytes(b"2")
    (tmp_path / "one").write_bytes(b"1")
    # The lines that `sha256sum b/two one` prints, hashed.
    lines = f"{hashlib.sha256(b'2').hexdigest()}  b/two\n{hashlib.sha256(b'1').hexdigest()}  one\n"
    expected = hashlib.sha256(lines.encode()).hexdigest()[:16]
    assert folder_revision(tmp_path) == expected
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "note").write_bytes(b"3")
    assert folder_revision(tmp_path) == expected
    (tmp_path / "one").rename(tmp_path / "three")
    assert folder_revision(tmp_path) != expected


def test_a_folder_is_pinned_and_another_revision_is_refused(model: Path) -> None:
    revision = folder_revision(model)
    pinned = ChatModel(parse_spec(f"hf:{model}@{revision[:6]}"))
    assert (pinned.name, pinned.revision, pinned.commit) == (model.name, revision, None)
    with pytest.raises(InputError, match=f"begins with {revision}, not 0123"):
        ChatModel(parse_spec(f"hf:{model}@0123"))


def test_a_cached_hub_model_is_pinned_by_its_commit(model: Path, tmp_path: Path) -> None:
    """In a process of its own: the cache's place is read when the libraries are imported."""
    commit = "0123456789abcdef0123456789abcdef01234567"
    cached = tmp_path / "hub" / "models--somebody--small"
    (cached / "snapshots").mkdir(parents=True)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text(commit)
    (cached / "snapshots" / commit).symlink_to(model)
    code = (
        "import json, sys\n"
        "from fingreat.inference import parse_spec\n"
        "from fingreat.inference.model_folder import ChatModel\n"
        "found = [ChatModel(parse_spec(spec)) for spec in sys.argv[1:]]\n"
        "print(json.dumps([[m.name, m.source, m.revision, m.commit] for m in found]))\n"
    )
    specs = ["hf:somebody/small", "vllm:somebody/small@main", f"vllm:somebody/small@{commit}"]
    environment = os.environ | {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, *specs], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [["somebody/small", "somebody/small", commit, commit]] * 3


def test_a_template_without_a_system_turn_gets_its_text_before_the_users(model_copy: Path, model: Path) -> None:
    from reply_builders import request

    asked = request("Net sales rose.")
    apart = ChatModel(parse_spec(f"hf:{model}"))
    assert "<|im_start|>system\nFind the passages.<|im_end|>" in apart.tokenizer.decode(apart.prompt_ids(asked))
    template = model_copy / "chat_template.jinja"
    own = template.read_text()
    template.unlink()
    template.write_text("{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}" + own)
    folded = ChatModel(parse_spec(f"hf:{model_copy}"))
    text = folded.tokenizer.decode(folded.prompt_ids(asked))
    assert "<|im_start|>user\nFind the passages.\n\nNet sales rose.<|im_end|>" in text
