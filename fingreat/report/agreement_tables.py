"""How far runs quote the same passages and give them the same edges, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fingreat.analysis import Agreement, CohortAgreement, PairAgreement, Ratio
from fingreat.analysis.bootstrap import SEED
from fingreat.matching import MIN_OVERLAP
from fingreat.report.columns import counts, edges, names, on_intervals, rates, share, shares, spares, texts
from fingreat.report.tables import Cell, Table

_REFERENCE = (
    "The reference is another run, no truth. A match is two quotes of the same passage, whatever their edges. Recall "
    "is matched / extractions of the reference; Jaccard is matched / (extractions of both - matched); conditional "
    "precision is matched under the same edge / matched."
)
_VERBOSE = "Recall favours a run that extracts much: read it beside Jaccard and the extractions of either run."
_RANGE = (
    "Where equal quotes carry different edges, several assignments are equally good: lowest and highest are the "
    "conditional precision of the worst and the best of them."
)
_COHORTS = (
    "Cohorts go by the edge of the reference. There is no Jaccard here: an extraction without a match has no "
    "reference edge."
)
_BY_PLACE = (
    "Here quotes are matched by where they stand in the text, not by their words: two match if they share at least "
    f"{MIN_OVERLAP:.0%} of the shorter one's characters. A sentence that a filing repeats is matched only where both "
    "runs took it from the same place, and a quote that stands nowhere in the text with nothing."
)
_CHARACTERS = (
    "Characters are compared without matching, so that one long quote may be worth several short ones: recall is the "
    "characters that both quote / those that the reference quotes; Jaccard is the characters that both quote / those "
    "that either quotes."
)


def agreement_table(pairs: Sequence[PairAgreement], *, seed: int = SEED) -> Table:
    """Every run against every reference, its quotes matched by their words.

    Lowest and highest conditional precision have columns where they differ for some pair.

    Args:
        seed: of the draws that the intervals are from.
    """
    open_ended = any(low != high for low, high in (_range(pair.words) for pair in pairs))
    rows: list[tuple[Cell, ...]] = []
    for pair in pairs:
        found = pair.words
        cells: tuple[Cell, ...] = (pair.run, pair.reference, found.n, found.n_reference, found.matched)
        rows.append((*cells, *map(share, _measures(found)), *(_range(found) if open_ended else ())))
    return Table(
        id="agreement",
        title="Runs against each other",
        columns=(
            *names("run"),
            *texts("reference"),
            *counts("extractions"),
            *spares("of the reference", "matched"),
            *shares("recall", "Jaccard", "conditional precision"),
            *rates(*(("lowest", "highest") if open_ended else ())),
        ),
        rows=tuple(rows),
        notes=(
            _REFERENCE,
            _VERBOSE,
            *((_RANGE,) if open_ended else ()),
            *_on_intervals(pairs, lambda pair: _measures(pair.words), seed),
        ),
    )


def agreement_by_category_table(pairs: Sequence[PairAgreement], *, seed: int = SEED) -> Table:
    """The same within the categories of reference edges."""
    return Table(
        id="agreement-by-category",
        title="Runs against each other, by category",
        detail=True,
        columns=(*names("run", "reference"), *texts("category"), *shares("recall", "conditional precision")),
        rows=tuple(_cohorts(pairs, lambda found: found.categories)),
        notes=(_COHORTS, *_on_intervals(pairs, lambda pair: _of_cohorts(pair.words.categories), seed)),
    )


def agreement_by_edge_table(pairs: Sequence[PairAgreement], *, seed: int = SEED) -> Table:
    """The same within reference edges."""
    return Table(
        id="agreement-by-edge",
        title="Runs against each other, by edge",
        detail=True,
        columns=(*names("run", "reference"), *edges("edge"), *shares("recall", "conditional precision")),
        rows=tuple(_cohorts(pairs, lambda found: found.edges)),
        notes=(_COHORTS, *_on_intervals(pairs, lambda pair: _of_cohorts(pair.words.edges), seed)),
    )


def span_table(pairs: Sequence[PairAgreement], *, seed: int = SEED) -> Table:
    """Every run against every reference by the places of its quotes: matched by them, and character by character."""
    return Table(
        id="agreement-by-place",
        title="Runs against each other, by place in the text",
        columns=(
            *names("run"),
            *texts("reference"),
            *spares("matched"),
            *shares("recall", "Jaccard", "conditional precision", "character recall", "character Jaccard"),
        ),
        rows=tuple((pair.run, pair.reference, pair.spans.matched, *map(share, _places(pair))) for pair in pairs),
        notes=(_BY_PLACE, _CHARACTERS, *_unplaced(pairs), *_on_intervals(pairs, _places, seed)),
    )


def _measures(found: Agreement) -> tuple[Ratio, ...]:
    return found.recall, found.jaccard, found.conditional_precision


def _places(pair: PairAgreement) -> tuple[Ratio, ...]:
    return *_measures(pair.spans), pair.characters.recall, pair.characters.jaccard


def _range(found: Agreement) -> tuple[float | None, float | None]:
    """Lowest and highest conditional precision; the very one where no range was told."""
    low, high = found.conditional_precision_range or (found.conditional_precision, found.conditional_precision)
    return low.value, high.value


def _cohorts(
    pairs: Sequence[PairAgreement], cohorts: Callable[[Agreement], Sequence[CohortAgreement]]
) -> Iterator[tuple[Cell, ...]]:
    for pair in pairs:
        for cohort in cohorts(pair.words):
            yield pair.run, pair.reference, cohort.name, share(cohort.recall), share(cohort.conditional_precision)


def _of_cohorts(cohorts: Sequence[CohortAgreement]) -> tuple[Ratio, ...]:
    return tuple(ratio for cohort in cohorts for ratio in (cohort.recall, cohort.conditional_precision))


def _unplaced(pairs: Sequence[PairAgreement]) -> Iterator[str]:
    """A note on quotes that stand nowhere in the text."""
    numbers: dict[str, int] = {}
    for pair in pairs:
        numbers[pair.run] = pair.characters.n_unplaced
        numbers[pair.reference] = pair.characters.n_reference_unplaced
    told = [f"{number:,} of {name}" for name, number in numbers.items() if number]
    if told:
        yield f"Quotes that stand nowhere in the text: {', '.join(told)}."


def _on_intervals(
    pairs: Sequence[PairAgreement], ratios: Callable[[PairAgreement], Sequence[Ratio]], seed: int
) -> tuple[str, ...]:
    found = [ratio.interval for pair in pairs for ratio in ratios(pair)]
    return on_intervals(found, max((pair.fidelity.filings for pair in pairs), default=0), seed)
