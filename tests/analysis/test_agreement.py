"""Agreement between two runs: worked by hand, and its laws on drawn examples."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fingreat.analysis import Agreement, Ratio, agreement_by_filing, measure_agreement
from fingreat.errors import InputError
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


def test_each_filing_alone() -> None:
    found = agreement_by_filing(A, B, MATCHES, GRAPH)
    assert list(found) == ["f", "g"]
    # f: three against two, two matched, one with the same edge. g: one against three, one matched, same edge.
    assert (found["f"].recall, found["f"].jaccard, found["f"].conditional_precision) == (
        Ratio(2, 2),
        Ratio(2, 3),
        Ratio(1, 2),
    )
    assert (found["g"].recall, found["g"].jaccard, found["g"].conditional_precision) == (
        Ratio(1, 3),
        Ratio(1, 3),
        Ratio(1, 1),
    )
    # A filing in which only one run says anything is there, with a recall over nothing.
    assert agreement_by_filing(A, [], [], GRAPH)["g"].recall == Ratio(0, 0)


def test_nothing_over_nothing_is_none() -> None:
    found = measure_agreement([], [], [], GRAPH)
    assert found.recall.value is found.jaccard.value is found.conditional_precision.value is None
    silent = measure_agreement([], B, [], GRAPH)
    assert (silent.recall.value, silent.jaccard.value, silent.conditional_precision.value) == (0.0, 0.0, None)


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


@settings(max_examples=150, deadline=None)
@given(runs())
def test_laws_of_agreement(drawn: Drawn) -> None:
    a, b, matches = drawn
    on_b, on_a = (measure_agreement(a, b, matches, GRAPH, reference=side) for side in ("b", "a"))  # type: ignore[arg-type]
    assert all(0.0 <= value <= 1.0 for value in values(on_b) + values(on_a))
    # Jaccard and conditional precision know no direction, and the recall of one is matched/|other| of the other.
    assert (on_b.jaccard, on_b.conditional_precision) == (on_a.jaccard, on_a.conditional_precision)
    assert (on_b.recall, on_a.recall) == (Ratio(len(matches), len(b)), Ratio(len(matches), len(a)))
    # Jaccard from the two recalls: 1/J = 1/R + 1/R' - 1.
    if matches:
        assert 1 / (on_b.jaccard.value or 0) == pytest.approx(len(b) / len(matches) + len(a) / len(matches) - 1)
    # To swap the runs and every match is to ask for the other direction.
    swapped = [match(y, x) for m in matches for x in a for y in b if (x.id, y.id) == (m.a, m.b)]
    assert measure_agreement(b, a, swapped, GRAPH, reference="a") == on_b


@settings(max_examples=100, deadline=None)
@given(runs())
def test_cohorts_and_filings_sum_to_the_whole(drawn: Drawn) -> None:
    a, b, matches = drawn
    whole = measure_agreement(a, b, matches, GRAPH)
    for cohorts in (whole.categories, whole.edges):
        assert sum(c.recall.hits for c in cohorts) == whole.matched
        assert sum(c.recall.total for c in cohorts) == whole.n_reference
        assert sum(c.conditional_precision.hits for c in cohorts) == whole.same_edge
    parts = agreement_by_filing(a, b, matches, GRAPH).values()
    for name in ("n", "n_reference", "matched", "same_edge"):
        assert sum(getattr(part, name) for part in parts) == getattr(whole, name)


@given(runs())
@settings(max_examples=50, deadline=None)
def test_a_run_agrees_with_itself_whole(drawn: Drawn) -> None:
    a = drawn[0]
    found = measure_agreement(a, a, [match(x, x) for x in a], GRAPH)
    assert found.recall == found.jaccard == found.conditional_precision == Ratio(len(a), len(a))
