"""How far models agree with their own repeats, beside how far they agree with one another, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fingreat.analysis import Agreement
from fingreat.analysis.bootstrap import SEED
from fingreat.report.columns import MATCHED, TIES, on_intervals, rates, share, shares, spares, texts
from fingreat.report.tables import Cell, Table

_FLOOR = (
    "A repeat asks the same model the same of the same texts, cut into smaller chunks with other borders, with another "
    "seed: what it agrees less than fully with the run itself is noise. Two models differ from each other only as far "
    "as they agree less than each with its own repeats; own repeats are the Jaccards of these two models' repeats, the "
    "lowest of them."
)
_MEASURES = (
    "Jaccard is matched / (extractions of both - matched); conditional precision is matched under the same edge / "
    "matched. Both are the same in either direction."
)
_RANGE = (
    "Lowest and highest are the conditional precision of the worst and the best of all assignments that are equally "
    "good. A model that gives the same edges every time has 100% at its highest, whatever the assignment that was "
    "taken: only what the highest lacks is noise of the model."
)


@dataclass(frozen=True)
class NoisePair:
    """Two runs, and how far they agree.

    Attributes:
        repeated: whether the second repeats the first.
    """

    a: str
    b: str
    repeated: bool
    agreement: Agreement


def noise_table(pairs: Sequence[NoisePair], filings: int, *, seed: int = SEED) -> Table:
    """Every run against its repeats, then every two runs, those that agree most first.

    Args:
        filings: on which it was measured.
        seed: of the draws that the intervals are from.
    """
    own = [pair for pair in pairs if pair.repeated]
    others = [pair for pair in pairs if not pair.repeated]
    others.sort(key=lambda pair: pair.agreement.jaccard.value or 0.0, reverse=True)
    intervals = [interval for pair in pairs for interval in pair.agreement.intervals]
    return Table(
        id="noise-floor",
        title="Agreement of models with their own repeats, and with one another",
        columns=(
            *texts("run", "and", "which is"),
            *spares("matched"),
            *shares("Jaccard", "own repeats", "conditional precision"),
            *rates("lowest", "highest"),
        ),
        rows=tuple(_row(pair, own) for pair in (*own, *others)),
        notes=(_FLOOR, MATCHED, _MEASURES, *_on_ties(pairs), *on_intervals(intervals, filings, seed)),
    )


def _row(pair: NoisePair, own: Sequence[NoisePair]) -> tuple[Cell, ...]:
    found = pair.agreement
    floors = [one.agreement.jaccard for one in own if one.a in (pair.a, pair.b)] if not pair.repeated else []
    # A run without repeats says nothing of its noise, so the two have no floor.
    known = {one.a for one in own} >= {pair.a, pair.b}
    lowest = (
        min(floors, key=lambda ratio: ratio.value if ratio.value is not None else 2.0) if known and floors else None
    )
    return (
        pair.a,
        pair.b,
        "its repeat" if pair.repeated else "another model",
        found.matched,
        share(found.jaccard),
        share(lowest) if lowest is not None else None,
        share(found.conditional_precision),
        *_range(found),
    )


def _on_ties(pairs: Sequence[NoisePair]) -> tuple[str, ...]:
    """The notes on equally good assignments, where some differ in how often edges agree."""
    ranges = (_range(pair.agreement) for pair in pairs)
    return (TIES, _RANGE) if any(low != high for low, high in ranges) else ()


def _range(found: Agreement) -> tuple[float | None, float | None]:
    if (ends := found.conditional_precision_range) is None:
        return None, None
    return ends[0].value, ends[1].value
