"""Scores and matches are those of the slow reference, on quotes as models give them."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest
from match_builders import ex
from planted_quotes import passage, quoted, run_of
from slow_overlap import (
    LEAST,
    NAMES,
    Largest,
    LargestByGraph,
    narrow_by_rule,
    near_pairs,
    slow_components,
    slow_quote,
    slow_score,
)

from fingreat.matching import FilingMatcher, components, match_extractions, overlap, prepare
from fingreat.schema import Extraction

EXACT = 1e-12


def compare_scores(quotes: Sequence[str], seen: Counter[str]) -> None:
    """Every two of some quotes: each component, the score, and what decided."""
    ready, slow = prepare(quotes), [slow_quote(quote) for quote in quotes]
    for i in range(len(quotes)):
        for j in range(i):
            found, expected = components(ready[i], ready[j])._asdict(), slow_components(slow[i], slow[j])
            where = (quotes[i], quotes[j])
            assert found == pytest.approx({name: float(value) for name, value in expected.items()}, abs=EXACT), where
            score, decided_by = slow_score(slow[i], slow[j])
            given = overlap(ready[i], ready[j])
            assert given.score == max(found.values()) == pytest.approx(float(score), abs=EXACT), where
            if score:
                assert given.decided_by == decided_by, where
            seen[decided_by if score >= LEAST else "far"] += 1


def planted(seeds: Iterable[int]) -> Counter[str]:
    seen: Counter[str] = Counter()
    for seed in seeds:
        draw = random.Random(seed)
        passages = [passage(draw) for _ in range(2)]
        compare_scores([quoted(draw.choice(passages), draw) for _ in range(5)], seen)
    return seen


def test_scores_of_planted_quotes_are_those_of_the_slow_reference() -> None:
    seen = planted(range(150))
    assert seen.keys() == {*NAMES, "far"}
    assert min(seen.values()) > 40


@pytest.mark.prove
def test_scores_of_many_planted_quotes_are_those_of_the_slow_reference() -> None:
    assert planted(range(10_000, 20_000)).total() == 100_000


def test_scores_of_quotes_of_one_to_eight_tokens_are_those_of_the_slow_reference() -> None:
    words = ["sales", "rose", "5%", "(3)", "Sales", "not", "$2.5", "The", "rose.", "A", "—", "..."]
    seen: Counter[str] = Counter()
    for seed in range(150):
        draw = random.Random(seed)
        quote = draw.choices(words, k=draw.randint(0, 8))
        others = [quote[1:], quote[:-1], [*quote, "cost"], [*quote[:2], "cost", *quote[3:]], draw.choices(words, k=3)]
        compare_scores([" ".join(each) for each in (quote, *others)], seen)
    assert min(seen[name] for name in ("equal", "containment", "order")) > 10


def test_scores_of_quotes_whose_sentences_repeat_and_run_into_one_another_are_those_of_the_slow_reference() -> None:
    """Few words, so that a sentence of one quote begins in the middle of another's, and comes again and again."""
    seen: Counter[str] = Counter()
    for seed in range(120):
        draw = random.Random(seed)
        words = ["red", "blue", "green", "5%"][: draw.choice([2, 3, 4])]
        pool = [" ".join(draw.choices(words, k=draw.choice([6, 6, 7, 8, 12]))).capitalize() for _ in range(4)]
        quotes = [
            "".join(
                draw.choice(pool) + draw.choice([". ", ". ", "! ", " ... ", " ", " Red [x] "]) for _ in range(parts)
            )
            for parts in draw.choices(range(1, 6), k=4)
        ]
        compare_scores(quotes, seen)
    assert seen["fragments"] > 30


def labelled_passages(shared: Path) -> list[list[str]]:
    """The sentences of passages from real filings, roughly told: where they end plays no part in what is compared."""
    lines = (shared / "passages/gold.jsonl").read_text(encoding="utf-8").splitlines()
    return [re.split(r"(?<=\.)\s+", json.loads(line)["text"]) for line in lines]


