"""The records that every room passes to the next.

All are frozen and refuse unknown fields. Offsets are code points in `Section.text`, half-open:
that text is the one coordinate space of the package.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from fingreat.schema.ids import content_id

Range = tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]
"""A half-open range of code points in a section's text."""


class Record(BaseModel):
    """Base of all records: frozen, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Filing(Record):
    """One annual report.

    Attributes:
        id: the accession number, or the SHA-256 of the bytes where none is known.
        cik: Central Index Key without leading zeros.
        filed: date of filing; its year is the "year" of every table.
        period: end of the fiscal period.
        sic: Standard Industrial Classification; `sic_source` says whether it is that of the filing's header or the
            registrant's present one.
        header_sic: the code in the filing's header, that of its day, which stays where `sic` is the present one.
        fiscal_year_end: month and day, such as "12-31".
        total_assets: in whole US dollars, as tagged in this very filing for `assets_date`, its balance-sheet date.
        path: the file, relative to the corpus folder.
        sha256: of the file's bytes as stored.
    """

    id: str
    cik: str | None = None
    company: str | None = None
    form: str | None = None
    filed: date | None = None
    period: date | None = None
    fiscal_year: int | None = None
    sic: str | None = None
    sic_source: Literal["header", "submissions"] | None = None
    header_sic: str | None = None
    division: str | None = None
    fiscal_year_end: str | None = None
    total_assets: int | None = None
    assets_date: date | None = None
    path: str
    sha256: str


class SectionStatus(StrEnum):
    """What became of the search for an item."""

    FOUND = "found"
    BY_REFERENCE = "by_reference"
    ABSENT = "absent"
    UNREADABLE = "unreadable"


class TableStyle(StrEnum):
    """How a section's text writes the tables of an HTML filing."""

    MARKDOWN = "markdown"
    HTML = "html"


class Section(Record):
    """One item of a filing, as Markdown.

    Attributes:
        status: `found`; `by_reference` (the item only points elsewhere, and the text it points to is
            not in this file); `absent`; `unreadable` (no filing could be read at all).
        heading: the heading as printed, None where there is none.
        next_heading: the heading that ends the section.
        text: the section, with the source's own characters; the pointer itself when `by_reference`.
        source_document: the `<TYPE>` of the document the text came from (`10-K`, `EX-13`, ...).
        pointer: the sentence that points elsewhere.
        warnings: what the finder doubts, in words.
        tables: how the text writes tables; those of a plain-text filing are fenced blocks either way.
        filing_sha256: of the filing's bytes that it was read from, where it stands in a corpus.
    """

    filing_id: str
    item: str
    status: SectionStatus
    form: str | None = None
    heading: str | None = None
    next_heading: str | None = None
    text: str = ""
    source_document: str | None = None
    pointer: str | None = None
    warnings: tuple[str, ...] = ()
    tables: TableStyle = TableStyle.MARKDOWN
    filing_sha256: str | None = None


SegmentKind = Literal["heading", "sentence", "row"]


class Segment(Record):
    """One numbered sentence, heading or table row of a chunk; segments partition their chunk."""

    start: int
    end: int
    kind: SegmentKind


class Chunk(Record):
    """A stretch of a section that fits a token budget; the same for every model.

    Attributes:
        n_tokens: length in tokens of `tokenizer`.
        segments: numbered from 1 in prompts and replies, in order.
    """

    id: str
    filing_id: str
    item: str
    start: int
    end: int
    n_tokens: int
    tokenizer: str
    segments: tuple[Segment, ...]


class Message(Record):
    """One turn of a chat prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


class Sampling(Record):
    """How the model draws its answer.

    Attributes:
        max_tokens: budget of the answer, in the model's own tokens.
        temperature: 0 for the most likely token at each step.
        seed: for engines that draw at random.
    """

    max_tokens: Annotated[int, Field(gt=0)] = 2048
    temperature: Annotated[float, Field(ge=0.0)] = 0.0
    seed: int = 0


class Request(Record):
    """One question to a model, complete: everything that can change the answer is in `key`.

    Attributes:
        key: hash of messages, reply schema, sampling, model, revision and options.
        chunk_id: of the chunk; in a classification, the passage's id.
        mode: which reply form the schema asks for.
        model: as the user names it, with the server's address where he names one.
        options: what the back end adds to every request that can change an answer, such as how thinking is off.
        segments: the chunk's numbered segments as text, so that a back end without a language
            model need not parse the prompt.
    """

    key: str
    filing_id: str
    chunk_id: str
    mode: Literal["quote", "span", "classify"]
    model: str
    revision: str | None
    messages: tuple[Message, ...]
    reply_schema: Mapping[str, Any]
    sampling: Sampling
    segments: tuple[str, ...]
    options: Mapping[str, Any] = Field(default_factory=dict)

    @staticmethod
    def make_key(
        messages: tuple[Message, ...],
        reply_schema: Mapping[str, Any],
        sampling: Sampling,
        model: str,
        revision: str | None,
        options: Mapping[str, Any] | None = None,
    ) -> str:
        """The request's key, from its final form."""
        return content_id(
            "req",
            {
                "messages": [m.model_dump() for m in messages],
                "reply_schema": dict(reply_schema),
                "sampling": sampling.model_dump(),
                "model": model,
                "revision": revision,
                "options": dict(options or {}),
            },
        )


