"""One small request before a run: whether the model keeps to the reply schema, thinks, and holds what will be asked."""

from __future__ import annotations

import json
import re
from typing import Literal

from jsonschema import Draft202012Validator
from pydantic import Field

from fingreat.errors import BackendError
from fingreat.inference.ask import MAX_ATTEMPTS
from fingreat.inference.backend import Backend, CountsTokens, RawReply
from fingreat.inference.parse import valid_text
from fingreat.schema import ReplyState, Request
from fingreat.schema.records import Record

_MOST_TOKENS = 384
"""Budget of the answer; the right one to the shipped example takes about 270 tokens in its longest form."""
_SPECIAL_TOKENS = 16
"""Of an answer, at most: marks of its turn and of its end, which leave no text behind."""
_THOUGHTS_BEGIN = re.compile(r"<think(?:ing)?>")
_THOUGHTS_END = re.compile(r"</think(?:ing)?>")

Form = Literal["honoured", "broken", "undecided"]
Thinking = Literal["off", "on", "unknown"]


class Trial(Record):
    """What the request showed.

    Attributes:
        reply_schema: `undecided` where the answer ended before it could be told.
        thinking: before the answer; `unknown` where the provider does not say.
        level: of reasoning that it was asked at; None of an open model, which is told not to think.
        context: whether the largest request of the run fits with its answer; a larger one would be split.
        fault: why the run must not begin, in one sentence; None where it may.
        detail: what the reply schema's verdict rests on, in words.
        holds: tokens of prompt and answer that the model holds.
        largest: tokens that the largest request takes with its answer.
        estimated: `largest` is an estimate from the tokens of this request.
        seconds: wall time of the answer.
    """

    reply_schema: Form = "undecided"
    thinking: Thinking = "unknown"
    level: str | None = None
    context: Literal["enough", "too small", "unknown"] = "unknown"
    fault: str | None = None
    detail: str | None = None
    holds: int | None = Field(default=None, ge=0)
    largest: int | None = Field(default=None, ge=0)
    estimated: bool = False
    seconds: float | None = None
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None

    def require(self, model: str) -> None:
        """Refuse the run where the trial found a fault.

        Args:
            model: as the user names it, for the message.

        Raises:
            BackendError: with what was found.
        """
        if self.fault:
            raise BackendError(self.fault, where=model, hint="--no-trial begins the run all the same.")

    def lines(self) -> list[str]:
        """The findings in plain words, one line each."""
        size = f"{self.holds:,} tokens" if self.holds is not None else "size unknown"
        if self.largest is not None:
            size += f", the largest request takes {'about ' if self.estimated else ''}{self.largest:,} with its answer"
        thoughts = f" ({self.reasoning_tokens:,} tokens)" if self.reasoning_tokens else ""
        found = [
            f"reply schema: {self.reply_schema}{f' ({self.detail})' if self.detail else ''}",
            f"thinking: {self.thinking}{thoughts}{f', asked for: {self.level}' if self.level else ''}",
            f"context: {self.context} ({size})",
        ]
        return [*found, f"fault: {self.fault}"] if self.fault else found


def try_out(backend: Backend, request: Request, *, largest: Request | None = None, level: str | None = None) -> Trial:
    """Ask one small request and look at the answer.

    It is asked up to three times while it fails for a reason that may pass.

    Args:
        request: in the form of the run's own (schema, options, sampling), such as one made from the graph's worked
            example; its answer gets 384 tokens at most.
        largest: the largest request of the run.
        level: of reasoning that a provider's own model is asked at, which may think at its lowest level; None for an
            open model, which must not.

    Raises:
        BackendError: the engine is gone, or gives no answer.
    """
    sampling = request.sampling.model_copy(update={"max_tokens": min(request.sampling.max_tokens, _MOST_TOKENS)})
    key = Request.make_key(
        request.messages, request.reply_schema, sampling, request.model, request.revision, request.options
    )
    small = request.model_copy(update={"sampling": sampling, "key": key})
    hosted = level is not None
    for _ in range(MAX_ATTEMPTS):
        raw = _answer(backend, small)
        if not raw.retryable:
            break
    thoughts, answer = _parts(raw)
    form, detail = _form(raw, answer, small)
    detail = detail and valid_text(detail)
    thinking = _thinking(raw, thoughts, answer, hosted=hosted)
    need, estimated = _need(backend, small, raw, largest)
    holds = backend.context
    return Trial(
        reply_schema=form,
        thinking=thinking,
        level=level,
        context="unknown" if need is None or holds is None else "enough" if need <= holds else "too small",
        fault=_fault(raw, form, detail, thinking, hosted=hosted),
        detail=detail,
        holds=holds,
        largest=need,
        estimated=estimated,
        seconds=raw.seconds,
        prompt_tokens=raw.prompt_tokens,
        output_tokens=raw.output_tokens,
        reasoning_tokens=raw.reasoning_tokens,
        cost_usd=raw.cost_usd,
    )


