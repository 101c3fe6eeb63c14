"""Groups over runs on disk: worked out by hand, found again slowly, and written into a file that is whole."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest
from extraction_builders import an_extraction, finished_run
from measured_builders import FIRST, SECOND, SENTENCES, A, B, Said, run_of, two_filings
from pipeline_builders import extractions_of_run
from planted_builders import planted

from fingreat.analysis import GroupsOfSize
from fingreat.errors import InputError, RunError, StorageError
from fingreat.matching import match_extractions
from fingreat.pipeline.groups import group_runs
from fingreat.pipeline.side_by_side import Choice
from fingreat.runs import RunFolder, read_record_file, sole_owner
from fingreat.schema import Group

C: Said = {0: ("REV", "NNCA", ()), 1: ("NNCA", "COGS", ()), 5: ("CASH", "DIV", ())}


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> list[RunFolder]:
    """The runs `a`, `b` and `c` over two filings."""
    folder = tmp_path_factory.mktemp("three")
    corpus = two_filings(folder)
    return [run_of(corpus, folder / name, said) for name, said in (("a", A), ("b", B), ("c", C))]


def read(path: Path) -> list[Group]:
    return [group for _, group in read_record_file(path, Group)]


def test_groups_of_three_small_runs_are_as_worked_out_by_hand(three: list[RunFolder], tmp_path: Path) -> None:
    # Sentences 0 and 1 are quoted by all, in both filings; 5 by b and c, in the first; 2 by a alone.
    found = group_runs(three, tmp_path / "groups.jsonl", least=2)
    counts = found.counts
    assert (found.least, counts.runs, counts.filings, counts.torn) == (2, ("a", "b", "c"), 2, 0)
    assert counts.sizes == (
        GroupsOfSize(size=2, groups=1, unanimous=1, majority=0, split=0),
        GroupsOfSize(size=3, groups=4, unanimous=2, majority=2, split=0),
    )
    assert dict(counts.in_groups) == {"a": 4, "b": 5, "c": 5}
    groups = read(tmp_path / "groups.jsonl")
    assert [(group.filing_id, SENTENCES.index(group.quote), group.edges) for group in groups] == [
        (FIRST, 0, ("REV-NNCA",) * 3),
        (FIRST, 1, ("NNCA-COGS", "NNCA-OPEX", "NNCA-COGS")),
        (FIRST, 5, ("CASH-DIV",) * 2),
        (SECOND, 0, ("REV-NNCA",) * 3),
        (SECOND, 1, ("NNCA-COGS", "NNCA-OPEX", "NNCA-COGS")),
    ]
    assert [member.run for member in groups[2].members] == ["b", "c"]
    quotes = {run.path.name: {x.id: x.quote for x in extractions_of_run(run.path)} for run in three}
    for group in groups:
        assert {quotes[member.run][member.id] for member in group.members} == {group.quote}


def test_all_runs_are_the_least_unless_another_number_is_named(three: list[RunFolder], tmp_path: Path) -> None:
    found = group_runs(three, tmp_path / "groups.jsonl")
    assert (found.least, found.counts.groups) == (3, 4)
    assert [len(group.members) for group in read(tmp_path / "groups.jsonl")] == [3] * 4
    assert group_runs(three, least=3) == found


def test_what_is_linked_and_no_group_is_counted(tmp_path: Path) -> None:
    # a and c each lie in b (8 of its 10 words: 0.98); of each other they share 6 of 8 words, 0.75.
    words = [*"ABCDEFGHIJ"]
    quotes = {"a": " ".join(words[:8]), "b": " ".join(words), "c": " ".join(words[2:])}
    runs = [finished_run(tmp_path / name, ["F"], [an_extraction("F", name, quote)]) for name, quote in quotes.items()]
    for least in (2, 3):
        counts = group_runs(runs, least=least).counts
        assert (counts.groups, counts.torn) == (0, 1)
    assert group_runs(runs[:2]).counts.groups == 1


def slowly(runs: Sequence[RunFolder], least: int) -> tuple[set[frozenset[tuple[str, str]]], int]:
    """Groups as sets of (run, id), and the number of torn ones, by walking from match to match."""
    extractions = {run.path.name: extractions_of_run(run.path) for run in runs}
    near: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for a, b in combinations(extractions, 2):
        for match in match_extractions(extractions[a], extractions[b]):
            near.setdefault((a, match.a), set()).add((b, match.b))
            near.setdefault((b, match.b), set()).add((a, match.a))
    groups, torn, seen = set(), 0, set()
    for start in near:
        reached, last = {start}, {start}
        while last:
            last = {other for node in last for other in near[node]} - reached
            reached |= last
        if start in seen or len({run for run, _ in reached}) < least:
            continue
        seen |= reached
        one_each = len({run for run, _ in reached}) == len(reached)
        if one_each and all(other in near[node] for node, other in combinations(reached, 2)):
            groups.add(frozenset(reached))
        else:
            torn += 1
    return groups, torn


@pytest.mark.parametrize("least", [2, 3, 4])
def test_groups_are_those_that_a_slow_walk_finds(least: int, tmp_path: Path) -> None:
    filings = [f"F{number}" for number in range(4)]
    runs = [finished_run(tmp_path / name, filings, planted(name, seed, filings)) for seed, name in enumerate("abcd")]
    found = group_runs(runs, tmp_path / "groups.jsonl", least=least)
    groups, torn = slowly(runs, least)
    written = read(tmp_path / "groups.jsonl")
    assert {frozenset((member.run, member.id) for member in group.members) for group in written} == groups
    assert len(written) == len(groups) == found.counts.groups > 0
    assert found.counts.torn == torn
    assert [row.groups for row in found.counts.sizes] == [
        Counter(map(len, groups))[size] for size in range(least, len(runs) + 1)
    ]
    assert [group.filing_id for group in written] == sorted(group.filing_id for group in written)


def test_a_file_that_is_there_is_replaced_as_a_whole_or_stays(three: list[RunFolder], tmp_path: Path) -> None:
    out = tmp_path / "new" / "groups.jsonl"
    group_runs(three, out)
    whole = out.read_bytes()
    old = whole.split(b"\n")[0]
    out.write_bytes(old)

    def stop(done: int, total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        group_runs(three, out, watch=stop)
    assert out.read_bytes() == old
    assert [path.name for path in out.parent.iterdir()] == ["groups.jsonl"]
    # What a killed call left goes too.
    (out.parent / ".groups.jsonl.abcd1234.part").touch()
    group_runs(three, out)
    assert out.read_bytes() == whole
    assert [path.name for path in out.parent.iterdir()] == ["groups.jsonl"]


def test_without_a_file_nothing_is_written(
    three: list[RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert group_runs(three).counts.groups == 4
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name",
    [
        *("runs", "runs/a", "runs/a/manifest.json", "runs/b/extractions/part-00000.jsonl", "runs/link"),
        *("runs/a/new.jsonl", "runs/a/extractions/part-00007.jsonl", "runs/b/new/folder/groups.jsonl"),
    ],
)
def test_a_folder_or_a_file_of_a_run_is_never_replaced_and_none_is_added(
    name: str, three: list[RunFolder], tmp_path: Path
) -> None:
    for run in three:
        shutil.copytree(run.path, tmp_path / "runs" / run.path.name)
    runs = [RunFolder(tmp_path / "runs" / run.path.name) for run in three]
    (tmp_path / "runs" / "link").symlink_to(tmp_path / "runs" / "a" / "manifest.json")
    with pytest.raises(
        InputError, match=r"is no regular file|lies in .*, which holds a run, a match or a corpus"
    ) as caught:
        group_runs(runs, tmp_path / name)
    assert caught.value.where == str(tmp_path / name)
    assert [run.verify() for run in runs] == [[], [], []]
    assert not (tmp_path / "runs" / "b" / "new").exists()


@pytest.mark.parametrize("name", ["sections/7/text/F1.md", "raw/F1/a/b.txt", "new.jsonl"])
def test_nothing_of_a_corpus_is_ever_replaced_and_nothing_is_added(
    name: str, three: list[RunFolder], tmp_path: Path
) -> None:
    corpus = two_filings(tmp_path)
    text = corpus.path / name
    if name != "new.jsonl":
        text.parent.mkdir(parents=True, exist_ok=True)
        text.write_text("")
    before = {path: path.read_bytes() for path in corpus.path.rglob("*") if path.is_file()}
    with pytest.raises(InputError, match="which holds a run, a match or a corpus"):
        group_runs(three, text)
    assert {path: path.read_bytes() for path in corpus.path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("content", ["notes", "{}\n", '{"id": "grp"}\n', "\n", "\0" * 100])
def test_a_file_of_something_else_is_not_replaced(content: str, three: list[RunFolder], tmp_path: Path) -> None:
    out = tmp_path / "notes.txt"
    out.write_text(content)
    with pytest.raises(InputError, match=r"holds something else than groups. Choose another --out"):
        group_runs(three, out)
    assert out.read_text() == content


def test_a_refused_write_leaves_the_old_file(
    three: list[RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "groups.jsonl"
    group_runs(three[:2], out)
    old = out.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StorageError, match="the disk is full"):
        group_runs(three, out)
    assert out.read_bytes() == old
    assert [path.name for path in tmp_path.iterdir()] == ["groups.jsonl"]


@pytest.mark.parametrize("least", [-1, 0, 1, 4])
def test_a_least_that_no_group_can_have_is_refused(least: int, three: list[RunFolder], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"must be from 2 to 3 for 3 runs, not {least}") as caught:
        group_runs(three, tmp_path / "groups.jsonl", least=least)
    assert caught.value.where == "--least"
    assert not (tmp_path / "groups.jsonl").exists()


def test_runs_that_cannot_be_grouped_are_refused(three: list[RunFolder], tmp_path: Path) -> None:
    for few in ([], three[:1]):
        with pytest.raises(InputError, match="a group takes at least two runs"):
            group_runs(few)
    with pytest.raises(InputError, match="is named twice"):
        group_runs([*three, three[0]])
    other = finished_run(tmp_path / "other", ["F"])
    with pytest.raises(InputError, match="has not read"):
        group_runs([*three, other], tmp_path / "groups.jsonl")
    with sole_owner(three[2].path), pytest.raises(RunError):
        group_runs(three, tmp_path / "groups.jsonl")
    assert not (tmp_path / "groups.jsonl").exists()


def test_runs_without_extractions_make_an_empty_file(tmp_path: Path) -> None:
    runs = [finished_run(tmp_path / name, ["F0", "F1"]) for name in "ab"]
    found = group_runs(runs, tmp_path / "groups.jsonl")
    assert (found.counts.groups, found.counts.filings, found.counts.torn) == (0, 2, 0)
    assert (tmp_path / "groups.jsonl").read_bytes() == b""


def test_filings_that_only_some_read_are_left_out_and_said(tmp_path: Path) -> None:
    small = finished_run(tmp_path / "small", ["F1"], planted("s", 1, ["F1"]))
    grown = finished_run(tmp_path / "grown", ["F0", "F1"], planted("g", 1, ["F0", "F1"]))
    found = group_runs((small, grown), tmp_path / "groups.jsonl", choice=Choice(common=True))
    left = sum(one.filing_id == "F0" for one in extractions_of_run(grown.path))
    assert (found.scope.filings, found.scope.left_out, found.scope.left_out_extractions) == (("F1",), 1, left)
    assert {group.filing_id for group in read(tmp_path / "groups.jsonl")} == {"F1"}
    assert found.scope.sentence == (
        f"Over 1 filing that every run read; left out: 1 filing that only some read, with {left} extractions."
    )
