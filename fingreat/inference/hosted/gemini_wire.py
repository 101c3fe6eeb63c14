"""The language of Gemini's generateContent, as plain data: what is sent, what comes back, what failures mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fingreat.inference.backend import RawReply
from fingreat.inference.hosted.plain_schema import plain_schema
from fingreat.inference.hosted.wire import count, laid_over, part, parts, text
from fingreat.inference.presets import Preset, Prices
from fingreat.schema import ReplyState, Request

_ROLES = {"user": "user", "assistant": "model"}
_OUTSIDE = ("safetySettings", "serviceTier", "store")
"""What a request holds beside its `generationConfig`."""
_FINISH = {"STOP": "stop", "MAX_TOKENS": "length", "CONTINUATION": "length"}
"""A model that may go on in another request wrote only the beginning: what is missing is asked anew, from its place."""
_RECITATION = frozenset({"RECITATION", "IMAGE_RECITATION"})
_REFUSAL = frozenset(
    ("SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "ESCALATION", "MODEL_ARMOR", "PUP_LIMITED_DISABLED")
)
_TOO_LONG_WORDS = re.compile(r"token count.*exceeds|exceeds the maximum number of tokens|payload size exceeds", re.I)
_LATER = frozenset({408, 409, 425, 429, 499})
_LATER_STATUSES = frozenset(
    ("RESOURCE_EXHAUSTED", "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED", "ABORTED", "CANCELLED", "UNKNOWN")
)
_RPC_CODES = {1: "CANCELLED", 2: "UNKNOWN", 3: "INVALID_ARGUMENT", 4: "DEADLINE_EXCEEDED", 5: "NOT_FOUND",
              7: "PERMISSION_DENIED", 8: "RESOURCE_EXHAUSTED", 10: "ABORTED", 13: "INTERNAL", 14: "UNAVAILABLE",
              16: "UNAUTHENTICATED"}  # fmt: skip
"""Codes of google.rpc, which rows of a batch carry instead of a name."""
_DELAY = re.compile(r"(\d+(?:\.\d+)?)s")
_REASON = 500
"""Characters that are kept of what a server says."""


def content_body(request: Request, preset: Preset) -> dict[str, Any]:
    """A request in the form of `POST …:generateContent`.

    The system message, which all requests of a run share, stands first; the provider caches such a beginning by
    itself. `preset.request` holds fields of google-genai's `GenerateContentConfig` and is put over the rest; `false`
    there leaves a field out, such as a temperature that a model refuses.
    """
    sampling = request.sampling
    more = preset_fields(preset.request)
    left_out = {_camel(name) for name, value in preset.request.items() if value is False}
    config = laid_over(
        {
            "maxOutputTokens": sampling.max_tokens,
            "temperature": sampling.temperature,
            "seed": sampling.seed,
            "responseMimeType": "application/json",
            "responseJsonSchema": plain_schema(request.reply_schema),
        },
        {name: value for name, value in more.items() if name not in _OUTSIDE},
    )
    return {
        "systemInstruction": {"parts": [{"text": one.content} for one in request.messages if one.role == "system"]},
        "contents": [
            {"role": _ROLES[one.role], "parts": [{"text": one.content}]}
            for one in request.messages
            if one.role != "system"
        ],
        "generationConfig": {name: value for name, value in config.items() if name not in left_out},
        **{name: more[name] for name in _OUTSIDE if name in more},
    }


def preset_fields(request: Mapping[str, Any]) -> dict[str, Any]:
    """A preset's fields of `GenerateContentConfig` as the API writes them, without those that are left out."""
    return {_camel(name): _in_camel_case(value) for name, value in request.items() if value is not False}


def content_reply(data: Any, prices: Prices | None, seconds: float | None, *, batch: bool = False) -> RawReply:
    """The reply in a response of the model; thoughts are kept apart from the answer.

    A stop for recitation and a refusal are told apart in `detail`: one helps against the first (shorter quotes, or
    span mode), another model against the second.

    Args:
        batch: it came through the batch interface, at that one's price.
    """
    if part(data, "error"):
        return error_reply(None, data)
    usage = part(data, "usageMetadata")
    prompt, cached = count(usage, "promptTokenCount"), count(usage, "cachedContentTokenCount")
    thoughts, written = count(usage, "thoughtsTokenCount"), count(usage, "candidatesTokenCount")
    # The provider counts thoughts beside the answer, and leaves out what is zero.
    output = None if prompt is None else (written or 0) + (thoughts or 0)
    candidate: Mapping[str, Any] = next(iter(parts(data, "candidates")), {})
    shown = parts(part(candidate, "content"), "parts")
    answer = "".join(text(one, "text") for one in shown if not one.get("thought"))
    stop = text(candidate, "finishReason")
    state, detail = _state(data, candidate, answer)
    cost = None
    if prices is not None and prompt is not None and output is not None:
        cost = prices.cost(prompt, cached or 0, output, batch=batch)
    return RawReply(
        text=answer,
        reasoning="".join(text(one, "text") for one in shown if one.get("thought")) or None,
        finish_reason=_FINISH.get(stop, stop.lower()) or None,
        prompt_tokens=prompt,
        cached_tokens=cached or (None if prompt is None else 0),
        output_tokens=output,
        reasoning_tokens=thoughts or (None if prompt is None else 0),
        seconds=seconds,
        cost_usd=cost,
        state=state,
        detail=detail,
        retryable=state is ReplyState.ERROR,
    )


