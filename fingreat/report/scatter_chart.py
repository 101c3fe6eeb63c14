"""Points by two values, with names that don't overlap: accuracy by cost, say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from fingreat.errors import InputError
from fingreat.report.axis import Axis, linear_axis, log_axis
from fingreat.report.chart_values import LINE, MARGIN, SIZE, check_values, lines_of, number_of
from fingreat.report.draw import text_width
from fingreat.report.labels import Box, Label, place_labels
from fingreat.report.layout import Point
from fingreat.report.model import Figure
from fingreat.report.tables import Share, number_text
from fingreat.report.templating import environment

_WIDTH, _HEIGHT = 560.0, 380.0
_RADIUS = 4.5
_LABEL, _KEY = 11.0, 10.0
_RINGS = (7.0, 12.0, 18.0, 26.0, 36.0, 48.0)
"""How far the number of a point may stand from it; a name stands in one of the first two rings."""
_SHAPES = (
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0Z",
    "M-4 -4H4V4H-4Z",
    "M0 -5L5 4H-5Z",
    "M0 -5.5L5.5 0L0 5.5L-5.5 0Z",
    "M0 5L5 -4H-5Z",
)
"""Markers of groups: circle, square, triangle, diamond, triangle on its point; filled first, then hollow."""
_ENTRY = 15.0


@dataclass(frozen=True)
class ScatterPoint:
    """One point of a scatter chart.

    Attributes:
        x: a finite number, above 0 where the axis is logarithmic.
        y: a share with its interval, if it has one, or a number; the caller leaves out what has no value.
        group: points of one group have one marker, which is named at the top; "" for none.
    """

    name: str
    x: float
    y: Share | float
    group: str = ""


@dataclass(frozen=True)
class _Mark:
    x: float
    y: float
    marker: int
    whisker: tuple[float, float] | None
    text: str
    label: Label | None
    best: bool
    words: str


@dataclass(frozen=True)
class _Axes:
    x: Axis
    y: Axis

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Pixels from the left and the top of the plot."""
        return self.x.place(x) * _WIDTH, (1 - self.y.place(y)) * _HEIGHT


def scatter(
    id: str,
    title: str,
    points: Sequence[ScatterPoint],
    *,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    frontier: Sequence[str] = (),
) -> Figure:
    """Points with their names beside them, or with numbers and a key at the right where names would overlap.

    Args:
        log_x: whether equal steps along x are equal factors.
        frontier: names of points that a stepped line joins, in the order of x.

    Raises:
        InputError: there is nothing to draw, a number is not finite or has no logarithm, a share is 0/0, two points
            have one name, or the frontier names a point that there is not.
    """
    _check(id, points, log_x, frontier)
    axes = _axes(points, log_x)
    groups = list(dict.fromkeys(point.group for point in points))
    ordered = sorted(points, key=lambda point: (point.name not in frontier, -_height(point), point.x))
    places = [axes.at(point.x, _height(point)) for point in ordered]
    corners = _corners([places[[point.name for point in ordered].index(name)] for name in frontier])
    texts, labels, key = _named(ordered, places, _lines(ordered, axes, corners))
    marks = [
        _mark(point, place, text, label, (groups.index(point.group) % (2 * len(_SHAPES)), point.name in frontier), axes)
        for point, place, text, label in zip(ordered, places, texts, labels, strict=True)
    ]
    ticks_y = [((1 - axes.y.place(tick)) * _HEIGHT, text) for tick, text in axes.y.ticks]
    left = MARGIN + 20 + max(text_width(text, _LABEL) for _, text in ticks_y)
    legend, legend_height = _legend(groups, bool(frontier), left - MARGIN + _WIDTH)
    top = MARGIN + legend_height
    entries, key_width, key_height = _key([marks[i] for i in key], [ordered[i].name for i in key], left + _WIDTH)
    svg = (
        environment()
        .get_template("scatter.svg.j2")
        .render(
            title=title,
            words="; ".join(mark.words for mark in marks),
            marks=marks,
            path=" ".join(f"{x:.1f},{y:.1f}" for x, y in corners),
            legend=legend,
            key=entries,
            shapes=_SHAPES,
            ticks_x=[(axes.x.place(tick) * _WIDTH, text) for tick, text in axes.x.ticks],
            ticks_y=ticks_y,
            x_label=x_label,
            y_label=y_label,
            width=round(max(left + _WIDTH + 12, key_width) + MARGIN),
            height=round(top + _HEIGHT + 36 + key_height + MARGIN),
            key_y=top + _HEIGHT + 58,
            **{"left": left, "top": top, "plot_width": _WIDTH, "plot_height": _HEIGHT, "margin": MARGIN, "size": SIZE},
        )
    )
    return Figure(id=id, title=title, svg=svg)


def _height(point: ScatterPoint) -> float:
    """The y of a point, which `_check` found to be a number."""
    return number_of(point.y) or 0.0


