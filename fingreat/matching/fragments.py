"""How many tokens two quotes share in fragments, for all quotes of a filing at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from fingreat.matching.overlap import MIN_FRAGMENT, Quote

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class Fragments:
    """The fragments of all quotes of a filing, and where they stand.

    Attributes:
        regular: for each quote whether none of the fragments in it stands in the way of another: those of divided
            quotes stand in it once, and nowhere overlap. The fragment of a quote that is not divided is all of that
            quote: where it is shared, the quote is contained or as much is shared as can count.
    """

    def __init__(self, quotes: Sequence[Quote]) -> None:
        import numpy as np
        from scipy.sparse import csr_array

        self._quotes = quotes
        self._number = {part: n for n, part in enumerate(dict.fromkeys(p for quote in quotes for p in quote.fragments))}
        of_divided = {part for quote in quotes if quote.divided for part in quote.fragments}
        own, inside = list[tuple[int, int, int]](), list[tuple[int, int, int]]()
        stretches: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for at, quote in enumerate(quotes):
            own += [(at, self._number[part], len(part)) for part in quote.fragments]
        for part, at in self._found():
            quoted = quotes[at].quoted
            times = quoted.count(part)
            inside.append((at, self._number[part], times * len(part)))
            if part in of_divided:
                begin = quoted.find(part)
                # What stands there twice is taken to overlap itself.
                stretches[at] += [(begin, begin + len(part))] * times
        self.regular = np.ones(len(quotes), dtype=bool)
        for at, places in stretches.items():
            if any(end > begin for (_, end), (begin, _) in pairwise(sorted(places))):
                self.regular[at] = False
        shape = len(quotes), len(self._number)
        rows, cols, tokens = np.array(own, dtype=np.int32).reshape(-1, 3).T
        self._own = csr_array((np.ones_like(rows), (rows, cols)), shape)
        self._own_tokens = csr_array((tokens, (rows, cols)), shape)
        rows, cols, tokens = np.array(inside, dtype=np.int32).reshape(-1, 3).T
        self._inside = csr_array((tokens, (rows, cols)), shape)

    def _found(self) -> Iterator[tuple[str, int]]:
        """Every fragment with every quote that has it; it is looked for where its first tokens stand together, or its
        last ones if they do in fewer quotes."""
        ends = [(part[:MIN_FRAGMENT], part[-MIN_FRAGMENT:]) for part in self._number]
        having: dict[str, list[int]] = {end: [] for both in ends for end in both}
        for at, quote in enumerate(self._quotes):
            quoted = quote.quoted
            for begin in range(len(quoted) - MIN_FRAGMENT + 1):
                known = having.get(quoted[begin : begin + MIN_FRAGMENT])
                if known is not None and known[-1:] != [at]:
                    known.append(at)
        for part, (first, last) in zip(self._number, ends, strict=True):
            for at in min(having[first], having[last], key=len):
                if part in self._quotes[at].quoted:
                    yield part, at

    def shared(self, first: int, last: int) -> Array:
        """For quotes from `first` up to `last` and all quotes, the most tokens that both can share in fragments; where
        both are regular and neither contains the other, the tokens that they do share, or no fewer than the shorter has
        where these are all of it."""
        # Fragments of either that stand in the other, those of both once.
        found = self._own[first:last] @ self._inside.T + self._inside[first:last] @ self._own.T
        most: Array = (found - self._own[first:last] @ self._own_tokens.T).toarray()
        return most
