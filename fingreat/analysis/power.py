"""How small a difference of two models a benchmark can show: power of the paired test, by simulation.

Both models answer the same passages, and passages of one filing are alike. Of a passage only this counts for the test:
whether one of the two alone is right, and which one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from fingreat.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

ALPHA = 0.05
SIMULATIONS = 1000
MOST_SIMULATIONS = 100_000
WANTED = 0.8
"""The power that studies ask for by convention (Cohen 1988, section 2.4)."""
CORRELATION = 0.7
INTRACLUSTER = 0.05
_CLOSE = 5e-4
"""A difference is found to within so much."""
_CELLS = 2**20
"""Up to so many simulated passages are held at once."""


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

    By bisection on the same random numbers, on which a greater difference is found more often but for rare ties.

    Args:
        design: its `difference` plays no part.

    Raises:
        InputError: a number is outside of its range.
    """
    raise NotImplementedError
