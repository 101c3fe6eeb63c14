"""`vllm:DIR-or-NAME[@revision]`: the vLLM engine in this process, many requests at once, held to the reply's form."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from itertools import count, islice
from time import perf_counter
from typing import Any

from fingreat.errors import BackendError, InputError
from fingreat.inference.backend import ModelSpec, RawReply, Settings
from fingreat.inference.model_folder import (
    PATIENT_THREADS,
    QUIET_TORCH,
    ChatModel,
    answer_budget,
    engine_errors,
    loading,
    off_stdout,
    reason,
    set_defaults,
    too_long,
)
from fingreat.inference.presets import Engine
from fingreat.schema import Graph, ReplyState, Request

DTYPE = "bfloat16"
_ON_PROCESSOR = 8
"""Requests at once without a graphics card: more share the same few cores."""
_BLOCK_ON_PROCESSOR = 32
"""Tokens that are kept or computed together: of the part that prompts share, less than one block is computed again."""
_WINDOW = 64
"""Requests that are made ahead and put in order of length; twice as many are held at most."""
_MOST_GRAMMARS = 16


class VllmBackend:
    """A model in the vLLM engine, by folder or by its name on the model hub.

    Weights are computed with in bfloat16. Prompts that begin alike share their beginning's computation. On graphics
    cards one copy of the model is spread over all that CUDA_VISIBLE_DEVICES leaves (tensor parallelism, so their number
    must divide that of the model's attention heads), and vLLM decides how many requests run at once and how much of the
    cards' memory it takes. The context is the model's own, or as much of it as the memory for keys and values holds.
    `engine` of the model's preset says otherwise.

    Environment variables decide the rest; these are set where the user has not:
    VLLM_ENABLE_V1_MULTIPROCESSING=0, so that no second process imports the user's script again;
    VLLM_CPU_KVCACHE_SPACE, GiB for keys and values without a graphics card; VLLM_CPU_OMP_THREADS_BIND, its cores;
    VLLM_LOGGING_LEVEL and VLLM_LOGGING_STREAM; VLLM_NO_USAGE_STATS=1, so that nothing is reported to anybody.

    Raises:
        InputError: there is no such model, something is missing in it, its revision is another one, or its preset asks
            for more cards than there are.
        BackendError: the engine cannot load it.
    """

    is_language_model = True

    def __init__(self, spec: ModelSpec, graph: Graph, settings: Settings) -> None:
        set_defaults(
            PATIENT_THREADS
            | QUIET_TORCH
            | {
                "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
                "VLLM_CPU_KVCACHE_SPACE": "2",
                "VLLM_CPU_OMP_THREADS_BIND": ",".join(str(core) for core in sorted(os.sched_getaffinity(0))),
                "VLLM_LOGGING_LEVEL": "ERROR",
                "VLLM_LOGGING_STREAM": "ext://sys.stderr",
                "VLLM_NO_USAGE_STATS": "1",
            }
        )
        self._where = str(spec)
        self._chat = ChatModel(spec, settings.preset)
        self.model = self._chat.name
        self.revision: str | None = self._chat.revision
        self.options: Mapping[str, Any] = {**self._chat.options, "dtype": DTYPE}
        self._numbers = count()
        self._form: tuple[str, Any] = ("", None)
        with loading(spec):
            self._vllm: Any = import_module("vllm")
            self._params: Any = import_module("vllm.sampling_params")
            self._inputs: Any = import_module("vllm.inputs.engine")
            self._refusals = (ValueError, TypeError, import_module("vllm.exceptions").VLLMError)
            platform: Any = import_module("vllm.platforms").current_platform
            self._on_processor = bool(platform.is_cpu())
            self._engine = self._start(settings.preset.engine, platform.device_count)
            compile_once(self._engine)
        config = self._engine.vllm_config
        self.context: int | None = config.model_config.max_model_len
        # Some more than run at once: one that waits in the engine starts in the very step in which another ends.
        self._at_once: int = config.scheduler_config.max_num_seqs
        self._under_way = self._at_once + max(2, self._at_once // 8)

    def prompt_tokens(self, request: Request) -> int:
        """Tokens of the request's prompt, by the model's own tokenizer and chat template."""
        return self._chat.count(request)

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        """Each request with its reply, as they finish; a few more are under way than the engine runs at once.

        Requests are taken in windows, and those of a window by length, the longest first, so that those that run
        together end together. How numbers are rounded depends on which requests run beside one another, so an answer
        may differ by a word or two where the model is undecided. With a temperature above 0 every request draws from
        its own seed; on the processor, where vLLM cannot do that, all draw from the seed of the first one.
        """
        waiting = self._windows(requests)
        running: dict[str, tuple[Request, float]] = {}
        seeded = False
        try:
            while True:
                while len(running) < self._under_way and (ready := next(waiting, None)) is not None:
                    request, ids = ready
                    if self._on_processor and request.sampling.temperature > 0 and not seeded:
                        self._seed(request.sampling.seed)
                        seeded = True
                    name = str(next(self._numbers))
                    if isinstance(ids, RawReply):
                        yield request, ids
                    elif refusal := self._add(name, request, ids):
                        yield request, refusal
                    else:
                        running[name] = request, perf_counter()
                if not running:
                    return
                for output in self._step():
                    if output.finished and output.request_id in running:
                        request, start = running.pop(output.request_id)
                        yield request, _raw(output, perf_counter() - start)
        except BackendError:
            # An engine that is gone has nothing to be told.
            running.clear()
            raise
        finally:
            waiting.close()
            if running:
                self._engine.abort_request(list(running))

    def close(self) -> None:
        """Stop the engine and its workers."""
        with off_stdout():
            self._engine.engine_core.shutdown()
        self._engine = None

    def _start(self, wanted: Engine, devices: Callable[[], int]) -> Any:
        config: Any = import_module("vllm.config")
        usage: Any = import_module("vllm.usage.usage_lib")
        device: dict[str, Any]
        if self._on_processor:
            # Compiling takes longer than it saves there.
            device = {
                "enforce_eager": True,
                "max_num_seqs": wanted.max_requests or _ON_PROCESSOR,
                "block_size": _BLOCK_ON_PROCESSOR,
            }
        else:
            cards = max(1, devices())
            if (wanted.tensor_parallel or 1) > cards:
                raise InputError(
                    f"its preset spreads it over {wanted.tensor_parallel} graphics cards, and there are {cards}.",
                    where=self._where,
                    hint="Change `tensor_parallel` in the models file, or CUDA_VISIBLE_DEVICES.",
                )
            device = {"tensor_parallel_size": wanted.tensor_parallel or cards}
            if wanted.gpu_memory is not None:
                device["gpu_memory_utilization"] = wanted.gpu_memory
            if wanted.max_requests is not None:
                device["max_num_seqs"] = wanted.max_requests
        arguments = self._vllm.EngineArgs(
            model=self._chat.source,
            revision=self._chat.commit,
            tokenizer_revision=self._chat.commit,
            dtype=DTYPE,
            max_model_len=wanted.max_context or -1,
            seed=0,
            enable_prefix_caching=True,
            # Of the engines for grammars, the one that keeps escapes right; blanks between items would let a weak
            # model write them until its budget ends.
            structured_outputs_config=config.StructuredOutputsConfig(backend="guidance", disable_any_whitespace=True),
            # No memory for pictures.
            language_model_only=True,
            disable_log_stats=True,
            use_tqdm_on_load=False,
            **device,
        )
        # What vLLM chooses for many requests at once, not for one user who waits.
        return self._vllm.LLMEngine.from_engine_args(arguments, usage_context=usage.UsageContext.LLM_CLASS)

    def _windows(self, requests: Iterable[Request]) -> Generator[tuple[Request, list[int] | RawReply], None, None]:
        """Every request with its prompt's tokens, window by window; those of the next window are made meanwhile."""
        source = iter(requests)
        with ThreadPoolExecutor(1) as pool:

            def take() -> list[tuple[Request, Future[list[int] | RawReply]]]:
                return [(request, pool.submit(self._tokens, request)) for request in islice(source, _WINDOW)]

            try:
                coming = take()
                while coming:
                    window = [(request, future.result()) for request, future in coming]
                    window.sort(key=_length, reverse=True)
                    coming = take()
                    yield from window
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def _tokens(self, request: Request) -> list[int] | RawReply:
        """The prompt's tokens; the reply where they leave no room for an answer, or cannot be made."""
        try:
            ids = self._chat.prompt_ids(request)
        except self._refusals as error:
            return RawReply(state=ReplyState.ERROR, detail=f"the prompt cannot be made: {reason(error)}")
        return too_long(len(ids), self.context) or ids

    def _seed(self, seed: int) -> None:
        """Seed every worker; a seed per request stops the engine on the processor where a prompt is read in parts."""
        with engine_errors("vLLM", self._where):
            self._engine.collective_rpc(_seed_worker, args=(seed,))

    def _add(self, name: str, request: Request, ids: list[int]) -> RawReply | None:
        """Hand a request over; the reply of one that the engine refuses, which it would do again."""
        sampling = request.sampling
        try:
            params = self._vllm.SamplingParams(
                max_tokens=answer_budget(request, len(ids), self.context),
                temperature=sampling.temperature,
                seed=sampling.seed if sampling.temperature > 0 and not self._on_processor else None,
                structured_outputs=self._reply_form(request.reply_schema),
            )
            self._engine.add_request(name, self._inputs.tokens_input(ids), params)
        except self._refusals as error:
            return RawReply(state=ReplyState.ERROR, detail=f"vLLM refuses the request: {reason(error)}")
        return None

    def _reply_form(self, schema: Mapping[str, Any]) -> Any:
        """The schema as the engine takes it; the same object for requests with the same schema."""
        text = json.dumps(dict(schema))
        if text != self._form[0]:
            self._form = text, self._params.StructuredOutputsParams(json=text)
        return self._form[1]

    def _step(self) -> Any:
        with engine_errors("vLLM", self._where):
            return self._engine.step()


def compile_once(engine: Any) -> None:
    """Have an engine compile the grammar of a schema once, and give every further request a copy of it.

    vLLM compiles it anew for every request, in a thread beside the one that computes. An engine whose core runs in
    another process, or is built otherwise than the one that this was written for, is left as it is.
    """
    core = getattr(engine.engine_core, "engine_core", None)
    manager = getattr(core, "structured_output_manager", None)
    compiler = getattr(manager, "_create_grammar", None)
    if manager is None or compiler is None:
        return
    compiled: dict[Any, Any] = {}

    def create(request: Any) -> Any:
        asked = request.structured_output_request.structured_output_key
        key = asked, frozenset(request.sampling_params.all_stop_token_ids or ())
        if key not in compiled:
            grammar = compiler(request)
            if not hasattr(getattr(grammar, "ll_matcher", None), "deep_copy"):
                return grammar
            if len(compiled) >= _MOST_GRAMMARS:
                compiled.clear()
            compiled[key] = grammar
        # The one that is kept never reads a token, so every copy begins at the beginning.
        kept = compiled[key]
        return dataclasses.replace(kept, ll_matcher=kept.ll_matcher.deep_copy())

    manager._create_grammar = create


def _length(ready: tuple[Request, list[int] | RawReply]) -> int:
    return len(ready[1]) if isinstance(ready[1], list) else 0


def _seed_worker(worker: Any, seed: int) -> None:
    import_module("torch").manual_seed(seed)


def _raw(output: Any, seconds: float) -> RawReply:
    (answer,) = output.outputs
    failed = answer.finish_reason in ("abort", "error")
    return RawReply(
        text=answer.text,
        finish_reason=answer.finish_reason,
        prompt_tokens=len(output.prompt_token_ids),
        cached_tokens=output.num_cached_tokens,
        output_tokens=len(answer.token_ids),
        # The answer is held to its form from the first token, which leaves no room for thoughts.
        reasoning_tokens=0,
        seconds=seconds,
        state=ReplyState.ERROR if failed else None,
        detail=f"vLLM ended the request with '{answer.finish_reason}'" if failed else None,
        retryable=failed,
    )
