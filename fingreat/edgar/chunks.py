"""Chunks of a section within a token budget: the same for every model."""

from __future__ import annotations

from bisect import bisect_right

from fingreat.edgar.segments import Border, Piece, segment_text
from fingreat.edgar.token_sums import TokenSums
from fingreat.edgar.tokens import TokenCounter, cl100k_counter
from fingreat.errors import InputError
from fingreat.schema import Chunk, Section, Segment, content_id

DEFAULT_BUDGET = 4096
MIN_BUDGET = 16
_BYTES_OF_A_CHARACTER = 4
"""In UTF-8, at most; a token is one of them at least."""
_NEAR = 4
"""Pieces before one that is added, to count what it adds."""
_LONGEST_TOKEN = 128
"""Characters of the longest token (blanks); what is longer than so many for each token is over a budget uncounted."""


def chunk_section(section: Section, budget: int = DEFAULT_BUDGET, counter: TokenCounter | None = None) -> list[Chunk]:
    """Cut a section's text into chunks that partition it exactly, none over the budget.

    A chunk ends at the best border that fills at least half of the budget: the start of a section
    (a heading), else of a paragraph, else of a line or table row, else of a sentence; among equal ones
    the last. A sentence longer than the budget is cut at white space, or failing that between characters.

    Args:
        budget: most tokens a chunk may have.
        counter: counts them; cl100k_base by default.

    Raises:
        InputError: the budget is below 16 tokens.
    """
    if budget < MIN_BUDGET:
        raise InputError(f"a chunk of {budget} tokens is too small.", hint=f"Use at least {MIN_BUDGET} tokens.")
    counter = counter or cl100k_counter()
    text = section.text
    pieces = _within_budget(segment_text(text), text, budget, counter)
    sums = TokenSums(text, pieces, counter)
    chunks: list[Chunk] = []
    first = 0
    while first < len(pieces):
        last = _furthest(pieces, sums, first, budget)
        if last < len(pieces):
            last = _best_border(pieces, sums.alone, first, last, budget)
        while (n_tokens := _size(pieces, sums, first, last)) > budget:
            last -= 1
        chunk = chunk_of(section, tuple(piece.segment for piece in pieces[first:last]), n_tokens, counter)
        chunks.append(chunk)
        first = last
    return chunks


def cut_chunk(section: Section, chunk: Chunk, first: int, last: int) -> Chunk:
    """The segments of a chunk from index `first` up to, not including, `last`, as a chunk of their own.

    Raises:
        ValueError: there is no such segment between them.
    """
    if not 0 <= first < last <= len(chunk.segments):
        raise ValueError(f"no segments {first} to {last} of {len(chunk.segments)}")
    return chunk_of(section, chunk.segments[first:last])


def chunk_of(
    section: Section,
    segments: tuple[Segment, ...],
    n_tokens: int | None = None,
    counter: TokenCounter | None = None,
    chunk_id: str | None = None,
) -> Chunk:
    """The chunk of these segments of a section, which follow one another.

    Args:
        n_tokens: where it was counted before.
        counter: counts it otherwise; cl100k_base by default.
        chunk_id: where it was made before.
    """
    counter = counter or cl100k_counter()
    start, end = segments[0].start, segments[-1].end
    text = section.text[start:end]
    return Chunk(
        id=chunk_id or content_id("chunk", [section.filing_id, section.item, start, end, text]),
        filing_id=section.filing_id,
        item=section.item,
        start=start,
        end=end,
        n_tokens=counter.count(text) if n_tokens is None else n_tokens,
        tokenizer=counter.name,
        segments=segments,
    )


def _within_budget(pieces: list[Piece], text: str, budget: int, counter: TokenCounter) -> list[Piece]:
    """The pieces, with any that is longer than the budget cut into smaller ones."""
    fitting: list[Piece] = []
    for piece in pieces:
        start, end, border = piece.segment.start, piece.segment.end, piece.border
        over = False
        while _is_over(text, start, end, budget, counter):
            # Halving ends: one character is never more tokens than the smallest budget.
            width = min(end - start, budget * 8)
            while counter.count(text[start : start + width]) > budget:
                width //= 2
            blank = max(text.rfind(" ", start, start + width), text.rfind("\n", start, start + width))
            middle = blank + 1 if blank > start else start + width
            fitting.append(Piece(Segment(start=start, end=middle, kind=piece.segment.kind), border))
            start, border, over = middle, Border.SENTENCE, True
        fitting.append(Piece(Segment(start=start, end=end, kind=piece.segment.kind), border) if over else piece)
    return fitting


def _is_over(text: str, start: int, end: int, budget: int, counter: TokenCounter) -> bool:
    """Whether a stretch of text has more tokens than the budget; most are so short that nothing need be counted."""
    if (end - start) * _BYTES_OF_A_CHARACTER <= budget:
        return False
    return end - start > budget * _LONGEST_TOKEN or counter.count(text[start:end]) > budget


def _furthest(pieces: list[Piece], sums: TokenSums, first: int, budget: int) -> int:
    """One past the last piece of the longest run from `first` within the budget.

    Sizes of single pieces do not quite add up to the size of their run (a blank joins the next word), so the sum only
    gives a first guess. From there on a piece adds what it adds to the few before it: no token reaches further back.
    """
    sizes = sums.alone
    last = max(first + 1, bisect_right(sizes, sizes[first] + budget) - 1)
    size = _size(pieces, sums, first, last)
    while last > first + 1 and size > budget:
        last -= 1
        size = _size(pieces, sums, first, last)
    while last < len(pieces):
        near = max(first, last - _NEAR)
        size += _size(pieces, sums, near, last + 1) - _size(pieces, sums, near, last)
        if size > budget:
            break
        last += 1
    return last


def _size(pieces: list[Piece], sums: TokenSums, first: int, last: int) -> int:
    """The tokens of the pieces from `first` up to, not including, `last`."""
    return sums.between(pieces[first].segment.start, pieces[last - 1].segment.end)


def _best_border(pieces: list[Piece], sizes: list[int], first: int, last: int, budget: int) -> int:
    """Where to end the chunk that begins at `first` and may reach `last`."""
    candidates = [cut for cut in range(first + 1, last + 1) if sizes[cut] - sizes[first] >= budget / 2]
    return max(candidates, key=lambda cut: (pieces[cut].border, cut), default=last)
