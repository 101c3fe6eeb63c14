"""How the lines of runs look where colour stands for something else: marker, dash and lightness, and a legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fingreat.report.chart_values import LINE, SIZE
from fingreat.report.draw import text_width

SAMPLE = 40.0
"""Length of a line in the legend."""
_SPACE = 8.0, 20.0
"""Between a line and its name, and from there to the next one."""
Fill = Literal["ink", "paper", "none"]
_CIRCLE = "m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z"
_SQUARE = "m-2.9 -2.9h5.8v5.8h-5.8z"
_DIAMOND = "m0 -4.1l4.1 4.1l-4.1 4.1l-4.1 -4.1z"
_UP, _DOWN = "m0 -3.9l3.9 6.6h-7.8z", "m0 3.9l3.9 -6.6h-7.8z"
_CROSS, _PLUS = "m-3 -3l6 6m-6 0l6 -6", "m-3.8 0h7.6m-3.8 -3.8v7.6"
_MARKERS: tuple[tuple[str, Fill], ...] = (
    (_CIRCLE, "ink"),
    (_SQUARE, "paper"),
    (_UP, "ink"),
    (_CROSS, "none"),
    (_DIAMOND, "paper"),
    (_SQUARE, "ink"),
    (_CIRCLE, "paper"),
    (_DOWN, "ink"),
    (_PLUS, "none"),
    (_UP, "paper"),
)
_DASHES = ("", "7 3", "2 2.5", "10 3 2 3", "4 2")
_WEIGHTS = (1.0, 0.65, 0.82)
"""Opacity of a line; the palest still has a contrast of 3:1 on light paper."""


@dataclass(frozen=True)
class Look:
    """How one run's lines look.

    Attributes:
        outline: of a marker, as SVG path commands that begin at its point.
        dash: pattern of the line, "" where it is solid.
        opacity: of line and marker.
    """

    outline: str
    fill: Fill
    dash: str
    opacity: float


def look_of(number: int) -> Look:
    """The look of the `number`th run, from 0 on; no two of the first 30 are the same."""
    outline, fill = _MARKERS[number % len(_MARKERS)]
    return Look(outline, fill, _DASHES[number % len(_DASHES)], _WEIGHTS[number % len(_WEIGHTS)])


def legend_of(names: Sequence[str], width: float) -> tuple[list[tuple[str, Look, float, float]], float, float]:
    """(name, look, x, y) for each run in lines that fit the width, their height, and how far the longest reaches."""
    entries = []
    x, y, reach = 0.0, 0.0, 0.0
    for number, name in enumerate(names):
        needed = SAMPLE + _SPACE[0] + text_width(name, SIZE)
        if x and x + needed > width:
            x, y = 0.0, y + LINE + 4
        entries.append((name, look_of(number), x, y))
        reach = max(reach, x + needed)
        x += needed + _SPACE[1]
    return entries, y + LINE + 12, reach
