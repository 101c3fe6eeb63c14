"""The figures of a report: measured numbers, drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from fingreat.analysis import Agreement, Ratio
from fingreat.pipeline.report.measured import Measured
from fingreat.report import Figure, Share, bars, edge_styles, heat_map
from fingreat.report.columns import share

FIGURES = ("recall-map", "jaccard-map", "precision-map", "category-shares", "edge-shares")
"""Ids of all figures that there may be."""
_AXES = ("reference", "run")


def make_figures(measured: Measured) -> tuple[Figure, ...]:
    """All figures there is something to show in."""
    return (*_maps(measured), *_parts(measured))


def _maps(measured: Measured) -> Sequence[Figure]:
    if not measured.agreement:
        return ()
    return (
        _map(
            measured,
            "recall-map",
            "Recall of each run against each other",
            lambda found: found.recall,
            "How much of the row's extractions the column's run has too.",
        ),
        _map(
            measured,
            "jaccard-map",
            "Jaccard of the runs",
            lambda found: found.jaccard,
            "Matched extractions of all that either run has.",
        ),
        _map(
            measured,
            "precision-map",
            "Conditional precision of the runs",
            lambda found: found.conditional_precision,
            "Matched extractions under the same edge, of all that are matched.",
        ),
    )


def _map(measured: Measured, id_: str, title: str, measure: Callable[[Agreement], Ratio], caption: str) -> Figure:
    names = [run.name for run in measured.runs]
    # A run against itself says nothing, and is left empty.
    values = [
        [share(measure(measured.agreement[run, reference].words)) if run != reference else None for run in names]
        for reference in names
    ]
    return heat_map(id_, title, names, values, axes=_AXES, caption=caption)


def _parts(measured: Measured) -> Sequence[Figure]:
    graph = measured.graph
    counts = [Counter(extraction.edge for extraction in run.extractions) for run in measured.runs]
    styles = edge_styles(graph)
    categories: dict[str, list[str]] = {}
    for edge in graph.edges:
        categories.setdefault(graph.category(edge), []).append(edge)

    def series(groups: Sequence[Sequence[str]]) -> list[tuple[str, list[Share]]]:
        return [
            (run.name, [Share(k=sum(of_run[edge] for edge in group), n=of_run.total()) for group in groups])
            for run, of_run in zip(measured.runs, counts, strict=True)
        ]

    return (
        bars(
            "category-shares",
            "Extractions by category",
            list(categories),
            series(list(categories.values())),
            styles=[styles[members[0]] for members in categories.values()],
        ),
        bars(
            "edge-shares",
            "Extractions by edge",
            list(graph.edges),
            series([[edge] for edge in graph.edges]),
            styles=list(styles.values()),
        ),
    )
