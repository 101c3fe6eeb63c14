"""How far runs agree with their own repeats, beside how far they agree with one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from fingreat.analysis.agreement import PairTally
from fingreat.analysis.bootstrap import REPLICATES, SEED, FilingBootstrap
from fingreat.errors import InputError
from fingreat.matching import FilingMatcher
from fingreat.pipeline.side_by_side import EVERYTHING, Choice, Compared, Scope, Watching, compared, unwatched
from fingreat.pipeline.table_files import TableFolder
from fingreat.report.noise_table import NoisePair, noise_table
from fingreat.report.tables import Table
from fingreat.runs import RunFolder
from fingreat.schema.graph import DEFAULT_GROUPING

TABLES = TableFolder("a noise floor", ("noise-floor",))
"""What a folder of its tables holds."""


@dataclass(frozen=True)
class MeasuredNoise:
    """How far runs agree with themselves, and with one another.

    Attributes:
        replicates, seed: of the intervals; there are none where fewer than two filings add to a total.
        pairs: every run and each of its repeats, then every two runs.
    """

    scope: Scope
    replicates: int
    seed: int
    pairs: tuple[NoisePair, ...]


def measure_noise(
    runs: Sequence[RunFolder],
    repeats: Mapping[int, Sequence[RunFolder]],
    *,
    choice: Choice = EVERYTHING,
    grouping: str = DEFAULT_GROUPING,
    replicates: int = REPLICATES,
    seed: int = SEED,
    watch: Watching = unwatched,
) -> MeasuredNoise:
    """Match every run with its repeats and every two runs, in one pass over their filings.

    What two models disagree on says little where a model disagrees with itself as much.

    Args:
        repeats: place of a run in `runs` → runs of the same model that ask the same of other chunks.
        choice: which of their filings and extractions; by default all, and runs that read others are refused.
        watch: told how many filings are done.

    Raises:
        RunError: a run is not complete or is damaged, or another process changes it.
        InputError: no run has a repeat, a run is named twice, or runs cannot be compared.
    """
    together = [*runs]
    wanted: dict[tuple[int, int], bool] = {}
    for number, of_run in sorted(repeats.items()):
        for repeat in of_run:
            wanted[number, len(together)] = True
            together.append(repeat)
    if not wanted:
        raise InputError("no run has a repeat to be measured against.", hint="Ask for some by `repeats`.")
    wanted |= dict.fromkeys(combinations(range(len(runs)), 2), False)
    with compared(together, choice) as found:
        tallies = {pair: PairTally(found.graph, grouping) for pair in wanted}
        _tally(found, tallies, watch)
        bootstrap = FilingBootstrap(len(found.scope.filings), replicates=replicates, seed=seed)
        pairs = tuple(
            NoisePair(found.names[a], found.names[b], wanted[a, b], tally.agreement("b", bootstrap))
            for (a, b), tally in tallies.items()
        )
    return MeasuredNoise(found.scope, replicates, seed, pairs)


def noise_tables(measured: MeasuredNoise) -> tuple[Table, ...]:
    """All there is to say, as tables; each says what it was measured on."""
    return measured.scope.told([noise_table(measured.pairs, len(measured.scope.filings), seed=measured.seed)])


def _tally(found: Compared, tallies: Mapping[tuple[int, int], PairTally], watch: Watching) -> None:
    for filing_id, extractions in found.by_filing(watch):
        matcher = FilingMatcher(filing_id, chain.from_iterable(extractions))
        for (a, b), tally in tallies.items():
            candidates = matcher.candidates(extractions[a], extractions[b])
            tally.add(filing_id, candidates.a, candidates.b, candidates.matches(), candidates.same_edge_range())
