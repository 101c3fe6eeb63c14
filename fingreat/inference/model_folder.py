"""What `hf` and `vllm` share: a model by folder or hub name, what pins it, its chat prompt, messages for its faults."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from array import array
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from fingreat.errors import BackendError, FingreatError, InputError
from fingreat.inference.backend import ModelSpec, RawReply
from fingreat.inference.presets import Preset, template_arguments
from fingreat.runs import sha256_of
from fingreat.schema import Message, ReplyState, Request, sha256_hex

_WEIGHTS = ("*.safetensors", "*.bin", "*.pt")
_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "tokenizer_config.json", "vocab.json", "tekken.json")
_PROBE = (Message(role="system", content="a"), Message(role="user", content="b"))
_LONGEST_REASON = 300
_COUNTED = 256
"""Prompts whose tokens are kept from counting to asking, so that they are made once in a run of that size."""

QUIET_TORCH = {"TORCH_CPP_LOG_LEVEL": "ERROR", "HF_HUB_DISABLE_TELEMETRY": "1"}
PATIENT_THREADS = {"OMP_WAIT_POLICY": "PASSIVE"}
"""Without a graphics card, threads that wait at work are a burden where other programs share the cores: of two busy
cores, a reply of 40 tokens took 31 s with them and 1.4 s without."""


class ChatModel:
    """A model that is there, takes chat messages and is pinned; its weights are not loaded.

    Args:
        spec: a folder with `config.json`, tokenizer, chat template and weights, or a name of the model hub.
        preset: says how the model's chat template switches thoughts off.

    Attributes:
        options: what is done to every prompt that can change an answer, for the request's key.
        name: the folder's name, or the hub's.
        source: what a library is told to load: the folder or the hub's name.
        commit: of the hub's snapshot, for the library; None for a folder.
        revision: the commit, or the first 16 hex digits of the folder's SHA-256.
        config: the model's configuration.
        tokenizer: the model's own.

    Raises:
        InputError: there is no such model, something is missing in it, or its revision is another one.
    """

    def __init__(self, spec: ModelSpec, preset: Preset = Preset()) -> None:  # noqa: B008 - frozen
        where = str(spec)
        folder, name = folder_of(spec), spec.model or ""
        is_folder = folder is not None
        self._arguments = template_arguments(preset)
        self.options = {"chat_template": self._arguments}
        self._head: tuple[str, list[int]] = ("", [])
        self._counted: OrderedDict[str, array[int]] = OrderedDict()
        self.source = name if folder is None else str(folder)
        self.name = name if folder is None else folder.resolve().name
        # The commit and not the branch: one that moves in between cannot mix two models.
        self.commit = None if is_folder else _commit_of(name, spec.revision, where)
        self.config = self._load("AutoConfig", "config.json", where)
        self.tokenizer = self._load("AutoTokenizer", "tokenizer", where)
        self.revision = self.commit if folder is None else folder_revision(folder)
        if is_folder and spec.revision and not (self.revision or "").startswith(spec.revision):
            raise InputError(f"the folder's SHA-256 begins with {self.revision}, not {spec.revision}.", where=where)
        self._system_apart = self._takes_a_system_message(where)

    def prompt_ids(self, request: Request) -> list[int]:
        """The request as tokens, by the model's chat template, up to where its answer begins."""
        if (counted := self._counted.pop(request.key, None)) is not None:
            return counted.tolist()
        text = self._render(request.messages, self._system_apart)
        head, ids = self._head
        if head and text.startswith(head):
            return ids + self._ids(text[len(head) :])
        ids = self._ids(text)
        self._head = self._shared_head(request.messages[0].content, text, ids)
        return ids

    def count(self, request: Request) -> int:
        """Tokens of `prompt_ids`, which are kept a while for the asking."""
        ids = self.prompt_ids(request)
        self._counted[request.key] = array("i", ids)
        if len(self._counted) > _COUNTED:
            self._counted.popitem(last=False)
        return len(ids)

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def _shared_head(self, system: str, text: str, ids: list[int]) -> tuple[str, list[int]]:
        """The part of a prompt up to the control token behind its system message, with its tokens; empty without one.

        Tokens never reach over a control token, so what follows can be made without it. That is tried out here, once.
        """
        end = text.find(system) + len(system) if system in text else 0
        controls = [token for token in self.tokenizer.all_special_tokens if end and text.startswith(token, end)]
        if not controls:
            return "", []
        head = text[:end]
        head_ids = self._ids(head)
        return (head, head_ids) if head_ids + self._ids(text[end:]) == ids else ("", [])

    def _load(self, kind: str, part: str, where: str) -> Any:
        with off_stdout(), quiet():
            try:
                return getattr(import_module("transformers"), kind).from_pretrained(self.source, revision=self.commit)
            except Exception as error:
                raise InputError(f"its {part} cannot be used: {reason(error)}.", where=where) from error

    def _render(self, messages: tuple[Message, ...], system_apart: bool) -> str:
        turns = [message.model_dump() for message in messages]
        if not system_apart and turns[0]["role"] == "system":
            system = turns.pop(0)["content"]
            turns[0]["content"] = f"{system}\n\n{turns[0]['content']}"
        # The answer is held to the reply's form from its first token, so there is no room for thoughts before it: a
        # template that can say so tells the model.
        text: str = self.tokenizer.apply_chat_template(
            turns, tokenize=False, add_generation_prompt=True, **self._arguments
        )
        return text

    def _takes_a_system_message(self, where: str) -> bool:
        """Whether the template has a system turn; where it refuses one, its text goes before the user's."""
        if not getattr(self.tokenizer, "chat_template", None):
            raise InputError(
                "the model has no chat template.",
                where=where,
                hint="Use a model that was tuned to follow instructions.",
            )
        faults = []
        for apart in (True, False):
            try:
                self._render(_PROBE, apart)
                return apart
            except TemplateError as error:
                faults.append(error)
        raise InputError(f"its chat template cannot be used: {reason(faults[0])}.", where=where) from faults[0]


