"""Intervals by resampling whole filings, since passages of one filing are not independent.

Each replicate draws as many filings as there are, with replacement, takes all that belongs to them, and makes the ratio
of the sums. An interval goes from the 2.5 to the 97.5 percentile of the replicates (Efron and Tibshirani 1993, chapter
13; for clusters Davison and Hinkley 1997, section 3.8).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from fingreat.analysis.ratio import Interval, Ratio
from fingreat.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

REPLICATES = 2000
MOST_REPLICATES = 100_000
"""The ends of an interval then have a standard error of about 0.2 % of its width, so that more of them gain nothing."""
SEED = 20261010
PERCENTILES = (2.5, 97.5)
_CELLS = 2**18
"""Up to so many drawn filings are held as wide numbers at once."""
_KEPT = 2**28
"""Draws are kept if they take no more bytes; otherwise they are made anew from the seed whenever they are needed."""
_VALUES = 2**23
"""Up to so many ratios of replicates are held at once."""


class FilingBootstrap:
    """One set of draws of filings, for everything that is measured on the same filings.

    Draws depend on the number of filings, the replicates and the seed alone, not on what is measured or in which order,
    so that measures by one object, or by two that were made alike, can be compared draw by draw.

    Columns have one number for each filing, always in the same order of filings: that of their ids, so that it does
    not hang on how they were read. Sums are exact for whole numbers whose sums stay below 2^53.
    """

    def __init__(self, filings: int, *, replicates: int = REPLICATES, seed: int = SEED) -> None:
        """
        Args:
            filings: how many there are; those in which nothing is counted are filings too.

        Raises:
            InputError: there are no replicates or more than `MOST_REPLICATES`, or a number is below zero.
        """
        if filings < 0 or seed < 0:
            raise InputError(f"{filings} filings and seed {seed} must not be below zero.")
        if replicates < 1:
            raise InputError(f"{replicates} replicates make no interval.", hint=f"Take some, such as {REPLICATES}.")
        if replicates > MOST_REPLICATES:
            raise InputError(
                f"{replicates:,} replicates are more than {MOST_REPLICATES:,}, beyond which intervals hardly change.",
                hint=f"Take fewer, such as {REPLICATES:,}.",
            )
        self.filings = filings
        self.replicates = replicates
        self.seed = seed
        self._kept: list[Array] | None = None

    def ratio(self, hits: ArrayLike, totals: ArrayLike) -> Interval | None:
        """The interval of sum(hits) / sum(totals), both columns of shape [filings].

        None where fewer than two filings add to the total: one, drawn again and again, says nothing of others.

        Raises:
            InputError: a column does not have one finite number for each filing.
        """
        (interval,) = self.ratios(hits, totals)
        return interval

    def ratios(self, hits: ArrayLike, totals: ArrayLike) -> list[Interval | None]:
        """`ratio` of k measures at once, from columns as `values` takes them."""
        import numpy as np

        above, below = np.broadcast_arrays(self._table(hits), self._table(totals))
        step = max(1, _VALUES // self.replicates)
        parts = (slice(start, start + step) for start in range(0, above.shape[1], step))
        return [one for part in parts for one in intervals(self.values(above[:, part], below[:, part]))]

    def difference(
        self, hits_a: ArrayLike, totals_a: ArrayLike, hits_b: ArrayLike, totals_b: ArrayLike
    ) -> Interval | None:
        """The interval of one ratio minus another on the same draws, from columns of shape [filings].

        None where either ratio has no interval. A replicate counts where both have a value. For many differences take
        `intervals` of differences of `values`.
        """
        (interval,) = intervals(self.values(hits_a, totals_a) - self.values(hits_b, totals_b))
        return interval

    def values(self, hits: ArrayLike, totals: ArrayLike) -> Array:
        """The ratios in each replicate; NaN for 0/0, and throughout where fewer than two filings add to the total.

        Args:
            hits, totals: of shape [filings, k]; or [filings], for one measure or for what all measures share.

        Returns:
            shape [k, replicates].

        Raises:
            InputError: a column does not have one finite number for each filing.
        """
        import numpy as np

        upper, lower = self._table(hits), self._table(totals)
        several = np.count_nonzero(lower, axis=0) > 1
        # All draws are gone through once.
        sums = self.sums(np.hstack((upper, lower)))
        above, below = np.broadcast_arrays(sums[: upper.shape[1]], sums[upper.shape[1] :])
        found: Array = np.full(above.shape, np.nan)
        np.divide(above, below, out=found, where=several[:, None] & (below != 0))
        return found

    def sums(self, columns: ArrayLike) -> Array:
        """The sum of each column over the filings of each replicate, shaped as `values`."""
        import numpy as np

        table = self._table(columns)
        found = np.empty((table.shape[1], self.replicates))
        for rows, counts in self._parts():
            found[:, rows] = table.T @ counts.T
        return found

    def _table(self, columns: ArrayLike) -> Array:
        """Columns as shape [filings, k]."""
        import numpy as np

        table = np.asarray(columns, dtype=np.float64)
        table = table[:, None] if table.ndim == 1 else table
        if table.ndim != 2 or len(table) != self.filings:
            raise InputError(f"columns of shape {table.shape} were given where {self.filings} filings are drawn.")
        if not np.isfinite(table).all():
            raise InputError("a column has a number that is not finite.")
        return table

    def _parts(self) -> Iterator[tuple[slice, Array]]:
        """How often each filing was drawn, [replicates, filings], some replicates at a time."""
        if self._kept is None and self.replicates * self.filings * self._count_type().itemsize <= _KEPT:
            self._kept = list(self._drawn())
        start = 0
        for counts in self._drawn() if self._kept is None else self._kept:
            yield slice(start, start + len(counts)), counts.astype("float64")
            start += len(counts)

    def _drawn(self) -> Iterator[Array]:
        """The same draws each time, in the smallest numbers that hold them."""
        import numpy as np

        generator = np.random.Generator(np.random.PCG64(self.seed))
        step = max(1, _CELLS // max(1, self.filings))
        for start in range(0, self.replicates, step):
            shape = min(step, self.replicates - start), self.filings
            drawn = generator.integers(max(1, self.filings), size=shape)
            # Numbered on from row to row, all rows are counted at once.
            drawn += np.arange(shape[0])[:, None] * self.filings
            counts = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(shape)
            yield counts.astype(self._count_type())

    def _count_type(self) -> np.dtype[Any]:
        import numpy as np

        return np.min_scalar_type(self.filings)


def intervals(values: Array) -> list[Interval | None]:
    """The interval of each row of replicate values, shape [k, replicates]; NaN is no value.

    Percentiles between two values are interpolated linearly, as numpy does by default (Hyndman and Fan 1996, type 7).
    """
    import numpy as np

    empty = np.isnan(values).sum(axis=1)
    found: list[Interval | None] = [None] * len(values)
    full = np.flatnonzero(empty == 0)
    for row, (low, high) in zip(full.tolist(), _ends(values[full]).tolist(), strict=True):
        found[row] = Interval(low, high, values.shape[1])
    for row in np.flatnonzero((empty > 0) & (empty < values.shape[1])).tolist():
        known = values[row][~np.isnan(values[row])]
        low, high = _ends(known[None, :])[0].tolist()
        found[row] = Interval(low, high, len(known), int(empty[row]))
    return found


def _ends(values: Array) -> Array:
    """Both percentiles of each row, shape [k, 2]. NumPy sorts rows four times as fast as it picks percentiles."""
    import numpy as np

    ordered = np.sort(values, axis=1)
    places = (values.shape[1] - 1) * np.array(PERCENTILES) / 100
    below = places.astype(np.int64)
    lower, upper = ordered[:, below], ordered[:, np.minimum(below + 1, values.shape[1] - 1)]
    ends: Array = lower + (upper - lower) * (places - below)
    return ends


def ratio_of_sums(hits: ArrayLike, totals: ArrayLike, bootstrap: FilingBootstrap | None = None) -> Ratio:
    """sum(hits) / sum(totals) of two columns of whole numbers, with its interval where draws are given."""
    import numpy as np

    interval = bootstrap.ratio(hits, totals) if bootstrap else None
    return Ratio(int(np.sum(hits)), int(np.sum(totals)), interval)


def ratios_of_sums(hits: Array, totals: Array, bootstrap: FilingBootstrap | None = None) -> list[Ratio]:
    """`ratio_of_sums` of k measures at once, from columns of shape [filings, k]."""
    found = bootstrap.ratios(hits, totals) if bootstrap else [None] * hits.shape[1]
    sums = zip(hits.sum(axis=0).tolist(), totals.sum(axis=0).tolist(), found, strict=True)
    return [Ratio(int(k), int(n), interval) for k, n, interval in sums]
