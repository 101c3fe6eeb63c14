"""Classification runs over one small gold file, by scripted models of several names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from classify_builders import CONFIG, GOLD, Asked, gold_file, named

from fingreat.inference import RawReply
from fingreat.pipeline import Corpus
from fingreat.pipeline.classify import classify
from fingreat.pipeline.questions import ClassifyConfig
from fingreat.runs import RunFolder
from fingreat.schema import Request

FAILED = RawReply(text="?")
"""A reply without an edge."""


def by_passage(edges: Mapping[str, str | None]) -> Callable[[Request], RawReply]:
    """Gives each passage its edge, or a damaged reply for None; REV-NNCA to any other."""

    def respond(request: Request) -> RawReply:
        edge = edges.get(request.chunk_id, "REV-NNCA")
        return FAILED if edge is None else named(edge)

    return respond


def judged_run(
    folder: Path,
    name: str,
    edges: Mapping[str, str | None] | None = None,
    *,
    gold: Path | None = None,
    over: Corpus | None = None,
    config: ClassifyConfig = CONFIG,
    backend: Asked | None = None,
) -> RunFolder:
    """A complete run of a model of that name, which gives passages these edges."""
    model = backend or Asked(by_passage(edges or {}))
    model.model = name
    # Damaged replies are not asked again: a test says what a passage's answer is.
    config = config.model_copy(update={"resend": 0})
    classify(gold or gold_file(folder, GOLD), config, folder / name, corpus=over, backend=model)
    return RunFolder(folder / name)
