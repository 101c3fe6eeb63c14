"""Two filings, two scripted models and a gold whose measures are worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from pipeline_builders import Counting, corpus_of, submission

from fingreat.inference import RawReply
from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.report import Report
from fingreat.runs import RunFolder
from fingreat.schema import GoldPassage, Request

# No two of them share enough words to be taken for the same passage.
SENTENCES = (
    "Revenue from pumps rose by 12% on higher volumes in Europe.",
    "Cost of sales fell because copper became cheaper during spring.",
    "Our effective tax rate was 21% after a settlement with authorities.",
    "Advertising expense grew as we entered Brazil and two other markets.",
    "We repurchased 2 million shares under the programme of our board.",
    "Dividends of $0.40 per share were paid in every quarter.",
)
FIRST, SECOND = "0000000001-24-000001", "0000000002-24-000002"
Said = Mapping[int, tuple[str, str, tuple[str, ...]]]
"""Number of a sentence → source, target and tags that a model gives it."""
A: Said = {
    0: ("REV", "NNCA", ("volume",)),
    1: ("NNCA", "COGS", ("copper", "cost")),
    2: ("NNCA", "TAX", ()),
}
B: Said = {
    0: ("REV", "NNCA", ("volume",)),
    1: ("NNCA", "OPEX", ("volume",)),
    5: ("CASH", "DIV", ("<b>paid</b> [red]",)),
}


def two_filings(folder: Path) -> Corpus:
    """The first filing holds all sentences, the second one the first three."""
    return corpus_of(
        folder,
        a=submission(FIRST, SENTENCES, "PUMPS <i>INC</i>"),
        b=submission(SECOND, SENTENCES[:3], "VALVES CORP"),
    )


def saying(said: Said) -> Callable[[Request], RawReply]:
    """A model that quotes the sentences it knows, wherever they stand."""

    def respond(request: Request) -> RawReply:
        shown = {segment.strip() for segment in request.segments}
        items = [
            {
                "quote": SENTENCES[number],
                "edge": {"source": source, "target": target},
                "tags": list(tags),
                "period": None,
            }
            for number, (source, target, tags) in said.items()
            if SENTENCES[number] in shown
        ]
        return RawReply(text=json.dumps({"extractions": items}), finish_reason="stop")

    return respond


def run_of(corpus: Corpus, path: Path, said: Said, model: str = "scripted:x", **changes: object) -> RunFolder:
    """A finished run of such a model."""
    config = ExtractConfig.model_validate({"model": model, "tokens": 64, "max_tokens": 100, **changes})
    extract(corpus, config, path, backend=Counting(saying(said)))
    return RunFolder(path)


def gold_of(
    filing_id: str, *numbers: int, edges: tuple[str, ...] = ("REV-NNCA", "NNCA-COGS", "", "", "", "CASH-DIV")
) -> list[GoldPassage]:
    """Sentences of a filing as gold, each with the edge of its number, still without a place."""
    return [
        GoldPassage(
            passage_id=f"{filing_id}/{number}",
            filing_id=filing_id,
            text=SENTENCES[number],
            accepted=frozenset((edges[number],)),
            source="primary",
        )
        for number in numbers
    ]


def ids(report: Report) -> tuple[set[str], set[str]]:
    """The ids of a report's tables and of its figures."""
    return {table.id for table in report.tables}, {figure.id for figure in report.figures}
