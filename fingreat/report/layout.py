"""Places for nodes and edge labels: a layered drawing, left to right, the same for the same graph.

The steps are those of Sugiyama, Tagawa and Toda (1981), with the greedy cycle removal of Eades, Lin and
Smyth (1993). Every edge's label takes a cell of its own in a column between its nodes, so labels can
overlap neither each other nor a node, whatever the graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fingreat.schema import Graph

Size = tuple[float, float]
Point = tuple[float, float]

_ROW_GAP = 18.0
_COLUMN_GAP = 26.0
_SWEEPS = 12


@dataclass
class Cell:
    """A node, an edge's label or a bend of a long edge; `x` and `y` are the centre, in pixels."""

    key: tuple[str, ...]
    column: int
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    before: list[Cell] = field(default_factory=list, repr=False)
    after: list[Cell] = field(default_factory=list, repr=False)


@dataclass(frozen=True)
class Layout:
    """Where everything goes, in pixels from the top left corner.

    Attributes:
        nodes: node id → cell.
        labels: edge id → cell.
        paths: edge id → points from the left node to the right one, in pairs that a curve joins.
        reversed: edges that run from right to left.
    """

    nodes: Mapping[str, Cell]
    labels: Mapping[str, Cell]
    paths: Mapping[str, tuple[Point, ...]]
    reversed: frozenset[str]
    width: float
    height: float


def layered(graph: Graph, node_size: Mapping[str, Size], label_size: Mapping[str, Size]) -> Layout:
    """A layered drawing of a graph whose nodes and edge labels have the given sizes (width, height)."""
    place = {node: i for i, node in enumerate(_cycle_free_order(graph))}
    backward = frozenset(e.id for e in graph.edges.values() if place[e.source] > place[e.target])
    links = {e.id: (e.target, e.source) if e.id in backward else (e.source, e.target) for e in graph.edges.values()}
    ranks = _ranks(sorted(graph.nodes, key=place.__getitem__), list(links.values()))
    nodes = {n: Cell(("node", n), 2 * ranks[n], *node_size[n]) for n in graph.nodes}
    labels: dict[str, Cell] = {}
    routes: dict[str, list[Cell]] = {}
    for edge, (left, right) in links.items():
        route = [nodes[left]]
        for column in range(2 * ranks[left] + 1, 2 * ranks[right]):
            is_label = edge not in labels
            size = label_size[edge] if is_label else (0.0, 4.0)
            cell = Cell(("label" if is_label else "bend", edge, str(column)), column, *size)
            if is_label:
                labels[edge] = cell
            route.append(cell)
        route.append(nodes[right])
        routes[edge] = route
        for a, b in pairwise(route):
            a.after.append(b)
            b.before.append(a)
    columns = _columns([*nodes.values(), *(c for route in routes.values() for c in route[1:-1])])
    _order(columns)
    width = _set_x(columns)
    height = _set_y(columns)
    paths = {edge: _path(route) for edge, route in routes.items()}
    return Layout(nodes, labels, paths, backward, width, height)


def _cycle_free_order(graph: Graph) -> list[str]:
    """An order of the nodes that few edges run against (Eades, Lin and Smyth 1993)."""
    outgoing = {n: set(graph.network.successors(n)) for n in graph.nodes}
    incoming = {n: set(graph.network.predecessors(n)) for n in graph.nodes}
    left: list[str] = []
    right: list[str] = []
    while outgoing:
        sinks = [n for n in outgoing if not outgoing[n]]
        sources = [n for n in outgoing if not incoming[n]]
        if sinks:
            taken = sinks[0]
            right.append(taken)
        else:
            taken = sources[0] if sources else max(outgoing, key=lambda n: len(outgoing[n]) - len(incoming[n]))
            left.append(taken)
        for other in outgoing.pop(taken):
            incoming[other].discard(taken)
        for other in incoming.pop(taken):
            outgoing[other].discard(taken)
    return left + right[::-1]


