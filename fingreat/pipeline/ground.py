"""From replies to extractions: each quote is checked against the chunk that was shown, then its section."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fingreat.errors import RunError
from fingreat.inference import Item, RawReply, ReplyJudge
from fingreat.matching import Grounder, Grounding
from fingreat.runs import RecordLog
from fingreat.schema import Chunk, Extraction, Failure, Reply, ReplyState, Request, Section, Verdict, content_id

_FENCE = "```"
"""Opens and closes a fixed-width table; the mark may stand in the segment before or after it."""
_TABLE_OPENING = re.compile(r"\A<table>\n(?=<tr>)")
_TABLE_CLOSING = re.compile(r"(?<=</tr>)\n</table>\Z")
"""First and last line of a table as HTML; they stand in the segments of its first and last row."""
_ENGINE_STATES = (ReplyState.ERROR, ReplyState.BLOCKED, ReplyState.TOO_LONG)


@dataclass(frozen=True)
class JudgedChunk:
    """What became of one request: its reply, the extractions, and the failure where there is one."""

    reply: Reply
    state: ReplyState
    extractions: tuple[Extraction, ...]
    failure: Failure | None


def extractions_of(
    run: str, work: Iterable[tuple[Section, Chunk, Request]], log: RecordLog[Reply], judge: ReplyJudge
) -> Iterator[JudgedChunk]:
    """Judge and ground the replies of a run, in the order of its work.

    Raises:
        RunError: a request has no reply.
    """
    grounder: Grounder | None = None
    of_filing: str | None = None
    for section, chunk, request in work:
        if grounder is None or of_filing != section.filing_id:
            grounder, of_filing = Grounder(section.text), section.filing_id
        reply = log.get(request.key)
        if reply is None:
            raise RunError(f"request {request.key} has no reply.", where=str(log.folder), hint="Run it again.")
        # Judged anew from the raw text, so that a reply means the same whenever it is read.
        engine_state = reply.state if reply.state in _ENGINE_STATES else None
        judged = judge.judge(
            RawReply(text=reply.text, finish_reason=reply.finish_reason, state=engine_state, detail=reply.detail),
            len(chunk.segments),
        )
        extractions = tuple(_extraction(run, item, section, chunk, request.key, grounder) for item in judged.items)
        failure = None
        if judged.state is not ReplyState.OK:
            failure = Failure(
                stage="ask",
                id=request.key,
                filing_id=section.filing_id,
                state=judged.state,
                reason=judged.detail or judged.state.value,
                kept=len(extractions),
            )
        yield JudgedChunk(reply, judged.state, extractions, failure)


def _extraction(run: str, item: Item, section: Section, chunk: Chunk, key: str, grounder: Grounder) -> Extraction:
    if item.quote is None:
        start, end = _span(item, section, chunk)
        quote, grounding = section.text[start:end], Grounding(Verdict.EXACT, ((start, end),))
    else:
        quote, grounding = item.quote, grounder.ground(item.quote, chunk.start, chunk.end)
    return Extraction(
        # The chunk stands beside the key: two chunks with the same words share one request.
        id=content_id("ext", [key, chunk.id, item.index]),
        run=run,
        filing_id=section.filing_id,
        chunk_id=chunk.id,
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
