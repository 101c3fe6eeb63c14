"""Groups counted by size and by how their members vote, worked by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fingreat.analysis import GroupsOfSize, GroupTally
from fingreat.errors import InputError
from fingreat.schema import Group, Member

RUNS = ("A", "B", "C", "D", "E")


def group(runs: str, edges: str) -> Group:
    """A group with one member of each run, with one letter for its edge."""
    return Group(
        id=f"grp-{runs}-{edges}",
        filing_id="f",
        members=tuple(Member(run=run, id=f"x{run}", edge=edge) for run, edge in zip(runs, edges, strict=True)),
        medoid=f"x{runs[0]}",
        quote="q",
        ranges=(),
    )


def test_a_worked_example_of_five_runs() -> None:
    tally = GroupTally(RUNS, least=2)
    tally.add(
        [
            group("ABCDE", "KKKKK"),  # unanimous
            group("ABCDE", "KLKLK"),  # 3 of 5: a majority
            group("ABCDE", "KKLLM"),  # 2, 2 and 1: split
            group("ABCD", "KKKL"),  # 3 of 4: a majority
            group("ABCD", "KKLL"),  # exactly half is none
            group("CE", "KK"),  # unanimous
            group("AE", "KK"),  # unanimous
        ],
        torn=2,
    )
    tally.add([], torn=1)
    tally.add([group("DE", "KL"), group("ABE", "KLM")], torn=0)
    found = tally.counts()
    assert (found.runs, found.filings, found.torn) == (RUNS, 3, 3)
    assert found.sizes == (
        GroupsOfSize(2, groups=3, unanimous=2, majority=0, split=1),
        GroupsOfSize(3, groups=1, unanimous=0, majority=0, split=1),
        GroupsOfSize(4, groups=2, unanimous=0, majority=1, split=1),
        GroupsOfSize(5, groups=3, unanimous=1, majority=1, split=1),
    )
    assert (found.groups, found.unanimous, found.majority, found.split) == (9, 3, 2, 4)
    # All are in the three of five. Then A: two of four, AE, ABE; B: two of four, ABE; C: two of four, CE; D: two of
    # four, DE; E: CE, AE, DE, ABE.
    assert found.in_groups == {"A": 7, "B": 6, "C": 6, "D": 6, "E": 7}


def test_runs_and_sizes_without_groups_are_there_with_zeros() -> None:
    found = GroupTally(("B", "A", "C"), least=3).counts()
    assert found.sizes == (GroupsOfSize(3, 0, 0, 0, 0),)
    assert found.in_groups == {"B": 0, "A": 0, "C": 0}
    assert list(found.in_groups) == ["B", "A", "C"]
    assert (found.filings, found.groups, found.torn) == (0, 0, 0)


@pytest.mark.parametrize(
    ("runs", "least", "words"),
    [
        (("A", "B", "A"), 2, "Run A is named twice"),
        (("A", "B"), 1, "Groups of at least 1 runs cannot be made of 2 runs"),
        (("A", "B"), 3, "Groups of at least 3 runs cannot be made of 2 runs"),
        ((), 2, "cannot be made of 0 runs"),
    ],
)
def test_runs_and_sizes_that_make_no_groups_are_refused(runs: Sequence[str], least: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        GroupTally(runs, least=least)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (group("AB", "KK"), "group grp-AB-KK: has 2 members, not at least 3"),
        (group("ABF", "KKK"), "has members of A, B, F, not at most one of each of A, B, C, D, E"),
        (group("ABA", "KKK"), "has members of A, B, A, not at most one"),
    ],
)
def test_groups_of_other_runs_are_refused_and_nothing_of_the_filing_counts(wrong: Group, words: str) -> None:
    tally = GroupTally(RUNS, least=3)
    with pytest.raises(InputError, match=words):
        tally.add([group("ABC", "KKK"), wrong], torn=1)
    assert tally.counts() == GroupTally(RUNS, least=3).counts()
