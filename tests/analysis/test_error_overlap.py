"""Errors of models on the same passages: shares counted by hand, chance by scipy, intervals by all possible draws."""

from __future__ import annotations

from fractions import Fraction

import pytest
from analysis.written_sheets import GRAPH, gold, sheet_of, sheet_of_errors
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from fingreat.analysis import FilingBootstrap, Ratio, error_jaccard, errors_of, matched_accuracy
from fingreat.analysis.errors import confusions, error_overlaps, independent_jaccard
from fingreat.errors import InputError


@pytest.mark.parametrize(
    ("a", "b", "shared", "jaccard", "accuracy"),
    [
        # 77 errors each, 60 of them shared: 94 in all, and 406 of 483 right.
        (77, 77, 60, 0.638298, 0.840580),
        # 77 and 81 errors, 58 shared: 100 in all; the second is right on 402 of 483.
        (77, 81, 58, 0.58, 0.832298),
        # 35 each, 27 shared: 43 in all; 448 of 483 right.
        (35, 35, 27, 0.627907, 0.927536),
    ],
)
def test_error_overlap_is_shared_errors_over_errors_of_either(
    a: int, b: int, shared: int, jaccard: float, accuracy: float
) -> None:
    failed = {"a": set(range(a)), "b": set(range(a - shared, a - shared + b))}
    (found,) = error_overlaps(sheet_of_errors(483, failed))
    assert (found.jaccard.hits, found.jaccard.total) == (shared, a + b - shared)
    assert found.jaccard.value == pytest.approx(jaccard, abs=5e-7)
    assert found.right_b.value == pytest.approx(accuracy, abs=5e-7)


def test_every_two_of_44_models_are_946_pairs() -> None:
    failed = {f"m{n}": {n, n + 1} for n in range(44)}
    found = error_overlaps(sheet_of_errors(60, failed))
    assert len(found) == 946
    assert len({(one.a, one.b) for one in found}) == 946
    # Neighbours share one error of three, others none of four.
    assert {one.jaccard.value for one in found} == {1 / 3, 0.0}


def test_two_models_without_errors_have_no_overlap_rather_than_0_or_1() -> None:
    (found,) = error_overlaps(sheet_of_errors(4, {"a": set(), "b": set()}))
    assert found.jaccard == Ratio(0, 0)
    assert found.independent is None
    assert error_jaccard(set(), {"p"}) == Ratio(0, 1)


@pytest.mark.parametrize(("a", "b", "n"), [(77, 81, 483), (35, 35, 483), (3, 2, 4), (4, 1, 4), (0, 2, 5), (9, 9, 9)])
def test_overlap_by_independence_is_the_mean_over_the_hypergeometric_distribution(a: int, b: int, n: int) -> None:
    expected = sum(hypergeom.pmf(i, n, a, b) * i / (a + b - i) for i in range(min(a, b) + 1))
    assert independent_jaccard(a, b, n) == pytest.approx(expected, rel=1e-9)


def test_overlap_by_independence_of_one_error_each_in_two_passages_is_one_half() -> None:
    # The second error is on the first one's passage (overlap 1) or on the other (0), equally often.
    assert independent_jaccard(1, 1, 2) == pytest.approx(0.5)


def test_an_interval_draws_filings() -> None:
    # F0: both fail on both of its passages (2 of 2); F1: each fails on another (0 of 2). Draws: F0 twice gives 1,
    # F1 twice 0, each a quarter of the time, so that these are the percentiles; one of each gives 2 of 4.
    sheet = sheet_of_errors(4, {"a": {0, 1, 2}, "b": {0, 1, 3}})
    (found,) = error_overlaps(sheet, FilingBootstrap(2, replicates=400))
    assert found.jaccard.value == 0.5
    assert (found.jaccard.interval.low, found.jaccard.interval.high) == (0.0, 1.0)


def test_pairs_of_equal_accuracy_include_those_at_the_very_border_and_the_largest_overlap_comes_first() -> None:
    # Of 200 passages: a and b miss 20, c misses 22 (one point more), d 23 (one and a half more).
    failed = {"a": set(range(20)), "b": set(range(10, 30)), "c": set(range(22)), "d": set(range(100, 123))}
    found = matched_accuracy(error_overlaps(sheet_of_errors(200, failed)), 1.0)
    # c and d are half a point apart and share nothing; a and c 20 of 22, b and c 12 of 30, a and b 10 of 30.
    assert [(one.a, one.b) for one in found] == [("a", "c"), ("b", "c"), ("a", "b"), ("c", "d")]
    assert [one.jaccard.hits for one in found] == [20, 12, 10, 0]
    assert len(matched_accuracy(error_overlaps(sheet_of_errors(200, failed)), 0.5)) == 2


