"""Shares of edges corrected by passages whose right edges are known (prediction-powered inference)."""

from __future__ import annotations

from dataclasses import dataclass

from fingreat.analysis.ratio import Interval, Ratio


@dataclass(frozen=True)
class CorrectedShare:
    """The share of one edge or category among a run's extractions.

    Attributes:
        kind: whether `name` is an edge, a category, or what is no evidence at all.
        uncorrected: by the run's own edges.
        value, interval: by what readers would say; neither is bound to 0 to 1. None where there are too few labels.
        standard_error: of the value.
    """

    kind: str
    name: str
    uncorrected: Ratio
    value: float | None
    standard_error: float | None
    interval: Interval | None


@dataclass(frozen=True)
class CorrectedShares:
    """The shares of a run over some filings.

    Attributes:
        year: of filing; None for all filings.
        filings, extractions: that the shares are of.
        gold_filings, gold_passages: with labels, of those.
    """

    run: str
    year: int | None
    filings: int
    extractions: int
    gold_filings: int
    gold_passages: int
    shares: tuple[CorrectedShare, ...]
