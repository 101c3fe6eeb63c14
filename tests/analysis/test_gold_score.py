"""Precision, recall and chance against an exhaustive gold: worked by hand, and against a slow reading of the words."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingreat.analysis import GoldScore, Ratio, score_against_gold
from fingreat.errors import InputError
from fingreat.schema import Extraction, GoldPassage, Verdict, load_graph

GRAPH = load_graph()
EDGES = tuple(GRAPH.edges)
REV, COGS, TAX = "REV-NNCA", "NNCA-COGS", "NNCA-TAX"
LENGTH = 1000
NUMBERS = count()
LENGTHS = {"f": 60, "g": 45}
"""Two filings for the drawn examples."""


def passage(start: int | None, end: int | None, *edges: str, **changes: Any) -> GoldPassage:
    values: dict[str, Any] = {
        "passage_id": f"p{start}",
        "filing_id": "f",
        "text": "x",
        "start": start,
        "end": end,
        "accepted": frozenset(edges),
        "source": "primary" if edges else "none",
    }
    return GoldPassage(**{**values, **changes})


def extraction(edge: str, *ranges: tuple[int, int], **changes: Any) -> Extraction:
    values: dict[str, Any] = {
        "id": f"x{next(NUMBERS)}",
        "run": "r",
        "filing_id": "f",
        "chunk_id": "c",
        "quote": f"quote {ranges}",
        "edge": edge,
        "verdict": Verdict.EXACT if ranges else Verdict.NOT_FOUND,
        "ranges": ranges,
    }
    return Extraction(**{**values, **changes})


def score(extractions: Sequence[Extraction], gold: Sequence[GoldPassage], length: int = LENGTH) -> GoldScore:
    return score_against_gold(extractions, gold, GRAPH, {"f": length})


GOLD = (passage(100, 200, REV), passage(300, 400, COGS), passage(500, 600, REV, TAX), passage(700, 800))


def test_the_gold_itself_as_extractions_scores_one() -> None:
    result = score([extraction(edge, (p.start or 0, p.end or 0)) for p in GOLD for edge in p.accepted], GOLD)
    # Four extractions (the third passage under both its edges); three passages have an edge.
    assert (result.precision, result.recall) == (Ratio(4, 4), Ratio(3, 3))
    assert (result.located, result.typed) == (Ratio(4, 4), Ratio(4, 4))
    assert result.found == {("p100", REV), ("p300", COGS), ("p500", REV), ("p500", TAX)}
    assert result.other_edge == frozenset()
    # REV covers 200 of 1,000 characters, COGS 100, TAX 100; with 11 edges: (200 + 100 + 100) / 11,000.
    assert result.chance_precision == pytest.approx(400 / 11_000)
    # The located ones lie on passages with 1, 1, 2 and 2 accepted edges: (1 + 1 + 2 + 2) / (4 * 11).
    assert result.chance_typed == pytest.approx(6 / 44)
    # All four right by chance: (6/44)^4.
    assert result.typed_p_value == pytest.approx((6 / 44) ** 4)
    by_edge = {row.edge: (row.precision, row.recall) for row in result.edges}
    assert list(by_edge) == list(EDGES)
    assert by_edge[REV] == (Ratio(2, 2), Ratio(2, 2))
    assert by_edge[TAX] == (Ratio(1, 1), Ratio(1, 1))
    assert by_edge["CASH-DIV"] == (Ratio(0, 0), Ratio(0, 0))


def test_one_of_several_accepted_edges_is_enough_to_find_a_passage() -> None:
    result = score([extraction(TAX, (500, 600))], GOLD)
    assert (result.precision, result.recall) == (Ratio(1, 1), Ratio(1, 3))
    assert result.found == {("p500", TAX)}
    by_edge = {row.edge: row.recall for row in result.edges}
    # The passage counts in the cohort of each of its edges, and was found under one.
    assert (by_edge[REV], by_edge[TAX]) == (Ratio(0, 2), Ratio(1, 1))


def test_a_wrong_edge_on_evidence_is_located_but_not_right() -> None:
    result = score([extraction(COGS, (100, 200)), extraction(COGS, (0, 50))], GOLD)
    assert (result.precision, result.recall) == (Ratio(0, 2), Ratio(0, 3))
    assert (result.located, result.typed) == (Ratio(1, 2), Ratio(0, 1))
    assert result.other_edge == {"p100"}
    assert result.found == frozenset()
    assert result.chance_typed == pytest.approx(1 / 11)
    assert result.typed_p_value == 1.0


@pytest.mark.parametrize(
    ("ranges", "right", "found"),
    [
        # Of 100 characters, 50 lie on the passage at 100 to 200, of which they cover 50 of 100.
        ([(150, 250)], 1, 1),
        # 49 of 99 on it, 49 of 100 covered: both below one half.
        ([(151, 250)], 0, 0),
        # All 49 on it, but only 49 of 100 covered.
        ([(110, 159)], 1, 0),
        # 100 of 201 characters on it: less than half, yet the passage is covered whole.
        ([(50, 251)], 0, 1),
        ([(50, 250)], 1, 1),
    ],
)
def test_half_is_the_border_on_both_sides(ranges: list[tuple[int, int]], right: int, found: int) -> None:
    result = score([extraction(REV, *ranges)], GOLD)
    assert (result.precision.hits, result.recall.hits) == (right, found)


def test_a_passage_split_in_two_extractions_is_found_by_both_together() -> None:
    # Each covers 40 of 100 characters; together 80. Both lie on it whole.
    parts = [extraction(REV, (100, 140)), extraction(REV, (160, 200))]
    assert score(parts[:1], GOLD).recall == Ratio(0, 3)
    both = score(parts, GOLD)
    assert (both.precision, both.recall) == (Ratio(2, 2), Ratio(1, 3))
    # Under different edges they do not add up.
    mixed = score([parts[0], extraction(TAX, (160, 200))], GOLD)
    assert (mixed.precision, mixed.recall) == (Ratio(1, 2), Ratio(0, 3))


def test_two_passages_given_as_one_extraction_are_both_found() -> None:
    gold = [passage(100, 200, REV), passage(200, 300, REV)]
    result = score([extraction(REV, (100, 300))], gold)
    assert (result.precision, result.recall) == (Ratio(1, 1), Ratio(2, 2))


def test_all_pieces_of_an_elided_quote_count_together() -> None:
    # 60 + 60 characters, of which 60 + 10 lie on REV passages: 70 of 120.
    result = score([extraction(REV, (120, 180), (450, 510))], GOLD)
    assert result.precision == Ratio(1, 1)
    # The first passage is covered by 60 of 100, the third by 10 of 100.
    assert result.found == {("p100", REV)}


def test_one_giant_extraction_finds_all_of_its_edge_and_is_wrong() -> None:
    result = score([extraction(REV, (0, LENGTH))], GOLD)
    # 200 of 1,000 characters lie on REV passages, 300 on any: not right, not located.
    assert (result.precision, result.recall, result.located) == (Ratio(0, 1), Ratio(2, 3), Ratio(0, 1))
    everything = score([extraction(edge, (0, LENGTH)) for edge in EDGES], GOLD)
    assert (everything.precision, everything.recall) == (Ratio(0, 11), Ratio(3, 3))
    assert everything.typed == Ratio(0, 0)
    assert everything.chance_typed is None
    assert everything.typed_p_value is None


def test_the_same_place_and_edge_counts_once() -> None:
    twice = [extraction(REV, (100, 200)) for _ in range(3)] + [
        extraction(COGS, (100, 200)),
        extraction(REV, (100, 199)),
    ]
    result = score(twice, GOLD)
    assert result.duplicates == 2
    # Left are REV at 100 to 200, COGS there (wrong), and REV at 100 to 199.
    assert result.precision == Ratio(2, 3)


def test_ungrounded_extractions_are_wrong_and_equal_ones_count_once() -> None:
    ghosts = [
        extraction(REV, quote="never written"),
        extraction(REV, quote="never written"),
        extraction(REV, quote="no"),
    ]
    result = score([*ghosts, extraction(REV, (100, 200))], GOLD)
    assert result.duplicates == 1
    assert (result.precision, result.located, result.typed) == (Ratio(1, 3), Ratio(1, 3), Ratio(1, 1))


def test_of_several_equal_places_the_first_counts() -> None:
    places = [(100, 200), (800, 900)]
    assert score([extraction(REV, *places, ambiguous=True)], GOLD).precision == Ratio(1, 1)
    assert score([extraction(REV, *reversed(places), ambiguous=True)], GOLD).precision == Ratio(0, 1)
    # Read as pieces of one quote, the same ranges lie on the passage by one half.
    assert score([extraction(REV, *reversed(places))], GOLD).precision == Ratio(1, 1)


def test_nothing_over_nothing_is_none() -> None:
    nothing = score([], [])
    assert nothing.precision.value is nothing.recall.value is nothing.located.value is nothing.typed.value is None
    assert nothing.chance_typed is nothing.typed_p_value is None
    assert nothing.chance_precision == 0.0
    assert score([], [], length=0).chance_precision == 0.0
    silent = score([], GOLD)
    assert (silent.precision.value, silent.recall.value) == (None, 0.0)
    without_gold = score([extraction(REV, (0, 10))], GOLD[3:])
    assert (without_gold.precision.value, without_gold.recall.value) == (0.0, None)


def test_passages_without_an_edge_play_no_part_even_without_a_place() -> None:
    none = passage(None, None)
    assert score([extraction(REV, (100, 200))], [*GOLD, none]) == score([extraction(REV, (100, 200))], GOLD[:3])


def test_several_filings_are_summed_and_their_places_kept_apart() -> None:
    gold = [*GOLD, passage(100, 200, COGS, filing_id="g", passage_id="q")]
    extractions = [
        extraction(REV, (100, 200)),
        # The same place and edge in the other filing is no repeat, and lies on evidence for another edge.
        extraction(REV, (100, 200), filing_id="g"),
        extraction(COGS, (100, 200), filing_id="g"),
    ]
    found = score_against_gold(extractions, gold, GRAPH, {"f": LENGTH, "g": 500})
    # Right: one of one in f, one of two in g. Found: one of three passages in f, one of one in g.
    assert (found.precision, found.recall, found.duplicates) == (Ratio(2, 3), Ratio(2, 4), 0)
    assert (found.located, found.typed, found.filings) == (Ratio(3, 3), Ratio(2, 3), 2)
    assert found.found == {("p100", REV), ("q", COGS)}
    # 400 characters of evidence by edge in f, 100 in g, of 1,500 characters and 11 edges.
    assert found.chance_precision == pytest.approx(500 / (1500 * 11))
    # Per filing by a call with its length alone: the counts add up.
    alone = [
        score_against_gold(
            [x for x in extractions if x.filing_id == one], [p for p in gold if p.filing_id == one], GRAPH, {one: size}
        )
        for one, size in (("f", LENGTH), ("g", 500))
    ]
    assert [(one.precision, one.recall) for one in alone] == [
        (Ratio(1, 1), Ratio(1, 3)),
        (Ratio(1, 2), Ratio(1, 1)),
    ]


def test_a_filing_without_gold_plays_no_part_and_is_told() -> None:
    extractions = [extraction(REV, (100, 200)), *(extraction(REV, (i, i + 9), filing_id="g") for i in range(5))]
    alone = score(extractions[:1], GOLD)
    both = score_against_gold(extractions, GOLD, GRAPH, {"f": LENGTH, "g": 500})
    assert (both.precision, both.recall, both.chance_precision) == (
        alone.precision,
        alone.recall,
        alone.chance_precision,
    )
    assert (both.filings, both.unscored_filings, both.unscored) == (1, 1, 5)
    assert (alone.filings, alone.unscored_filings, alone.unscored) == (1, 0, 0)
    # Readers who found no evidence in a filing say so with a passage that has no edge; then all of it is wrong.
    none = passage(None, None, filing_id="g", passage_id="q")
    assert score_against_gold(extractions, [*GOLD, none], GRAPH, {"f": LENGTH, "g": 500}).precision == Ratio(1, 6)
    nothing = score(extractions[:1], [])
    assert (nothing.precision.value, nothing.filings, nothing.unscored) == (None, 0, 1)


@pytest.mark.parametrize(
    ("gold", "words"),
    [
        (passage(None, 5, REV), "gold passage pNone: has no place in the text"),
        (passage(0, None, REV), "has no place in the text"),
        (passage(5, 5, REV), "stands at 5 to 5 of 1000 characters"),
        (passage(9, 5, REV), "stands at 9 to 5"),
        (passage(-5, 5, REV), "stands at -5 to 5"),
        (passage(990, 1001, REV), "stands at 990 to 1001"),
        (passage(0, 5, "REV-CASH"), "accepts REV-CASH, no edge of graph"),
        (passage(0, 5, REV, passage_id="p300"), "gold passage p300: is there twice"),
        (passage(0, 5, REV, filing_id="g"), "gold passage p0: belongs to filing g, which is not among those to score"),
        (passage(0, 5, filing_id="g"), "gold passage p0: belongs to filing g"),
    ],
)
def test_gold_that_does_not_fit_is_refused(gold: GoldPassage, words: str) -> None:
    with pytest.raises(InputError, match=words):
        score([], [*GOLD, gold])


def test_extractions_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="has edge REV-CASH, no edge of graph"):
        score([extraction("REV-CASH", (0, 5))], GOLD)
    with pytest.raises(InputError, match=r"extraction x\d+: belongs to filing another, which is not among those"):
        score([extraction(REV, (0, 5), filing_id="another")], GOLD)


ranges_strategy = st.lists(
    st.tuples(st.integers(0, 43), st.integers(1, 30)).map(lambda pair: (pair[0], min(45, pair[0] + pair[1]))),
    max_size=3,
)
some_edges = st.sampled_from(EDGES[:3])
extraction_strategy = st.builds(
    lambda edge, ranges, ambiguous, filing: extraction(edge, *ranges, ambiguous=ambiguous, filing_id=filing),
    some_edges,
    ranges_strategy,
    st.booleans(),
    st.sampled_from("fg"),
)


@st.composite
def gold_strategy(draw: st.DrawFn) -> list[GoldPassage]:
    """Passages that do not overlap, as sentences don't, with up to three edges, in up to two filings."""
    found = []
    for filing, length in LENGTHS.items():
        borders = sorted(draw(st.sets(st.integers(0, length), max_size=8)))
        found += [
            passage(start, end, *draw(st.sets(some_edges, max_size=3)), filing_id=filing, passage_id=f"{filing}{start}")
            for start, end in zip(borders[::2], borders[1::2], strict=False)
        ]
    return found


