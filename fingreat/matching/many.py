"""The best assignments of any number of pairs, by a solver.

They are described by the prices of linear programming duality: with optimal prices u, v of rows and columns,
u + v >= weight for every pair, an assignment is optimal if and only if it uses tight pairs (u + v = weight) alone and
leaves out no row or column with a price above zero. Sums have to be whole numbers below 2^53, those that are exact in
the floating point numbers of `scipy.optimize.linear_sum_assignment`, so no step rounds; where they would not be, the
problem is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from fingreat.errors import InputError
from fingreat.matching.few import FewPairs

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

_EXACT = 2**53
_ROWS = 512  # of a table that are looked at together
_ROUNDED = 20 * 5_354_228_880, 1_000_000
"""Units of one, the first of which is 20·lcm(1..24), so that the scores of quotes up to 24 tokens are whole numbers."""


class ManyPairs(NamedTuple):
    """Pairs of rows and columns, each of which stands in an assignment that is best so far; arrays of one length.

    Attributes:
        numbers, rows, cols: of each pair its own number and its ends.
        row_needed, col_needed: whether all best assignments use its row, its column.
        assigned: whether it stands in one best assignment, the same for all.
    """

    numbers: Array
    rows: Array
    cols: Array
    row_needed: Array
    col_needed: Array
    assigned: Array

    @classmethod
    def of(cls, rows: Array, cols: Array) -> ManyPairs:
        """Pairs of which no objective was asked yet."""
        import numpy as np

        nothing = np.zeros(len(rows), dtype=bool)
        return cls(np.arange(len(rows), dtype=np.int32), rows, cols, nothing, nothing, nothing)

    def as_few(self) -> FewPairs:
        """The same as lists."""
        numbers, rows, cols = (column.tolist() for column in self[:3])
        needed_rows, needed_cols, one = (
            set(column[which].tolist())
            for column, which in (
                (self.rows, self.row_needed), (self.cols, self.col_needed), (self.numbers, self.assigned),
            )
        )  # fmt: skip
        return FewPairs(numbers, rows, cols, needed_rows, needed_cols, one)

    @classmethod
    def of_few(cls, few: FewPairs) -> ManyPairs:
        """The same as arrays."""
        import numpy as np

        numbers, rows, cols = (np.array(column, dtype=np.int32) for column in few[:3])
        return cls(
            numbers,
            rows,
            cols,
            np.isin(rows, list(few.needed_rows)),
            np.isin(cols, list(few.needed_cols)),
            np.isin(numbers, list(few.one)),
        )

    def chosen(self) -> list[int]:
        """The numbers of the pairs of one best assignment."""
        chosen: list[int] = self.numbers[self.assigned].tolist()
        return chosen

    def decides_nothing(self, over: Array, under: Array | None) -> bool:
        """Whether all best assignments have the same total: equal weights, and as many pairs in each."""
        if not (self.row_needed.all() or self.col_needed.all()):
            return False
        return all(column is None or bool((column == column[0]).all()) for column in (over, under))

    def groups(self) -> Iterator[ManyPairs]:
        """The pairs in groups that share no row and no column: each can be assigned by itself."""
        import numpy as np

        row_ids, rows = compressed(self.rows)
        col_ids, cols = compressed(self.cols)
        if np.bincount(rows).max() == len(col_ids) or np.bincount(cols).max() == len(row_ids):
            yield self  # one row has a pair with every column, or one column with every row
            return
        count, labels = _connected(rows, cols + np.int32(len(row_ids)), len(row_ids) + len(col_ids), "weak")
        if count == 1:
            yield self
            return
        label = labels[rows]
        order = np.argsort(label, kind="stable")
        for places in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
            yield self._some(places)

    def narrowed(self, over: Array, under: Array | None) -> ManyPairs:
        """What stands in those of the best assignments that have the largest total of some fractions.

        Fractions whose common denominator is too large are rounded, so finely that it matters only where different
        ones have equal sums.

        Raises:
            InputError: sums would not be exact.
        """
        import numpy as np
        from scipy.optimize import linear_sum_assignment

        row_ids, rows = compressed(self.rows)
        col_ids, cols = compressed(self.cols)
        needed = self.row_needed.astype(np.int8) + self.col_needed
        weights = _whole(over, under, needed, min(len(row_ids), len(col_ids)))
        total = np.zeros((len(row_ids), len(col_ids)))
        total.reshape(-1)[rows * np.int64(len(col_ids)) + cols] = weights
        partner = np.full(len(row_ids), -1)
        assigned_rows, assigned_cols = linear_sum_assignment(total, maximize=True)
        used = total[assigned_rows, assigned_cols] > 0
        partner[assigned_rows[used]] = assigned_cols[used]
        row_price, col_price = _prices(total, partner)
        del total
        assigned = partner[rows] == cols
        tight = row_price[rows] + col_price[cols] == weights
        del weights
        kept = assigned | (tight & _exchangeable(rows, cols, tight, assigned, row_price, col_price))
        best = self._replace(row_needed=(row_price > 0)[rows], col_needed=(col_price > 0)[cols], assigned=assigned)
        return best if kept.all() else best._some(np.flatnonzero(kept))

    def _some(self, places: Array) -> ManyPairs:
        return ManyPairs(*(column[places] for column in self))


def compressed(numbers: Array) -> tuple[Array, Array]:
    """The different numbers among some small ones in order, and for each of these its place among them."""
    import numpy as np

    present = _present(numbers)
    return np.flatnonzero(present), (np.cumsum(present, dtype=np.int32) - 1)[numbers]


def _present(numbers: Array) -> Array:
    """For each number up to the largest whether it is among some."""
    import numpy as np

    present = np.zeros(int(numbers.max()) + 1, dtype=bool)
    present[numbers] = True
    return present


def _whole(over: Array, under: Array | None, needed: Array, most: int) -> Array:
    """Fractions as whole numbers; what has to be used weighs more than all else together.

    Args:
        needed: how many ends of each pair have to be used.
        most: how many pairs an assignment has at most.
    """
    import numpy as np

    most_needed = int(needed.max())

    def exact(largest: float) -> bool:
        return 4 * most * (largest + most_needed * (2 * most * largest + 1)) < _EXACT

    whole: Array = over.astype(np.float64)
    if under is not None:
        top, common = float((whole / under).max()), 1
        for by in np.flatnonzero(_present(under)).tolist():
            if exact(common * top):
                common = lcm(common, by)
        if exact(common * top):
            whole *= common / under
        else:
            units = next((units for units in _ROUNDED if exact(units * top)), _ROUNDED[-1])
            whole = np.rint(whole / under * units)
    largest = int(np.abs(whole).max())
    if not exact(largest):
        raise InputError(f"{len(whole)} pairs of quotes of one filing overlap with one another: too many to match.")
    if most_needed:
        whole += needed * float(2 * most * largest + 1)
    return whole


def _prices(total: Array, partner: Array) -> tuple[Array, Array]:
    """Optimal prices of rows and columns, from a best assignment (`partner` of each row, -1 for none).

    A column costs at least what each row could gain by moving there; the least such prices are a fixed point that is
    reached after as many rounds as the longest chain of moves has steps.

    Args:
        total: the weight of each row and column, 0 where they are no pair.
    """
    import numpy as np

    n_rows, n_cols = total.shape
    with_partner = np.flatnonzero(partner >= 0)
    row_of = np.full(n_cols, -1)
    row_of[partner[with_partner]] = with_partner
    gain = np.zeros(n_rows)
    gain[with_partner] = total[with_partner, partner[with_partner]]
    row_price, price = gain.copy(), np.zeros(n_cols)
    changed = np.arange(n_rows)
    for _ in range(n_rows + 2):
        higher = price.copy()
        for begin in range(0, len(changed), _ROWS):
            some = changed[begin : begin + _ROWS]
            np.maximum(higher, (total[some] - row_price[some, None]).max(axis=0), out=higher)
        dearer = np.flatnonzero(higher > price)
        if not len(dearer):
            return row_price, price
        changed = row_of[dearer]
        if changed.min() < 0:
            break
        price = higher
        row_price[changed] = gain[changed] - price[dearer]
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
    sources, targets = (np.concatenate(ends, dtype=np.int32) for ends in zip(*moves, strict=True))
    del moves, free
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
