"""What the page of a study shows, as records: its parts with figures and tables, its methods, its appendices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from pydantic import Field, InstanceOf, model_validator

from fingreat.report.model import Figure
from fingreat.report.tables import Slug, Table
from fingreat.schema import Graph
from fingreat.schema.graph import DEFAULT_GROUPING
from fingreat.schema.records import Record


class Part(Record):
    """A part of the results, such as accuracy: figures before tables.

    Attributes:
        text: paragraphs before the figures; where a part could not be made, why.
    """

    id: Slug
    title: str = Field(min_length=1)
    text: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()


class Block(Record):
    """A text to be shown as it is, line by line: a prompt, a request, a reply.

    Attributes:
        text: data; nothing in it is markup.
    """

    title: str = Field(min_length=1)
    text: str


class Appendix(Record):
    """What stands after the results: settings as tables, prompts and replies as blocks."""

    id: Slug
    title: str = Field(min_length=1)
    text: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    blocks: tuple[Block, ...] = ()


class StudyReport(Record):
    """Everything on the page of a study.

    Attributes:
        lead: paragraphs for the head of the page.
        methods: paragraphs on how it was done.
        grouping: which grouping of the graph's edges gives the colours.
        missing: sentences on what the study lacks so far; they stand in the head.
    """

    title: str = Field(min_length=1)
    created: datetime
    graph: InstanceOf[Graph]
    grouping: str = DEFAULT_GROUPING
    lead: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    appendices: tuple[Appendix, ...] = ()

    @property
    def placed(self) -> tuple[Part | Appendix, ...]:
        """All that has tables: parts, then appendices."""
        return (*self.parts, *self.appendices)

    @property
    def tables(self) -> tuple[Table, ...]:
        """Of all parts, then of all appendices."""
        return tuple(table for part in self.placed for table in part.tables)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Of all parts."""
        return tuple(figure for part in self.parts for figure in part.figures)

    @model_validator(mode="after")
    def _names_are_unique(self) -> StudyReport:
        for kind, ids in self._ids():
            twice = [id_ for id_, count in Counter(ids).items() if count > 1]
            if twice:
                raise ValueError(f"two {kind} are called '{twice[0]}'")
        return self

    def _ids(self) -> Iterator[tuple[str, list[str]]]:
        """Those of parts and appendices are places in the page; those of tables and figures name files too."""
        yield "parts", [part.id for part in self.placed]
        yield "tables", [table.id for table in self.tables]
        yield "figures", [figure.id for figure in self.figures]
