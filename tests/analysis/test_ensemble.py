"""The vote of several runs: majorities and scores worked by hand, and the same counted slowly."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest

from fingreat.analysis import EnsembleScore, EnsembleTally, FilingBootstrap, Ratio, majority
from fingreat.errors import InputError
from fingreat.matching import FilingMatcher, group_matches
from fingreat.schema import Extraction, Group, Match, Member, Verdict, load_graph

GRAPH = load_graph()
EDGES = tuple(GRAPH.edges)
REV, COGS, OPEX, TAX, DIV, STOCK = "REV-NNCA", "NNCA-COGS", "NNCA-OPEX", "NNCA-TAX", "CASH-DIV", "ISS-NNCA"
NET_INCOME, CASH_FLOW, EQUITY = GRAPH.categories()


@pytest.mark.parametrize(
    ("edges", "members", "vote"),
    [
        ("KKKKK", 5, "K"),
        ("KLKLK", 5, "K"),  # 3 of 5
        ("LLKKM", 5, None),  # 2, 2 and 1
        ("KKLMN", 5, None),  # the most votes, but 2 of 5
        ("KKKL", 4, "K"),
        ("KKLL", 4, None),
        ("KKLM", 4, None),  # exactly half
        ("KK", 2, "K"),
        ("KL", 2, None),
        ("K", 1, "K"),
        ("KKK", 5, "K"),  # two members have not voted, and could not change it
        ("KK", 5, None),  # all that voted, but not more than half of those who could
        ("KK", 4, None),
        ("", 5, None),
        ("", 0, None),
    ],
)
def test_a_majority_is_more_than_half_of_the_members(edges: str, members: int, vote: str | None) -> None:
    assert majority(tuple(edges), members) == vote
    assert {majority(order, members) for order in permutations(edges)} == {vote}


def test_more_votes_than_members_are_refused() -> None:
    with pytest.raises(InputError, match="2 members cannot cast 3 votes"):
        majority(("K", "K", "L"), 2)


def group(name: str, members: str, edges: Sequence[str], filing: str = "f") -> Group:
    """A group with one extraction of each member; the first one's stands for it."""
    return Group(
        id=f"g{name}",
        filing_id=filing,
        members=tuple(Member(run=run, id=f"{run}{name}", edge=edge) for run, edge in zip(members, edges, strict=True)),
        medoid=f"{members[0]}{name}",
        quote=name,
        ranges=(),
    )


def said(name: str, edge: str, filing: str = "f") -> Extraction:
    return Extraction(
        id=name, run="ref", filing_id=filing, chunk_id="c", quote=name, edge=edge, verdict=Verdict.NOT_FOUND
    )


def joined(a: Group, b: Extraction, **changes: Any) -> Match:
    values: dict[str, Any] = {
        "filing_id": a.filing_id, "a": a.id, "b": b.id, "edge_a": a.members[0].edge, "edge_b": b.edge, "overlap": 1.0,
        "decided_by": "equal", "equal": 1, "containment": 1, "fragments": 0, "order": 1, "span": None,
        "figures": "none", "differs": (),
    }  # fmt: skip
    return Match(**{**values, **changes})


