"""What is asked for a chunk: itself, pieces of it where it does not fit, and more where a reply came back damaged.

All of it follows from the chunk and the replies on disk, so a run that goes on asks what an uninterrupted one asks:

- A chunk that does not fit the model is cut in two at a border of segments, and so on; never inside a segment.
- Of a `truncated` reply the whole extractions stay, and the rest of the text is asked: from the segment on in which the
  last of them begins. That holds where there are passages at two places at least, all in the order of the text, which
  the prompt asks for: what stands before the last was then read already. Otherwise a model may go by something else,
  such as edge by edge, so the text before that segment is asked as well; where none can be placed, both halves are.
- After any other damage (`degenerate`, `invalid_json`, `schema_violation`, `off_graph`) the same text is asked once
  with other sampling (`resampled`), then both halves. What comes back takes the place of the damaged reply.
- `too_long` is asked in halves. `blocked` would be blocked again: another model or text is needed.
- One segment alone has no halves; it is asked with other sampling each time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Protocol

from fingreat.edgar.chunks import cut_chunk
from fingreat.errors import RunError
from fingreat.inference import Item, Judged, RawReply, ReplyJudge
from fingreat.inference.fate import NEED_CHANGE
from fingreat.pipeline.ground import Place, extractions_of
from fingreat.runs import RecordLog
from fingreat.schema import Chunk, Extraction, Reply, ReplyState, Request, Section

_OF_THE_ENGINE = (ReplyState.ERROR, ReplyState.BLOCKED, ReplyState.TOO_LONG)
_STANDS = (ReplyState.OK, ReplyState.ERROR, ReplyState.BLOCKED)
"""After these nothing more is asked in the same call; an error is asked again as it is by the next."""
_SEVERITY = {state: rank for rank, state in enumerate(ReplyState)}


@dataclass(frozen=True)
class Lead:
    """A stretch of a chunk that is asked first: the chunk as a whole, mostly.

    Attributes:
        key: of its request; None for a single segment that is too long for the model, so that nothing is asked.
    """

    piece: Chunk
    key: str | None


@dataclass(frozen=True)
class Ended:
    """What became of a stretch of text, with everything that was asked for it.

    Attributes:
        state: `ok`, or the worst of what its pieces ended as, in the order of the states.
        reason: why, in words.
        replies: all replies that belong to it, the first ones first.
        again: keys of those that were asked because an earlier one was damaged.
        split: whether it was asked in pieces because it was too long.
        needs_change: whether a part of it would end the same way however often it is asked.
        open: what is still to be asked.
    """

    state: ReplyState = ReplyState.OK
    reason: str | None = None
    extractions: tuple[Extraction, ...] = ()
    replies: tuple[Reply, ...] = ()
    again: frozenset[str] = frozenset()
    split: bool = False
    needs_change: bool = False
    open: tuple[Request, ...] = ()


class Fits(Protocol):
    """Says whether a request fits the model."""

    def __call__(self, request: Request, piece: Chunk, *, whole: bool = True) -> bool:
        """Whether a request fits; `whole` where it shows a whole chunk, not a piece of one."""
        ...


def leads(
    section: Section, chunk: Chunk, request_of: Callable[[Chunk], Request], fits: Fits, *, whole: bool = True
) -> Iterator[Lead]:
    """The pieces of a chunk, the largest that fit: itself, or halves of halves of it."""
    request = request_of(chunk)
    if fits(request, chunk, whole=whole):
        yield Lead(chunk, request.key)
    elif halves := _halves(section, chunk):
        for half in halves:
            yield from leads(section, half, request_of, fits, whole=False)
    else:
        yield Lead(chunk, None)


class Pieces:
    """Follows the replies of a run from chunk to chunk.

    Args:
        run: its name.
        request_of: the request that shows a piece of a section for the nth time, from 0.
        resend: how often a text is asked again, at most.
    """

    def __init__(
        self,
        run: str,
        request_of: Callable[[Section, Chunk, int], Request],
        log: RecordLog[Reply],
        judge: ReplyJudge,
        resend: int,
    ) -> None:
        self._run = run
        self._request_of = request_of
        self._log = log
        self._judge = judge
        self._resend = resend

    def open(
        self, place: Place, chunk: Chunk, first: Sequence[Lead], is_open: Callable[[str], bool]
    ) -> tuple[Request, ...]:
        """The requests of a chunk that are to be asked now.

        Args:
            is_open: whether the request of a key has no reply that stands, and may be asked.
        """
        return self._chunk(_At(place, chunk, is_open), first).open

    def ended(self, place: Place, chunk: Chunk, first: Sequence[Lead]) -> Ended:
        """What became of a chunk, once nothing is open any more.

        Raises:
            RunError: a request has no reply.
        """
        return self._chunk(_At(place, chunk), first)

    def _chunk(self, at: _At, first: Sequence[Lead]) -> Ended:
        ends = []
        for lead in first:
            if lead.key is None:
                reason = f"a segment of {lead.piece.n_tokens:,} tokens is too long for the model"
                ends.append(Ended(ReplyState.TOO_LONG, reason, needs_change=True))
            else:
                ends.append(self._piece(at, lead.piece, lead.key, 0, 0))
        whole = _together(ends)
        return replace(whole, split=whole.split or len(first) > 1 or first[0].key is None)

    def _piece(self, at: _At, piece: Chunk, key: str, attempt: int, depth: int) -> Ended:
        reply = self._log.get(key)
        if at.is_open is not None and at.is_open(key):
            return Ended(open=(self._request_of(at.place.section, piece, attempt),))
        if reply is None:
            raise RunError(f"request {key} has no reply.", where=str(self._log.folder), hint="Run it again.")
        if at.is_open is not None and reply.state in _STANDS:
            return Ended(reply.state)
        judged = self._judged(reply, piece)
        kept = extractions_of(self._run, judged.items, at.place, at.chunk.id, piece, key)
        change = judged.state in NEED_CHANGE
        end = Ended(judged.state, judged.detail or judged.state.value, kept, (reply,), needs_change=change)
        if reply.state in _STANDS or judged.state is ReplyState.OK:
            return end
        too_long = judged.state is ReplyState.TOO_LONG
        if not too_long and depth == self._resend:
            return end
        after = self._after(at.place.section, piece, judged, kept, attempt)
        if not after:
            return end
        ends = []
        for text, number in after:
            next_key = self._request_of(at.place.section, text, number).key
            ends.append(self._piece(at, text, next_key, number, depth + (not too_long)))
        return _with_children(end, _together(ends), too_long=too_long)

    def _judged(self, reply: Reply, piece: Chunk) -> Judged:
        """Judged anew from the raw text, so that a reply means the same whenever it is read."""
        state = reply.state if reply.state in _OF_THE_ENGINE else None
        raw = RawReply(text=reply.text, finish_reason=reply.finish_reason, state=state, detail=reply.detail)
        return self._judge.judge(raw, len(piece.segments))

    def _after(
        self, section: Section, piece: Chunk, judged: Judged, kept: Sequence[Extraction], attempt: int
    ) -> list[tuple[Chunk, int]]:
        """What is asked after a damaged reply, each text with the number of its attempt."""
        halves = [(half, 0) for half in _halves(section, piece)]
        cut = judged.state is ReplyState.TRUNCATED
        if judged.state is ReplyState.TOO_LONG:
            return halves
        if cut and (first := _last_segment(piece, kept)):
            rest = cut_chunk(section, piece, first, len(piece.segments)), 0
            return [rest] if _in_order(judged.items, kept) else [(cut_chunk(section, piece, 0, first), 0), rest]
        if halves and (attempt or cut):
            return halves
        return [(piece, attempt + 1)]


@dataclass(frozen=True)
class _At:
    """Where the pieces of one chunk are followed; `is_open` is None once all of them must have replies."""

    place: Place
    chunk: Chunk
    is_open: Callable[[str], bool] | None = None


def _together(ends: Sequence[Ended]) -> Ended:
    worst = max(ends, key=lambda end: _SEVERITY[end.state])
    return Ended(
        state=worst.state,
        reason=worst.reason,
        extractions=tuple(x for end in ends for x in end.extractions),
        replies=tuple(reply for end in ends for reply in end.replies),
        again=frozenset().union(*(end.again for end in ends)),
        split=any(end.split for end in ends),
        needs_change=any(end.needs_change for end in ends),
        open=tuple(request for end in ends for request in end.open),
    )


def _with_children(own: Ended, children: Ended, *, too_long: bool) -> Ended:
    """A damaged reply with what was asked after it."""
    if own.state is ReplyState.TRUNCATED:
        new = (x for x in children.extractions if not any(_same(x, kept) for kept in own.extractions))
        extractions = (*own.extractions, *new)
    else:
        better = children.state is ReplyState.OK or len(children.extractions) >= len(own.extractions)
        extractions = children.extractions if better else own.extractions
    again = children.again if too_long else children.again | {reply.key for reply in children.replies}
    return replace(
        children,
        extractions=extractions,
        replies=own.replies + children.replies,
        again=again,
        split=children.split or too_long,
    )


def _same(one: Extraction, other: Extraction) -> bool:
    """Whether two extractions give one edge to one place, or to the same words where they stand nowhere."""
    if one.edge != other.edge:
        return False
    if not one.ranges or not other.ranges:
        return one.quote == other.quote
    return any(a < d and c < b for a, b in one.ranges for c, d in other.ranges)


def _last_segment(piece: Chunk, kept: Sequence[Extraction]) -> int | None:
    """Index of the segment in which the last of the kept extractions begins.

    None where a place is not known for sure, and where it is the first segment, before which there is nothing.
    """
    if not kept or not all(x.verdict.grounded and not x.ambiguous and not x.outside_chunk for x in kept):
        return None
    return max(0, bisect_right([segment.start for segment in piece.segments], kept[-1].ranges[0][0]) - 1) or None


def _in_order(items: Sequence[Item], placed: Sequence[Extraction]) -> bool:
    """Whether a reply shows that it was written in the order of the text, which takes two places.

    Args:
        items: of the reply, all of them: what was given again at the end was not written in order.
        placed: the extractions that they are, each quote once.
    """
    starts = {x.quote: x.ranges[0][0] for x in placed}
    order = [starts[item.quote] if item.quote is not None else item.first or 1 for item in items]
    return order[0] < order[-1] and order == sorted(order)


def _halves(section: Section, piece: Chunk) -> tuple[Chunk, ...]:
    """A piece in two, at the border of segments next to its middle in characters; nothing where it is one segment."""
    number = len(piece.segments)
    if number == 1:
        return ()
    lengths = accumulate(segment.end - segment.start for segment in piece.segments[:-1])
    middle = (piece.end - piece.start) / 2
    cut = min(enumerate(lengths, 1), key=lambda border: abs(border[1] - middle))[0]
    return cut_chunk(section, piece, 0, cut), cut_chunk(section, piece, cut, number)
