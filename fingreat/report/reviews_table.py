"""How far reviewers agree and what they accept, as tables and as a map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from fingreat.analysis.accepted import Cohorts, Source
from fingreat.analysis.ratio import Ratio
from fingreat.analysis.reviews import Decision, ReviewAgreement
from fingreat.report.columns import counts, edges, numbers, share, shares, texts
from fingreat.report.heat_chart import heat_map
from fingreat.report.model import Figure
from fingreat.report.tables import ALL, Cell, Table, count_of, percent
from fingreat.schema import Graph

ALL_REVIEWERS = ALL
"""The row of all reviewers."""
_SOURCES: Mapping[Source, str] = {
    "primary": "a majority's edges",
    "fallback": "any reviewer's edges",
    "none": "none fits",
}
_CAVEAT = "Agreement is of the reviewers with each other; it does not say that they are right."
_ALL_THE_SAME = "Where every decision is the same, D_o and D_e are 0 and alpha is 1 by convention."
_ONE_PASSAGE = "Of one passage alone D_o is D_e, so that alpha is 0 unless all selected the same."


def agreement_table(rows: Mapping[str, ReviewAgreement], *, left_out: int = 0) -> Table:
    """How far reviewers agree.

    Args:
        rows: who is compared → how they agree; all reviewers first.
        left_out: passages that not every reviewer decided.
    """
    notes = [
        "D_o is the mean MASI distance of two decisions on one passage, D_e that of any two decisions, without "
        "replacement; alpha (Krippendorff) is 1 - D_o / D_e.",
        "The MASI distance of two sets is 1 - m·J, where J (Jaccard) is their shared edges over all edges of either, "
        "and m is 1 for equal sets, 0.67 where one holds the other, and 0.33 otherwise (Passonneau 2006). Of two empty "
        "sets J is 1 and the distance 0.",
        "All reviewed passages count, also those that accept no edge.",
        *_conventions(rows.values()),
        _CAVEAT,
    ]
    if left_out:
        notes.append(f"Left out: {count_of(left_out, 'passage')} that not every reviewer decided.")
    return Table(
        id="reviewers",
        title="How far reviewers agree",
        columns=(
            *texts("reviewers"),
            *counts("passages", "pairs", "pooled pairs"),
            *numbers("D_o", "D_e", digits=6),
            *numbers("alpha", "mean Jaccard"),
            *shares("equal pairs", "all equal"),
        ),
        rows=tuple(
            (
                name,
                found.passages,
                found.pairs,
                found.pooled_pairs,
                found.observed,
                found.expected,
                found.alpha,
                found.jaccard,
                share(found.exact),
                share(found.identical),
            )
            for name, found in rows.items()
        ),
        notes=tuple(notes),
    )


def decisions_table(reviewers: Sequence[str], decisions: Iterable[Mapping[str, Decision]]) -> Table:
    """How many edges each reviewer selects."""
    sizes: dict[str, Counter[int]] = {reviewer: Counter() for reviewer in reviewers}
    for of_passage in decisions:
        for reviewer, one in of_passage.items():
            sizes[reviewer][len(one)] += 1
    most = max((size for of in sizes.values() for size in of), default=0)
    return Table(
        id="review-decisions",
        title="How many edges reviewers select",
        detail=True,
        columns=(
            *texts("reviewer"),
            *counts("decisions"),
            *shares("none"),
            *counts(*(count_of(size, "edge") for size in range(1, most + 1))),
        ),
        rows=tuple(
            (
                reviewer,
                of.total(),
                share(Ratio(of[0], of.total())),
                *(of[size] for size in range(1, most + 1)),
            )
            for reviewer, of in sizes.items()
        ),
    )


def accepted_table(cohorts: Cohorts) -> Table:
    """How many edges passages accept, and where these come from."""
    most = max((size for sizes in cohorts.sizes.values() for size, n in sizes.items() if n), default=0)
    rows: list[tuple[Cell, ...]] = [
        (_SOURCES[source], sum(sizes.values()), *(sizes.get(size, 0) for size in range(1, most + 1)))
        for source, sizes in cohorts.sizes.items()
    ]
    kept = [sizes for source, sizes in cohorts.sizes.items() if source != "none"]
    rows.append(("eligible", cohorts.eligible, *(sum(s.get(size, 0) for s in kept) for size in range(1, most + 1))))
    notes = [
        "A passage accepts the edges that more than half of its reviewers selected. Where there is none, and more than "
        "half selected nothing, none fits and the passage is left out; else it accepts what any of them selected.",
    ]
    if cohorts.chance is not None:
        notes.append(
            f"{count_of(cohorts.labels, 'accepted edge')}: one drawn at random from {len(cohorts.edges)} is right for "
            f"{percent(cohorts.chance)} of the eligible passages."
        )
    return Table(
        id="accepted-edges",
        title="How many edges passages accept",
        columns=(
            *texts("accepts"),
            *counts("passages", *(count_of(size, "edge") for size in range(1, most + 1))),
        ),
        rows=tuple(rows),
        notes=tuple(notes),
        totals=1,
    )


def accepted_by_edge_table(cohorts: Cohorts, graph: Graph) -> Table:
    """How many passages accept each edge."""
    return Table(
        id="accepted-by-edge",
        title="Passages that accept each edge",
        detail=True,
        columns=(*texts("category"), *edges("edge"), *shares("eligible passages")),
        rows=tuple(
            (graph.category(edge), edge, share(Ratio(n, cohorts.eligible))) for edge, n in cohorts.edges.items()
        ),
        notes=("A passage that accepts several edges counts for each of them.",),
    )


def distance_map(reviewers: Sequence[str], pairs: Mapping[tuple[str, str], ReviewAgreement]) -> Figure:
    """The alpha of each two reviewers; a reviewer alone is left empty.

    Args:
        pairs: two reviewers in the order of `reviewers` → how they agree.
    """
    both = {**pairs, **{(b, a): found for (a, b), found in pairs.items()}}
    values = [[both[a, b].alpha if a != b else None for b in reviewers] for a in reviewers]
    caption = " ".join((*_conventions(pairs.values()), _CAVEAT))
    return heat_map("reviewers", "Alpha of each two reviewers", list(reviewers), values, caption=caption)


def _conventions(found: Collection[ReviewAgreement]) -> Iterator[str]:
    """Notes on alphas that are not reckoned from how often reviewers agree."""
    if any(one.alpha is not None and one.expected == 0 for one in found):
        yield _ALL_THE_SAME
    if any(one.passages == 1 and one.expected for one in found):
        yield _ONE_PASSAGE
