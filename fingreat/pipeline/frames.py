"""What was measured as tables and as data frames, for a notebook."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from fingreat.errors import InputError
from fingreat.pipeline.accuracy import MeasuredAccuracy, accuracy_tables
from fingreat.pipeline.agreement import MeasuredRuns, agreement_tables
from fingreat.pipeline.behavior import MeasuredBehavior, behavior_tables
from fingreat.pipeline.ensemble import MeasuredEnsemble, ensemble_tables
from fingreat.pipeline.errors import MeasuredErrors, errors_tables
from fingreat.pipeline.frontier import MeasuredCosts, cost_tables
from fingreat.pipeline.groups import GroupedRuns
from fingreat.pipeline.noise import MeasuredNoise, noise_tables
from fingreat.pipeline.panel import MeasuredPanel, panel_tables
from fingreat.pipeline.panel_files import panel_frame
from fingreat.pipeline.power import MeasuredPower, power_tables
from fingreat.pipeline.reviews import MeasuredReviews, review_tables
from fingreat.pipeline.stability import MeasuredStability, stability_tables
from fingreat.pipeline.tags import MeasuredTags, tag_tables
from fingreat.report import StudyReport
from fingreat.report.frames import table_frame
from fingreat.report.groups_table import groups_table
from fingreat.report.tables import Table

if TYPE_CHECKING:
    import polars

_MAKERS: Mapping[type, Callable[[Any], tuple[Table, ...]]] = {
    GroupedRuns: lambda grouped: grouped.scope.told([groups_table(grouped.counts)]),
    MeasuredAccuracy: accuracy_tables,
    MeasuredBehavior: behavior_tables,
    MeasuredCosts: cost_tables,
    MeasuredEnsemble: ensemble_tables,
    MeasuredErrors: errors_tables,
    MeasuredNoise: noise_tables,
    MeasuredPanel: panel_tables,
    MeasuredPower: power_tables,
    MeasuredReviews: review_tables,
    MeasuredRuns: agreement_tables,
    MeasuredStability: stability_tables,
    MeasuredTags: tag_tables,
    StudyReport: lambda report: report.tables,
}


def tables_of(measured: object) -> tuple[Table, ...]:
    """All tables of what a `measure_…` function gave, or of the report of a study.

    Raises:
        InputError: it is nothing that was measured.
    """
    make = _MAKERS.get(type(measured))
    if make is None:
        raise InputError(
            f"a {type(measured).__name__} has no tables.", hint="Give what a `measure_…` function returned."
        )
    return make(measured)


def frames_of(measured: object) -> dict[str, polars.DataFrame]:
    """The tables of `tables_of` as data frames by their ids, with the columns of the CSV files; a panel has its rows as
    `panel`, too.

    Raises:
        InputError: it is nothing that was measured.
        MissingExtraError: the extra `frames` is not installed.
    """
    frames = {table.id: table_frame(table) for table in tables_of(measured)}
    return frames | {"panel": panel_frame(measured.rows)} if isinstance(measured, MeasuredPanel) else frames
