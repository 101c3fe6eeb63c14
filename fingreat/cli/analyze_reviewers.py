"""`fingreat analyze reviewers`: how far people who read the same passages agree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fingreat.cli.analyze_options import TablesFolderOption, as_data, as_typed
from fingreat.cli.analyze_out import Results, give_out
from fingreat.cli.common import NO_VALUE, JsonFlag, SchemaOption
from fingreat.pipeline.reviews import TABLES, MeasuredReviews, measure_review_file, review_figures, review_tables
from fingreat.pipeline.side_by_side import provenance
from fingreat.runs import sha256_of


def reviewers(
    reviews: Annotated[
        Path, typer.Argument(metavar="REVIEWS", help="JSON Lines of reviews.", dir_okay=False, show_default=False)
    ],
    common: Annotated[
        bool,
        typer.Option("--common", metavar=NO_VALUE, help="Measure on the passages that all decided, where they differ."),
    ] = False,
    schema: SchemaOption = None,
    target: TablesFolderOption = None,
    json: JsonFlag = False,
) -> None:
    """Measure how far reviewers agree on the edges of passages, and count which edges they accept.

    A line of the file is one decision: "passage_id", "reviewer" and "edges", which is [] where no edge fits.

    Agreement is Krippendorff's alpha with MASI distance, over all passages. A passage accepts the edges that more than
    half of its reviewers selected, and without any what one of them selected, unless more than half selected nothing.

    Example: fingreat analyze reviewers reviews.jsonl
    """
    words = as_typed("reviewers", [reviews], common=common, schema=schema)
    give_out(
        Results(TABLES, review_tables, _as_data, review_figures),
        lambda: measure_review_file(reviews, schema=schema, common=common),
        target,
        json=json,
        made_by=lambda: [*provenance(words, ()), f"Reviews {reviews}: SHA-256 {sha256_of(reviews)}"],
    )


def _as_data(measured: MeasuredReviews) -> dict[str, Any]:
    cohorts = measured.cohorts
    return {
        "reviewers": list(measured.reviewers),
        "left_out": list(measured.left_out),
        "agreement": as_data(measured.agreement),
        "pairs": [{"a": a, "b": b, **as_data(found)} for (a, b), found in measured.pairs.items()],
        "accepted": {source: {str(size): n for size, n in of.items()} for source, of in cohorts.sizes.items()},
        "edges": dict(cohorts.edges),
        "eligible": cohorts.eligible,
        "labels": cohorts.labels,
        "chance": cohorts.chance,
    }
