"""Small filings, corpora and scripted models for the tests of the flow."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from fingreat.inference import RawReply, Trial
from fingreat.inference.scripted import ScriptedBackend
from fingreat.pipeline import Corpus, ExtractConfig
from fingreat.runs import Manifest, RunFolder, read_record_file, read_records
from fingreat.schema import Extraction, Failure, Reply, ReplyState, Request

SENTENCES = tuple(
    f"Net sales of line {number} rose by {number + 3}% because demand for it grew in region {number}."
    for number in range(12)
)
CONFIG = ExtractConfig(model="scripted:x", tokens=64, max_tokens=100)


def html(sentences: Iterable[str] = SENTENCES, company: str = "") -> bytes:
    """A main document whose Item 7 holds the sentences, one paragraph each."""
    body = "".join(f"<p>{sentence}</p>" for sentence in sentences)
    return (
        f"<html><body><p>{company}</p><p><b>Item 1. Business</b></p><p>{'We make pumps. ' * 40}</p>"
        f"<p><b>Item 7. Management's Discussion and Analysis</b></p>{body}"
        f"<p><b>Item 8. Financial Statements</b></p><p>{'Balance. ' * 60}</p></body></html>"
    ).encode()


def submission(accession: str, sentences: Iterable[str] = SENTENCES, company: str = "PUMPS INC") -> bytes:
    """The same as a full submission with its SGML header."""
    head = (
        f"<SEC-DOCUMENT>x.txt\n<SEC-HEADER>x\nACCESSION NUMBER:\t\t{accession}\nCONFORMED SUBMISSION TYPE:\t10-K\n"
        f"PUBLIC DOCUMENT COUNT:\t1\n\tCOMPANY CONFORMED NAME:\t\t\t{company}\n</SEC-HEADER>\n"
        "<DOCUMENT>\n<TYPE>10-K\n<SEQUENCE>1\n<FILENAME>x.htm\n<TEXT>\n"
    )
    return head.encode() + html(sentences) + b"\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n"


def corpus_of(folder: Path, **filings: bytes) -> Corpus:
    """A corpus with sections of item 7, from file name (without .htm) to bytes."""
    source = folder / "source"
    source.mkdir(parents=True, exist_ok=True)
    for name, data in filings.items():
        (source / f"{name}.htm").write_bytes(data)
    corpus = Corpus(folder / "corpus")
    corpus.add([source])
    corpus.make_sections("7")
    return corpus


def reply(*items: tuple[str, str, str]) -> str:
    """The JSON of a quote-mode reply: quote, source and target of each extraction."""
    extractions = [
        {"quote": quote, "edge": {"source": source, "target": target}, "tags": [], "period": None}
        for quote, source, target in items
    ]
    return json.dumps({"extractions": extractions}, ensure_ascii=False)


def first_sentence(request: Request) -> RawReply:
    """A model that quotes the first sentence of each chunk as evidence for revenue."""
    prose = [segment.strip() for segment in request.segments if not segment.startswith("#")]
    quotes = [(prose[0], "REV", "NNCA")] if prose else []
    return RawReply(text=reply(*quotes), finish_reason="stop", prompt_tokens=10, output_tokens=3)


class Counting(ScriptedBackend):
    """A scripted model that counts how often it is asked each request, and keeps the requests in order."""

    def __init__(self, respond: Callable[[Request], RawReply] = first_sentence, context: int | None = None) -> None:
        self.model, self.revision, self.context = "counting", None, context
        self.asked: Counter[str] = Counter()
        self.seen: list[Request] = []
        self._respond = respond

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        for request, raw in super().answer(requests):
            self.asked[request.key] += 1
            self.seen.append(request)
            yield request, raw


def extractions_of_run(path: Path) -> list[Extraction]:
    return list(read_records(path / "extractions", Extraction))


def failures_of_run(path: Path) -> list[Failure]:
    return [failure for _, failure in read_record_file(path / "failures.jsonl", Failure)]


def replies_of_run(path: Path) -> dict[str, tuple[ReplyState, str]]:
    """State and text by key; a key that is there twice fails."""
    found: dict[str, tuple[ReplyState, str]] = {}
    for record in read_records(RunFolder(path).replies, Reply):
        if record.key in found:
            raise ValueError(f"request {record.key} was answered twice")
        found[record.key] = record.state, record.text
    return found


def extraction_bytes(path: Path) -> bytes:
    return b"".join(part.read_bytes() for part in sorted((path / "extractions").glob("part-*.jsonl")))


def assert_counts_add_up(manifest: Manifest, path: Path) -> None:
    counts = manifest.counts
    extractions, failures = extractions_of_run(path), failures_of_run(path)
    assert counts["requests"] == counts["outputs"] + counts["failures"]
    assert sum(counts["requests_by_state"].values()) == counts["requests"]
    assert counts["requests_by_state"]["ok"] == counts["outputs"]
    assert sum(counts["extractions_by_verdict"].values()) == counts["extractions"] == len(extractions)
    assert sum(counts["filings_by_status"].values()) == counts["filings"]
    assert len(failures) == counts["failures"]
    grounded = sum(extraction.verdict.grounded for extraction in extractions)
    assert counts["grounded"] == grounded
    assert counts["grounded_share"] == (grounded / len(extractions) if extractions else None)
    assert counts["failures"] == counts["partial"] + counts["to_resend"] + counts["need_change"]
    assert counts["healed"] <= counts["outputs"]
    # Every key is an output or a failure, never both and never neither.
    replies, failed = replies_of_run(path), {failure.id for failure in failures}
    damaged = {key for key, (state, _) in replies.items() if state is not ReplyState.OK}
    assert counts["replies"] == len(replies)
    assert failed <= damaged if counts["resent"] or counts["split_chunks"] else failed == damaged
    assert len({extraction.id for extraction in extractions}) == len(extractions)
    assert manifest.status == "complete"
    assert RunFolder(path).manifest() == manifest
    assert RunFolder(path).verify() == []


class Watching:
    def __init__(self) -> None:
        self.begun: list[tuple[int, int]] = []
        self.added: list[int] = []
        self.replies: list[Reply] = []
        self.notes: list[str] = []
        self.trials: list[Trial] = []
        self.seconds: Callable[[], float] = float

    def begin(self, total: int, done: int) -> None:
        self.begun.append((total, done))

    def more(self, number: int) -> None:
        self.added.append(number)

    def advance(self, reply: Reply) -> None:
        self.replies.append(reply)

    def timed(self, seconds: Callable[[], float]) -> None:
        self.seconds = seconds

    def tried(self, trial: Trial) -> None:
        self.trials.append(trial)

    def note(self, line: str) -> None:
        self.notes.append(line)
