"""Filings: from the bytes of a filing to its items as Markdown, and on to chunks."""

from __future__ import annotations

from fingreat.edgar.chunks import chunk_section
from fingreat.edgar.container import Document, Submission, read_submission
from fingreat.edgar.decode import read_bytes
from fingreat.edgar.describe import describe_filing
from fingreat.edgar.section import find_section, read_section

__all__ = [
    "Document",
    "Submission",
    "chunk_section",
    "describe_filing",
    "find_section",
    "read_bytes",
    "read_section",
    "read_submission",
]
