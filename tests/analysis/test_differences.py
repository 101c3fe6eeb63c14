"""Paired differences: the labelled case, hand arithmetic, and statsmodels and scipy for the tests."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest
from sheet_builders import GRAPH, RIGHT, WRONG, passage, sheet_of

from fingreat.analysis import FilingBootstrap
from fingreat.analysis.answers import AnswerSheet, answer_sheet
from fingreat.analysis.differences import clustered_t, holm, mcnemar, paired_differences
from fingreat.errors import InputError
from fingreat.schema import Classification, ReplyState

# Three filings of 2, 1 and 1 passages.
FILINGS = ["f1", "f1", "f2", "f3"]


def labelled_case(shared: Path) -> AnswerSheet:
    """Two models on 200 common passages of 40 filings, the second in another order, and two of the first's own."""
    file = shared / "cases" / "eval-ties-missing-paired" / "input.paired.csv"
    rows = list(csv.DictReader(file.open(encoding="utf-8", newline="")))
    gold = {row["item_id"]: passage(row["item_id"], RIGHT, filing=row["filing_id"]) for row in rows}
    answers: dict[str, list[Classification]] = {}
    for row in rows:
        edge, name, filing = RIGHT if row["correct"] == "1" else WRONG, row["item_id"], row["filing_id"]
        of = Classification(id=name, run="r", filing_id=filing, passage_id=name, edge=edge, state=ReplyState.OK)
        answers.setdefault(row["model"], []).append(of)
    return answer_sheet(answers, list(gold.values()), GRAPH, common=True)


def test_the_labelled_case_gives_its_figures(shared: Path) -> None:
    sheet = labelled_case(shared)
    assert sheet.left_out == ("i201", "i202")
    (found,) = paired_differences(sheet, FilingBootstrap(len(sheet.filings)))
    assert (found.n, found.right_a, found.right_b, found.only_a, found.only_b) == (200, 133, 118, 24, 9)
    assert found.difference == pytest.approx(0.075)
    assert found.standard_error == pytest.approx(0.0457, abs=5e-5)
    assert (round(found.t or 0, 2), found.df) == (1.64, 39)
    assert (found.p or 0) > 0.05
    assert found.p_mcnemar == pytest.approx(0.0135, abs=5e-5)
    assert [round(100 * end, 1) for end in found.t_interval or ()] == [-1.7, 16.7]
    assert found.interval is not None
    assert found.interval.low < 0 < found.difference < found.interval.high


def test_a_difference_is_worked_out_by_hand() -> None:
    found = paired_differences(sheet_of({"a": [1, 1, 1, 0], "b": [0, 0, 1, 0]}, FILINGS))
    (one,) = found
    # d = 1, 1, 0, 0 has mean 1/2; deviations by filing are 1, -1/2, -1/2: squares sum to 3/2.
    # Standard error: sqrt(3/2 * 3/2) / 4 = 3/8; t = 4/3 on 2 degrees of freedom, for which
    # P(T > t) = 1/2 - t / (2 sqrt(2 + t^2)).
    assert (one.right_a, one.right_b, one.only_a, one.only_b) == (3, 1, 2, 0)
    assert one.difference == 0.5
    assert one.standard_error == pytest.approx(3 / 8)
    assert one.t == pytest.approx(4 / 3)
    assert one.df == 2
    assert one.p == pytest.approx(1 - (4 / 3) / (2 + 16 / 9) ** 0.5)
    # Two passages that only a has right: 2 * (1/2)^2.
    assert one.p_mcnemar == 0.5
    assert one.interval is None


def test_the_interval_is_that_of_the_difference_on_the_same_draws() -> None:
    sheet = sheet_of({"a": [1, 1, 1, 0], "b": [0, 0, 1, 0], "c": [0, 1, 0, 1]}, FILINGS)
    bootstrap = FilingBootstrap(3, replicates=500, seed=3)
    sizes = [2, 1, 1]
    by_filing = {"a": [2, 1, 0], "b": [0, 1, 0], "c": [1, 0, 1]}
    for one in paired_differences(sheet, bootstrap):
        assert one.interval == bootstrap.difference(by_filing[one.a], sizes, by_filing[one.b], sizes)


def test_every_two_models_are_compared_in_the_order_of_their_names() -> None:
    sheet = sheet_of({"c": [1, 1], "a": [0, 1], "b": [0, 0]}, ["f1", "f2"])
    assert [(one.a, one.b) for one in paired_differences(sheet)] == [("c", "a"), ("c", "b"), ("a", "b")]
    assert [(one.a, one.b) for one in paired_differences(sheet, members=["b", "c"])] == [("b", "c")]
    assert paired_differences(sheet, members=["a"]) == ()
    with pytest.raises(InputError, match="'d' is none of the models c, a, b"):
        paired_differences(sheet, members=["a", "d"])
    with pytest.raises(InputError, match="named twice"):
        paired_differences(sheet, members=["a", "a"])


