"""Reading a graph file: every fault at once, each with its table and line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from fingreat.errors import InputError, SchemaError
from fingreat.schema.graph import Edge, Example, Graph, Lexicon, Node, Prototypes
from fingreat.schema.ids import sha256_hex

_T = TypeVar("_T", bound=BaseModel)
_FORMAT = 1
_TOP_LEVEL = {"format", "name", "title", "rules", "node", "edge", "lexicon", "prototypes", "example"}
_HEADER = re.compile(r"^\s*\[\[\s*(\w+)\s*\]\]")


def load_graph(path: Path | None = None) -> Graph:
    """Read and validate a graph file; the shipped `gaap11` without a path.

    Raises:
        InputError: the file is missing or cannot be read.
        SchemaError: the file has faults; the error lists every one.
    """
    if path is None:
        return parse_graph(files("fingreat.schema").joinpath("gaap11.toml").read_bytes(), source="gaap11.toml")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot read the graph file ({error.strerror}).", where=str(path), hint="Check --schema."
        ) from error
    return parse_graph(data, source=str(path))


def parse_graph(data: bytes, source: str) -> Graph:
    """A graph from the bytes of its file.

    Raises:
        SchemaError: with every fault that was found.
    """
    try:
        text = data.decode("utf-8")
        table = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise SchemaError([f"the file is not UTF-8 (byte {error.start})"], where=source) from error
    except tomllib.TOMLDecodeError as error:
        raise SchemaError([f"the file is not TOML: {error}"], where=source) from error
    except RecursionError as error:
        raise SchemaError(["the file is nested too deeply"], where=source) from error

    places = _Places(text)
    faults = list(_top_level_faults(table))
    nodes = _read_tables(Node, table.get("node"), "node", places, faults)
    edges = _read_tables(Edge, table.get("edge"), "edge", places, faults)
    lexicon = _read_one(Lexicon, table.get("lexicon"), "lexicon", faults)
    prototypes = _read_one(Prototypes, table.get("prototypes"), "prototypes", faults)
    example = _read_one(Example, table.get("example"), "example", faults)
    faults += _duplicate_faults(nodes, edges)
    known = _ids(table.get("node"))
    faults += _edge_faults(known, edges)
    faults += _grouping_faults(edges)
    faults += _shape_faults(known, edges)
    faults += _lexicon_faults(lexicon, _ids(table.get("edge")))
    faults += _prototype_faults(prototypes, _ids(table.get("edge")))
    faults += _example_faults(example, _ids(table.get("edge")))
    if faults:
        raise SchemaError(faults, where=source)
    return Graph(
        name=table["name"],
        title=table.get("title", table["name"]),
        nodes={node.id: node for _, node in nodes},
        edges={edge.id: edge for _, edge in edges},
        rules=tuple(table.get("rules", ())),
        lexicon=lexicon,
        prototypes=prototypes,
        example=example,
        digest=sha256_hex(data),
        source=source,
    )


class _Places:
    """Names for the n-th `[[node]]` or `[[edge]]` table, with its line."""

    def __init__(self, text: str) -> None:
        self._lines: dict[str, list[int]] = {}
        for number, line in enumerate(text.splitlines(), 1):
            if match := _HEADER.match(line):
                self._lines.setdefault(match.group(1), []).append(number)

    def name(self, kind: str, index: int, table: Any) -> str:
        lines = self._lines.get(kind, [])
        line = f", line {lines[index]}" if index < len(lines) else ""
        label = table.get("id") if isinstance(table, Mapping) else None
        return f"[[{kind}]] {label or f'number {index + 1}'}{line}"


def _top_level_faults(table: Mapping[str, Any]) -> Iterator[str]:
    for key in sorted(set(table) - _TOP_LEVEL):
        yield f"top level: unknown key '{key}' (known: {', '.join(sorted(_TOP_LEVEL))})"
    if table.get("format") != _FORMAT:
        yield f"top level: 'format' must be {_FORMAT}, found {table.get('format')!r}"
    if not isinstance(table.get("name"), str) or not table["name"]:
        yield "top level: 'name' is missing or not a text"
    if not isinstance(table.get("title", ""), str):
        yield "top level: 'title' is not a text"
    rules = table.get("rules", [])
    if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
        yield "top level: 'rules' must be a list of texts"


def _read_tables(model: type[_T], tables: Any, kind: str, places: _Places, faults: list[str]) -> list[tuple[str, _T]]:
    if not isinstance(tables, list) or not tables:
        faults.append(f"there is no [[{kind}]] table")
        return []
    read: list[tuple[str, _T]] = []
    for index, table in enumerate(tables):
        place = places.name(kind, index, table)
        try:
            read.append((place, model.model_validate(table)))
        except ValidationError as error:
            faults += [f"{place}: {_in_words(detail)}" for detail in error.errors()]
    return read


def _in_words(detail: Any) -> str:
    """One pydantic error as a sentence that names the key."""
    key = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "missing":
        return f"'{key}' is missing"
    if detail["type"] == "extra_forbidden":
        return f"unknown key '{key}'"
    return f"'{key}': {detail['msg']}, found {detail['input']!r}"


def _read_one(model: type[_T], table: Any, name: str, faults: list[str]) -> _T | None:
    if table is None:
        return None
    try:
        return model.model_validate(table)
    except ValidationError as error:
        faults += [f"[{name}]: {_in_words(detail)}" for detail in error.errors()]
        return None


def _duplicate_faults(nodes: list[tuple[str, Node]], edges: list[tuple[str, Edge]]) -> Iterator[str]:
    for records in (nodes, edges):
        seen: dict[str, str] = {}
        for place, record in records:
            if record.id in seen:
                yield f"{place}: id '{record.id}' is already used by {seen[record.id]}"
            seen.setdefault(record.id, place)


def _ids(tables: Any) -> set[str]:
    """The ids of all tables, also of those with another fault, so that one fault is not reported as two."""
    return {str(table.get("id")) for table in tables if isinstance(table, dict)} if isinstance(tables, list) else set()


def _edge_faults(known: set[str], edges: list[tuple[str, Edge]]) -> Iterator[str]:
    seen: dict[frozenset[str], str] = {}
    for place, edge in edges:
        for end, node in (("source", edge.source), ("target", edge.target)):
            if node not in known:
                yield f"{place}: {end} '{node}' is no node (nodes: {', '.join(sorted(known)) or 'none'})"
        if edge.source == edge.target:
            yield f"{place}: runs from '{edge.source}' to itself"
        # A flow that runs the other way is still the same edge, so the pair counts without its order.
        ends = frozenset((edge.source, edge.target))
        if ends in seen:
            yield f"{place}: '{edge.source}' and '{edge.target}' are already joined by {seen[ends]}"
        seen.setdefault(ends, place)


def _grouping_faults(edges: list[tuple[str, Edge]]) -> Iterator[str]:
    names = sorted({name for _, edge in edges for name in edge.groupings})
    for place, edge in edges:
        for name in names:
            if name not in edge.groupings:
                yield f"{place}: has no category in grouping '{name}', which other edges name"
        if "default" in edge.groupings:
            yield f"{place}: grouping 'default' is what 'category' gives; name it otherwise"
    if edges and len({edge.category for _, edge in edges}) < 2:
        yield "[[edge]] tables: at least two categories are needed, found one"
    for name in names:
        if len({edge.groupings[name] for _, edge in edges if name in edge.groupings}) < 2:
            yield f"[[edge]] tables: grouping '{name}' needs at least two categories"


def _shape_faults(known: set[str], edges: list[tuple[str, Edge]]) -> Iterator[str]:
    # Every run loads its graph, and importing networkx for this alone takes ten times as long as all other checks.
    part_of = {node: {node} for node in known}
    for _, edge in edges:
        if edge.source in known and edge.target in known:
            joined = part_of[edge.source] | part_of[edge.target]
            part_of.update(dict.fromkeys(joined, joined))
    parts = sorted({tuple(sorted(part)) for part in part_of.values()}, key=lambda part: (-len(part), part))
    for part in parts[1:]:
        yield f"[[node]] tables: {', '.join(part)} cannot be reached from {parts[0][0]}; the graph must be connected"


def _lexicon_faults(lexicon: Lexicon | None, known: set[str]) -> Iterator[str]:
    for edge_id in lexicon.cues if lexicon else ():
        if edge_id not in known:
            yield f"[lexicon.cues.{edge_id}]: '{edge_id}' is no edge"


def _prototype_faults(prototypes: Prototypes | None, known: set[str]) -> Iterator[str]:
    if prototypes is None:
        return
    for edge_id in prototypes.evidence:
        if edge_id not in known:
            yield f"[prototypes.evidence]: '{edge_id}' is no edge"
    for edge_id in sorted(known - set(prototypes.evidence)):
        yield f"[prototypes.evidence]: edge '{edge_id}' has no statement"


def _example_faults(example: Example | None, known: set[str]) -> Iterator[str]:
    for number, extraction in enumerate(example.extractions if example else (), 1):
        place = f"[[example.extractions]] number {number}"
        if extraction.edge not in known:
            yield f"{place}: '{extraction.edge}' is no edge"
        if example and not extraction.first <= extraction.last <= len(example.segments):
            last = len(example.segments)
            yield f"{place}: segments {extraction.first} to {extraction.last} are not among 1 to {last}"
