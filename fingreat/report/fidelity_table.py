"""Whether matched quotes say the same, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fingreat.analysis import PairAgreement, Ratio
from fingreat.analysis.bootstrap import SEED
from fingreat.analysis.fidelity import DIFFERENCES, FIGURES
from fingreat.report.columns import MATCHED, counts, names, on_intervals, share, shares, spares, texts
from fingreat.report.tables import Table
from fingreat.schema import Figures

_FIGURE_COLUMNS: dict[Figures, str] = {
    "none": "no figures",
    "same": "same figures",
    "more": "more in one",
    "differ": "other figures",
}
_OVERLAP = (
    "Overlap tells how much of their words two quotes share, not whether they say the same. Equal ones differ in "
    "typography at most."
)
_AGREE = (
    "Same figures: both quotes have the same ones, equally often; more in one: one quote has all of the other's and "
    "more, or the other has none; other figures: each has one that the other lacks. Figures agree is same / all "
    "matches in which a figure stands."
)
_NEAR = (
    "Near misses read alike and say something else where they run side by side: another figure, another direction, a "
    "negation, another modal word or another scale."
)
_KINDS = "A near miss that differs in several kinds counts in each."
_BOTH = "Each two runs have one row: which of them is the reference plays no part here."


def fidelity_table(pairs: Sequence[PairAgreement], *, seed: int = SEED) -> Table:
    """How many matches are equal, have figures that agree, and are near misses; one row for each two runs.

    Args:
        seed: of the draws that the intervals are from.
    """
    once = tuple(_once(pairs))
    return Table(
        id="fidelity",
        title="Whether matched quotes say the same",
        columns=(
            *names("run"),
            *texts("reference"),
            *spares("matched"),
            *shares("equal"),
            *counts(*(_FIGURE_COLUMNS[name] for name in FIGURES)),
            *shares("figures agree", "near misses"),
        ),
        rows=tuple(
            (
                *(pair.run, pair.reference, pair.fidelity.matched),
                share(Ratio(pair.fidelity.equal, pair.fidelity.matched)),
                *(pair.fidelity.figures[name] for name in FIGURES),
                *map(share, _measures(pair)),
            )
            for pair in once
        ),
        notes=(
            MATCHED,
            _OVERLAP,
            _AGREE,
            _NEAR,
            *_one_row(pairs, once),
            *on_intervals(
                (ratio.interval for pair in once for ratio in _measures(pair)),
                max((pair.fidelity.filings for pair in once), default=0),
                seed,
            ),
        ),
    )


def near_miss_table(pairs: Sequence[PairAgreement]) -> Table:
    """What near misses differ in; one row for each two runs."""
    once = tuple(_once(pairs))
    return Table(
        id="near-misses",
        title="Near misses by what they differ in",
        detail=True,
        columns=(*names("run"), *texts("reference"), *counts("matched", "near misses", *DIFFERENCES)),
        rows=tuple(
            (
                *(pair.run, pair.reference, pair.fidelity.matched, pair.fidelity.near_misses.hits),
                *(pair.fidelity.kinds[name] for name in DIFFERENCES),
            )
            for pair in once
        ),
        notes=(MATCHED, _NEAR, _KINDS, *_one_row(pairs, once)),
    )


def _measures(pair: PairAgreement) -> tuple[Ratio, Ratio]:
    return pair.fidelity.figures_agree, pair.fidelity.near_misses


def _once(pairs: Sequence[PairAgreement]) -> Iterator[PairAgreement]:
    """The first of both directions of every two runs."""
    seen: set[tuple[str, str]] = set()
    for pair in pairs:
        if (pair.reference, pair.run) not in seen:
            seen.add((pair.run, pair.reference))
            yield pair


def _one_row(pairs: Sequence[PairAgreement], once: Sequence[PairAgreement]) -> tuple[str, ...]:
    return (_BOTH,) if len(once) < len(pairs) else ()
