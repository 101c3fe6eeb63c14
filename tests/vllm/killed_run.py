"""`fingreat` in a process that may be killed: `killed_run.py NOTES ARGUMENTS...`.

The key of every request is written to NOTES, and is on disk, before vLLM is given it. Weights are computed with in
float32: in bfloat16 the rounding depends on what the engine has kept of earlier prompts, and a process that starts
again has kept nothing.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from fingreat.cli import main
from fingreat.inference import vllm


def noting(notes: Path) -> None:
    """From now on every engine notes what it is given."""
    hand_over = vllm.VllmBackend._add

    def noted(self: vllm.VllmBackend, name: str, request: Any, ids: list[int]) -> Any:
        with notes.open("a") as file:
            file.write(f"{request.key}\n")
            file.flush()
            os.fsync(file.fileno())
        return hand_over(self, name, request, ids)

    vllm.VllmBackend._add = noted  # type: ignore[method-assign]


if __name__ == "__main__":
    vllm.DTYPE = "float32"
    noting(Path(sys.argv[1]))
    sys.exit(main(sys.argv[2:]))