def test_a_worked_example_of_three_members() -> None:
    # Filing f: five passages that all three quote. The reference quotes 1 to 4 and one that they do not.
    groups = [
        group("1", "ABC", (REV, REV, REV)),  # REV
        group("2", "ABC", (COGS, COGS, OPEX)),  # COGS
        group("3", "ABC", (DIV, TAX, DIV)),  # DIV
        group("4", "ABC", (REV, COGS, TAX)),  # abstains
        group("5", "ABC", (STOCK, STOCK, STOCK)),  # STOCK
    ]
    reference = [said("r1", REV), said("r2", OPEX), said("r3", DIV), said("r4", REV), said("r9", STOCK)]
    tally = EnsembleTally("ABC", GRAPH, reference="ref")
    tally.add("f", groups, [joined(*pair) for pair in zip(groups[:4], reference, strict=False)], reference)
    # Filing g: one passage, matched; filing h: nothing of the members; filing i: nothing at all.
    one, ref = group("1", "ABC", (TAX, COGS, TAX), "g"), said("r1", TAX, "g")
    tally.add("g", [one], [joined(one, ref)], [ref])
    tally.add("h", [], [], [said("r1", DIV, "h")], torn=2)
    tally.add("i", [], [], [], torn=1)
    found = tally.score()
    assert (found.reference, found.filings, found.members, found.quorum) == ("ref", 4, 3, 2)
    # Six groups; passage 4 has no majority. 1, 2, 3 and that of g are matched and decidable; 5 is not matched.
    assert (found.groups, found.decidable, found.abstained, found.torn) == (6, 5, 1, 3)
    assert (found.matched, found.unmatched, found.abstained_matched) == (4, 1, 1)
    # Of the reference's 5 + 1 + 1 + 0 extractions.
    assert found.recall == Ratio(4, 7)
    # 1, 2, 3 and g: the vote is right, wrong (COGS for OPEX), right, right; A the same; B right, wrong, wrong, wrong;
    # C right, right, right, right.
    assert [(row.name, row.precision) for row in found.rows] == [
        ("ensemble", Ratio(3, 4)),
        ("A", Ratio(3, 4)),
        ("B", Ratio(1, 4)),
        ("C", Ratio(4, 4)),
    ]
    # The reference's edges of these: REV, OPEX and TAX are Net Income, DIV is Cash Flow.
    assert [{c.name: c.precision for c in row.categories} for row in found.rows] == [
        {NET_INCOME: Ratio(2, 3), CASH_FLOW: Ratio(1, 1), EQUITY: Ratio(0, 0)},
        {NET_INCOME: Ratio(2, 3), CASH_FLOW: Ratio(1, 1), EQUITY: Ratio(0, 0)},
        {NET_INCOME: Ratio(1, 3), CASH_FLOW: Ratio(0, 1), EQUITY: Ratio(0, 0)},
        {NET_INCOME: Ratio(3, 3), CASH_FLOW: Ratio(1, 1), EQUITY: Ratio(0, 0)},
    ]
    assert {row.difference for row in found.rows} == {None}


def test_two_members_are_right_together_or_wrong_together() -> None:
    # With two members a majority is both, so that the vote and both members say the same wherever there is one.
    groups = [group(str(n), "AB", edges) for n, edges in enumerate(product((REV, COGS), repeat=2))]
    reference = [said(f"r{n}", REV) for n in range(4)]
    tally = EnsembleTally("AB", GRAPH, reference="ref")
    tally.add("f", groups, [joined(*pair) for pair in zip(groups, reference, strict=True)], reference)
    found = tally.score()
    assert (found.quorum, found.decidable, found.abstained, found.abstained_matched) == (2, 2, 2, 2)
    assert {row.precision for row in found.rows} == {Ratio(1, 2)}


def test_another_grouping_parts_the_passages_otherwise() -> None:
    one, ref = group("1", "AB", ("ISS-CASH", "ISS-CASH")), said("r", "ISS-CASH")
    for grouping, name in (("default", CASH_FLOW), ("capital", EQUITY)):
        tally = EnsembleTally("AB", GRAPH, reference="ref", grouping=grouping)
        tally.add("f", [one], [joined(one, ref)], [ref])
        precision = {c.name: c.precision for c in tally.score().rows[0].categories}
        assert precision.pop(name) == Ratio(1, 1)
        assert set(precision.values()) == {Ratio(0, 0)}
    with pytest.raises(InputError, match="no grouping 'colour'"):
        EnsembleTally("AB", GRAPH, reference="ref", grouping="colour")


def test_nothing_over_nothing_is_none() -> None:
    for bootstrap in (None, FilingBootstrap(0, replicates=10)):
        found = EnsembleTally("ABCD", GRAPH, reference="ref").score(bootstrap)
        assert (found.filings, found.groups, found.recall, found.quorum) == (0, 0, Ratio(0, 0), 3)
        assert [row.name for row in found.rows] == ["ensemble", *"ABCD"]
        assert all(ratio == Ratio(0, 0) for row in found.rows for ratio in (row.precision, row.categories[0].precision))


