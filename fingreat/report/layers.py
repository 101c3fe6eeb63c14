"""The layers over a filing's text: one per grounded extraction and per placed gold passage, numbered in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fingreat.report.marks import Stretch
from fingreat.schema import Extraction, GoldPassage, Range, Verdict

GOLD = -1
"""Run number of the gold layers."""

MIXED = "m"
"""Style of a piece whose extractions belong to several categories."""

_STRENGTH = (Verdict.EXACT, Verdict.NORMALISED, Verdict.ELIDED)


@dataclass(frozen=True)
class Layer:
    """An extraction or gold passage with a place in the text.

    Attributes:
        run: index of the run, GOLD for gold.
        edges: the extraction's edge, or all that the gold accepts.
        style: index into the palette, from the first edge's category.
    """

    run: int
    edges: tuple[str, ...]
    style: int
    ranges: tuple[Range, ...]
    verdict: Verdict | None = None
    extraction: Extraction | None = None
    gold: GoldPassage | None = None


@dataclass(frozen=True)
class Look:
    """How a marked piece looks: CSS classes, and the label where passages begin."""

    classes: str
    label: str


def filing_layers(
    extractions: Sequence[Sequence[Extraction]], gold: Sequence[GoldPassage], styles: Mapping[str, int]
) -> list[Layer]:
    """Every layer of one filing: extractions run by run, then gold.

    Args:
        extractions: of the filing, per run.
        styles: edge → index into the palette, in graph order.
    """
    order = {edge: i for i, edge in enumerate(styles)}
    layers = [
        Layer(i, (x.edge,), styles[x.edge], x.ranges, verdict=x.verdict, extraction=x)
        for i, of_run in enumerate(extractions)
        for x in of_run
        if x.verdict.grounded and x.ranges
    ]
    for passage in gold:
        if passage.start is not None and passage.end is not None and passage.accepted:
            edges = tuple(sorted(passage.accepted, key=order.__getitem__))
            layers.append(Layer(GOLD, edges, styles[edges[0]], ((passage.start, passage.end),), gold=passage))
    return layers


def stretches(layers: Sequence[Layer]) -> list[Stretch]:
    """The ranges of all layers."""
    return [Stretch(i, start, end) for i, layer in enumerate(layers) for start, end in layer.ranges]


def look_of(layers: Sequence[Layer], over: Sequence[int], opening: Sequence[int]) -> Look:
    """Classes and label of a piece with every layer switched on; the page's script does the same for some."""
    models = [layers[i] for i in over if layers[i].run != GOLD]
    classes = []
    if models:
        styles = {layer.style for layer in models}
        verdicts = {layer.verdict for layer in models}
        classes.append(f"c{styles.pop()}" if len(styles) == 1 else f"c{MIXED}")
        classes.append(f"v-{next(v for v in _STRENGTH if v in verdicts)}")
    if len(models) < len(over):
        classes.append("g")
    return Look(" ".join(classes), label_of([layers[i] for i in opening]))


def label_of(opening: Sequence[Layer]) -> str:
    """Edges in order of appearance, "×n" for several extractions, "◆" before an edge that gold accepts."""
    counts: dict[str, int] = {}
    golden = set()
    for layer in opening:
        for edge in layer.edges:
            counts.setdefault(edge, 0)
            if layer.run == GOLD:
                golden.add(edge)
            else:
                counts[edge] += 1
    return " · ".join(f"{'◆' if edge in golden else ''}{edge}{f' ×{n}' if n > 1 else ''}" for edge, n in counts.items())
