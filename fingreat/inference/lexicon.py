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

_FENCE = "```"


class LexiconBackend:
    """Answers from the request's segments; prompt, schema and sampling play no part.

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
        for number, segment in _prose(request.segments):
            for edge_id in self._scorer.edges(segment):
                if request.mode == "span":
                    yield {"first": number, "last": number, "edge": edge_id, "tags": []}
                else:
                    edge = self._graph.edges[edge_id]
                    pair = {"source": edge.source, "target": edge.target}
                    yield {"quote": segment.strip(), "edge": pair, "tags": [], "period": None}


def _prose(segments: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number and text of the segments that are sentences; headings and table rows state nothing."""
    fenced = False
    for number, segment in enumerate(segments, 1):
        if not fenced and not segment.startswith(("#", "|", _FENCE)):
            yield number, segment.partition(f"\n{_FENCE}")[0]
        if segment.count(_FENCE) % 2:
            fenced = not fenced
