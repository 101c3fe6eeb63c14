"""The graph, the records and their ids: what every other room speaks."""

from fingreat.schema.graph import Edge, Example, ExampleExtraction, Graph, Lexicon, Node
from fingreat.schema.ids import canonical_json, content_id, sha256_hex
from fingreat.schema.load import load_graph
from fingreat.schema.records import (
    Chunk,
    Extraction,
    Failure,
    Filing,
    GoldPassage,
    Match,
    Message,
    Range,
    Reply,
    ReplyState,
    Request,
    Sampling,
    Section,
    SectionStatus,
    Segment,
    SegmentKind,
    TableStyle,
    Verdict,
)
from fingreat.schema.reply import Mode, reply_schema

__all__ = [
    "Chunk",
    "Edge",
    "Example",
    "ExampleExtraction",
    "Extraction",
    "Failure",
    "Filing",
    "GoldPassage",
    "Graph",
    "Lexicon",
    "Match",
    "Message",
    "Mode",
    "Node",
    "Range",
    "Reply",
    "ReplyState",
    "Request",
    "Sampling",
    "Section",
    "SectionStatus",
    "Segment",
    "SegmentKind",
    "TableStyle",
    "Verdict",
    "canonical_json",
    "content_id",
    "load_graph",
    "reply_schema",
    "sha256_hex",
]
