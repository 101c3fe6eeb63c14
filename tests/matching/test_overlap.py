"""The overlap score of two quotes: each component by hand, its borders, and what must hold of any two quotes."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingreat.errors import InputError
from fingreat.matching import Overlap, overlap, prepare
from fingreat.matching.overlap import Vocabulary, containment, equal, shared_fragments, token_order

LETTERS = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa"
WORDS = LETTERS.split()


def words(first: int, last: int) -> str:
    """Words number `first` to `last`, counted from 1."""
    return " ".join(WORDS[first - 1 : last])


def score(a: str, b: str) -> Overlap:
    return overlap(*prepare([a, b]))


def part(component, a: str, b: str) -> float:
    return component(*prepare([a, b]))


def sentence(first: int, last: int) -> str:
    return f"{words(first, last).capitalize()}."


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Net sales rose.", "NET  SALES\nrose."),
        ("The “firm’s” sales—all of them…", 'the "firm\'s" sales -- all of them...'),
        ("**Net sales** rose", "Net sales rose"),
        ("ﬁxed costs", "fixed costs"),
        ("long-\nterm debt", "longterm debt"),
        ("", "\u200b"),
    ],
)
def test_equal_normal_forms_score_one(a: str, b: str) -> None:
    assert part(equal, a, b) == 1
    assert score(a, b) == Overlap(1.0, "equal")


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # At least 8 tokens: 0.90 + 0.10·8/10, 0.90 + 0.10·8/16, 0.90 + 0.10·9/10.
        (words(2, 9), words(1, 10), 0.98),
        (words(1, 8), words(1, 16), 0.95),
        (words(1, 9), words(1, 10), 0.99),
        # Fewer: 7/8, 7/10, 4/5, 1/16.
        (words(1, 7), words(1, 8), 0.875),
        (words(4, 10), words(1, 10), 0.7),
        (words(2, 5), words(1, 5), 0.8),
        (words(16, 16), words(1, 16), 0.0625),
        # All tokens, other punctuation: the lengths are equal.
        ("Sales rose, in all.", "Sales rose (in all)", 1.0),
        (words(1, 8), words(1, 8) + "!", 1.0),
    ],
)
def test_containment(a: str, b: str, expected: float) -> None:
    assert part(containment, a, b) == expected
    assert score(a, b) == score(b, a) == Overlap(expected, "containment")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        # Not in one stretch, not at the borders of tokens, in another order.
        (f"{words(1, 4)} {words(6, 9)}", words(1, 10)),
        (f"{words(1, 8)} 41.2", f"{words(1, 8)} 41.25 million"),
        (f"{words(1, 8)} 5", f"{words(1, 8)} 5% {words(9, 12)}"),
        (f"{words(1, 8)} sale", f"{words(1, 8)} sales {words(9, 12)}"),
        (f"{words(5, 8)} {words(1, 4)}", words(1, 10)),
        ("...", words(1, 10)),
        ("!", "?"),
    ],
)
def test_what_does_not_stand_in_one_stretch_is_not_contained(a: str, b: str) -> None:
    assert part(containment, a, b) == part(containment, b, a) == 0


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # A sentence of 6 tokens is shared: 6 of the shorter quote's 10.
        (f"{sentence(1, 6)} {words(7, 10)}", f"{words(11, 15)}. {sentence(1, 6)}", 6 / 10),
        # One of 5 is not long enough.
        (f"{sentence(1, 5)} {words(7, 10)}", f"{words(11, 15)}. {sentence(1, 5)}", 0),
        # 6 of 8 tokens; with 7 tokens the shorter quote is too short.
        (f"{sentence(1, 6)} {words(7, 8)}", f"{words(11, 15)}. {sentence(1, 6)}", 6 / 8),
        (f"{sentence(1, 6)} {words(7, 7)}", f"{words(11, 15)}. {sentence(1, 6)}", 0),
        # Everything is shared, in another order: at most 0.90 + 0.05·16/16.
        (f"{sentence(1, 8)} {sentence(9, 16)}",
         f"{sentence(9, 16)} {sentence(1, 8)}", 0.95),
        # All 12 of the shorter one's tokens, the longer has 15: 0.90 + 0.05·12/15.
        (f"{sentence(1, 6)} {sentence(7, 12)}",
         f"{sentence(7, 12)} Oh no, no. {sentence(1, 6)}", 0.94),
        # A sentence that stands twice here and once there counts once: 6 of 12.
        (f"{sentence(1, 6)} {sentence(1, 6)}",
         f"{sentence(1, 6)} {sentence(7, 12)}", 6 / 12),
        # The longest first: 8 of 10, although 6 of these 8 are a sentence of the other quote too.
        (f"{sentence(1, 8)} {words(9, 10)}", f"{sentence(1, 8)} Oh. {sentence(1, 6)}", 8 / 10),
        # It counts twice where it stands twice in both: 12 of 13, below the cap of 0.90 + 0.05·13/14.
        (f"{sentence(1, 6)} Oh. {sentence(1, 6)}",
         f"{sentence(1, 6)} No, yes. {sentence(1, 6)}", 12 / 13),
    ],
)  # fmt: skip
def test_shared_sentences(a: str, b: str, expected: float) -> None:
    assert part(shared_fragments, a, b) == part(shared_fragments, b, a) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("mark", [" ... ", "… ", " [...] ", " . . . "])
def test_the_pieces_of_an_elided_quote_are_fragments(mark: str) -> None:
    elided, full = f"{words(1, 7)}{mark}{words(10, 16)}", words(1, 16)
    # 7 + 7 tokens, all of the elided quote: 0.90 + 0.05·14/16. In order: 14/16.
    assert part(shared_fragments, elided, full) == pytest.approx(0.94375, abs=1e-15)
    assert part(token_order, elided, full) == 0.875
    assert score(elided, full) == score(full, elided) == (pytest.approx(0.94375, abs=1e-15), "fragments")


def test_a_piece_of_five_tokens_is_no_fragment_and_an_ellipsis_joins_nothing() -> None:
    # Only the piece of 6 counts: 6/11.
    assert part(shared_fragments, f"{words(1, 6)} ... {words(8, 12)}", words(1, 12)) == 6 / 11
    # The sentence stands there word by word, but with something left out in the middle.
    broken = f"{words(1, 4)} ... {words(5, 8)}"
    whole = f"{sentence(1, 8)} {sentence(9, 16)}"
    assert part(shared_fragments, broken, whole) == part(shared_fragments, whole, broken) == 0


def test_what_an_editor_put_in_brackets_is_no_part_of_a_fragment() -> None:
    quote = f"{words(1, 6)} [the Company] {words(7, 12)}"
    # Two pieces of 6 tokens over the 12 of the other quote, which is the shorter: 0.90 + 0.05·12/14.
    assert part(shared_fragments, quote, words(1, 12)) == pytest.approx(0.90 + 0.05 * 12 / 14, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        (f"{sentence(1, 6)} {sentence(7, 13)}", [6, 7]),
        (f"{words(1, 6)}! “{sentence(7, 13)}” (And {words(1, 6)}.)", [6, 7, 7]),
        (f"{words(1, 6)}\n\n{words(7, 13)}", [6, 7]),
        (f"{words(1, 6)}\n{words(7, 13)}", [13]),
        # Initials, abbreviations and decimal points end no sentence.
        ("Sales to the U.S. Government of ABC Inc. In total were 4.5 million", [14]),
        ("Sales of Acme Co. Ltd. To Mr. Smith were as stated in note no. 5", [15]),
        ("一二三四五六。" * 2, []),
    ],
)
def test_sentences_are_told_by_their_ends(text: str, lengths: list[int]) -> None:
    assert sorted(len(part) for part in prepare([text])[0].fragments) == lengths


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # One of ten changed, two of ten, one left out of sixteen, one more, none in common.
        (words(1, 10), f"{words(1, 4)} x {words(6, 10)}", 9 / 10),
        (words(1, 10), f"{words(1, 3)} x {words(5, 7)} y {words(9, 10)}", 8 / 10),
        (words(1, 16), f"{words(1, 7)} {words(9, 16)}", 15 / 16),
        (words(1, 9), f"{words(1, 4)} not {words(5, 9)}", 9 / 10),
        (words(1, 8), words(9, 16), 0),
        # Swapped halves: the longer half stays in order.
        (words(1, 10), f"{words(7, 10)} {words(1, 6)}", 6 / 10),
        ("", words(1, 8), 0),
        ("...", "!!!", 0),
    ],
)
def test_token_order(a: str, b: str, expected: float) -> None:
    assert part(token_order, a, b) == part(token_order, b, a) == expected
    assert score(a, b) == Overlap(expected, "order")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Net sales rose by 5% in fiscal 2021 in all regions", "Net sales rose by 6% in fiscal 2021 in all regions"),
        ("Net sales rose by 5% in fiscal 2021 in all regions", "Net sales rose by 5% in fiscal 2020 in all regions"),
        ("Net sales rose by 5% in fiscal 2021 in all regions", "Net sales rose by 5 in fiscal 2021 in all regions"),
        ("We expect sales to rise in all regions of the world", "We do not expect sales to rise in all regions of it"),
        ("The change in stocks was 1,204 in this year in all", "The change in stocks was (1,204) in this year in all"),
        ("Sales rose by $41.2 million in all regions of ours", "Sales rose by $41.25 million in all regions of ours"),
        ("Sales rose by $1.5 million in all regions of ours", "Sales rose by $15 million in all regions of ours"),
    ],
)  # fmt: skip
def test_another_figure_year_sign_or_negation_is_never_equal(a: str, b: str) -> None:
    found = score(a, b)
    assert found.score < 1
    assert found.decided_by == "order"


def test_thousands_commas_and_currency_are_no_part_of_a_figure() -> None:
    assert score("paid 1,204 in all", "paid $1204 in all") == Overlap(1.0, "containment")


def test_the_largest_component_decides_and_the_first_named_of_equals() -> None:
    # Fragments: 12/13, in order as much: both sentences are in their places, and each quote has one more token.
    a = f"{sentence(1, 6)} Oh. {sentence(7, 12)}"
    b = f"{sentence(1, 6)} No. {sentence(7, 12)}"
    assert part(token_order, a, b) == part(shared_fragments, a, b) == 12 / 13
    assert score(a, b) == Overlap(12 / 13, "fragments")


def test_quotes_of_different_vocabularies_are_not_compared() -> None:
    with pytest.raises(ValueError, match="prepared together"):
        overlap(prepare(["x"])[0], prepare(["x"])[0])


def test_more_different_tokens_than_characters_are_refused() -> None:
    with pytest.raises(InputError, match="different words"):
        Vocabulary(str(number) for number in range(sys.maxunicode + 1))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("売上高は増加した", "売上高は増加した", 1.0),
        ("売上高は 増加した", "売上高は 減少した", 0.5),
        ("Выручка выросла на 5%", "выручка ВЫРОСЛА на 5%", 1.0),
        # 3 of 4 words.
        ("बिक्री में वृद्धि हुई", "बिक्री में कमी हुई", 0.75),
        ("\ud800 x", "\ud800 x", 1.0),
    ],
)
def test_other_scripts(a: str, b: str, expected: float) -> None:
    assert score(a, b).score == expected


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("!" * 100_000, "? " * 50_000),
        ("a" * 100_000, "b" * 100_000),
        ("a b " * 25_000, "b a " * 25_000),
        ("[a" * 50_000, "a. B " * 20_000),
        (".  " * 33_000 + "x", '. "' * 33_000 + "y"),
        ("\n" * 99_999 + "x", "\n " * 50_000),
        ("One two three four five six. " * 3_400, "Six five four three two one. " * 3_400),
        (" ".join(f"W{number % 997} next Thing." for number in range(6_000)),
         " ".join(f"W{number * 7 % 997} next Thing." for number in range(6_000))),
    ],
)  # fmt: skip
def test_quotes_of_100_000_characters_take_no_more_than_seconds(a: str, b: str) -> None:
    start = time.process_time()
    assert 0 <= score(a, b).score < 1
    assert time.process_time() - start < 10


TEXTS = st.lists(
    st.sampled_from([*WORDS[:6], "5%", "(3)", "not", "...", ". The", ". ", "[x]", ", ", "\n\n", "2021", "—"]),
    max_size=24,
).map(" ".join)


@given(TEXTS, TEXTS)
def test_scores_are_symmetric_and_within_bounds(a: str, b: str) -> None:
    first, second = prepare([a, b])
    forth, back = overlap(first, second), overlap(second, first)
    assert forth == back
    assert 0 <= forth.score <= 1
    parts = [component(first, second) for component in (equal, containment, shared_fragments, token_order)]
    assert forth.score == max(parts)
    assert parts[("equal", "containment", "fragments", "order").index(forth.decided_by)] == forth.score
    assert parts[2] <= 0.95


@given(st.text(max_size=60))
def test_a_quote_overlaps_itself_in_full(text: str) -> None:
    assert score(text, text) == Overlap(1.0, "equal")


@given(TEXTS, TEXTS)
def test_containment_and_order_are_those_of_the_plain_definition(a: str, b: str) -> None:
    first, second = prepare([a, b])
    short, long = sorted((list(first.codes), list(second.codes)), key=len)
    places = range(len(long) - len(short) + 1) if short else ()
    inside = any(long[at : at + len(short)] == short for at in places)
    ratio = len(short) / len(long) if long else 0
    expected = (0.9 + 0.1 * ratio if len(short) >= 8 else ratio) if inside else 0
    assert containment(first, second) == pytest.approx(expected, abs=1e-12)
    lengths = [[0] * (len(long) + 1) for _ in range(len(short) + 1)]
    for i, x in enumerate(short):
        for j, y in enumerate(long):
            lengths[i + 1][j + 1] = lengths[i][j] + 1 if x == y else max(lengths[i][j + 1], lengths[i + 1][j])
    assert token_order(first, second) == (lengths[-1][-1] / len(long) if short else 0)
