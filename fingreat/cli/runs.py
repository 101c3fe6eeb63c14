"""`fingreat runs` and `fingreat export`: what is on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from fingreat.cli import complete
from fingreat.cli.common import (
    NOTHING_DONE,
    SOME_FAILED,
    JsonFlag,
    print_bytes,
    print_json,
    say,
    show_error,
    show_pairs,
    show_table,
)
from fingreat.errors import RunError
from fingreat.pipeline.export import TABLES, ExportFormat, export_run, main_table
from fingreat.report import Cell, Column, Share, Table, count_of
from fingreat.runs import Manifest, MatchManifest, RunFolder, find_runs

app = typer.Typer(no_args_is_help=True, help="List, show and verify runs, and matches of two runs.")

_ABOUT = "A run folder, or the folder of a match."
RunArgument = Annotated[
    Path, typer.Argument(metavar="RUN", help=_ABOUT, show_default=False, autocompletion=complete.results)
]
_AS_TYPED = ("asked.", "resolved.", "seeds.")
"""Settings, whose numbers are shown as an option takes them."""
TableName = StrEnum("TableName", {name: name for name in TABLES})  # type: ignore[misc]


@app.command("list")
def list_runs(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the run folders are.")] = Path("out"),
    json: JsonFlag = False,
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
        for table in _tables(folder, manifests):
            show_table(table)
    elif not damaged:
        raise RunError("holds no runs.", where=str(folder), hint="Name the folder that holds the run folders.")
    for fault in damaged:
        show_error(fault)
    if damaged:
        raise typer.Exit(SOME_FAILED if manifests else NOTHING_DONE)


def _tables(folder: Path, manifests: Sequence[tuple[RunFolder, Manifest | MatchManifest]]) -> Iterator[Table]:
    """One of the runs, one of the matches, each if there are any."""
    runs = [(run, manifest) for run, manifest in manifests if isinstance(manifest, Manifest)]
    matches = [(run, manifest) for run, manifest in manifests if isinstance(manifest, MatchManifest)]
    if runs:
        yield _run_table(folder, runs)
    if matches:
        yield _match_table(folder, matches)


def _match_table(folder: Path, matches: Sequence[tuple[RunFolder, MatchManifest]]) -> Table:
    return Table(
        id="matches",
        title=f"Matches in {folder}",
        columns=(
            *(Column(label=label) for label in ("match", "status", "run A", "run B", "by")),
            Column(label="matched", kind="count"),
            Column(label="begun"),
        ),
        rows=tuple(
            (
                *(run.path.name, manifest.status, *(matched.name for matched in manifest.runs), manifest.by),
                # Zero until all are counted.
                manifest.counts.matched if manifest.status == "complete" else None,
                _begun(manifest),
            )
            for run, manifest in matches
        ),
    )


def _begun(manifest: Manifest | MatchManifest) -> str:
    return f"{manifest.created:%Y-%m-%d %H:%M}"


def _run_table(folder: Path, runs: Sequence[tuple[RunFolder, Manifest]]) -> Table:
    return Table(
        id="runs",
        title=f"Runs in {folder}",
        columns=(
            *(Column(label=label) for label in ("run", "status", "model", "mode")),
            *(Column(label=label, kind="count") for label in ("requests", "failed")),
            Column(label="extractions", kind="count", spare=True),
            Column(label="grounded", kind="share"),
            Column(label="begun"),
        ),
        rows=tuple((run.path.name, manifest.status, *_what(manifest), _begun(manifest)) for run, manifest in runs),
        notes=tuple(_so_far_note(manifest for _, manifest in runs)),
    )


def _so_far_note(manifests: Iterable[Manifest]) -> Iterator[str]:
    if any(manifest.so_far for manifest in manifests):
        yield "Requests of a run that is not complete are those answered so far; `runs show` says what they took."


def _what(manifest: Manifest) -> tuple[Cell, ...]:
    """Model, mode and numbers of a run."""
    counts = manifest.counts
    # A run that was stopped has only counted its replies yet.
    requests = counts.get("requests", manifest.so_far.get("replies"))
    numbers = (requests, *(counts.get(name) for name in ("failures", "extractions")))
    grounded = Share(k=counts["grounded"], n=counts["extractions"]) if "grounded" in counts else None
    return manifest.model.spec, manifest.resolved.get("mode"), *numbers, grounded


@app.command()
def show(run: RunArgument, json: JsonFlag = False) -> None:
    """Show what a run is: settings, model, hashes, counts.

    Example: fingreat runs show out/lexicon-quote
    """
    data = RunFolder(run).any_manifest().model_dump(mode="json")
    if json:
        print_json(data)
        return
    if gold := data.get("inputs", {}).pop("gold", None):
        data["gold_sha256"] = gold
    for name, what in (("inputs", "section"), ("filings", "filing"), ("earlier", "session")):
        if data.get(name):
            data[name] = count_of(len(data[name]), what)
    if data["kind"] == "match":
        data |= {f"run_{side}": read for side, read in zip("ab", data.pop("runs"), strict=True)}
    show_pairs([*_lines("", data)])


def _lines(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Dotted names and what stands there, in words; nothing for what is empty."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _lines(f"{name}.{key}" if name else key, inner)
    elif isinstance(value, list):
        if value:
            yield name, ", ".join(map(str, value))
    elif isinstance(value, bool):
        yield name, "yes" if value else "no"
    elif isinstance(value, int) and not name.startswith(_AS_TYPED):
        yield name, f"{value:,}"
    elif value not in (None, ""):
        yield name, str(value)


@app.command()
def verify(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help=_ABOUT, show_default=False, autocompletion=complete.results),
    ],
    json: JsonFlag = False,
) -> None:
    """Check that every output of a run is as it was written.

    Example: fingreat runs verify out/lexicon-quote
    """
    found = []
    for path in runs:
        status, faults = _verify(path)
        found.append({"run": str(path), "status": status, "faults": faults})
        if not json:
            for fault in faults or ["complete, every output is as it was written"]:
                # What cannot be read comes with its place.
                say(fault if status is None else f"{path}: {fault}")
    if json:
        print_json(found)
    if bad := sum(bool(one["faults"]) for one in found):
        raise typer.Exit(NOTHING_DONE if bad == len(runs) else SOME_FAILED)


def _verify(path: Path) -> tuple[str | None, list[str]]:
    """The status of a run, None where it cannot be read, and what is wrong with it."""
    try:
        run = RunFolder(path)
        manifest, faults = run.any_manifest(), run.verify()
    except RunError as error:
        return None, [str(error)]
    if manifest.status != "complete":
        again = f"repeat its `fingreat {manifest.kind}` command"
        faults = [f"the run is {manifest.status}, not complete: {again}", *faults]
    return manifest.status, faults


def export(
    run: RunArgument,
    table: Annotated[
        TableName | None,
        typer.Option(
            "--table", help="Which records; by default extractions, classifications or matches.", show_default=False
        ),
    ] = None,
    format: Annotated[ExportFormat, typer.Option("--format", help="Of the file.")] = ExportFormat.CSV,
    target: Annotated[
        Path | None, typer.Option("--out", help="The file, or - for standard output.", show_default=False)
    ] = None,
) -> None:
    """Write the records of a run, or of a match, as one CSV, JSON Lines or Parquet file.

    Without --out the file is <run>-<table>.<format> in this folder. Of a run that was stopped there are its replies.

    Example: fingreat export out/lexicon-quote --format csv
    """
    name = table.value if table else main_table(RunFolder(run))
    status = RunFolder(run).any_manifest().status
    if target == Path("-"):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "export"
            export_run(RunFolder(run), name, format, path, say)
            print_bytes(path.read_bytes())
        _say_incomplete(status, name)
        return
    path = target or Path(f"{run.resolve().name}-{name}.{format.value}")
    count = export_run(RunFolder(run), name, format, path, say)
    say(f"{count:,} {name}: {path}")
    _say_incomplete(status, name)


def _say_incomplete(status: str, name: str) -> None:
    if status != "complete":
        say(f"The run is {status}, not complete: these are the {name} so far.")
