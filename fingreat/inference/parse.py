"""Judging a raw reply: its state, and the extractions that are whole."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator

from fingreat.inference.backend import RawReply
from fingreat.inference.fits import surely_fits
from fingreat.schema import Graph, Mode, ReplyState, reply_schema
from fingreat.schema.reply import MAX_EXTRACTIONS, MAX_SPAN

# Each pattern is linear in the reply's length: a model may write a megabyte of anything.
_THOUGHTS = re.compile(r"\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_THOUGHTS_END = re.compile(r"</think(?:ing)?>")
_OBJECT_START = re.compile(r'\{\s*"')
_FENCES = ("```", "```json")
_LIST_START = r'\{{\s*"{}"\s*:\s*\['
# What Python's decoder stops at where a literal, a number or an escape was cut, or at the very end.
_CUT_TOKEN = re.compile(r"t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|[-.]|[eE][+-]?|u[0-9a-fA-F]{0,4}|")
_ESCAPE = re.compile(r"\\(?:[nrtf]|u([0-9a-fA-F]{4}))")
_LINE_RUN = 100
"""Line ends at a reply's end that are too many for any text."""
_RUN_WITHOUT_LETTERS = 200
"""Characters of blanks, dots or lines at a reply's end that are too many for the leaders and columns of a table: of 66
real Items 7 the longest run without letters and figures has 122, one character's own 112."""
_SHORTEST_PHRASE, _LONGEST_PHRASE, _PHRASE_RUN = 4, 1000, 10
"""Characters of a phrase that a model may be caught in, and how often it then stands at the reply's end. In the same
Items 7 no phrase with a letter in it stands ten times in a row."""
_MOST_FAULTS = 100
"""Faults of a reply that are looked at to name the outermost one."""


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
    """A reply's state, its whole extractions, and in words what is wrong or was repaired.

    Attributes:
        text: what was judged, fit for a UTF-8 file; judging it again gives the same.
    """

    state: ReplyState
    items: tuple[Item, ...] = ()
    detail: str | None = None
    text: str = ""


class TextJudge(ABC):
    """What all forms of a reply share: where its JSON stands, and its state where there is none.

    A reply is taken as it is, or out of a Markdown fence, out of prose around one JSON object, or, where the
    text is empty, out of the reasoning field if that holds a valid reply; `detail` says so. Thoughts before an
    answer are no part of it. Nothing inside the JSON is repaired, and nothing is chosen: of two objects that differ,
    and of two values under one key, neither is the reply. It is then validated even where the engine was asked to
    honour the schema.
    """

    def judge(self, raw: RawReply, n_segments: int) -> Judged:
        """State and content of a reply to a text with `n_segments` segments."""
        text = valid_text(raw.text)
        if raw.state is not None:
            return Judged(raw.state, detail=raw.detail and valid_text(raw.detail), text=text)
        if raw.finish_reason in ("content_filter", "refusal", "safety", "recitation"):
            return Judged(ReplyState.BLOCKED, detail=f"the model stopped with '{raw.finish_reason}'", text=text)
        if not text.strip() and raw.reasoning:
            text = valid_text(raw.reasoning)
            judged = self._judge_text(text, raw.finish_reason, n_segments)
            if judged.state is ReplyState.OK:
                repairs = filter(None, ["taken from the reasoning field", judged.detail])
                return replace(judged, detail="; ".join(repairs))
            text = f"<think>{text}"
        return self._judge_text(text, raw.finish_reason, n_segments)

    def _judge_text(self, text: str, finish_reason: str | None, n_segments: int) -> Judged:
        answer = _without_thoughts(text)
        for candidate, repair in _candidates(answer):
            value = _loads(candidate)
            if value is not None:
                return replace(self._judge_value(value, n_segments, repair), text=text)
        kept = tuple(self._whole_items(answer, n_segments))
        if _is_degenerate(text):
            return Judged(ReplyState.DEGENERATE, kept, "ends in an endless run of blanks or of one phrase", text)
        if doubt := _ambiguity(answer):
            return Judged(ReplyState.INVALID_JSON, detail=doubt, text=text)
        if finish_reason == "length":
            return Judged(ReplyState.TRUNCATED, kept, "the answer's token budget ended", text)
        if _is_cut(answer):
            return Judged(ReplyState.TRUNCATED, kept, "the JSON ends in the middle", text)
        reason = "no JSON object" if answer.strip() else "the reply is empty"
        return Judged(ReplyState.INVALID_JSON, detail=reason, text=text)

    @abstractmethod
    def _judge_value(self, value: Any, n_segments: int, repair: str | None) -> Judged:
        """State and content of a reply whose JSON could be read; `repair` says what was taken off it."""

    @abstractmethod
    def _whole_items(self, text: str, n_segments: int) -> Iterator[Item]:
        """What is whole in a reply that was cut."""


