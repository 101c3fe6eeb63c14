"""One answer of each run, with what it was asked about, to be shown as it is."""

from __future__ import annotations

from collections.abc import Iterator

from fingreat.edgar import chunk_section
from fingreat.pipeline.gold import read_gold
from fingreat.pipeline.study.material import Material
from fingreat.pipeline.study.methods import prompted
from fingreat.pipeline.study.runs import Outcome
from fingreat.report.study import Block
from fingreat.runs import read_records
from fingreat.schema import Chunk, Classification, Extraction, GoldPassage, Reply, ReplyState, Section, content_id

_MOST = 6000
"""Characters of a text that are shown."""
_ID = 20
"""Characters of an id that a title has: all of an accession number, and enough of a hash."""
_LATEST = 100
"""A reply has the extraction that is looked for among its first so many."""


def sample_blocks(material: Material) -> Iterator[Block]:
    """Of every run but repeats, the first answer that gave something: what was shown, and the raw reply.

    What several runs were shown stands before the first of their replies.

    Raises:
        RunError: a run is damaged.
        CorpusError: the corpus is.
    """
    shown = [one for one in material.found if one.run.role != "repeat"]
    wanted = {one.run.label: extraction for one in shown if (extraction := _first_extraction(one))}
    filings = {extraction.filing_id for extraction in wanted.values()}
    sections = {s.filing_id: s for s in material.corpus.sections(material.config.corpus.item) if s.filing_id in filings}
    passages = {one.passage_id: one for one in read_gold(material.gold)} if material.gold else {}
    met: set[Block] = set()
    for outcome in shown:
        if outcome.run.kind == "extract":
            extraction = wanted.get(outcome.run.label)
            blocks = _of_extraction(outcome, extraction, sections[extraction.filing_id]) if extraction else iter(())
        else:
            blocks = _of_classification(outcome, passages)
        new = [block for block in blocks if block not in met]
        met.update(new)
        yield from new


def _first_extraction(outcome: Outcome) -> Extraction | None:
    if outcome.run.kind != "extract":
        return None
    return next(read_records(outcome.run.folder.extractions, Extraction), None)


def _of_extraction(outcome: Outcome, extraction: Extraction, section: Section) -> Iterator[Block]:
    label = outcome.run.label
    chunks = chunk_section(section, outcome.run.config.tokens)
    # A chunk that was asked in pieces is no chunk of the section; then only the reply is shown.
    if chunk := next((one for one in chunks if one.id == extraction.chunk_id), None):
        yield Block(title=f"extract: a chunk of filing {section.filing_id[:_ID]}", text=_short(_text(section, chunk)))
    for reply in read_records(outcome.run.folder.replies, Reply):
        if any(content_id("ext", [reply.key, extraction.chunk_id, n]) == extraction.id for n in range(_LATEST)):
            yield Block(title=f"{label}: the reply", text=_short(reply.text))
            return


def _of_classification(outcome: Outcome, passages: dict[str, GoldPassage]) -> Iterator[Block]:
    label = outcome.run.label
    answers = read_records(outcome.run.folder.classifications, Classification)
    answer = next((one for one in answers if one.state is ReplyState.OK and one.passage_id in passages), None)
    if answer is None:
        return
    kind, tokens = answer.context_kind, answer.context_tokens or 0
    # What takes no prompt reads the passage alone, whatever was put beside it.
    alone = kind == "none" or not prompted(outcome.run)
    around = "alone" if alone else f"with a {kind} of {tokens:,} tokens"
    passage = passages[answer.passage_id]
    yield Block(title=f"classify: passage {passage.passage_id[:_ID]}, shown {around}", text=_short(passage.text))
    for reply in read_records(outcome.run.folder.replies, Reply):
        if content_id("cls", [reply.key, answer.passage_id]) == answer.id:
            accepted = ", ".join(sorted(passage.accepted))
            yield Block(title=f"{label}: the reply; {accepted} would be right", text=_short(reply.text))
            return


def _text(section: Section, chunk: Chunk) -> str:
    return section.text[chunk.start : chunk.end]


def _short(text: str) -> str:
    left = len(text) - _MOST
    return text if left <= 0 else f"{text[:_MOST]}\n[{left:,} more characters]"
