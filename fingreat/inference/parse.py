"""Judging a raw reply: its state, and the extractions that are whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from jsonschema import Draft202012Validator

from fingreat.inference.backend import RawReply
from fingreat.schema import Graph, Mode, ReplyState, reply_schema

_THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)(?:\n\s*```|\Z)", re.DOTALL | re.IGNORECASE)
_LIST_START = re.compile(r'"extractions"\s*:\s*\[')
_BLANK_RUN = 100
_CYCLE = re.compile(r"(.{4,200}?)\1{9,}\Z", re.DOTALL)
_CYCLE_TAIL = 4000
_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class Item:
    """One extraction of a reply, as generated.

    Attributes:
        index: its place in the reply, from 0.
        quote: in quote mode; `first` and `last` (segment numbers from 1) in span mode.
    """

    index: int
    edge: str
    quote: str | None = None
    first: int | None = None
    last: int | None = None
    tags: tuple[str, ...] = ()
    period: str | None = None
    facets: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Judged:
    """A reply's state, its whole extractions, and in words what is wrong or was repaired."""

    state: ReplyState
    items: tuple[Item, ...] = ()
    detail: str | None = None


class ReplyJudge:
    """Judges the replies of one run.

    A reply is taken as it is, or out of a Markdown fence, out of prose around one JSON object, or, where the
    text is empty, out of the reasoning field; `detail` says so. Nothing inside the JSON is repaired. It is
    then validated even where the engine was asked to honour the schema.

    A reply that was cut (`truncated`, `degenerate`) keeps its whole extractions and `off_graph` those on the
    graph; every other state but `ok` keeps none.
    """

    def __init__(self, graph: Graph, mode: Mode, *, facets: bool = False) -> None:
        self._graph = graph
        self._mode = mode
        self._facets = tuple(graph.facets) if facets else ()
        schema = reply_schema(graph, mode, facets=facets, edges_only=False)
        if mode == "span":
            # Any text, so that a pair of nodes that is no edge can be told from a word that is no pair.
            schema["properties"]["extractions"]["items"]["properties"]["edge"] = {"type": "string"}
        self._whole = Draft202012Validator(schema)
        self._item = Draft202012Validator(schema["properties"]["extractions"]["items"])

    def judge(self, raw: RawReply, n_segments: int) -> Judged:
        """State and extractions of a reply to a chunk with `n_segments` segments."""
        if raw.state is not None:
            return Judged(raw.state, detail=raw.detail)
        if raw.finish_reason in ("content_filter", "refusal", "safety", "recitation"):
            return Judged(ReplyState.BLOCKED, detail=f"the model stopped with '{raw.finish_reason}'")
        judged = self._judge_text(raw.text, raw.finish_reason, n_segments)
        if not raw.text.strip() and raw.reasoning:
            from_reasoning = self._judge_text(raw.reasoning, raw.finish_reason, n_segments)
            if from_reasoning.state is ReplyState.OK:
                detail = "; ".join(filter(None, ["taken from the reasoning field", from_reasoning.detail]))
                return Judged(ReplyState.OK, from_reasoning.items, detail)
        return judged

    def _judge_text(self, text: str, finish_reason: str | None, n_segments: int) -> Judged:
        for candidate, repair in _candidates(text):
            value = _loads(candidate)
            if value is not None:
                return self._judge_value(value, n_segments, repair)
        kept = tuple(self._whole_items(text, n_segments))
        if _is_degenerate(text):
            return Judged(ReplyState.DEGENERATE, kept, "ends in an endless run of blanks or of one phrase")
        if finish_reason == "length":
            return Judged(ReplyState.TRUNCATED, kept, "the answer's token budget ended")
        if _is_cut(text):
            return Judged(ReplyState.TRUNCATED, kept, "the JSON ends in the middle")
        return Judged(ReplyState.INVALID_JSON, detail="no JSON object" if text.strip() else "the reply is empty")

    def _judge_value(self, value: Any, n_segments: int, repair: str | None) -> Judged:
        faults = sorted(self._whole.iter_errors(value), key=lambda fault: len(fault.absolute_path))
        if faults:
            place = "/".join(str(part) for part in faults[0].absolute_path) or "the reply"
            return Judged(ReplyState.SCHEMA_VIOLATION, detail=f"{place}: {faults[0].message[:200]}")
        items, off_graph = [], []
        for index, data in enumerate(value["extractions"]):
            fault = self._fault(data, n_segments)
            if fault:
                return Judged(ReplyState.SCHEMA_VIOLATION, detail=f"extractions/{index}: {fault}")
            pair, edge = self._edge(data)
            if edge is None:
                off_graph.append(pair)
            else:
                items.append(self._read(index, edge, data))
        if off_graph:
            return Judged(ReplyState.OFF_GRAPH, tuple(items), f"no edge: {', '.join(dict.fromkeys(off_graph))}")
        return Judged(ReplyState.OK, tuple(items), repair)

    def _fault(self, data: dict[str, Any], n_segments: int) -> str | None:
        """What the JSON schema cannot say."""
        if self._mode == "quote":
            return None
        if not data["first"] <= data["last"] <= n_segments:
            return f"segments {data['first']} to {data['last']} of {n_segments}"
        nodes = data["edge"].split("-", 1)
        if data["edge"] not in self._graph.edges and not (len(nodes) == 2 and set(nodes) <= set(self._graph.nodes)):
            return f"'{data['edge'][:60]}' is no pair of nodes"
        return None

    def _edge(self, data: dict[str, Any]) -> tuple[str, str | None]:
        """The pair as text, and the edge's id, None where the ordered pair is no edge."""
        if self._mode == "span":
            return data["edge"], data["edge"] if data["edge"] in self._graph.edges else None
        source, target = data["edge"]["source"], data["edge"]["target"]
        edge = self._graph.edge_between(source, target)
        return f"{source} to {target}", edge.id if edge else None

    def _read(self, index: int, edge: str, data: dict[str, Any]) -> Item:
        return Item(
            index=index,
            edge=edge,
            quote=_valid_text(data["quote"]) if self._mode == "quote" else None,
            # 3.0 is an integer to JSON Schema.
            first=int(data["first"]) if self._mode == "span" else None,
            last=int(data["last"]) if self._mode == "span" else None,
            tags=tuple(_valid_text(tag) for tag in data["tags"]),
            period=_valid_text(data["period"]) if data.get("period") is not None else None,
            facets={name: data[name] for name in self._facets if data[name] is not None},
        )

    def _whole_items(self, text: str, n_segments: int) -> Iterator[Item]:
        """The extractions of a cut reply that are whole and valid."""
        start = _LIST_START.search(text)
        position, index = start.end() if start else len(text), 0
        while (position := _skip(text, position, " \t\r\n,")) < len(text) and text[position] == "{":
            try:
                data, position = _DECODER.raw_decode(text, position)
            except (ValueError, RecursionError):
                return
            if self._item.is_valid(data) and not self._fault(data, n_segments):
                _, edge = self._edge(data)
                if edge is not None:
                    yield self._read(index, edge, data)
            index += 1


