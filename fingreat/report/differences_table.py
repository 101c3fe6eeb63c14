"""Paired differences in accuracy, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fingreat.analysis.bootstrap import SEED
from fingreat.analysis.differences import PairedDifference
from fingreat.analysis.ratio import Interval
from fingreat.report.columns import FEW_FILINGS, counts, estimates, numbers, on_intervals, points, texts
from fingreat.report.tables import Cell, Estimate, Points, Table, count_of

_T = (
    "t is the difference over its standard error, which is clustered by filing: with n passages in G filings, and u "
    "the sum over a filing of what its passages differ from the mean difference, it is the root of G/(G-1) times the "
    "sum of u squared, over n; p is two-sided by Student's t with G-1 = {df} degrees of freedom. By t is the "
    "difference with the interval that belongs to it, whose ends are not cut off at -100 and +100."
)
_UNEVEN = "Where a few filings have most of the passages, the standard error and p are too small."
_FEW = "So they mostly are with so few filings as here."
_HOLM = "Holm's p holds for all {pairs} together: of any of them below 0.05 it can be said at 5% that it differs."
_MCNEMAR = (
    "McNemar is the exact test on the passages that only one model has right. It takes passages as independent, so "
    "that its p is too small where those of one filing go together."
)
_NO_ERROR = (
    "{pairs} without a standard error: the difference is the same in every filing, so that there is no t; in Holm's "
    "method each counts as a test with p = 1."
)
_ONE_FILING = "All passages are of one filing: how filings differ is not known, and there is no t."


def differences_table(differences: Sequence[PairedDifference], filings: int, *, seed: int = SEED) -> Table:
    """Every pair of models, the better one first, by p; before them those that differ alike in every filing, which have
    no p, and below them those that never differ.

    Args:
        differences: of pairs on the same passages.
        filings: of these passages.
        seed: of the draws that the intervals are from.
    """
    ordered = sorted(
        map(better_first, differences),
        key=lambda one: (one.p is None and not one.difference, one.p or 0.0, -one.difference),
    )
    return Table(
        id="accuracy-differences",
        title="Differences in accuracy of models on the same passages",
        detail=True,
        columns=(
            *texts("model", "other model"),
            *counts("only model right", "only other right"),
            *points("difference", "by t"),
            *estimates("standard error"),
            *numbers("t", digits=2),
            *numbers("p", "p (Holm)", "p (McNemar)", digits=4),
        ),
        rows=tuple(map(_row, ordered)),
        notes=tuple(_notes(ordered, filings, seed)),
    )


def better_first(one: PairedDifference) -> PairedDifference:
    """The same pair with the more accurate model as a; in their order where both are equal."""
    if one.difference >= 0:
        return one
    interval = one.interval and replace(one.interval, low=-one.interval.high, high=-one.interval.low)
    return replace(
        one,
        a=one.b,
        b=one.a,
        right_a=one.right_b,
        right_b=one.right_a,
        only_a=one.only_b,
        only_b=one.only_a,
        difference=-one.difference,
        interval=interval,
        t=None if one.t is None else -one.t,
    )


def _row(one: PairedDifference) -> tuple[Cell, ...]:
    by_t = one.t_interval
    return (
        one.a,
        one.b,
        one.only_a,
        one.only_b,
        Points(value=one.difference, interval=_ends(one.interval)),
        None if by_t is None else Points(value=one.difference, interval=by_t),
        None if one.standard_error is None else Estimate(value=one.standard_error),
        one.t,
        one.p,
        one.p_holm,
        one.p_mcnemar,
    )


def _ends(interval: Interval | None) -> tuple[float, float] | None:
    return (interval.low, interval.high) if interval else None


def _notes(differences: Sequence[PairedDifference], filings: int, seed: int) -> Iterator[str]:
    pairs = count_of(len(differences), "pair")
    degrees = [one.df for one in differences if one.df is not None]
    if degrees:
        yield _T.format(df=f"{degrees[0]:,}")
        yield f"{_UNEVEN} {_FEW}" if filings < FEW_FILINGS else _UNEVEN
    else:
        yield _ONE_FILING
    if len(differences) > 1:
        yield _HOLM.format(pairs=pairs)
    yield _MCNEMAR
    untold = sum(one.df is not None and one.standard_error is None for one in differences)
    if untold:
        yield _NO_ERROR.format(pairs=count_of(untold, "pair"))
    yield from on_intervals([one.interval for one in differences], filings, seed)
