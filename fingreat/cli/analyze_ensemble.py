"""`fingreat analyze ensemble`: the vote of several runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fingreat.analysis import REPLICATES, SEED
from fingreat.cli import complete
from fingreat.cli.analyze_options import (
    GroundedOption,
    GroupingOption,
    ReplicatesOption,
    RunsArgument,
    SeedOption,
    TablesFolderOption,
    as_typed,
    fields_data,
    scope_data,
)
from fingreat.cli.analyze_out import Results, give_out
from fingreat.cli.common import CommonOption, JsonFlag
from fingreat.cli.watch import Watch
from fingreat.pipeline.ensemble import TABLES, MeasuredEnsemble, ensemble_tables, measure_ensemble
from fingreat.pipeline.side_by_side import Choice, provenance
from fingreat.runs import RunFolder
from fingreat.schema.graph import DEFAULT_GROUPING


def ensemble(
    runs: RunsArgument,
    reference: Annotated[
        list[Path],
        typer.Option(
            "--reference",
            metavar="RUN",
            help="A run, no member, that vote and members are measured against; repeatable.",
            autocompletion=complete.runs,
            show_default=False,
        ),
    ],
    common: CommonOption = False,
    grounded: GroundedOption = False,
    grouping: GroupingOption = DEFAULT_GROUPING,
    replicates: ReplicatesOption = REPLICATES,
    seed: SeedOption = SEED,
    target: TablesFolderOption = None,
    json: JsonFlag = False,
) -> None:
    """Let runs vote on the passages that all of them quote, and measure the vote beside each of them.

    An edge needs more than half of the runs; without one the ensemble abstains.

    Vote and members are measured on the same passages: those with a majority that the reference quotes too.

    All runs must have read the same texts with the same graph. A reference is another run, not the truth.

    Example: fingreat analyze ensemble out/lexicon-quote out/embed-quote --reference out/embedded-quote
    """
    folders, references = ([RunFolder(path) for path in paths] for paths in (runs, reference))
    options = {"reference": reference, "common": common, "grounded": grounded, "grouping": grouping}
    words = as_typed("ensemble", runs, **options, replicates=replicates, seed=seed)

    def measure() -> MeasuredEnsemble:
        with Watch("voting") as watch:
            return measure_ensemble(
                folders,
                references,
                choice=Choice(common, grounded),
                grouping=grouping,
                replicates=replicates,
                seed=seed,
                watch=watch,
            )

    give_out(
        Results(TABLES, ensemble_tables, _as_data),
        measure,
        target,
        json=json,
        made_by=lambda: provenance(words, [*folders, *references]),
    )


def _as_data(measured: MeasuredEnsemble) -> dict[str, Any]:
    names = ("members", "grouping", "replicates", "seed", "scores")
    return {**scope_data(measured.scope), **fields_data(measured, *names)}
