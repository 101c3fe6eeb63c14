"""A file of reviews: read, measured and laid out; figures worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fingreat.errors import InputError
from fingreat.pipeline.reviews import measure_review_file, read_reviews, review_figures, review_tables
from fingreat.report.tables import Share, Table

REV, TAX = "REV-NNCA", "NNCA-TAX"
DECISIONS: dict[str, dict[str, list[str]]] = {
    "p1": {"ann": [REV], "bob": [REV], "cy": [REV, TAX]},
    "p2": {"ann": [], "bob": [], "cy": [TAX]},
    "p3": {"ann": [REV], "bob": [TAX], "cy": []},
}


def written(path: Path, decisions: dict[str, dict[str, list[str]]]) -> Path:
    lines = [
        json.dumps({"passage_id": passage, "reviewer": reviewer, "edges": edges})
        for passage, of in decisions.items()
        for reviewer, edges in of.items()
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    return written(tmp_path / "reviews.jsonl", DECISIONS)


def row(table: Table, first: str) -> dict[str, object]:
    (found,) = [one for one in table.rows if one[0] == first]
    return {column.label: cell for column, cell in zip(table.columns, found, strict=True)}


def test_every_figure_of_three_passages_is_as_worked_out_by_hand(reviews: Path) -> None:
    tables = {table.id: table for table in review_tables(measure_review_file(reviews))}
    assert list(tables) == ["reviewers", "review-decisions", "accepted-edges", "accepted-by-edge"]
    every = row(tables["reviewers"], "All")
    # p1: 0, 0.665, 0.665. p2: 0, 1, 1. p3: 1, 1, 1. Equal are one pair of p1 and one of p2.
    assert (every["passages"], every["pairs"], every["pooled pairs"]) == (3, 9, 36)
    observed = (2 * 0.665 + 5) / 9
    assert every["D_o"] == pytest.approx(observed)
    assert (every["equal pairs"], every["all equal"]) == (Share(k=2, n=9), Share(k=0, n=3))
    # Jaccard: 1, 1/2, 1/2; 1, 0, 0; 0, 0, 0.
    assert every["mean Jaccard"] == pytest.approx(3 / 9)
    # Pooled: {REV} 3, {} 3, {TAX} 2, {REV, TAX} 1. Equal: 3 + 3 + 1 pairs at 0; {REV, TAX} with the 3 and the 2 at
    # 0.665; the other 36 - 7 - 5 pairs at 1.
    expected = (5 * 0.665 + 24) / 36
    assert every["D_e"] == pytest.approx(expected)
    assert every["alpha"] == pytest.approx(1 - observed / expected)
    # ann and bob: equal on p1 and p2.
    assert row(tables["reviewers"], "ann, bob")["equal pairs"] == Share(k=2, n=3)
    assert [one[0] for one in tables["reviewers"].rows] == ["All", "ann, bob", "ann, cy", "bob, cy"]
    decided = row(tables["review-decisions"], "cy")
    assert (decided["none"], decided["1 edge"], decided["2 edges"]) == (Share(k=1, n=3), 1, 1)


def test_accepted_edges_are_counted_by_where_they_come_from(reviews: Path) -> None:
    tables = {table.id: table for table in review_tables(measure_review_file(reviews))}
    accepted = tables["accepted-edges"]
    # p1 accepts REV by majority, of p2 most say that none fits, p3 accepts both by anyone.
    assert [one[1:] for one in accepted.rows] == [(1, 1, 0), (1, 0, 1), (1, 0, 0), (2, 1, 1)]
    assert accepted.totals == 1
    # Three labels on two passages: 3 / (2 · 11) = 13.6 %.
    assert any("3 accepted edges" in note and "13.6%" in note for note in accepted.notes)
    by_edge = {one[1]: one[2] for one in tables["accepted-by-edge"].rows}
    assert (by_edge[REV], by_edge[TAX], by_edge["CASH-DIV"]) == (Share(k=2, n=2), Share(k=1, n=2), Share(k=0, n=2))


def test_three_reviewers_have_a_map_and_two_have_no_pairs_beside_all(reviews: Path, tmp_path: Path) -> None:
    (figure,) = review_figures(measure_review_file(reviews))
    assert all(name in figure.svg for name in ("ann", "bob", "cy"))
    two = {passage: {"ann": of["ann"], "bob": of["bob"]} for passage, of in DECISIONS.items()}
    measured = measure_review_file(written(tmp_path / "two.jsonl", two))
    assert review_figures(measured) == ()
    assert [one[0] for one in review_tables(measured)[0].rows] == ["All"]


def test_passages_that_not_all_decided_are_said_to_be_left_out(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", {**DECISIONS, "p4": {"ann": [REV]}})
    with pytest.raises(InputError, match="passage p4: has no decision of bob, cy"):
        measure_review_file(path)
    measured = measure_review_file(path, common=True)
    assert (measured.left_out, measured.agreement.passages) == (("p4",), 3)
    assert any("1 passage that not every reviewer decided" in note for note in review_tables(measured)[0].notes)


def test_a_single_reviewer_has_no_agreement_but_accepts_what_was_selected(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", {passage: {"ann": of["ann"]} for passage, of in DECISIONS.items()})
    measured = measure_review_file(path)
    assert (measured.agreement.alpha, measured.cohorts.eligible) == (None, 2)
    assert row(review_tables(measured)[0], "All")["equal pairs"] == Share(k=0, n=0)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"passage_id": "p", "reviewer": "a"}', "line 1: is no review: 'edges': Field required"),
        ('{"passage_id": "p", "reviewer": "a", "edges": "REV-NNCA"}', "line 1: is no review: 'edges'"),
        ('{"passage_id": "p", "reviewer": "a", "edges": [], "when": 1}', "line 1: is no review: 'when'"),
        ("[]", "line 1: is no review"),
        ("{", "line 1: is no JSON"),
        ("", "holds no review"),
    ],
)
def test_a_line_that_is_no_review_is_refused_by_its_place(line: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=words):
        measure_review_file(path)


def test_a_file_is_read_in_its_order(reviews: Path) -> None:
    assert [(one.passage_id, one.reviewer) for one in read_reviews(reviews)][:4] == [
        ("p1", "ann"), ("p1", "bob"), ("p1", "cy"), ("p2", "ann"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("selected", "alpha", "words"),
    [
        # Every decision is the same: no two of them differ at all.
        ({"p1": ([REV], [REV]), "p2": ([REV], [REV])}, 1.0, "D_e are 0 and alpha is 1 by convention"),
        ({"p1": ([REV], [REV])}, 1.0, "D_e are 0 and alpha is 1 by convention"),
        # The pairs of one passage are all pairs that there are.
        ({"p1": ([REV], [TAX])}, 0.0, "Of one passage alone D_o is D_e, so that alpha is 0"),
        # Two passages, all pairs within differ: D_o is 1, D_e is 4 of 6, as 2 of 6 pairs are equal.
        ({"p1": ([REV], [TAX]), "p2": ([REV], [TAX])}, -0.5, None),
    ],
)
def test_an_alpha_that_is_so_by_convention_is_said_to_be(
    selected: dict[str, tuple[list[str], list[str]]], alpha: float, words: str | None, tmp_path: Path
) -> None:
    decisions = {passage: dict(zip(("ann", "bob"), both, strict=True)) for passage, both in selected.items()}
    table, *_ = review_tables(measure_review_file(written(tmp_path / "r.jsonl", decisions)))
    assert row(table, "All")["alpha"] == pytest.approx(alpha)
    told = [note for note in table.notes if "by convention" in note or "Of one passage" in note]
    assert len(told) == (words is not None)
    assert all(words in note for note in told if words)


def test_one_accepted_edge_is_one(tmp_path: Path) -> None:
    tables = review_tables(measure_review_file(written(tmp_path / "r.jsonl", {"p1": {"ann": [REV], "bob": [REV]}})))
    assert any(note.startswith("1 accepted edge: one drawn at random from 11") for note in tables[2].notes)
