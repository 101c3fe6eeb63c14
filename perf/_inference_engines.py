"""Part of perf/inference.py: the same requests through ours and given straight to `LLM.chat`, turn by turn."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from fingreat.edgar import chunk_section
from fingreat.inference import ReplyJudge, Settings, ask, create_backend, parse_spec, reply_log
from fingreat.inference.presets import load_presets
from fingreat.pipeline import Corpus
from fingreat.prompts import ExtractionPrompt
from fingreat.runs import read_records
from fingreat.schema import Filing, Graph, Mode, Reply, Request, Sampling, SectionStatus, load_graph

SCRIPT = Path(__file__).resolve().with_name("inference.py")
REQUESTS, CHUNK, ANSWER = 32, 160, 48
ENGINE = {"max_num_seqs": 8, "max_model_len": 8192, "block_size": 32}
QUIET = {
    "HF_HUB_OFFLINE": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
    "TRANSFORMERS_VERBOSITY": "error",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": ",".join(str(core) for core in sorted(os.sched_getaffinity(0))),
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
}


def chunks_of(corpus: Corpus, tokens: int) -> Iterator[tuple[Filing, tuple[str, ...]]]:
    """Every chunk as its segments, with its filing."""
    filings = {filing.id: filing for filing in corpus.filings()}
    for section in corpus.sections("7"):
        if section.status is SectionStatus.FOUND:
            for chunk in chunk_section(section, tokens):
                segments = tuple(section.text[segment.start : segment.end] for segment in chunk.segments)
                yield filings[section.filing_id], segments


def requests_for(corpus: Corpus, graph: Graph, mode: Mode, most: int) -> list[Request]:
    """Requests for the first chunks of a corpus."""
    prompt, sampling = ExtractionPrompt(graph, mode), Sampling(max_tokens=ANSWER)
    made = []
    for filing, segments in islice(chunks_of(corpus, CHUNK), most):
        messages = prompt.messages(filing, segments)
        key = Request.make_key(messages, prompt.reply_schema, sampling, "perf", None)
        made.append(
            Request(
                key=key, filing_id=filing.id, chunk_id=key, mode=mode, model="perf", revision=None, messages=messages,
                reply_schema=prompt.reply_schema, sampling=sampling, segments=segments,
            )
        )  # fmt: skip
    return made


def serve_turns(run: Callable[[], dict[str, float]]) -> None:
    """Answer every line on standard input with the figures of one turn."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print("ready", file=out, flush=True)
    for _ in sys.stdin:
        print(json.dumps(run()), file=out, flush=True)


def ours(model: str, folder: Path) -> None:
    graph = load_graph()
    requests = requests_for(Corpus(folder / "corpus"), graph, "span", REQUESTS)
    spec = parse_spec(f"vllm:{model}")
    backend: Any = create_backend(str(spec), graph, Settings(preset=load_presets(None).find(spec)))
    judge = ReplyJudge(graph, "span")
    turns = iter(range(1_000))

    def turn() -> dict[str, float]:
        backend._engine.reset_prefix_cache()
        log, start = reply_log(folder / f"replies-{next(turns)}"), time.perf_counter()
        with log:
            ask(iter(requests), backend, judge, log)
        seconds = time.perf_counter() - start
        replies = list(read_records(log.folder, Reply))
        shared = len(backend._chat._head[1])
        return {
            "seconds": seconds,
            "prompt": sum(reply.prompt_tokens or 0 for reply in replies),
            "output": sum(reply.output_tokens or 0 for reply in replies),
            "hit": sum(min(shared, reply.cached_tokens or 0) for reply in replies) / (shared * len(replies)),
        }

    serve_turns(turn)


def straight(model: str, folder: Path) -> None:
    from vllm import LLM, SamplingParams
    from vllm.sampling_params import StructuredOutputsParams

    requests = requests_for(Corpus(folder / "corpus"), load_graph(), "span", REQUESTS)
    engine = LLM(
        model=model, dtype="bfloat16", enforce_eager=True, enable_prefix_caching=True, seed=0, **ENGINE,
        structured_outputs_config={"backend": "guidance", "disable_any_whitespace": True},
    )  # fmt: skip
    conversations = [[message.model_dump() for message in request.messages] for request in requests]

    def turn() -> dict[str, float]:
        engine.reset_prefix_cache()
        start = time.perf_counter()
        how = [
            SamplingParams(
                max_tokens=ANSWER,
                temperature=0.0,
                structured_outputs=StructuredOutputsParams(json=request.reply_schema),
            )
            for request in requests
        ]
        outputs = engine.chat(conversations, how, use_tqdm=False)
        return {
            "seconds": time.perf_counter() - start,
            "prompt": sum(len(output.prompt_token_ids or ()) for output in outputs),
            "output": sum(len(output.outputs[0].token_ids) for output in outputs),
        }

    serve_turns(turn)


class Child:
    """This script in a process of its own, which speaks in lines; it has said that it is ready."""

    def __init__(self, *arguments: str) -> None:
        command = (sys.executable, str(SCRIPT), *arguments)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, **pipes, text=True, env=QUIET | dict(os.environ))
        if self.said() != "ready":
            self.end()
            raise RuntimeError(f"{arguments[0]} did not start")

    def said(self) -> str:
        """Its next line."""
        return self._process.stdout.readline().strip() if self._process.stdout else ""

    def turn(self) -> dict[str, float]:
        """The figures of one turn."""
        if self._process.stdin:
            self._process.stdin.write("go\n")
            self._process.stdin.flush()
        figures: dict[str, float] = json.loads(self.said())
        return figures

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


@contextmanager
def child(*arguments: str) -> Iterator[Child]:
    """A child that is ended with the block."""
    process = Child(*arguments)
    try:
        yield process
    finally:
        process.end()


def beside_vllm(model: str, folder: Path, turns: int) -> dict[str, float]:
    """Medians over the turns; the first of each engine, which is still cold, counts for nothing."""
    ratios, rates, hits = [], {"ours": [], "straight": []}, []
    with child("--ours", model, str(folder)) as first, child("--straight", model, str(folder)) as second:
        processes = {"ours": first, "straight": second}
        for number in range(turns + 1):
            # Who goes first changes: a machine that slows down slows both.
            figures = {}
            for name in sorted(processes, reverse=bool(number % 2)):
                figures[name] = processes[name].turn()
            speed = {name: (one["prompt"] + one["output"]) / one["seconds"] for name, one in figures.items()}
            print(f"  turn {number}: {speed['ours']:,.0f} and {speed['straight']:,.0f} tokens/s", file=sys.stderr)
            if number:
                ratios.append(speed["ours"] / speed["straight"])
                hits.append(figures["ours"]["hit"])
                for name in rates:
                    rates[name].append(speed[name])
    return {
        "ratio_vllm": statistics.median(ratios),
        "ratio_vllm_lowest": min(ratios),
        "prefix_hit": statistics.median(hits),
        "tokens_s": statistics.median(rates["ours"]),
        "tokens_s_straight": statistics.median(rates["straight"]),
    }