def _answer(backend: Backend, request: Request) -> RawReply:
    for answered, raw in backend.answer([request]):
        if answered.key == request.key:
            return raw
    raise BackendError("the back end left the trial request without an answer.", hint="Run the same command again.")


def _parts(raw: RawReply) -> tuple[str, str]:
    """Thoughts and answer of a reply."""
    text, reasoning = raw.text.strip(), (raw.reasoning or "").strip()
    if not text and reasoning.startswith("{"):
        # Some servers put the answer itself into the field for thoughts.
        return "", reasoning
    before, *after = _THOUGHTS_END.split(text, maxsplit=1)
    opening = _THOUGHTS_BEGIN.match(text)
    # Some chat templates open the block in the prompt, so that only its end shows.
    if opening or (after and not text.startswith("{")):
        shown = before[opening.end() if opening else 0 :].strip()
        return shown or reasoning, after[0].strip() if after else ""
    return reasoning, text


def _form(raw: RawReply, answer: str, request: Request) -> tuple[Form, str | None]:
    """Whether the answer keeps to the reply schema, and on what that rests."""
    if raw.state is not None:
        return "undecided", raw.detail or raw.state.value
    if not answer and raw.finish_reason not in (None, "stop", "length"):
        return "undecided", f"it stopped with '{raw.finish_reason}'"
    try:
        value = json.loads(answer)
        fault = next(Draft202012Validator(request.reply_schema).iter_errors(value), None)
    except (ValueError, RecursionError):
        if raw.finish_reason == "length" and (not answer or answer.startswith("{")):
            return "undecided", "the budget of the answer ended before the answer did"
        return "broken", f"the answer is no JSON: {answer[:80]!r}" if answer else "the answer is empty"
    if fault is None:
        return "honoured", None
    place = "/".join(str(part) for part in fault.absolute_path) or "the answer"
    return "broken", f"{place}: {fault.message[:200]}"


def _thinking(raw: RawReply, thoughts: str, answer: str, *, hosted: bool) -> Thinking:
    if raw.reasoning_tokens or thoughts:
        return "on"
    if raw.reasoning_tokens == 0:
        return "off"
    # A token stands for a byte at least, so more tokens than bytes were not all shown.
    shown = len((raw.text if raw.text.strip() else raw.reasoning or raw.text).encode("utf-8", "replace"))
    if raw.output_tokens is not None and raw.output_tokens > shown + _SPECIAL_TOKENS:
        return "on"
    return "off" if answer and not hosted else "unknown"


def _need(backend: Backend, small: Request, raw: RawReply, largest: Request | None) -> tuple[int | None, bool]:
    """Tokens of the largest request with its answer, and whether they are an estimate."""
    if largest is None:
        return None, False
    answer = largest.sampling.max_tokens
    if isinstance(backend, CountsTokens) and (counted := backend.prompt_tokens(largest)) is not None:
        return counted + answer, False
    if not raw.prompt_tokens:
        return None, False
    return round(raw.prompt_tokens * _characters(largest) / max(1, _characters(small))) + answer, True


def _characters(request: Request) -> int:
    return sum(len(message.content) for message in request.messages)


def _fault(raw: RawReply, form: Form, detail: str | None, thinking: Thinking, *, hosted: bool) -> str | None:
    detail = (detail or "").rstrip(". ")
    if raw.state is ReplyState.ERROR:
        return f"the trial request failed: {detail}."
    if raw.state is ReplyState.TOO_LONG:
        return f"the model does not even hold the trial request: {detail}."
    if form == "broken":
        return f"the model does not keep to the reply schema: {detail}."
    if thinking == "on" and not hosted:
        return (
            "the model thinks before it answers; what switches that off for its family belongs under `chat_template` "
            "in a file that --models names."
        )
    return None
