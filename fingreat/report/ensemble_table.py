"""A vote of several runs beside each of them, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fingreat.analysis import EnsembleRow, EnsembleScore, Interval
from fingreat.analysis.bootstrap import SEED
from fingreat.report.columns import (
    COHORTS,
    MATCHED,
    REFERENCE,
    TIES,
    gain,
    names,
    on_grouping,
    on_intervals,
    points,
    share,
    shares,
    texts,
)
from fingreat.report.groups_table import torn_note
from fingreat.report.tables import Cell, Table, count_of, fraction, percent
from fingreat.schema.graph import DEFAULT_GROUPING

_SAME = (
    "The ensemble and its members are compared on the same passages: those that all members quote, that have a "
    "majority for one edge, and that the reference quotes too. Precision is the share of them with the reference's "
    "very edge."
)
_GAIN = "Gain is the precision of the ensemble less that of the member, in percentage points, on the same draws."
_PAIR = 2
_BOTH = (
    "A majority of two members is both of them: on these passages the ensemble says what either says, and there is no "
    "gain to measure."
)


def ensemble_table(scores: Sequence[EnsembleScore], *, seed: int = SEED) -> Table:
    """The ensemble and each member against every reference.

    Args:
        scores: of the same members, one for each reference.
        seed: of the draws that the intervals are from.
    """
    rows = [(score, row) for score in scores for row in score.rows]
    found = [
        *(row.precision.interval for _, row in rows),
        *(row.difference for score, row in rows if _gain(score, row) is not None),
    ]
    gains = () if _is_pair(scores) else (_GAIN,)
    return Table(
        id="ensemble",
        title="A majority vote beside the runs that vote",
        columns=(*names("reference"), *texts("run"), *shares("precision"), *points("ensemble's gain")),
        rows=tuple((score.reference, row.name, share(row.precision), _gain(score, row)) for score, row in rows),
        notes=(
            *_on_votes(scores),
            *gains,
            *_passages(scores),
            *torn_note(max((score.torn for score in scores), default=0)),
            *_on_intervals(scores, found, seed),
        ),
    )


def ensemble_by_category_table(
    scores: Sequence[EnsembleScore], *, grouping: str = DEFAULT_GROUPING, seed: int = SEED
) -> Table:
    """The same within the categories of reference edges."""
    cohorts = [cohort for score in scores for row in score.rows for cohort in row.categories]
    return Table(
        id="ensemble-by-category",
        title="A majority vote beside the runs that vote, by category",
        detail=True,
        columns=(*names("reference", "category"), *texts("run"), *shares("precision")),
        rows=tuple(_by_category(scores)),
        notes=(
            *_on_votes(scores),
            COHORTS,
            *on_grouping(grouping),
            *_on_intervals(scores, [cohort.precision.interval for cohort in cohorts], seed),
        ),
    )


def _gain(score: EnsembleScore, row: EnsembleRow) -> Cell:
    """What the ensemble has more than a member; of itself nothing is said, nor where it can only say the same."""
    ensemble = score.rows[0]
    if row is ensemble or score.members == _PAIR:
        return None
    return gain(ensemble.precision, row.precision, row.difference)


def _on_votes(scores: Sequence[EnsembleScore]) -> tuple[str, ...]:
    """The notes on what is compared."""
    return (REFERENCE, MATCHED, _SAME, *((_BOTH,) if _is_pair(scores) else ()), TIES)


def _is_pair(scores: Sequence[EnsembleScore]) -> bool:
    return any(score.members == _PAIR for score in scores)


def _by_category(scores: Sequence[EnsembleScore]) -> Iterator[tuple[Cell, ...]]:
    for score in scores:
        for number, category in enumerate(score.rows[0].categories):
            for row in score.rows:
                yield score.reference, category.name, row.name, share(row.categories[number].precision)


def _passages(scores: Sequence[EnsembleScore]) -> Iterator[str]:
    """How many passages there are, and what becomes of them."""
    for score in scores:
        covered = share(score.recall)
        members = "both" if score.members == _PAIR else f"all {score.members:,}"
        yield (
            f"Against {score.reference}: {members} members quote {count_of(score.groups, 'passage')}; "
            f"{score.decidable:,} have an edge of at least {score.quorum:,} members, on {score.abstained:,} the "
            f"ensemble abstains. The reference quotes {score.matched:,} of the former, which are {percent(covered)} "
            f"({fraction(covered)}) of its extractions, and {score.abstained_matched:,} of the latter."
        )


def _on_intervals(scores: Sequence[EnsembleScore], found: Sequence[Interval | None], seed: int) -> tuple[str, ...]:
    return on_intervals(found, max((score.filings for score in scores), default=0), seed)
