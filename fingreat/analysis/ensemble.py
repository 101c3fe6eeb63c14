"""A vote of several runs on the passages that all of them quote, against a reference run.

The reference is another run, not the truth. Ensemble and members are compared on the same passages: those that have a
majority and that the reference quotes too.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from fingreat.analysis.bootstrap import ratio_of_sums, ratios_of_sums
from fingreat.analysis.filings import Filings
from fingreat.analysis.ratio import Interval, Ratio
from fingreat.errors import InputError
from fingreat.schema import Extraction, Graph, Group, Match
from fingreat.schema.graph import DEFAULT_GROUPING

if TYPE_CHECKING:
    import numpy as np

    from fingreat.analysis.bootstrap import FilingBootstrap

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

ENSEMBLE = "ensemble"
"""The name of the row of the vote."""
_WHOLE = 5
"""Counts of a filing that do not go by category."""


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
        torn: connected extractions of all members that are no group, so that nothing is voted on.
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
    torn: int = 0

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
    """Counts the votes of some runs against one reference, filing by filing; it keeps a row of numbers of each."""

    def __init__(
        self, members: Sequence[str], graph: Graph, *, reference: str, grouping: str = DEFAULT_GROUPING
    ) -> None:
        """
        Args:
            members: names of the runs that vote; a passage counts where all of them quote it.
            graph: of their edges and the reference's.
            reference: name of the reference run.
            grouping: which grouping of the graph's edges gives the categories.

        Raises:
            InputError: fewer than two members, one named twice or as the vote is, or the reference among them; no such
                grouping.
        """
        if len(members) < 2:
            raise InputError("A vote needs at least two members.", hint="Name more runs.")
        if repeated := [member for member, times in Counter(members).items() if times > 1]:
            raise InputError(f"Member {repeated[0]} is named twice.", hint="Name different runs.")
        if ENSEMBLE in members:
            raise InputError(f"A member is named {ENSEMBLE}, as the vote is.", hint="Give it another name.")
        if reference in members:
            raise InputError(
                f"Reference {reference} is a member and would judge its own vote.", hint="Name another reference."
            )
        self.members = tuple(members)
        self.reference = reference
        self._graph = graph
        self._categories = graph.categories(grouping)
        self._category = {edge: self._categories.index(graph.category(edge, grouping)) for edge in graph.edges}
        self._filings = Filings()
        # Of each filing: groups, decidable ones, matched ones without a majority, torn ones, reference extractions;
        # then for each category the matched decidable groups, and those to which the vote and each member give the
        # reference's edge.
        self._rows = array("q")

    def add(
        self,
        filing_id: str,
        groups: Sequence[Group],
        matches: Sequence[Match],
        reference_extractions: Sequence[Extraction],
        torn: int = 0,
    ) -> None:
        """Count one filing; one without groups or reference extractions is a filing too.

        Args:
            groups: those that all members are in.
            matches: one-to-one between the groups' medoids (`a`, by the group's id) and the reference's extractions
                (`b`), groups without a majority included.
            reference_extractions: all of the reference's extractions of the filing.
            torn: connected extractions of all members that are no group.

        Raises:
            InputError: the filing was counted before; a record is of another filing; a group's members are not just
                the ensemble's; an edge is none of the graph; a group or a reference extraction is there twice; a
                match names one that is not there, one a second time, or gives one another edge. Nothing of the
                filing is counted then.
        """
        self._filings.check(filing_id, matches, reference_extractions)
        by_id = self._by_id(filing_id, groups)
        edges = self._edges(reference_extractions)
        _check_matches(matches, by_id, edges)
        votes = {id_: majority(group.edges, len(self.members)) for id_, group in by_id.items()}
        counts = [[0] * (2 + len(self.members)) for _ in self._categories]
        abstained = 0
        for match in matches:
            vote, edge = votes[match.a], edges[match.b]
            if vote is None:
                abstained += 1
                continue
            given = {member.run: member.edge for member in by_id[match.a].members}
            right = (True, vote == edge, *(given[member] == edge for member in self.members))
            row = counts[self._category[edge]]
            for column, hit in enumerate(right):
                row[column] += hit
        decidable = sum(vote is not None for vote in votes.values())
        whole = len(votes), decidable, abstained, torn, len(edges)
        self._rows.extend((*whole, *(count for row in counts for count in row)))
        self._filings.add(filing_id)

    def score(self, bootstrap: FilingBootstrap | None = None) -> EnsembleScore:
        """The vote and its members against the reference, with intervals where draws of as many filings are given.

        Raises:
            InputError: the draws are of another number of filings.
        """
        import numpy as np

        names = (ENSEMBLE, *self.members)
        shape = len(self._filings), len(self._categories), 1 + len(names)
        rows = self._filings.table(self._rows, _WHOLE + shape[1] * shape[2])
        # [filings, all and each category, matched and right by the vote and each member]
        counts = rows[:, _WHOLE:].reshape(shape)
        counts = np.concatenate([counts.sum(axis=1, keepdims=True), counts], axis=1)
        groups, decidable, abstained_matched, torn, _ = rows[:, :_WHOLE].sum(axis=0).tolist()
        matched = counts[:, 0, 0]
        return EnsembleScore(
            reference=self.reference,
            filings=len(rows),
            members=len(self.members),
            quorum=len(self.members) // 2 + 1,
            groups=groups,
            decidable=decidable,
            abstained=groups - decidable,
            matched=int(matched.sum()),
            abstained_matched=abstained_matched,
            recall=ratio_of_sums(matched, rows[:, _WHOLE - 1], bootstrap),
            torn=torn,
            rows=tuple(self._row(name, column, counts, bootstrap) for column, name in enumerate(names, start=1)),
        )

    def _row(self, name: str, column: int, counts: Array, bootstrap: FilingBootstrap | None) -> EnsembleRow:
        """The row of the vote (column 1) or of a member."""
        precision, *categories = ratios_of_sums(counts[:, :, column], counts[:, :, 0], bootstrap)
        difference = None
        if bootstrap and column > 1:
            matched, vote, member = (counts[:, 0, number] for number in (0, 1, column))
            difference = bootstrap.difference(vote, matched, member, matched)
        cohorts = zip(self._categories, categories, strict=True)
        return EnsembleRow(name, precision, tuple(CohortPrecision(*cohort) for cohort in cohorts), difference)

    def _by_id(self, filing_id: str, groups: Iterable[Group]) -> dict[str, Group]:
        by_id: dict[str, Group] = {}
        for group in groups:
            where = f"group {group.id}"
            if group.filing_id != filing_id:
                raise InputError(f"is of filing {group.filing_id}, not {filing_id}.", where=where)
            runs = [member.run for member in group.members]
            if sorted(runs) != sorted(self.members):
                raise InputError(
                    f"has members of {', '.join(runs)}, not one of each of {', '.join(self.members)}.", where=where
                )
            for member in group.members:
                self._check_edge(member.edge, f"{where}, extraction {member.id} of run {member.run}")
            if group.id in by_id:
                raise InputError("is there twice.", where=where)
            by_id[group.id] = group
        return by_id

    def _edges(self, extractions: Iterable[Extraction]) -> dict[str, str]:
        """Id of every extraction of the reference → its edge."""
        edges: dict[str, str] = {}
        for extraction in extractions:
            where = f"run {self.reference}, extraction {extraction.id}"
            self._check_edge(extraction.edge, where)
            if extraction.id in edges:
                raise InputError("is there twice.", where=where)
            edges[extraction.id] = extraction.edge
        return edges

    def _check_edge(self, edge: str, where: str) -> None:
        if edge not in self._category:
            raise InputError(f"has edge {edge}, no edge of graph '{self._graph.name}'.", where=where)


def _check_matches(matches: Iterable[Match], groups: Mapping[str, Group], edges: Mapping[str, str]) -> None:
    """Refuse matches that are not a one-to-one assignment between just these groups and reference extractions."""
    seen: tuple[set[str], set[str]] = (set(), set())
    for match in matches:
        where = f"match {match.a} – {match.b}"
        group = groups.get(match.a)
        if group is None:
            raise InputError(f"names {match.a}, which is no group.", where=where)
        if match.b not in edges:
            raise InputError(f"names {match.b}, which the reference does not have.", where=where)
        of_medoid = {member.edge for member in group.members if member.id == group.medoid}
        if match.edge_a not in of_medoid or match.edge_b != edges[match.b]:
            raise InputError("gives an extraction another edge than its run does.", where=where)
        for id_, before in zip((match.a, match.b), seen, strict=True):
            if id_ in before:
                raise InputError(f"uses {id_} a second time.", where=where)
            before.add(id_)
