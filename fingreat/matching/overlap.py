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
from itertools import chain, pairwise
from typing import Any, Literal, NamedTuple

from rapidfuzz.distance import LCSseq

from fingreat.errors import InputError
from fingreat.matching.elision import ELISION, take_apart
from fingreat.matching.normalise import normalise
from fingreat.matching.tokens import columns

MIN_TOKENS = 8
"""Tokens that the shorter quote needs for containment and fragments to count in full."""
MIN_FRAGMENT = 6
"""Tokens of the shortest fragment that counts."""

_GAP = "\0"  # stands for no token
# It begins with a set of characters, to which `re` skips; what comes next depends on which of them it is.
_SENTENCE_END = re.compile(
    r"[.!?。！？\n](?:(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*(?:[A-Z0-9$]|[^\x00-\x7f]))|(?<=[。！？])[。！？]*|(?<=\n)\s*\n)"
)
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
    """One character for each of some tokens, so that a quote is a string of them: substring search and LCS run on it.

    Characters are in the order of the tokens' texts: what code strings decide by their order does not depend on the
    order of the quotes.

    Raises:
        InputError: more different tokens than there are characters.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        different = sorted(set(texts))
        if len(different) > sys.maxunicode:
            raise InputError(f"Quotes with more than {sys.maxunicode} different words and figures cannot be compared.")
        self._codes = {text: chr(number) for number, text in enumerate(different, 1)}

    def encode(self, texts: Iterable[str]) -> str:
        """The code string of some of the tokens."""
        return "".join(map(self._codes.__getitem__, texts))


class Quote:
    """A quote made ready once, to be compared with many others of the same vocabulary.

    Attributes:
        text: its normal form.
        texts: the texts of its tokens with symbols; of an elided quote those of its pieces, `ELISION` between them.
        vocabulary: what the characters of code strings mean.
        codes: its tokens without symbols, one character each.
        pieces: the code strings of what an elided quote quotes, without ellipses and inserts; of a plain quote itself.
        quoted: the pieces with a gap between every two.
        fragments: the code strings of the sentences of every piece, those of at least `MIN_FRAGMENT` tokens, and of
            every such piece of an elided quote.
        divided: whether it may have fragments other than all of itself.
    """

    def __init__(self, parts: _Tokenised, vocabulary: Vocabulary) -> None:
        self.text = parts.whole.text
        self.texts = parts.whole.texts
        self.vocabulary = vocabulary
        self.codes = vocabulary.encode(parts.whole.words)
        self.pieces: tuple[str, ...] = (self.codes,)
        sentences = self._sentences(parts.whole, self.codes)
        if parts.elided:
            self.pieces = tuple(vocabulary.encode(piece.words) for piece in parts.pieces)
            self.texts = tuple(chain(*((ELISION, *piece.texts) for piece in parts.pieces)))[1:]
            sentences = [
                sentence
                for piece, codes in zip(parts.pieces, self.pieces, strict=True)
                for sentence in self._sentences(piece, codes)
            ]
        self.quoted = _GAP.join(self.pieces)
        self.divided = parts.elided or len(parts.whole.ends) > 0
        whole = self.pieces if len(self.pieces) > 1 else ()
        self.fragments = tuple(part for part in dict.fromkeys([*whole, *sentences]) if len(part) >= MIN_FRAGMENT)

    @staticmethod
    def _sentences(piece: _Piece, codes: str) -> list[str]:
        borders = [0, *piece.ends, len(codes)]
        return [codes[a:b] for a, b in pairwise(borders)]


class _Piece:
    """A text cut into tokens and sentences.

    Attributes:
        text: its normal form.
        texts: the texts of its tokens, symbols included.
        words: those without symbols.
        ends: how many of `words` stand before each end of a sentence.
    """

    __slots__ = ("ends", "text", "texts", "words")

    def __init__(self, source: str) -> None:
        normalised = normalise(source)
        self.text = normalised.text
        texts, starts, _, kinds = columns(normalised.text)
        self.texts = tuple(texts)
        self.words = texts
        if "symbol" in kinds:
            kept = [at for at, kind in enumerate(kinds) if kind != "symbol"]
            self.words, starts = [texts[at] for at in kept], [starts[at] for at in kept]
        self.ends: list[int] = []
        if ends := _sentence_ends(source):
            begins = [normalised.starts[start] for start in starts]
            self.ends = [bisect_left(begins, end) for end in ends]


class _Tokenised:
    """A quote cut into tokens: the whole, and the pieces of one with something left out."""

    __slots__ = ("elided", "pieces", "whole")

    def __init__(self, source: str) -> None:
        self.whole = _Piece(source)
        parts = take_apart(source)
        self.elided = parts is not None
        self.pieces = [_Piece(fragment) for fragment in parts.fragments] if parts else [self.whole]


def prepare(quotes: Iterable[str]) -> list[Quote]:
    """Quotes made ready to be compared with one another.

    Raises:
        InputError: they hold more different tokens than there are characters.
    """
    tokenised = [_Tokenised(quote) for quote in quotes]
    pieces = (piece for quote in tokenised for piece in (quote.whole, *quote.pieces))
    vocabulary = Vocabulary(set[str]().union(*(piece.words for piece in pieces)))
    return [Quote(quote, vocabulary) for quote in tokenised]


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
    stands in both, and counts as often as it does. The longest are looked for first, and each stretch of a quote counts
    for one fragment only.

    Returns:
        tokens of shared fragments over n_short, at most 0.90 + 0.05·(n_short/n_long); 0 if the shorter has less than
        `MIN_TOKENS` tokens.
    """
    short, long = _by_length(a, b)
    if len(short) < MIN_TOKENS:
        return 0.0
    return float(min(shared_tokens(a, b) / len(short), cap_of_fragments(len(short), len(long))))


def shared_tokens(a: Quote, b: Quote) -> int:
    """How many tokens of two quotes stand in shared fragments."""
    rest_a, rest_b = a.quoted, b.quoted
    # Nothing is put in their place that stands in a fragment: one that the other quote lacks now it lacks later.
    known = {part for part in a.fragments if part in rest_b}.union(part for part in b.fragments if part in rest_a)
    shared = 0
    for fragment in sorted(known, key=lambda part: (-len(part), part)):
        if times := min(rest_a.count(fragment), rest_b.count(fragment)):
            rest_a, rest_b = (rest.replace(fragment, _GAP, times) for rest in (rest_a, rest_b))
            shared += len(fragment) * times
    return shared


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
        if text[match.start()] == ".":
            # No further back than the longest abbreviation, lest a text of one word take quadratic time.
            before = _LAST_WORD.search(text[max(0, match.start() - 8) : match.start()])
            word = before.group().lower() if before else ""
            if len(word) == 1 or word in _ABBREVIATIONS:
                continue
        ends.append(match.end())
    return ends
