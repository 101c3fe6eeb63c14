"""From replies to extractions: each quote is checked against the chunk that was shown, then its section."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from fingreat.inference import Item
from fingreat.matching import Grounder, Grounding
from fingreat.schema import Chunk, Extraction, Section, Verdict, content_id
from fingreat.schema.reply import MAX_SPAN, MAX_TAGS

_FENCE = "```"
"""Opens and closes a fixed-width table; the mark may stand in the segment before or after it."""
_TABLE_OPENING = re.compile(r"\A<table>\n(?=<tr>)")
_TABLE_CLOSING = re.compile(r"(?<=</tr>)\n</table>\Z")
"""First and last line of a table as HTML; they stand in the segments of its first and last row."""


class Place:
    """A section, with what it takes to find quotes in it, made when it is first needed."""

    def __init__(self, section: Section) -> None:
        self.section = section

    @cached_property
    def grounder(self) -> Grounder:
        """Finds quotes in the section."""
        return Grounder(self.section.text)


def extractions_of(
    run: str, items: Sequence[Item], place: Place, chunk_id: str, piece: Chunk, key: str
) -> tuple[Extraction, ...]:
    """The extractions of one reply, with the place of each.

    In span mode, ranges of one edge that overlap are one passage (`merged`). A quote that is given again for the same
    edge counts once, with the first tags of all, and no more often than it stands in the piece.

    Args:
        chunk_id: of the chunk that `piece`, which was shown, is a part of.
        key: of the request.
    """
    found: list[Extraction] = []
    for one in (_extraction(run, item, place, chunk_id, piece, key) for item in merged(items)):
        twins = [number for number, other in enumerate(found) if _is_again(one, other)]
        if len(twins) < _places(one):
            found.append(one)
        else:
            first = found[twins[0]]
            found[twins[0]] = first.model_copy(update={"tags": _tags(first, one)})
    return tuple(found)


def _is_again(one: Extraction, other: Extraction) -> bool:
    """Whether two extractions of a reply give the same words, found in the same places, for the same edge."""
    return (one.quote, one.edge, one.facets, one.ranges) == (other.quote, other.edge, other.facets, other.ranges)


def _places(one: Extraction) -> int:
    """How many passages of the piece a quote may mean. The ranges of an elided one are its fragments."""
    several = one.ambiguous and not one.outside_chunk and one.verdict is not Verdict.ELIDED
    return len(one.ranges) if several else 1


def merged(items: Sequence[Item]) -> tuple[Item, ...]:
    """The items of a reply, with ranges that overlap made one where edge and facets are the same.

    The union takes the place of the first of them, with the tags of all in their order, as many as an item may have.
    Ranges stay apart where it would be longer than one range may be; so do ranges that only touch, and ranges of
    different edges, since one passage may tell of several flows. Quotes are left as they are: their places are not
    known yet.
    """
    found: list[Item] = []
    for item in items:
        one = item
        while twin := next((other for other in found if _joins(one, other)), None):
            found.remove(twin)
            one = _union(twin, one)
        found.append(one)
    return tuple(sorted(found, key=lambda item: item.index))


def _joins(one: Item, other: Item) -> bool:
    if one.first is None or one.last is None or other.first is None or other.last is None:
        return False
    if (one.edge, one.facets) != (other.edge, other.facets):
        return False
    overlap = one.first <= other.last and other.first <= one.last
    return overlap and max(one.last, other.last) - min(one.first, other.first) < MAX_SPAN


def _union(one: Item, other: Item) -> Item:
    first, second = sorted((one, other), key=lambda item: item.index)
    return replace(
        first,
        first=min(first.first or 1, second.first or 1),
        last=max(first.last or 1, second.last or 1),
        tags=_tags(first, second),
    )


def _tags(first: Item | Extraction, second: Item | Extraction) -> tuple[str, ...]:
    """The tags of two that are one, each once and no more than a reply may give one."""
    return tuple(dict.fromkeys((*first.tags, *second.tags)))[:MAX_TAGS]


def _extraction(run: str, item: Item, place: Place, chunk_id: str, piece: Chunk, key: str) -> Extraction:
    section = place.section
    if item.quote is None:
        start, end = _span(item, section, piece)
        quote, grounding = section.text[start:end], Grounding(Verdict.EXACT, ((start, end),))
    else:
        quote, grounding = item.quote, place.grounder.ground(item.quote, piece.start, piece.end)
    return Extraction(
        # The piece stands beside the key: two texts with the same words share one request.
        id=content_id("ext", [key, piece.id, item.index]),
        run=run,
        filing_id=section.filing_id,
        chunk_id=chunk_id,
        quote=quote,
        edge=item.edge,
        tags=item.tags,
        period=item.period,
        facets=item.facets,
        verdict=grounding.verdict,
        ranges=grounding.ranges,
        ambiguous=grounding.ambiguous,
        outside_chunk=grounding.outside_chunk,
    )


def _span(item: Item, section: Section, chunk: Chunk) -> tuple[int, int]:
    """The range of segments `first` to `last`, without the white space and the marks of tables around it."""
    first, last = chunk.segments[(item.first or 1) - 1], chunk.segments[(item.last or 1) - 1]
    text = section.text[first.start : last.end]
    start = first.start + len(text) - len(_bare_start(text))
    return start, max(start, first.start + len(_bare_end(text)))


def _bare_start(text: str) -> str:
    return _TABLE_OPENING.sub("", text.lstrip().removeprefix(_FENCE).lstrip())


def _bare_end(text: str) -> str:
    return _TABLE_CLOSING.sub("", text.rstrip().removesuffix(_FENCE).rstrip())
