"""`fingreat runs` and `fingreat export`: what is on disk."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.table import Table

from fingreat.cli.common import (
    NOTHING_DONE,
    SOME_FAILED,
    JsonFlag,
    out,
    plain,
    print_bytes,
    print_json,
    say,
    show_error,
)
from fingreat.cli.common import table as make_table
from fingreat.errors import RunError
from fingreat.pipeline.export import TABLES, ExportFormat, export_run, main_table
from fingreat.report import percent
from fingreat.runs import Manifest, MatchManifest, RunFolder, find_runs

app = typer.Typer(no_args_is_help=True, help="List, show and verify runs, and matches of two runs.")

RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.", show_default=False)]
TableName = StrEnum("TableName", {name: name for name in TABLES})  # type: ignore[misc]


@app.command("list")
def list_runs(
    folder: Annotated[Path, typer.Argument(help="Where the run folders are.")] = Path("out"), json: JsonFlag = False
) -> None:
    """List the runs below a folder.

    Example: fingreat runs list out
    """
    manifests, damaged = [], []
    for run in find_runs(folder):
        try:
            manifests.append((run, run.any_manifest()))
        except RunError as error:
            damaged.append(error)
    if json:
        print_json(
            [{"run": str(run.path), **m.model_dump(mode="json", exclude={"inputs", "filings"})} for run, m in manifests]
        )
    elif manifests:
        out.print(_run_table(manifests))
    elif not damaged:
        raise RunError("holds no runs.", where=str(folder), hint="Name the folder that holds the run folders.")
    for fault in damaged:
        show_error(fault)
    if damaged:
        raise typer.Exit(SOME_FAILED if manifests else NOTHING_DONE)


def _run_table(manifests: Sequence[tuple[RunFolder, Manifest | MatchManifest]]) -> Table:
    numbers = ("requests", "failed", "extractions", "grounded")
    rows = make_table("run", "status", "model", "mode", *numbers, "begun", numbers=numbers)
    for run, manifest in manifests:
        begun = manifest.created.strftime("%Y-%m-%d %H:%M")
        rows.add_row(*map(plain, (run.path.name, manifest.status, *_what(manifest), begun)))
    return rows


def _what(manifest: Manifest | MatchManifest) -> tuple[object, ...]:
    """Model, mode and numbers of a run; of a match its two runs, and no numbers of its own."""
    if isinstance(manifest, MatchManifest):
        return " × ".join(run.name for run in manifest.runs), f"match by {manifest.by}", None, None, None, None
    counts = manifest.counts
    numbers = (counts.get(name) for name in ("requests", "failures", "extractions"))
    return manifest.model.spec, manifest.resolved.get("mode"), *numbers, percent(counts.get("grounded_share"))


@app.command()
def show(run: RunArgument, json: JsonFlag = False) -> None:
    """Show what a run is: settings, model, hashes, counts.

    Example: fingreat runs show out/lexicon-quote
    """
    data = RunFolder(run).any_manifest().model_dump(mode="json")
    if json:
        print_json(data)
        return
    for name, what in (("inputs", "sections"), ("filings", "filings")):
        if name in data:
            data[name] = f"{len(data[name])} {what}"
    if data["kind"] == "match":
        data |= {f"run_{side}": read for side, read in zip("ab", data.pop("runs"), strict=True)}
    rows = make_table("", "")
    for key, value in data.items():
        named = {f"{key}.{name}": item for name, item in value.items()} if isinstance(value, dict) else {key: value}
        for name, item in named.items():
            rows.add_row(plain(name), plain(item))
    out.print(rows)


@app.command()
def verify(runs: Annotated[list[Path], typer.Argument(metavar="RUN...", show_default=False)]) -> None:
    """Check that every output of a run is as it was written.

    Example: fingreat runs verify out/lexicon-quote
    """
    bad = 0
    for path in runs:
        try:
            run = RunFolder(path)
            manifest, faults = run.any_manifest(), run.verify()
        except RunError as error:
            show_error(error)
            bad += 1
            continue
        if manifest.status != "complete":
            again = f"repeat its `fingreat {manifest.kind}` command"
            faults = [f"the run is {manifest.status}, not complete: {again}", *faults]
        for fault in faults:
            say(f"{path}: {fault}")
        if not faults:
            say(f"{path}: complete, every output is as it was written")
        bad += bool(faults)
    if bad:
        raise typer.Exit(NOTHING_DONE if bad == len(runs) else SOME_FAILED)


def export(
    run: RunArgument,
    table: Annotated[
        TableName | None,
        typer.Option(
            "--table", help="Which records; by default extractions, or matches of a match.", show_default=False
        ),
    ] = None,
    format: Annotated[ExportFormat, typer.Option("--format", help="Of the file.")] = ExportFormat.CSV,
    target: Annotated[
        Path | None, typer.Option("--out", help="The file, or - for standard output.", show_default=False)
    ] = None,
) -> None:
    """Write the records of a run, or of a match, as one CSV, JSON Lines or Parquet file.

    Without --out the file is <run>-<table>.<format> in this folder.

    Example: fingreat export out/lexicon-quote --format csv
    """
    name = table.value if table else main_table(RunFolder(run))
    if target == Path("-"):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "export"
            export_run(RunFolder(run), name, format, path)
            print_bytes(path.read_bytes())
        return
    path = target or Path(f"{run.resolve().name}-{name}.{format.value}")
    count = export_run(RunFolder(run), name, format, path)
    say(f"{count} {name}: {path}")
