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
    Column(label="tokens in per filing", kind="number", digits=0),
    Column(label="tokens out per filing", kind="number", digits=0),
    Column(label="seconds per filing", kind="number", digits=1),
    Column(label="USD per filing", kind="number", digits=4),
    Column(label=f"million tokens per {PER:,}", kind="number", digits=2),
    Column(label=f"hours per {PER:,}", kind="number", digits=2),
    Column(label=f"USD per {PER:,}", kind="number", digits=2),
)


def cost_table(runs: Sequence[RunFigures], models: Sequence[RunFigures]) -> Table:
    """Tokens, time and dollars for a filing and for a thousand: a row for each run, below them those put together.

    Args:
        runs: one by one.
        models: the same put together by model and mode; a row is shown where it holds several runs.
    """
    together = [model for model in models if len(model.runs) > 1]
    ordered = [run for model in models for run in runs if run.runs[0] in model.runs and _same(run, model)]
    return Table(
        id="cost",
        title=f"What {count_of(len(runs), 'run')} took",
        columns=_COLUMNS,
        rows=(
            *(_row(run, run.runs[0]) for run in ordered),
            *(_row(model, count_of(len(model.runs), "run")) for model in together),
        ),
        notes=tuple(_notes(runs)),
        totals=len(together),
    )


def _same(run: RunFigures, model: RunFigures) -> bool:
    return (run.model, run.kind, run.mode) == (model.model, model.kind, model.mode)


def _row(figures: RunFigures, name: str) -> tuple[Cell, ...]:
    tokens = figures.prompt_tokens + figures.output_tokens
    hours = None if figures.seconds is None else figures.seconds / 3600
    return (
        figures.model,
        figures.mode,
        name,
        figures.filings,
        figures.requests,
        figures.per_filing(float(figures.prompt_tokens)),
        figures.per_filing(float(figures.output_tokens)),
        figures.per_filing(figures.seconds),
        figures.per_filing(figures.usd),
        figures.per_thousand(tokens / _MILLION),
        figures.per_thousand(hours),
        figures.per_thousand(figures.usd),
    )


def _notes(runs: Sequence[RunFigures]) -> Iterator[str]:
    yield (
        f"Per {PER:,} means for {PER:,} filings like those of the run. Seconds are wall time while the model was "
        "asked, requests side by side; tokens in are the whole prompts, what an engine had cached included."
    )
    by_price = _models(run for run in runs if run.basis == "prices")
    by_hour = _models(run for run in runs if run.basis == "machine")
    unknown = _models(run for run in runs if run.usd is None and run.prompt_tokens)
    if by_price:
        yield f"Dollars of {by_price}: by the prices that were known when it was asked."
    if by_hour:
        yield f"Dollars of {by_hour}: time at the price of the machine's hour in the models file."
    if unknown:
        yield f"No price of {unknown} is known: name a file with prices, or usd_per_hour, by --models."
    if untimed := ", ".join(run.runs[0] for run in runs if run.seconds is None):
        yield f"Of {untimed} no time was noted."
    for run in runs:
        if run.from_cache:
            yield (
                f"{run.runs[0]}: {run.from_cache:,} of {count_of(run.requests, 'reply')} came from the cache; their "
                "tokens are counted, their time and dollars are not."
            )
        if run.unpriced:
            yield f"{run.runs[0]}: {count_of(run.unpriced, 'reply')} took tokens and told no price."


def _models(runs: Iterator[RunFigures]) -> str:
    return ", ".join(dict.fromkeys(run.model for run in runs))
