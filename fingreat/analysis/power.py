"""How small a difference of two models a benchmark can show: power of the paired test, by simulation.

Both models answer the same passages, and passages of one filing are alike. Of a passage only this counts for the test:
whether one of the two alone is right, and which one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from fingreat.analysis.differences import clustered_t
from fingreat.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

ALPHA = 0.05
SIMULATIONS = 1000
MOST_SIMULATIONS = 10_000
"""The standard error of a power is then 0.005 at most, less than what is known of any design."""
WANTED = 0.8
"""The power that studies ask for by convention (Cohen 1988, section 2.4)."""
CORRELATION, INTRACLUSTER = 0.7, 0.05
"""Of two models' being right on a passage, and of two passages of a filing: what is taken where nobody says another.
Two models with 77 and 81 errors on 483 passages, 58 of them shared, have a phi of 0.68; two with 35 each and 27 shared
one of 0.75."""
_CLOSE = 2.5e-4
"""A smallest difference is found to within so much."""
_LARGEST = 0.99
"""Part of the accuracy that a difference is looked for in: two models with 100 % and 0 % differ everywhere alike, and
have no standard error."""


@dataclass(frozen=True)
class PairedDesign:
    """A benchmark and two models on it, as they are supposed to be.

    Attributes:
        sizes: how many passages each filing has.
        accuracy: of the better model, from 0 to 1.
        difference: by how much the other's accuracy is lower.
        correlation: between the two models' being right on one passage (phi). Where the accuracies allow no such, the
            nearest that they allow.
        intracluster: correlation of what two passages of one filing show, from 0 to 1.
    """

    sizes: tuple[int, ...]
    accuracy: float
    difference: float
    correlation: float = CORRELATION
    intracluster: float = INTRACLUSTER

    def __post_init__(self) -> None:
        """Refuse what no benchmark can be.

        Raises:
            InputError: fewer than two filings, a filing without passages, or a number outside of its range.
        """
        if len(self.sizes) < 2 or min(self.sizes) < 1:
            raise InputError("the test needs at least two filings, each with a passage.")
        for name, least in (("accuracy", 0), ("difference", 0), ("correlation", -1), ("intracluster", 0)):
            if not least <= getattr(self, name) <= 1:
                raise InputError(f"is {getattr(self, name)}, not from {least} to 1.", where=name)
        if self.difference > self.accuracy:
            raise InputError(f"{self.difference} leaves nothing of an accuracy of {self.accuracy}.", where="difference")

    @property
    def alone(self) -> tuple[float, float]:
        """How often the better model alone is right, and the other alone: p_a - p_both and p_b - p_both.

        p_both = p_a p_b + phi sqrt(p_a (1 - p_a) p_b (1 - p_b)), within the bounds of Fréchet.
        """
        a, b = self.accuracy, self.accuracy - self.difference
        # Rounding may leave a product a little below zero.
        spread = max(0.0, a * (1 - a) * b * (1 - b)) ** 0.5
        both = min(max(a * b + self.correlation * spread, a + b - 1, 0.0), a, b)
        return a - both, b - both


@dataclass(frozen=True)
class Power:
    """How often simulated studies find the difference.

    Attributes:
        power: share of the simulations in which the test is significant.
        standard_error: of that share, by the number of simulations: sqrt(power (1 - power) / simulations).
        level: the significance level of the one test, `alpha / comparisons`.
    """

    power: float
    standard_error: float
    level: float
    simulations: int


def paired_power(
    design: PairedDesign,
    *,
    alpha: float = ALPHA,
    comparisons: int = 1,
    simulations: int = SIMULATIONS,
    generator: np.random.Generator,
) -> Power:
    """The power of the two-sided clustered t test of `paired_differences`.

    Args:
        comparisons: of so many this is the one with the smallest p, which Holm tests at `alpha / comparisons`; any
            other has a milder level, so that this is the least power that it can have.

    Raises:
        InputError: a number is outside of its range.
    """
    _check(alpha, comparisons, simulations)
    level = alpha / comparisons
    return _power(_Draws(design, simulations, generator), design, level)


def smallest_difference(
    design: PairedDesign,
    *,
    wanted: float = WANTED,
    alpha: float = ALPHA,
    comparisons: int = 1,
    simulations: int = SIMULATIONS,
    generator: np.random.Generator,
) -> float | None:
    """The smallest difference that is found with the wanted power, None where none is.

    By bisection on the same random numbers, so that the answer hangs on the generator's state alone.

    Args:
        design: its `difference` plays no part.

    Raises:
        InputError: a number is outside of its range.
    """
    _check(alpha, comparisons, simulations)
    if not 0 < wanted < 1:
        raise InputError(f"is {wanted}, not between 0 and 1.", where="power")
    level = alpha / comparisons
    draws = _Draws(design, simulations, generator)

    def found(difference: float) -> bool:
        return _power(draws, replace(design, difference=difference), level).power >= wanted

    low, high = 0.0, _LARGEST * design.accuracy
    if not found(high):
        return None
    while high - low > _CLOSE:
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


class _Draws:
    """For every simulated passage a number from 0 to 1 that says what it shows, the same whatever the difference.

    With probability sqrt(intracluster) a passage shows what its filing draws for all of them, otherwise what it draws
    for itself. Two passages of a filing then correlate by just `intracluster`, and each by itself is as if it stood
    alone (Lunn and Davies 1998).
    """

    def __init__(self, design: PairedDesign, simulations: int, generator: np.random.Generator) -> None:
        """
        Args:
            design: its `sizes` and `intracluster` count.
        """
        import numpy as np

        self.sizes = np.array(design.sizes)
        filing_of = np.repeat(np.arange(len(self.sizes)), self.sizes)
        shape = simulations, len(filing_of)
        own = generator.random(shape, dtype=np.float32)
        of_filing = generator.random((simulations, len(self.sizes)), dtype=np.float32)
        shared = generator.random(shape, dtype=np.float32) < design.intracluster**0.5
        self._shown: Array = np.where(shared, of_filing[:, filing_of], own)
        self._starts = np.concatenate(([0], np.cumsum(self.sizes)[:-1]))

    def sums(self, alone: tuple[float, float]) -> Array:
        """Passages that the better model alone has right, less those that the other alone has, by filing.

        Args:
            alone: how often each is alone right on a passage.

        Returns:
            shape [filings, simulations].
        """
        import numpy as np

        better, other = alone
        sign = (self._shown < better).astype(np.int32) - (self._shown >= 1 - other)
        found: Array = np.add.reduceat(sign, self._starts, axis=1).T
        return found


def _power(draws: _Draws, design: PairedDesign, level: float) -> Power:
    """How often the test is significant; where it has no standard error, it is not."""
    tests = clustered_t(draws.sums(design.alone), draws.sizes)
    power = sum(test.p is not None and test.p <= level for test in tests) / len(tests)
    return Power(power, (power * (1 - power) / len(tests)) ** 0.5, level, len(tests))


def _check(alpha: float, comparisons: int, simulations: int) -> None:
    if not 0 < alpha < 1:
        raise InputError(f"is {alpha}, not between 0 and 1.", where="alpha")
    if comparisons < 1:
        raise InputError(f"{comparisons} comparisons are none.", hint="One is the least.")
    if not 1 <= simulations <= MOST_SIMULATIONS:
        raise InputError(f"{simulations:,} simulations are not from 1 to {MOST_SIMULATIONS:,}.")
