"""Whether two quotes that overlap also say the same: their figures, and the words that turn a meaning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from fingreat.matching.weight import WORDING, differences
from fingreat.schema.records import Difference, Figures


class Fidelity(NamedTuple):
    """How far two quotes say the same.

    Attributes:
        figures: whether their figures agree, each counted as often as it is there.
        differs: kinds of figures and words of weight in which they differ where they run side by side, sorted.
    """

    figures: Figures
    differs: tuple[Difference, ...]


def fidelity(a: Sequence[str], b: Sequence[str]) -> Fidelity:
    """Compare two quotes by the texts of their tokens, symbols included."""
    return Fidelity(figures(a, b), tuple(kind for kind in differences(a, b) if kind != WORDING))  # type: ignore[misc]


def figures(a: Sequence[str], b: Sequence[str]) -> Figures:
    """Whether the figures of two quotes agree."""
    in_a, in_b = (Counter(text for text in texts if text[-1:].isdigit() or text[-1:] == "%") for texts in (a, b))
    if not in_a and not in_b:
        return "none"
    if in_a == in_b:
        return "same"
    return "more" if in_a <= in_b or in_b <= in_a else "differ"
