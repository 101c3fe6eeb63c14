"""How far two quotes of one filing are the same passage: the overlap score s(a, b), from 0 to 1.

It is the largest of four components, each a function of its own: equal normal forms, contiguous containment, shared
fragments, and token order. It measures overlap of text: a quote with another figure or a negation scores below 1,
but hardly lower than one with any other word changed. Edges and places play no part.

Tokens are those of `fingreat.matching.tokens` without symbols: runs of letters, and figures with sign, point and
per-cent mark. Beyond the rule's letter, marks that combine with a letter belong to its run, and an accounting loss
in parentheses carries a minus sign.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from rapidfuzz.distance import LCSseq

from fingreat.errors import InputError
from fingreat.matching.elision import take_apart
from fingreat.matching.normalise import normalise
from fingreat.matching.tokens import columns, tokens

MIN_TOKENS = 8
"""Tokens that the shorter quote needs for containment and fragments to count in full."""
MIN_FRAGMENT = 6
"""Tokens of the shortest fragment that counts."""

_GAP = "\0"  # stands for no token
_SENTENCE_END = re.compile(r"(?P<end>[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*(?:[A-Z0-9$]|[^\x00-\x7f]))|[。！？]+|\n\s*\n")
_LAST_WORD = re.compile(r"[^\W\d_]*\Z")
_ABBREVIATIONS = frozenset(("mr", "mrs", "ms", "dr", "st", "no", "nos", "inc", "corp", "co", "ltd", "vs", "approx"))


class Overlap(NamedTuple):
    """The score of two quotes and the component that gave it.

    Attributes:
        decided_by: of components with equal values the first in the order of their names here.
    """

    score: float
    decided_by: Literal["equal", "containment", "fragments", "order"]


class Components(NamedTuple):
    """What each component gives for two quotes, whichever of them decides."""

    equal: float
    containment: float
    fragments: float
    order: float


class Vocabulary:
    """One character for each token, so that a quote is a string of them: substring search and LCS run on it."""

    def __init__(self) -> None:
        self._codes: dict[str, str] = {}

    def encode(self, texts: Iterable[str]) -> str:
        """The code string of some tokens.

        Raises:
            InputError: more different tokens than there are characters.
        """
        codes = self._codes
        try:
            return "".join([codes.get(text) or codes.setdefault(text, chr(len(codes) + 1)) for text in texts])
        except ValueError as error:
            raise InputError(
                f"Quotes with more than {sys.maxunicode} different words and figures cannot be compared."
            ) from error


class Quote:
    """A quote made ready once, to be compared with many others of the same vocabulary.

    Attributes:
        text: its normal form.
        codes: its tokens, one character each.
        vocabulary: what the characters mean.
    """

    def __init__(self, source: str, vocabulary: Vocabulary) -> None:
        normalised = normalise(source)
        self._source = source
        self._parts = take_apart(source)
        self.vocabulary = vocabulary
        self.text = normalised.text
        self.codes = vocabulary.encode(token.text for token in tokens(normalised))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts of its tokens, symbols included."""
        return tuple(columns(self.text).texts)

    @cached_property
    def divided(self) -> bool:
        """Whether the quote may have fragments other than all of itself."""
        return bool(self._parts) or bool(_sentence_ends(self._source))

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        """The code strings of what an elided quote quotes, without ellipses and inserts; of a plain quote itself."""
        return tuple("".join(sentences) for sentences in self._cut) if self._parts else (self.codes,)

    @cached_property
    def fragments(self) -> tuple[str, ...]:
        """The code strings of the sentences of every piece, those of at least `MIN_FRAGMENT` tokens, and of every
        such piece."""
        sentences = [sentence for piece in self._cut for sentence in piece]
        whole = self.pieces if len(self.pieces) > 1 else ()
        return tuple(part for part in dict.fromkeys([*whole, *sentences]) if len(part) >= MIN_FRAGMENT)

    @cached_property
    def _cut(self) -> list[list[str]]:
        return [self._sentences(piece) for piece in (self._parts.fragments if self._parts else (self._source,))]

    def _sentences(self, piece: str) -> list[str]:
        normalised = normalise(piece)
        found = tokens(normalised)
        codes = self.vocabulary.encode(token.text for token in found)
        starts = [normalised.starts[token.start] for token in found]
        borders = [0, *(bisect_left(starts, end) for end in _sentence_ends(piece)), len(codes)]
        return [codes[a:b] for a, b in pairwise(borders)]


