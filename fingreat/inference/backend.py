"""What a model back end is: something that takes requests and yields raw replies as they finish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from fingreat.errors import InputError
from fingreat.inference.presets import Preset
from fingreat.schema import ReplyState, Request


@dataclass(frozen=True)
class ModelSpec:
    """`backend:model[@revision]` in its parts."""

    backend: str
    model: str | None = None
    revision: str | None = None

    def __str__(self) -> str:
        model = f":{self.model}" if self.model else ""
        revision = f"@{self.revision}" if self.revision else ""
        return f"{self.backend}{model}{revision}"


def parse_spec(text: str) -> ModelSpec:
    """The parts of a model specification.

    Raises:
        InputError: it does not have the form `backend:model[@revision]`.
    """
    backend, colon, rest = text.partition(":")
    model, at, revision = rest.rpartition("@") if "@" in rest else (rest, "", "")
    if not backend or (colon and not model) or (at and not revision):
        raise InputError(
            f"'{text}' is no model.", where="--model", hint="Write backend:model[@revision], such as `embedded`."
        )
    return ModelSpec(backend, model or None, revision or None)


@dataclass(frozen=True)
class RawReply:
    """What an engine gave back, before it is judged.

    Attributes:
        reasoning: text that a server put into its reasoning field.
        state: set where the engine itself says that there is no answer (`blocked`, `too_long`, `error`).
        detail: its words for that.
        retryable: whether the same request may succeed later.
        reasoning_tokens: the part of `output_tokens` that the engine says were thoughts.
    """

    text: str = ""
    reasoning: str | None = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    seconds: float | None = None
    cost_usd: float | None = None
    state: ReplyState | None = None
    detail: str | None = None
    retryable: bool = False


@dataclass(frozen=True)
class Settings:
    """How a back end is set up, beside the model's name. Only `preset` and `base_url` can change an answer.

    Attributes:
        preset: what is known of the model: thinking off, prices, engine settings.
        base_url: of a server that speaks the provider's language, instead of the provider's own.
        in_flight: requests under way at the same time, None for the back end's own choice.
        requests_per_minute, tokens_per_minute: limits that all requests of the process share.
        batch: folder in which the batches of this run are noted; requests go through the provider's batch interface.
    """

    preset: Preset = field(default_factory=Preset)
    base_url: str | None = None
    in_flight: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    batch: Path | None = None


class Backend(Protocol):
    """A model that answers requests."""

    @property
    def model(self) -> str:
        """The model's name, without the back end's."""
        ...

    @property
    def revision(self) -> str | None:
        """What pins the weights: a hash or a commit."""
        ...

    @property
    def context(self) -> int | None:
        """Tokens of prompt and answer together that fit; None where there is no limit."""
        ...

    @property
    def is_language_model(self) -> bool:
        """Whether it writes text: its replies are worth a cache and a request that tries it out."""
        ...

    @property
    def options(self) -> Mapping[str, Any]:
        """What it adds to every request that can change an answer, as JSON: part of the request's key."""
        ...

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        """Each request with its reply, exactly once, in the order in which they finish.

        A request that fails is yielded with a `state`; only a back end that cannot go on at all raises.

        Raises:
            BackendError: the engine is gone.
        """
        ...

    def close(self) -> None:
        """Free the engine; called once."""
        ...


@runtime_checkable
class CountsTokens(Protocol):
    """A back end that can say what a prompt takes, before it is asked. Not every back end can."""

    def prompt_tokens(self, request: Request) -> int | None:
        """Tokens of the request's prompt by the model's own tokenizer and chat template; None where unknown."""
        ...
