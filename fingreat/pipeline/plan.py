"""What a run asks first for every chunk of its corpus, kept small: places, ids and keys, no text.

Chunking and rendering cost more than all else that is done for a chunk, and a run passes over its corpus several times.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from fingreat.edgar.chunks import chunk_of, cut_chunk
from fingreat.pipeline.pieces import Fits, Lead, leads
from fingreat.schema import Chunk, Request, Section, Segment
from fingreat.schema.records import SegmentKind

_KINDS: dict[SegmentKind, str] = {"heading": "h", "sentence": "s", "row": "r"}
_NAMES: dict[str, SegmentKind] = {letter: kind for kind, letter in _KINDS.items()}


class Plan:
    """The chunks of each section, and the leads of each chunk."""

    def __init__(self) -> None:
        self._packed: dict[str, bytes] = {}
        self.chunks = 0

    def add(self, section: Section, chunks: Sequence[tuple[Chunk, Sequence[Lead]]]) -> None:
        """Take note of a section; its text need not be kept."""
        self.chunks += len(chunks)
        self._packed[section.filing_id] = zlib.compress(json.dumps([_pack(*entry) for entry in chunks]).encode(), 1)

    def of(self, section: Section) -> Iterator[tuple[Chunk, tuple[Lead, ...]]]:
        """Every chunk of a section that was added, with its leads."""
        start = 0
        for chunk_id, n_tokens, lengths, kinds, cuts in self._unpacked(section.filing_id):
            segments = []
            for length, kind in zip(lengths, kinds, strict=True):
                segments.append(Segment(start=start, end=start + length, kind=_NAMES[kind]))
                start += length
            chunk = chunk_of(section, tuple(segments), n_tokens, chunk_id=chunk_id)
            yield chunk, tuple(_lead(section, chunk, *cut) for cut in cuts)

    def keys_of(self, filing_id: str) -> Iterator[str]:
        """The keys that are asked first for a filing's section."""
        for *_, cuts in self._unpacked(filing_id):
            yield from (key for _, _, key in cuts if key is not None)

    def keys(self) -> set[str]:
        """All keys that are asked first."""
        return {key for filing_id in self._packed for key in self.keys_of(filing_id)}

    def _unpacked(self, filing_id: str) -> list[Any]:
        packed: list[Any] = json.loads(zlib.decompress(self._packed[filing_id]))
        return packed


def _pack(chunk: Chunk, leads: Sequence[Lead]) -> list[Any]:
    lengths = [segment.end - segment.start for segment in chunk.segments]
    starts = {segment.start: index for index, segment in enumerate(chunk.segments)}
    cuts = [(starts[lead.piece.start], len(lead.piece.segments), lead.key) for lead in leads]
    return [chunk.id, chunk.n_tokens, lengths, "".join(_KINDS[segment.kind] for segment in chunk.segments), cuts]


def _lead(section: Section, chunk: Chunk, first: int, number: int, key: str | None) -> Lead:
    whole = number == len(chunk.segments)
    return Lead(chunk if whole else cut_chunk(section, chunk, first, first + number), key)


def as_asked(
    fits: Fits, was_asked: Callable[[str], bool] | None, section: Section, request_of: Callable[[Chunk], Request]
) -> Fits:
    """Says whether a request fits the model, and did fit it when it was asked before.

    A server counts by a tokenizer of its own, so that only the parts in which a chunk was asked tell what it held.

    Args:
        was_asked: whether the request of a key was asked by an earlier call; None where there was none.
        request_of: the request that shows a piece of the section.
    """
    if was_asked is None:
        return fits

    def in_parts(piece: Chunk, depth: int = 2) -> bool:
        # Where no piece fits that is whole and every other does, these are the two halves.
        halves = leads(section, piece, request_of, lambda request, piece, *, whole=True: not whole)
        keys = [(lead.piece, lead.key) for lead in halves if lead.key is not None]
        return any(was_asked(key) or (depth > 0 and in_parts(half, depth - 1)) for half, key in keys)

    def fitted(request: Request, piece: Chunk, *, whole: bool = True) -> bool:
        return fits(request, piece, whole=whole) and (was_asked(request.key) or not in_parts(piece))

    return fitted
