"""The extractions of one filing by several runs: whatever is worked out for a quote or for two is worked out once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fingreat.matching.fidelity import fidelity
from fingreat.matching.many import compressed
from fingreat.matching.overlap import components, prepare
from fingreat.matching.pairs import DECISIONS, Pairs, pairs_by_span, pairs_by_text
from fingreat.matching.places import Places
from fingreat.matching.solve import Assignments, Objective, Weights
from fingreat.schema.matched import Match
from fingreat.schema.records import Extraction

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

By: TypeAlias = Literal["text", "span"]

_DIGEST_BITS = 20
_FEW = 50  # numbers up to which plain Python is quicker than numpy


class FilingMatcher:
    """The extractions of one filing by any number of runs, to be matched two runs at a time.

    Quotes are compared when two runs are first matched by what they quote, all with all, and places when they are first
    matched by place; all that is kept goes with the matcher.

    Args:
        extractions: those of all runs that will be compared; ids are unique within a run only.

    Raises:
        InputError: the quotes hold more different tokens than there are characters.
    """

    def __init__(self, filing_id: str, extractions: Iterable[Extraction]) -> None:
        self.filing_id = filing_id
        known = list(extractions)
        texts = dict.fromkeys(extraction.quote for extraction in known)
        self._quotes = prepare(texts)
        self._quote_number = {text: number for number, text in enumerate(texts)}
        self.places = Places(extraction.ranges for extraction in known)
        runs: dict[str, int] = {}
        only_run: dict[str, int] = {}
        for extraction in known:
            run = runs.setdefault(extraction.run, len(runs))
            if only_run.setdefault(extraction.quote, run) != run:
                only_run[extraction.quote] = -1
        self._only_run = list(only_run.values())
        self._details: dict[tuple[int, int], dict[str, Any]] = {}

    def candidates(self, a: Iterable[Extraction], b: Iterable[Extraction], *, by: By = "text") -> FilingCandidates:
        """What can be matched of two runs, or of any two sets of extractions whose quotes and places this matcher
        knows.

        Raises:
            KeyError: a quote or a place is none of those it was made with.
        """
        return FilingCandidates(self, a, b, by)

    def quote_numbers(self, extractions: Iterable[Extraction]) -> list[int]:
        """Which of the different quotes each extraction has."""
        return [self._quote_number[extraction.quote] for extraction in extractions]

    def place_numbers(self, extractions: Iterable[Extraction]) -> list[int]:
        """At which of the different places each extraction stands."""
        return [self.places.number[extraction.ranges] for extraction in extractions]

    def pairs(self, by: By, *, within_runs: bool = True) -> Pairs:
        """The different quotes, or places, that overlap enough.

        Args:
            within_runs: also those of two quotes that only one run has, and it the same; twice as many where the runs
                are two.
        """
        if by == "span":
            return self._pairs_by_span
        return self._pairs_by_text if within_runs else self._pairs_of_runs

    @cached_property
    def _pairs_of_runs(self) -> Pairs:
        return pairs_by_text(self._quotes, self._only_run)

    @cached_property
    def _pairs_by_text(self) -> Pairs:
        return pairs_by_text(self._quotes)

    @cached_property
    def _pairs_by_span(self) -> Pairs:
        return pairs_by_span(self.places)

    def details(self, a: int, b: int) -> dict[str, Any]:
        """What a match says of its quotes, whichever way they are matched."""
        pair = (a, b) if a <= b else (b, a)
        found = self._details.get(pair)
        if found is None:
            first, second = (self._quotes[number] for number in pair)
            parts, says = components(first, second), fidelity(first.texts, second.texts)
            found = self._details[pair] = {**parts._asdict(), **says._asdict()}
        return found


class FilingCandidates:
    """The pairs of one filing's extractions that overlap enough, and the assignments that can be made of them.

    Attributes:
        a, b: the extractions of either run by position in the text, then by id.
    """

    def __init__(self, matcher: FilingMatcher, a: Iterable[Extraction], b: Iterable[Extraction], by: By) -> None:
        self.filing_id = matcher.filing_id
        self.a = sorted(a, key=_order)
        self.b = sorted(b, key=_order)
        self._matcher = matcher
        self._by = by
        self._quotes = [matcher.quote_numbers(side) for side in (self.a, self.b)]
        self._places = [matcher.place_numbers(side) for side in (self.a, self.b)]

    def matches(self) -> list[Match]:
        """The one assignment that the rules of `match_extractions` leave."""
        _, rows, _ = self._candidates
        best = self._largest
        for objective in self._objectives():
            if not best.open:
                break
            best = best.narrowed(objective)
        return [self._match(number) for number in sorted(best.any(), key=rows.__getitem__)]

    def same_edge_range(self) -> tuple[int, int]:
        """The smallest and the largest number of same-edge matches over the assignments with the largest total."""
        same = self._same_edge
        least, most = (int(same[self._largest.narrowed(_known(sign * same)).any()].sum()) for sign in (-1, 1))
        return least, most

    def _match(self, number: int) -> Match:
        which, rows, cols = self._candidates
        pair, row, col = int(which[number]), int(rows[number]), int(cols[number])
        pairs, a, b = self._pairs, self.a[row], self.b[col]
        return Match(
            filing_id=self.filing_id,
            a=a.id,
            b=b.id,
            edge_a=a.edge,
            edge_b=b.edge,
            overlap=float(pairs.over[pair] / pairs.under[pair]),
            decided_by=DECISIONS[pairs.decided_by[pair]],
            span=self._matcher.places.overlap(self._places[0][row], self._places[1][col])
            if a.ranges and b.ranges
            else None,
            **self._matcher.details(self._quotes[0][row], self._quotes[1][col]),
        )

    @cached_property
    def _pairs(self) -> Pairs:
        runs_a, runs_b = ({extraction.run for extraction in side} for side in (self.a, self.b))
        return self._matcher.pairs(self._by, within_runs=not runs_a.isdisjoint(runs_b))

    @cached_property
    def _candidates(self) -> tuple[Array, Array, Array]:
        """Every pair of extractions that overlap enough: which of the matcher's pairs it is, and its two ends."""
        sides = self._quotes if self._by == "text" else self._places
        return self._pairs.between(*sides)

    @cached_property
    def _largest(self) -> Assignments:
        """The assignments with the largest total overlap."""
        which, rows, cols = self._candidates
        over, under = self._pairs.over, self._pairs.under
        return Assignments(rows, cols).narrowed(lambda at: Weights(over[which[at]], under[which[at]]))

    def _objectives(self) -> Iterator[Objective]:
        """What decides between assignments with the largest total, one after the other."""
        if self._by == "text":
            yield self._weigh_span
        for value in (_position, _id):
            yield self._weigh_rank([value(x) for x in self.a], [value(x) for x in self.b])
        yield self._weigh_digest

    def _weigh_span(self, at: Array) -> Weights:
        """The overlap of the places."""
        import numpy as np

        _, rows, cols = self._candidates
        a, b = (
            np.array(places, dtype=np.int32)[ends[at]] for places, ends in zip(self._places, (rows, cols), strict=True)
        )
        return Weights(*self._matcher.places.overlaps(a, b))

    def _weigh_rank(self, values_a: Sequence[Any], values_b: Sequence[Any]) -> Objective:
        """Prefers pairs of early extractions and of like rank among those still open, by a value of each extraction.

        The weight of a pair is the smaller of two numbers that count down from the first to the last of each side;
        equal values have equal numbers. It is half of their sum less their difference.
        """
        import numpy as np

        order_a, order_b = (np.array(_ranks(values), dtype=np.int32) for values in (values_a, values_b))

        def weigh(at: Array) -> Weights:
            _, rows, cols = self._candidates
            ranks = [_dense(order[ends[at]]) for order, ends in ((order_a, rows), (order_b, cols))]
            top = max(int(rank.max()) for rank in ranks) + 1
            return Weights(top - np.maximum(*ranks))

        return weigh

    def _weigh_digest(self, at: Array) -> Weights:
        """A number for each pair of ids, the same whichever run is named first: decides what ranks leave open."""
        import numpy as np

        _, rows, cols = self._candidates
        weights = []
        for row, col in zip(rows[at].tolist(), cols[at].tolist(), strict=True):
            ids = sorted((self.a[row].id, self.b[col].id))
            digest = hashlib.sha256("\n".join(ids).encode("utf-8", "surrogatepass")).digest()
            weights.append(int.from_bytes(digest[:4]) >> (32 - _DIGEST_BITS))
        return Weights(np.array(weights, dtype=np.int64))

    @cached_property
    def _same_edge(self) -> Array:
        """1 for each pair of extractions with the same edge, 0 for the others."""
        import numpy as np

        _, rows, cols = self._candidates
        number = {edge: n for n, edge in enumerate(dict.fromkeys(x.edge for x in (*self.a, *self.b)))}
        edges_a, edges_b = (np.array([number[x.edge] for x in side], dtype=np.int32) for side in (self.a, self.b))
        same: Array = (edges_a[rows] == edges_b[cols]).astype(np.int8)
        return same


def _known(weights: Array) -> Objective:
    """Whole numbers that are known for every pair."""
    return lambda at: Weights(weights[at])


def _dense(numbers: Array) -> Array:
    """The same numbers without those between that none of them is; the smallest is 0."""
    import numpy as np

    return np.array(_ranks(numbers.tolist())) if len(numbers) <= _FEW else compressed(numbers)[1]


def _ranks(values: Sequence[Any]) -> list[int]:
    """For each value its place among the different ones."""
    place = {value: number for number, value in enumerate(sorted(set(values)))}
    return [place[value] for value in values]


def _position(extraction: Extraction) -> float:
    """Where an extraction begins in the text; one that stands nowhere comes last."""
    return min(extraction.ranges)[0] if extraction.ranges else inf


def _id(extraction: Extraction) -> str:
    return extraction.id


def _order(extraction: Extraction) -> tuple[float, str]:
    return _position(extraction), extraction.id
