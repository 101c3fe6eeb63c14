"""What must hold of every matching, whatever the quotes: laws of the assignment and of its pairs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from match_builders import ex
from planted_quotes import passage, quoted, run_of
from slow_overlap import Pair, slow_span

from fingreat.matching import MIN_OVERLAP, FilingMatcher, components, match_extractions, prepare
from fingreat.schema import Extraction, Match

Side = list[Extraction]
DRAWS = st.integers(0, 2**32 - 1).map(random.Random)


@st.composite
def filings(draw: st.DrawFn, most: int = 6) -> tuple[Side, Side]:
    """The extractions of one filing by two runs."""
    chance = draw(DRAWS)
    passages = [passage(chance) for _ in range(draw(st.integers(1, 3)))]
    return run_of("a", passages, most, chance), run_of("b", passages, most, chance)


def turned(match: Match) -> Match:
    """The same match seen from the other run."""
    return match.model_copy(update={"a": match.b, "b": match.a, "edge_a": match.edge_b, "edge_b": match.edge_a})


def by_ends(matches: Sequence[Match]) -> dict[tuple[str, str], Match]:
    return {(match.a, match.b): match for match in matches}


@given(filings())
def test_a_match_says_of_either_run_what_it_says_of_the_other(sides: tuple[Side, Side]) -> None:
    a, b = sides
    for by in ("text", "span"):
        forth, back = match_extractions(a, b, by=by), match_extractions(b, a, by=by)
        assert by_ends(forth) == by_ends([turned(match) for match in back])


@given(filings())
def test_every_number_of_a_match_lies_in_its_bounds_and_the_overlap_is_the_largest(sides: tuple[Side, Side]) -> None:
    for match in match_extractions(*sides):
        parts = {name: getattr(match, name) for name in ("equal", "containment", "fragments", "order")}
        assert MIN_OVERLAP <= match.overlap == max(parts.values()) <= 1
        assert all(0 <= value <= 1 for value in (*parts.values(), match.span or 0))
        assert match.decided_by == next(name for name, value in parts.items() if value == match.overlap)
        assert parts["equal"] in (0, 1)
        assert parts["fragments"] <= 0.95
    for match in match_extractions(*sides, by="span"):
        assert (match.decided_by, match.overlap) == ("span", match.span)


@given(filings())
def test_a_run_matched_with_itself_gives_every_extraction_itself(sides: tuple[Side, Side]) -> None:
    a, _ = sides
    matches = match_extractions(a, a)
    assert sorted((match.a, match.b) for match in matches) == sorted((x.id, x.id) for x in a)
    for match in matches:
        assert (match.overlap, match.decided_by, match.differs) == (1, "equal", ())
        assert match.figures in ("none", "same")


GREEDY: dict[str, Callable[[tuple[Pair, float]], object]] = {
    "the nearest first": lambda entry: (-entry[1], entry[0]),
    "in the order of the first run": lambda entry: (entry[0][0], -entry[1], entry[0]),
    "in the order of the second run": lambda entry: (entry[0][1], -entry[1], entry[0]),
    "from the end": lambda entry: (-entry[0][0], -entry[0][1]),
    "the farthest first": lambda entry: (entry[1], entry[0]),
}


@given(filings(), DRAWS)
def test_no_greedy_matching_has_a_larger_total(sides: tuple[Side, Side], chance: random.Random) -> None:
    a, b = sides
    pairs = all_pairs(a, b)
    matches = match_extractions(a, b)
    assert len({match.a for match in matches}) == len({match.b for match in matches}) == len(matches)
    total = sum(match.overlap for match in matches)
    for key in (*GREEDY.values(), lambda _: chance.random()):
        chosen: dict[int, int] = {}
        gained = 0.0
        for (i, j), score in sorted(pairs.items(), key=key):
            if i not in chosen and j not in chosen.values():
                chosen[i] = j
                gained += score
        assert gained <= total + 1e-9


def all_pairs(a: Side, b: Side) -> dict[Pair, float]:
    """The score of every pair that overlaps enough, by comparing all of them."""
    quotes = prepare([x.quote for x in (*a, *b)])
    scores = {(i, j): max(components(quotes[i], quotes[len(a) + j])) for i in range(len(a)) for j in range(len(b))}
    return {pair: score for pair, score in scores.items() if score >= MIN_OVERLAP}


@given(filings())
def test_no_pair_that_overlaps_enough_is_left_out_unseen(sides: tuple[Side, Side]) -> None:
    """Each pair by itself, and each extraction with a copy of its partner among all the others."""
    a, b = sides
    matcher = FilingMatcher("f", (*a, *b))
    expected = all_pairs(a, b)
    alone = {
        (i, j): match.overlap
        for i, x in enumerate(a)
        for j, y in enumerate(b)
        for match in matcher.candidates([x], [y]).matches()
    }
    assert alone == expected
    for i, x in enumerate(a):
        best = max((score for (first, _), score in expected.items() if first == i), default=None)
        assert [match.overlap for match in matcher.candidates([x], b).matches()] == ([] if best is None else [best])


@given(filings(), DRAWS)
def test_new_names_of_edges_change_the_edges_and_nothing_else(sides: tuple[Side, Side], chance: random.Random) -> None:
    a, b = sides
    names = dict(zip("EFG", chance.sample("EFGHI", 3), strict=True))
    renamed = [[x.model_copy(update={"edge": names[x.edge]}) for x in side] for side in sides]
    expected = [
        match.model_copy(update={"edge_a": names[match.edge_a], "edge_b": names[match.edge_b]})
        for match in match_extractions(a, b)
    ]
    assert match_extractions(*renamed) == expected
    assert ranges(*renamed) == ranges(a, b)


@given(filings(), DRAWS)
def test_neither_the_order_of_the_extractions_nor_who_else_is_in_the_matcher_matters(
    sides: tuple[Side, Side], chance: random.Random
) -> None:
    a, b = sides
    more = run_of("c", [passage(chance)], 5, chance)
    everybody = chance.sample([*a, *b, *more], len(a) + len(b) + len(more))
    among = FilingMatcher("f", everybody).candidates(chance.sample(a, len(a)), chance.sample(b, len(b)))
    assert among.matches() == match_extractions(a, b)
    assert among.same_edge_range() == ranges(a, b)


def ranges(a: Side, b: Side) -> tuple[int, int]:
    return FilingMatcher("f", (*a, *b)).candidates(a, b).same_edge_range()


@given(filings())
def test_the_same_edges_of_the_matches_lie_within_their_range(sides: tuple[Side, Side]) -> None:
    least, most = ranges(*sides)
    assert least <= sum(match.same_edge for match in match_extractions(*sides)) <= most


@given(filings(5), filings(5))
def test_what_shares_no_word_changes_no_match(here: tuple[Side, Side], there: tuple[Side, Side]) -> None:
    other = [
        [
            ex(f"other{x.id}", " ".join(f"{word}q{n % 7}" for n, word in enumerate(x.quote.split())), x.edge)
            .model_copy(update={"ranges": tuple((start + 9000, end + 9000) for start, end in x.ranges)})
            for x in side
            if x.quote.strip() and not any(mark in x.quote for mark in "….[|\n")
        ]
        for side in there
    ]  # fmt: skip
    both = match_extractions(*(first + second for first, second in zip(here, other, strict=True)))
    assert by_ends(both) == by_ends(match_extractions(*here)) | by_ends(match_extractions(*other))


@given(filings(), DRAWS)
def test_one_more_extraction_never_lowers_the_total(sides: tuple[Side, Side], chance: random.Random) -> None:
    a, b = sides
    if not a:
        return
    fewer = chance.sample(a, len(a) - 1)
    before, after = (sum(match.overlap for match in match_extractions(side, b)) for side in (fewer, a))
    assert before <= after + 1e-9


@given(DRAWS, st.data())
def test_eight_tokens_or_more_that_stand_in_the_other_quote_are_always_a_match(
    chance: random.Random, data: st.DataObject
) -> None:
    words = " ".join(passage(chance)).split(" ")
    start = data.draw(st.integers(0, len(words)))
    piece = " ".join(words[start : data.draw(st.integers(start, len(words)))])
    short, long = prepare([piece, " ".join(words)])
    matches = match_extractions([ex("a", piece)], [ex("b", " ".join(words))])
    if len(short.codes) >= 8 and short.codes in long.codes:
        assert [match.containment >= 0.9 for match in matches] == [True]


@given(DRAWS)
def test_places_alone_decide_between_equal_quotes(chance: random.Random) -> None:
    """Boilerplate: among equal quotes the matched places share as much as those of any other assignment can."""
    text = quoted(passage(chance), chance)
    a, b = (
        [ex(f"{name}{n}", text, place=chance.choice([0, 25, 100, 130, 400]), length=50) for n in range(3)]
        for name in "ab"
    )
    found = {(match.a, match.b) for match in match_extractions(a, b)}
    orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    totals = [sum(slow_span(a[i], b[j]) for i, j in enumerate(order)) for order in orders]
    assert sum((slow_span(x, y) for x in a for y in b if (x.id, y.id) in found), start=Fraction(0)) == max(totals)


@pytest.mark.parametrize("by", ["text", "span"])
@given(sides=filings())
def test_every_match_joins_extractions_that_are_there_in_the_order_of_the_text(
    by: str, sides: tuple[Side, Side]
) -> None:
    a, b = ({x.id: x for x in side} for side in sides)
    matches = match_extractions(*sides, by=by)
    assert all(match.edge_a == a[match.a].edge and match.edge_b == b[match.b].edge for match in matches)
    starts = [min((start for start, _ in a[match.a].ranges), default=10**9) for match in matches]
    assert starts == sorted(starts)
