"""Gemini's generateContent: models, answers, what it refuses, and its errors, as its SDK's types have them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from servers.answers import Answer, Fault, instead
from servers.providers.local import Asked, Says, as_json
from servers.providers.said import Said

_PATH = re.compile(r"/v1(?:beta)?/models/([^/:]+)(:generateContent)?")
_FINISH = {"end": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY", "recitation": "RECITATION"}
_KNOWN = {"contents", "systemInstruction", "generationConfig", "safetySettings", "serviceTier"}
_CONFIG = {"maxOutputTokens", "temperature", "seed", "responseMimeType", "responseJsonSchema", "thinkingConfig", "topP"}
_SCHEMA_WORDS = {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum"}
_GOOGLE = "type.googleapis.com/google.rpc."


class GeminiWire:
    """The Gemini API.

    Args:
        models: the names of its models, with the tokens that each takes.
        key: what it takes; None for a server that wants none.
        cold: models that refuse a temperature.
        lists: whether it tells about its models.
    """

    def __init__(
        self,
        models: Mapping[str, int] | None = None,
        *,
        key: str | None = None,
        cold: frozenset[str] = frozenset(),
        lists: bool = True,
    ) -> None:
        self._models = models if models is not None else {"small": 100_000}
        self._key = key
        self._cold = cold
        self._lists = lists

    def answer(self, asked: Asked, says: Says) -> Answer | None:
        """The answer to a request for a model or for content; None for another path."""
        found = _PATH.fullmatch(asked.path)
        if found is None or (not found[2] and not self._lists):
            return None
        if self._key is not None and asked.headers.get("x-goog-api-key") != self._key:
            return wrong_key
        name = found[1]
        if name not in self._models:
            return unknown_model(name)
        if not found[2]:
            return as_json({"name": f"models/{name}", "inputTokenLimit": self._models[name], "outputTokenLimit": 8192})
        prompt = str(asked.body["contents"][-1]["parts"][0]["text"])
        return self._refusal(name, asked.body) or as_json(content_data(says(prompt), name))

    def _refusal(self, model: str, body: Mapping[str, Any]) -> Answer | None:
        config = body.get("generationConfig", {})
        if unknown := (body.keys() - _KNOWN) | (config.keys() - _CONFIG):
            return error(400, f'Invalid JSON payload received. Unknown name "{min(unknown)}": Cannot find field.')
        if "temperature" in config and model in self._cold:
            return error(400, "temperature is not supported by this model.")
        if config.get("responseMimeType") != "application/json":
            return error(400, "response_json_schema needs response_mime_type application/json")
        if faults := list(_schema_faults(config.get("responseJsonSchema", {}))):
            return error(400, f"GenerateContentRequest.generation_config.response_json_schema: {faults[0]}")
        if any(content["role"] not in ("user", "model") for content in body["contents"]):
            return error(400, "Please use a valid role: user, model.")
        words = sum(len(str(part).split()) for part in (body["contents"], body.get("systemInstruction", "")))
        return too_long(self._models[model], words) if words > self._models[model] else None


def content_data(said: Said, model: str = "small") -> dict[str, Any]:
    """A response: the answer with its usage, where thoughts are counted beside the answer and zeros are left out."""
    parts: list[dict[str, Any]] = []
    if said.reasoning is not None:
        parts.append({"text": said.reasoning, "thought": True})
    usage = {
        "promptTokenCount": said.prompt_tokens,
        "cachedContentTokenCount": said.cached_tokens,
        "candidatesTokenCount": said.output_tokens - said.reasoning_tokens,
        "thoughtsTokenCount": said.reasoning_tokens,
        "totalTokenCount": said.prompt_tokens + said.output_tokens,
    }
    data: dict[str, Any] = {
        "usageMetadata": {name: number for name, number in usage.items() if number},
        "modelVersion": model,
        "responseId": "r1",
    }
    if said.stop == "filter":
        return {**data, "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
    if said.stop in ("end", "length"):
        # A model may give its answer in several parts.
        middle = len(said.text) // 2
        parts += [{"text": said.text[:middle]}, {"text": said.text[middle:], "thoughtSignature": "c2ln"}]
    candidate: dict[str, Any] = {"index": 0, "finishReason": _FINISH[said.stop]}
    if parts:
        candidate["content"] = {"role": "model", "parts": parts}
    if said.refusal is not None:
        candidate["finishMessage"] = said.refusal
    return {**data, "candidates": [candidate]}


def error(
    status: int, message: str, name: str = "INVALID_ARGUMENT", details: tuple[dict[str, Any], ...] = ()
) -> Answer:
    """An error in Google's form."""
    body: dict[str, Any] = {"code": status, "message": message, "status": name}
    if details:
        body["details"] = list(details)
    return as_json({"error": body}, status)


wrong_key = error(
    400,
    "API key not valid. Please pass a valid API key.",
    details=({"@type": f"{_GOOGLE}ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"},),
)
"""400, which is what Google says of a key that is none."""


def unknown_model(name: str) -> Answer:
    """404."""
    return error(404, f"models/{name} is not found for API version v1beta.", "NOT_FOUND")


def too_long(most: int, tokens: int) -> Answer:
    """400: more than the model takes."""
    return error(400, f"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({most}).")


def rate_limited(after: float | None = None) -> Fault:
    """429: a quota of the minute; the wait stands in the body."""
    details = ({"@type": f"{_GOOGLE}RetryInfo", "retryDelay": f"{after:g}s"},) if after is not None else ()
    return instead(error(429, "You exceeded your current quota.", "RESOURCE_EXHAUSTED", details))


overloaded = instead(error(503, "The model is overloaded. Please try again later.", "UNAVAILABLE"))
"""503."""
broken = instead(error(500, "An internal error has occurred.", "INTERNAL"))
"""500."""


def _schema_faults(schema: Any) -> Iterator[str]:
    """What it refuses: words that it does not know, null among the values of an enum."""
    if isinstance(schema, list):
        for part in schema:
            yield from _schema_faults(part)
        return
    if not isinstance(schema, Mapping):
        return
    if unknown := schema.keys() - _SCHEMA_WORDS:
        yield f"unknown or costly word '{min(unknown)}'"
    if None in schema.get("enum", ()):
        yield "enum: null is not allowed"
    for part in (*schema.get("properties", {}).values(), schema.get("items"), schema.get("anyOf")):
        yield from _schema_faults(part)