def test_a_tenth_of_a_point_is_a_tenth_as_typed() -> None:
    # One of 1,000 passages is exactly 0.1 points.
    overlaps = error_overlaps(sheet_of_errors(1000, {"a": {1}, "b": {1, 2}}))
    assert len(matched_accuracy(overlaps, 0.1)) == 1
    assert matched_accuracy(overlaps, 0.09) == ()


@pytest.mark.parametrize("within", [-0.1, 100.1, float("nan")])
def test_a_difference_that_no_two_accuracies_have_is_refused(within: float) -> None:
    with pytest.raises(InputError, match="not from 0 to 100"):
        matched_accuracy((), within)


PASSAGES = [
    gold("one", "REV-NNCA"),
    gold("two", "NNCA-CASH", "CASH-DIV"),
    gold("three", "NNCA-OPEX", filing="F2"),
]
ANSWERS = {
    # Right, right by the second edge, wrong.
    "a": ["REV-NNCA", "CASH-DIV", "NNCA-COGS"],
    # Wrong, wrong, failed.
    "b": ["NNCA-COGS", "REV-NNCA", None],
    # Right, failed, wrong.
    "c": ["REV-NNCA", None, "NNCA-COGS"],
}


def test_confusion_counts_a_wrong_answer_in_equal_parts_for_each_accepted_edge() -> None:
    a, b, c = confusions(sheet_of(PASSAGES, ANSWERS))
    assert a.counts == {
        ("REV-NNCA", "REV-NNCA"): 1,
        ("CASH-DIV", "CASH-DIV"): 1,
        ("NNCA-OPEX", "NNCA-COGS"): 1,
    }
    half = Fraction(1, 2)
    assert b.counts == {
        ("REV-NNCA", "NNCA-COGS"): 1,
        ("NNCA-CASH", "REV-NNCA"): half,
        ("CASH-DIV", "REV-NNCA"): half,
        ("NNCA-OPEX", None): 1,
    }
    assert (c.row("CASH-DIV"), c.share("CASH-DIV", None), c.share("ISS-CASH", None)) == (half, 1.0, None)


def test_errors_of_a_sheet_say_how_many_models_get_a_passage_right_and_what_they_say_of_the_hardest() -> None:
    found = errors_of(sheet_of(PASSAGES, ANSWERS))
    # "three" is right for none, "two" for a alone, "one" for a and c.
    assert found.right_counts == (1, 1, 1, 0)
    (hardest,) = found.hardest
    assert hardest.passage.passage_id == "three"
    assert hardest.right == Ratio(0, 3)
    assert hardest.answers == (("NNCA-COGS", 2), (None, 1))
    # Misses: a 1, b 3 and c 2 of 3; 3 * 1/3 * 3/3 * 2/3.
    assert found.missed_if_independent == pytest.approx(2 / 3)
    assert found.confusion.row("REV-NNCA") == 3
    assert (found.passages, found.filings) == (3, 2)


def test_of_ten_models_passages_that_one_gets_right_are_among_the_hardest() -> None:
    failed = {f"m{n}": {0, 1, 2} - ({1} if n == 0 else {2} if n < 3 else set()) for n in range(10)}
    found = errors_of(sheet_of_errors(4, failed))
    assert found.few == 1
    assert [(one.passage.passage_id, one.right.hits) for one in found.hardest] == [("p000", 0), ("p001", 1)]


def test_an_answer_that_is_no_edge_of_the_graph_is_refused() -> None:
    with pytest.raises(InputError, match="m: answers X-Y to passage one, no edge of graph 'gaap11'"):
        errors_of(sheet_of(PASSAGES[:1], {"m": ["X-Y"]}))


@st.composite
def sheets(draw: st.DrawFn):
    edges = list(GRAPH.edges)[:4]
    sets = draw(st.lists(st.sets(st.sampled_from(edges), min_size=1), min_size=1, max_size=6))
    passages = [gold(f"p{n}", *accepted, filing=f"F{n % 3}") for n, accepted in enumerate(sets)]
    answer = st.sampled_from([*edges, None])
    rows = st.lists(answer, min_size=len(passages), max_size=len(passages))
    return sheet_of(passages, draw(st.dictionaries(st.sampled_from("abcd"), rows, min_size=1)))


@given(sheets())
def test_confusion_holds_every_passage_once_and_its_diagonal_holds_the_right_ones(sheet) -> None:
    for one, row in zip(confusions(sheet), sheet.right.tolist(), strict=True):
        assert sum(one.counts.values()) == len(sheet.passages)
        assert sum(count for (accepted, answered), count in one.counts.items() if accepted == answered) == sum(row)
