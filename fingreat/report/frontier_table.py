"""Accuracy beside dollars and seconds, as a table and as charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fingreat.analysis.cost import PER
from fingreat.analysis.frontier import CostAccuracy, Standing
from fingreat.report.columns import names, numbers, on_intervals, rates, share, shares, texts
from fingreat.report.model import Figure
from fingreat.report.scatter_chart import ScatterPoint, scatter
from fingreat.report.tables import Cell, Table

_LOG_FROM = 10.0
"""Costs that differ by this factor stand on a logarithmic axis."""
_FRONTIER = (
    "On a frontier stand the models that no other one beats: none is at least as right at no higher cost, and better "
    "in one of the two. Beside it the share of the draws of filings in which a model stands there; costs are not drawn."
)
_LINE = "The line joins the models that no other one beats: none is at least as right at no higher cost."
_COSTS = (
    f"Dollars and seconds are of {PER:,} passages like those asked about. Seconds are wall time while the model was "
    "asked, on the machine of its run and with that run's requests side by side: they say as much of the machine as of "
    "the model."
)


def cost_accuracy_table(rows: Sequence[CostAccuracy], *, filings: int, seed: int, notes: Sequence[str] = ()) -> Table:
    """A row for each model, the most accurate first.

    Args:
        filings: that the intervals draw.
        seed: of the draws.
        notes: on what was measured.
    """
    return Table(
        id="cost-accuracy",
        title="Accuracy beside dollars and seconds",
        columns=(
            *names("run"),
            *shares("accuracy"),
            *numbers(f"USD per {PER:,}", digits=2),
            *texts("USD frontier"),
            *rates("in draws (USD)"),
            *numbers(f"seconds per {PER:,}", digits=1),
            *texts("time frontier"),
            *rates("in draws (time)"),
        ),
        rows=tuple(
            (row.name, share(row.accuracy), *_cells(row.dollars), *_cells(row.seconds))
            for row in sorted(rows, key=lambda row: -row.accuracy.hits)
        ),
        notes=(
            *notes,
            _COSTS,
            *_unknown(rows),
            _FRONTIER,
            *on_intervals((row.accuracy.interval for row in rows), filings, seed),
        ),
    )


def cost_accuracy_figures(rows: Sequence[CostAccuracy], groups: Mapping[str, str]) -> tuple[Figure, ...]:
    """Accuracy by dollars and by seconds; a figure for each of the two that any model has.

    Args:
        groups: name → what its marker tells.
    """
    drawn = (
        ("cost-accuracy", "Accuracy by dollars", "US dollars", [(row, row.dollars) for row in rows]),
        ("time-accuracy", "Accuracy by time", "seconds", [(row, row.seconds) for row in rows]),
    )
    return tuple(
        _figure((id, title), unit, known, groups)
        for id, title, unit, standings in drawn
        if (known := [(row, one.cost, bool(one.unbeaten)) for row, one in standings if one.cost is not None])
    )


def _figure(
    named: tuple[str, str],
    unit: str,
    known: Sequence[tuple[CostAccuracy, float, bool]],
    groups: Mapping[str, str],
) -> Figure:
    costs = [cost for _, cost, _ in known]
    whiskers = " Whiskers are 95% intervals." if any(row.accuracy.interval for row, _, _ in known) else ""
    figure = scatter(
        *named,
        [ScatterPoint(row.name, cost, share(row.accuracy), groups.get(row.name, "")) for row, cost, _ in known],
        x_label=f"{unit} per {PER:,} passages",
        y_label="accuracy",
        log_x=min(costs) > 0 and max(costs) >= _LOG_FROM * min(costs),
        frontier=[row.name for row, _, best in sorted(known, key=lambda one: (one[1], one[0].name)) if best],
    )
    return figure.model_copy(update={"caption": f"{_LINE}{whiskers}"})


def _cells(standing: Standing) -> tuple[Cell, ...]:
    on = None if standing.unbeaten is None else "yes" if standing.unbeaten else "no"
    return standing.cost, on, standing.in_draws


def _unknown(rows: Sequence[CostAccuracy]) -> Iterator[str]:
    for of, missing in (
        ("Dollars", [row.name for row in rows if row.dollars.cost is None]),
        ("Seconds", [row.name for row in rows if row.seconds.cost is None]),
    ):
        if missing:
            yield f"{of} of {', '.join(missing)} are not known: they take no part in that frontier and its figure."
