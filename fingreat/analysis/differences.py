"""Paired differences in accuracy of models that answered the same passages.

Passages of one filing are not independent, so that filings are the clusters of the standard error and what the
bootstrap draws. The exact McNemar test stands beside: it takes every passage as independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

from fingreat.analysis.answers import AnswerSheet
from fingreat.analysis.bootstrap import intervals
from fingreat.analysis.ratio import Interval
from fingreat.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from fingreat.analysis.bootstrap import FilingBootstrap

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class PairedDifference:
    """Model a against model b on the same n passages.

    Attributes:
        right_a, right_b: passages that each answers right.
        only_a, only_b: passages that only this one answers right: the discordant ones.
        difference: (right_a - right_b) / n.
        interval: of the difference, by drawing filings; None where there is none.
        standard_error: of the difference, clustered by filing; None where it cannot be told (fewer than two filings)
            or is 0 (the difference is the same in every filing, as for two models that are right on the same
            passages), since then there is no t.
        t, df, p: difference / standard_error, filings - 1, and the two-sided p by Student's t with so many degrees of
            freedom; `df` is None for fewer than two filings, the others where there is no standard error.
        p_holm: p by Holm's method over all pairs that were made together; None where p is.
        p_mcnemar: exact two-sided McNemar p, which takes passages as independent and is too small where those of one
            filing are not; 1 without discordant passages.
    """

    a: str
    b: str
    n: int
    right_a: int
    right_b: int
    only_a: int
    only_b: int
    difference: float
    interval: Interval | None
    standard_error: float | None
    t: float | None
    df: int | None
    p: float | None
    p_holm: float | None
    p_mcnemar: float

    @property
    def t_interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the difference that belongs to t: without 0 just where p is below 0.05."""
        if self.standard_error is None or self.df is None:
            return None
        from scipy.special import stdtrit

        reach = float(stdtrit(self.df, 0.975)) * self.standard_error
        return self.difference - reach, self.difference + reach


@dataclass(frozen=True)
class ClusteredT:
    """A mean against 0 where clusters are independent, not their members; fields as in `PairedDifference`."""

    standard_error: float | None
    t: float | None
    df: int | None
    p: float | None


def paired_differences(
    sheet: AnswerSheet, bootstrap: FilingBootstrap | None = None, members: Sequence[str] | None = None
) -> tuple[PairedDifference, ...]:
    """The difference in accuracy of every two models, in the order of their names: (1, 2), (1, 3), ..., (2, 3), ...

    Args:
        bootstrap: draws of the sheet's filings, the same for all pairs; None for no intervals.
        members: names of the models to compare; Holm's method goes over their pairs alone.

    Raises:
        InputError: a member is none of the sheet or is named twice; the draws are of another number of filings.
    """
    import numpy as np

    rows = _rows(sheet, sheet.names if members is None else members)
    pairs = np.array(list(combinations(rows, 2)), dtype=np.int64).reshape(-1, 2)
    if not len(pairs):
        return ()
    first, second = pairs.T
    both = sheet.right.astype(np.int64) @ sheet.right.T.astype(np.int64)
    right, n = np.diag(both), len(sheet.passages)
    only_a, only_b = right[first] - both[first, second], right[second] - both[first, second]
    by_filing, sizes = sheet.by_filing(sheet.right), sheet.by_filing(np.ones(n))
    tests = clustered_t(by_filing[:, first] - by_filing[:, second], sizes[:, 0])
    found = _intervals(by_filing, sizes, pairs, bootstrap)
    adjusted = holm([test.p for test in tests])
    exact = mcnemar(only_a, only_b).tolist()
    counts = zip(right[first].tolist(), right[second].tolist(), only_a.tolist(), only_b.tolist(), strict=True)
    return tuple(
        PairedDifference(
            a=sheet.names[a],
            b=sheet.names[b],
            n=n,
            right_a=k_a,
            right_b=k_b,
            only_a=a_alone,
            only_b=b_alone,
            difference=(k_a - k_b) / n,
            interval=interval,
            standard_error=test.standard_error,
            t=test.t,
            df=test.df,
            p=test.p,
            p_holm=p_holm,
            p_mcnemar=p_exact,
        )
        for (a, b), (k_a, k_b, a_alone, b_alone), interval, test, p_holm, p_exact in zip(
            pairs.tolist(), counts, found, tests, adjusted, exact, strict=True
        )
    )


