"""What runs dwell on, as figures: lines over years, or dots where no two years are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fingreat.analysis import Behavior, Emphasis, Ratio
from fingreat.report.columns import share
from fingreat.report.dot_chart import DotRow, dots
from fingreat.report.line_chart import MOST_BANDS, Panel, lines
from fingreat.report.model import Figure
from fingreat.report.palette import category_index, edge_styles
from fingreat.report.tables import Share, count_of
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
    years = _with_gaps([found.year for found in runs[0].years if found.year is not None])
    panels = [
        Panel(name, style, [(run.run, _over(years, run, subject, n)) for run in runs])
        for n, (name, style) in enumerate(subject.styles.items())
    ]
    breaks = " Lines break where a year has no filing." if len(years) > len(runs[0].years) else ""
    caption = f"{subject.words}, by {year}. {_on_filings(runs[0])}{breaks}{_on_bands(panels, len(runs))}"
    return lines(id, f"{subject.title}, by {year}", panels, years, caption=caption)


def _with_gaps(years: Sequence[int]) -> list[int]:
    """The years, and those between them that none of the filings is of: lines break there.

    Filings of every fifth year, say, lack no year between.
    """
    step = min(later - year for year, later in pairwise(years))
    return sorted({*years, *range(years[0], years[-1], step)})


def _over(years: Sequence[int], run: Behavior, subject: _Subject, place: int) -> list[Share | None]:
    """One measure of a run in each year, None where there is no filing."""
    known = {found.year: share(subject.pick(found)[place]) for found in run.years}
    return [known.get(year) for year in years]


def _on_filings(run: Behavior) -> str:
    """Of how many filings the points are."""
    numbers = [found.filings for found in run.years]
    low, high = min(numbers), max(numbers)
    each = f"{low:,} in each year" if low == high else f"{low:,} to {high:,} in a year"
    undated = f"; {count_of(run.undated, 'filing')} of no known year left out" if run.undated else ""
    return f"Of {count_of(sum(numbers), 'filing')}, {each}{undated}."


def _on_bands(panels: Sequence[Panel], runs: int) -> str:
    """What is drawn of the intervals: a band needs two years that follow each other."""
    bounds = [
        [isinstance(value, Share) and value.interval is not None for value in values]
        for panel in panels
        for _, values in panel.series
    ]
    if not any(map(any, bounds)):
        return ""
    if runs <= MOST_BANDS and any(one and following for of_run in bounds for one, following in pairwise(of_run)):
        return " Bands are 95% intervals."
    return " Intervals stand in the tables."


def _dots(id: str, subject: _Subject, runs: Sequence[Behavior]) -> Figure:
    values = [list(map(share, subject.pick(run.overall))) for run in runs]
    rows = [
        DotRow(run.run, of_run[n], group=name, style=style)
        for n, (name, style) in enumerate(subject.styles.items())
        for run, of_run in zip(runs, values, strict=True)
    ]
    bounded = any(one.interval for of_run in values for one in of_run)
    return dots(id, subject.title, rows, caption=f"{subject.words}.{' Whiskers are 95% intervals.' if bounded else ''}")
