"""Quotes found in the text as it is: the verdict is the one that the index gives, or there is none."""

from __future__ import annotations

import sys

import hypothesis.strategies as st
import pytest
from hypothesis import given

import fingreat.matching
from fingreat.matching import Grounder, Grounding
from fingreat.matching.verbatim import verbatim_places
from fingreat.schema import Verdict

TEXT = (
    "## Results\n\nNet sales rose 6% to $84.2 million in 2024. The rise was long-\nterm and came from higher prices, "
    "net of a (12)% fall in volume.\n\n| Net sales | 84.2 |\n| --- | --- |\n\nThe rise was long-\nterm, as we said. "
    "It may not last beyond the first 12 months of 2025. * Costs of goods sold fell as freight became cheaper."
)


def by_index(quote: str, text: str, start: int, end: int, monkeypatch: pytest.MonkeyPatch) -> Grounding:
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["fingreat.matching.ground"], "verbatim_places", lambda *given: ())
        return Grounder(text).ground(quote, start, end)


def places(quote: str, text: str = TEXT) -> tuple[tuple[int, int], ...]:
    return verbatim_places(quote, text, 0, len(text), 3)


def test_a_sentence_that_stands_there_is_found_at_once() -> None:
    quote = "It may not last beyond the first 12 months of 2025."
    at = TEXT.index(quote)
    assert places(quote) == ((at, at + len(quote)),)
    assert Grounder(TEXT).ground(quote) == Grounding(Verdict.EXACT, ((at, at + len(quote)),))


def test_every_place_is_given() -> None:
    quote = "Sales rose in each of the regions that we serve."
    text = f"We say: {quote} Once more: {quote}"
    first = text.index(quote)
    second = text.index(quote, first + 1)
    expected = ((first, first + len(quote)), (second, second + len(quote)))
    assert Grounder(text).ground(quote) == Grounding(Verdict.EXACT, expected, ambiguous=True)
    assert Grounder(text).ground(quote, second, len(text)) == Grounding(Verdict.EXACT, expected[1:])


@pytest.mark.parametrize(
    "quote",
    [
        "term and came from higher prices, net of a",  # the end of a word that a line end cuts
        "came from higher prices, net of a (12",  # 12 is -12 there
        "rice was not there but it has a good many words.",
        "et sales rose 6% to $84.2 million in the year",  # no whole word at its start
        "Net sales rose 6%",  # too short to be sure
        "came from higher prices, net of a (12)",  # the per-cent mark behind it belongs to the figure
        "$84.2 million in 2024. The rise was long-\nterm and",
    ],
)
def test_where_there_is_any_doubt_the_index_decides(quote: str) -> None:
    assert places(quote) == ()


def test_a_tag_that_begins_before_the_quote_hides_it_as_the_index_says(monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'Rows of it: <td colspan="2">Net sales rose by six per cent in the year</td> and that is all we say here.'
    quote = 'colspan="2">Net sales rose by six per cent in the year'
    assert places(quote, text) == ()
    assert Grounder(text).ground(quote) == by_index(quote, text, 0, len(text), monkeypatch)


TOKENS = (
    "Net sales rose by 12 months (12) $5 6% long- term\n | * _it_ - not a.b . ... & < > # \u2019s caf\u00e9 2024. may, "
    "cost\u00ad"
)
WORDS = st.sampled_from(TOKENS.split(" "))


@given(words=st.lists(WORDS, min_size=8, max_size=40), data=st.data())
def test_what_is_found_at_once_is_what_the_index_finds(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))].strip()
    if not (found := places(quote, text)):
        return
    with pytest.MonkeyPatch.context() as patch:
        expected = by_index(quote, text, 0, len(text), patch)
    assert Grounding(Verdict.EXACT, found, ambiguous=len(found) > 1) == expected
    assert fingreat.matching.ground(quote, None, text) == expected
