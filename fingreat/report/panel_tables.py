"""What a panel holds, and shares corrected by labelled passages, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fingreat.analysis.panel import PanelContents
from fingreat.analysis.prediction_powered import LEAST_LABELS, CorrectedShare, CorrectedShares
from fingreat.report.columns import (
    counts,
    edges,
    estimates,
    names,
    on_grouping,
    on_intervals,
    on_yearly_intervals,
    points,
    share,
    shares,
    spares,
    texts,
)
from fingreat.report.tables import Cell, Estimate, Points, Table, count_of

_ROWS = (
    "The panel has a row for every run, filing and edge, also where there is no extraction. A firm is a Central Index "
    "Key; years are those of filing."
)
_FORMULA = (
    "Corrected is the share by the run's own edges plus the mean, over its extractions of labelled passages, of what "
    "readers give to the edge (1/k if they accept it and k in all) less what the run gives it (1 or 0): "
    "prediction-powered inference for a mean. Corrections are in percentage points."
)
_LABELS = (
    "Every extraction that quotes a labelled passage is labelled, also where several quote the same words. Labels are "
    "those of them that speak of a row: the run or readers give it to them. The mean is over all that are labelled."
)
_INTERVAL = (
    "The 95% interval of a corrected share is by Student's t, with a standard error between filings and as many "
    "degrees of freedom as filings with labels, less 1. Corrected shares and intervals are not cut off at 0 and 100%. "
    "What is said of a bootstrap is of uncorrected shares."
)
_LIKE_OTHERS = (
    "This is right only if the labelled passages are like the run's other extractions. Passages that were labelled "
    "because several runs quote them are easier than most. A single filing has too few labels to be corrected alone."
)
_NONE = "No evidence is what readers accept no edge for; by its own account a run extracts no such passages."
_SILENT = "A dash stands where no labelled extraction speaks of it, or fewer than two filings have labels."
_NO_INTERVAL = (
    f"A corrected share has no interval where fewer than {LEAST_LABELS} labels speak of it: what so few do not show "
    "would count as certain. Nor has it one where all filings show the same, which tells nothing of other filings."
)
_YEARS = "Filing years in which at least two filings have labels of the run's extractions."


def panel_contents_table(contents: Sequence[PanelContents], *, grouping: str) -> Table:
    """A row for each run: what the panel has of it.

    Args:
        grouping: of the graph's edges, which gives the panel's categories.
    """
    lacking = [
        f"{count_of(number, 'filing')} without {what}."
        for number, what in (
            (max((one.no_cik for one in contents), default=0), "a Central Index Key"),
            (max((one.no_date for one in contents), default=0), "a date of filing"),
        )
        if number
    ]
    return Table(
        id="panel-contents",
        title="What the panel holds",
        columns=(
            *texts("run"),
            *counts("rows", "filings", "firms"),
            *texts("years"),
            *counts("filings without extractions"),
            *spares("rows without extractions", "filings with known assets"),
        ),
        rows=tuple(
            (one.run, one.rows, one.filings, one.firms, _years(one), one.silent, one.empty, one.assets)
            for one in contents
        ),
        notes=(_ROWS, *on_grouping(grouping), *lacking),
    )


def corrected_table(found: Sequence[CorrectedShares], *, grouping: str, seed: int) -> Table:
    """Categories of edges by run, over all filings.

    Args:
        grouping: of the graph's edges, which gives the categories.
        seed: of the draws that the intervals of uncorrected shares are from.
    """
    return Table(
        id="corrected-shares",
        title="Shares of extractions, corrected by labelled passages",
        columns=(*names("run"), *texts("category"), *shares("uncorrected"), *counts("labels"), *points("correction"),
                 *estimates("corrected")),
        rows=tuple(
            (of_run.run, one.name, *_cells(one))
            for of_run in found
            for one in (*of_run.of_kind("category"), *_no_evidence(of_run))
        ),
        notes=(_FORMULA, _LABELS, _LIKE_OTHERS, *on_grouping(grouping), *_on_labels(found), *_on_cells(found),
               *_on_draws(found, seed)),
    )  # fmt: skip


def corrected_by_edge_table(found: Sequence[CorrectedShares], *, seed: int) -> Table:
    """Edges by run, over all filings; `seed` as for `corrected_table`."""
    return Table(
        id="corrected-shares-by-edge",
        title="Shares of extractions by edge, corrected by labelled passages",
        detail=True,
        columns=(*names("run"), *edges("edge"), *shares("uncorrected"), *counts("labels"), *points("correction"),
                 *estimates("corrected")),
        rows=tuple((of_run.run, one.name, *_cells(one)) for of_run in found for one in of_run.of_kind("edge")),
        notes=(_FORMULA, _LABELS, _LIKE_OTHERS, *_on_labels(found), *_on_cells(found), *_on_draws(found, seed)),
    )  # fmt: skip


def corrected_by_year_table(found: Sequence[CorrectedShares], *, grouping: str, seed: int) -> Table:
    """Categories and edges by run and filing year; `grouping` and `seed` as for `corrected_table`."""
    return Table(
        id="corrected-shares-by-year",
        title="Shares of extractions by filing year, corrected by labelled passages",
        detail=True,
        columns=(
            *names("run", "year"),
            *texts("category or edge"),
            *shares("uncorrected"),
            *counts("filings with labels", "all labels", "labels"),
            *points("correction"),
            *estimates("corrected"),
        ),
        rows=tuple(_by_year(found)),
        notes=(
            _YEARS,
            _FORMULA,
            _LABELS,
            _LIKE_OTHERS,
            *on_grouping(grouping),
            *_on_cells(found),
            *_of_years(found, seed),
        ),
    )


def _by_year(found: Sequence[CorrectedShares]) -> Iterator[tuple[Cell, ...]]:
    for of_year in found:
        for one in (*of_year.of_kind("category"), *_no_evidence(of_year), *of_year.of_kind("edge")):
            uncorrected, *rest = _cells(one)
            yield of_year.run, str(of_year.year), one.name, uncorrected, of_year.gold_filings, of_year.labelled, *rest


def _no_evidence(found: CorrectedShares) -> tuple[CorrectedShare, ...]:
    """The row of no evidence, where readers saw any such."""
    return tuple(one for one in found.of_kind("none") if one.labelled)


def _cells(one: CorrectedShare) -> tuple[Cell, ...]:
    """Uncorrected share, labels, correction and corrected share."""
    uncorrected = share(one.uncorrected)
    if one.value is None or uncorrected.value is None:
        return uncorrected, one.labelled, None, None
    # Rounding may leave a difference that is a little more than 1.
    correction = Points(value=max(-1.0, min(1.0, one.value - uncorrected.value)))
    return uncorrected, one.labelled, correction, Estimate(value=one.value, interval=one.interval)


def _on_labels(found: Sequence[CorrectedShares]) -> Iterator[str]:
    for one in found:
        yield (
            f"{one.run}: {count_of(one.labelled, 'labelled extraction')} of "
            f"{count_of(one.gold_filings, 'filing')}, of {one.extractions:,} extractions of {one.filings:,} filings. "
            f"They quote {count_of(one.gold_passages, 'passage')}."
        )


def _on_cells(found: Sequence[CorrectedShares]) -> Iterator[str]:
    if any(one.value is not None for of_run in found for one in of_run.shares):
        yield _INTERVAL
    if any(_no_evidence(of_run) for of_run in found):
        yield _NONE
    if any(one.value is None for of_run in found for one in of_run.shares if one.kind != "none"):
        yield _SILENT
    if any(one.value is not None and one.interval is None for of_run in found for one in of_run.shares):
        yield _NO_INTERVAL


def _on_draws(found: Sequence[CorrectedShares], seed: int) -> tuple[str, ...]:
    given = [one.uncorrected.interval for of_run in found for one in of_run.shares]
    return on_intervals(given, max((of_run.filings for of_run in found), default=0), seed)


def _of_years(found: Sequence[CorrectedShares], seed: int) -> tuple[str, ...]:
    given = [one.uncorrected.interval for of_year in found for one in of_year.shares]
    return on_yearly_intervals(given, (of_year.filings for of_year in found), seed)


def _years(one: PanelContents) -> str | None:
    if one.first_year is None:
        return None
    return f"{one.first_year}–{one.last_year}" if one.first_year != one.last_year else str(one.first_year)
