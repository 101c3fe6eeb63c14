"""Overlapping passages as a flat sequence of pieces: the text is cut at every border of every range."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stretch:
    """A range of the text that one layer covers.

    Attributes:
        layer: number of the extraction or gold passage; one layer may have several stretches.
    """

    layer: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A range of the text that the same layers cover throughout.

    Attributes:
        layers: numbers in rising order; empty for plain text.
        opening: those whose stretch begins here, or began in syntax just before.
    """

    start: int
    end: int
    layers: tuple[int, ...]
    opening: tuple[int, ...] = ()


class Pieces:
    """Pieces of ranges that are asked for in rising order.

    A sweep over the borders sorted once: time grows with the borders and with the layers over each piece,
    not with their product.
    """

    def __init__(self, stretches: Iterable[Stretch]) -> None:
        self._stretches = sorted(stretches, key=lambda s: (s.start, s.end, s.layer))
        self._borders, self._covers = _sweep(self._stretches)
        self._next = 0

    def between(self, start: int, end: int) -> Iterator[Piece]:
        """The pieces of text[start:end], which partition it."""
        at = start
        index = bisect_right(self._borders, start) - 1
        while at < end:
            stop = self._borders[index + 1] if index + 1 < len(self._borders) else end
            stop = min(stop, end)
            layers = self._covers[index] if index >= 0 else ()
            yield Piece(at, stop, layers, self._opened(at, layers) if layers else ())
            at = stop
            index += 1

    def _opened(self, at: int, layers: tuple[int, ...]) -> tuple[int, ...]:
        """Layers with a stretch that started at or before `at` and was not reported yet."""
        opened = set()
        while self._next < len(self._stretches) and self._stretches[self._next].start <= at:
            opened.add(self._stretches[self._next].layer)
            self._next += 1
        return tuple(layer for layer in layers if layer in opened)


def _sweep(stretches: list[Stretch]) -> tuple[list[int], list[tuple[int, ...]]]:
    """Borders in order, and the layers over the text from each border to the next."""
    changes: dict[int, list[tuple[int, int]]] = {}
    for stretch in stretches:
        changes.setdefault(stretch.start, []).append((stretch.layer, 1))
        changes.setdefault(stretch.end, []).append((stretch.layer, -1))
    borders = sorted(changes)
    active: dict[int, int] = {}
    covers = []
    for border in borders:
        for layer, step in changes[border]:
            active[layer] = active.get(layer, 0) + step
            if not active[layer]:
                del active[layer]
        covers.append(tuple(sorted(active)))
    return borders, covers