def test_scores_of_passages_from_filings_are_those_of_the_slow_reference(shared: Path) -> None:
    seen: Counter[str] = Counter()
    for seed, sentences in enumerate(labelled_passages(shared)[::4]):
        draw = random.Random(seed)
        compare_scores([" ".join(sentences), *(quoted(sentences, draw) for _ in range(3))], seen)
    assert min(seen[name] for name in (*NAMES, "far")) > 3


@pytest.mark.prove
def test_scores_of_all_passages_from_filings_are_those_of_the_slow_reference(shared: Path) -> None:
    seen: Counter[str] = Counter()
    passages = labelled_passages(shared) * 5
    for seed, sentences in enumerate(passages):
        draw = random.Random(seed)
        compare_scores([quoted(sentences, draw) for _ in range(5)], seen)
    # Five quotes make ten pairs.
    assert seen.total() == 10 * len(passages)
    assert min(seen[name] for name in (*NAMES, "far")) > 50


def pairs_of(found: Iterable[tuple[str, str]], a: Sequence[Extraction], b: Sequence[Extraction]) -> frozenset:
    of_a, of_b = ({x.id: number for number, x in enumerate(side)} for side in (a, b))
    return frozenset((of_a[first], of_b[second]) for first, second in found)


def compare_matches(
    a: Sequence[Extraction], b: Sequence[Extraction], by: str, largest: Callable[..., Largest | LargestByGraph]
) -> int:
    """That the matches are best by every rule, with the right scores; how many there are."""
    scores = near_pairs(a, b, by)
    matches = match_extractions(a, b, by=by)
    chosen = pairs_of(((match.a, match.b) for match in matches), a, b)
    assert chosen <= scores.keys()
    number = {x.id: n for n, x in enumerate((*a, *b))}
    for match in matches:
        pair = number[match.a], number[match.b] - len(a)
        assert match.overlap == pytest.approx(float(scores[pair]), abs=EXACT)
    if scores:
        best = largest(list(scores))
        narrow_by_rule(best, a, b, scores, by)
        assert best.holds(chosen)
        if by == "text":
            compare_ranges(a, b, largest(list(scores)), scores)
    return len(matches)


def compare_ranges(
    a: Sequence[Extraction], b: Sequence[Extraction], best: Largest | LargestByGraph, scores: dict
) -> None:
    """The smallest and the largest number of same edges: both ends are reached by an assignment with the largest
    total, and none goes beyond."""
    best.narrow(scores)
    matcher = FilingMatcher("f", (*a, *b))
    same = {(i, j): int(a[i].edge == b[j].edge) for i, j in scores}
    assert matcher.candidates(a, b).same_edge_range() == best.range_of(same)


def planted_runs(
    seeds: Iterable[int], passages: int, most: int, largest: Callable[..., Largest | LargestByGraph]
) -> int:
    matches = 0
    for seed in seeds:
        draw = random.Random(seed)
        places = [passage(draw) for _ in range(passages)]
        a, b = (run_of(name, places, most, draw) for name in "ab")
        for by in ("text", "span"):
            matches += compare_matches(a, b, by, largest)
    return matches


def test_matches_of_small_runs_are_those_of_trying_every_assignment() -> None:
    assert planted_runs(range(180), 2, 4, Largest) > 200


def test_matches_of_larger_runs_are_those_of_an_exact_solver() -> None:
    assert planted_runs(range(12), 4, 14, LargestByGraph) > 50


@pytest.mark.prove
def test_matches_of_many_runs_are_those_of_trying_every_assignment_and_of_an_exact_solver() -> None:
    assert planted_runs(range(10_000, 16_000), 2, 4, Largest) > 7000
    assert planted_runs(range(10_000, 10_300), 5, 20, LargestByGraph) > 1500