def clustered_t(sums: Array, sizes: Array) -> list[ClusteredT]:
    """The mean of k measures over clustered members, each against 0.

    With G clusters and n members in all, u_g the sum of a cluster's deviations from the mean, the standard error is
    sqrt(G/(G-1) * sum of u_g^2) / n, and t has G - 1 degrees of freedom (Liang and Zeger 1986; Cameron and Miller
    2015, sections II and VI): that of a regression on a constant with clustered errors.

    Args:
        sums: of each measure over each cluster, whole numbers of shape [clusters, k].
        sizes: members of each cluster, shape [clusters].
    """
    import numpy as np
    from scipy.special import stdtr

    clusters, n = len(sizes), float(sizes.sum())
    if clusters < 2:
        return [ClusteredT(None, None, None, None)] * sums.shape[1]
    total = sums.sum(axis=0)
    # Whole numbers: deviations that cancel are 0 to the last digit.
    deviations = n * sums - sizes[:, None] * total
    errors = np.sqrt(clusters / (clusters - 1) * np.square(deviations).sum(axis=0)) / n**2
    t = np.divide(total / n, errors, out=np.zeros_like(errors), where=errors > 0)
    p = np.minimum(1.0, 2 * stdtr(clusters - 1, -np.abs(t)))
    found = zip(errors.tolist(), t.tolist(), p.tolist(), strict=True)
    return [
        ClusteredT(error, ratio, clusters - 1, chance) if error > 0 else ClusteredT(None, None, clusters - 1, None)
        for error, ratio, chance in found
    ]


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """p-values that hold for all of them together, by Holm's step-down method (Holm 1979), at most 1.

    Args:
        ps: in any order; None for a test that could not be made: it counts among the tests, as one with p = 1 would,
            so that leaving it out cannot make others smaller, and stays None.
    """
    found: list[float | None] = [None] * len(ps)
    largest = 0.0
    known = sorted((p, number) for number, p in enumerate(ps) if p is not None)
    for rank, (p, number) in enumerate(known):
        largest = max(largest, min(1.0, (len(ps) - rank) * p))
        found[number] = largest
    return found


def mcnemar(only_a: Array, only_b: Array) -> Array:
    """Exact two-sided McNemar p of numbers of discordant passages, elementwise.

    2 P(X <= the smaller one) for X ~ Binomial(only_a + only_b, 1/2), at most 1 (McNemar 1947).
    """
    import numpy as np
    from scipy.special import bdtr

    discordant = only_a + only_b
    found: Array = np.minimum(1.0, 2 * bdtr(np.minimum(only_a, only_b).astype(float), discordant, 0.5))
    return found


def _rows(sheet: AnswerSheet, members: Sequence[str]) -> list[int]:
    """The rows of the sheet that are to be compared."""
    known = {name: row for row, name in enumerate(sheet.names)}
    for name in members:
        if name not in known:
            raise InputError(f"'{name}' is none of the models {', '.join(sheet.names)}.")
        if members.count(name) > 1:
            raise InputError(f"'{name}' is named twice.", hint="Name different models.")
    return [known[name] for name in members]


def _intervals(
    by_filing: Array, sizes: Array, pairs: Array, bootstrap: FilingBootstrap | None
) -> Sequence[Interval | None]:
    """Of each pair's difference, on the same draws."""
    if bootstrap is None:
        return [None] * len(pairs)
    values = bootstrap.values(by_filing, sizes)
    # Some pairs at a time, so that many draws of many pairs do not fill the memory.
    step = max(1, 2**22 // bootstrap.replicates)
    parts = (pairs[start : start + step] for start in range(0, len(pairs), step))
    return [one for part in parts for one in intervals(values[part[:, 0]] - values[part[:, 1]])]
