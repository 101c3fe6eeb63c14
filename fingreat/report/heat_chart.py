"""A heat map of a square of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from fingreat.errors import InputError
from fingreat.report.chart_values import GAP, LINE, MARGIN, SIZE, Value, check_values, lines_of, number_of
from fingreat.report.draw import text_width
from fingreat.report.model import Figure
from fingreat.report.palette import palette
from fingreat.report.tables import Share
from fingreat.report.templating import environment

_WRAP = 16
_HATCH = 7.0
_PALEST, _DARKEST = 0.06, 0.70
"""Dark text on the palette's first ink keeps a contrast of 4.5:1 up to the darker of the two."""


@dataclass(frozen=True)
class _Cell:
    x: float
    y: float
    opacity: float
    lines: tuple[str, ...]
    words: str
    hatch: str


def heat_map(
    id: str,
    title: str,
    names: Sequence[str],
    values: Sequence[Sequence[Value]],
    *,
    axes: tuple[str, str] = ("", ""),
    span: tuple[float, float] = (0.0, 1.0),
    caption: str = "",
) -> Figure:
    """A square of values, each as a number on a cell that is the darker the larger it is; no value is hatched.

    Args:
        names: of the rows, and in the same order of the columns.
        values: row by row; shares are shown in per cent with their numbers, other values with two decimals.
        axes: what the rows and what the columns are, "reference run" and "candidate run" say.
        span: the values at the palest and the darkest colour; beyond them the colour stays.

    Raises:
        InputError: there is nothing to draw, the values are no square, one is not finite, the span is empty.
    """
    _check(id, names, values, span)
    heads = [wrap(name, _WRAP) or [""] for name in names]
    width = max(max(text_width(line, SIZE) for lines in heads for line in lines) + 20, 84.0)
    height = 46.0 if any(isinstance(value, Share) for row in values for value in row) else 36.0
    left = MARGIN + max(text_width(name, SIZE) for name in (*names, axes[0])) + GAP
    top = MARGIN + (LINE + 6 if any(axes) else 0) + max(map(len, heads)) * LINE + 6
    cells = [
        _cell(value, (left + j * width, top + i * height), (width, height), span, f"{names[i]}, {names[j]}")
        for i, row in enumerate(values)
        for j, value in enumerate(row)
    ]
    drawn = {"title": title, "names": names, "heads": heads, "axes": axes, "cells": cells, "style": palette()[0]}
    places = {"left": left, "top": top, "cell_width": width, "cell_height": height}
    sizes = {"margin": MARGIN, "gap": GAP, "line": LINE, "size": SIZE}
    svg = (
        environment()
        .get_template("heat.svg.j2")
        .render(
            words="; ".join(cell.words for cell in cells),
            width=round(left + len(names) * width + MARGIN),
            height=round(top + len(names) * height + MARGIN),
            **drawn,
            **places,
            **sizes,
        )
    )
    return Figure(id=id, title=title, svg=svg, caption=caption)


def _check(id: str, names: Sequence[str], values: Sequence[Sequence[Value]], span: tuple[float, float]) -> None:
    where = f"figure '{id}'"
    if not names or len(values) != len(names) or any(len(row) != len(names) for row in values):
        raise InputError(f"the values are no square of {len(names)} by {len(names)}.", where=where)
    if not span[0] < span[1]:
        raise InputError(f"a span from {span[0]} to {span[1]} has no colours.", where=where)
    for row in values:
        check_values(id, row)


def _cell(
    value: Value, place: tuple[float, float], size: tuple[float, float], span: tuple[float, float], name: str
) -> _Cell:
    number = number_of(value)
    lines = lines_of(value)
    words = f"{name}: {'no value' if number is None else ' '.join(lines)}"
    if number is None:
        return _Cell(*place, 0.0, lines, words, _hatch(*place, *size))
    ratio = min(max((number - span[0]) / (span[1] - span[0]), 0.0), 1.0)
    return _Cell(*place, _PALEST + ratio * (_DARKEST - _PALEST), lines, words, "")


def _hatch(x: float, y: float, width: float, height: float) -> str:
    """Lines at 45 degrees over a rectangle, as a path."""
    parts = []
    offset = _HATCH
    while offset < width + height:
        x1, y1 = x + min(offset, width), y + max(0.0, offset - width)
        x2, y2 = x + max(0.0, offset - height), y + min(offset, height)
        parts.append(f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}")
        offset += _HATCH
    return "".join(parts)
