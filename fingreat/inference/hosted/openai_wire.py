"""The language of OpenAI's chat completions, as plain data: what is sent, what comes back, what failures mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fingreat.inference.backend import RawReply
from fingreat.inference.hosted.plain_schema import plain_schema
from fingreat.inference.hosted.wire import count, part, parts, text
from fingreat.inference.parse import valid_text
from fingreat.inference.presets import Preset, Prices
from fingreat.schema import ReplyState, Request

_FINE_TUNED = "ft:"
"""How the names of models begin that OpenAI tuned for a customer; they refuse limits in a schema."""
_TOO_LONG_CODES = frozenset({"context_length_exceeded", "string_above_max_length", "exceed_context_size_error"})
# Servers of other makers give no code: what vLLM, SGLang and TGI write.
_TOO_LONG_WORDS = re.compile(
    r"context (?:length|window|size)|longer than the model|inputs` tokens \+ `max_new_tokens` must be",
    re.IGNORECASE,
)
_BLOCKED_CODES = frozenset({"content_filter", "content_policy_violation", "invalid_prompt"})
_PARAMETER_CODES = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
_LATER = frozenset({408, 409, 423, 425, 429})
_REASON = 500
"""Characters that are kept of what a server says."""


def chat_body(request: Request, model: str, preset: Preset, *, hosted: bool, lenient: bool = False) -> dict[str, Any]:
    """A request in the form of `POST /chat/completions`.

    `preset.request` is put over the rest. OpenAI's reasoning models refuse a temperature, so that none is sent where
    the preset names an effort, unless it names a temperature as well.

    The reply's schema is sent with every property required, as OpenAI's guide "Structured model outputs" asks for;
    fine-tuned models refuse limits of numbers and lists as well. What is lost is checked in the reply.

    Args:
        hosted: by OpenAI itself; other servers know the older name of the answer's budget, and take the arguments of
            the chat template that switch thinking off.
        lenient: the server takes the schema as it is.
    """
    sampling = request.sampling
    schema = dict(request.reply_schema) if lenient else _strict(request.reply_schema)
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "reply",
                "strict": True,
                "schema": plain_schema(schema) if model.startswith(_FINE_TUNED) else schema,
            },
        },
        "max_completion_tokens" if hosted else "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "seed": sampling.seed,
    }
    if hosted and preset.request.get("reasoning_effort", "none") != "none":
        del body["temperature"]
    return body | chat_options(preset, hosted=hosted)


def chat_options(preset: Preset, *, hosted: bool) -> dict[str, Any]:
    """What a preset puts into every request."""
    template = {} if hosted or not preset.chat_template else {"chat_template_kwargs": dict(preset.chat_template)}
    return template | dict(preset.request)


def chat_reply(data: Any, prices: Prices | None, seconds: float | None, *, batch: bool = False) -> RawReply:
    """The reply in the body of an answer with status 200.

    Args:
        batch: it came through the batch interface, at that one's price.
    """
    choice = _first_choice(data)
    if choice is None:
        if error := part(data, "error"):
            return error_reply(count(error, "code") or 500, error)
        return RawReply(state=ReplyState.ERROR, detail="the answer holds no choice", seconds=seconds, retryable=True)
    message, usage = part(choice, "message"), part(data, "usage")
    prompt, output = count(usage, "prompt_tokens"), count(usage, "completion_tokens")
    cached = count(part(usage, "prompt_tokens_details"), "cached_tokens")
    finish = text(choice, "finish_reason") or None
    state, detail = _state(message, finish)
    cost = None
    if prices is not None and prompt is not None and output is not None:
        cost = prices.cost(prompt, min(cached or 0, prompt), output, batch=batch)
    return RawReply(
        text=_content(message),
        reasoning=text(message, "reasoning_content") or text(message, "reasoning") or None,
        finish_reason=finish,
        prompt_tokens=prompt,
        cached_tokens=cached,
        output_tokens=output,
        reasoning_tokens=count(part(usage, "completion_tokens_details"), "reasoning_tokens"),
        seconds=seconds,
        cost_usd=cost,
        state=state,
        detail=detail,
        retryable=state is ReplyState.ERROR,
    )


def error_reply(status: int, body: Any) -> RawReply:
    """What an answer with another status means for the request."""
    error = _error(body)
    codes = {error.get("code"), error.get("type")}
    state, retryable = ReplyState.ERROR, status in _LATER or status >= 500
    if _is_too_long(status, error, codes):
        state, retryable = ReplyState.TOO_LONG, False
    elif status == 400 and codes & _BLOCKED_CODES:
        state, retryable = ReplyState.BLOCKED, False
    words = error_words(status, body)
    return RawReply(
        state=state,
        detail=f"refusal: {words}" if state is ReplyState.BLOCKED else words,
        prompt_tokens=count(error, "n_prompt_tokens"),
        retryable=retryable,
    )


def fatal_error(status: int, body: Any) -> str | None:
    """What to do about a failure that every request would meet; None for any other."""
    codes = {_error(body).get("code"), _error(body).get("type")}
    if status == 401:
        return "Check the key in the environment."
    if status in (402, 429) and (status == 402 or "insufficient_quota" in codes):
        return "The account has no credit left; go on with the same command when it has."
    if status == 403:
        return "The key may not use this model, or not from here."
    if status == 404 or 300 <= status < 400:
        return "Check the model's name and --base-url, which mostly ends in /v1."
    if status == 400 and codes & _PARAMETER_CODES:
        return "Give the model's `request` in a file for --models, such as request = { temperature = 1 }."
    return None


def error_words(status: int, body: Any) -> str:
    """A failure in words: status, code and the server's own message."""
    error = _error(body)
    said = error.get("message") or error.get("detail") or ""
    code = error.get("code")
    shown = f"{status} {code}" if isinstance(code, str) and code else str(status)
    # For a wrong key the server quotes parts of it.
    reason = "" if status == 401 else " ".join(str(said).split())[:_REASON]
    return valid_text(f"status {shown}: {reason}" if reason else f"status {shown}")