def test_boilerplate_is_matched_by_the_rules_with_and_without_places() -> None:
    """Nothing but ties: the same few sentences over and over."""
    for seed in range(40):
        draw = random.Random(seed)
        texts = ["See Note 5 to the financial statements.", "See note 5 to the financial statements"]
        a, b = (
            [
                ex(f"{draw.randrange(100)}{name}{n}", draw.choice(texts), draw.choice("EF"),
                   draw.choice([None, 0, 40, 40, 500, 520]), length=draw.choice([30, 39]))
                for n in range(draw.randint(1, 4))
            ]
            for name in "ab"
        )  # fmt: skip
        assert compare_matches(a, b, "text", Largest) == min(len(a), len(b))
        assert compare_matches(a, b, "text", LargestByGraph) == min(len(a), len(b))


WORDS = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"]
WORDS += ["india", "juliett", "kilo", "lima", "mike", "november", "oscar", "papa"]


def sentence(first: int, last: int) -> str:
    """Words number `first` to `last`, counted from 1, as a sentence."""
    return f"{' '.join(WORDS[first - 1 : last]).capitalize()}."


def test_a_fragment_counts_as_often_as_it_stands_in_both_quotes() -> None:
    # A sentence of 8 tokens three times in both, and one token more in either: 24 of 25 tokens, at most 0.95.
    a, b = prepare([f"{sentence(1, 8)} {word} {sentence(1, 8)} {sentence(1, 8)}" for word in ("Yes!", "No!")])
    assert components(a, b) == pytest.approx((0, 0, 0.95, 24 / 25), abs=EXACT)
    # Twice in both, in one of them as the beginning of longer sentences: 16 of 16 tokens, at most 0.90 + 0.05·16/22.
    a, b = prepare([f"{sentence(1, 8)} {sentence(1, 8)}", f"{sentence(1, 8)[:-1]} and so on. " * 2])
    assert components(a, b) == pytest.approx((0, 0, 0.9 + 0.05 * 16 / 22, 16 / 22), abs=EXACT)


def test_the_score_of_two_quotes_hangs_on_nothing_but_the_two() -> None:
    # Which of two fragments of 8 tokens that share 4 is taken first decides whether a third is left: 14 or 8 of 14.
    a = f"{sentence(1, 8)} {sentence(9, 14)}"
    b = f"{sentence(5, 12)} {sentence(9, 14)} {sentence(1, 8)}"
    compare_scores([a, b], Counter())
    compare_scores([b, a], Counter())
    assert [len(match_extractions([ex("1", x)], [ex("2", y)])) for x, y in ((a, b), (b, a))] in ([0, 0], [1, 1])


def test_totals_of_long_quotes_that_are_equal_are_decided_by_place() -> None:
    # Of 27 tokens a1 and b1 have 25 in order, a2 and b2 have 25, a1 and b2 26, a2 and b1 24: both totals are 50/27.
    def quote(*changed: int) -> str:
        return " ".join(f"other{n}" if n in changed else f"word{n}" for n in range(27))

    a = [ex("a1", quote(), place=0), ex("a2", quote(20), place=500)]
    b = [ex("b1", quote(5, 6), place=0), ex("b2", quote(10), place=500)]
    assert compare_matches(a, b, "text", Largest) == 2
    assert [(match.a, match.b) for match in match_extractions(a, b)] == [("a1", "b1"), ("a2", "b2")]


def test_totals_of_places_that_are_equal_are_decided_by_position() -> None:
    # One code point in three is shared by a1 and b1, and by a2 and b2; two in three by a2 and b1, none by a1 and b2.
    quote = "Inventory turned 4.1 times."
    a = [ex("a1", quote, place=2, length=3), ex("a2", quote, place=3, length=3)]
    b = [ex("b1", quote, place=4, length=6), ex("b2", quote, place=5, length=3)]
    assert compare_matches(a, b, "text", Largest) == 2
    assert [(match.a, match.b) for match in match_extractions(a, b)] == [("a1", "b1"), ("a2", "b2")]
