"""A score in words: never better than it is."""

from __future__ import annotations

from typing import Any

import pytest

from fingreat.analysis import EdgeScore, GoldScore, Ratio
from fingreat.pipeline.report.scores import SIGNIFICANT, in_words, p_value, score_view
from fingreat.report import Share, count_of


def score(**changes: Any) -> GoldScore:
    values: dict[str, Any] = {
        "precision": Ratio(1, 10),
        "recall": Ratio(1, 20),
        "located": Ratio(6, 10),
        "typed": Ratio(1, 6),
        "duplicates": 0,
        "chance_precision": 0.05,
        "chance_typed": 0.1,
        "typed_p_value": 0.47,
        "edges": (EdgeScore("REV-NNCA", Ratio(0, 0), Ratio(0, 1)),),
        "found": frozenset({("p", "REV-NNCA")}),
        "other_edge": frozenset({"q"}),
    }
    return GoldScore(**{**values, **changes})


def test_a_score_at_chance_is_called_that() -> None:
    words = in_words(score())
    assert "6 of 10 extractions lie on evidence, 1 of them with an accepted edge." in words
    assert "At chance: an edge drawn at random would be right for 10.0% of them" in words
    assert "as many or more would come out by luck (p = 0.4700). Read its edges as guesses." in words


def test_a_score_above_chance_says_how_far() -> None:
    words = in_words(score(chance_typed=0.1119, typed_p_value=0.0004))
    assert words.endswith("Above chance: an edge drawn at random would be right for 11.2% of them (p = 0.0004).")
    assert "Read its edges as guesses" not in words


@pytest.mark.parametrize("p", [3e-146, 0.00004, 0.0])
def test_a_probability_below_the_last_decimal_is_less_than_it(p: float) -> None:
    # 0.0 is what is left of a probability below the smallest float: so many hits are never impossible.
    assert in_words(score(typed_p_value=p)).endswith("(p < 0.0001).")
    assert p_value(score(typed_p_value=p)) > 0  # type: ignore[operator]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"duplicates": 3}, "3 repeated extractions (same place, same edge) count once."),
        (
            {"filings": 2, "unscored_filings": 1, "unscored": 1_250},
            "Over 2 filings with gold; 1 filing without any, and 1,250 extractions there, play no part.",
        ),
    ],
)
def test_what_is_left_out_is_told(changes: dict[str, int], words: str) -> None:
    assert in_words(score(**changes)).endswith(words)
    assert words not in in_words(score())


def test_no_extractions_are_no_zero_per_cent() -> None:
    assert in_words(score(precision=Ratio(0, 0))) == "No extractions, so there is no precision."
    nothing = score(located=Ratio(0, 4), typed=Ratio(0, 0), chance_typed=None, typed_p_value=None)
    assert in_words(nothing) == (
        "0 of 4 extractions lie on evidence, 0 of them with an accepted edge. No better than chance: a place and "
        "an edge drawn at random are right with probability 5.0%."
    )


def test_the_level_of_chance_is_five_per_cent() -> None:
    assert SIGNIFICANT == 0.05
    assert "Above chance" in in_words(score(typed_p_value=0.05))
    assert "At chance" in in_words(score(typed_p_value=0.0501))


def test_the_page_gets_the_very_numbers() -> None:
    view = score_view(score())
    assert (view.precision, view.recall, view.chance) == (Share(k=1, n=10), Share(k=1, n=20), 0.05)
    (row,) = view.edges
    assert (row.edge, row.precision.value, row.recall) == ("REV-NNCA", None, Share(k=0, n=1))
    assert (view.found, view.other_edge, view.sentence) == ({("p", "REV-NNCA")}, {"q"}, in_words(score()))


def test_numbers_with_their_nouns() -> None:
    assert [count_of(number, "filing") for number in (0, 1, 2, 1_300)] == [
        *("0 filings", "1 filing", "2 filings", "1,300 filings")
    ]
