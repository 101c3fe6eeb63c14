"""Which requests of a run fit the model, known before the first of them is asked."""

from __future__ import annotations

from collections.abc import Iterator

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
    """Says which requests a model has room for, and refuses a model that has hardly room for text.

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
            whole: the request shows a whole chunk, and is counted for `check` and `notes`.
        """
        prompt = self._prompt(request, piece) if self._context is not None else 0
        fits = self._context is None or prompt + self._max_tokens <= self._context
        if fits and (characters := len(request.messages[-1].content)) > self._most_characters:
            self._most_characters, self.largest = characters, request
        if whole:
            self._chunks += 1
            self._fitting += fits
            self._largest = max(self._largest, prompt)
            # Of short chunks the header of the filing, which is longer for some, would tell more than the text.
            if self._counted and piece.n_tokens * 2 >= self._tokens:
                self._rate = max(self._rate, (prompt - self._bare) / piece.n_tokens)
        return fits

    def check(self) -> None:
        """Refuse a model that has no room for 200 tokens of text beside its prompt and answer.

        Chunks that do not fit are cut; cutting them smaller than that would ask the prompt over and over for a few
        words each. Whether a run is refused hangs on model, prompt and budgets, not on how long its filings are,
        but for one whose chunks all fit.

        Raises:
            InputError: with what would do.
        """
        if self._context is None or self._fitting == self._chunks:
            return
        if self._bare + _SHORTEST_CHUNK + self._max_tokens <= self._context:
            return
        about = "" if self._counted else "about "
        raise InputError(
            f"there is no room for {_SHORTEST_CHUNK} tokens of text: the prompt takes {about}{self._bare:,} without "
            f"any, the answer {self._max_tokens:,}, and the model holds {self._context:,}.",
            where=self._where,
            hint=self._what_would_do(self._context),
        )

    def notes(self) -> Iterator[str]:
        """Whether chunks are asked in pieces, and which options would keep them whole, in a sentence each."""
        if self._context is None or self._fitting == self._chunks:
            return
        pieces = self._chunks - self._fitting
        yield (
            f"{pieces:,} of {self._chunks:,} chunks {'does' if pieces == 1 else 'do'} not fit whole into the "
            f"{self._context:,} tokens that the model holds, and {'is' if pieces == 1 else 'are'} asked in pieces."
        )
        if ways := [*self._for_whole(self._context)]:
            yield f"With {' or '.join(ways)}, or less, all would be whole."

    def _prompt(self, request: Request, piece: Chunk) -> int:
        counted = self._count(request) if self._counted else None
        return self._bare + piece.n_tokens if counted is None else counted

    def _count(self, request: Request) -> int | None:
        if self._counter is None or self._context is None:
            return None
        return self._counter.prompt_tokens(request)

    def _for_whole(self, context: int) -> Iterator[str]:
        """The options that make every chunk fit whole, one at a time."""
        if (answer := _round_down(context - self._largest)) >= _SHORTEST_ANSWER:
            yield f"--max-tokens {answer}"
        # A budget that is taken as it is needs no margin where the estimate is all there is.
        share = _MARGIN if self._counted else 1.0
        if (chunk := _round_down((context - self._max_tokens - self._bare) / self._rate * share)) >= _SHORTEST_CHUNK:
            yield f"--tokens {chunk}"

    def _what_would_do(self, context: int) -> str:
        """The answer's budget that leaves room for text: for the longest chunk, else for 200 tokens."""
        for text in (self._largest, self._bare + _SHORTEST_CHUNK):
            if (answer := _round_down(context - text)) >= _SHORTEST_ANSWER:
                return f"Use --max-tokens {answer}, or less."
        return "Use a model that holds more, or --guide none, whose prompt is shorter."


def _round_down(number: float) -> int:
    """A number that is easy to type, not above the given one."""
    step = 100 if number >= 1000 else 10
    return int(number // step * step)
