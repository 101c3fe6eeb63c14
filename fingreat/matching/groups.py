"""Groups: extractions of several runs that quote the same passage, from the one-to-one matches of every two runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, inf
from typing import TYPE_CHECKING, TypeAlias

from fingreat.errors import InputError
from fingreat.schema import Extraction, Group, Match, Member, content_id

if TYPE_CHECKING:
    import networkx as nx

Node: TypeAlias = tuple[str, str]
"""A run and the id of one of its extractions: ids are unique within a run only."""

_DIGITS = 12
"""Decimals to which mean overlaps are compared, so that sums of equal fractions are equal in floating point."""


@dataclass(frozen=True)
class Grouped:
    """The groups of one filing.

    Attributes:
        groups: in order of their medoids' place in the text, those without one last, then by id.
        medoids: for each group the extraction that stands for it, under the group's id: ids of extractions are unique
            within a run only, and these are of several. They can be matched with the extractions of a further run.
        torn: connected extractions of enough runs that are no group, since a run is there twice or two of them are
            not matched with each other.
    """

    groups: tuple[Group, ...]
    medoids: tuple[Extraction, ...]
    torn: int


def group_matches(
    filing_id: str,
    runs: Mapping[str, Sequence[Extraction]],
    matches: Mapping[tuple[str, str], Sequence[Match]],
    *,
    least: int,
) -> Grouped:
    """The components of the pairwise matches in which each run appears once and every two members are matched.

    The medoid is the member with the highest mean overlap with the others (to twelve decimals), then the one whose
    quote has fewer code points, then the one that begins earlier in the text, one that stands nowhere last, then by
    id. The order of extractions and of matches plays no part, that of the runs decides that of the members alone.

    Args:
        filing_id: of the filing that all extractions and matches are of.
        runs: name → its extractions.
        matches: the one-to-one matches of every two runs, under their names in the order of `runs`.
        least: runs that a group has at least, from 2.

    Raises:
        InputError: `least` is below 2 or more than there are runs; two runs have no matches, or they are under other
            names; an id is there twice in a run; a match names an extraction that its run lacks or one a second time;
            a record is of another filing or a match gives an extraction another edge.
    """
    if not 2 <= least <= len(runs):
        raise InputError(
            f"Groups of at least {least} runs cannot be made of {len(runs)} runs.",
            hint="Name at least two runs and a number from 2 to how many there are.",
        )
    nodes = _nodes(filing_id, runs)
    network = _network(filing_id, runs, matches, nodes)
    return _grouped(filing_id, network, nodes, least)


def _nodes(filing_id: str, runs: Mapping[str, Sequence[Extraction]]) -> dict[Node, Extraction]:
    """Every extraction under its run and id, in the order of the runs."""
    nodes: dict[Node, Extraction] = {}
    for run, extractions in runs.items():
        for extraction in extractions:
            if extraction.filing_id != filing_id:
                raise InputError(
                    f"extraction {extraction.id} is of filing {extraction.filing_id}, not {filing_id}.",
                    where=f"run {run}",
                )
            if (run, extraction.id) in nodes:
                raise InputError(f"extraction {extraction.id} is there twice.", where=f"run {run}")
            nodes[run, extraction.id] = extraction
    return nodes


def _network(
    filing_id: str,
    runs: Iterable[str],
    matches: Mapping[tuple[str, str], Sequence[Match]],
    nodes: Mapping[Node, Extraction],
) -> nx.Graph[Node]:
    """Matched extractions, joined where they are matched, with the attribute `overlap`."""
    # Imported where it is used: it takes longer than everything else that `fingreat --help` needs of this room.
    import networkx as nx

    pairs = list(combinations(runs, 2))
    if odd := matches.keys() ^ set(pairs):
        names = " and ".join(min(odd))
        raise InputError(
            f"there are matches of {names}, which are no two of the runs in their order."
            if min(odd) in matches
            else f"the matches of {names} are missing."
        )
    network: nx.Graph[Node] = nx.Graph()
    for pair in pairs:
        _check_matches(filing_id, pair, matches[pair], nodes)
        a, b = pair
        network.add_edges_from(((a, match.a), (b, match.b), {"overlap": match.overlap}) for match in matches[pair])
    return network


def _check_matches(
    filing_id: str, pair: tuple[str, str], matches: Sequence[Match], nodes: Mapping[Node, Extraction]
) -> None:
    """Refuse matches that are not a one-to-one assignment between just these extractions."""
    seen: set[Node] = set()
    for match in matches:
        where = f"match {match.a} – {match.b}"
        if match.filing_id != filing_id:
            raise InputError(f"is of filing {match.filing_id}, not {filing_id}.", where=where)
        for node, edge in (((pair[0], match.a), match.edge_a), ((pair[1], match.b), match.edge_b)):
            run, id_ = node
            extraction = nodes.get(node)
            if extraction is None:
                raise InputError(f"names {id_}, which run {run} does not have.", where=where)
            if extraction.edge != edge:
                raise InputError(f"gives {id_} another edge than run {run} does.", where=where)
            if node in seen:
                raise InputError(f"uses {id_} of run {run} a second time.", where=where)
            seen.add(node)


def _grouped(filing_id: str, network: nx.Graph[Node], nodes: Mapping[Node, Extraction], least: int) -> Grouped:
    import networkx as nx

    order = {run: number for number, (run, _) in enumerate(nodes)}
    found: list[tuple[Group, Extraction]] = []
    torn = 0
    for component in nx.connected_components(network):
        members = sorted(component, key=lambda node: order[node[0]])
        n_runs = len({run for run, _ in members})
        if n_runs < least:
            continue
        if n_runs < len(members) or any(len(network[node]) < n_runs - 1 for node in members):
            torn += 1
            continue
        medoid = nodes[_medoid(network, members, nodes)]
        group = _group(filing_id, members, medoid, nodes)
        found.append((group, medoid.model_copy(update={"id": group.id})))
    found.sort(key=lambda pair: (_begin(pair[1]), pair[0].id))
    return Grouped(tuple(group for group, _ in found), tuple(medoid for _, medoid in found), torn)


def _medoid(network: nx.Graph[Node], members: Sequence[Node], nodes: Mapping[Node, Extraction]) -> Node:
    def rank(node: Node) -> tuple[float, int, float, str, str]:
        extraction = nodes[node]
        # `fsum` is exact, so that the order of the runs plays no part.
        mean = fsum(match["overlap"] for match in network[node].values()) / (len(members) - 1)
        return -round(mean, _DIGITS), len(extraction.quote), _begin(extraction), extraction.id, node[0]

    return min(members, key=rank)


def _group(filing_id: str, members: Sequence[Node], medoid: Extraction, nodes: Mapping[Node, Extraction]) -> Group:
    return Group(
        id=content_id("grp", sorted([run, id_] for run, id_ in members)),
        filing_id=filing_id,
        members=tuple(Member(run=node[0], id=node[1], edge=nodes[node].edge) for node in members),
        medoid=medoid.id,
        quote=medoid.quote,
        ranges=medoid.ranges,
    )


def _begin(extraction: Extraction) -> float:
    """Where an extraction begins in the text; one that stands nowhere comes last."""
    return min((start for start, _ in extraction.ranges), default=inf)
