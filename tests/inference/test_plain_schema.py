"""The schema that providers are sent: what it keeps, what it leaves to the judge, what the provider's own SDK says."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from reply_builders import GRAPH, quoted, spanned

from fingreat.inference.hosted.plain_schema import plain_schema
from fingreat.schema import Mode, reply_schema
from fingreat.schema.reply import classification_schema

FACETS = {name: values[0] for name, values in GRAPH.facets.items()}
SCHEMAS = [
    reply_schema(GRAPH, "quote"),
    reply_schema(GRAPH, "quote", facets=True),
    reply_schema(GRAPH, "span", facets=True),
    classification_schema(GRAPH),
]


def test_limits_go_and_null_is_an_alternative_of_its_own() -> None:
    schema = {
        "type": "object",
        "properties": {
            "minimum": {"type": "integer", "minimum": 1},
            "kind": {"type": ["string", "null"], "enum": ["a", "b", None]},
            "list": {"type": "array", "items": {"type": ["string", "null"]}, "maxItems": 5},
        },
        "required": ["minimum", "kind", "list"],
        "additionalProperties": False,
    }
    nullable = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert plain_schema(schema) == {
        "type": "object",
        "properties": {
            "minimum": {"type": "integer"},
            "kind": {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]},
            "list": {"type": "array", "items": nullable},
        },
        "required": ["minimum", "kind", "list"],
        "additionalProperties": False,
    }
    assert schema["properties"]["list"]["maxItems"] == 5


@pytest.mark.parametrize("schema", SCHEMAS)
def test_it_is_what_anthropics_own_sdk_makes_of_it(schema: dict[str, Any]) -> None:
    anthropic = pytest.importorskip("anthropic")

    def without_types_of_enums(part: Any) -> Any:
        """The SDK leaves out the type beside an enum, and may put the keys in another order."""
        if isinstance(part, list):
            return [without_types_of_enums(one) for one in part]
        if not isinstance(part, dict):
            return part
        return {name: without_types_of_enums(one) for name, one in part.items() if name != "type" or "enum" not in part}

    plain = plain_schema(schema)
    assert anthropic.transform_schema(plain) == without_types_of_enums(plain)


@pytest.mark.parametrize("mode", ["quote", "span"])
def test_a_right_reply_fits_and_an_edge_off_the_graph_does_not(mode: Mode) -> None:
    make = quoted if mode == "quote" else spanned
    off = {"source": "NNCA", "target": "NNCA"} if mode == "quote" else "NNCA-NNCA"
    form = Draft202012Validator(plain_schema(reply_schema(GRAPH, mode, facets=True)))
    assert form.is_valid({"extractions": [make(**FACETS), make(**dict.fromkeys(FACETS))]})
    assert not form.is_valid({"extractions": [make(**FACETS, edge=off)]})
    assert not form.is_valid({"extractions": [make(**dict.fromkeys(FACETS, "none of them"))]})
    assert not form.is_valid({"extractions": [make(**FACETS, more=1)]})
