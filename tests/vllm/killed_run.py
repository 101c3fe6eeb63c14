"""One run with vLLM in a process that may be killed: `killed_run.py MODEL CORPUS OUT NOTES`.

The key of every request is written to NOTES, and is on disk, before the engine is given it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from fingreat.inference import create_backend
from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.schema import load_graph

SETTINGS: dict[str, Any] = {"mode": "span", "tokens": 180, "max_tokens": 24, "resend": 0}


def noting(backend: Any, notes: Path) -> Any:
    """The back end, which notes what its engine is given."""
    hand_over = backend._add

    def noted(name: str, request: Any, ids: Any) -> Any:
        with notes.open("a") as file:
            file.write(f"{request.key}\n")
            file.flush()
            os.fsync(file.fileno())
        return hand_over(name, request, ids)

    backend._add = noted
    return backend


def main(model: str, corpus: str, out: str, notes: str) -> None:
    backend = noting(create_backend(f"vllm:{model}", load_graph()), Path(notes))
    backend.is_language_model = False  # no request tries it out: all that are noted are the run's own
    extract(Corpus(Path(corpus)), ExtractConfig(model=f"vllm:{model}", **SETTINGS), Path(out), backend=backend)


if __name__ == "__main__":
    main(*sys.argv[1:])
