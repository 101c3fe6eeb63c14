"""What must hold of every reply, against a slow reading that shares no code with the judge."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from reply_builders import GRAPH, judge, quoted, raw, spanned

from fingreat.schema import Mode, Reply, ReplyState

TEXT = st.text(st.characters() | st.sampled_from('{}[]",:\\`<>'), max_size=30)
EDGES = st.sampled_from([(edge.source, edge.target) for edge in GRAPH.edges.values()])
TAGS = st.lists(TEXT, max_size=5)
QUOTED = st.builds(
    lambda quote, edge, tags, period: quoted(quote, *edge, tags=tags, period=period),
    TEXT,
    EDGES,
    TAGS,
    st.none() | TEXT,
)
SPANNED = st.builds(
    lambda bounds, edge, tags: spanned(min(bounds), max(bounds), edge, tags=tags),
    st.tuples(st.integers(1, 10), st.integers(1, 10)),
    st.sampled_from(list(GRAPH.edges)),
    TAGS,
)
REPLIES = st.tuples(st.just("quote"), st.lists(QUOTED, max_size=4)) | st.tuples(
    st.just("span"), st.lists(SPANNED, max_size=4)
)
LAYOUTS = st.sampled_from([{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}])
FINISH = st.sampled_from(["stop", "length", None])


def ends_of_items(text: str) -> list[int]:
    """Where each object at depth 2 of a valid reply is complete: read character by character."""
    ends, depth, place = [], 0, 0
    while place < len(text):
        if text[place] == '"':
            place += 1
            while text[place] != '"':
                place += 2 if text[place] == "\\" else 1
        elif text[place] in "{[":
            depth += 1
        elif text[place] in "}]":
            depth -= 1
            if depth == 2:
                ends.append(place + 1)
        place += 1
    return ends


def whole(value: Any) -> Any:
    """A JSON value with half surrogate pairs replaced, as they are when a text file is written."""
    return json.loads(
        json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )


@settings(max_examples=150, deadline=None)
@given(REPLIES, LAYOUTS, st.data())
def test_any_cut_of_a_valid_reply_keeps_exactly_the_complete_extractions(
    reply: tuple[Mode, list[dict[str, Any]]], layout: dict[str, Any], data: st.DataObject
) -> None:
    mode, items = reply
    text = json.dumps({"extractions": items}, **layout)
    cut = data.draw(st.integers(1, len(text) - 1))
    judged = judge(mode).judge(raw(text[:cut], data.draw(FINISH)), 10)
    assert judged.state in (ReplyState.TRUNCATED, ReplyState.DEGENERATE)
    assert [item.index for item in judged.items] == [i for i, end in enumerate(ends_of_items(text)) if end <= cut]


@settings(max_examples=100, deadline=None)
@given(
    REPLIES,
    LAYOUTS,
    st.sampled_from(
        [
            "{}",
            "\n{}\n\n",
            "```json\n{}\n```",
            "```\n{}",
            "Here it is:\n```json\n{}\n```\nGood luck.",
            "Sure! {} Done.",
            "<think>Either [1] or 2.</think>{}",
        ]
    ),
)
def test_a_valid_reply_gives_the_same_items_in_a_fence_in_prose_and_bare(
    reply: tuple[Mode, list[dict[str, Any]]], layout: dict[str, Any], wrapping: str
) -> None:
    mode, items = reply
    text = json.dumps({"extractions": items}, **layout)
    judged = judge(mode).judge(raw(wrapping.replace("{}", text)), 10)
    assert judged.state is ReplyState.OK
    for number, (item, given_item) in enumerate(zip(judged.items, items, strict=True)):
        assert item.index == number
        assert list(item.tags) == [whole(tag) for tag in given_item["tags"]]
        if mode == "quote":
            assert item.quote == whole(given_item["quote"])
            assert item.period == whole(given_item["period"])
            assert GRAPH.edges[item.edge].source == given_item["edge"]["source"]
            assert GRAPH.edges[item.edge].target == given_item["edge"]["target"]
        else:
            assert (item.first, item.last, item.edge) == (given_item["first"], given_item["last"], given_item["edge"])


PIECES = st.sampled_from(
    ['{"extractions": [', json.dumps(quoted()), json.dumps(spanned()), "]}", ",", "{", "[", '"', "\\", " " * 50]
) | st.sampled_from(
    ["```json\n", "\n```", "<think>", "</think>", "the " * 20, "\ud800", "\\ud800", "NaN", "1e999", "null", "\ufeff"]
)


@settings(max_examples=300, deadline=None)
@example("quote", "", None, "stop")
@given(
    st.sampled_from(["quote", "span"]),
    st.text(st.characters(exclude_categories=())) | st.lists(PIECES, max_size=12).map("".join),
    st.none() | st.lists(PIECES, max_size=6).map("".join),
    FINISH,
)
def test_any_text_gets_a_state_and_a_record_that_reads_the_same(
    mode: Mode, text: str, reasoning: str | None, finish_reason: str | None
) -> None:
    judged = judge(mode).judge(raw(text, finish_reason, reasoning=reasoning), 10)
    assert judged.state in set(ReplyState) - {ReplyState.ERROR, ReplyState.TOO_LONG, ReplyState.BLOCKED}
    if judged.state in (ReplyState.INVALID_JSON, ReplyState.SCHEMA_VIOLATION):
        assert judged.items == ()
    line = Reply(key="k", state=judged.state, text=judged.text, detail=judged.detail).model_dump_json().encode("utf-8")
    again = judge(mode).judge(raw(Reply.model_validate_json(line).text, finish_reason), 10)
    assert (again.state, again.items) == (judged.state, judged.items)
