"""`vllm:DIR-or-NAME[@revision]`: the vLLM engine in this process, many requests at once, held to the reply's form."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from itertools import count
from time import perf_counter
from typing import Any

from fingreat.errors import BackendError
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
from fingreat.schema import Graph, ReplyState, Request

_ON_PROCESSOR = 8
"""Requests at once without a graphics card: more share the same few cores."""


class VllmBackend:
    """A model in the vLLM engine, by folder or by its name on the model hub.

    Prompts that begin alike share their beginning's computation. On graphics cards one copy of the model is spread
    over all that CUDA_VISIBLE_DEVICES leaves (tensor parallelism, so their number must divide that of the model's
    attention heads), and vLLM decides how many requests run at once. The context is the model's own, or as much of it
    as the memory for keys and values holds.

    Environment variables decide the rest; these are set where the user has not:
    VLLM_ENABLE_V1_MULTIPROCESSING=0, so that no second process imports the user's script again;
    VLLM_CPU_KVCACHE_SPACE, GiB for keys and values without a graphics card; VLLM_CPU_OMP_THREADS_BIND, its cores;
    VLLM_LOGGING_LEVEL and VLLM_LOGGING_STREAM; VLLM_NO_USAGE_STATS=1, so that nothing is reported to anybody.

    Raises:
        InputError: there is no such model, something is missing in it, or its revision is another one.
        BackendError: the engine cannot load it.
    """

    is_language_model = True
    options: Mapping[str, Any] = {}

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
        self._chat = ChatModel(spec)
        self.model = self._chat.name
        self.revision: str | None = self._chat.revision
        self._numbers = count()
        with loading(spec):
            self._vllm: Any = import_module("vllm")
            self._params: Any = import_module("vllm.sampling_params")
            self._refusals = (ValueError, TypeError, import_module("vllm.exceptions").VLLMError)
            self._engine = self._start()
        config = self._engine.vllm_config
        self.context: int | None = config.model_config.max_model_len
        self._at_once: int = config.scheduler_config.max_num_seqs

    def prompt_tokens(self, request: Request) -> int:
        """Tokens of the request's prompt, by the model's own tokenizer and chat template."""
        return len(self._chat.prompt_ids(request))

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        """Each request with its reply, as they finish; as many are under way as the engine runs at once.

        How numbers are rounded depends on which requests run beside one another, so an answer may differ by a word or
        two where the model is undecided. With a temperature above 0 the seed of the first request is the engine's.
        """
        waiting = iter(requests)
        running: dict[str, tuple[Request, float]] = {}
        seeded = False
        try:
            while True:
                while len(running) < self._at_once and (request := next(waiting, None)) is not None:
                    if request.sampling.temperature > 0 and not seeded:
                        self._seed(request.sampling.seed)
                        seeded = True
                    name = str(next(self._numbers))
                    if refusal := self._add(name, request):
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
            if running:
                self._engine.abort_request(list(running))

    def close(self) -> None:
        """Stop the engine and its workers."""
        with off_stdout():
            self._engine.engine_core.shutdown()
        self._engine = None

    def _start(self) -> Any:
        config: Any = import_module("vllm.config")
        platform: Any = import_module("vllm.platforms").current_platform
        # On the processor compiling takes longer than it saves.
        device = (
            {"enforce_eager": True, "max_num_seqs": _ON_PROCESSOR}
            if platform.is_cpu()
            else {"tensor_parallel_size": max(1, platform.device_count())}
        )
        arguments = self._vllm.EngineArgs(
            model=self._chat.source,
            revision=self._chat.commit,
            tokenizer_revision=self._chat.commit,
            max_model_len=-1,
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
        return self._vllm.LLMEngine.from_engine_args(arguments)

    def _seed(self, seed: int) -> None:
        """Seed every worker; a seed per request stops the engine on the processor where a prompt is read in parts."""
        with engine_errors("vLLM", self._where):
            self._engine.collective_rpc(_seed_worker, args=(seed,))

    def _add(self, name: str, request: Request) -> RawReply | None:
        """Hand a request over; the reply of one that the engine refuses."""
        ids = self._chat.prompt_ids(request)
        if refusal := too_long(len(ids), self.context):
            return refusal
        sampling = request.sampling
        try:
            params = self._vllm.SamplingParams(
                max_tokens=answer_budget(request, len(ids), self.context),
                temperature=sampling.temperature,
                structured_outputs=self._params.StructuredOutputsParams(json=dict(request.reply_schema)),
            )
            self._engine.add_request(name, {"prompt_token_ids": ids}, params)
        except self._refusals as error:
            return RawReply(state=ReplyState.ERROR, detail=f"vLLM refuses the request: {reason(error)}")
        return None

    def _step(self) -> Any:
        with engine_errors("vLLM", self._where):
            return self._engine.step()


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
        seconds=seconds,
        state=ReplyState.ERROR if failed else None,
        detail=f"vLLM ended the request with '{answer.finish_reason}'" if failed else None,
        retryable=failed,
    )
