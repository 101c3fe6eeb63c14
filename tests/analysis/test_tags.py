"""Measures of tags: worked by hand, by a slow reading of their definitions, and against scipy and scikit-learn."""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy
from sklearn.metrics import homogeneity_score

from fingreat.analysis import Ratio, TagTally, measure_tags
from fingreat.errors import InputError
from fingreat.schema import Extraction, Verdict

REV, COGS, TAX = "REV-NNCA", "NNCA-COGS", "NNCA-TAX"
NUMBERS = count()


def extraction(edge: str, *tags: str) -> Extraction:
    return Extraction(
        id=f"x{next(NUMBERS)}",
        run="r",
        filing_id="f",
        chunk_id="c",
        quote="q",
        edge=edge,
        tags=tags,
        verdict=Verdict.EXACT,
    )


def test_a_worked_example() -> None:
    # w(price, REV) = 1 + 1/2; w(mix, REV) = 1/2; w(mix, COGS) = 1: weight 3 in all, one for each tagged extraction.
    found = measure_tags(
        [extraction(REV, "price"), extraction(REV, "price", "mix"), extraction(COGS, "mix"), extraction(TAX)]
    )
    assert (found.tagged, found.untagged, found.vocabulary) == (3, 1, 2)
    assert found.coverage == Ratio(3, 4)
    # price is REV's alone, mix is mostly COGS's: (3/2 + 1) / 3.
    assert found.purity == pytest.approx(5 / 6)
    # Edges weigh 2/3 and 1/3: H(E) = log2 3 - 2/3 = 0.918296 bits.
    assert found.edge_entropy == pytest.approx(log2(3) - 2 / 3)
    assert found.edge_entropy == pytest.approx(0.918296, abs=1e-6)
    # price (half of the weight) leaves nothing open; mix (the other half) leaves 1/3 against 2/3 open.
    assert found.conditional_entropy == pytest.approx(0.918296 / 2, abs=1e-6)
    assert found.homogeneity == pytest.approx(0.5)
    # Both tags weigh 3/2; the first by name comes first.
    assert [(row.tag, row.n, row.weight, row.share, row.edge) for row in found.rows] == [
        ("mix", 2, 1.5, 0.5, COGS),
        ("price", 2, 1.5, 0.5, REV),
    ]
    assert [row.edge_share for row in found.rows] == [pytest.approx(2 / 3), 1.0]


def test_tags_that_stand_once_and_strings_as_the_model_wrote_them() -> None:
    found = measure_tags([extraction(REV, "Revenue"), extraction(REV, "revenue"), extraction(REV, "revenue", "price")])
    assert {row.tag for row in found.rows} == {"Revenue", "revenue", "price"}
    assert found.one_off == Ratio(2, 3)


def test_a_tag_given_twice_to_one_extraction_is_one_tag_and_a_blank_one_is_none() -> None:
    found = measure_tags([extraction(REV, "price", "price", "mix"), extraction(COGS, "", " ")])
    assert {row.tag: (row.n, row.weight) for row in found.rows} == {"price": (1, 0.5), "mix": (1, 0.5)}
    assert (found.tagged, found.untagged, found.one_off) == (1, 1, Ratio(2, 2))


def test_equal_weights_have_their_main_edge_by_name() -> None:
    for order in ((REV, COGS), (COGS, REV)):
        (row,) = measure_tags([extraction(edge, "mix") for edge in order]).rows
        assert (row.edge, row.edge_share) == (COGS, 0.5)


def test_one_edge_alone_is_homogeneous_and_no_tags_are_no_measure() -> None:
    alone = measure_tags([extraction(REV, "a"), extraction(REV, "b", "c")])
    assert (alone.purity, alone.edge_entropy, alone.conditional_entropy, alone.homogeneity) == (1.0, 0.0, 0.0, 1.0)
    for nothing in (measure_tags([]), measure_tags([extraction(REV)])):
        assert nothing.purity is nothing.edge_entropy is nothing.conditional_entropy is nothing.homogeneity is None
        assert (nothing.rows, nothing.one_off.value) == ((), None)


def test_a_tag_for_every_edge_tells_nothing() -> None:
    # One tag on four edges: purity 1/4, two bits open before and after, homogeneity 0.
    found = measure_tags([extraction(edge, "mix") for edge in (REV, COGS, TAX, "CASH-DIV")])
    assert (found.purity, found.edge_entropy, found.conditional_entropy, found.homogeneity) == (0.25, 2.0, 2.0, 0.0)


drawn = st.lists(
    st.builds(
        lambda edge, tags: extraction(edge, *tags),
        st.sampled_from((REV, COGS, TAX)),
        st.lists(st.sampled_from(("price", "mix", "Mix", "units", "rate")), max_size=4),
    ),
    max_size=12,
)


def table(extractions: list[Extraction]) -> dict[tuple[str, str], Fraction]:
    """w(t, e) as the definition says."""
    weights: dict[tuple[str, str], Fraction] = {}
    for one in extractions:
        for tag in set(one.tags):
            key = (tag, one.edge)
            weights[key] = weights.get(key, Fraction(0)) + Fraction(1, len(set(one.tags)))
    return weights


