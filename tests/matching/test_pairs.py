"""The pairs that overlap enough: just those of the comparison of all pairs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingreat.matching import MIN_OVERLAP, overlap, prepare
from fingreat.matching.pairs import DECISIONS, Pairs, pairs_by_span, pairs_by_text
from fingreat.matching.places import Places, span_overlap

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


Row = tuple[int, int, float, str]


def as_rows(pairs: Pairs) -> list[Row]:
    """Each pair with the smaller number first, its score and what gave it; none is there twice."""
    rows = []
    for a, b, over, under, decided in zip(
        *(column.tolist() for column in (pairs.a, pairs.b, pairs.over, pairs.under, pairs.decided_by)), strict=True
    ):
        assert (over, under) == Fraction(over, under).as_integer_ratio()
        rows.append((min(a, b), max(a, b), over / under, DECISIONS[decided]))
    assert len({row[:2] for row in rows}) == len(rows)
    return sorted(rows)


def all_pairs(texts: Sequence[str]) -> list[Row]:
    quotes = prepare(texts)
    found = [(i, j, *overlap(quotes[i], quotes[j])) for i in range(len(quotes)) for j in range(i, len(quotes))]
    return [row for row in found if row[2] >= MIN_OVERLAP]


def near(texts: Sequence[str]) -> list[Row]:
    return as_rows(pairs_by_text(prepare(texts)))


@given(st.lists(QUOTES, max_size=12, unique=True))
def test_no_pair_is_left_out_that_overlaps_enough(texts: list[str]) -> None:
    assert near(texts) == all_pairs(texts)


def test_a_pair_is_found_by_what_an_elided_quote_quotes_rather_than_by_how_it_is_written() -> None:
    # "[S]ix" are two tokens of the quote, but one of what it quotes: 20 of its 24 tokens are shared, 16 as written.
    names = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    plain = " ".join([*names, *(name.upper() + "x" for name in names[:8])])
    quote = plain
    for word in ("two", "six", "nine", "ten"):
        quote = quote.replace(f" {word} ", f" [{word[0].upper()}]{word[1:]} ")
    other = f"{plain}. Then came much that has nothing to do with it."
    assert (0, 1, 20 / 24, "fragments") in near([quote, other])
    assert near([quote, other]) == all_pairs([quote, other])


def test_the_component_named_first_decides_at_the_cap_of_fragments_too() -> None:
    # In order 19 of 20 tokens, in sentences 10 + 9 of 20, which is also the most that sentences give: 0.95.
    shared = "One two three four five six seven eight nine ten. Red blue green black white brown pink grey gold. "
    assert (0, 1, 0.95, "fragments") in near([f"{shared}Yes.", f"{shared}No."])


def test_no_pair_is_left_out_among_quotes_that_are_nearly_the_same() -> None:
    draw = random.Random(3)
    base = [sentence for _ in range(4) for sentence in (*LONG, f"{draw.choice(PIECES)} of the {draw.choice(PIECES)}.")]

    def near_one() -> str:
        kept = [*base[draw.randrange(4) : draw.randint(8, 16)]]
        for _ in range(draw.randrange(4)):
            kept[draw.randrange(len(kept))] = draw.choice(PIECES)
        half = draw.randrange(len(kept)) if draw.random() < 0.4 else 0
        return " ".join(kept[half:] + kept[:half])

    texts = list(dict.fromkeys(near_one() for _ in range(90)))
    expected = all_pairs(texts)
    assert {row[3] for row in expected} == {"equal", "containment", "fragments", "order"}
    assert 500 < len(expected) < 3500
    assert near(texts) == expected


def sentences_in_a_mess(draw: random.Random) -> list[str]:
    """Quotes of a few sentences of few words: cut, altered, run together, repeated, in another order, elided."""
    words = [letter * 2 for letter in "abcdefghij"[: draw.randint(2, 10)]]
    sentences = [[draw.choice(words) for _ in range(draw.randint(3, 9))] for _ in range(draw.randint(2, 6))]
    sentences.append(sentences[0][1:] + sentences[1][:3])

    def quote() -> str:
        parts = []
        for _ in range(draw.randint(1, 5)):
            sentence = [*draw.choice(sentences)]
            if draw.random() < 0.2:
                sentence = sentence[draw.randrange(len(sentence)) :]
            if draw.random() < 0.2:
                sentence[draw.randrange(len(sentence))] = draw.choice(words)
            if draw.random() < 0.15:
                sentence += draw.choice(sentences)
            text = " ".join(sentence)
            parts.append(f"{text.capitalize()}." if draw.random() < 0.8 else text)
            if draw.random() < 0.1:
                parts.append(draw.choice([" ...", "[x]", " … ", "[S]o"]))
        return " ".join(parts)

    return list(dict.fromkeys(quote() for _ in range(draw.randint(2, 16))))


@pytest.mark.parametrize(
    "seeds", [range(250), pytest.param(range(10_000, 30_000), marks=pytest.mark.prove)], ids=["some", "many"]
)
def test_fragments_that_stand_in_one_anothers_way_are_scored_as_one_by_one(seeds: range) -> None:
    decided: Counter[str] = Counter()
    for seed in seeds:
        texts = sentences_in_a_mess(random.Random(seed))
        expected = all_pairs(texts)
        assert near(texts) == expected, seed
        decided.update(row[3] for row in expected)
    assert min(decided.values()) > len(seeds) / 4


def test_quotes_of_one_set_are_left_out_and_no_others() -> None:
    for seed in range(60):
        draw = random.Random(seed)
        texts = sentences_in_a_mess(draw)
        sets = [draw.choice([-1, 0, 1]) for _ in texts]
        expected = [row for row in all_pairs(texts) if sets[row[0]] < 0 or sets[row[0]] != sets[row[1]]
                    or row[0] == row[1]]  # fmt: skip
        assert as_rows(pairs_by_text(prepare(texts), sets)) == expected


def test_the_order_of_the_quotes_plays_no_part() -> None:
    for seed in range(60):
        draw = random.Random(seed)
        texts = sentences_in_a_mess(draw)
        turned = draw.sample(texts, len(texts))
        number = {text: n for n, text in enumerate(texts)}
        rows = [(*sorted((number[turned[i]], number[turned[j]])), *score) for i, j, *score in near(turned)]
        assert sorted(rows) == near(texts)


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_where_a_block_of_pairs_ends_plays_no_part(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = sentences_in_a_mess(random.Random(8))
    assert len(texts) > 6
    monkeypatch.setattr("fingreat.matching.pairs._BLOCK", rows * len(texts))
    assert near(texts) == all_pairs(texts)


def test_no_quotes_and_quotes_of_two_vocabularies() -> None:
    assert near([]) == []
    with pytest.raises(ValueError, match="prepared together"):
        pairs_by_text([*prepare(["x"]), *prepare(["y"])])


RANGES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 15)).map(lambda r: (r[0], r[0] + r[1])), max_size=3)
PLACES = st.lists(RANGES.map(tuple), max_size=9, unique=True)


@given(PLACES)
def test_no_pair_of_places_is_left_out(places: list) -> None:
    expected = [(i, j, score, "span") for i, x in enumerate(places) for j, y in enumerate(places[i:], i)
                if (score := span_overlap(x, y)) >= MIN_OVERLAP]  # fmt: skip
    assert as_rows(pairs_by_span(Places(places))) == expected


@given(PLACES, st.data())
def test_the_overlaps_of_many_pairs_of_places_are_those_of_each(places: list, data: st.DataObject) -> None:
    if not places:
        return
    numbers = st.integers(0, len(places) - 1)
    pairs = data.draw(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=12))
    known = Places(places)
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    expected = [span_overlap(places[i], places[j]) for i, j in pairs]
    for few in (0, 100):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("fingreat.matching.places._FEW_PAIRS", few)
            over, under = known.overlaps(a, b)
        assert (over / under).tolist() == expected
    assert [known.overlap(i, j) for i, j in pairs] == expected


@given(st.data())
def test_every_pair_of_two_sides_is_given_as_often_as_its_ends_are(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 6))
    numbers = st.lists(st.integers(0, size - 1), max_size=7)
    a, b = data.draw(numbers), data.draw(numbers)
    chosen = data.draw(st.lists(st.sampled_from([(i, j) for i in range(size) for j in range(i, size)]), unique=True))
    first, second = (np.array([pair[end] for pair in chosen], dtype=np.int32) for end in (0, 1))
    nothing = np.zeros(len(chosen), dtype=np.int32)
    which, rows, cols = Pairs(size, first, second, nothing, nothing, nothing).between(a, b)
    found = [(chosen[w], i, j) for w, i, j in zip(which.tolist(), rows.tolist(), cols.tolist(), strict=True)]
    expected = [((min(x, y), max(x, y)), i, j) for i, x in enumerate(a) for j, y in enumerate(b)
                if (min(x, y), max(x, y)) in chosen]  # fmt: skip
    assert sorted(found) == sorted(expected)
