"""Sentences that stand several times in a filing are matched by where they stand, and what is kept of a filing."""

from __future__ import annotations

import gc
import random
import weakref
from itertools import combinations

import pytest
from match_builders import ex

from fingreat.matching import FilingMatcher, group_matches, match_extractions
from fingreat.schema import Extraction, Match

STOCK = "See Note 5 of the Notes to Consolidated Financial Statements for further information."
STANDS_AT = (120, 2_400, 2_900, 7_000, 7_200, 31_000)
LENGTH = len(STOCK)


def at(id: str, place: int, run: str, edge: str = "E", *, quote: str = STOCK) -> Extraction:
    return ex(id, quote, edge, place, length=LENGTH).model_copy(update={"run": run})


def anywhere(id: str, run: str, edge: str = "E") -> Extraction:
    """A quote that could stand at any of the places, and lists them all."""
    ranges = tuple((place, place + LENGTH) for place in STANDS_AT)
    return ex(id, STOCK, edge).model_copy(update={"ranges": ranges, "ambiguous": True, "run": run})


def shuffled_runs(draw: random.Random, names: str) -> dict[str, list[Extraction]]:
    """Runs that quote the stock sentence at some of its places, with other edges and ids in no order."""
    runs = {}
    for name in names:
        places = draw.sample(STANDS_AT, draw.randint(1, len(STANDS_AT)))
        ids = draw.sample(range(100), len(places))
        runs[name] = [at(f"{id}{name}", place, name, draw.choice("EFG")) for id, place in zip(ids, places, strict=True)]
    return runs


def by_place(run: list[Extraction]) -> dict[int, str]:
    return {x.ranges[0][0]: x.id for x in run}


def ends(matches: list[Match]) -> set[tuple[str, str]]:
    return {(match.a, match.b) for match in matches}


@pytest.mark.parametrize("by", ["text", "span"])
def test_equal_quotes_are_matched_where_both_runs_have_the_place(by: str) -> None:
    for seed in range(150):
        runs = shuffled_runs(random.Random(seed), "abcd")
        matcher = FilingMatcher("f", [x for run in runs.values() for x in run])
        for a, b in combinations(runs.values(), 2):
            found = ends(matcher.candidates(a, b, by=by).matches())
            of_a, of_b = by_place(a), by_place(b)
            shared = {(of_a[place], of_b[place]) for place in of_a.keys() & of_b.keys()}
            assert shared <= found, seed
            # By what they quote, the others are matched too; by place, they are not.
            assert len(found) == (min(len(a), len(b)) if by == "text" else len(shared)), seed


def test_the_words_decide_before_the_place() -> None:
    other = STOCK.replace("Note 5", "Note 6")
    a = [at("a5", 120, "a"), at("a6", 2_400, "a", quote=other)]
    b = [at("b5", 2_400, "b"), at("b6", 120, "b", quote=other)]
    assert ends(match_extractions(a, b)) == {("a5", "b5"), ("a6", "b6")}
    assert ends(match_extractions(a, b, by="span")) == {("a5", "b6"), ("a6", "b5")}


def test_a_quote_that_could_stand_anywhere_takes_a_place_that_no_other_has() -> None:
    for seed in range(150):
        draw = random.Random(seed)
        places = draw.sample(STANDS_AT, draw.randint(2, len(STANDS_AT)))
        known = draw.randint(0, len(places) - 1)
        a = [at(f"{draw.randrange(100)}a{place}", place, "a") for place in places]
        b = [at(f"{draw.randrange(100)}b{place}", place, "b", draw.choice("EF")) for place in places[:known]]
        b += [anywhere(f"{draw.randrange(100)}x{n}", "b") for n in range(len(places) - known)]
        matches = match_extractions(draw.sample(a, len(a)), draw.sample(b, len(b)))
        of_b = {x.id: x for x in b}
        assert len(matches) == len(places)
        for match in matches:
            assert match.span == 1
            if not of_b[match.b].ambiguous:
                assert by_place(a)[of_b[match.b].ranges[0][0]] == match.a


def test_quotes_that_could_stand_at_the_same_places_are_matched_by_id() -> None:
    a, b = [anywhere("a2", "a", "F"), anywhere("a1", "a")], [anywhere("b1", "b", "F"), anywhere("b2", "b")]
    matcher = FilingMatcher("f", (*a, *b))
    assert ends(matcher.candidates(a, b).matches()) == {("a1", "b1"), ("a2", "b2")}
    # Edges are E, F there and F, E here: none or both are the same.
    assert matcher.candidates(a, b).same_edge_range() == (0, 2)


def test_each_place_of_a_stock_sentence_is_a_group_of_its_own() -> None:
    runs = {name: [at(f"{name}{place}", place, name) for place in STANDS_AT] for name in "abcde"}
    for seed in range(20):
        draw = random.Random(seed)
        mixed = {name: draw.sample(run, len(run)) for name, run in runs.items()}
        matcher = FilingMatcher("f", [x for run in mixed.values() for x in run])
        matches = {(a, b): matcher.candidates(mixed[a], mixed[b]).matches() for a, b in combinations(mixed, 2)}
        grouped = group_matches("f", mixed, matches, least=2)
        assert [group.ranges[0][0] for group in grouped.groups] == list(STANDS_AT)
        assert [[member.id for member in group.members] for group in grouped.groups] == [
            [f"{name}{place}" for name in "abcde"] for place in STANDS_AT
        ]


def test_a_run_is_matched_with_itself_and_with_runs_of_its_name() -> None:
    """Quotes that only one run has are compared with one another when it is asked for, not before."""
    a = [at("1", 120, "a"), at("2", 2_400, "a", quote=STOCK.replace("further", "more"))]
    b = [at("3", 120, "b", quote="Something else entirely is quoted by the other run.")]
    matcher = FilingMatcher("f", (*a, *b))
    assert matcher.candidates(a, b).matches() == []
    assert [(match.overlap, match.decided_by) for match in matcher.candidates(a[:1], a[1:]).matches()] == [
        (12 / 13, "order")
    ]
    assert ends(matcher.candidates(a, a).matches()) == {("1", "1"), ("2", "2")}


def test_a_quote_that_the_matcher_was_not_made_with_is_an_error() -> None:
    a = [at("1", 120, "a")]
    matcher = FilingMatcher("f", a)
    with pytest.raises(KeyError):
        matcher.candidates(a, [at("2", 120, "b", quote="Another one.")])
    with pytest.raises(KeyError):
        matcher.candidates(a, [at("2", 121, "b")])


def test_what_is_kept_of_a_filing_goes_with_its_matcher() -> None:
    runs = shuffled_runs(random.Random(1), "abc")
    matcher = FilingMatcher("f", [x for run in runs.values() for x in run])
    for a, b in combinations(runs.values(), 2):
        candidates = matcher.candidates(a, b)
        assert candidates.matches()
        candidates.same_edge_range()
        assert matcher.candidates(a, b, by="span").matches()
    gone = [weakref.ref(thing) for thing in (matcher, candidates, matcher.pairs("text").over.base, matcher.places)]
    gc.disable()
    try:
        # Without the collector: nothing of it is in a cycle or in a cache of the module.
        del matcher, candidates
        assert [reference() for reference in gone] == [None] * len(gone)
    finally:
        gc.enable()
