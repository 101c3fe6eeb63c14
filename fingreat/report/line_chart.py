"""Lines over years in small multiples: a panel for each edge or category, and in it a line for every run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from fingreat.errors import InputError
from fingreat.report.axis import Axis, linear_axis
from fingreat.report.bar_chart import Series
from fingreat.report.chart_values import GAP, MARGIN, SIZE, Value, check_values, lines_of, number_of
from fingreat.report.draw import text_width
from fingreat.report.line_looks import SAMPLE, Look, legend_of, look_of
from fingreat.report.model import Figure
from fingreat.report.palette import palette
from fingreat.report.tables import Share
from fingreat.report.templating import environment

_WIDTH, _HEIGHT, _FEW_HEIGHT = 300.0, 132.0, 200.0
"""Of a panel's plot, which is higher if all stand in one row."""
_HEAD, _FOOT = 22.0, 34.0
"""Above a plot for its title, below it for the years and what keeps it from the next panel."""
_BETWEEN = 22.0
_SIDE = 9.0
"""Free to the left of the first year and to the right of the last."""
_TEXT = 11.0
_CLOSE = 24.0
"""Markers of one line stand at least so far apart."""
MOST_BANDS = 3
"""More runs than these are drawn without their intervals, which would cover each other."""
_YEAR_STEPS = (1, 2, 5, 10, 20)


@dataclass(frozen=True)
class Panel:
    """One of the small charts.

    Attributes:
        style: index into the palette, of its edge's or category's colour (`edge_styles`).
        series: name and values, one for each year: runs say, the same ones in every panel.
    """

    title: str
    style: int
    series: Sequence[Series]


_Place = tuple[float, float] | None
"""A point in a plot, where there is a value."""


@dataclass(frozen=True)
class _Line:
    look: Look
    path: str
    markers: str
    band: str
    words: str


@dataclass(frozen=True)
class _Drawn:
    panel: Panel
    x: float
    y: float
    first: bool
    lines: tuple[_Line, ...]


@dataclass(frozen=True)
class _Scale:
    """What all panels share: the years from left to right, and the values upwards."""

    years: Sequence[int]
    axis: Axis
    height: float

    def x(self, year: int) -> float:
        first, last = self.years[0], self.years[-1]
        return _WIDTH / 2 if first == last else _SIDE + (_WIDTH - 2 * _SIDE) * (year - first) / (last - first)

    def y(self, value: float) -> float:
        return self.height * (1 - self.axis.place(value))

    @property
    def every(self) -> int:
        """Of how many points one has a marker."""
        places = [self.x(year) for year in self.years]
        return math.ceil(_CLOSE / min((b - a for a, b in pairwise(places)), default=_CLOSE) - 1e-9)

    @property
    def year_ticks(self) -> list[tuple[float, str]]:
        """The years themselves where there is room for all of them, otherwise round ones."""
        first, last = self.years[0], self.years[-1]
        needed = text_width("2000", _TEXT) + GAP
        if all(self.x(b) - self.x(a) >= needed for a, b in pairwise(self.years)):
            return [(self.x(year), str(year)) for year in self.years]
        room = (_WIDTH - 2 * _SIDE) / needed
        step = next((step for step in _YEAR_STEPS if (last - first) / step <= room), _YEAR_STEPS[-1])
        return [(self.x(year), str(year)) for year in range(first, last + 1) if year % step == 0]


def lines(id: str, title: str, panels: Sequence[Panel], years: Sequence[int], *, caption: str = "") -> Figure:
    """A panel for each edge or category, all on one scale from 0 on; a line breaks where a year has no value.

    A colour stands for a category, so runs are told apart by marker, dash and lightness. Where years stand close, a
    line has markers at some of its points only. Intervals are bands, if there are few runs.

    Args:
        panels: with the same runs in the same order.
        years: of the values, from the first to the last.

    Raises:
        InputError: there is nothing to draw, years do not rise, panels differ in their runs, a number of values is
            not that of the years, or a value is negative or not finite.
    """
    _check(id, panels, years)
    names = [name for name, _ in panels[0].series]
    values = [value for panel in panels for _, of_run in panel.series for value in of_run]
    bands = len(names) <= MOST_BANDS
    columns = len(panels) if len(panels) < 4 else 2 if len(panels) == 4 else 3
    height = _FEW_HEIGHT if len(panels) == columns else _HEIGHT
    scale = _Scale(years, _axis(values, bands=bands), height)
    left = MARGIN + max(text_width(text, _TEXT) for _, text in scale.axis.ticks) + 6
    right = left + columns * (_WIDTH + _BETWEEN) - _BETWEEN
    legend, legend_height, legend_width = legend_of(names, right - MARGIN)
    top = MARGIN + legend_height + _HEAD
    drawn = []
    for i, panel in enumerate(panels):
        row, column = divmod(i, columns)
        x, y = left + column * (_WIDTH + _BETWEEN), top + row * (_HEAD + height + _FOOT)
        looks = (look_of(k) for k in range(len(names)))
        of_panel = (
            _line(one, look, scale, k, bands) for k, (one, look) in enumerate(zip(panel.series, looks, strict=True))
        )
        drawn.append(_Drawn(panel, x, y, column == 0, tuple(of_panel)))
    widest_title = max(one.x + text_width(one.panel.title, SIZE) for one in drawn)
    svg = (
        environment()
        .get_template("lines.svg.j2")
        .render(
            title=title,
            words="; ".join(_words(panel, years) for panel in panels),
            legend=legend,
            panels=drawn,
            value_ticks=[(scale.y(tick), text) for tick, text in scale.axis.ticks],
            year_ticks=scale.year_ticks,
            palette=palette(),
            width=round(max(right, MARGIN + legend_width, widest_title) + MARGIN),
            height=round(drawn[-1].y + height + 20 + MARGIN),
            **{"plot_width": _WIDTH, "plot_height": height, "sample": SAMPLE, "margin": MARGIN, "size": SIZE},
        )
    )
    return Figure(id=id, title=title, svg=svg, caption=caption)


