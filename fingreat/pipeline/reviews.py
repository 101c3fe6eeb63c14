"""A file of reviews: how far reviewers agree, and which edges they accept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from pydantic import ValidationError

from fingreat.analysis.accepted import Cohorts, cohorts_of
from fingreat.analysis.reviews import (
    Decision,
    Review,
    ReviewAgreement,
    decisions_of,
    measure_reviews,
)
from fingreat.errors import InputError
from fingreat.pipeline.table_files import TableFolder
from fingreat.report.model import Figure
from fingreat.report.reviews_table import (
    ALL_REVIEWERS,
    accepted_by_edge_table,
    accepted_table,
    agreement_table,
    decisions_table,
    distance_map,
)
from fingreat.report.tables import Table
from fingreat.runs import read_json_lines
from fingreat.schema import Graph, load_graph

TABLES = TableFolder(
    "an agreement of reviewers",
    ("reviewers", "review-decisions", "accepted-edges", "accepted-by-edge"),
    figures=("reviewers",),
)
"""What a folder of its tables and figures holds."""


@dataclass(frozen=True)
class MeasuredReviews:
    """How far reviewers agree, and what they accept.

    Attributes:
        reviewers: their names, sorted.
        decisions: id of a passage → reviewer → the edges selected.
        left_out: ids of passages that not every reviewer decided.
        agreement: of all reviewers.
        pairs: of each two of them, where there are more than two.
    """

    graph: Graph
    reviewers: tuple[str, ...]
    decisions: Mapping[str, Mapping[str, Decision]]
    left_out: tuple[str, ...]
    agreement: ReviewAgreement
    pairs: Mapping[tuple[str, str], ReviewAgreement]
    cohorts: Cohorts


def read_reviews(path: Path) -> Iterator[Review]:
    """The reviews of a JSON Lines file, in its order.

    Raises:
        InputError: the file cannot be read, or a line is no review.
    """
    for number, value in read_json_lines(path):
        try:
            yield Review.model_validate(value)
        except ValidationError as error:
            detail = error.errors()[0]
            key = ".".join(str(part) for part in detail["loc"])
            raise InputError(f"is no review: '{key}': {detail['msg']}", where=f"{path}, line {number}") from error


def measure_review_file(path: Path, *, schema: Path | None = None, common: bool = False) -> MeasuredReviews:
    """Measure the reviews of a file.

    Args:
        schema: the graph whose edges were selected, None for the shipped one.
        common: keep to the passages that every reviewer decided, instead of refusing others.

    Raises:
        InputError: the file cannot be read or holds no reviews, a line is no review, or `decisions_of` refuses them.
    """
    graph = load_graph(schema)
    reviews = list(read_reviews(path))
    if not reviews:
        raise InputError("holds no review.", where=str(path), hint="Write one review per line, as JSON.")
    decisions, left_out = decisions_of(reviews, graph, common=common)
    reviewers = tuple(next(iter(decisions.values())))
    return MeasuredReviews(
        graph=graph,
        reviewers=reviewers,
        decisions=decisions,
        left_out=left_out,
        agreement=_of(decisions, reviewers),
        pairs={pair: _of(decisions, pair) for pair in combinations(reviewers, 2) if len(reviewers) > 2},
        cohorts=cohorts_of([tuple(of.values()) for of in decisions.values()], graph),
    )


def review_tables(measured: MeasuredReviews) -> tuple[Table, ...]:
    """All there is to say, as tables."""
    rows = {ALL_REVIEWERS: measured.agreement}
    rows |= {f"{a}, {b}": found for (a, b), found in measured.pairs.items()}
    return (
        agreement_table(rows, left_out=len(measured.left_out)),
        decisions_table(measured.reviewers, measured.decisions.values()),
        accepted_table(measured.cohorts),
        accepted_by_edge_table(measured.cohorts, measured.graph),
    )


def review_figures(measured: MeasuredReviews) -> tuple[Figure, ...]:
    """How far each two of several reviewers agree, drawn."""
    return (distance_map(measured.reviewers, measured.pairs),) if measured.pairs else ()


def _of(decisions: Mapping[str, Mapping[str, Decision]], reviewers: tuple[str, ...]) -> ReviewAgreement:
    return measure_reviews({id_: [of[one] for one in reviewers] for id_, of in decisions.items()})
