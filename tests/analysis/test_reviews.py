"""Agreement of reviewers: worked by hand, against NLTK, and on decisions that real readers made."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import masi_distance as nltk_masi

from fingreat.analysis import (
    Decision,
    Ratio,
    Review,
    ReviewAgreement,
    accepted_of,
    cohorts_of,
    decisions_of,
    masi_distance,
    measure_reviews,
)
from fingreat.analysis.reviews import alpha
from fingreat.errors import InputError
from fingreat.schema import load_graph

GRAPH = load_graph()
REV, COGS, OPEX, TAX = "REV-NNCA", "NNCA-COGS", "NNCA-OPEX", "NNCA-TAX"


def of(*edges: str) -> Decision:
    return frozenset(edges)


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ("A", "A", 0),
        ("", "", 0),
        ("", "A", 1),
        ("A", "B", 1),
        # One shared of two, one of which holds the other: 1 - 0.67 / 2.
        ("A", "AB", 0.665),
        # One shared of three, neither holds the other: 1 - 0.33 / 3.
        ("AB", "BC", 0.89),
        # One shared of three, nested: 1 - 0.67 / 3.
        ("A", "ABC", 0.776667),
        # Two shared of three, nested: 1 - 0.67 · 2/3. Two of four, crossed: 1 - 0.33 / 2.
        ("AB", "ABC", 0.553333),
        ("ABC", "BCD", 0.835),
    ],
)
def test_masi_distances_are_as_worked_out_by_hand_either_way_round(a: str, b: str, distance: float) -> None:
    assert masi_distance(frozenset(a), frozenset(b)) == pytest.approx(distance, abs=5e-7)
    assert masi_distance(frozenset(b), frozenset(a)) == masi_distance(frozenset(a), frozenset(b))


def test_a_worked_example() -> None:
    found = measure_reviews({"p1": [of(REV), of(REV, COGS)], "p2": [of(), of()]})
    # D_o: 0.665 and 0. The four decisions make six pairs: 0.665, four of an empty set with another at 1, and 0.
    assert (found.passages, found.reviewers, found.pairs, found.pooled_pairs) == (2, 2, 2, 6)
    assert found.observed == pytest.approx(0.665 / 2)
    assert found.expected == pytest.approx(4.665 / 6)
    assert found.alpha == pytest.approx(1 - (0.665 / 2) / (4.665 / 6))
    # 1/2 and 1.
    assert found.jaccard == 0.75
    assert (found.exact, found.identical) == (Ratio(1, 2), Ratio(1, 2))


def test_two_of_three_alike_are_a_pair_but_not_all() -> None:
    found = measure_reviews({"p": [of(REV), of(REV), of(TAX)]})
    assert (found.exact, found.identical) == (Ratio(1, 3), Ratio(0, 1))


def test_who_always_says_the_same_agrees_and_a_single_reviewer_agrees_with_nobody() -> None:
    same = measure_reviews({"p1": [of(REV), of(REV)], "p2": [of(REV), of(REV)]})
    assert (same.observed, same.expected, same.alpha) == (0.0, 0.0, 1.0)
    alone = measure_reviews({"p1": [of(REV)], "p2": [of(TAX)]})
    assert (alone.pairs, alone.pooled_pairs) == (0, 1)
    assert alone.observed is alone.alpha is alone.jaccard is alone.exact.value is alone.identical.value is None
    # The distance of the two decisions is known all the same.
    assert alone.expected == 1.0


def test_less_agreement_than_chance_is_below_zero() -> None:
    # Within each passage 1; pooled, of six pairs the two of equal sets are 0: D_e = 4/6.
    found = measure_reviews({"p1": [of(REV), of(TAX)], "p2": [of(TAX), of(REV)]})
    assert found.alpha == pytest.approx(1 - 6 / 4)


@pytest.mark.parametrize(
    ("decisions", "words"),
    [
        ({}, "there is no review"),
        ({"p1": []}, "passage p1: has no decision"),
        ({"p1": [of(REV), of()], "p2": [of(REV)]}, "passage p2: has 1 decisions, where passage p1 has 2"),
    ],
)
def test_decisions_that_have_no_agreement_are_refused(decisions: dict[str, list[Decision]], words: str) -> None:
    with pytest.raises(InputError, match=words):
        measure_reviews(decisions)


def test_disagreements_that_make_no_alpha_are_refused() -> None:
    assert alpha(0, 0) == 1.0
    for observed, expected in ((0.1, 0.0), (-0.1, 0.5)):
        with pytest.raises(InputError, match="has no alpha"):
            alpha(observed, expected)


def weighted(a: Decision, b: Decision) -> float:
    """MASI's distance by the operators of sets."""
    if a == b:
        return 0.0
    weight = 0.67 if a < b or b < a else 0.33
    return 1 - weight * len(a & b) / len(a | b)


