"""How far two runs quote the same passages, and whether they give them the same edge.

The reference of a comparison is another run, not the truth: these measures say how two models read, not who is right.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fingreat.analysis.bootstrap import ratios_of_sums
from fingreat.analysis.filings import Filings, by_filing
from fingreat.analysis.ratio import Interval, Ratio
from fingreat.errors import InputError
from fingreat.schema import Extraction, Graph, Match
from fingreat.schema.graph import DEFAULT_GROUPING

if TYPE_CHECKING:
    from fingreat.analysis.bootstrap import FilingBootstrap

Side = Literal["a", "b"]
"""Which of the two runs that were matched."""
_BLOCKS = 5
_UNKNOWN = (-1, -1)


@dataclass(frozen=True)
class CohortAgreement:
    """Agreement on the reference's extractions of one edge, or of one category of edges.

    There is no Jaccard here: an extraction without a match has no reference edge, so it belongs to no cohort.

    Attributes:
        name: of the edge or the category.
        recall: reference extractions of the cohort that have a match.
        conditional_precision: of those, the ones whose match has the reference's very edge.
    """

    name: str
    recall: Ratio
    conditional_precision: Ratio


@dataclass(frozen=True)
class Agreement:
    """One run against a reference run, summed over filings.

    Attributes:
        n, n_reference: extractions of the run and of the reference.
        matched: pairs that quote the same passage.
        same_edge: those of them that give it the same edge.
        categories: within each category of reference edges, in the graph's order.
        edges: within each reference edge, in the graph's order.
        same_edge_range: least and most pairs with the same edge over all assignments that are equally good, summed over
            filings; None where it is not known.
        intervals: of recall, Jaccard and conditional precision in this order; None where there is none.
    """

    n: int
    n_reference: int
    matched: int
    same_edge: int
    categories: tuple[CohortAgreement, ...]
    edges: tuple[CohortAgreement, ...]
    same_edge_range: tuple[int, int] | None = None
    intervals: tuple[Interval | None, Interval | None, Interval | None] = (None, None, None)

    @property
    def recall(self) -> Ratio:
        """matched / |reference|."""
        return Ratio(self.matched, self.n_reference, self.intervals[0])

    @property
    def jaccard(self) -> Ratio:
        """matched / (|run| + |reference| - matched); the same in both directions."""
        return Ratio(self.matched, self.n + self.n_reference - self.matched, self.intervals[1])

    @property
    def conditional_precision(self) -> Ratio:
        """same_edge / matched; the same in both directions."""
        return Ratio(self.same_edge, self.matched, self.intervals[2])

    @property
    def conditional_precision_range(self) -> tuple[Ratio, Ratio] | None:
        """Conditional precision of the worst and of the best of all assignments that are equally good."""
        if self.same_edge_range is None:
            return None
        least, most = self.same_edge_range
        return Ratio(least, self.matched), Ratio(most, self.matched)


class PairTally:
    """Counts the matches of two runs, A and B, filing by filing; both directions come of the same counts."""

    def __init__(self, graph: Graph, grouping: str = DEFAULT_GROUPING) -> None:
        """
        Args:
            grouping: which grouping of the graph's edges gives the categories.

        Raises:
            InputError: the graph has no such grouping.
        """
        self._graph = graph
        self._numbers = {edge: number for number, edge in enumerate(graph.edges)}
        self._category_of = [graph.category(edge, grouping) for edge in graph.edges]
        self._categories = graph.categories(grouping)
        self._filings = Filings()
        # For each filing the extractions of A and of B, the matches by the edge of A and by that of B, and those with
        # the same edge, each by edge; then the range of these over all assignments that are equally good.
        self._rows = array("i")

    def add(
        self,
        filing_id: str,
        a: Sequence[Extraction],
        b: Sequence[Extraction],
        matches: Sequence[Match],
        same_edge_range: tuple[int, int] | None = None,
    ) -> None:
        """Count one filing: all extractions of either run, and the one-to-one matches between them.

        Args:
            same_edge_range: least and most matches with the same edge over all assignments that are equally good; None
                where it is not known.

        Raises:
            InputError: the filing was counted before; a record is of another filing; a match names an extraction that
                its side lacks, or whose edge is another; an extraction is matched twice, or occurs twice; an edge is
                none of the graph; the range is none that holds these matches. Nothing of the filing is counted then.
        """
        self._filings.check(filing_id, a, b, matches)
        of_a, of_b = _edges(a, "a", self._graph), _edges(b, "b", self._graph)
        _check_matches(matches, of_a, of_b)
        same = [match.edge_a for match in matches if match.edge_a == match.edge_b]
        # Where nothing is matched, nothing was to choose.
        least, most = same_edge_range or (_UNKNOWN if matches else (0, 0))
        if same_edge_range and not 0 <= least <= len(same) <= most <= len(matches):
            raise InputError(
                f"has {len(same)} matches with the same edge, which is said to be from {least} to {most}.",
                where=f"filing {filing_id}",
            )
        size = len(self._numbers)
        counts = [0] * (_BLOCKS * size)
        blocks = (of_a.values(), of_b.values(), (m.edge_a for m in matches), (m.edge_b for m in matches), same)
        for block, edges in enumerate(blocks):
            for edge in edges:
                counts[block * size + self._numbers[edge]] += 1
        self._rows.extend((*counts, least, most))
        self._filings.add(filing_id)

    def agreement(self, reference: Side = "b", bootstrap: FilingBootstrap | None = None) -> Agreement:
        """What was counted so far, with intervals where draws of as many filings are given.

        Args:
            reference: the side that is the reference; the other is the run that is measured against it.

        Raises:
            InputError: the draws are of another number of filings.
        """
        import numpy as np

        size = len(self._numbers)
        table = self._filings.table(self._rows, _BLOCKS * size + 2)
        of_a, of_b, matched_a, matched_b, same = (table[:, i * size : (i + 1) * size] for i in range(_BLOCKS))
        of_run, of_reference, matched = (of_a, of_b, matched_b) if reference == "b" else (of_b, of_a, matched_a)
        # Columns of the whole, of each category and of each edge.
        in_category = [[own == name for name in self._categories] for own in self._category_of]
        cohorts = np.hstack((np.ones((size, 1)), np.array(in_category), np.eye(size))).astype(np.int64)
        references, hits, equal = of_reference @ cohorts, matched @ cohorts, same @ cohorts
        either = of_run.sum(axis=1, keepdims=True) + references[:, :1] - hits[:, :1]
        jaccard, *ratios = ratios_of_sums(
            np.hstack((hits[:, :1], hits, equal)), np.hstack((either, references, hits)), bootstrap
        )
        recall, *recalls = ratios[: cohorts.shape[1]]
        precision, *precisions = ratios[cohorts.shape[1] :]
        rows = tuple(map(CohortAgreement, (*self._categories, *self._numbers), recalls, precisions))
        ranges = table[:, -2:]
        return Agreement(
            n=int(of_run.sum()),
            n_reference=recall.total,
            matched=recall.hits,
            same_edge=precision.hits,
            categories=rows[: len(self._categories)],
            edges=rows[len(self._categories) :],
            same_edge_range=None if (ranges < 0).any() else (int(ranges[:, 0].sum()), int(ranges[:, 1].sum())),
            intervals=(recall.interval, jaccard.interval, precision.interval),
        )


def measure_agreement(
    a: Iterable[Extraction],
    b: Iterable[Extraction],
    matches: Iterable[Match],
    graph: Graph,
    *,
    reference: Side = "b",
    grouping: str = DEFAULT_GROUPING,
) -> Agreement:
    """Compare two runs whose records are all at hand; `PairTally` does it filing by filing, with intervals.

    Args:
        a, b: all extractions of either run, of any number of filings.
        matches: one-to-one, as the matching room makes them, with `a` and `b` in this order.

    Raises:
        InputError: as `PairTally.add`.
    """
    tally = PairTally(graph, grouping)
    ours, theirs, pairs = by_filing(a), by_filing(b), by_filing(matches)
    for one in dict.fromkeys((*ours, *theirs, *pairs)):
        tally.add(one, ours.get(one, []), theirs.get(one, []), pairs.get(one, []))
    return tally.agreement(reference)


def _edges(extractions: Iterable[Extraction], side: Side, graph: Graph) -> dict[str, str]:
    """Extraction → its edge, both by id."""
    found: dict[str, str] = {}
    for extraction in extractions:
        if extraction.edge not in graph.edges:
            raise InputError(
                f"has edge {extraction.edge}, no edge of graph '{graph.name}'.",
                where=f"run {side}, extraction {extraction.id}",
            )
        if extraction.id in found:
            raise InputError(f"extraction {extraction.id} is there twice.", where=f"run {side}")
        found[extraction.id] = extraction.edge
    return found


def _check_matches(matches: Iterable[Match], of_a: Mapping[str, str], of_b: Mapping[str, str]) -> None:
    """Refuse matches that are not a one-to-one assignment between just these extractions."""
    used_a: set[str] = set()
    used_b: set[str] = set()
    for match in matches:
        ends = (("a", match.a, match.edge_a, of_a, used_a), ("b", match.b, match.edge_b, of_b, used_b))
        for side, id_, edge, edges, used in ends:
            if id_ in used or edges.get(id_) != edge:
                raise InputError(_fault(side, id_, edges, used), where=f"match {match.a} – {match.b}")
            used.add(id_)


def _fault(side: str, id_: str, edges: Mapping[str, str], used: set[str]) -> str:
    if id_ in used:
        return f"uses {id_} of run {side} a second time."
    if id_ in edges:
        return f"gives {id_} another edge than run {side} does."
    return f"names {id_}, which run {side} does not have in this filing."
