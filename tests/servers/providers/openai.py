"""OpenAI's chat completions: models, answers, what it refuses, and its errors, as its API reference has them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from servers.answers import Answer, Fault, instead
from servers.providers.local import Asked, Says, as_json
from servers.providers.said import Said

CHAT = "/v1/chat/completions"
_MODELS = "/v1/models"
_COUNTS = {"/tokenize": "count", f"{CHAT}/input_tokens": "input_tokens"}
"""How vLLM and llama.cpp count a prompt."""
_LENIENT = ("vllm", "llamacpp")
_FINISH = {"end": "stop", "length": "length", "refusal": "stop", "filter": "content_filter", "recitation": "stop"}
_KNOWN = {"model", "messages", "response_format", "max_completion_tokens", "max_tokens", "temperature", "seed"}
_KNOWN |= {"reasoning_effort", "service_tier", "verbosity", "top_p", "store", "metadata"}
_OF_SERVERS = {"chat_template_kwargs", "cache_prompt"}
_STRICT = {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum"}
_STRICT |= {"minimum", "maximum", "minItems", "maxItems"}


class OpenAIWire:
    """OpenAI, or a server that speaks like it.

    Args:
        models: the names of its models, with what its list says of each beside the name.
        key: what it takes; None for a server that wants none.
        thinks: models that take no temperature and no `max_tokens`.
        context: tokens that a model holds, where a token is a word.
        hosted: OpenAI itself, which refuses the words of other servers.
        lists: whether it has a list of models.
    """

    def __init__(
        self,
        models: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        key: str | None = None,
        thinks: frozenset[str] = frozenset(),
        context: int = 100_000,
        hosted: bool = False,
        lists: bool = True,
    ) -> None:
        self._models = models if models is not None else {"small": {}}
        self._key = key
        self._thinks = thinks
        self._context = context
        self._hosted = hosted
        self._lists = lists

    def answer(self, asked: Asked, says: Says) -> Answer | None:
        """The answer to a request for models or for a completion; None for another path."""
        if not asked.path.startswith((CHAT, _MODELS, *_COUNTS)):
            return None
        if self._key is not None and asked.headers.get("authorization") != f"Bearer {self._key}":
            return wrong_key(asked.headers.get("authorization", "").removeprefix("Bearer "))
        if asked.path == CHAT:
            return self._refusal(asked.body) or completion(says(_prompt(asked.body)), asked.body["model"])
        if asked.path in _COUNTS:
            return as_json({_COUNTS[asked.path]: _words(asked.body)})
        if not self._lists:
            return None
        name = asked.path.removeprefix(_MODELS).strip("/")
        if not name:
            entries = [{"id": id_, "object": "model", **rest} for id_, rest in self._models.items()]
            return as_json({"object": "list", "data": entries})
        return as_json({"id": name, "object": "model"}) if name in self._models else unknown_model(name)

    def _refusal(self, body: Mapping[str, Any]) -> Answer | None:
        model = str(body.get("model"))
        if model not in self._models:
            return unknown_model(model)
        known = _KNOWN if self._hosted else _KNOWN | _OF_SERVERS
        if unknown := body.keys() - known:
            name = min(unknown)
            return error(400, f"Unrecognized request argument supplied: {name}", code="unknown_parameter", param=name)
        if model in self._thinks:
            if "max_tokens" in body:
                return error(400, "Use 'max_completion_tokens'.", code="unsupported_parameter", param="max_tokens")
            if body.get("temperature", 1) != 1:
                said = "'temperature' does not support this value with this model."
                return error(400, said, code="unsupported_value", param="temperature")
        form = body.get("response_format", {}).get("json_schema", {})
        faults = list(_schema_faults(form.get("schema", {})))
        if faults and self._models[model].get("owned_by") not in _LENIENT:
            return error(400, f"Invalid schema for response_format '{form.get('name')}': {faults[0]}")
        budget = body.get("max_completion_tokens") or body.get("max_tokens") or 0
        words = _words(body)
        return too_long(self._context, words) if words + budget > self._context else None


def completion(said: Said, model: str = "small") -> Answer:
    """`chat.completion`: an answer with its usage."""
    return as_json(completion_data(said, model))


def completion_data(said: Said, model: str = "small") -> dict[str, Any]:
    """The same as data, for a line of a batch's output file."""
    message: dict[str, Any] = {"role": "assistant", "content": said.text, "refusal": said.refusal}
    if said.refusal is not None:
        message["content"] = None
    if said.reasoning is not None:
        message["reasoning_content"] = said.reasoning
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_780_000_000,
        "model": model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": _FINISH[said.stop]}],
        "usage": {
            "prompt_tokens": said.prompt_tokens,
            "completion_tokens": said.output_tokens,
            "total_tokens": said.prompt_tokens + said.output_tokens,
            "prompt_tokens_details": {"cached_tokens": said.cached_tokens},
            "completion_tokens_details": {"reasoning_tokens": said.reasoning_tokens},
        },
    }


