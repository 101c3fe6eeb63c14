"""Whether the requests of a run fit the model, said before the first of them is asked."""

from __future__ import annotations

from fingreat.edgar.tokens import cl100k_counter
from fingreat.errors import InputError
from fingreat.inference import Backend
from fingreat.inference.backend import CountsTokens
from fingreat.schema import Chunk, Request

_SHORTEST_ANSWER = _SHORTEST_CHUNK = 200
"""Less is not proposed: a shorter answer may not hold one extraction, a shorter chunk tells its sentences nothing."""
_MARGIN = 0.95
"""Of the room for a chunk, what is proposed: other borders of chunks may fall on text with more tokens."""


class ContextFit:
    """Counts the requests that a model has no room for.

    A prompt is counted by the model's own tokenizer where the back end can (`CountsTokens`), every request; elsewhere
    its fixed part and a full chunk are counted in cl100k_base, which is near enough to refuse a hopeless run.

    Args:
        backend: its `context` is what prompt and answer may take together.
        where: the model's specification, for messages.
        tokens: budget of a chunk, in cl100k_base.
        max_tokens: budget of an answer, in the model's own tokens.
    """

    def __init__(self, backend: Backend, where: str, tokens: int, max_tokens: int) -> None:
        self._counter = backend if isinstance(backend, CountsTokens) else None
        self._context = backend.context
        self._where = where
        self._tokens = tokens
        self._max_tokens = max_tokens
        self._bare: int | None = None
        self._rate = 1.0
        self._requests = self._beyond = self._largest = 0

    def without_text(self, request: Request) -> None:
        """Take note of what a prompt takes that shows an empty chunk; called before the first `add`."""
        self._bare = self._count(request)

    def add(self, request: Request, chunk: Chunk) -> None:
        """Take note of one request."""
        self._requests += 1
        prompt = self._count(request) if self._bare is not None else None
        if prompt is None or self._bare is None or self._context is None:
            self._bare = None
            return
        self._beyond += prompt + self._max_tokens > self._context
        self._largest = max(self._largest, prompt)
        # Of short chunks the header of the filing, which is longer for some, would tell more than the text.
        if chunk.n_tokens * 2 >= self._tokens:
            self._rate = max(self._rate, (prompt - self._bare) / chunk.n_tokens)

    def check(self, system: str) -> None:
        """Refuse a model that cannot hold every prompt with its answer.

        Args:
            system: the part of the prompt that is the same for every chunk.

        Raises:
            InputError: with what would do.
        """
        if self._context is None:
            return
        if self._bare is None:
            self._check_estimate(self._context, cl100k_counter().count(system))
        elif self._beyond:
            raise InputError(
                f"{self._beyond:,} of {self._requests:,} requests do not fit: the largest takes {self._largest:,} "
                f"tokens of prompt and {self._max_tokens:,} of answer, and the model holds {self._context:,}.",
                where=self._where,
                hint=self._what_would_do(self._context, self._bare, self._largest),
            )

    def _count(self, request: Request) -> int | None:
        if self._counter is None or self._context is None:
            return None
        return self._counter.prompt_tokens(request)

    def _check_estimate(self, context: int, system: int) -> None:
        need = system + self._tokens + self._max_tokens
        if need > context:
            raise InputError(
                f"the model holds {context:,} tokens, but prompt, chunk and answer take about {need:,} "
                f"({system:,} + {self._tokens:,} + {self._max_tokens:,}).",
                where=self._where,
                hint=self._what_would_do(context, system, system + self._tokens),
            )

    def _what_would_do(self, context: int, fixed: int, prompt: int) -> str:
        """The options that make it fit, one at a time; `fixed` is a prompt without text, `prompt` the largest one."""
        ways = []
        if (answer := _round_down(context - prompt)) >= _SHORTEST_ANSWER:
            ways.append(f"--max-tokens {answer}")
        # A budget that is taken as it is needs no margin where the estimate is all there is.
        share = _MARGIN if self._bare is not None else 1.0
        if (chunk := _round_down((context - self._max_tokens - fixed) / self._rate * share)) >= _SHORTEST_CHUNK:
            ways.append(f"--tokens {chunk}")
        if ways:
            return f"Use {' or '.join(ways)}, or less."
        if context - fixed < _SHORTEST_CHUNK + _SHORTEST_ANSWER:
            return f"Use a model that holds more: the prompt takes {fixed:,} without any text."
        return "Use a smaller --tokens and a smaller --max-tokens, both."


def _round_down(number: float) -> int:
    """A number that is easy to type, not above the given one."""
    step = 100 if number >= 1000 else 10
    return int(number // step * step)
