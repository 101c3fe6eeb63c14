"""Gold passages over small filings, and scripted models that name one edge."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pipeline_builders import SENTENCES, corpus_of, submission

from fingreat.inference import RawReply
from fingreat.inference.scripted import ScriptedBackend
from fingreat.pipeline import Corpus
from fingreat.pipeline.questions import ClassifyConfig
from fingreat.runs import RunFolder, read_records
from fingreat.schema import Classification, GoldPassage, Request

CONFIG = ClassifyConfig(model="scripted:x", max_tokens=100)
ACCESSIONS = "0000000001-19-000001", "0000000002-20-000001"


def corpus(folder: Path, *, sentences: Iterable[str] = SENTENCES, firm: str = "PUMPS INC") -> Corpus:
    """Two filings with the same sentences, of two firms."""
    firms = zip(ACCESSIONS, (firm, "VALVES INC"), strict=True)
    made = {f"f{number}": submission(one, sentences, name) for number, (one, name) in enumerate(firms)}
    return corpus_of(folder, **made)


def passage(number: int, *accepted: str, filing: str = ACCESSIONS[0], text: str | None = None) -> GoldPassage:
    """The nth sentence of a filing, accepting the edges."""
    return GoldPassage(
        passage_id=f"p{number}-{filing[9]}",
        filing_id=filing,
        text=text or SENTENCES[number],
        accepted=frozenset(accepted),
        source="primary" if accepted else "none",
    )


def gold_file(folder: Path, passages: Iterable[GoldPassage]) -> Path:
    path = folder / "gold.jsonl"
    path.write_text("".join(one.model_dump_json() + "\n" for one in passages), encoding="utf-8")
    return path


GOLD = [
    passage(0, "REV-NNCA"),
    passage(3, "NNCA-CASH"),
    passage(5),
    passage(1, "REV-NNCA", "NNCA-OPEX", filing=ACCESSIONS[1]),
]


def named(edge: str, *, finish_reason: str = "stop") -> RawReply:
    return RawReply(text=json.dumps({"edge": edge}), finish_reason=finish_reason, prompt_tokens=10, output_tokens=3)


class Asked(ScriptedBackend):
    """A scripted language model that keeps what it was asked."""

    is_language_model = True

    def __init__(
        self, respond: Callable[[Request], RawReply] = lambda request: named("REV-NNCA"), context: int | None = None
    ) -> None:
        self.model, self.revision, self.context = "asked", None, context
        self.requests: list[Request] = []
        self._respond = respond

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        for request, raw in super().answer(requests):
            if request.chunk_id != "trial":
                self.requests.append(request)
            yield request, raw


def classifications(path: Path) -> list[Classification]:
    return list(read_records(RunFolder(path).classifications, Classification))
