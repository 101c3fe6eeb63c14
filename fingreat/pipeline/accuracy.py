"""The accuracy of classification runs on the same gold passages: of each, of every two, by family and by size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fingreat.analysis.accuracy import Accuracy, measure_accuracies
from fingreat.analysis.bootstrap import REPLICATES, SEED, FilingBootstrap
from fingreat.analysis.differences import PairedDifference, paired_differences
from fingreat.analysis.families import FamilyAccuracy, Gap, ModelFacts, measure_families, measure_gaps
from fingreat.inference.requirements import NEEDS
from fingreat.pipeline.benchmark import Benchmark, read_benchmark
from fingreat.pipeline.table_files import TableFolder
from fingreat.report.accuracy_table import (
    accuracies_by_cohort_table,
    accuracies_by_edge_table,
    accuracies_table,
    by_accuracy,
    random_share,
    selectors,
)
from fingreat.report.columns import share
from fingreat.report.differences_table import differences_table
from fingreat.report.dot_chart import DotRow, dots
from fingreat.report.families_table import UNKNOWN, families_table, gaps_table, kind_of, sizes_table
from fingreat.report.model import Figure
from fingreat.report.scatter_chart import ScatterPoint, scatter
from fingreat.report.tables import Table
from fingreat.runs import Manifest, RunFolder
from fingreat.schema.graph import DEFAULT_GROUPING

TABLES = TableFolder(
    "accuracy",
    (
        "accuracy",
        "accuracy-by-edge",
        "accuracy-by-cohort",
        "accuracy-differences",
        "families",
        "sizes",
        "open-and-hosted",
    ),
    figures=("accuracy", "sizes"),
)
"""What a folder of its tables and figures holds."""
_WHISKERS = " Whiskers are 95% intervals."
_TWO = 2
"""A chart of sizes needs so many of them."""


@dataclass(frozen=True)
class MeasuredAccuracy:
    """How often models are right on one benchmark.

    Attributes:
        grouping: which grouping of the graph's edges gives the categories.
        replicates, seed: of the intervals; there are none where fewer than two filings add to a total.
        accuracies: by name of the run, in the order in which runs were named.
        differences: of every two runs.
        facts: of each run's model.
        families: best first.
        gaps: the best open beside the best hosted model; none where all are of one kind.
    """

    benchmark: Benchmark
    grouping: str
    replicates: int
    seed: int
    accuracies: Mapping[str, Accuracy]
    differences: tuple[PairedDifference, ...]
    facts: tuple[ModelFacts, ...]
    families: tuple[FamilyAccuracy, ...]
    gaps: tuple[Gap, ...]


def measure_accuracy_of(
    runs: Sequence[RunFolder],
    *,
    gold: Path | None = None,
    common: bool = False,
    grouping: str = DEFAULT_GROUPING,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> MeasuredAccuracy:
    """Measure classification runs against the gold passages that they were asked about.

    Args:
        gold, common: as for `read_benchmark`.
        grouping: which grouping of the graph's edges gives the categories.
        replicates: draws of filings that the intervals are made from; the same ones for all.

    Raises:
        RunError, InputError: as `read_benchmark`; no such grouping; no replicate or far too many.
    """
    found = read_benchmark(runs, gold=gold, common=common)
    return accuracy_on(found, grouping=grouping, replicates=replicates, seed=seed)


def accuracy_on(
    benchmark: Benchmark, *, grouping: str = DEFAULT_GROUPING, replicates: int = REPLICATES, seed: int = SEED
) -> MeasuredAccuracy:
    """The same on runs that are read already."""
    sheet = benchmark.sheet
    bootstrap = FilingBootstrap(len(sheet.filings), replicates=replicates, seed=seed)
    measured = measure_accuracies(
        sheet,
        grouping=grouping,
        bootstrap=bootstrap,
        years=benchmark.years,
        period_years=benchmark.period_years,
    )
    accuracies = dict(zip(sheet.names, measured, strict=True))
    facts = tuple(model_facts(name, benchmark.manifests[name]) for name in sheet.names)
    return MeasuredAccuracy(
        benchmark=benchmark,
        grouping=grouping,
        replicates=replicates,
        seed=seed,
        accuracies=accuracies,
        differences=paired_differences(sheet, bootstrap),
        facts=facts,
        families=measure_families(accuracies, facts),
        gaps=measure_gaps(sheet, measured, facts, grouping=grouping, bootstrap=bootstrap),
    )


def model_facts(name: str, manifest: Manifest) -> ModelFacts:
    """What a run says of its model. One at a server of one's own is open, whichever provider's language it speaks."""
    model, needs = manifest.model, NEEDS.get(manifest.model.backend)
    hosted = needs is not None and needs.model == "hosted" and model.base_url is None
    return ModelFacts(name, model.family, model.total_parameters, hosted)


def accuracy_tables(measured: MeasuredAccuracy) -> tuple[Table, ...]:
    """All there is to say, as tables; each says what it was measured on.

    There is none of families or of sizes where none is known, none of open beside hosted models where all are of one
    kind, none of differences where a run is alone.
    """
    accuracies, filings, seed = measured.accuracies, len(measured.benchmark.sheet.filings), measured.seed
    grouping = measured.grouping
    tables = [accuracies_table(accuracies, filings, seed=seed, grouping=grouping)]
    if any(one.family for one in measured.facts):
        tables.append(families_table(measured.families, filings, seed=seed))
    if any(one.parameters for one in measured.facts):
        tables.append(sizes_table(accuracies, measured.facts, filings, seed=seed))
    if measured.gaps:
        tables.append(gaps_table(measured.gaps, filings, seed=seed, grouping=grouping))
    if measured.differences:
        tables.append(differences_table(measured.differences, filings, seed=seed))
    tables += [
        accuracies_by_edge_table(accuracies),
        accuracies_by_cohort_table(accuracies, filings, seed=seed, grouping=grouping),
    ]
    return measured.benchmark.told(tables)


def accuracy_figures(measured: MeasuredAccuracy) -> tuple[Figure, ...]:
    """Accuracy of each model, and by size where sizes of at least two models are known and differ."""
    kinds = {one.name: kind_of(one.hosted) for one in measured.facts}
    several = len(set(kinds.values())) > 1
    any_model = next(iter(measured.accuracies.values()))
    majority, random = selectors(any_model)
    rows = [
        DotRow(name, share(measured.accuracies[name].overall.accuracy), group=kinds[name] if several else "")
        for name in by_accuracy(measured.accuracies)
    ]
    figure = dots(
        "accuracy",
        "Accuracy of models",
        sorted(rows, key=lambda row: row.group, reverse=True),
        lines=(
            (majority, share(any_model.overall.majority)),
            (random, random_share(any_model, any_model.overall)),
        ),
        x_label="accuracy",
        caption=f"Passages that got an accepted edge, of all that accept one.{_WHISKERS if _bounded(measured) else ''}",
    )
    return figure, *_by_size(measured)


def _by_size(measured: MeasuredAccuracy) -> tuple[Figure, ...]:
    points = [
        ScatterPoint(
            one.name, one.parameters, share(measured.accuracies[one.name].overall.accuracy), one.family or UNKNOWN
        )
        for one in measured.facts
        if one.parameters
    ]
    if len({point.x for point in points}) < _TWO:
        return ()
    figure = scatter(
        "sizes",
        "Accuracy by number of parameters",
        points,
        x_label="parameters in billions",
        y_label="accuracy",
        log_x=True,
    )
    caption = f"Models whose size is known.{_WHISKERS if _bounded(measured) else ''}"
    return (figure.model_copy(update={"caption": caption}),)


def _bounded(measured: MeasuredAccuracy) -> bool:
    """Whether accuracies have intervals."""
    return any(one.overall.accuracy.interval for one in measured.accuracies.values())
