"""`fingreat demo`: the main job on a shipped filing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fingreat.analysis import Ratio
from fingreat.cli.common import SOME_FAILED, JsonFlag, out, percent, plain, print_json, say, stoppable, table
from fingreat.cli.extract import RequestBar
from fingreat.pipeline import Demo, run_demo
from fingreat.pipeline.demo import DemoRun, in_words


def command(
    target: Annotated[Path, typer.Option("--out", help="The folder for all of it.")] = Path("fingreat-demo"),
    json: JsonFlag = False,
) -> None:
    """Run the main job on a shipped filing and make a page to open.

    `lexicon` (cue phrases) and `embedded` (a real, very small model) read the MD&A of an invented company.

    Their quotes are checked, and scored against a complete gold.

    Example: fingreat demo --out fingreat-demo
    """
    with stoppable(lambda: "Repeat the command to go on."):
        demo = run_demo(target, progress=RequestBar)
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
    numbers = ("requests", "failed", "extractions", "in the text", "precision", "recall", "chance", "seconds")
    rows = table("model", *numbers, numbers=numbers)
    for run in demo.runs:
        rows.add_row(*map(plain, summary(run)))
    out.print(rows)
    for run in demo.runs:
        out.print(f"{run.manifest.model.spec}: {in_words(run.score)}", markup=False)


def summary(run: DemoRun) -> tuple[object, ...]:
    """The cells of a run's row."""
    counts, score = run.manifest.counts, run.score
    return (
        run.manifest.model.spec,
        *(counts[name] for name in ("requests", "failures", "extractions")),
        _percent(Ratio(counts["grounded"], counts["extractions"])),
        _percent(score.precision),
        _percent(score.recall),
        f"{score.chance_precision:.1%}",
        f"{counts['model_seconds']:.1f}",
    )


def _percent(ratio: Ratio) -> str:
    return percent(ratio.value) + (f" ({ratio.hits}/{ratio.total})" if ratio.total else "")


def _as_data(demo: Demo, index: int) -> dict[str, object]:
    run = demo.runs[index]
    return {
        "run": str(run.folder.path),
        "model": run.manifest.model.spec,
        "precision": run.score.precision.value,
        "recall": run.score.recall.value,
        "chance_precision": run.score.chance_precision,
        "reading": in_words(run.score),
        **run.manifest.counts,
    }