def _candidates(text: str) -> Iterator[tuple[str, str | None]]:
    """Where the JSON of a reply may stand, and what that takes to say."""
    bare = _THINKING.sub("", text).strip().lstrip("\ufeff")
    yield bare, None
    if fenced := _FENCED.search(bare):
        yield fenced.group(1), "taken out of a fence"
    start, end = bare.find("{"), bare.rfind("}")
    if 0 <= start < end and (start > 0 or end < len(bare) - 1):
        yield bare[start : end + 1], "taken out of the text around it"


def _loads(text: str) -> Any:
    """The value of a JSON text, None for anything else (`null` included)."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _valid_text(text: str) -> str:
    """JSON may name half a surrogate pair, which no UTF-8 file can hold; it becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _is_degenerate(text: str) -> bool:
    if len(text) - len(text.rstrip()) >= _BLANK_RUN:
        return True
    return _CYCLE.search(text[-_CYCLE_TAIL:]) is not None


def _is_cut(text: str) -> bool:
    """Whether the text is the beginning of a JSON object that never closes."""
    start = text.find("{")
    if start < 0:
        return False
    depth, in_string, escaped = 0, False, False
    for character in text[start:]:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        else:
            depth += (character in "{[") - (character in "}]")
            if depth == 0:
                return False
    return True


def _skip(text: str, position: int, blanks: str) -> int:
    while position < len(text) and text[position] in blanks:
        position += 1
    return position
