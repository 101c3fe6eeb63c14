"""`lexicon`: no model at all, weighted cue phrases from the graph file. A baseline, and instant."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter
from typing import Any

from fingreat.errors import InputError
from fingreat.inference.backend import ModelSpec, RawReply
from fingreat.inference.cues import CueScorer
from fingreat.schema import Graph, Request
from fingreat.schema.reply import MAX_EXTRACTIONS

_FENCE = "```"
_WORDS = 4
"""Fewer words are a label (`Capital Expenditures.`), not a statement."""
_COLUMNS = "   "


class LexiconBackend:
    """Answers from the request's segments; prompt and sampling play no part.

    Where more flows are stated than a reply may hold, those with the highest scores stay. Facets are null.

    Raises:
        InputError: the specification names a model, or the graph has no lexicon.
    """

    def __init__(self, spec: ModelSpec, graph: Graph) -> None:
        if spec.model:
            raise InputError(f"'{spec}': the lexicon has no models.", where="--model", hint="Write `lexicon`.")
        self._graph = graph
        self._scorer = CueScorer(graph)
        self.model = f"lexicon of {graph.name}"
        self.revision: str | None = graph.digest[:16]
        self.context: int | None = None

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        """Each request with its reply, in order."""
        for request in requests:
            start = perf_counter()
            text = json.dumps({"extractions": list(self._extractions(request))}, ensure_ascii=False)
            yield request, RawReply(text=text, finish_reason="stop", seconds=perf_counter() - start)

    def close(self) -> None:
        """Nothing to free."""

    def _extractions(self, request: Request) -> Iterator[dict[str, Any]]:
        asked = request.reply_schema["properties"]["extractions"]["items"]["properties"]
        facets = {name: None for name in self._graph.facets if name in asked}
        for number, text, edge_id in self._best(request.segments):
            if request.mode == "span":
                yield {"first": number, "last": number, "edge": edge_id, "tags": []} | facets
            else:
                edge = self._graph.edges[edge_id]
                pair = {"source": edge.source, "target": edge.target}
                yield {"quote": text.strip(), "edge": pair, "tags": [], "period": None} | facets

    def _best(self, segments: Sequence[str]) -> list[tuple[int, str, str]]:
        """Number, text and edge of the evidence in a chunk, in text order."""
        found = [(number, text, edge) for number, text in _prose(segments) for edge in self._scorer.edges(text)]
        if len(found) <= MAX_EXTRACTIONS:
            return found
        scores = [self._scorer.scores(text)[edge] for _, text, edge in found]
        best = sorted(range(len(found)), key=lambda place: -scores[place])[:MAX_EXTRACTIONS]
        return [found[place] for place in sorted(best)]


def _prose(segments: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number and text of the segments that are sentences; headings, labels and table rows state nothing."""
    fenced = _begins_fenced("".join(segments))
    for number, segment in enumerate(segments, 1):
        text = segment.partition(f"\n{_FENCE}")[0]
        # Columns tell a row of a fixed-width table where a chunk lies wholly inside one and has no mark.
        is_layout = segment.startswith(("#", "|", _FENCE)) or _COLUMNS in text.strip()
        if not fenced and not is_layout and len(text.split()) >= _WORDS:
            yield number, text
        if segment.count(_FENCE) % 2:
            fenced = not fenced


def _begins_fenced(text: str) -> bool:
    """Whether a chunk begins inside a fixed-width table: its first mark follows a row, not a blank line."""
    before, mark, _ = text.partition(_FENCE)
    return bool(mark and before.strip()) and not before.endswith("\n\n")
