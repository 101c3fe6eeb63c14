"""The tables of a report: measured numbers, laid out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from fingreat.analysis import Volume, VolumeTally, by_filing
from fingreat.pipeline.report import comparisons
from fingreat.pipeline.report.comparisons import of_pairs
from fingreat.pipeline.report.measured import Measured, MeasuredRun
from fingreat.pipeline.tags import TAGS_OF_THE_GRAPH
from fingreat.report import Cell, Share, Table
from fingreat.report.agreement_tables import span_table
from fingreat.report.columns import MOST_ROWS, counts, edges, filings, left_out, shares, texts
from fingreat.report.fidelity_table import fidelity_table, near_miss_table
from fingreat.report.tags_tables import tags_table, top_tags_table
from fingreat.report.volume_table import volume_table
from fingreat.schema import Filing


def make_tables(measured: Measured) -> tuple[Table, ...]:
    """All tables there is something to say in, the main ones first."""
    return tuple(table for make in TABLES.values() if (table := make(measured)) is not None)


def _volume(measured: Measured) -> Table:
    return volume_table({run.name: _volume_of(run, measured.filings) for run in measured.runs})


def _volume_of(run: MeasuredRun, filings: Sequence[Filing]) -> Volume:
    of_run, tally = by_filing(run.extractions), VolumeTally()
    for filing in filings:
        tally.add(filing.id, of_run.get(filing.id, ()))
    return tally.volume()


def _by_category(measured: Measured) -> Table:
    graph = measured.graph
    groups = [
        (category, [edge for edge in graph.edges if graph.category(edge) == category])
        for category in graph.categories()
    ]
    return Table(
        id="extractions-by-category",
        title="Extractions by category",
        detail=True,
        columns=(*texts("run", "category"), *shares("share of extractions")),
        rows=tuple(_parts(measured, groups)),
    )


def _by_edge(measured: Measured) -> Table:
    return Table(
        id="extractions-by-edge",
        title="Extractions by edge",
        detail=True,
        columns=(*texts("run"), *edges("edge"), *shares("share of extractions")),
        rows=tuple(_parts(measured, [(edge, [edge]) for edge in measured.graph.edges])),
    )


def _parts(measured: Measured, groups: Sequence[tuple[str, Sequence[str]]]) -> Iterator[tuple[Cell, ...]]:
    """The share of each group of edges in a run's extractions."""
    for run in measured.runs:
        of_edge = Counter(extraction.edge for extraction in run.extractions)
        for name, members in groups:
            yield run.name, name, Share(k=sum(of_edge[edge] for edge in members), n=len(run.extractions))


def _tags(measured: Measured) -> Table:
    scores = {run.name: run.tags for run in measured.runs}
    backends = {run.name: run.manifest.model.backend for run in measured.runs}
    return tags_table(scores, of_the_graph=[name for name, of in backends.items() if of in TAGS_OF_THE_GRAPH])


def _top_tags(measured: Measured) -> Table | None:
    return top_tags_table({run.name: run.tags for run in measured.runs})


def _by_filing(measured: Measured) -> Table:
    of_runs = [Counter(extraction.filing_id for extraction in run.extractions) for run in measured.runs]
    rows = tuple(
        (run.name, filing.id, filing.company, *_years(filing), measured.lengths[filing.id], of_run[filing.id])
        for filing in measured.filings[:MOST_ROWS]
        for run, of_run in zip(measured.runs, of_runs, strict=True)
    )
    return Table(
        id="extractions-by-filing",
        title="Extractions by filing",
        detail=True,
        columns=(*texts("run"), *filings(), *texts("filed in", "fiscal year"), *counts("characters", "extractions")),
        rows=rows,
        notes=left_out(len(measured.filings)),
    )


def _years(filing: Filing) -> tuple[str | None, str | None]:
    """When it was filed and its fiscal year; years are names, not counts to be written with a comma."""
    filed = filing.filed.year if filing.filed else None
    return str(filed) if filed else None, str(filing.fiscal_year) if filing.fiscal_year else None


TABLES: dict[str, Callable[[Measured], Table | None]] = {
    "agreement": comparisons.agreement,
    "volume": _volume,
    "agreement-by-place": of_pairs(span_table),
    "fidelity": of_pairs(fidelity_table),
    "near-misses": of_pairs(near_miss_table),
    "agreement-by-category": of_pairs(comparisons.agreement_by_category),
    "agreement-by-edge": comparisons.agreement_by_edge,
    "gold": comparisons.gold,
    "gold-by-edge": comparisons.gold_by_edge,
    "gold-by-filing": comparisons.gold_by_filing,
    "extractions-by-category": _by_category,
    "extractions-by-edge": _by_edge,
    "tags": _tags,
    "top-tags": _top_tags,
    "extractions-by-filing": _by_filing,
}
"""Table id → what makes it, in the order of the page."""
