"""Back ends by name, loaded late."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fingreat.inference.backend import Backend, ModelSpec, Settings
from fingreat.inference.requirements import known_spec, need
from fingreat.schema import Graph

BACKENDS: dict[str, str] = {
    "anthropic": "fingreat.inference.hosted.anthropic_messages:AnthropicBackend",
    "embed": "fingreat.inference.embed:EmbedBackend",
    "embedded": "fingreat.inference.embedded:EmbeddedBackend",
    "gemini": "fingreat.inference.hosted.gemini_content:GeminiBackend",
    "hf": "fingreat.inference.hf:HfBackend",
    "lexicon": "fingreat.inference.lexicon:LexiconBackend",
    "openai": "fingreat.inference.hosted.openai_chat:OpenAIBackend",
    "scripted": "fingreat.inference.scripted:ScriptedBackend",
    "vllm": "fingreat.inference.vllm:VllmBackend",
}
"""Name → `module:class`. The class takes a `ModelSpec`, a `Graph` and `Settings`."""


def create_backend(spec: str, graph: Graph, settings: Settings = Settings()) -> Backend:  # noqa: B008 - frozen
    """The back end of a model specification, ready to answer.

    Raises:
        InputError: there is no such back end, or it refuses the model's name.
        MissingExtraError: what it needs is not installed.
        BackendError: the model cannot be loaded.
    """
    parsed = known_spec(spec)
    need(parsed)
    backend: Backend = _factory(parsed)(parsed, graph, settings)
    return backend


def writes_text(spec: ModelSpec) -> bool:
    """Whether a back end is a language model, said without its engine, which need not be installed."""
    language_model: bool = _factory(spec).is_language_model
    return language_model


def _factory(spec: ModelSpec) -> Any:
    module, _, name = BACKENDS[spec.backend].partition(":")
    return getattr(import_module(module), name)
