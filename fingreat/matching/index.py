"""A section as a string of tokens, one character each, so that a whole quote is found by one search."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from heapq import nsmallest
from itertools import pairwise

from rapidfuzz.distance import LCSseq

from fingreat.errors import InputError
from fingreat.matching.chrome import chrome_ranges
from fingreat.matching.normalise import Normalised, normalise
from fingreat.matching.tokens import Columns, Token, columns, word_around

UNKNOWN = "\0"
"""Stands for a token that the section lacks."""

_SUPERSCRIPTS = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")
_MAX_NOTE = 3  # "-12": two digits in parentheses read as a loss
_OVERLAP = 100_000
_VOTES = 20_000
_CANDIDATES = 4

Place = tuple[int, int]
"""First and last token of a place, both inclusive."""


class View:
    """The token string of a section, all of it or without some optional tokens.

    Attributes:
        chars: one character per token.
        where: for each character the token's number in the section.
    """

    def __init__(self, chars: str, where: Sequence[int]) -> None:
        self.chars = chars
        self.where = where

    def find(self, needle: str, first: int, last: int) -> Iterator[Place]:
        """Places of a needle within tokens `first` (inclusive) to `last` (exclusive), from left to right.

        Places of a text that repeats itself may overlap, but only until the overlaps sum up to a bound.
        """
        stop = bisect_left(self.where, last)
        overlap = _OVERLAP
        at = self.chars.find(needle, bisect_left(self.where, first), stop)
        while at >= 0:
            yield self.where[at], self.where[at + len(needle) - 1]
            overlap -= len(needle)
            at = self.chars.find(needle, at + (1 if overlap > 0 else len(needle)), stop)


class SectionIndex:
    """A section, normalised and cut into tokens once.

    A word that a line end cuts (`long-` / `term`) may be one word or two. Wherever it occurs, in the
    section and in quotes, it is therefore kept as its parts, so that both readings are found.

    Attributes:
        tokens: all of them.
        chars: their texts, one character for each.
    """

    def __init__(self, section: str) -> None:
        self.normalised = normalise(section)
        self._parts: dict[str, tuple[str, ...]] = {}
        for word in _joined_words(self.normalised):
            if cuts := line_end_cuts(self.normalised, word):
                self._parts.setdefault(word.text, _cut(word.text, cuts))
        found = columns(self.normalised.text)
        self.tokens = self._split(found) if self._parts else found
        self._codes = _coded(dict.fromkeys(self.tokens.texts))
        self.chars = "".join([self._codes[text] for text in self.tokens.texts])

    @cached_property
    def starts(self) -> list[int]:
        """Where in the section each token starts."""
        starts = self.normalised.starts
        return [starts[start] for start in self.tokens.starts]

    @cached_property
    def ends(self) -> list[int]:
        """Where in the section each token ends."""
        ends = self.normalised.ends
        return [ends[end - 1] for end in self.tokens.ends]

    def encode(self, texts: Sequence[str]) -> str:
        """Tokens as characters; `UNKNOWN` for those that the section lacks."""
        return "".join([self._codes.get(text, UNKNOWN) for text in texts])

    def parts(self, word: str) -> tuple[str, ...]:
        """A word as this section keeps it."""
        return self._parts.get(word, (word,))

    def _split(self, found: Columns) -> Columns:
        split = Columns([], [], [], [])
        for text, start, end, kind in zip(*found, strict=True):
            for part in self.parts(text):
                # A figure is never a part, and may be shorter or longer than what it stands for.
                till = start + len(part) if text in self._parts else end
                split.texts.append(part)
                split.starts.append(start)
                split.ends.append(till)
                split.kinds.append(kind)
                start = till
        return split

    def on_borders(self, place: Place) -> bool:
        """Whether a place begins and ends with whole tokens, not inside a word kept as parts."""
        if not self._parts:
            return True
        first, last = place
        return not (self._glued(first - 1) or self._glued(last))

    def _glued(self, at: int) -> bool:
        """Whether a token and its follower are one word without any break in the source."""
        if not 0 <= at < len(self.chars) - 1 or self.tokens.kinds[at] != "word":
            return False
        return self.tokens.kinds[at + 1] == "word" and self.ends[at] == self.starts[at + 1]

    @cached_property
    def views(self) -> list[View]:
        """The section as it is, then without footnote marks, without page chrome, without both."""
        notes = {at for at, kind in enumerate(self.tokens.kinds) if kind == "number" and self._is_note(at)}
        chrome: set[int] = set()
        for start, end in chrome_ranges(self.normalised.source):
            chrome.update(range(bisect_left(self.starts, start), bisect_left(self.starts, end)))
        views = [View(self.chars, range(len(self.chars)))]
        for left_out in (notes, chrome, notes | chrome if notes and chrome else set()):
            if left_out:
                where = [at for at in range(len(self.chars)) if at not in left_out]
                views.append(View("".join([self.chars[at] for at in where]), where))
        return views

    def _is_note(self, at: int) -> bool:
        """A footnote mark: a small number in parentheses or raised, right behind a word or a figure."""
        text, start = self.tokens.texts[at], self.tokens.starts[at]
        if len(text) > _MAX_NOTE or not at:
            return False
        if self.normalised.source[self.starts[at]] in _SUPERSCRIPTS:
            return self.ends[at - 1] == self.starts[at]
        raised = text[0] == "-" and text[1:].isdigit() and self.normalised.text[start] == "("
        return raised and self.tokens.kinds[at - 1] == "word" and self.tokens.ends[at - 1] == start

    @cached_property
    def _found(self) -> dict[str, list[int]]:
        return {}

    def _positions(self, char: str) -> list[int]:
        """Where a token stands; looked for once for each that a quote has."""
        if char not in self._found:
            places = self._found[char] = []
            at = self.chars.find(char)
            while at >= 0:
                places.append(at)
                at = self.chars.find(char, at + 1)
        return self._found[char]

    def nearest(self, needle: str) -> tuple[float, Place | None]:
        """The place most like a needle and the share of the needle's tokens that it has in order.

        Tokens vote for the diagonals they lie on, the rarest first and no more than a fixed number of
        votes, so the work does not grow with section times quote; the best few places are compared by
        their longest common subsequence.
        """
        width = max(8, len(needle) // 4)
        best: tuple[float, Place | None] = (0.0, None)
        for diagonal in self._diagonals(needle, width):
            first = max(0, diagonal * width - 2)
            window = self.chars[first : (diagonal + 2) * width + len(needle) + 2]
            shared = LCSseq.similarity(needle, window)
            if shared > best[0] * len(needle):
                best = shared / len(needle), (first, first + len(window) - 1)
        return best

    def _diagonals(self, needle: str, width: int) -> list[int]:
        offsets: dict[str, list[int]] = defaultdict(list)
        for at, char in enumerate(needle):
            offsets[char].append(at)
        positions = {char: self._positions(char) for char in offsets}
        votes: dict[int, int] = defaultdict(int)
        left = _VOTES
        for char in sorted(offsets, key=lambda char: len(positions[char]) * len(offsets[char])):
            for here in offsets[char]:
                places = positions[char][: max(left, 0)]
                left -= len(places)
                for there in places:
                    votes[(there - here) // width] += 1
        # A shifted half of a quote votes for the next diagonal. The most votes first, then the leftmost.
        both = ((-count - votes.get(diagonal + 1, 0), diagonal) for diagonal, count in votes.items())
        return [diagonal for _, diagonal in nsmallest(_CANDIDATES, both)]


def _joined_words(normalised: Normalised) -> Iterator[Token]:
    """The words in which a hyphen at a line end was dropped."""
    text = normalised.text
    for hyphen in normalised.joined:
        start, end = word_around(text, bisect_left(normalised.starts, hyphen))
        if start < end:
            yield Token(text[start:end], start, end, "word")


def line_end_cuts(normalised: Normalised, token: Token) -> list[int]:
    """Where inside a word the source has a hyphen and a line end, as offsets in the word."""
    starts, ends = normalised.starts, normalised.ends
    if token.kind != "word" or ends[token.end - 1] - starts[token.start] == token.end - token.start:
        return []
    return [
        at - token.start
        for at in range(token.start + 1, token.end)
        if any(mark in normalised.source[ends[at - 1] : starts[at]] for mark in "\n\r")
    ]


def _cut(word: str, cuts: Sequence[int]) -> tuple[str, ...]:
    borders = [0, *cuts, len(word)]
    return tuple(word[a:b] for a, b in pairwise(borders))


def split_at_line_ends(normalised: Normalised, found: Sequence[Token]) -> list[str]:
    """The texts of tokens, words that a line end cuts as their parts."""
    if not normalised.joined:
        return [token.text for token in found]
    return [part for token in found for part in _cut(token.text, line_end_cuts(normalised, token))]


def _coded(texts: Collection[str]) -> dict[str, str]:
    """A character for each text."""
    if len(texts) > sys.maxunicode:
        raise InputError(
            f"A section with more than {sys.maxunicode} different words and figures cannot be indexed.",
            hint="Cut the text into sections or chunks first.",
        )
    return dict(zip(texts, map(chr, range(1, len(texts) + 1)), strict=True))
