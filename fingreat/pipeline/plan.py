"""What a run asks first for every chunk of its corpus, kept small: places and keys, no text.

Chunking and rendering cost more than all else that is done for a chunk, and a run passes over its corpus several times.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from fingreat.edgar.chunks import chunk_of, cut_chunk
from fingreat.pipeline.pieces import Lead
from fingreat.schema import Chunk, Section, Segment

_KINDS = {"heading": "h", "sentence": "s", "row": "r"}
_NAMES = {letter: kind for kind, letter in _KINDS.items()}


class Plan:
    """The chunks of each section, and the leads of each chunk."""

    def __init__(self) -> None:
        self._packed: dict[str, bytes] = {}
        self._keys: dict[str, tuple[str, ...]] = {}
        self.chunks = 0

    def add(self, section: Section, chunks: Sequence[tuple[Chunk, Sequence[Lead]]]) -> None:
        """Take note of a section; its text need not be kept."""
        self.chunks += len(chunks)
        self._keys[section.filing_id] = tuple(lead.key for _, leads in chunks for lead in leads if lead.key is not None)
        self._packed[section.filing_id] = zlib.compress(json.dumps([_pack(*entry) for entry in chunks]).encode(), 1)

    def of(self, section: Section) -> Iterator[tuple[Chunk, tuple[Lead, ...]]]:
        """Every chunk of a section that was added, with its leads."""
        start = 0
        for n_tokens, lengths, kinds, cuts in json.loads(zlib.decompress(self._packed[section.filing_id])):
            segments = []
            for length, kind in zip(lengths, kinds, strict=True):
                segments.append(Segment(start=start, end=start + length, kind=_NAMES[kind]))  # type: ignore[arg-type]
                start += length
            chunk = chunk_of(section, tuple(segments), n_tokens)
            yield chunk, tuple(_lead(section, chunk, *cut) for cut in cuts)

    def keys_of(self, filing_id: str) -> tuple[str, ...]:
        """The keys that are asked first for a filing's section."""
        return self._keys.get(filing_id, ())

    def keys(self) -> set[str]:
        """All keys that are asked first."""
        return {key for keys in self._keys.values() for key in keys}


def _pack(chunk: Chunk, leads: Sequence[Lead]) -> list[Any]:
    lengths = [segment.end - segment.start for segment in chunk.segments]
    starts = {segment.start: index for index, segment in enumerate(chunk.segments)}
    cuts = [(starts[lead.piece.start], len(lead.piece.segments), lead.key) for lead in leads]
    return [chunk.n_tokens, lengths, "".join(_KINDS[segment.kind] for segment in chunk.segments), cuts]


def _lead(section: Section, chunk: Chunk, first: int, number: int, key: str | None) -> Lead:
    whole = number == len(chunk.segments)
    return Lead(chunk if whole else cut_chunk(section, chunk, first, first + number), key)