Character = tuple[str, int]


def slow_score(extractions: Sequence[Extraction], gold: Sequence[GoldPassage]) -> dict[str, Any]:
    """The docstring's words with sets of characters (a filing and a place in it) and exact fractions."""
    read = {p.filing_id for p in gold}
    extractions = [x for x in extractions if x.filing_id in read]
    length = sum(LENGTHS[filing] for filing in read)
    kept: list[Extraction] = []
    for one in extractions:
        this = (one.filing_id, one.edge, one.ranges or one.quote)
        if not any(this == (x.filing_id, x.edge, x.ranges or x.quote) for x in kept):
            kept.append(one)
    passages = [p for p in gold if p.accepted]

    def pieces(one: Extraction) -> list[set[Character]]:
        used = one.ranges[:1] if one.ambiguous else one.ranges
        return [{(one.filing_id, i) for i in range(start, end)} for start, end in used]

    def half(parts: list[set[Character]], cover: set[Character]) -> bool:
        size = sum(map(len, parts))
        return size > 0 and Fraction(sum(len(part & cover) for part in parts), size) >= Fraction(1, 2)

    def place(p: GoldPassage) -> set[Character]:
        return {(p.filing_id, i) for i in range(p.start or 0, p.end or 0)}

    evidence = {edge: set().union(*(place(p) for p in passages if edge in p.accepted)) for edge in EDGES}
    claims = {edge: set().union(*(part for x in kept if x.edge == edge for part in pieces(x))) for edge in EDGES}
    right = [x for x in kept if half(pieces(x), evidence[x.edge])]
    located = [x for x in kept if half(pieces(x), set().union(*evidence.values()))]
    found = {(p.passage_id, edge) for p in passages for edge in p.accepted if half([place(p)], claims[edge])}
    any_edge = {p.passage_id for p in passages for edge in EDGES if half([place(p)], claims[edge])}
    found_ids = {name for name, _ in found}
    return {
        "precision": Ratio(len(right), len(kept)),
        "recall": Ratio(len(found_ids), len(passages)),
        "located": Ratio(len(located), len(kept)),
        "typed": Ratio(len(right), len(located)),
        "duplicates": len(extractions) - len(kept),
        "chance_precision": float(Fraction(sum(map(len, evidence.values())), length * len(EDGES))) if length else 0.0,
        "found": frozenset(found),
        "other_edge": frozenset(any_edge - found_ids),
        "edges": {
            edge: (
                Ratio(sum(x.edge == edge for x in right), sum(x.edge == edge for x in kept)),
                Ratio(sum((p.passage_id, edge) in found for p in passages), sum(edge in p.accepted for p in passages)),
            )
            for edge in EDGES
        },
    }