def by_nltk(decisions: Mapping[str, Sequence[Decision]]) -> float:
    """Krippendorff's alpha as NLTK reckons it. Its own MASI distance has weights of thirds in some versions and divides
    by zero for two empty sets.
    """
    data = [(str(who), id_, one) for id_, of_passage in decisions.items() for who, one in enumerate(of_passage)]
    return float(AnnotationTask(data=data, distance=weighted).alpha())


drawn = st.lists(
    st.lists(st.frozensets(st.sampled_from("ABCDE"), max_size=4), min_size=3, max_size=3), min_size=2, max_size=8
)


@settings(max_examples=100)
@given(drawn)
def test_distances_and_alpha_are_nltks(passages: list[list[Decision]]) -> None:
    decisions = {f"p{i}": one for i, one in enumerate(passages)}
    every = [one for of_passage in passages for one in of_passage]
    for a, b in combinations(set(every), 2):
        assert masi_distance(a, b) == pytest.approx(weighted(a, b))
        # 2/3 and 1/3 are within 0.0034 of 0.67 and 0.33.
        assert masi_distance(a, b) == pytest.approx(nltk_masi(a, b), abs=0.0034)
    found = measure_reviews(decisions)
    if len(set(every)) == 1:
        assert found.alpha == 1.0
    else:
        assert found.alpha == pytest.approx(by_nltk(decisions), abs=1e-9)


@settings(max_examples=50)
@given(drawn, st.randoms())
def test_measures_depend_on_no_order(passages: list[list[Decision]], random: object) -> None:
    shuffled = [list(one) for one in passages]
    for one in (shuffled, *shuffled):
        random.shuffle(one)  # type: ignore[attr-defined]

    def of_all(given: list[list[Decision]]) -> ReviewAgreement:
        return measure_reviews({f"p{i}": one for i, one in enumerate(given)})

    assert of_all(shuffled) == of_all(passages)


