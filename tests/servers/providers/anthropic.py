"""Anthropic's Messages API: models, answers, what it refuses, and its errors, as its SDK's types have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from servers.answers import Answer, Fault, instead
from servers.providers.local import Asked, Says, as_json
from servers.providers.said import Said

MESSAGES = "/v1/messages"
_MODELS = "/v1/models"
_FINISH = {"end": "end_turn", "length": "max_tokens", "refusal": "refusal", "filter": "refusal"}
_KNOWN = {"model", "max_tokens", "system", "messages", "output_config", "thinking", "temperature", "service_tier"}
_SCHEMA_WORDS = {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum"}


class AnthropicWire:
    """Anthropic.

    Args:
        models: the names of its models, with the tokens that each takes.
        key: what it takes; None for a server that wants none.
        warm: models that take a temperature.
        lists: whether it tells about its models.
    """

    def __init__(
        self,
        models: Mapping[str, int] | None = None,
        *,
        key: str | None = None,
        warm: frozenset[str] = frozenset(),
        lists: bool = True,
    ) -> None:
        self._models = models if models is not None else {"small": 100_000}
        self._key = key
        self._warm = warm
        self._lists = lists

    def answer(self, asked: Asked, says: Says) -> Answer | None:
        """The answer to a request for a model or for a message; None for another path."""
        if not asked.path.startswith((MESSAGES, _MODELS)) or (asked.path.startswith(_MODELS) and not self._lists):
            return None
        given = asked.headers.get("x-api-key") or asked.headers.get("authorization", "").removeprefix("Bearer ")
        if self._key is not None and given != self._key:
            return wrong_key
        if "anthropic-version" not in asked.headers:
            return error(400, "anthropic-version: header is required")
        if asked.path == MESSAGES:
            prompt = str(asked.body["messages"][-1]["content"])
            return self._refusal(asked.body) or as_json(message_data(says(prompt), asked.body["model"]))
        name = asked.path.removeprefix(_MODELS).strip("/")
        if name not in self._models:
            return unknown_model(name)
        return as_json({"type": "model", "id": name, "display_name": name, "max_input_tokens": self._models[name]})

    def _refusal(self, body: Mapping[str, Any]) -> Answer | None:
        model = str(body.get("model"))
        if model not in self._models:
            return unknown_model(model)
        if unknown := body.keys() - _KNOWN:
            return error(400, f"{min(unknown)}: Extra inputs are not permitted")
        if "temperature" in body and model not in self._warm:
            return error(400, "temperature: `temperature` is deprecated for this model.")
        form = body.get("output_config", {}).get("format", {})
        if faults := list(_schema_faults(form.get("schema", {}))):
            return error(400, f"output_config.format.schema: {faults[0]}")
        if any(message["role"] not in ("user", "assistant") for message in body["messages"]):
            return error(400, 'messages: Unexpected role "system".')
        words = sum(len(str(part).split()) for part in (body.get("system", ""), body["messages"]))
        return too_long(self._models[model], words) if words > self._models[model] else None


def message_data(said: Said, model: str = "small") -> dict[str, Any]:
    """A message: the answer with its usage, where cached tokens are counted apart."""
    content: list[dict[str, Any]] = []
    if said.reasoning is not None:
        content.append({"type": "thinking", "thinking": said.reasoning, "signature": "c2ln"})
    if said.refusal is None:
        # A model may give its answer in several blocks.
        middle = len(said.text) // 2
        content += [{"type": "text", "text": said.text[:middle]}, {"type": "text", "text": said.text[middle:]}]
    details = None
    if said.stop in ("refusal", "filter"):
        details = {"type": "refusal", "category": "bio", "explanation": said.refusal}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": _FINISH[said.stop],
        "stop_sequence": None,
        "stop_details": details,
        "usage": {
            "input_tokens": said.prompt_tokens - said.cached_tokens,
            "cache_read_input_tokens": said.cached_tokens,
            "cache_creation_input_tokens": 0,
            "output_tokens": said.output_tokens,
            "output_tokens_details": {"thinking_tokens": said.reasoning_tokens},
            "service_tier": "standard",
        },
    }


def error(
    status: int, message: str, *, kind: str = "invalid_request_error", headers: tuple[tuple[str, str], ...] = ()
) -> Answer:
    """An error in Anthropic's form."""
    return as_json(
        {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}, status, headers
    )


wrong_key = error(401, "invalid x-api-key", kind="authentication_error")
"""401."""


def unknown_model(name: str) -> Answer:
    """404."""
    return error(404, f"model: {name}", kind="not_found_error")


def too_long(most: int, tokens: int) -> Answer:
    """400: more than the model takes."""
    return error(400, f"prompt is too long: {tokens} tokens > {most} maximum")


def rate_limited(after: float | None = None) -> Fault:
    """429: too many requests or tokens in a minute."""
    headers = (("Retry-After", f"{after:g}"),) if after is not None else ()
    said = "This request would exceed your organization's rate limit of 50 requests per minute."
    return instead(error(429, said, kind="rate_limit_error", headers=headers))


overloaded = instead(error(529, "Overloaded", kind="overloaded_error"))
"""529."""
broken = instead(error(500, "Internal server error", kind="api_error"))
"""500."""
no_credit = instead(error(400, "Your credit balance is too low to access the Anthropic API."))
"""400 that waiting does not mend."""


def _schema_faults(schema: Any) -> Iterator[str]:
    """What its structured outputs refuse: open objects, limits, an enum beside several types."""
    if isinstance(schema, list):
        for part in schema:
            yield from _schema_faults(part)
        return
    if not isinstance(schema, Mapping):
        return
    if unknown := schema.keys() - _SCHEMA_WORDS:
        yield f"property '{min(unknown)}' is not supported"
    if isinstance(schema.get("type"), list) and "enum" in schema:
        yield f"Invalid schema: Enum value does not match declared type '{schema['type']}'"
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        yield "For 'object' type, 'additionalProperties' must be explicitly set to false"
    for part in (*schema.get("properties", {}).values(), schema.get("items"), schema.get("anyOf")):
        yield from _schema_faults(part)
