"""Tokens in columns: their texts, places and kinds."""

from __future__ import annotations

import pytest

from fingreat.matching import tokens
from fingreat.matching.tokens import columns


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sales rose 5% to $1,234.5 million.", ["sales", "rose", "5%", "to", "$", "1234.5", "million"]),
        ("a loss of $ (12) or (3 %) in 2001", ["a", "loss", "of", "$", "-12", "or", "-3%", "in", "2001"]),
        ("from -$5 up to +.5, less than <7", ["from", "$", "-5", "up", "to", "+0.5", "less", "than", "<", "7"]),
        ("(see page a-5) b\x01c", ["see", "page", "a", "5", "b", "c"]),
        ("", []),
    ],
)
def test_texts_are_words_figures_with_their_signs_and_symbols(text: str, expected: list[str]) -> None:
    assert columns(text).texts == expected


def test_a_sign_inside_a_figure_stands_before_it_with_a_place_of_its_own() -> None:
    assert list(zip(*columns("rose by ($ 5%) <x"), strict=True)) == [
        ("rose", 0, 4, "word"),
        ("by", 5, 7, "word"),
        ("$", 8, 10, "symbol"),
        ("-5%", 8, 14, "number"),
        ("x", 16, 17, "word"),
    ]


def test_without_symbols_the_tokens_are_words_and_figures() -> None:
    assert [token.text for token in tokens("up $5 and -€ 7")] == ["up", "5", "and", "-7"]
