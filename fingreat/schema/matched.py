"""Records of what several runs quote: matches of two, groups of more."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fingreat.schema.records import Range, Record

UnitInterval = Annotated[float, Field(ge=0, le=1)]
Figures = Literal["none", "same", "more", "differ"]
"""The figures of two quotes: neither has any; both have the same, equally often; one has all of the other's and more;
each has one that the other lacks."""
Difference = Literal["direction", "figure", "modal", "negation", "scale"]
"""What weighs in a quote: figures with their signs, per-cent marks and currencies; words that turn its meaning."""


class Match(Record):
    """Two extractions of one filing, one from each of two runs, that quote the same passage.

    Attributes:
        a, b: ids of the extractions, in run A and in run B.
        edge_a, edge_b: their edges, which play no part in the matching.
        overlap: from 0.80 to 1, by the rule of the matching room: the largest of the next four; `span` where
            matching was asked to go by place.
        decided_by: which component gave the overlap.
        equal, containment, fragments, order: what each component of the quotes' overlap gives by itself.
        span: code points that both places share, over those of the shorter; None where a quote stands nowhere.
        figures: whether the figures in the two quotes agree.
        differs: in which kinds of figures and words of weight the quotes differ where they run side by side, sorted;
            what only the longer one goes on to say is no difference.
    """

    filing_id: str
    a: str
    b: str
    edge_a: str
    edge_b: str
    overlap: UnitInterval
    decided_by: Literal["equal", "containment", "fragments", "order", "span"]
    equal: UnitInterval
    containment: UnitInterval
    fragments: UnitInterval
    order: UnitInterval
    span: UnitInterval | None
    figures: Figures
    differs: tuple[Difference, ...]

    @property
    def same_edge(self) -> bool:
        """Whether both give the passage the same edge."""
        return self.edge_a == self.edge_b

    @property
    def near_miss(self) -> bool:
        """Whether the quotes read alike and say something else: another figure, a negation, another direction."""
        return bool(self.differs)


class Member(Record):
    """One run's extraction in a group."""

    run: str
    id: str
    edge: str


class Group(Record):
    """Extractions of several runs that quote the same passage of one filing: every two of them are matched.

    Attributes:
        id: hash of the members' ids.
        members: one of each run at most, in the order of the runs.
        medoid: id of the member whose quote stands for the group: that with the highest mean overlap with the others,
            then the shorter, then the earlier in the text.
        quote, ranges: the medoid's.
    """

    id: str
    filing_id: str
    members: tuple[Member, ...] = Field(min_length=2)
    medoid: str
    quote: str
    ranges: tuple[Range, ...]

    @property
    def edges(self) -> tuple[str, ...]:
        """The members' edges, in the order of the runs."""
        return tuple(member.edge for member in self.members)