@dataclass
class Drawn:
    """A corpus with votes on it, all passages of all filings in the open."""

    members: str
    filings: dict[str, tuple[list[Group], list[Match], list[Extraction]]] = field(default_factory=dict)

    def score(self, bootstrap: FilingBootstrap | None = None) -> EnsembleScore:
        tally = EnsembleTally(self.members, GRAPH, reference="ref")
        for filing_id, parts in self.filings.items():
            tally.add(filing_id, *parts)
        return tally.score(bootstrap)


def drawn(seed: int) -> Drawn:
    draw = random.Random(seed)
    found = Drawn("ABCDE"[: draw.randint(2, 5)])
    # Few edges, so that there are majorities, and of all categories.
    edges = draw.sample(EDGES, draw.randint(2, 4))
    for number in range(draw.randint(1, 5)):
        filing = f"f{number}"
        groups = [
            group(str(n), found.members, draw.choices(edges, k=len(found.members)), filing)
            for n in range(draw.randint(0, 5))
        ]
        reference = [said(f"r{n}", draw.choice(edges), filing) for n in range(draw.randint(0, 5))]
        pairs = zip(draw.sample(groups, len(groups)), draw.sample(reference, len(reference)), strict=False)
        matches = [joined(*pair) for pair in pairs if draw.random() < 0.8]
        found.filings[filing] = groups, matches, reference
    return found


Passage = tuple[str, str, Mapping[str, str | None]]
"""The filing, the reference's edge, and what the vote and each member say."""


def passages(corpus: Drawn) -> list[Passage]:
    """Every matched passage with a majority."""
    found = []
    for filing_id, (groups, matches, reference) in corpus.filings.items():
        for match in matches:
            (one,) = (g for g in groups if g.id == match.a)
            (ref,) = (x for x in reference if x.id == match.b)
            ((edge, votes),) = Counter(m.edge for m in one.members).most_common(1)
            if Fraction(votes, len(corpus.members)) > Fraction(1, 2):
                found.append((filing_id, ref.edge, {"ensemble": edge, **{m.run: m.edge for m in one.members}}))
    return found


def test_the_score_is_that_of_all_passages_looked_at_one_by_one() -> None:
    decidable = 0
    for seed in range(600):
        corpus = drawn(seed)
        found, open_passages = corpus.score(), passages(corpus)
        assert found.matched == len(open_passages)
        assert found.recall == Ratio(len(open_passages), sum(len(parts[2]) for parts in corpus.filings.values()))
        assert found.matched + found.abstained_matched == sum(len(parts[1]) for parts in corpus.filings.values())
        assert found.decidable + found.abstained == sum(len(parts[0]) for parts in corpus.filings.values())
        for row in found.rows:
            right = [(edge, given[row.name] == edge) for _, edge, given in open_passages]
            assert row.precision == Ratio(sum(hit for _, hit in right), len(right)), seed
            for cohort in row.categories:
                there = [hit for edge, hit in right if GRAPH.category(edge) == cohort.name]
                assert cohort.precision == Ratio(sum(there), len(there)), seed
        decidable += len(open_passages)
    assert decidable > 1000


def test_orders_play_no_part_but_for_the_rows() -> None:
    for seed in range(100):
        corpus, draw = drawn(seed), random.Random(seed)
        found = corpus.score()
        other = Drawn("".join(draw.sample(corpus.members, len(corpus.members))))
        for filing_id in draw.sample(list(corpus.filings), len(corpus.filings)):
            groups, matches, reference = (draw.sample(part, len(part)) for part in corpus.filings[filing_id])
            other.filings[filing_id] = groups, matches, reference
        by_name = {row.name: row for row in found.rows}
        rows = tuple(by_name[name] for name in ("ensemble", *other.members))
        assert other.score() == replace(found, rows=rows), seed


def ends(values: list[Fraction]) -> tuple[float, float]:
    """The 2.5 and 97.5 percentiles, linear between two values."""
    values = sorted(values)

    def at(share: Fraction) -> Fraction:
        place = share * (len(values) - 1)
        low = int(place)
        return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])

    return float(at(Fraction(25, 1000))), float(at(Fraction(975, 1000)))


