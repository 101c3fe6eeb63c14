"""Which requests of a run fit the model, known before the first of them is asked."""

from __future__ import annotations

import sys

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
    """Says which requests a model has room for, and refuses a model that has room for none.

    A prompt is counted by the model's own tokenizer where the back end can (`CountsTokens`); elsewhere its fixed part
    and the chunk are counted in cl100k_base, which is near enough to tell what is hopeless.

    Args:
        backend: its `context` is what prompt and answer may take together.
        where: the model's specification, for messages.
        system: the part of the prompt that is the same for every chunk.
        tokens: budget of a chunk, in cl100k_base.
        max_tokens: budget of an answer, in the model's own tokens.
    """

    def __init__(self, backend: Backend, where: str, system: str, tokens: int, max_tokens: int) -> None:
        self._counter = backend if isinstance(backend, CountsTokens) else None
        self._context = backend.context
        self._where = where
        self._system = system
        self._tokens = tokens
        self._max_tokens = max_tokens
        self._counted = False
        self._bare = 0
        self._rate = 1.0
        self._chunks = self._fitting = self._largest = 0
        self._shortest = sys.maxsize
        self._most_characters = 0
        self.largest: Request | None = None

    def without_text(self, request: Request) -> None:
        """Take note of what a prompt takes that shows an empty chunk; called before anything else."""
        bare = self._count(request)
        self._counted = bare is not None
        self._bare = cl100k_counter().count(self._system) if bare is None else bare

    def fits(self, request: Request, piece: Chunk, *, whole: bool = True) -> bool:
        """Whether a request fits the model with its answer; the largest that does is kept as `largest`.

        Args:
            whole: the request shows a whole chunk, and is counted for `check`.
        """
        prompt = self._prompt(request, piece) if self._context is not None else 0
        fits = self._context is None or prompt + self._max_tokens <= self._context
        if fits and (characters := len(request.messages[-1].content)) > self._most_characters:
            self._most_characters, self.largest = characters, request
        if whole:
            self._chunks += 1
            self._fitting += fits
            self._largest = max(self._largest, prompt)
            self._shortest = min(self._shortest, prompt)
            # Of short chunks the header of the filing, which is longer for some, would tell more than the text.
            if self._counted and piece.n_tokens * 2 >= self._tokens:
                self._rate = max(self._rate, (prompt - self._bare) / piece.n_tokens)
        return fits

    def check(self) -> None:
        """Refuse a model that cannot hold even the shortest chunk with its prompt and answer.

        Chunks that do not fit are cut where others do; where none does, cutting them all would ask the prompt over
        and over for a few words each.

        Raises:
            InputError: with what would do.
        """
        if self._context is None or self._fitting or not self._chunks:
            return
        about = "" if self._counted else "about "
        raise InputError(
            f"none of {self._chunks:,} chunks fits: the shortest takes {about}{self._shortest:,} tokens of prompt and "
            f"{self._max_tokens:,} of answer, and the model holds {self._context:,}.",
            where=self._where,
            hint=self._what_would_do(self._context, self._bare, self._largest),
        )

    def _prompt(self, request: Request, piece: Chunk) -> int:
        counted = self._count(request) if self._counted else None
        return self._bare + piece.n_tokens if counted is None else counted

    def _count(self, request: Request) -> int | None:
        if self._counter is None or self._context is None:
            return None
        return self._counter.prompt_tokens(request)

    def _what_would_do(self, context: int, fixed: int, prompt: int) -> str:
        """The options that make it fit, one at a time; `fixed` is a prompt without text, `prompt` the largest one."""
        ways = []
        if (answer := _round_down(context - prompt)) >= _SHORTEST_ANSWER:
            ways.append(f"--max-tokens {answer}")
        # A budget that is taken as it is needs no margin where the estimate is all there is.
        share = _MARGIN if self._counted else 1.0
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
