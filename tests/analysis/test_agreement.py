"""Agreement between two runs: worked by hand, and its laws on drawn examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingreat.analysis import (
    REPLICATES,
    Agreement,
    FilingBootstrap,
    Interval,
    PairTally,
    Ratio,
    Side,
    measure_agreement,
)
from fingreat.errors import InputError
from fingreat.matching import FilingMatcher
from fingreat.schema import Extraction, Match, Verdict, load_graph

GRAPH = load_graph()
EDGES = tuple(GRAPH.edges)
REV, COGS, OPEX, TAX, DIV, STOCK = "REV-NNCA", "NNCA-COGS", "NNCA-OPEX", "NNCA-TAX", "CASH-DIV", "ISS-NNCA"


def extraction(name: str, filing: str, edge: str) -> Extraction:
    return Extraction(
        id=name, run="r", filing_id=filing, chunk_id="c", quote=name, edge=edge, verdict=Verdict.NOT_FOUND
    )


def match(a: Extraction, b: Extraction, **changes: Any) -> Match:
    values: dict[str, Any] = {"filing_id": a.filing_id, "a": a.id, "b": b.id, "edge_a": a.edge, "edge_b": b.edge}
    said: dict[str, Any] = {"equal": 1, "containment": 1, "fragments": 0, "order": 1, "span": None}
    return Match(
        **{**values, **said, "overlap": 1.0, "decided_by": "equal", "figures": "none", "differs": (), **changes}
    )


# Two filings. A has four extractions, B five; three pairs quote the same passage, one of them under another edge.
A = [extraction("a1", "f", REV), extraction("a2", "f", COGS), extraction("a3", "f", TAX), extraction("a4", "g", REV)]
B = [
    extraction("b1", "f", REV),
    extraction("b2", "f", OPEX),
    extraction("b3", "g", REV),
    extraction("b4", "g", DIV),
    extraction("b5", "g", STOCK),
]
MATCHES = [match(A[0], B[0]), match(A[1], B[1]), match(A[3], B[2])]


def test_the_three_measures_of_a_worked_example() -> None:
    found = measure_agreement(A, B, MATCHES, GRAPH)
    assert (found.n, found.n_reference, found.matched, found.same_edge) == (4, 5, 3, 2)
    # Recall 3/5; Jaccard 3 / (4 + 5 - 3); conditional precision 2/3.
    assert found.recall == Ratio(3, 5)
    assert found.jaccard == Ratio(3, 6)
    assert found.conditional_precision == Ratio(2, 3)


def test_the_same_matches_serve_the_other_direction() -> None:
    found = measure_agreement(A, B, MATCHES, GRAPH, reference="a")
    assert (found.n, found.n_reference) == (5, 4)
    assert (found.recall, found.jaccard, found.conditional_precision) == (Ratio(3, 4), Ratio(3, 6), Ratio(2, 3))


def test_cohorts_go_by_the_edge_of_the_reference() -> None:
    found = measure_agreement(A, B, MATCHES, GRAPH)
    categories = {c.name: (c.recall, c.conditional_precision) for c in found.categories}
    assert list(categories) == ["Net Income", "Cash Flow", "Equity"]
    # B's Net Income extractions are b1, b2 and b3: all have a match, two of them with B's edge.
    assert categories["Net Income"] == (Ratio(3, 3), Ratio(2, 3))
    # b4 and b5 have none, so there is nothing of which a share could have the same edge.
    assert categories["Cash Flow"] == categories["Equity"] == (Ratio(0, 1), Ratio(0, 0))
    edges = {c.name: (c.recall, c.conditional_precision) for c in found.edges}
    assert list(edges) == list(EDGES)
    # b2 is an OPEX passage which A calls COGS: it counts under OPEX, and nothing counts under COGS.
    assert edges[OPEX] == (Ratio(1, 1), Ratio(0, 1))
    assert edges[COGS] == (Ratio(0, 0), Ratio(0, 0))
    assert edges[REV] == (Ratio(2, 2), Ratio(2, 2))
    other = {c.name: c.recall for c in measure_agreement(A, B, MATCHES, GRAPH, reference="a").edges}
    assert (other[OPEX], other[COGS], other[TAX]) == (Ratio(0, 0), Ratio(1, 1), Ratio(0, 1))


def test_another_grouping_parts_the_same_counts_otherwise() -> None:
    a, b = [extraction("a", "f", "ISS-CASH")], [extraction("b", "f", "ISS-CASH")]
    found = measure_agreement(a, b, [match(a[0], b[0])], GRAPH, grouping="capital")
    # Money from issued stock is Cash Flow by default and Equity in the grouping by capital.
    assert {c.name: c.recall for c in found.categories}["Equity"] == Ratio(1, 1)
    with pytest.raises(InputError, match="no grouping 'colour'"):
        measure_agreement(a, b, [], GRAPH, grouping="colour")


def test_nothing_over_nothing_is_none() -> None:
    found = measure_agreement([], [], [], GRAPH)
    assert found.recall.value is found.jaccard.value is found.conditional_precision.value is None
    silent = measure_agreement([], B, [], GRAPH)
    assert (silent.recall.value, silent.jaccard.value, silent.conditional_precision.value) == (0.0, 0.0, None)


def of(filing: str, records: Sequence[Any]) -> list[Any]:
    return [record for record in records if record.filing_id == filing]


def tallied(
    a: Sequence[Extraction], b: Sequence[Extraction], matches: Sequence[Match], filings: Sequence[str] = "fg"
) -> PairTally:
    tally = PairTally(GRAPH)
    for filing in filings:
        tally.add(filing, of(filing, a), of(filing, b), of(filing, matches))
    return tally


def test_intervals_of_a_worked_example() -> None:
    found = tallied(A, B, MATCHES).agreement("b", FilingBootstrap(2))
    # A quarter of all draws takes f twice, a quarter g twice, so that these are the ends.
    # Recall: f 2/2, g 1/3. Jaccard: f 2/3, g 1/3. Conditional precision: f 1/2, g 1/1.
    assert found.recall == Ratio(3, 5, Interval(1 / 3, 1.0, REPLICATES))
    assert found.jaccard == Ratio(3, 6, Interval(1 / 3, 2 / 3, REPLICATES))
    assert found.conditional_precision == Ratio(2, 3, Interval(0.5, 1.0, REPLICATES))
    income, cash, _ = found.categories
    # Net Income: recall f 2/2, g 1/1; conditional precision f 1/2, g 1/1.
    assert income.recall == Ratio(3, 3, Interval(1.0, 1.0, REPLICATES))
    assert income.conditional_precision == Ratio(2, 3, Interval(0.5, 1.0, REPLICATES))
    # Cash Flow: only g has an extraction, and one filing has no interval.
    assert cash.recall.interval is None
    assert cash.conditional_precision == Ratio(0, 0, None)
    # Of the other direction: f 2/3, g 1/1.
    assert tallied(A, B, MATCHES).agreement("a", FilingBootstrap(2)).recall.interval == Interval(2 / 3, 1.0, REPLICATES)


def test_a_filing_in_which_nobody_says_anything_is_drawn_too() -> None:
    silent = tallied(A, B, MATCHES, "fgh").agreement("b", FilingBootstrap(3))
    assert silent.recall.interval is not None
    # Drawn three times, which happens once in 27 draws, it leaves no value: 74 of 2,000.
    assert 40 <= silent.recall.interval.empty <= 110
    with pytest.raises(InputError, match="where 2 filings are drawn"):
        tallied(A, B, MATCHES, "fgh").agreement("b", FilingBootstrap(2))


def test_one_filing_and_no_filing_have_no_interval() -> None:
    one = tallied(A, B, MATCHES, "f").agreement("b", FilingBootstrap(1))
    assert (one.recall, one.conditional_precision) == (Ratio(2, 2), Ratio(1, 2))
    none = tallied(A, B, MATCHES, "").agreement("b", FilingBootstrap(0))
    assert none.recall == none.jaccard == none.conditional_precision == Ratio(0, 0)
    assert len(none.edges) == len(EDGES)


def test_the_range_of_equally_good_assignments_is_summed_over_filings() -> None:
    tally = PairTally(GRAPH)
    # In f one match has the same edge; by another assignment none would, by a third both.
    tally.add("f", of("f", A), of("f", B), of("f", MATCHES), (0, 2))
    tally.add("g", of("g", A), of("g", B), of("g", MATCHES), (1, 1))
    for side in ("a", "b"):
        found = tally.agreement(side)
        assert found.same_edge_range == (1, 3)
        assert found.conditional_precision_range == (Ratio(1, 3), Ratio(3, 3))
    # Without matches there is nothing to choose from.
    tally.add("h", [], [], [])
    assert tally.agreement().same_edge_range == (1, 3)
    x, y = extraction("x", "i", REV), extraction("y", "i", REV)
    tally.add("i", [x], [y], [match(x, y)])
    assert tally.agreement().same_edge_range is tally.agreement().conditional_precision_range is None
    for impossible in ((0, 0), (2, 2), (0, 3), (-1, 2)):
        with pytest.raises(InputError, match="filing f: has 1 matches with the same edge, which is said to be from"):
            PairTally(GRAPH).add("f", of("f", A), of("f", B), of("f", MATCHES), impossible)


def test_matches_of_the_matching_room_are_tallied_as_they_come() -> None:
    said = "Net sales rose by 5% on higher volumes in all regions of the country."
    a, b = (
        [extraction(f"{side}{i}", "f", edge).model_copy(update={"quote": said}) for i, edge in enumerate(edges)]
        for side, edges in (("a", (REV, TAX)), ("b", (TAX, REV)))
    )
    candidates = FilingMatcher("f", (*a, *b)).candidates(a, b)
    tally = PairTally(GRAPH)
    tally.add("f", a, b, candidates.matches(), candidates.same_edge_range())
    # Four equal quotes: crosswise both edges are the same, side by side neither is.
    assert tally.agreement().conditional_precision_range == (Ratio(0, 2), Ratio(2, 2))


@pytest.mark.parametrize(
    ("matches", "words"),
    [
        ([match(A[0], extraction("b9", "f", REV))], "match a1 – b9: names b9, which run b does not have"),
        ([match(B[0], A[0])], "names b1, which run a does not have"),
        ([match(A[0], B[0], edge_b=TAX)], "gives b1 another edge than run b does"),
        ([match(A[0], B[0], filing_id="g")], "names a1, which run a does not have in this filing"),
        ([match(A[0], B[0]), match(A[0], B[1])], "match a1 – b2: uses a1 of run a a second time"),
        ([match(A[0], B[0]), match(A[1], B[0])], "uses b1 of run b a second time"),
    ],
)
def test_matches_that_are_no_assignment_between_the_runs_are_refused(matches: list[Match], words: str) -> None:
    with pytest.raises(InputError, match=words):
        measure_agreement(A, B, matches, GRAPH)


def test_extractions_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="run b, extraction x: has edge REV-CASH, no edge of graph 'gaap11'"):
        measure_agreement(A, [extraction("x", "f", "REV-CASH")], [], GRAPH)
    with pytest.raises(InputError, match="run a: extraction a1 is there twice"):
        measure_agreement([A[0], A[0]], B, [], GRAPH)


def test_a_filing_that_is_refused_is_not_counted() -> None:
    tally = tallied(A, B, MATCHES, "f")
    before = tally.agreement()
    for filing, a, matches, words in (
        ("f", of("f", A), [], "filing f: was counted before"),
        ("g", of("f", A), [], "filing g: was given an extraction of filing f"),
        ("g", of("g", A), of("f", MATCHES), "filing g: was given a match of filing f"),
        ("g", of("g", A), of("g", MATCHES), "match a4 – b3: names b3, which run b does not have"),
    ):
        with pytest.raises(InputError, match=words):
            tally.add(filing, a, [], matches)
    assert tally.agreement() == before
    tally.add("g", of("g", A), of("g", B), of("g", MATCHES))
    assert tally.agreement() == tallied(A, B, MATCHES).agreement()


Drawn = tuple[list[Extraction], list[Extraction], list[Match]]


@st.composite
def runs(draw: st.DrawFn) -> Drawn:
    """Two runs over two filings, with any one-to-one matches inside each."""
    sides = [
        [
            extraction(f"{side}{i}", filing, edge)
            for i, (filing, edge) in enumerate(
                draw(st.lists(st.tuples(st.sampled_from("fg"), st.sampled_from(EDGES)), max_size=8))
            )
        ]
        for side in "ab"
    ]
    matches = []
    for filing in "fg":
        left, right = ([x for x in side if x.filing_id == filing] for side in sides)
        shuffled = draw(st.permutations(right))
        keep = draw(st.integers(0, min(len(left), len(right))))
        matches += [match(x, y) for x, y in zip(left[:keep], shuffled[:keep], strict=True)]
    return sides[0], sides[1], matches


def values(found: Agreement) -> list[float]:
    ratios = [found.recall, found.jaccard, found.conditional_precision]
    ratios += [r for c in (*found.categories, *found.edges) for r in (c.recall, c.conditional_precision)]
    return [ratio.value for ratio in ratios if ratio.value is not None]


@settings(max_examples=100, deadline=None)
@given(runs())
def test_laws_of_agreement(drawn: Drawn) -> None:
    a, b, matches = drawn
    boot = FilingBootstrap(2, replicates=20)
    on_b, on_a = (tallied(a, b, matches).agreement(side, boot) for side in ("b", "a"))
    assert all(0.0 <= value <= 1.0 for value in values(on_b) + values(on_a))
    # Jaccard and conditional precision know no direction, and the recall of one is matched/|other| of the other.
    assert (on_b.jaccard, on_b.conditional_precision) == (on_a.jaccard, on_a.conditional_precision)
    assert (on_b.recall.hits, on_b.recall.total) == (len(matches), len(b))
    assert (on_a.recall.hits, on_a.recall.total) == (len(matches), len(a))
    # Jaccard from the two recalls: 1/J = 1/R + 1/R' - 1.
    if matches:
        assert 1 / (on_b.jaccard.value or 0) == pytest.approx(len(b) / len(matches) + len(a) / len(matches) - 1)
    # To swap the runs and every match is to ask for the other direction.
    swapped = [match(y, x) for m in matches for x in a for y in b if (x.id, y.id) == (m.a, m.b)]
    assert tallied(b, a, swapped).agreement("a", boot) == on_b
    # All at once is filing by filing, but for the intervals.
    assert measure_agreement(a, b, matches, GRAPH) == tallied(a, b, matches).agreement()


@settings(max_examples=60, deadline=None)
@given(runs())
def test_cohorts_and_filings_sum_to_the_whole(drawn: Drawn) -> None:
    a, b, matches = drawn
    whole = tallied(a, b, matches).agreement()
    for cohorts in (whole.categories, whole.edges):
        assert sum(c.recall.hits for c in cohorts) == whole.matched
        assert sum(c.recall.total for c in cohorts) == whole.n_reference
        assert sum(c.conditional_precision.hits for c in cohorts) == whole.same_edge
    parts = [tallied(a, b, matches, filing).agreement() for filing in "fg"]
    for name in ("n", "n_reference", "matched", "same_edge"):
        assert sum(getattr(part, name) for part in parts) == getattr(whole, name)


def recount(drawn: Drawn, side: Side, boot: FilingBootstrap) -> dict[str, tuple[Ratio, Ratio]]:
    """Recall and conditional precision of every edge of the reference, each by a loop over all records."""
    a, b, matches = drawn
    found = {}
    for edge in EDGES:
        columns: dict[str, list[int]] = {"reference": [], "matched": [], "same": []}
        for filing in "fg":
            reference = [x for x in (b if side == "b" else a) if x.filing_id == filing and x.edge == edge]
            matched = [m for x in reference for m in matches if (m.b if side == "b" else m.a) == x.id]
            columns["reference"].append(len(reference))
            columns["matched"].append(len(matched))
            columns["same"].append(sum(m.edge_a == m.edge_b for m in matched))
        found[edge] = tuple(
            Ratio(sum(columns[hits]), sum(columns[of_]), boot.ratio(columns[hits], columns[of_]))
            for hits, of_ in (("matched", "reference"), ("same", "matched"))
        )
    return found  # type: ignore[return-value]


@settings(max_examples=40, deadline=None)
@given(runs(), st.sampled_from("ab"))
def test_a_slow_recount_finds_the_same(drawn: Drawn, side: Side) -> None:
    boot = FilingBootstrap(2, replicates=20)
    found = tallied(*drawn).agreement(side, boot)
    assert {c.name: (c.recall, c.conditional_precision) for c in found.edges} == recount(drawn, side, boot)


def test_intervals_are_of_the_filings_however_they_were_counted() -> None:
    # Draws are bound to filings by their ids: those that were counted, in this or in another order.
    generator = np.random.default_rng(1)
    filings = []
    for filing in (f"{n:02}" for n in range(30)):
        a, b = (
            [extraction(f"{filing}{side}{i}", filing, EDGES[e]) for i, e in enumerate(generator.integers(3, size=9))]
            for side in "ab"
        )
        pairs = list(zip(a, b, strict=True))[: int(generator.integers(1, 9))]
        filings.append((filing, a, b, [match(x, y) for x, y in pairs]))
    found = []
    for order in (range(30), reversed(range(30)), generator.permutation(30).tolist()):
        tally = PairTally(GRAPH)
        for place in order:
            tally.add(*filings[place])
        found.append(tally.agreement("b", FilingBootstrap(30)))
    assert found[0] == found[1] == found[2]
    # The first draw takes, from the ids in order, those at the places that the generator gives.
    matched, quoted = (np.array([len(one[part]) for one in filings]) for part in (3, 2))
    assert found[0].recall.interval == FilingBootstrap(30).ratio(matched, quoted)


def test_intervals_hold_the_ratio_in_ordinary_cases() -> None:
    generator = np.random.default_rng(0)
    tally = PairTally(GRAPH)
    for filing in (f"{n:02}" for n in range(60)):
        a, b = (
            [
                extraction(f"{filing}{side}{i}", filing, EDGES[e])
                for i, e in enumerate(generator.integers(11, size=generator.integers(5, 30)))
            ]
            for side in "ab"
        )
        pairs = list(zip(a, b, strict=False))[: int(generator.integers(3, 15))]
        tally.add(filing, a, b, [match(x, y) for x, y in pairs])
    found = tally.agreement("b", FilingBootstrap(60))
    for ratio in (found.recall, found.jaccard, found.conditional_precision, *(c.recall for c in found.edges)):
        assert ratio.interval is not None
        assert ratio.value is not None
        assert ratio.interval.low < ratio.value < ratio.interval.high
        assert ratio.interval.high - ratio.interval.low < 0.25


@given(runs())
@settings(max_examples=50, deadline=None)
def test_a_run_agrees_with_itself_whole(drawn: Drawn) -> None:
    a = drawn[0]
    found = measure_agreement(a, a, [match(x, x) for x in a], GRAPH)
    assert found.recall == found.jaccard == found.conditional_precision == Ratio(len(a), len(a))
