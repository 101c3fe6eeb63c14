"""What the commands of `fingreat analyze` share: options declared once, and figures as JSON has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from fingreat.analysis import MOST_REPLICATES, Agreement, GroupCounts, Interval, Ratio, Volume
from fingreat.cli import complete
from fingreat.cli.common import NO_VALUE
from fingreat.pipeline.side_by_side import Scope

RunsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="RUN", help="Run folders.", show_default=False, autocompletion=complete.runs),
]
GroundedOption = Annotated[
    bool,
    typer.Option("--grounded", metavar=NO_VALUE, help="Only extractions whose quote stands in the text, not all."),
]
GroupingOption = Annotated[
    str,
    typer.Option("--grouping", help="Which grouping of the edges into categories.", autocompletion=complete.groupings),
]
ReplicatesOption = Annotated[
    int,
    typer.Option("--replicates", min=1, max=MOST_REPLICATES, help="Draws of filings that the intervals are made from."),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Of the draws.")]
BenchmarkGoldOption = Annotated[
    Path | None,
    typer.Option("--gold", help="The gold file, where it is no longer where runs found it.", show_default=False),
]
BenchmarkCommonOption = Annotated[
    bool,
    typer.Option(
        "--common", metavar=NO_VALUE, help="Compare on the passages that all runs were asked about, where they differ."
    ),
]
TablesFolderOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        help="A folder for each table as CSV, LaTeX and Markdown, and each figure as SVG and PDF.",
        show_default=False,
    ),
]

_PROPERTIES: Mapping[type, tuple[str, ...]] = {
    Agreement: ("recall", "jaccard", "conditional_precision", "conditional_precision_range"),
    Volume: ("mean", "mean_characters"),
    GroupCounts: ("groups", "unanimous", "majority", "split"),
}
"""What is also given out of some records, beside their fields."""
_HIDDEN = "intervals"
"""A field whose values are given out with the shares that they belong to."""


def as_typed(command: str, runs: Iterable[Path], **options: object) -> list[str]:
    """The words of a command: its runs, then its options.

    Args:
        options: name → its value, True for a flag; nothing for False and None, and as often as there are values.
    """
    words = ["analyze", command, *map(str, runs)]
    for name, given in options.items():
        for value in given if isinstance(given, list) else [given]:
            if value is not None and value is not False:
                words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return words


def scope_data(scope: Scope) -> dict[str, Any]:
    """How many filings are compared, on which extractions, what is left out, and which runs have failed requests."""
    return {
        "filings": len(scope.filings),
        "without_text": len(scope.without_text),
        "left_out": scope.left_out,
        "left_out_extractions": scope.left_out_extractions,
        "grounded": scope.ungrounded is not None,
        "ungrounded": {
            name: {"left_out": left, "extractions": of} for name, (left, of) in (scope.ungrounded or {}).items()
        },
        "failed": {name: {"failures": lost, "requests": of} for name, (lost, of) in scope.failed.items()},
    }


def fields_data(value: object, *names: str) -> dict[str, Any]:
    """Some fields of what was measured, by their names."""
    return {name: as_data(getattr(value, name)) for name in names}


def as_data(value: Any) -> Any:
    """Figures as JSON has them; a share with its numbers and interval, null for 0 of 0."""
    if isinstance(value, Ratio):
        return {"k": value.hits, "n": value.total, "value": value.value, "interval": as_data(value.interval)}
    if isinstance(value, Interval):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if is_dataclass(value):
        names = [field.name for field in fields(value) if field.name != _HIDDEN]
        return {name: as_data(getattr(value, name)) for name in (*names, *_PROPERTIES.get(type(value), ()))}
    if isinstance(value, Mapping):
        return {name: as_data(one) for name, one in value.items()}
    return [as_data(one) for one in value] if isinstance(value, (tuple, list)) else value
