"""What a report says, measured, before it is laid out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fingreat.analysis import GoldScore, PairAgreement, TagScore
from fingreat.runs import Manifest
from fingreat.schema import Extraction, Failure, Filing, Graph, Match

Names = tuple[str, str]
"""Names of two runs, in order."""


@dataclass(frozen=True)
class MeasuredRun:
    """A run with what was measured on it alone.

    Attributes:
        name: unique among the runs of a report.
        extractions, failures: of the filings that the report is over.
        score: None without gold.
        scores: the same for each filing that has gold.
        notes: sentences to stand under its figures.
    """

    name: str
    manifest: Manifest
    extractions: tuple[Extraction, ...]
    failures: tuple[Failure, ...]
    tags: TagScore
    score: GoldScore | None = None
    scores: Mapping[str, GoldScore] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Measured:
    """Everything that a report says.

    Attributes:
        filings: those that it is over, in corpus order.
        lengths: filing id → characters of its section.
        runs: in the order in which they were named.
        matches: (run A, run B) → their matches, one way round.
        agreement: (a run, its reference) → how they agree, for every ordered pair.
    """

    graph: Graph
    filings: tuple[Filing, ...]
    lengths: Mapping[str, int]
    runs: tuple[MeasuredRun, ...]
    matches: Mapping[Names, tuple[Match, ...]]
    agreement: Mapping[Names, PairAgreement]
