"""`fingreat analyze`: measures over runs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import typer

from fingreat.analysis.cost import PER, RunFigures, by_model
from fingreat.cli.analyze_agreement import agreement
from fingreat.cli.analyze_ensemble import ensemble
from fingreat.cli.analyze_groups import groups
from fingreat.cli.analyze_options import RunsArgument
from fingreat.cli.common import JsonFlag, print_json, show_table
from fingreat.cli.model_options import ModelsOption
from fingreat.inference.presets import load_presets
from fingreat.pipeline.cost import run_costs
from fingreat.report.cost_table import cost_table
from fingreat.runs import RunFolder

app = typer.Typer(
    no_args_is_help=True,
    help="Measure runs: against each other, together, and by what they took.\n\n"
    "Example: fingreat analyze agreement out/lexicon out/embed",
)
app.command("agreement")(agreement)
app.command("groups")(groups)
app.command("ensemble")(ensemble)


@app.command()
def cost(
    runs: RunsArgument,
    models: ModelsOption = None,
    json: JsonFlag = False,
) -> None:
    """Show what runs took: tokens, seconds and dollars for a filing and for 1,000 filings, by model.

    Of a run that was stopped, what it took so far.

    Example: fingreat analyze cost out/embedded-quote out/embedded-span
    """
    found = run_costs(map(RunFolder, runs), load_presets(models))
    together = by_model(found)
    if json:
        print_json({"runs": [_as_data(run) for run in found], "models": [_as_data(model) for model in together]})
    else:
        show_table(cost_table(found, together))


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