def _ranks(order: Sequence[str], links: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Longest path from a source; a source then moves next to its nearest successor."""
    rank = dict.fromkeys(order, 0)
    successors: dict[str, list[str]] = {n: [] for n in order}
    has_source: set[str] = set()
    for source, target in links:
        successors[source].append(target)
        has_source.add(target)
    for node in order:
        for target in successors[node]:
            rank[target] = max(rank[target], rank[node] + 1)
    for node in order:
        if node not in has_source and successors[node]:
            rank[node] = min(rank[target] for target in successors[node]) - 1
    return rank


def _columns(cells: Sequence[Cell]) -> list[list[Cell]]:
    columns: list[list[Cell]] = [[] for _ in range(1 + max(cell.column for cell in cells))]
    for cell in cells:
        columns[cell.column].append(cell)
    return columns


def _order(columns: list[list[Cell]]) -> None:
    """Order the cells of each column so that few edges cross: sweeps by mean position of the neighbours."""
    best = [list(column) for column in columns]
    fewest = _crossings(columns)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        for column in columns[1:] if forward else columns[-2::-1]:
            where = {id(c): i for neighbour in columns for i, c in enumerate(neighbour)}
            means = {}
            for cell in column:
                others = cell.before if forward else cell.after
                if others:
                    means[id(cell)] = sum(where[id(c)] for c in others) / len(others)
            # Cells without neighbours on this side keep their place: they have no say in it.
            slots = [i for i, cell in enumerate(column) if id(cell) in means]
            moved = sorted((column[i] for i in slots), key=lambda c: means[id(c)])
            for slot, cell in zip(slots, moved, strict=True):
                column[slot] = cell
        crossings = _crossings(columns)
        if crossings < fewest:
            fewest, best = crossings, [list(column) for column in columns]
    columns[:] = best


def _crossings(columns: Sequence[Sequence[Cell]]) -> int:
    total = 0
    for column, following in pairwise(columns):
        where = {id(c): i for i, c in enumerate(following)}
        ends = [sorted(where[id(c)] for c in cell.after) for cell in column]
        flat = [(i, end) for i, cell_ends in enumerate(ends) for end in cell_ends]
        total += sum(a[0] < b[0] and a[1] > b[1] for k, b in enumerate(flat) for a in flat[:k])
    return total


def _set_x(columns: Sequence[Sequence[Cell]]) -> float:
    left = 0.0
    for column in columns:
        width = max((cell.width for cell in column), default=0.0)
        for cell in column:
            cell.x = left + width / 2
            if cell.key[0] == "bend":
                cell.width = width
        left += width + _COLUMN_GAP
    return left - _COLUMN_GAP


def _set_y(columns: Sequence[Sequence[Cell]]) -> float:
    """Bring each cell near the mean height of its neighbours, keeping order and gaps; returns the height."""
    for sweep in range(2 * _SWEEPS):
        for column in columns if sweep % 2 == 0 else columns[::-1]:
            wanted = []
            for cell in column:
                others = cell.before + cell.after
                wanted.append(sum(c.y for c in others) / len(others) if others else cell.y)
            _spread(column, wanted)
    cells = [cell for column in columns for cell in column]
    top = min(cell.y - cell.height / 2 for cell in cells)
    for cell in cells:
        cell.y -= top
    return max(cell.y + cell.height / 2 for cell in cells)


def _spread(column: Sequence[Cell], wanted: Sequence[float]) -> None:
    """The heights nearest to the wanted ones (least squares) that keep order and gaps.

    With the needed distances taken off this is isotonic regression, solved by pooling adjacent violators.
    """
    offsets = [0.0]
    for above, below in pairwise(column):
        offsets.append(offsets[-1] + (above.height + below.height) / 2 + _ROW_GAP)
    pools: list[tuple[float, int]] = []
    for target, offset in zip(wanted, offsets, strict=True):
        mean, size = target - offset, 1
        while pools and pools[-1][0] >= mean:
            other, count = pools.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        pools.append((mean, size))
    flat = [mean for mean, size in pools for _ in range(size)]
    for cell, mean, offset in zip(column, flat, offsets, strict=True):
        cell.y = mean + offset


def _path(route: Sequence[Cell]) -> tuple[Point, ...]:
    """Leave the left node, go through each cell between, enter the right node."""
    first, *between, last = route
    points = [(first.x + first.width / 2, _port(first, first.after, between[0]))]
    for cell in between:
        points += [(cell.x - cell.width / 2, cell.y), (cell.x + cell.width / 2, cell.y)]
    points.append((last.x - last.width / 2, _port(last, last.before, between[-1])))
    return tuple(points)


def _port(node: Cell, neighbours: Sequence[Cell], towards: Cell) -> float:
    """Where an edge meets its node's side: the edges of a side share its height evenly, in order."""
    ordered = sorted(neighbours, key=lambda c: (c.y, c.key))
    index = next(i for i, cell in enumerate(ordered) if cell is towards)
    return node.y - node.height / 2 + node.height * (index + 1) / (len(ordered) + 1)
