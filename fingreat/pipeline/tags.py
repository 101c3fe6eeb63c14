"""The tags of runs: whether they go with edges, how often they come back, and which of them several runs share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from fingreat.analysis.tags import TagScore, TagTally
from fingreat.analysis.vocabulary import Vocabulary, vocabulary_of, vocabulary_overlap
from fingreat.errors import InputError
from fingreat.pipeline.side_by_side import EVERYTHING, Choice, Scope, Watching, compared, unwatched
from fingreat.pipeline.table_files import TableFolder
from fingreat.report.columns import share
from fingreat.report.heat_chart import heat_map
from fingreat.report.model import Figure
from fingreat.report.tables import Table
from fingreat.report.tags_tables import (
    left_out_table,
    recurrence_table,
    tags_table,
    top_tags_table,
    vocabulary_overlap_table,
    vocabulary_table,
)
from fingreat.runs import RunFolder
from fingreat.schema import Graph

TABLES = TableFolder(
    "the tags of runs",
    ("tags", "tag-recurrence", "vocabulary", "vocabulary-overlap", "top-tags", "tags-left-out"),
    figures=("vocabulary-overlap",),
)
"""What a folder of its tables and figures holds."""
TAGS_OF_THE_GRAPH = ("embed", "lexicon")
"""Back ends that take their tags from the graph file."""


@dataclass(frozen=True)
class MeasuredTags:
    """The tags of runs.

    Attributes:
        scope: the filings that they are of.
        scores, vocabularies: of each run, in the order in which runs were named.
        of_the_graph: names of runs whose tags are words of the graph file.
    """

    scope: Scope
    graph: Graph
    scores: Mapping[str, TagScore]
    vocabularies: Mapping[str, Vocabulary]
    of_the_graph: tuple[str, ...] = ()


def measure_run_tags(
    runs: Sequence[RunFolder], *, choice: Choice = EVERYTHING, watch: Watching = unwatched
) -> MeasuredTags:
    """Measure the tags of every run over the same filings, in one pass over them.

    Args:
        choice: which of their filings and extractions; by default all, and runs that read others are refused.
        watch: told how many filings are done.

    Raises:
        RunError: a run is not complete or is damaged, or another process changes it.
        InputError: there is no run, one is named twice, or runs cannot be compared.
    """
    _check(runs)
    with compared(runs, choice) as found:
        tallies = {name: TagTally() for name in found.names}
        for filing_id, extractions in found.by_filing(watch):
            for tally, of_run in zip(tallies.values(), extractions, strict=True):
                tally.add(filing_id, of_run)
        backends = [run.manifest().model.backend for run in runs]
    return MeasuredTags(
        scope=found.scope,
        graph=found.graph,
        scores={name: tally.score() for name, tally in tallies.items()},
        vocabularies={name: vocabulary_of(tally.vocabulary) for name, tally in tallies.items()},
        of_the_graph=tuple(
            name for name, backend in zip(found.names, backends, strict=True) if backend in TAGS_OF_THE_GRAPH
        ),
    )


def tag_tables(measured: MeasuredTags) -> tuple[Table, ...]:
    """All there is to say, as tables; each says what it was measured on."""
    several = len(measured.vocabularies) > 1
    tables = (
        tags_table(measured.scores, of_the_graph=measured.of_the_graph),
        recurrence_table(measured.scores),
        vocabulary_table(measured.vocabularies),
        vocabulary_overlap_table(measured.vocabularies) if several else None,
        top_tags_table(measured.scores),
        left_out_table(measured.vocabularies),
    )
    return measured.scope.told(table for table in tables if table is not None)


def tag_figures(measured: MeasuredTags) -> tuple[Figure, ...]:
    """The overlap of the vocabularies of several runs, drawn."""
    vocabularies = measured.vocabularies
    if len(vocabularies) < 2:
        return ()
    # A run against itself says nothing, and is left empty.
    found = [
        [None if one is other else vocabulary_overlap(one, other) for other in vocabularies.values()]
        for one in vocabularies.values()
    ]
    largest = max((ratio.value or 0.0 for row in found for ratio in row if ratio), default=0.0)
    # Models share little of their vocabularies; on a scale to 1 they would all look alike.
    top = max(1, ceil(largest * 10)) / 10
    return (
        heat_map(
            "vocabulary-overlap",
            "Vocabularies that two runs share",
            list(vocabularies),
            [[share(ratio) if ratio else None for ratio in row] for row in found],
            span=(0.0, top),
            caption=f"Terms that both runs have, of those that either has. The darkest colour stands for {top:.0%}.",
        ),
    )


def _check(runs: Sequence[RunFolder]) -> None:
    if not runs:
        raise InputError("there is no run to measure.", hint="Name at least one run folder.")
    seen = set()
    for run in runs:
        path = run.path.resolve()
        if path in seen:
            raise InputError("is named twice.", where=str(run.path), hint="Name different runs.")
        seen.add(path)