def test_intervals_are_those_of_filings_drawn_one_by_one() -> None:
    replicates, seed = 60, 5
    differences = 0
    for number in range(40):
        corpus = drawn(number)
        names = list(corpus.filings)
        if len(names) < 2:
            continue
        bootstrap = FilingBootstrap(len(names), replicates=replicates, seed=seed)
        found = corpus.score(bootstrap)
        # How often each filing is in each draw: the sum of a column that is 1 for this filing and 0 for all others.
        times = bootstrap.sums(np.eye(len(names))).astype(int).T.tolist()
        draws = [[name for name, n in zip(names, drawn_times, strict=True) for _ in range(n)] for drawn_times in times]
        open_passages = passages(corpus)
        samples = [[p for filing in draw for p in open_passages if p[0] == filing] for draw in draws]
        values: dict[str, list[Fraction]] = {
            row.name: [
                Fraction(sum(given[row.name] == edge for _, edge, given in sample), len(sample))
                for sample in samples
                if sample
            ]
            for row in found.rows
        }
        several = len({p[0] for p in open_passages}) > 1
        for row in found.rows:
            gains = [a - b for a, b in zip(values["ensemble"], values[row.name], strict=True)]
            wanted = [(row.precision.interval, values[row.name])]
            if row.name == "ensemble":
                assert row.difference is None
            else:
                wanted.append((row.difference, gains))
            for interval, expected in wanted:
                if not several:
                    assert interval is None
                    continue
                assert interval is not None
                assert (interval.used, interval.empty) == (len(expected), replicates - len(expected))
                assert (interval.low, interval.high) == pytest.approx(ends(expected), abs=1e-12)
            differences += any(gains)
        sizes = {filing: len(parts[2]) for filing, parts in corpus.filings.items()}
        totals = [sum(sizes[filing] for filing in draw) for draw in draws]
        recalls = [Fraction(len(sample), total) for sample, total in zip(samples, totals, strict=True) if total]
        assert (found.recall.interval is not None) == (sum(map(bool, sizes.values())) > 1)
        if found.recall.interval:
            low, high = found.recall.interval.low, found.recall.interval.high
            assert (low, high) == pytest.approx(ends(recalls), abs=1e-12)
    assert differences > 20


def test_one_filing_has_no_interval_and_draws_of_other_filings_are_refused() -> None:
    one, ref = group("1", "AB", (REV, REV)), said("r", REV)
    tally = EnsembleTally("AB", GRAPH, reference="ref")
    tally.add("f", [one], [joined(one, ref)], [ref])
    found = tally.score(FilingBootstrap(1, replicates=10))
    assert {row.precision.interval for row in found.rows} == {None}
    assert {row.difference for row in found.rows} == {None}
    with pytest.raises(InputError, match="5 filings are drawn"):
        tally.score(FilingBootstrap(5, replicates=10))


