"""What is installed of what this package asks for, by its own metadata: nothing is imported to find out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, metadata, requires
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import InvalidVersion, Version

from fingreat.inference.requirements import SAME_MODULE, Stack, has_module
from fingreat.runs.environment import UNREADABLE_METADATA, installed_version
from fingreat.schema.records import Record

DISTRIBUTION = "fingreat"
_MISSING = "is not installed"
_BUILT_WITH_TORCH = ("torchvision", "torchaudio", "torchcodec")
_NO_CUDA = re.compile(r"^cuda\b[^=]*=\s*None\s*$", re.MULTILINE)


class Dependency(Record):
    """One distribution that is asked for.

    Attributes:
        asked: the versions that will do, empty where any does.
        version: the one that is installed, if any.
        fault: what is wrong with it, in words.
    """

    name: str
    asked: str
    version: str | None
    fault: str | None


def declared() -> dict[str, list[Requirement]]:
    """Extra → what it asks for on this machine; the base install under the empty name.

    Empty where this package's own metadata is not installed, as in a bare source tree.
    """
    try:
        lines, extras = requires(DISTRIBUTION) or [], metadata(DISTRIBUTION).get_all("Provides-Extra") or []
    except (PackageNotFoundError, *UNREADABLE_METADATA):
        return {}
    asked = [Requirement(line) for line in lines]
    base = [one for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})]
    return {"": base} | {
        extra: [one for one in asked if one not in base and one.marker and one.marker.evaluate({"extra": extra})]
        for extra in extras
    }


def check(asked: Requirement) -> Dependency:
    """A requirement, with the version that is there and what is wrong with it."""
    name, found = asked.name, installed_version(asked.name)
    other = SAME_MODULE.get(name)
    if found is None and other and installed_version(other) is not None:
        name, found = other, installed_version(other)
    fault = None
    if found is None:
        fault = _MISSING
    else:
        try:
            if not asked.specifier.contains(Version(found), prereleases=True):
                fault = f"is {found}, needs {asked.specifier}"
        except InvalidVersion:
            fault = "is damaged: its metadata name no version; install it again"
    return Dependency(name=name, asked=str(asked.specifier), version=found or None, fault=fault)


def faults_of(stack: Stack, asked: dict[str, list[Requirement]]) -> list[str]:
    """What keeps a stack from running here, in words.

    Args:
        asked: what `declared` gave.
    """
    wanted = [*asked.get(stack.extra, [])] if stack.extra else []
    wanted += [Requirement(stack.weights)] if stack.weights else []
    # A distribution may be there in name only; and a source tree has no metadata to go by.
    return in_words([check(one) for one in wanted]) or [
        f"no module {name} is found" for name in stack.modules if not has_module(name)
    ]


def in_words(dependencies: Sequence[Dependency]) -> list[str]:
    """What is wrong, those that are missing first and together; empty where nothing is."""
    missing = [one.name for one in dependencies if one.fault == _MISSING]
    others = [f"{one.name} {one.fault}" for one in dependencies if one.fault not in (None, _MISSING)]
    return ([f"missing: {', '.join(missing)}"] if missing else []) + others


def conflicts(gpus: bool) -> list[str]:
    """What does not go together, in words, with what to do.

    Args:
        gpus: whether this machine has a GPU that CUDA can use.
    """
    found = [
        f"{one} and {other} are both installed and overwrite each other's files: uninstall both, then install one."
        for one, other in SAME_MODULE.items()
        if installed_version(one) is not None and installed_version(other) is not None
    ]
    torch = installed_version("torch")
    if torch is None:
        return found
    build = _build(torch)
    for name in _BUILT_WITH_TORCH:
        there = installed_version(name)
        if there is not None and _build(there) != build:
            found.append(
                f"{name} {there} was built for another torch than {torch}; importing transformers or vLLM may fail: "
                f"pip uninstall -y {name}"
            )
    if gpus and (build == "cpu" or _built_without_cuda()):
        found.append(f"torch {torch} was built without CUDA and leaves the GPU idle: install the CUDA build of torch.")
    return found


def _build(found: str) -> str:
    """The label after the version's number, such as `cpu` or `cu130`."""
    return found.partition("+")[2]


def _built_without_cuda() -> bool:
    """Whether torch's own version file says so; the file is read, not run."""
    spec = find_spec("torch") if has_module("torch") else None
    for folder in (spec.submodule_search_locations if spec else None) or ():
        path = Path(folder) / "version.py"
        if path.is_file():
            return bool(_NO_CUDA.search(path.read_text(encoding="utf-8", errors="replace")))
    return False
