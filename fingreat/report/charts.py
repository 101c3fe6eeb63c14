"""Charts in the look of the graph: a heat map of a square of values, and grouped horizontal bars.

A colour always stands for a category of edges, so runs are told apart by lightness and by their order. Elements
carry the classes of the graph's drawing (`fg-…`), so that the page restyles them for dark paper, and each chart
says its values in words (`title`, `desc`) for readers who don't see it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from fingreat.errors import InputError
from fingreat.report.draw import text_width
from fingreat.report.model import Figure
from fingreat.report.palette import palette
from fingreat.report.tables import DASH, Share, fraction, number_text, percent
from fingreat.report.templating import environment

Value = Share | float | None
"""What a chart shows: a share, a number, or no value."""

_MARGIN = 16.0
_SIZE = 12.0
_LINE = 15.0
_WRAP = 16
_GAP = 10.0
_HATCH = 7.0
_BAR, _BAR_GAP, _GROUP_GAP = 14.0, 3.0, 12.0
_PLOT = 440.0
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


@dataclass(frozen=True)
class _Bar:
    y: float
    width: float
    opacity: float
    style: int
    text: str
    text_x: float
    words: str
    whisker: tuple[float, float] | None


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
    if not names or len(values) != len(names) or any(len(row) != len(names) for row in values):
        raise InputError(f"the values are no square of {len(names)} by {len(names)}.", where=f"figure '{id}'")
    if not span[0] < span[1]:
        raise InputError(f"a span from {span[0]} to {span[1]} has no colours.", where=f"figure '{id}'")
    for row in values:
        _check(id, row, least=-math.inf)
    heads = [wrap(name, _WRAP, break_on_hyphens=True) or [""] for name in names]
    width = max(max(text_width(line, _SIZE) for lines in heads for line in lines) + 20, 84.0)
    height = 46.0 if any(isinstance(value, Share) for row in values for value in row) else 36.0
    left = _MARGIN + max(text_width(name, _SIZE) for name in (*names, axes[0])) + _GAP
    top = _MARGIN + (_LINE + 6 if any(axes) else 0) + max(map(len, heads)) * _LINE + 6
    cells = [
        _cell(value, (left + j * width, top + i * height), (width, height), span, f"{names[i]}, {names[j]}")
        for i, row in enumerate(values)
        for j, value in enumerate(row)
    ]
    svg = (
        environment()
        .get_template("heat.svg.j2")
        .render(
            title=title,
            words="; ".join(cell.words for cell in cells),
            names=names,
            heads=heads,
            axes=axes,
            cells=cells,
            style=palette()[0],
            cell_width=width,
            cell_height=height,
            left=left,
            top=top,
            width=round(left + len(names) * width + _MARGIN),
            height=round(top + len(names) * height + _MARGIN),
            margin=_MARGIN,
            gap=_GAP,
            line=_LINE,
            size=_SIZE,
        )
    )
    return Figure(id=id, title=title, svg=svg, caption=caption)


def bars(
    id: str,
    title: str,
    groups: Sequence[str],
    series: Sequence[tuple[str, Sequence[Value]]],
    *,
    styles: Sequence[int] | None = None,
    caption: str = "",
) -> Figure:
    """Horizontal bars in groups, one bar of a group per series, each with its value; intervals as whiskers.

    Args:
        groups: names from top to bottom, edges say.
        series: name and values, one per group: runs say. Bars of a group stand in this order.
        styles: per group an index into the palette (`edge_styles`); all the first where there is none.

    Raises:
        InputError: there is nothing to draw, lengths differ, a value is negative or not finite.
    """
    where = f"figure '{id}'"
    if not groups or not series:
        raise InputError("there is nothing to draw.", where=where)
    styles = styles or [0] * len(groups)
    if len(styles) != len(groups) or any(len(values) != len(groups) for _, values in series):
        raise InputError(f"not every series has one value for each of {len(groups)} groups.", where=where)
    for _, values in series:
        _check(id, values, least=0)
    shares = all(isinstance(value, Share) or value is None for _, values in series for value in values)
    ticks = _ticks(max((_top(value) for _, values in series for value in values), default=0.0))
    left = _MARGIN + max(text_width(group, _SIZE) for group in groups) + _GAP
    step = len(series) * (_BAR + _BAR_GAP) + _GROUP_GAP
    legend, legend_height = _legend([name for name, _ in series], left + _PLOT + 120)
    top = _MARGIN + legend_height
    drawn = [
        _bar(
            series[k],
            i,
            group,
            y=top + i * step + k * (_BAR + _BAR_GAP),
            look=(_shade(k, len(series)), styles[i]),
            scale=_PLOT / ticks[-1],
        )
        for i, group in enumerate(groups)
        for k in range(len(series))
    ]
    right = max(left + bar.text_x + text_width(bar.text, 11) for bar in drawn)
    svg = (
        environment()
        .get_template("bars.svg.j2")
        .render(
            title=title,
            words="; ".join(bar.words for bar in drawn),
            groups=[(group, styles[i], top + i * step + (step - _GROUP_GAP) / 2) for i, group in enumerate(groups)],
            bars=drawn,
            legend=legend if len(series) > 1 else [],
            ticks=[(_PLOT * tick / ticks[-1], _tick_text(tick, ticks[1], shares)) for tick in ticks],
            palette=palette(),
            bar=_BAR,
            left=left,
            top=top,
            bottom=top + len(groups) * step - _GROUP_GAP + 6,
            width=round(max(right, left + _PLOT + 20) + _MARGIN),
            height=round(top + len(groups) * step - _GROUP_GAP + 6 + 20 + _MARGIN),
            margin=_MARGIN,
            gap=_GAP,
            size=_SIZE,
        )
    )
    return Figure(id=id, title=title, svg=svg, caption=caption)


def _check(id: str, values: Sequence[Value], least: float) -> None:
    for value in values:
        if isinstance(value, (int, float)) and not (math.isfinite(value) and value >= least):
            raise InputError(f"{value} cannot be drawn.", where=f"figure '{id}'")


def _number(value: Value) -> float | None:
    return value.value if isinstance(value, Share) else value


def _top(value: Value) -> float:
    """The largest number that a value shows, its interval included."""
    bound = value.interval[1] if isinstance(value, Share) and value.interval else 0.0
    return max(_number(value) or 0.0, bound)


def _words(value: Value) -> tuple[str, ...]:
    """A value in the lines that stand in a cell."""
    if isinstance(value, Share):
        return (percent(value), fraction(value))
    return (DASH,) if value is None else (number_text(float(value), 2),)


def _cell(
    value: Value, place: tuple[float, float], size: tuple[float, float], span: tuple[float, float], name: str
) -> _Cell:
    number = _number(value)
    lines = _words(value)
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


def _bar(
    series: tuple[str, Sequence[Value]], index: int, group: str, *, y: float, look: tuple[float, int], scale: float
) -> _Bar:
    value = series[1][index]
    number = _number(value)
    lines = _words(value)
    text = lines[0] if len(lines) == 1 else f"{lines[0]} ({lines[1]})"
    interval = value.interval if isinstance(value, Share) else None
    whisker = (interval[0] * scale, interval[1] * scale) if interval else None
    return _Bar(
        y=y,
        width=(number or 0.0) * scale,
        opacity=look[0],
        style=look[1],
        text=text,
        text_x=_top(value) * scale + 6,
        words=f"{group}, {series[0]}: {'no value' if number is None else text}",
        whisker=whisker,
    )


def _shade(index: int, count: int) -> float:
    """Opacity of a series: from dark to light in even steps."""
    return 0.85 if count == 1 else 0.9 - 0.75 * index / (count - 1)


def _ticks(top: float) -> list[float]:
    """Round values from 0 to at least `top`: steps of 1, 2 or 5 times a power of ten, about five of them."""
    top = top or 1.0
    power = 10.0 ** math.floor(math.log10(top / 5))
    step = next(m * power for m in (1, 2, 5, 10) if m * power * 5 >= top * (1 - 1e-9))
    return [n * step for n in range(math.ceil(top / step - 1e-9) + 1)]


def _tick_text(tick: float, step: float, shares: bool) -> str:
    if shares:
        return f"{tick:.{max(0, -math.floor(math.log10(step) + 1e-9) - 2)}%}"
    return f"{tick:,.{max(0, -math.floor(math.log10(step) + 1e-9))}f}"


def _legend(names: Sequence[str], width: float) -> tuple[list[tuple[str, float, float, float]], float]:
    """(name, opacity, x, y) per series in lines that fit the width, and the height of all."""
    if len(names) == 1:
        return [], 0.0
    places: list[tuple[float, float]] = []
    x, y = 0.0, 0.0
    for name in names:
        needed = 22 + text_width(name, _SIZE) + 18
        if x and x + needed > width:
            x, y = 0.0, y + _LINE + 4
        places.append((x, y))
        x += needed
    entries = [(name, _shade(k, len(names)), *places[k]) for k, name in enumerate(names)]
    return entries, y + _LINE + 14
