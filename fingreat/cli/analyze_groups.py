"""`fingreat analyze groups`: the passages that several runs quote."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fingreat.cli.analyze_options import GroundedOption, RunsArgument, as_data, scope_data
from fingreat.cli.analyze_out import show_tables
from fingreat.cli.common import CommonOption, JsonFlag, print_json, say, stoppable
from fingreat.cli.watch import Watch
from fingreat.pipeline.frames import tables_of
from fingreat.pipeline.groups import group_runs
from fingreat.pipeline.side_by_side import Choice
from fingreat.report import count_of
from fingreat.runs import RunFolder


def groups(
    runs: RunsArgument,
    least: Annotated[
        int | None,
        typer.Option(
            "--least", metavar="K", help="Runs that a group has at least; all if left out.", show_default=False
        ),
    ] = None,
    common: CommonOption = False,
    grounded: GroundedOption = False,
    target: Annotated[
        Path | None, typer.Option("--out", help="A file for the groups, as JSON Lines.", show_default=False)
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Find the passages that several runs quote, and how far these agree on the edge.

    A group has one quote of each of its runs, and every two of them are matched.

    Its text is that of its medoid, the quote that overlaps most with the others.

    Example: fingreat analyze groups out/lexicon-quote out/embed-quote out/embedded-quote --least 2 --out groups.jsonl
    """
    with stoppable(lambda: "Nothing was written; repeat the command."), Watch("grouping") as watch:
        found = group_runs(
            [RunFolder(path) for path in runs], target, least=least, choice=Choice(common, grounded), watch=watch
        )
    if json:
        print_json({**scope_data(found.scope), "least": found.least, **as_data(found.counts)})
    else:
        show_tables(tables_of(found))
    if target is not None:
        say(f"{count_of(found.counts.groups, 'group')}: {target}")
