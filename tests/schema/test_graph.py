"""The shipped graph has the published shape, and a faulty file is told all its faults at once."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest
from jsonschema import Draft202012Validator

from fingreat.errors import InputError, SchemaError
from fingreat.schema import load_graph, reply_schema

GRAPH = load_graph()

GOOD = """
format = 1
name = "small"
[[node]]
id = "A"
name = "a"
kind = "k"
holds = "h"
[[node]]
id = "B"
name = "b"
kind = "k"
holds = "h"
[[node]]
id = "C"
name = "c"
kind = "k"
holds = "h"
[[edge]]
id = "A-B"
source = "A"
target = "B"
category = "x"
is = "i"
[[edge]]
id = "B-C"
source = "B"
target = "C"
category = "y"
is = "i"
"""


def faults_of(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "graph.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SchemaError) as caught:
        load_graph(path)
    return list(caught.value.faults)


def test_shape_is_the_published_one() -> None:
    """11 nodes, 11 edges, connected, one cycle; five, four and two edges per category."""
    assert len(GRAPH.nodes) == 11
    assert len(GRAPH.edges) == 11
    undirected = GRAPH.network.to_undirected()
    assert undirected.number_of_edges() == 11, "end points are unique"
    assert nx.is_connected(undirected)
    assert [set(cycle) for cycle in nx.cycle_basis(undirected)] == [{"CASH", "NNCA", "ISS"}]
    by_category = [GRAPH.category(edge) for edge in GRAPH.edges]
    counts = {category: by_category.count(category) for category in GRAPH.categories()}
    assert counts == {"Net Income": 5, "Cash Flow": 4, "Equity": 2}


def test_income_statement_accounts_meet_only_net_non_cash_assets() -> None:
    for node in ("REV", "COGS", "OPEX", "NONOP", "TAX"):
        assert set(GRAPH.network.to_undirected()[node]) == {"NNCA"}


def test_capital_grouping() -> None:
    assert GRAPH.groupings == ("default", "capital")
    capital = {edge: GRAPH.category(edge, "capital") for edge in GRAPH.edges}
    assert {edge for edge, category in capital.items() if category == "Equity"} == {
        "ISS-CASH", "CASH-REP", "ISS-NNCA", "OCI-NNCA",
    }  # fmt: skip
    assert {edge for edge, category in capital.items() if category == "Cash Flow"} == {"NNCA-CASH", "CASH-DIV"}


def test_every_edge_is_defined_and_has_cues() -> None:
    assert GRAPH.lexicon is not None
    assert set(GRAPH.lexicon.cues) == set(GRAPH.edges)
    assert len(GRAPH.rules) == 15
    assert GRAPH.edges["NNCA-CASH"].facets == {"activity": ("operating", "investing", "debt")}


def test_edges_are_looked_up_in_order() -> None:
    edge = GRAPH.edge_between("REV", "NNCA")
    assert edge is not None
    assert edge.id == "REV-NNCA"
    assert GRAPH.edge_between("NNCA", "REV") is None
    assert GRAPH.edge_between("DIV", "TAX") is None


def test_unknown_edge_or_grouping_is_an_input_error() -> None:
    with pytest.raises(InputError, match="DIV-TAX"):
        GRAPH.category("DIV-TAX")
    with pytest.raises(InputError, match="no grouping 'size'"):
        GRAPH.category("REV-NNCA", "size")


def test_a_good_file_loads(tmp_path: Path) -> None:
    path = tmp_path / "graph.toml"
    path.write_text(GOOD, encoding="utf-8")
    graph = load_graph(path)
    assert (graph.name, list(graph.edges), graph.lexicon, graph.rules) == ("small", ["A-B", "B-C"], None, ())


def test_all_faults_are_told_at_once_with_their_tables(tmp_path: Path) -> None:
    text = (
        GOOD.replace('holds = "h"\n', "", 1)  # [[node]] A
        .replace('target = "C"', 'target = "D"')  # [[edge]] B-C, which leaves C alone
        .replace("format = 1", "format = 2\ncolour = 1")
    )
    assert faults_of(tmp_path, text) == [
        "top level: unknown key 'colour' (known: edge, example, format, lexicon, name, node, prototypes, rules, title)",
        "top level: 'format' must be 1, found 2",
        "[[node]] A, line 5: 'holds' is missing",
        "[[edge]] B-C, line 25: target 'D' is no node (nodes: A, B, C)",
        "[[node]] tables: C cannot be reached from A; the graph must be connected",
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (('target = "C"', 'target = "D"'), "[[edge]] B-C, line 25: target 'D' is no node (nodes: A, B, C)"),
        (('id = "B-C"', 'id = "A-B"'), "[[edge]] A-B, line 25: id 'A-B' is already used by [[edge]] A-B, line 19"),
        (('source = "B"\ntarget = "C"', 'source = "B"\ntarget = "A"'), "already joined by [[edge]] A-B, line 19"),
        (('source = "B"\ntarget = "C"', 'source = "C"\ntarget = "C"'), "runs from 'C' to itself"),
        (('category = "y"', 'category = "x"'), "at least two categories are needed, found one"),
        (('category = "y"', 'category = "y"\ngroupings = { size = "z" }'), "has no category in grouping 'size'"),
        (("[[edge]]\nid = \"B-C\"", '[lexicon]\nthreshold = 1\n[lexicon.cues.Q]\nx = 1\n[[edge]]\nid = "B-C"'),
         "'Q' is no edge"),
        (('id = "C"', 'id = "c-1"'), "'id': String should match pattern"),
        (("format = 1", 'format = 1\nrules = "none"'), "'rules' must be a list of texts"),
        (("format = 1", "format = "), "the file is not TOML"),
        (("[[edge]]\n", "[[line]]\n"), "there is no [[edge]] table"),
    ],
)  # fmt: skip
def test_each_kind_of_fault(tmp_path: Path, change: tuple[str, str], expected: str) -> None:
    text = GOOD.replace(*change)
    assert text != GOOD
    assert any(expected in fault for fault in faults_of(tmp_path, text)), faults_of(tmp_path, text)


def test_a_missing_or_binary_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        load_graph(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SchemaError, match="not UTF-8"):
        load_graph(tmp_path / "bad.toml")


def valid(mode: str, item: dict[str, object], **options: bool) -> bool:
    schema = reply_schema(GRAPH, mode, **options)  # type: ignore[arg-type]
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema).is_valid(json.loads(json.dumps({"extractions": [item]})))


def test_quote_schema_admits_edges_in_order_only() -> None:
    item = {"quote": "q", "edge": {"source": "REV", "target": "NNCA"}, "tags": [], "period": None}
    turned = item | {"edge": {"source": "NNCA", "target": "REV"}}
    assert valid("quote", item)
    assert not valid("quote", turned)
    assert valid("quote", turned, edges_only=False)
    assert not valid("quote", item | {"edge": {"source": "FOO", "target": "NNCA"}}, edges_only=False)
    assert not valid("quote", item | {"why": "x"})
    assert not valid("quote", item | {"tags": list("abcdef")})
    assert not valid("quote", {key: value for key, value in item.items() if key != "period"})


def test_span_schema_and_facets() -> None:
    item = {"first": 1, "last": 2, "edge": "NNCA-CASH", "tags": ["capex"]}
    assert valid("span", item)
    assert not valid("span", item | {"first": 0})
    # A passage of one segment need not name its last.
    one = {key: value for key, value in item.items() if key != "last"}
    assert valid("span", one)
    assert valid("span", item | {"last": None})
    assert not valid("span", {key: value for key, value in item.items() if key != "first"})
    assert not valid("span", item, facets=True)
    assert valid("span", item | {"activity": "investing"}, facets=True)
    assert valid("span", item | {"activity": None}, facets=True)
    assert not valid("span", item | {"activity": "other"}, facets=True)
