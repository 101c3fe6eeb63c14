"""`hf:DIR-or-NAME[@revision]`: transformers, one request after the other, held to the reply's form by xgrammar."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
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
    reason,
    set_defaults,
    too_long,
)
from fingreat.schema import Graph, ReplyState, Request


class HfBackend:
    """A model of the transformers library, by folder or by its name on the model hub.

    It runs on the first graphics card that CUDA_VISIBLE_DEVICES leaves, and without one on the processor; in
    bfloat16, or in float16 where the card knows no bfloat16. Every request is answered on its own and draws from
    its own seed, so that an answer does not depend on the others; for many requests `vllm` is faster.

    Raises:
        InputError: there is no such model, something is missing in it, or its revision is another one.
        BackendError: it cannot be loaded.
    """

    is_language_model = True

    def __init__(self, spec: ModelSpec, graph: Graph, settings: Settings) -> None:
        set_defaults(PATIENT_THREADS | QUIET_TORCH)
        self._where = str(spec)
        self._chat = ChatModel(spec, settings.preset)
        self.model = self._chat.name
        self.revision: str | None = self._chat.revision
        config = self._chat.config.get_text_config()
        own: int | None = getattr(config, "max_position_embeddings", None)
        self.context = min(filter(None, (own, settings.preset.engine.max_context)), default=None)
        with loading(spec):
            self._torch: Any = import_module("torch")
            self._grammars: Any = import_module("xgrammar")
            self._processors: Any = import_module("xgrammar.contrib.hf")
            self._transformers: Any = import_module("transformers")
            self._model = self._weights()
            dtype = str(self._model.dtype).removeprefix("torch.")
            self.options: Mapping[str, Any] = {**self._chat.options, "dtype": dtype}
            defaults = self._model.generation_config.eos_token_id
            ends = defaults if defaults is not None else self._chat.tokenizer.eos_token_id
            self._ends = set(ends if isinstance(ends, list) else [ends])
            vocabulary = self._grammars.TokenizerInfo.from_huggingface(
                self._chat.tokenizer, vocab_size=config.vocab_size, stop_token_ids=sorted(self._ends)
            )
            self._compiler = self._grammars.GrammarCompiler(vocabulary)

    def prompt_tokens(self, request: Request) -> int:
        """Tokens of the request's prompt, by the model's own tokenizer and chat template."""
        return self._chat.count(request)

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        """Each request with its reply, in order."""
        for request in requests:
            start = perf_counter()
            with engine_errors("transformers", self._where):
                reply = self._answer(request)
            yield request, RawReply(**{**reply.__dict__, "seconds": perf_counter() - start})

    def close(self) -> None:
        """Free the weights."""
        self._model = None
        if self._torch.cuda.is_available():
            self._torch.cuda.empty_cache()

    def _weights(self) -> Any:
        torch = self._torch
        self._transformers.utils.logging.disable_progress_bar()
        on_card = torch.cuda.is_available()
        dtype = torch.float16 if on_card and not torch.cuda.is_bf16_supported() else torch.bfloat16
        model, found = self._transformers.AutoModelForCausalLM.from_pretrained(
            self._chat.source, revision=self._chat.commit, dtype=dtype, output_loading_info=True
        )
        if missing := sorted(found["missing_keys"]):
            # The library fills them with random numbers and only warns.
            raise BackendError(f"the weights lack {len(missing)} parts (first: {missing[0]}).", where=self._where)
        return model.to("cuda" if on_card else "cpu").eval()

    def _answer(self, request: Request) -> RawReply:
        ids = self._chat.prompt_ids(request)
        if refusal := too_long(len(ids), self.context):
            return refusal
        try:
            # In the schema's own order of properties; no blanks but those between items, or a weak model writes them
            # until its budget ends.
            grammar = self._compiler.compile_json_schema(json.dumps(dict(request.reply_schema)), any_whitespace=False)
        except (RuntimeError, ValueError) as error:
            return RawReply(state=ReplyState.ERROR, detail=f"the reply's form cannot be held: {reason(error)}")
        try:
            new = self._generate(request, ids, grammar)
        except self._torch.OutOfMemoryError as error:
            self._torch.cuda.empty_cache()
            return RawReply(state=ReplyState.ERROR, detail=f"out of memory: {reason(error)}", prompt_tokens=len(ids))
        return RawReply(
            text=self._chat.tokenizer.decode(new, skip_special_tokens=True),
            finish_reason="stop" if new and new[-1] in self._ends else "length",
            prompt_tokens=len(ids),
            output_tokens=len(new),
            # The answer is held to its form from the first token, which leaves no room for thoughts.
            reasoning_tokens=0,
        )

    def _generate(self, request: Request, ids: list[int], grammar: Any) -> list[int]:
        torch, sampling = self._torch, request.sampling
        drawn = {"temperature": sampling.temperature, "top_k": 0, "top_p": 1.0} if sampling.temperature > 0 else {}
        # Made anew, so that no default of the model's own (a penalty, another top_k) plays a part.
        how = self._transformers.GenerationConfig(
            max_new_tokens=answer_budget(request, len(ids), self.context),
            do_sample=bool(drawn),
            eos_token_id=sorted(self._ends),
            pad_token_id=min(self._ends),
            **drawn,
        )
        prompt = torch.tensor([ids], device=self._model.device)
        torch.manual_seed(sampling.seed)
        with torch.inference_mode():
            out = self._model.generate(
                prompt,
                attention_mask=torch.ones_like(prompt),
                generation_config=how,
                logits_processor=[self._processors.LogitsProcessor(grammar)],
            )
        new: list[int] = out[0, len(ids) :].tolist()
        return new
