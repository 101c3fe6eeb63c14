"""What differences a benchmark can show, before any model is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from fingreat.analysis.bootstrap import SEED
from fingreat.analysis.power import (
    ALPHA,
    CORRELATION,
    INTRACLUSTER,
    SIMULATIONS,
    PairedDesign,
    Power,
    paired_power,
    smallest_difference,
)
from fingreat.errors import InputError
from fingreat.pipeline.gold import read_gold
from fingreat.report.power_table import power_table, smallest_difference_table
from fingreat.report.tables import Table

if TYPE_CHECKING:
    import numpy as np


_SHOWN = (0.01, 0.02, 0.03, 0.05, 0.08, 0.1)
_FURTHER = (0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Differences that a table shows by itself, and those that it goes on with where they are too small to be found."""


@dataclass(frozen=True)
class PowerQuestion:
    """What is asked of a benchmark.

    Attributes:
        accuracy: of the better model of a pair.
        differences: that the power is shown for, as fractions; where there are none, some from 1 to 10 points and
            further ones up to the smallest that is found with a power of 80 %.
        comparisons: how many pairs of models are tested together.
        correlation, intracluster: see `PairedDesign`.
    """

    accuracy: float = 0.85
    differences: tuple[float, ...] | None = None
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
        question: with the differences that the power is shown for.
        sizes: passages of each filing.
        single, together: per difference of the question, the power of one pair alone, and of one among all pairs.
        smallest_single, smallest_together: the difference that is found with a power of 80 %; None where none is.
    """

    question: PowerQuestion
    sizes: tuple[int, ...]
    single: tuple[Power, ...]
    together: tuple[Power, ...]
    smallest_single: float | None
    smallest_together: float | None

    @property
    def passages(self) -> int:
        """Of the benchmark."""
        return sum(self.sizes)

    @property
    def filings(self) -> int:
        """Of the benchmark."""
        return len(self.sizes)


def sizes_of_gold(path: Path) -> tuple[int, ...]:
    """How many passages with accepted edges each filing of a gold file has; filings without such play no part.

    Raises:
        InputError: the file cannot be read or is no gold file.
    """
    passages = Counter(passage.filing_id for passage in read_gold(path) if passage.accepted)
    return tuple(passages.values())


def even_sizes(passages: int, filings: int) -> tuple[int, ...]:
    """So many passages spread over so many filings as evenly as can be.

    Raises:
        InputError: there are fewer passages than filings, or no filing.
    """
    if not 1 <= filings <= passages:
        raise InputError(
            f"{passages:,} passages cannot be of {filings:,} filings.", hint="Each filing has one or more."
        )
    least, more = divmod(passages, filings)
    return (least + 1,) * more + (least,) * (filings - more)


def measure_power(sizes: Sequence[int], question: PowerQuestion = PowerQuestion()) -> MeasuredPower:
    """The power to tell two models apart on a benchmark with so many passages in each filing.

    Every number is from the same random numbers, so that none hangs on which others are asked for.

    Raises:
        InputError: fewer than two filings, or a number of the question is outside of its range.
    """
    together = question.comparisons
    design = _designs(sizes, replace(question, differences=(0.0,)))[0]
    single, several = (_smallest(design, question, comparisons) for comparisons in (1, together))
    if question.differences is None:
        question = replace(question, differences=_differences(question.accuracy, (single, several)))
    designs = _designs(sizes, question)
    return MeasuredPower(
        question=question,
        sizes=tuple(sizes),
        single=_powers(designs, question, 1),
        together=_powers(designs, question, together),
        smallest_single=single,
        smallest_together=several,
    )


def power_tables(measured: MeasuredPower) -> tuple[Table, ...]:
    """The power of every difference, and the smallest difference that is found, as tables."""
    pairs = measured.question.comparisons
    designs = _designs(measured.sizes, measured.question)
    several = pairs > 1
    powers = (
        list(zip(measured.single, measured.together, strict=True)) if several else [(one,) for one in measured.single]
    )
    smallest = (measured.smallest_single, *((measured.smallest_together,) if several else ()))
    return (
        power_table(designs, powers, comparisons=pairs),
        smallest_difference_table(designs[0], smallest, powers[0], comparisons=pairs),
    )


def _designs(sizes: Sequence[int], question: PowerQuestion) -> list[PairedDesign]:
    if not question.differences:
        raise InputError("there is no difference to find.", hint="Name at least one.")
    return [
        PairedDesign(tuple(sizes), question.accuracy, one, question.correlation, question.intracluster)
        for one in question.differences
    ]


def _differences(accuracy: float, found: Iterable[float | None]) -> tuple[float, ...]:
    """Round differences, as far as the largest of those that are found often; none that leaves nothing."""
    largest = max((one for one in found if one is not None), default=0.0)
    shown = [one for one in _SHOWN if one <= accuracy]
    more = [one for one in _FURTHER if one <= accuracy]
    while more and largest > max(shown, default=0.0):
        shown.append(more.pop(0))
    if largest > max(shown, default=0.0):
        shown.append(min(accuracy, ceil(100 * largest) / 100))
    return tuple(shown)


def _powers(designs: Sequence[PairedDesign], question: PowerQuestion, comparisons: int) -> tuple[Power, ...]:
    return tuple(
        paired_power(
            design,
            alpha=question.alpha,
            comparisons=comparisons,
            simulations=question.simulations,
            generator=_generator(question),
        )
        for design in designs
    )


def _smallest(design: PairedDesign, question: PowerQuestion, comparisons: int) -> float | None:
    return smallest_difference(
        design,
        alpha=question.alpha,
        comparisons=comparisons,
        simulations=question.simulations,
        generator=_generator(question),
    )


def _generator(question: PowerQuestion) -> np.random.Generator:
    """Always at the beginning."""
    import numpy as np

    if question.seed < 0:
        raise InputError(f"is {question.seed}, and must not be below zero.", where="seed")
    return np.random.default_rng(question.seed)
