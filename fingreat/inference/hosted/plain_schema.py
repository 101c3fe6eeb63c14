"""A reply schema in the part of JSON Schema that the strict modes of all providers take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LIMITS = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
    | {"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"}
    | {"minLength", "maxLength", "pattern", "format"}
)


def plain_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without limits on numbers, counts and lengths, and with `null` as an alternative of its own.

    Anthropic refuses limits, and an `enum` beside a list of types; Gemini counts every allowed length of a list as
    states of its grammar and refuses a schema with too many, and takes no `null` in an `enum`. What is lost here is
    checked all the same when the reply is judged.

    Source: the transformation in Anthropic's SDK (`anthropic.transform_schema`), the description of
    `response_json_schema` in google-genai, and what either API answers.
    """
    plain: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties":
            plain[key] = {name: plain_schema(part) for name, part in value.items()}
        elif key in ("items", "anyOf"):
            plain[key] = plain_schema(value) if isinstance(value, Mapping) else [plain_schema(part) for part in value]
        elif key not in _LIMITS:
            plain[key] = value
    kinds = plain.get("type")
    return _alternatives(plain, kinds) if isinstance(kinds, list) else plain


def _alternatives(schema: dict[str, Any], kinds: list[str]) -> dict[str, Any]:
    """One alternative per type; the values of an `enum` go with the type that is not null."""
    rest = {key: value for key, value in schema.items() if key != "type"}
    if "enum" in rest:
        rest["enum"] = [value for value in rest["enum"] if value is not None]
    return {"anyOf": [{"type": kind} if kind == "null" else {"type": kind, **rest} for kind in kinds]}
