"""What runs dwell on, as figures: lines over years, or dots where no two years are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fingreat.analysis import Behavior, Emphasis, Portion, Ratio
from fingreat.report.columns import share
from fingreat.report.dot_chart import DotRow, dots
from fingreat.report.line_chart import MOST_BANDS, Panel, lines
from fingreat.report.model import Figure
from fingreat.report.palette import category_index, edge_styles
from fingreat.schema import Graph

_SHARE = "Extractions of an edge or a category / all extractions of the run"
_COVERAGE = "Filings with at least one extraction of the edge / the filings that were read"


def behavior_figures(runs: Sequence[Behavior], graph: Graph, grouping: str) -> tuple[Figure, ...]:
    """Shares by category and by edge, and coverage of edges: over years, or over all filings where there are no two.

    Args:
        runs: at least one, all over the same filings.
        grouping: which grouping of the graph's edges gives the categories.
    """
    categories, edges = category_index(graph, grouping), edge_styles(graph, grouping)
    over_years = len(runs[0].years) > 1
    draw = _lines if over_years else _dots
    ending = "lines" if over_years else "dots"
    when = " and year" if over_years else ""
    return (
        draw(f"category-{ending}", f"What runs dwell on, by category{when}", runs, _categories, _share, categories),
        draw(f"edge-{ending}", f"What runs dwell on, by edge{when}", runs, _edges, _share, edges),
        draw("coverage", f"Filings with evidence, by edge{when}", runs, _edges, _coverage, edges),
    )


def _lines(
    id: str,
    title: str,
    runs: Sequence[Behavior],
    portions: Callable[[Emphasis], Sequence[Portion]],
    measure: Callable[[Portion], Ratio],
    styles: Mapping[str, int],
) -> Figure:
    years = [found.year for found in runs[0].years if found.year is not None]
    panels = [
        Panel(name, style, [(run.run, [share(measure(portions(one)[n])) for one in run.years]) for run in runs])
        for n, (name, style) in enumerate(styles.items())
    ]
    bands = " Bands are 95% intervals." if len(runs) <= MOST_BANDS else " Intervals stand in the tables."
    return lines(id, title, panels, years, caption=f"{_words(measure)}, by year of filing.{bands}")


def _dots(
    id: str,
    title: str,
    runs: Sequence[Behavior],
    portions: Callable[[Emphasis], Sequence[Portion]],
    measure: Callable[[Portion], Ratio],
    styles: Mapping[str, int],
) -> Figure:
    rows = [
        DotRow(run.run, share(measure(portions(run.overall)[n])), group=name, style=style)
        for n, (name, style) in enumerate(styles.items())
        for run in runs
    ]
    return dots(id, title, rows, caption=f"{_words(measure)}.")


def _words(measure: Callable[[Portion], Ratio]) -> str:
    return _COVERAGE if measure is _coverage else _SHARE


def _categories(found: Emphasis) -> Sequence[Portion]:
    return found.categories


def _edges(found: Emphasis) -> Sequence[Portion]:
    return found.edges


def _share(portion: Portion) -> Ratio:
    return portion.share


def _coverage(portion: Portion) -> Ratio:
    return portion.coverage
