"""One-to-one matching of the extractions of two runs, by what they quote and never by their edges."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fingreat.errors import InputError
from fingreat.matching.fidelity import fidelity
from fingreat.matching.overlap import components, prepare
from fingreat.matching.pairs import DECISIONS, Decision, Pairs, pairs_by_span, pairs_by_text, span_overlap
from fingreat.matching.solve import Objective, best_assignment, compressed
from fingreat.schema.records import Extraction, Match, Range

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

By: TypeAlias = Literal["text", "span"]

_UNITS = 20 * 5_354_228_880
"""Units of one overlap: 20·lcm(1..24), so that the scores of quotes up to 24 tokens are whole numbers; those of
longer ones are rounded to the nearest unit, a hundred-thousandth of a millionth."""
_SPAN_UNITS = 1_000_000
_DIGEST_BITS = 20


def match_extractions(a: Sequence[Extraction], b: Sequence[Extraction], *, by: By = "text") -> list[Match]:
    """Match the extractions of two runs one to one; only extractions of the same filing can match.

    Pairs that overlap by less than `MIN_OVERLAP` are dropped, then the assignment with the largest total overlap is
    taken. Equal totals are decided by the total overlap of their places; then by position, for those that stand
    earlier in the text and for pairs of like rank in it; then by id in the same way. The order in which the
    extractions are given plays no part, nor do edges.

    Args:
        by: `text` compares quotes, `span` the places where they stand (intersection over the shorter).

    Returns:
        the matches, sorted by filing, then by the position in the text of the extraction of run A.

    Raises:
        InputError: an id is there twice in one run, or a filing has too many overlapping quotes.
    """
    return [match for candidates in candidates_by_filing(a, b, by=by) for match in candidates.matches()]


def conditional_precision_range(
    a: Sequence[Extraction], b: Sequence[Extraction], *, by: By = "text"
) -> tuple[int, int]:
    """The smallest and the largest number of same-edge matches over all assignments with the largest total overlap.

    They differ where equal or equally near quotes carry different edges.

    Raises:
        InputError: as `match_extractions`.
    """
    ranges = [candidates.same_edge_range() for candidates in candidates_by_filing(a, b, by=by)]
    return sum(least for least, _ in ranges), sum(most for _, most in ranges)


def candidates_by_filing(
    a: Sequence[Extraction], b: Sequence[Extraction], *, by: By = "text"
) -> Iterator[FilingCandidates]:
    """The pairs that may be matched in each filing of which both runs have an extraction, by the filing's id.

    Raises:
        InputError: an id is there twice in one run, or quotes hold too many different words.
    """
    of_a, of_b = _by_filing(a, "first"), _by_filing(b, "second")
    for filing_id in sorted(of_a.keys() & of_b.keys()):
        matcher = FilingMatcher(filing_id, (*of_a[filing_id], *of_b[filing_id]))
        yield matcher.candidates(of_a[filing_id], of_b[filing_id], by=by)


class FilingMatcher:
    """The extractions of one filing by any number of runs: whatever is worked out for a quote is worked out once.

    Args:
        extractions: those of all runs that will be compared; ids are unique within a run only.

    Raises:
        InputError: the quotes hold more different tokens than there are characters.
    """

    def __init__(self, filing_id: str, extractions: Iterable[Extraction]) -> None:
        self.filing_id = filing_id
        self.quotes = dict(zip((texts := dict.fromkeys(x.quote for x in extractions)), prepare(texts), strict=True))

    def candidates(self, a: Iterable[Extraction], b: Iterable[Extraction], *, by: By = "text") -> FilingCandidates:
        """What can be matched of two runs, or of any two sets of extractions whose quotes this matcher knows.

        Raises:
            KeyError: a quote is none of those it was made with.
        """
        return FilingCandidates(self, a, b, by)


class FilingCandidates:
    """The pairs of one filing's extractions that overlap enough, and the assignments that can be made of them.

    Attributes:
        a, b: the extractions of either run by position in the text, then by id.
    """

    def __init__(self, matcher: FilingMatcher, a: Iterable[Extraction], b: Iterable[Extraction], by: By) -> None:
        self.filing_id = matcher.filing_id
        self._quotes = matcher.quotes
        self._by = by
        self.a = sorted(a, key=_place)
        self.b = sorted(b, key=_place)

    def matches(self) -> list[Match]:
        """The one assignment that the rules of `match_extractions` leave."""
        pairs, which, rows, cols = self._candidates
        span = [self._weigh_span] if self._by == "text" else []
        ranks = (self._weigh_rank([value(x) for x in self.a], [value(x) for x in self.b]) for value in (_position, _id))
        found = []
        chosen = best_assignment(rows, cols, [self._weigh_score, *span, *ranks, self._weigh_digest])
        for number in sorted(chosen, key=lambda at: int(rows[at])):
            a, b, pair = self.a[rows[number]], self.b[cols[number]], which[number]
            found.append(self._match(a, b, float(pairs.score[pair]), DECISIONS[pairs.decided_by[pair]]))
        return found

    def _match(self, a: Extraction, b: Extraction, overlap: float, decided_by: Decision) -> Match:
        quote_a, quote_b = self._quotes[a.quote], self._quotes[b.quote]
        return Match(
            filing_id=self.filing_id,
            a=a.id,
            b=b.id,
            edge_a=a.edge,
            edge_b=b.edge,
            overlap=overlap,
            decided_by=decided_by,
            **components(quote_a, quote_b)._asdict(),
            span=span_overlap(a.ranges, b.ranges) if a.ranges and b.ranges else None,
            **fidelity(quote_a.texts, quote_b.texts)._asdict(),
        )

    def same_edge_range(self) -> tuple[int, int]:
        """The smallest and the largest number of same-edge matches over the assignments with the largest total."""
        _, _, rows, cols = self._candidates
        counts = []
        for objective in (lambda at: -self._same_edge(at), self._same_edge):
            chosen = best_assignment(rows, cols, [self._weigh_score, objective])
            counts.append(sum(self.a[rows[at]].edge == self.b[cols[at]].edge for at in chosen))
        return counts[0], counts[1]

    @cached_property
    def _candidates(self) -> tuple[Pairs, Array, Array, Array]:
        """The pairs of different quotes or places; for every pair of extractions which of these it is, and its ends.

        Extractions that quote the same text, or stand at the same places, are compared once.
        """
        import numpy as np

        if self._by == "text":
            groups_a, groups_b = _grouped(x.quote for x in self.a), _grouped(x.quote for x in self.b)
            pairs = pairs_by_text(list(groups_a), list(groups_b))
        else:
            groups_a, groups_b = _grouped(x.ranges for x in self.a), _grouped(x.ranges for x in self.b)
            pairs = pairs_by_span(list(groups_a), list(groups_b))
        sizes_a, sizes_b = (np.array([len(g) for g in groups.values()], int) for groups in (groups_a, groups_b))
        wide = sizes_b[pairs.b]
        sizes = sizes_a[pairs.a] * wide
        which = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        within = np.arange(len(which), dtype=np.int32) - (np.cumsum(sizes) - sizes).astype(np.int32)[which]
        ends = []
        for groups, group_sizes, numbers, place in (
            (groups_a, sizes_a, pairs.a, within // wide[which]),
            (groups_b, sizes_b, pairs.b, within % wide[which]),
        ):
            members = np.array([member for group in groups.values() for member in group], dtype=np.int32)
            ends.append(members[(np.cumsum(group_sizes) - group_sizes)[numbers][which] + place])
        return pairs, which, ends[0], ends[1]

    def _weigh_score(self, at: Array) -> Array:
        import numpy as np

        pairs, which, _, _ = self._candidates
        units: Array = np.rint(pairs.score[which[at]] * _UNITS).astype(np.int64)
        return units

    def _weigh_span(self, at: Array) -> Array:
        """The overlap of the places, worked out once for extractions that stand at the same."""
        import numpy as np

        _, _, rows, cols = self._candidates
        (places_a, place_a), (places_b, place_b) = self._places
        keys, inverse = np.unique(place_a[rows[at]] * len(places_b) + place_b[cols[at]], return_inverse=True)
        parted = (divmod(key, len(places_b)) for key in keys.tolist())
        overlaps = [round(span_overlap(places_a[i], places_b[j]) * _SPAN_UNITS) for i, j in parted]
        return np.array(overlaps, dtype=np.int64)[inverse]

    @cached_property
    def _places(self) -> list[tuple[list[tuple[Range, ...]], Array]]:
        """For each side its different places, and for each of its extractions which of these it stands at."""
        import numpy as np

        found = []
        for side in (self.a, self.b):
            number: dict[tuple[Range, ...], int] = {}
            of_each = [number.setdefault(x.ranges, len(number)) for x in side]
            found.append((list(number), np.array(of_each, dtype=np.int64)))
        return found

    def _weigh_rank(self, values_a: Sequence[Any], values_b: Sequence[Any]) -> Objective:
        """Prefers pairs of early extractions and of like rank among those still open, by a value of each extraction.

        The weight of a pair is the smaller of two numbers that count down from the first to the last of each side;
        equal values have equal numbers. It is half of their sum less their difference.
        """
        import numpy as np

        order_a, order_b = (np.array(_order(values), dtype=np.int32) for values in (values_a, values_b))

        def weigh(at: Array) -> Array:
            _, _, rows, cols = self._candidates
            ranks = [compressed(order[ends[at]])[1] for order, ends in ((order_a, rows), (order_b, cols))]
            top = max(int(rank.max()) for rank in ranks) + 1
            return np.asarray(top - np.maximum(*ranks))

        return weigh

    def _weigh_digest(self, at: Array) -> Array:
        """A number for each pair of ids, the same whichever run is named first: decides what ranks leave open."""
        import numpy as np

        _, _, rows, cols = self._candidates
        weights = []
        for row, col in zip(rows[at].tolist(), cols[at].tolist(), strict=True):
            ids = sorted((self.a[row].id, self.b[col].id))
            digest = hashlib.sha256("\n".join(ids).encode("utf-8", "surrogatepass")).digest()
            weights.append(int.from_bytes(digest[:4]) >> (32 - _DIGEST_BITS))
        return np.array(weights, dtype=np.int64)

    def _same_edge(self, at: Array) -> Array:
        _, _, rows, cols = self._candidates
        edges_a, edges_b = self._edges
        same: Array = (edges_a[rows[at]] == edges_b[cols[at]]).astype(int)
        return same

    @cached_property
    def _edges(self) -> tuple[Array, Array]:
        """For each extraction of either side a number of its edge."""
        import numpy as np

        number = {edge: n for n, edge in enumerate(dict.fromkeys(x.edge for x in (*self.a, *self.b)))}
        return np.array([number[x.edge] for x in self.a]), np.array([number[x.edge] for x in self.b])


def _by_filing(extractions: Sequence[Extraction], which: str) -> Mapping[str, list[Extraction]]:
    groups: dict[str, list[Extraction]] = defaultdict(list)
    seen: set[str] = set()
    for extraction in extractions:
        if extraction.id in seen:
            raise InputError(f"the {which} run has two extractions with the id {extraction.id}.")
        seen.add(extraction.id)
        groups[extraction.filing_id].append(extraction)
    return groups


def _grouped(keys: Iterable[Any]) -> dict[Any, list[int]]:
    groups: dict[Any, list[int]] = defaultdict(list)
    for number, key in enumerate(keys):
        groups[key].append(number)
    return groups


def _order(values: Sequence[Any]) -> list[int]:
    """For each value its place among the different ones."""
    place = {value: number for number, value in enumerate(sorted(set(values)))}
    return [place[value] for value in values]


def _position(extraction: Extraction) -> float:
    """Where an extraction begins in the text; one that stands nowhere comes last."""
    return min((start for start, _ in extraction.ranges), default=inf)


def _id(extraction: Extraction) -> str:
    return extraction.id


def _place(extraction: Extraction) -> tuple[float, str]:
    return _position(extraction), extraction.id