@settings(max_examples=200, deadline=None)
@given(drawn)
def test_measures_are_those_of_a_slow_reading_and_of_scipys_entropy(extractions: list[Extraction]) -> None:
    found, weights = measure_tags(extractions), table(extractions)
    total = sum(weights.values())
    # Every tagged extraction weighs one.
    assert total == found.tagged == sum(bool(one.tags) for one in extractions)
    if not weights:
        assert found.purity is None
        return
    tags = {tag for tag, _ in weights}
    by_tag = {tag: {edge: w for (t, edge), w in weights.items() if t == tag} for tag in tags}
    by_edge = {edge: float(sum(w for (_, e), w in weights.items() if e == edge)) for _, edge in weights}
    assert found.vocabulary == len(tags)
    assert found.purity == pytest.approx(float(sum(max(w.values()) for w in by_tag.values()) / total))
    plain = entropy(list(by_edge.values()), base=2)
    left = sum(
        float(sum(w.values()) / total) * entropy([float(v) for v in w.values()], base=2) for w in by_tag.values()
    )
    assert found.edge_entropy == pytest.approx(plain, abs=1e-12)
    assert found.conditional_entropy == pytest.approx(left, abs=1e-12)
    # Homogeneity is also the mutual information of tag and edge over H(E).
    mutual = sum(
        float(w / total)
        * log2(float(w / total) / (float(sum(by_tag[tag].values()) / total) * by_edge[edge] / float(total)))
        for (tag, edge), w in weights.items()
    )
    assert found.homogeneity == (1.0 if len(by_edge) == 1 else pytest.approx(mutual / plain, abs=1e-9))


@settings(max_examples=100, deadline=None)
@given(drawn, st.randoms())
def test_laws_of_tags(extractions: list[Extraction], chance: object) -> None:
    found = measure_tags(extractions)
    if found.tagged and None not in (found.purity, found.edge_entropy, found.conditional_entropy, found.homogeneity):
        assert 0.0 < (found.purity or 0) <= 1.0
        assert 0.0 <= (found.homogeneity or 0) <= 1.0
        assert 0.0 <= (found.conditional_entropy or 0) <= (found.edge_entropy or 0) + 1e-12
        # Whoever guesses one edge for all gets the largest edge's share; tags can only do better.
        sizes = [sum(bool(x.tags) and x.edge == edge for x in extractions) for edge in (REV, COGS, TAX)]
        assert (found.purity or 0) >= max(sizes) / sum(sizes) - 1e-12
    assert sum(row.share for row in found.rows) == pytest.approx(1.0 if found.tagged else 0.0)
    shuffled = list(extractions)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert measure_tags(shuffled) == found


def test_how_often_tags_come_back_is_as_counted_by_hand() -> None:
    # price: f twice and g once; mix: g twice; units: once.
    found = measure_tags(
        [
            extraction(REV, "price"),
            extraction(REV, "price", "units"),
            extraction(COGS, "price", "mix").model_copy(update={"filing_id": "g"}),
            extraction(TAX, "mix").model_copy(update={"filing_id": "g"}),
        ]
    )
    assert (found.uses, found.vocabulary, found.uses_per_tag) == (6, 3, 2.0)
    assert (found.one_off, found.reused, found.recurring) == (Ratio(1, 3), Ratio(5, 6), Ratio(1, 3))
    assert {row.tag: (row.n, row.filings) for row in found.rows} == {"price": (3, 2), "mix": (2, 1), "units": (1, 1)}
    # Of price REV has 3/2 of 2, of mix TAX has 1 of 3/2, of units REV all of 1/2: without units 5/2 of 7/2.
    assert found.purity == pytest.approx(3 / 4)
    assert found.reused_purity == pytest.approx(5 / 7)


def test_tags_that_all_stand_once_have_no_purity_of_reused_ones() -> None:
    found = measure_tags([extraction(REV, "a"), extraction(COGS, "b")])
    assert (found.purity, found.reused_purity, found.uses_per_tag) == (1.0, None, 1.0)
    nothing = measure_tags([])
    assert (nothing.uses_per_tag, nothing.reused.value, nothing.recurring.value) == (None, None, None)


def test_a_tally_takes_each_filing_once_and_nothing_of_another() -> None:
    tally = TagTally()
    tally.add("f", [extraction(REV, "price")])
    with pytest.raises(InputError, match="filing f: was counted before"):
        tally.add("f", [])
    with pytest.raises(InputError, match="filing g: was given an extraction of filing f"):
        tally.add("g", [extraction(REV, "price")])
    assert set(tally.vocabulary) == {"price"}


@settings(max_examples=60)
@given(drawn)
def test_homogeneity_is_scikit_learns(extractions: list[Extraction]) -> None:
    # An extraction with k tags gives 1/k to each: as whole weights, 12/k points of each tag and edge.
    points = [(one.edge, tag) for one in extractions for tag in set(one.tags) for _ in range(12 // len(set(one.tags)))]
    found = measure_tags(extractions).homogeneity
    if points:
        edges, tags = zip(*points, strict=True)
        assert found == pytest.approx(homogeneity_score(edges, tags), abs=1e-9)
    else:
        assert found is None
