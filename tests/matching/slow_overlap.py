"""The score of two quotes and the best assignment as the design states them, written anew: plain, exact and slow.

Only `normalise` and `tokens` are those of the package, since they have tests of their own. The design says nothing of
how sentences are told or what comes first among fragments; taken here:

- A sentence ends behind `.`, `!` or `?`, closing quotes and brackets and white space, where a capital letter, a
  figure, a dollar or a character beyond ASCII comes next, with or without opening quotes and brackets; not at a point
  behind a single letter or one of the abbreviations below, nor at the white space behind such a point. It also ends
  behind `。`, `！` or `？` and at an empty line.
- An elided quote is cut at ellipses and at what stands in brackets; `[S]ales` is `Sales`. More than twenty pieces are
  a mosaic, which is not taken apart.
- The longest fragments are looked for first, each as often as it stands in both quotes, at its first place; a token
  counts for one of them only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import inf, lcm

import networkx

from fingreat.matching import normalise, tokens
from fingreat.schema import Extraction

NAMES = ("equal", "containment", "fragments", "order")
LEAST = Fraction(80, 100)
ABBREVIATIONS = ["mr", "mrs", "ms", "dr", "st", "no", "nos", "inc", "corp", "co", "ltd", "vs", "approx"]
OPENING, CLOSING = "\"'“‘([", "\"'”’)]"
MARK = re.compile(r"\[ ?(?:…|\.( ?\.){2,}) ?\]|…|\.( ?\.){2,}|\[[^\[\]]{0,200}\]")

Pair = tuple[int, int]
Tokens = tuple[str, ...]


@dataclass(frozen=True)
class SlowQuote:
    """A quote's normal form, its tokens, those of its pieces, and its fragments."""

    text: str
    tokens: Tokens
    pieces: tuple[Tokens, ...]
    fragments: frozenset[Tokens]


def slow_quote(source: str) -> SlowQuote:
    pieces = cut_apart(source)
    of_pieces = tuple(token_texts(piece) for piece in pieces)
    fragments = {part for piece in pieces for part in sentences(piece)}
    if len(pieces) > 1:
        fragments |= set(of_pieces)
    return SlowQuote(
        normalise(source).text,
        token_texts(source),
        of_pieces,
        frozenset(part for part in fragments if len(part) >= 6),
    )


def token_texts(text: str) -> Tokens:
    return tuple(token.text for token in tokens(normalise(text)))


def cut_apart(source: str) -> list[str]:
    """What an elided quote quotes, in order; the quote itself where nothing is left out."""
    whole = re.sub(r"\[(\w)\](?=\w)", r"\1", source).strip()
    pieces = [""]
    at = 0
    while at < len(whole):
        if mark := MARK.match(whole, at):
            pieces.append("")
            at = mark.end()
        else:
            pieces[-1] += whole[at]
            at += 1
    return pieces if len(pieces) <= 20 else [source]


def sentences(text: str) -> list[Tokens]:
    """The tokens of each sentence: a token belongs to the sentence in which its first character stands."""
    ends = sentence_ends(text)
    form = normalise(text)
    placed = [(sum(end <= form.starts[token.start] for end in ends), token.text) for token in tokens(form)]
    return [tuple(word for _, word in run) for _, run in groupby(placed, key=lambda entry: entry[0])]


def sentence_ends(text: str) -> list[int]:
    ends = []
    done = 0
    for at, char in enumerate(text):
        if char in "。！？":
            ends.append(at + 1)
        elif char in ".!?":
            after = skip(text, at + 1, CLOSING)
            following = skip_space(text, after)
            first = text[skip(text, following, OPENING) :][:1]
            begins = first.isupper() or first.isdigit() or first == "$" or first > "\x7f"
            if following > after and begins:
                if char == "." and abbreviated(text[:at]):
                    done = following
                else:
                    ends.append(following)
        elif char == "\n" and at >= done and "\n" in text[at + 1 : skip_space(text, at + 1)]:
            ends.append(skip_space(text, at + 1))
    return ends


def skip(text: str, at: int, chars: str) -> int:
    while at < len(text) and text[at] in chars:
        at += 1
    return at


def skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def abbreviated(before: str) -> bool:
    """Whether a text ends with a single letter or an abbreviation."""
    start = len(before)
    while start and before[start - 1].isalpha():
        start -= 1
    return len(before) - start == 1 or before[start:].lower() in ABBREVIATIONS


def slow_components(a: SlowQuote, b: SlowQuote) -> dict[str, Fraction]:
    """What each component gives by itself."""
    short, long = sorted((a.tokens, b.tokens), key=len)
    values = dict.fromkeys(NAMES, Fraction(0))
    values["equal"] = Fraction(a.text == b.text)
    if not short:
        return values
    ratio = Fraction(len(short), len(long))
    if first_place(short, long) is not None:
        values["containment"] = Fraction(90, 100) + Fraction(10, 100) * ratio if len(short) >= 8 else ratio
    if len(short) >= 8:
        shared = Fraction(shared_tokens(a, b), len(short))
        values["fragments"] = min(shared, Fraction(90, 100) + Fraction(5, 100) * ratio)
    values["order"] = Fraction(common_subsequence(short, long), len(long))
    return values


def slow_score(a: SlowQuote, b: SlowQuote) -> tuple[Fraction, str]:
    """The score, and the component that gives it: of equal ones the first in the order of the design."""
    values = slow_components(a, b)
    score = max(values.values())
    return score, next(name for name in NAMES if values[name] == score)


def first_place(part: Sequence[object], whole: Sequence[object]) -> int | None:
    return next((at for at in range(len(whole) - len(part) + 1) if whole[at : at + len(part)] == part), None)


def shared_tokens(a: SlowQuote, b: SlowQuote) -> int:
    rest: tuple[list[list[str | None]], ...] = tuple([list(piece) for piece in quote.pieces] for quote in (a, b))
    shared = 0
    for fragment in sorted(a.fragments | b.fragments, key=lambda part: (-len(part), part)):
        while all(any(first_place(list(fragment), piece) is not None for piece in side) for side in rest):
            for side in rest:
                piece = next(piece for piece in side if first_place(list(fragment), piece) is not None)
                at = first_place(list(fragment), piece)
                piece[at : at + len(fragment)] = [None]
            shared += len(fragment)
    return shared


def common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest one, by the table of all beginnings."""
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a)):
        for j in range(len(b)):
            longest[i + 1][j + 1] = longest[i][j] + 1 if a[i] == b[j] else max(longest[i][j + 1], longest[i + 1][j])
    return longest[len(a)][len(b)]


def slow_span(a: Extraction, b: Extraction) -> Fraction:
    """Code points that two places share, over those of the shorter."""
    first, second = ({at for start, end in x.ranges for at in range(start, end)} for x in (a, b))
    shorter = min(len(first), len(second))
    return Fraction(len(first & second), shorter) if shorter else Fraction(0)


def near_pairs(a: Sequence[Extraction], b: Sequence[Extraction], by: str = "text") -> dict[Pair, Fraction]:
    """The score of every pair that may be matched."""
    if by == "text":
        of_a, of_b = [slow_quote(x.quote) for x in a], [slow_quote(x.quote) for x in b]
        scores = {(i, j): slow_score(x, y)[0] for i, x in enumerate(of_a) for j, y in enumerate(of_b)}
    else:
        scores = {(i, j): slow_span(x, y) for i, x in enumerate(a) for j, y in enumerate(b)}
    return {pair: score for pair, score in scores.items() if score >= LEAST}


def every_assignment(pairs: Sequence[Pair]) -> Iterator[frozenset[Pair]]:
    """Every set of pairs in which nothing has two partners."""
    if not pairs:
        yield frozenset()
        return
    (i, j), rest = pairs[0], pairs[1:]
    yield from every_assignment(rest)
    for chosen in every_assignment([pair for pair in rest if pair[0] != i and pair[1] != j]):
        yield chosen | {(i, j)}


class Largest:
    """The assignments with the largest total, found by trying them all."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._all = list(every_assignment(pairs))

    def narrow(self, weights: Mapping[Pair, Fraction | int]) -> None:
        """Keep those that are best by some weights too."""
        totals = [sum((weights[pair] for pair in chosen), start=Fraction(0)) for chosen in self._all]
        self._all = [chosen for chosen, total in zip(self._all, totals, strict=True) if total == max(totals)]

    def open_pairs(self) -> list[Pair]:
        """The pairs that stand in some of them."""
        return sorted(set().union(*self._all))

    def holds(self, chosen: frozenset[Pair]) -> bool:
        return chosen in self._all

    def range_of(self, counts: Mapping[Pair, int]) -> tuple[int, int]:
        """The smallest and the largest sum of some counts over them."""
        sums = [sum(counts[pair] for pair in chosen) for chosen in self._all]
        return min(sums), max(sums)


