"""The matches of two runs whose edges differ: which are the largest, and what is said of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from extraction_builders import an_extraction, finished_run
from pipeline_builders import corpus_of, submission

from fingreat.errors import RunError
from fingreat.matching import By
from fingreat.pipeline.disagreements import disagreements
from fingreat.pipeline.match import match_runs
from fingreat.runs import RunFolder, sole_owner
from fingreat.schema import Extraction

FIRST, SECOND = "0000000002-24-000001", "0000000001-24-000001"
SHORT = "Net sales rose on higher volumes."
LONG = "Cost of goods sold fell because copper became cheaper during spring and summer."
PART = "Cost of goods sold fell because copper became cheaper during"
AGREED = "Dividends were paid in every quarter of the year."


def _sides() -> tuple[list[Extraction], list[Extraction]]:
    """Edges and ids are such that neither their order nor that of the filings' ids gives the right one."""
    a = [
        an_extraction(FIRST, "z", SHORT, "REV-NNCA", ranges=((10, 43),)),
        an_extraction(FIRST, "y", SHORT + " ", "REV-NNCA", ranges=((90, 123),)),
        an_extraction(FIRST, "x", PART, "NNCA-COGS", ranges=((200, 260),)),
        an_extraction(FIRST, "w", AGREED, "CASH-DIV", ranges=((300, 348),)),
        an_extraction(SECOND, "v", LONG, "NNCA-OPEX"),
        an_extraction(SECOND, "u", SHORT, "NNCA-OPEX", ranges=((10, 43),)),
    ]
    edges = {"z": "NNCA-OPEX", "y": "NNCA-OPEX", "x": "REV-NNCA", "w": "CASH-DIV", "v": "NNCA-COGS", "u": "REV-NNCA"}
    b = [x.model_copy(update={"id": f"b{x.id}", "edge": edges[x.id]}) for x in a]
    b[2] = b[2].model_copy(update={"quote": LONG, "ranges": ((200, 279),)})
    return a, b


@pytest.fixture
def runs(tmp_path: Path) -> tuple[RunFolder, RunFolder]:
    corpus = corpus_of(tmp_path, a=submission(FIRST, company="PUMPS [red]INC"))
    filings, asked = [FIRST, SECOND], {"corpus": str(corpus.path)}
    a, b = (finished_run(tmp_path / name, filings, side, **asked) for name, side in zip("ab", _sides(), strict=True))
    match_runs(a, b, tmp_path / "match")
    return a, b


def test_the_largest_come_first_by_overlap_then_length_then_place(
    runs: tuple[RunFolder, RunFolder], tmp_path: Path
) -> None:
    found = disagreements(RunFolder(tmp_path / "match"), runs, 100)
    # All but the cut one are equal texts. Of them `v` is the longest; `y` has a character more than `z`.
    assert [item.match.a for item in found.shown] == ["v", "y", "z", "u", "x"]
    assert [item.match.overlap == 1 for item in found.shown] == [True, True, True, True, False]
    assert all(item.match.b == f"b{item.match.a}" for item in found.shown)
    for item in found.shown:
        assert (item.a.id, item.b.id) == (item.match.a, item.match.b)
        assert (item.a.edge, item.b.edge) == (item.match.edge_a, item.match.edge_b)
    for most in range(7):
        assert disagreements(RunFolder(tmp_path / "match"), runs, most).shown == found.shown[:most]


def test_pairs_of_edges_are_counted_the_commonest_first_whatever_is_shown(
    runs: tuple[RunFolder, RunFolder], tmp_path: Path
) -> None:
    pairs = (
        (("REV-NNCA", "NNCA-OPEX"), 2),
        (("NNCA-COGS", "REV-NNCA"), 1),
        (("NNCA-OPEX", "NNCA-COGS"), 1),
        (("NNCA-OPEX", "REV-NNCA"), 1),
    )
    folder = RunFolder(tmp_path / "match")
    assert disagreements(folder, runs, 0).pairs == pairs
    found = disagreements(folder, runs, 9, edges=("REV-NNCA", "NNCA-OPEX"))
    assert found.pairs == pairs
    assert [item.match.a for item in found.shown] == ["y", "z"]
    # Which run has which edge counts.
    assert [item.match.a for item in disagreements(folder, runs, 9, edges=("NNCA-OPEX", "REV-NNCA")).shown] == ["u"]
    assert disagreements(folder, runs, 9, edges=("CASH-DIV", "CASH-DIV")).shown == ()


def test_the_company_is_that_of_the_corpus_where_it_is_there(runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "match")

    def companies() -> dict[str, str | None]:
        shown = disagreements(folder, runs, 9).shown
        return {item.match.filing_id: item.filing.company if item.filing else None for item in shown}

    assert companies() == {FIRST: "PUMPS [red]INC", SECOND: None}
    (tmp_path / "corpus" / "filings.jsonl").write_text("{")
    assert companies() == {FIRST: None, SECOND: None}
    (tmp_path / "corpus").rename(tmp_path / "elsewhere")
    assert companies() == {FIRST: None, SECOND: None}


def test_runs_without_a_match_disagree_on_nothing(tmp_path: Path) -> None:
    runs = [finished_run(tmp_path / name, [FIRST], []) for name in "ab"]
    match_runs(runs[0], runs[1], tmp_path / "match")
    found = disagreements(RunFolder(tmp_path / "match"), runs, 5)
    assert (found.pairs, found.shown) == ((), ())


def test_a_run_that_changed_since_is_refused(runs: tuple[RunFolder, RunFolder], tmp_path: Path) -> None:
    part = runs[1].extractions / "part-00000.jsonl"
    part.write_text("".join(line for line in part.open() if '"bx"' not in line))
    with pytest.raises(RunError, match="no longer has extraction bx") as caught:
        disagreements(RunFolder(tmp_path / "match"), runs, 5)
    assert caught.value.where == str(runs[1].path)
    with sole_owner(runs[0].path), pytest.raises(RunError, match="another process is working here"):
        disagreements(RunFolder(tmp_path / "match"), runs, 5)


