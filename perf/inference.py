"""Does anything of ours keep an engine waiting, beside the same requests given straight to vLLM's `LLM.chat`?

A real model of 135M parameters in vLLM on the processor: ours (`ask`, which judges and writes every reply to disk) and
`LLM.chat` answer the same requests, each in a process and an engine of its own, in turn; the prefix cache is emptied
before each. The ratio is that of tokens a second, the median over the turns. From ours: how much of the part that all
prompts share came from the cache.

Over HTTP: `openai:` with 64 requests in flight against a server in another process that answers each after one second.
The ideal is a second for every 64 requests.

Output tokens: the right replies for the shipped gold files, one for each chunk, in span mode and in quote mode, counted
by the model's own tokenizer: without tags, as the gold has none, and with two tags for each item, which both modes
write alike.

Beside the engine: a whole `extract` run over real filings with scripted replies, six quotes for each chunk of full
size, one of them altered: CPU time of its process, all threads, for each chunk, from the corpus to grounded
extractions, and the part of it between the first request and the last reply, while an engine would be at work. And the
peak of memory of such runs over 1,000 and over 20,000 small chunks of invented filings, each in a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from _inference_engines import beside_vllm, child, ours, requests_for, straight
from _inference_own import own, own_run

from fingreat.edgar import chunk_section
from fingreat.inference import ReplyJudge, Settings, ask, create_backend, parse_spec, reply_log
from fingreat.inference.model_folder import ChatModel
from fingreat.pipeline import Corpus
from fingreat.pipeline.demo import FILINGS
from fingreat.pipeline.gold import anchor_gold, read_gold
from fingreat.runs import read_records
from fingreat.schema import Graph, Reply, load_graph

TURNS = 5
IN_FLIGHT, DELAY, WAVES = 64, 1.0, 20
FULL = 4096
FEW, MANY, SMALL = 1_000, 20_000, 160
AIMS = {
    "ratio_vllm": ("at least", 0.95),
    "ratio_http": ("at least", 0.95),
    "prefix_hit": ("at least", 0.95),
    "span_tokens_ratio": ("at most", 0.35),
    "own_ms_per_chunk": ("at most", 5.0),
    "memory_growth": ("at most", 1.1),
}


def shipped(folder: Path) -> Corpus:
    """The shipped filings as a corpus."""
    for name in FILINGS:
        shutil.copy(str(files("fingreat.shipped").joinpath(name)), folder)
    corpus = Corpus(folder / "corpus")
    corpus.add([folder / name for name in FILINGS])
    corpus.make_sections("7")
    return corpus


async def slow_server() -> None:
    """Answer every chat completion after a second, and say on which port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").lower().split("\r\n")
                size = next((int(line.split(":")[1]) for line in lines if line.startswith("content-length")), 0)
                await reader.readexactly(size)
                if lines[0].startswith("get"):
                    value: dict[str, Any] = {
                        "object": "list",
                        "data": [{"id": "slow", "object": "model", "created": 0}],
                    }
                else:
                    await asyncio.sleep(DELAY)
                    message = {"role": "assistant", "content": '{"extractions": []}'}
                    usage = {"prompt_tokens": 3000, "completion_tokens": 6, "total_tokens": 3006}
                    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
                    value = {"id": "1", "object": "chat.completion", "created": 0, "model": "slow", "choices": choices}
                    value["usage"] = usage
                body = json.dumps(value).encode()
                head_out = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
                writer.write(head_out.encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, limit=1 << 22)
    print("ready", flush=True)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def over_http(corpus: Corpus, folder: Path) -> dict[str, float]:
    """How near to the ideal of 64 answers a second `openai:` comes, with every reply judged and on disk."""
    graph = load_graph()
    first = requests_for(corpus, graph, "quote", 16)
    wanted = [
        request.model_copy(update={"key": f"{request.key}-{number}"})
        for number in range(IN_FLIGHT * WAVES // len(first))
        for request in first
    ]
    with child("--server") as server:
        port = int(server.said())
        settings = Settings(base_url=f"http://127.0.0.1:{port}/v1", in_flight=IN_FLIGHT)
        backend = create_backend("openai:slow", graph, settings)
        log = reply_log(folder / "http")
        start, cpu = time.perf_counter(), time.process_time()
        with log:
            ask(iter(wanted), backend, ReplyJudge(graph, "quote"), log)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        backend.close()
    states = [reply.state.value for reply in read_records(log.folder, Reply)]
    if states != ["ok"] * len(wanted):
        raise RuntimeError(f"{len(states)} replies, {states.count('ok')} of them whole")
    ideal = len(wanted) / IN_FLIGHT * DELAY
    return {"ratio_http": ideal / seconds, "http_cpu_ms": cpu / len(wanted) * 1000}


def right_replies(graph: Graph, tags: list[str]) -> Iterator[tuple[str, str]]:
    """The right reply of every chunk of the shipped filings in quote mode and in span mode, for their gold files.

    The gold has no tags: every item gets the same ones.
    """
    with tempfile.TemporaryDirectory() as folder:
        corpus = shipped(Path(folder))
        names = {filing.id: Path(filing.path).stem for filing in corpus.filings()}
        gold = [
            passage
            for name in FILINGS
            for passage in read_gold(Path(str(files("fingreat.shipped"))) / f"{name.partition('.')[0]}.gold.jsonl")
        ]
        for section in corpus.sections("7"):
            passages = anchor_gold((one for one in gold if one.filing_id == section.filing_id), section.text)
            if not passages:
                raise RuntimeError(f"no gold for {names[section.filing_id]}")
            for chunk in chunk_section(section):
                quotes, spans = [], []
                for passage in passages:
                    touched = [
                        number
                        for number, segment in enumerate(chunk.segments, 1)
                        if segment.start < (passage.end or 0) and segment.end > (passage.start or 0)
                    ]
                    for edge in sorted(passage.accepted if touched else ()):
                        pair = {"source": graph.edges[edge].source, "target": graph.edges[edge].target}
                        quotes.append({"quote": passage.text, "edge": pair, "tags": tags, "period": None})
                        last = {"last": touched[-1]} if len(touched) > 1 else {}
                        spans.append({"first": touched[0], **last, "edge": edge, "tags": tags})
                # As an engine writes it whose grammar allows no blanks.
                quote, span = (
                    json.dumps({"extractions": items}, ensure_ascii=False, separators=(",", ":"))
                    for items in (quotes, spans)
                )
                yield quote, span


def span_tokens(model: str) -> dict[str, float]:
    tokenizer = ChatModel(parse_spec(f"vllm:{model}")).tokenizer
    graph = load_graph()
    if graph.example is None:
        raise RuntimeError("the graph has no worked example, whose tags are counted")
    figures = {}
    for name, tags in (("", []), ("_with_tags", list(graph.example.extractions[0].tags))):
        counts = [[len(tokenizer(text)["input_ids"]) for text in pair] for pair in right_replies(graph, tags)]
        quote, span = (sum(column) for column in zip(*counts, strict=True))
        figures |= {f"span_tokens_ratio{name}": span / quote, f"quote_tokens{name}": quote, f"span_tokens{name}": span}
    return figures


def own_figures() -> dict[str, float]:
    full, few, many = own_run(FULL), own_run(SMALL, FEW), own_run(SMALL, MANY)
    return {
        "own_ms_per_chunk": full["cpu"] / full["chunks"] * 1000,
        "own_asking_ms_per_chunk": full["asking_cpu"] / full["chunks"] * 1000,
        "own_chunks": full["chunks"],
        "chunks_few": few["chunks"],
        "chunks_many": many["chunks"],
        "memory_few_mb": few["peak_mb"],
        "memory_many_mb": many["peak_mb"],
        "memory_growth": many["peak_mb"] / few["peak_mb"],
        "own_ms_per_small_chunk": many["cpu"] / many["chunks"] * 1000,
    }


def model_folder() -> Path:
    """The model as the tests of vLLM make it, once per environment."""
    folder = Path(sys.prefix) / "smollm2-135m-instruct"
    if not folder.is_dir():
        sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "vllm"))
        from conftest import make_model

        make_model(folder)
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS, help="of ours and LLM.chat, after a first that is cold")
    parser.add_argument("--only", choices=("vllm", "http", "tokens", "own"), help="measure one part")
    for name, count in (("--ours", 2), ("--straight", 2), ("--own", 2), ("--server", 0)):
        parser.add_argument(name, nargs=count or None, help=argparse.SUPPRESS) if count else parser.add_argument(
            name, action="store_true", help=argparse.SUPPRESS
        )
    options = parser.parse_args()
    if options.server:
        asyncio.run(slow_server())
    elif options.own:
        own(Path(options.own[0]), int(options.own[1]))
    elif options.ours:
        ours(options.ours[0], Path(options.ours[1]))
    elif options.straight:
        straight(options.straight[0], Path(options.straight[1]))
    else:
        return report(options.turns, options.only)
    return 0


def report(turns: int, only: str | None) -> int:
    """Measure, print the table and, last, the figures as JSON."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        corpus = shipped(folder)
        model = str(model_folder())
        if only in (None, "vllm"):
            figures |= beside_vllm(model, folder, turns)
        if only in (None, "http"):
            figures |= over_http(corpus, folder)
        if only in (None, "tokens"):
            figures |= span_tokens(model)
        if only in (None, "own"):
            figures |= own_figures()
    print(f"{'figure':26} {'measured':>10}  aim")
    for name, value in figures.items():
        words, aim = AIMS.get(name, ("", None))
        kept = aim is None or (value >= aim if words == "at least" else value <= aim)
        print(f"{name:26} {value:10,.3f}  {f'{words} {aim}' if aim else ''}{'' if kept else '  MISSED'}")
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