class ReplyState(StrEnum):
    """What a reply turned out to be.

    `off_graph` is an ordered pair of nodes that is no edge of the graph; `degenerate` an endless run
    of blanks or of one phrase; `blocked` a refusal by the model or its provider; `too_long` a request
    that does not fit the model; `error` a failure of the engine or the line, worth asking again.
    """

    OK = "ok"
    TRUNCATED = "truncated"
    DEGENERATE = "degenerate"
    INVALID_JSON = "invalid_json"
    SCHEMA_VIOLATION = "schema_violation"
    OFF_GRAPH = "off_graph"
    BLOCKED = "blocked"
    TOO_LONG = "too_long"
    ERROR = "error"


class Reply(Record):
    """One answer of a model, with the raw text kept.

    Attributes:
        detail: why the state is what it is, or what was repaired (`fenced`, ...).
        reasoning_tokens: the part of the output that the model thought before it answered.
        seconds: wall time of the request.
        cost_usd: what it cost in US dollars, None where no price is known.
        attempts: how often it was asked.
        from_cache: taken from an earlier run; nothing was asked or paid for it in this one.
    """

    key: str
    state: ReplyState
    text: str
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    seconds: float | None = None
    cost_usd: float | None = None
    attempts: int = 1
    detail: str | None = None
    from_cache: bool = False


class Verdict(StrEnum):
    """What a check of a quote against its text says."""

    EXACT = "exact"
    NORMALISED = "normalised"
    ELIDED = "elided"
    ALTERED = "altered"
    NOT_FOUND = "not_found"
    TOO_SHORT = "too_short"

    @property
    def grounded(self) -> bool:
        """Whether the quote stands in the text."""
        return self in (Verdict.EXACT, Verdict.NORMALISED, Verdict.ELIDED)


class Extraction(Record):
    """One passage that a model gives as evidence for one edge.

    Attributes:
        quote: as generated (in span mode: cut from the text).
        edge: id of the edge.
        period: the financial period as generated.
        facets: further fields that the reply schema asked for.
        ranges: where the quote stands; several for an elided quote or for equal places.
        ambiguous: the quote stands in several places and `ranges` lists them all.
        outside_chunk: found in the section, but not in the chunk that was shown.
    """

    id: str
    run: str
    filing_id: str
    chunk_id: str
    quote: str
    edge: str
    tags: tuple[str, ...] = ()
    period: str | None = None
    facets: Mapping[str, str] = Field(default_factory=dict)
    verdict: Verdict
    ranges: tuple[Range, ...] = ()
    ambiguous: bool = False
    outside_chunk: bool = False


class Classification(Record):
    """The one edge that a model gives to a passage.

    Attributes:
        id: hash of the request's key and the passage.
        edge: None where the reply failed, which counts as wrong.
        context: code points of the section's text that were shown with it, None where the passage stood alone.
        context_kind: `section` (of the filing's own headings), `paragraph`, `window`, or `none`.
        context_tokens: of that text, in cl100k_base.
    """

    id: str
    run: str
    filing_id: str
    passage_id: str
    edge: str | None
    state: ReplyState
    context: Range | None = None
    context_kind: Literal["section", "paragraph", "window", "none"] = "none"
    context_tokens: int = 0


class GoldPassage(Record):
    """A passage with the edges that readers accept for it.

    Attributes:
        start, end: its place in the section's text, where known.
        accepted: every edge that counts as right; empty where the readers said "none".
        source: `primary` (a majority), `fallback` (the union, where no edge had one), `none`.
    """

    passage_id: str
    filing_id: str
    text: str
    start: int | None = None
    end: int | None = None
    accepted: frozenset[str]
    source: Literal["primary", "fallback", "none"]

    @model_validator(mode="after")
    def _accepted_fits_source(self) -> GoldPassage:
        if (self.source == "none") != (not self.accepted):
            raise ValueError("source 'none' goes with an empty set of accepted edges, and only with it")
        return self


class Failure(Record):
    """A row that ended without output, and why.

    Attributes:
        stage: `add`, `fetch`, `sample`, `enrich`, `sections/<item>` or `ask`.
        id: of the filing, the company or the request.
        kept: how many extractions of a damaged reply were whole and kept.
    """

    stage: str
    id: str
    filing_id: str
    state: str
    reason: str
    kept: int = 0
