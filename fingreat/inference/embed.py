"""`embed`: no language model, the edge whose definition and statements lie nearest to a sentence's embedding."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from time import perf_counter
from typing import Any

from fingreat.inference.backend import ModelSpec, RawReply, Settings
from fingreat.inference.embed_encoder import load_encoder
from fingreat.inference.embed_scorer import EmbedScorer
from fingreat.inference.whole_segments import Finding, choice_text, passage_text, prose, reply_text
from fingreat.schema import Graph, Request

_LONGEST_TAG = 60


class EmbedBackend:
    """Answers from the request's segments by similarity (`EmbedScorer`, which says what that cannot tell).

    `embed` is multilingual-e5-small in 4 bits, from a wheel; `embed:FOLDER` any sentence-transformers folder. Prompt
    and sampling play no part. An extraction has one tag: the clause of its edge's definition that is nearest to the
    segment ("capital expenditure"). Facets are null. A classification is the edge nearest to the whole passage; the
    context shown with it plays no part. The revision names the weights, then the graph file, whose
    statements decide as much.

    Raises:
        InputError: there is no such folder, it is no sentence-transformers model, or its revision is another one.
        BackendError: the model cannot be loaded.
    """

    is_language_model = False
    options: Mapping[str, Any] = {}

    def __init__(self, spec: ModelSpec, graph: Graph, settings: Settings) -> None:
        encoder = load_encoder(spec)
        self._graph = graph
        self._scorer = EmbedScorer(graph, encoder)
        self.model = encoder.name
        self.revision: str | None = f"{encoder.revision}-{graph.digest[:8]}"
        self.context: int | None = None

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        """Each request with its reply, in order.

        The segments of one request are embedded together, never those of several: that would not be faster, and a
        reply cannot depend on what else was asked.
        """
        for request in requests:
            start = perf_counter()
            text = self._text(request)
            yield request, RawReply(text=text, finish_reason="stop", seconds=perf_counter() - start)

    def close(self) -> None:
        """Nothing to free."""

    def _text(self, request: Request) -> str:
        if request.mode == "classify":
            return choice_text(self._scorer.classify(passage_text(request)))
        return reply_text(request, self._graph, self._findings(request))

    def _findings(self, request: Request) -> list[Finding]:
        sentences = list(prose(request.segments))
        judgements = self._scorer.judge([text for _, text in sentences])
        return [
            Finding(number, text, edge, judged.evidence, [_tag(judged.clauses[edge])])
            for (number, text), judged in zip(sentences, judgements, strict=True)
            for edge in judged.edges
        ]


def _tag(clause: str) -> str:
    return textwrap.shorten(clause, _LONGEST_TAG, placeholder=" ...")
