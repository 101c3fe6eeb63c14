"""Verdicts: does a quote stand in its text, where, and if not, how near does the text come?

No similarity threshold accepts a quote: "12 months" and "24 months" are nearly the same string. A quote
is accepted only if all its tokens, in order, are those of the source. Similarity only tells an altered
quote from one that is not there at all.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import Indel

from fingreat.errors import InputError
from fingreat.matching.elision import Parts, chains, take_apart
from fingreat.matching.index import UNKNOWN, Place, SectionIndex, split_at_line_ends
from fingreat.matching.normalise import normalise
from fingreat.matching.tokens import tokens
from fingreat.matching.verbatim import verbatim_places
from fingreat.matching.weight import WORDING, differences, negations, weighs
from fingreat.schema.records import Verdict

MIN_CHARACTERS = 12
MIN_WORDS = 3
NEAR = 0.6
"""Share of a quote's tokens that a place must have in order for the quote to count as altered."""

_MAX_TRIMMED = 8000
"""Above this many tokens, quote and place together, the place is not trimmed: too much memory."""

Range = tuple[int, int]


@dataclass(frozen=True)
class Grounding:
    """What a check of one quote found.

    Attributes:
        ranges: half-open ranges of code points in the section's text: one; one per fragment of an
            elided quote; or, if `ambiguous`, those of every equal place. Empty unless grounded.
        ambiguous: several places are equally good.
        outside_chunk: in the section, but not in the chunk that was shown.
        differs: of an altered quote, the kinds of tokens in which it differs from the nearest place:
            `direction`, `figure`, `modal`, `negation`, `scale`, `wording`.
    """

    verdict: Verdict
    ranges: tuple[Range, ...] = ()
    ambiguous: bool = False
    outside_chunk: bool = False
    differs: tuple[str, ...] = ()


def ground(quote: str, chunk: str | None, section: str, chunk_start: int = 0) -> Grounding:
    """Check one quote against its chunk, then against the rest of the section.

    For many quotes of one section build a `Grounder` once.

    Args:
        quote: as a model gave it.
        chunk: the text that was shown, None for the whole section.
        section: the text that `ranges` are counted in.
        chunk_start: where the chunk begins in the section, in code points.

    Raises:
        InputError: the chunk does not stand at `chunk_start`.
    """
    if chunk is None:
        return Grounder(section).ground(quote)
    if chunk_start < 0 or not section.startswith(chunk, chunk_start):
        raise InputError(f"The chunk does not stand at character {chunk_start} of its section.")
    return Grounder(section).ground(quote, chunk_start, chunk_start + len(chunk))