def folder_of(spec: ModelSpec) -> Path | None:
    """The whole folder that a specification names; None where it names a model of the hub.

    Raises:
        InputError: it names no model, a folder that is not there, or one that lacks something.
    """
    where = str(spec)
    if not spec.model:
        raise InputError("names no model.", where=where, hint=f"Write `{spec.backend}:DIR-or-HUB-NAME`.")
    folder = _path_of(spec.model)
    if folder.is_dir():
        _check_folder(folder, where)
        return folder
    if folder.exists() or spec.model.startswith(("/", ".", "~")) or spec.model.count("/") > 1:
        raise InputError("there is no such model folder.", where=where, hint="Name a folder with a config.json.")
    return None


def set_defaults(values: Mapping[str, str]) -> None:
    """Set environment variables that the user has not set."""
    for name, value in values.items():
        os.environ.setdefault(name, value)


def folder_revision(folder: Path) -> str:
    """The first 16 hex digits of a SHA-256 over names and contents of a folder's files.

    Hidden files and folders are left out: version control and the hub's client keep their own notes there.
    """
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    names = sorted(name for name in paths if not any(part.startswith(".") for part in name.split("/")))
    with ThreadPoolExecutor() as pool:
        digests = pool.map(sha256_of, (paths[name] for name in names))
        return sha256_hex("".join(f"{digest}  {name}\n" for name, digest in zip(names, digests, strict=True)).encode())[
            :16
        ]


def answer_budget(request: Request, prompt_tokens: int, context: int | None) -> int:
    """Tokens that an answer may take: as many as asked for, or as the prompt leaves of the context."""
    asked = request.sampling.max_tokens
    return asked if context is None else min(asked, context - prompt_tokens)


def too_long(prompt_tokens: int, context: int | None) -> RawReply | None:
    """The reply to a prompt that leaves no room for an answer; None where there is room."""
    if context is None or prompt_tokens < context:
        return None
    detail = f"the prompt takes {prompt_tokens} tokens, and the model holds {context}"
    return RawReply(state=ReplyState.TOO_LONG, detail=detail, prompt_tokens=prompt_tokens)


@contextmanager
def loading(spec: ModelSpec) -> Iterator[None]:
    """Turn whatever a library raises while it loads a model into one message, and keep standard output clean.

    Raises:
        BackendError: the model cannot be loaded.
    """
    with off_stdout(), quiet():
        try:
            yield
        except FingreatError:
            raise
        except Exception as error:
            raise BackendError(f"the model cannot be loaded: {reason(error)}.", where=str(spec)) from error


@contextmanager
def engine_errors(engine: str, where: str) -> Iterator[None]:
    """Turn whatever an engine raises while it works into one message, and keep standard output clean.

    Raises:
        BackendError: the engine is gone.
    """
    with off_stdout():
        try:
            yield
        except Exception as error:
            raise BackendError(
                f"{engine} failed: {reason(error)}.",
                where=where,
                hint="Run the same command again: what is answered stays.",
            ) from error


@contextmanager
def off_stdout() -> Iterator[None]:
    """Send to standard error what a library, its C code or its child processes write to standard output."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


@contextmanager
def quiet() -> Iterator[None]:
    """Hold back what the libraries warn of: their own old calls, and parts that they can do without."""
    loggers = [logging.getLogger(name) for name in ("transformers", "huggingface_hub", "vllm")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def reason(error: BaseException) -> str:
    """An error in one line, for a message."""
    text = " ".join(str(error).split()) or type(error).__name__
    return (text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]} ...").rstrip(".")


def _path_of(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:
        # Nobody has this name, so `~name` is taken as it stands.
        return Path(text)


def _commit_of(name: str, revision: str | None, where: str) -> str:
    """The commit that a branch, tag or commit of a hub's model names; its config.json is fetched where it is not here.

    Raises:
        InputError: it is neither in the local cache nor to be had.
    """
    with off_stdout(), quiet():
        hub: Any = import_module("transformers.utils.hub")
        try:
            # In the cache each commit is a folder of its own.
            return Path(hub.cached_file(name, "config.json", revision=revision)).parent.name
        except OSError as error:
            raise InputError(
                f"there is no such folder, and no such model in the local cache or on the model hub ({reason(error)}).",
                where=where,
                hint="Check the name and the connection, or name the folder that holds the model.",
            ) from error


def _check_folder(folder: Path, where: str) -> None:
    missing = [
        what
        for what, patterns in (
            ("config.json", ("config.json",)),
            ("tokenizer", _TOKENIZERS),
            ("weights (*.safetensors)", _WEIGHTS),
        )
        if not any(path.is_file() for pattern in patterns for path in folder.glob(pattern))
    ]
    if missing:
        raise InputError(
            f"the folder holds no {', no '.join(missing)}.",
            where=where,
            hint="Name a folder as `save_pretrained` writes.",
        )
