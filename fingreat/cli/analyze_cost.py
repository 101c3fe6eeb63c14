"""`fingreat analyze cost`: what runs took, and how right they were for it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from fingreat.analysis import REPLICATES, SEED
from fingreat.analysis.cost import PER, RunFigures
from fingreat.cli.analyze_options import (
    ReplicatesOption,
    RunsArgument,
    SeedOption,
    TablesFolderOption,
    as_data,
    as_typed,
    show_tables,
)
from fingreat.cli.common import CommonOption, JsonFlag, print_json, say, stoppable
from fingreat.cli.model_options import ModelsOption
from fingreat.inference.presets import load_presets
from fingreat.pipeline.frontier import TABLES, cost_figures, cost_tables, measure_costs
from fingreat.pipeline.side_by_side import provenance
from fingreat.report import count_of
from fingreat.runs import RunFolder


def cost(
    runs: RunsArgument,
    models: ModelsOption = None,
    gold: Annotated[
        Path | None,
        typer.Option("--gold", help="The gold file, where it is no longer where runs found it.", show_default=False),
    ] = None,
    common: CommonOption = False,
    replicates: ReplicatesOption = REPLICATES,
    seed: SeedOption = SEED,
    target: TablesFolderOption = None,
    json: JsonFlag = False,
) -> None:
    """Show what runs took: tokens, seconds and dollars for a filing and for 1,000 filings, by model.

    Of a run that was stopped, what it took so far.

    Runs of `fingreat classify` over one gold file are also shown by accuracy beside dollars and seconds, with those
    that no other one beats.

    Example: fingreat analyze cost out/embedded-quote out/embedded-span
    """
    if target is not None:
        TABLES.check(target)
    folders = [RunFolder(path) for path in runs]
    with stoppable(lambda: "Every table that was written is whole; repeat the command."):
        measured = measure_costs(
            folders, load_presets(models), gold=gold, common=common, replicates=replicates, seed=seed
        )
        tables = cost_tables(measured)
        if target is not None:
            figures = cost_figures(measured)
            words = as_typed("cost", runs, models=models, gold=gold, common=common, replicates=replicates, seed=seed)
            for sentence in TABLES.write(tables, target, provenance(words, folders), figures):
                say(sentence)
    if json:
        print_json(
            {
                "runs": [_as_data(run) for run in measured.runs],
                "models": [_as_data(model) for model in measured.models],
                "accuracy": as_data(measured.answers),
                "no_accuracy": measured.refused,
            }
        )
    else:
        show_tables(tables)
    if target is not None:
        say(f"{count_of(len(tables), 'table')} and {count_of(len(figures), 'figure')}: {target.resolve()}")


def _as_data(figures: RunFigures) -> dict[str, Any]:
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
