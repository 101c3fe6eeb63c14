"""Groups across runs: cliques that stand alone, their medoid, the same whatever the order."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from match_builders import crowded_sides, ex

from fingreat.errors import InputError
from fingreat.matching import FilingMatcher, Grouped, group_matches
from fingreat.schema import Extraction, Match

Node = tuple[str, str]
Runs = Mapping[str, Sequence[Extraction]]
Matches = dict[tuple[str, str], list[Match]]


def joined(a: Extraction, b: Extraction, overlap: float = 1.0, **changes: Any) -> Match:
    values: dict[str, Any] = {
        "filing_id": a.filing_id, "a": a.id, "b": b.id, "edge_a": a.edge, "edge_b": b.edge, "overlap": overlap,
        "decided_by": "order", "equal": 0, "containment": 0, "fragments": 0, "order": overlap, "span": None,
        "figures": "none", "differs": (),
    }  # fmt: skip
    return Match(**{**values, **changes})


def matched(runs: Runs, links: Mapping[tuple[Node, Node], float]) -> Matches:
    """The matches of every two runs, with these overlaps."""
    of = {(run, x.id): x for run, extractions in runs.items() for x in extractions}
    matches: Matches = {pair: [] for pair in combinations(runs, 2)}
    for (a, b), overlap in links.items():
        first, second = (a, b) if (a[0], b[0]) in matches else (b, a)
        matches[first[0], second[0]].append(joined(of[first], of[second], overlap))
    return matches


def real_matches(runs: Runs) -> Matches:
    """The matches that the quotes of the runs have."""
    matcher = FilingMatcher("f", [x for extractions in runs.values() for x in extractions])
    return {(a, b): matcher.candidates(runs[a], runs[b]).matches() for a, b in combinations(runs, 2)}


def members(grouped: Grouped) -> list[list[Node]]:
    return [[(member.run, member.id) for member in group.members] for group in grouped.groups]


def test_a_group_has_every_two_members_matched_and_each_run_once() -> None:
    a, b, c = [ex(f"a{n}", "q", place=n) for n in range(4)], [ex(f"b{n}", "q") for n in range(5)], [ex("c0", "q")]
    runs = {"A": a, "B": b, "C": [*c, ex("c2", "q"), ex("c3", "q")]}
    links = {
        # All three pairs of a0, b0 and c0.
        (("A", "a0"), ("B", "b0")): 0.9,
        (("A", "a0"), ("C", "c0")): 0.9,
        (("B", "b0"), ("C", "c0")): 0.9,
        # Two runs alone.
        (("A", "a1"), ("B", "b1")): 0.9,
        # A chain: a2 and c2 are not matched.
        (("A", "a2"), ("B", "b2")): 0.9,
        (("B", "b2"), ("C", "c2")): 0.9,
        # c3 joins b3 with a3, which is matched with b4: run B is there twice.
        (("A", "a3"), ("B", "b4")): 0.9,
        (("A", "a3"), ("C", "c3")): 0.9,
        (("B", "b3"), ("C", "c3")): 0.9,
    }
    found = group_matches("f", runs, matched(runs, links), least=2)
    assert members(found) == [[("A", "a0"), ("B", "b0"), ("C", "c0")], [("A", "a1"), ("B", "b1")]]
    assert found.torn == 2
    # With three runs at least the pair is no group, and not torn either.
    found = group_matches("f", runs, matched(runs, links), least=3)
    assert members(found) == [[("A", "a0"), ("B", "b0"), ("C", "c0")]]
    assert found.torn == 2


def test_a_torn_component_of_too_few_runs_is_not_counted() -> None:
    # Two runs cannot tear a one-to-one matching; three can: a0 - b0 - c0 without a0 - c0, of three runs.
    runs = {"A": [ex("a0", "q")], "B": [ex("b0", "q")], "C": [ex("c0", "q")], "D": []}
    links = {(("A", "a0"), ("B", "b0")): 0.9, (("B", "b0"), ("C", "c0")): 0.9}
    assert [group_matches("f", runs, matched(runs, links), least=least).torn for least in (2, 3, 4)] == [1, 1, 0]


def test_runs_may_have_the_same_ids() -> None:
    runs = {run: [ex("x", "first", "E", 0), ex("y", "second", "F", 100)] for run in ("A", "B")}
    # x of A with y of B, y of A with x of B: no id says which.
    links = {(("A", "x"), ("B", "y")): 0.9, (("A", "y"), ("B", "x")): 0.8}
    found = group_matches("f", runs, matched(runs, links), least=2)
    assert members(found) == [[("A", "x"), ("B", "y")], [("A", "y"), ("B", "x")]]
    assert [group.edges for group in found.groups] == [("E", "F"), ("F", "E")]
    # "first" is the shorter in both: of A in the one group, of B in the other.
    assert [group.quote for group in found.groups] == ["first", "first"]
    assert [x.id for x in found.medoids] == [group.id for group in found.groups]
    assert found.medoids == tuple(
        runs[run][0].model_copy(update={"id": group.id}) for run, group in zip("AB", found.groups, strict=True)
    )
    assert len({group.id for group in found.groups}) == 2


def medoid(quotes: Mapping[str, Extraction], overlaps: Mapping[str, float]) -> str:
    """The medoid of one group with an extraction of each run; overlaps under the names of two runs."""
    runs = {run: [x] for run, x in quotes.items()}
    links = {((a, quotes[a].id), (b, quotes[b].id)): value for (a, b), value in overlaps.items()}
    found = group_matches("f", runs, matched(runs, links), least=len(runs))
    (group,), (one,) = found.groups, found.medoids
    assert (group.id, group.quote, group.ranges) == (one.id, one.quote, one.ranges)
    return group.medoid


def test_the_medoid_has_the_highest_mean_overlap() -> None:
    quotes = {"A": ex("a", "x"), "B": ex("b", "a longer quote"), "C": ex("c", "x")}
    # Means: A (0.9 + 0.8) / 2 = 0.85, B (0.9 + 1) / 2 = 0.95, C (0.8 + 1) / 2 = 0.9.
    assert medoid(quotes, {"AB": 0.9, "AC": 0.8, "BC": 1.0}) == "b"
    # Now C has (0.9 + 1) / 2 and B (0.8 + 1) / 2.
    assert medoid(quotes, {"AB": 0.8, "AC": 0.9, "BC": 1.0}) == "c"


def test_equal_means_go_to_the_shorter_then_the_earlier_then_the_id() -> None:
    # Of two members both have the same mean.
    assert medoid({"A": ex("a", "abcd", place=5), "B": ex("b", "abc", place=9)}, {"AB": 0.9}) == "b"
    # Shorter is counted in code points: three wide ones are less than four narrow ones.
    assert medoid({"A": ex("a", "abcd", place=5), "B": ex("b", "千二百", place=9)}, {"AB": 0.9}) == "b"
    assert medoid({"A": ex("a", "abc", place=9), "B": ex("b", "abd", place=5)}, {"AB": 0.9}) == "b"
    # What stands nowhere comes last.
    assert medoid({"A": ex("a", "abc"), "B": ex("b", "abd", place=99)}, {"AB": 0.9}) == "b"
    assert medoid({"A": ex("b2", "abc", place=5), "B": ex("b1", "abd", place=5)}, {"AB": 0.9}) == "b1"


def test_sums_of_fractions_that_are_equal_tie_though_their_floats_differ() -> None:
    # A: 19/20 + 19/20 + 19/20 = 57/20; B: 19/20 + 1 + 18/20 = 57/20; C: 19/20 + 1 + 16/20; D: 19/20 + 18/20 + 16/20.
    overlaps = {"AB": 0.95, "AC": 0.95, "AD": 0.95, "BC": 1.0, "BD": 0.9, "CD": 0.8}
    assert 0.95 + 0.95 + 0.95 < 0.95 + 1.0 + 0.9, "the case shows nothing where floats do not differ"
    quotes = {run: ex(run.lower(), "q" * length) for run, length in zip("ABCD", (3, 4, 1, 1), strict=True)}
    assert medoid(quotes, overlaps) == "a"
    assert medoid({**quotes, "A": ex("a", "q" * 5)}, overlaps) == "b"


def test_the_medoid_is_that_of_exact_arithmetic() -> None:
    draw = random.Random(7)
    ties = 0
    for _ in range(1500):
        names = "ABCDE"[: draw.randint(2, 5)]
        # Overlaps as quotes of these lengths have them; few values, so that many means are equal.
        lengths = draw.choice([(5,), (20,), (12, 9, 7), (30, 31, 32, 33)])
        values = [Fraction(n - k, n) for n in lengths for k in range(n // 5 + 1)]
        exact = {pair: draw.choice(values) for pair in map("".join, combinations(names, 2))}
        quotes = {
            run: ex(f"{draw.randrange(9)}{run}", "q" * draw.randint(1, 3), place=draw.choice([None, 0, 10]))
            for run in names
        }
        means = {
            run: sum((value for pair, value in exact.items() if run in pair), start=Fraction(0)) / (len(names) - 1)
            for run in names
        }
        best = [run for run in names if means[run] == max(means.values())]
        ties += len(best) > 1 and len(names) > 2

        def rank(run: str, quotes: Mapping[str, Extraction] = quotes) -> tuple[int, bool, int, str]:
            x = quotes[run]
            return len(x.quote), not x.ranges, x.ranges[0][0] if x.ranges else 0, x.id

        expected = quotes[min(best, key=rank)].id
        assert medoid(quotes, {pair: float(value) for pair, value in exact.items()}) == expected
    assert ties > 200, "cases without ties hold nothing about them"


def drawn(seed: int) -> tuple[Runs, Matches, set[frozenset[Node]]]:
    """A few runs that quote a few passages, most of them matched as they should be; also the pairs that are."""
    draw = random.Random(seed)
    names = "ABCD"[: draw.randint(2, 4)]
    passages = draw.randint(1, 4)
    faithful = draw.choice([1.0, 0.9, 0.6])
    runs = {
        run: [ex(f"x{n}", "q" * draw.randint(1, 4), place=draw.choice([None, 0, 10])) for n in range(passages)]
        for run in names
    }
    for extractions in runs.values():
        draw.shuffle(extractions)
        del extractions[draw.randint(1, 4) :]
    links: dict[tuple[Node, Node], float] = {}
    for a, b in combinations(names, 2):
        free = [x.id for x in runs[b]]
        for x in runs[a]:
            partner = x.id if draw.random() < faithful else draw.choice(["none", *free])
            if partner in free:
                free.remove(partner)
                links[(a, x.id), (b, partner)] = draw.choice([0.8, 0.85, 0.9, 1.0])
    return runs, matched(runs, links), {frozenset(pair) for pair in links}


def slow_groups(runs: Runs, pairs: set[frozenset[Node]], least: int) -> tuple[set[frozenset[Node]], int]:
    """Every choice of one extraction at most of each run that is a clique and has no match outside; torn ones."""
    found = set()
    nodes = [(run, x.id) for run, extractions in runs.items() for x in extractions]
    for choice in product(*([None, *((run, x.id) for x in extractions)] for run, extractions in runs.items())):
        chosen = frozenset(node for node in choice if node)
        if (
            len(chosen) >= least
            and all(frozenset(pair) in pairs for pair in combinations(chosen, 2))
            and not any(len(pair & chosen) == 1 for pair in pairs)
        ):
            found.add(chosen)
    components = [{node} for node in nodes]
    for pair in pairs:
        touched = [component for component in components if component & pair]
        components = [component for component in components if not component & pair] + [set().union(*touched)]
    wide = [component for component in components if len({run for run, _ in component}) >= least]
    return found, len(wide) - len(found)


def test_groups_are_all_cliques_that_stand_alone() -> None:
    n_groups = n_torn = 0
    for seed in range(2500):
        runs, matches, pairs = drawn(seed)
        for least in range(2, len(runs) + 1):
            found = group_matches("f", runs, matches, least=least)
            expected, torn = slow_groups(runs, pairs, least)
            assert ({frozenset(group) for group in members(found)}, found.torn) == (expected, torn), (seed, least)
            assert len(found.groups) == len(expected)
            n_groups += len(expected)
            n_torn += torn
    assert n_groups > 2000, n_groups
    assert n_torn > 500, n_torn


def crowded_runs(seed: int) -> dict[str, list[Extraction]]:
    """Four runs that quote a few passages, whole, cut or altered."""
    a, b = crowded_sides(seed)
    return {"A": a, "B": b, "C": b[::2], "D": a[1:] + [x.model_copy(update={"edge": "F"}) for x in b[:1]]}


@given(seed=st.integers(0, 10_000), data=st.data())
def test_the_order_plays_no_part_but_for_the_members(seed: int, data: st.DataObject) -> None:
    runs = crowded_runs(seed)
    found = group_matches("f", runs, matches := real_matches(runs), least=2)
    other_runs = {run: data.draw(st.permutations(runs[run])) for run in data.draw(st.permutations(list(runs)))}
    other: Matches = {}
    for a, b in combinations(other_runs, 2):
        straight = matches.get((a, b))
        turned = [
            m.model_copy(update={"a": m.b, "b": m.a, "edge_a": m.edge_b, "edge_b": m.edge_a})
            for m in matches.get((b, a), ())
        ]
        other[a, b] = list(data.draw(st.permutations(straight if straight is not None else turned)))
    again = group_matches("f", other_runs, other, least=2)
    assert (again.torn, again.medoids) == (found.torn, found.medoids)
    for group, same in zip(found.groups, again.groups, strict=True):
        in_order = sorted(group.members, key=lambda member: list(other_runs).index(member.run))
        assert same == group.model_copy(update={"members": tuple(in_order)})


@given(seed=st.integers(0, 10_000), least=st.integers(2, 4))
def test_every_two_members_are_matched_and_no_extraction_is_in_two_groups(seed: int, least: int) -> None:
    runs = crowded_runs(seed)
    matches = real_matches(runs)
    found = group_matches("f", runs, matches, least=least)
    pairs = {(pair[0], m.a, pair[1], m.b): m.overlap for pair, ms in matches.items() for m in ms}
    edges = {(run, x.id): x.edge for run, extractions in runs.items() for x in extractions}
    nodes = [node for group in members(found) for node in group]
    assert len(set(nodes)) == len(nodes)
    for group in found.groups:
        names = [member.run for member in group.members]
        assert names == sorted(set(names))
        assert len(names) >= least
        assert all((a.run, a.id, b.run, b.id) in pairs for a, b in combinations(group.members, 2))
        assert all(member.edge == edges[member.run, member.id] for member in group.members)
        assert group.medoid in {member.id for member in group.members}
    begins = [min((start for start, _ in group.ranges), default=10**9) for group in found.groups]
    assert begins == sorted(begins)


def test_a_passage_that_five_runs_quote_in_their_own_way_is_one_group() -> None:
    sales = "Net sales rose 12% to $184.2 million, because we shipped more balances and raised list prices in January."
    paid = "We paid dividends of $0.48 per share, or $9.1 million, in each quarter of the fiscal year."
    ways = [
        sales,
        sales.replace(" ", "\u00a0"),
        sales.upper(),
        sales + " Sales of probes were flat.",
        sales.removesuffix(" in January.") + " in January",
    ]
    runs = {
        f"r{n}": [ex(f"s{n}", way, place=0), *([ex(f"d{n}", paid, place=300)] if n < 3 else [])]
        for n, way in enumerate(ways)
    }
    found = group_matches("f", runs, real_matches(runs), least=2)
    assert members(found) == [[(f"r{n}", f"s{n}") for n in range(5)], [(f"r{n}", f"d{n}") for n in range(3)]]
    # All but the one with a sentence more have the same tokens, so the same means; the shortest of them has no stop.
    assert found.groups[0].quote == ways[4]
    assert found.torn == 0


@pytest.mark.parametrize("least", [-1, 0, 1, 4])
def test_a_least_number_that_no_group_can_have_is_refused(least: int) -> None:
    runs: Runs = {"A": [], "B": [], "C": []}
    with pytest.raises(InputError, match=f"Groups of at least {least} runs cannot be made of 3 runs"):
        group_matches("f", runs, matched(runs, {}), least=least)


A, B = [ex("a1", "q", "E"), ex("a2", "q", "F")], [ex("b1", "q", "E"), ex("b2", "q", "F")]
PAIR = ("A", "B")


@pytest.mark.parametrize(
    ("runs", "matches", "words"),
    [
        ({"A": A, "B": B}, {}, "the matches of A and B are missing"),
        ({"A": A, "B": B}, {PAIR: [], ("B", "A"): []}, "matches of B and A, which are no two of the runs in"),
        ({"A": A, "B": B}, {PAIR: [], ("A", "C"): []}, "matches of A and C, which are no two of the runs in"),
        ({"A": [*A, A[0]], "B": B}, {PAIR: []}, "run A: extraction a1 is there twice"),
        ({"A": A, "B": [ex("b", "q", filing="g")]}, {PAIR: []}, "run B: extraction b is of filing g, not f"),
        ({"A": A, "B": B}, {PAIR: [joined(A[0], ex("b9", "q"))]}, "match a1 – b9: names b9, which run B does not have"),
        ({"A": A, "B": B}, {PAIR: [joined(B[0], A[0])]}, "names b1, which run A does not have"),
        ({"A": A, "B": B}, {PAIR: [joined(A[0], B[0], filing_id="g")]}, "match a1 – b1: is of filing g, not f"),
        ({"A": A, "B": B}, {PAIR: [joined(A[0], B[0], edge_b="X")]}, "gives b1 another edge than run B does"),
        ({"A": A, "B": B}, {PAIR: [joined(A[0], B[0]), joined(A[0], B[1])]}, "a1 – b2: uses a1 of run A a second time"),
        ({"A": A, "B": B}, {PAIR: [joined(A[0], B[0]), joined(A[1], B[0])]}, "a2 – b1: uses b1 of run B a second time"),
    ],
)
def test_what_is_no_matching_of_the_runs_is_refused(runs: Runs, matches: Matches, words: str) -> None:
    with pytest.raises(InputError, match=words):
        group_matches("f", runs, matches, least=2)


def test_runs_without_extractions_have_no_groups() -> None:
    runs: Runs = {"A": [], "B": B, "C": []}
    assert group_matches("f", runs, matched(runs, {}), least=2) == Grouped((), (), 0)


def test_networkx_is_not_imported_before_it_is_needed() -> None:
    code = "import sys, fingreat.matching; sys.exit('networkx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