class Grounder:
    """Checks quotes against one section, which is normalised and indexed once, when a quote first needs it."""

    def __init__(self, section: str) -> None:
        self._section = section

    @cached_property
    def _index(self) -> SectionIndex:
        return SectionIndex(self._section)

    @cached_property
    def _negations(self) -> list[int]:
        return [match.start() for match in negations().finditer(self._index.normalised.text)]

    def ground(self, quote: str, start: int = 0, end: int | None = None) -> Grounding:
        """The verdict of a quote whose chunk is `section[start:end]`, by default all of it."""
        end = len(self._section) if end is None else end
        if places := verbatim_places(quote.strip(), self._section, start, end, MIN_WORDS):
            return Grounding(Verdict.EXACT, places, ambiguous=len(places) > 1)
        windows = self._windows(start, end)
        whole = _Quote(quote.strip(), self._index)
        if _too_short([whole]):
            return Grounding(Verdict.TOO_SHORT)
        for outside, window in enumerate(windows):
            if found := self._whole(whole, window, outside_chunk=bool(outside)):
                return found
        if (parts := take_apart(quote)) is None:
            return self._rejected([whole])
        pieces = [piece for text in parts.fragments if (piece := _Quote(text, self._index)).tokens]
        if _too_short(pieces):
            return Grounding(Verdict.TOO_SHORT)
        for outside, window in enumerate(windows):
            if found := self._elided(pieces, parts, window, outside_chunk=bool(outside)):
                return found
        return self._rejected([piece for piece in pieces if not self._places(piece, windows[-1])])

    def _windows(self, start: int, end: int) -> list[Place]:
        """Token ranges, half-open, to look in: the chunk's, then the section's."""
        everything = (0, len(self._index.chars))
        chunk = bisect_left(self._index.starts, start), bisect_right(self._index.ends, end)
        return [everything] if chunk == everything else [chunk, everything]

    def _places(self, quote: _Quote, window: Place) -> list[Place]:
        """Where all tokens of a quote stand in order, in the plainest view that has them."""
        for view in self._index.views:
            for needle in quote.needles:
                if places := [place for place in view.find(needle, *window) if self._index.on_borders(place)]:
                    return places
        return []

    def _whole(self, quote: _Quote, window: Place, *, outside_chunk: bool) -> Grounding | None:
        fits = [self._fit(quote, place) for place in self._places(quote, window)]
        if not fits:
            return None
        best = min(rank for rank, _ in fits)
        ranges = tuple(span for rank, span in fits if rank == best)
        verdict = Verdict.EXACT if best == 0 else Verdict.NORMALISED
        return Grounding(verdict, ranges, ambiguous=len(ranges) > 1, outside_chunk=outside_chunk)

    def _fit(self, quote: _Quote, place: Place) -> tuple[int, Range]:
        """How well a place fits (0 the same characters, 1 the same normal form, 2 the same tokens), and
        its range with as much of the quote's outer punctuation as the source has there."""
        first, last = place
        verbatim = self._index.starts[first] - quote.lead
        if verbatim >= 0 and self._section.startswith(quote.text, verbatim):
            return 0, (verbatim, verbatim + len(quote.text))
        source = self._index.normalised
        start, end = self._index.tokens.starts[first], self._index.tokens.ends[last]
        text = quote.normalised.text
        for char in reversed(text[: quote.tokens[0].start].replace(" ", "")):
            before = start - 1 if source.text[start - 1 : start] != " " else start - 2
            if before < 0 or source.text[before] != char:
                break
            start = before
        for char in text[quote.tokens[-1].end :].replace(" ", ""):
            after = end + 1 if source.text[end : end + 1] == " " else end
            if source.text[after : after + 1] != char:
                break
            end = after + 1
        if quote.open_end and source.text[end : end + 1] == " ":
            end += 1
        return 1 if source.text[start:end] == text else 2, source.source_range(start, end)

    def _elided(
        self, pieces: Sequence[_Quote], parts: Parts, window: Place, *, outside_chunk: bool
    ) -> Grounding | None:
        """An elided quote whose fragments stand in order and close together, or None."""
        places = [self._places(piece, window) for piece in pieces]
        if not all(places):
            return None
        starts, ends = self._index.starts, self._index.ends
        found = chains(places, starts, ends, self._hides_nothing)
        if not found:
            hidden = chains(places, starts, ends, lambda before, after: True)
            return Grounding(Verdict.ALTERED, differs=("negation",)) if hidden else None
        if any(weighs(normalise(insert).text) for insert in parts.inserts):
            return Grounding(Verdict.ALTERED, differs=("wording",))
        ranges = tuple(
            self._fit(piece, place)[1] for chain in found for piece, place in zip(pieces, chain, strict=True)
        )
        return Grounding(Verdict.ELIDED, ranges, ambiguous=len(found) > 1, outside_chunk=outside_chunk)

    def _hides_nothing(self, before: Place, after: Place) -> bool:
        """Whether the gap between two places is free of negations."""
        start, end = self._index.tokens.ends[before[1]], self._index.tokens.starts[after[0]]
        return bisect_left(self._negations, start) == bisect_left(self._negations, end)

    def _rejected(self, missing: Sequence[_Quote]) -> Grounding:
        """`altered` if there are missing pieces and the section comes near to each, else `not_found`."""
        kinds: set[str] = set()
        for quote in missing:
            needle = quote.needles[0]
            share, place = self._index.nearest(needle)
            if place is None or share < NEAR:
                return Grounding(Verdict.NOT_FOUND)
            kinds.update(differences(quote.parts, self._trimmed(needle, place)) or (WORDING,))
        return Grounding(Verdict.ALTERED if kinds else Verdict.NOT_FOUND, differs=tuple(sorted(kinds)))

    def _trimmed(self, needle: str, place: Place) -> list[str]:
        """The texts of the tokens of a place from the first to the last that the needle shares with it."""
        first, last = place
        window = self._index.chars[first : last + 1]
        if len(needle) + len(window) > _MAX_TRIMMED:
            return self._index.tokens.texts[first : last + 1]
        shared = [change for change in Indel.opcodes(needle.replace(UNKNOWN, ""), window) if change.tag == "equal"]
        return self._index.tokens.texts[first + shared[0].dest_start : first + shared[-1].dest_end]


class _Quote:
    """A quote or a fragment of one, as a section's index reads it."""

    def __init__(self, text: str, index: SectionIndex) -> None:
        self.open_end = text[-1:].isspace()
        self.text = text
        self.normalised = normalise(text)
        self.tokens = tokens(self.normalised, symbols=True)
        self.lead = self.normalised.starts[self.tokens[0].start] if self.tokens else 0
        self.parts = [part for token in self.tokens for part in index.parts(token.text)]
        self.needles = self._needles(index)

    def _needles(self, index: SectionIndex) -> list[str]:
        """The token strings to look for: a word cut by a line end may be two words, or one."""
        whole = index.encode(self.parts)
        split = split_at_line_ends(self.normalised, self.tokens)
        return list(dict.fromkeys([index.encode([part for word in split for part in index.parts(word)]), whole]))


def _too_short(pieces: Sequence[_Quote]) -> bool:
    words = sum(token.kind != "symbol" for piece in pieces for token in piece.tokens)
    return words < MIN_WORDS or sum(len(piece.normalised.text) for piece in pieces) < MIN_CHARACTERS
