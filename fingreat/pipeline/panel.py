"""A row for every run, filing and edge, and shares corrected by gold passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fingreat.analysis.bootstrap import REPLICATES, SEED
from fingreat.analysis.panel import PanelRow
from fingreat.analysis.prediction_powered import CorrectedShares
from fingreat.pipeline.corpus_folder import CorpusFolder
from fingreat.pipeline.side_by_side import Scope, Watching, unwatched
from fingreat.report.model import Figure
from fingreat.report.tables import Table
from fingreat.runs import RunFolder
from fingreat.schema import GoldPassage, Graph
from fingreat.schema.graph import DEFAULT_GROUPING


@dataclass(frozen=True)
class MeasuredPanel:
    """What several runs extract, filing by filing.

    Attributes:
        rows: of every run, filing and edge, in this order.
        corrected: per run the shares of all filings and of filing years; empty without gold passages.
    """

    scope: Scope
    names: tuple[str, ...]
    graph: Graph
    grouping: str
    replicates: int
    seed: int
    rows: tuple[PanelRow, ...]
    corrected: tuple[CorrectedShares, ...]


def measure_panel(
    runs: Sequence[RunFolder],
    *,
    corpus: CorpusFolder | None = None,
    gold: Sequence[GoldPassage] = (),
    common: bool = False,
    grouping: str = DEFAULT_GROUPING,
    replicates: int = REPLICATES,
    seed: int = SEED,
    watch: Watching = unwatched,
) -> MeasuredPanel:
    """The panel of runs over the same texts, and with gold passages their corrected shares."""
    raise NotImplementedError


def panel_tables(measured: MeasuredPanel) -> tuple[Table, ...]:
    """What the panel holds, and the corrected shares, as tables."""
    raise NotImplementedError


def panel_figures(measured: MeasuredPanel) -> tuple[Figure, ...]:
    """None: the panel is data."""
    return ()


def write_panel(measured: MeasuredPanel, out: Path) -> tuple[Path, ...]:
    """Write `panel.csv`, and `panel.parquet` where polars is installed."""
    raise NotImplementedError
