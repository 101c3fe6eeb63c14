"""One dot in a line for each of many names, with its interval: accuracies of models, say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from fingreat.errors import InputError
from fingreat.report.axis import Axis, linear_axis
from fingreat.report.chart_values import GAP, LINE, MARGIN, SIZE, Value, check_values, lines_of, number_of
from fingreat.report.draw import text_width
from fingreat.report.model import Figure
from fingreat.report.palette import palette
from fingreat.report.tables import Share, number_text, percent
from fingreat.report.templating import environment

_ROW, _HEAD, _GROUP_GAP = 18.0, 20.0, 8.0
_PLOT = 400.0
_TEXT = 11.0

ReferenceLine = tuple[str, Value]
"""What a line across all rows stands for, a random selector say, and where it is; none is drawn without a value."""


@dataclass(frozen=True)
class DotRow:
    """One line of a dot chart.

    Attributes:
        value: a share with its interval, if it has one, or a number; None: there is none, and the row says so.
        group: rows of one group that follow each other stand under its name; "" for none.
        interval: of a value that is a number.
        style: index into the palette, where the row is of an edge or a category (`edge_styles`).
    """

    name: str
    value: Value
    group: str = ""
    interval: tuple[float, float] | None = None
    style: int | None = None

    @property
    def ends(self) -> tuple[float, float] | None:
        """The ends of its interval."""
        return self.value.interval if isinstance(self.value, Share) else self.interval


@dataclass(frozen=True)
class _Dot:
    row: DotRow
    y: float
    x: float | None
    whisker: tuple[float, float] | None
    text: str
    words: str


def dots(
    id: str,
    title: str,
    rows: Sequence[DotRow],
    *,
    lines: Sequence[ReferenceLine] = (),
    x_label: str = "",
    caption: str = "",
) -> Figure:
    """A dot in a line for each row, in the given order, with its interval as a whisker and its value in words.

    The axis goes from a round value below the least to one above the largest; it need not begin at 0, for a dot's
    place tells its value and its length tells nothing.

    Args:
        lines: across all rows, dashed, named at the top.

    Raises:
        InputError: there is nothing to draw, or a number is not finite.
    """
    _check(id, rows, lines)
    shares = all(isinstance(row.value, Share) or row.value is None for row in rows)
    axis = _axis(rows, lines, shares)
    left = MARGIN + max(max(text_width(row.name, SIZE), text_width(row.group, _TEXT)) for row in rows) + GAP
    marked = _marked(lines, axis, shares)
    top = MARGIN + len(marked) * LINE + 10
    heads, drawn, bottom = _placed(rows, axis, top)
    text_left = left + _PLOT + 12
    right = text_left + max(text_width(dot.text, _TEXT) for dot in drawn)
    svg = (
        environment()
        .get_template("dots.svg.j2")
        .render(
            title=title,
            words="; ".join([dot.words for dot in drawn] + [f"line: {name}" for name, _ in marked]),
            heads=heads,
            dots=drawn,
            lines=_named_lines(marked, top),
            ticks=[(axis.place(tick) * _PLOT, text) for tick, text in axis.ticks],
            x_label=x_label,
            palette=palette(),
            width=round(right + MARGIN),
            height=round(bottom + (36 if x_label else 20) + MARGIN),
            **{"left": left, "top": top, "bottom": bottom, "plot": _PLOT, "text_left": text_left},
            **{"margin": MARGIN, "gap": GAP, "size": SIZE},
        )
    )
    return Figure(id=id, title=title, svg=svg, caption=caption)


def _check(id: str, rows: Sequence[DotRow], lines: Sequence[ReferenceLine]) -> None:
    if not rows:
        raise InputError("there is nothing to draw.", where=f"figure '{id}'")
    check_values(id, [row.value for row in rows])
    check_values(id, [value for _, value in lines])
    check_values(id, [end for row in rows for end in row.ends or ()])


def _axis(rows: Sequence[DotRow], lines: Sequence[ReferenceLine], shares: bool) -> Axis:
    values = [row.value for row in rows] + [value for _, value in lines]
    numbers = [number for number in map(number_of, values) if number is not None]
    numbers += [end for row in rows for end in row.ends or ()]
    return linear_axis(numbers or [0.0, 1.0], shares=shares, ends=(0.0, 1.0) if shares else None)


def _marked(lines: Sequence[ReferenceLine], axis: Axis, shares: bool) -> list[tuple[str, float]]:
    """(name and value, x) of each line: the nearest to an end of the plot first, so that none crosses a later name."""
    known = [(name, number) for name, value in lines if (number := number_of(value)) is not None]
    marked = [
        (f"{name} {percent(number) if shares else number_text(number, 2)}", axis.place(number) * _PLOT)
        for name, number in known
    ]
    return sorted(marked, key=lambda line: min(line[1], _PLOT - line[1]))


def _placed(rows: Sequence[DotRow], axis: Axis, top: float) -> tuple[list[tuple[str, float]], list[_Dot], float]:
    """The heads of groups with their places, the dots, and where the last row ends."""
    heads: list[tuple[str, float]] = []
    drawn: list[_Dot] = []
    y = top
    for group, members in groupby(rows, key=lambda row: row.group):
        if group:
            y += _GROUP_GAP if drawn else 0.0
            heads.append((group, y + _HEAD - 6))
            y += _HEAD
        for row in members:
            drawn.append(_dot(row, axis, y + _ROW / 2))
            y += _ROW
    return heads, drawn, y + 4


def _dot(row: DotRow, axis: Axis, y: float) -> _Dot:
    number = number_of(row.value)
    texts = lines_of(row.value)
    text = texts[0] if len(texts) == 1 else f"{texts[0]} ({texts[1]})"
    name = f"{row.group}, {row.name}" if row.group else row.name
    return _Dot(
        row=row,
        y=y,
        x=None if number is None else axis.place(number) * _PLOT,
        whisker=(axis.place(row.ends[0]) * _PLOT, axis.place(row.ends[1]) * _PLOT) if row.ends else None,
        text=text,
        words=f"{name}: {'no value' if number is None else text}",
    )


def _named_lines(marked: Sequence[tuple[str, float]], top: float) -> list[tuple[str, float, float, str]]:
    """(name, x, y of its name, which end of the name is at the line), each name in a line of its own."""
    return [
        (name, x, top - 10 - (len(marked) - 1 - i) * LINE, "start" if x < _PLOT / 2 else "end")
        for i, (name, x) in enumerate(marked)
    ]
