"""`fingreat demo`: the main job on the shipped filings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fingreat.cli.common import NO_VALUE, SOME_FAILED, JsonFlag, out, print_json, say, show_table, stoppable, tell
from fingreat.cli.live import LiveView
from fingreat.pipeline import Demo, run_demo
from fingreat.pipeline.demo import MODELS
from fingreat.report import Column, Share, Table

QUICK = tuple(model for model in MODELS if model != "embedded")
SHOWN = ("agreement", "tags")
"""Tables of the report that the console shows behind its own."""


def command(
    target: Annotated[Path, typer.Option("--out", help="The folder for all of it.")] = Path("fingreat-demo"),
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", metavar=NO_VALUE, help="Leave out the language model, which takes nearly all of the time."
        ),
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Run the main job on three shipped filings and make a report to open; some minutes on two cores.

    Three models read the MD&As of three invented companies of 2024, 2008 and 2001: `lexicon` (cue phrases), `embed`
    (similarity to the edges' definitions) and `embedded` (a real, very small language model).

    Their quotes are checked, matched with one another, and scored against a complete gold.

    Example: fingreat demo --out fingreat-demo
    """
    with stoppable(lambda: "Repeat the command to go on."):
        demo = run_demo(target, QUICK if quick else MODELS, progress=LiveView)
    if json:
        print_json({"page": str(demo.page), "runs": [_as_data(demo, i) for i in range(len(demo.runs))]})
    else:
        _show(demo)
    say(f"report: {demo.page.resolve()}")
    if demo.missing:
        for error in demo.missing.values():
            say(f"left out: {error}")
        raise typer.Exit(SOME_FAILED)


def _show(demo: Demo) -> None:
    show_table(summary(demo))
    for run in demo.report.runs:
        if run.score:
            tell(f"{run.name}: {run.score.sentence}")
    out.print()
    for table in demo.report.tables:
        if table.id in SHOWN:
            show_table(table)


def summary(demo: Demo) -> Table:
    """One row for each run: what it cost, what came out of it, and how it fares against the gold."""
    gold = sum(len(view.gold) for view in demo.report.filings)
    return Table(
        id="demo",
        title=f"{len(demo.report.filings)} filings, {gold} gold passages",
        columns=(
            Column(label="model"),
            *(Column(label=name, kind="count") for name in ("requests", "failed", "extractions")),
            *(Column(label=name, kind="share") for name in ("in the text", "precision", "recall")),
            Column(label="seconds", kind="number", digits=1),
        ),
        rows=tuple(
            (
                manifest.model.spec,
                *(manifest.counts[name] for name in ("requests", "failures", "extractions")),
                Share(k=manifest.counts["grounded"], n=manifest.counts["extractions"]),
                run.score.precision if run.score else None,
                run.score.recall if run.score else None,
                manifest.counts["model_seconds"],
            )
            for (_, manifest), run in zip(demo.runs, demo.report.runs, strict=True)
        ),
    )


def _as_data(demo: Demo, index: int) -> dict[str, object]:
    (folder, manifest), run = demo.runs[index], demo.report.runs[index]
    score = run.score
    return {
        "run": str(folder.path),
        "model": manifest.model.spec,
        "precision": score and score.precision.value,
        "recall": score and score.recall.value,
        "chance_precision": score and score.chance,
        "reading": score and score.sentence,
        **manifest.counts,
    }
