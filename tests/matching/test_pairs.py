"""The pairs that overlap enough: just those of the comparison of all pairs."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from fingreat.matching import MIN_OVERLAP, overlap, prepare
from fingreat.matching.pairs import DECISIONS, Pairs, pairs_by_span, pairs_by_text, span_overlap

PIECES = [
    *"abcdefgh",
    "A",
    "B",
    "5%",
    "(3)",
    "...",
    ". The",
    ".",
    "[x]",
    "[S]ales",
    "Sales",
    "\n\n",
    "!",
    "alpha bravo",
]
LONG = ["One two three four five six seven.", "Eight nine ten eleven twelve thirteen.", "a b c d e f g h"]
QUOTES = st.lists(st.sampled_from([*PIECES, *LONG]), max_size=14).map(" ".join)


def as_rows(pairs: Pairs) -> list[tuple[int, int, float, str]]:
    columns = (pairs.a.tolist(), pairs.b.tolist(), pairs.score.tolist(), [DECISIONS[n] for n in pairs.decided_by])
    return sorted(zip(*columns, strict=True))


def all_pairs(a: list[str], b: list[str]) -> list[tuple[int, int, float, str]]:
    quotes = prepare([*a, *b])
    found = [(i, j, *overlap(quotes[i], quotes[len(a) + j])) for i in range(len(a)) for j in range(len(b))]
    return [row for row in found if row[2] >= MIN_OVERLAP]


@given(st.lists(QUOTES, max_size=6), st.lists(QUOTES, max_size=6))
def test_no_pair_is_left_out_that_overlaps_enough(a: list[str], b: list[str]) -> None:
    assert as_rows(pairs_by_text(a, b)) == all_pairs(a, b)


def test_a_pair_is_found_by_what_an_elided_quote_quotes_rather_than_by_how_it_is_written() -> None:
    # "[S]ix" are two tokens of the quote, but one of what it quotes: 20 of its 24 tokens are shared, 16 as written.
    names = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    plain = " ".join([*names, *(name.upper() + "x" for name in names[:8])])
    quote = plain
    for word in ("two", "six", "nine", "ten"):
        quote = quote.replace(f" {word} ", f" [{word[0].upper()}]{word[1:]} ")
    other = f"{plain}. Then came much that has nothing to do with it."
    [(_, _, score, decided_by)] = as_rows(pairs_by_text([quote], [other]))
    assert (score, decided_by) == (20 / 24, "fragments")
    assert as_rows(pairs_by_text([quote], [other])) == all_pairs([quote], [other])


def test_the_component_named_first_decides_at_the_cap_of_fragments_too() -> None:
    # In order 19 of 20 tokens, in sentences 10 + 9 of 20, which is also the most that sentences give: 0.95.
    shared = "One two three four five six seven eight nine ten. Red blue green black white brown pink grey gold. "
    assert as_rows(pairs_by_text([f"{shared}Yes."], [f"{shared}No."])) == [(0, 0, 0.95, "fragments")]


def test_no_pair_is_left_out_among_quotes_that_are_nearly_the_same() -> None:
    draw = random.Random(3)
    base = [sentence for _ in range(4) for sentence in (*LONG, f"{draw.choice(PIECES)} of the {draw.choice(PIECES)}.")]

    def near() -> str:
        kept = [*base[draw.randrange(4) : draw.randint(8, 16)]]
        for _ in range(draw.randrange(4)):
            kept[draw.randrange(len(kept))] = draw.choice(PIECES)
        half = draw.randrange(len(kept)) if draw.random() < 0.4 else 0
        return " ".join(kept[half:] + kept[:half])

    a, b = ([near() for _ in range(60)] for _ in range(2))
    expected = all_pairs([*a, *b[:5]], b)
    assert {row[3] for row in expected} == {"equal", "containment", "fragments", "order"}
    assert 500 < len(expected) < 3500
    assert as_rows(pairs_by_text([*a, *b[:5]], b)) == expected


PLACES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 15)).map(lambda r: (r[0], r[0] + r[1])), max_size=3)


@given(st.lists(PLACES, max_size=6), st.lists(PLACES, max_size=6))
def test_no_pair_of_places_is_left_out(a: list, b: list) -> None:
    expected = [(i, j, score, "span") for i, x in enumerate(a) for j, y in enumerate(b)
                if (score := span_overlap(x, y)) >= MIN_OVERLAP]  # fmt: skip
    assert as_rows(pairs_by_span(a, b)) == expected