@pytest.mark.prove
def test_a_hundred_thousand_passages_of_five_reviewers_take_less_than_two_seconds() -> None:
    sets = [of(*pair) for size in range(4) for pair in combinations(sorted(GRAPH.edges), size)]
    decisions = {f"p{i}": [sets[(i * 7 + who * who * (i % 3)) % len(sets)] for who in range(5)] for i in range(100_000)}
    start = time.process_time()
    found = measure_reviews(decisions)
    assert time.process_time() - start < 2
    assert (found.pairs, found.pooled_pairs) == (1_000_000, 500_000 * 499_999 // 2)


def test_the_readings_of_the_labelled_passages_agree_as_nltk_has_it_and_accept_what_the_file_says(
    shared: Path,
) -> None:
    rows = [json.loads(line) for line in (shared / "passages" / "gold.jsonl").read_text(encoding="utf-8").splitlines()]
    decisions = {row["id"]: [of(*edges) for edges in row["readings"].values()] for row in rows}
    found = measure_reviews(decisions)
    assert (found.passages, found.reviewers) == (160, 3)
    assert found.alpha == pytest.approx(by_nltk(decisions), abs=1e-9)
    assert found.identical.hits == sum(row["unanimous"] for row in rows)
    for row in rows:
        accepted, source = accepted_of(decisions[row["id"]])
        assert (accepted, source) == (of(*row["accepted"]), row["source"])
    cohorts = cohorts_of(decisions.values(), GRAPH)
    assert (cohorts.eligible, cohorts.sizes["none"][0]) == (115, 45)
    sizes = Counter(len(row["accepted"]) for row in rows if row["accepted"])
    assert dict(cohorts.sizes["primary"]) == dict(sizes)


@pytest.mark.parametrize(
    ("decisions", "accepted", "source"),
    [
        # More than half of three is two, of four three, of two both.
        ([of(REV, TAX), of(REV), of(COGS)], of(REV), "primary"),
        ([of(REV), of(REV), of(TAX), of(TAX)], of(REV, TAX), "fallback"),
        ([of(REV), of(REV), of(REV), of(TAX)], of(REV), "primary"),
        ([of(REV), of(TAX)], of(REV, TAX), "fallback"),
        # Two selected nothing: none fits, although one selected something.
        ([of(), of(), of(REV)], of(), "none"),
        ([of(), of(REV), of(COGS, TAX)], of(REV, COGS, TAX), "fallback"),
        # Half is no majority.
        ([of(), of(REV)], of(REV), "fallback"),
        ([of(), of()], of(), "none"),
        ([of(REV)], of(REV), "primary"),
        ([of()], of(), "none"),
    ],
)
def test_a_majority_is_accepted_else_what_anyone_selected_unless_most_selected_nothing(
    decisions: list[Decision], accepted: Decision, source: str
) -> None:
    assert accepted_of(decisions) == (accepted, source)


def test_cohorts_count_passages_labels_and_chance() -> None:
    passages = [[of(REV)] * 3, [of(REV, TAX)] * 3, [of(REV), of(COGS), of(TAX)], [of()] * 3]
    found = cohorts_of(passages, GRAPH)
    assert {source: dict(sizes) for source, sizes in found.sizes.items()} == {
        "primary": {1: 1, 2: 1}, "fallback": {3: 1}, "none": {0: 1},
    }  # fmt: skip
    assert (found.eligible, found.labels) == (3, 6)
    # (1 + 2 + 3) / 3 of 11 edges.
    assert found.chance == pytest.approx(2 / 11)
    assert {edge: n for edge, n in found.edges.items() if n} == {REV: 3, COGS: 1, TAX: 2}
    assert list(found.edges) == list(GRAPH.edges)
    assert cohorts_of([[of()]], GRAPH).chance is None


def review(passage: str, reviewer: str, *edges: str) -> Review:
    return Review(passage_id=passage, reviewer=reviewer, edges=of(*edges))


def test_reviews_are_put_together_by_passage_and_reviewer_in_any_order() -> None:
    reviews = [review("p2", "b", REV), review("p1", "a"), review("p1", "b", TAX), review("p2", "a", COGS)]
    decisions, left_out = decisions_of(reviews, GRAPH)
    assert decisions == {"p2": {"a": of(COGS), "b": of(REV)}, "p1": {"a": of(), "b": of(TAX)}}
    assert [list(one) for one in decisions.values()] == [["a", "b"], ["a", "b"]]
    assert left_out == ()


def test_passages_that_not_all_decided_are_refused_by_name_or_left_out() -> None:
    reviews = [review("p1", "a", REV), review("p1", "b", REV), review("p2", "a", TAX)]
    with pytest.raises(InputError, match="passage p2: has no decision of b"):
        decisions_of(reviews, GRAPH)
    decisions, left_out = decisions_of(reviews, GRAPH, common=True)
    assert (list(decisions), left_out) == (["p1"], ("p2",))
    with pytest.raises(InputError, match="a, b: no passage was decided by all of them"):
        decisions_of([review("p1", "a", REV), review("p2", "b", REV)], GRAPH, common=True)


@pytest.mark.parametrize(
    ("reviews", "words"),
    [
        ([], "there is no review"),
        ([review("p", "a", "REV-COGS")], "passage p, reviewer a: selects REV-COGS, no edge of graph 'gaap11'"),
        ([review("p", "a", REV), review("p", "a", TAX)], "passage p, reviewer a: is decided twice"),
    ],
)
def test_reviews_that_contradict_themselves_or_the_graph_are_refused(reviews: list[Review], words: str) -> None:
    with pytest.raises(InputError, match=words):
        decisions_of(reviews, GRAPH)
