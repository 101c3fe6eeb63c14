"""`fingreat extract` with vLLM and transformers, from a filing to grounded extractions."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from fingreat.errors import InputError
from fingreat.inference import Backend, RawReply
from fingreat.pipeline import Corpus, ExtractConfig, extract
from fingreat.pipeline.asking import AskOptions
from fingreat.pipeline.progress import Silent
from fingreat.prompts import ExtractionPrompt
from fingreat.runs import Manifest, RunFolder, read_records
from fingreat.schema import Extraction, Reply, ReplyState, load_graph

pytestmark = pytest.mark.torch
ALLOWED = {ReplyState.OK, ReplyState.TRUNCATED, ReplyState.DEGENERATE}
# Answers are so short that most are cut; asking again for the rest is tested without an engine.
SPAN = {"mode": "span", "tokens": 400, "max_tokens": 64, "resend": 0}
QUOTE = {"mode": "quote", "tokens": 1600, "max_tokens": 64, "resend": 0}
NO_TRIAL = AskOptions(trial=False)


def config(model: Path, backend: str = "vllm", **settings: Any) -> ExtractConfig:
    return ExtractConfig(model=f"{backend}:{model}", **settings)


class Told(Silent):
    """Keeps what whoever watches is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, line: str) -> None:
        self.notes.append(line)


def replies_of(run: Path) -> dict[str, Reply]:
    return {reply.key: reply for reply in read_records(RunFolder(run).replies, Reply)}


def assert_sound(run: Path, manifest: Manifest) -> None:
    """Counts add up, files are as sealed, and the engine kept to the form: whole, or cut by its budget."""
    counts, replies = manifest.counts, replies_of(run)
    assert manifest.status == "complete"
    assert RunFolder(run).verify() == []
    assert counts["requests"] == counts["outputs"] + counts["failures"] == sum(counts["requests_by_state"].values())
    assert counts["extractions"] == len(list(read_records(run / "extractions", Extraction)))
    for reply in replies.values():
        # A number of a segment that the chunk does not have is in the form, and is the one thing it cannot forbid.
        assert reply.state in ALLOWED or (
            reply.state is ReplyState.SCHEMA_VIOLATION and "segments" in (reply.detail or "")
        )
        assert reply.state is not ReplyState.TRUNCATED or reply.finish_reason == "length"


@pytest.fixture(scope="module")
def whole(corpus: Corpus, vllm: Backend, model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in span mode that nothing interrupted."""
    out = tmp_path_factory.mktemp("whole") / "run"
    begun = time.perf_counter()
    extract(corpus, config(model, **SPAN), out, backend=vllm)
    print(f"the whole run took {time.perf_counter() - begun:.0f} s")
    return out


def test_span_mode_runs_from_filing_to_extractions_that_all_stand_in_the_text(whole: Path) -> None:
    manifest = RunFolder(whole).manifest()
    assert_sound(whole, manifest)
    assert manifest.counts["requests"] > 20
    assert manifest.counts["extractions"] > 0
    assert manifest.counts["grounded"] == manifest.counts["extractions"]


def test_quote_mode_runs_from_filing_to_checked_quotes(
    corpus: Corpus, vllm: Backend, model: Path, tmp_path: Path
) -> None:
    manifest = extract(corpus, config(model, **QUOTE), tmp_path / "run", backend=vllm, options=NO_TRIAL)
    assert_sound(tmp_path / "run", manifest)
    assert sum(manifest.counts["extractions_by_verdict"].values()) == manifest.counts["extractions"] > 0


def test_the_constant_part_of_the_prompt_is_computed_once(whole: Path, vllm: Any) -> None:
    replies = replies_of(whole).values()
    prompt = sum(reply.prompt_tokens or 0 for reply in replies)
    cached = sum(reply.cached_tokens or 0 for reply in replies)
    system = ExtractionPrompt(load_graph(), "span").system
    constant = len(vllm._chat.tokenizer(system)["input_ids"])
    # The cache holds whole blocks. At the very beginning a request may run beside the one that fills it.
    block = vllm._engine.vllm_config.cache_config.block_size
    floor = (len(replies) - vllm._at_once) * (constant // block * block) / prompt
    print(f"prompt tokens {prompt:,}, cached {cached:,} ({cached / prompt:.0%}), floor {floor:.0%}")
    print(f"output tokens {sum(reply.output_tokens or 0 for reply in replies):,}")
    assert floor > 0.5
    assert cached / prompt >= floor


def test_transformers_runs_the_same_way(hf: Backend, model: Path, tmp_path: Path) -> None:
    text = "<p>Net sales rose 6% to $84.2 million.</p><p>We paid dividends of $3.1 million in cash.</p>"
    page = (
        "<html><body><p><b>Item 7. Management's Discussion and Analysis</b></p>"
        f"{text}<p><b>Item 8. Financial Statements</b></p><p>{'Balance. ' * 60}</p></body></html>"
    )
    (tmp_path / "tiny.htm").write_text(page)
    corpus = Corpus(tmp_path / "corpus")
    corpus.add([tmp_path / "tiny.htm"])
    corpus.make_sections("7")
    for mode in ("quote", "span"):
        out = tmp_path / mode
        manifest = extract(
            corpus, config(model, "hf", mode=mode, max_tokens=24, resend=0), out, backend=hf, options=NO_TRIAL
        )
        assert_sound(out, manifest)
        assert manifest.counts["requests"] == 1


def test_a_run_that_does_not_fit_is_refused_before_it_is_made_and_what_keeps_chunks_whole_fits(
    corpus: Corpus, vllm: Any, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vllm, "context", 4096)
    with pytest.raises(InputError, match=r"no room for 200 tokens of text: .* and the model holds 4,096"):
        extract(corpus, config(model, tokens=4096, max_tokens=3000), tmp_path / "run", backend=vllm)
    assert not (tmp_path / "run").exists()
    monkeypatch.setattr(vllm, "answer", lambda requests: ((one, RawReply(text="{}")) for one in requests))
    told = Told()
    pieces = config(model, tokens=4096, max_tokens=512, resend=0)
    extract(corpus, pieces, tmp_path / "pieces", backend=vllm, options=NO_TRIAL, progress=told)
    proposed = int(told.notes[1].partition("--tokens ")[2].split(",")[0])
    assert 200 <= proposed < 4096
    fitting = config(model, tokens=proposed, max_tokens=512, resend=0)
    extract(corpus, fitting, tmp_path / "run", backend=vllm, options=NO_TRIAL)