def error_reply(status: int | None, body: Any) -> RawReply:
    """What a failure means for the request; one of a batch's rows has no status of HTTP."""
    name, said = _error(body)
    too_long = status == 413 or bool(_TOO_LONG_WORDS.search(said))
    later = name in _LATER_STATUSES or (status is not None and (status in _LATER or status >= 500))
    return RawReply(
        state=ReplyState.TOO_LONG if too_long else ReplyState.ERROR,
        detail=error_words(status, body),
        retryable=later and not too_long,
    )


def fatal_error(status: int | None, body: Any) -> str | None:
    """What to do about a failure that every request would meet; None for any other."""
    name, said = _error(body)
    # A key that is none is an INVALID_ARGUMENT here.
    if status == 401 or name == "UNAUTHENTICATED" or _detail(body, "ErrorInfo").get("reason") == "API_KEY_INVALID":
        return "Check the key in the environment."
    if status == 402 or (name == "FAILED_PRECONDITION" and status == 400):
        return "The account may not be used like this (billing, place); go on with the same command when it may."
    if any("PerDay" in text(one, "quotaId") for one in parts(_detail(body, "QuotaFailure"), "violations")):
        return "The quota of the day is used up; go on with the same command when there is a new one."
    if status == 403 or name == "PERMISSION_DENIED":
        return "The key may not use this model, or not from here."
    if status is not None and (status == 404 or 300 <= status < 400):
        return "Check the model's name and --base-url."
    if status == 400 and any(word in said.lower() for word in ("thinking", "temperature", "schema")):
        return "Give the model's `request` in a file for --models; what the provider refuses is named above."
    return None


def error_words(status: int | None, body: Any) -> str:
    """A failure in words: status and the server's own message."""
    name, said = _error(body)
    shown = " ".join(filter(None, (f"status {status}" if status is not None else "", name))) or "an error"
    # For a wrong key a server may quote it.
    reason = "" if status == 401 else " ".join(said.split())[:_REASON]
    return f"{shown}: {reason}" if reason else shown


def retry_delay(body: Any) -> float | None:
    """Seconds that the provider asks to wait (google.rpc.RetryInfo, such as "34.07s"); None where it names none."""
    found = _DELAY.fullmatch(text(_detail(body, "RetryInfo"), "retryDelay"))
    return float(found.group(1)) if found else None


def _state(data: Any, candidate: Mapping[str, Any], answer: str) -> tuple[ReplyState | None, str | None]:
    """The state and its reason, where the response itself says that it is no answer."""
    stop, message = text(candidate, "finishReason"), text(candidate, "finishMessage")[:_REASON]
    words = ": ".join(filter(None, (stop, message)))
    feedback = part(data, "promptFeedback")
    if blocked := text(feedback, "blockReason"):
        more = text(feedback, "blockReasonMessage")[:_REASON]
        return ReplyState.BLOCKED, f"refusal: the prompt, for {': '.join(filter(None, (blocked, more)))}"
    if stop in _RECITATION:
        return ReplyState.BLOCKED, f"recitation: {words}"
    if stop in _REFUSAL:
        return ReplyState.BLOCKED, f"refusal: {words}"
    if not candidate:
        return ReplyState.ERROR, "the answer holds no candidate"
    if not answer and stop not in _FINISH:
        return ReplyState.ERROR, f"the model stopped without an answer: {words or 'no reason'}"
    return None, None


def _error(body: Any) -> tuple[str, str]:
    """Name of the status, and message. What is no JSON is given by the SDK with a status in other words."""
    error = part(body, "error") or (body if isinstance(body, Mapping) else {})
    code = error.get("code")
    name = text(error, "status") or (_RPC_CODES.get(code, "") if isinstance(code, int) else "")
    return name, text(error, "message") or (body if isinstance(body, str) else "")


def _detail(body: Any, kind: str) -> Mapping[str, Any]:
    """The part of an error's details that is of this type of google.rpc."""
    found = parts(part(body, "error") or body, "details")
    return next((one for one in found if text(one, "@type").endswith(f"google.rpc.{kind}")), {})


def _in_camel_case(value: Any) -> Any:
    """The value with the names of its fields as the API writes them."""
    if isinstance(value, Mapping):
        return {_camel(name): _in_camel_case(inner) for name, inner in value.items()}
    return [_in_camel_case(one) for one in value] if isinstance(value, list) else value


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other[:1].upper() + other[1:] for other in others)
