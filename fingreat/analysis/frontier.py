"""Which models no other one beats: at least as right, and no dearer or slower."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fingreat.analysis.answers import AnswerSheet
from fingreat.analysis.bootstrap import FilingBootstrap, ratios_of_sums
from fingreat.analysis.ratio import Ratio
from fingreat.errors import InputError

if TYPE_CHECKING:
    from fingreat.analysis.answers import Array


@dataclass(frozen=True)
class Standing:
    """Where a model stands among others by accuracy and by one kind of cost.

    Attributes:
        cost: of 1,000 passages, None where it is not known; it then takes no part.
        unbeaten: whether no other model is at least as right at no higher cost, and better in one of the two; of equal
            models both are. None where the cost is not known.
        in_draws: the share of the draws of filings in which it is; None also where there are no draws to tell it.
    """

    cost: float | None
    unbeaten: bool | None
    in_draws: float | None


@dataclass(frozen=True)
class CostAccuracy:
    """A model's accuracy beside what it takes.

    Attributes:
        name: as on the sheet of answers.
        dollars, seconds: of 1,000 passages.
    """

    name: str
    accuracy: Ratio
    dollars: Standing
    seconds: Standing


def measure_frontier(
    sheet: AnswerSheet,
    dollars: Sequence[float | None],
    seconds: Sequence[float | None],
    bootstrap: FilingBootstrap | None = None,
) -> tuple[CostAccuracy, ...]:
    """Accuracy and cost of each model of a sheet, in the order of its names.

    Costs are taken as they are: draws of filings change accuracies alone.

    Args:
        dollars, seconds: of 1,000 passages, per model.
        bootstrap: draws of the sheet's filings.

    Raises:
        InputError: not one cost for each model; the draws are of another number of filings.
    """
    import numpy as np

    for costs in (dollars, seconds):
        if len(costs) != len(sheet.names):
            raise InputError(f"{len(costs)} costs are not one for each of {len(sheet.names)} models.")
    hits = sheet.by_filing(sheet.right)
    totals = np.broadcast_to(sheet.by_filing(np.ones(len(sheet.passages))), hits.shape)
    accuracies = ratios_of_sums(hits, totals, bootstrap)
    drawn = bootstrap.values(hits, totals) if bootstrap else None
    return tuple(
        CostAccuracy(name, accuracy, by_dollars, by_seconds)
        for name, accuracy, by_dollars, by_seconds in zip(
            sheet.names,
            accuracies,
            _standings(dollars, accuracies, drawn),
            _standings(seconds, accuracies, drawn),
            strict=True,
        )
    )


def unbeaten(costs: Array, rights: Array) -> Array:
    """Whether no other is at least as right at no higher cost, and better in one of the two (Pareto optimal).

    Args:
        costs: shape [m].
        rights: the larger the better, shape [m, k] for k draws.

    Returns:
        shape [m, k].
    """
    import numpy as np

    found = np.ones(rights.shape, dtype=bool)
    for number, cost in enumerate(costs):
        no_worse = (costs <= cost)[:, None] & (rights >= rights[number])
        better = (costs < cost)[:, None] | (rights > rights[number])
        found[number] = ~(no_worse & better).any(axis=0)
    return found


def _standings(costs: Sequence[float | None], accuracies: Sequence[Ratio], drawn: Array | None) -> list[Standing]:
    import numpy as np

    found = [Standing(cost, None, None) for cost in costs]
    known = [number for number, cost in enumerate(costs) if cost is not None]
    taken = np.array([costs[number] for number in known], dtype=np.float64)
    hits = np.array([[accuracies[number].hits] for number in known]).reshape(len(known), 1)
    now = unbeaten(taken, hits)[:, 0]
    shares: list[float | None] = [None] * len(known)
    if drawn is not None and not np.isnan(drawn).any():
        shares = unbeaten(taken, drawn[known]).mean(axis=1).tolist()
    for number, best, share in zip(known, now.tolist(), shares, strict=True):
        found[number] = Standing(costs[number], best, share)
    return found
