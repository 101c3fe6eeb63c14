"""What a study would take, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fingreat.pipeline.estimate import Estimate
from fingreat.pipeline.power import power_tables
from fingreat.pipeline.study.check import CheckedStudy, PlannedRun
from fingreat.pipeline.study.runs import like_slots
from fingreat.report import Cell, Column, Table
from fingreat.report.columns import counts, numbers, spares, texts
from fingreat.report.tables import ALL, count_of

_NOTE = (
    "Tokens are those of what is to be asked; answers are as long as those of earlier runs of the model in the study's "
    "folders, else as assumed. Dollars and hours are left open where no price or pace is known."
)

_ALWAYS = 6
"""Columns that there are even if nothing stands in them."""
_MOST_NAMED = 4
"""Runs that a note names."""


def check_tables(checked: CheckedStudy) -> tuple[Table, ...]:
    """Every run with what it would ask and cost; the power of the benchmark."""
    return (_runs_table(checked), *(power_tables(checked.power) if checked.power else ()))


def _runs_table(checked: CheckedStudy) -> Table:
    rows = [_row(planned) for planned in checked.runs]
    rows += [
        (name, kind, None, count_of(number, "slot"), *[None] * 6) for name, kind, _, number in like_slots(checked.slots)
    ]
    estimates = [planned.estimate for planned in checked.runs if planned.estimate]
    rows += _total(estimates)
    columns = (
        *texts("run", "task"),
        Column(label="model", spare=True),
        *texts("state"),
        *counts("requests", "to ask"),
        *spares("tokens in", "tokens out"),
        Column(label="US dollars", kind="money"),
        *numbers("hours", digits=1),
    )
    # A terminal has room for few columns: those that have nothing to say are left out.
    told = [at for at in range(len(columns)) if at < _ALWAYS or any(row[at] for row in rows)]
    return Table(
        id="study-check",
        title=f"What is to be done for {checked.config.study.name}",
        columns=tuple(columns[at] for at in told),
        rows=tuple(tuple(row[at] for at in told) for row in rows),
        totals=1 if estimates else 0,
        notes=(
            *_missing(checked),
            _NOTE,
            *_not_asked(checked.runs),
            *_unpriced(estimates),
            *dict.fromkeys(note for one in estimates for note in one.notes),
        ),
    )


def _missing(checked: CheckedStudy) -> Iterator[str]:
    """Why runs could not be made here, and what slots are for."""
    reasons: dict[str, list[str]] = {}
    for planned in checked.runs:
        if planned.reason:
            reasons.setdefault(planned.reason, []).append(planned.run.label)
    for reason, labels in reasons.items():
        more = f" and {len(labels) - _MOST_NAMED:,} more" if len(labels) > _MOST_NAMED else ""
        yield f"Missing, {', '.join(labels[:_MOST_NAMED])}{more}: {reason}"
    for name, kind, what, _ in like_slots(checked.slots):
        yield f"Slot {kind}/{name}: {what}."


def _row(planned: PlannedRun) -> tuple[Cell, ...]:
    run, made = planned.run, planned.estimate
    figures: tuple[Cell, ...] = (None,) * 6
    if made is not None:
        figures = (
            made.requests,
            made.to_ask,
            made.prompt_tokens if made.tokenizer else None,
            made.output_tokens if made.tokenizer else None,
            made.cost_usd if made.tokenizer else None,
            made.hours,
        )
    return run.name, run.kind, run.config.model, planned.state, *figures


def _total(estimates: list[Estimate]) -> Iterator[tuple[Cell, ...]]:
    if not estimates:
        return
    asked = [one for one in estimates if one.tokenizer]
    yield (
        ALL,
        None,
        None,
        None,
        sum(one.requests for one in estimates),
        sum(one.to_ask for one in estimates),
        sum(one.prompt_tokens for one in asked) if asked else None,
        sum(one.output_tokens for one in asked) if asked else None,
        _sum(one.cost_usd for one in asked),
        _sum(one.hours for one in asked),
    )


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _not_asked(runs: Iterable[PlannedRun]) -> Iterator[str]:
    """Why fewer requests are to be asked than a run has."""
    for planned in runs:
        made = planned.estimate
        if made is None or made.to_ask == made.requests:
            continue
        reasons = (
            (made.answered, "answered by this run before it was stopped"),
            (made.from_cache, "in the reply cache, from earlier runs that asked the same"),
            (made.in_batches, "handed over to the provider in batches"),
        )
        told = ", ".join(f"{number:,} {reason}" for number, reason in reasons if number)
        yield f"Of the {count_of(made.requests, 'request')} of {planned.run.label}: {told}."


def _unpriced(estimates: list[Estimate]) -> Iterator[str]:
    asked = [one for one in estimates if one.tokenizer and one.to_ask]
    for what, unknown in (
        ("price", sum(one.cost_usd is None for one in asked)),
        ("pace", sum(one.hours is None for one in asked)),
    ):
        if unknown:
            yield f"Of {unknown:,} of {len(asked):,} runs of language models that are to be asked, no {what} is known."