def _check(id: str, panels: Sequence[Panel], years: Sequence[int]) -> None:
    where = f"figure '{id}'"
    if not panels or not years or not panels[0].series:
        raise InputError("there is nothing to draw.", where=where)
    if list(years) != sorted(set(years)):
        raise InputError("its years do not rise.", where=where)
    names = [name for name, _ in panels[0].series]
    for panel in panels:
        if [name for name, _ in panel.series] != names:
            raise InputError(f"panel '{panel.title}' has other runs than the first.", where=where)
        for _, values in panel.series:
            if len(values) != len(years):
                raise InputError(f"not every line has one value for each of {len(years)} years.", where=where)
            check_values(id, values, least=0)


def _axis(values: Sequence[Value], *, bands: bool) -> Axis:
    numbers = [number for number in map(number_of, values) if number is not None]
    if bands:
        numbers += [value.interval[1] for value in values if isinstance(value, Share) and value.interval]
    shares = all(isinstance(value, Share) for value in values if value is not None)
    return linear_axis([0.0, max(numbers, default=0.0) or 1.0], shares=shares)


def _line(one: Series, look: Look, scale: _Scale, number: int, bands: bool) -> _Line:
    """The line of a run, which is the `number`th."""
    name, values = one
    places: list[_Place] = [
        None if value is None else (scale.x(year), scale.y(value))
        for year, value in zip(scale.years, map(number_of, values), strict=True)
    ]
    stretches = [list(points) for known, points in groupby(places, key=lambda place: place is not None) if known]
    marked = [place for place in _marked(places, scale.every, number) if place]
    return _Line(
        look=look,
        path="".join(_path([point for point in points if point]) for points in stretches if len(points) > 1),
        markers="".join(f"M{x:.1f} {y:.1f}{look.outline}" for x, y in marked),
        band=_band(values, scale) if bands else "",
        words=f"{name}: {_ends(values, scale.years)}",
    )


def _marked(places: Sequence[_Place], every: int, number: int) -> list[_Place]:
    """The points with a marker: every so many, others for each run, and those without neighbours."""
    around = [None, *places, None]
    return [
        place
        for i, place in enumerate(places)
        if (i + 2 * number) % every == 0 or (around[i] is None and around[i + 2] is None)
    ]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _band(values: Sequence[Value], scale: _Scale) -> str:
    """The intervals of a line as areas, one for each stretch of years that have one."""
    ends = [
        (scale.x(year), *map(scale.y, value.interval)) if isinstance(value, Share) and value.interval else None
        for year, value in zip(scale.years, values, strict=True)
    ]
    found = ""
    for known, stretch in groupby(ends, key=lambda end: end is not None):
        points = [end for end in stretch if end] if known else []
        if len(points) > 1:
            found += _path([(x, low) for x, low, _ in points] + [(x, high) for x, _, high in reversed(points)]) + "Z"
    return found


def _ends(values: Sequence[Value], years: Sequence[int]) -> str:
    """The first and the last value of a line in words."""
    known = [(value, year) for value, year in zip(values, years, strict=True) if number_of(value) is not None]
    if not known:
        return "no value"
    ends = known[:1] if len(known) == 1 else [known[0], known[-1]]
    return ", ".join(f"{lines_of(value)[0]} in {year}" for value, year in ends)


def _words(panel: Panel, years: Sequence[int]) -> str:
    """A panel in words: its smallest and its largest value, and whose they are."""
    known = [
        (number, lines_of(value)[0], name, year)
        for name, values in panel.series
        for value, year in zip(values, years, strict=True)
        if (number := number_of(value)) is not None
    ]
    if not known:
        return f"{panel.title}: no value"
    low, high = (end(known, key=lambda one: one[0]) for end in (min, max))
    return f"{panel.title}: from {low[1]} ({low[2]}, {low[3]}) to {high[1]} ({high[2]}, {high[3]})"
