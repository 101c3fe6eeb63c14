"""Runs against runs: agreement on words, on places and on characters, with every two runs matched once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from fingreat.analysis.agreement import PairTally, Side
from fingreat.analysis.bootstrap import REPLICATES, SEED, FilingBootstrap
from fingreat.analysis.fidelity import FidelityTally
from fingreat.analysis.pair import PairAgreement
from fingreat.analysis.spans import CharacterTally
from fingreat.analysis.volume import Volume, VolumeTally
from fingreat.matching import FilingCandidates, FilingMatcher
from fingreat.pipeline.side_by_side import EVERYTHING, Choice, Compared, Scope, Watching, compared, sides_of, unwatched
from fingreat.pipeline.table_files import TableFolder
from fingreat.report.agreement_tables import (
    agreement_by_category_table,
    agreement_by_edge_table,
    agreement_table,
    span_table,
)
from fingreat.report.fidelity_table import fidelity_table, near_miss_table
from fingreat.report.tables import Table
from fingreat.report.volume_table import volume_table
from fingreat.runs import RunFolder
from fingreat.schema import Extraction, Graph, Match
from fingreat.schema.graph import DEFAULT_GROUPING

Names: TypeAlias = tuple[str, str]
"""Names of a run and of its reference."""
TABLES = TableFolder(
    "an agreement of runs",
    (
        "agreement",
        "volume",
        "agreement-by-category",
        "agreement-by-edge",
        "agreement-by-place",
        "fidelity",
        "near-misses",
    ),
)
"""What a folder of its tables holds."""


@dataclass(frozen=True)
class MeasuredRuns:
    """How runs agree with references, and how much each of them quotes.

    Attributes:
        scope: the filings that it was measured on.
        grouping: which grouping of the graph's edges gives the categories.
        replicates, seed: of the intervals; there are none where fewer than two filings add to a total.
        pairs: (run, reference) → agreement: for each run, in their order, every reference but itself.
        volumes: run → what it quotes, in the order in which runs and references were named.
    """

    scope: Scope
    graph: Graph
    grouping: str
    replicates: int
    seed: int
    pairs: Mapping[Names, PairAgreement]
    volumes: Mapping[str, Volume]


def measure_runs(
    runs: Sequence[RunFolder],
    references: Sequence[RunFolder] = (),
    *,
    choice: Choice = EVERYTHING,
    grouping: str = DEFAULT_GROUPING,
    replicates: int = REPLICATES,
    seed: int = SEED,
    watch: Watching = unwatched,
) -> MeasuredRuns:
    """Measure every run against every reference, in one pass over their filings.

    Each two runs are matched once by words and once by place, and both directions are measured on the same matches.
    Of every filing a few numbers are kept.

    Args:
        references: a run may be among both; none for every run against every other.
        choice: which of their filings and extractions; by default all, and runs that read others are refused.
        grouping: which grouping of the graph's edges gives the categories.
        replicates: draws of filings that the intervals are made from; the same ones for all.
        watch: told how many filings are done.

    Raises:
        RunError: a run is not complete or is damaged, or another process changes it.
        InputError: there is nothing to measure, a run is named twice, or runs cannot be compared; no such grouping;
            no replicate or far too many.
    """
    together, sides = sides_of(runs, references)
    wanted = [(a, b) for a in sides[0] for b in sides[1] if a != b]
    with compared(together, choice) as found:
        found.graph.categories(grouping)
        bootstrap = FilingBootstrap(len(found.scope.filings), replicates=replicates, seed=seed)
        pairs = {(min(pair), max(pair)): PairMeasure(found.graph, grouping) for pair in wanted}
        volumes = [VolumeTally() for _ in together]
        _tally(found, pairs, volumes, watch)
    names = found.names
    return MeasuredRuns(
        scope=found.scope,
        graph=found.graph,
        grouping=grouping,
        replicates=replicates,
        seed=seed,
        pairs={
            (names[a], names[b]): pairs[min(a, b), max(a, b)].agreement(
                names[a], names[b], "a" if b < a else "b", bootstrap
            )
            for a, b in wanted
        },
        volumes={name: tally.volume() for name, tally in zip(names, volumes, strict=True)},
    )


def agreement_tables(measured: MeasuredRuns, *, by_edge: bool = False) -> tuple[Table, ...]:
    """All there is to say, as tables; each says what it was measured on.

    Args:
        by_edge: also a table with a row for each pair and edge.
    """
    pairs, seed = tuple(measured.pairs.values()), measured.seed
    tables = (
        agreement_table(pairs, seed=seed),
        volume_table(measured.volumes),
        agreement_by_category_table(pairs, grouping=measured.grouping, seed=seed),
        *((agreement_by_edge_table(pairs, seed=seed),) if by_edge else ()),
        span_table(pairs, seed=seed),
        fidelity_table(pairs, seed=seed),
        near_miss_table(pairs),
    )
    return measured.scope.told(tables)


def _tally(
    found: Compared,
    pairs: Mapping[tuple[int, int], PairMeasure],
    volumes: Sequence[VolumeTally],
    watch: Watching,
) -> None:
    for filing_id, extractions in found.by_filing(watch):
        for volume, of_run in zip(volumes, extractions, strict=True):
            volume.add(filing_id, of_run)
        matcher = FilingMatcher(filing_id, chain.from_iterable(extractions))
        for (a, b), pair in pairs.items():
            pair.add(matcher, extractions[a], extractions[b])


class PairMeasure:
    """All that is counted of two runs, filing by filing."""

    def __init__(self, graph: Graph, grouping: str) -> None:
        self._words = PairTally(graph, grouping)
        self._spans = PairTally(graph, grouping)
        self._characters = CharacterTally()
        self._fidelity = FidelityTally()

    def add(self, matcher: FilingMatcher, a: Sequence[Extraction], b: Sequence[Extraction]) -> list[Match]:
        """Match one filing's extractions, count, and return the matches by words."""
        by_words = _add(self._words, matcher.candidates(a, b))
        _add(self._spans, matcher.candidates(a, b, by="span"))
        self._characters.add(matcher.filing_id, a, b)
        self._fidelity.add(matcher.filing_id, by_words)
        return by_words

    def agreement(self, run: str, reference: str, side: Side, bootstrap: FilingBootstrap) -> PairAgreement:
        """What was counted, with one of the two as the reference.

        Args:
            side: the reference's, `b` where it comes after the run.
        """
        return PairAgreement(
            run=run,
            reference=reference,
            words=self._words.agreement(side, bootstrap),
            spans=self._spans.agreement(side, bootstrap),
            characters=self._characters.agreement(side, bootstrap),
            fidelity=self._fidelity.counts(bootstrap),
        )


def _add(tally: PairTally, candidates: FilingCandidates) -> list[Match]:
    """Count the matches of one filing, and return them."""
    matches = candidates.matches()
    tally.add(candidates.filing_id, candidates.a, candidates.b, matches, candidates.same_edge_range())
    return matches
