"""A vote of several runs on the passages that all of them quote, against a reference run.

The reference is another run, no truth. Ensemble and members are compared on the same passages: those that have a
majority and that the reference quotes too.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from fingreat.analysis.bootstrap import FilingBootstrap
from fingreat.analysis.ratio import Interval, Ratio
from fingreat.errors import InputError
from fingreat.schema import Extraction, Graph, Group, Match
from fingreat.schema.graph import DEFAULT_GROUPING

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

ENSEMBLE = "ensemble"
"""The name of the row of the vote."""


@dataclass(frozen=True)
class CohortPrecision:
    """Agreement with the reference on its edges of one category.

    Attributes:
        name: of the category.
        precision: passages with the reference's very edge, of those to which the reference gives an edge of the
            category.
    """

    name: str
    precision: Ratio


@dataclass(frozen=True)
class EnsembleRow:
    """The vote, or one member, on the majority-decidable passages that the reference quotes too.

    Attributes:
        name: `ensemble`, or the member's.
        precision: passages with the reference's very edge, of all these passages; the total is the same in all rows.
        categories: the same within each category of reference edges, in the graph's order.
        difference: interval of the ensemble's share less the member's, on the same draws of filings; None in the
            ensemble's own row and where there is none.
    """

    name: str
    precision: Ratio
    categories: tuple[CohortPrecision, ...]
    difference: Interval | None = None


@dataclass(frozen=True)
class EnsembleScore:
    """An ensemble and its members against one reference, summed over filings; groups = decidable + abstained.

    Attributes:
        reference: name of the reference run.
        filings: that were looked at.
        members: how many vote.
        quorum: votes that an edge needs at least: more than half of the members.
        groups: passages that all members quote.
        decidable: those of them with a majority for one edge.
        abstained: those without.
        matched: decidable passages that the reference quotes too; the total of every row's precision.
        abstained_matched: passages that the reference quotes too and on which the ensemble abstains.
        recall: reference extractions that are matched with a decidable passage, of all; abstaining costs
            `abstained_matched` of them.
        rows: the ensemble, then each member in the order in which they were named.
    """

    reference: str
    filings: int
    members: int
    quorum: int
    groups: int
    decidable: int
    abstained: int
    matched: int
    abstained_matched: int
    recall: Ratio
    rows: tuple[EnsembleRow, ...]

    @property
    def unmatched(self) -> int:
        """Decidable passages that the reference does not quote."""
        return self.decidable - self.matched


def majority(edges: Sequence[str], members: int) -> str | None:
    """The edge with more than half of the votes that `members` could cast, None where no edge has.

    Args:
        edges: the votes, at most one of each member.
        members: how many may vote; exactly half of them is no majority.

    Raises:
        InputError: there are more votes than members.
    """
    if len(edges) > members:
        raise InputError(f"{members} members cannot cast {len(edges)} votes.")
    edge, votes = max(Counter(edges).items(), key=lambda pair: pair[1], default=("", 0))
    return edge if 2 * votes > members else None


class EnsembleTally:
    """Counts the votes of some runs against one reference filing by filing; of each filing it keeps a row of numbers.

    Args:
        members: names of the runs that vote, all of which must quote a passage.
        graph: of their edges and the reference's.
        reference: name of the reference run.
        grouping: which grouping of the graph's edges gives the categories.

    Raises:
        InputError: fewer than two members, one named twice, or the reference among them; no such grouping.
    """

    def __init__(
        self, members: Sequence[str], graph: Graph, *, reference: str, grouping: str = DEFAULT_GROUPING
    ) -> None:
        if len(members) < 2:
            raise InputError("a vote needs at least two members.", hint="Name more runs.")
        if repeated := [member for member, times in Counter(members).items() if times > 1]:
            raise InputError(f"member {repeated[0]} is named twice.", hint="Name different runs.")
        if reference in members:
            raise InputError(
                f"the reference {reference} is a member and would judge its own vote.", hint="Name another reference."
            )
        self.members = tuple(members)
        self.reference = reference
        self._graph = graph
        categories = graph.categories(grouping)
        self._categories = categories
        self._category = {edge: categories.index(graph.category(edge, grouping)) for edge in graph.edges}
        self._filings: set[str] = set()
        self._rows = array("q")

    def add(
        self,
        filing_id: str,
        groups: Iterable[Group],
        matches: Iterable[Match],
        reference_extractions: Iterable[Extraction],
    ) -> None:
        """Count one filing; a filing without groups or reference extractions counts as well.

        Args:
            groups: of all members, each appearing once.
            matches: one-to-one between the groups' medoids (`a`, by the medoid's id) and the reference's extractions
                (`b`), groups on which the ensemble abstains included.
            reference_extractions: all of the reference's extractions of the filing.

        Raises:
            InputError: the filing was counted before; a record is of another filing; a group's members are not just
                the ensemble's; an edge is none of the graph; an id of a reference extraction or of a medoid is there
                twice; a match names an unknown id, one a second time, or gives one another edge.
        """
        if filing_id in self._filings:
            raise InputError("is counted twice.", where=f"filing {filing_id}")
        by_medoid = self._by_medoid(filing_id, groups)
        edges = self._edges(filing_id, reference_extractions)
        pairs = list(matches)
        _check_matches(filing_id, pairs, by_medoid, edges)
        votes = {medoid: majority(group.edges, len(self.members)) for medoid, group in by_medoid.items()}
        # For each category of the reference's edges: matched passages, then those on which the ensemble and each member
        # give the reference's edge.
        width = len(self.members) + 2
        counts = [0] * (len(self._categories) * width)
        abstained = 0
        for match in pairs:
            vote = votes[match.a]
            if vote is None:
                abstained += 1
                continue
            edge = edges[match.b]
            given = {member.run: member.edge for member in by_medoid[match.a].members}
            at = self._category[edge] * width
            right = (vote == edge, *(given[member] == edge for member in self.members))
            for offset, hit in enumerate((True, *right)):
                counts[at + offset] += hit
        decidable = sum(vote is not None for vote in votes.values())
        self._rows.extend((len(votes), decidable, abstained, len(edges), *counts))
        self._filings.add(filing_id)

    def score(self, bootstrap: FilingBootstrap | None = None) -> EnsembleScore:
        """The ensemble and its members against the reference.

        Args:
            bootstrap: over as many filings as were added, for intervals; None leaves them out.
        """
        import numpy as np

        rows = np.array(self._rows, dtype=np.int64).reshape(len(self._filings), -1)
        # filings × categories × (matched, right by the ensemble, right by each member)
        counts = rows[:, 4:].reshape(len(rows), len(self._categories), -1)
        groups, decidable, abstained_matched, _ = (int(number) for number in rows[:, :4].sum(axis=0))
        overall = counts.sum(axis=1)
        names = (ENSEMBLE, *self.members)
        return EnsembleScore(
            reference=self.reference,
            filings=len(rows),
            members=len(self.members),
            quorum=len(self.members) // 2 + 1,
            groups=groups,
            decidable=decidable,
            abstained=groups - decidable,
            matched=int(overall[:, 0].sum()),
            abstained_matched=abstained_matched,
            recall=_ratio(overall[:, 0], rows[:, 3], bootstrap),
            rows=tuple(self._row(name, number, counts, bootstrap) for number, name in enumerate(names, start=1)),
        )

    def _row(self, name: str, number: int, counts: Array, bootstrap: FilingBootstrap | None) -> EnsembleRow:
        """The row of the vote (number 1) or of a member."""
        overall = counts.sum(axis=1)
        matched = overall[:, 0]
        difference = None
        if bootstrap and number > 1:
            difference = bootstrap.difference(overall[:, 1], matched, overall[:, number], matched)
        return EnsembleRow(
            name=name,
            precision=_ratio(overall[:, number], matched, bootstrap),
            categories=tuple(
                CohortPrecision(category, _ratio(counts[:, at, number], counts[:, at, 0], bootstrap))
                for at, category in enumerate(self._categories)
            ),
            difference=difference,
        )

    def _by_medoid(self, filing_id: str, groups: Iterable[Group]) -> dict[str, Group]:
        by_medoid: dict[str, Group] = {}
        for group in groups:
            where = f"group {group.id}"
            _check_filing(filing_id, group.filing_id, where)
            runs = [member.run for member in group.members]
            if sorted(runs) != sorted(self.members):
                raise InputError(
                    f"has members of {', '.join(runs)}, not one of each of {', '.join(self.members)}.", where=where
                )
            for member in group.members:
                self._check_edge(member.edge, f"{where}, extraction {member.id} of run {member.run}")
            if group.medoid in by_medoid:
                raise InputError(f"has the medoid {group.medoid} of another group.", where=where)
            by_medoid[group.medoid] = group
        return by_medoid

    def _edges(self, filing_id: str, extractions: Iterable[Extraction]) -> dict[str, str]:
        """Id of every extraction of the reference → its edge."""
        edges: dict[str, str] = {}
        for extraction in extractions:
            where = f"run {self.reference}, extraction {extraction.id}"
            _check_filing(filing_id, extraction.filing_id, where)
            self._check_edge(extraction.edge, where)
            if extraction.id in edges:
                raise InputError("is there twice.", where=where)
            edges[extraction.id] = extraction.edge
        return edges

    def _check_edge(self, edge: str, where: str) -> None:
        if edge not in self._category:
            raise InputError(f"has edge {edge}, no edge of graph '{self._graph.name}'.", where=where)


def _check_filing(filing_id: str, found: str, where: str) -> None:
    if found != filing_id:
        raise InputError(f"is of filing {found}, not {filing_id}.", where=where)


def _check_matches(
    filing_id: str, matches: Iterable[Match], by_medoid: Mapping[str, Group], edges: Mapping[str, str]
) -> None:
    """Refuse matches that are not a one-to-one assignment between just these groups and reference extractions."""
    seen: tuple[set[str], set[str]] = (set(), set())
    for match in matches:
        where = f"match {match.a} – {match.b}"
        _check_filing(filing_id, match.filing_id, where)
        if match.a not in by_medoid:
            raise InputError(f"names {match.a}, which is the medoid of no group.", where=where)
        if match.b not in edges:
            raise InputError(f"names {match.b}, which the reference does not have.", where=where)
        of_medoid = {member.edge for member in by_medoid[match.a].members if member.id == match.a}
        if match.edge_a not in of_medoid or match.edge_b != edges[match.b]:
            raise InputError("gives an extraction another edge than its run does.", where=where)
        for id_, before in zip((match.a, match.b), seen, strict=True):
            if id_ in before:
                raise InputError(f"uses {id_} a second time.", where=where)
            before.add(id_)


def _ratio(hits: Array, totals: Array, bootstrap: FilingBootstrap | None) -> Ratio:
    """The ratio of the sums of two columns of one number per filing."""
    interval = bootstrap.ratio(hits, totals) if bootstrap else None
    return Ratio(int(hits.sum()), int(totals.sum()), interval)