def error(
    status: int,
    message: str,
    *,
    kind: str = "invalid_request_error",
    code: str | None = None,
    param: str | None = None,
    headers: tuple[tuple[str, str], ...] = (),
) -> Answer:
    """An error in OpenAI's form."""
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    return as_json(body, status, headers)


def wrong_key(key: str) -> Answer:
    """401, which quotes the key's two ends."""
    return error(401, f"Incorrect API key provided: {key[:8]}***{key[-4:]}.", code="invalid_api_key")


def unknown_model(name: str) -> Answer:
    """404."""
    return error(404, f"The model `{name}` does not exist or you do not have access to it.", code="model_not_found")


def too_long(context: int, words: int) -> Answer:
    """400: more than the model holds."""
    said = f"This model's maximum context length is {context} tokens. However, your messages resulted in {words}."
    return error(400, said, code="context_length_exceeded", param="messages")


def rate_limited(after: float | None = None) -> Fault:
    """429: too many requests or tokens in a minute."""
    headers = (("Retry-After", f"{after:g}"),) if after is not None else ()
    said = "Rate limit reached for requests per min (RPM): Limit 500, Used 500, Requested 1."
    return instead(error(429, said, kind="requests", code="rate_limit_exceeded", headers=headers))


no_credit = instead(
    error(429, "You exceeded your current quota.", kind="insufficient_quota", code="insufficient_quota")
)
"""429 that waiting does not mend."""
broken = instead(error(500, "The server had an error while processing your request.", kind="server_error"))
"""500."""
overloaded = instead(error(503, "The engine is currently overloaded.", kind="server_error"))
"""503."""
filtered = instead(error(400, "The prompt triggered the content management policy.", code="content_filter"))
"""400 of a filter, before anything is answered."""


def changed(change: Callable[[dict[str, Any]], Any]) -> Fault:
    """Another body, under status 200."""

    return lambda answer: as_json(change(json.loads(answer.body)))


def _words(body: Mapping[str, Any]) -> int:
    return sum(len(str(message["content"]).split()) for message in body["messages"])


def _prompt(body: Mapping[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def _schema_faults(schema: Any) -> Iterator[str]:
    """What strict mode refuses: open objects, optional properties, words that it does not know."""
    if isinstance(schema, list):
        for part in schema:
            yield from _schema_faults(part)
        return
    if not isinstance(schema, Mapping):
        return
    if unknown := schema.keys() - _STRICT:
        yield f"'{min(unknown)}' is not permitted."
    properties = schema.get("properties", {})
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            yield "'additionalProperties' is required to be supplied and to be false."
        if set(schema.get("required", ())) != set(properties):
            yield "'required' is required to be an array including every key in properties."
    for part in (*properties.values(), schema.get("items"), schema.get("anyOf")):
        yield from _schema_faults(part)
