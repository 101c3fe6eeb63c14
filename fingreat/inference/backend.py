"""What a model back end is: something that takes requests and yields raw replies as they finish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from fingreat.errors import InputError
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
    """

    text: str = ""
    reasoning: str | None = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float | None = None
    cost_usd: float | None = None
    state: ReplyState | None = None
    detail: str | None = None
    retryable: bool = False


class Backend(Protocol):
    """A model that answers requests.

    Attributes:
        model: its name, without the back end's.
        revision: what pins the weights.
        context: tokens of prompt and answer that fit; None where there is no limit.
    """

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
