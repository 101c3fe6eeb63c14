"""Sheets of answers that are written down, for the tests of what is measured on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fingreat.analysis.answers import AnswerSheet
from fingreat.schema import GoldPassage, load_graph

GRAPH = load_graph()
RIGHT, WRONG = "REV-NNCA", "CASH-DIV"


def gold(name: str, *accepted: str, filing: str = "F1") -> GoldPassage:
    return GoldPassage(
        passage_id=name, filing_id=filing, text=f"Text of {name}.", accepted=frozenset(accepted), source="primary"
    )


def sheet_of(passages: Sequence[GoldPassage], answers: Mapping[str, Sequence[str | None]]) -> AnswerSheet:
    """Model → its answers, in the order of the passages."""
    return AnswerSheet(GRAPH, tuple(passages), tuple(answers), tuple(map(tuple, answers.values())))


def sheet_of_errors(total: int, failed: Mapping[str, set[int]], *, per_filing: int = 2) -> AnswerSheet:
    """Passages that accept one edge each, `per_filing` of them in a filing; model → the numbers of those it misses."""
    passages = [gold(f"p{n:03}", RIGHT, filing=f"F{n // per_filing:03}") for n in range(total)]
    return sheet_of(
        passages, {name: [WRONG if n in of else RIGHT for n in range(total)] for name, of in failed.items()}
    )
