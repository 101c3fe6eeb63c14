"""The figures of a report: measured numbers, drawn."""

from __future__ import annotations

from fingreat.pipeline.report_measured import Measured
from fingreat.report import Figure

FIGURES: tuple[str, ...] = ()
"""Ids of all figures that there may be."""


def make_figures(measured: Measured) -> tuple[Figure, ...]:
    """All figures there is something to show in."""
    return ()
