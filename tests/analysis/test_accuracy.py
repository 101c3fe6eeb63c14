"""Accuracy against gold passages: every value is counted by hand, and chance also by brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from fingreat.analysis import Ratio, measure_accuracy
from fingreat.errors import InputError
from fingreat.report.accuracy_table import accuracy_by_year
from fingreat.schema import Classification, GoldPassage, ReplyState, load_graph

GRAPH = load_graph()


def passage(name: str, *accepted: str, filing: str = "f1") -> GoldPassage:
    source = "primary" if accepted else "none"
    return GoldPassage(passage_id=name, filing_id=filing, text="x", accepted=frozenset(accepted), source=source)


def answer(name: str, edge: str | None, filing: str = "f1") -> Classification:
    state = ReplyState.OK if edge else ReplyState.BLOCKED
    return Classification(id=f"c-{name}", run="r", filing_id=filing, passage_id=name, edge=edge, state=state)


GOLD = [
    passage("a", "REV-NNCA"),
    passage("b", "NNCA-CASH"),
    passage("c", "NNCA-CASH", "CASH-DIV", filing="f2"),
    passage("d", "NNCA-OPEX", "ISS-NNCA", filing="f2"),
    passage("e", "OCI-NNCA", filing="f3"),
    passage("n", filing="f3"),
]
# Right: a, c (by its second edge), d. Wrong: b; e failed.
ANSWERS = [
    answer("a", "REV-NNCA"),
    answer("b", "CASH-DIV"),
    answer("c", "CASH-DIV", "f2"),
    answer("d", "ISS-NNCA", "f2"),
    answer("e", None, "f3"),
]


def test_an_answer_is_right_if_it_is_one_of_the_accepted_edges_and_a_failed_one_is_wrong() -> None:
    found = measure_accuracy(ANSWERS, GOLD, GRAPH)
    assert found.overall.accuracy == Ratio(3, 5)
    assert found.overall.failed == 1
    assert found.correct == {"a", "c", "d"}
    assert found.without_edges == 1


def test_cohorts_hold_every_passage_with_an_accepted_edge_there_and_test_the_whole_set() -> None:
    found = measure_accuracy(ANSWERS, GOLD, GRAPH)
    by_category = {cohort.name: cohort.accuracy for cohort in found.categories}
    # d is of Net Income by NNCA-OPEX and right by its other edge, which is of Equity.
    assert by_category == {"Net Income": Ratio(2, 2), "Cash Flow": Ratio(1, 2), "Equity": Ratio(1, 2)}
    by_edge = {cohort.name: cohort.accuracy for cohort in found.edges}
    assert list(by_edge) == list(GRAPH.edges)
    assert by_edge["NNCA-CASH"] == Ratio(1, 2)
    assert by_edge["NNCA-OPEX"] == Ratio(1, 1)
    assert by_edge["NNCA-TAX"] == Ratio(0, 0)


def test_another_grouping_of_edges_can_be_asked_for() -> None:
    found = measure_accuracy(ANSWERS, GOLD, GRAPH, grouping="capital")
    # ISS-NNCA and OCI-NNCA are Equity there, too; CASH-DIV and NNCA-CASH Cash Flow.
    assert {cohort.name: cohort.accuracy.total for cohort in found.categories} == {
        "Net Income": 2,
        "Cash Flow": 2,
        "Equity": 2,
    }


def test_the_random_selector_is_the_mean_over_all_its_draws() -> None:
    gold = [passage("a", "REV-NNCA"), passage("c", "NNCA-CASH", "CASH-DIV")]
    draws = list(product(GRAPH.edges, repeat=2))
    hits = sum((x in gold[0].accepted) + (y in gold[1].accepted) for x, y in draws)
    found = measure_accuracy([answer("a", None), answer("c", None)], gold, GRAPH)
    assert found.overall.random == Fraction(hits, 2 * len(draws)) == Fraction(3, 22)


def test_the_majority_selector_names_the_most_frequent_edge_of_all_passages_inside_cohorts_too() -> None:
    found = measure_accuracy(ANSWERS, GOLD, GRAPH)
    # NNCA-CASH is accepted twice, every other edge once.
    assert found.majority_edge == "NNCA-CASH"
    assert found.overall.majority == Ratio(2, 5)
    assert {cohort.name: cohort.majority for cohort in found.categories} == {
        "Net Income": Ratio(0, 2),
        "Cash Flow": Ratio(2, 2),
        "Equity": Ratio(0, 2),
    }


def test_years_partition_the_passages_whose_filing_date_is_known() -> None:
    found = measure_accuracy(ANSWERS, GOLD, GRAPH, years={"f1": 2001, "f2": 2000})
    assert [(cohort.name, cohort.accuracy) for cohort in found.years] == [("2000", Ratio(2, 2)), ("2001", Ratio(1, 2))]


def test_years_of_filing_and_of_the_periods_end_are_never_mixed() -> None:
    known = {"years": {"f1": 2001}, "period_years": {"f1": 2000, "f2": 2001}}
    found = measure_accuracy(ANSWERS, GOLD, GRAPH, **known)
    # f1 has a, which is right, and b, which is not; both of f2, which was filed on an unknown day, are right.
    assert [(cohort.name, cohort.accuracy) for cohort in found.years] == [("2001", Ratio(1, 2))]
    assert [(cohort.name, cohort.accuracy) for cohort in found.period_years] == [("2001", Ratio(2, 2))]
    table = accuracy_by_year(found, "x")
    assert [row[:2] for row in table.rows] == [("2001", 2), ("period to 2001", 2)]
    period, undated = table.notes
    assert period.startswith("Period to: 2 passages of filings whose date of filing is not known")
    assert undated == "1 passage of filings whose date is not known."


def test_a_cohort_without_passages_has_no_chance() -> None:
    edges = {cohort.name: cohort for cohort in measure_accuracy(ANSWERS, GOLD, GRAPH).edges}
    assert edges["NNCA-TAX"].random is None
    assert edges["NNCA-TAX"].accuracy.value is None


@pytest.mark.parametrize(
    ("answers", "gold", "message"),
    [
        (ANSWERS[:-1], GOLD, "1 of 5 gold passages have no classification"),
        ([*ANSWERS, answer("a", "NNCA-TAX")], GOLD, "is a second one of passage a"),
        ([*ANSWERS, answer("z", "NNCA-TAX")], GOLD, "none of the gold passages"),
        ([], [passage("n")], "no gold passage accepts an edge"),
        ([answer("a", None)], [passage("a", "NNCA-REV")], "no edge of graph"),
    ],
)
def test_what_does_not_belong_together_is_refused(
    answers: list[Classification], gold: list[GoldPassage], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        measure_accuracy(answers, gold, GRAPH)