@pytest.mark.parametrize(
    ("a", "b", "filings", "difference", "df"),
    [
        ([1, 0, 1], [1, 0, 1], ["f1", "f2", "f3"], 0.0, 2),
        ([1, 1, 1], [0, 0, 0], ["f1", "f2", "f3"], 1.0, 2),
        # A third of each filing, which floats cannot write.
        ([1, 0, 0, 0, 1, 0], [0] * 6, ["f1", "f1", "f1", "f2", "f2", "f2"], 1 / 3, 1),
        ([1, 0, 1], [0, 0, 1], ["f1", "f1", "f1"], 1 / 3, None),
    ],
)
def test_without_an_error_there_is_no_t_and_nothing_is_nan(
    a: list[int], b: list[int], filings: list[str], difference: float, df: int | None
) -> None:
    (found,) = paired_differences(sheet_of({"a": a, "b": b}, filings))
    assert found.difference == difference
    assert found.df == df
    assert (found.standard_error, found.t, found.p, found.p_holm, found.t_interval) == (None,) * 5


def test_errors_are_those_of_a_regression_on_a_constant_with_clusters() -> None:
    from statsmodels.regression.linear_model import OLS

    generator = np.random.default_rng(7)
    filings = generator.integers(40, size=300)
    right = generator.random((2, 300)) < 0.3 + 0.4 * generator.random(40)[filings]
    names = [f"f{filing:02}" for filing in filings]
    (found,) = paired_differences(sheet_of({"a": right[0].tolist(), "b": right[1].tolist()}, names))
    fitted = OLS(right[0].astype(float) - right[1], np.ones(300)).fit(
        cov_type="cluster", cov_kwds={"groups": filings}, use_t=True
    )
    assert found.standard_error == pytest.approx(fitted.bse[0], rel=1e-12)
    assert found.t == pytest.approx(fitted.tvalues[0], rel=1e-12)
    assert found.p == pytest.approx(fitted.pvalues[0], rel=1e-9)
    assert found.t_interval == pytest.approx(fitted.conf_int()[0], rel=1e-9)


def test_several_means_at_once_are_each_as_alone() -> None:
    sums, sizes = np.array([[2.0, 1.0], [0.0, -1.0], [0.0, 1.0]]), np.array([2.0, 1.0, 1.0])
    together = clustered_t(sums, sizes)
    assert [clustered_t(sums[:, [k]], sizes)[0] for k in (0, 1)] == together
    assert together[0].standard_error == pytest.approx(3 / 8)


def test_holm_is_worked_out_by_hand() -> None:
    # In order: 4 * 0.01, 3 * 0.02, 2 * 0.03 which is not below the one before, 1 * 0.5.
    assert holm([0.5, 0.02, 0.01, 0.03]) == pytest.approx([0.5, 0.06, 0.04, 0.06])
    assert holm([]) == []
    assert holm([0.4, 0.9]) == pytest.approx([0.8, 0.9])


@pytest.mark.parametrize("ps", [[0.03, 0.001, 0.2, 0.2, 0.04, 1.0], [0.9, 0.8], [0.0, 0.5, 0.01], [0.05]])
def test_holm_is_that_of_statsmodels(ps: Sequence[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert holm(ps) == pytest.approx(multipletests(ps, method="holm")[1].tolist())
    # A test that could not be made counts as one with p = 1 and stays without a p.
    with_one = multipletests([*ps, 1.0], method="holm")[1].tolist()
    assert holm([*ps, None]) == [*(pytest.approx(p) for p in with_one[:-1]), None]


def test_mcnemar_is_the_exact_binomial_test() -> None:
    pairs = [(24, 9), (9, 24), (0, 0), (1, 0), (5, 5), (0, 12), (200, 260), (700, 600)]
    exact = [binomtest(a, a + b, 0.5).pvalue if a + b else 1.0 for a, b in pairs]
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    assert mcnemar(first, second).tolist() == pytest.approx(exact, rel=1e-9)


def test_the_one_pair_with_a_difference_of_12_and_p_of_0_050() -> None:
    found = {b + 12: mcnemar(np.array([b + 12]), np.array([b]))[0] for b in range(60)}
    assert [a for a, p in found.items() if round(p, 3) == 0.050] == [22]
    assert round(found[22], 4) == 0.0501
