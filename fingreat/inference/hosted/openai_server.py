"""What a server says of a model before anything is asked: whether it knows it, what it holds, how long a prompt is."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from fingreat.errors import BackendError, FingreatError, InputError
from fingreat.inference.hosted.openai_wire import error_words, fatal_error
from fingreat.inference.hosted.provider import NO_LIST, Hosted, unreachable
from fingreat.inference.hosted.wire import NO_JSON, count, part, parts, text
from fingreat.schema import Request

_SHOWN = 8
_LENIENT = ("vllm", "sglang", "llamacpp")
"""What calls itself so holds a model to any schema; what stands for OpenAI elsewhere may refuse optional properties."""
_PLAIN = {"follow_redirects": False}


class Server:
    """The server of a model, asked one thing after the other.

    OpenAI is asked for the model alone. Other servers are asked for their list; one that has none, such as a proxy,
    is taken at its word when it answers.

    Attributes:
        context: tokens that the model holds; None where the server does not say.
        lenient: whether it takes a reply's schema as it is.

    Args:
        client: the SDK's synchronous client.
        template: arguments of the chat template, which a prompt's length depends on.

    Raises:
        InputError: the server does not know the model.
        BackendError: it is not there, or refuses the key.
    """

    def __init__(self, client: Any, sdk: Any, model: Hosted, template: Mapping[str, Any]) -> None:
        self._client = client
        self._faults = (sdk.APIStatusError, sdk.APIConnectionError, *NO_JSON)
        self._sdk = sdk
        self._model = model
        self._template = template
        try:
            entry = self._entry()
        except FingreatError:
            client.close()
            raise
        self._maker = text(entry, "owned_by")
        self.lenient = self._maker in _LENIENT
        # vLLM; llama.cpp, which may hold less of a model than it was trained on.
        meta = part(entry, "meta")
        self.context = count(entry, "max_model_len") or count(meta, "n_ctx") or count(meta, "n_ctx_train") or None

    def prompt_tokens(self, request: Request) -> int | None:
        """Tokens of a prompt by the model's own tokenizer and template; None where the server does not count."""
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        body: dict[str, Any] = {"model": self._model.model, "messages": messages}
        if self._template:
            body["chat_template_kwargs"] = dict(self._template)
        if self._maker == "llamacpp":
            return self._count("/chat/completions/input_tokens", body, "input_tokens")
        if self._maker == "vllm":
            return self._count(self._model.address.removesuffix("/v1") + "/tokenize", body, "count")
        return None

    def close(self) -> None:
        """End the connection."""
        self._client.close()

    def _count(self, path: str, body: Mapping[str, Any], name: str) -> int | None:
        try:
            return count(self._client.post(path, body=body, options=_PLAIN, cast_to=object), name)
        except self._faults:
            # A server that counts no more is no fault: what does not fit is refused when it is asked.
            self._maker = ""
            return None

    def _entry(self) -> Mapping[str, Any]:
        """What the server's list holds of the model."""
        path = "/models" if self._model.own else f"/models/{self._model.model}"
        try:
            data = self._client.get(path, options=_PLAIN, cast_to=object)
        except self._sdk.APIStatusError as error:
            return self._refused(error.status_code, error.body)
        except self._sdk.APIConnectionError as error:
            raise unreachable(self._model, error) from None
        except NO_JSON:
            data = None
        return self._listed(data) if self._model.own else {}

    def _refused(self, status: int, body: Any) -> Mapping[str, Any]:
        if status == 404 and not self._model.own:
            raise InputError("OpenAI knows no such model.", where=self._model.where) from None
        if status in NO_LIST:
            return {}
        raise BackendError(error_words(status, body), where=self._model.where, hint=fatal_error(status, body)) from None

    def _listed(self, data: Any) -> Mapping[str, Any]:
        if not isinstance(part({"data": data}, "data").get("data"), list):
            raise BackendError(
                "does not speak the language of OpenAI.",
                where=self._model.where,
                hint="The address mostly ends in /v1.",
            )
        entries = {text(entry, "id"): entry for entry in parts(data, "data")}
        for entry in parts(data, "data"):
            aliases = entry.get("aliases")
            for alias in aliases if isinstance(aliases, list) else ():
                entries.setdefault(str(alias), entry)
        if self._model.model not in entries:
            names = difflib.get_close_matches(self._model.model, entries, n=_SHOWN, cutoff=0.3)
            shown = ", ".join(names or list(entries)[:_SHOWN])
            hint = f"It has: {shown}." if shown else None
            raise InputError("the server has no such model.", where=self._model.where, hint=hint)
        return entries[self._model.model]
