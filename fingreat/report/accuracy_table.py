"""Accuracy of one classification run, and of several on the same passages, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fingreat.analysis import Accuracy, CohortAccuracy
from fingreat.analysis.bootstrap import SEED
from fingreat.report.columns import counts, names, on_grouping, on_intervals, share, shares, texts
from fingreat.report.tables import ALL, Cell, Column, Share, Table, count_of
from fingreat.schema.graph import DEFAULT_GROUPING

RANDOM = "random edge"
"""What a selector that draws any edge is called."""
_PERIOD = "period to"
"""Before a year: it is that of the fiscal period's end, not that of the filing."""
_BY_COHORT = "Accuracy of models by category, edge and year"
_ELSEWHERE = f"Intervals, which are wide where few passages accept an edge, are in the table “{_BY_COHORT}”."


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


def accuracies_table(
    measured: Mapping[str, Accuracy], filings: int, *, seed: int = SEED, grouping: str = DEFAULT_GROUPING
) -> Table:
    """Models by accuracy, best first, overall and in each category; then the majority and the random selector.

    Args:
        measured: by name of the model, all on the same passages.
        filings: of these passages.
        seed: of the draws that the intervals are from.
        grouping: which grouping of the graph's edges gives the categories.
    """
    ranked = by_accuracy(measured)
    any_model = measured[ranked[0]]
    cohorts = {name: (measured[name].overall, *measured[name].categories) for name in ranked}
    same = cohorts[ranked[0]]
    found = [
        *(one.accuracy.interval for of in cohorts.values() for one in of),
        *(one.majority.interval for one in same),
    ]
    return Table(
        id="accuracy",
        title="Accuracy of models",
        columns=(
            *texts("model"),
            *shares("all passages", *(one.name for one in any_model.categories)),
            *counts("failed"),
        ),
        rows=(
            *(_model(name, map(share, (one.accuracy for one in of)), of[0].failed) for name, of in cohorts.items()),
            *_selectors(any_model, same, (None,)),
        ),
        notes=(*_on_cohorts(any_model), *on_grouping(grouping), *on_intervals(found, filings, seed)),
    )


def accuracies_by_edge_table(measured: Mapping[str, Accuracy]) -> Table:
    """Models by accuracy, best first, on the passages that accept each edge; then the selectors."""
    ranked = by_accuracy(measured)
    any_model = measured[ranked[0]]
    bounded = any(edge.accuracy.interval for one in measured.values() for edge in one.edges)
    return Table(
        id="accuracy-by-edge",
        title="Accuracy of models by accepted edge",
        detail=True,
        columns=(*texts("model"), *shares(*(one.name for one in any_model.edges))),
        rows=(
            *(_model(name, map(_bare, measured[name].edges)) for name in ranked),
            *_selectors(any_model, any_model.edges, (), bare=True),
        ),
        notes=(*_on_cohorts(any_model), *((_ELSEWHERE,) if bounded else ())),
    )


def accuracies_by_cohort_table(
    measured: Mapping[str, Accuracy], filings: int, *, seed: int = SEED, grouping: str = DEFAULT_GROUPING
) -> Table:
    """All there is of each model: every category, edge and year as a row, with its interval."""
    ranked = by_accuracy(measured)
    any_model = measured[ranked[0]]
    rows = [(name, kind, cohort) for name in ranked for kind, of in _kinds(measured[name]) for cohort in of]
    same = [(kind, cohort) for kind, of in _kinds(any_model) for cohort in of]
    found = [*(one.accuracy.interval for *_, one in rows), *(one.majority.interval for _, one in same)]
    majority, random = selectors(any_model)
    return Table(
        id="accuracy-by-cohort",
        title=_BY_COHORT,
        detail=True,
        columns=(
            *names("model", "level"),
            *texts("cohort"),
            *counts("passages"),
            *shares("accuracy"),
            *counts("failed"),
        ),
        rows=(
            *((name, kind, one.name, one.accuracy.total, share(one.accuracy), one.failed) for name, kind, one in rows),
            *((majority, kind, one.name, one.majority.total, share(one.majority), None) for kind, one in same),
            *((random, kind, one.name, one.majority.total, random_share(any_model, one), None) for kind, one in same),
        ),
        notes=(
            *_on_cohorts(any_model),
            *on_grouping(grouping),
            *_undated(any_model),
            *on_intervals(found, filings, seed),
        ),
    )


def by_accuracy(measured: Mapping[str, Accuracy]) -> list[str]:
    """Names, the most accurate first; of equal ones in their order."""
    return sorted(measured, key=lambda name: -measured[name].overall.accuracy.hits)


def selectors(measured: Accuracy) -> tuple[str, str]:
    """What the majority and the random selector are called."""
    return always(measured.majority_edge), RANDOM


def always(edge: str) -> str:
    """What a selector that always names this edge is called."""
    return f"always {edge}"


def random_share(measured: Accuracy, cohort: CohortAccuracy) -> Share:
    """What a random selector gets right of a cohort: of all pairs of a passage and an edge those that are accepted."""
    pairs = cohort.accuracy.total * len(measured.edges)
    return Share(k=int((cohort.random or 0) * pairs), n=pairs)


def _model(name: str, cells: Iterable[Cell], *rest: Cell) -> tuple[Cell, ...]:
    return (name, *cells, *rest)


def _selectors(
    measured: Accuracy, cohorts: Sequence[CohortAccuracy], rest: tuple[Cell, ...], *, bare: bool = False
) -> Iterator[tuple[Cell, ...]]:
    """The rows of those who do not read: always the most frequent edge, and any edge."""
    majority = (Share(k=one.majority.hits, n=one.majority.total) if bare else share(one.majority) for one in cohorts)
    named, random = selectors(measured)
    yield (named, *majority, *rest)
    yield (random, *(random_share(measured, one) for one in cohorts), *rest)


def _kinds(measured: Accuracy) -> Iterator[tuple[str, Sequence[CohortAccuracy]]]:
    yield "all", (measured.overall,)
    yield "category", measured.categories
    yield "edge", measured.edges
    yield "year filed", measured.years
    yield "year of period", measured.period_years


def _bare(cohort: CohortAccuracy) -> Share:
    """Without its interval, for which a column of an edge has no room."""
    return Share(k=cohort.accuracy.hits, n=cohort.accuracy.total)


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
    return (
        name,
        cohort.accuracy.total,
        share(cohort.accuracy),
        share(cohort.majority),
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
    yield from _on_cohorts(measured)
    if measured.without_edges:
        yield f"{count_of(measured.without_edges, 'passage')} without an accepted edge play no part."


def _on_cohorts(measured: Accuracy) -> Iterator[str]:
    yield (
        "An answer is right if it is one of the accepted edges; a failed one is wrong. A passage counts in every "
        "category and edge that it accepts."
    )
    yield f"Majority always names {measured.majority_edge}; random draws one of all edges, and its share is exact."
