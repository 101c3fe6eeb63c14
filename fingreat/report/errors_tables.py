"""Errors of models on the same passages, as tables and heat maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor

from fingreat.analysis.bootstrap import SEED
from fingreat.analysis.errors import Confusion, ErrorOverlap, Errors, PassageAnswers
from fingreat.report.columns import counts, edges, filings, names, numbers, on_intervals, rates, share, shares, texts
from fingreat.report.heat_chart import Sides, heat_map
from fingreat.report.model import Figure
from fingreat.report.tables import ALL, Cell, Share, Table, count_of, number_text
from fingreat.schema import Graph

FAILED = "failed"
"""What stands for a reply without an edge."""
_BEGINNING = 120
_MOST_ANSWERS = 4
_OVERLAP = (
    "Error overlap is the Jaccard of two models' failed passages: those that both fail on, of those that either does. "
    "A failed reply is an error."
)
_INDEPENDENT = (
    "If independent: the share that is expected where each model fails on as many passages as it does, but on any of "
    "them, whatever the other does (hypergeometric)."
)
_RATES = (
    "Error overlap depends on how often models fail, so that pairs of equal accuracy are those to compare with one "
    "another."
)
_COUNTED = (
    "A right answer counts for the edge that was answered; a wrong one to a passage that accepts several edges counts "
    "an equal part for each of them: each answer of a model counts once in all."
)


def overlap_table(measured: Errors, *, seed: int = SEED) -> Table:
    """Error overlap of every two models, in the models' order."""
    return Table(
        id="error-overlap",
        title="Passages that two models both fail on",
        detail=True,
        columns=(
            *names("model a"),
            *texts("model b"),
            *counts("errors a", "errors b"),
            *shares("error overlap"),
            *rates("if independent"),
        ),
        rows=tuple((one.a, one.b, *_errors(one), share(one.jaccard), one.independent) for one in measured.overlaps),
        notes=(_OVERLAP, _INDEPENDENT, *_on_intervals(measured, measured.overlaps, seed)),
    )


def matched_accuracy_table(
    measured: Errors, pairs: Sequence[ErrorOverlap], within: float, *, seed: int = SEED
) -> Table:
    """The pairs whose accuracies are about the same.

    Args:
        pairs: as `matched_accuracy` orders them.
        within: percentage points that they differ by at most.
    """
    of = len(measured.overlaps)
    return Table(
        id="matched-accuracy",
        title="Error overlap of models that are equally accurate",
        columns=(
            *texts("model a", "model b"),
            *shares("accuracy a", "accuracy b", "error overlap"),
            *rates("if independent"),
        ),
        rows=tuple(
            (one.a, one.b, share(one.right_a), share(one.right_b), share(one.jaccard), one.independent) for one in pairs
        ),
        notes=(
            f"{count_of(len(pairs), 'pair')} of {of:,} whose accuracies differ by at most "
            f"{count_of_points(within)}, those that share most errors first. {_RATES}",
            _OVERLAP,
            _INDEPENDENT,
            *_on_intervals(measured, pairs, seed),
        ),
    )


def count_of_points(points: float) -> str:
    """Percentage points in words."""
    return f"{points:g} percentage point{'' if points == 1 else 's'}"


def missed_table(measured: Errors) -> Table:
    """Passages that no model gets right, or few do: what they accept and what the models said."""
    models = len(measured.names)
    return Table(
        id="missed-by-all",
        title="Passages that no model gets right"
        if not measured.few
        else f"Passages that none or at most {measured.few:,} of {models:,} models get right",
        columns=(
            *shares("right"),
            *filings()[:1],
            *texts("passage", "accepted edges", "answers", "text begins"),
        ),
        rows=tuple(_missed(one, measured) for one in measured.hardest),
        notes=tuple(_on_missed(measured)),
    )


def confusion_table(measured: Errors, graph: Graph) -> Table:
    """Of each accepted edge, how many answers of all models are right, and which wrong ones are the most frequent."""
    return Table(
        id="confusion",
        title="What is answered instead of accepted edges",
        columns=(
            *edges("accepted edge"),
            *numbers("answers", "right", digits=1),
            *rates("right of answers"),
            *texts("most frequent instead"),
        ),
        rows=tuple(_instead(measured.confusion, edge, graph) for edge in graph.edges),
        notes=(
            f"Answers of {count_of(len(measured.names), 'model')} to {count_of(measured.passages, 'passage')}.",
            _COUNTED,
        ),
    )


def confusion_by_model_table(measured: Errors, graph: Graph) -> Table:
    """Every answered edge of every accepted edge, of all models together and of each."""
    each = (measured.confusion, *measured.confusions) if len(measured.names) > 1 else measured.confusions
    return Table(
        id="confusion-by-model",
        title="Answered edges by accepted edge and model",
        detail=True,
        columns=(
            *names("model"),
            *names("accepted edge"),
            *texts("answered"),
            *numbers("answers", digits=1),
            *rates("of the accepted edge"),
        ),
        rows=tuple(row for one in each for row in _cells(one, graph, ALL if one is measured.confusion else one.name)),
        notes=(_COUNTED,),
    )


