"""How far two runs quote the same passages, and whether they give them the same edge.

The reference of a comparison is another run, no truth: these measures say how two models read, not who is right.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fingreat.analysis.filings import Filings, by_filing
from fingreat.analysis.ratio import Interval, Ratio
from fingreat.errors import InputError
from fingreat.schema import Extraction, Graph, Match
from fingreat.schema.graph import DEFAULT_GROUPING

if TYPE_CHECKING:
    from fingreat.analysis.bootstrap import FilingBootstrap

Side = Literal["a", "b"]
"""Which of the two runs that were matched."""


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
            filings; None where that was not told.
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
        self._edges = {edge: number for number, edge in enumerate(graph.edges)}
        names = graph.categories(grouping)
        self._categories: dict[str, list[int]] = {name: [] for name in names}
        for edge, number in self._edges.items():
            self._categories[graph.category(edge, grouping)].append(number)
        self._filings = Filings()
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
            same_edge_range: least and most matches with the same edge over all assignments that are equally good.

        Raises:
            InputError: the filing was counted before; a record is of another filing; a match names an extraction that
                its side lacks, or whose edge is another; an extraction is matched twice, or occurs twice; an edge is
                none of the graph. Nothing of the filing is counted then.
        """
        raise NotImplementedError

    def agreement(self, reference: Side = "b", bootstrap: FilingBootstrap | None = None) -> Agreement:
        """What was counted so far, with intervals where draws of as many filings are given.

        Args:
            reference: the side that is the reference; the other is the run that is measured against it.

        Raises:
            InputError: the draws are of another number of filings.
        """
        raise NotImplementedError


def measure_agreement(
    a: Iterable[Extraction],
    b: Iterable[Extraction],
    matches: Iterable[Match],
    graph: Graph,
    *,
    reference: Side = "b",
    grouping: str = DEFAULT_GROUPING,
) -> Agreement:
    """Compare two runs by the matches between them, which serve both directions.

    Args:
        a, b: all extractions of either run, of any number of filings.
        matches: one-to-one, as the matching room makes them, with `a` and `b` in this order.
        reference: the side that is the reference; the other is the run that is measured against it.
        grouping: which grouping of the graph's edges gives the categories.

    Raises:
        InputError: a match names an extraction that its side lacks, or whose filing or edge is another; an
            extraction is matched twice, or occurs twice; an edge or the grouping is none of the graph.
    """
    sides: dict[Side, dict[str, Extraction]] = {"a": _by_id(a, "run a"), "b": _by_id(b, "run b")}
    pairs = list(matches)
    _check_edges(sides, graph)
    _check_matches(pairs, sides)
    of_reference = Counter(extraction.edge for extraction in sides[reference].values())
    matched = Counter(match.edge_a if reference == "a" else match.edge_b for match in pairs)
    same = Counter(match.edge_a for match in pairs if match.same_edge)

    def cohort(name: str, edges: Iterable[str]) -> CohortAgreement:
        total, hits, equal = (sum(count[edge] for edge in edges) for count in (of_reference, matched, same))
        return CohortAgreement(name, Ratio(hits, total), Ratio(equal, hits))

    members: dict[str, list[str]] = {name: [] for name in graph.categories(grouping)}
    for edge in graph.edges:
        members[graph.category(edge, grouping)].append(edge)
    return Agreement(
        n=len(sides["b" if reference == "a" else "a"]),
        n_reference=len(sides[reference]),
        matched=len(pairs),
        same_edge=same.total(),
        categories=tuple(cohort(name, edges) for name, edges in members.items()),
        edges=tuple(cohort(edge, (edge,)) for edge in graph.edges),
    )


def agreement_by_filing(
    a: Iterable[Extraction],
    b: Iterable[Extraction],
    matches: Iterable[Match],
    graph: Graph,
    *,
    reference: Side = "b",
    grouping: str = DEFAULT_GROUPING,
) -> dict[str, Agreement]:
    """`measure_agreement` of each filing alone, for every filing in which either run has an extraction.

    Raises:
        InputError: as `measure_agreement`.
    """
    ours, theirs, pairs = by_filing(a), by_filing(b), by_filing(matches)
    return {
        filing_id: measure_agreement(
            ours.get(filing_id, ()),
            theirs.get(filing_id, ()),
            pairs.get(filing_id, ()),
            graph,
            reference=reference,
            grouping=grouping,
        )
        for filing_id in dict.fromkeys((*ours, *theirs, *pairs))
    }


def _by_id(extractions: Iterable[Extraction], where: str) -> dict[str, Extraction]:
    by_id: dict[str, Extraction] = {}
    for extraction in extractions:
        if extraction.id in by_id:
            raise InputError(f"extraction {extraction.id} is there twice.", where=where)
        by_id[extraction.id] = extraction
    return by_id


def _check_edges(sides: Mapping[Side, Mapping[str, Extraction]], graph: Graph) -> None:
    for side, extractions in sides.items():
        for extraction in extractions.values():
            if extraction.edge not in graph.edges:
                raise InputError(
                    f"has edge {extraction.edge}, no edge of graph '{graph.name}'.",
                    where=f"run {side}, extraction {extraction.id}",
                )


def _check_matches(pairs: Iterable[Match], sides: Mapping[Side, Mapping[str, Extraction]]) -> None:
    """Refuse matches that are not a one-to-one assignment between just these extractions."""
    seen: set[tuple[Side, str]] = set()
    for match in pairs:
        where = f"match {match.a} – {match.b}"
        ends: tuple[tuple[Side, str, str], ...] = (("a", match.a, match.edge_a), ("b", match.b, match.edge_b))
        for side, id_, edge in ends:
            extraction = sides[side].get(id_)
            if extraction is None:
                raise InputError(f"names {id_}, which run {side} does not have.", where=where)
            if (extraction.filing_id, extraction.edge) != (match.filing_id, edge):
                raise InputError(f"gives {id_} another filing or edge than run {side} does.", where=where)
            if (side, id_) in seen:
                raise InputError(f"uses {id_} of run {side} a second time.", where=where)
            seen.add((side, id_))
