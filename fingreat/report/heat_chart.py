"""A heat map: rows and columns of values, as numbers on cells or, of many names, as small cells with a scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from fingreat.errors import InputError
from fingreat.report.chart_values import GAP, LINE, MARGIN, SIZE, Value, check_values, lines_of, number_of
from fingreat.report.draw import text_width
from fingreat.report.model import Figure
from fingreat.report.tables import Share, number_text, percent
from fingreat.report.templating import environment

_WRAP, _NARROW = 16, 7
_MANY = 6
"""More columns than these, of values in one line, are made narrow: their heads break at hyphens and blanks."""
_HATCH = 7.0
_PALEST, _DARKEST = 0.06, 0.70
"""Dark text on the grey of cells keeps a contrast of 4.5:1 up to the darker of the two."""
_MOST_NUMBERED = 12
"""More rows or columns than these are drawn as small cells without numbers, which each still has as its title."""
_CELL, _SMALL = 16, 11
_DARKEST_SMALL = 0.95
"""No text stands on small cells."""
_SWATCHES, _SWATCH, _KEY = 9, 26, 44
"""Steps of the key under a map, and how high it stands there."""


@dataclass(frozen=True)
class Sides:
    """Names of the rows and of the columns, where they differ."""

    rows: Sequence[str]
    columns: Sequence[str]


@dataclass(frozen=True)
class _Cell:
    x: float
    y: float
    opacity: float
    lines: tuple[str, ...]
    words: str
    hatch: str = ""


def heat_map(
    id: str,
    title: str,
    names: Sequence[str] | Sides,
    values: Sequence[Sequence[Value]],
    *,
    axes: tuple[str, str] = ("", ""),
    span: tuple[float, float] = (0.0, 1.0),
    caption: str = "",
) -> Figure:
    """Rows and columns of values on cells that are the darker the larger the value; no value is hatched.

    A key under the cells says what the shades mean: maps have scales of their own. Shades are grey, for colours mean
    categories. Up to 12 names each cell has its value as a number; of more, cells are small.

    Args:
        names: of the rows, and in the same order of the columns; or of either.
        values: row by row; shares are shown in per cent with their numbers, other values with two decimals.
        axes: what the rows and what the columns are, "reference run" and "candidate run" say.
        span: the values at the palest and the darkest colour; beyond them the colour stays.

    Raises:
        InputError: there is nothing to draw, the values do not fit the names, one is not finite, the span is empty.
    """
    sides = names if isinstance(names, Sides) else Sides(names, names)
    _check(id, sides, values, span)
    small = max(len(sides.rows), len(sides.columns)) > _MOST_NUMBERED
    drawn = (_small if small else _numbered)(sides, values, axes, span)
    template = "heat_cells.svg.j2" if small else "heat.svg.j2"
    shared: dict[str, Any] = {"title": title, "names": sides.rows, "axes": axes}
    sizes = {"margin": MARGIN, "gap": GAP, "swatch": _SWATCH}
    svg = environment().get_template(template).render(**shared, **sizes, **drawn)
    return Figure(id=id, title=title, svg=svg, caption=caption)


def _check(id: str, sides: Sides, values: Sequence[Sequence[Value]], span: tuple[float, float]) -> None:
    where = f"figure '{id}'"
    rows, columns = len(sides.rows), len(sides.columns)
    if not rows or not columns or len(values) != rows or any(len(row) != columns for row in values):
        what = "square" if sides.rows is sides.columns else "table"
        raise InputError(f"the values are no {what} of {rows} by {columns}.", where=where)
    if not span[0] < span[1]:
        raise InputError(f"a span from {span[0]} to {span[1]} has no colours.", where=where)
    for row in values:
        check_values(id, row)


def _numbered(
    sides: Sides,
    values: Sequence[Sequence[Value]],
    axes: tuple[str, str],
    span: tuple[float, float],
) -> dict[str, Any]:
    """Cells with their values as numbers."""
    shares = _with_shares(values)
    narrow = not shares and len(sides.columns) > _MANY
    heads = [wrap(name, _NARROW if narrow else _WRAP, break_long_words=not narrow) or [""] for name in sides.columns]
    width = max(max(text_width(line, SIZE) for lines in heads for line in lines) + 20, 84.0 if shares else 64.0)
    height = 46.0 if shares else 36.0
    left = MARGIN + max(text_width(name, SIZE) for name in (*sides.rows, axes[0])) + GAP
    top = MARGIN + (LINE + 6 if any(axes) else 0) + max(map(len, heads)) * LINE + 6
    foot = top + len(values) * height
    cells = _cells(sides, values, (left, top), (width, height), span)
    return {
        "words": "; ".join(cell.words for cell in cells),
        "heads": heads,
        "cells": cells,
        "scale": _scale((left, foot + 14), span, darkest=_DARKEST, shares=shares),
        "left": left,
        "top": top,
        "cell_width": width,
        "cell_height": height,
        "line": LINE,
        "size": SIZE,
        "width": round(left + max(len(heads) * width, _SWATCHES * _SWATCH) + MARGIN),
        "height": round(foot + _KEY + MARGIN),
    }


def _small(
    sides: Sides,
    values: Sequence[Sequence[Value]],
    axes: tuple[str, str],
    span: tuple[float, float],
) -> dict[str, Any]:
    """Small square cells under heads that stand upright, with the scale of the colours below."""
    left = round(MARGIN + max(text_width(name, _SMALL) for name in (*sides.rows, axes[0])) + GAP)
    top = round(MARGIN + (LINE + 6 if axes[1] else 0) + max(text_width(name, _SMALL) for name in sides.columns) + GAP)
    foot = top + len(values) * _CELL
    wide = max(len(sides.columns) * _CELL, _SWATCHES * _SWATCH, text_width(axes[1], _SMALL))
    return {
        "words": _summary(sides.rows, values),
        "columns": sides.columns,
        "cells": _cells(sides, values, (left, top), (_CELL, _CELL), span, _DARKEST_SMALL),
        "scale": _scale((left, foot + 14), span, darkest=_DARKEST_SMALL, shares=_with_shares(values)),
        "left": left,
        "top": top,
        "cell": _CELL,
        "size": _SMALL,
        "width": round(left + wide + MARGIN),
        "height": round(foot + _KEY + MARGIN),
    }


def _with_shares(values: Sequence[Sequence[Value]]) -> bool:
    return any(isinstance(value, Share) for row in values for value in row)


def _cells(
    sides: Sides,
    values: Sequence[Sequence[Value]],
    corner: tuple[float, float],
    size: tuple[float, float],
    span: tuple[float, float],
    darkest: float = _DARKEST,
) -> list[_Cell]:
    """All cells, row by row, each with its place and what it says."""
    cells = []
    for i, (name, row) in enumerate(zip(sides.rows, values, strict=True)):
        for j, (head, value) in enumerate(zip(sides.columns, row, strict=True)):
            place = corner[0] + j * size[0], corner[1] + i * size[1]
            number, lines = number_of(value), lines_of(value)
            words = f"{name}, {head}: {'no value' if number is None else ' '.join(lines)}"
            if number is None:
                cells.append(_Cell(*place, 0.0, lines, words, _hatch(*place, *size)))
            else:
                cells.append(_Cell(*place, _opacity(number, span, darkest), lines, words))
    return cells


def _opacity(number: float, span: tuple[float, float], darkest: float) -> float:
    ratio = min(max((number - span[0]) / (span[1] - span[0]), 0.0), 1.0)
    return _PALEST + ratio * (darkest - _PALEST)


def _scale(corner: tuple[float, float], span: tuple[float, float], *, darkest: float, shares: bool) -> list[_Cell]:
    """The colours from the palest to the darkest, with the values of the first, the middle and the last."""
    steps = [span[0] + (span[1] - span[0]) * i / (_SWATCHES - 1) for i in range(_SWATCHES)]
    told = {0, _SWATCHES // 2, _SWATCHES - 1}
    return [
        _Cell(
            corner[0] + i * _SWATCH,
            corner[1],
            _opacity(step, span, darkest),
            (),
            _figure(step, shares=shares) if i in told else "",
        )
        for i, step in enumerate(steps)
    ]


def _figure(number: float, *, shares: bool) -> str:
    return percent(number) if shares else number_text(number, 2)


def _summary(names: Sequence[str], values: Sequence[Sequence[Value]]) -> str:
    """From where to where the values of each row go, in words: all of them would be too many to hear."""
    shares = _with_shares(values)
    told = []
    for name, row in zip(names, values, strict=True):
        known = [number for number in map(number_of, row) if number is not None]
        ends = [_figure(end, shares=shares) for end in (min(known), max(known))] if known else []
        told.append(f"{name}: {' to '.join(dict.fromkeys(ends)) or 'no value'}")
    return "; ".join(told)


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
