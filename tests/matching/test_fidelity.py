"""Whether two quotes say the same: each rule on a pair of its own, its borders, and what must hold of any two."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fingreat.matching import Fidelity, fidelity

LETTERS = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa"
PLAIN = LETTERS.split()
HALF, REST = PLAIN[:8], PLAIN[8:]


def compared(a: str, b: str) -> Fidelity:
    """Compares two rows of tokens with blanks between them, in both directions."""
    forth, back = fidelity(a.split(), b.split()), fidelity(b.split(), a.split())
    assert forth == back
    return forth


def kinds(a: str, b: str) -> tuple[str, ...]:
    return compared(a, b).differs


def around(middle: str) -> str:
    """Eight plain words, something, and eight other plain words."""
    return " ".join((*HALF, *middle.split(), *REST))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("net sales rose", "net sales fell", "none"),
        ("", "net sales", "none"),
        ("", "", "none"),
        ("sales of 5 in 2021", "sales of 5 in 2021", "same"),
        ("2021 sales were 5", "sales of 5 in 2021", "same"),
        ("sales of 5", "sales of 5 in 2021", "more"),
        ("sales", "sales in 2021", "more"),
        ("5 and 5", "5 and some", "more"),
        ("5 and 5 and 6", "5 and 6 and 6", "differ"),
        ("5 in 2021", "6 in 2021", "differ"),
        ("5%", "5", "differ"),
        ("-5", "5", "differ"),
        ("1.5", "15", "differ"),
        # Currency and comparison signs are no part of a figure.
        ("$ 5", "5", "same"),
        ("$ 5", "€ 5", "same"),
        ("< $ 5", "5", "same"),
        ("$", "€", "none"),
        # Digits of any script are figures, as they are written; a numeral that is a letter is a word.
        ("٥ و", "٥ و", "same"),
        ("٥", "5", "differ"),
        ("五", "六", "none"),
        # New Tai Lue Tham digit one, a number of no decimal digit, is a word to the tokens.
        ("᧚", "᧙", "more"),
        ("...", "5", "more"),
    ],
)
def test_figures_are_compared_as_often_as_they_are_there(a: str, b: str, expected: str) -> None:
    assert compared(a, b).figures == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("5", "6", "figure"),
        ("2021", "2020", "figure"),
        ("5%", "5", "figure"),
        ("-5", "5", "figure"),
        ("5", "five", "figure"),
        ("5%", "5 percent", "figure scale"),
        ("not", "also", "negation"),
        ("didn t", "did not", "negation"),
        ("rose", "fell", "direction"),
        ("may", "will", "modal"),
        ("million", "billion", "scale"),
        ("rose 5%", "fell 6%", "direction figure"),
        ("may not", "will", "modal negation"),
        ("sales", "costs", ""),
        ("rose", "zulu", "direction"),
    ],
)
def test_what_was_replaced_counts_on_both_sides(a: str, b: str, expected: str) -> None:
    assert kinds(around(a), around(b)) == tuple(expected.split())
    # At the ends too.
    assert kinds(f"{a} {' '.join(PLAIN)}", f"{b} {' '.join(PLAIN)}") == tuple(expected.split())
    assert kinds(f"{' '.join(PLAIN)} {a}", f"{' '.join(PLAIN)} {b}") == tuple(expected.split())


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("not", "negation"),
        ("5", "figure"),
        ("in 2021", "figure"),
        ("almost all", "modal"),
        ("and so on", ""),
        # Five tokens count, six are a text of their own.
        ("costs rose by 5 too", "direction figure"),
        ("costs rose by 5 in all", ""),
        ("the costs of sales did not rise by 5 million", ""),
    ],
)
def test_what_is_there_more_in_the_middle_counts_up_to_five_tokens(more: str, expected: str) -> None:
    assert kinds(around(more), around("")) == tuple(expected.split())


@pytest.mark.parametrize(
    ("short", "long", "expected"),
    [
        # The longer stretch has six tokens more: only the other one counts.
        ("and", "and_ the costs of sales rose 5%", ""),
        ("6%", "the costs of sales rose by 5%", "figure"),
        ("not", "x the costs of sales rose by 5%", "negation"),
        # Five more: both count.
        ("and", "the costs of sales rose 5%", "direction figure"),
    ],
)
def test_of_stretches_of_unlike_length_only_the_shorter_counts(short: str, long: str, expected: str) -> None:
    assert kinds(around(short), around(long)) == tuple(expected.split())


@pytest.mark.parametrize(
    ("more", "before", "behind"),
    [
        # What one quote says earlier or goes on to say is no difference ...
        ("in 2021", "", ""),
        ("costs rose by 5% too", "", ""),
        ("due to higher volume", "", ""),
        ("which may vary", "", ""),
        # ... but for negations in up to five tokens,
        ("no", "negation", "negation"),
        ("not all of", "negation", "negation"),
        ("nothing at all of this", "negation", "negation"),
        ("nothing at all of this kind", "", ""),
        # a direction or modal word right before what both share,
        ("lower", "direction", ""),
        ("we may", "modal", ""),
        ("approximately", "modal", ""),
        ("approximately the", "", ""),
        ("the income of the firm is lower", "", ""),
        # a scale word right behind it,
        ("million", "", "scale"),
        ("million in 2021", "", "scale"),
        ("of a million", "", ""),
        ("percent of all that was sold", "", ""),
        # and a negation right before it, however long the rest.
        ("the board decided last year to not", "negation", ""),
        ("not to be paid in this year", "", ""),
    ],
)
def test_at_an_end_one_quote_may_say_more(more: str, before: str, behind: str) -> None:
    shared = " ".join(PLAIN)
    assert kinds(f"{more} {shared}", shared) == tuple(before.split())
    assert kinds(f"{shared} {more}", shared) == tuple(behind.split())


def test_each_quote_may_say_more_at_another_end() -> None:
    shared = " ".join(PLAIN)
    assert compared(f"in 2021 {shared}", f"{shared} in 2020") == ("differ", ())
    assert compared(f"rose sales {shared}", f"{shared} in 2020") == ("more", ())


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        ("to 41.25 million in 2021", ""),
        ("rose by 5% in total", ""),
        ("not", "negation"),
        ("do not", "negation"),
        ("may", "modal"),
        ("the board has not done so in 2021", ""),
        ("", ""),
    ],
)
def test_an_ellipsis_says_that_one_quote_says_less(left_out: str, expected: str) -> None:
    assert kinds(around("..."), around(left_out)) == tuple(expected.split())


def test_an_ellipsis_hides_nothing_elsewhere() -> None:
    a = f"{' '.join(HALF)} ... {' '.join(REST)}"
    assert kinds(a, f"{' '.join(HALF)} rose 5% {' '.join(REST[:-1])} not {REST[-1]}") == ("negation",)
    assert kinds(a, f"{' '.join(HALF[:-1])} 5% {HALF[-1]} {' '.join(REST)}") == ("figure",)
    assert kinds(a, " ".join(PLAIN)) == ()
    # In the longer of two quotes; and what a quote has itself before its ellipsis.
    assert kinds(f"{a} and so on", around("rose 5%")) == ()
    assert kinds(around("5 ..."), around("")) == ("figure",)
    assert kinds(around("5 ..."), f"{around('')} and so on") == ("figure",)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("$ 5", "€ 5", "figure"),
        ("5 $", "5 €", "figure"),
        ("$ 5", "5", ""),
        ("5", "< 5", ""),
        ("< 5", "> 5", "figure"),
        ("< $ 5", "$ 5", ""),
        ("< $ 5", "< € 5", "figure"),
        ("< $ 5", "> € 5", "figure"),
        ("$ 5", "5 €", "figure"),
        # A sign belongs to the figure that follows it.
        ("$ 5 6", "$ 5 € 6", ""),
        ("5 $ 6", "$ 5 6", ""),
        ("$ 5 and $ 6 and $ 7", "$ 5 and $ 6 and € 7", "figure"),
    ],
)
def test_another_sign_is_another_figure_and_none_is_the_same(a: str, b: str, expected: str) -> None:
    found = compared(around(a), around(b))
    assert found == ("same", tuple(expected.split()))


def test_sentences_in_another_order_are_the_same_text() -> None:
    first, second, third = (
        "sales rose by 5% in all our regions",
        "costs of all our plants fell by 3 million in fiscal 2021",
        PLAIN,
    )
    forth, back = [*first.split(), *second.split(), *third], [*third, *second.split(), *first.split()]
    assert fidelity(forth, back) == fidelity(back, forth) == ("same", ())
    # A figure in the middle of one of them differs nevertheless, and so does one at its end: what is left of the
    # sentence is long enough to be known again.
    other = [*third, *second.replace("3", "4").split(), *first.split()]
    assert fidelity(forth, other) == fidelity(other, forth) == ("differ", ("figure",))
    other = [*third, *second.replace("2021", "2020").split(), *first.split()]
    assert fidelity(forth, other) == fidelity(other, forth) == ("differ", ("figure",))
    # What only one has between them is more text, unless it negates.
    other = [*third, "in", "2019", *second.split(), *first.split()]
    assert fidelity(forth, other) == fidelity(other, forth) == ("more", ())
    other = [*third, "not", *second.split(), *first.split()]
    assert fidelity(forth, other) == fidelity(other, forth) == ("same", ("negation",))


def test_what_stands_before_other_sentences_is_not_laid_side_by_side() -> None:
    first, second = " ".join(HALF), " ".join(REST)
    assert compared(f"2021 {first} {second}", f"2020 {second} {first}") == ("differ", ())
    assert compared(f"{first} {second} 5", f"{second} {first} 6") == ("differ", ())
    third = "sierra tango uniform victor whiskey xray rose yankee zulu"
    # Behind the first sentence others follow that only one has, of six tokens each; of five they are side by side.
    more, other = "sales rose by 5 in 2021", "costs fell to 6 since 2020"
    found = compared(f"{first} {more} {second} {third}", f"{first} {other} {third} {second}")
    assert found == ("differ", ())
    found = compared(f"{first} {more[6:]} {second} {third}", f"{first} {other[6:]} {third} {second}")
    assert found == ("differ", ("direction", "figure"))
    # A word of the one is not looked for in sentences that stand elsewhere.
    assert kinds(f"{first} rose {second} {third}", f"{first} {third} {second}") == ("direction",)


def test_a_quote_that_stands_in_the_other_is_laid_on_it() -> None:
    # Not its first word on the first "the", as if the loss stood within.
    assert kinds("the sales of our plants", "the loss and the sales of our plants") == ()
    assert kinds("in our plants in 2021", "in our plants in 2021 and not in 2021") == ("negation",)


def test_figures_that_changed_places_differ() -> None:
    assert compared("from 5% to 6% in all", "from 6% to 5% in all") == ("same", ("figure",))


def test_of_equally_long_common_subsequences_the_same_is_taken_in_both_directions() -> None:
    # Either "rose" is laid on "rose", or "b" on "b".
    assert compared("b rose not", "of rose b").figures == "none"
    assert compared("5 not b", "b may 5").figures == "same"


SENTENCES = [
    [
        "the",
        *(f"{letter}{number}" for number in range(5)),
        "of",
        *(f"{letter}{number}" for number in range(6, 12)),
        "year",
    ]
    for letter in ("s", "t", "u", "v")
]
"""Four sentences of fourteen words that have three in common."""
TOKENS = st.lists(
    st.sampled_from([*PLAIN[:4], "5", "5%", "-5", "$", "€", "<", "not", "no", "may", "rose", "fell", "million", "..."]),
    max_size=30,
)


@given(TOKENS, TOKENS)
def test_it_is_symmetric_and_names_only_kinds_that_are_there(a: list[str], b: list[str]) -> None:
    found = fidelity(a, b)
    assert found == fidelity(b, a) == fidelity(tuple(a), tuple(b))
    assert list(found.differs) == sorted(set(found.differs))
    words = {"negation": {"not", "no"}, "modal": {"may"}, "direction": {"rose", "fell"}, "scale": {"million"}}
    words["figure"] = {"5", "5%", "-5"}
    assert all(words[kind] & {*a, *b} for kind in found.differs)
    in_a, in_b = (Counter(text for text in texts if text in words["figure"]) for texts in (a, b))
    lacks = in_a - in_b, in_b - in_a
    assert found.figures == (
        "none" if not in_a and not in_b else "same" if not any(lacks) else "differ" if all(lacks) else "more"
    )


@given(TOKENS)
def test_a_quote_says_what_it_says(texts: list[str]) -> None:
    bears = any(text in ("5", "5%", "-5") for text in texts)
    assert fidelity(texts, texts) == fidelity(texts, list(texts)) == ("same" if bears else "none", ())


@given(st.permutations(SENTENCES), st.integers(1, 4), st.integers(0, 55), st.sampled_from(["5", "not", "may"]))
def test_only_what_is_planted_is_found(order: list[list[str]], count: int, place: int, planted: str) -> None:
    whole = [text for sentence in SENTENCES for text in sentence]
    other = [text for sentence in order[:count] for text in sentence]
    # Sentences in another order, and some of them left out: the same text.
    assert fidelity(whole, other).differs == ()
    # A token of weight instead of a word, but the first or last of a sentence: those are in all of them.
    at = place % len(other)
    assume(at % 14 not in (0, 13))
    changed = [*other[:at], planted, *other[at + 1 :]]
    kind = {"5": "figure", "not": "negation", "may": "modal"}[planted]
    assert fidelity(whole, changed).differs == fidelity(changed, whole).differs == (kind,)


MANY = [f"w{number}" for number in range(20_000)]


def _long(seed: int, count: int) -> list[str]:
    draw = random.Random(seed)
    return [f"w{draw.randrange(300)}" for _ in range(count)]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # 20,000 tokens, one of them changed, one inserted, sentences in another order, nothing in common.
        (MANY, [*MANY[:9_000], "5", *MANY[9_001:]], ("more", ("figure",))),
        (MANY, [*MANY[:9_000], "not", *MANY[9_000:]], ("none", ("negation",))),
        (MANY, [text for start in range(19_990, -10, -10) for text in MANY[start : start + 10]], ("none", ())),
        (_long(1, 20_000), _long(2, 20_000), ("none", ())),
        # A figure once more.
        ([*MANY[:9_000], "5", *MANY[9_000:]], [*MANY[:9_000], "5", "5", *MANY[9_000:]], ("more", ("figure",))),
        # Two figures that changed places: neither quote has one that the other lacks.
        ([*MANY[:9_000], "5", *MANY[9_000:15_000], "6", *MANY[15_000:]],
         [*MANY[:9_000], "6", *MANY[9_000:15_000], "5", *MANY[15_000:]], ("same", ("figure",))),
        # One word, or two in turn, again and again: no stretch stands once, and both have all that the other has.
        (["a"] * 50_000, ["a"] * 40_000, ("none", ())),
        (["5", "b"] * 25_000, ["b", "5"] * 25_000, ("same", ())),
        (["a"] * 50_000, [*["a"] * 40_000, "may", "a"], ("none", ("modal",))),
    ],
    ids=["changed", "inserted", "reordered", "random", "once more", "swapped", "one word", "two words", "another"],
)  # fmt: skip
def test_quotes_of_100_000_characters(a: list[str], b: list[str], expected: tuple[str, tuple[str, ...]]) -> None:
    assert fidelity(a, b) == fidelity(b, a) == expected
