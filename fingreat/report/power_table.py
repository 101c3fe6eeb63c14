"""What differences a benchmark can show, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from fingreat.analysis.power import WANTED, PairedDesign, Power
from fingreat.report.columns import counts, numbers, points, rates, texts
from fingreat.report.tables import Points, Table, count_of, percent

_TEST = (
    "Power is the share of simulated benchmarks in which the two-sided t test of the paired difference, with standard "
    "errors clustered by filing, is significant. Differences are in percentage points."
)


def power_table(designs: Sequence[PairedDesign], powers: Sequence[Sequence[Power]], *, comparisons: int) -> Table:
    """A row for each difference: how often it is found.

    Args:
        designs: alike but for their differences.
        powers: of each design, of one pair alone; where `comparisons` are several, then of one among all of them.
        comparisons: how many pairs are tested together.
    """
    return Table(
        id="power",
        title="How often a difference in accuracy is found",
        columns=(*points("difference"), *rates(*_heads(comparisons))),
        rows=tuple(
            (Points(value=design.difference), *(one.power for one in of_design))
            for design, of_design in zip(designs, powers, strict=True)
        ),
        notes=(*_on_design(designs[0], powers[0]), *_on_level(powers[0], comparisons)),
    )


def smallest_difference_table(
    design: PairedDesign, found: Sequence[float | None], powers: Sequence[Power], *, comparisons: int
) -> Table:
    """The smallest difference that is found with the power that studies ask for.

    Args:
        found: of one pair alone; where `comparisons` are several, then of one among all of them.
        powers: any of the same benchmark, in the same order: their levels are shown.
    """
    lacking = any(one is None for one in found)
    return Table(
        id="smallest-difference",
        title=f"The smallest difference in accuracy that is found with a power of {WANTED:.0%}",
        columns=(
            *texts("tested"),
            *counts("pairs"),
            *numbers("level", digits=6),
            *points("smallest difference"),
        ),
        rows=tuple(
            (head, number, power.level, None if one is None else Points(value=one))
            for head, number, one, power in zip(_heads(comparisons), (1, comparisons), found, powers, strict=False)
        ),
        notes=(
            *_on_design(design, powers),
            *_on_level(powers, comparisons),
            *(("No difference is found so often where there is a dash.",) if lacking else ()),
        ),
    )


def _heads(comparisons: int) -> tuple[str, ...]:
    return ("one pair alone", f"one of {comparisons:,} pairs") if comparisons > 1 else ("one pair alone",)


def _on_design(design: PairedDesign, powers: Sequence[Power]) -> tuple[str, ...]:
    simulations = powers[0].simulations
    return (
        _TEST,
        f"{count_of(sum(design.sizes), 'passage')} of {count_of(len(design.sizes), 'filing')}; the better model has "
        f"{percent(design.accuracy)} right, the other so much less; phi of their being right on a passage is "
        f"{design.correlation:g}, or as near as their accuracies allow; passages of a filing correlate by "
        f"{design.intracluster:g}. These are assumptions: other models and passages have others.",
        f"{simulations:,} simulations: the standard error of a power is {percent(0.5 / simulations**0.5)} at most.",
    )


def _on_level(powers: Sequence[Power], comparisons: int) -> tuple[str, ...]:
    if comparisons == 1:
        return ()
    return (
        f"Among {comparisons:,} pairs the one with the smallest p is tested at {powers[-1].level:.2g} by Holm's method "
        "and every other at a milder level: the power shown is the least that it can be.",
    )
