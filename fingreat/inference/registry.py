"""Back ends by name, loaded late."""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import Any

from fingreat.errors import InputError
from fingreat.inference.backend import Backend, parse_spec
from fingreat.schema import Graph

BACKENDS: dict[str, str] = {
    "embed": "fingreat.inference.embed:EmbedBackend",
    "embedded": "fingreat.inference.embedded:EmbeddedBackend",
    "hf": "fingreat.inference.hf:HfBackend",
    "lexicon": "fingreat.inference.lexicon:LexiconBackend",
    "scripted": "fingreat.inference.scripted:ScriptedBackend",
    "vllm": "fingreat.inference.vllm:VllmBackend",
}
"""Name → `module:class`. The class takes a `ModelSpec` and a `Graph`."""


def create_backend(spec: str, graph: Graph) -> Backend:
    """The back end of a model specification, ready to answer.

    Raises:
        InputError: there is no such back end, or it refuses the model's name.
        MissingExtraError: what it needs is not installed.
        BackendError: the model cannot be loaded.
    """
    parsed = parse_spec(spec)
    if parsed.backend not in BACKENDS:
        near = difflib.get_close_matches(parsed.backend, BACKENDS, n=1)
        meant = f"Did you mean '{near[0]}'? " if near else ""
        raise InputError(
            f"there is no back end '{parsed.backend}'.",
            where="--model",
            hint=f"{meant}There are: {', '.join(BACKENDS)}.",
        )
    module, _, name = BACKENDS[parsed.backend].partition(":")
    factory: Any = getattr(import_module(module), name)
    backend: Backend = factory(parsed, graph)
    return backend
