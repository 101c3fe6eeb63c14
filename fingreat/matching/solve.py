"""The best one-to-one assignment by several objectives, each deciding only what the ones before it leave open.

Every objective is a sum of whole numbers over the assigned pairs. One number that holds all of them would need more
than the 53 bits that are exact in the floating point numbers of `scipy.optimize.linear_sum_assignment`, so they are
taken one after the other. The assignments with the largest total are described exactly by the prices of linear
programming duality: with optimal prices u, v of rows and columns, u + v >= weight for every pair, an assignment is
optimal if and only if it uses tight pairs (u + v = weight) alone and leaves out no row or column with a price above
zero. Of the tight pairs those are kept that stand in some optimal assignment, and the next objective is maximised over
these.

Sums stay below 2^53, so no step rounds; where they would not, the problem is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from fingreat.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

_EXACT = 2**53

Objective: TypeAlias = "Callable[[Array], Array]"
"""The weights, whole numbers, of some pairs given by their numbers; those of the first objective are above zero."""


def best_assignment(rows: Array, cols: Array, objectives: Sequence[Objective]) -> list[int]:
    """The pairs of an assignment that is best by the objectives in turn.

    Args:
        rows, cols: the two sides of each pair that may be assigned; no pair stands there twice.
        objectives: the first is maximised over all assignments, the next over those that are best so far.

    Returns:
        numbers of the assigned pairs, in order.

    Raises:
        InputError: so many pairs hang together that sums would not be exact.
    """
    # numpy and scipy take longer to import than all else together, and few commands assign anything.
    import numpy as np

    if not len(rows):
        return []
    problem = _Problem(rows, cols)
    chosen: list[int] = []
    open_parts = [(np.arange(len(rows)), 0)]
    while open_parts:
        pairs, stage = open_parts.pop()
        for part in problem.components(pairs):
            if len(part) == 1:
                chosen.append(int(part[0]))
                continue
            last = stage + 1 == len(objectives)
            weights = objectives[stage](part)
            if not last and problem.decides_nothing(part, weights):
                open_parts.append((part, stage + 1))
                continue
            assigned, tight = problem.solve(part, weights)
            if last or len(tight) == len(assigned):
                chosen += assigned.tolist()
            else:
                open_parts.append((tight, stage + 1))
    return sorted(chosen)


def compressed(numbers: Array) -> tuple[Array, Array]:
    """The different numbers among some small ones in order, and for each of these its place among them."""
    import numpy as np

    present = np.zeros(int(numbers.max()) + 1, dtype=bool)
    present[numbers] = True
    return np.flatnonzero(present), (np.cumsum(present, dtype=np.int32) - 1)[numbers]


class _Problem:
    """Pairs of rows and columns, and which of these every assignment that is best so far has to use."""

    def __init__(self, rows: Array, cols: Array) -> None:
        import numpy as np

        self._rows = rows
        self._cols = cols
        self._row_needed = np.zeros(int(rows.max()) + 1, dtype=bool)
        self._col_needed = np.zeros(int(cols.max()) + 1, dtype=bool)

    def components(self, pairs: Array) -> Iterator[Array]:
        """The pairs in groups that share no row and no column: each can be assigned by itself."""
        import numpy as np

        row_ids, rows = compressed(self._rows[pairs])
        col_ids, cols = compressed(self._cols[pairs])
        count, labels = _connected(rows, cols + len(row_ids), len(row_ids) + len(col_ids), "weak")
        if count == 1:
            return iter([pairs])
        label = labels[rows]
        order = np.argsort(label, kind="stable")
        return iter(np.split(pairs[order], np.flatnonzero(np.diff(label[order])) + 1))

    def decides_nothing(self, pairs: Array, weights: Array) -> bool:
        """Whether every assignment that is still open has the same total: equal weights, and as many pairs in each."""
        if weights.min() != weights.max():
            return False
        rows, cols = self._rows[pairs], self._cols[pairs]
        return bool(self._row_needed[rows].all() or self._col_needed[cols].all())

    def solve(self, pairs: Array, weights: Array) -> tuple[Array, Array]:
        """The pairs of one best assignment, and all that stand in any; notes what each of these has to use."""
        import numpy as np
        from scipy.optimize import linear_sum_assignment

        row_ids, rows = compressed(self._rows[pairs])
        col_ids, cols = compressed(self._cols[pairs])
        smaller = min(len(row_ids), len(col_ids))
        # What has to be used weighs more than all else together. Every pair that is still open has such an end.
        needed = self._row_needed[row_ids][rows].astype(np.int64) + self._col_needed[col_ids][cols]
        weights = weights.astype(np.int64) + needed * (2 * smaller * int(np.abs(weights).max()) + 1)
        if 4 * smaller * int(weights.max()) >= _EXACT:
            raise InputError(f"{len(pairs)} pairs of quotes of one filing overlap with one another: too many to match.")
        dense = np.zeros((len(row_ids), len(col_ids)))
        dense[rows, cols] = weights
        partner = np.full(len(row_ids), -1)
        assigned_rows, assigned_cols = linear_sum_assignment(dense, maximize=True)
        used = dense[assigned_rows, assigned_cols] > 0
        partner[assigned_rows[used]] = assigned_cols[used]
        row_price, col_price = _prices(rows, cols, weights, partner, len(col_ids))
        self._row_needed[row_ids] = row_price > 0
        self._col_needed[col_ids] = col_price > 0
        in_use = partner[rows] == cols
        tight = row_price[rows] + col_price[cols] == weights
        return pairs[in_use], pairs[in_use | (tight & _exchangeable(rows, cols, tight, in_use, row_price, col_price))]


def _prices(rows: Array, cols: Array, weights: Array, partner: Array, n_cols: int) -> tuple[Array, Array]:
    """Optimal prices of rows and columns, from a best assignment (`partner` of each row, -1 for none).

    A column costs at least what each row could gain by moving there; the least such prices are a fixed point that is
    reached after as many rounds as the longest chain of moves has steps.
    """
    import numpy as np

    gain = np.zeros(len(partner), dtype=np.int64)
    in_use = partner[rows] == cols
    gain[rows[in_use]] = weights[in_use]
    price = np.zeros(n_cols, dtype=np.int64)
    for _ in range(len(partner) + 2):
        row_price = np.where(partner >= 0, gain - price[partner], 0)
        higher = price.copy()
        np.maximum.at(higher, cols, weights - row_price[rows])
        if np.array_equal(higher, price):
            return row_price, price
        price = higher
    raise ArithmeticError("an assignment that was taken for the best is not")


def _exchangeable(rows: Array, cols: Array, tight: Array, in_use: Array, row_price: Array, col_price: Array) -> Array:
    """Which pairs can come in by an exchange that keeps the total: those whose ends lie on one cycle of moves.

    A row moves to a column by a pair that is not in use, a column frees its row by the pair in use. What costs nothing
    may be left out, or come in instead of another: such moves go through one more node.
    """
    import numpy as np

    n_rows, outside = len(row_price), len(row_price) + len(col_price)
    free = tight & ~in_use
    moves = [(rows[free], n_rows + cols[free]), (n_rows + cols[in_use], rows[in_use])]
    for prices, first, used in ((row_price, 0, rows[in_use]), (col_price, n_rows, cols[in_use])):
        is_used = np.zeros(len(prices), dtype=bool)
        is_used[used] = True
        for nodes, outward in (
            (first + np.flatnonzero((prices == 0) & is_used), first == 0),
            (first + np.flatnonzero((prices == 0) & ~is_used), first != 0),
        ):
            there = np.full(len(nodes), outside)
            moves.append((nodes, there) if outward else (there, nodes))
    sources, targets = (np.concatenate(ends) for ends in zip(*moves, strict=True))
    _, labels = _connected(sources, targets, outside + 1, "strong")
    return np.asarray(labels[rows] == labels[n_rows + cols])


def _connected(sources: Array, targets: Array, size: int, connection: str) -> tuple[int, Array]:
    """How many components a graph of `size` nodes has, and for each node its component."""
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(sources), np.int8), (sources, targets)), (size, size))
    count, labels = connected_components(graph, connection=connection)
    return int(count), labels
