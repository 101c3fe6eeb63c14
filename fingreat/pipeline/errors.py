"""Where models that answered the same gold passages go wrong, over runs on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fingreat.analysis.bootstrap import REPLICATES, SEED, FilingBootstrap
from fingreat.analysis.errors import WITHIN, ErrorOverlap, Errors, errors_of, matched_accuracy
from fingreat.pipeline.benchmark import Benchmark, read_benchmark
from fingreat.pipeline.table_files import TableFolder
from fingreat.report.errors_tables import (
    confusion_by_model_table,
    confusion_map,
    confusion_table,
    matched_accuracy_table,
    missed_table,
    overlap_map,
    overlap_table,
)
from fingreat.report.model import Figure
from fingreat.report.tables import Table
from fingreat.runs import RunFolder

TABLES = TableFolder(
    "errors",
    ("matched-accuracy", "error-overlap", "missed-by-all", "confusion", "confusion-by-model"),
    figures=("error-overlap", "confusion"),
)
"""What a folder of its tables and figures holds."""


@dataclass(frozen=True)
class MeasuredErrors:
    """The errors of classification runs on one benchmark.

    Attributes:
        matched: pairs of models whose accuracies differ by at most `within` percentage points.
        replicates, seed: of the intervals; there are none where fewer than two filings add to a total.
    """

    benchmark: Benchmark
    errors: Errors
    matched: tuple[ErrorOverlap, ...]
    within: float
    replicates: int
    seed: int


def measure_errors(
    runs: Sequence[RunFolder],
    *,
    gold: Path | None = None,
    common: bool = False,
    within: float = WITHIN,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> MeasuredErrors:
    """Measure on which passages classification runs fail together, and what they answer instead.

    Args:
        gold, common: as for `read_benchmark`.
        within: percentage points of accuracy by which two models differ at most to count as equally accurate.
        replicates, seed: of the draws of filings that the intervals are made from.

    Raises:
        RunError, InputError: as for `read_benchmark`; `within` is not from 0 to 100; no replicate or far too many.
    """
    return errors_in(read_benchmark(runs, gold=gold, common=common), within=within, replicates=replicates, seed=seed)


def errors_in(
    benchmark: Benchmark, *, within: float = WITHIN, replicates: int = REPLICATES, seed: int = SEED
) -> MeasuredErrors:
    """`measure_errors` of runs that are read already.

    Raises:
        InputError: `within` is not from 0 to 100; no replicate or far too many.
    """
    sheet = benchmark.sheet
    errors = errors_of(sheet, FilingBootstrap(len(sheet.filings), replicates=replicates, seed=seed))
    return MeasuredErrors(
        benchmark=benchmark,
        errors=errors,
        matched=matched_accuracy(errors.overlaps, within),
        within=within,
        replicates=replicates,
        seed=seed,
    )


def errors_tables(measured: MeasuredErrors) -> tuple[Table, ...]:
    """All there is to say, as tables; those of pairs only where there are two models."""
    errors, graph, seed = measured.errors, measured.benchmark.graph, measured.seed
    pairs = (
        (
            matched_accuracy_table(errors, measured.matched, measured.within, seed=seed),
            overlap_table(errors, seed=seed),
        )
        if errors.overlaps
        else ()
    )
    tables = (*pairs, missed_table(errors), confusion_table(errors, graph), confusion_by_model_table(errors, graph))
    notes = measured.benchmark.notes
    return tuple(table.model_copy(update={"notes": (*notes, *table.notes)}) for table in tables)


def errors_figures(measured: MeasuredErrors) -> tuple[Figure, ...]:
    """The overlap of every two models, where there are two, and what is answered for which edge, as heat maps."""
    overlap = (overlap_map(measured.errors),) if measured.errors.overlaps else ()
    return (*overlap, confusion_map(measured.errors, measured.benchmark.graph))
