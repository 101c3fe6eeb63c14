"""The language of Anthropic's Messages API, as plain data: what is sent, what comes back, what failures mean."""

from __future__ import annotations

import re
from typing import Any

from fingreat.inference.backend import RawReply
from fingreat.inference.hosted.plain_schema import plain_schema
from fingreat.inference.hosted.wire import count, laid_over, part, parts, text
from fingreat.inference.presets import Preset, Prices
from fingreat.schema import ReplyState, Request

_FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}
_TOO_LONG_WORDS = re.compile(r"prompt is too long|exceeds? (?:the )?context|context (?:limit|window)", re.IGNORECASE)
_LATER_TYPES = frozenset({"api_error", "conflict_error", "overloaded_error", "rate_limit_error", "timeout_error"})
_LATER = frozenset({408, 409, 425, 429})
_HIGHEST_TEMPERATURE = 1.0
_REASON = 500
"""Characters that are kept of what a server says."""


def message_body(request: Request, model: str, preset: Preset) -> dict[str, Any]:
    """A request in the form of `POST /v1/messages`, with `preset.request` put over it.

    The system message, which all requests of a run share, is marked for the provider's prompt cache. Models of today
    refuse a temperature, so that none is sent but where the preset names one, and then it is the request's own.
    """
    system = [{"type": "text", "text": one.content} for one in request.messages if one.role == "system"]
    body = laid_over(
        {
            "model": model,
            "max_tokens": request.sampling.max_tokens,
            "system": [*system[:-1], *({**last, "cache_control": {"type": "ephemeral"}} for last in system[-1:])],
            "messages": [
                {"role": one.role, "content": one.content} for one in request.messages if one.role != "system"
            ],
            "output_config": {"format": {"type": "json_schema", "schema": plain_schema(request.reply_schema)}},
        },
        preset.request,
    )
    if "temperature" in body:
        body["temperature"] = min(request.sampling.temperature, _HIGHEST_TEMPERATURE)
    return body


def message_reply(data: Any, prices: Prices | None, seconds: float | None, *, batch: bool = False) -> RawReply:
    """The reply in a message of the model; thoughts are kept apart from the answer.

    Tokens of the prompt are all of it: what was read from the cache and what was written to it are counted apart by
    the provider, and are added here.

    Args:
        batch: it came through the batch interface, at that one's price.
    """
    if part(data, "error"):
        return error_reply(None, data)
    if text(data, "type") != "message":
        return RawReply(state=ReplyState.ERROR, detail="the answer is no message", seconds=seconds, retryable=True)
    usage, stop = part(data, "usage"), text(data, "stop_reason")
    read, written = count(usage, "cache_read_input_tokens") or 0, count(usage, "cache_creation_input_tokens") or 0
    prompt, output = count(usage, "input_tokens"), count(usage, "output_tokens")
    if prompt is not None:
        prompt += read + written
    cost = None
    if prices is not None and prompt is not None and output is not None:
        cost = prices.cost(prompt, read, output, batch=batch, written=written)
    return RawReply(
        text=_blocks(data, "text"),
        reasoning=_blocks(data, "thinking") or None,
        finish_reason=_FINISH.get(stop, stop) or None,
        prompt_tokens=prompt,
        cached_tokens=read,
        output_tokens=output,
        reasoning_tokens=count(part(usage, "output_tokens_details"), "thinking_tokens"),
        seconds=seconds,
        cost_usd=cost,
        state=ReplyState.BLOCKED if stop == "refusal" else None,
        detail=_refusal(data) if stop == "refusal" else None,
    )


def error_reply(status: int | None, body: Any) -> RawReply:
    """What a failure means for the request; one of a batch's rows has no status."""
    kind, said = _error(body)
    too_long = status == 413 or kind == "request_too_large" or bool(_TOO_LONG_WORDS.search(said))
    later = kind in _LATER_TYPES or (status is not None and (status in _LATER or status >= 500))
    return RawReply(
        state=ReplyState.TOO_LONG if too_long else ReplyState.ERROR,
        detail=error_words(status, body),
        retryable=later and not too_long,
    )


def fatal_error(status: int | None, body: Any) -> str | None:
    """What to do about a failure that every request would meet; None for any other."""
    kind, said = _error(body)
    code = text(part(part(body, "error"), "details"), "error_code")
    if status == 401 or kind == "authentication_error":
        return "Check the key in the environment."
    # A limit on what may be spent comes as "too many requests", which it stays till the month is over.
    broke = kind == "billing_error" or code.endswith("spend_limit_reached") or "credit balance" in said.lower()
    if status == 402 or broke:
        return "The account has no credit left; go on with the same command when it has."
    if status == 403 or kind == "permission_error" or code == "organization_on_hold":
        return "The key may not use this model, or not from here."
    if status is not None and (status == 404 or 300 <= status < 400):
        return "Check the model's name and --base-url."
    if status == 400 and any(name in said for name in ("thinking", "temperature", "output_config", "effort")):
        return "Give the model's `request` in a file for --models; what the provider refuses is named above."
    return None


def error_words(status: int | None, body: Any) -> str:
    """A failure in words: status, type and the server's own message."""
    kind, said = _error(body)
    shown = " ".join(filter(None, (f"status {status}" if status is not None else "", kind))) or "an error"
    # For a wrong key a server may quote it.
    reason = "" if status == 401 else " ".join(said.split())[:_REASON]
    return f"{shown}: {reason}" if reason else shown


def _error(body: Any) -> tuple[str, str]:
    """Type and message; in a batch's row the error object stands in another one."""
    error = part(body, "error")
    error = part(error, "error") or error
    return text(error, "type"), text(error, "message") or (body if isinstance(body, str) else "")


def _blocks(data: Any, kind: str) -> str:
    return "".join(text(block, kind) for block in parts(data, "content") if text(block, "type") == kind)


def _refusal(data: Any) -> str:
    details = part(data, "stop_details")
    said = ": ".join(filter(None, (text(details, "category"), text(details, "explanation"))))
    return f"refusal: {said[:_REASON] or 'no reason is given'}"