def test_quotes_are_grouped_matched_and_scored_from_end_to_end() -> None:
    sales = "Net sales rose 12% to $184.2 million, because we shipped more balances and raised list prices."
    paid = "We paid dividends of $0.48 per share, or $9.1 million, in each quarter of the year."
    rent = "Rent expense grew to $3.3 million after we moved into the new plant near the river."

    def quoted(run: str, *passages: tuple[str, str]) -> list[Extraction]:
        # The same ids in all runs, as those have that asked one model the same.
        return [
            Extraction(id=f"x{n}", run=run, filing_id="f", chunk_id="c", quote=quote, edge=edge, verdict=Verdict.EXACT)
            for n, (quote, edge) in enumerate(passages)
        ]

    runs = {
        "A": quoted("A", (sales, REV), (paid, DIV), (rent, OPEX)),
        "B": quoted("B", (paid, DIV), (sales + " Sales of probes were flat.", REV), (rent, COGS)),
        "C": quoted("C", (sales.upper(), COGS), (paid, TAX), (rent, TAX)),
    }
    reference = quoted("ref", (rent, OPEX), (sales, REV), (paid, STOCK))
    matcher = FilingMatcher("f", [x for side in (*runs.values(), reference) for x in side])
    matches = {(a, b): matcher.candidates(runs[a], runs[b]).matches() for a, b in combinations(runs, 2)}
    grouped = group_matches("f", runs, matches, least=3)
    tally = EnsembleTally(tuple(runs), GRAPH, reference="ref")
    tally.add("f", grouped.groups, matcher.candidates(grouped.medoids, reference).matches(), reference)
    found = tally.score()
    # Sales have REV, REV, COGS; dividends DIV, DIV, TAX; rent three edges. The reference says REV, STOCK, OPEX.
    assert (found.groups, found.decidable, found.matched, found.abstained_matched) == (3, 2, 2, 1)
    assert found.recall == Ratio(2, 3)
    assert [row.precision for row in found.rows] == [Ratio(1, 2), Ratio(1, 2), Ratio(1, 2), Ratio(0, 2)]


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ((), "needs at least two members"),
        (("A",), "needs at least two members"),
        (("A", "B", "A"), "Member A is named twice"),
        (("A", "ensemble"), "A member is named ensemble, as the vote is"),
        (("A", "ref"), "Reference ref is a member and would judge its own vote"),
    ],
)
def test_members_that_make_no_vote_are_refused(members: Sequence[str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        EnsembleTally(members, GRAPH, reference="ref")


ONE, TWO = group("1", "AB", (REV, REV)), group("2", "AB", (COGS, REV))
R1, R2 = said("r1", REV), said("r2", TAX)
PAIR = joined(ONE, R1)


@pytest.mark.parametrize(
    ("groups", "matches", "reference", "words"),
    [
        ([group("1", "AC", (REV, REV))], [], [], "group g1: has members of A, C, not one of each of A, B"),
        ([group("1", "ABC", (REV, REV, REV))], [], [], "has members of A, B, C, not one of each of A, B"),
        ([group("1", "AA", (REV, REV))], [], [], "has members of A, A, not one of each of A, B"),
        ([group("1", "ABA", (REV, REV, REV))], [], [], "has members of A, B, A, not one of each of A, B"),
        ([group("1", "AB", (REV, REV), "g")], [], [], "group g1: is of filing g, not f"),
        ([group("1", "AB", (REV, "X"))], [], [], "group g1, extraction B1 of run B: has edge X, no edge of graph"),
        ([ONE, ONE], [], [], "group g1: is there twice"),
        ([], [], [said("r1", "X")], "run ref, extraction r1: has edge X, no edge of graph 'gaap11'"),
        ([], [], [R1, R1], "run ref, extraction r1: is there twice"),
        ([], [], [said("r1", REV, "g")], "filing g"),
        ([], [PAIR], [R1], "match g1 – r1: names g1, which is no group"),
        ([ONE], [PAIR], [R2], "match g1 – r1: names r1, which the reference does not have"),
        ([ONE], [joined(ONE, R1, filing_id="g")], [R1], "filing g"),
        ([ONE], [joined(ONE, R1, edge_a=TAX)], [R1], "gives an extraction another edge than its run does"),
        # The edge of the other member, whose quote does not stand for the group.
        ([TWO], [joined(TWO, R1, edge_a=REV)], [R1], "match g2 – r1: gives an extraction another edge than its run"),
        ([ONE], [joined(ONE, R1, edge_b=TAX)], [R1], "gives an extraction another edge than its run does"),
        ([ONE], [PAIR, joined(ONE, R2)], [R1, R2], "match g1 – r2: uses g1 a second time"),
        ([ONE, TWO], [PAIR, joined(TWO, R1)], [R1], "match g2 – r1: uses r1 a second time"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_of_the_filing_counts(
    groups: list[Group], matches: list[Match], reference: list[Extraction], words: str
) -> None:
    tally = EnsembleTally("AB", GRAPH, reference="ref")
    with pytest.raises(InputError, match=words):
        tally.add("f", groups, matches, reference)
    tally.add("f", [ONE], [PAIR], [R1])
    found = tally.score()
    assert (found.filings, found.groups, found.matched, found.recall) == (1, 1, 1, Ratio(1, 1))


def test_a_filing_is_counted_once() -> None:
    tally = EnsembleTally("AB", GRAPH, reference="ref")
    tally.add("f", [], [], [])
    with pytest.raises(InputError, match="filing f: was counted before"):
        tally.add("f", [], [], [])
