"""What runs took, and for those that classified gold passages how right they were for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fingreat.analysis.bootstrap import REPLICATES, SEED, FilingBootstrap
from fingreat.analysis.cost import PER, RunFigures, by_model
from fingreat.analysis.frontier import CostAccuracy, measure_frontier
from fingreat.errors import InputError
from fingreat.inference.presets import Presets
from fingreat.pipeline.benchmark import read_benchmark
from fingreat.pipeline.cost import run_costs
from fingreat.pipeline.table_files import TableFolder
from fingreat.report.cost_table import cost_table
from fingreat.report.families_table import UNKNOWN
from fingreat.report.frontier_table import cost_accuracy_figures, cost_accuracy_table
from fingreat.report.model import Figure
from fingreat.report.tables import Table
from fingreat.runs import Manifest, RunFolder

TABLES = TableFolder("costs", ("cost", "cost-accuracy"), figures=("cost-accuracy", "time-accuracy"))
"""What a folder of its tables and figures holds."""


@dataclass(frozen=True)
class MeasuredCosts:
    """What runs took.

    Attributes:
        runs: one by one.
        models: complete ones put together by model and mode.
        answers: accuracy beside cost of each complete classification run; none where there is no such run.
        groups: name of such a run → the family of its model, `UNKNOWN` where it is not known.
        filings: that the intervals draw.
        notes: on what the accuracies are of.
        refused: why classification runs cannot be set beside each other, None where they can or there are none.
    """

    runs: tuple[RunFigures, ...]
    models: tuple[RunFigures, ...]
    answers: tuple[CostAccuracy, ...] = ()
    groups: Mapping[str, str] = field(default_factory=dict)
    filings: int = 0
    replicates: int = REPLICATES
    seed: int = SEED
    notes: tuple[str, ...] = ()
    refused: str | None = None


def measure_costs(
    runs: Sequence[RunFolder],
    presets: Presets,
    *,
    gold: Path | None = None,
    common: bool = False,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> MeasuredCosts:
    """Tokens, seconds and dollars of runs; of complete classification runs also how right they were.

    Args:
        presets: with the prices of machines.
        gold, common: as for `read_benchmark`.
        replicates, seed: of the draws of filings that intervals are made from.

    Raises:
        InputError: a run is named twice; no replicate or far too many; the gold file that was named is not theirs.
        RunError: one is no run, or is damaged, or another process changes it.
    """
    figures = run_costs(runs, presets)
    manifests = [run.manifest() for run in runs]
    answered = [
        number
        for number, manifest in enumerate(manifests)
        if manifest.kind == "classify" and manifest.status == "complete"
    ]
    costs = MeasuredCosts(tuple(figures), tuple(by_model(figures)), replicates=replicates, seed=seed)
    if not answered:
        return costs
    try:
        benchmark = read_benchmark([runs[number] for number in answered], gold=gold, common=common)
    except InputError as error:
        if gold is not None:
            raise
        # What runs took is true whatever they were asked over.
        return replace(costs, refused=str(error))
    return replace(
        costs,
        answers=measure_frontier(
            benchmark.sheet,
            [_per_thousand(figures[number].full_usd, manifests[number]) for number in answered],
            [_per_thousand(figures[number].full_seconds, manifests[number]) for number in answered],
            FilingBootstrap(len(benchmark.sheet.filings), replicates=replicates, seed=seed),
        ),
        groups={name: manifest.model.family or UNKNOWN for name, manifest in benchmark.manifests.items()},
        filings=len(benchmark.sheet.filings),
        notes=(*benchmark.notes, *_on_bases(dict(zip(benchmark.names, (figures[n] for n in answered), strict=True)))),
    )


def cost_tables(measured: MeasuredCosts) -> tuple[Table, ...]:
    """What runs took, and accuracy beside it where there is any."""
    first = cost_table(measured.runs, measured.models)
    if measured.refused:
        note = f"Accuracy is not set beside cost: {measured.refused}"
        first = first.model_copy(update={"notes": (*first.notes, note)})
    if not measured.answers:
        return (first,)
    beside = cost_accuracy_table(measured.answers, filings=measured.filings, seed=measured.seed, notes=measured.notes)
    return first, beside


def cost_figures(measured: MeasuredCosts) -> tuple[Figure, ...]:
    """Accuracy by dollars and by seconds, as far as they are known."""
    return cost_accuracy_figures(measured.answers, measured.groups)


def _on_bases(figures: Mapping[str, RunFigures]) -> tuple[str, ...]:
    """That dollars of some runs are counted otherwise than those of others, where they are."""
    by_price, by_hour = (
        [name for name, run in figures.items() if run.basis == basis] for basis in ("prices", "machine")
    )
    if not by_price or not by_hour:
        return ()
    return (
        f"Dollars are counted in two ways: of {', '.join(by_price)} by a provider's prices, of {', '.join(by_hour)} as "
        "time at the price of the machine's hour.",
    )


def _per_thousand(total: float | None, manifest: Manifest) -> float | None:
    """A total for a thousand passages like those that the run was asked about."""
    asked = manifest.counts["passages"] - manifest.counts["left_out"]
    return total / asked * PER if total is not None and asked else None
