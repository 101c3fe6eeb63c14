"""Horizontal bars in groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fingreat.errors import InputError
from fingreat.report.axis import round_step, tick_text
from fingreat.report.chart_values import GAP, LINE, MARGIN, SIZE, Value, check_values, lines_of, number_of
from fingreat.report.draw import text_width
from fingreat.report.model import Figure
from fingreat.report.palette import palette
from fingreat.report.tables import Share
from fingreat.report.templating import environment

_BAR, _BAR_GAP, _GROUP_GAP = 14.0, 3.0, 12.0
_PLOT = 320.0
_TEXT = 11.0

Series = tuple[str, Sequence[Value]]
"""A name, a run's say, and one value per group."""


@dataclass(frozen=True)
class _Bar:
    y: float
    width: float
    opacity: float
    style: int | None
    text: str
    text_x: float
    words: str
    whisker: tuple[float, float] | None


def bars(
    id: str,
    title: str,
    groups: Sequence[str],
    series: Sequence[Series],
    *,
    styles: Sequence[int | None] | None = None,
    caption: str = "",
) -> Figure:
    """Horizontal bars in groups, one bar of a group per series, each with its value; intervals as whiskers.

    Args:
        groups: names from top to bottom, edges say.
        series: name and values, one per group: runs say. Bars of a group stand in this order.
        styles: per group an index into the palette (`edge_styles`); all grey where there is none, for colours mean
            categories.

    Raises:
        InputError: there is nothing to draw, lengths differ, a value is negative or not finite.
    """
    styles = styles or [None] * len(groups)
    _check(id, groups, series, styles)
    values = [value for _, of_series in series for value in of_series]
    ticks = _ticks(max(map(_largest, values)))
    left = MARGIN + max(text_width(group, SIZE) for group in groups) + GAP
    step = len(series) * (_BAR + _BAR_GAP) + _GROUP_GAP
    legend, legend_height = _legend([name for name, _ in series], left + _PLOT + 120)
    top = MARGIN + legend_height
    bottom = top + len(groups) * step - _GROUP_GAP + 6
    drawn = [
        _bar(one, i, groups[i], top + i * step + k * (_BAR + _BAR_GAP), (_shade(k, len(series)), styles[i]), ticks[-1])
        for i in range(len(groups))
        for k, one in enumerate(series)
    ]
    right = max(bar.text_x + text_width(bar.text, _TEXT) for bar in drawn)
    shares = all(isinstance(value, Share) or value is None for value in values)
    svg = (
        environment()
        .get_template("bars.svg.j2")
        .render(
            title=title,
            words="; ".join(bar.words for bar in drawn),
            groups=[(group, styles[i], top + i * step + (step - _GROUP_GAP) / 2) for i, group in enumerate(groups)],
            bars=drawn,
            legend=legend,
            ticks=[(_PLOT * tick / ticks[-1], tick_text(tick, ticks[1], shares)) for tick in ticks],
            palette=palette(),
            width=round(left + max(right, _PLOT + 20, _legend_width(legend) - left) + MARGIN),
            height=round(bottom + 20 + MARGIN),
            **{"left": left, "top": top, "bottom": bottom, "bar": _BAR, "margin": MARGIN, "gap": GAP, "size": SIZE},
        )
    )
    return Figure(id=id, title=title, svg=svg, caption=caption)


def _check(id: str, groups: Sequence[str], series: Sequence[Series], styles: Sequence[int | None]) -> None:
    where = f"figure '{id}'"
    if not groups or not series:
        raise InputError("there is nothing to draw.", where=where)
    if len(styles) != len(groups) or any(len(values) != len(groups) for _, values in series):
        raise InputError(f"not every series has one value for each of {len(groups)} groups.", where=where)
    for _, values in series:
        check_values(id, values, least=0)


def _largest(value: Value) -> float:
    """The largest number that a value shows, its interval included."""
    bound = value.interval[1] if isinstance(value, Share) and value.interval else 0.0
    return max(number_of(value) or 0.0, bound)


def _bar(one: Series, index: int, group: str, y: float, look: tuple[float, int | None], end: float) -> _Bar:
    """The bar of one value, on an axis that ends at `end`."""
    name, values = one
    value = values[index]
    number = number_of(value)
    lines = lines_of(value)
    text = lines[0] if len(lines) == 1 else f"{lines[0]} ({lines[1]})"
    scale = _PLOT / end
    interval = value.interval if isinstance(value, Share) else None
    return _Bar(
        y=y,
        width=(number or 0.0) * scale,
        opacity=look[0],
        style=look[1],
        text=text,
        text_x=_largest(value) * scale + 6,
        words=f"{group}, {name}: {'no value' if number is None else text}",
        whisker=(interval[0] * scale, interval[1] * scale) if interval else None,
    )


def _shade(index: int, count: int) -> float:
    """Opacity of a series: from dark to light in even steps."""
    return 0.85 if count == 1 else 0.9 - 0.75 * index / (count - 1)


def _ticks(top: float) -> list[float]:
    """Round values from 0 to at least `top`, about five steps of them."""
    top = top or 1.0
    step = round_step(top / 5)
    return [n * step for n in range(math.ceil(top / step - 1e-9) + 1)]


def _legend(names: Sequence[str], width: float) -> tuple[list[tuple[str, float, float, float]], float]:
    """(name, opacity, x, y) per series in lines that fit the width, and the height of all; none for one series."""
    if len(names) == 1:
        return [], 0.0
    entries = []
    x, y = 0.0, 0.0
    for k, name in enumerate(names):
        needed = 22 + text_width(name, SIZE) + 18
        if x and x + needed > width:
            x, y = 0.0, y + LINE + 4
        entries.append((name, _shade(k, len(names)), x, y))
        x += needed
    return entries, y + LINE + 14


def _legend_width(legend: Sequence[tuple[str, float, float, float]]) -> float:
    """How far the legend's longest line reaches."""
    return max((x + 22 + text_width(name, SIZE) for name, _, x, _ in legend), default=0.0)