def prepare(quotes: Iterable[str]) -> list[Quote]:
    """Quotes made ready to be compared with one another.

    Raises:
        InputError: they hold more different tokens than there are characters.
    """
    vocabulary = Vocabulary()
    return [Quote(quote, vocabulary) for quote in quotes]


def overlap(a: Quote, b: Quote) -> Overlap:
    """The score s(a, b) of two quotes of one filing; it is symmetric.

    Raises:
        ValueError: the quotes were not prepared together.
    """
    _check_prepared_together(a, b)
    if equal(a, b):
        return Overlap(1.0, "equal")
    contained = containment(a, b)
    if contained:
        # Neither other component can be larger: fragments stop at 0.90 + 0.05 r and order at r, with r the ratio of
        # the lengths.
        return Overlap(contained, "containment")
    order = token_order(a, b)
    shared = shared_fragments(a, b)
    return Overlap(shared, "fragments") if shared and shared >= order else Overlap(order, "order")


def components(a: Quote, b: Quote) -> Components:
    """What each component of the overlap gives; the score is the largest of them.

    Raises:
        ValueError: the quotes were not prepared together.
    """
    _check_prepared_together(a, b)
    return Components(equal(a, b), containment(a, b), shared_fragments(a, b), token_order(a, b))


def equal(a: Quote, b: Quote) -> float:
    """1 if the normal forms are the same text, else 0."""
    return float(a.text == b.text)


def containment(a: Quote, b: Quote) -> float:
    """Whether the tokens of one quote stand in the other in one stretch.

    Returns:
        0.90 + 0.10·(n_short/n_long) if the shorter has at least `MIN_TOKENS` tokens, else n_short/n_long; 0 if it is
        not contained or has no token.
    """
    short, long = _by_length(a, b)
    if not short or short not in long:
        return 0.0
    if len(short) >= MIN_TOKENS:
        # One division, so that the result is the number nearest to the true value.
        return (9 * len(long) + len(short)) / (10 * len(long))
    return len(short) / len(long)


def shared_fragments(a: Quote, b: Quote) -> float:
    """How much of the shorter quote stands in the other in fragments, in whatever order.

    Fragments are the sentences of both quotes, and the pieces of those with something left out. One is shared if it
    stands in both. The longest are looked for first, and each stretch of a quote counts for one fragment only.

    Returns:
        tokens of shared fragments over n_short, at most 0.90 + 0.05·(n_short/n_long); 0 if the shorter has less than
        `MIN_TOKENS` tokens.
    """
    short, long = _by_length(a, b)
    if len(short) < MIN_TOKENS:
        return 0.0
    rest_a, rest_b = _GAP.join(a.pieces), _GAP.join(b.pieces)
    shared = 0
    for fragment in sorted([*a.fragments, *b.fragments], key=lambda part: (-len(part), part)):
        if fragment in rest_a and fragment in rest_b:
            rest_a, rest_b = (rest.replace(fragment, _GAP, 1) for rest in (rest_a, rest_b))
            shared += len(fragment)
    return float(min(shared / len(short), cap_of_fragments(len(short), len(long))))


def cap_of_fragments(n_short: Any, n_long: Any) -> Any:
    """What shared fragments give at most, 0.90 + 0.05·(n_short/n_long); of two numbers or of two arrays of them."""
    return (18 * n_long + n_short) / (20 * n_long)


def token_order(a: Quote, b: Quote) -> float:
    """The longest common subsequence of tokens over the number of tokens of the longer quote; 0 without tokens."""
    short, long = _by_length(a, b)
    return int(LCSseq.similarity(short, long)) / len(long) if short else 0.0


def _check_prepared_together(a: Quote, b: Quote) -> None:
    if a.vocabulary is not b.vocabulary:
        raise ValueError("quotes that are compared must be prepared together")


def _by_length(a: Quote, b: Quote) -> tuple[str, str]:
    return (a.codes, b.codes) if len(a.codes) <= len(b.codes) else (b.codes, a.codes)


def _sentence_ends(text: str) -> list[int]:
    """Where sentences and paragraphs end; a point behind an initial or an abbreviation ends none."""
    ends = []
    for match in _SENTENCE_END.finditer(text):
        if match["end"] == ".":
            # No further back than the longest abbreviation, lest a text of one word take quadratic time.
            before = _LAST_WORD.search(text[max(0, match.start() - 8) : match.start()])
            word = before.group().lower() if before else ""
            if len(word) == 1 or word in _ABBREVIATIONS:
                continue
        ends.append(match.end())
    return ends
