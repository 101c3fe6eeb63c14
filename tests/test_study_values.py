"""Exact values of the published study, each by the function that computes it: they follow from what its text states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from fractions import Fraction
from itertools import chain, repeat

import numpy as np
import pytest

from fingreat.analysis import (
    Cohorts,
    Decision,
    Ratio,
    accepted_of,
    cohorts_of,
    masi_distance,
    measure_reviews,
)
from fingreat.analysis.accuracy import measure_accuracies
from fingreat.analysis.answers import AnswerSheet, answer_sheet
from fingreat.analysis.corpus import measure_corpus
from fingreat.analysis.differences import mcnemar, paired_differences
from fingreat.analysis.errors import error_overlaps
from fingreat.analysis.reviews import alpha
from fingreat.report.tables import Share, percent
from fingreat.schema import Classification, Filing, GoldPassage, ReplyState, load_graph

GRAPH = load_graph()
EDGES = tuple(GRAPH.edges)
REVIEWERS = 3


def edges(number: int, size: int) -> Decision:
    """So many edges, others for every number."""
    return frozenset(EDGES[(number + i) % len(EDGES)] for i in range(size))


def reviewed() -> list[tuple[Decision, ...]]:
    """Three decisions on each of 500 passages: 472 with a majority, 11 without any, and 17 that most find unfitting.

    Of the 483 that accept an edge, 398 accept one, 64 two, 19 three and 2 four; where no two reviewers share an edge,
    each of them selects another one.
    """
    sizes = chain(repeat(1, 398), repeat(2, 64), repeat(3, 19 - 11), repeat(4, 2))
    agreed = [(edges(i, size), edges(i, size), edges(i, 1)) for i, size in enumerate(sizes)]
    split = [(edges(i, 1), edges(i + 1, 1), edges(i + 2, 1)) for i in range(11)]
    return [*agreed, *split, *[(frozenset(), frozenset(), edges(i, 1)) for i in range(17)]]


@pytest.fixture(scope="module")
def cohorts() -> Cohorts:
    return cohorts_of(reviewed(), GRAPH)


@pytest.fixture(scope="module")
def gold() -> list[GoldPassage]:
    passages = []
    for i, decisions in enumerate(reviewed()):
        accepted, source = accepted_of(decisions)
        passages.append(
            GoldPassage(
                passage_id=f"p{i:03}",
                filing_id=f"f{i % 259:03}",
                text=f"Passage {i}.",
                accepted=accepted,
                source=source,
            )
        )
    return passages


def sheet_of(gold: Sequence[GoldPassage], *failing: Iterable[int]) -> AnswerSheet:
    """Models that fail on the eligible passages of these numbers, and on those alone."""
    eligible = [passage for passage in gold if passage.accepted]
    answers = {}
    for number, failed in enumerate(map(frozenset, failing)):
        answers[f"model {number:02}"] = [
            Classification(
                id=f"c{i}",
                run=f"model {number:02}",
                filing_id=passage.filing_id,
                passage_id=passage.passage_id,
                edge=next(edge for edge in EDGES if (edge in passage.accepted) != (i in failed)),
                state=ReplyState.OK,
            )
            for i, passage in enumerate(eligible)
        ]
    return answer_sheet(answers, gold, GRAPH)


def test_alpha_follows_from_the_two_disagreements() -> None:
    assert alpha(0.213385, 0.903824) == pytest.approx(0.763909, abs=5e-7)


def test_three_reviewers_of_five_hundred_passages_make_these_pairs_and_pooled_pairs() -> None:
    found = measure_reviews({f"p{i}": one for i, one in enumerate(reviewed())})
    assert (found.passages, found.reviewers, found.pairs, found.pooled_pairs) == (500, 3, 1_500, 1_124_250)


def test_identical_triples_are_two_thirds() -> None:
    same = (edges(0, 1),) * REVIEWERS
    other = (edges(0, 1), edges(0, 1), edges(0, 2))
    found = measure_reviews({f"p{i}": same if i < 331 else other for i in range(500)})
    assert found.identical == Ratio(331, 500)
    assert found.identical.value == pytest.approx(0.662)


@pytest.mark.parametrize(("a", "b", "distance"), [("A", "AB", 0.665), ("AB", "BC", 0.89), ("A", "ABC", 0.776667)])
def test_masi_weights_are_no_thirds(a: str, b: str, distance: float) -> None:
    assert masi_distance(frozenset(a), frozenset(b)) == pytest.approx(distance, abs=5e-7)


def test_eligible_passages_add_up_by_size_and_by_source(cohorts: Cohorts) -> None:
    primary, fallback, none = (cohorts.sizes[source] for source in ("primary", "fallback", "none"))
    sizes = {size: primary.get(size, 0) + fallback.get(size, 0) for size in range(1, 12)}
    assert {size: n for size, n in sizes.items() if n} == {1: 398, 2: 64, 3: 19, 4: 2}
    assert (sum(primary.values()), sum(fallback.values()), sum(none.values())) == (472, 11, 17)
    assert (cohorts.eligible, cohorts.eligible + sum(none.values())) == (483, 500)


def test_chance_is_the_labels_over_passages_and_edges(cohorts: Cohorts, gold: list[GoldPassage]) -> None:
    assert cohorts.labels == 591
    assert cohorts.chance == pytest.approx(0.111237, abs=5e-7)
    # The same by what measures a run of classifications.
    (accuracy,) = measure_accuracies(sheet_of(gold, ()))
    assert accuracy.overall.random == Fraction(591, 483 * 11)
    assert (accuracy.overall.accuracy.total, accuracy.without_edges) == (483, 17)


@pytest.mark.parametrize(
    ("shared", "errors_a", "errors_b", "union", "jaccard", "right", "accuracy"),
    [
        (60, 77, 77, 94, 0.638298, 406, 0.840580),
        (58, 77, 81, 100, 0.58, 402, 0.832298),
        (27, 35, 35, 43, 0.627907, 448, 0.927536),
    ],
)
def test_error_overlaps_and_accuracies_of_pairs(
    shared: int,
    errors_a: int,
    errors_b: int,
    union: int,
    jaccard: float,
    right: int,
    accuracy: float,
    gold: list[GoldPassage],
) -> None:
    sheet = sheet_of(gold, range(errors_a), range(errors_a - shared, errors_a - shared + errors_b))
    (overlap,) = error_overlaps(sheet)
    assert (overlap.jaccard.hits, overlap.jaccard.total) == (shared, union)
    assert overlap.jaccard.value == pytest.approx(jaccard, abs=5e-7)
    # The accuracy that is stated is that of the model with more errors.
    of_second = measure_accuracies(sheet)[1].overall.accuracy
    assert of_second == overlap.right_b == Ratio(right, 483)
    assert of_second.value == pytest.approx(accuracy, abs=5e-7)


def test_forty_four_models_make_946_pairs(gold: list[GoldPassage]) -> None:
    sheet = sheet_of(gold[:12], *([i % 12] for i in range(44)))
    assert len(error_overlaps(sheet)) == len(paired_differences(sheet)) == 946


def published_corpus() -> list[Filing]:
    """50 filings in each of 26 years, of 1,237 firms; 17 filings of 15 firms have no industry.

    Total assets are known for 647 of the 700 filings from 2012 on, and for 9 of the 600 before.
    """
    # 63 firms come a second time, two of them without an industry.
    firms = chain(range(1_237), range(2), range(15, 76))
    assets = chain(repeat(10**9, 9), repeat(None, 591), repeat(10**9, 647), repeat(None, 53))
    return [
        Filing(
            id=f"f{number:04}",
            cik=str(firm + 1),
            filed=date(2000 + number // 50, 3, 1),
            sic=None if firm < 15 else "3571",
            total_assets=known,
            path="x",
            sha256="0" * 64,
        )
        for number, (firm, known) in enumerate(zip(firms, assets, strict=True))
    ]


def test_the_corpus_adds_up_by_years_firms_and_known_assets() -> None:
    figures = measure_corpus(published_corpus(), {}, size_years=range(2012, 2026))
    assert [(group.name, group.filings) for group in figures.years] == [(str(year), 50) for year in range(2000, 2026)]
    assert figures.all.filings == 26 * 50 == 1_300
    common = {"2000", "2005", "2010", "2015", "2020", "2025"}
    assert sum(group.filings for group in figures.years if group.name in common) == 6 * 50 == 300
    (unknown,) = (group for group in figures.divisions if group.name is None)
    assert (figures.all.firms, unknown.firms, unknown.filings) == (1_237, 15, 17)
    assert sum(group.firms for group in figures.divisions if group.name is not None) == 1_222
    assert figures.sized.with_assets == Ratio(647, 700)
    assert figures.sized.with_assets.value == pytest.approx(0.924286, abs=5e-7)
    known = figures.all.with_assets
    assert (known.hits, known.total - known.hits) == (656, 644)


@pytest.mark.parametrize(("right", "shown"), [(59, "42.1%"), (85, "60.7%"), (87, "62.1%"), (97, "69.3%")])
def test_shares_of_140_are_shown_as_published(right: int, shown: str) -> None:
    assert percent(Share(k=right, n=140)) == shown


def test_one_discordant_pair_with_a_difference_of_twelve_has_an_exact_p_that_rounds_to_a_twentieth() -> None:
    fewer = np.arange(60)
    found = mcnemar(fewer + 12, fewer)
    assert [int(k) for k in fewer[np.round(found, 3) == 0.050]] == [10]
    assert found[10] == pytest.approx(0.0501, abs=5e-5)
