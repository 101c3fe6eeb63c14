"""What runs dwell on, as figures: lines over years, or dots where no two years are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fingreat.analysis import Behavior, Emphasis, Ratio
from fingreat.report.columns import share
from fingreat.report.dot_chart import DotRow, dots
from fingreat.report.line_chart import MOST_BANDS, Panel, lines
from fingreat.report.model import Figure
from fingreat.report.palette import category_index, edge_styles
from fingreat.schema import Graph


@dataclass(frozen=True)
class _Subject:
    """What a figure shows: a measure of each edge or category.

    Attributes:
        pick: the measures, in the order of `styles`.
        styles: edge or category → index into the palette.
        words: how it is measured.
    """

    title: str
    pick: Callable[[Emphasis], Sequence[Ratio]]
    styles: Mapping[str, int]
    words: str


def behavior_figures(runs: Sequence[Behavior], graph: Graph, grouping: str, *, year: str) -> tuple[Figure, ...]:
    """Shares by category and by edge, and coverage of edges: over years, or over all filings where there are no two.

    Args:
        runs: at least one, all over the same filings.
        grouping: which grouping of the graph's edges gives the categories.
        year: which year of a filing it is, in words.
    """
    edges = edge_styles(graph, grouping)
    subjects = {
        "category": _Subject(
            "What runs dwell on: categories",
            lambda found: [one.share for one in found.categories],
            category_index(graph, grouping),
            "Extractions of a category / all extractions of the run",
        ),
        "edge": _Subject(
            "What runs dwell on: edges",
            lambda found: [one.share for one in found.edges],
            edges,
            "Extractions of an edge / all extractions of the run",
        ),
        "coverage": _Subject(
            "Filings with evidence of an edge",
            lambda found: [one.coverage for one in found.edges],
            edges,
            "Filings with at least one extraction of an edge / the filings that were read",
        ),
    }
    if len(runs[0].years) > 1:
        return tuple(_lines(f"{name}-lines", subject, runs, year) for name, subject in subjects.items())
    return tuple(_dots(f"{name}-dots", subject, runs) for name, subject in subjects.items())


def _lines(id: str, subject: _Subject, runs: Sequence[Behavior], year: str) -> Figure:
    values = [[list(map(share, subject.pick(found))) for found in run.years] for run in runs]
    panels = [
        Panel(
            name,
            style,
            [(run.run, [of_year[n] for of_year in of_run]) for run, of_run in zip(runs, values, strict=True)],
        )
        for n, (name, style) in enumerate(subject.styles.items())
    ]
    years = [found.year for found in runs[0].years if found.year is not None]
    bounded = any(one.interval for of_run in values for of_year in of_run for one in of_year)
    where = " Bands are 95% intervals." if len(runs) <= MOST_BANDS else " Intervals stand in the tables."
    caption = f"{subject.words}, by {year}.{where if bounded else ''}"
    return lines(id, f"{subject.title}, by {year}", panels, years, caption=caption)


def _dots(id: str, subject: _Subject, runs: Sequence[Behavior]) -> Figure:
    values = [list(map(share, subject.pick(run.overall))) for run in runs]
    rows = [
        DotRow(run.run, of_run[n], group=name, style=style)
        for n, (name, style) in enumerate(subject.styles.items())
        for run, of_run in zip(runs, values, strict=True)
    ]
    bounded = any(one.interval for of_run in values for one in of_run)
    return dots(id, subject.title, rows, caption=f"{subject.words}.{' Whiskers are 95% intervals.' if bounded else ''}")
