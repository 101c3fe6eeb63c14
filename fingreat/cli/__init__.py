"""The command line: one file per command group, no logic of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, TextIO

import typer

import fingreat
from fingreat.cli import analyze, classify, corpus, demo, doctor, extract, match, report, runs, schema, section, study
from fingreat.cli.common import NO_VALUE, NOTHING_DONE, print_text, show_error
from fingreat.errors import FingreatError, StorageError

app = typer.Typer(
    name="fingreat",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Find the MD&A in annual reports, have language models extract evidence for an accounting graph, check "
    "every quote, and measure the models.",
)
app.command("demo")(demo.command)
app.command("doctor")(doctor.command)
app.add_typer(schema.app, name="schema")
app.command("section")(section.section)
app.command("chunk")(section.chunk)
app.add_typer(corpus.app, name="corpus")
app.command("extract")(extract.command)
app.command("classify")(classify.command)
app.command("match")(match.command)
app.add_typer(analyze.app, name="analyze")
app.command("report")(report.command)
app.add_typer(study.app, name="study")
app.add_typer(runs.app, name="runs")
app.command("export")(runs.export)


def _show_version(wanted: bool) -> None:
    if wanted:
        print_text(f"fingreat {fingreat.__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", metavar=NO_VALUE, callback=_show_version, is_eager=True, help="Print the version and leave."
        ),
    ] = False,
) -> None:
    """Options of the program itself."""


def _nowhere() -> TextIO:
    """A standard output that takes everything, for the rest of the process."""
    return Path(os.devnull).open("w", encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status: 0 all well, 1 some rows failed, 2 nothing done."""
    if sys.stdout is None:
        sys.stdout = _nowhere()
    try:
        app(args=arguments)
        sys.stdout.flush()
    except FingreatError as error:
        show_error(error)
        return NOTHING_DONE
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else NOTHING_DONE
    except OSError as error:
        # Standard output may be closed, or a file on a full disk; what Python still holds for it is lost anyway.
        sys.stdout = _nowhere()
        show_error(StorageError(f"cannot write: {error.strerror}.", where=error.filename or "standard output"))
        return NOTHING_DONE
    return 0
