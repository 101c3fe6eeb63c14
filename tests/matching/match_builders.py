"""Extractions for the tests of matching, and every assignment of a few of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from fingreat.matching import MIN_OVERLAP, overlap, prepare
from fingreat.schema import Extraction, Verdict

Assignment = tuple[tuple[int, int], ...]


def ex(
    id: str, quote: str, edge: str = "E", place: int | None = None, *, length: int = 50, filing: str = "f"
) -> Extraction:
    """An extraction that stands at one place, or at none."""
    return Extraction(
        id=id, run="r", filing_id=filing, chunk_id="c", quote=quote, edge=edge, verdict=Verdict.EXACT,
        ranges=() if place is None else ((place, place + length),),
    )  # fmt: skip


def text_scores(a: Sequence[Extraction], b: Sequence[Extraction]) -> dict[tuple[int, int], Fraction]:
    """The overlap of every pair, as the fraction with the smallest denominator that is nearest to it."""
    quotes = prepare([x.quote for x in (*a, *b)])
    return {
        (i, j): Fraction(overlap(quotes[i], quotes[len(a) + j]).score).limit_denominator(1000)
        for i in range(len(a))
        for j in range(len(b))
    }


def shared_places(a: Extraction, b: Extraction) -> Fraction:
    """Intersection over the shorter place, by counting code points."""
    first, second = ({at for start, end in x.ranges for at in range(start, end)} for x in (a, b))
    shorter = min(len(first), len(second))
    return Fraction(len(first & second), shorter) if shorter else Fraction(0)


def assignments(scores: dict[tuple[int, int], Fraction], n_a: int) -> Iterator[Assignment]:
    """Every one-to-one assignment of pairs that overlap enough."""
    near = {pair for pair, score in scores.items() if score >= Fraction(str(MIN_OVERLAP))}

    def extend(i: int, used: frozenset[int], pairs: Assignment) -> Iterator[Assignment]:
        if i == n_a:
            yield pairs
            return
        yield from extend(i + 1, used, pairs)
        for first, j in near:
            if first == i and j not in used:
                yield from extend(i + 1, used | {j}, (*pairs, (i, j)))

    return extend(0, frozenset(), ())


def largest(found: Iterator[Assignment], value: Callable[[tuple[int, int]], Fraction]) -> list[Assignment]:
    """The assignments with the largest total."""
    totals = [(sum(map(value, pairs), start=Fraction(0)), tuple(sorted(pairs))) for pairs in found]
    top = max(total for total, _ in totals)
    return [pairs for total, pairs in totals if total == top]


def crowded_sides(seed: int) -> tuple[list[Extraction], list[Extraction]]:
    """A few extractions of each side that quote two passages, whole, cut or altered: many near ones, many ties."""
    draw = random.Random(seed)
    passages = [[draw.choice("abcdefghijklmn") for _ in range(draw.randint(4, 11))] for _ in range(2)]

    def side(name: str) -> list[Extraction]:
        made = []
        for number in range(draw.randint(0, 5)):
            words = list(draw.choice(passages))
            match draw.randrange(6):
                case 0:
                    words[draw.randrange(len(words))] = "x"
                case 1:
                    words = words[:-1]
                case 2:
                    words.append("y")
            place = draw.choice([None, 0, 10, 20, 30, 200])
            made.append(
                ex(f"{draw.randrange(10)}{name}{number}", " ".join(words), draw.choice("EF"), place,
                   length=draw.choice([20, 40]))
            )  # fmt: skip
        return made

    return side("a"), side("b")
