"""Which edges count as right for a passage that several reviewers decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeAlias

from fingreat.analysis.reviews import Decision
from fingreat.errors import InputError
from fingreat.schema import Graph

Source: TypeAlias = Literal["primary", "fallback", "none"]


@dataclass(frozen=True)
class Cohorts:
    """What reviewers accept, over all passages.

    Attributes:
        sizes: source → how many edges a passage accepts → how many passages; `none` is under 0 edges alone.
        edges: edge → passages that accept it, in the order of the graph.
    """

    sizes: Mapping[Source, Mapping[int, int]]
    edges: Mapping[str, int]

    @property
    def eligible(self) -> int:
        """Passages that accept an edge."""
        return sum(n for sizes in self.sizes.values() for size, n in sizes.items() if size)

    @property
    def labels(self) -> int:
        """Accepted edges, over all passages."""
        return sum(size * n for sizes in self.sizes.values() for size, n in sizes.items())

    @property
    def chance(self) -> float | None:
        """Expected accuracy of an edge drawn at random: the mean of |accepted| / |edges|; None without passages."""
        return self.labels / (self.eligible * len(self.edges)) if self.eligible else None


def accepted_of(decisions: Sequence[Decision]) -> tuple[Decision, Source]:
    """The edges that count as right for a passage, and where they come from.

    `primary`: those that more than half of the reviewers selected. Without any: `none`, and no edge, where more than
    half of the reviewers selected nothing; else `fallback`, all that any of them selected.

    Raises:
        InputError: there is no decision.
    """
    if not decisions:
        raise InputError("without a decision no edge is accepted or refused.")
    votes = Counter(chain.from_iterable(decisions))
    primary = frozenset(edge for edge, n in votes.items() if 2 * n > len(decisions))
    if primary:
        return primary, "primary"
    if 2 * sum(not one for one in decisions) > len(decisions):
        return frozenset(), "none"
    return frozenset(votes), "fallback"


def cohorts_of(decisions: Iterable[Sequence[Decision]], graph: Graph) -> Cohorts:
    """Count what the decisions on passages accept (`accepted_of`).

    Raises:
        InputError: a passage has no decision.
    """
    sizes: dict[Source, Counter[int]] = {"primary": Counter(), "fallback": Counter(), "none": Counter()}
    of_edge: Counter[str] = Counter()
    for one in decisions:
        accepted, source = accepted_of(one)
        sizes[source][len(accepted)] += 1
        of_edge.update(accepted)
    return Cohorts(sizes, {edge: of_edge[edge] for edge in graph.edges})
