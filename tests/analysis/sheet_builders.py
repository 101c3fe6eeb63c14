"""Sheets of answers that say of each passage only who is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fingreat.analysis.answers import AnswerSheet
from fingreat.schema import GoldPassage, load_graph

GRAPH = load_graph()
RIGHT, WRONG = "REV-NNCA", "NNCA-TAX"


def passage(name: str, *accepted: str, filing: str = "f1") -> GoldPassage:
    source = "primary" if accepted else "none"
    return GoldPassage(passage_id=name, filing_id=filing, text=name, accepted=frozenset(accepted), source=source)


def sheet_of(right: Mapping[str, Sequence[bool | int]], filings: Sequence[str]) -> AnswerSheet:
    """Models that are right or wrong on passages of these filings, in this order."""
    return AnswerSheet(
        graph=GRAPH,
        passages=tuple(passage(f"p{number}", RIGHT, filing=filing) for number, filing in enumerate(filings)),
        names=tuple(right),
        edges=tuple(tuple(RIGHT if hit else WRONG for hit in hits) for hits in right.values()),
    )