def _check(id: str, points: Sequence[ScatterPoint], log_x: bool, frontier: Sequence[str]) -> None:
    where = f"figure '{id}'"
    if not points:
        raise InputError("there is nothing to draw.", where=where)
    check_values(id, [value for point in points for value in (point.x, point.y)])
    names = [point.name for point in points]
    for point in points:
        if number_of(point.y) is None:
            raise InputError(f"'{point.name}' is 0/0 and has no place.", where=where, hint="Leave it out.")
        if log_x and point.x <= 0:
            raise InputError(f"'{point.name}' is at {point.x}, which has no logarithm.", where=where)
        if names.count(point.name) > 1:
            raise InputError(f"'{point.name}' is there twice.", where=where)
    if unknown := [name for name in frontier if name not in names]:
        raise InputError(f"'{unknown[0]}' of the frontier is no point.", where=where)


def _axes(points: Sequence[ScatterPoint], log_x: bool) -> _Axes:
    shares = all(isinstance(point.y, Share) for point in points)
    heights = [_height(point) for point in points]
    heights += [end for point in points if isinstance(point.y, Share) for end in point.y.interval or ()]
    across = [point.x for point in points]
    # An axis of amounts begins at 0: dollars, seconds, parameters.
    x = log_axis(across) if log_x else linear_axis([*across, 0.0] if min(across) >= 0 else across)
    return _Axes(x, linear_axis(heights, shares=shares, ends=(0.0, 1.0) if shares else None))


def _corners(places: Sequence[tuple[float, float]]) -> list[Point]:
    """Of the line along the frontier: to the right at the height that is reached, then up to the next point."""
    corners = list(places[:1])
    for (_, height), place in pairwise(places):
        corners += [(place[0], height), place]
    return [*corners, (_WIDTH, places[-1][1])] if places else []


def _lines(points: Sequence[ScatterPoint], axes: _Axes, corners: Sequence[Point]) -> list[Box]:
    """What names should not cover: the frontier and the intervals."""
    ends = list(pairwise(corners))
    for point in points:
        if isinstance(point.y, Share) and point.y.interval:
            low, high = point.y.interval
            ends.append((axes.at(point.x, low), axes.at(point.x, high)))
    return [(min(a[0], b[0]) - 1, min(a[1], b[1]) - 1, max(a[0], b[0]) + 1, max(a[1], b[1]) + 1) for a, b in ends]


def _named(
    points: Sequence[ScatterPoint], places: Sequence[Point], lines: Sequence[Box]
) -> tuple[list[str], list[Label | None], list[int]]:
    """What stands at each point and where; and, where that is numbers, the points in the order of their numbers."""
    plot = (0.0, 0.0, _WIDTH, _HEIGHT)
    names = [point.name for point in points]
    sizes = [(text_width(name, _LABEL), _LABEL + 2) for name in names]
    labels = place_labels(places, sizes, plot, rings=_RINGS[:2], radius=_RADIUS, lines=lines)
    if all(labels):
        return names, labels, []
    key = sorted(range(len(points)), key=lambda i: (-_height(points[i]), points[i].x))
    texts = [""] * len(points)
    for number, i in enumerate(key, 1):
        texts[i] = str(number)
    sizes = [(6.2 * len(text) + 1, _KEY) for text in texts]
    return texts, place_labels(places, sizes, plot, rings=_RINGS, radius=_RADIUS, lines=lines), key


def _mark(
    point: ScatterPoint,
    place: tuple[float, float],
    text: str,
    label: Label | None,
    look: tuple[int, bool],
    axes: _Axes,
) -> _Mark:
    interval = point.y.interval if isinstance(point.y, Share) else None
    said = lines_of(point.y)
    return _Mark(
        x=place[0],
        y=place[1],
        marker=look[0],
        whisker=(axes.at(point.x, interval[0])[1], axes.at(point.x, interval[1])[1]) if interval else None,
        text=text,
        label=label,
        best=look[1],
        words=f"{point.name}{f' ({point.group})' if point.group else ''}: {number_text(point.x, 4)}, {' '.join(said)}"
        + (", on the frontier" if look[1] else ""),
    )


def _legend(
    groups: Sequence[str], frontier: bool, width: float
) -> tuple[list[tuple[str, int | None, float, float]], float]:
    """(name, marker, x, y) per group and for the frontier, which has a line, in lines that fit the width, and the
    height of all; a group alone is not named.
    """
    named: list[tuple[str, int | None]] = [(name, i % (2 * len(_SHAPES))) for i, name in enumerate(groups)]
    named = (named if len(groups) > 1 else []) + ([("frontier", None)] if frontier else [])
    entries = []
    x, y = 0.0, 0.0
    for name, marker in named:
        needed = (16 if marker is not None else 36) + text_width(name, SIZE) + 18
        if x and x + needed > width:
            x, y = 0.0, y + LINE + 4
        entries.append((name, marker, x, y))
        x += needed
    return entries, y + LINE + 12 if entries else 0.0


def _key(
    marks: Sequence[_Mark], names: Sequence[str], width: float
) -> tuple[list[tuple[_Mark, str, float, float]], float, float]:
    """(mark, name, x, y) of each number below the plot, column by column; how far they reach, and their height."""
    if not marks:
        return [], 0.0, 0.0
    column = 48 + max(text_width(name, _LABEL) for name in names)
    count = max(1, int((width - MARGIN) // column))
    rows = -(-len(marks) // count)
    entries = [
        (mark, name, MARGIN + number // rows * column, number % rows * _ENTRY)
        for number, (mark, name) in enumerate(zip(marks, names, strict=True))
    ]
    return entries, MARGIN + min(count, len(marks)) * column, 18 + rows * _ENTRY
