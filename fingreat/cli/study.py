"""`fingreat study`: a whole experiment from one file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from fingreat.cli.analyze_options import as_data
from fingreat.cli.common import (
    ALL_WELL,
    NOTHING_DONE,
    SOME_FAILED,
    JsonFlag,
    err,
    print_json,
    say,
    show_table,
    stoppable,
    tell,
)
from fingreat.cli.live import LiveView
from fingreat.cli.model_options import NoCacheFlag
from fingreat.cli.watch import Watch
from fingreat.inference import parse_spec
from fingreat.inference.cache import ReplyCache, default_cache_path
from fingreat.inference.registry import writes_text
from fingreat.pipeline.study.appendices import runs_table
from fingreat.pipeline.study.check import CheckedStudy, check_study
from fingreat.pipeline.study.check_tables import check_tables
from fingreat.pipeline.study.config import StudyConfig
from fingreat.pipeline.study.flow import Study, default_folder, run_study
from fingreat.pipeline.study.loading import load_study
from fingreat.pipeline.study.results import MAIN_TABLES
from fingreat.report import count_of

app = typer.Typer(
    no_args_is_help=True,
    help="Run a whole experiment from one file: corpus, models, labels, statistics, one page.\n\n"
    "Example: fingreat study run studies/demo.toml",
)

FileArgument = Annotated[Path, typer.Argument(metavar="STUDY", help="The study file.", show_default=False)]
OutOption = Annotated[
    Path | None, typer.Option("--out", help="The study's folder; by default out/<its name>.", show_default=False)
]


@app.command()
def run(
    file: FileArgument,
    target: OutOption = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", metavar="NAME", help="Only the runs of this model, and no page; repeatable.", show_default=False
        ),
    ] = None,
    no_cache: NoCacheFlag = False,
    json: JsonFlag = False,
) -> None:
    """Run what is missing of a study, measure all of it, and write its tables, figures and page.

    A run that is complete is taken as it is. One that cannot be made here is named, and the others go on.

    Stop it with Ctrl-C and repeat the command: it goes on where it was.

    Exit status 0: all of it is there; 1: a run is missing or some of its requests failed; 2: nothing was done.

    Example: fingreat study run studies/demo.toml --out demo-study
    """
    config = load_study(file)
    stays = f"Every answer so far is in {target or default_folder(config)}; repeat the command to go on."
    with stoppable(lambda: stays), _cache(config, no_cache) as cache:
        study = run_study(
            file,
            target,
            only=only or (),
            cache=cache,
            progress=_live,
            note=say,
            watch=lambda part: Watch(part),
        )
    if json:
        print_json(_as_data(study))
    else:
        _show(study)
    for line in study.told:
        say(line)
    if study.page is not None:
        say(f"report: {study.page.resolve()}")
    found = sum(outcome.manifest is not None for outcome in study.outcomes)
    raise typer.Exit(ALL_WELL if study.complete else SOME_FAILED if found else NOTHING_DONE)


def _live(label: str) -> LiveView:
    return LiveView(label)


@contextmanager
def _cache(config: StudyConfig, without: bool) -> Iterator[ReplyCache | None]:
    """The user's reply cache, where a model of the study writes text."""
    models = [one.model for one in config.extractors] + [one.model for one in config.classifiers]
    if without or not any(writes_text(parse_spec(model)) for model in models if model):
        yield None
        return
    with ReplyCache(default_cache_path()) as cache:
        yield cache


def _show(study: Study) -> None:
    show_table(runs_table(study.outcomes, study.slots))
    if study.report is None:
        return
    for table in study.report.tables:
        if table.id in MAIN_TABLES:
            show_table(table)
    for line in study.report.missing:
        say(line)
    say(f"{count_of(len(study.report.tables), 'table')}, {count_of(len(study.report.figures), 'figure')}: {study.out}")


def _as_data(study: Study) -> dict[str, Any]:
    report = study.report
    return {
        "study": study.config.study.name,
        "out": str(study.out),
        "complete": study.complete,
        "runs": [
            {
                "run": outcome.run.label,
                "model": outcome.run.config.model,
                "role": outcome.run.role,
                "state": outcome.state,
                "reason": outcome.reason,
                "folder": str(outcome.run.folder.path),
            }
            for outcome in study.outcomes
        ],
        "slots": [{"run": slot.label, "what": slot.what} for slot in study.slots],
        "missing": list(report.missing) if report else [],
        "tables": [table.id for table in report.tables] if report else [],
        "figures": [figure.id for figure in report.figures] if report else [],
        "page": str(study.page) if study.page else None,
    }


@app.command()
def check(file: FileArgument, target: OutOption = None, json: JsonFlag = False) -> None:
    """Say what a study lacks, what its runs would ask and cost, and what differences it can show.

    No engine is started; nothing is asked, and nothing stays on disk.

    Exit status 0: `study run` would do all of it; 1: something is missing; 2: the study file has a fault.

    Example: fingreat study check studies/fingreat-2026.toml
    """
    config = load_study(file)
    with stoppable(lambda: "Nothing was written."), _cache(config, not default_cache_path().is_file()) as cache:
        checked = check_study(file, target, cache=cache, note=_said_on_terminal)
    tables = check_tables(checked)
    if json:
        print_json(_check_as_data(checked))
    else:
        for table in tables:
            show_table(table)
        for line in (*checked.missing, *((checked.power_note,) if checked.power_note else ())):
            tell(line)
        if not checked.ready:
            say(_lacks(checked))
    raise typer.Exit(ALL_WELL if checked.ready else SOME_FAILED)


def _said_on_terminal(line: str) -> None:
    if err.is_terminal:
        say(line)


def _lacks(checked: CheckedStudy) -> str:
    """What stands between a study and its run, in a sentence."""
    runs = sum(planned.state == "missing" for planned in checked.runs)
    parts = [
        count_of(len(checked.slots), "slot") + " without a model" if checked.slots else "",
        count_of(runs, "run") + " that cannot be made here now" if runs else "",
        count_of(len(checked.missing), "thing") + " to get" if checked.missing else "",
    ]
    return f"not ready: {', '.join(part for part in parts if part)}"


def _check_as_data(checked: CheckedStudy) -> dict[str, Any]:
    return {
        "study": checked.config.study.name,
        "out": str(checked.out),
        "ready": checked.ready,
        "runs": [
            {
                "run": planned.run.label,
                "model": planned.run.config.model,
                "role": planned.run.role,
                "state": planned.state,
                "reason": planned.reason,
                "estimate": planned.estimate.model_dump(mode="json") if planned.estimate else None,
            }
            for planned in checked.runs
        ],
        "slots": [{"run": slot.label, "what": slot.what} for slot in checked.slots],
        "missing": list(checked.missing),
        "power": as_data(checked.power) if checked.power else None,
        "power_note": checked.power_note,
    }
