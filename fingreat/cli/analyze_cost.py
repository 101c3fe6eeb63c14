"""`fingreat analyze cost`: what runs took, and how right they were for it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fingreat.analysis import REPLICATES, SEED
from fingreat.analysis.cost import PER, RunFigures
from fingreat.cli.analyze_options import (
    BenchmarkCommonOption,
    BenchmarkGoldOption,
    ReplicatesOption,
    RunsArgument,
    SeedOption,
    TablesFolderOption,
    as_data,
    as_typed,
)
from fingreat.cli.analyze_out import Results, give_out
from fingreat.cli.common import JsonFlag
from fingreat.cli.model_options import ModelsOption
from fingreat.inference.presets import load_presets
from fingreat.pipeline.frontier import TABLES, MeasuredCosts, cost_figures, cost_tables, measure_costs
from fingreat.pipeline.side_by_side import provenance
from fingreat.runs import RunFolder


def cost(
    runs: RunsArgument,
    models: ModelsOption = None,
    gold: BenchmarkGoldOption = None,
    common: BenchmarkCommonOption = False,
    replicates: ReplicatesOption = REPLICATES,
    seed: SeedOption = SEED,
    target: TablesFolderOption = None,
    json: JsonFlag = False,
) -> None:
    """Show what runs took: tokens, seconds and dollars for a filing and for 1,000 filings, by model.

    Of a run that was stopped, what it took so far.

    Runs of `fingreat classify` over one gold file are also shown by accuracy beside dollars and seconds, with those
    that no other one beats.

    Example: fingreat analyze cost out/lexicon-quote out/embed-quote
    """
    folders = [RunFolder(path) for path in runs]
    words = as_typed("cost", runs, models=models, gold=gold, common=common, replicates=replicates, seed=seed)
    give_out(
        Results(TABLES, cost_tables, _as_data, cost_figures),
        lambda: measure_costs(
            folders, load_presets(models), gold=gold, common=common, replicates=replicates, seed=seed
        ),
        target,
        json=json,
        made_by=lambda: provenance(words, folders),
    )


def _as_data(measured: MeasuredCosts) -> dict[str, Any]:
    return {
        "runs": [_figures(run) for run in measured.runs],
        "models": [_figures(model) for model in measured.models],
        "accuracy": as_data(measured.answers),
        "no_accuracy": measured.refused,
        **{name: getattr(measured, name) for name in ("filings", "replicates", "seed")},
        "notes": list(measured.notes),
    }


def _figures(figures: RunFigures) -> dict[str, Any]:
    """Totals, and what they are for one filing and for a thousand; null for what is unknown.

    Seconds and dollars of a filing are as if what came from the cache had been asked.
    """
    totals = {
        "prompt_tokens": figures.prompt_tokens,
        "output_tokens": figures.output_tokens,
        "seconds": figures.full_seconds,
        "usd": figures.full_usd,
    }
    return {
        **asdict(figures),
        "per_filing": {name: figures.per_filing(total) for name, total in totals.items()},
        f"per_{PER}_filings": {name: figures.per_thousand(total) for name, total in totals.items()},
    }
