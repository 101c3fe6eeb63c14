"""Sheets of answers that say of each passage only who is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fingreat.analysis.answers import AnswerSheet
from fingreat.analysis.families import ModelFacts
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


SHEET = AnswerSheet(
    graph=GRAPH,
    passages=(
        passage("p0", "REV-NNCA"),
        passage("p1", "NNCA-TAX", filing="f2"),
        passage("p2", "CASH-DIV", filing="f3"),
    ),
    names=("small", "large", "other", "far"),
    edges=(
        ("REV-NNCA", "NNCA-TAX", "REV-NNCA"),
        ("REV-NNCA", "NNCA-TAX", None),
        ("REV-NNCA", "REV-NNCA", "REV-NNCA"),
        ("REV-NNCA", None, "CASH-DIV"),
    ),
)
"""Two passages of Net Income, one of Cash Flow, in three filings; none of Equity."""
FACTS = (
    ModelFacts("small", "qwen", 4, hosted=False),
    ModelFacts("large", "qwen", 27, hosted=False),
    ModelFacts("other", None, None, hosted=False),
    ModelFacts("far", "gpt", None, hosted=True),
)
