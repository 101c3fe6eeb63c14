"""The vote of several runs on the passages that all of them quote, against references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from fingreat.analysis.bootstrap import REPLICATES, SEED, FilingBootstrap
from fingreat.analysis.ensemble import ENSEMBLE, EnsembleScore, EnsembleTally
from fingreat.errors import InputError
from fingreat.matching import FilingMatcher
from fingreat.matching.groups import Grouped
from fingreat.pipeline.groups import group_filing
from fingreat.pipeline.side_by_side import EVERYTHING, Choice, Compared, Scope, Watching, compared, sides_of, unwatched
from fingreat.pipeline.table_files import TableFolder
from fingreat.report.ensemble_table import ensemble_by_category_table, ensemble_table
from fingreat.report.tables import Table
from fingreat.runs import RunFolder
from fingreat.schema import Extraction, Graph
from fingreat.schema.graph import DEFAULT_GROUPING

TABLES = TableFolder("an ensemble", ("ensemble", "ensemble-by-category"))
"""What a folder of its tables holds."""


@dataclass(frozen=True)
class MeasuredEnsemble:
    """How the vote of some runs, and each of them, agrees with references.

    Attributes:
        members: names of the runs that vote.
        grouping: which grouping of the graph's edges gives the categories.
        replicates, seed: of the intervals; there are none where fewer than two filings add to a total.
        scores: one for each reference, in their order.
    """

    scope: Scope
    members: tuple[str, ...]
    graph: Graph
    grouping: str
    replicates: int
    seed: int
    scores: tuple[EnsembleScore, ...]


def measure_ensemble(
    members: Sequence[RunFolder],
    references: Sequence[RunFolder],
    *,
    choice: Choice = EVERYTHING,
    grouping: str = DEFAULT_GROUPING,
    replicates: int = REPLICATES,
    seed: int = SEED,
    watch: Watching = unwatched,
) -> MeasuredEnsemble:
    """Measure the vote of runs, and each of them, against every reference, in one pass over their filings.

    The vote is on passages that all members quote: more than half of them must give the same edge. A passage's text is
    its medoid's; medoids are matched one to one with what the reference quotes.

    Args:
        references: none of them is a member.
        choice: which of their filings and extractions; by default all, and runs that read others are refused.
        grouping: which grouping of the graph's edges gives the categories.
        replicates: draws of filings that the intervals are made from; the same ones for all.
        watch: told how many filings are done.

    Raises:
        RunError: a run is not complete or is damaged, or another process changes it.
        InputError: fewer than two members or no reference, a run named twice, or runs that cannot be compared; no such
            grouping; no replicate or far too many.
    """
    if not references:
        raise InputError("an ensemble is measured against a reference.", hint="Name a run by --reference.")
    together, sides = sides_of(members, references)
    _check_sides(together, *sides)
    with compared(together, choice, taken=[ENSEMBLE]) as found:
        bootstrap = FilingBootstrap(len(found.scope.filings), replicates=replicates, seed=seed)
        names = found.names[: len(members)]
        tallies = [
            EnsembleTally(names, found.graph, reference=reference, grouping=grouping)
            for reference in found.names[len(members) :]
        ]
        _tally(found, len(members), tallies, watch)
    return MeasuredEnsemble(
        scope=found.scope,
        members=names,
        graph=found.graph,
        grouping=grouping,
        replicates=replicates,
        seed=seed,
        scores=tuple(tally.score(bootstrap) for tally in tallies),
    )


def ensemble_tables(measured: MeasuredEnsemble) -> tuple[Table, ...]:
    """All there is to say, as tables; each says what it was measured on."""
    scores, seed = measured.scores, measured.seed
    by_category = ensemble_by_category_table(scores, grouping=measured.grouping, seed=seed)
    return measured.scope.told((ensemble_table(scores, seed=seed), by_category))


def _check_sides(together: Sequence[RunFolder], members: Sequence[int], references: Sequence[int]) -> None:
    if len(members) < 2:
        raise InputError("an ensemble takes at least two members.", where=str(together[0].path), hint="Name more runs.")
    both = [str(together[number].path) for number in references if number in members]
    if both:
        raise InputError(
            "is a member of the ensemble, and would judge its own vote.",
            where=both[0],
            hint="Name a run that is no member by --reference.",
        )


def _tally(found: Compared, members: int, tallies: Sequence[EnsembleTally], watch: Watching) -> None:
    for filing_id, extractions in found.by_filing(watch):
        matcher = FilingMatcher(filing_id, chain.from_iterable(extractions))
        runs = dict(zip(found.names[:members], extractions[:members], strict=True))
        grouped = group_filing(matcher, runs, members)
        medoids = _under_group_ids(grouped)
        for tally, reference in zip(tallies, extractions[members:], strict=True):
            matches = matcher.candidates(medoids, reference).matches()
            tally.add(filing_id, grouped.groups, matches, reference, grouped.torn)


def _under_group_ids(grouped: Grouped) -> list[Extraction]:
    """The medoids, each under its group's id: two runs that asked the same questions share ids."""
    pairs = zip(grouped.groups, grouped.medoids, strict=True)
    return [medoid.model_copy(update={"id": group.id}) for group, medoid in pairs]
