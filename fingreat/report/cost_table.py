"""What runs took, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fingreat.analysis.cost import PER, RunFigures
from fingreat.report.tables import Cell, Column, Table, count_of

_MILLION = 1_000_000
_COLUMNS = (
    Column(label="model", once=True),
    Column(label="mode"),
    Column(label="run"),
    Column(label="filings", kind="count"),
    Column(label="requests", kind="count"),
    Column(label="USD in all", kind="number", digits=2),
    Column(label="tokens in per filing", kind="number", digits=0),
    Column(label="tokens out per filing", kind="number", digits=0),
    Column(label="seconds per filing", kind="number", digits=1),
    Column(label="USD per filing", kind="number", digits=4),
    Column(label=f"million tokens per {PER:,}", kind="number", digits=2),
    Column(label=f"hours per {PER:,}", kind="number", digits=2),
    Column(label=f"USD per {PER:,}", kind="number", digits=2),
)
_TOGETHER = "A row of several runs of a model adds up what they took; a repeat of a run is one of them."


def cost_table(runs: Sequence[RunFigures], models: Sequence[RunFigures]) -> Table:
    """Tokens, time and dollars for a filing and for a thousand: a row for each run, below them those put together.

    Args:
        runs: one by one.
        models: the same put together by model and mode; a row is shown where it holds several runs.
    """
    together = [model for model in models if len(model.runs) > 1]
    groups = list(dict.fromkeys(map(_group, runs)))
    ordered = sorted(runs, key=lambda run: groups.index(_group(run)))
    return Table(
        id="cost",
        title=f"What {count_of(len(runs), 'run')} took",
        columns=_COLUMNS,
        rows=(
            *(_row(run, run.runs[0]) for run in ordered),
            *(_row(model, count_of(len(model.runs), "run")) for model in together),
        ),
        notes=(*_notes(runs), *((_TOGETHER,) if together else ())),
        totals=len(together),
    )


def _group(run: RunFigures) -> tuple[str, str, str]:
    return run.model, run.kind, run.mode


def _row(figures: RunFigures, name: str) -> tuple[Cell, ...]:
    tokens = figures.prompt_tokens + figures.output_tokens
    seconds, usd = figures.full_seconds, figures.full_usd
    hours = None if seconds is None else seconds / 3600
    return (
        figures.model,
        figures.mode,
        name,
        figures.filings,
        figures.requests,
        figures.usd,
        figures.per_filing(float(figures.prompt_tokens)),
        figures.per_filing(float(figures.output_tokens)),
        figures.per_filing(seconds),
        figures.per_filing(usd),
        figures.per_thousand(tokens / _MILLION),
        figures.per_thousand(hours),
        figures.per_thousand(usd),
    )


def _notes(runs: Sequence[RunFigures]) -> Iterator[str]:
    yield (
        f"Per {PER:,} means for {PER:,} filings like those of the run. Seconds are wall time while the model was "
        "asked, requests side by side; tokens in are the whole prompts, what an engine had cached included. Tokens "
        "and dollars include the request that tried the model out."
    )
    asked = [run for run in runs if run.asked]
    if by_price := _named([run for run in asked if run.basis == "prices"], runs):
        yield f"Dollars of {by_price}: by the prices that were known when it was asked."
    if by_hour := _named([run for run in asked if run.basis == "machine"], runs):
        yield f"Dollars of {by_hour}: time at the price of the machine's hour in the models file."
    if unknown := _named([run for run in asked if run.usd is None and run.prompt_tokens], runs):
        yield f"No price of {unknown} is known: name a file with prices, or usd_per_hour, by --models."
    if untimed := ", ".join(run.runs[0] for run in runs if run.seconds is None and run.asked):
        yield f"Of {untimed} no time was noted."
    for run in runs:
        yield from _notes_of(run)


def _notes_of(run: RunFigures) -> Iterator[str]:
    name, replies = run.runs[0], count_of(run.requests, "reply")
    if run.status != "complete":
        yield (
            f"{name} is not complete ({run.status}): {replies} so far. How many filings that makes is not known, so "
            "there is nothing per filing, and it is in no sum."
        )
    if run.from_cache and not run.asked:
        yield (
            f"{name}: {replies}, all from the cache. Nothing was spent on them; what they cost and took when they were "
            "first asked is with the run that asked them."
        )
    elif run.from_cache:
        yield (
            f"{name}: {run.from_cache:,} of {replies} came from the cache and have no time or price of their own; "
            f"seconds and dollars per filing are as if they had taken what the other {run.asked:,} took."
        )
    if run.failed:
        low = " Figures per filing leave out what their answers would take: they are too low." if run.filings else ""
        yield f"{name}: {run.failed:,} of {count_of(run.requests, 'request')} failed without an answer.{low}"
    if run.unused:
        part = f" They cost ${run.unused_usd:,.2f} of the ${run.usd:,.2f} in all." if run.usd is not None else ""
        yield (
            f"{name}: {count_of(run.unused, 'reply')} that the run asked for besides no longer belong to its result; "
            f"figures per filing are without them.{part}"
        )
    if run.unpriced:
        yield f"{name}: {count_of(run.unpriced, 'reply')} took tokens and told no price."


def _named(some: Sequence[RunFigures], runs: Sequence[RunFigures]) -> str:
    """The models of some runs; with the runs' names where other runs of the model are not among them."""
    named: dict[str, None] = {}
    for run in some:
        whole = all(other in some for other in runs if other.model == run.model and other.asked)
        named[run.model if whole else f"{run.model} in {run.runs[0]}"] = None
    return ", ".join(named)