class ReplyJudge(TextJudge):
    """Judges the replies of an extraction run.

    A reply that was cut (`truncated`, `degenerate`) keeps the whole ones among as many extractions as a
    reply may hold, and `off_graph` those on the graph; every other state but `ok` keeps none. A list that is full was
    cut, too, by the schema: whoever holds to it cannot write one more, and ends a loop of equal extractions there.
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

    def _judge_value(self, value: Any, n_segments: int, repair: str | None) -> Judged:
        if fault := schema_fault(self._whole, value):
            return Judged(ReplyState.SCHEMA_VIOLATION, detail=fault)
        items, off_graph = [], []
        for index, data in enumerate(value["extractions"]):
            fault = self._fault(data, n_segments)
            if fault:
                return Judged(ReplyState.SCHEMA_VIOLATION, detail=f"extractions/{index}: {fault[:200]}")
            pair, edge = self._edge(data)
            if edge is None:
                off_graph.append(pair)
            else:
                items.append(self._read(index, edge, data))
        if off_graph:
            return Judged(ReplyState.OFF_GRAPH, tuple(items), f"no edge: {', '.join(dict.fromkeys(off_graph))}")
        if len(items) < MAX_EXTRACTIONS:
            return Judged(ReplyState.OK, tuple(items), repair)
        if _runs_in_a_circle([(item.quote, item.first, item.last, item.edge) for item in items]):
            return Judged(ReplyState.DEGENERATE, tuple(items), "the list is full and ends in a run of the same")
        return Judged(ReplyState.TRUNCATED, tuple(items), f"the list is full: {len(items)} extractions")

    def _fault(self, data: dict[str, Any], n_segments: int) -> str | None:
        """What the JSON schema cannot say."""
        if self._mode == "quote":
            return None
        first, last = _range(data)
        if not first <= last <= n_segments:
            return f"segments {first} to {last} of {n_segments}"
        if last - first >= MAX_SPAN:
            return f"segments {first} to {last}, more than {MAX_SPAN}"
        return pair_fault(self._graph, data["edge"])

    def _edge(self, data: dict[str, Any]) -> tuple[str, str | None]:
        """The pair as text, and the edge's id, None where the ordered pair is no edge."""
        if self._mode == "span":
            return data["edge"], data["edge"] if data["edge"] in self._graph.edges else None
        source, target = data["edge"]["source"], data["edge"]["target"]
        edge = self._graph.edge_between(source, target)
        return f"{source} to {target}", edge.id if edge else None

    def _read(self, index: int, edge: str, data: dict[str, Any]) -> Item:
        first, last = _range(data) if self._mode == "span" else (None, None)
        return Item(
            index=index,
            edge=edge,
            quote=valid_text(data["quote"]) if self._mode == "quote" else None,
            first=first,
            last=last,
            tags=tuple(valid_text(tag) for tag in data["tags"]),
            period=valid_text(data["period"]) if data.get("period") is not None else None,
            facets={name: data[name] for name in self._facets if data[name] is not None},
        )

    def _whole_items(self, text: str, n_segments: int) -> Iterator[Item]:
        """The extractions of a cut reply that are whole and valid."""
        for index, data in enumerate(whole_objects(text, "extractions", MAX_EXTRACTIONS)):
            if not schema_fault(self._item, data) and not self._fault(data, n_segments):
                _, edge = self._edge(data)
                if edge is not None:
                    yield self._read(index, edge, data)


def whole_objects(text: str, name: str, most: int) -> Iterator[Any]:
    """The first objects of a list in a JSON text that was cut, as far as they are whole.

    Args:
        name: of the list, the first thing in an object.
    """
    start = re.search(_LIST_START.format(re.escape(name)), text)
    position, count = _skip_blanks(text, start.end() if start else len(text)), 0
    while count < most and text.startswith("{", position):
        try:
            data, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return
        yield data
        count += 1
        position = _skip_blanks(text, position)
        if not text.startswith(",", position):
            return
        position = _skip_blanks(text, position + 1)


def pair_fault(graph: Graph, edge: str) -> str | None:
    """What is wrong with a text that should be an edge's id, or at least a pair of nodes; None if nothing."""
    nodes = edge.split("-", 1)
    if edge in graph.edges or (len(nodes) == 2 and set(nodes) <= set(graph.nodes)):
        return None
    return f"{edge[:60]!r} is no pair of nodes"


