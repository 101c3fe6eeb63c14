"""The best one-to-one assignments by several objectives, each deciding only what the ones before it leave open.

Every objective is a sum of fractions over the assigned pairs. They are taken one after the other. What is kept in
between describes the assignments that are best so far exactly: the pairs that stand in any of them, and the rows and
columns that all of them use. An assignment is one of them if and only if it is made of such pairs and uses all such
rows and columns.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from fingreat.matching.few import FewPairs
from fingreat.matching.many import ManyPairs

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

_FEW_PAIRS = 300
"""Pairs up to which plain Python finds what hangs together sooner than scipy, which takes 0.1 ms for nothing."""


class Weights(NamedTuple):
    """Weights of pairs: fractions, or whole numbers where nothing is below the line."""

    over: Array
    under: Array | None = None


Objective: TypeAlias = "Callable[[Array], Weights]"
"""The weights of some pairs, given by their numbers; those of the first objective are above zero."""


class Assignments:
    """The one-to-one assignments of some pairs that are best so far; of all of them at first.

    Args:
        rows, cols: the two sides of each pair that may be assigned; no pair stands there twice.
    """

    def __init__(self, rows: Array, cols: Array) -> None:
        self._chosen: list[int] = []  # numbers of the pairs that stand in all of them
        self._parts: list[FewPairs | ManyPairs] = []
        everything = ManyPairs.of(rows, cols)
        self._add(everything.as_few() if len(rows) <= _FEW_PAIRS else everything)

    @property
    def open(self) -> bool:
        """Whether there may be several."""
        return bool(self._parts)

    def narrowed(self, objective: Objective) -> Assignments:
        """Those of them that are best by one more objective.

        Raises:
            InputError: so many pairs hang together that sums would not be exact.
        """
        import numpy as np

        best = copy(self)
        best._chosen, best._parts = self._chosen.copy(), []
        for part in self._parts:
            weights = objective(np.asarray(part.numbers))
            if part.decides_nothing(*weights):
                best._parts.append(part)
            else:
                best._add(part.narrowed(*weights))
        return best

    def any(self) -> list[int]:
        """The numbers of the pairs of one of them, once an objective was asked."""
        return self._chosen + [number for part in self._parts for number in part.chosen()]

    def _add(self, part: FewPairs | ManyPairs) -> None:
        """Take over pairs, each group that hangs together by itself."""
        for group in part.groups():
            if len(group.numbers) == 1:
                self._chosen.append(int(group.numbers[0]))
            else:
                self._parts.append(_fitting(group))


def _fitting(part: FewPairs | ManyPairs) -> FewPairs | ManyPairs:
    """The same pairs in the form in which they are sooner assigned."""
    if isinstance(part, FewPairs):
        return part if part.are_few else ManyPairs.of_few(part)
    return few if len(part.numbers) <= _FEW_PAIRS and (few := part.as_few()).are_few else part
