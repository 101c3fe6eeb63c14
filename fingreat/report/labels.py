"""Places for the names of points: no name on another, on a point or beyond the plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True)
class Label:
    """Where a name stands: a point of its middle line, and which end of it (`start`, `middle`, `end`) lies there.

    Attributes:
        leader: from the point to the name, where it stands too far off to be told from others.
    """

    x: float
    y: float
    anchor: str
    leader: tuple[float, float, float, float] | None = None


def place_labels(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    plot: Box,
    *,
    rings: Sequence[float],
    radius: float,
    lines: Sequence[Box] = (),
) -> list[Label | None]:
    """A free place beside each point for its name, taken one after the other; None where there is none.

    Args:
        points: in the order in which they choose.
        sizes: width and height of each name.
        plot: what names keep within.
        rings: distances from a point that are tried, the nearest first.
        radius: of a point's marker, which no name covers.
        lines: what names cover only where no other place is free.
    """
    taken: list[Box] = [(x - radius, y - radius, x + radius, y + radius) for x, y in points]
    found: list[Label | None] = []
    for point, size in zip(points, sizes, strict=True):
        free = [
            (label, box)
            for label, box in _candidates(point, size, rings)
            if _within(box, plot) and not any(_overlap(box, other) for other in taken)
        ]
        clear = [(label, box) for label, box in free if not any(_overlap(box, line) for line in lines)]
        label, box = next(iter(clear or free), (None, None))
        found.append(label)
        if box:
            taken.append(box)
    return found


def _candidates(
    point: tuple[float, float], size: tuple[float, float], rings: Sequence[float]
) -> Iterator[tuple[Label, Box]]:
    """Right, left, above, below and the corners, in each ring."""
    x, y = point
    width, height = size
    for ring in rings:
        for across, down in ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1)):
            reach = 0.7 * ring if across and down else ring
            end = x + across * reach
            left = end - width / 2 * (1 - across)
            middle = y + down * (reach + height / 2 - 2)
            leader = (x, y, end, middle - (0 if across else down * height / 2)) if ring > rings[0] else None
            anchor = {1: "start", 0: "middle", -1: "end"}[across]
            box = (left, middle - height / 2, left + width, middle + height / 2)
            yield Label(end, middle, anchor, leader), box


def _within(box: Box, plot: Box) -> bool:
    return box[0] >= plot[0] and box[1] >= plot[1] and box[2] <= plot[2] and box[3] <= plot[3]


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
