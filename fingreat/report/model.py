"""What a report shows, as records: the caller measures, this room only draws."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, InstanceOf

from fingreat.report.tables import Count, Share, Slug, Table
from fingreat.schema import Extraction, Failure, Filing, GoldPassage, Graph, Match, ReplyState, Section
from fingreat.schema.graph import DEFAULT_GROUPING
from fingreat.schema.records import Record


class EdgeScore(Record):
    """Precision and recall of one run on one edge."""

    edge: str
    precision: Share
    recall: Share


class ScoreView(Record):
    """How one run fares against the gold passages, as its measurer computed it.

    Attributes:
        edges: one row per edge, any order; edges left out are shown as "–".
        chance: what precision would be for guesses, as a fraction.
        sentence: the honest reading in words, such as "not distinguishable from chance".
        found: (passage id, edge) for each gold passage and accepted edge that the run has.
        other_edge: ids of gold passages that the run has only under an edge that is not accepted.
    """

    precision: Share
    recall: Share
    edges: tuple[EdgeScore, ...] = ()
    chance: Annotated[float, Field(ge=0, le=1)] | None = None
    sentence: str = ""
    found: frozenset[tuple[str, str]] = frozenset()
    other_edge: frozenset[str] = frozenset()


class RunView(Record):
    """One model's run over the filings.

    Attributes:
        name: unique within a report.
        model: as passed on the command line (`backend:model`).
        extractions: of every filing; those of filings that are not shown count in figures and have no text.
        replies: count per reply state.
        prompt_tokens, output_tokens, seconds: totals, None where nothing was counted.
        notes: further sentences to stand under its figures.
    """

    name: str = Field(min_length=1)
    model: str
    mode: Literal["quote", "span"]
    extractions: tuple[Extraction, ...] = ()
    replies: Mapping[ReplyState, Count] = Field(default_factory=dict)
    prompt_tokens: Count | None = None
    output_tokens: Count | None = None
    seconds: Annotated[float, Field(ge=0)] | None = None
    score: ScoreView | None = None
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def failed_replies(self) -> Mapping[ReplyState, int]:
        """The reply states that are no success, with their counts."""
        return {state: count for state, count in self.replies.items() if state is not ReplyState.OK and count}

    @property
    def grounded(self) -> Share:
        """Extractions whose quote stands in the text, of all."""
        return Share(k=sum(e.verdict.grounded for e in self.extractions), n=len(self.extractions))


class FilingView(Record):
    """A filing that is shown: its section's text is the coordinate space of every range in it.

    Attributes:
        gold: of this filing; passages with a place in the text become a layer of their own.
    """

    filing: Filing
    section: Section
    gold: tuple[GoldPassage, ...] = ()


class MatchView(Record):
    """Which extractions of two runs quote the same passage.

    Attributes:
        a, b: names of the runs.
        matches: of every filing, one to one.
    """

    a: str
    b: str
    matches: tuple[Match, ...] = ()


class Figure(Record):
    """A drawing of its own.

    Attributes:
        svg: as `heat_map`, `bars` or `draw_svg` made it. It is markup that goes into the page as it is: never
            one from a file of unknown origin.
    """

    id: Slug
    title: str = Field(min_length=1)
    svg: str
    caption: str = ""


class Report(Record):
    """Everything on one page: several filings, and what each run made of them.

    Attributes:
        grouping: which grouping of the graph's edges gives the colours.
        filings: those whose text is shown, in this order.
        runs: shown in this order.
        notes: paragraphs for the head of the page.
        filings_in_all: how many filings the runs are over, where that is more than what is shown.
    """

    title: str = Field(min_length=1)
    created: datetime
    graph: InstanceOf[Graph]
    grouping: str = DEFAULT_GROUPING
    filings: tuple[FilingView, ...] = ()
    runs: tuple[RunView, ...] = ()
    matches: tuple[MatchView, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    filings_in_all: Count | None = None
