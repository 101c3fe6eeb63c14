"""What a benchmark can show, from a gold file or from two numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from fingreat.errors import InputError
from fingreat.pipeline.power import PowerQuestion, even_sizes, measure_power, power_tables, sizes_of_gold
from fingreat.report import Points
from fingreat.schema import GoldPassage


def test_passages_are_spread_as_evenly_as_can_be() -> None:
    # 483 = 259 + 224: 224 filings have two and 35 have one.
    sizes = even_sizes(483, 259)
    assert (sizes.count(2), sizes.count(1), len(sizes)) == (224, 35, 259)
    for passages, filings in ((3, 4), (3, 0)):
        with pytest.raises(InputError, match=f"3 passages cannot be of {filings} filings"):
            even_sizes(passages, filings)


def test_filings_of_a_gold_file_have_the_passages_that_accept_an_edge(tmp_path: Path) -> None:
    accepted = {"a": ("F1", {"REV-NNCA"}), "b": ("F2", {"REV-NNCA"}), "c": ("F1", {"CASH-DIV"}), "d": ("F3", set())}
    passages = [
        GoldPassage(passage_id=id_, filing_id=filing, text="text", accepted=frozenset(edges),
                    source="primary" if edges else "none")
        for id_, (filing, edges) in accepted.items()
    ]  # fmt: skip
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(passage.model_dump_json() + "\n" for passage in passages))
    assert sizes_of_gold(path) == (2, 1)


def test_tables_say_the_power_and_what_was_assumed() -> None:
    question = PowerQuestion(accuracy=0.84, differences=(0.02, 0.08), comparisons=946, simulations=300)
    measured = measure_power(even_sizes(483, 259), question)
    assert (measured.passages, measured.filings) == (483, 259)
    power, smallest = power_tables(measured)
    assert [row[0] for row in power.rows] == [Points(value=0.02), Points(value=0.08)]
    assert [row[1:] for row in power.rows] == [
        (one.power, many.power) for one, many in zip(measured.single, measured.together, strict=True)
    ]
    assert power.rows[0][1] < power.rows[1][1]
    assert power.rows[1][2] < power.rows[1][1]
    assert [row[:2] for row in smallest.rows] == [("one pair alone", 1), ("one of 946 pairs", 946)]
    assert smallest.rows[1][2] == pytest.approx(0.05 / 946)
    assert smallest.rows[0][3].value < smallest.rows[1][3].value
    assert "483 passages of 259 filings; the better model has 84.0% right" in " ".join(power.notes)


def test_differences_go_on_until_one_is_found_often_unless_they_are_named() -> None:
    small = measure_power((9, 8, 7), PowerQuestion(accuracy=0.8, simulations=60))
    assert small.smallest_single is not None
    shown = small.question.differences or ()
    # 10 points are far too few for 24 passages of three filings.
    assert shown[:6] == (0.01, 0.02, 0.03, 0.05, 0.08, 0.1)
    assert shown[-2] < small.smallest_single <= shown[-1] <= 0.8
    assert small.single[-1].power >= 0.8
    named = PowerQuestion(accuracy=0.8, differences=(0.05,), simulations=20)
    assert measure_power((9, 8, 7), named).question.differences == (0.05,)


def test_one_pair_has_one_column_and_no_difference_a_dash() -> None:
    power, smallest = power_tables(measure_power((3, 4), PowerQuestion(simulations=100)))
    assert [column.label for column in power.columns] == ["difference", "one pair alone"]
    assert smallest.rows == (("one pair alone", 1, 0.05, None),)
    assert smallest.notes[-1] == "No difference is found so often where there is a dash."


def test_the_same_question_has_the_same_answer_whatever_else_is_asked() -> None:
    sizes = even_sizes(60, 40)
    alone = measure_power(sizes, PowerQuestion(differences=(0.1,), simulations=200))
    beside = measure_power(sizes, PowerQuestion(differences=(0.05, 0.1), comparisons=3, simulations=200))
    assert (alone.single[0], alone.smallest_single) == (beside.single[1], beside.smallest_single)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (PowerQuestion(differences=()), "there is no difference to find"),
        (PowerQuestion(accuracy=2.0), "accuracy: is 2.0"),
        (PowerQuestion(comparisons=0), "0 comparisons are none"),
        (PowerQuestion(seed=-1), "seed: is -1, and must not be below zero"),
    ],
)
def test_a_question_without_an_answer_is_refused(question: PowerQuestion, words: str) -> None:
    with pytest.raises(InputError, match=words):
        measure_power((2, 2), question)
