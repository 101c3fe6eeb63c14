"""Run every script of this folder and write what it measured to docs/performance.md.

Each script runs by `make -s perf NAME=…`, which owns the environment that it needs; it prints a table and, as its last
line, one JSON object. Exit status 1 where some did not give one; the document says which, and why.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fingreat.pipeline.doctor import examine
from fingreat.runs import write_atomic
from fingreat.runs.environment import environment

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "docs" / "performance.md"
LIMIT_SECONDS = 3600


@dataclass(frozen=True)
class Result:
    """What a script gave: its table and figures, or why there are none."""

    name: str
    about: str
    table: str = ""
    figures: dict[str, Any] | None = None
    fault: str | None = None


def run(path: Path) -> Result:
    about = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]
    command = ("make", "-s", "-C", str(HERE.parent), "perf", f"NAME={path.stem}")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return Result(path.stem, about, fault=f"ran for more than {LIMIT_SECONDS} seconds")
    lines = done.stdout.rstrip().splitlines()
    if done.returncode:
        # The last line of `make` only says that the script failed.
        said = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("make")]
        return Result(path.stem, about, fault=without_paths(said[-1]) if said else f"status {done.returncode}")
    try:
        figures = json.loads(lines[-1]) if lines else None
    except ValueError:
        figures = None
    if not isinstance(figures, dict):
        return Result(path.stem, about, fault="its last line is no JSON object")
    return Result(path.stem, about, without_paths("\n".join(lines[:-1])), figures)


def without_paths(text: str) -> str:
    """A document for others does not name the folders of the machine it was made on."""
    for folder in (HERE.parent, Path.home()):
        text = text.replace(f"{folder}/", "")
    return text


def document(results: list[Result]) -> str:
    found, packages = examine(), environment().packages
    machine = found.machine
    commit = (
        f", commit {found.code.commit[:10]}{' with changes' if found.code.dirty else ''}" if found.code.commit else ""
    )
    parts = [
        "# Performance",
        f"Measured by `make perf` on {datetime.now(UTC):%Y-%m-%d}, fingreat {found.code.version}{commit}. Each script "
        "runs ours and the alternatives in one run, so the ratios say more than the seconds.",
        f"Machine: {processor()}, {machine.cores} cores, {machine.memory_gib} GiB of memory, "
        f"{', '.join(machine.gpus) or 'no GPU'}; {machine.platform}, Python {machine.python}.",
        f"Packages: {', '.join(f'{name} {number}' for name, number in packages.items())}.",
    ]
    for result in results:
        parts += [f"## {result.name}", result.about]
        if result.fault:
            parts.append(f"Not measured: {result.fault}")
        else:
            parts += [f"```text\n{result.table}\n```", f"```json\n{json.dumps(result.figures)}\n```"]
    return "\n\n".join(parts) + "\n"


def processor() -> str:
    """The processor's name, where the system says it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown processor"
    )


def main() -> int:
    results = []
    for path in sorted(HERE.glob("*.py")):
        if path != Path(__file__).resolve() and not path.name.startswith("_"):
            print(f"{path.stem} …", file=sys.stderr, flush=True)
            results.append(run(path))
            print(f"  {results[-1].fault or json.dumps(results[-1].figures)}", file=sys.stderr)
    write_atomic(TARGET, document(results).encode())
    print(f"written: {TARGET.relative_to(HERE.parent)}")
    return 1 if any(result.fault for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
