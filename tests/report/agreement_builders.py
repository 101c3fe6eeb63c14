"""Two runs whose agreement is counted by hand, for the tests of the tables."""

from __future__ import annotations

from fingreat.analysis import (
    Agreement,
    CharacterAgreement,
    CohortAgreement,
    EnsembleRow,
    EnsembleScore,
    FidelityCounts,
    Interval,
    PairAgreement,
    Ratio,
)
from fingreat.analysis.ensemble import CohortPrecision
from fingreat.report import Table, cell_text

WIDE = Interval(0.25, 0.875, 2000)
FILINGS = 300


def shown(table: Table) -> list[str]:
    """The rows as the console has them."""
    return [" | ".join(map(cell_text, table.columns, row)) for row in table.rows]


def labels(table: Table) -> list[str]:
    return [column.label for column in table.columns]


def agreement(
    n: int = 4,
    n_reference: int = 5,
    matched: int = 3,
    same: int = 2,
    ends: tuple[int, int] | None = None,
    interval: Interval | None = WIDE,
) -> Agreement:
    """Three of four extractions are matched with the five of the reference, two under the same edge."""
    cohorts = (
        CohortAgreement("Net Income", Ratio(3, 4, interval), Ratio(2, 3, interval)),
        CohortAgreement("Equity", Ratio(0, 1, interval), Ratio(0, 0)),
    )
    edges = (CohortAgreement("REV-NNCA", Ratio(3, 4, interval), Ratio(2, 3, interval)),)
    return Agreement(
        n, n_reference, matched, same, cohorts, edges, same_edge_range=ends, intervals=(interval, interval, interval)
    )


def fidelity(filings: int = FILINGS, interval: Interval | None = WIDE, matched: int = 3) -> FidelityCounts:
    """Of three matches one is equal, one has no figures, one the same ones, and one other ones and another sense."""
    if not matched:
        nothing = Ratio(0, 0)
        none = dict.fromkeys(("direction", "figure", "modal", "negation", "scale"), 0)
        return FidelityCounts(
            filings, 0, 0, dict.fromkeys(("none", "same", "more", "differ"), 0), nothing, nothing, none
        )  # type: ignore[arg-type]
    return FidelityCounts(
        filings=filings,
        matched=3,
        equal=1,
        figures={"none": 1, "same": 1, "more": 0, "differ": 1},
        figures_agree=Ratio(1, 2, interval),
        near_misses=Ratio(1, 3, interval),
        kinds={"direction": 1, "figure": 1, "modal": 0, "negation": 0, "scale": 0},
    )


def pair(
    run: str = "a",
    reference: str = "b",
    words: Agreement | None = None,
    *,
    unplaced: tuple[int, int] = (0, 0),
    counts: FidelityCounts | None = None,
    interval: Interval | None = WIDE,
) -> PairAgreement:
    """By place one match fewer than by words; 60 of the 100 characters of the run and 80 of the reference in both."""
    return PairAgreement(
        run=run,
        reference=reference,
        words=words or agreement(interval=interval),
        spans=agreement(matched=2, same=1, interval=interval),
        characters=CharacterAgreement(100, 80, Ratio(60, 80, interval), Ratio(60, 120, interval), *unplaced),
        fidelity=counts or fidelity(interval=interval),
    )


def vote(reference: str = "gold & co") -> EnsembleScore:
    """Three members with ten passages, eight of them with a majority; the reference quotes five of these and one."""

    def row(name: str, right: int, equity: tuple[int, int], difference: Interval | None = None) -> EnsembleRow:
        categories = (
            CohortPrecision("Net Income", Ratio(right - equity[0], 5 - equity[1], WIDE)),
            CohortPrecision("Equity", Ratio(*equity)),
        )
        return EnsembleRow(name, Ratio(right, 5, WIDE), categories, difference)

    return EnsembleScore(
        reference=reference,
        filings=FILINGS,
        members=3,
        quorum=2,
        groups=10,
        decidable=8,
        abstained=2,
        matched=5,
        abstained_matched=1,
        recall=Ratio(5, 40, WIDE),
        rows=(
            row("ensemble", 4, (1, 1)),
            row("m1", 3, (1, 1), Interval(-0.1, 0.5, 1990, 10)),
            row("m2", 5, (1, 1), Interval(-0.4, 0.0, 2000)),
            row("m3", 4, (0, 1)),
        ),
    )
