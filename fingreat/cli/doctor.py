"""`fingreat doctor`: what is installed, what is missing, how to get it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from fingreat.cli import complete
from fingreat.cli.common import NOTHING_DONE, JsonFlag, out, print_json, show_table
from fingreat.pipeline.doctor import Diagnosis, ExtraState, ModelState, examine, examine_model
from fingreat.pipeline.installed import in_words
from fingreat.report import Column, Table

_MOST_NAMED = 5


def command(
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="Say of one model only whether it can run here.",
            show_default=False,
            autocompletion=complete.models,
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Say what is installed, what is missing, and how to get it.

    Exit status 0: the base install is whole (what is missing of the extras is no failure), or the model of --model can
    run here; 2: it is not, or it cannot.

    Example: fingreat doctor --model embedded
    """
    if model is not None:
        state = examine_model(model)
        if json:
            print_json(state.model_dump(mode="json"))
        else:
            _say(_verdict(state))
        raise typer.Exit(0 if state.ready else NOTHING_DONE)
    found = examine()
    if json:
        print_json(found.model_dump(mode="json"))
    else:
        _show(found)
    raise typer.Exit(0 if found.whole else NOTHING_DONE)


def _say(text: str) -> None:
    """A line as it is, also where it is too long: a command that it names can be copied."""
    out.print(text, markup=False)


def _verdict(state: ModelState) -> str:
    if state.ready:
        return f"{state.spec}: can run here." + (f" Note: {state.note}" if state.note else "")
    install = f" Install it with: {' && '.join(state.install)}" if state.install else ""
    note = f" {state.note}" if state.note else ""
    return f"{state.spec}: cannot run here: {'; '.join(state.faults).rstrip('.')}.{note}{install}"


def _show(found: Diagnosis) -> None:
    commit = f", commit {found.code.commit[:10]}" if found.code.commit else ""
    _say(f"fingreat {found.code.version}{commit}{' with changes' if found.code.dirty else ''}")
    for key, value in _head(found):
        _say(f"  {key:<15}{value}")
    if not found.whole:
        _say("  Repair it with: pip install --upgrade fingreat")
    out.print()
    show_table(_models(found.models))
    show_table(_extras(found.extras))
    _say('An extra is installed with: pip install "fingreat[NAME]"')
    _say("Shell completion (bash, zsh, fish): fingreat --install-completion")
    for warning in found.warnings:
        out.print("warning:", style="bold yellow", end=" ")
        _say(warning)


def _head(found: Diagnosis) -> Iterator[tuple[str, str]]:
    machine = found.machine
    memory = f", {machine.memory_gib:g} GiB of memory" if machine.memory_gib else ""
    disk = f", {machine.disk_free_gib:g} GiB free on this disk" if machine.disk_free_gib is not None else ""
    faults = in_words(found.base)
    yield "base install", f"whole ({len(found.base)} packages)" if found.whole else f"BROKEN: {'; '.join(faults)}"
    yield "Python", f"{machine.python} on {machine.platform}"
    yield "machine", f"{machine.cores} cores{memory}{disk}"
    for gpu in machine.gpus or ("none from NVIDIA",):
        yield "GPU", gpu + (f", CUDA {machine.cuda}" if machine.cuda else "")
    yield "offline", "yes, tokens are counted without a network" if found.offline else "NO, see the warning below"
    yield "runs go below", machine.output


def _models(states: Sequence[ModelState]) -> Table:
    rows = []
    for state in states:
        text = state.about if state.ready else "\n".join(("; ".join(state.faults), *state.install))
        rows.append((state.spec, _yes(state.ready), text))
    return _table("models", "Models", ("--model", "ready", "what it is, or what is missing"), rows)


def _extras(states: Sequence[ExtraState]) -> Table:
    rows = []
    for state in states:
        there = ", ".join(f"{one.name} {one.version}" for one in state.dependencies)
        if len(state.dependencies) > _MOST_NAMED:
            there = f"{len(state.dependencies)} packages"
        text = there if state.ready else "; ".join(in_words(state.dependencies))
        rows.append((state.name, _yes(state.ready), text))
    return _table("extras", "Extras", ("extra", "ready", "packages"), rows)


def _table(name: str, title: str, labels: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Table:
    return Table(id=name, title=title, columns=tuple(Column(label=label) for label in labels), rows=tuple(rows))


def _yes(ready: bool) -> str:
    return "yes" if ready else "no"
