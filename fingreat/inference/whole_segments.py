"""Replies of back ends without a language model: what they read, what they may write."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fingreat.schema import Graph, Request
from fingreat.schema.reply import MAX_EXTRACTIONS, MAX_TAGS

_FENCE = "```"
_MOST = MAX_EXTRACTIONS - 1
"""A full list says that it was cut; here what does not fit is left out by choice, and to ask again brings nothing."""
_WORDS = 4
"""Fewer words are a label (`Capital Expenditures.`), not a statement."""
_COLUMNS = "   "
# No empty line follows a row's, as it follows a paragraph that only spells the marks. A row that is longer than a chunk
# comes in pieces: the first has no end, the others are told by a border between cells.
_HTML_ROW = re.compile(r"(?:<table>\n)?<tr>(?:.*</tr>\n(?!\n)|.*(?<!</tr>)\Z)")
_CELL_BORDER = re.compile(r"</t[dh]>(?:<t[dh]|</tr>\n(?!\n))")


@dataclass(frozen=True)
class Finding:
    """One segment as evidence for one edge.

    Attributes:
        number: of the segment, from 1.
        text: of the segment, without marks that are none of its own.
        score: the higher, the surer; decides which findings stay where a reply cannot hold all.
    """

    number: int
    text: str
    edge: str
    score: float
    tags: Sequence[str] = ()


def reply_text(request: Request, graph: Graph, findings: Sequence[Finding]) -> str:
    """The findings, given in text order, as a reply in the form that the request asks for.

    Where they would fill a reply, or more, those with the highest scores stay. Facets and the period are null.
    """
    asked = request.reply_schema["properties"]["extractions"]["items"]["properties"]
    facets = {name: None for name in graph.facets if name in asked}
    extractions = [_extraction(finding, request, graph) | facets for finding in _strongest(findings)]
    return json.dumps({"extractions": extractions}, ensure_ascii=False)


def choice_text(edge: str) -> str:
    """The one edge of a passage, as the reply to a request for a classification."""
    return json.dumps({"edge": edge})


def passage_text(request: Request) -> str:
    """The passage that a request for a classification asks about; the context shown with it is none of it."""
    return "".join(request.segments)


def prose(segments: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number and text of the segments that are sentences; headings, labels and table rows state nothing."""
    fenced = _begins_fenced("".join(segments))
    inside_row = True  # a chunk may begin there
    for number, segment in enumerate(segments, 1):
        text = segment.partition(f"\n{_FENCE}")[0]
        # Columns tell a row of a fixed-width table where a chunk lies wholly inside one and has no mark.
        is_layout = segment.startswith(("#", "|", _FENCE)) or _COLUMNS in text.strip()
        is_html_row = bool(_HTML_ROW.match(segment) or (inside_row and _CELL_BORDER.search(segment)))
        inside_row = is_html_row and "</tr>\n" not in segment
        if not (fenced or is_layout or is_html_row) and len(text.split()) >= _WORDS:
            yield number, text
        if segment.count(_FENCE) % 2:
            fenced = not fenced


def _extraction(finding: Finding, request: Request, graph: Graph) -> dict[str, Any]:
    tags = list(finding.tags[:MAX_TAGS])
    if request.mode == "span":
        return {"first": finding.number, "edge": finding.edge, "tags": tags}
    edge = graph.edges[finding.edge]
    pair = {"source": edge.source, "target": edge.target}
    return {"quote": finding.text.strip(), "edge": pair, "tags": tags, "period": None}


def _strongest(findings: Sequence[Finding]) -> list[Finding]:
    """The findings that fit, in text order; of equal ones the first."""
    best = sorted(range(len(findings)), key=lambda place: -findings[place].score)[:_MOST]
    return [findings[place] for place in sorted(best)]


def _begins_fenced(text: str) -> bool:
    """Whether a chunk begins inside a fixed-width table: its first mark follows a row, not a blank line."""
    before, mark, _ = text.partition(_FENCE)
    return bool(mark and before.strip()) and not before.endswith("\n\n")
