"""What the shell offers after Tab, through the shells' own protocol and from the completers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from fingreat.cli import complete
from fingreat.inference.registry import BACKENDS

PROGRAM = "import sys; sys.argv[0] = 'fingreat'; from fingreat.cli import main; sys.exit(main())"
HEAVY = (
    "anthropic",
    "google.genai",
    "numpy",
    "openai",
    "polars",
    "scipy",
    "sentence_transformers",
    "tokenizers",
    "torch",
    "transformers",
    "vllm",
)


def call(*arguments: str, **variables: str) -> str:
    """Run `fingreat` in a process of its own and give what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


def bash(*words: str) -> list[str]:
    """What bash is offered for the last word."""
    place = str(len(words) - 1)
    printed = call(COMP_WORDS=" ".join(words), COMP_CWORD=place, _FINGREAT_COMPLETE="complete_bash")
    return printed.split()


def offered(offers: Iterable[tuple[str, str]]) -> list[str]:
    return [text for text, _ in offers]


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with runs, corpora, models and others, in which the test stands."""
    for name in ("out/first/manifest.json", "out/second/manifest.json", "old/runs/third/manifest.json",
                 "corpus/filings.jsonl", "corpus/manifest.json", "weights/tiny/config.json", "weights/tiny.gguf",
                 ".hidden/manifest.json", "reply.jsonl"):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_bash_is_offered_commands_choices_and_models(folders: Path) -> None:
    assert bash("fingreat", "d") == ["demo", "doctor"]
    assert bash("fingreat", "extract", "--mode", "") == ["quote", "span"]
    assert bash("fingreat", "extract", "--guide", "r") == ["rules"]
    assert bash("fingreat", "export", "out/first", "--table", "e") == ["extractions"]
    assert bash("fingreat", "extract", "--model", "le") == ["lexicon"]
    assert bash("fingreat", "doctor", "--model", "scripted:r") == ["scripted:reply.jsonl"]
    assert bash("fingreat", "schema", "draw", "--categories", "c") == ["capital"]


def test_zsh_and_fish_are_told_what_a_back_end_is() -> None:
    zsh = call(_TYPER_COMPLETE_ARGS="fingreat extract --model lex", _FINGREAT_COMPLETE="complete_zsh")
    assert zsh == """_arguments '*: :(("lexicon":"no model\\\\: weighted cue phrases"))'\n"""
    variables = {"_TYPER_COMPLETE_FISH_ACTION": "get-args", "_FINGREAT_COMPLETE": "complete_fish"}
    fish = call(_TYPER_COMPLETE_ARGS="fingreat extract --model ", **variables)
    lines = dict(line.split("\t") for line in fish.splitlines())
    assert {name.rstrip(":") for name in lines} == BACKENDS.keys()
    assert lines["lexicon"] == "no model: weighted cue phrases"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_of_a_shell_can_be_shown_and_installed(shell: str, tmp_path: Path) -> None:
    variables = {"HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    script = call("--show-completion", shell, **variables)
    assert f"_FINGREAT_COMPLETE=complete_{shell}" in script
    assert f"{shell} completion installed in {tmp_path}" in call("--install-completion", shell, **variables)
    assert any(script.strip() in path.read_text() for path in tmp_path.rglob("*fingreat*") if path.is_file())


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_itself_completes_with_the_script(tmp_path: Path) -> None:
    program = tmp_path / "fingreat"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{PROGRAM}" "$@"\n')
    program.chmod(0o755)
    script = call("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    words = "COMP_WORDS=(fingreat extract --mode s); COMP_CWORD=3"
    asked = f'{words}; _fingreat_completion fingreat; echo "${{COMPREPLY[@]}}"'
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{script}\n{asked}"],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "span\n"


def test_models_are_offered_with_the_files_and_folders_that_they_take(folders: Path) -> None:
    assert {text.rstrip(":") for text in offered(complete.models(""))} == BACKENDS.keys()
    assert offered(complete.models("embedded:we")) == ["embedded:weights/tiny/", "embedded:weights/tiny.gguf"]
    assert offered(complete.models("hf:weights/t")) == ["hf:weights/tiny"]
    assert offered(complete.models("scripted:rep")) == ["scripted:reply.jsonl"]
    assert offered(complete.models("lexicon:")) == offered(complete.models("nothing:")) == []


@pytest.mark.parametrize("backend", ["anthropic", "gemini", "openai"])
def test_a_hosted_models_name_is_no_path_and_nothing_is_offered_for_it(folders: Path, backend: str) -> None:
    assert dict(complete.models(""))[f"{backend}:"].endswith("; then its name")
    assert offered(complete.models(f"{backend}:")) == offered(complete.models(f"{backend}:we")) == []


def test_items_are_those_of_form_10_k() -> None:
    """Form 10-K, general instructions: Items 1 to 16, with 1A to 1C, 7A and 9A to 9C."""
    asked = dict(complete.items())
    assert {"1", "1A", "7", "7A", "8", "9B", "16"} <= asked.keys()
    assert asked["1A"] == "risk factors"


def test_runs_are_offered_below_out_and_below_what_is_typed(folders: Path) -> None:
    assert offered(complete.runs("")) == ["out/first", "out/second", "corpus/", "old/", "weights/"]
    assert offered(complete.runs("out/s")) == ["out/second"]
    assert offered(complete.runs("ol")) == ["old/runs/third"]
    assert dict(complete.runs(f"{folders}/out/"))[f"{folders}/out/first"] == "a run"


def test_matches_are_offered_to_commands_that_take_them_and_to_no_others(folders: Path) -> None:
    (folders / "out" / "match").mkdir()
    (folders / "out" / "match" / "manifest.json").write_text('{"kind": "match"}')
    (folders / "out" / "torn").mkdir()
    (folders / "out" / "torn" / "manifest.json").write_text('{"kind": "mat')
    runs = ["out/first", "out/second", "out/torn"]
    for words in (("match",), ("match", "out/first"), ("report",), ("report", "out/first")):
        assert bash("fingreat", *words, "out/") == runs
    for words in (("export",), ("runs", "show"), ("runs", "verify"), ("runs", "verify", "out/first")):
        assert sorted(bash("fingreat", *words, "out/")) == sorted([*runs, "out/match"])
    assert dict(complete.results("out/"))["out/match"] == "a match"


def test_a_corpus_is_told_from_a_run_and_from_a_plain_folder(folders: Path) -> None:
    found = dict(complete.corpora(""))
    assert found.pop("corpus") == "a corpus"
    assert found == dict.fromkeys(["old/", "out/", "weights/"], "a folder")
    assert offered(complete.corpora("co")) == ["corpus"]


@pytest.mark.parametrize("name", ["a b", "a;b", "a$(b)", "a'b", 'a"b', "a\nb", "a`b`", "a\\b", "a|b", "a:b", "*"])
def test_a_name_that_a_shell_would_not_read_as_one_word_is_not_offered(folders: Path, name: str) -> None:
    (folders / name).mkdir()
    assert all(text.rstrip("/") in ("corpus", "old", "out", "weights") for text in offered(complete.corpora("")))


@pytest.mark.parametrize("typed", ["none/", "~no-such-user/x", "reply.jsonl/", "\0/", "a" * 5000 + "/"])
def test_where_nothing_can_be_found_nothing_is_offered(folders: Path, typed: str) -> None:
    for completer in (complete.results, complete.corpora):
        assert list(completer(typed)) == []
    assert list(complete.models(f"scripted:{typed}")) == []
    # A back end has no path before its colon; the shell leaves out what does not begin like the word.
    assert {name.rstrip(":") for name, _ in complete.models(typed)} == set(BACKENDS)


def test_far_above_the_root_the_roots_own_folders_are_offered_as_they_were_typed(folders: Path) -> None:
    up = "../" * len(folders.resolve().parts)
    root = {f"{up}{path.name}/" for path in Path("/").iterdir() if path.is_dir()}
    found = offered(complete.corpora(up))
    assert found
    assert {text.removesuffix("/") + "/" for text in found} <= root


def test_a_home_folder_stays_as_it_was_typed(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folders))
    assert offered(complete.corpora("~/co")) == ["~/corpus"]


def test_starting_the_program_imports_no_heavy_package(run: Callable) -> None:
    code = f"import sys, fingreat.cli; print(*sorted(set({HEAVY}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