def _is_too_long(status: int, error: Mapping[str, Any], codes: set[Any]) -> bool:
    if status == 413 or (status in (400, 422) and codes & _TOO_LONG_CODES):
        return True
    return status in (400, 422) and bool(_TOO_LONG_WORDS.search(str(error.get("message", ""))))


def _state(message: Mapping[str, Any], finish: str | None) -> tuple[ReplyState | None, str | None]:
    """The state and its reason, where the answer itself says that it is none."""
    if refusal := text(message, "refusal"):
        return ReplyState.BLOCKED, f"refusal: {refusal[:_REASON]}"
    if finish == "content_filter":
        return ReplyState.BLOCKED, "content_filter: the provider's filter stopped the answer"
    if finish in ("abort", "error"):
        return ReplyState.ERROR, f"the server ended the request with '{finish}'"
    return None, None


def _first_choice(data: Any) -> Mapping[str, Any] | None:
    return min(parts(data, "choices"), key=lambda choice: count(choice, "index") or 0, default=None)


def _content(message: Mapping[str, Any]) -> str:
    """The answer's text, which some servers give in parts."""
    return text(message, "content") or "".join(text(one, "text") for one in parts(message, "content"))


def _error(body: Any) -> Mapping[str, Any]:
    """The error object, which some servers give bare or as mere text; its code and type are texts or numbers."""
    found = body.get("error", body) if isinstance(body, Mapping) else body
    if isinstance(found, str):
        return {"message": found}
    if not isinstance(found, Mapping):
        return {}
    return {name: value for name, value in found.items() if not isinstance(value, (list, dict))}


def _strict(schema: Any) -> Any:
    """The schema as strict mode wants it: no property may be left out. Those that may be elsewhere may be null."""
    if isinstance(schema, list):
        return [_strict(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    strict = {name: _strict(value) for name, value in schema.items() if name != "properties"}
    if isinstance(properties := schema.get("properties"), Mapping):
        strict["properties"] = {name: _strict(value) for name, value in properties.items()}
        strict["required"] = list(properties)
    return strict
