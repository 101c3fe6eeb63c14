"""What runs dwell on, as tables: over edges and categories, over filings, and what of it is verbatim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from fingreat.analysis import Behavior, Emphasis, Portion, Ratio
from fingreat.report.columns import names, on_grouping, on_intervals, share, shares, texts
from fingreat.report.tables import Column, Table
from fingreat.schema import Verdict
from fingreat.schema.graph import DEFAULT_GROUPING

Categories = Mapping[str, str]
"""Edge → its category."""

SHARE = (
    "Share is the extractions of an edge or a category / all extractions of the run: what a run dwells on, not what is "
    "right."
)
COVERAGE = (
    "Coverage is the filings with at least one extraction of an edge or a category / the filings that were read; "
    "coverage of a category is no sum of its edges'."
)
VERDICTS = (
    "In the text are quotes that stand there as they are (exact), after harmless differences of writing are taken out "
    "(normalised), or in pieces in their order (elided). Altered ones are like the text and say something else."
)
UNGROUNDED = (Verdict.ALTERED, Verdict.NOT_FOUND, Verdict.TOO_SHORT)
_GROUNDED = tuple(verdict for verdict in Verdict if verdict.grounded)
_CATEGORY_AND_EDGE = (*names("category"), Column(label="edge", kind="edge", once=True))


def behavior_table(runs: Sequence[Behavior], *, seed: int, grouping: str = DEFAULT_GROUPING) -> Table:
    """How the extractions of each run spread over categories.

    Args:
        runs: at least one, all over the same filings.
        seed: of the draws that the intervals are from.
        grouping: which grouping of the graph's edges gives the categories.
    """
    rows = [(run, run.overall.categories[n]) for n in range(len(runs[0].overall.categories)) for run in runs]
    return Table(
        id="behavior",
        title="What runs dwell on: extractions by category",
        columns=(*names("category"), *texts("run"), *shares("share")),
        rows=tuple((found.name, run.run, share(found.share)) for run, found in rows),
        notes=(SHARE, *on_grouping(grouping), *_on_intervals(runs, (found.share for _, found in rows), seed)),
    )


def behavior_by_edge_table(
    runs: Sequence[Behavior], categories: Categories, *, seed: int, grouping: str = DEFAULT_GROUPING
) -> Table:
    """How the extractions of each run spread over edges."""
    rows = list(_by_edge(runs))
    return Table(
        id="behavior-by-edge",
        title="What runs dwell on: extractions by edge",
        columns=(*_CATEGORY_AND_EDGE, *texts("run"), *shares("share")),
        rows=tuple((categories[found.name], found.name, run.run, share(found.share)) for run, found in rows),
        notes=(SHARE, *on_grouping(grouping), *_on_intervals(runs, (found.share for _, found in rows), seed)),
    )


def coverage_table(
    runs: Sequence[Behavior], categories: Categories, *, seed: int, grouping: str = DEFAULT_GROUPING
) -> Table:
    """In how many filings each run finds something of an edge."""
    rows = list(_by_edge(runs))
    return Table(
        id="coverage",
        title="Filings in which runs find evidence of an edge",
        columns=(*_CATEGORY_AND_EDGE, *texts("run"), *shares("coverage")),
        rows=tuple((categories[found.name], found.name, run.run, share(found.coverage)) for run, found in rows),
        notes=(COVERAGE, *on_grouping(grouping), *_on_intervals(runs, (found.coverage for _, found in rows), seed)),
    )


def verdicts_table(runs: Sequence[Behavior], *, seed: int) -> Table:
    """How many quotes of each run stand in the text, and how."""
    verdicts = (*_GROUNDED, *UNGROUNDED)
    found = [verdict_shares(run.overall, verdicts) for run in runs]
    return Table(
        id="verdicts",
        title="Quotes that stand in the text",
        columns=(*texts("run"), *shares(*verdict_heads(verdicts))),
        rows=tuple((run.run, *map(share, ratios)) for run, ratios in zip(runs, found, strict=True)),
        notes=(VERDICTS, *_on_intervals(runs, chain.from_iterable(found), seed)),
    )


def verdict_heads(verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    """What the columns of `verdict_shares` are called."""
    return ("in the text", *(verdict.value.replace("_", " ") for verdict in verdicts))


def verdict_shares(found: Emphasis, verdicts: Iterable[Verdict]) -> tuple[Ratio, ...]:
    """The share of quotes that stand in the text, then that of each verdict."""
    return (found.grounded, *(found.verdicts[verdict] for verdict in verdicts))


def _by_edge(runs: Sequence[Behavior]) -> Iterator[tuple[Behavior, Portion]]:
    """Each edge with the runs one after the other."""
    for number in range(len(runs[0].overall.edges)):
        yield from ((run, run.overall.edges[number]) for run in runs)


def _on_intervals(runs: Sequence[Behavior], ratios: Iterable[Ratio], seed: int) -> tuple[str, ...]:
    return on_intervals([ratio.interval for ratio in ratios], runs[0].overall.filings, seed)
