"""Accuracy of a classification run, as tables."""

from __future__ import annotations

from collections.abc import Iterator

from fingreat.analysis import Accuracy, CohortAccuracy
from fingreat.report.tables import ALL, Cell, Column, Share, Table, count_of

_PERIOD = "period to"
"""Before a year: it is that of the fiscal period's end, not that of the filing."""


def accuracy_table(measured: Accuracy, name: str) -> Table:
    """All passages, then each category and each edge.

    Args:
        name: of the run or the model.
    """
    return Table(
        id="accuracy",
        title=f"Accuracy of {name}",
        columns=_columns("passages that accept"),
        rows=tuple(
            _row(cohort, ALL if cohort is measured.overall else cohort.name)
            for cohort in (measured.overall, *measured.categories, *measured.edges)
        ),
        notes=tuple(_notes(measured)),
    )


def accuracy_by_year(measured: Accuracy, name: str) -> Table:
    """A row for each year of filing, then for each year in which the fiscal period ended of those filings whose date of
    filing is not known: the two kinds of years are kept apart.
    """
    return Table(
        id="accuracy-by-year",
        title=f"Accuracy of {name} by filing year",
        columns=_columns("year" if measured.period_years else "filed in"),
        rows=(
            *(_row(cohort, cohort.name) for cohort in measured.years),
            *(_row(cohort, f"{_PERIOD} {cohort.name}") for cohort in measured.period_years),
        ),
        notes=tuple(_undated(measured)),
    )


def _columns(cohort: str) -> tuple[Column, ...]:
    return (
        Column(label=cohort),
        Column(label="passages", kind="count"),
        Column(label="accuracy", kind="share"),
        Column(label="majority", kind="share"),
        Column(label="random", kind="rate"),
        Column(label="failed", kind="count"),
    )


def _row(cohort: CohortAccuracy, name: str) -> tuple[Cell, ...]:
    right, majority = cohort.accuracy, cohort.majority
    return (
        name,
        right.total,
        Share(k=right.hits, n=right.total),
        Share(k=majority.hits, n=majority.total),
        None if cohort.random is None else float(cohort.random),
        cohort.failed,
    )


def _undated(measured: Accuracy) -> Iterator[str]:
    if measured.period_years:
        by_period = sum(cohort.accuracy.total for cohort in measured.period_years)
        yield (
            f"{_PERIOD.capitalize()}: {count_of(by_period, 'passage')} of filings whose date of filing is not known, "
            "by the year in which their fiscal period ended; most are filed in the year after. Other years are those "
            "of filing."
        )
    dated = (*measured.years, *measured.period_years)
    if left := measured.overall.accuracy.total - sum(cohort.accuracy.total for cohort in dated):
        yield f"{count_of(left, 'passage')} of filings whose date is not known."


def _notes(measured: Accuracy) -> Iterator[str]:
    yield (
        "An answer is right if it is one of the accepted edges; a failed one is wrong. A passage counts in every "
        "category and edge that it accepts."
    )
    yield f"Majority always names {measured.majority_edge}; random draws one of all edges, and its share is exact."
    if measured.without_edges:
        yield f"{count_of(measured.without_edges, 'passage')} without an accepted edge play no part."
