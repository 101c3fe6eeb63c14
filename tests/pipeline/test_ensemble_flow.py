"""The vote of runs on disk: figures worked out by hand, a slow recount, and what is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from extraction_builders import an_extraction, finished_run
from measured_builders import Said, run_of, two_filings
from pipeline_builders import extractions_of_run
from planted_builders import planted

from fingreat.analysis import EnsembleScore, Interval
from fingreat.errors import InputError, RunError
from fingreat.matching import match_extractions
from fingreat.pipeline.ensemble import ensemble_tables, measure_ensemble
from fingreat.pipeline.groups import group_runs
from fingreat.pipeline.side_by_side import Choice
from fingreat.runs import RunFolder, read_record_file, sole_owner
from fingreat.schema import Group, load_graph

GRAPH = load_graph()
REV, COGS, TAX, OPEX = ((*pair, ()) for pair in (("REV", "NNCA"), ("NNCA", "COGS"), ("NNCA", "TAX"), ("NNCA", "OPEX")))
SAID: dict[str, Said] = {
    "a": {0: REV, 1: COGS, 2: TAX},
    "b": {0: REV, 1: OPEX, 2: COGS, 3: OPEX},
    "c": {0: REV, 1: COGS, 2: OPEX},
    "r": {0: REV, 1: OPEX, 2: TAX, 5: ("CASH", "DIV", ())},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunFolder]:
    """Three members and a reference over two filings, the second of which has the first three sentences alone."""
    folder = tmp_path_factory.mktemp("runs")
    corpus = two_filings(folder)
    return {name: run_of(corpus, folder / name, said) for name, said in SAID.items()}


def precisions(score: EnsembleScore) -> dict[str, tuple[int, int]]:
    return {row.name: (row.precision.hits, row.precision.total) for row in score.rows}


def test_every_figure_of_three_small_runs_is_as_worked_out_by_hand(runs: dict[str, RunFolder]) -> None:
    # In both filings: 0 has one edge of all; 1 has COGS of a and c; 2 has three edges, so the ensemble abstains.
    measured = measure_ensemble([runs[name] for name in "abc"], [runs["r"]])
    assert measured.members == ("a", "b", "c")
    (score,) = measured.scores
    assert (score.reference, score.filings, score.members, score.quorum) == ("r", 2, 3, 2)
    assert (score.groups, score.decidable, score.abstained) == (6, 4, 2)
    assert (score.matched, score.abstained_matched) == (4, 2)
    # The reference quotes four sentences of the first filing and three of the second.
    assert (score.recall.hits, score.recall.total) == (4, 7)
    # It gives 1 the edge of b, which is outvoted.
    assert precisions(score) == {"ensemble": (2, 4), "a": (2, 4), "b": (4, 4), "c": (2, 4)}
    for row in score.rows:
        for cohort in row.categories:
            of_category = [edge for edge in ("REV-NNCA", "NNCA-OPEX") if GRAPH.category(edge) == cohort.name]
            right = [edge for edge in of_category if edge == "REV-NNCA" or row.name == "b"]
            assert (cohort.precision.hits, cohort.precision.total) == (2 * len(right), 2 * len(of_category))


def test_intervals_and_differences_are_of_the_same_draws(runs: dict[str, RunFolder]) -> None:
    # In either filing alone the ensemble is right on 1 of 2 and b on both, so every draw says just that.
    (score,) = measure_ensemble([runs[name] for name in "abc"], [runs["r"]], replicates=300).scores
    ensemble, a, b, _ = score.rows
    assert ensemble.precision.interval == Interval(0.5, 0.5, 300)
    assert b.precision.interval == Interval(1.0, 1.0, 300)
    assert (ensemble.difference, a.difference, b.difference) == (
        None, Interval(0.0, 0.0, 300), Interval(-0.5, -0.5, 300),
    )  # fmt: skip


def recount(members: Sequence[RunFolder], reference: RunFolder, folder: Path) -> tuple[Counter[str], int, int]:
    """Right votes of the ensemble and of each member, passages that count, and decidable ones, in the plainest way."""
    group_runs(members, folder / "groups.jsonl")
    groups = {group.id: group for _, group in read_record_file(folder / "groups.jsonl", Group)}
    medoids = [an_extraction(group.filing_id, group.id, group.quote, ranges=group.ranges) for group in groups.values()]
    right: Counter[str] = Counter()
    matched = 0
    votes = {id_: Counter(group.edges).most_common(1)[0] for id_, group in groups.items()}
    edges = {x.id: x.edge for x in extractions_of_run(reference.path)}
    for match in match_extractions(medoids, extractions_of_run(reference.path)):
        edge, number = votes[match.a]
        if 2 * number > len(members):
            matched += 1
            right["ensemble"] += edge == edges[match.b]
            right.update(member.run for member in groups[match.a].members if member.edge == edges[match.b])
    return right, matched, sum(2 * number > len(members) for _, number in votes.values())


@pytest.mark.parametrize("members", ["ab", "abc", "abcd"])
def test_figures_are_those_of_a_slow_recount(members: str, tmp_path: Path) -> None:
    filings = [f"F{number}" for number in range(8)]
    found = {
        name: finished_run(tmp_path / name, filings, planted(name, seed, filings))
        for seed, name in enumerate((*members, "r", "s"))
    }
    voters = [found[name] for name in members]
    measured = measure_ensemble(voters, [found["r"], found["s"]], replicates=50)
    torn = group_runs(voters).counts.torn
    # Two members are matched one to one.
    assert (torn > 0) == (len(members) > 2)
    notes = " ".join(ensemble_tables(measured)[0].notes)
    assert (f"{torn} more sets of quotes that are linked by matches" in notes) == (torn > 1)
    assert {score.torn for score in measured.scores} == {torn}
    assert [score.reference for score in measured.scores] == ["r", "s"]
    for score in measured.scores:
        right, matched, decidable = recount(voters, found[score.reference], tmp_path)
        assert (score.matched, score.decidable) == (matched, decidable)
        assert matched > 0
        assert precisions(score) == {name: (right[name], matched) for name in ("ensemble", *members)}
        alone = measure_ensemble(voters, [found[score.reference]], replicates=50)
        assert alone.scores == (score,)


def test_the_order_in_which_runs_have_their_filings_plays_no_part(tmp_path: Path) -> None:
    filings = [f"F{number}" for number in range(12)]
    said = {name: planted(name, seed, filings) for seed, name in enumerate("abcr")}
    found = []
    for order in (filings, filings[::-1], filings[5:] + filings[:5]):
        runs = [finished_run(tmp_path / order[0] / name, order, said[name]) for name in "abcr"]
        found.append(measure_ensemble(runs[:3], runs[3:], replicates=50).scores)
    assert found[0] == found[1] == found[2]
    assert all(row.precision.interval for row in found[0][0].rows)


def test_a_member_that_is_named_as_the_vote_is_told_from_it(tmp_path: Path) -> None:
    runs = [
        finished_run(tmp_path / name, ["F"], planted(name, seed, ["F"])) for seed, name in enumerate(("a", "ensemble"))
    ]
    reference = finished_run(tmp_path / "r", ["F"], planted("r", 3, ["F"]))
    measured = measure_ensemble(runs, [reference], replicates=10)
    assert measured.members == ("a", "ensemble (2)")
    assert [row.name for row in measured.scores[0].rows] == ["ensemble", "a", "ensemble (2)"]


def test_runs_that_share_ids_may_be_members(tmp_path: Path) -> None:
    # Two runs that asked the same and were answered in another order: the medoid of both passages is `1`, of a and b.
    quotes = "Sales of pumps rose by 12% in Europe.", "Dividends of $0.40 per share were paid in May."
    edges = "REV-NNCA", "CASH-DIV"
    rows = [(quote, edge, ((at, at + 40),)) for quote, edge, at in zip(quotes, edges, (0, 100), strict=True)]
    runs = [
        finished_run(
            tmp_path / name,
            ["F"],
            [
                an_extraction("F", str(n), quote, edge, ranges=ranges)
                for n, (quote, edge, ranges) in enumerate(order, 1)
            ],
        )
        for name, order in (("a", rows), ("b", rows[::-1]), ("r", rows))
    ]
    group_runs(runs[:2], tmp_path / "groups.jsonl")
    assert [group.medoid for _, group in read_record_file(tmp_path / "groups.jsonl", Group)] == ["1", "1"]
    (score,) = measure_ensemble(runs[:2], runs[2:]).scores
    assert precisions(score) == {"ensemble": (2, 2), "a": (2, 2), "b": (2, 2)}


def test_whoever_watches_is_told_and_nobody_changes_a_run_meanwhile(runs: dict[str, RunFolder]) -> None:
    told = []

    def change(done: int, total: int) -> None:
        told.append((done, total))
        for run in runs.values():
            with pytest.raises(RunError), sole_owner(run.path):
                pass

    measure_ensemble([runs[name] for name in "abc"], [runs["r"]], watch=change)
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_one_filing_has_no_intervals_and_no_extractions_have_no_shares(tmp_path: Path) -> None:
    one = [finished_run(tmp_path / "one" / name, ["F"], planted(name, n, ["F"])) for n, name in enumerate("abr")]
    (score,) = measure_ensemble(one[:2], one[2:]).scores
    assert {row.precision.interval for row in score.rows} | {row.difference for row in score.rows} == {None}
    none = [finished_run(tmp_path / "none" / name, ["F", "G"]) for name in "abr"]
    measured = measure_ensemble(none[:2], none[2:])
    (score,) = measured.scores
    assert (score.groups, score.recall.value) == (0, None)
    assert precisions(score) == {"ensemble": (0, 0), "a": (0, 0), "b": (0, 0)}
    tables = ensemble_tables(measured)
    assert [table.notes[0] for table in tables] == ["Over 2 filings."] * 2
    assert all("0/0 has no value" in table.all_notes[-1] for table in tables)


@pytest.mark.parametrize(
    ("members", "references", "words"),
    [
        ("", "r", "there is no run to measure"),
        ("a", "r", "an ensemble takes at least two members"),
        ("abc", "", "is measured against a reference"),
        ("abc", "a", "is a member of the ensemble"),
        ("abc", "ra", "is a member of the ensemble"),
        ("aba", "r", "is named twice"),
        ("abc", "rr", "is named twice"),
    ],
)
def test_what_cannot_vote_is_refused(members: str, references: str, words: str, runs: dict[str, RunFolder]) -> None:
    sides = ([runs[name] for name in names] for names in (members, references))
    with pytest.raises(InputError, match=words):
        measure_ensemble(*sides)


@pytest.mark.parametrize(
    ("option", "words"), [({"replicates": 0}, "0 replicates"), ({"grouping": "none"}, "has no grouping 'none'")]
)
def test_settings_that_make_no_sense_are_refused(
    option: dict[str, object], words: str, runs: dict[str, RunFolder]
) -> None:
    with pytest.raises(InputError, match=words):
        measure_ensemble([runs["a"], runs["b"]], [runs["r"]], **option)  # type: ignore[arg-type]


def test_references_that_read_other_filings_are_refused_or_compared_on_the_common_ones(tmp_path: Path) -> None:
    members = [
        finished_run(tmp_path / name, ["F0", "F1"], planted(name, seed, ["F0", "F1"])) for seed, name in enumerate("ab")
    ]
    reference = finished_run(tmp_path / "r", ["F1", "F2"], planted("r", 1, ["F1", "F2"]))
    with pytest.raises(InputError, match="has not read 1 of the 3 filings"):
        measure_ensemble(members, [reference])
    measured = measure_ensemble(members, [reference], choice=Choice(common=True))
    assert (measured.scope.filings, measured.scope.left_out) == (("F1",), 2)
    assert measured.scores[0].recall.total == sum(x.filing_id == "F1" for x in extractions_of_run(reference.path))
