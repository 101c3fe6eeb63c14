"""Replies as a model may write them, and what they are judged with."""

from __future__ import annotations

import json
from typing import Any

from fingreat.inference import RawReply, ReplyJudge
from fingreat.schema import Mode, Request, Sampling, load_graph, reply_schema
from fingreat.schema.records import Message

GRAPH = load_graph()
SEGMENTS = tuple(f"Sentence {number} of the chunk. " for number in range(1, 11))


def judge(mode: Mode = "quote", *, facets: bool = False) -> ReplyJudge:
    return ReplyJudge(GRAPH, mode, facets=facets)


def quoted(
    quote: str = "Net sales rose 6% to $84.2 million.", source: str = "REV", target: str = "NNCA", **more: Any
) -> dict[str, Any]:
    """One extraction of quote mode."""
    return {"quote": quote, "edge": {"source": source, "target": target}, "tags": [], "period": None} | more


def spanned(first: Any = 1, last: Any = 2, edge: Any = "REV-NNCA", **more: Any) -> dict[str, Any]:
    """One extraction of span mode."""
    return {"first": first, "last": last, "edge": edge, "tags": []} | more


def reply_of(*items: Any) -> str:
    return json.dumps({"extractions": list(items)})


def raw(text: str, finish_reason: str | None = "stop", **more: Any) -> RawReply:
    return RawReply(text=text, finish_reason=finish_reason, **more)


def request(
    text: str = "Net sales rose.",
    segments: tuple[str, ...] = SEGMENTS,
    mode: Mode = "quote",
    *,
    facets: bool = False,
    max_tokens: int = 256,
) -> Request:
    """A request whose key follows from its text."""
    messages = (Message(role="system", content="Find the passages."), Message(role="user", content=text))
    schema = reply_schema(GRAPH, mode, facets=facets)
    sampling = Sampling(max_tokens=max_tokens)
    return Request(
        key=Request.make_key(messages, schema, sampling, "test", None),
        filing_id="filing",
        chunk_id="chunk",
        mode=mode,
        model="test",
        revision=None,
        messages=messages,
        reply_schema=schema,
        sampling=sampling,
        segments=segments,
    )
