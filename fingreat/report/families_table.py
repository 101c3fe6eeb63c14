"""Accuracy by family, by size, and of the best open beside the best hosted model, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fingreat.analysis import Accuracy, Interval
from fingreat.analysis.bootstrap import SEED
from fingreat.analysis.families import FamilyAccuracy, Gap, ModelFacts
from fingreat.report.accuracy_table import by_accuracy
from fingreat.report.columns import (
    counts,
    gain,
    numbers,
    on_grouping,
    on_intervals,
    points,
    rates,
    share,
    shares,
    texts,
)
from fingreat.report.tables import ALL, Cell, Table, count_of
from fingreat.schema.graph import DEFAULT_GROUPING

UNKNOWN = "not known"
_HOSTED = "Hosted models were asked of their provider; all others are open."


def kind_of(hosted: bool) -> str:
    """What a model is called by who ran it."""
    return "hosted" if hosted else "open"


def families_table(families: Sequence[FamilyAccuracy], filings: int, *, seed: int = SEED) -> Table:
    """The best model and the mean of every family.

    Args:
        families: best first.
        filings: of the passages.
        seed: of the draws that the intervals are from.
    """
    return Table(
        id="families",
        title="Accuracy by family of models",
        columns=(
            *texts("family", "kind"),
            *counts("models"),
            *texts("best"),
            *shares("accuracy of the best"),
            *rates("mean"),
        ),
        rows=tuple(
            (
                one.family or UNKNOWN,
                kind_of(one.hosted),
                len(one.models),
                _named(one.best),
                share(one.accuracy),
                one.mean,
            )
            for one in families
        ),
        notes=(
            "The best of a family is that of its models that were run, on all passages; the mean is over its models.",
            _HOSTED,
            *on_intervals([one.accuracy.interval for one in families], filings, seed),
        ),
    )


def sizes_table(
    measured: Mapping[str, Accuracy], facts: Sequence[ModelFacts], filings: int, *, seed: int = SEED
) -> Table:
    """Models by their number of parameters, smallest first; those whose number is not known last, best first.

    Args:
        measured: by name of the model, all on the same passages.
        facts: of each of them.
        filings: of the passages.
        seed: of the draws that the intervals are from.
    """
    rank = {name: number for number, name in enumerate(by_accuracy(measured))}
    ordered = sorted(facts, key=lambda one: (one.parameters is None, one.parameters or 0.0, rank[one.name]))
    unknown = sum(one.parameters is None for one in facts)
    return Table(
        id="sizes",
        title="Accuracy by number of parameters",
        columns=(
            *texts("model", "family", "kind"),
            *numbers("parameters (billion)", digits=2),
            *shares("accuracy"),
        ),
        rows=tuple(
            (
                one.name,
                one.family or UNKNOWN,
                kind_of(one.hosted),
                one.parameters,
                share(measured[one.name].overall.accuracy),
            )
            for one in ordered
        ),
        notes=(
            "Parameters are all that a model has, also where it uses a part of them for each token.",
            *((f"Of {count_of(unknown, 'model')} their number is not known.",) if unknown else ()),
            _HOSTED,
            *on_intervals([one.overall.accuracy.interval for one in measured.values()], filings, seed),
        ),
    )


def gaps_table(gaps: Sequence[Gap], filings: int, *, seed: int = SEED, grouping: str = DEFAULT_GROUPING) -> Table:
    """The best open beside the best hosted model, on all passages and in each category.

    Args:
        gaps: as `measure_gaps` made them.
        filings: of the passages.
        seed: of the draws that the intervals are from.
        grouping: which grouping of the graph's edges gives the categories.
    """
    return Table(
        id="open-and-hosted",
        title="The best open and the best hosted model",
        columns=(
            *texts("passages", "best open"),
            *shares("open"),
            *texts("best hosted"),
            *shares("hosted"),
            *points("gap"),
        ),
        rows=tuple(_gap_row(one) for one in gaps),
        notes=(
            "The gap is hosted less open, in percentage points, on the same passages and draws. A passage counts in "
            "every category in which it accepts an edge.",
            "The best are chosen by these very passages, so that their accuracy is rather too high; of equal ones the "
            "first named stands for all in the gap's interval, which takes the choice as given.",
            *on_grouping(grouping),
            _HOSTED,
            *on_intervals(_intervals(gaps), filings, seed),
        ),
    )


def _gap_row(one: Gap) -> tuple[Cell, ...]:
    return (
        one.cohort or ALL,
        _named(one.open_best),
        share(one.open),
        _named(one.hosted_best),
        share(one.hosted),
        gain(one.hosted, one.open, one.interval),
    )


def _intervals(gaps: Iterable[Gap]) -> list[Interval | None]:
    return [found for one in gaps for found in (one.interval, one.open.interval, one.hosted.interval)]


def _named(names: Sequence[str]) -> str | None:
    """Equal ones are all named."""
    return ", ".join(names) or None