def overlap_map(measured: Errors) -> Figure:
    """The error overlap of every two models, the most accurate first."""
    shown = {(one.a, one.b): share(one.jaccard) for one in measured.overlaps}
    shown |= {(b, a): cell for (a, b), cell in shown.items()}
    right = {one.a: one.right_a.hits for one in measured.overlaps}
    right |= {one.b: one.right_b.hits for one in measured.overlaps}
    order = sorted(measured.names, key=lambda name: -right[name])
    values = [[shown.get((a, b)) for b in order] for a in order]
    return heat_map(
        "error-overlap",
        "Passages that two models both fail on, of those that either does",
        order,
        values,
        span=_span(cell.value for cell in shown.values()),
        caption=f"Models from the most to the least accurate. {_OVERLAP}",
    )


def confusion_map(measured: Errors, graph: Graph) -> Figure:
    """The shares of answered edges among each accepted edge's answers, of all models together."""
    failed = any(answer is None for _, answer in measured.confusion.counts)
    answered = [*graph.edges, *([None] if failed else [])]
    values = [[measured.confusion.share(edge, answer) for answer in answered] for edge in graph.edges]
    return heat_map(
        "confusion",
        "What is answered where an edge is accepted",
        Sides(list(graph.edges), [answer or FAILED for answer in answered]),
        values,
        axes=("accepted", "answered"),
        caption=f"Each row with answers sums to 1. {_COUNTED}",
    )


def _errors(one: ErrorOverlap) -> tuple[int, int]:
    return one.right_a.total - one.right_a.hits, one.right_b.total - one.right_b.hits


def _on_intervals(measured: Errors, pairs: Sequence[ErrorOverlap], seed: int) -> tuple[str, ...]:
    return on_intervals((one.jaccard.interval for one in pairs), measured.filings, seed)


def _missed(one: PassageAnswers, measured: Errors) -> tuple[Cell, ...]:
    passage = one.passage
    several = len(measured.names) > 1
    said = [f"{edge or FAILED} {number:,}" if several else edge or FAILED for edge, number in one.answers]
    text = " ".join(passage.text.split())
    return (
        Share(k=one.right.hits, n=one.right.total),
        passage.filing_id,
        passage.passage_id,
        ", ".join(sorted(passage.accepted)),
        _first(said),
        text if len(text) <= _BEGINNING else f"{text[:_BEGINNING].rstrip()}…",
    )


def _on_missed(measured: Errors) -> Iterator[str]:
    models, missed = len(measured.names), measured.right_counts[0]
    every = {1: "the model", 2: "both models"}.get(models, f"all {models:,} models")
    yield (
        f"{missed:,} of {count_of(measured.passages, 'passage')} {'is' if missed == 1 else 'are'} wrong for {every}, "
        f"{measured.right_counts[-1]:,} right."
    )
    if models > 1:
        yield (
            "If each model failed on as many passages, but on any of them, "
            f"{number_text(measured.missed_if_independent, 1)} would be expected to be wrong for {every}."
        )


def _instead(confusion: Confusion, edge: str, graph: Graph) -> tuple[Cell, ...]:
    wrong = [(answer, confusion.counts.get((edge, answer))) for answer in (*graph.edges, None) if answer != edge]
    found = sorted(((answer, count) for answer, count in wrong if count), key=lambda pair: -pair[1])
    said = [f"{answer or FAILED} {float(count):,.1f}" for answer, count in found]
    return (
        edge,
        float(confusion.row(edge)),
        float(confusion.counts.get((edge, edge), 0)),
        confusion.share(edge, edge),
        _first(said) or None,
    )


def _first(said: Sequence[str]) -> str:
    """The first of some answers, and how many more there are."""
    more = len(said) - _MOST_ANSWERS
    return ", ".join((*said[:_MOST_ANSWERS], *((f"{more:,} more",) if more > 0 else ())))


def _cells(confusion: Confusion, graph: Graph, name: str) -> Iterator[tuple[Cell, ...]]:
    for edge in graph.edges:
        for answer in (*graph.edges, None):
            if count := confusion.counts.get((edge, answer)):
                yield name, edge, answer or FAILED, float(count), confusion.share(edge, answer)


def _span(values: Iterator[float | None]) -> tuple[float, float]:
    """From a round tenth below the least to one above the largest value."""
    known = [value for value in values if value is not None]
    if not known:
        return 0.0, 1.0
    low, high = floor(10 * min(known)) / 10, ceil(10 * max(known)) / 10
    return (low, high) if low < high else (max(0.0, low - 0.1), high + 0.1)
