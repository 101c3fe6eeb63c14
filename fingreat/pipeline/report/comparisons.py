"""The tables that hold runs against each other, and against a gold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fingreat.analysis import PairAgreement
from fingreat.pipeline.report.measured import Measured
from fingreat.pipeline.report.scores import P_DIGITS, p_value
from fingreat.report import Table, count_of
from fingreat.report.agreement_tables import agreement_by_category_table, agreement_by_edge_table, agreement_table
from fingreat.report.columns import MOST_ROWS, edges, left_out, numbers, rates, share, shares, texts
from fingreat.report.columns import filings as filing_columns

MOST_RUNS_BY_EDGE = 10
"""Up to so many runs, agreement is also shown for each edge: every pair of runs takes two rows per edge."""


def of_pairs(make: Callable[[Sequence[PairAgreement]], Table]) -> Callable[[Measured], Table | None]:
    """What makes a table of every ordered pair of a run and its reference, if there are any."""
    return lambda measured: make(tuple(measured.agreement.values())) if measured.agreement else None


def agreement(measured: Measured) -> Table | None:
    """Every run against every other, with the number of filings, if there are several runs."""
    if not measured.agreement:
        return None
    table = agreement_table(tuple(measured.agreement.values()))
    over = f"Over {count_of(len(measured.filings), 'filing')}."
    return table.model_copy(update={"notes": (over, *table.notes)})


def agreement_by_category(pairs: Sequence[PairAgreement]) -> Table:
    """Agreement within the categories of reference edges; says so where it is not shown by edge."""
    table = agreement_by_category_table(pairs)
    if _few_enough(pairs):
        return table
    note = f"By edge, agreement is shown for up to {MOST_RUNS_BY_EDGE} runs."
    return table.model_copy(update={"notes": (*table.notes, note)})


def agreement_by_edge(measured: Measured) -> Table | None:
    """Agreement within reference edges, where there are not too many runs."""
    pairs = tuple(measured.agreement.values())
    return agreement_by_edge_table(pairs) if pairs and _few_enough(pairs) else None


def _few_enough(pairs: Sequence[PairAgreement]) -> bool:
    return len({pair.run for pair in pairs}) <= MOST_RUNS_BY_EDGE


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
            "are covered by extractions under one of its edges.",
            "p: so many right edges or more, if each were drawn at random by itself. Extractions of one filing are not "
            "independent, so p is too small.",
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
