"""The tables that hold runs against each other, and against a gold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fingreat.analysis import Agreement, CohortAgreement
from fingreat.pipeline.report.measured import Measured
from fingreat.pipeline.report.scores import P_DIGITS, p_value
from fingreat.report import Cell, Share, Table
from fingreat.report.columns import MOST_ROWS, counts, edges, left_out, numbers, rates, share, shares, texts
from fingreat.report.columns import filings as filing_columns

MOST_RUNS_BY_EDGE = 10
"""Up to so many runs, agreement is also shown for each edge: every pair of runs takes two rows per edge."""
_REFERENCE = (
    "The reference is another run, no truth. A match is two quotes of the same passage, whatever their edges. Recall "
    "is matched / extractions of the reference; Jaccard is matched / (extractions of both - matched); conditional "
    "precision is matched under the same edge / matched."
)
_RANGE = (
    "Where equal quotes carry different edges, several assignments are equally good: lowest and highest are the "
    "conditional precision of the worst and the best of them."
)
_COHORTS = (
    "Cohorts go by the edge of the reference. There is no Jaccard here: an extraction without a match has no "
    "reference edge."
)


def agreement(measured: Measured) -> Table | None:
    """Every ordered pair of a run and its reference."""
    if not measured.agreement:
        return None
    open_ended = any(least < most for least, most in measured.same_edge.values())
    rows: list[tuple[Cell, ...]] = []
    for pair, found in measured.agreement.items():
        measures = [share(ratio) for ratio in (found.recall, found.jaccard, found.conditional_precision)]
        if open_ended:
            measures += [Share(k=same, n=found.matched) for same in measured.same_edge[pair]]
        rows.append((*pair, found.n, found.n_reference, found.matched, *measures))
    return Table(
        id="agreement",
        title="Runs against each other",
        columns=(
            *texts("run", "reference"),
            *counts("extractions", "of the reference", "matched"),
            *shares("recall", "Jaccard", "conditional precision"),
            *shares(*(("lowest", "highest") if open_ended else ())),
        ),
        rows=tuple(rows),
        notes=(_REFERENCE, _RANGE) if open_ended else (_REFERENCE,),
    )


def agreement_by_category(measured: Measured) -> Table | None:
    """The same within the categories of reference edges."""
    if not measured.agreement:
        return None
    return Table(
        id="agreement-by-category",
        title="Runs against each other, by category",
        detail=True,
        columns=(*texts("run", "reference", "category"), *shares("recall", "conditional precision")),
        rows=tuple(_cohorts(measured, lambda found: found.categories)),
        notes=(_COHORTS, f"By edge, agreement is shown for up to {MOST_RUNS_BY_EDGE} runs.")
        if len(measured.runs) > MOST_RUNS_BY_EDGE
        else (_COHORTS,),
    )


def agreement_by_edge(measured: Measured) -> Table | None:
    """The same within reference edges, where there are not too many runs."""
    if not measured.agreement or len(measured.runs) > MOST_RUNS_BY_EDGE:
        return None
    return Table(
        id="agreement-by-edge",
        title="Runs against each other, by edge",
        detail=True,
        columns=(*texts("run", "reference"), *edges("edge"), *shares("recall", "conditional precision")),
        rows=tuple(_cohorts(measured, lambda found: found.edges)),
        notes=(_COHORTS,),
    )


def _cohorts(
    measured: Measured, cohorts: Callable[[Agreement], Sequence[CohortAgreement]]
) -> Iterator[tuple[Cell, ...]]:
    for pair, found in measured.agreement.items():
        for cohort in cohorts(found):
            yield *pair, cohort.name, share(cohort.recall), share(cohort.conditional_precision)


def gold(measured: Measured) -> Table | None:
    """Every run against the gold."""
    rows = tuple(
        (
            run.name,
            *map(share, (run.score.precision, run.score.recall, run.score.located, run.score.typed)),
            run.score.chance_precision,
            run.score.chance_typed,
            p_value(run.score),
        )
        for run in measured.runs
        if run.score
    )
    if not rows:
        return None
    return Table(
        id="gold",
        title="Runs against the gold",
        columns=(
            *texts("run"),
            *shares("precision", "recall", "on evidence", "right edge, of those"),
            *rates("precision by chance", "right edge by chance"),
            *numbers("p", digits=P_DIGITS),
        ),
        rows=rows,
        notes=(
            "The gold is taken to list all evidence of its filings: an extraction is right if at least half of its "
            "characters lie on passages that accept its edge; a passage is found if at least half of its characters "
            "are covered by extractions under one of its edges. p: so many right edges or more, if drawn at random.",
        ),
    )


def gold_by_edge(measured: Measured) -> Table | None:
    """Every run against the gold, edge by edge."""
    rows = tuple(
        (run.name, row.edge, share(row.precision), share(row.recall))
        for run in measured.runs
        if run.score
        for row in run.score.edges
    )
    if not rows:
        return None
    return Table(
        id="gold-by-edge",
        title="Runs against the gold, by edge",
        detail=True,
        columns=(*texts("run"), *edges("edge"), *shares("precision", "recall")),
        rows=rows,
        notes=("Precision over the extractions of the edge, recall over the passages that accept it.",),
    )


def gold_by_filing(measured: Measured) -> Table | None:
    """Every run against the gold, filing by filing."""
    filings = [filing for filing in measured.filings if any(filing.id in run.scores for run in measured.runs)]
    if not filings:
        return None
    rows = tuple(
        (run.name, filing.id, filing.company, share(found.precision), share(found.recall))
        for filing in filings[:MOST_ROWS]
        for run in measured.runs
        if (found := run.scores.get(filing.id))
    )
    return Table(
        id="gold-by-filing",
        title="Runs against the gold, by filing",
        detail=True,
        columns=(*texts("run"), *filing_columns(), *shares("precision", "recall")),
        rows=rows,
        notes=left_out(len(filings)),
    )
