"""`lexicon`: no model at all, weighted cue phrases from the graph file. A baseline, and instant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from time import perf_counter
from typing import Any

from fingreat.errors import InputError
from fingreat.inference.backend import ModelSpec, RawReply, Settings
from fingreat.inference.cues import CueScorer
from fingreat.inference.whole_segments import Finding, choice_text, passage_text, prose, reply_text
from fingreat.schema import Graph, Request


class LexiconBackend:
    """Answers from the request's segments; prompt and sampling play no part.

    Where more flows are stated than a reply may hold, those with the highest scores stay. The tags of an extraction
    are the cue phrases that spoke for its edge, strongest first. Facets are null. A classification is the edge with the
    highest score over the whole passage; the context shown with it plays no part.

    Raises:
        InputError: the specification names a model, or the graph has no lexicon.
    """

    is_language_model = False
    options: Mapping[str, Any] = {}

    def __init__(self, spec: ModelSpec, graph: Graph, settings: Settings) -> None:
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
            text = self._text(request)
            yield request, RawReply(text=text, finish_reason="stop", seconds=perf_counter() - start)

    def close(self) -> None:
        """Nothing to free."""

    def _text(self, request: Request) -> str:
        if request.mode == "classify":
            return choice_text(self._scorer.classify(passage_text(request)))
        return reply_text(request, self._graph, list(self._findings(request)))

    def _findings(self, request: Request) -> Iterator[Finding]:
        for number, text in prose(request.segments):
            scores = self._scorer.scores(text)
            for edge in self._scorer.edges(text):
                yield Finding(number, text, edge, scores[edge], self._scorer.cues(text, edge))
