"""Back ends by name, loaded late."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fingreat.inference.backend import Backend
from fingreat.inference.requirements import known_spec, need
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
    parsed = known_spec(spec)
    need(parsed)
    module, _, name = BACKENDS[parsed.backend].partition(":")
    factory: Any = getattr(import_module(module), name)
    backend: Backend = factory(parsed, graph)
    return backend
