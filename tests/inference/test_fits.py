"""What is told at once to fit a schema fits it, by the full validator's word."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from fingreat.inference.fits import surely_fits
from fingreat.schema import Mode, load_graph, reply_schema

GRAPH = load_graph()
QUOTE = {"quote": "a", "edge": {"source": "REV", "target": "NNCA"}, "tags": ["x"], "period": None}
SPAN = {"first": 1, "last": 2, "edge": "REV-NNCA", "tags": []}
ODD = st.sampled_from([None, True, 0, 1, 1.0, -1, "", "REV", "REV-NNCA", [], ["a"] * 6, [1], {}, {"source": "REV"}])


@pytest.mark.parametrize(("mode", "item"), [("quote", QUOTE), ("span", SPAN), ("span", SPAN | {"last": None})])
def test_the_usual_reply_fits_at_once(mode: Mode, item: dict[str, Any]) -> None:
    schema = reply_schema(GRAPH, mode, edges_only=False)
    assert surely_fits(schema, {"extractions": [item, item]})
    assert surely_fits(schema, {"extractions": []})


@given(st.sampled_from(["quote", "span"]), st.booleans(), st.data())
def test_what_fits_at_once_fits_by_the_full_validator(mode: Mode, facets: bool, data: st.DataObject) -> None:
    schema = reply_schema(GRAPH, mode, facets=facets, edges_only=mode == "span")
    item: dict[str, Any] = dict(QUOTE if mode == "quote" else SPAN)
    if facets:
        item |= dict.fromkeys(GRAPH.facets)
    names = st.sampled_from([*item, "more"])
    item |= data.draw(st.dictionaries(names, ODD | st.just({"source": "REV", "target": "x"}), max_size=2))
    for name in data.draw(st.sets(names, max_size=1)):
        item.pop(name, None)
    value = {"extractions": [item] * data.draw(st.sampled_from([0, 1, 65]))}
    if surely_fits(schema, value):
        assert Draft202012Validator(schema).is_valid(value)


def test_a_form_with_a_rule_that_is_not_known_is_left_to_the_validator() -> None:
    assert not surely_fits({"type": "string", "minLength": 1}, "abc")
    assert not surely_fits({"enum": ["a"]}, "a")