def schema_fault(validator: Draft202012Validator, value: Any) -> str | None:
    """Place and nature of a fault, the outermost of the first ones; None where there is none."""
    if surely_fits(validator.schema, value):
        return None
    try:
        faults = list(islice(validator.iter_errors(value), _MOST_FAULTS))
    except RecursionError:
        # A fault's message shows the value, and what can just be read may be nested too deeply to be shown.
        return "the reply: nested too deeply"
    if not faults:
        return None
    fault = min(faults, key=lambda fault: len(fault.absolute_path))
    place = "/".join(str(part) for part in fault.absolute_path) or "the reply"
    return f"{place}: {fault.message[:200]}"


def _range(data: dict[str, Any]) -> tuple[int, int]:
    """First and last segment; a passage of one segment need not name its last. 3.0 is an integer to JSON Schema."""
    first, last = data["first"], data.get("last")
    return int(first), int(first if last is None else last)


def _without_thoughts(text: str) -> str:
    """The answer behind a block of thoughts; nothing where that block has no end."""
    if thoughts := _THOUGHTS.match(text):
        return text[thoughts.end() :]
    # Some chat templates open the block in the prompt, so that only its end shows.
    if not text.lstrip().startswith(("{", "[", "`")) and (end := _THOUGHTS_END.search(text)):
        return text[end.end() :]
    return text


def _candidates(answer: str) -> Iterator[tuple[str, str | None]]:
    """Where the JSON of a reply may stand, and what that takes to say."""
    bare = answer.strip().lstrip("\ufeff")
    yield bare, None
    places, whole = _objects(bare)
    texts = {bare[start:end] for start, end in places}
    if whole and len(texts) == 1:
        fenced = bare[: places[0][0]].rstrip().lower().endswith(_FENCES)
        yield texts.pop(), "taken out of a fence" if fenced else "taken out of the text around it"


def _objects(text: str) -> tuple[list[tuple[int, int]], bool]:
    """Where JSON objects stand in a text, up to the first that is none, and whether all are whole.

    A brace without a name after it is prose; one that closes nothing, behind the last object, is not.
    """
    places: list[tuple[int, int]] = []
    end = 0
    while start := _OBJECT_START.search(text, end):
        try:
            _, end = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            # Broken, or a second object that was cut: neither is the whole reply.
            return places, False
        places.append((start.start(), end))
    return places, "}" not in text[end:]


def _ambiguity(answer: str) -> str | None:
    """Why a text with whole JSON in it that is no reply says two things at once; None where it does not."""
    bare = answer.strip().lstrip("\ufeff")
    if len({bare[start:end] for start, end in _objects(bare)[0]}) > 1:
        return "several JSON objects, which differ"
    try:
        value = json.loads(bare, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return None if value is None else "an object with two values under one key"


def _loads(text: str) -> Any:
    """The value of a JSON text, None for anything else (`null` included)."""
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_with_keys_once)
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _with_keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; where a key stands twice in it, JSON leaves open which of the values counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


_DECODER = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_with_keys_once)


def valid_text(text: str) -> str:
    """JSON may name half a surrogate pair, which no UTF-8 file can hold; it becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _is_degenerate(text: str) -> bool:
    """Whether a reply ends in an endless run of blanks, or of one phrase; no table's leaders are as long."""
    # A dash or a line end may be written as an escape, whose letter is none of the text.
    tail = _ESCAPE.sub(_escaped, text[-2 * _LONGEST_PHRASE * _PHRASE_RUN :])
    end = tail.rstrip()
    blanks = tail[len(end) :]
    if len(blanks) >= _RUN_WITHOUT_LETTERS or blanks.count("\n") >= _LINE_RUN:
        return True
    return any(
        _is_run(end, size, size * _PHRASE_RUN)
        and (any(map(str.isalpha, end[-size:])) or _is_run(end, size, max(size * _PHRASE_RUN, _RUN_WITHOUT_LETTERS)))
        for size in range(_SHORTEST_PHRASE, _LONGEST_PHRASE + 1)
    )


def _escaped(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return "\n" if escape[0] in ("\\n", "\\r") else " "


def _is_run(text: Sequence[Any], size: int, length: int) -> bool:
    """Whether the last `length` entries repeat the last `size` of them, over and over."""
    return len(text) >= length and text[-length + size :] == text[-length:-size]


def _runs_in_a_circle(marks: Sequence[Any]) -> bool:
    """Whether a list ends in ten rounds of the same."""
    return any(_is_run(marks, size, size * _PHRASE_RUN) for size in range(1, len(marks) // _PHRASE_RUN + 1))


def _is_cut(text: str) -> bool:
    """Whether the text is the beginning of a JSON object, right so far, that never closes."""
    start = text.find("{")
    if start < 0:
        return False
    try:
        _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string") or bool(_CUT_TOKEN.fullmatch(text[error.pos :].strip()))
    except (ValueError, RecursionError):
        return False
    return False


def _skip_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position
