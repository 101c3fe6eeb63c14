"""What differences a benchmark can show, before any model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fingreat.analysis.bootstrap import SEED
from fingreat.analysis.power import ALPHA, CORRELATION, INTRACLUSTER, SIMULATIONS, PairedDesign, Power
from fingreat.report.tables import Table


@dataclass(frozen=True)
class PowerQuestion:
    """What is asked of a benchmark.

    Attributes:
        accuracy: of the better model of a pair.
        differences: that the power is shown for, as fractions.
        comparisons: how many pairs of models are tested together.
        correlation, intracluster: see `PairedDesign`.
    """

    accuracy: float = 0.85
    differences: tuple[float, ...] = (0.01, 0.02, 0.03, 0.05, 0.08, 0.1)
    comparisons: int = 1
    correlation: float = CORRELATION
    intracluster: float = INTRACLUSTER
    alpha: float = ALPHA
    simulations: int = SIMULATIONS
    seed: int = SEED


@dataclass(frozen=True)
class MeasuredPower:
    """The power of a benchmark.

    Attributes:
        passages, filings: of the benchmark.
        single, together: per difference of the question, the power of one pair alone, and of one among all pairs.
        smallest_single, smallest_together: the difference that is found with a power of 80 %; None where none is.
    """

    question: PowerQuestion
    passages: int
    filings: int
    single: tuple[Power, ...]
    together: tuple[Power, ...]
    smallest_single: float | None
    smallest_together: float | None


def sizes_of_gold(path: Path) -> tuple[int, ...]:
    """How many passages with accepted edges each filing of a gold file has.

    Raises:
        InputError: the file cannot be read or is no gold file.
    """
    raise NotImplementedError


def even_sizes(passages: int, filings: int) -> tuple[int, ...]:
    """So many passages spread over so many filings as evenly as can be.

    Raises:
        InputError: there are fewer passages than filings, or no filing.
    """
    raise NotImplementedError


def measure_power(sizes: Sequence[int], question: PowerQuestion = PowerQuestion()) -> MeasuredPower:  # noqa: B008 - frozen
    """The power to tell two models apart on a benchmark with so many passages in each filing.

    Raises:
        InputError: fewer than two filings, or a number of the question is outside of its range.
    """
    raise NotImplementedError


def power_tables(measured: MeasuredPower) -> tuple[Table, ...]:
    """The power of every difference, and the smallest difference that is found, as tables."""
    raise NotImplementedError
