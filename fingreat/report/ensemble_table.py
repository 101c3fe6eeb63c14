"""A vote of several runs beside each of them, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fingreat.analysis import EnsembleRow, EnsembleScore, Interval
from fingreat.analysis.bootstrap import SEED
from fingreat.report.columns import gain, names, on_intervals, points, share, shares, texts
from fingreat.report.tables import Cell, Table, count_of, fraction, percent

_SAME = (
    "The reference is another run, no truth. The ensemble and its members are compared on the same passages: those "
    "that all members quote, that have a majority for one edge, and that the reference quotes too. Precision is the "
    "share of them with the reference's very edge."
)
_GAIN = "Gain is the precision of the ensemble less that of the member, in percentage points, on the same draws."
_COHORTS = "Categories go by the edge of the reference."


def ensemble_table(scores: Sequence[EnsembleScore], *, seed: int = SEED) -> Table:
    """The ensemble and each member against every reference.

    Args:
        scores: of the same members, one for each reference.
        seed: of the draws that the intervals are from.
    """
    found = [one for score in scores for row in score.rows for one in (row.precision.interval, row.difference)]
    return Table(
        id="ensemble",
        title="A majority vote beside the runs that vote",
        columns=(*names("reference"), *texts("run"), *shares("precision"), *points("ensemble's gain")),
        rows=tuple(
            (score.reference, row.name, share(row.precision), _gain(score.rows[0], row))
            for score in scores
            for row in score.rows
        ),
        notes=(_SAME, _GAIN, *_passages(scores), *_on_intervals(scores, found, seed)),
    )


def ensemble_by_category_table(scores: Sequence[EnsembleScore], *, seed: int = SEED) -> Table:
    """The same within the categories of reference edges."""
    cohorts = [cohort for score in scores for row in score.rows for cohort in row.categories]
    return Table(
        id="ensemble-by-category",
        title="A majority vote beside the runs that vote, by category",
        detail=True,
        columns=(*names("reference", "category"), *texts("run"), *shares("precision")),
        rows=tuple(_by_category(scores)),
        notes=(_SAME, _COHORTS, *_on_intervals(scores, [cohort.precision.interval for cohort in cohorts], seed)),
    )


def _gain(ensemble: EnsembleRow, row: EnsembleRow) -> Cell:
    """What the ensemble has more than a member; of itself nothing is said."""
    return None if row is ensemble else gain(ensemble.precision, row.precision, row.difference)


def _by_category(scores: Sequence[EnsembleScore]) -> Iterator[tuple[Cell, ...]]:
    for score in scores:
        for number, category in enumerate(score.rows[0].categories):
            for row in score.rows:
                yield score.reference, category.name, row.name, share(row.categories[number].precision)


def _passages(scores: Sequence[EnsembleScore]) -> Iterator[str]:
    """How many passages there are, and what becomes of them."""
    for score in scores:
        covered = share(score.recall)
        yield (
            f"Against {score.reference}: all {score.members:,} members quote {count_of(score.groups, 'passage')}; "
            f"{score.decidable:,} have an edge of at least {score.quorum:,} members, on {score.abstained:,} the "
            f"ensemble abstains. The reference quotes {score.matched:,} of the former, which are {percent(covered)} "
            f"({fraction(covered)}) of its extractions, and {score.abstained_matched:,} of the latter."
        )


def _on_intervals(scores: Sequence[EnsembleScore], found: Sequence[Interval | None], seed: int) -> tuple[str, ...]:
    return on_intervals(found, max((score.filings for score in scores), default=0), seed)
