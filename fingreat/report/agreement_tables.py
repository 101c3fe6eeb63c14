"""How far runs quote the same passages and give them the same edges, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from fingreat.analysis import Agreement, CohortAgreement, PairAgreement, Ratio
from fingreat.analysis.bootstrap import SEED
from fingreat.matching import MIN_OVERLAP
from fingreat.report.columns import (
    COHORTS,
    MATCHED,
    REFERENCE,
    TIES,
    edges,
    names,
    on_grouping,
    on_intervals,
    rates,
    share,
    shares,
    spares,
    texts,
)
from fingreat.report.tables import Cell, Table
from fingreat.schema.graph import DEFAULT_GROUPING

_MEASURES = (
    "Recall is matched / extractions of the reference; Jaccard is matched / (extractions of both - matched); "
    "conditional precision is matched under the same edge / matched."
)
_VERBOSE = "Recall favours a run that extracts much: read it beside Jaccard and the extractions of either run."
_RANGE = (
    "Where a run quotes a passage twice under two edges, several assignments are equally good: lowest and highest are "
    "the conditional precision of the worst and the best of them; intervals are of the one that was taken."
)
_NO_JACCARD = "There is no Jaccard here: an extraction without a match has no reference edge."
_BY_PLACE = (
    "Here quotes are matched one to one by where they stand in the text, not by their words: two may match if they "
    f"share at least {MIN_OVERLAP:.0%} of the shorter one's characters. A sentence that a filing repeats is matched "
    "only where both runs took it from the same place, or where a quote does not tell from which; a quote that stands "
    "nowhere in the text is matched with nothing."
)
_CHARACTERS = (
    "Characters are compared without matching, so that one long quote may be worth several short ones: recall is the "
    "characters that both quote / those that the reference quotes; Jaccard is the characters that both quote / those "
    "that either quotes. A quote that stands in several places counts where the other run quotes most."
)


def agreement_table(pairs: Sequence[PairAgreement], *, seed: int = SEED) -> Table:
    """Every run against every reference, its quotes matched by their words.

    Lowest and highest conditional precision have columns where they differ for some pair.

    Args:
        seed: of the draws that the intervals are from.
    """
    open_ended = _is_open(pair.words for pair in pairs)
    rows: list[tuple[Cell, ...]] = []
    for pair in pairs:
        found = pair.words
        cells: tuple[Cell, ...] = (pair.run, pair.reference, found.n, found.n_reference, found.matched)
        rows.append((*cells, *map(share, _measures(found)), *(_range(found) if open_ended else ())))
    return Table(
        id="agreement",
        title=_title(pairs),
        columns=(
            *names("run"),
            *texts("reference"),
            *spares("extractions", "of the reference", "matched"),
            *shares("recall", "Jaccard", "conditional precision"),
            *rates(*(("lowest", "highest") if open_ended else ())),
        ),
        rows=tuple(rows),
        notes=(
            REFERENCE,
            MATCHED,
            _MEASURES,
            _VERBOSE,
            *((_RANGE,) if open_ended else ()),
            *_on_intervals(pairs, lambda pair: _measures(pair.words), seed),
        ),
    )


def agreement_by_category_table(
    pairs: Sequence[PairAgreement], *, grouping: str = DEFAULT_GROUPING, seed: int = SEED
) -> Table:
    """The same within the categories of reference edges."""
    return Table(
        id="agreement-by-category",
        title=f"{_title(pairs)}, by category",
        detail=True,
        columns=(*names("run", "reference"), *texts("category"), *shares("recall", "conditional precision")),
        rows=tuple(_cohorts(pairs, lambda found: found.categories)),
        notes=(*on_grouping(grouping), *_on_cohorts(pairs, lambda found: found.categories, seed)),
    )


def agreement_by_edge_table(pairs: Sequence[PairAgreement], *, seed: int = SEED) -> Table:
    """The same within reference edges."""
    return Table(
        id="agreement-by-edge",
        title=f"{_title(pairs)}, by edge",
        detail=True,
        columns=(*names("run", "reference"), *edges("edge"), *shares("recall", "conditional precision")),
        rows=tuple(_cohorts(pairs, lambda found: found.edges)),
        notes=_on_cohorts(pairs, lambda found: found.edges, seed),
    )


def span_table(pairs: Sequence[PairAgreement], *, seed: int = SEED) -> Table:
    """Every run against every reference by the places of its quotes: matched by them, and character by character."""
    return Table(
        id="agreement-by-place",
        title=f"{_title(pairs)}, by place in the text",
        columns=(
            *names("run"),
            *texts("reference"),
            *spares("matched"),
            *shares("recall", "Jaccard", "conditional precision", "character recall", "character Jaccard"),
        ),
        rows=tuple((pair.run, pair.reference, pair.spans.matched, *map(share, _places(pair))) for pair in pairs),
        notes=(
            REFERENCE,
            _BY_PLACE,
            *((TIES,) if _is_open(pair.spans for pair in pairs) else ()),
            _CHARACTERS,
            *_unplaced(pairs),
            *_on_intervals(pairs, _places, seed),
        ),
    )


def _title(pairs: Sequence[PairAgreement]) -> str:
    """How runs are compared: every two of them, or some with others."""
    mutual = {pair.run for pair in pairs} == {pair.reference for pair in pairs}
    return f"Runs against {'each other' if mutual else 'references'}"


def _measures(found: Agreement) -> tuple[Ratio, ...]:
    return found.recall, found.jaccard, found.conditional_precision


def _places(pair: PairAgreement) -> tuple[Ratio, ...]:
    return *_measures(pair.spans), pair.characters.recall, pair.characters.jaccard


def _range(found: Agreement) -> tuple[float | None, float | None]:
    """Lowest and highest conditional precision; the very one where no range was told."""
    low, high = found.conditional_precision_range or (found.conditional_precision, found.conditional_precision)
    return low.value, high.value


def _is_open(found: Iterable[Agreement]) -> bool:
    """Whether equally good assignments differ in how often edges agree."""
    return any(low != high for low, high in map(_range, found))


def _cohorts(
    pairs: Sequence[PairAgreement], cohorts: Callable[[Agreement], Sequence[CohortAgreement]]
) -> Iterator[tuple[Cell, ...]]:
    for pair in pairs:
        for cohort in cohorts(pair.words):
            yield pair.run, pair.reference, cohort.name, share(cohort.recall), share(cohort.conditional_precision)


def _on_cohorts(
    pairs: Sequence[PairAgreement], cohorts: Callable[[Agreement], Sequence[CohortAgreement]], seed: int
) -> tuple[str, ...]:
    """The notes on a table of cohorts."""

    def ratios(pair: PairAgreement) -> tuple[Ratio, ...]:
        return tuple(ratio for cohort in cohorts(pair.words) for ratio in (cohort.recall, cohort.conditional_precision))

    ties = (TIES,) if _is_open(pair.words for pair in pairs) else ()
    return (REFERENCE, MATCHED, COHORTS, _NO_JACCARD, *ties, *_on_intervals(pairs, ratios, seed))


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
