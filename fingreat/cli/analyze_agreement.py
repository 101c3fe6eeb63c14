"""`fingreat analyze agreement`: runs against references."""

from __future__ import annotations

from functools import partial
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
    as_data,
    as_typed,
    fields_data,
    scope_data,
)
from fingreat.cli.analyze_out import Results, give_out
from fingreat.cli.common import NO_VALUE, CommonOption, JsonFlag
from fingreat.cli.watch import Watch
from fingreat.pipeline.agreement import TABLES, MeasuredRuns, agreement_tables, measure_runs
from fingreat.pipeline.side_by_side import Choice, provenance
from fingreat.runs import RunFolder
from fingreat.schema.graph import DEFAULT_GROUPING


def agreement(
    runs: RunsArgument,
    reference: Annotated[
        list[Path] | None,
        typer.Option(
            "--reference",
            metavar="RUN",
            help="A run that the others are measured against; repeatable. Without one, every run against every other.",
            autocompletion=complete.runs,
        ),
    ] = None,
    common: CommonOption = False,
    grounded: GroundedOption = False,
    grouping: GroupingOption = DEFAULT_GROUPING,
    by_edge: Annotated[
        bool, typer.Option("--by-edge", metavar=NO_VALUE, help="Also a table of the agreement on each edge.")
    ] = False,
    replicates: ReplicatesOption = REPLICATES,
    seed: SeedOption = SEED,
    target: TablesFolderOption = None,
    json: JsonFlag = False,
) -> None:
    """Measure how far runs quote the same passages as references, and whether they give them the same edges.

    By words, by place in the text and by characters, with intervals by drawing filings anew.

    Beside it: how much each run extracts, and whether the figures in matched quotes agree.

    All runs must have read the same texts with the same graph. A reference is another run, not the truth.

    Example: fingreat analyze agreement out/lexicon-quote --reference out/embed-quote --out tables
    """
    folders, references = ([RunFolder(path) for path in paths] for paths in (runs, reference or ()))
    options = {"reference": reference, "common": common, "grounded": grounded, "grouping": grouping, "by_edge": by_edge}
    words = as_typed("agreement", runs, **options, replicates=replicates, seed=seed)

    def measure() -> MeasuredRuns:
        with Watch("matching") as watch:
            return measure_runs(
                folders,
                references,
                choice=Choice(common, grounded),
                grouping=grouping,
                replicates=replicates,
                seed=seed,
                watch=watch,
            )

    give_out(
        Results(TABLES, partial(agreement_tables, by_edge=by_edge), _as_data),
        measure,
        target,
        json=json,
        made_by=lambda: provenance(words, [*folders, *references]),
    )


def _as_data(measured: MeasuredRuns) -> dict[str, Any]:
    return {
        **scope_data(measured.scope),
        **fields_data(measured, "grouping", "replicates", "seed", "volumes"),
        "pairs": as_data(tuple(measured.pairs.values())),
    }
