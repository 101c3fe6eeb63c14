"""One-to-one matching of the extractions of two runs, by what they quote and never by their edges."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fingreat.errors import InputError
from fingreat.matching.pairs import Pair, pairs_by_span, pairs_by_text, span_overlap
from fingreat.matching.solve import Objective, best_assignment
from fingreat.schema.records import Extraction, Match

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
        yield FilingCandidates(filing_id, of_a[filing_id], of_b[filing_id], by)


class FilingCandidates:
    """The pairs of one filing's extractions that overlap enough, and the assignments that can be made of them.

    Attributes:
        a, b: the extractions of either run by position in the text, then by id.
    """

    def __init__(self, filing_id: str, a: Iterable[Extraction], b: Iterable[Extraction], by: By) -> None:
        self.filing_id = filing_id
        self._by = by
        self.a = sorted(a, key=_place)
        self.b = sorted(b, key=_place)

    def matches(self) -> list[Match]:
        """The one assignment that the rules of `match_extractions` leave."""
        pairs, rows, cols, which = self._pairs
        span = [self._weigh_span] if self._by == "text" else []
        objectives = [
            self._weigh_score,
            *span,
            self._weigh_rank(_position),
            self._weigh_rank(_id),
            self._weigh_digest,
        ]
        found = []
        for number in best_assignment(rows, cols, objectives):
            a, b, pair = self.a[rows[number]], self.b[cols[number]], pairs[which[number]]
            found.append(
                Match(
                    filing_id=self.filing_id,
                    a=a.id,
                    b=b.id,
                    edge_a=a.edge,
                    edge_b=b.edge,
                    overlap=pair.score,
                    decided_by=pair.decided_by,
                )
            )
        return found

    def same_edge_range(self) -> tuple[int, int]:
        """The smallest and the largest number of same-edge matches over the assignments with the largest total."""
        _, rows, cols, _ = self._pairs
        counts = []
        for objective in (lambda at: -self._same_edge(at), self._same_edge):
            chosen = best_assignment(rows, cols, [self._weigh_score, objective])
            counts.append(int(self._same_edge(chosen).sum()))
        return counts[0], counts[1]

    @cached_property
    def _pairs(self) -> tuple[list[Pair], Array, Array, Array]:
        """The pairs of different quotes or places, and for every pair of extractions its two sides and which it is.

        Extractions that quote the same text, or stand at the same places, are compared once.
        """
        import numpy as np

        if self._by == "text":
            groups_a, groups_b = _grouped(x.quote for x in self.a), _grouped(x.quote for x in self.b)
            pairs = pairs_by_text(list(groups_a), list(groups_b))
        else:
            groups_a, groups_b = _grouped(x.ranges for x in self.a), _grouped(x.ranges for x in self.b)
            pairs = pairs_by_span(list(groups_a), list(groups_b))
        members_a, members_b = ([np.array(group) for group in groups.values()] for groups in (groups_a, groups_b))
        rows, cols, which = [np.array([], int)], [np.array([], int)], [np.array([], int)]
        for number, pair in enumerate(pairs):
            left, right = members_a[pair.a], members_b[pair.b]
            rows.append(np.repeat(left, len(right)))
            cols.append(np.tile(right, len(left)))
            which.append(np.full(len(left) * len(right), number))
        all_rows, all_cols = np.concatenate(rows), np.concatenate(cols)
        order = np.lexsort((all_cols, all_rows))
        return pairs, all_rows[order], all_cols[order], np.concatenate(which)[order]

    def _weigh_score(self, at: Array) -> Array:
        import numpy as np

        pairs, _, _, which = self._pairs
        return np.array([round(pair.score * _UNITS) for pair in pairs], dtype=np.int64)[which[at]]

    def _weigh_span(self, at: Array) -> Array:
        import numpy as np

        known: dict[tuple[Hashable, Hashable], int] = {}
        weights = []
        for row, col in self._ends(at):
            key = self.a[row].ranges, self.b[col].ranges
            if key not in known:
                known[key] = round(span_overlap(*key) * _SPAN_UNITS)
            weights.append(known[key])
        return np.array(weights)

    def _weigh_rank(self, value: Any) -> Objective:
        """Prefers pairs of early extractions and of like rank among those still open, by some value.

        The weight of a pair is the smaller of two numbers that count down from the first to the last of each side;
        equal values have equal numbers. It is half of their sum less their difference.
        """

        def weigh(at: Array) -> Array:
            import numpy as np

            _, rows, cols, _ = self._pairs
            ranks = []
            for side, ends in ((self.a, rows[at]), (self.b, cols[at])):
                used = np.unique(ends)
                order = {key: rank for rank, key in enumerate(sorted({value(side[end]) for end in used}))}
                rank_of = np.array([order[value(side[end])] for end in used])
                ranks.append(rank_of[np.searchsorted(used, ends)])
            top = max(int(rank.max()) for rank in ranks) + 1
            return np.asarray(top - np.maximum(*ranks))

        return weigh

    def _weigh_digest(self, at: Array) -> Array:
        """A number for each pair of ids, the same whichever run is named first: decides what ranks leave open."""
        import numpy as np

        weights = []
        for row, col in self._ends(at):
            ids = sorted((self.a[row].id, self.b[col].id))
            digest = hashlib.sha256("\n".join(ids).encode("utf-8", "surrogatepass")).digest()
            weights.append(int.from_bytes(digest[:4]) >> (32 - _DIGEST_BITS))
        return np.array(weights)

    def _same_edge(self, at: Array | list[int]) -> Array:
        import numpy as np

        return np.array([self.a[row].edge == self.b[col].edge for row, col in self._ends(at)], dtype=np.int64)

    def _ends(self, at: Array | list[int]) -> Iterator[tuple[int, int]]:
        _, rows, cols, _ = self._pairs
        return zip(rows[at].tolist(), cols[at].tolist(), strict=True)


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


def _position(extraction: Extraction) -> float:
    """Where an extraction begins in the text; one that stands nowhere comes last."""
    return min((start for start, _ in extraction.ranges), default=inf)


def _id(extraction: Extraction) -> str:
    return extraction.id


def _place(extraction: Extraction) -> tuple[float, str]:
    return _position(extraction), extraction.id
