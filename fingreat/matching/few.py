"""The best assignments of a few pairs: in plain Python, which starts sooner than a solver, and by whole numbers of any
size, so that no total is ever rounded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from math import inf, lcm
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

_MOST_STEPS = 4096
_Choice: TypeAlias = tuple[int, int, int]
"""The place of a pair of some row, the bit of its column, and its weight."""


class FewPairs(NamedTuple):
    """Some pairs of rows and columns, each of which stands in an assignment that is best so far.

    Attributes:
        numbers, rows, cols: of each pair its own number and its ends.
        needed_rows, needed_cols: those that all best assignments use.
        one: the numbers of the pairs of one of them.
    """

    numbers: list[int]
    rows: list[int]
    cols: list[int]
    needed_rows: AbstractSet[int]
    needed_cols: AbstractSet[int]
    one: AbstractSet[int]

    @property
    def are_few(self) -> bool:
        """Whether all sets of the rows or columns can be looked at in less time than a solver takes."""
        return len(self.numbers) << min(len(set(self.rows)), len(set(self.cols))) <= _MOST_STEPS

    def chosen(self) -> list[int]:
        """The numbers of the pairs of one best assignment."""
        return [number for number in self.numbers if number in self.one]

    def decides_nothing(self, over: Array, under: Array | None) -> bool:
        """Whether all best assignments have the same total: equal weights, and as many pairs in each."""
        if not (self.needed_rows >= set(self.rows) or self.needed_cols >= set(self.cols)):
            return False
        return len(set(over.tolist())) == 1 and (under is None or len(set(under.tolist())) == 1)

    def groups(self) -> Iterator[FewPairs]:
        """The pairs in groups that share no row and no column: each can be assigned by itself."""
        above: dict[int, int] = {}

        def top(node: int) -> int:
            while (higher := above.setdefault(node, node)) != node:
                above[node] = node = above[higher]
            return node

        for row, col in zip(self.rows, self.cols, strict=True):
            above[top(row)] = top(~col)
        members: dict[int, list[int]] = defaultdict(list)
        for at, row in enumerate(self.rows):
            members[top(row)].append(at)
        return (self._some(places) for places in members.values())

    def narrowed(self, over: Array, under: Array | None) -> FewPairs:
        """What stands in those of the best assignments that have the largest total of some fractions."""
        whole: list[int] = over.tolist()
        if under is not None:
            common = lcm(*(below := under.tolist()))
            whole = [weight * (common // by) for weight, by in zip(whole, below, strict=True)]
        # What has to be used weighs more than all else together.
        much = 2 * sum(map(abs, whole)) + 1
        weights = [
            weight + much * ((row in self.needed_rows) + (col in self.needed_cols))
            for weight, row, col in zip(whole, self.rows, self.cols, strict=True)
        ]
        best = best_of_few(self.rows, self.cols, weights)
        kept = self._some(best.some)
        return kept._replace(needed_rows=best.rows, needed_cols=best.cols, one={self.numbers[at] for at in best.one})

    def _some(self, places: Sequence[int]) -> FewPairs:
        numbers, rows, cols = ([column[at] for at in places] for column in self[:3])
        return FewPairs(numbers, rows, cols, self.needed_rows, self.needed_cols, self.one)


class Best(NamedTuple):
    """What the assignments with the largest total have in common.

    Attributes:
        one: the places of the pairs of one of them.
        some: the places of the pairs that stand in any of them, in order.
        rows, cols: those that all of them use.
    """

    one: list[int]
    some: list[int]
    rows: set[int]
    cols: set[int]


def best_of_few(rows: Sequence[int], cols: Sequence[int], weights: Sequence[int]) -> Best:
    """The one-to-one assignments with the largest total, from a table of all sets of columns, or of rows.

    Args:
        rows, cols, weights: of each pair; time and memory double with each row and column more. Some weight is above 0.
    """
    if len(set(cols)) > len(set(rows)):
        best = best_of_few(cols, rows, weights)
        return Best(best.one, best.some, best.cols, best.rows)
    if len(set(cols)) == 1:
        top = max(weights)
        some = [at for at, weight in enumerate(weights) if weight == top]
        return Best(some[:1], some, {rows[some[0]]} if len(some) == 1 else set(), set(cols))
    bits = {col: 1 << at for at, col in enumerate(dict.fromkeys(cols))}
    of_row: dict[int, list[_Choice]] = defaultdict(list)
    for at, (row, col, weight) in enumerate(zip(rows, cols, weights, strict=True)):
        of_row[row].append((at, bits[col], weight))
    tables = _tables(of_row.values())
    top = max(tables[-1].values())
    last = [used for used, total in tables[-1].items() if total == top]
    # Back from the sets with the largest total, by every way in which they came about.
    one, some, needed = list[int](), list[int](), set[int]()
    reached, traced = set(last), last[0]
    for row, before, after in zip(reversed(of_row), tables[-2::-1], tables[:0:-1], strict=True):
        without = {used for used in reached if before.get(used) == after[used]}
        if not without:
            needed.add(row)
        came_from, by_pair = without.copy(), traced not in without
        for at, bit, weight in of_row[row]:
            used_it = {used for used in reached if used & bit and before.get(used ^ bit) == after[used] - weight}
            if used_it:
                some.append(at)
                came_from.update(used ^ bit for used in used_it)
            if by_pair and traced in used_it:
                one.append(at)
                traced, by_pair = traced ^ bit, False
        reached = came_from
    return Best(one, sorted(some), needed, {col for col, bit in bits.items() if all(used & bit for used in last)})


def _tables(choices: Iterable[Sequence[_Choice]]) -> list[dict[int, int]]:
    """After each row, for every set of columns the largest total of the rows so far that use just these."""
    tables = [{0: 0}]
    for pairs in choices:
        before, after = tables[-1], tables[-1].copy()
        for used, total in before.items():
            for _, bit, weight in pairs:
                if not used & bit and after.get(used | bit, -inf) < total + weight:
                    after[used | bit] = total + weight
        tables.append(after)
    return tables