class LargestByGraph:
    """The same for more pairs than can be tried, by networkx's matching of general graphs, which is exact on whole
    numbers: all weights so far are one number, each weighing more than all that come after it together."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._weights = dict.fromkeys(pairs, 0)

    def narrow(self, weights: Mapping[Pair, Fraction | int]) -> None:
        scale = lcm(*(Fraction(weights[pair]).denominator for pair in self._weights))
        whole = {pair: int(weights[pair] * scale) for pair in self._weights}
        more = 1 + sum(abs(weight) for weight in whole.values())
        self._weights = {pair: weight * more + whole[pair] for pair, weight in self._weights.items()}

    def _total(self, without: Pair | None = None) -> int:
        graph = networkx.Graph()
        for (i, j), weight in self._weights.items():
            if without is None or (i != without[0] and j != without[1]):
                graph.add_edge(("a", i), ("b", j), weight=weight)
        return sum(graph.edges[edge]["weight"] for edge in networkx.max_weight_matching(graph))

    def open_pairs(self) -> list[Pair]:
        total = self._total()
        return sorted(pair for pair, own in self._weights.items() if own + self._total(without=pair) == total)

    def holds(self, chosen: frozenset[Pair]) -> bool:
        return sum(self._weights[pair] for pair in chosen) == self._total()

    def range_of(self, counts: Mapping[Pair, int]) -> tuple[int, int]:
        more = 1 + sum(counts.values())
        before = self._total()
        ends = []
        for sign in (-1, 1):
            both = LargestByGraph(list(self._weights))
            both._weights = {pair: weight * more + sign * counts[pair] for pair, weight in self._weights.items()}
            ends.append(sign * (both._total() - before * more))
        return ends[0], ends[1]


def narrow_by_rule(
    best: Largest | LargestByGraph,
    a: Sequence[Extraction],
    b: Sequence[Extraction],
    scores: Mapping[Pair, Fraction],
    by: str = "text",
) -> None:
    """The rules of `match_extractions` in turn: the largest total, that of the places, ranks by position, by id."""
    best.narrow(scores)
    if by == "text":
        best.narrow({(i, j): slow_span(a[i], b[j]) for i, j in scores})
    for value in (lambda x: min((start for start, _ in x.ranges), default=inf), lambda x: x.id):
        best.narrow(dict.fromkeys(scores, 0) | like_ranks(best.open_pairs(), list(map(value, a)), list(map(value, b))))


def like_ranks(pairs: Sequence[Pair], values_a: Sequence[object], values_b: Sequence[object]) -> dict[Pair, int]:
    """Larger for pairs that stand early on both sides, among all that hang together by pairs still open.

    The rank of an extraction is the number of different values before its own, of those of its side in the same part
    of the graph; a pair loses the higher rank of its two.
    """
    graph = networkx.Graph((("a", i), ("b", j)) for i, j in pairs)
    weights = {}
    for part in networkx.connected_components(graph):
        of_a, of_b = ([n for side, n in part if side == name] for name in "ab")
        ranks_a, ranks_b = (
            {n: sorted({values[m] for m in numbers}).index(values[n]) for n in numbers}
            for values, numbers in ((values_a, of_a), (values_b, of_b))
        )
        last = max(*ranks_a.values(), *ranks_b.values())
        weights |= {(i, j): last + 1 - max(ranks_a[i], ranks_b[j]) for i, j in pairs if ("a", i) in part}
    return weights
