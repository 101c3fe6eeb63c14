"""What a reply to a classification counts as, and what back ends without a language model answer."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from jsonschema import Draft202012Validator
from reply_builders import GRAPH, raw

from fingreat.inference import RawReply, create_backend
from fingreat.inference.classify_judge import ClassifyJudge
from fingreat.schema import Message, ReplyState, Request, Sampling, classification_schema

JUDGE = ClassifyJudge(GRAPH)


def asked(passage: str) -> Request:
    return Request(
        key="req-1", filing_id="f", chunk_id="p", mode="classify", model="m", revision=None,
        messages=(Message(role="user", content=passage),), reply_schema=classification_schema(GRAPH),
        sampling=Sampling(), segments=(passage,),
    )  # fmt: skip


@pytest.mark.parametrize("edge", GRAPH.edges)
def test_every_edge_is_an_answer(edge: str) -> None:
    judged = JUDGE.judge(raw(json.dumps({"edge": edge})), 1)
    assert (judged.state, [item.edge for item in judged.items]) == (ReplyState.OK, [edge])


@pytest.mark.parametrize(
    ("text", "finish", "state"),
    [
        ('```json\n{"edge": "REV-NNCA"}\n```', "stop", ReplyState.OK),
        ('<think>sales</think>{"edge": "REV-NNCA"}', "stop", ReplyState.OK),
        ('The edge is {"edge": "REV-NNCA"}.', "stop", ReplyState.OK),
        ('{"edge": "NNCA-REV"}', "stop", ReplyState.OFF_GRAPH),
        ('{"edge": "revenue"}', "stop", ReplyState.SCHEMA_VIOLATION),
        ('{"edge": null}', "stop", ReplyState.SCHEMA_VIOLATION),
        ('{"edge": "REV-NNCA", "why": "sales"}', "stop", ReplyState.SCHEMA_VIOLATION),
        ('{"edge": {"source": "REV", "target": "NNCA"}}', "stop", ReplyState.SCHEMA_VIOLATION),
        ('["REV-NNCA"]', "stop", ReplyState.SCHEMA_VIOLATION),
        ('{"edge": "REV-NN', "length", ReplyState.TRUNCATED),
        ('{"edge": "REV-NNCA"', "stop", ReplyState.TRUNCATED),
        ('{"edge": "REV-NNCA' + " " * 300, "length", ReplyState.DEGENERATE),
        ("REV-NNCA", "stop", ReplyState.INVALID_JSON),
        ("", "stop", ReplyState.INVALID_JSON),
        ("I cannot help.", "refusal", ReplyState.BLOCKED),
    ],
)
def test_a_reply_counts_as_what_it_is(text: str, finish: str, state: ReplyState) -> None:
    judged = JUDGE.judge(raw(text, finish), 1)
    assert judged.state is state
    assert bool(judged.items) == (state is ReplyState.OK)


def test_what_the_engine_says_of_a_request_stands() -> None:
    judged = JUDGE.judge(RawReply(state=ReplyState.TOO_LONG, detail="9,000 tokens"), 1)
    assert (judged.state, judged.detail) == (ReplyState.TOO_LONG, "9,000 tokens")


def test_the_schema_offers_the_edges_of_the_graph_and_nothing_else() -> None:
    valid = Draft202012Validator(classification_schema(GRAPH)).is_valid
    assert all(valid({"edge": edge}) for edge in GRAPH.edges)
    backwards = ["-".join(edge.split("-")[::-1]) for edge in GRAPH.edges]
    assert not any(valid({"edge": edge}) for edge in backwards)
    assert not valid({})


@pytest.mark.parametrize("spec", ["lexicon", "embed"])
def test_back_ends_without_a_language_model_name_one_edge(spec: str) -> None:
    backend = create_backend(spec, GRAPH)
    passages = {
        "CASH-DIV": "We paid cash dividends of $0.25 per share to our stockholders, $31 million in all.",
        "CASH-REP": "We repurchased 1.5 million shares of our common stock under the buyback program for $60 million.",
        "NNCA-TAX": "Our effective tax rate was 36%, because we recorded a valuation allowance on deferred tax assets.",
    }
    answers = [reply for _, reply in backend.answer(asked(text) for text in passages.values())]
    found = [JUDGE.judge(reply, 1).items[0].edge for reply in answers]
    assert found == list(passages)


@pytest.mark.parametrize("spec", ["lexicon", "embed"])
def test_a_passage_without_any_cue_has_an_edge_too_and_always_the_same(spec: str) -> None:
    backend = create_backend(spec, GRAPH)
    answers = [reply.text for text in ("Hello there.",) * 3 for _, reply in backend.answer([asked(text)])]
    assert all(one == other for one, other in pairwise(answers))
    assert JUDGE.judge(raw(answers[0]), 1).state is ReplyState.OK
