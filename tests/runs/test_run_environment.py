"""What a run ran on: our own commit, whatever folder the user stands in; GPUs where there are any."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import fingreat
import fingreat.runs.environment as environment_module
from fingreat.runs.environment import environment, our_code

GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def repository(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet")
    (folder / "file.py").write_text("x = 1\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "one")
    return git(folder, "rev-parse", "HEAD")


@needs_git
def test_the_commit_is_never_that_of_the_folder_the_user_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = our_code()
    commit = repository(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert our_code().commit != commit
    assert our_code() == before
    assert our_code().version == fingreat.__version__


@needs_git
def test_an_installed_copy_inside_somebody_elses_repository_has_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site-packages" / "fingreat"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    repository(tmp_path)
    monkeypatch.setattr(fingreat, "__file__", str(package / "__init__.py"))
    code = our_code()
    assert (code.commit, code.dirty) == (None, None)


@needs_git
def test_our_own_tree_gives_commit_and_dirty_flag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "fingreat"
    package.mkdir()
    (package / "__init__.py").write_text("")
    commit = repository(tmp_path)
    monkeypatch.setattr(fingreat, "__file__", str(package / "__init__.py"))
    assert (our_code().commit, our_code().dirty) == (commit, False)
    # Only the package's own files count: a changed file beside it cannot change a result.
    (tmp_path / "file.py").write_text("x = 2\n")
    assert our_code().dirty is False
    (package / "__init__.py").write_text("x = 1\n")
    assert our_code().dirty is True


def test_without_git_there_is_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (our_code().commit, our_code().dirty) == (None, None)


def test_without_a_gpu_nothing_is_made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = environment()
    assert (found.cuda, found.gpus) == (None, ())
    assert found.python == ".".join(map(str, sys.version_info[:3]))
    assert found.packages["pydantic"] == version("pydantic")


def test_a_package_that_is_not_installed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment_module, "PACKAGES", ("lxml", "no-such-package-anywhere"))
    assert list(environment().packages) == ["lxml"]


def test_a_package_whose_metadata_is_damaged_does_not_stop_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_thing-1.0.dist-info").mkdir()
    (tmp_path / "broken_thing-1.0.dist-info" / "METADATA").write_bytes(b"\xff\xfe")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(environment_module, "PACKAGES", ("broken-thing", "lxml"))
    assert list(environment().packages) == ["broken-thing", "lxml"]
    assert environment().packages["broken-thing"] == ""


def fake_nvidia_smi(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script = folder / "nvidia-smi"
    script.write_text(f"#!/bin/sh\n{body}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_gpus_and_cuda_come_from_nvidia_smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    banner = "| NVIDIA-SMI 550.54.15    Driver Version: 550.54.15    CUDA Version: 12.4     |"
    fake_nvidia_smi(
        tmp_path,
        'case "$1" in --query*) echo "NVIDIA H200, 550.54.15, 143771 MiB"; echo "NVIDIA H200, 550.54.15, 143771 MiB";; '
        f"*) echo '{banner}';; esac",
        monkeypatch,
    )
    found = environment()
    assert found.cuda == "12.4"
    assert found.gpus == ("NVIDIA H200, 550.54.15, 143771 MiB",) * 2


@pytest.mark.parametrize("body", ["exit 9", "printf '\\377'; exit 1", "true"])
def test_a_driver_that_does_not_answer_counts_as_no_gpu(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_nvidia_smi(tmp_path, body, monkeypatch)
    found = environment()
    assert (found.cuda, found.gpus) == (None, ())
