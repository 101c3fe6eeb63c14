"""What is shown around a passage: places and kinds are given by hand in texts whose words are one token each."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingreat.pipeline.passages import ALONE, Surroundings
from fingreat.schema import GoldPassage


@dataclass(frozen=True)
class Words:
    """Counts words, so that budgets can be checked by counting."""

    name: str = "words"

    def count(self, text: str) -> int:
        return len(text.split())


INTRO = "### Overview\n\nWe make pumps and valves.\n\n"
FIRST = "Sales rose by six percent. Costs rose by two percent.\n\n"
SECOND = "We paid dividends of three dollars. We bought no shares. We issued no debt.\n\n"
THIRD = "Cash fell by one dollar.\n\n"
SECTION = "### Liquidity\n\n" + FIRST + SECOND + THIRD
TEXT = INTRO + SECTION + "### Outlook\n\nWe expect more of the same next year."
PASSAGE = "We bought no shares."
AT = (TEXT.index(PASSAGE), TEXT.index(PASSAGE) + len(PASSAGE))


def around(room: int, place: tuple[int, int] = AT, text: str = TEXT) -> tuple[str, str]:
    context = Surroundings(text, Words()).around(place, room)
    return context.kind, text[slice(*context.range)] if context.range else ""


def test_the_section_of_the_passage_is_shown_where_it_fits() -> None:
    # Two words of heading, 10 + 14 + 5 of text.
    assert around(31) == ("section", SECTION)


def test_where_the_section_does_not_fit_whole_paragraphs_around_the_passage_are_shown() -> None:
    # 14 words of its own and 10 before them; the heading's two and the third's five do not fit.
    assert around(24) == ("window", FIRST + SECOND)
    # Both sides are equal at first, so the one before is tried first; it does not fit, the one after does.
    assert around(19) == ("window", SECOND + THIRD)


def test_where_no_other_paragraph_fits_the_passages_own_is_shown() -> None:
    assert around(18) == ("paragraph", SECOND)
    assert around(14) == ("paragraph", SECOND)


def test_where_its_paragraph_does_not_fit_whole_sentences_of_it_are_shown() -> None:
    assert around(10) == ("window", "We paid dividends of three dollars. We bought no shares. ")
    assert around(8) == ("window", "We bought no shares. We issued no debt.\n\n")


def test_the_passages_own_sentence_is_a_window_of_one_and_less_is_nothing() -> None:
    assert around(4) == ("window", "We bought no shares. ")
    assert around(3) == ("none", "")


def test_a_passage_over_two_sections_is_shown_with_both() -> None:
    start = TEXT.index("Cash fell")
    place = (start, TEXT.index("more of the same"))
    assert around(1000, place) == ("section", TEXT[TEXT.index("### Liquidity") :])


def test_a_text_without_headings_is_one_section() -> None:
    text = FIRST + SECOND
    at = text.index(PASSAGE)
    assert around(1000, (at, at + 5), text) == ("section", text)


@given(st.integers(0, 60), st.integers(0, len(TEXT) - 2), st.integers(1, 80))
def test_a_context_holds_its_passage_and_keeps_to_its_room(room: int, start: int, length: int) -> None:
    place = (start, min(len(TEXT), start + length))
    context = Surroundings(TEXT, Words()).around(place, room)
    if context.range is None:
        assert context == ALONE
        return
    assert context.range[0] <= place[0] < place[1] <= context.range[1]
    assert context.n_tokens == len(TEXT[slice(*context.range)].split()) <= room


@given(st.integers(1, 60))
def test_more_room_never_shows_less(room: int) -> None:
    surroundings = Surroundings(TEXT, Words())
    assert surroundings.around(AT, room).n_tokens <= surroundings.around(AT, room + 20).n_tokens


def test_of_two_equal_places_neither_is_taken_by_guess() -> None:
    twice = INTRO + SECOND + "### Outlook\n\n" + SECOND
    assert Surroundings(twice, Words()).place(gold("We paid dividends of three dollars.")) is None
    last = twice.rindex(PASSAGE)
    place = (last, last + len(PASSAGE))
    assert Surroundings(twice, Words()).place(gold(PASSAGE, *place)) == place


def gold(text: str, start: int | None = None, end: int | None = None) -> GoldPassage:
    return GoldPassage(
        passage_id="p",
        filing_id="f",
        text=text,
        start=start,
        end=end,
        accepted=frozenset({"CASH-REP"}),
        source="primary",
    )


@pytest.mark.parametrize(
    ("passage", "place"),
    [
        (gold(PASSAGE, *AT), AT),
        # A place that does not fit is found anew, and so is one that was never given.
        (gold(PASSAGE, 0, 5), AT),
        (gold(PASSAGE), AT),
        # White space and quotes as in another edition of the text.
        (gold("We  bought\nno shares."), AT),
        (gold("We bought 40 shares in a tender offer."), None),
    ],
)
def test_a_passage_is_placed_where_it_stands_once(passage: GoldPassage, place: tuple[int, int] | None) -> None:
    assert Surroundings(TEXT, Words()).place(passage) == place