@settings(max_examples=200, deadline=None)
@given(st.lists(extraction_strategy, max_size=8), gold_strategy())
def test_the_score_is_that_of_a_slow_reading_of_its_definition(
    extractions: list[Extraction], gold: list[GoldPassage]
) -> None:
    fast, slow = score_against_gold(extractions, gold, GRAPH, LENGTHS), slow_score(extractions, gold)
    for name in ("precision", "recall", "located", "typed", "duplicates", "found", "other_edge"):
        assert getattr(fast, name) == slow[name], name
    assert fast.chance_precision == pytest.approx(slow["chance_precision"])
    assert {row.edge: (row.precision, row.recall) for row in fast.edges} == slow["edges"]
    assert (fast.chance_typed is None) == (fast.located.hits == 0)
    if fast.chance_typed is not None and fast.typed_p_value is not None:
        # A located extraction lies on a passage with one to three accepted edges of eleven.
        assert 1 / 11 - 1e-12 <= fast.chance_typed <= 3 / 11 + 1e-12
        assert 0.0 <= fast.typed_p_value <= 1.0


@given(st.lists(extraction_strategy, max_size=6), gold_strategy(), st.randoms())
@settings(max_examples=60, deadline=None)
def test_neither_order_changes_the_score(extractions: list[Extraction], gold: list[GoldPassage], chance: Any) -> None:
    # Equal place and edge with another `ambiguous` flag would be another extraction: the first one counts.
    unique = list({(x.filing_id, x.edge, x.ranges, x.quote): x for x in extractions}.values())
    before = score_against_gold(unique, gold, GRAPH, LENGTHS)
    chance.shuffle(unique)
    chance.shuffle(gold)
    after = score_against_gold(unique, gold, GRAPH, LENGTHS)
    assert before.precision == after.precision
    assert (before.found, before.other_edge) == (after.found, after.other_edge)
