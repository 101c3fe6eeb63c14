"""A model that is only talked about: what it needs to be known for a run that is counted and not made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fingreat.errors import BackendError, InputError
from fingreat.inference.backend import Backend, ModelSpec, RawReply, Settings
from fingreat.inference.hosted.openai_wire import chat_options
from fingreat.inference.hosted.provider import hosted_name
from fingreat.inference.model_folder import ChatModel, folder_of
from fingreat.inference.registry import create_backend, writes_text
from fingreat.inference.requirements import NEEDS, has_module, known_spec
from fingreat.inference.vllm import DTYPE
from fingreat.schema import Graph, Request

_LIGHT = ("embedded",)
"""Language models that are loaded in a second and need no card: only their own engine has their tokenizer."""


class DryBackend:
    """A language model without its engine: no weights are loaded, no line is used, no key is needed.

    Attributes:
        certain: whether `revision` and `options` are those of a real run, so that its requests have the same keys.
    """

    is_language_model = True

    def __init__(
        self,
        model: str,
        revision: str | None = None,
        options: Mapping[str, Any] | None = None,
        *,
        context: int | None = None,
        chat: ChatModel | None = None,
        certain: bool = True,
    ) -> None:
        self.model = model
        self.revision = revision
        self.options: Mapping[str, Any] = options or {}
        self.context = context
        self.certain = certain
        self._chat = chat

    def prompt_tokens(self, request: Request) -> int | None:
        """Tokens of the request's prompt by the model's own tokenizer; None where that cannot be had."""
        return None if self._chat is None else self._chat.count(request)

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        """Refuse.

        Raises:
            BackendError: always.
        """
        raise BackendError("a run that is only counted asks nothing.")

    def close(self) -> None:
        """Nothing to free."""


def dry_backend(spec: str, graph: Graph, settings: Settings) -> Backend:
    """The back end of a model specification as far as counting needs it.

    Models without an engine worth sparing are the real ones. Of a model folder, or of a hub's model that is in the
    local cache, tokenizer and configuration are read. Anything else is known by its name only.

    Raises:
        InputError: there is no such back end, or the folder cannot be used.
        MissingExtraError, BackendError: a light model cannot be loaded.
    """
    parsed = known_spec(spec)
    if not writes_text(parsed) or parsed.backend in _LIGHT:
        return create_backend(spec, graph, settings)
    name = parsed.model or parsed.backend
    if NEEDS[parsed.backend].model == "hosted":
        return DryBackend(hosted_name(parsed), None, _hosted_options(parsed, settings))
    folder = folder_of(parsed)
    if not has_module("transformers"):
        return DryBackend(name, parsed.revision, certain=False)
    try:
        chat = ChatModel(parsed, settings.preset)
    except InputError:
        if folder is not None:
            raise
        # A hub's model that is not here, and no line to fetch its tokenizer by.
        return DryBackend(name, parsed.revision, certain=False)
    held = getattr(chat.config.get_text_config(), "max_position_embeddings", None)
    context = min(filter(None, (held, settings.preset.engine.max_context)), default=None)
    return DryBackend(chat.name, chat.revision, {**chat.options, "dtype": DTYPE}, context=context, chat=chat)


def _hosted_options(spec: ModelSpec, settings: Settings) -> Mapping[str, Any]:
    if spec.backend == "openai":
        return chat_options(settings.preset, hosted=settings.base_url is None)
    return dict(settings.preset.request)