def _runs_that_say(tmp_path: Path, *sides: list[Extraction], by: By = "text") -> list[RunFolder]:
    runs = [finished_run(tmp_path / name, [FIRST], side) for name, side in zip("ab", sides, strict=True)]
    match_runs(runs[0], runs[1], tmp_path / "match", by=by)
    return runs


def test_passages_with_both_edges_in_both_runs_are_counted_apart_and_come_last(tmp_path: Path) -> None:
    """Two places under two edges in either run, of which order and place match the wrong ones; and one true difference,
    whose quotes are smaller and cut."""
    tail = " and summer."
    sides = []
    for run, edges in (("a", ("CASH-DIV", "NNCA-CASH")), ("b", ("NNCA-CASH", "CASH-DIV"))):
        said = [an_extraction(FIRST, f"{run}{n}", LONG, edge, ranges=((10, 89),)) for n, edge in enumerate(edges)]
        said += [
            an_extraction(FIRST, f"{run}2", SHORT, "REV-NNCA" if run == "a" else "NNCA-OPEX", ranges=((200, 233),))
        ]
        sides.append(said)
    sides[1][0] = sides[1][0].model_copy(update={"quote": LONG.removesuffix(tail)})
    runs = _runs_that_say(tmp_path, *sides)
    found = disagreements(RunFolder(tmp_path / "match"), runs, 9)
    assert dict(found.pairs) == {
        ("REV-NNCA", "NNCA-OPEX"): 1,
        ("CASH-DIV", "NNCA-CASH"): 1,
        ("NNCA-CASH", "CASH-DIV"): 1,
    }
    assert found.both == (1, 0, 2)
    # The short one is smaller than `a1`, and yet comes first: no run gives it both edges.
    assert [(item.match.a, item.match.b, item.both) for item in found.shown] == [
        ("a2", "b2", ()),
        ("a1", "b1", ("a", "b")),
        ("a0", "b0", ("a", "b")),
    ]
    counted = disagreements(RunFolder(tmp_path / "match"), runs, 0)
    assert (counted.pairs, counted.both, counted.shown) == (found.pairs, (1, 0, 2), ())


@pytest.mark.parametrize(
    ("edges", "both"),
    [
        ((("CASH-DIV",), ("NNCA-CASH",)), [()]),
        ((("CASH-DIV",), ("NNCA-CASH", "CASH-DIV")), [("b",)]),
        ((("NNCA-CASH", "CASH-DIV"), ("CASH-DIV",)), [("a",)]),
        # The first of the two pairs is one of which run B has both edges, the second one of which run A has both.
        ((("CASH-DIV", "CASH-REP"), ("NNCA-CASH", "CASH-DIV")), [("b",), ("a",)]),
    ],
)
@pytest.mark.parametrize("by", ["text", "span"])
def test_which_run_gives_a_passage_both_edges(
    by: By, edges: tuple[tuple[str, ...], ...], both: list[tuple[str, ...]], tmp_path: Path
) -> None:
    """The first of either run are matched, by their ids; another passage has the same edges in both runs."""
    sides = []
    for given in edges:
        said = [an_extraction(FIRST, str(n), LONG, edge, ranges=((10, 89),)) for n, edge in enumerate(given)]
        for n, edge in enumerate(("CASH-DIV", "CASH-REP", "NNCA-CASH")):
            said.append(an_extraction(FIRST, f"9{n}", AGREED, edge, ranges=((300, 348),)))
        sides.append(said)
    found = disagreements(RunFolder(tmp_path / "match"), _runs_that_say(tmp_path, *sides, by=by), 9)
    assert [(item.match.a, item.match.b, item.both) for item in found.shown] == [
        (str(n), str(n), which) for n, which in enumerate(both)
    ]
    assert found.both == tuple(sum(len(which) == number for which in both) for number in range(3))


def test_near_misses_are_shown_the_largest_first_whatever_their_edges(tmp_path: Path) -> None:
    a = [
        ("0", "Net sales rose by 12% on higher volumes in Europe.", "REV-NNCA"),
        ("1", "We do not expect that demand for our pumps in Asia will recover before June.", "REV-NNCA"),
        ("2", LONG, "NNCA-COGS"),
        ("3", "We expect to open 5 plants.", "NNCA-OPEX"),
    ]
    b = [
        ("0", "Net sales rose by 13% on higher volumes in Europe.", "NNCA-OPEX"),
        ("1", "We do expect that demand for our pumps in Asia will recover before June.", "REV-NNCA"),
        ("2", LONG, "NNCA-OPEX"),
        ("3", "We expect to open 5 plants.", "NNCA-OPEX"),
    ]
    sides = ([an_extraction(FIRST, *said) for said in side] for side in (a, b))
    runs = _runs_that_say(tmp_path, *sides)
    folder = RunFolder(tmp_path / "match")
    found = disagreements(folder, runs, 9, near_misses=True)
    # 14 of 15 tokens in order; 9 of 10 are less.
    assert [(item.match.a, item.match.differs) for item in found.shown] == [("1", ("negation",)), ("0", ("figure",))]
    assert found.pairs == disagreements(folder, runs, 9).pairs
    assert [count for _, count in found.pairs] == [1, 1]
    one = disagreements(folder, runs, 9, edges=("REV-NNCA", "REV-NNCA"), near_misses=True)
    assert [item.match.a for item in one.shown] == ["1"]
    assert [item.match.a for item in disagreements(folder, runs, 1, near_misses=True).shown] == ["1"]
