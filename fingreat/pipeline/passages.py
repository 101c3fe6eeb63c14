"""What is shown with a passage: its section, its paragraph or a window, within a budget that no model changes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal

from fingreat.edgar.segments import Border, segment_text
from fingreat.edgar.tokens import TokenCounter, cl100k_counter
from fingreat.matching import Grounder
from fingreat.schema import GoldPassage, Range

_SURE_BELOW, _SURE_ABOVE = 0.9, 1.3
"""A blank that joins the next word is a token less in the whole; a tenth or a third is never made of that."""

ContextKind = Literal["section", "paragraph", "window", "none"]


@dataclass(frozen=True)
class Context:
    """The text shown around a passage, the passage included.

    Attributes:
        range: code points in the section's text; None where the passage stands alone.
        kind: what it is; see `Surroundings`.
        n_tokens: of the text, in cl100k_base.
    """

    range: Range | None = None
    kind: ContextKind = "none"
    n_tokens: int = 0


ALONE = Context()


class Surroundings:
    """What stands around the passages of one filing's text, which is cut into segments once.

    The first of these that fits is a passage's context:

    - `section`: from the heading above the passage to the next heading below it;
    - `window`: whole paragraphs of that section around the passage, added one after the other to the shorter side,
      for as long as they fit;
    - `paragraph`: the passage's own paragraph, or paragraphs, where no other fits beside it;
    - `window`: whole sentences and rows of that paragraph, added in the same way;
    - `none`: the passage alone.

    Headings that follow one another are one border, as they are for chunks.
    """

    def __init__(self, text: str, counter: TokenCounter | None = None) -> None:
        self.text = text
        self._counter = counter or cl100k_counter()
        pieces = segment_text(text)
        self._borders = {
            border: [p.segment.start for p in pieces if p.border >= border] or [0]
            for border in (Border.SECTION, Border.PARAGRAPH, Border.SENTENCE)
        }
        starts = [*self._borders[Border.SENTENCE], len(text)]
        counts = (self._counter.count(text[a:b]) for a, b in pairwise(starts))
        self._sizes = dict(zip(starts, accumulate(counts, initial=0), strict=True))
        self._grounder: Grounder | None = None

    def place(self, passage: GoldPassage) -> Range | None:
        """Where a passage stands: its own place if it fits, else the one place that is found; None if there is none."""
        start, end = passage.start, passage.end
        if start is not None and end is not None and self.text[start:end] == passage.text:
            return start, end
        self._grounder = self._grounder or Grounder(self.text)
        found = self._grounder.ground(passage.text, 0, len(self.text))
        if not found.verdict.grounded or found.ambiguous:
            return None
        return min(start for start, _ in found.ranges), max(end for _, end in found.ranges)

    def around(self, place: Range, room: int) -> Context:
        """The context of a passage at `place`, of at most `room` tokens."""
        section = self._widened(place, Border.SECTION)
        if self._fits(section, room):
            return self._context(section, "section")
        for border, alone in ((Border.PARAGRAPH, "paragraph"), (Border.SENTENCE, "window")):
            own = self._widened(place, border)
            if self._fits(own, room):
                grown = self._grown(own, section, border, room)
                return self._context(grown, "window" if grown != own or alone == "window" else "paragraph")
            section = own
        return ALONE

    def _context(self, range: Range, kind: ContextKind) -> Context:
        return Context(range, kind, self._count(range))

    def _widened(self, place: Range, border: Border) -> Range:
        """From the last such border at or before the place to the first at or after its end."""
        starts = self._borders[border]
        first = starts[max(0, bisect_right(starts, place[0]) - 1)]
        following = bisect_left(starts, place[1])
        return first, starts[following] if following < len(starts) else len(self.text)

    def _grown(self, own: Range, limits: Range, border: Border, room: int) -> Range:
        """The range with its neighbours within the limits, each time one on the side that has fewer characters."""
        start, end = own
        before, after = start > limits[0], end < limits[1]
        while before or after:
            if before and (not after or own[0] - start <= end - own[1]):
                previous = self._widened((start - 1, start), border)[0]
                before = self._fits((previous, end), room)
                start = previous if before else start
                before = before and start > limits[0]
            else:
                following = self._widened((end, end + 1), border)[1]
                after = self._fits((start, following), room)
                end = following if after else end
                after = after and end < limits[1]
        return start, end

    def _fits(self, range: Range, room: int) -> bool:
        # Counts of parts nearly add up to that of the whole, which takes long; what is plain from them is not counted.
        parts = self._sizes[range[1]] - self._sizes[range[0]]
        if not room * _SURE_BELOW < parts < room * _SURE_ABOVE + 1:
            return parts <= room
        return self._count(range) <= room

    def _count(self, range: Range) -> int:
        return self._counter.count(self.text[range[0] : range[1]])
