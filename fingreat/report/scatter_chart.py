"""Points by two values, with names that don't overlap: accuracy by cost, say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fingreat.errors import InputError
from fingreat.report.chart_values import check_values
from fingreat.report.model import Figure
from fingreat.report.tables import Share


@dataclass(frozen=True)
class ScatterPoint:
    """One point of a scatter chart.

    Attributes:
        x: a finite number, above 0 where the axis is logarithmic.
        y: a share with its interval, if it has one, or a number; the caller leaves out what has no value.
        group: points of one group have one marker, which is named at the top; "" for none.
    """

    name: str
    x: float
    y: Share | float
    group: str = ""


def scatter(
    id: str,
    title: str,
    points: Sequence[ScatterPoint],
    *,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    frontier: Sequence[str] = (),
    caption: str = "",
) -> Figure:
    """Points with their names beside them, or with numbers and a key where names would overlap.

    Args:
        log_x: whether equal steps along x are equal factors.
        frontier: names of points that a stepped line joins, in the order of x.

    Raises:
        InputError: there is nothing to draw, a number is not finite or has no logarithm, a share is 0/0, two points
            have one name, or the frontier names a point that there is not.
    """
    _check(id, points, log_x, frontier)
    raise NotImplementedError
